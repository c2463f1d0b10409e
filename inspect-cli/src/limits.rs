//! Limits of this tool, each once, with its reason. Those of documents are in `coconut_codec::limits`.

/// Steps of the ways to all secrets of a document that are kept, or two for each byte of a larger file. Those of real
/// documents take some ten bytes each, unless what holds them is shared.
pub(crate) const SECRET_PLACES: u64 = 1 << 20;

/// Characters that a pattern may have between two `*` if there is a `?` among them. Looking for these takes as many steps for each
/// character of a key; what is without `?` is found in one pass, however long it is, and what is at an end of the pattern is not looked for.
pub(crate) const MOST_WITH_ANY: usize = 1024;
