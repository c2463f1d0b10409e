//! §5.2 Signature. Eight bytes that do not survive the text conversions of mail, FTP, git and
//! editors.
//!
//! ```text
//! c4 08   89      43 43   0d 0a   1a        0a       00
//! bin 8   8th bit  C  C   CR LF   text end  lone LF  NUL: git and `file` see binary
//! ```
//!
//! It is the first element of the payload's array. After such a conversion the file may still be
//! valid msgpack, in which a 10 became a 13. The reader reports the kind of conversion.

use crate::error::{DecodeError, ErrorKind};

/// The signature as stored in a file: a msgpack `bin 8` of [`MAGIC`].
pub const SIGNATURE: [u8; 10] = *b"\xc4\x08\x89CC\r\n\x1a\n\0";

/// The bytes of the signature.
pub const MAGIC: [u8; 8] = *b"\x89CC\r\n\x1a\n\0";

/// The results of text conversions on [`MAGIC`], up to the point where they are recognisable.
///
/// Removing every CR has the same result as converting CR LF to LF, so both have the same name.
const CONVERSIONS: [(&[u8], &str); 11] = [
    (b"\x89CC\r\r\n", "LF became CR LF"),
    (b"\x89CC\r\n\x1a\r\n", "LF became CR LF"),
    (b"\x89CC\n\x1a", "CR LF became LF"),
    (b"\x89CC\n\n", "CR became LF"),
    (b"\x89CC\r\r\x1a", "LF became CR"),
    (b"\x89CC\r\x1a", "CR LF and LF became CR"),
    (b"\x89CC\r\n\x1a\n", "NUL was removed"),
    (b"\x09CC", "the eighth bit was removed"),
    (b"\xef\xbf\xbdCC", "bytes that are not UTF-8 were replaced"),
    (b"\xc2\x89CC", "each byte was taken for a Latin-1 character"),
    (b"\xe2\x80\xb0CC", "each byte was taken for a Windows-1252 character"),
];

/// The number of places after the envelope where a damaged signature may begin: conversions
/// lengthen the array head before it.
const PLACES: usize = 25;

/// Checks the signature in `payload`, which begins at `offset` in the file. The head of the
/// payload's array, of `head` bytes, precedes it. If that head is invalid, [`conversion_in`] may
/// find the reason.
///
/// # Errors
///
/// [`ErrorKind::Short`] if the file ends within the signature: at its body, if that has begun.
/// [`ErrorKind::TextConversion`] or [`ErrorKind::BadSignature`] at the first byte that differs.
pub fn check_signature(payload: &[u8], head: usize, offset: u64) -> Result<(), DecodeError> {
    if payload.get(head..).unwrap_or_default().starts_with(&SIGNATURE) {
        return Ok(());
    }
    Err(name_damage(payload, head, offset))
}

#[cold]
fn name_damage(payload: &[u8], head: usize, start: u64) -> DecodeError {
    // The head itself may be truncated.
    let head = head.min(payload.len());
    let (bytes, offset) = (payload.get(head..).unwrap_or_default(), start + head as u64);
    if bytes.len() < SIGNATURE.len() {
        // §3.3: at the first required item that is incomplete; for the body, after its header.
        let header = bytes.len().min(2);
        let (needed, available) = ((SIGNATURE.len() - header) as u64, (bytes.len() - header) as u64);
        return ErrorKind::Short { needed, available }.at(offset + header as u64);
    }
    let differs = ErrorKind::BadSignature.at(offset + same_bytes(bytes, &SIGNATURE) as u64);
    conversion_in(payload, start).unwrap_or(differs)
}

/// The text conversion that has changed the signature near the start of `bytes`, which begin at
/// `offset` in the file: [`ErrorKind::TextConversion`].
pub fn conversion_in(bytes: &[u8], offset: u64) -> Option<DecodeError> {
    (0..PLACES.min(bytes.len())).find_map(|start| {
        let rest = bytes.get(start..).unwrap_or_default();
        let damage = conversion(rest)?;
        let place = start + same_bytes(rest, &MAGIC);
        Some(ErrorKind::TextConversion { damage }.at(offset + place as u64))
    })
}

fn conversion(bytes: &[u8]) -> Option<&'static str> {
    // An intact magic after a damaged marker begins like one that lost its NUL.
    if bytes.starts_with(&MAGIC) {
        return None;
    }
    CONVERSIONS.iter().find(|(damaged, _)| bytes.starts_with(damaged)).map(|(_, damage)| *damage)
}

fn same_bytes(bytes: &[u8], expected: &[u8]) -> usize {
    bytes.iter().zip(expected).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    const OFFSET: u64 = 69;

    /// The start of a payload from its signature on, followed by a map of one key.
    const WHOLE: &[u8] = b"\xc4\x08\x89CC\r\n\x1a\n\0\x81\xa1k\x0a";

    fn damage(bytes: &[u8]) -> (ErrorKind, u64) {
        let error = check_signature(bytes, 0, OFFSET).expect_err("a damaged signature must be refused");
        (error.kind(), error.offset() - OFFSET)
    }

    fn converted(damage: &'static str, place: u64) -> (ErrorKind, u64) {
        (ErrorKind::TextConversion { damage }, place)
    }

    /// `WHOLE` with every `from` replaced by `to`, as a converter does.
    fn replaced(from: &[u8], to: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        let mut rest = WHOLE;
        while let [first, tail @ ..] = rest {
            if let Some(after) = rest.strip_prefix(from) {
                out.extend_from_slice(to);
                rest = after;
            } else {
                out.push(*first);
                rest = tail;
            }
        }
        out
    }

    #[test]
    fn the_magic_is_the_content_of_the_signature() {
        assert_eq!(SIGNATURE, [0xc4, 0x08, 0x89, 0x43, 0x43, 0x0d, 0x0a, 0x1a, 0x0a, 0x00]);
        assert_eq!(SIGNATURE[2..], MAGIC);
    }

    #[test]
    fn accepts_the_signature_and_the_bytes_after_it() {
        assert_eq!(check_signature(WHOLE, 0, OFFSET), Ok(()));
        assert_eq!(check_signature(&[b"\x97", WHOLE].concat(), 1, OFFSET), Ok(()));
        assert_eq!(check_signature(&SIGNATURE, 0, OFFSET), Ok(()));
    }

    #[test]
    fn says_how_much_of_a_cut_signature_is_there() {
        for length in 0..SIGNATURE.len() {
            let header = (length as u64).min(2);
            let expected = ErrorKind::Short { needed: 10 - header, available: length as u64 - header };
            assert_eq!(damage(&SIGNATURE[..length]), (expected, header));
            // It cannot be determined whether this was the signature.
            assert_eq!(damage(&b"\xc4\x08PNG\r\n\x1a\n\0"[..length]), (expected, header));
        }
    }

    #[test]
    fn names_lf_to_crlf_of_a_plain_converter() {
        assert_eq!(damage(&replaced(b"\n", b"\r\n")), converted("LF became CR LF", 6));
    }

    #[test]
    fn names_lf_to_crlf_of_git_which_spares_crlf() {
        let bytes = b"\xc4\x08\x89CC\r\n\x1a\r\n\0\x81";
        assert_eq!(damage(bytes), converted("LF became CR LF", 8));
    }

    #[test]
    fn names_crlf_to_lf() {
        assert_eq!(damage(&replaced(b"\r\n", b"\n")), converted("CR LF became LF", 5));
    }

    #[test]
    fn names_removed_carriage_returns_as_crlf_to_lf() {
        assert_eq!(damage(&replaced(b"\r", b"")), converted("CR LF became LF", 5));
    }

    #[test]
    fn names_cr_to_lf() {
        assert_eq!(damage(&replaced(b"\r", b"\n")), converted("CR became LF", 5));
    }

    #[test]
    fn names_lf_to_cr() {
        assert_eq!(damage(&replaced(b"\n", b"\r")), converted("LF became CR", 6));
    }

    #[test]
    fn names_all_line_ends_to_cr() {
        let bytes = b"\xc4\x08\x89CC\r\x1a\r\0\x81";
        assert_eq!(damage(bytes), converted("CR LF and LF became CR", 6));
    }

    #[test]
    fn names_a_removed_eighth_bit() {
        let bytes: Vec<u8> = WHOLE.iter().map(|byte| byte & 0x7f).collect();
        assert_eq!(damage(&bytes), converted("the eighth bit was removed", 2));
    }

    #[test]
    fn names_a_removed_nul() {
        assert_eq!(damage(&replaced(b"\0", b"")), converted("NUL was removed", 9));
    }

    #[test]
    fn names_replacement_characters() {
        let bytes = String::from_utf8_lossy(WHOLE).into_owned().into_bytes();
        // U+FFFD for the bin marker, 08, then U+FFFD for the 89.
        assert_eq!(damage(&bytes), converted("bytes that are not UTF-8 were replaced", 4));
    }

    #[test]
    fn names_bytes_taken_for_latin_1() {
        let bytes = WHOLE.iter().map(|&byte| char::from(byte)).collect::<String>().into_bytes();
        assert_eq!(damage(&bytes), converted("each byte was taken for a Latin-1 character", 3));
    }

    #[test]
    fn names_bytes_taken_for_windows_1252() {
        let bytes = "\u{c4}\u{8}\u{2030}CC\r\n\u{1a}\n\0".as_bytes();
        assert_eq!(damage(bytes), converted("each byte was taken for a Windows-1252 character", 3));
    }

    #[test]
    fn names_the_conversion_after_a_changed_array_head_too() {
        // An array head of 0x95 without its eighth bit.
        let stripped: Vec<u8> = [&[0x95], WHOLE].concat().iter().map(|byte| byte & 0x7f).collect();
        let error = conversion_in(&stripped, OFFSET).expect("a text conversion");
        assert_eq!((error.kind(), error.offset() - OFFSET), converted("the eighth bit was removed", 3));
        assert_eq!(conversion_in(WHOLE, OFFSET), None);
    }

    #[test]
    fn refuses_other_bytes_where_they_differ() {
        assert_eq!(damage(b"\x93\x01\x02\x03\x04\x05\x06\x07\x08\x09"), (ErrorKind::BadSignature, 0));
        assert_eq!(damage(b"\xc4\x08\x89PNG\r\n\x1a\n"), (ErrorKind::BadSignature, 3));
    }

    #[test]
    fn refuses_every_flipped_bit() {
        for bit in 0..SIGNATURE.len() * 8 {
            let mut bytes = SIGNATURE;
            bytes[bit / 8] ^= 1 << (bit % 8);
            let (_, place) = damage(&bytes);
            assert_eq!(place, (bit / 8) as u64, "bit {bit}");
        }
    }
}
