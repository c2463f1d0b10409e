//! Serde support for values, with the data model documented in the codec's module `serde`.
//!
//! Reading recurses once per level. Serde formats limit that themselves: `serde_json` and the codec
//! stop at 128 levels.

use super::{Integer, Value};
use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use std::fmt;

/// Capacity reserved for a container of unknown content, whatever its stated length.
const RESERVED: usize = 64;

impl Serialize for Integer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match (self.as_u64(), self.as_i64()) {
            (Some(number), _) => serializer.serialize_u64(number),
            (None, number) => serializer.serialize_i64(number.expect("an integer is one of the two")),
        }
    }
}

/// An integer outside −2^63 … 2^64−1, and any other number, is an error.
impl<'de> Deserialize<'de> for Integer {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Integer, D::Error> {
        deserializer.deserialize_any(IntegerVisitor)
    }
}

struct IntegerVisitor;

impl Visitor<'_> for IntegerVisitor {
    type Value = Integer;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an integer from -2^63 to 2^64-1")
    }

    fn visit_u64<E>(self, number: u64) -> Result<Integer, E> {
        Ok(number.into())
    }

    fn visit_i64<E>(self, number: i64) -> Result<Integer, E> {
        Ok(number.into())
    }

    fn visit_u128<E: de::Error>(self, number: u128) -> Result<Integer, E> {
        u64::try_from(number).map(Integer::from).map_err(|_| out_of_range(&number))
    }

    fn visit_i128<E: de::Error>(self, number: i128) -> Result<Integer, E> {
        match (u64::try_from(number), i64::try_from(number)) {
            (Ok(number), _) => Ok(number.into()),
            (_, Ok(number)) => Ok(number.into()),
            _ => Err(out_of_range(&number)),
        }
    }
}

fn out_of_range<E: de::Error>(number: &dyn fmt::Display) -> E {
    E::custom(format_args!("{number} is out of range, expected an integer from -2^63 to 2^64-1"))
}

/// Serializes as the equivalent JSON. A non-finite float is an error, as in the codec.
impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Value::Null => serializer.serialize_unit(),
            Value::Bool(value) => serializer.serialize_bool(*value),
            Value::Integer(value) => value.serialize(serializer),
            Value::Float(value) if value.is_finite() => serializer.serialize_f64(*value),
            Value::Float(value) => Err(serde::ser::Error::custom(NotFinite(*value))),
            Value::String(text) => serializer.serialize_str(text),
            Value::List(items) => serializer.collect_seq(items),
            Value::Object(entries) => serializer.collect_map(entries.iter().map(|(key, value)| (key, value))),
        }
    }
}

struct NotFinite(f64);

impl fmt::Display for NotFinite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a document has no number {}, expected a finite one", self.0)
    }
}

/// Deserializes from any self-describing format, such as JSON. Objects keep their order. Duplicate
/// keys, integers outside −2^63 … 2^64−1 and non-finite floats are errors.
///
/// ```
/// use coconut_format::Value;
///
/// let value: Value = serde_json::from_str(r#"{"b":[1,1.0,null],"a":"x"}"#).expect("it is JSON");
/// assert_eq!(value.to_string(), r#"{"b":[1,1.0,null],"a":"x"}"#);
/// assert_eq!(serde_json::to_string(&value).expect("it is a value"), value.to_string());
/// assert!(serde_json::from_str::<Value>(r#"{"a":1,"a":2}"#).is_err());
/// ```
impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(ValueVisitor)
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        Value::deserialize(deserializer)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        Value::deserialize(deserializer)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Value, E> {
        IntegerVisitor.visit_u64(number).map(Value::Integer)
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Value, E> {
        IntegerVisitor.visit_i64(number).map(Value::Integer)
    }

    fn visit_u128<E: de::Error>(self, number: u128) -> Result<Value, E> {
        IntegerVisitor.visit_u128(number).map(Value::Integer)
    }

    fn visit_i128<E: de::Error>(self, number: i128) -> Result<Value, E> {
        IntegerVisitor.visit_i128(number).map(Value::Integer)
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Value, E> {
        if value.is_finite() { Ok(Value::Float(value)) } else { Err(E::custom(NotFinite(value))) }
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::String(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Value, E> {
        Ok(Value::String(text))
    }

    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Value, E> {
        Ok(Value::List(bytes.iter().map(|&byte| Value::from(u32::from(byte))).collect()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::with_capacity(items.size_hint().unwrap_or(0).min(RESERVED));
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Value::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut object: Vec<(String, Value)> =
            Vec::with_capacity(entries.size_hint().unwrap_or(0).min(RESERVED));
        while let Some(entry) = entries.next_entry()? {
            object.push(entry);
        }
        match repeated_key(&object) {
            Some(key) => Err(de::Error::custom(format_args!(
                "the key {:?} occurs twice in an object, expected distinct keys",
                crate::truncated::Truncated(key)
            ))),
            None => Ok(Value::Object(object)),
        }
    }
}

/// A duplicate key, found by sorting.
fn repeated_key(entries: &[(String, Value)]) -> Option<&str> {
    let mut keys: Vec<&str> = entries.iter().map(|(key, _)| key.as_str()).collect();
    keys.sort_unstable();
    keys.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::de::IntoDeserializer;
    use serde::de::value::Error;

    fn refused(text: &str) -> String {
        serde_json::from_str::<Value>(text).expect_err("it is refused").to_string()
    }

    #[test]
    fn a_value_goes_through_serde_unchanged() {
        let text =
            r#"{"z":[null,true,-9223372036854775808,18446744073709551615,1.0,-0.0,1e300],"a":{"":"é"}}"#;
        let value: Value = serde_json::from_str(text).unwrap();
        assert_eq!(value.to_string(), text);
        assert_eq!(serde_json::from_str::<Value>(&serde_json::to_string(&value).unwrap()).unwrap(), value);
    }

    #[test]
    fn what_no_document_can_hold_is_refused_in_both_directions() {
        assert_eq!(
            refused(r#"{"a":{"k":1,"l":2,"k":3}}"#),
            "the key \"k\" occurs twice in an object, expected distinct keys at line 1 column 24"
        );
        let read = |float: f64| Value::deserialize(IntoDeserializer::<Error>::into_deserializer(float));
        let message = "a document has no number NaN, expected a finite one";
        assert_eq!(read(f64::NAN).unwrap_err().to_string(), message);
        assert_eq!(serde_json::to_string(&Value::Float(f64::NAN)).unwrap_err().to_string(), message);
        let read = |number: i128| Value::deserialize(IntoDeserializer::<Error>::into_deserializer(number));
        assert_eq!(read(-1).unwrap(), Value::from(-1i64));
        assert_eq!(
            read(1 << 64).unwrap_err().to_string(),
            "18446744073709551616 is out of range, expected an integer from -2^63 to 2^64-1"
        );
    }

    #[test]
    fn bytes_and_options_are_what_the_codec_makes_of_them() {
        let bytes = de::value::BytesDeserializer::<Error>::new(&[1, 255]);
        let list = Value::List(vec![1u32.into(), 255u32.into()]);
        assert_eq!(Value::deserialize(bytes).unwrap(), list);
        let none = IntoDeserializer::<Error>::into_deserializer(());
        assert_eq!(Value::deserialize(none).unwrap(), Value::Null);
    }

    #[test]
    fn an_integer_is_only_read_from_an_integer() {
        assert_eq!(serde_json::from_str::<Integer>("-7").unwrap(), Integer::from(-7i64));
        assert_eq!(
            serde_json::from_str::<Integer>("1.0").unwrap_err().to_string(),
            "invalid type: floating point `1.0`, expected an integer from -2^63 to 2^64-1 at line 1 column 3"
        );
    }
}
