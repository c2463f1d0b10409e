//! The limits of patches.

/// Maximum values that the operations `copy` of one patch add. A patch of 3 kB could double a
/// document 60 times.
pub(crate) const COPIED_VALUES: usize = 1 << 22;

/// Maximum bytes of text in those values: 256 MiB.
pub(crate) const COPIED_BYTES: usize = 256 << 20;

/// Maximum steps of one patch: entries that are looked at, and items that are moved, eight in a
/// step. It takes some ten seconds. A million insertions at the front of a list would take minutes.
pub(crate) const PATCH_STEPS: u64 = 1 << 32;
