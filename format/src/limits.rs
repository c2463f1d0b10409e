//! Limits of the document model, each with its reason (§9). Limits on bytes, values and indexes are
//! in `coconut_codec::limits`.

/// Maximum bytes of an envelope, its blank line included. A reader searches no further.
pub const ENVELOPE_LIMIT: usize = 4096;

/// Maximum parameters of an envelope, `document-type` and `version` included.
pub const PARAMETER_LIMIT: usize = 32;

/// Maximum patterns of a rule, and maximum edges: a class and an edge number fit in 5 bits.
pub const MAX_PATTERNS: usize = 32;

/// Maximum number of written segments in all paths of a rule together. A state of the matcher has a
/// bit for each.
pub const MAX_SEGMENTS: usize = 64;

/// Maximum nesting of types in one token. Real tokens reach 3; the deepest test of the original
/// toolchain reaches 8.
pub const MAX_TYPE_DEPTH: usize = 64;

/// Maximum nesting of a document, in JSON levels. Deeper values of a syntax tree stay undecoded and
/// are reported as a finding. A patch never makes a deeper document.
pub const MAX_DEPTH: usize = 512;

/// Maximum number of bases, interfaces or exports followed in a chain. Real chains reach 3. A
/// package crafted to be slow gets no answer instead of a late one.
pub(crate) const MAX_STEPS: usize = 64;

/// Maximum number of unknown names or dangling keys for which a suggestion is searched. Each search
/// visits all candidates.
pub(crate) const MOST_SUGGESTIONS: u32 = 32;

/// Maximum number of findings in a list, which is also limited in bytes. Readers would ignore a
/// longer list.
pub const MOST_FINDINGS: usize = 100_000;

/// Maximum bytes of text in the listed findings: 64 MiB. Each may quote a long key.
pub(crate) const MOST_BYTES_OF_FINDINGS: usize = 64 << 20;

/// A comparison exceeded its maximum number of steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooMuchWork;
