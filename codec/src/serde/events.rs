//! Converts Rust values into events.

use super::error::{SerializeError, SerializeErrorKind};
use super::key::KeySerializer;
use crate::event::EventSink;
#[cfg(feature = "write")]
use crate::write::interner::{Interned, Interner};
use coconut_format::Integer;
use serde::ser::{self, Serialize, Serializer};

/// Pushes `value` into `sink` as one document, according to the table in the [module](super).
///
/// Recurses as deep as `value` nests, until the sink refuses it. After an error the sink has
/// received only a part of the document and must not be used again.
pub fn to_events<T: Serialize + ?Sized, S: EventSink>(value: &T, sink: &mut S) -> Result<(), SerializeError> {
    value.serialize(Events(sink))
}

#[cfg(feature = "write")]
impl Interned {
    /// The document of `value`, ready for a [`Writer`](crate::write::Writer).
    ///
    /// Costs the same as the [`Interner`]: memory for the distinct parts. Refuses what the interner
    /// refuses, for instance duplicate keys and more than 512 levels.
    pub fn from_serialize<T: Serialize + ?Sized>(value: &T) -> Result<Interned, SerializeError> {
        let mut interner = Interner::new();
        to_events(value, &mut interner)?;
        Ok(interner.finish()?)
    }
}

/// Implements the methods of `Serializer` for integers: each calls `self.integer`.
macro_rules! serialize_integers {
    () => {
        serialize_integers! {
            serialize_i8, i8; serialize_i16, i16; serialize_i32, i32; serialize_i64, i64; serialize_i128, i128;
            serialize_u8, u8; serialize_u16, u16; serialize_u32, u32; serialize_u64, u64; serialize_u128, u128;
        }
    };
    ($( $name:ident, $type:ty; )+) => { $(
        fn $name(self, value: $type) -> Result<(), SerializeError> {
            self.integer(value)
        }
    )+ };
}
pub(super) use serialize_integers;

/// Pushes one value.
struct Events<'s, S>(&'s mut S);

impl<S: EventSink> Events<'_, S> {
    fn integer(self, number: impl TryInto<u64> + TryInto<i64> + Copy) -> Result<(), SerializeError> {
        let number: Integer = match (number.try_into(), number.try_into()) {
            (Ok::<u64, _>(number), _) => number.into(),
            (_, Ok::<i64, _>(number)) => number.into(),
            _ => return Err(SerializeErrorKind::IntegerRange.into()),
        };
        Ok(self.0.integer(number)?)
    }
}

impl<'s, S: EventSink> Serializer for Events<'s, S> {
    type Ok = ();
    type Error = SerializeError;
    type SerializeSeq = ListEvents<'s, S>;
    type SerializeTuple = ListEvents<'s, S>;
    type SerializeTupleStruct = ListEvents<'s, S>;
    type SerializeTupleVariant = ListEvents<'s, S>;
    type SerializeMap = ObjectEvents<'s, S>;
    type SerializeStruct = ObjectEvents<'s, S>;
    type SerializeStructVariant = ObjectEvents<'s, S>;

    fn serialize_bool(self, value: bool) -> Result<(), SerializeError> {
        Ok(self.0.bool(value)?)
    }

    serialize_integers!();

    fn serialize_f32(self, value: f32) -> Result<(), SerializeError> {
        self.serialize_f64(widened(value))
    }

    fn serialize_f64(self, value: f64) -> Result<(), SerializeError> {
        if !value.is_finite() {
            return Err(SerializeErrorKind::NonFinite.into());
        }
        Ok(self.0.float(value)?)
    }

    fn serialize_char(self, value: char) -> Result<(), SerializeError> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, value: &str) -> Result<(), SerializeError> {
        Ok(self.0.string(value)?)
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<(), SerializeError> {
        self.0.begin_list()?;
        for &byte in value {
            self.0.integer(u64::from(byte).into())?;
        }
        Ok(self.0.end_list()?)
    }

    fn serialize_none(self) -> Result<(), SerializeError> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), SerializeError> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), SerializeError> {
        Ok(self.0.null()?)
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), SerializeError> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<(), SerializeError> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), SerializeError> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), SerializeError> {
        self.0.begin_object()?;
        self.0.key(variant)?;
        value.serialize(Events(&mut *self.0)).map_err(|error| error.below_key(variant))?;
        Ok(self.0.end_object()?)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<ListEvents<'s, S>, SerializeError> {
        self.0.begin_list()?;
        Ok(ListEvents { sink: self.0, index: 0, variant: None })
    }

    fn serialize_tuple(self, length: usize) -> Result<ListEvents<'s, S>, SerializeError> {
        self.serialize_seq(Some(length))
    }

    fn serialize_tuple_struct(
        self,
        _: &'static str,
        length: usize,
    ) -> Result<ListEvents<'s, S>, SerializeError> {
        self.serialize_seq(Some(length))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<ListEvents<'s, S>, SerializeError> {
        self.0.begin_object()?;
        self.0.key(variant)?;
        self.0.begin_list().map_err(|error| SerializeError::from(error).below_key(variant))?;
        Ok(ListEvents { sink: self.0, index: 0, variant: Some(variant) })
    }

    fn serialize_map(self, _: Option<usize>) -> Result<ObjectEvents<'s, S>, SerializeError> {
        self.0.begin_object()?;
        Ok(ObjectEvents { sink: self.0, key: String::new(), variant: None })
    }

    fn serialize_struct(self, _: &'static str, length: usize) -> Result<ObjectEvents<'s, S>, SerializeError> {
        self.serialize_map(Some(length))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<ObjectEvents<'s, S>, SerializeError> {
        self.0.begin_object()?;
        self.0.key(variant)?;
        self.0.begin_object().map_err(|error| SerializeError::from(error).below_key(variant))?;
        Ok(ObjectEvents { sink: self.0, key: String::new(), variant: Some(variant) })
    }
}

/// The `f64` with the shortest decimal of `value`: 0.1, not 0.10000000149011612.
fn widened(value: f32) -> f64 {
    if !value.is_finite() {
        return value.into();
    }
    let shortest: f64 = zmij::Buffer::new().format_finite(value).parse().expect("a printed float is a float");
    #[expect(clippy::cast_possible_truncation, reason = "reading it back rounds in the same way")]
    let read_back = shortest as f32;
    // With two roundings, a decimal near the midpoint of two `f32` could become the other one.
    if read_back.to_bits() == value.to_bits() { shortest } else { value.into() }
}

fn below_variant(variant: Option<&str>, error: SerializeError) -> SerializeError {
    match variant {
        Some(variant) => error.below_key(variant),
        None => error,
    }
}

/// The items of an open list.
struct ListEvents<'s, S> {
    sink: &'s mut S,
    index: usize,
    /// The key of the object around the list, which ends with it.
    variant: Option<&'static str>,
}

impl<S: EventSink> ListEvents<'_, S> {
    fn item<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), SerializeError> {
        let done = value.serialize(Events(&mut *self.sink));
        done.map_err(|error| below_variant(self.variant, error.below_index(self.index)))?;
        self.index += 1;
        Ok(())
    }

    fn close(self) -> Result<(), SerializeError> {
        self.sink.end_list()?;
        if self.variant.is_some() {
            self.sink.end_object()?;
        }
        Ok(())
    }
}

/// The entries of an open object.
struct ObjectEvents<'s, S> {
    sink: &'s mut S,
    /// The key that was sent without its value.
    key: String,
    /// The key of the object around this one, which ends with it.
    variant: Option<&'static str>,
}

impl<S: EventSink> ObjectEvents<'_, S> {
    fn field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<(), SerializeError> {
        self.sink.key(key).map_err(|error| below_variant(self.variant, error.into()))?;
        let done = value.serialize(Events(&mut *self.sink));
        done.map_err(|error| below_variant(self.variant, error.below_key(key)))
    }

    fn close(self) -> Result<(), SerializeError> {
        self.sink.end_object().map_err(|error| below_variant(self.variant, error.into()))?;
        if self.variant.is_some() {
            self.sink.end_object()?;
        }
        Ok(())
    }
}

/// Implements the traits of serde that send the items of a list.
macro_rules! list_events {
    ($( $trait:ident, $item:ident; )+) => { $(
        impl<S: EventSink> ser::$trait for ListEvents<'_, S> {
            type Ok = ();
            type Error = SerializeError;

            fn $item<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), SerializeError> {
                self.item(value)
            }

            fn end(self) -> Result<(), SerializeError> {
                self.close()
            }
        }
    )+ };
}

list_events! {
    SerializeSeq, serialize_element;
    SerializeTuple, serialize_element;
    SerializeTupleStruct, serialize_field;
    SerializeTupleVariant, serialize_field;
}

impl<S: EventSink> ser::SerializeMap for ObjectEvents<'_, S> {
    type Ok = ();
    type Error = SerializeError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), SerializeError> {
        let ObjectEvents { sink, key: kept, .. } = self;
        key.serialize(KeySerializer(|text: &str| {
            kept.clear();
            kept.push_str(text);
            sink.key(text)
        }))
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), SerializeError> {
        value.serialize(Events(&mut *self.sink)).map_err(|error| error.below_key(&self.key))
    }

    /// Key and value at once: the key is copied only for the path of an error.
    fn serialize_entry<K: Serialize + ?Sized, V: Serialize + ?Sized>(
        &mut self,
        key: &K,
        value: &V,
    ) -> Result<(), SerializeError> {
        key.serialize(KeySerializer(|text: &str| self.sink.key(text)))?;
        value.serialize(Events(&mut *self.sink)).map_err(|error| {
            let kept = &mut self.key;
            let copied = key.serialize(KeySerializer(|text: &str| {
                text.clone_into(kept);
                Ok(())
            }));
            match copied {
                Ok(()) => error.below_key(&self.key),
                Err(other) => other,
            }
        })
    }

    fn end(self) -> Result<(), SerializeError> {
        self.close()
    }
}

/// Implements the traits of serde that send the fields of an object.
macro_rules! object_events {
    ($( $trait:ident )+) => { $(
        impl<S: EventSink> ser::$trait for ObjectEvents<'_, S> {
            type Ok = ();
            type Error = SerializeError;

            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                key: &'static str,
                value: &T,
            ) -> Result<(), SerializeError> {
                self.field(key, value)
            }

            fn end(self) -> Result<(), SerializeError> {
                self.close()
            }
        }
    )+ };
}

object_events! { SerializeStruct SerializeStructVariant }
