//! §3.3 The tokens that most of a document is, without the detour over a [`Token`](super::Token).

use super::Cursor;
use super::marker as m;

/// What becomes of a short token. Each function may give back `self` to decline, and does so unless it is defined.
///
/// A trait and not an enum, because each way through [`Cursor::short`] then does what is to be done with one kind of
/// token and nothing else: putting tokens together and taking them apart again was a third of the time of a tree.
pub(crate) trait TakeShort<'a>: Sized {
    type Value;

    #[inline(always)]
    fn null(self) -> Result<Self::Value, Self> {
        Err(self)
    }

    #[inline(always)]
    fn bool(self, _: bool) -> Result<Self::Value, Self> {
        Err(self)
    }

    /// A number of up to 16 bits: an integer, or an id.
    #[inline(always)]
    fn unsigned(self, _: u16) -> Result<Self::Value, Self> {
        Err(self)
    }

    /// A negative number of up to 16 bits: an integer, or a reference.
    #[inline(always)]
    fn negative(self, _: i16) -> Result<Self::Value, Self> {
        Err(self)
    }

    /// The bytes of a string of up to 255 bytes, not yet known to be UTF-8.
    #[inline(always)]
    fn string(self, _: &'a [u8]) -> Result<Self::Value, Self> {
        Err(self)
    }

    /// The header of an array of up to 15 items, for which there are bytes.
    #[inline(always)]
    fn array(self, _: u32) -> Result<Self::Value, Self> {
        Err(self)
    }
}

impl<'a> Cursor<'a> {
    /// Reads the next token, if it is a short one in a verified block and `take` takes it. Otherwise the cursor stays
    /// where it is, and [`token`](Self::token) says what comes or what is wrong.
    #[inline(always)]
    pub(crate) fn short<T: TakeShort<'a>>(&mut self, take: T) -> Result<T::Value, T> {
        let Some(ready) = self.ready() else { return Err(take) };
        let Some((&first, rest)) = ready.split_first() else { return Err(take) };
        let (value, length) = match first {
            0..=m::POSITIVE_FIXINT_MAX => (take.unsigned(first.into())?, 1),
            0x90..=0x9f => {
                let count = first & 0x0f;
                if usize::from(count) > rest.len() {
                    return Err(take);
                }
                (take.array(count.into())?, 1)
            }
            0xa0..=0xbf => {
                let length = usize::from(first & 0x1f);
                let Some(bytes) = rest.get(..length) else { return Err(take) };
                (take.string(bytes)?, length.saturating_add(1))
            }
            m::NIL => (take.null()?, 1),
            m::FALSE => (take.bool(false)?, 1),
            m::TRUE => (take.bool(true)?, 1),
            m::UINT_8 => {
                let Some(&number) = rest.first() else { return Err(take) };
                (take.unsigned(number.into())?, 2)
            }
            m::UINT_16 => {
                let Some(number) = rest.first_chunk() else { return Err(take) };
                (take.unsigned(u16::from_be_bytes(*number))?, 3)
            }
            m::STR_8 => {
                let Some((&length, bytes)) = rest.split_first() else { return Err(take) };
                let length = usize::from(length);
                let Some(bytes) = bytes.get(..length) else { return Err(take) };
                (take.string(bytes)?, length.saturating_add(2))
            }
            m::INT_8 => match rest.first() {
                Some(&number @ 0x80..) => (take.negative(number.cast_signed().into())?, 2),
                _ => return Err(take),
            },
            m::INT_16 => match rest.first_chunk() {
                Some(&number @ [0x80..=0xff, _]) => (take.negative(i16::from_be_bytes(number))?, 3),
                _ => return Err(take),
            },
            m::NEGATIVE_FIXINT.. => (take.negative(first.cast_signed().into())?, 1),
            _ => return Err(take),
        };
        self.advance(length);
        Ok(value)
    }
}
