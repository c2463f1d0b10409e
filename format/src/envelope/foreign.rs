//! §2.5 Recognised damage. Identifies files that are not Coconut documents, so that the message can
//! suggest a remedy.

use crate::error::{DecodeError, ErrorKind};

/// First bytes of the formats in which a document is often packed.
const COMPRESSED: [(&[u8], &str); 5] = [
    (b"\x1f\x8b", "gzip"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"PK\x03\x04", "zip"),
    (b"\xfd7zXZ\0", "xz"),
    (b"BZh", "bzip2"),
];

/// The magic of tar archives is at this place, after the name of a file.
const TAR: (usize, &[u8]) = (257, b"ustar");

/// UTF-8, and the two of UTF-16, which some shells put before redirected output.
const BYTE_ORDER_MARKS: [&[u8]; 3] = [b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff"];

const XPP_MEDIA_TYPE: &str = "application/vnd.puppet.pcore";

/// Whether the file begins with this media type, in any case, or is cut within it. A longer name
/// with the same beginning is another media type.
pub(super) fn begins_with_media_type(bytes: &[u8], media_type: &str) -> bool {
    let cut = media_type.len().min(bytes.len());
    let goes_on = bytes.get(cut).is_some_and(|&byte| byte != b'+' && super::is_token_byte(byte));
    let (start, begun) = (bytes.get(..cut), media_type.as_bytes().get(..cut));
    let begins = start.zip(begun).is_some_and(|(start, begun)| start.eq_ignore_ascii_case(begun));
    !bytes.is_empty() && begins && !goes_on
}

/// The error for a file that does not begin with the media type of the envelope.
#[cold]
pub(super) fn recognise(bytes: &[u8]) -> DecodeError {
    let kind = match bytes {
        [] => ErrorKind::Empty,
        _ if bytes.iter().take(8).all(|&byte| byte == 0) => ErrorKind::Zeroed,
        _ if BYTE_ORDER_MARKS.iter().any(|mark| bytes.starts_with(mark)) => ErrorKind::ByteOrderMark,
        _ => match COMPRESSED.iter().find(|(magic, _)| bytes.starts_with(magic)) {
            Some((_, format)) => ErrorKind::Compressed { format },
            None => recognise_content(bytes),
        },
    };
    kind.at(match kind {
        ErrorKind::NotAnEnvelope => first_difference(bytes, super::MEDIA_TYPE),
        ErrorKind::EnvelopeLimit { limit, .. } => limit,
        _ => 0,
    })
}

/// The error for a file that was treated as source text but certainly is not.
#[cold]
pub(super) fn recognise_no_text(bytes: &[u8], is_named_source: bool) -> Option<DecodeError> {
    if bytes.get(TAR.0..).is_some_and(|rest| rest.starts_with(TAR.1)) {
        return Some(ErrorKind::Compressed { format: "tar" }.at(0));
    }
    let error = recognise(bytes);
    let window = bytes.get(..super::ENVELOPE_LIMIT).unwrap_or(bytes);
    let is_sure = match error.kind() {
        ErrorKind::Empty => !is_named_source,
        ErrorKind::Zeroed => true,
        // All others begin with bytes that never occur in a text.
        ErrorKind::Compressed { format: "bzip2" } => is_bzip2(bytes),
        ErrorKind::Compressed { .. } => true,
        // Texts in Shift-JIS, which is not UTF-8, may begin like msgpack.
        ErrorKind::BareMsgpack => !(is_utf8(window) || is_named_source && has_no_controls(window)),
        ErrorKind::ForeignMediaType { .. } => {
            !is_named_source && is_envelope_of_a_vendor(window)
                || !is_utf8(window)
                || !has_no_controls(window)
        }
        ErrorKind::ByteOrderMark | ErrorKind::NotAnEnvelope | ErrorKind::EnvelopeLimit { .. } => {
            has_something_before_its_envelope(window)
        }
        _ => false,
    };
    is_sure.then_some(error)
}

/// Whether the file begins with the magic of bzip2, its level, and the mark of a block or of the
/// end. The file may have only the first half of that mark.
fn is_bzip2(bytes: &[u8]) -> bool {
    const MARKS: [&[u8]; 2] = [b"1AY&SY", b"\x17\x72\x45\x38\x50\x90"];
    let rest = bytes.strip_prefix(b"BZh").and_then(|rest| rest.split_first());
    rest.is_some_and(|(level, rest)| {
        let begins = |mark: &&[u8]| rest.starts_with(mark) || rest.len() >= 3 && mark.starts_with(rest);
        level.is_ascii_digit() && MARKS.iter().any(begins)
    })
}

/// Whether the first line begins with a media type, is not the key of a YAML mapping, and is
/// followed by a blank line.
fn is_envelope_of_a_vendor(window: &[u8]) -> bool {
    const VENDOR: &[u8] = b"application/vnd.";
    let end = window.iter().position(|&byte| byte == b'\n').unwrap_or(window.len());
    let (line, rest) = window.split_at_checked(end).unwrap_or_default();
    let begins = line.get(..VENDOR.len()).is_some_and(|start| start.eq_ignore_ascii_case(VENDOR));
    let has_blank_line = rest.starts_with(b"\n\n") || rest.starts_with(b"\n\r\n");
    begins && has_blank_line && !is_mapping(line.trim_ascii_end())
}

/// Whether all characters are valid. The last one may be cut by the window.
fn is_utf8(window: &[u8]) -> bool {
    str::from_utf8(window).map_or_else(|error| error.error_len().is_none(), |_| true)
}

fn has_no_controls(window: &[u8]) -> bool {
    window.iter().all(|&byte| byte >= b' ' || matches!(byte, b'\t' | b'\n' | b'\r'))
}

/// Whether a byte order mark or white space precedes the envelope, as editors and shells write it,
/// also in UTF-16.
fn has_something_before_its_envelope(window: &[u8]) -> bool {
    let mark = BYTE_ORDER_MARKS.iter().find(|mark| window.starts_with(mark));
    let rest = window.get(mark.map_or(0, |mark| mark.len())..).unwrap_or_default();
    let narrow: Vec<u8> = rest.iter().copied().filter(|&byte| byte != 0).collect();
    let beginning = narrow.trim_ascii_start();
    beginning.len() >= super::MEDIA_TYPE.len() && begins_with_media_type(beginning, super::MEDIA_TYPE)
}

fn recognise_content(bytes: &[u8]) -> ErrorKind {
    let window = bytes.get(..super::ENVELOPE_LIMIT).unwrap_or(bytes);
    let first_line = window.split(|&byte| byte == b'\n').next().unwrap_or_default();
    if is_msgpack_container(bytes) {
        ErrorKind::BareMsgpack
    } else if is_media_type(first_line) {
        let is_whole = first_line.len() >= XPP_MEDIA_TYPE.len();
        let is_xpp = is_whole && begins_with_media_type(first_line, XPP_MEDIA_TYPE);
        let known = if is_xpp { "an XPP file (Puppet Pcore)" } else { "a file of another media type" };
        ErrorKind::ForeignMediaType { known }
    } else if is_source_text(window) {
        ErrorKind::SourceText
    } else if first_line.len() == super::ENVELOPE_LIMIT {
        ErrorKind::EnvelopeLimit { what: "bytes of its envelope", limit: super::ENVELOPE_LIMIT as u64 }
    } else {
        ErrorKind::NotAnEnvelope
    }
}

/// Whether this is an array or a map, or the signature that belongs inside the array.
fn is_msgpack_container(bytes: &[u8]) -> bool {
    matches!(bytes, [0x80..=0x9f | 0xdc..=0xdf, ..] | [0xc4, 0x08, 0x89, ..])
}

/// Whether the line begins with `type/subtype`, and then ends or has a parameter.
fn is_media_type(line: &[u8]) -> bool {
    let mut names = line.split(|&byte| matches!(byte, b';' | b'\r' | b' ' | b'\t'));
    let name = names.next().unwrap_or_default();
    let mut halves = name.split(|&byte| byte == b'/');
    let is_token = |half: Option<&[u8]>| {
        half.is_some_and(|half| !half.is_empty() && half.iter().all(|&byte| super::is_token_byte(byte)))
    };
    is_token(halves.next()) && is_token(halves.next()) && halves.next().is_none()
}

/// Whether this is JSON, or looks like YAML in its first line that is not a comment.
fn is_source_text(window: &[u8]) -> bool {
    let mut lines = window.split(|&byte| byte == b'\n').map(without_white_space);
    let Some(line) = lines.find(|line| !line.is_empty() && !line.starts_with(b"#")) else { return false };
    let is_text = line.iter().all(|&byte| byte >= b' ' || byte == b'\t');
    let is_json = matches!(line, [b'{' | b'[' | b'"', ..]);
    let is_yaml = line.starts_with(b"---") || line.starts_with(b"%YAML") || line.starts_with(b"- ");
    is_text && (is_json || is_yaml || is_mapping(line))
}

/// The line without spaces, tabs and CR around it.
fn without_white_space(line: &[u8]) -> &[u8] {
    let is_text = |byte: &u8| !matches!(byte, b' ' | b'\t' | b'\r');
    let start = line.iter().position(is_text).unwrap_or(line.len());
    let end = line.iter().rposition(is_text).map_or(start, |last| last + 1);
    line.get(start..end).unwrap_or_default()
}

/// Whether the line may be the first entry of a YAML mapping, or its key.
fn is_mapping(line: &[u8]) -> bool {
    line.ends_with(b":") || line.windows(2).any(|pair| pair == b": ")
}

fn first_difference(bytes: &[u8], media_type: &str) -> u64 {
    let same = bytes.iter().zip(media_type.as_bytes()).take_while(|(a, b)| a.eq_ignore_ascii_case(b));
    same.count() as u64
}
