//! §8 Places of values in a document: the path from the root, and JSON pointers.

use coconut_codec::read::file::DocumentView;
use coconut_codec::read::lookup::{LandmarkView, Step, Ways};
use coconut_codec::read::view::{Content, ValueView};
use coconut_format::error::DecodeError;
use coconut_format::landmark::Trail;
use coconut_format::pointer::{push_index, push_key, unescape};

/// Calls `each` with every landmark in document order, its full key and the path to it. Costs one
/// pass over the containers of landmarks.
pub fn for_each_landmark<'a, E: From<DecodeError>>(
    document: DocumentView<'a>,
    mut each: impl FnMut(LandmarkView<'a>, &str, &[Step<'a>]) -> Result<(), E>,
) -> Result<(), E> {
    let mut ways = Ways::from_root(document);
    let mut keys = document.keys()?;
    while let Some((landmark, key)) = keys.read_next()? {
        each(landmark, key, ways.next_to(landmark)?)?;
    }
    Ok(())
}

/// Extends a path from `value` along a JSON pointer. On failure, returns the number of existing
/// segments, and the value there.
pub fn follow<'a>(
    value: ValueView<'a>,
    pointer: &str,
) -> Result<Result<Vec<Step<'a>>, (usize, ValueView<'a>)>, DecodeError> {
    let mut way = Vec::new();
    let mut here = value;
    for segment in pointer.split('/').skip(1) {
        let segment = unescape(segment);
        let step = match here.content()? {
            Content::Object(object) => entry(object, &segment)?,
            Content::List(list) => list.named(&segment)?.map(|(index, item)| (Trail::Item(index), item)),
            _ => None,
        };
        match step {
            Some(step) => {
                here = step.1;
                way.push(step);
            }
            None => return Ok(Err((way.len(), here))),
        }
    }
    Ok(Ok(way))
}

/// The entry `key`, with its key as the document stores it.
fn entry<'a>(
    object: coconut_codec::read::view::ObjectView<'a>,
    key: &str,
) -> Result<Option<Step<'a>>, DecodeError> {
    Ok(object.entry(key)?.map(|(found, value)| (Trail::Entry(found), value)))
}

/// The JSON pointer of a path.
pub fn pointer_of(way: &[Step<'_>]) -> String {
    let mut pointer = String::new();
    for (trail, _) in way {
        match trail {
            Trail::Root => {}
            Trail::Entry(key) => push_key(&mut pointer, key),
            Trail::Item(index) => push_index(&mut pointer, index),
        }
    }
    pointer
}

#[cfg(test)]
mod tests {
    use super::*;
    use coconut_codec::Profile;
    use coconut_codec::compile::{CompileOptions, compile};
    use coconut_codec::read::file::DocumentFile;

    /// Nested landmarks, a list, a record with constants and nested slots around them, keys that
    /// need escapes.
    fn package() -> String {
        let member = |n: usize| {
            format!(
                r#""f/{n}~":{{"kind":"ClassMethod","body":{{"kind":"Block","line":{n}}},"ident":"i{n}"}}"#
            )
        };
        let members: Vec<String> = (0..30).map(member).collect();
        let modules: Vec<String> = (0..3)
            .map(|n| {
                format!(r#""m{n}":{{"kind":"Module","members":{{{}}},"exports":{{}}}}"#, members.join(","))
            })
            .collect();
        format!(r#"{{"name":"p","language":"x","modules":{{{}}}}}"#, modules.join(","))
    }

    #[test]
    fn the_way_to_every_landmark_leads_to_it() {
        for profile in Profile::ALL {
            let options = CompileOptions::default().profile(profile);
            let bytes = compile(package().as_bytes(), &options).unwrap().bytes;
            let file = DocumentFile::from_data(&bytes[..]).unwrap();
            let mut count = 0;
            for landmark in file.view().landmarks().unwrap() {
                let landmark = landmark.unwrap();
                let pointer = pointer_of(Ways::from_root(file.view()).next_to(landmark).unwrap());
                let found =
                    file.view().root().pointer(&pointer).unwrap().expect("the pointer leads somewhere");
                assert_eq!(found.offset(), landmark.value().unwrap().offset(), "{pointer}");
                let indexed = landmark.indexed_way().unwrap().map(|way| pointer_of(&way));
                let is_known = indexed.is_some() || profile == Profile::Full;
                assert_eq!(indexed, is_known.then_some(pointer), "by the index");
                count += 1;
            }
            assert_eq!(count, 1 + 3 + 3 * 30);
        }
    }

    #[test]
    fn one_pass_finds_the_same_ways() {
        let bytes = compile(package().as_bytes(), &CompileOptions::default()).unwrap().bytes;
        let file = DocumentFile::from_data(&bytes[..]).unwrap();
        let mut pointers = Vec::new();
        for_each_landmark::<DecodeError>(file.view(), |landmark, key, way| {
            assert_eq!(landmark.key()?, key);
            let mut single = Ways::from_root(file.view());
            assert_eq!(pointer_of(way), pointer_of(single.next_to(landmark)?));
            pointers.push(pointer_of(way));
            Ok(())
        })
        .unwrap();
        assert_eq!(pointers.len(), 1 + 3 + 3 * 30);
        assert_eq!(pointers[..3], ["", "/modules/m0", "/modules/m0/members/f~10~0"]);
    }

    #[test]
    fn a_pointer_that_ends_early_is_reported_with_its_existing_part() {
        let bytes = compile(br#"{"a":[{"b":1}]}"#, &CompileOptions::default()).unwrap().bytes;
        let file = DocumentFile::from_data(&bytes[..]).unwrap();
        let root = file.view().root();
        assert_eq!(
            follow(root, "/a/0/b").unwrap().map(|way| pointer_of(&way)).ok(),
            Some("/a/0/b".to_owned())
        );
        assert!(matches!(follow(root, "/a/0/c").unwrap(), Err((2, _))));
        for no_number in ["x", "00", "+0", ""] {
            assert!(matches!(follow(root, &format!("/a/{no_number}")).unwrap(), Err((1, _))), "{no_number}");
        }
    }
}
