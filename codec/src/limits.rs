//! §9 Limits. Every bound of the codec, once, with its reason.

/// Levels of the expanded document, for reading and writing. A real provider schema reaches 51; every walk here
/// is iterative, so the limit is a policy for readers in other languages and not a guard of our stack.
pub const DEPTH: u32 = 512;

/// Bytes of one string: 256 MiB. Far above any real one, far below msgpack's 2^32.
pub const STRING_BYTES: usize = 256 << 20;

/// Bytes of one object key: 64 KiB. A key is held in indexes and error messages.
pub const KEY_BYTES: usize = 64 << 10;
