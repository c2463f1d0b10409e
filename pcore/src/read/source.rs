//! §24.7 A file and its lower level.

use super::builder::{Facts, Observer};
use super::{json, msgpack};
use crate::dialect::Dialect;
use crate::envelope::{Encoding, Envelope};
use crate::error::{PcoreError, PcoreErrorKind};
use crate::limits;
use crate::tape::Stream;
use std::borrow::Cow;

/// A file whose envelope was read.
pub(crate) struct Source<'a> {
    pub(crate) file: &'a [u8],
    pub(crate) start: usize,
    pub(crate) encoding: Encoding,
    envelope: Option<Envelope<'a>>,
}

impl<'a> Source<'a> {
    pub(crate) fn of(file: &'a [u8]) -> Result<Source<'a>, PcoreError> {
        if file.len() as u64 > limits::STREAM_BYTES {
            let limit = limits::STREAM_BYTES;
            return Err(PcoreErrorKind::Limit { what: "bytes of a stream", limit }.at(0));
        }
        let envelope = Envelope::read(file)?;
        let start = envelope.as_ref().map_or(0, Envelope::length);
        let encoding = match &envelope {
            Some(envelope) => envelope.encoding(),
            None if is_json(file) => Encoding::Json,
            None => Encoding::Msgpack,
        };
        Ok(Source { file, start, encoding, envelope })
    }

    pub(crate) fn read(
        &self,
        dialect: Dialect,
        observer: &mut dyn Observer,
    ) -> Result<(Stream<'a>, Facts), PcoreError> {
        let (read, facts) = match self.encoding {
            Encoding::Msgpack => msgpack::read(self.file, self.start, dialect, observer)?,
            Encoding::Json => json::read(self.file, self.start, dialect, observer)?,
        };
        let data = match read.data {
            Some(data) => Cow::Owned(data),
            None => Cow::Borrowed(self.file),
        };
        let envelope = self.envelope.clone();
        Ok((read.parts.into_stream(dialect, self.encoding, envelope, data), facts))
    }
}

/// Whether a file without an envelope is text. As msgpack, it would be small integers.
fn is_json(file: &[u8]) -> bool {
    let first = file.trim_ascii_start().first();
    matches!(first, Some(b'[' | b'{' | b'"')) && str::from_utf8(file).is_ok()
}
