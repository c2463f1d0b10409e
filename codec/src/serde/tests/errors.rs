//! Documents that do not fit the type: message, offset and path.

use super::{file, file_of_json};
use crate::serde::{DeserializeError, DeserializeErrorKind, from_view};
use crate::wire::header::Profile;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::json;
use std::collections::BTreeMap;

/// Reads `text` as a `T`, and returns the message and the path. The offset must be that of `place`.
#[track_caller]
fn mismatch<T: DeserializeOwned>(text: &str, place: &str) -> (String, String) {
    let file = file_of_json(text);
    let root = file.view().root();
    let Err(error) = from_view::<T>(root) else { panic!("it fits") };
    let DeserializeErrorKind::Mismatch(message) = error.kind() else { panic!("not {error}") };
    let value = root.pointer(place).unwrap().unwrap();
    assert_eq!(error.offset(), Some(value.offset()), "{error}");
    (message.clone(), error.path().to_owned())
}

fn pair(message: &str, path: &str) -> (String, String) {
    (message.to_owned(), path.to_owned())
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Fields {
    #[expect(dead_code, reason = "reading it fails")]
    a: u8,
}

#[derive(Debug, Deserialize)]
enum Variants {
    Unit,
    #[expect(dead_code, reason = "reading it fails")]
    Newtype(u8),
    #[expect(dead_code, reason = "reading it fails")]
    Tuple(u8, u8),
    #[expect(dead_code, reason = "reading it fails")]
    Struct {
        a: u8,
    },
}

#[test]
fn a_scalar_of_another_type_names_both() {
    let expected = pair("invalid type: string \"x\", expected u8", "");
    assert_eq!(mismatch::<u8>(r#""x""#, ""), expected);
    let expected = pair("invalid type: floating point `1.5`, expected u8", "/1/k~1ey");
    assert_eq!(mismatch::<Vec<BTreeMap<String, u8>>>(r#"[{"key": 1}, {"k/ey": 1.5}]"#, "/1/k~1ey"), expected);
    let expected = pair("invalid value: integer `256`, expected u8", "/2");
    assert_eq!(mismatch::<Vec<u8>>("[0, 255, 256]", "/2"), expected);
    let expected = pair("invalid value: integer `-1`, expected u128", "/0");
    assert_eq!(mismatch::<Vec<u128>>("[-1]", "/0"), expected);
    let expected = pair("invalid type: null, expected u8", "/0").0.replace("null", "unit value");
    assert_eq!(mismatch::<Vec<u8>>("[null]", "/0"), (expected, "/0".to_owned()));
}

#[test]
fn fields_are_missed_and_refused_by_name() {
    let expected = pair("missing field `a`", "/0");
    assert_eq!(mismatch::<Vec<Fields>>("[{}]", "/0"), expected);
    let file = file_of_json(r#"[{"a": 1, "b": 2}]"#);
    let error = from_view::<Vec<Fields>>(file.view().root()).unwrap_err();
    assert_eq!(error.path(), "/0/b");
    let message = "unknown field `b`, expected `a`".to_owned();
    assert_eq!(error.kind(), &DeserializeErrorKind::Mismatch(message));
}

/// Reads `document` as a `T`, once with its keys in place and once in records. The offset must be
/// that of `key`, or, in a record, of the value at `place`.
#[track_caller]
fn assert_names<T: DeserializeOwned>(document: &serde_json::Value, key: &str, place: &str) {
    for profile in [Profile::Plain, Profile::Full] {
        let file = file(document, profile);
        let root = file.view().root();
        let Err(error) = from_view::<T>(root) else { panic!("it fits") };
        let value = root.pointer(place).unwrap().unwrap().offset();
        let expected = if profile == Profile::Plain { value - 1 - key.len() as u64 } else { value };
        assert_eq!(error.offset(), Some(expected), "{error}");
        if profile == Profile::Plain {
            let at = usize::try_from(expected).unwrap();
            assert_eq!(file.view().bytes()[at + 1..at + 1 + key.len()], *key.as_bytes());
        }
    }
}

#[test]
fn unknown_names_have_the_offset_of_the_key() {
    assert_names::<Vec<Fields>>(&json!([{ "a": 1, "b": 2 }, { "a": 3, "b": 4 }]), "b", "/0/b");
    assert_names::<Vec<Variants>>(
        &json!([{ "Newtype": 1 }, { "Newtype": 3 }, { "Other": 4 }, { "Other": 5 }]),
        "Other",
        "/2/Other",
    );
    assert_names::<Vec<BTreeMap<u8, u8>>>(&json!([{ "1": 1, "x": 1 }, { "1": 2, "x": 3 }]), "x", "/0/x");
}

#[test]
fn lists_have_the_length_of_the_tuple() {
    let expected = pair("invalid length 3, expected fewer items in the list", "/0");
    assert_eq!(mismatch::<Vec<(u8, u8)>>("[[1, 2, 3]]", "/0"), expected);
    let expected = pair("invalid length 1, expected a tuple of size 2", "/0");
    assert_eq!(mismatch::<Vec<(u8, u8)>>("[[1]]", "/0"), expected);
}

#[test]
fn variants_are_known_and_have_their_form() {
    let expected =
        pair("unknown variant `Other`, expected one of `Unit`, `Newtype`, `Tuple`, `Struct`", "/0");
    assert_eq!(mismatch::<Vec<Variants>>(r#"["Other"]"#, "/0"), expected);
    let expected = pair("invalid type: unit variant, expected newtype variant", "/0");
    assert_eq!(mismatch::<Vec<Variants>>(r#"["Newtype"]"#, "/0"), expected);
    let expected = pair("invalid type: integer `1`, expected unit", "/0/Unit");
    assert_eq!(mismatch::<Vec<Variants>>(r#"[{"Unit": 1}]"#, "/0/Unit"), expected);
    let expected = pair("invalid type: string \"x\", expected u8", "/0/Newtype");
    assert_eq!(mismatch::<Vec<Variants>>(r#"[{"Newtype": "x"}]"#, "/0/Newtype"), expected);
    let expected = pair("invalid type: string \"x\", expected u8", "/0/Tuple/1");
    assert_eq!(mismatch::<Vec<Variants>>(r#"[{"Tuple": [1, "x"]}]"#, "/0/Tuple/1"), expected);
    let expected = pair("invalid type: string \"x\", expected u8", "/0/Struct/a");
    assert_eq!(mismatch::<Vec<Variants>>(r#"[{"Struct": {"a": "x"}}]"#, "/0/Struct/a"), expected);
    let expected = pair("invalid length 2, expected an object with one entry", "/0");
    assert_eq!(mismatch::<Vec<Variants>>(r#"[{"Unit": null, "Newtype": 1}]"#, "/0"), expected);
    let expected = pair("invalid type: integer `5`, expected a string, or an object with one entry", "/0");
    assert_eq!(mismatch::<Vec<Variants>>("[5]", "/0"), expected);
}

#[test]
fn variants_have_names_and_no_numbers() {
    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(tag = "a")]
    enum Internal {
        A,
        B { b: u32 },
    }
    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(tag = "a", content = "b")]
    enum Adjacent {
        A,
        B(u32),
    }
    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(variant_identifier)]
    enum Name {
        A,
        B,
    }
    let expected = pair("invalid type: integer `0`, expected variant identifier", "/0/a");
    assert_eq!(mismatch::<Vec<Internal>>(r#"[{"a": 0}]"#, "/0/a"), expected);
    assert_eq!(
        mismatch::<Vec<Name>>("[1]", "/0").0,
        "invalid type: integer `1`, expected variant identifier"
    );
    let number = mismatch::<Vec<Adjacent>>(r#"[{"a": 1, "b": 2}]"#, "/0/a").0;
    assert!(number.starts_with("invalid type: integer `1`, expected "), "{number}");
    let unknown = mismatch::<Vec<Internal>>(r#"[{"a": "C"}]"#, "/0/a").0;
    assert_eq!(unknown, "unknown variant `C`, expected `A` or `B`");
    let list = mismatch::<Vec<Internal>>(r#"[{"a": [0]}]"#, "/0/a").0;
    assert_eq!(list, "invalid type: sequence, expected variant identifier");

    let file = file_of_json(r#"[{"a": "A"}, {"b": 1, "a": "B"}]"#);
    let root = file.view().root();
    assert_eq!(from_view::<Vec<Internal>>(root), Ok(vec![Internal::A, Internal::B { b: 1 }]));
    assert_eq!(from_view::<Vec<Adjacent>>(root), Ok(vec![Adjacent::A, Adjacent::B(1)]));
    let file = file_of_json(r#"["A", "B"]"#);
    let root = file.view().root();
    assert_eq!(from_view::<Vec<Name>>(root), Ok(vec![Name::A, Name::B]));
    let item = root.pointer("/1").unwrap().unwrap();
    assert_eq!(Name::deserialize(item), Ok(Name::B));
}

#[test]
fn the_message_ends_with_offset_and_path() {
    let file = file(&[("x", 1)], Profile::Plain);
    let error = from_view::<Vec<(u8, u8)>>(file.view().root()).unwrap_err();
    let at = error.offset().unwrap();
    let bytes = &file.view().bytes()[usize::try_from(at).unwrap()..];
    assert_eq!(bytes[..2], *b"\xa1x");
    let expected = format!("invalid type: string \"x\", expected u8 at byte {at}, in `/0/0`");
    assert_eq!(error.to_string(), expected);
}

#[test]
fn a_long_text_that_does_not_fit_is_shown_in_part() {
    let text = "x".repeat(1 << 20);
    let file = file_of_json(&format!(r#"["{text}"]"#));
    let error = from_view::<Vec<u8>>(file.view().root()).unwrap_err();
    let at = error.offset().unwrap();
    let [start, message] = ["invalid type: string \"", "\", expected u8"];
    let shown = "x".repeat(1024 - start.len());
    let bytes = start.len() + text.len() + message.len();
    let kept = format!("{start}{shown}… ({bytes} bytes)");
    assert_eq!(error.kind(), &DeserializeErrorKind::Mismatch(kept.clone()), "no more is kept");
    assert_eq!(error.to_string(), format!("{kept} at byte {at}, in `/0`"));
}

#[test]
fn deserializing_a_view_itself_reports_the_same() {
    let file = file_of_json(r#"["x"]"#);
    let root = file.view().root();
    assert_eq!(Vec::<u8>::deserialize(root).unwrap_err(), from_view::<Vec<u8>>(root).unwrap_err());
    assert_eq!(u8::deserialize(root).unwrap_err().offset(), Some(root.offset()));
}

#[test]
fn a_message_is_kept_up_to_1024_characters() {
    let message = |text: &str| <DeserializeError as serde::de::Error>::custom(text).to_string();
    for text in ["", "é", &"é".repeat(1024), &"\u{1F310}".repeat(1024)] {
        assert_eq!(message(text), text);
    }
    let shown = format!("{}… (2049 bytes)", "é".repeat(1024));
    assert_eq!(message(&format!("{}x", "é".repeat(1024))), shown);
    // Written piece by piece.
    let pieces = format_args!("{}{}{}", "é".repeat(1023), "éx", "y");
    let error: DeserializeError = serde::de::Error::custom(pieces);
    assert_eq!(error.to_string(), shown.replace("2049", "2050"));
}
