//! §8 Landmarks, through an index that may lie.

use super::file_of;
use coconut_codec::read::file::DocumentFile;
use coconut_codec::read::lookup::{LandmarkView, Lookup};
use coconut_format::{DecodeError, ErrorKind};

/// The number of landmarks visited in one run.
const SOME: u32 = 200;

/// Looks up keys of landmarks, and others, and follows every edge. Each result has the requested
/// key.
pub fn lookup(data: &[u8]) {
    let Some(Ok(file)) = file_of(data).map(DocumentFile::from_data) else { return };
    let view = file.view();
    let length = file.data().len() as u64;
    for key in ["", "a", "k0", "aws:ec2/instance:Instance"] {
        for landmark in view.get_all(key).unwrap_or_default() {
            match landmark.key() {
                Ok(found) => assert_eq!(found, key, "get"),
                // An index built in memory finds the key; tables of the file may fail to.
                Err(error) => assert!(view.check_integrity().is_err(), "get `{key}`: {error}"),
            }
        }
    }
    // A table of keys contains the keys of the landmarks, whatever the slots of the index contain.
    if let Ok(table) = view.key_table() {
        for key in ["", "a", "k0", "aws:ec2/instance:Instance"] {
            for landmark in table.get_all(key) {
                assert_eq!(landmark.key().as_deref(), Ok(key), "a table of keys");
            }
        }
    }
    let Ok(count) = view.landmark_count() else { return };
    assert!(view.landmark(count).is_ok_and(|landmark| landmark.is_none()), "a landmark after the last");
    for ordinal in 0..count.min(SOME) {
        let Ok(Some(landmark)) = view.landmark(ordinal) else { continue };
        if let Err(error) = look(landmark) {
            assert!(error.offset() <= length, "{error} is after the end");
        }
    }
}

fn look(landmark: LandmarkView<'_>) -> Result<(), DecodeError> {
    let ordinal = landmark.ordinal()?;
    landmark.value()?.content()?;
    landmark.class()?;
    if let Some(parent) = landmark.parent()? {
        assert!(parent.ordinal()? < ordinal, "a parent comes before its children");
    }
    for child in landmark.children()?.into_iter().take(SOME as usize) {
        assert!(child.ordinal()? > ordinal, "children come after their parent");
    }
    for edge in landmark.dependencies()?.iter().chain(&landmark.dependents()?).take(SOME as usize) {
        edge.landmark.offset();
        assert!(!edge.kind.is_empty());
    }
    let key = landmark.key()?;
    for found in landmark.document().get_all(&key)? {
        assert_eq!(found.key()?, key, "the key of what was found");
    }
    Ok(())
}

/// In a verified file a lookup finds all landmarks that have the key, in document order, and no
/// others.
pub(super) fn every_key_is_found(file: &DocumentFile<Vec<u8>>) {
    let view = file.view();
    let landmarks: Vec<LandmarkView<'_>> = match view.landmarks().and_then(Iterator::collect) {
        // A lookup has a smaller time limit than verification.
        Err(error) if matches!(error.kind(), ErrorKind::Work { .. }) => return,
        landmarks => landmarks.expect("the landmarks of a verified file"),
    };
    let keys: Vec<String> =
        landmarks.iter().map(|landmark| landmark.key().expect("of a verified file").into_owned()).collect();
    let mut listed = view.keys().expect("the landmarks of a verified file");
    for key in &keys {
        let next = listed.read_next().expect("of a verified file");
        assert_eq!(next.map(|(_, key)| key), Some(key.as_str()), "a list of all keys");
    }
    let table = view.key_table().expect("the landmarks of a verified file");
    let places = |found: &[LandmarkView<'_>]| {
        found.iter().map(|landmark| (landmark.offset(), landmark.ordinal())).collect::<Vec<_>>()
    };
    for key in keys.iter().take(SOME as usize) {
        let expected: Vec<u64> = keys
            .iter()
            .zip(&landmarks)
            .filter(|(other, _)| *other == key)
            .map(|(_, landmark)| landmark.offset())
            .collect();
        let found = view.get_all(key).expect("a key of a verified file");
        let offsets: Vec<u64> = found.iter().map(LandmarkView::offset).collect();
        assert_eq!(offsets, expected, "get_all `{key}`");
        assert_eq!(places(&table.get_all(key)), places(&found), "get_all `{key}` of a table");
        match view.get_unique(key).expect("a key of a verified file") {
            Lookup::Found(landmark) => assert_eq!([landmark.offset()], expected[..]),
            Lookup::Ambiguous(landmarks) => assert_eq!(landmarks.len(), expected.len()),
            Lookup::Missing => panic!("`{key}` is a key of landmark and not found"),
        }
        let absent = format!("{key}\u{0}absent");
        if !keys.contains(&absent) {
            assert!(view.get_all(&absent).is_ok_and(|found| found.is_empty()), "get_all `{absent}`");
            assert!(table.get_all(&absent).is_empty(), "get_all `{absent}` of a table");
        }
    }
}
