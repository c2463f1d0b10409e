//! Checks that a source text is UTF-8, and finds the first byte that is not.

use super::error::{SourceError, SourceErrorKind};

/// Returns the text if all of it is UTF-8.
///
/// # Errors
///
/// [`SourceErrorKind::Utf8`] at the first byte that does not begin a valid sequence.
pub(super) fn check(text: &[u8]) -> Result<&str, SourceError> {
    simdutf8::basic::from_utf8(text).map_err(|_| explain(text))
}

#[cold]
fn explain(text: &[u8]) -> SourceError {
    let valid = match std::str::from_utf8(text) {
        Ok(_) => text.len(),
        Err(error) => error.valid_up_to(),
    };
    let fault = match text {
        // Checked before UTF-16, since one of its byte order marks begins in the same way.
        [0xFF, 0xFE, 0, 0, ..] | [0, 0, 0xFE, 0xFF, ..] => "it is UTF-32",
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => "it is UTF-16",
        _ => sequence_fault(&text[valid..]),
    };
    SourceError::new(SourceErrorKind::Utf8 { fault }, text, valid)
}

/// The rule violated by the first sequence of `rest` (RFC 3629 §3).
fn sequence_fault(rest: &[u8]) -> &'static str {
    let continues = |index: usize, range: std::ops::RangeInclusive<u8>| {
        rest.get(index).is_some_and(|byte| range.contains(byte))
    };
    match rest.first() {
        Some(0x80..=0xBF) => "a continuation byte without a first byte",
        Some(0xC0 | 0xC1) => "an overlong form",
        Some(0xE0) if continues(1, 0x80..=0x9F) => "an overlong form",
        Some(0xF0) if continues(1, 0x80..=0x8F) => "an overlong form",
        Some(0xED) if continues(1, 0xA0..=0xBF) => "a surrogate",
        Some(0xF4) if continues(1, 0x90..=0xBF) => "beyond U+10FFFF",
        Some(0xF5..=0xFF) => "a byte that never occurs",
        _ => "an incomplete sequence",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_the_fault_and_the_first_bad_byte() {
        let cases: [(&[u8], &str, u64); 13] = [
            (b"ab\x80", "a continuation byte without a first byte", 2),
            (b"\xC0\xAF", "an overlong form", 0),
            (b"a\xE0\x80\x80", "an overlong form", 1),
            (b"\xF0\x80\x80\x80", "an overlong form", 0),
            (b"\xED\xA0\x80", "a surrogate", 0),
            (b"\xF4\x90\x80\x80", "beyond U+10FFFF", 0),
            (b"abc\xFF", "a byte that never occurs", 3),
            (b"\xC3(", "an incomplete sequence", 0),
            (b"\xE2\x82", "an incomplete sequence", 0),
            (b"\xFF\xFE{\0", "it is UTF-16", 0),
            (b"\xFE\xFF\0{", "it is UTF-16", 0),
            (b"\xFF\xFE\0\0{\0\0\0", "it is UTF-32", 0),
            (b"\0\0\xFE\xFF\0\0\0{", "it is UTF-32", 2),
        ];
        for (text, fault, offset) in cases {
            let error = check(text).unwrap_err();
            assert_eq!(
                (error.kind(), error.at().offset),
                (&SourceErrorKind::Utf8 { fault }, offset),
                "{text:x?}"
            );
        }
    }
}
