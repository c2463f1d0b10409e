//! The limits of comparisons and patches.

/// The maximum number of bytes of the keys of resources in one document that are joined of several,
/// as that of an instance. A comparison holds them, and each of them may repeat a long key.
pub(crate) const JOINED_KEY_BYTES: u64 = 256 << 20;

/// The maximum number of values added by the `copy` operations of one patch. A patch of 3 kB could
/// double a document 60 times.
pub(crate) const COPIED_VALUES: usize = 1 << 22;

/// The maximum number of bytes of text in those values: 256 MiB.
pub(crate) const COPIED_BYTES: usize = 256 << 20;

/// The maximum number of steps of one patch: visited entries and moved items, eight to a step. This
/// takes some ten seconds. A million insertions at the front of a list would take minutes.
pub(crate) const PATCH_STEPS: u64 = 1 << 32;
