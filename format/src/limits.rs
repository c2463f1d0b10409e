//! Limits on what documents mean, each with its reason (§9). Limits on bytes, values and indexes
//! are in `coconut_codec::limits`.

/// Maximum bytes of an envelope, its blank line included. A reader searches no further.
pub const ENVELOPE_LIMIT: usize = 4096;

/// Maximum parameters of an envelope, `document-type` and `version` included.
pub const PARAMETER_LIMIT: usize = 32;

/// Maximum patterns of a rule, and maximum edges: a class and an edge number fit in 5 bits.
pub const MAX_PATTERNS: usize = 32;

/// Maximum segments that are written in all paths of a rule together. A state of the matcher has a
/// bit for each.
pub const MAX_SEGMENTS: usize = 64;

/// Maximum nesting of types in one token. Real tokens reach 3, and the deepest test of the original
/// toolchain 8.
pub const MAX_TYPE_DEPTH: usize = 64;

/// Maximum nesting of a document, in JSON levels. Deeper values of a syntax tree stay undecoded,
/// and are a finding. A patch makes no deeper document.
pub const MAX_DEPTH: usize = 512;

/// Maximum bases, interfaces or exports that are followed one after the other. Real chains reach 3.
/// A package made to be slow gets no answer instead of a late one.
pub(crate) const MAX_STEPS: usize = 64;

/// Maximum wrong names, or keys that lead nowhere, for which the right one is searched. Each search
/// visits all candidates.
pub(crate) const MOST_SUGGESTIONS: u32 = 32;

/// Maximum findings in a list, which is also limited in bytes. A longer list would not be read.
pub const MOST_FINDINGS: usize = 100_000;

/// Maximum bytes of text in the listed findings: 64 MiB. Each may quote a long key.
pub(crate) const MOST_BYTES_OF_FINDINGS: usize = 64 << 20;

/// A comparison took more steps than it may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooMuchWork;
