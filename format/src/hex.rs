//! Hexadecimal digits, the notation of digests.

use std::fmt;

/// Bytes, shown as two digits each, in lower case.
#[derive(Clone, Copy, Debug)]
pub struct Hex<'b>(pub &'b [u8]);

impl fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// The `N` bytes written in `text`, in upper or lower case.
pub fn parse<const N: usize>(text: &str) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    if pairs.len() != N || !rest.is_empty() {
        return None;
    }
    for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
        *byte = digit(*high)? << 4 | digit(*low)?;
    }
    Some(bytes)
}

fn digit(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_shown_in_lower_case_and_read_back() {
        assert_eq!(Hex(&[0x0f, 0xa0, 0xff]).to_string(), "0fa0ff");
        assert_eq!(Hex(&[]).to_string(), "");
        assert_eq!(parse("0fA0ff"), Some([0x0f, 0xa0, 0xff]));
        assert_eq!(parse(""), Some([]));
    }

    #[test]
    fn other_lengths_and_other_characters_are_refused() {
        for text in ["", "0", "0f0", "0f0f0", "0g", "g0", "+f", " f", "é"] {
            assert_eq!(parse::<1>(text), None, "{text}");
        }
    }
}
