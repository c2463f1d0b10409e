//! Tests the reader and the printer on random documents, against each other and against serde_json.

use super::value;
use super::{JsonStyle, Printer};
use crate::event::push;
use crate::text::{SourceError, SourceErrorKind};
use coconut_format::Value;
use coconut_testing::oracle;
use proptest::prelude::*;

/// Any value of the model, a few levels deep.
pub(in crate::text) fn any_value() -> impl Strategy<Value = Value> {
    let text = prop_oneof![any::<String>(), "[a-z\"\\\\\\n]{0,12}", Just(String::new())];
    let scalar = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<u64>().prop_map(|n| Value::Integer(n.into())),
        any::<i64>().prop_map(|n| Value::Integer(n.into())),
        (-300i64..300).prop_map(|n| Value::Integer(n.into())),
        any::<f64>()
            .prop_filter("the model has finite floats only", |n| n.is_finite())
            .prop_map(Value::Float),
        (-1000i32..1000, -30i32..30).prop_map(|(n, e)| Value::Float(f64::from(n) * 10f64.powi(e))),
        text.clone().prop_map(Value::String),
    ];
    scalar.prop_recursive(4, 60, 8, move |inner| {
        let entries = prop::collection::btree_map(text.clone(), inner.clone(), 0..8);
        prop_oneof![
            prop::collection::vec(inner, 0..8).prop_map(Value::List),
            (entries, any::<bool>()).prop_map(|(entries, reversed)| {
                let mut entries: Vec<_> = entries.into_iter().collect();
                if reversed {
                    entries.reverse();
                }
                Value::Object(entries)
            }),
        ]
    })
}

fn printed(value: &Value, style: JsonStyle) -> Vec<u8> {
    let mut printer = Printer::new(Vec::new(), style);
    push(value, &mut printer).expect("a printer into memory takes all finite values");
    printer.finish().expect("memory takes all bytes")
}

/// Intended differences: serde_json rounds numbers, and leaves duplicate keys to its caller.
fn is_documented_difference(error: &SourceError) -> bool {
    matches!(
        error.kind(),
        SourceErrorKind::NumberRange { .. }
            | SourceErrorKind::NumberPrecision { .. }
            | SourceErrorKind::DuplicateKey { .. }
    )
}

proptest! {
    #[test]
    fn printed_values_read_back_the_same(document in any_value(), indent in prop::option::of(0u8..5)) {
        let style = indent.map_or(JsonStyle::Minified, |indent| JsonStyle::Pretty { indent });
        prop_assert_eq!(value(printed(&document, style)), Ok(document));
    }

    #[test]
    fn serde_json_reads_what_is_printed(document in any_value()) {
        let theirs = oracle::read(&printed(&document, JsonStyle::Minified)).ok();
        prop_assert_eq!(theirs, Some(document));
    }

    #[test]
    fn mutated_texts_are_refused_exactly_when_serde_json_refuses_them(
        document in any_value(),
        pretty: bool,
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0u8..3, mutation_byte()), 1..4),
    ) {
        let style = if pretty { JsonStyle::Pretty { indent: 1 } } else { JsonStyle::Minified };
        let mut text = printed(&document, style);
        for (place, edit, byte) in edits {
            let at = place.index(text.len() + 1);
            match edit {
                0 => text.insert(at, byte),
                1 if at < text.len() => text[at] = byte,
                _ if at < text.len() => { text.remove(at); }
                _ => {}
            }
        }
        match value(&text) {
            Ok(ours) => {
                let theirs = oracle::read(&text).ok();
                prop_assert_eq!(theirs.as_ref(), Some(&ours), "{:?}", String::from_utf8_lossy(&text));
            }
            Err(error) => {
                prop_assert!(error.at().offset <= text.len() as u64);
                prop_assert!(!error.render("x", &text).is_empty());
                prop_assert!(
                    is_documented_difference(&error) || oracle::read(&text).is_err(),
                    "{} in {:?}", error, String::from_utf8_lossy(&text)
                );
            }
        }
    }
}

/// Bytes that are significant to the grammar more often than others.
fn mutation_byte() -> impl Strategy<Value = u8> {
    prop_oneof![4 => prop::sample::select(b"\"\\{}[],:0123456789.eE+-utfn /\n\t".to_vec()), 1 => any::<u8>()]
}
