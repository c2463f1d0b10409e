//! JSON as read by serde_json, which shares no code with our reader.

use coconut_format::Value;
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use std::fmt;

/// The document in `text`, with its keys in order.
///
/// Unlike our reader, it rounds numbers, keeps duplicate keys, and stops at 128 levels.
pub fn read(text: &[u8]) -> Result<Value, serde_json::Error> {
    serde_json::from_slice::<InOrder>(text).map(|InOrder(value)| value)
}

/// A [`Value`] as serde reads it. (`serde_json::Value` sorts its keys.)
struct InOrder(Value);

impl<'de> Deserialize<'de> for InOrder {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<InOrder, D::Error> {
        deserializer.deserialize_any(InOrderVisitor).map(InOrder)
    }
}

struct InOrderVisitor;

impl<'de> Visitor<'de> for InOrderVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Integer(value.into()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Integer(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Value::Float(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(InOrder(item)) = items.next_element()? {
            list.push(item);
        }
        Ok(Value::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut object = Vec::new();
        while let Some((key, InOrder(value))) = entries.next_entry()? {
            object.push((key, value));
        }
        Ok(Value::Object(object))
    }
}
