//! §9 Limits of what documents mean, each once, with its reason. Those of bytes, values and indexes are in
//! `coconut_codec::limits`.

/// Bytes that an envelope may have, its blank line included. A reader looks no further.
pub const ENVELOPE_LIMIT: usize = 4096;

/// Parameters that an envelope may have, `document-type` and `version` included.
pub const PARAMETER_LIMIT: usize = 32;

/// The most patterns a rule may have, and the most edges: a class and an edge number fit in 5 bits.
pub const MAX_PATTERNS: usize = 32;

/// The most positions of all paths of a rule together, where equal beginnings count once: a
/// [`State`](crate::landmark::State) is one `u64`.
pub const MAX_POSITIONS: usize = 64;

/// How deep types may nest in one token. Real tokens reach 3, the deepest test of the original toolchain 8.
pub const MAX_TYPE_DEPTH: usize = 64;

/// How deep a syntax tree may nest, in JSON levels. What lies deeper stays undecoded, and is a finding.
pub const MAX_DEPTH: usize = 512;

/// How many bases, interfaces or exports are followed one after the other. Real chains have up to 3; a package
/// made to be slow gets no answer instead of a late one.
pub(crate) const MAX_STEPS: usize = 64;

/// For how many wrong names, or keys that lead nowhere, the right one is searched. Each search looks at all that there are.
pub(crate) const MOST_SUGGESTIONS: u32 = 32;

/// After so many findings, or [so many bytes of text in them](MOST_BYTES_OF_FINDINGS), no more are listed: nobody reads them.
pub(crate) const MOST_FINDINGS: usize = 100_000;

/// Bytes of text in the findings that are listed: 64 MiB. Each may quote a long key.
pub(crate) const MOST_BYTES_OF_FINDINGS: usize = 64 << 20;
