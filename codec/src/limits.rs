//! §9 Limits of the codec: unit, value and effect of each.
//!
//! The limits of envelopes, landmark rules and findings are in [`coconut_format::limits`].

/// §9.1 Levels of nesting in the expanded document, when reading and writing: 512.
///
/// Real provider schemas reach 51. The walks of this crate are iterative, so the limit protects
/// readers in other languages, not the stack.
pub const DEPTH: u32 = 512;

/// §9.1 Levels of nesting that serde reads or prints: 128, as in `serde_json`. Serde recurses once
/// per level.
///
/// | 128 levels of | not optimized | optimized |
/// |---|---|---|
/// | lists | 180 to 350 KiB of stack | a fraction |
/// | objects and variants of types with few fields | up to 500 KiB, tested with 768 | a fraction |
/// | a derived type with 52 fields | 2,350 KiB | 750 KiB, as with `serde_json` |
///
/// The test is `tests/unoptimized`. A thread has 2 MiB unless it asks for more. For a type with
/// many fields, give the thread a larger stack, or the reader a lower `Limits::depth`.
#[cfg(feature = "serde")]
pub const SERDE_DEPTH: u32 = 128;

/// §9.5 Bytes of one string: 256 MiB. Far above any real string, far below the 2^32 of msgpack.
pub const STRING_BYTES: usize = 256 << 20;

/// §9.6 Bytes of one object key: 64 KiB. Indexes and error messages hold keys.
pub const KEY_BYTES: usize = 64 << 10;

/// §9.7 Bytes of the header: 64 KiB. Opening a file reads the whole header and holds its lists.
/// Real headers have a few hundred bytes.
#[doc(hidden)]
pub const HEADER_BYTES: usize = 64 << 10;

/// §9.10 Entries of a directory: 64. This version defines 20 parts.
#[doc(hidden)]
pub const DIRECTORY_ENTRIES: usize = 64;

/// §7.2 Binary logarithms of the sizes that blocks may have: 4 KiB to 1 MiB.
#[doc(hidden)]
pub const BLOCK_BITS: std::ops::RangeInclusive<u8> = 12..=20;

/// §9.8 Landmarks of one document: 16 Mi. Bounds the memory of an index built by a reader.
pub const LANDMARKS: usize = 1 << 24;

/// §9.9 Edges of one document: 128 Mi.
pub const EDGES: usize = 1 << 27;

/// §9.9 Edges for each byte of the file: 16, between [`EDGES_MIN`] and [`EDGES`].
///
/// If many landmarks have the same key, each reference to it leads to all of them. Real documents
/// have less than one edge per hundred bytes.
#[doc(hidden)]
pub const EDGES_PER_BYTE: usize = 16;

/// §9.9 Edges allowed in a document of any size: 4 Mi, which take 100 MB.
#[doc(hidden)]
pub const EDGES_MIN: usize = 1 << 22;

/// §9.9 Maximum number of edges in an index built from `bytes` bytes.
#[doc(hidden)]
pub fn max_edges(bytes: usize) -> usize {
    EDGES_PER_BYTE.saturating_mul(bytes).clamp(EDGES_MIN, EDGES)
}

/// §9.9 Maximum number of edges that a writer leaves for the reader of a file of `bytes` bytes to
/// find: half of [`max_edges`].
///
/// The search of a reader counts edges and visited values together, with the same bound.
#[doc(hidden)]
pub fn max_edges_to_find(bytes: usize) -> usize {
    max_edges(bytes) / 2
}

/// §9.12 Pieces of one template in a landmark rule: 32. Real templates have at most 7.
///
/// Each piece is looked up in every object that may be a landmark, and lengthens every key.
#[doc(hidden)]
pub const TEMPLATE_PIECES: usize = 32;

/// §9.13 Shapes of one document: 16 Mi. Real documents have about ten thousand.
///
/// A shape without slots takes one byte in a file, and up to 80 in memory if a document is read as
/// a whole.
#[doc(hidden)]
pub const SHAPES: usize = 1 << 24;

/// §9.13 Slots of all shapes of one document together: 256 Mi. Real documents have about ten
/// thousand.
///
/// A slot takes 64 bytes if a document is read as a whole, and a stream takes 24 more. A stream
/// numbers its steps in 32 bits, so the limit must keep them below 2^32.
#[doc(hidden)]
pub const SLOTS: usize = 1 << 28;

/// Bytes read from an input of unknown length, such as a pipe: 1 GiB. Some pipes never end.
pub const PIPE_BYTES: u64 = 1 << 30;

/// Bytes of a source, or of a file that a command reads as a whole: 16 GiB. A file with holes may
/// have any length, and costs nothing to create.
pub const FILE_BYTES: u64 = 16 << 30;

/// §9.2 Values that an expanding stream may produce: 256 Mi. A file of 300 bytes can claim 2^40.
pub const STREAM_VALUES: u64 = 1 << 28;

/// §9.3 Bytes of text that an expanding stream may produce: 16 GiB.
pub const STREAM_BYTES: u64 = 16 << 30;

/// §9.4 Values of a tree of owned values in memory: 64 Mi.
pub const TREE_VALUES: u64 = 1 << 26;

/// §21.1 Steps of a search, for each byte of the file: 16, but at least [`SEARCH_MIN`].
///
/// A search builds a missing index, lists landmarks, looks one up, or measures values. Real
/// documents need one or two steps per byte, however much they share.
#[doc(hidden)]
pub const SEARCH_PER_BYTE: u64 = 16;

/// §21.1 Steps of a search in a file of any size: 4 Mi, which take less than a second.
#[doc(hidden)]
pub const SEARCH_MIN: u64 = 1 << 22;

/// §21.1 Bytes skipped or read as a key in one step: 32. Skipping that many takes as long as
/// visiting a value, which is also one step.
///
/// So a search for the keys of landmarks has time to read each byte once on each level of nesting.
#[doc(hidden)]
pub const BYTES_PER_STEP: u64 = 32;

/// §21.1 Steps for a landmark found by tables: 4, for its place, its key and its surroundings.
pub(crate) const STEPS_PER_LANDMARK: u64 = 4;

const _: () = assert!(BYTES_PER_STEP * SEARCH_PER_BYTE >= DEPTH as u64);

/// §21.1 Maximum number of steps of a search in a file of `bytes` bytes.
#[doc(hidden)]
pub fn search_budget(bytes: usize) -> u64 {
    SEARCH_MIN.max(SEARCH_PER_BYTE.saturating_mul(bytes as u64))
}

/// §15.8 Steps on the ways to all secrets of a document of any size: 1 Mi. In real documents a step
/// takes some ten bytes, unless its containers are shared.
#[doc(hidden)]
pub const SECRET_STEPS: u64 = 1 << 20;

/// §15.8 Maximum number of steps on the ways to all secrets of a file of `bytes` bytes: two for
/// each byte, and at least [`SECRET_STEPS`].
#[doc(hidden)]
pub fn max_secret_steps(bytes: usize) -> u64 {
    SECRET_STEPS.max(2 * bytes as u64)
}

/// §21.2 Values that a type may ignore while it is read through serde: 256 Mi, or the number that
/// it may read if that is more. Each [`BYTES_PER_STEP`] bytes of such a value count as one more
/// value.
#[cfg(feature = "serde")]
#[doc(hidden)]
pub const IGNORED_VALUES: u64 = STREAM_VALUES;

/// §21.2 Bytes of text in values that are expanded in memory and written at the end. 256 MiB, or
/// [`HELD_PER_BYTE`] for each byte of the file if that is more.
#[doc(hidden)]
pub const HELD_BYTES: u64 = 1 << 28;

/// §21.2 Bytes of text in values that are expanded in memory, for each byte of the file: 16.
///
/// The JSON of a graph of 1,000,000 resources has five times the bytes of its file.
#[doc(hidden)]
pub const HELD_PER_BYTE: u64 = 16;

/// §21.2 Values in trees of owned values, for each byte of the file: 64. Real documents have up to
/// 30.
#[doc(hidden)]
pub const OWNED_PER_BYTE: u64 = 64;

/// §21.2 Values in trees of owned values allowed for any file: 4 Mi. The maximum is
/// [`TREE_VALUES`].
#[doc(hidden)]
pub const OWNED_VALUES: u64 = 1 << 22;

/// §21.2 Bytes of printed JSON or YAML, for each byte of text that the values may have: 4.
///
/// Punctuation and indentation take about as much as the values. But on level 512, each line is
/// indented by 1 KiB.
#[doc(hidden)]
pub const PRINTED_PER_TEXT_BYTE: u64 = 4;

/// §9.11 Bytes of the full keys of all landmarks together: 4 GiB.
///
/// Building an index reads each key, and a table of keys holds them. Nested landmarks repeat the
/// keys of their parents.
#[doc(hidden)]
pub const FULL_KEY_BYTES: u64 = 4 << 30;

/// §21.3 Tokens that the YAML parser may read ahead of an event: 256 Ki, which take 80 MB.
///
/// A bracketed list or object that may be a key is read to its end first. Real keys of this kind
/// fit on one line.
#[doc(hidden)]
pub const YAML_AHEAD: u32 = 1 << 18;

/// §21.3 Bytes that aliases may add to a YAML document: 64 MiB. Each value counts 8 bytes, and its
/// strings and keys count their own.
#[doc(hidden)]
pub const ALIAS_MAX: u64 = 64 << 20;

/// §21.3 Bytes that aliases may add, for each byte of the text: 16, between [`ALIAS_MIN`] and
/// [`ALIAS_MAX`].
///
/// The target of an alias is compiled for each alias. In real files, aliases add two bytes for each
/// byte of text.
#[doc(hidden)]
pub const ALIAS_PER_BYTE: u64 = 16;

/// §21.3 Bytes that aliases may add to a text of any size: 4 MiB, some 300,000 values.
///
/// A generated list of services may use the same anchor in each of its items.
#[doc(hidden)]
pub const ALIAS_MIN: u64 = 4 << 20;

/// §21.3 Maximum number of bytes that aliases may add to a YAML document of `bytes` bytes.
#[doc(hidden)]
pub fn max_alias_bytes(bytes: usize) -> u64 {
    ALIAS_PER_BYTE.saturating_mul(bytes as u64).clamp(ALIAS_MIN, ALIAS_MAX)
}

/// §17.3 Bytes of text that any compressed source may hold: 64 MiB.
#[doc(hidden)]
pub const EXPANDED_MIN: u64 = 64 << 20;

/// §17.3 Further bytes of text for each byte of a compressed source: 128. Real sources hold 10 to
/// 40.
#[doc(hidden)]
pub const EXPANDED_PER_BYTE: u64 = 128;

/// §17.3 Bytes of text that no compressed source may exceed: 4 GiB.
#[doc(hidden)]
pub const EXPANDED_MAX: u64 = 4 << 30;

/// §17.3 The most bytes of text that a compressed source of this size may hold.
#[doc(hidden)]
pub fn max_expanded(bytes: usize) -> u64 {
    EXPANDED_PER_BYTE.saturating_mul(bytes as u64).saturating_add(EXPANDED_MIN).min(EXPANDED_MAX)
}
