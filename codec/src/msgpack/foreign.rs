//! §3 Tokens of msgpack streams that other programs wrote.
//!
//! Such a stream may have what the format leaves out: floats of 32 bits, and integers that are not
//! in their shortest form. Everything else is read by the same cursor, with the same checks.
//!
//! ```
//! use coconut_codec::foreign::{ForeignCursor, ForeignToken};
//!
//! let mut cursor = ForeignCursor::new(&[0xca, 0x3f, 0xc0, 0, 0, 0xd4, 0x10, 2]);
//! assert_eq!(cursor.token()?, ForeignToken::Float32(1.5));
//! assert_eq!(cursor.token()?, ForeignToken::Ext(0x10, &[2]));
//! assert!(cursor.is_at_end());
//! # Ok::<(), coconut_codec::DecodeError>(())
//! ```

use super::cursor::{Cursor, Token};
use super::marker as m;
use crate::bytes::Bytes;
use coconut_format::error::DecodeError;

pub use super::encode::{
    put_array_header, put_bin, put_bool, put_float, put_map_header, put_nil, put_plain_integer, put_str_bytes,
};

/// One token. The items of an array or a map follow as separate tokens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ForeignToken<'a> {
    /// `nil`.
    Nil,
    /// `true` or `false`.
    Bool(bool),
    /// A non-negative integer of any width.
    Unsigned(u64),
    /// A negative integer of any width.
    Negative(i64),
    /// A float of 64 bits.
    Float(f64),
    /// A float of 32 bits.
    Float32(f32),
    /// The bytes of a string, which may not be UTF-8.
    Str(&'a [u8]),
    /// A byte string.
    Bin(&'a [u8]),
    /// The number of items of an array, at most the number of bytes after it.
    Array(u32),
    /// The number of entries of a map, at most half of the number of bytes after it.
    Map(u32),
    /// The type and the bytes of an extension.
    Ext(i8, &'a [u8]),
}

/// Reads the tokens of a stretch of bytes in memory.
#[derive(Clone, Copy, Debug)]
pub struct ForeignCursor<'a> {
    cursor: Cursor<'a>,
}

impl<'a> ForeignCursor<'a> {
    /// A cursor over all of `data`.
    pub fn new(data: &'a [u8]) -> Self {
        ForeignCursor::within(data, 0, data.len())
    }

    /// A cursor over `start..end` of `data`. Offsets still count from the start of `data`.
    pub fn within(data: &'a [u8], start: usize, end: usize) -> Self {
        ForeignCursor { cursor: Cursor::new(Bytes::Whole(data), start, end, None) }
    }

    /// The offset of the next token in `data`.
    #[inline]
    pub fn position(&self) -> usize {
        self.cursor.position()
    }

    /// Whether nothing is left.
    #[inline]
    pub fn is_at_end(&self) -> bool {
        self.cursor.is_at_end()
    }

    /// Reads the next token.
    ///
    /// # Errors
    ///
    /// A token that is cut off, a count above the number of bytes that follow, and the byte `c1`.
    #[inline]
    pub fn token(&mut self) -> Result<ForeignToken<'a>, DecodeError> {
        if self.cursor.peek()? == m::FLOAT_32 {
            return self.float_32();
        }
        Ok(match self.cursor.token()? {
            Token::Nil => ForeignToken::Nil,
            Token::Bool(value) => ForeignToken::Bool(value),
            Token::Unsigned(n) => ForeignToken::Unsigned(n),
            Token::Negative(n) => ForeignToken::Negative(n),
            Token::Float(value) => ForeignToken::Float(value),
            Token::Str(bytes) => ForeignToken::Str(bytes),
            Token::Bin(bytes) => ForeignToken::Bin(bytes),
            Token::Array(count) => ForeignToken::Array(count),
            Token::Map(count) => ForeignToken::Map(count),
            Token::Ext(code, bytes) | Token::OtherExt(code, bytes) => ForeignToken::Ext(code, bytes),
        })
    }

    #[cold]
    fn float_32(&mut self) -> Result<ForeignToken<'a>, DecodeError> {
        // Checked before anything is consumed, so that the error has the offset of the token.
        let bytes = self.cursor.take(5)?;
        let bits = bytes.iter().skip(1).fold(0, |bits, &byte| bits << 8 | u32::from(byte));
        Ok(ForeignToken::Float32(f32::from_bits(bits)))
    }
}

/// Writes an extension in its shortest form.
pub fn put_ext(out: &mut Vec<u8>, code: i8, payload: &[u8]) {
    let length = payload.len();
    match length {
        1 => out.push(m::FIXEXT_1),
        2 => out.push(m::FIXEXT_2),
        4 => out.push(m::FIXEXT_4),
        8 => out.push(m::FIXEXT_8),
        16 => out.push(m::FIXEXT_16),
        _ => match (u8::try_from(length), u16::try_from(length)) {
            (Ok(n), _) => out.extend_from_slice(&[m::EXT_8, n]),
            (_, Ok(n)) => {
                out.push(m::EXT_16);
                out.extend_from_slice(&n.to_be_bytes());
            }
            _ => {
                out.push(m::EXT_32);
                let n = u32::try_from(length).expect("the caller limits the lengths of payloads");
                out.extend_from_slice(&n.to_be_bytes());
            }
        },
    }
    out.push(code.cast_unsigned());
    out.extend_from_slice(payload);
}

/// Writes a float of 32 bits.
pub fn put_float_32(out: &mut Vec<u8>, value: f32) {
    out.push(m::FLOAT_32);
    out.extend_from_slice(&value.to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use coconut_format::ErrorKind;

    #[test]
    fn a_cut_float_is_short_at_its_first_byte() {
        let mut cursor = ForeignCursor::new(&[0x01, 0xca, 0x3f]);
        assert_eq!(cursor.token(), Ok(ForeignToken::Unsigned(1)));
        let error = cursor.token().unwrap_err();
        assert_eq!((error.kind(), error.offset()), (ErrorKind::Short { needed: 5, available: 2 }, 1));
    }

    #[test]
    fn extensions_take_their_shortest_form() {
        let cases: [(usize, &[u8]); 9] = [
            (0, &[0xc7, 0, 5]),
            (1, &[0xd4, 5]),
            (2, &[0xd5, 5]),
            (3, &[0xc7, 3, 5]),
            (4, &[0xd6, 5]),
            (8, &[0xd7, 5]),
            (16, &[0xd8, 5]),
            (256, &[0xc8, 1, 0, 5]),
            (65_536, &[0xc9, 0, 1, 0, 0, 5]),
        ];
        for (length, header) in cases {
            let payload = vec![7; length];
            let mut out = Vec::new();
            put_ext(&mut out, 5, &payload);
            assert_eq!(&out[..header.len()], header, "{length}");
            assert_eq!(ForeignCursor::new(&out).token(), Ok(ForeignToken::Ext(5, &payload)), "{length}");
        }
    }
}
