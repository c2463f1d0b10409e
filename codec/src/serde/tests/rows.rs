//! The tables of the module, row by row.

use super::{assert_round_trip, document, file, file_of_json};
use crate::event::SinkError;
use crate::event::ValueSink;
use crate::serde::{SerializeError, SerializeErrorKind, from_view, to_events};
use crate::wire::header::Profile;
use coconut_format::Value;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

fn text(text: &str) -> Value {
    Value::String(text.into())
}

fn integers<const N: usize>(numbers: [u64; N]) -> Value {
    Value::List(numbers.map(|number| Value::Integer(number.into())).into())
}

fn object<const N: usize>(entries: [(&str, Value); N]) -> Value {
    Value::Object(entries.map(|(key, value)| (key.to_owned(), value)).into())
}

fn refusal<T: Serialize>(value: &T) -> SerializeErrorKind {
    to_events(value, &mut ValueSink::new()).unwrap_err().kind().clone()
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
enum Variants {
    Unit,
    Newtype(u8),
    Tuple(u8, bool),
    Struct { a: u8, b: Option<bool> },
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Newtype<T>(T);

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Unit;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Pair(u8, String);

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Fields {
    z: u8,
    a: Vec<u8>,
}

/// Bytes, which serde distinguishes from a list of `u8`.
#[derive(Debug, PartialEq)]
struct Bytes(Vec<u8>);

impl Serialize for Bytes {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Bytes, D::Error> {
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = Bytes;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("bytes")
            }
            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Bytes, E> {
                Ok(Bytes(bytes.to_vec()))
            }
            fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut items: A) -> Result<Bytes, A::Error> {
                let mut bytes = Vec::new();
                while let Some(byte) = items.next_element()? {
                    bytes.push(byte);
                }
                Ok(Bytes(bytes))
            }
        }
        deserializer.deserialize_bytes(Visitor)
    }
}

#[test]
fn scalars_are_themselves() {
    assert_eq!(document(&true), Value::Bool(true));
    assert_eq!(document("é"), text("é"));
    assert_eq!(document(&i64::MIN), Value::Integer(i64::MIN.into()));
    assert_eq!(document(&u64::MAX), Value::Integer(u64::MAX.into()));
    assert_eq!(document(&1.0), Value::Float(1.0));
    assert_eq!(document(&-0.0), Value::Float(-0.0));
    assert_round_trip(&(true, "é".to_owned(), i64::MIN, u64::MAX, 1.0, -1i8, 300u16, 70_000u32));
}

#[test]
fn wide_integers_are_refused_beyond_64_bits() {
    assert_eq!(document(&u128::from(u64::MAX)), Value::Integer(u64::MAX.into()));
    assert_eq!(document(&i128::from(i64::MIN)), Value::Integer(i64::MIN.into()));
    assert_round_trip(&(u128::from(u64::MAX), i128::from(i64::MIN), i128::from(u64::MAX), 7u128));
    assert_eq!(refusal(&(u128::from(u64::MAX) + 1)), SerializeErrorKind::IntegerRange);
    assert_eq!(refusal(&(i128::from(u64::MAX) + 1)), SerializeErrorKind::IntegerRange);
    assert_eq!(refusal(&(i128::from(i64::MIN) - 1)), SerializeErrorKind::IntegerRange);
}

#[test]
fn floats_that_are_not_finite_are_refused() {
    for float in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert_eq!(refusal(&float), SerializeErrorKind::NonFinite);
        #[expect(clippy::cast_possible_truncation, reason = "NaN and infinities have both widths")]
        let narrow = float as f32;
        assert_eq!(refusal(&narrow), SerializeErrorKind::NonFinite);
    }
}

#[test]
fn narrow_floats_keep_their_shortest_decimal() {
    assert_eq!(document(&0.1f32), Value::Float(0.1));
    assert_eq!(document(&-0.0f32), Value::Float(-0.0));
    assert_eq!(document(&f32::MAX), Value::Float(3.4028235e38));
    assert_eq!(document(&f32::from_bits(1)), Value::Float(1e-45));
    assert_eq!(document(&16_777_216f32), Value::Float(16_777_216.0));
    assert_round_trip(&(0.1f32, -0.0f32, f32::MAX, f32::from_bits(1), f32::MIN_POSITIVE));
}

#[test]
fn chars_are_strings() {
    assert_eq!(document(&'ß'), text("ß"));
    assert_round_trip(&vec!['ß', '\0', '😀']);
}

#[test]
fn bytes_are_lists_of_integers() {
    assert_eq!(document(&Bytes(vec![0, 255])), integers([0, 255]));
    assert_round_trip(&Bytes(vec![0, 1, 127, 128, 255]));
}

#[test]
fn bytes_may_be_read_from_a_string() {
    let file = file_of_json(r#"["az", "az", [7]]"#);
    let read: Vec<Bytes> = from_view(file.view().root()).unwrap();
    assert_eq!(read, [Bytes(b"az".to_vec()), Bytes(b"az".to_vec()), Bytes(vec![7])]);
}

#[test]
fn absence_is_null() {
    assert_eq!(document(&None::<u8>), Value::Null);
    assert_eq!(document(&()), Value::Null);
    assert_eq!(document(&Unit), Value::Null);
    assert_round_trip(&(None::<u8>, (), Unit, vec![Some(1), None, Some(2)]));
}

#[test]
fn presence_and_newtypes_are_transparent() {
    assert_eq!(document(&Some(5u8)), Value::Integer(5u64.into()));
    assert_eq!(document(&Newtype("x")), text("x"));
    assert_round_trip(&(Some(5u8), Newtype(Some(Newtype(vec![1.5])))));
    let read = from_view::<Option<Option<u8>>>(file(&Some(None::<u8>), Profile::Full).view().root());
    assert_eq!(read, Ok(None));
}

#[test]
fn sequences_and_tuples_are_lists() {
    assert_eq!(document(&[1u8, 2]), integers([1, 2]));
    assert_eq!(document(&(1u8, 2u8)), integers([1, 2]));
    assert_eq!(document(&Pair(1, "x".into())), Value::List(vec![Value::Integer(1u64.into()), text("x")]));
    assert_round_trip(&(Vec::<u8>::new(), vec![vec![1], vec![1], vec![]], Pair(1, "x".into())));
}

#[test]
fn maps_and_structs_are_objects_in_the_order_of_serde() {
    let fields = Fields { z: 1, a: vec![2] };
    assert_eq!(document(&fields), object([("z", Value::Integer(1u64.into())), ("a", integers([2]))]));
    assert_eq!(document(&BTreeMap::<u8, u8>::new()), object([]));
    assert_round_trip(&fields);
    assert_round_trip(&BTreeMap::from([("b".to_owned(), 1.5), ("a".to_owned(), 2.5)]));
}

#[test]
fn a_struct_may_be_read_from_a_list_of_its_fields() {
    let file = file_of_json("[[1, [2]], [3, []]]");
    let read: Vec<Fields> = from_view(file.view().root()).unwrap();
    assert_eq!(read, [Fields { z: 1, a: vec![2] }, Fields { z: 3, a: vec![] }]);
}

#[test]
fn variants_carry_their_names() {
    assert_eq!(document(&Variants::Unit), text("Unit"));
    assert_eq!(document(&Variants::Newtype(1)), object([("Newtype", Value::Integer(1u64.into()))]));
    let tuple = Value::List(vec![Value::Integer(1u64.into()), Value::Bool(true)]);
    assert_eq!(document(&Variants::Tuple(1, true)), object([("Tuple", tuple)]));
    let fields = object([("a", Value::Integer(1u64.into())), ("b", Value::Null)]);
    assert_eq!(document(&Variants::Struct { a: 1, b: None }), object([("Struct", fields)]));
}

#[test]
fn variants_come_back() {
    assert_round_trip(&Variants::Unit);
    let all = || {
        vec![
            Variants::Unit,
            Variants::Newtype(1),
            Variants::Tuple(1, true),
            Variants::Struct { a: 1, b: None },
            Variants::Struct { a: 1, b: Some(false) },
        ]
    };
    // Twice, so that equal ones are shared and records have shapes.
    assert_round_trip(&(all(), all(), Some(Variants::Newtype(2))));
}

#[test]
fn keys_of_maps_are_text() {
    let key_of = |value: Value| value.as_object().expect("a map")[0].0.clone();
    assert_eq!(key_of(document(&BTreeMap::from([("x", 0)]))), "x");
    assert_eq!(key_of(document(&BTreeMap::from([('ß', 0)]))), "ß");
    assert_eq!(key_of(document(&BTreeMap::from([(-5i8, 0)]))), "-5");
    assert_eq!(key_of(document(&BTreeMap::from([(u128::MAX, 0)]))), u128::MAX.to_string());
    assert_eq!(key_of(document(&BTreeMap::from([(true, 0)]))), "true");
    assert_eq!(key_of(document(&BTreeMap::from([(Variants::Unit, 0)]))), "Unit");
    assert_eq!(key_of(document(&BTreeMap::from([(Newtype(Some(7u8)), 0)]))), "7");
}

#[test]
fn keys_of_maps_come_back() {
    assert_round_trip(&BTreeMap::from([('ß', 0), ('x', 1)]));
    assert_round_trip(&BTreeMap::from([(i64::MIN, 0), (-1, 1), (0, 2)]));
    assert_round_trip(&BTreeMap::from([(0u8, 0), (255, 1)]));
    assert_round_trip(&BTreeMap::from([(u128::MAX, 0)]));
    assert_round_trip(&BTreeMap::from([(i128::MIN, 0)]));
    assert_round_trip(&BTreeMap::from([(false, 0), (true, 1)]));
    assert_round_trip(&BTreeMap::from([(Variants::Unit, 0)]));
    assert_round_trip(&BTreeMap::from([(Newtype(Some(7u8)), 0)]));
}

#[test]
fn an_integer_key_has_one_spelling() {
    for key in ["07", "+7", "-0", " 7", "7.0", "300", ""] {
        let file = file(&BTreeMap::from([(key, 0)]), Profile::Full);
        let error = from_view::<BTreeMap<i8, u8>>(file.view().root()).unwrap_err();
        let expected = format!("invalid type: string {key:?}, expected i8 at byte ");
        assert!(error.to_string().starts_with(&expected), "{error}");
    }
}

#[test]
fn other_keys_are_refused_by_what_they_are() {
    fn found<K: Serialize>(key: K) -> SerializeErrorKind {
        struct OneEntry<K>(K);
        impl<K: Serialize> Serialize for OneEntry<K> {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_map([(&self.0, 0)])
            }
        }
        refusal(&OneEntry(key))
    }
    assert_eq!(found(1.5f64), SerializeErrorKind::Key { found: "float" });
    assert_eq!(found(1.5f32), SerializeErrorKind::Key { found: "float" });
    assert_eq!(found(None::<u8>), SerializeErrorKind::Key { found: "none" });
    assert_eq!(found(()), SerializeErrorKind::Key { found: "unit" });
    assert_eq!(found(Unit), SerializeErrorKind::Key { found: "unit struct" });
    assert_eq!(found(Bytes(vec![])), SerializeErrorKind::Key { found: "bytes" });
    assert_eq!(found(vec![1]), SerializeErrorKind::Key { found: "sequence" });
    assert_eq!(found((1, 2)), SerializeErrorKind::Key { found: "tuple" });
    assert_eq!(found(Pair(1, String::new())), SerializeErrorKind::Key { found: "tuple struct" });
    assert_eq!(found(BTreeMap::from([(1, 1)])), SerializeErrorKind::Key { found: "map" });
    assert_eq!(found(Fields { z: 1, a: vec![] }), SerializeErrorKind::Key { found: "struct" });
    assert_eq!(found(Variants::Newtype(1)), SerializeErrorKind::Key { found: "newtype variant" });
    assert_eq!(found(Variants::Tuple(1, true)), SerializeErrorKind::Key { found: "tuple variant" });
    assert_eq!(
        found(Variants::Struct { a: 1, b: None }),
        SerializeErrorKind::Key { found: "struct variant" }
    );
}

#[test]
fn the_builder_refuses_a_key_twice() {
    struct Twice;
    impl Serialize for Twice {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_map([("a", 0), ("b", 1), ("a", 2)])
        }
    }
    let error = crate::write::interner::Interned::from_serialize(&[Twice]).map(|_| ()).unwrap_err();
    let kind = SerializeErrorKind::Sink(SinkError::DuplicateKey { key: "a".into(), first: 0, second: 2 });
    assert_eq!(error.kind(), &kind);
    assert_eq!(error.path(), "/0");
}

#[test]
fn a_refusal_names_its_path() {
    fn path<T: Serialize>(value: &T) -> String {
        let error: SerializeError = to_events(value, &mut ValueSink::new()).unwrap_err();
        error.path().to_owned()
    }
    #[derive(Serialize)]
    enum Variant {
        Newtype(f64),
        Tuple(u8, f64),
        Struct { inner: f64 },
    }
    let nan = f64::NAN;
    assert_eq!(path(&nan), "");
    assert_eq!(path(&vec![vec![0.0], vec![1.0, nan]]), "/1/1");
    assert_eq!(path(&BTreeMap::from([("a/b", (0.0, nan))])), "/a~1b/1");
    assert_eq!(path(&BTreeMap::from([(5, Some(nan))])), "/5");
    assert_eq!(path(&[Variant::Newtype(nan)]), "/0/Newtype");
    assert_eq!(path(&[Variant::Tuple(1, nan)]), "/0/Tuple/1");
    assert_eq!(path(&[Variant::Struct { inner: nan }]), "/0/Struct/inner");
    let error = to_events(&[nan], &mut ValueSink::new()).unwrap_err();
    assert_eq!(error.to_string(), "expected a finite float, found NaN or an infinity, in `/0`");
}
