//! §3.2 Writing: always the shortest form.

use super::cursor::Token;
use super::marker as m;
use crate::replay::copy_short;
use coconut_format::Integer;

/// Writes `nil`.
pub fn put_nil(out: &mut Vec<u8>) {
    out.push(m::NIL);
}

/// Writes `true` or `false`.
pub fn put_bool(out: &mut Vec<u8>, value: bool) {
    out.push(if value { m::TRUE } else { m::FALSE });
}

/// Writes a float of 64 bits.
pub fn put_float(out: &mut Vec<u8>, value: f64) {
    out.push(m::FLOAT_64);
    out.extend_from_slice(&value.to_be_bytes());
}

/// Writes a non-negative number as an integer of msgpack.
pub(crate) fn put_unsigned(out: &mut Vec<u8>, n: u64) {
    if let Ok(n) = u8::try_from(n) {
        if n <= m::POSITIVE_FIXINT_MAX {
            out.push(n);
        } else {
            out.extend_from_slice(&[m::UINT_8, n]);
        }
    } else if let Ok(n) = u16::try_from(n) {
        out.push(m::UINT_16);
        out.extend_from_slice(&n.to_be_bytes());
    } else if let Ok(n) = u32::try_from(n) {
        out.push(m::UINT_32);
        out.extend_from_slice(&n.to_be_bytes());
    } else {
        out.push(m::UINT_64);
        out.extend_from_slice(&n.to_be_bytes());
    }
}

/// Writes a negative number as an integer of msgpack.
pub(crate) fn put_negative(out: &mut Vec<u8>, n: i64) {
    if let Ok(n) = i8::try_from(n) {
        if n < -32 {
            out.push(m::INT_8);
        }
        out.extend_from_slice(&n.to_be_bytes());
    } else if let Ok(n) = i16::try_from(n) {
        out.push(m::INT_16);
        out.extend_from_slice(&n.to_be_bytes());
    } else if let Ok(n) = i32::try_from(n) {
        out.push(m::INT_32);
        out.extend_from_slice(&n.to_be_bytes());
    } else {
        out.push(m::INT_64);
        out.extend_from_slice(&n.to_be_bytes());
    }
}

/// Writes an integer as one of msgpack, in integer slots and in profile `plain`. An integer has no
/// other meaning there.
pub fn put_plain_integer(out: &mut Vec<u8>, value: Integer) {
    match (value.as_u64(), value.as_i64()) {
        (Some(n), _) => put_unsigned(out, n),
        (None, Some(n)) => put_negative(out, n),
        (None, None) => unreachable!("an integer is in the range of i64 or of u64"),
    }
}

/// Writes a string with its header. `text` must be shorter than 2^32 bytes, which the string limit
/// ensures (§9).
pub(crate) fn put_str(out: &mut Vec<u8>, text: &str) {
    put_str_bytes(out, text.as_bytes());
}

/// Writes the bytes of a text with a header. `text` must be shorter than 2^32 bytes.
#[inline]
pub fn put_str_bytes(out: &mut Vec<u8>, text: &[u8]) {
    let length = text.len();
    if let Ok(n) = u8::try_from(length) {
        if n < 32 {
            out.push(m::FIXSTR | n);
        } else {
            out.extend_from_slice(&[m::STR_8, n]);
        }
    } else if let Ok(n) = u16::try_from(length) {
        out.push(m::STR_16);
        out.extend_from_slice(&n.to_be_bytes());
    } else {
        out.push(m::STR_32);
        out.extend_from_slice(&len_32(length).to_be_bytes());
    }
    out.extend_from_slice(text);
}

/// Does the same for a text of `length` bytes (less than 32) after the first byte of `window`. That
/// byte becomes the header. Writing the values of a graph takes a tenth fewer instructions.
#[inline]
pub(crate) fn put_short_str(out: &mut Vec<u8>, length: usize, window: &[u8; SHORT_STR]) {
    let at = out.len();
    copy_short(out, window, length.saturating_add(1));
    if let (Some(header), Ok(length)) = (out.get_mut(at), u8::try_from(length)) {
        *header = m::FIXSTR | length;
    }
}

/// Strings of this length or more are not short: the length does not fit in the marker.
pub(crate) const SHORT_STR: usize = 32;

/// Writes a byte string of less than 2^32 bytes with its header.
pub fn put_bin(out: &mut Vec<u8>, bytes: &[u8]) {
    if let Ok(n) = u8::try_from(bytes.len()) {
        out.extend_from_slice(&[m::BIN_8, n]);
    } else if let Ok(n) = u16::try_from(bytes.len()) {
        out.push(m::BIN_16);
        out.extend_from_slice(&n.to_be_bytes());
    } else {
        out.push(m::BIN_32);
        out.extend_from_slice(&len_32(bytes.len()).to_be_bytes());
    }
    out.extend_from_slice(bytes);
}

/// Writes the header of an array of less than 2^32 items.
pub fn put_array_header(out: &mut Vec<u8>, count: usize) {
    put_container_header(out, count, m::FIXARRAY, m::ARRAY_16, m::ARRAY_32);
}

/// Writes the header of a map of less than 2^32 entries.
pub fn put_map_header(out: &mut Vec<u8>, count: usize) {
    put_container_header(out, count, m::FIXMAP, m::MAP_16, m::MAP_32);
}

#[inline]
fn put_container_header(out: &mut Vec<u8>, count: usize, fix: u8, wide_16: u8, wide_32: u8) {
    match u16::try_from(count) {
        Ok(n) => match u8::try_from(n) {
            Ok(n) if n < 16 => out.push(fix | n),
            _ => {
                out.push(wide_16);
                out.extend_from_slice(&n.to_be_bytes());
            }
        },
        Err(_) => {
            out.push(wide_32);
            out.extend_from_slice(&len_32(count).to_be_bytes());
        }
    }
}

fn len_32(length: usize) -> u32 {
    u32::try_from(length).expect("the writer's limits keep every length below 2^32")
}

/// Length of a string of `length` bytes in the file, including its header.
pub(crate) fn str_len(length: usize) -> usize {
    let header = match length {
        0..=31 => 1,
        32..=0xff => 2,
        0x100..=0xffff => 3,
        _ => 5,
    };
    length.saturating_add(header)
}

/// Length of the shortest form of a token: header and body, without the items of containers.
pub(crate) fn shortest_length(token: &Token<'_>) -> usize {
    let body = |length: usize, short: usize| {
        let header = match length {
            _ if length <= short => 1,
            0..=0xff => 2,
            0x100..=0xffff => 3,
            _ => 5,
        };
        length.saturating_add(header)
    };
    match token {
        Token::Nil | Token::Bool(_) => 1,
        Token::Unsigned(n) => unsigned_length(*n),
        Token::Negative(n) => match n {
            -32..=-1 => 1,
            -0x80..=-33 => 2,
            -0x8000..=-0x81 => 3,
            -0x8000_0000..=-0x8001 => 5,
            _ => 9,
        },
        Token::Float(_) => 9,
        Token::Str(bytes) => body(bytes.len(), 31),
        // No short form: a header of at least two bytes.
        Token::Bin(bytes) => match bytes.len() {
            0 => 2,
            length => body(length, 0),
        },
        Token::Array(count) | Token::Map(count) => match count {
            0..=15 => 1,
            16..=0xffff => 3,
            _ => 5,
        },
        Token::Ext(_, bytes) | Token::OtherExt(_, bytes) => match bytes.len() {
            1 | 2 | 4 | 8 | 16 => bytes.len().saturating_add(2),
            length => body(length, 0).saturating_add(1),
        },
    }
}

fn unsigned_length(n: u64) -> usize {
    match n {
        0..=0x7f => 1,
        0x80..=0xff => 2,
        0x100..=0xffff => 3,
        0x1_0000..=0xffff_ffff => 5,
        _ => 9,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes_of(put: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
        let mut out = Vec::new();
        put(&mut out);
        out
    }

    #[test]
    fn unsigned_numbers_take_the_shortest_form() {
        assert_eq!(bytes_of(|o| put_unsigned(o, 0x7f)), [0x7f]);
        assert_eq!(bytes_of(|o| put_unsigned(o, 0x80)), [0xcc, 0x80]);
        assert_eq!(bytes_of(|o| put_unsigned(o, 0x100)), [0xcd, 1, 0]);
        assert_eq!(bytes_of(|o| put_unsigned(o, 0x1_0000)), [0xce, 0, 1, 0, 0]);
        assert_eq!(bytes_of(|o| put_unsigned(o, 1 << 32)), [0xcf, 0, 0, 0, 1, 0, 0, 0, 0]);
    }

    #[test]
    fn lengths_agree_with_what_is_written() {
        for n in [0, 31, 32, 255, 256, 65535, 65536] {
            let text = "x".repeat(n);
            assert_eq!(bytes_of(|o| put_str(o, &text)).len(), str_len(n), "{n}");
        }
    }
}
