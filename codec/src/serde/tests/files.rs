//! Number of bytes that reading takes from a file, and the errors for damage.

use super::{PROFILES, file, file_of_json};
use crate::crafted::{Crafted, repair};
use crate::read::file::DocumentFile;
use crate::read::stream::Budget;
use crate::serde::limits::Limits;
use crate::serde::source::Source;
use crate::serde::walker::Walker;
use crate::serde::{DeserializeErrorKind, from_view};
use crate::text::json::{JsonStyle, Printer};
use crate::wire::directory::Part;
use crate::wire::header::Profile;
use crate::wire::value::References;
use coconut_format::error::ErrorKind;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Borrowed<'a> {
    name: &'a str,
    #[serde(borrow)]
    note: Cow<'a, str>,
}

#[test]
fn strings_are_borrowed_from_the_file() {
    let values = ["x", "y", "x"].map(|name| Borrowed { name, note: "a note".into() });
    for profile in PROFILES {
        let file = file(&values, profile);
        let read: Vec<Borrowed<'_>> = from_view(file.view().root()).unwrap();
        assert_eq!(read, values);
        let bytes = file.view().bytes().as_ptr_range();
        for value in &read {
            assert!(bytes.contains(&value.name.as_ptr()));
            assert!(matches!(value.note, Cow::Borrowed(note) if bytes.contains(&note.as_ptr())));
        }
    }
}

#[test]
fn one_landmark_is_read_without_the_others() {
    #[derive(Deserialize)]
    struct Resource<'a> {
        #[serde(rename = "type")]
        kind: &'a str,
    }
    let entries: Vec<String> =
        (0..500).map(|n| format!(r#""r{n}": {{"type": "kind {n}", "n": {n}}}"#)).collect();
    let file = file_of_json(&format!(r#"{{"resources": {{{}}}}}"#, entries.join(",")));
    let landmark = file.view().get_all("r321").unwrap()[0];
    assert_eq!(from_view::<Resource<'_>>(landmark.value().unwrap()).unwrap().kind, "kind 321");
}

/// Ids that are looked up one by one share a place in the cache, or are in the place next to it.
#[test]
fn strings_that_are_remembered_are_those_that_were_requested() {
    let of = |n: usize| {
        let [text, other] = [format!("the {n}. of all texts"), format!("and not the {n}.")];
        format!(r#""r{n}": ["{text}", "x{n}", "{text}", "{text}", "{other}", "{other}", "{other}"]"#)
    };
    let entries: Vec<String> = (0..3000).map(of).collect();
    let file = file_of_json(&format!(r#"{{"resources": {{{}}}}}"#, entries.join(",")));
    let count = file.view().frame.strings.count(file.view().data, file.view().blocks()).unwrap();
    assert_eq!(count, 6000);
    let source = Source::new(file.view());
    let document = file.view();
    // Steps that return to the same place, to the one next to it, and to the same string.
    for (from, step) in [(0, 1), (0, 128), (1, 129), (127, 64), (3, 7)] {
        for id in (from..count).step_by(step).take(40) {
            let expected = document.string(id.into(), 0).unwrap();
            assert_eq!(source.text(id.into(), 0), Ok(expected), "string {id}");
            assert_eq!(source.text(id.into(), 0), Ok(expected), "string {id} again");
        }
    }
    assert!(source.known_tables().is_none(), "looked up one by one");
    let missing = ErrorKind::StringRange { id: u64::from(count), count: count.into() }.at(77);
    assert_eq!(source.text(count.into(), 77), Err(missing));
    let far = ErrorKind::StringRange { id: 1 << 32, count: count.into() }.at(78);
    assert_eq!(source.text(1 << 32, 78), Err(far));
}

/// One value may use parts that are looked up one by one and parts that are read whole. Both must
/// agree.
#[test]
fn a_value_is_read_as_it_is_streamed_wherever_offset_tables_lead() {
    let of = |n: usize| {
        let texts: Vec<String> = (0..200).map(|i| format!(r#""t{}""#, i * (n + 3) % 700)).collect();
        let lists: Vec<String> = (0..50).map(|i| format!("[{0},{0}]", (i * 7 + n) % 200 + 70_000)).collect();
        let (texts, lists) = (texts.join(","), lists.join(","));
        format!(r#""r{n}": {{"k{}": "a", "texts": [{texts}], "lists": [{lists}], "k": "b"}}"#, n / 2)
    };
    let entries: Vec<String> = (0..150).map(of).collect();
    let good = file_of_json(&format!(r#"{{"resources": {{{}}}}}"#, entries.join(",")));
    for part in [Part::STRING_OFFSETS, Part::SHAPE_OFFSETS, Part::SHARED_OFFSETS] {
        let mut bytes = good.view().bytes().to_vec();
        let table = good.view().frame.directory.get(part).unwrap();
        bytes[table.start..table.end].rotate_left(4);
        repair(&mut bytes);
        let file = DocumentFile::from_data(bytes).unwrap();
        let mut compared = 0;
        for n in 0..150 {
            let Ok(found) = file.view().get_all(&format!("r{n}")) else { continue };
            let Some(value) = found.first().map(|landmark| landmark.value().unwrap()) else { continue };
            let mut printer = Printer::new(Vec::new(), JsonStyle::Minified);
            let streamed = value.stream(&mut printer, Budget::default());
            match (from_view::<serde_json::Value>(value), streamed) {
                (Ok(read), Ok(())) => {
                    let text = printer.finish().unwrap();
                    let streamed: serde_json::Value = serde_json::from_slice(&text).unwrap();
                    assert!(read == streamed, "{part:?} r{n}: {read}\n{streamed}");
                }
                (Err(_), Err(_)) => {}
                (read, streamed) => panic!("{part:?} r{n}: {read:?}, {streamed:?}"),
            }
            compared += 1;
        }
        assert!(compared > 100, "{part:?}: {compared}");
        // Walks all of it anyway.
        let root: serde_json::Value = from_view(file.view().root()).unwrap();
        assert!(root == from_view::<serde_json::Value>(good.view().root()).unwrap(), "{part:?}");
    }
}

/// One shared value is looked up by itself, even after so many requests for strings that all of
/// them are known.
#[test]
fn a_shared_value_is_found_without_the_others() {
    #[derive(Deserialize)]
    struct Resource {
        words: Vec<String>,
        numbers: Vec<u64>,
    }
    let numbers =
        |n: usize| (0..200).map(|i| (n * 1000 + i * 7919).to_string()).collect::<Vec<_>>().join(",");
    let words = |n: usize| vec![r#""word one","word two""#; if n == 321 { 3000 } else { 1 }].join(",");
    let of = |n: usize| format!(r#""r{n}": {{"words": [{}], "numbers": [{}]}}"#, words(n), numbers(n / 2));
    let entries: Vec<String> = (0..400).map(of).collect();
    let file = file_of_json(&format!(r#"{{"resources": {{{}}}}}"#, entries.join(",")));
    let shared = file.view().element(Part::SHARED);
    assert!(shared.len() > 100_000, "{shared:?}");
    let landmark = file.view().get_all("r321").unwrap()[0];
    let before = file.touched_bytes();
    let resource: Resource = from_view(landmark.value().unwrap()).unwrap();
    assert_eq!((resource.words.len(), resource.numbers[199]), (6000, 160_000 + 199 * 7919));
    let touched = file.touched_bytes() - before;
    assert!(touched < 32_768, "{touched} bytes");
}

#[test]
fn tables_are_read_at_once_only_for_the_root() {
    let file = file_of_json(r#"{"a": ["x"]}"#);
    let root = file.view().root();
    let field = root.field("a").unwrap().unwrap();
    for (value, expected) in [(root, true), (field, false)] {
        let source = Source::new(file.view());
        Walker::new(&source, value, Limits::default());
        assert_eq!(source.known_tables().is_some(), expected, "at {}", value.offset());
    }
}

#[test]
fn a_shared_value_refers_only_to_those_before_it() {
    // Two shared values, each of null and of this.
    for (first, second) in [(0xff, 0xc0), (0xc0, 0xfe), (0xfe, 0xff)] {
        let mut crafted = Crafted::of(Profile::Full, b"\xfe");
        crafted.shared = vec![0x92, 0x93, 0xc0, 0xc0, first, 0x93, 0xc0, 0xff, second];
        let shared = crafted.elements()[2] as u64;
        let file = crafted.file();
        // The first is found in the second, before the other item of the second.
        let (id, count, at) = match (first, second) {
            (0xff, _) => (0, 0, shared + 4),
            (0xfe, _) => (1, 0, shared + 4),
            _ => (1, 1, shared + 8),
        };
        let expected = ErrorKind::SharedRange { id, count }.at(at);
        let root = file.view().root();
        let error = from_view::<serde_json::Value>(root).unwrap_err();
        assert_eq!(error.kind(), &DeserializeErrorKind::Decode(expected.clone()), "{first:x} {second:x}");
        let streamed = root.stream(&mut Printer::new(Vec::new(), JsonStyle::Minified), Budget::default());
        assert_eq!(streamed.unwrap_err().to_string(), expected.to_string());
    }
    let mut crafted = Crafted::of(Profile::Full, b"\xfe");
    crafted.shared = b"\x92\x92\xc0\xc3\x93\xc0\xff\xff".to_vec();
    assert_eq!(from_view::<[[bool; 1]; 2]>(crafted.file().view().root()), Ok([[true]; 2]));
}

/// Values long enough for block checksums.
fn long_texts() -> Vec<String> {
    (0..2000).map(|n| format!("text number {n}")).collect()
}

#[test]
fn damage_is_the_error_of_the_file() {
    let bytes = file(&long_texts(), Profile::Full).data().clone();
    let needle = b"text number 1500";
    let at = bytes.windows(needle.len()).position(|window| window == needle).unwrap();
    let mut damaged = bytes;
    damaged[at] ^= 1;
    let file = DocumentFile::from_data(damaged).unwrap();
    let error = from_view::<Vec<String>>(file.view().root()).unwrap_err();
    let DeserializeErrorKind::Decode(decode) = error.kind() else { panic!("not {error}") };
    assert!(matches!(decode.kind(), ErrorKind::Checksum { .. }));
    assert_eq!(decode.offset(), at as u64 / 4096 * 4096);
    assert_eq!(error.offset(), Some(decode.offset()));
    // The block begins within some text before the damaged one.
    let index: usize = error.path().strip_prefix('/').unwrap().parse().unwrap();
    assert!((1..=1500).contains(&index), "{error}");
    let printed = serde_json::to_string(&file.view().root()).unwrap_err();
    assert!(printed.to_string().starts_with("SUM-MISMATCH: "), "{printed}");
}

#[test]
fn ignoring_a_value_checks_the_blocks_that_it_is_in() {
    let bytes = file(&(long_texts(), 5u8), Profile::Full).data().clone();
    let needle = b"text number 1500";
    let at = bytes.windows(needle.len()).position(|window| window == needle).unwrap();
    let mut damaged = bytes;
    damaged[at] ^= 1;
    let file = DocumentFile::from_data(damaged).unwrap();
    let error = from_view::<(serde::de::IgnoredAny, u8)>(file.view().root()).unwrap_err();
    assert!(matches!(error.kind(), DeserializeErrorKind::Decode(_)));
    assert_eq!(error.path(), "/0");
}

#[test]
fn every_changed_byte_is_an_error_or_nothing() {
    let values = ["x", "y", "x"].map(|name| Borrowed { name, note: "a note".into() });
    for profile in PROFILES {
        let bytes = file(&values, profile).data().clone();
        let expected: Vec<Borrowed<'_>> =
            Vec::from(values.each_ref().map(|value| Borrowed { name: value.name, note: value.note.clone() }));
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x55;
            if let Ok(file) = DocumentFile::from_data(damaged)
                && let Ok(read) = from_view::<Vec<Borrowed<'_>>>(file.view().root())
            {
                assert_eq!(read, expected, "byte {at}, profile {}", profile.name());
            }
        }
    }
}
