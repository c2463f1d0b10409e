//! Limits of the tools, with their reasons. The limits of documents are in `coconut_codec::limits`.

/// The maximum number of characters between two `*` of a pattern if `?` is among them. Such a
/// search takes this many steps for each character of a key.
///
/// There is no limit without `?`, because the search takes one pass, or at the ends of a pattern,
/// because there is no search there.
pub const MOST_WITH_ANY: usize = 1024;

/// The maximum number of patterns to which one with braces expands. Each is compared with each key.
pub const MOST_ALTERNATIVES: usize = 64;
