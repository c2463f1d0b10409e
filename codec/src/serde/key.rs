//! Keys that are not text in Rust, in both directions.

use super::error::{DeserializeError, SerializeError, SerializeErrorKind};
use super::events::serialize_integers;
use crate::event::SinkError;
use serde::de::value::BorrowedStrDeserializer;
use serde::de::{Deserializer, Visitor};
use serde::forward_to_deserialize_any;
use serde::ser::{Impossible, Serialize, Serializer};
use std::fmt::Display;

/// Passes on a key as text, if it has a text form.
pub(super) struct KeySerializer<F>(pub(super) F);

impl<F: FnOnce(&str) -> Result<(), SinkError>> KeySerializer<F> {
    fn text(self, text: &str) -> Result<(), SerializeError> {
        Ok(self.0(text)?)
    }

    fn integer(self, number: impl itoa::Integer) -> Result<(), SerializeError> {
        self.text(itoa::Buffer::new().format(number))
    }
}

fn no_key<T>(found: &'static str) -> Result<T, SerializeError> {
    Err(SerializeErrorKind::Key { found }.into())
}

/// A container as a key: a type without values.
type NoKey = Impossible<(), SerializeError>;

/// Implements the methods of `Serializer` for values without a text form.
macro_rules! refused_keys {
    ($( $name:ident($($argument:ty),*) -> $done:ty, $found:literal; )+) => { $(
        fn $name(self, $( _: $argument ),*) -> Result<$done, SerializeError> {
            no_key($found)
        }
    )+ };
}

impl<F: FnOnce(&str) -> Result<(), SinkError>> Serializer for KeySerializer<F> {
    type Ok = ();
    type Error = SerializeError;
    type SerializeSeq = NoKey;
    type SerializeTuple = NoKey;
    type SerializeTupleStruct = NoKey;
    type SerializeTupleVariant = NoKey;
    type SerializeMap = NoKey;
    type SerializeStruct = NoKey;
    type SerializeStructVariant = NoKey;

    fn serialize_str(self, value: &str) -> Result<(), SerializeError> {
        self.text(value)
    }

    fn serialize_char(self, value: char) -> Result<(), SerializeError> {
        self.text(value.encode_utf8(&mut [0; 4]))
    }

    fn collect_str<T: Display + ?Sized>(self, value: &T) -> Result<(), SerializeError> {
        self.text(&value.to_string())
    }

    fn serialize_bool(self, value: bool) -> Result<(), SerializeError> {
        self.text(if value { "true" } else { "false" })
    }

    serialize_integers!();

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<(), SerializeError> {
        self.text(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), SerializeError> {
        value.serialize(self)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), SerializeError> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<(), SerializeError> {
        no_key("newtype variant")
    }

    refused_keys! {
        serialize_none() -> (), "none";
        serialize_f32(f32) -> (), "float";
        serialize_f64(f64) -> (), "float";
        serialize_bytes(&[u8]) -> (), "bytes";
        serialize_unit() -> (), "unit";
        serialize_unit_struct(&'static str) -> (), "unit struct";
        serialize_seq(Option<usize>) -> NoKey, "sequence";
        serialize_tuple(usize) -> NoKey, "tuple";
        serialize_tuple_struct(&'static str, usize) -> NoKey, "tuple struct";
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> NoKey, "tuple variant";
        serialize_map(Option<usize>) -> NoKey, "map";
        serialize_struct(&'static str, usize) -> NoKey, "struct";
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> NoKey, "struct variant";
    }
}

/// A key in a file, passed to the type that reads it.
///
/// An integer must be spelled as by the serializer, so that two keys of one object never become
/// equal.
pub(super) struct KeyText<'k, 'a, const IS_STRUCT: bool> {
    pub(super) text: &'a str,
    /// Set if the type may keep the key in memory. It does not keep ignored keys or, in a struct
    /// (`IS_STRUCT`), identifiers. In a map, an identifier may be an enum that keeps unknown names.
    pub(super) is_held: &'k mut bool,
}

impl<'a, const IS_STRUCT: bool> KeyText<'_, 'a, IS_STRUCT> {
    #[inline]
    fn held(self) -> &'a str {
        *self.is_held = true;
        self.text
    }
}

macro_rules! integer_key {
    ($($method:ident, $type:ty, $visit:ident;)+) => { $(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeserializeError> {
            let text = self.held();
            match text.parse::<$type>() {
                Ok(number) if itoa::Buffer::new().format(number) == text => visitor.$visit(number),
                _ => visitor.visit_borrowed_str(text),
            }
        }
    )+ };
}

impl<'de, const IS_STRUCT: bool> Deserializer<'de> for KeyText<'_, 'de, IS_STRUCT> {
    type Error = DeserializeError;

    #[inline]
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeserializeError> {
        visitor.visit_borrowed_str(self.held())
    }

    #[inline]
    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeserializeError> {
        visitor.visit_borrowed_str(if IS_STRUCT { self.text } else { self.held() })
    }

    #[inline]
    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeserializeError> {
        visitor.visit_borrowed_str(self.text)
    }

    integer_key! {
        deserialize_i8, i8, visit_i8;
        deserialize_i16, i16, visit_i16;
        deserialize_i32, i32, visit_i32;
        deserialize_i64, i64, visit_i64;
        deserialize_i128, i128, visit_i128;
        deserialize_u8, u8, visit_u8;
        deserialize_u16, u16, visit_u16;
        deserialize_u32, u32, visit_u32;
        deserialize_u64, u64, visit_u64;
        deserialize_u128, u128, visit_u128;
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeserializeError> {
        match self.held() {
            "true" => visitor.visit_bool(true),
            "false" => visitor.visit_bool(false),
            text => visitor.visit_borrowed_str(text),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeserializeError> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, DeserializeError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DeserializeError> {
        visitor.visit_enum(BorrowedStrDeserializer::new(self.held()))
    }

    forward_to_deserialize_any! {
        f32 f64 char str string bytes byte_buf
        unit unit_struct seq tuple tuple_struct map struct
    }
}
