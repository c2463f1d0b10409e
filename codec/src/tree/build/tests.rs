//! A tree holds what a stream says, or is refused for what the [`Survey`] finds.

use crate::compile::{CompileOptions, compile};
use crate::file::DocumentFile;
use crate::source::ValueSink;
use crate::stream::Budget;
use crate::wire::directory::Part;
use crate::wire::header::Profile;
use coconut_format::Value;

/// Everything that a value can be: records in records, lists in lists, keys in place, what is shared, each width of
/// integer, texts around the lengths that are looked at in words, more than a few keys.
fn source() -> String {
    let row = |n: u32| {
        format!(
            r#"{{"kind": "row", "number": {n}, "at": {{"x": {}, "deep": {{"y": -{n}, "z": null}}}}, "list": [[], {{}}, [true, {n}.5]]}}"#,
            u64::from(n) << 31
        )
    };
    let rows: Vec<String> = (0..6).map(|n| row(n % 4 * 100)).collect();
    let texts: Vec<String> =
        (0..18).chain([63, 64, 65, 255, 256]).map(|length| format!("\"{}é\"", "t".repeat(length))).collect();
    let keys: Vec<String> = (0..20).map(|n| format!(r#""key {n}": {n}"#)).collect();
    format!(
        r#"{{"rows": [{}], "texts": [{}], "large": {{{}}}, "ends": [-9223372036854775808, 18446744073709551615, -0.0]}}"#,
        rows.join(","),
        texts.join(","),
        keys.join(",")
    )
}

fn compiled(profile: Profile) -> Vec<u8> {
    let options = CompileOptions { profile, ..CompileOptions::default() };
    compile(source().as_bytes(), &options).unwrap().bytes
}

fn streamed(file: &DocumentFile<Vec<u8>>) -> Value {
    let mut sink = ValueSink::new();
    file.view().stream(&mut sink, Budget::default()).unwrap();
    sink.finish().unwrap()
}

#[test]
fn a_tree_holds_the_document() {
    for profile in Profile::ALL {
        let file = DocumentFile::from_data(compiled(profile)).unwrap();
        assert_eq!(file.view().tree().unwrap().to_value(), streamed(&file), "{}", profile.name());
    }
}

#[test]
fn a_tree_of_any_changed_byte_is_what_streams_or_refused_for_the_same_fault() {
    for profile in [Profile::Transport, Profile::Plain] {
        let good = compiled(profile);
        let file = DocumentFile::from_data(&good[..]).unwrap();
        assert!(file.view().blocks().is_none(), "one checksum covers the file");
        let places = [Part::SHARED, Part::ROOT].map(|part| file.view().element(part));
        for at in places.into_iter().flatten() {
            for change in [0x01, 0x02, 0x10, 0x40, 0x80, 0xc0, 0xff] {
                let mut bad = good.clone();
                bad[at] ^= change;
                let sum = bad.len() - 4;
                let checksum = crc32fast::hash(&bad[..sum]).to_le_bytes();
                bad[sum..].copy_from_slice(&checksum);
                let file = DocumentFile::from_data(bad).unwrap();
                match (file.view().tree(), file.view().check_values()) {
                    (Ok(tree), Ok(())) => {
                        assert_eq!(tree.to_value(), streamed(&file), "byte {at} ^ {change:#x}");
                    }
                    (tree, values) => assert_eq!(tree.map(drop), values, "byte {at} ^ {change:#x}"),
                }
            }
        }
    }
}
