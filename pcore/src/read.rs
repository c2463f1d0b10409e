//! §24.4 Reading: from the bytes of a file to its values.

mod builder;
mod detect;
mod json;
mod msgpack;
mod source;

pub(crate) use builder::{Observed, Observer, Parts};
pub(crate) use source::Source;

use crate::code::Code;
use crate::dialect::Dialect;
use crate::envelope::{Encoding, Envelope};
use crate::error::{PcoreError, PcoreErrorKind};
use crate::tape::{Entry, Stream, Tag};
use builder::Ignored;

impl<'a> Stream<'a> {
    /// Reads a file: a stream, with or without the envelope of §24.7.
    ///
    /// With `None`, the dialect is detected (§24.3). Costs one pass, and up to three where the
    /// dialects disagree.
    ///
    /// ```
    /// use coconut_pcore::{Dialect, Stream};
    ///
    /// // An array of a symbol and of the same symbol again.
    /// let stream = Stream::read(b"\xd4\x10\x02\xd5\x32\xa1x\xd4\x01\x01", None)?;
    /// assert_eq!((stream.len(), stream.shared()), (3, 1));
    /// assert_eq!(stream.dialect(), Dialect::Ruby54);
    /// # Ok::<(), coconut_pcore::PcoreError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The first fault of the stream, at the offset of its token. With `None`,
    /// [`Ambiguous`](PcoreErrorKind::Ambiguous) if the dialects give different values and nothing
    /// decides.
    pub fn read(file: &'a [u8], dialect: Option<Dialect>) -> Result<Stream<'a>, PcoreError> {
        let source = Source::of(file)?;
        match dialect {
            Some(dialect) => source.read(dialect, &mut Ignored).map(|(stream, _)| stream),
            None => detect::read(&source),
        }
    }
}

/// The result of a look at the beginning of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recognition {
    /// It is no stream. It may still be read as one, if it is named as such.
    Other,
    /// It is a stream: it has an envelope of Pcore, or begins with one of its extensions in
    /// msgpack, which no text does.
    Stream,
    /// It is JSON that may be a stream. [`is_json_stream`] decides.
    PerhapsJson,
}

/// §24.7 Whether a file is a stream, by its first bytes.
///
/// A stream of scalars without an extension and without an envelope is not recognised: its first
/// bytes may mean anything.
pub fn recognise(beginning: &[u8]) -> Recognition {
    let begins_with = |code: u8| Code::of(code.into()).is_some_and(|code| code >= Code::ArrayStart);
    let (code, may_be_text) = match *beginning {
        _ if Envelope::begins(beginning) => return Recognition::Stream,
        [0xd4..=0xd8, code, ..] => (code, false),
        [0xc7, length, code, ..] => (code, (0x80..0xc0).contains(&length)),
        [0xc8, length, _, code, ..] => (code, (0x80..0xc0).contains(&length)),
        [0xc9, length, _, _, _, code, ..] => (code, (0x80..0xc0).contains(&length)),
        _ => return recognise_json(beginning),
    };
    // The first bytes may also be a letter of UTF-8 and a digit.
    let is_text = may_be_text
        && match str::from_utf8(beginning) {
            Ok(_) => true,
            Err(error) => error.error_len().is_none(),
        };
    match begins_with(code) && !is_text {
        true => Recognition::Stream,
        false => Recognition::Other,
    }
}

/// A stream of JSON begins with a list that begins with a list that begins with a count.
fn recognise_json(beginning: &[u8]) -> Recognition {
    fn inner(text: &[u8]) -> Option<&[u8]> {
        text.trim_ascii_start().strip_prefix(b"[")
    }
    let rest = inner(beginning).and_then(inner);
    let is_start = rest.is_some_and(|rest| {
        let rest = rest.trim_ascii_start();
        matches!(rest, [b'1', b'6'..=b'9', b',' | b' ' | b'\t' | b'\r' | b'\n', ..])
    });
    if is_start { Recognition::PerhapsJson } else { Recognition::Other }
}

/// §24.7 Whether a text is a stream of JSON rather than ordinary JSON: it can be read as one, its
/// counts are those of the text, and it has an extension other than arrays and hashes.
///
/// Costs a pass over the text.
pub fn is_json_stream(text: &[u8]) -> bool {
    let is_extension =
        |entry: &Entry| entry.tag() > Tag::Bin && entry.tag() != Tag::Array && entry.tag() != Tag::Map;
    let has_extensions =
        |stream: Stream<'_>| stream.encoding() == Encoding::Json && stream.tape.iter().any(is_extension);
    match Stream::read(text, None) {
        Ok(stream) => has_extensions(stream),
        Err(error) => matches!(error.kind(), PcoreErrorKind::Ambiguous { .. }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_recognised_by_their_first_bytes() {
        let of = |bytes: &[u8]| recognise(bytes);
        assert_eq!(of(b"\xd4\x10\x02"), Recognition::Stream);
        assert_eq!(of(b"\xc7\x00\x20"), Recognition::Stream);
        assert_eq!(of(b"application/vnd.puppet.pcore+msgpack\n\n"), Recognition::Stream);
        assert_eq!(of(b"[ [17,1,1,[32]]]"), Recognition::PerhapsJson);
        for bytes in
            [&b""[..], b"\xd4\x00\x00", b"\xc0", b"\x93\x01", b"[[1]]", b"[[160]]", "Ǉ0 is text".as_bytes()]
        {
            assert_eq!(of(bytes), Recognition::Other, "{bytes:x?}");
        }
    }

    #[test]
    fn ordinary_json_is_no_stream() {
        assert!(is_json_stream(b"[[17,1,1,[32]]]"));
        for text in ["[[17,1,1,1]]", "[[16,1]]", "[[17,2,1,[32]]]", "[[16,1,[32,1]]]", "[[17,1,{}]]"] {
            assert!(!is_json_stream(text.as_bytes()), "{text}");
        }
    }
}
