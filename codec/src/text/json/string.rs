//! The inside of a JSON string: the scan to its end, and the escapes.

use super::fault::{JsonFault, Shown};

/// A fault at a byte offset.
pub(super) type At = (JsonFault, usize);

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGH_BITS: u64 = ONES << 7;

/// The first byte from `from` on that cannot denote itself in a string: `"`, `\` or a control
/// character.
///
/// Returns the length of the text if there is none. Compares eight bytes at a time.
#[inline]
pub(super) fn end_of_run(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    while let Some(chunk) = bytes.get(at..).and_then(<[u8]>::first_chunk::<8>) {
        if let Some(hit) = first_special(u64::from_le_bytes(*chunk)) {
            return at + hit;
        }
        at += 8;
    }
    if let (Some(chunk), true) = (bytes.last_chunk::<8>(), at < bytes.len()) {
        // The last eight bytes once more; those before `at` are replaced by bytes that never match.
        let before = bytes.len() - 8;
        let passed = (1 << (8 * (at - before))) - 1;
        return first_special(u64::from_le_bytes(*chunk) | passed).map_or(bytes.len(), |hit| before + hit);
    }
    while at < bytes.len() && !matches!(bytes[at], b'"' | b'\\' | 0..0x20) {
        at += 1;
    }
    at
}

/// The first of eight bytes, in little-endian order, that is `"`, `\` or a control character.
#[inline]
fn first_special(word: u64) -> Option<usize> {
    // A byte below n borrows in `byte - n` and so sets its high bit. Bytes with the high bit set
    // from the start are masked out. Swapping bit 1 maps `"` to 0x20 and keeps controls below it,
    // so one test finds both. Only bits above the lowest hit can be wrong.
    let quote_or_control = (word ^ (ONES * 0x02)).wrapping_sub(ONES * 0x21);
    let backslash = (word ^ (ONES * 0x5C)).wrapping_sub(ONES);
    let hits = (quote_or_control | backslash) & !word & HIGH_BITS;
    (hits != 0).then(|| (hits.trailing_zeros() / 8) as usize)
}

/// Reads the rest of a string with escapes into `buffer`, which holds the text before the backslash
/// at `at`.
///
/// Returns the offset of the closing quote.
pub(super) fn read_escaped(text: &str, mut at: usize, buffer: &mut String) -> Result<usize, At> {
    let bytes = text.as_bytes();
    loop {
        match bytes.get(at) {
            Some(b'"') => return Ok(at),
            Some(b'\\') => at = read_escape(text, at, buffer)?,
            _ => return Err(bad_end_of_run(text, at)),
        }
        let run = at;
        at = end_of_run(bytes, run);
        buffer.push_str(&text[run..at]);
    }
}

/// The fault at the end of a run of characters without quote or backslash.
#[cold]
pub(super) fn bad_end_of_run(text: &str, at: usize) -> At {
    match text.as_bytes().get(at) {
        None | Some(b'\n' | b'\r') => (JsonFault::UnclosedString, at),
        Some(&control) => {
            let escape = match control {
                b'\t' => "\\t".into(),
                _ => format!("\\u{control:04x}"),
            };
            (JsonFault::ControlCharacter { escape: escape.into() }, at)
        }
    }
}

/// Decodes the escape at `at` (its backslash). Returns the offset after it.
fn read_escape(text: &str, at: usize, buffer: &mut String) -> Result<usize, At> {
    let decoded = match text.as_bytes().get(at + 1) {
        Some(b'"') => '"',
        Some(b'\\') => '\\',
        Some(b'/') => '/',
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{C}',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(b'u') => return read_unicode_escape(text, at, buffer),
        None => return Err((JsonFault::UnclosedString, at + 1)),
        Some(_) => {
            let found =
                text[at + 1..].chars().next().expect("there is a byte, and a backslash is a whole character");
            return Err((JsonFault::Escape { found: Shown(found) }, at + 1));
        }
    };
    buffer.push(decoded);
    Ok(at + 2)
}

fn read_unicode_escape(text: &str, at: usize, buffer: &mut String) -> Result<usize, At> {
    let unit = hex_unit(text, at + 2)?;
    let (code_point, end) = match unit {
        0xD800..0xDC00 => {
            if !text.as_bytes()[at + 6..].starts_with(b"\\u") {
                return Err((JsonFault::LoneSurrogate, at));
            }
            let low = hex_unit(text, at + 8)?;
            if !(0xDC00..0xE000).contains(&low) {
                return Err((JsonFault::LoneSurrogate, at));
            }
            (0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00), at + 12)
        }
        _ => (unit, at + 6),
    };
    // A low surrogate without its high half is not a scalar value.
    buffer.push(char::from_u32(code_point).ok_or((JsonFault::LoneSurrogate, at))?);
    Ok(end)
}

fn hex_unit(text: &str, at: usize) -> Result<u32, At> {
    let mut unit = 0;
    for place in at..at + 4 {
        let digit = match text.as_bytes().get(place) {
            Some(byte) => char::from(*byte).to_digit(16),
            None => return Err((JsonFault::UnclosedString, place)),
        };
        unit = unit << 4 | digit.ok_or((JsonFault::ShortEscape, place))?;
    }
    Ok(unit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_run_ends_where_a_scan_byte_by_byte_ends(bytes in prop::collection::vec(any::<u8>(), 0..40), from in 0usize..40) {
            let from = from.min(bytes.len());
            let slow = bytes[from..].iter().position(|b| matches!(b, b'"' | b'\\' | 0..0x20));
            prop_assert_eq!(end_of_run(&bytes, from), slow.map_or(bytes.len(), |n| from + n));
        }

        #[test]
        fn a_run_passes_over_text(text in "[ !#-\\[\\]-~\u{80}-\u{10ffff}]{0,40}", end in prop::sample::select(b"\"\\\x1f\x00".to_vec())) {
            let mut bytes = text.into_bytes();
            let expected = bytes.len();
            bytes.push(end);
            bytes.extend_from_slice(b"\"tail\\");
            prop_assert_eq!(end_of_run(&bytes, 0), expected);
        }
    }
}
