//! §2.4 Encoding `+json`: an envelope, then source text.

use super::json::{self, JsonOptions};
use super::{Lint, RefuseDuplicateKeys, SourceError};
use crate::bounded_debug::bounded_debug;
use crate::event::EventSink;
use coconut_format::envelope::EnvelopeView;
use coconut_format::error::{DecodeError, ErrorKind};
use coconut_format::hex;
use sha2::{Digest, Sha256};
use std::fmt;

/// A file with encoding `+json`: an envelope and JSON text, borrowed.
///
/// Unlike a [`DocumentFile`](crate::read::file::DocumentFile), it has no index and no block
/// checksums.
#[derive(Clone)]
pub struct EnvelopedSource<'a> {
    envelope: EnvelopeView<'a>,
    /// The lines of the envelope.
    head: &'a [u8],
    text: &'a [u8],
}

bounded_debug!(EnvelopedSource<'_>, |source| bytes: source.text().len());

/// A fault of a file in encoding `+json`. Offsets, lines and columns count from the start of the
/// file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum EnvelopedError {
    /// The envelope, or the digest in it.
    Envelope(DecodeError),
    /// The text.
    Source(SourceError),
}

impl<'a> EnvelopedSource<'a> {
    /// Level *open* (§10.1): reads only the envelope. [`read`](Self::read) reads the text.
    pub fn open(bytes: &'a [u8]) -> Result<EnvelopedSource<'a>, DecodeError> {
        let envelope = EnvelopeView::parse(bytes)?;
        let (head, text) = bytes.split_at(envelope.length().min(bytes.len()));
        Ok(EnvelopedSource { envelope, head, text })
    }

    /// The envelope.
    pub fn envelope(&self) -> &EnvelopeView<'a> {
        &self.envelope
    }

    /// The text, unchanged.
    pub fn text(&self) -> &'a [u8] {
        self.text
    }

    /// Level *decode*: pushes the document into `sink` and returns the sink.
    ///
    /// The sink need not check for duplicate keys. Costs a pass over the text.
    pub fn read<S: EventSink>(&self, sink: S) -> Result<(S, Vec<Lint>), EnvelopedError> {
        let mut guarded = RefuseDuplicateKeys::new(sink);
        let lints = self.push(&mut guarded).map_err(EnvelopedError::Source)?;
        Ok((guarded.into_inner(), lints))
    }

    /// Pushes the text into a sink that checks for duplicate keys itself.
    pub(crate) fn push<S: EventSink>(&self, sink: &mut S) -> Result<Vec<Lint>, SourceError> {
        // The file begins with the envelope, so a byte order mark here is not at its start.
        json::read(self.text, sink, &JsonOptions { byte_order_mark: false, ..JsonOptions::default() })
            .map_err(|error| error.after(self.head))
    }

    /// The addition of level *verify*: compares the digest in the envelope with that of the text.
    ///
    /// `None` if the envelope has no digest; the text is then not protected.
    pub fn check_digest(&self) -> Result<Option<[u8; 32]>, DecodeError> {
        let Some(parameter) = self.envelope.parameters().find(|parameter| parameter.is("digest")) else {
            return Ok(None);
        };
        let refused = |kind: ErrorKind| kind.at(parameter.value_offset());
        let expected = sha_256(&parameter.value()).ok_or_else(|| refused(ErrorKind::ParameterSyntax))?;
        let found: [u8; 32] = Sha256::digest(self.text).into();
        match found == expected {
            true => Ok(Some(found)),
            false => Err(refused(ErrorKind::DigestDiffers)),
        }
    }
}

/// §2.2 `sha-256:` and 64 hexadecimal digits.
fn sha_256(value: &str) -> Option<[u8; 32]> {
    let (name, digits) = value.split_once(':')?;
    hex::parse(digits).filter(|_| name.eq_ignore_ascii_case("sha-256"))
}

impl From<DecodeError> for EnvelopedError {
    fn from(error: DecodeError) -> EnvelopedError {
        EnvelopedError::Envelope(error)
    }
}

impl EnvelopedError {
    /// The stable code of the kind.
    pub fn code(&self) -> &'static str {
        match self {
            EnvelopedError::Envelope(error) => error.kind().code(),
            EnvelopedError::Source(error) => error.code(),
        }
    }

    /// The byte offset in the file.
    pub fn offset(&self) -> u64 {
        match self {
            EnvelopedError::Envelope(error) => error.offset(),
            EnvelopedError::Source(error) => error.at().offset,
        }
    }
}

coconut_format::explained!(EnvelopedError);

/// Shows the inner error's message, so [`source`](std::error::Error::source) does not return it
/// again.
impl fmt::Display for EnvelopedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EnvelopedError::Envelope(error) => error.fmt(f),
            EnvelopedError::Source(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for EnvelopedError {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::ValueSink;
    use coconut_format::Value;

    const ENVELOPE: &str = "application/vnd.coconut+json; document-type=document; version=1";

    #[test]
    fn reads_the_text_after_the_envelope() {
        let file = format!("{ENVELOPE}\n\n[true]");
        let source = EnvelopedSource::open(file.as_bytes()).unwrap();
        let (sink, _) = source.read(ValueSink::new()).unwrap();
        assert_eq!(sink.finish().unwrap(), Value::List(vec![Value::Bool(true)]));
        assert_eq!(source.check_digest(), Ok(None));
    }

    #[test]
    fn counts_offsets_from_the_first_byte_of_the_file() {
        let start = ENVELOPE.len() as u64 + 2;
        for (text, offset, place) in
            [("[1, yes]", 4, "line 3, column 5"), ("[\n1, yes]", 5, "line 4, column 4")]
        {
            let file = format!("{ENVELOPE}\n\n{text}");
            let source = EnvelopedSource::open(file.as_bytes()).unwrap();
            let error = source.read(ValueSink::new()).unwrap_err();
            assert_eq!((error.code(), error.offset()), ("SRC-JSON", start + offset));
            assert!(error.to_string().contains(place), "{error}");
        }
        let file = format!("{ENVELOPE}\n\n{{\"a\":1,\n\"a\":2}}");
        let error = EnvelopedSource::open(file.as_bytes()).unwrap().read(ValueSink::new()).unwrap_err();
        let EnvelopedError::Source(error) = error else { panic!("the envelope is good") };
        assert_eq!(
            (error.at().line, error.related().map(|at| (at.line, at.offset))),
            (4, Some((3, start + 1)))
        );
    }

    #[test]
    fn tells_a_digest_of_another_text_from_one_of_another_form() {
        let at = (ENVELOPE.len() + "; digest=".len()) as u64;
        for (digest, code) in [("sha-256:00", "ENV-SYNTAX"), (&format!("SHA-256:{:064}", 0), "DIG-DIFFERS")] {
            let file = format!("{ENVELOPE}; digest={digest}\n\n[1]");
            let error = EnvelopedSource::open(file.as_bytes()).unwrap().check_digest().unwrap_err();
            assert_eq!((error.kind().code(), error.offset()), (code, at), "{digest}");
        }
    }
}
