//! Short tokens of a file on their way into a visitor or serializer.

use super::read::Limits;
use crate::limits;
use crate::msgpack::TakeShort;
use crate::wire::value::Form;

/// A scalar that has a short form.
///
/// What becomes of it is called where it came out of the walk, as the last thing that is done: called in the middle of reading it,
/// every string was made in one place and moved to another right after, in words of another width than it was written
/// in. That stalls: a seventh of the time of reading a checkpoint into types of Rust.
pub(super) enum ShortScalar<'a> {
    Null,
    Bool(bool),
    Unsigned(u16),
    Text(&'a str),
}

/// Takes short scalars. Declines where the limits leave no room, or a string is not known yet or no UTF-8.
pub(super) struct TakeScalar<'w, 'a> {
    /// The strings that numbers are ids of; `None` where they are integers.
    pub(super) strings: Option<&'w [&'a str]>,
    pub(super) left: &'w mut Limits,
}

impl<'a> TakeScalar<'_, 'a> {
    /// The scalar, if the limits leave room for one more value with so many bytes of text.
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

    /// The same for the constant of a shape.
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

/// A key on its way. Declines one that is too long, which has its id only: short tokens have 255 bytes.
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
