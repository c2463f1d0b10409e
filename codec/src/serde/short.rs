//! Passes short tokens of a file to a visitor or serializer.

use super::limits::Limits;
use crate::limits;
use crate::msgpack::TakeShort;
use crate::wire::value::Form;

/// A scalar with a short form.
///
/// The caller passes it to the visitor as its last step, after the walk has returned it. Doing that
/// while reading would write every string to one place and then move it in words of another width.
/// The resulting stalls took a seventh of the time of reading a checkpoint into Rust types.
pub(super) enum ShortScalar<'a> {
    Null,
    Bool(bool),
    Unsigned(u16),
    Text(&'a str),
}

/// Takes short scalars. Declines if they exceed the limits, or if a string is not loaded yet or not
/// UTF-8.
pub(super) struct TakeScalar<'w, 'a> {
    /// The strings whose ids the numbers are. `None` if numbers are integers.
    pub(super) strings: Option<&'w [&'a str]>,
    pub(super) left: &'w mut Limits,
}

impl<'a> TakeScalar<'_, 'a> {
    /// Returns the scalar if the limits allow one more value with `text` bytes of text.
    #[inline(always)]
    fn counted(self, scalar: ShortScalar<'a>, text: usize) -> Result<ShortScalar<'a>, Self> {
        match (self.left.values.checked_sub(1), self.left.bytes.checked_sub(text as u64)) {
            (Some(values), Some(bytes)) => {
                (self.left.values, self.left.bytes) = (values, bytes);
                Ok(scalar)
            }
            _ => Err(self),
        }
    }

    #[inline]
    fn text(self, text: &'a str) -> Result<ShortScalar<'a>, Self> {
        self.counted(ShortScalar::Text(text), text.len())
    }

    /// Does the same for the constant of a shape.
    #[inline]
    pub(super) fn constant(self, constant: &Form<'a>) -> Result<ShortScalar<'a>, Self> {
        let text = match *constant {
            Form::Null => return self.null(),
            Form::Bool(value) => return self.bool(value),
            Form::String(text) => Some(text),
            Form::StringId(id) => self.strings.and_then(|strings| strings.get(id.index()).copied()),
            _ => None,
        };
        match text {
            Some(text) => self.text(text),
            None => Err(self),
        }
    }
}

impl<'a> TakeShort<'a> for TakeScalar<'_, 'a> {
    type Value = ShortScalar<'a>;

    #[inline]
    fn null(self) -> Result<ShortScalar<'a>, Self> {
        self.counted(ShortScalar::Null, 0)
    }

    #[inline]
    fn bool(self, value: bool) -> Result<ShortScalar<'a>, Self> {
        self.counted(ShortScalar::Bool(value), 0)
    }

    #[inline]
    fn unsigned(self, number: u16) -> Result<ShortScalar<'a>, Self> {
        let Some(strings) = self.strings else {
            return self.counted(ShortScalar::Unsigned(number), 0);
        };
        match strings.get(usize::from(number)) {
            Some(text) => self.text(text),
            None => Err(self),
        }
    }

    #[inline]
    fn string(self, bytes: &'a [u8]) -> Result<ShortScalar<'a>, Self> {
        match std::str::from_utf8(bytes) {
            Ok(text) => self.text(text),
            Err(_) => Err(self),
        }
    }
}

/// Takes a short key. Declines a key above the limit, which only an id can name: short tokens have
/// at most 255 bytes.
pub(super) struct ShortKey<'w, 'a> {
    /// The strings named by ids.
    pub(super) strings: &'w [&'a str],
    /// The remaining bytes of the limit.
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

    #[inline]
    fn unsigned(self, id: u16) -> Result<&'a str, Self> {
        match self.strings.get(usize::from(id)) {
            Some(key) if key.len() <= limits::KEY_BYTES => self.counted(key),
            _ => Err(self),
        }
    }

    #[inline]
    fn string(self, bytes: &'a [u8]) -> Result<&'a str, Self> {
        match std::str::from_utf8(bytes) {
            Ok(key) => self.counted(key),
            Err(_) => Err(self),
        }
    }
}
