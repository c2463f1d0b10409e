//! §1 Tables: parts of fixed-width little-endian entries.

use super::directory::{Entry, Part};
use crate::bytes::Bytes;
use crate::bytes::checksum::Blocks;
use coconut_format::error::{DecodeError, ErrorKind};
use std::ops::Range;

/// A table of an open file. Reads entry by entry, and verifies each block's checksum once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Table<'a> {
    data: Bytes<'a>,
    blocks: Option<&'a Blocks>,
    entry: &'a Entry,
}

impl<'a> Table<'a> {
    pub(crate) fn new(data: Bytes<'a>, blocks: Option<&'a Blocks>, entry: &'a Entry) -> Self {
        Table { data, blocks, entry }
    }

    pub(crate) fn part(&self) -> Part {
        self.entry.part
    }

    /// The number of entries of `width` bytes.
    #[inline]
    pub(crate) fn len(&self, width: usize) -> usize {
        self.entry.end.saturating_sub(self.entry.start).checked_div(width).unwrap_or_default()
    }

    /// File offset of entry `index`, for errors.
    pub(crate) fn place_of(&self, index: usize, width: usize) -> u64 {
        self.entry.start.saturating_add(index.saturating_mul(width)) as u64
    }

    /// All bytes of the table, with the checksums of its blocks verified once. For readers that
    /// read all of it.
    pub(crate) fn whole(&self) -> Result<&'a [u8], DecodeError> {
        let range = self.entry.range();
        let Some(bytes) = self.data.get(range.clone()) else {
            return Err(ErrorKind::IndexRange { table: self.entry.part.0 }.at(self.entry.end as u64));
        };
        if let Some(blocks) = self.blocks
            && !bytes.is_empty()
        {
            blocks.ensure(&self.data, range.start, range.end)?;
        }
        Ok(bytes)
    }

    /// The bytes of entry `index`. An index after the last gives [`ErrorKind::IndexRange`] at the
    /// end of the table.
    #[inline]
    pub(crate) fn entry<const WIDTH: usize>(&self, index: usize) -> Result<[u8; WIDTH], DecodeError> {
        if index >= self.len(WIDTH) {
            return Err(self.beyond());
        }
        // Within the file, whose length is a `usize`.
        let start = self.entry.start.wrapping_add(index.wrapping_mul(WIDTH));
        if let Some(blocks) = self.blocks {
            blocks.ensure(&self.data, start, start.wrapping_add(WIDTH))?;
        }
        self.data.array(start).copied().ok_or_else(|| self.beyond())
    }

    #[cold]
    fn beyond(&self) -> DecodeError {
        ErrorKind::IndexRange { table: self.entry.part.0 }.at(self.entry.end as u64)
    }

    /// A range of the table's bytes, for readers of a few adjacent entries.
    ///
    /// Inlined: with a call, a lookup in an open file takes 6 % more instructions.
    #[inline(always)]
    pub(crate) fn stretch(&self, range: Range<usize>) -> Result<&'a [u8], DecodeError> {
        if range.start > range.end || range.end > self.len(1) {
            return Err(self.beyond());
        }
        // Within the file, whose length is a `usize`.
        let [start, end] = [range.start, range.end].map(|place| self.entry.start.wrapping_add(place));
        // Nearly all ranges are in one block that was verified before.
        if let Some(blocks) = self.blocks
            && end > blocks.verified_until(start)
        {
            blocks.ensure(&self.data, start, end)?;
        }
        self.data.get(start..end).ok_or_else(|| self.beyond())
    }

    /// Entry `index` of a table of u32.
    #[inline]
    pub(crate) fn u32(&self, index: usize) -> Result<u32, DecodeError> {
        self.entry(index).map(u32::from_le_bytes)
    }

    /// Entry `index` of a table of offsets, which are u64 if `wide` and u32 otherwise.
    #[inline]
    pub(crate) fn offset(&self, index: usize, wide: bool) -> Result<usize, DecodeError> {
        if !wide {
            return self.u32(index).map(|offset| offset as usize);
        }
        let offset = u64::from_le_bytes(self.entry(index)?);
        usize::try_from(offset)
            .map_err(|_| ErrorKind::IndexRange { table: self.part().0 }.at(self.place_of(index, 8)))
    }
}

/// Bytes of an offset.
pub(crate) fn offset_width(wide: bool) -> usize {
    if wide { 8 } else { 4 }
}

/// Appends an offset of a table.
pub(crate) fn put_offset(out: &mut Vec<u8>, offset: u64, wide: bool) {
    let bytes = offset.to_le_bytes();
    match wide {
        true => out.extend_from_slice(&bytes),
        // The writer chooses the wide form if some offset would not fit.
        false => out.extend_from_slice(bytes.first_chunk::<4>().expect("4 of 8")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::checksum::{BLOCK, BlockSize, block_table};

    /// A table of numbers that extends from a good block into a damaged one.
    fn ask<T>(ask: impl FnOnce(Table<'_>) -> T) -> T {
        let mut content: Vec<u8> = (0..).take(BLOCK / 2).flat_map(u32::to_le_bytes).collect();
        let table = block_table(&content, BlockSize::PAGE);
        let blocks = Blocks::new(content.len(), content.len() + table.len(), BlockSize::PAGE);
        let root = block_table(&table, BlockSize::PAGE);
        content[2 * BLOCK - 1] ^= 1;
        let file = [content, table, root].concat();
        let (part, start, end) = (Part::LANDMARK_OFFSETS, BLOCK - 16, BLOCK + 16);
        let entry = Entry { part, flags: 0, stride: 0, start, end };
        ask(Table::new(Bytes::Whole(&file), Some(&blocks), &entry))
    }

    fn is_damage<T>(result: Result<T, DecodeError>) -> bool {
        let error = result.err();
        error.is_some_and(|error| {
            matches!(error.kind(), ErrorKind::Checksum { .. }) && error.offset() == BLOCK as u64
        })
    }

    #[test]
    fn no_bytes_are_returned_from_a_damaged_block() {
        let first = u32::try_from(BLOCK / 4).unwrap() - 4;
        ask(|table| {
            assert_eq!((table.len(4), table.len(8), table.place_of(2, 8)), (8, 4, BLOCK as u64));
            assert_eq!((table.u32(0), table.u32(3)), (Ok(first), Ok(first + 3)));
            assert!(is_damage(table.u32(4)) && is_damage(table.offset(2, true)));
            assert_eq!(table.stretch(12..16).map(<[u8]>::to_vec), Ok((first + 3).to_le_bytes().to_vec()));
            assert!(is_damage(table.stretch(12..17)));
            assert!(is_damage(table.whole()));
        });
    }

    #[test]
    fn no_block_is_verified_for_an_empty_range() {
        ask(|table| {
            assert_eq!(table.stretch(16..16), Ok(&[][..]));
            assert_eq!(table.stretch(32..32), Ok(&[][..]));
        });
    }

    #[test]
    fn an_index_after_the_table_is_reported_at_its_end() {
        ask(|table| {
            let end = BLOCK as u64 + 16;
            let beyond = ErrorKind::IndexRange { table: Part::LANDMARK_OFFSETS.0 }.at(end);
            assert_eq!((table.u32(8), table.u32(usize::MAX)), (Err(beyond.clone()), Err(beyond.clone())));
            assert_eq!((table.stretch(0..33), table.stretch(33..33)), (Err(beyond.clone()), Err(beyond)));
        });
    }
}
