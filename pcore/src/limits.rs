//! §24.9 Limits of streams.

use coconut_codec::limits as codec;

/// Bytes of a stream: 4 GiB - 1, because places are kept in 32 bits.
pub const STREAM_BYTES: u64 = u32::MAX as u64;

/// Levels of nesting: 512, as in documents (§9.1).
pub const DEPTH: usize = codec::DEPTH as usize;

/// Bytes of one text or byte string: 128 MiB - 1.
pub const TEXT_BYTES: u64 = (1 << 27) - 1;

/// Bytes of the name of a type: 1,024. Segments may be references, so a short header can have a
/// long name.
pub const NAME_BYTES: usize = 1024;

/// Values of a document that becomes a stream: 64 Mi. A document may share its parts, and a stream
/// is made of each occurrence.
pub const VALUES: usize = 1 << 26;

/// Attributes of a type whose definition is in a stream: 256. An object of a type with more has the
/// positions of its attributes instead of their names.
pub const ATTRIBUTES: usize = 256;

/// Steps that finding the names of attributes may take, for each value of a stream: 16, and
/// [`DEFINITION_STEPS_MIN`] more. Types may inherit from one that is large.
pub const DEFINITION_STEPS: u64 = 16;

/// Steps that finding the names of attributes may take in any stream: 64 Ki.
pub const DEFINITION_STEPS_MIN: u64 = 1 << 16;

/// Diagnostics of a parse result that are listed: 1,000.
pub const DIAGNOSTICS: usize = 1000;

/// Members of a diagnostic that are looked at: 64.
pub const MEMBERS: usize = 64;

/// Bytes of the names of all types together: 1 MiB, or the bytes of the stream if these are more.
pub const NAMES_BYTES: usize = 1 << 20;
