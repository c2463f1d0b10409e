//! A tree equals the stream of the document, or is refused with the error of the [`Survey`].

use super::{Builder, is_text};
use crate::compile::{CompileOptions, compile};
use crate::crafted::Crafted;
use crate::event::ValueSink;
use crate::limits;
use crate::read::file::DocumentFile;
use crate::read::stream::Budget;
use crate::read::tables::Tables;
use crate::wire::directory::Part;
use crate::wire::header::Profile;
use coconut_format::Value;
use coconut_format::error::ErrorKind;

/// A document with every form of value: nested records and lists, keys in place, shared values,
/// integers of every width. It also has texts around the lengths inspected in words, and more than
/// a few keys.
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
fn a_tree_of_any_changed_file_equals_the_stream_or_has_the_same_error() {
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

#[test]
fn invalid_utf8_is_refused_at_any_position_of_a_text() {
    for length in 0..=70usize {
        let text = vec![b'x'; length];
        assert!(is_text(&text), "{length}");
        for at in 0..length {
            for byte in [0x80, 0xff] {
                let mut text = text.clone();
                text[at] = byte;
                assert!(!is_text(&text), "{byte:#x} at {at} of {length}");
            }
        }
        assert!(is_text(&[&text[..], "é".as_bytes()].concat()), "{length}");
    }
}

#[test]
fn a_text_has_at_most_256_mib() {
    let text = vec![0; limits::STRING_BYTES + 1];
    assert_eq!((is_text(&text[1..]), is_text(&text)), (true, false));
}

/// Returns a file with two strings, three shapes and two shared values. The shapes are: an integer
/// slot; that shape nested before an integer and a constant; a plain slot and an integer.
fn crafted(profile: Profile, root: &[u8]) -> Crafted {
    let mut crafted = Crafted::of(profile, root);
    if profile != Profile::Plain {
        crafted.strings = b"\x92\xa1s\xa1t".to_vec();
        crafted.shapes =
            b"\x93\x91\x91\xa1k\x93\x92\xa1n\x00\x91\xa1i\x93\xa1c\xc0\xc3\x92\xa1p\x91\xa1i".to_vec();
        crafted.shared = b"\x92\x91\xc0\x92\xc0\xff".to_vec();
    }
    crafted
}

/// Asserts that the tree equals the stream and has this number of values, or that every reader
/// refuses the file with the same error.
#[track_caller]
fn assert_tree(crafted: &Crafted, is_good: bool) {
    let file = crafted.file();
    let root = &crafted.root[..crafted.root.len().min(60)];
    let tree = file.view().tree();
    assert_eq!(tree.as_ref().map(drop), file.view().check_values().as_ref().map(drop), "{root:02x?}");
    assert_eq!(tree.is_ok(), is_good, "{root:02x?}");
    if let Ok(tree) = tree {
        assert_eq!(tree.to_value(), streamed(&file), "{root:02x?}");
    }
}

#[test]
fn every_form_of_value_is_read_or_refused() {
    let good: [&[u8]; 30] = [
        b"\xc0",
        b"\xc2",
        b"\xc3",
        b"\x01",
        b"\xcc\x01",
        b"\xce\0\0\0\x01",
        b"\xa1x",
        b"\xd9\x01x",
        b"\xda\0\x01x",
        b"\xcb\x3f\xf8\0\0\0\0\0\0",
        b"\xff",
        b"\xfe",
        b"\xd0\xfe",
        b"\xd3\xff\xff\xff\xff\xff\xff\xff\xfe",
        b"\xd4\x01\xff",
        b"\xd7\x02\x80\0\0\0\0\0\0\0",
        b"\x90",
        b"\x91\xc0",
        b"\xdc\0\x01\xc0",
        b"\xdd\0\0\0\x02\xc0\x90",
        b"\x91\xc2",
        b"\x95\xc2\x00\xc0\x01\xff",
        b"\xdc\0\x03\xc2\xa1k\xc0",
        b"\x93\xc2\xce\0\0\0\x01\xc0",
        b"\x92\x00\x05",
        b"\x92\x00\xcd\x01\0",
        b"\x92\x00\xff",
        b"\x92\x00\xd1\x80\0",
        b"\x93\x01\x05\xff",
        b"\x93\x02\x01\x05",
    ];
    for root in good {
        assert_tree(&crafted(Profile::Full, root), true);
    }
    let bad: [&[u8]; 35] = [
        b"\xc1",
        b"\x02",
        b"\xcc\x02",
        b"\xcd\0\x02",
        b"\xce\0\0\0\x02",
        b"\xce\0\0\0\x03",
        b"\xcf\0\0\0\x01\0\0\0\0",
        b"\x03",
        b"\xa1\xff",
        b"\xd9\x01\xff",
        b"\xda\0\x01\xff",
        b"\xcb\x7f\xf0\0\0\0\0\0\0",
        b"\xcb\x7f\xf8\0\0\0\0\0\0",
        b"\xca\0\0\0\0",
        b"\xfd",
        b"\xd0\xfd",
        b"\xd3\xff\xff\xff\xfe\xff\xff\xff\xff",
        b"\xd4\x03\xff",
        b"\xd4\x02\x7f",
        b"\xc7\x03\x01\0\0\0",
        b"\xc4\0",
        b"\x80",
        b"\x81\xa1k\xc0",
        b"\x91\xc3",
        b"\x92\xc2\x00",
        b"\x93\xc2\x02\xc0",
        b"\x93\xc2\xc0\xc0",
        b"\x93\xc2\xa1\xff\xc0",
        b"\x91\x00",
        b"\x92\x03\xc0",
        b"\x93\x02\x05\x01",
        b"\x93\x00\xc0\xc0",
        b"\x92\x00\xc4\0",
        b"\xc0\xc0",
        b"\x92\xc0",
    ];
    for root in bad {
        assert_tree(&crafted(Profile::Full, root), false);
    }
}

#[test]
fn every_form_of_profile_plain_is_read_or_refused() {
    let good: [&[u8]; 11] = [
        b"\x05",
        b"\xff",
        b"\xcf\xff\xff\xff\xff\xff\xff\xff\xff",
        b"\xd3\x80\0\0\0\0\0\0\0",
        b"\xa1x",
        b"\x90",
        b"\x92\xc0\x05",
        b"\x80",
        b"\x82\xa1a\x05\xa1b\x81\xa1a\xff",
        b"\xde\0\x01\xa1a\xc0",
        b"\x92\xc2\x00",
    ];
    for root in good {
        assert_tree(&crafted(Profile::Plain, root), true);
    }
    let bad: [&[u8]; 7] = [
        b"\xd4\x01\xff",
        b"\xc4\0",
        b"\xa1\xff",
        b"\x81\x05\xc0",
        b"\x81\xa1\xff\xc0",
        b"\x82\xa1a\xc0\xa1a\xc0",
        b"\xc0\xc0",
    ];
    for root in bad {
        assert_tree(&crafted(Profile::Plain, root), false);
    }
}

/// Shared values (§4.4).
#[test]
fn shared_values_are_containers_that_refer_to_earlier_ones() {
    let shared = |shared: &[u8]| {
        let mut crafted = crafted(Profile::Full, b"\xff");
        crafted.shared = shared.to_vec();
        crafted
    };
    for good in
        [&b"\x91\x90"[..], b"\x91\xdc\0\x01\xc0", b"\x91\xdd\0\0\0\x01\xc0", b"\x92\x91\xc0\x93\xc0\xff\xff"]
    {
        assert_tree(&shared(good), true);
    }
    for bad in [
        &b"\x90"[..],
        b"\x91\xc0",
        b"\x91\xff",
        b"\x91\x92\xc0\xff",
        b"\x92\x92\xc0\xfe\x91\xc0",
        b"\x91\x91\xc0\xc0",
        b"\xc0",
    ] {
        assert_tree(&shared(bad), false);
    }
}

#[test]
fn duplicate_keys_are_refused_in_objects_of_any_size() {
    for profile in [Profile::Full, Profile::Plain] {
        for count in 1..40u8 {
            // The key before which a duplicate is inserted, if any. It repeats the first, middle or
            // same key.
            for repeated in [None, Some(0), Some(count / 2), Some(count - 1)] {
                let mut root = match profile {
                    Profile::Plain => vec![0xde, 0, count + u8::from(repeated.is_some())],
                    _ => vec![0xdc, 0, 2 * (count + u8::from(repeated.is_some())) + 1, 0xc2],
                };
                for key in (0..count).chain(repeated) {
                    root.extend_from_slice(&[0xa2, b'k', b'0' + key, 0xc0]);
                }
                assert_tree(&crafted(profile, &root), repeated.is_none());
            }
        }
    }
    // By id and in place.
    assert_tree(&crafted(Profile::Full, b"\x95\xc2\x00\xc0\xa1s\xc0"), false);
    assert_tree(&crafted(Profile::Full, b"\x95\xc2\x00\xc0\xa1t\xc0"), true);
    let large = |last: &[u8]| {
        let keys: Vec<u8> = (0..40).flat_map(|key| [0xa2, b'k', b'0' + key, 0xc0]).collect();
        [&[0xdc, 0, 2 * 42 + 1, 0xc2][..], &keys, b"\x00\xc0", last].concat()
    };
    assert_tree(&crafted(Profile::Full, &large(b"\xa1s\xc0")), false);
    assert_tree(&crafted(Profile::Full, &large(b"\xa1t\xc0")), true);
}

/// Returns an object with keys `k0`, `k1` and so on, or with another `letter`, and the offset of
/// its last key. Values are null, except the middle one. If it `repeats`, the last key is the first
/// again.
fn object(letter: u8, count: u8, middle: &[u8], repeats: bool) -> (Vec<u8>, usize) {
    let mut bytes = vec![0xde, 0, count + u8::from(repeats)];
    let mut last = 0;
    for key in (0..count).chain(repeats.then_some(0)) {
        last = bytes.len();
        bytes.extend_from_slice(&[0xa2, letter, b'0' + key]);
        bytes.extend_from_slice(if key == count / 2 { middle } else { &[0xc0] });
    }
    (bytes, last)
}

#[test]
fn keys_of_nested_objects_are_kept_apart() {
    const COUNTS: [u8; 8] = [1, 2, 3, 15, 16, 17, 18, 33];
    for (outer, inner) in COUNTS.into_iter().flat_map(|outer| COUNTS.map(|inner| (outer, inner))) {
        for ((outer_repeats, inner_repeats), letter) in [(false, false), (true, false), (false, true)]
            .into_iter()
            .flat_map(|repeats| [(repeats, b'k'), (repeats, b'i')])
        {
            let (middle, in_middle) = object(letter, inner, b"\xc0", inner_repeats);
            // Two values, so that an object follows one that has ended.
            let middles = [&[0x92][..], &object(letter, inner, b"\x90", false).0, &middle].concat();
            let (root, again) = object(b'k', outer, &middles, outer_repeats);
            let crafted = crafted(Profile::Plain, &root);
            assert_tree(&crafted, !outer_repeats && !inner_repeats);
            let at = match (outer_repeats, inner_repeats) {
                (false, false) => continue,
                (true, _) => again,
                (_, true) => {
                    let start = root.windows(middle.len()).rposition(|window| window == middle);
                    start.unwrap() + in_middle
                }
            };
            let error = ErrorKind::DuplicateKey.at((crafted.elements()[3] + at) as u64);
            assert_eq!(crafted.file().view().check_values(), Err(error), "{outer} around {inner}");
        }
    }
}

#[test]
fn a_key_has_at_most_64_kib_and_a_value_may_have_more() {
    for (length, is_good) in [(limits::KEY_BYTES, true), (limits::KEY_BYTES + 1, false)] {
        let bytes = u32::try_from(length).unwrap().to_be_bytes();
        let text = [&[0xdb][..], &bytes, &vec![b'k'; length]].concat();
        assert_tree(&crafted(Profile::Full, &[&[0x93, 0xc2], &text[..], &[0xc0]].concat()), is_good);
        let mut by_id = crafted(Profile::Full, b"\x93\xc2\x00\xc0");
        by_id.strings = [&[0x91], &text[..]].concat();
        assert_tree(&by_id, is_good);
        assert_tree(&crafted(Profile::Full, &text), true);
    }
}

#[test]
fn a_tree_has_at_most_512_levels_of_any_kind() {
    let lists = |levels: usize, last: &[u8]| [&[0x92, 0xc0].repeat(levels)[..], last].concat();
    // An empty list, the shared values of one and of two levels, a record, and a record that nests
    // an object.
    for (last, levels) in
        [(&b"\x90"[..], 1), (b"\xff", 1), (b"\xfe", 2), (b"\x92\x00\x05", 1), (b"\x93\x01\x05\x05", 2)]
    {
        assert_tree(&crafted(Profile::Full, &lists(512 - levels, last)), true);
        let deeper = crafted(Profile::Full, &lists(513 - levels, last));
        assert_tree(&deeper, false);
        let error = deeper.file().view().tree().map(drop).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Depth { limit: 512 });
    }
}

#[test]
fn a_tree_counts_the_root_shared_values_and_container_contents() {
    let count =
        |root: &[u8]| crafted(Profile::Full, root).file().view().tree().map(|tree| tree.stored_nodes());
    // Two shared values. The second contains one value.
    assert_eq!(count(b"\xc0"), Ok(4));
    assert_eq!(count(b"\x93\xc0\xc0\xc3"), Ok(6));
    assert_eq!(count(b"\x93\xc2\x00\xc0"), Ok(6), "a key in place is one");
    assert_eq!(count(b"\x93\x01\x05\x05"), Ok(6), "the constant is none");
}

#[test]
fn unreferenced_shared_values_are_stored() {
    let mut crafted = Crafted::of(Profile::Full, b"\xc0");
    crafted.shared = [&b"\xdc\x03\xe8"[..], &b"\x90".repeat(1000)].concat();
    let file = crafted.file();
    let tree = file.view().tree().unwrap();
    assert_eq!((tree.stored_nodes(), tree.arena_bytes()), (1001, 8 * 2001));
}

#[test]
fn an_empty_list_for_each_byte_is_read() {
    let root = [&[0xdc, 0, 101, 0xc0][..], &[0x90; 100]].concat();
    let mut all = crafted(Profile::Full, &root);
    all.shared = vec![0x90];
    assert_tree(&all, true);
}

#[test]
fn a_number_is_no_key_in_profile_plain_even_with_a_string_of_that_id() {
    let mut crafted = Crafted::of(Profile::Plain, b"\x81\x00\xc0");
    crafted.strings = b"\x91\xa1s".to_vec();
    assert_tree(&crafted, false);
}

#[test]
fn counts_of_nested_containers_are_limited_together() {
    // A hundred lists of 255 items, each the first item of the one around it. There are bytes for
    // only one of them.
    let root = [[0xdc, 1, 0, 0xc0].repeat(100), vec![0xc0; 300]].concat();
    let file = crafted(Profile::Full, &root).file();
    let view = file.view();
    let tables = Tables::read(view).unwrap();
    let mut builder = Builder::new(view, view.bytes(), &tables);
    assert!(builder.read_document(view).is_none());
    assert!(builder.nodes.len() <= builder.most_nodes, "{} nodes", builder.nodes.len());
}
