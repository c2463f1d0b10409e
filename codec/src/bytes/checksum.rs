//! §7 Checksums. One for each block of a file, and one for their table.
//!
//! ```text
//! byte 0                              blocks        tail                          end
//! ├──── content, in blocks ───────────┼─ block table ┼─ root table ─ directory ─ trailer ─┤
//!        one CRC-32 each ───────────────▶ u32 each
//!                                       in blocks, one CRC-32 each ─▶ u32 each
//!                                                     covered by the trailer's own CRC-32
//! ```
//!
//! Every byte is covered by exactly one checksum. A reader of one value checks one path from the
//! root, and the blocks that it reads. In a file without a block table, the trailer covers all
//! bytes.
//!
//! This structure of the file is not in `wire`, because the cursor of `msgpack` verifies the blocks
//! that it reads. `wire` reads through that cursor.

// Positions come from an unverified file, except in tests.
#![cfg_attr(
    not(test),
    deny(clippy::indexing_slicing, clippy::arithmetic_side_effects, clippy::cast_possible_truncation)
)]

use crate::bytes::Bytes;
use crate::limits;
use coconut_format::error::{DecodeError, ErrorKind};
use crc32fast::Hasher;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// The size of the blocks of a file: a power of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BlockSize(u8);

impl BlockSize {
    /// One page, so a block costs no extra page fault. Writers use it by default.
    pub(crate) const PAGE: BlockSize = BlockSize(12);

    /// The size with this binary logarithm, if it is allowed in files.
    pub(crate) fn of_bits(bits: u8) -> Option<BlockSize> {
        limits::BLOCK_BITS.contains(&bits).then_some(BlockSize(bits))
    }

    /// Its binary logarithm.
    pub(crate) fn bits(self) -> u8 {
        self.0
    }

    /// Bytes of a block.
    #[inline]
    pub(crate) fn bytes(self) -> usize {
        1usize.wrapping_shl(self.0.into())
    }

    /// The number of the block that contains the byte at `position`.
    #[inline]
    pub(crate) fn number_of(self, position: usize) -> usize {
        position.wrapping_shr(self.0.into())
    }

    /// The start of the block that contains the byte at `position`.
    pub(crate) fn start_of(self, position: usize) -> usize {
        position & !self.bytes().wrapping_sub(1)
    }

    /// Bytes of the checksums of `length` bytes.
    pub(crate) fn sums_of(self, length: usize) -> usize {
        length.div_ceil(self.bytes()).saturating_mul(4)
    }
}

/// The block checksums of an open file, and which blocks have been verified so far.
#[derive(Debug)]
pub(crate) struct Blocks {
    /// Start of the block table, which is the end of the content.
    table: usize,
    /// Start of the root table, which is the end of the block table.
    root: usize,
    size: BlockSize,
    /// One bit per content block, then one per block of the block table.
    verified: Box<[AtomicU64]>,
    /// An unused hasher. Creating one queries the features of the processor, so it is created once,
    /// not for each block.
    hasher: Hasher,
}

impl Blocks {
    /// The checksums of a file whose content ends at `table` and whose block table ends at `root`.
    ///
    /// The caller has verified the root table and the lengths (see `trailer`).
    pub(crate) fn new(table: usize, root: usize, size: BlockSize) -> Blocks {
        let block = size.bytes();
        let bits = table.div_ceil(block).saturating_add(root.saturating_sub(table).div_ceil(block));
        let verified = (0..bits.div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        Blocks { table, root, size, verified, hasher: Hasher::new() }
    }

    /// The size of the blocks.
    pub(crate) fn size(&self) -> BlockSize {
        self.size
    }

    /// The end of the content, which is the start of the block table.
    #[cfg(feature = "tooling")]
    pub(crate) fn content(&self) -> usize {
        self.table
    }

    /// Compares the checksums of these bytes of the content, which are not kept. They begin at
    /// `start` and cover whole blocks. The block table is in `data`.
    #[cfg(feature = "tooling")]
    pub(crate) fn check_content(
        &self,
        data: &Bytes<'_>,
        start: usize,
        content: &[u8],
    ) -> Result<(), DecodeError> {
        for (block, start) in content.chunks(self.size.bytes()).zip((start..).step_by(self.size.bytes())) {
            let slot = self.table.saturating_add(self.size.number_of(start).saturating_mul(4));
            self.ensure_table_block(data, slot)?;
            let recorded = data.array(slot).map(|bytes| u32::from_le_bytes(*bytes));
            self.compare_block(block, recorded.unwrap_or_default(), start)?;
        }
        Ok(())
    }

    /// Verifies the blocks that contain `data[from..to]`, unless they were verified before. Returns
    /// the end of the last one.
    ///
    /// The trailer covers the bytes from the root table on. It was checked when the file was
    /// opened.
    #[inline]
    pub(crate) fn ensure(&self, data: &Bytes<'_>, from: usize, to: usize) -> Result<usize, DecodeError> {
        // Most reads are of a few bytes in a block that was verified before.
        let verified = self.verified_until(from);
        if from < verified && to <= verified {
            return Ok(verified);
        }
        self.verify(data, from, to)
    }

    #[inline(never)]
    fn verify(&self, data: &Bytes<'_>, from: usize, to: usize) -> Result<usize, DecodeError> {
        let mut position = from;
        loop {
            if position >= self.root {
                return Ok(data.len());
            }
            position = if position >= self.table {
                self.ensure_table_block(data, position)?
            } else {
                self.ensure_content_block(data, position)?
            };
            if position >= to {
                return Ok(position);
            }
        }
    }

    /// The end of the content block at `position` if it was verified before; otherwise `position`.
    #[inline]
    pub(crate) fn verified_until(&self, position: usize) -> usize {
        let number = self.size.number_of(position);
        match position < self.table && self.is_verified(number) {
            true => self.size.start_of(position).saturating_add(self.size.bytes()).min(self.table),
            false => position,
        }
    }

    #[inline]
    fn ensure_content_block(&self, data: &Bytes<'_>, position: usize) -> Result<usize, DecodeError> {
        let number = self.size.number_of(position);
        let start = self.size.start_of(position);
        let end = start.saturating_add(self.size.bytes()).min(self.table);
        if !self.is_verified(number) {
            let slot = self.table.saturating_add(number.saturating_mul(4));
            self.ensure_table_block(data, slot)?;
            self.compare(data, start..end, slot)?;
            self.mark(number);
        }
        Ok(end)
    }

    /// The block table's own blocks are counted from its start.
    #[inline]
    fn ensure_table_block(&self, data: &Bytes<'_>, position: usize) -> Result<usize, DecodeError> {
        let inside = position.saturating_sub(self.table);
        let number = self.size.number_of(inside);
        let start = self.table.saturating_add(self.size.start_of(inside));
        let end = start.saturating_add(self.size.bytes()).min(self.root);
        let bit = self.table.div_ceil(self.size.bytes()).saturating_add(number);
        if !self.is_verified(bit) {
            self.compare(data, start..end, self.root.saturating_add(number.saturating_mul(4)))?;
            self.mark(bit);
        }
        Ok(end)
    }

    /// Compares the CRC-32 of the block `range` with the one recorded at `slot`.
    #[inline]
    fn compare(&self, data: &Bytes<'_>, range: Range<usize>, slot: usize) -> Result<(), DecodeError> {
        let Range { start, end } = range;
        let recorded = data.array(slot).map(|bytes| u32::from_le_bytes(*bytes));
        let (Some(expected), Some(block)) = (recorded, data.get(start..end)) else {
            return Err(
                ErrorKind::Length { declared: end as u64, actual: data.len() as u64 }.at(start as u64)
            );
        };
        self.compare_block(block, expected, start)
    }

    #[inline]
    fn compare_block(&self, block: &[u8], expected: u32, start: usize) -> Result<(), DecodeError> {
        let mut hasher = self.hasher.clone();
        hasher.update(block);
        let found = hasher.finalize();
        if found != expected {
            return Err(ErrorKind::Checksum { expected, found }.at(start as u64));
        }
        Ok(())
    }

    /// Number of bytes in the verified blocks, including those of the table.
    pub(crate) fn verified_bytes(&self) -> u64 {
        self.verified_ranges().map(|range| range.end.saturating_sub(range.start)).sum()
    }

    /// The verified blocks, including those of the table, in order of offset.
    pub(crate) fn verified_ranges(&self) -> impl Iterator<Item = Range<u64>> {
        let block = self.size.bytes();
        let content = (0..self.table).step_by(block).map(|start| (start, self.table));
        let table = (self.table..self.root).step_by(block).map(|start| (start, self.root));
        content.chain(table).enumerate().filter(|&(bit, _)| self.is_verified(bit)).map(
            move |(_, (start, end))| {
                let end = start.saturating_add(block).min(end);
                start as u64..end as u64
            },
        )
    }

    #[inline]
    fn is_verified(&self, bit: usize) -> bool {
        // Relaxed: a bit only records that bytes which never change were checked. A thread that
        // misses it checks them again.
        let word = self.verified.get(bit / 64).map_or(0, |word| word.load(Ordering::Relaxed));
        word >> (bit % 64) & 1 == 1
    }

    fn mark(&self, bit: usize) {
        if let Some(word) = self.verified.get(bit / 64) {
            // No locked instruction for each block of a check. If two threads mark blocks of one
            // word at once, a bit can be lost. Its block is then verified again on the next access,
            // and not counted as verified until then.
            word.store(word.load(Ordering::Relaxed) | 1 << (bit % 64), Ordering::Relaxed);
        }
    }
}

/// The checksums of the blocks of `content`, as the block table or the root table holds them.
pub(crate) fn block_table(content: &[u8], size: BlockSize) -> Vec<u8> {
    content.chunks(size.bytes()).flat_map(|block| crc32fast::hash(block).to_le_bytes()).collect()
}

/// Bytes of a block of [`BlockSize::PAGE`], for tests.
#[cfg(test)]
pub(crate) const BLOCK: usize = 4096;

#[cfg(test)]
mod tests {
    //! §7.2 Block table and root table.

    use super::*;

    /// Content, block table and root table, in the order they have in a file.
    fn protected(content: &[u8]) -> (Vec<u8>, Blocks) {
        let table = block_table(content, BlockSize::PAGE);
        let root = block_table(&table, BlockSize::PAGE);
        let blocks = Blocks::new(content.len(), content.len() + table.len(), BlockSize::PAGE);
        ([content, &table, &root].concat(), blocks)
    }

    #[test]
    fn a_touched_block_is_verified_and_others_are_not() {
        let (mut file, blocks) = protected(&vec![7; 3 * BLOCK]);
        file[2 * BLOCK + 5] ^= 1;
        assert_eq!(blocks.ensure(&Bytes::Whole(&file), 10, 20), Ok(BLOCK));
        let error = blocks.ensure(&Bytes::Whole(&file), 2 * BLOCK - 1, 2 * BLOCK + 1).unwrap_err();
        assert_eq!(error.offset(), 2 * BLOCK as u64);
        assert!(matches!(error.kind(), ErrorKind::Checksum { .. }));
    }

    #[test]
    fn a_damaged_block_table_is_reported_itself() {
        let (mut file, blocks) = protected(&vec![7; BLOCK + 1]);
        file[BLOCK + 1 + 4] ^= 1;
        assert_eq!(blocks.ensure(&Bytes::Whole(&file), 0, 1).unwrap_err().offset(), BLOCK as u64 + 1);
    }

    #[test]
    fn the_last_block_may_be_short() {
        let (file, blocks) = protected(&[1, 2, 3]);
        assert_eq!(blocks.ensure(&Bytes::Whole(&file), 0, 3), Ok(3));
    }

    #[test]
    fn verified_bytes_are_those_of_the_blocks_that_were_touched() {
        let (file, blocks) = protected(&vec![7; 2 * BLOCK + 9]);
        assert_eq!(blocks.verified_bytes(), 0);
        blocks.ensure(&Bytes::Whole(&file), 5, 6).unwrap();
        assert_eq!(blocks.verified_bytes(), BLOCK as u64 + 12, "one block, and the table of three checksums");
        blocks.ensure(&Bytes::Whole(&file), 2 * BLOCK, 2 * BLOCK + 1).unwrap();
        assert_eq!(blocks.verified_bytes(), BLOCK as u64 + 9 + 12, "the last block is short");
    }

    /// The numbers of the verified content blocks, and whether the first block of the table was
    /// verified.
    fn verified(blocks: &Blocks) -> (Vec<u64>, bool) {
        let (content, table): (Vec<_>, Vec<_>) =
            blocks.verified_ranges().partition(|range| range.start < blocks.table as u64);
        (content.iter().map(|range| range.start / BLOCK as u64).collect(), !table.is_empty())
    }

    #[test]
    fn each_block_is_remembered_by_itself() {
        let (file, blocks) = protected(&vec![7; 70 * BLOCK]);
        for (number, expected) in
            [(1, vec![1]), (65, vec![1, 65]), (64, vec![1, 64, 65]), (69, vec![1, 64, 65, 69])]
        {
            assert_eq!(
                blocks.ensure(&Bytes::Whole(&file), number * BLOCK, number * BLOCK + 1),
                Ok((number + 1) * BLOCK)
            );
            assert_eq!(verified(&blocks), (expected, true));
        }
    }

    #[test]
    fn a_block_is_compared_once_and_a_damaged_one_each_time() {
        let (mut file, blocks) = protected(&vec![7; 2 * BLOCK]);
        assert_eq!(blocks.ensure(&Bytes::Whole(&file), 0, BLOCK), Ok(BLOCK));
        file[0] ^= 1;
        file[BLOCK] ^= 1;
        assert_eq!(
            blocks.ensure(&Bytes::Whole(&file), 0, 1),
            Ok(BLOCK),
            "what was verified is not read again"
        );
        for _ in 0..2 {
            let error = blocks.ensure(&Bytes::Whole(&file), 0, BLOCK + 1).unwrap_err();
            let found = crc32fast::hash(&file[BLOCK..2 * BLOCK]);
            let expected = ErrorKind::Checksum { expected: crc32fast::hash(&[7; BLOCK]), found };
            assert_eq!(error, expected.at(BLOCK as u64));
        }
        assert_eq!(verified(&blocks), (vec![0], true));
    }

    #[test]
    fn a_block_that_another_thread_marked_meanwhile_stays_verified() {
        let (_, blocks) = protected(&vec![7; 3 * BLOCK]);
        blocks.mark(1);
        blocks.mark(1);
        assert_eq!(verified(&blocks), (vec![1], false));
    }

    #[test]
    fn a_block_ends_a_cursor_s_ready_bytes_once_it_was_verified() {
        let (file, blocks) = protected(&vec![7; 2 * BLOCK + 9]);
        assert_eq!(blocks.verified_until(BLOCK + 5), BLOCK + 5);
        blocks.ensure(&Bytes::Whole(&file), BLOCK, BLOCK + 1).unwrap();
        assert_eq!(blocks.verified_until(BLOCK + 5), 2 * BLOCK);
        assert_eq!(blocks.verified_until(BLOCK), 2 * BLOCK);
        assert_eq!(blocks.verified_until(BLOCK - 1), BLOCK - 1);
        blocks.ensure(&Bytes::Whole(&file), 2 * BLOCK, 2 * BLOCK + 9).unwrap();
        assert_eq!(blocks.verified_until(2 * BLOCK + 1), 2 * BLOCK + 9);
        let table = 2 * BLOCK + 9;
        assert_eq!(blocks.verified_until(table + 1), table + 1, "the table is no content");
    }

    #[test]
    fn the_table_has_blocks_of_its_own() {
        // One more content block than one block of the table covers.
        const CONTENT: usize = 1024 * BLOCK + 1;
        let (mut file, blocks) = protected(&vec![7; CONTENT]);
        let (second, root) = (CONTENT + BLOCK, CONTENT + BLOCK + 4);
        file[second] ^= 1;
        assert_eq!(blocks.ensure(&Bytes::Whole(&file), 0, 1), Ok(BLOCK));
        assert_eq!(blocks.ensure(&Bytes::Whole(&file), 1023 * BLOCK, 1023 * BLOCK + 1), Ok(1024 * BLOCK));
        for (from, to) in [(1024 * BLOCK, CONTENT), (second, root), (second - 1, second + 1)] {
            assert_eq!(
                blocks.ensure(&Bytes::Whole(&file), from, to).unwrap_err().offset(),
                second as u64,
                "{from}"
            );
        }
        file[second] ^= 1;
        assert_eq!(blocks.ensure(&Bytes::Whole(&file), second - 1, second), Ok(second));
        assert_eq!(blocks.ensure(&Bytes::Whole(&file), 1024 * BLOCK, second), Ok(second));
        assert_eq!(blocks.ensure(&Bytes::Whole(&file), second, root), Ok(root));
        assert_eq!(
            blocks.ensure(&Bytes::Whole(&file), second, root + 1),
            Ok(file.len()),
            "the trailer covers the root table"
        );
        assert_eq!(blocks.verified_bytes(), 2 * BLOCK as u64 + 1 + BLOCK as u64 + 4);
    }

    #[test]
    fn a_file_that_ends_before_its_checksums_is_too_short() {
        let (file, blocks) = protected(&vec![7; BLOCK]);
        let cut = &file[..BLOCK + 3];
        let expected = ErrorKind::Length { declared: BLOCK as u64 + 4, actual: BLOCK as u64 + 3 };
        assert_eq!(blocks.ensure(&Bytes::Whole(cut), 0, 1), Err(expected.at(BLOCK as u64)));
    }

    #[test]
    fn a_table_is_the_checksums_in_order() {
        let content = [vec![1; BLOCK], vec![2; 3]].concat();
        let sums = [crc32fast::hash(&[1; BLOCK]), crc32fast::hash(&[2; 3])].map(u32::to_le_bytes).concat();
        assert_eq!(block_table(&content, BlockSize::PAGE), sums);
        assert!(block_table(&[], BlockSize::PAGE).is_empty());
    }
}
