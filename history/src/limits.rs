//! The limits of packs.

/// §23.5 The largest text of a version, in bytes.
pub const TEXT: u64 = 512 << 20;

/// §23.5 The largest text of a label, in bytes.
pub const LABEL: usize = 64;

/// §23.5 The most lock information that is kept, in bytes.
pub const LOCK_INFO: usize = 16 << 10;

/// §23.1 `user_version`: the version of the tables.
pub const SCHEMA: i64 = 1;

/// How long a process waits for another one that writes, in milliseconds.
pub(crate) const BUSY_MILLISECONDS: u64 = 5000;
