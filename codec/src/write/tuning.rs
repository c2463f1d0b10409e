//! The thresholds that decide the layout of a file. Users of the library cannot change them.

use crate::bytes::checksum::BlockSize;
use crate::wire::landmarks::INDEX_FROM;

/// Thresholds that decide the layout of a file. Readers accept every layout.
///
/// `benches/layout` varies them. The figures behind the defaults are in `spec/format/rationale.md`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tuning {
    /// Whether equal subtrees are stored once.
    pub shared_values: bool,
    /// Minimum number of uses of a shared subtree.
    pub shared_min_uses: u32,
    /// Minimum estimated bytes of a shared subtree.
    pub shared_min_bytes: u32,
    /// Minimum number of uses of a string in the table.
    pub string_min_uses: u32,
    /// Whether frequent strings, shapes and shared values get the shortest ids, instead of the
    /// first ones.
    pub frequent_first: bool,
    /// Whether small objects are written inside the records of their parents.
    pub nested_slots: bool,
    /// Whether a value shared by all records of a shape is written in the shape.
    pub constant_slots: bool,
    /// Whether shapes mark slots that hold integers.
    pub integer_slots: bool,
    /// Whether objects with the same key list get several shapes if one key distinguishes them.
    pub discriminators: bool,
    /// Whether offsets take eight bytes even if four are enough.
    pub wide: bool,
    /// Minimum bytes of content for a block table.
    pub blocks_from: usize,
    /// Binary logarithm of the size of blocks (§7.2), from 12 to 20. Another number means 12.
    pub block_bits: u8,
    /// Minimum number of landmarks for an index.
    pub index_from: usize,
}

impl Default for Tuning {
    fn default() -> Self {
        Tuning {
            shared_values: true,
            shared_min_uses: 2,
            shared_min_bytes: 4,
            string_min_uses: 2,
            frequent_first: true,
            nested_slots: true,
            constant_slots: true,
            integer_slots: true,
            discriminators: true,
            wide: false,
            blocks_from: 16 << 10,
            block_bits: BlockSize::PAGE.bits(),
            index_from: INDEX_FROM,
        }
    }
}
