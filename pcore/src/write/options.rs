//! The form of a stream that is written.

use crate::dialect::Dialect;
use crate::envelope::Encoding;
use crate::tape::Stream;

/// The form of a stream that is written.
#[derive(Clone, Copy, Debug)]
pub struct WriteOptions {
    /// The numbering of the tables and the meaning of the codes.
    pub dialect: Dialect,
    /// The lower level.
    pub encoding: Encoding,
    /// Whether repeated texts and headers become references into the inner table.
    pub is_tabulated: bool,
    /// Whether the envelope of an XPP file is written, too.
    pub has_envelope: bool,
}

impl WriteOptions {
    /// Tabulated msgpack of this dialect, without an envelope.
    pub fn new(dialect: Dialect) -> WriteOptions {
        WriteOptions { dialect, encoding: Encoding::Msgpack, is_tabulated: true, has_envelope: false }
    }

    /// The form in which a stream was read, without its envelope.
    pub fn of(stream: &Stream<'_>) -> WriteOptions {
        WriteOptions {
            dialect: stream.dialect,
            encoding: stream.encoding,
            is_tabulated: stream.is_tabulated,
            has_envelope: false,
        }
    }
}
