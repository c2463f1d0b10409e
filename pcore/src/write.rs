//! §24.5 Writing: the bytes that a known writer would make.

mod json;
mod msgpack;
mod options;
mod tables;

pub use options::WriteOptions;

use crate::envelope::{Encoding, Envelope};
use crate::error::PcoreError;
use crate::tape::Stream;

impl Stream<'_> {
    /// The bytes of the stream in this form.
    ///
    /// A stream that a known writer made gives the same bytes again in its own form.
    ///
    /// ```
    /// use coconut_pcore::{Dialect, Stream, WriteOptions};
    ///
    /// let bytes = b"\xd4\x10\x02\xd5\x32\xa1x\xd4\x01\x01";
    /// let stream = Stream::read(bytes, Some(Dialect::Ruby54))?;
    /// assert_eq!(stream.to_bytes(&WriteOptions::of(&stream))?, bytes);
    /// # Ok::<(), coconut_pcore::PcoreError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// A value that the dialect or the lower level does not have: see §24.5.
    pub fn to_bytes(&self, options: &WriteOptions) -> Result<Vec<u8>, PcoreError> {
        let mut out = match options.has_envelope {
            true => Envelope::of_xpp(options.encoding).into_bytes(),
            false => Vec::new(),
        };
        match options.encoding {
            Encoding::Msgpack => msgpack::write(self, options, &mut out)?,
            Encoding::Json => json::write(self, options, &mut out)?,
        }
        Ok(out)
    }
}
