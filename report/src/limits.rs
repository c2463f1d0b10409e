//! Limits of this tool, with their reasons. The limits of documents are in `coconut_codec::limits`.

/// Maximum number of steps on the ways to all secrets of a document; for a larger file, two for
/// each byte. In real documents a step takes some ten bytes, unless its containers are shared.
pub const SECRET_PLACES: u64 = 1 << 20;

/// Maximum number of characters between two `*` of a pattern if `?` is among them. Such a search
/// takes as many steps for each character of a key.
///
/// There is no limit without `?`, because the search takes one pass, nor at the ends of a pattern,
/// because nothing is searched there.
pub const MOST_WITH_ANY: usize = 1024;

/// Maximum number of patterns that one with braces stands for. Each is compared with each key.
pub const MOST_ALTERNATIVES: usize = 64;
