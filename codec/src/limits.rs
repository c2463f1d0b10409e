//! §9 Limits. Every bound of the codec, once, with its reason. Those of envelopes, rules and findings are in
//! [`coconut_format::limits`].

/// Levels of the expanded document, for reading and writing. A real provider schema reaches 51; every walk here
/// is iterative, so the limit is a policy for readers in other languages and not a guard of our stack.
pub const DEPTH: u32 = 512;

/// Levels of values that are read into Rust types or printed through serde, which recurses once a level. That of
/// `serde_json`. In a program that is not optimized at all, 128 levels of lists take 180 to 350 KiB of stack, those of objects and
/// variants of types with a few fields up to 500, of the 2 MiB of a thread; for those 768 KiB are enough (`tests/unoptimized`), and
/// optimized ones take a fraction. The frames of a derived type grow with its fields: 128 levels of one with 52 take 2,350 KiB, and 750
/// KiB optimized, as `serde_json` needs. Who reads such a type gives the thread a larger stack, or the reader a lower `Limits::depth`.
#[cfg(feature = "serde")]
pub const SERDE_DEPTH: u32 = 128;

/// Bytes of one string: 256 MiB. Far above any real one, far below msgpack's 2^32.
pub const STRING_BYTES: usize = 256 << 20;

/// Bytes of one object key: 64 KiB. A key is held in indexes and error messages.
pub const KEY_BYTES: usize = 64 << 10;

/// Bytes of the header: 64 KiB. Opening a file reads all of it and holds its lists; that of a real document has some hundred.
pub const HEADER_BYTES: usize = 64 << 10;

/// Entries of a directory. This version defines 19 parts.
pub const DIRECTORY_ENTRIES: usize = 64;

/// Landmarks of one document: 16 Mi. Bounds the memory of an index that is built.
pub const LANDMARKS: usize = 1 << 24;

/// Edges of one document: 128 Mi.
pub const EDGES: usize = 1 << 27;

/// Edges for each byte of what a document is read from, fewer than [`EDGES`] at most: where many landmarks have one key, each
/// reference to it leads to all of them. Real documents have less than one for a hundred bytes.
pub const EDGES_PER_BYTE: usize = 16;

/// The same for a document of any size: 4 Mi, which take 100 MB.
pub const FEW_EDGES: usize = 1 << 22;

/// Edges that the index of a document may have that is read from `bytes` bytes.
pub fn edges_of(bytes: usize) -> usize {
    EDGES_PER_BYTE.saturating_mul(bytes).clamp(FEW_EDGES, EDGES)
}

/// Edges that a writer leaves a reader to find in a file of `bytes` bytes: half of what that may find, since it also counts what
/// it looks at on the way, of which it may look at no more.
pub fn edges_to_find(bytes: usize) -> usize {
    edges_of(bytes) / 2
}

/// Pieces of one template in a landmark rule: 32. Those of real documents have 7 at most. Each is looked for in every
/// object that may be a landmark, and adds to every key.
pub const TEMPLATE_PIECES: usize = 32;

/// Shapes of one document: 16 Mi, as many as landmarks. One of no slots has a byte in a file and takes up to 80 in memory where a document
/// is read whole; real documents have some ten thousand.
pub const SHAPES: usize = 1 << 24;

/// Slots of all shapes of one document together: 256 Mi. Reading whole takes 64 bytes for each, and a stream 24 more; real documents
/// have some ten thousand. Numbers of what a stream does for them stay below 2^32.
pub const SLOTS: usize = 1 << 28;

/// Bytes of what has no length beforehand, like a pipe: 1 GiB. Some never end.
pub const PIPE_BYTES: u64 = 1 << 30;

/// Values that an expanding stream may produce: 256 Mi. A 300-byte file can claim 2^40.
pub const STREAM_VALUES: u64 = 1 << 28;

/// Values that are looked at for each byte of a file, when an index is made that it lacks, to look things up in it. Real
/// documents need one or two, however much they share.
pub const LOOKED_AT_PER_BYTE: u64 = 16;

/// The same for a file of any size: 4 Mi, less than a second.
pub const LOOKED_AT: u64 = 1 << 22;

/// Values that one read through serde may step over because the type ignores them: 256 Mi, as many as a whole document may have, or as many as
/// it may read if that is more. [`BYTES_LIKE_A_VALUE`] bytes of such a value count as one more.
#[cfg(feature = "serde")]
pub const IGNORED_VALUES: u64 = STREAM_VALUES;

/// Bytes of values that are stepped over as fast as one is looked at. Looking for the keys of landmarks so has time for
/// each byte of a file once on each level that a document can have.
pub const BYTES_LIKE_A_VALUE: u64 = 32;

/// Values that are looked at as fast as a landmark is found by the tables: its place, its key, and what is around it.
pub(crate) const VALUES_LIKE_A_LANDMARK: u64 = 4;

const _: () = assert!(BYTES_LIKE_A_VALUE * LOOKED_AT_PER_BYTE >= DEPTH as u64);

/// Bytes of text that an expanding stream may produce: 16 GiB.
pub const STREAM_BYTES: u64 = 16 << 30;

/// Bytes of text of values that are put together in memory with nothing shared, to be written when all is well: 1 GiB,
/// or more of a file for which that is less than [`HELD_PER_BYTE`].
pub const HELD_BYTES: u64 = 1 << 30;

/// The same for each byte of a file. The JSON of a graph of 1,000,000 resources is five times its file.
pub const HELD_PER_BYTE: u64 = 16;

/// Bytes that such values may take as JSON or YAML, for each byte of text that they may have. What stands around a value is
/// about as long as the value; but 512 levels of indentation are a KiB for each line.
pub const HELD_AS_PRINTED: u64 = 4;

/// Values of a tree of owned values in memory: 64 Mi.
pub const TREE_VALUES: u64 = 1 << 26;

/// Bytes of the full keys of all landmarks together: 4 GiB. An index that is made reads each of them, a table of keys holds
/// them, and nested landmarks repeat the keys of their parents.
pub const FULL_KEY_BYTES: u64 = 4 << 30;

/// Tokens of YAML that are read before the first of them is a value: 256 Ki, which take 80 MB. A list or object in brackets
/// that stands where a key may stand is read to its end first. Those of real documents are on one line.
pub const YAML_AHEAD: u32 = 1 << 18;

/// Bytes that aliases may add to a document of YAML, 8 for each value and the text of strings and keys: 64 MiB.
pub const ALIASED: u64 = 64 << 20;

/// The same for each byte of the text, where that is less: what lies behind an alias is compiled as often as it is named.
/// The aliases of real files add two for a byte.
pub const ALIASED_PER_BYTE: u64 = 16;

/// The same for a text of any size: 4 MiB, some 300,000 values. A list of services that is generated names one anchor in each.
pub const FEW_ALIASED: u64 = 4 << 20;

/// Bytes that aliases may add to a document of `bytes` bytes of YAML.
pub fn aliased_of(bytes: usize) -> u64 {
    ALIASED_PER_BYTE.saturating_mul(bytes as u64).clamp(FEW_ALIASED, ALIASED)
}
