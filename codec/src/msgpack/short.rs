//! §3.3 Reads short tokens, the majority in a document, without building a [`Token`](super::Token).

use super::Cursor;
use super::marker as m;

/// Uses a short token. Each function may return `self` to decline, which is the default.
///
/// A trait rather than an enum, so that each branch of [`Cursor::short`] handles only one kind of
/// token. Packing and unpacking tokens took a third of the time of building a tree.
///
/// Without it, these tasks take more instructions:
///
/// | job | more instructions |
/// |---|---|
/// | print a file | 45 % |
/// | read a file into types | 17 to 33 % |
/// | read one resource of many | 30 % |
/// | look a key up in an open file | 24 % |
///
/// A tree needs this offset.
pub(crate) trait TakeShort<'a>: Sized {
    type Value;

    #[inline]
    fn null(self) -> Result<Self::Value, Self> {
        Err(self)
    }

    #[inline]
    fn bool(self, _: bool) -> Result<Self::Value, Self> {
        Err(self)
    }

    /// A number of up to 16 bits: an integer, or an id.
    #[inline]
    fn unsigned(self, _: u16) -> Result<Self::Value, Self> {
        Err(self)
    }

    /// A negative number of up to 16 bits: an integer, or a reference.
    #[inline]
    fn negative(self, _: i16) -> Result<Self::Value, Self> {
        Err(self)
    }

    /// An extension of 1, 2 or 4 bytes.
    #[inline]
    fn ext(self, _code: i8, _body: &'a [u8]) -> Result<Self::Value, Self> {
        Err(self)
    }

    /// The bytes of a string of up to 255 bytes, which may not be UTF-8.
    #[inline]
    fn string(self, _: &'a [u8]) -> Result<Self::Value, Self> {
        Err(self)
    }

    /// The header of an array of up to 15 items. The remaining bytes suffice for them.
    #[inline]
    fn array(self, _: u32) -> Result<Self::Value, Self> {
        Err(self)
    }
}

impl<'a> Cursor<'a> {
    /// Reads the next token if it is a short one in a verified block and `take` accepts it.
    /// Otherwise the cursor does not move, and the caller uses [`token`](Self::token) to read the
    /// token or report the error.
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
            m::FIXEXT_1 => match ext::<1>(rest) {
                Some((code, body)) => (take.ext(code, body)?, 3),
                None => return Err(take),
            },
            m::FIXEXT_2 => match ext::<2>(rest) {
                Some((code, body)) => (take.ext(code, body)?, 4),
                None => return Err(take),
            },
            m::FIXEXT_4 => match ext::<4>(rest) {
                Some((code, body)) => (take.ext(code, body)?, 6),
                None => return Err(take),
            },
            m::NEGATIVE_FIXINT.. => (take.negative(first.cast_signed().into())?, 1),
            _ => return Err(take),
        };
        self.advance(length);
        Ok(value)
    }
}

/// The type and the body of an extension of `N` bytes.
#[inline]
fn ext<const N: usize>(rest: &[u8]) -> Option<(i8, &[u8])> {
    let (&code, rest) = rest.split_first()?;
    let body: &[u8; N] = rest.first_chunk()?;
    Some((code.cast_signed(), body))
}

#[cfg(test)]
mod tests {
    use super::super::Token;
    use super::*;
    use crate::bytes::Bytes;
    use crate::bytes::checksum::{BLOCK, BlockSize, Blocks, block_table};
    use crate::wire::value::ext_integer;
    use coconut_format::Integer;

    /// Accepts every token, and returns it unchanged.
    #[derive(Debug, PartialEq)]
    struct Anything;

    impl<'a> TakeShort<'a> for Anything {
        type Value = Token<'a>;

        fn null(self) -> Result<Token<'a>, Self> {
            Ok(Token::Nil)
        }

        fn bool(self, value: bool) -> Result<Token<'a>, Self> {
            Ok(Token::Bool(value))
        }

        fn unsigned(self, number: u16) -> Result<Token<'a>, Self> {
            Ok(Token::Unsigned(number.into()))
        }

        fn negative(self, number: i16) -> Result<Token<'a>, Self> {
            Ok(Token::Negative(number.into()))
        }

        fn string(self, bytes: &'a [u8]) -> Result<Token<'a>, Self> {
            Ok(Token::Str(bytes))
        }

        fn array(self, count: u32) -> Result<Token<'a>, Self> {
            Ok(Token::Array(count))
        }
    }

    /// Accepts no token.
    #[derive(Debug, PartialEq)]
    struct Nothing;

    impl TakeShort<'_> for Nothing {
        type Value = ();
    }

    /// Every short form, with its smallest and largest content.
    const SHORT: [(&[u8], Token<'_>); 21] = [
        (&[0x00], Token::Unsigned(0)),
        (&[0x7f], Token::Unsigned(127)),
        (&[0xcc, 0], Token::Unsigned(0)),
        (&[0xcc, 255], Token::Unsigned(255)),
        (&[0xcd, 1, 2], Token::Unsigned(258)),
        (&[0xcd, 0xff, 0xff], Token::Unsigned(65_535)),
        (&[0xff], Token::Negative(-1)),
        (&[0xe0], Token::Negative(-32)),
        (&[0xd0, 0xff], Token::Negative(-1)),
        (&[0xd0, 0x80], Token::Negative(-128)),
        (&[0xd1, 0xff, 0xff], Token::Negative(-1)),
        (&[0xd1, 0x80, 0x00], Token::Negative(-32_768)),
        (&[0xc0], Token::Nil),
        (&[0xc2], Token::Bool(false)),
        (&[0xc3], Token::Bool(true)),
        (&[0x90], Token::Array(0)),
        (&[0xa0], Token::Str(b"")),
        (b"\xa3abc", Token::Str(b"abc")),
        (b"\xbf0123456789012345678901234567890", Token::Str(b"0123456789012345678901234567890")),
        (b"\xd9\x00", Token::Str(b"")),
        (b"\xd9\x03abc", Token::Str(b"abc")),
    ];

    #[test]
    fn a_short_token_is_taken_with_its_bytes_and_left_when_one_is_missing() {
        for (bytes, token) in SHORT {
            let padded = [bytes, &[0xc1]].concat();
            let mut cursor = Cursor::unchecked(&padded);
            assert_eq!((cursor.short(Anything), cursor.position()), (Ok(token), bytes.len()), "{bytes:02x?}");
            for cut in 0..bytes.len() {
                let mut cursor = Cursor::unchecked(&bytes[..cut]);
                assert_eq!((cursor.short(Anything), cursor.position()), (Err(Anything), 0), "{bytes:02x?}");
            }
        }
    }

    #[derive(Debug, PartialEq)]
    struct MarkedInteger;

    impl TakeShort<'_> for MarkedInteger {
        type Value = Integer;

        fn ext(self, code: i8, body: &[u8]) -> Result<Integer, Self> {
            ext_integer(code, body).map_err(|_| self)
        }
    }

    #[test]
    fn marked_integers_of_up_to_32_bits_are_short() {
        const MARKED: [(&[u8], i64); 10] = [
            (&[0xd4, 1, 0], 0),
            (&[0xd4, 1, 0xff], 255),
            (&[0xd4, 2, 0xff], -1),
            (&[0xd4, 2, 0x80], -128),
            (&[0xd5, 1, 0x01, 0xbb], 443),
            (&[0xd5, 1, 0xff, 0xff], 65_535),
            (&[0xd5, 2, 0x80, 0x00], -32_768),
            (&[0xd6, 1, 0xff, 0xff, 0xff, 0xff], 4_294_967_295),
            (&[0xd6, 2, 0x80, 0, 0, 0], -2_147_483_648),
            (&[0xd6, 2, 0xff, 0xff, 0xff, 0xfe], -2),
        ];
        for (bytes, number) in MARKED {
            let padded = [bytes, &[0xc1]].concat();
            let mut cursor = Cursor::unchecked(&padded);
            let taken = (cursor.short(MarkedInteger), cursor.position());
            assert_eq!(taken, (Ok(number.into()), bytes.len()), "{bytes:02x?}");
            for cut in 0..bytes.len() {
                let mut cursor = Cursor::unchecked(&bytes[..cut]);
                let taken = (cursor.short(MarkedInteger), cursor.position());
                assert_eq!(taken, (Err(MarkedInteger), 0), "{cut} of {bytes:02x?}");
            }
        }
        // Non-negative numbers in the negative form, unknown types, and a longer extension.
        let others: [&[u8]; 5] = [
            &[0xd4, 2, 0x7f],
            &[0xd5, 2, 0, 1],
            &[0xd4, 3, 1],
            &[0xd4, 0xff, 1],
            &[0xd7, 1, 0, 0, 0, 0, 0, 0, 0, 1],
        ];
        for bytes in others {
            let mut cursor = Cursor::unchecked(bytes);
            let taken = (cursor.short(MarkedInteger), cursor.position());
            assert_eq!(taken, (Err(MarkedInteger), 0), "{bytes:02x?}");
        }
    }

    #[test]
    fn a_declined_token_is_left() {
        for (bytes, _) in SHORT {
            let mut cursor = Cursor::unchecked(bytes);
            assert_eq!((cursor.short(Nothing), cursor.position()), (Err(Nothing), 0), "{bytes:02x?}");
        }
    }

    #[test]
    fn a_string_of_255_bytes_is_short() {
        let bytes = [&[0xd9, 255][..], &[b'a'; 255]].concat();
        let mut cursor = Cursor::unchecked(&bytes);
        assert_eq!((cursor.short(Anything), cursor.position()), (Ok(Token::Str(&[b'a'; 255])), 257));
        let mut cursor = Cursor::unchecked(&bytes[..256]);
        assert_eq!((cursor.short(Anything), cursor.position()), (Err(Anything), 0));
    }

    #[test]
    fn an_array_has_a_byte_for_each_item() {
        let bytes = [&[0x9f][..], &[0xc1; 15]].concat();
        let mut cursor = Cursor::unchecked(&bytes);
        assert_eq!((cursor.short(Anything), cursor.position()), (Ok(Token::Array(15)), 1));
        let mut cursor = Cursor::unchecked(&bytes[..15]);
        assert_eq!((cursor.short(Anything), cursor.position()), (Err(Anything), 0));
    }

    /// Negative forms with non-negative numbers: allowed, but rare.
    #[test]
    fn any_first_byte_is_taken_as_it_is_read_or_left() {
        for first in 0..=u8::MAX {
            for next in [0x02, 0x7f, 0x80, 0x90] {
                let bytes: Vec<u8> = std::iter::once(first).chain([next; 160]).collect();
                let is_short = match first {
                    0x00..=0x7f | 0x90..=0xc0 | 0xc2 | 0xc3 | 0xcc | 0xcd | 0xd9 | 0xe0.. => true,
                    0xd0 | 0xd1 => next >= 0x80,
                    _ => false,
                };
                let (mut short, mut read) = (Cursor::unchecked(&bytes), Cursor::unchecked(&bytes));
                let place = format!("{first:#04x} {next:#04x}");
                match short.short(Anything) {
                    Ok(token) => {
                        assert!(is_short, "{place}");
                        assert_eq!((Ok(token), short.position()), (read.token(), read.position()), "{place}");
                    }
                    Err(Anything) => assert_eq!((is_short, short.position()), (false, 0), "{place}"),
                }
            }
        }
    }

    #[test]
    fn no_token_is_taken_from_an_unverified_block() {
        let content = vec![0x05; BLOCK];
        let table = block_table(&content, BlockSize::PAGE);
        let blocks = Blocks::new(content.len(), content.len() + table.len(), BlockSize::PAGE);
        let file = [&content[..], &table, &block_table(&table, BlockSize::PAGE)].concat();
        let mut cursor = Cursor::new(Bytes::Whole(&file), 0, BLOCK, Some(&blocks));
        assert_eq!((cursor.short(Anything), cursor.position()), (Err(Anything), 0));
        assert_eq!(cursor.peek(), Ok(0x05));
        assert_eq!((cursor.short(Anything), cursor.position()), (Ok(Token::Unsigned(5)), 1));
    }
}
