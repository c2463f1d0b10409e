//! Short tokens of a file on their way into a visitor or serializer, without a stop in between.

use super::error::DeserializeError;
use super::read::Limits;
use crate::decode::Step;
use crate::msgpack::TakeShort;
use serde::de::Visitor;
use serde::ser::Serializer;

/// Who takes scalars.
pub(super) trait TakeScalar<'a>: Sized {
    type Value;

    fn null(self) -> Self::Value;
    fn bool(self, value: bool) -> Self::Value;
    fn unsigned(self, number: u64) -> Self::Value;
    fn text(self, text: &'a str) -> Self::Value;
}

/// A visitor, which reads a value.
pub(super) struct Visit<V>(pub(super) V);

impl<'a, V: Visitor<'a>> TakeScalar<'a> for Visit<V> {
    type Value = Result<V::Value, DeserializeError>;

    #[inline(always)]
    fn null(self) -> Self::Value {
        self.0.visit_unit()
    }

    #[inline(always)]
    fn bool(self, value: bool) -> Self::Value {
        self.0.visit_bool(value)
    }

    #[inline(always)]
    fn unsigned(self, number: u64) -> Self::Value {
        self.0.visit_u64(number)
    }

    #[inline(always)]
    fn text(self, text: &'a str) -> Self::Value {
        self.0.visit_borrowed_str(text)
    }
}

/// A serializer, which writes a value.
pub(super) struct Send<S>(pub(super) S);

impl<'a, S: Serializer> TakeScalar<'a> for Send<S> {
    type Value = Result<S::Ok, S::Error>;

    #[inline(always)]
    fn null(self) -> Self::Value {
        self.0.serialize_unit()
    }

    #[inline(always)]
    fn bool(self, value: bool) -> Self::Value {
        self.0.serialize_bool(value)
    }

    #[inline(always)]
    fn unsigned(self, number: u64) -> Self::Value {
        self.0.serialize_u64(number)
    }

    #[inline(always)]
    fn text(self, text: &'a str) -> Self::Value {
        self.0.serialize_str(text)
    }
}

/// A value on its way. Declined where the limits leave no room, or a string is not known yet or no UTF-8.
pub(super) struct ShortValue<'w, 'a, T> {
    pub(super) taker: T,
    /// The strings that numbers are ids of; `None` where they are integers. Not a bool beside the strings: it comes back
    /// in the place of the result, whose words would then be written in pieces and read as wholes, which stalls.
    pub(super) strings: Option<&'w [&'a str]>,
    pub(super) left: &'w mut Limits,
}

impl<'a, T: TakeScalar<'a>> ShortValue<'_, 'a, T> {
    /// The taker, if the limits leave room for one more value with so many bytes of text.
    #[inline(always)]
    fn counted(self, text: usize) -> Result<T, Self> {
        match (self.left.values.checked_sub(1), self.left.bytes.checked_sub(text as u64)) {
            (Some(values), Some(bytes)) => {
                (self.left.values, self.left.bytes) = (values, bytes);
                Ok(self.taker)
            }
            _ => Err(self),
        }
    }

    /// The same for the constant of a shape.
    #[inline(always)]
    pub(super) fn constant(self, constant: &Step<'a>) -> Result<T::Value, Self> {
        let text = match *constant {
            Step::Null => return self.null(),
            Step::Bool(value) => return self.bool(value),
            Step::String(text) => Some(text),
            Step::StringId(id) => self.strings.and_then(|strings| strings.get(id as usize).copied()),
            _ => None,
        };
        match text {
            Some(text) => Ok(self.counted(text.len())?.text(text)),
            None => Err(self),
        }
    }
}

impl<'a, T: TakeScalar<'a>> TakeShort<'a> for ShortValue<'_, 'a, T> {
    type Value = T::Value;

    #[inline(always)]
    fn null(self) -> Result<T::Value, Self> {
        Ok(self.counted(0)?.null())
    }

    #[inline(always)]
    fn bool(self, value: bool) -> Result<T::Value, Self> {
        Ok(self.counted(0)?.bool(value))
    }

    #[inline(always)]
    fn unsigned(self, number: u16) -> Result<T::Value, Self> {
        let Some(strings) = self.strings else {
            return Ok(self.counted(0)?.unsigned(number.into()));
        };
        match strings.get(usize::from(number)) {
            Some(text) => Ok(self.counted(text.len())?.text(text)),
            None => Err(self),
        }
    }

    #[inline(always)]
    fn string(self, bytes: &'a [u8]) -> Result<T::Value, Self> {
        match std::str::from_utf8(bytes) {
            Ok(text) => Ok(self.counted(text.len())?.text(text)),
            Err(_) => Err(self),
        }
    }
}

/// A key on its way.
pub(super) struct ShortKey<'w, 'a> {
    /// The strings that numbers are ids of.
    pub(super) strings: &'w [&'a str],
    /// Bytes that are left of the limit.
    pub(super) left: &'w mut u64,
}

impl<'a> ShortKey<'_, 'a> {
    #[inline(always)]
    fn counted(self, key: &'a str) -> Result<&'a str, Self> {
        match self.left.checked_sub(key.len() as u64) {
            Some(left) => {
                *self.left = left;
                Ok(key)
            }
            None => Err(self),
        }
    }
}

impl<'a> TakeShort<'a> for ShortKey<'_, 'a> {
    type Value = &'a str;

    #[inline(always)]
    fn unsigned(self, id: u16) -> Result<&'a str, Self> {
        match self.strings.get(usize::from(id)) {
            Some(key) => self.counted(key),
            None => Err(self),
        }
    }

    #[inline(always)]
    fn string(self, bytes: &'a [u8]) -> Result<&'a str, Self> {
        match std::str::from_utf8(bytes) {
            Ok(key) => self.counted(key),
            Err(_) => Err(self),
        }
    }
}
