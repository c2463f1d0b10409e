//! Views of every form of value, and of invalid values.

use super::*;
use crate::compile::{CompileOptions, compile};
use crate::crafted::Crafted;
use crate::event::ValueSink;
use crate::limits;
use crate::read::file::DocumentFile;
use crate::read::stream::Budget;
use coconut_format::Value;
use coconut_format::error::FormRule;
use std::cell::Cell;

/// Nested records and lists, keys in place, shared values, integers of every width.
const SOURCE: &str = r#"{
    "rows": [
        {"kind": "row", "id": 1, "at": {"x": 1, "deep": {"y": -1, "z": null}}, "list": [[], {}, [true, 1.5]]},
        {"kind": "row", "id": 2, "at": {"x": 300, "deep": {"y": -300, "z": "z"}}, "list": [[], {}, [true, 1.5]]},
        {"kind": "row", "id": 3, "at": {"x": 70000, "deep": {"y": -70000, "z": false}}, "list": []},
        {"kind": "row", "id": 4, "at": {"x": 4, "deep": {"y": 5, "z": [["deeply"]]}}, "list": [0.5]}
    ],
    "shared": [
        {"one": ["a long text that is worth being written once", [1, 2, 3, 4, 5, 6, 7, 8]]},
        {"one": ["a long text that is worth being written once", [1, 2, 3, 4, 5, 6, 7, 8]]}
    ],
    "a/b": {"~": {"": 1}},
    "ends": [-9223372036854775808, 18446744073709551615, -0.0, 0, "", []]
}"#;

/// Checks every accessor of a view, and then of the values in it.
fn assert_view(view: ValueView<'_>, expected: &Value) {
    let content = view.content().unwrap();
    assert_eq!(view.kind().unwrap(), content.kind(), "at {}", view.offset());
    let span = view.span().unwrap();
    assert_eq!(span.start, view.offset());
    match (content, expected) {
        (Content::Null, Value::Null) => assert_eq!(content.kind(), Kind::Null),
        (Content::Bool(found), Value::Bool(expected)) => assert_eq!(found, *expected),
        (Content::Integer(found), Value::Integer(expected)) => assert_eq!(found, *expected),
        (Content::Float(found), Value::Float(expected)) => assert_eq!(found.to_bits(), expected.to_bits()),
        (Content::String(found), Value::String(expected)) => {
            assert_eq!(found, expected);
            assert_eq!(view.text(), Ok(Some(found)));
        }
        (Content::List(list), Value::List(expected)) => assert_list(list, expected),
        (Content::Object(object), Value::Object(expected)) => {
            assert_object(object, expected);
            for (key, value) in expected {
                assert_view(view.field(key).unwrap().unwrap(), value);
            }
            assert!(view.field("no such key").unwrap().is_none());
        }
        (found, expected) => panic!("{found:?} is not {expected:?}"),
    }
    if !matches!(content, Content::String(_)) {
        assert_eq!(view.text(), Ok(None));
    }
    if !matches!(content, Content::Object(_)) {
        assert!(view.field("rows").unwrap().is_none());
    }
}

fn assert_list(list: ListView<'_>, expected: &[Value]) {
    assert_eq!((list.len(), list.is_empty()), (expected.len(), expected.is_empty()));
    let mut items = list.items();
    let mut end = None;
    for (index, expected) in expected.iter().enumerate() {
        assert_eq!(items.size_hint(), (0, Some(list.len() - index)));
        let item = items.next().unwrap().unwrap();
        assert_view(item, expected);
        assert_eq!(item.entry() as u64, item.offset());
        assert!(end.is_none_or(|end| end == item.offset()), "items follow each other");
        end = Some(item.span().unwrap().end);
        assert_eq!(list.get(index).unwrap().unwrap().span(), item.span());
    }
    assert_eq!(items.size_hint(), (0, Some(0)));
    assert!(items.next().is_none());
    assert!(list.get(expected.len()).unwrap().is_none());
}

fn assert_object(object: ObjectView<'_>, expected: &[(String, Value)]) {
    assert_eq!((object.len(), object.is_empty()), (expected.len(), expected.is_empty()));
    let mut entries = object.iter();
    for (index, (key, value)) in expected.iter().enumerate() {
        assert_eq!(entries.size_hint(), (0, Some(object.len() - index)));
        let (found, view) = entries.next().unwrap().unwrap();
        assert_eq!(found, key);
        assert_view(view, value);
        assert_eq!(object.get(key).unwrap().unwrap().span(), view.span());
        let (name, value) = object.entry(key).unwrap().unwrap();
        assert_eq!((name, value.span()), (key.as_str(), view.span()));
    }
    assert_eq!(entries.size_hint(), (0, Some(0)));
    assert!(entries.next().is_none());
    assert!(object.get("no such key").unwrap().is_none());
    assert!(object.entry("no such key").unwrap().is_none());
}

#[test]
fn views_hold_the_document() {
    for profile in Profile::ALL {
        let options = CompileOptions { profile, ..CompileOptions::default() };
        let file = DocumentFile::from_data(compile(SOURCE.as_bytes(), &options).unwrap().bytes).unwrap();
        let mut sink = ValueSink::new();
        file.view().stream(&mut sink, Budget::default()).unwrap();
        let root = file.view().root();
        assert_view(root, &sink.finish().unwrap());
        let span = file.view().element(crate::wire::directory::Part::ROOT);
        assert_eq!(root.span(), Ok(span.start as u64..span.end as u64));
        assert_eq!(root.document().root().span(), root.span());
    }
}

/// The content of a scalar, or the length of a container.
fn shown(content: Content<'_>) -> String {
    match content {
        Content::Null => "Null".to_owned(),
        Content::Bool(value) => format!("Bool({value})"),
        Content::Integer(number) => format!("Integer({number:?})"),
        Content::Float(number) => format!("Float({number:?})"),
        Content::String(text) => format!("String({text:?})"),
        Content::List(list) => format!("list of {}", list.len()),
        Content::Object(object) => format!("object of {}", object.len()),
    }
}

#[test]
fn a_pointer_leads_through_keys_and_numbers() {
    let file = compile(SOURCE.as_bytes(), &CompileOptions::default()).unwrap().bytes;
    let file = DocumentFile::from_data(file).unwrap();
    let text = |pointer: &str| {
        let found = file.view().root().pointer(pointer).unwrap();
        found.map(|view| shown(view.content().unwrap()))
    };
    let integer = |number: u64| Some(shown(Content::Integer(number.into())));
    assert_eq!(text("/rows/1/at/x"), integer(300));
    assert_eq!(text("/a~1b/~0/"), integer(1));
    assert_eq!(text("/shared/1/one/1/7"), integer(8));
    assert_eq!(text("/ends/4"), Some(r#"String("")"#.to_owned()));
    for nowhere in ["/rows/4", "/rows/x", "/rows/-1", "/none", "/a/b", "/ends/0/0", "/rows/0/kind/0"] {
        assert_eq!(text(nowhere), None, "{nowhere}");
    }
    for no_pointer in ["rows", "x/rows/1/at/x", " /rows/1/at/x", "#", "#/rows/1/at/x"] {
        assert_eq!(text(no_pointer), None, "{no_pointer}");
    }
    for no_number in ["+1", "01", "00", "", " 1", "1 ", "\u{661}", "18446744073709551617"] {
        assert_eq!(text(&format!("/rows/{no_number}/at/x")), None, "{no_number}");
    }
    assert_ne!(text("/rows/0"), None);
    let root = file.view().root();
    assert_eq!(root.pointer("").unwrap().unwrap().span(), root.span());
}

/// Returns the root of a file, or the offset of its error. The file has the strings `s` and `t`,
/// one shape with a key `k`, and one shared empty list.
fn content_of(
    profile: Profile,
    root: &[u8],
) -> (Result<String, DecodeError>, Result<Kind, DecodeError>, u64) {
    let mut crafted = Crafted::of(profile, root);
    crafted.strings = b"\x92\xa1s\xa1t".to_vec();
    crafted.shapes = b"\x91\x91\xa1k".to_vec();
    crafted.shared = b"\x91\x91\xc0".to_vec();
    let file = crafted.file();
    let view = file.view().root();
    let content = view.content().map(shown);
    (content, view.kind(), view.offset())
}

#[track_caller]
fn assert_content(root: &[u8], expected: &str, expected_kind: Kind) {
    let (content, kind, _) = content_of(Profile::Full, root);
    assert_eq!((content.as_deref(), kind), (Ok(expected), Ok(expected_kind)));
}

#[test]
fn every_form_of_value_has_its_content() {
    assert_content(b"\xc0", "Null", Kind::Null);
    assert_content(b"\xc3", "Bool(true)", Kind::Bool);
    assert_content(b"\x01", r#"String("t")"#, Kind::String);
    assert_content(b"\xa1x", r#"String("x")"#, Kind::String);
    assert_content(b"\xcb\x3f\xf8\0\0\0\0\0\0", "Float(1.5)", Kind::Float);
    assert_content(b"\xff", "list of 0", Kind::List);
    assert_content(b"\x90", "list of 0", Kind::List);
    assert_content(b"\x93\xc0\x00\xc0", "list of 2", Kind::List);
    assert_content(b"\x91\xc2", "object of 0", Kind::Object);
    assert_content(b"\x95\xc2\x00\xc0\x01\xc0", "object of 2", Kind::Object);
    assert_content(b"\x92\x00\xc0", "object of 1", Kind::Object);
    let integer = |number: i64| shown(Content::Integer(number.into()));
    assert_content(b"\xd4\x01\xff", &integer(255), Kind::Integer);
    assert_content(b"\xd5\x01\x01\x02", &integer(0x102), Kind::Integer);
    assert_content(b"\xd6\x02\x80\0\0\0", &integer(i32::MIN.into()), Kind::Integer);
    assert_content(b"\xd7\x02\xff\xff\xff\xff\xff\xff\xff\xfe", &integer(-2), Kind::Integer);
}

#[test]
fn invalid_values_are_reported_with_their_offset() {
    let is_wrong = |profile, root: &[u8], kind: ErrorKind| {
        let (content, _, at) = content_of(profile, root);
        assert_eq!(content, Err(kind.at(at)), "{root:02x?}");
    };
    let full = |root: &[u8], kind| is_wrong(Profile::Full, root, kind);
    full(b"\xcb\x7f\xf0\0\0\0\0\0\0", ErrorKind::NonFinite);
    full(b"\x02", ErrorKind::StringRange { id: 2, count: 2 });
    full(b"\xcf\0\0\0\x01\0\0\0\0", ErrorKind::StringRange { id: 1 << 32, count: 2 });
    full(b"\xfe", ErrorKind::SharedRange { id: 1, count: 1 });
    full(b"\xd3\xff\xff\xff\xfe\xff\xff\xff\xff", ErrorKind::SharedRange { id: 1 << 32, count: 1 });
    full(b"\x91\xc3", ErrorKind::ValueForm { rule: FormRule::Array });
    full(b"\x92\xc2\x00", ErrorKind::ValueForm { rule: FormRule::Array });
    full(b"\x91\x00", ErrorKind::ShapeArity { expected: 1, found: 0 });
    full(b"\x93\x00\xc0\xc0", ErrorKind::ShapeArity { expected: 1, found: 2 });
    full(b"\xc4\x00", ErrorKind::Type { expected: "value", found: "bytes" });
    full(b"\x80", ErrorKind::Type { expected: "value", found: "map" });
    full(b"\xd4\x03\xff", ErrorKind::Extension { code: 3, length: 1 });
    full(b"\xc7\x03\x01\0\0\0", ErrorKind::Extension { code: 1, length: 3 });
    full(b"\xd4\x02\x7f", ErrorKind::IntegerForm);
    let plain = |root: &[u8], kind| is_wrong(Profile::Plain, root, kind);
    plain(b"\xd4\x01\xff", ErrorKind::Extension { code: 1, length: 1 });
    plain(b"\xc7\x03\x01\0\0\0", ErrorKind::Extension { code: 1, length: 3 });
    plain(b"\xc4\x00", ErrorKind::Type { expected: "value", found: "bytes" });
    // The reference to a shape follows the header.
    let (content, _, at) = content_of(Profile::Full, b"\x92\x01\xc0");
    assert_eq!(content, Err(ErrorKind::ShapeRange { id: 1, count: 1 }.at(at + 1)));
    let (content, _, at) = content_of(Profile::Full, b"\x92\xcf\0\0\0\x01\0\0\0\0\xc0");
    assert_eq!(content, Err(ErrorKind::ShapeRange { id: 1 << 32, count: 1 }.at(at + 1)));
}

#[test]
fn the_kind_of_a_value_is_known_even_if_its_target_is_missing() {
    let kind = |profile, root: &[u8]| content_of(profile, root).1;
    assert_eq!(kind(Profile::Full, b"\x07"), Ok(Kind::String));
    assert_eq!(kind(Profile::Full, b"\x92\x07\xc0"), Ok(Kind::Object));
    assert_eq!(kind(Profile::Full, b"\x93\x00\xc0\xc0"), Ok(Kind::Object), "nor is it counted");
    assert_eq!(kind(Profile::Plain, b"\x07"), Ok(Kind::Integer));
    assert_eq!(kind(Profile::Plain, b"\x91\x07"), Ok(Kind::List));
    assert_eq!(kind(Profile::Plain, b"\x90"), Ok(Kind::List));
    assert_eq!(kind(Profile::Plain, b"\x81\xa1k\x07"), Ok(Kind::Object));
    let (_, kind, at) = content_of(Profile::Full, b"\x91\xc3");
    assert_eq!(kind, Err(ErrorKind::ValueForm { rule: FormRule::Array }.at(at)));
}

#[test]
fn shared_values_and_fully_implied_objects_are_the_same_everywhere() {
    let same = |profile, root: &[u8]| {
        let mut crafted = Crafted::of(profile, root);
        // Records of shape 0 have one value. Shape 1 is a constant only.
        crafted.shapes = b"\x92\x91\xa1k\x91\x93\xa1c\xc0\xc3".to_vec();
        crafted.shared = b"\x92\x91\xc0\x91\xc0".to_vec();
        crafted.file().view().root().same_everywhere()
    };
    let full = |root: &[u8]| same(Profile::Full, root);
    assert_eq!(full(b"\xff"), Ok(Some(Same::Shared(SharedId(0)))));
    assert_eq!(full(b"\xfe"), Ok(Some(Same::Shared(SharedId(1)))));
    assert_eq!(full(b"\x91\x01"), Ok(Some(Same::Shape(ShapeId(1)))));
    for own in [&b"\x91\x00"[..], b"\x92\x00\xc0", b"\x91\xc0", b"\x90", b"\x01", b"\xc3"] {
        assert_eq!(full(own), Ok(None), "{own:02x?}");
    }
    // A number, and a list of one item.
    assert_eq!(
        [b"\xff".as_slice(), b"\x91\x01"].map(|root| same(Profile::Plain, root)),
        [Ok(None), Ok(None)]
    );
}

/// Shared values (§4.4).
#[test]
fn a_shared_value_is_a_container_that_refers_to_earlier_ones() {
    // An empty list, a list of it, a list of itself, and a value that is not a container.
    let content = |reference: u8| {
        let mut crafted = Crafted::of(Profile::Full, &[reference]);
        crafted.shared = b"\x94\x91\xc0\x92\xc0\xff\x92\xc0\xfd\xc3".to_vec();
        let [_, _, shared, _] = crafted.elements();
        let file = crafted.file();
        let Content::List(list) = file.view().root().content()? else { panic!("a list") };
        assert!(list.items().all(|item| item.unwrap().entry() > shared));
        let Some(item) = list.get(0)? else { return Ok(None) };
        match item.content()? {
            Content::List(inner) => Ok(Some(inner.len())),
            other => panic!("{other:?}"),
        }
    };
    let mut crafted = Crafted::of(Profile::Full, &[0xfc]);
    let [_, _, shared, _] = crafted.elements();
    crafted.shared = vec![0; 10];
    assert_eq!(content(0xff), Ok(None));
    assert_eq!(content(0xfe), Ok(Some(0)));
    let itself = ErrorKind::SharedRange { id: 2, count: 2 };
    assert_eq!(content(0xfd), Err(itself.at(shared as u64 + 8)));
    assert_eq!(content(0xfc), Err(ErrorKind::ValueForm { rule: FormRule::Shared }.at(shared as u64 + 9)));
    let [.., root] = crafted.elements();
    let nothing = ErrorKind::SharedRange { id: 4, count: 4 };
    assert_eq!(content(0xfb), Err(nothing.at(root as u64)));
}

/// A record of every kind of slot: shape 1, whose third slot nests shape 0.
fn record(root: &[u8]) -> Crafted {
    let mut crafted = Crafted::of(Profile::Full, root);
    crafted.strings = b"\x92\xa1s\xa1t".to_vec();
    let slots = b"\x95\xa1p\x91\xa1i\x92\xa1n\x00\x93\xa1c\xc0\xc3\xa1l";
    crafted.shapes = [&b"\x92\x92\xa1x\x91\x00"[..], slots].concat();
    crafted
}

#[test]
fn the_values_of_a_record_match_its_slots() {
    // Plain, integer, the two of the nested object, and the last one. The constant is in the shape.
    let crafted = record(b"\x96\x01\x00\x05\x01\xcc\x80\xa1z");
    let [_, shapes, _, root] = crafted.elements().map(|at| at as u64);
    let file = crafted.file();
    let view = file.view().root();
    let Content::Object(object) = view.content().unwrap() else { panic!("an object") };
    assert!(object.is_record());
    assert_eq!(view.span(), Ok(root..root + 9));
    let entries: Vec<(String, Kind, usize, Range<u64>)> = object
        .iter()
        .map(|entry| {
            let (key, value) = entry.unwrap();
            (key.to_owned(), value.kind().unwrap(), value.entry(), value.span().unwrap())
        })
        .collect();
    let entry = |key: &str, kind, entry: u64, span: Range<u64>| {
        (key.to_owned(), kind, usize::try_from(entry).unwrap(), span)
    };
    let constant = shapes + 20;
    let expected = [
        entry("p", Kind::String, root + 2, root + 2..root + 3),
        entry("i", Kind::Integer, root + 3, root + 3..root + 4),
        entry("n", Kind::Object, root + 4, root + 4..root + 7),
        entry("c", Kind::Bool, root + 7, constant..constant + 1),
        entry("l", Kind::String, root + 7, root + 7..root + 9),
    ];
    assert_eq!(entries, expected);
    let content = |pointer: &str| shown(view.pointer(pointer).unwrap().unwrap().content().unwrap());
    let integer = |number: u64| shown(Content::Integer(number.into()));
    assert_eq!(content("/p"), r#"String("s")"#);
    assert_eq!(content("/i"), integer(5));
    assert_eq!(content("/n/x"), r#"String("t")"#);
    assert_eq!(content("/n/s"), integer(128));
    assert_eq!(content("/c"), "Bool(true)");
    assert_eq!(content("/l"), r#"String("z")"#);
}

/// Integer slots (§6.3).
#[test]
fn a_number_in_an_integer_slot_may_be_negative_or_long() {
    for (bytes, expected) in [(&b"\xff"[..], -1), (b"\xd1\x80\0", -0x8000), (b"\xcd\x01\0", 0x100)] {
        let crafted = record(&[b"\x96\x01\x00", bytes, b"\x01\x05\xa1z"].concat());
        let file = crafted.file();
        let view = file.view().root().field("i").unwrap().unwrap();
        let content = shown(view.content().unwrap());
        assert_eq!(content, shown(Content::Integer(i64::into(expected))));
        assert_eq!(view.kind(), Ok(Kind::Integer));
    }
}

#[test]
fn keys_in_place_precede_their_values() {
    let crafted = Crafted::of(Profile::Full, b"\x95\xc2\xa1a\xc0\xa1b\xc3");
    let [.., root] = crafted.elements();
    let file = crafted.file();
    let Content::Object(object) = file.view().root().content().unwrap() else { panic!("an object") };
    assert!(!object.is_record());
    let places: Vec<_> =
        object.iter().map(|entry| entry.unwrap().1).map(|v| (v.entry(), v.offset())).collect();
    assert_eq!(places, [(root + 2, root as u64 + 4), (root + 5, root as u64 + 7)]);
}

#[test]
fn the_first_of_two_equal_keys_counts() {
    let crafted = Crafted::of(Profile::Full, b"\x95\xc2\xa1a\xc0\xa1a\xc3");
    let file = crafted.file();
    let found = file.view().root().field("a").unwrap().unwrap();
    assert!(matches!(found.content(), Ok(Content::Null)));
}

#[test]
fn an_error_ends_items_and_entries() {
    let crafted = Crafted::of(Profile::Full, b"\x94\xc0\xc0\xc1\xc0");
    let [.., root] = crafted.elements();
    let file = crafted.file();
    let Content::List(list) = file.view().root().content().unwrap() else { panic!("a list") };
    let places: Vec<_> = list.items().map(|item| item.map(|item| item.offset())).collect();
    let damaged = ErrorKind::ReservedByte.at(root as u64 + 3);
    // The damaged item is returned. Reading it, or continuing after it, reports the damage.
    assert_eq!(places, [Ok(root as u64 + 2), Ok(root as u64 + 3), Err(damaged)]);
    let mut items = list.items();
    assert!(items.by_ref().any(|item| item.is_err()));
    assert_eq!(items.size_hint(), (0, Some(0)));

    let crafted = Crafted::of(Profile::Full, b"\x97\xc2\xa1a\xc0\xc0\xc0\xa1c\xc0");
    let file = crafted.file();
    let Content::Object(object) = file.view().root().content().unwrap() else { panic!("an object") };
    let keys: Vec<_> = object.iter().map(|entry| entry.map(|(key, _)| key)).collect();
    let no_key = ErrorKind::Type { expected: "string", found: "nil" }.at(root as u64 + 5);
    assert_eq!(keys, [Ok("a"), Err(no_key)]);
}

#[test]
fn a_long_text_that_is_a_key_counts_once_for_each_object() {
    // A text of 320 bytes is cached, and one of 192 is not. Both entries of each object have it.
    for (length, texts) in [(320, 1), (192, 2)] {
        let text = "k".repeat(length);
        let mut crafted = Crafted::of(Profile::Full, b"\x95\xc2\x00\xc0\x00\xc0");
        crafted.strings =
            [&b"\x91\xda"[..], &u16::try_from(length).unwrap().to_be_bytes(), text.as_bytes()].concat();
        let file = crafted.file();
        let Content::Object(object) = file.view().root().content().unwrap() else {
            panic!("it is an object")
        };
        let looked_at = Cell::new(0);
        assert!(object.get_counting("no such key", &looked_at).unwrap().is_none());
        // Two entries, and the three bytes up to the value of the last one.
        let bytes = (texts * length + 3) as u64;
        assert_eq!(looked_at.get(), 2 + bytes / limits::BYTES_PER_STEP, "{length} bytes");
        looked_at.set(0);
        assert!(object.get_counting(&text, &looked_at).unwrap().is_some());
        assert_eq!(looked_at.get(), 1 + (length as u64 + 1) / limits::BYTES_PER_STEP, "{length} bytes");
    }
}
