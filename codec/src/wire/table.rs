//! §1 Tables: parts of fixed-width little-endian entries.

use super::checksum::Blocks;
use super::directory::{Entry, Part};
use crate::bytes::Bytes;
use coconut_format::error::{DecodeError, ErrorKind};
use std::ops::Range;

/// A table of an open file. Reads entry by entry, each block's checksum once.
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

    /// How many entries of `width` bytes there are.
    pub(crate) fn len(&self, width: usize) -> usize {
        self.entry.end.saturating_sub(self.entry.start).checked_div(width).unwrap_or_default()
    }

    /// File offset of entry `index`, for errors.
    pub(crate) fn place_of(&self, index: usize, width: usize) -> u64 {
        self.entry.start.saturating_add(index.saturating_mul(width)) as u64
    }

    /// All bytes of the table, its blocks' checksums compared once. For readers that go through all of it.
    pub(crate) fn whole(&self) -> Result<&'a [u8], DecodeError> {
        let range = self.entry.range();
        let Some(bytes) = self.data.get(range.clone()) else {
            return Err(ErrorKind::IndexRange { table: self.entry.part.0 }.at(self.entry.end as u64));
        };
        if let Some(blocks) = self.blocks
            && !bytes.is_empty()
        {
            blocks.ensure(self.data, range.start, range.end)?;
        }
        Ok(bytes)
    }

    /// The bytes of entry `index`; an index beyond the table is [`ErrorKind::IndexRange`] at the table's end.
    #[inline]
    pub(crate) fn entry<const WIDTH: usize>(&self, index: usize) -> Result<[u8; WIDTH], DecodeError> {
        let start = self.entry.start.saturating_add(index.saturating_mul(WIDTH));
        let end = start.saturating_add(WIDTH);
        let bytes = self.data.get(start..end).filter(|_| end <= self.entry.end);
        let Some(bytes) = bytes.and_then(|bytes| bytes.first_chunk()) else { return Err(self.beyond()) };
        if let Some(blocks) = self.blocks {
            blocks.ensure(self.data, start, end)?;
        }
        Ok(*bytes)
    }

    #[cold]
    fn beyond(&self) -> DecodeError {
        ErrorKind::IndexRange { table: self.entry.part.0 }.at(self.entry.end as u64)
    }

    /// A stretch of the table's bytes: for readers that look at a few neighbours at once.
    #[inline]
    pub(crate) fn stretch(&self, range: Range<usize>) -> Result<&'a [u8], DecodeError> {
        let start = self.entry.start.saturating_add(range.start);
        let end = self.entry.start.saturating_add(range.end);
        let Some(bytes) = self.data.get(start..end).filter(|_| end <= self.entry.end) else {
            return Err(self.beyond());
        };
        if let Some(blocks) = self.blocks
            && start < end
        {
            blocks.ensure(self.data, start, end)?;
        }
        Ok(bytes)
    }

    /// Entry `index` of a table of u32.
    #[inline]
    pub(crate) fn u32(&self, index: usize) -> Result<u32, DecodeError> {
        self.entry(index).map(u32::from_le_bytes)
    }

    /// Entry `index` of a table of offsets, which are u32, or u64 if `wide`.
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
        // The writer chooses the wide form when some offset would not fit.
        false => out.extend_from_slice(bytes.first_chunk::<4>().expect("4 of 8")),
    }
}
