//! Pieces after the elements (§5.8, §7, §8): tables, checksums, directory, trailer.

use super::Dissector;
use crate::bytes::Bytes;
use crate::msgpack::Token;
use crate::read::file::DocumentView;
use crate::wire::directory::{Entry, Part};
use crate::wire::ids::Ordinal;
use crate::wire::keys::LANDMARK_DIGEST;
use crate::wire::landmarks::NO_PARENT;
use crate::wire::table::{Table, offset_width};
use crate::wire::trailer::TRAILER;
use coconut_format::error::{DecodeError, ErrorKind};
use coconut_format::hex::Hex;

impl<E> Dissector<'_, '_, E> {
    /// Emits everything after the root of a file that opens.
    pub(super) fn tables(&mut self, document: DocumentView<'_>) -> Result<(), E> {
        let frame = document.frame;
        let wide = frame.trailer.wide;
        let mut entries: Vec<&Entry> =
            frame.directory.entries.iter().filter(|entry| !entry.is_element()).collect();
        entries.sort_by_key(|entry| entry.start);
        self.later_elements()?;
        for entry in entries {
            self.padding(entry.start)?;
            self.table(entry, wide)?;
            if entry.part == Part::BLOCK_TABLE {
                self.root_table(entry)?;
            }
        }
        self.padding(frame.directory.start)?;
        for entry in &frame.directory.entries {
            let (number, name) = (entry.part.0, entry.part.name());
            let said = format!("directory: part {number}, {name}, bytes {} to {}", entry.start, entry.end);
            let width = if wide { 20 } else { 12 };
            self.piece(self.at + width, 0, said)?;
        }
        self.trailer()
    }

    /// Emits elements of a later version (§5.1), and the header of the one that holds the tables.
    fn later_elements(&mut self) -> Result<(), E> {
        let mut cursor = self.cursor(self.data.len());
        loop {
            let start = cursor.position();
            match cursor.token() {
                Ok(Token::Bin(body)) if cursor.is_at_end() => {
                    let header = cursor.position() - body.len();
                    return self.piece(header, 0, format!("tables: {} bytes", body.len()));
                }
                Err(error) => return self.unread(start, Some(error)),
                // This is not the last element, so step over it from its beginning.
                Ok(_) => {
                    let mut value =
                        crate::msgpack::Cursor::new(Bytes::Whole(self.data), start, self.data.len(), None);
                    if value.skip(1).is_err() {
                        return Ok(());
                    }
                    self.piece(value.position(), 0, "element of a later version")?;
                    cursor = value;
                }
            }
        }
    }

    /// Emits the bytes up to the next table: padding if all are zero, otherwise a fault.
    fn padding(&mut self, end: usize) -> Result<(), E> {
        let gap = self.data.get(self.at..end).unwrap_or_default();
        match gap.iter().all(|&byte| byte == 0) {
            true => self.piece(end, 0, "padding"),
            false => self.unread(end, Some(ErrorKind::Padding.at(self.at as u64))),
        }
    }

    fn table(&mut self, entry: &Entry, wide: bool) -> Result<(), E> {
        let table = Table::new(Bytes::Whole(self.data), None, entry);
        let offset = offset_width(wide);
        let width = match entry.part {
            Part::STRING_OFFSETS | Part::SHAPE_OFFSETS | Part::SHARED_OFFSETS | Part::LANDMARK_OFFSETS => {
                offset
            }
            Part::LANDMARK_TREE => 8,
            Part::LANDMARK_DIGESTS => LANDMARK_DIGEST,
            Part::KEY_SLOTS if wide => 16,
            Part::KEY_SLOTS => 8,
            Part::LANDMARK_CLASSES | Part::DEPENDENCY_KINDS | Part::DEPENDENT_KINDS => 1,
            Part::KEY_BUCKETS
            | Part::DEPENDENCY_STARTS
            | Part::DEPENDENCY_TARGETS
            | Part::DEPENDENT_STARTS
            | Part::DEPENDENT_TARGETS
            | Part::BLOCK_TABLE => 4,
            _ => return self.piece(entry.end, 0, format!("part {}, unknown", entry.part.0)),
        };
        let mut index = 0;
        while self.is_before(entry.end) {
            let said = match entry.part {
                Part::BLOCK_TABLE => self.said_of_checksum(&table, index),
                _ => said_of(&table, entry, index, wide),
            };
            let said = said.unwrap_or_else(|_| "an incomplete entry".to_owned());
            let fault = match entry.part {
                Part::BLOCK_TABLE => self.fault_of_block(index),
                _ => None,
            };
            let end = (self.at + width).min(entry.end);
            self.emit(end, 1, format!("{} {index}: {said}", entry.part.name()), None, false, fault)?;
            index += 1;
        }
        Ok(())
    }

    fn said_of_checksum(&self, table: &Table<'_>, index: usize) -> Result<String, DecodeError> {
        let start = index.saturating_mul(self.block.bytes());
        Ok(format!("checksum {:#010x} of the block at byte {start}", table.u32(index)?))
    }

    /// Returns the error of content block `index`, to show it also at its checksum.
    fn fault_of_block(&self, index: usize) -> Option<DecodeError> {
        let start = index.saturating_mul(self.block.bytes());
        self.bad_blocks.iter().find(|(block, _)| *block == start).map(|(_, error)| error.clone())
    }

    /// Emits the checksums of the block table itself (§7.2), which follow it directly.
    fn root_table(&mut self, block_table: &Entry) -> Result<(), E> {
        let blocks = (block_table.end - block_table.start).div_ceil(self.block.bytes());
        for index in 0..blocks {
            self.piece(
                self.at + 4,
                1,
                format!("root table {index}: checksum of a block of the block table"),
            )?;
        }
        Ok(())
    }

    /// Emits the trailer (§5.10), field by field.
    fn trailer(&mut self) -> Result<(), E> {
        const FIELDS: [(usize, &str); 7] = [
            (8, "length of the file"),
            (8, "where its checksum begins"),
            (2, "number of directory entries"),
            (1, "flags"),
            (1, "size of blocks"),
            (4, "magic `COCO`"),
            (4, "checksum"),
        ];
        const { assert!(TRAILER == 28, "the fields make up the trailer") };
        for (width, said) in FIELDS {
            self.piece(self.at + width, 0, format!("trailer: {said}"))?;
        }
        Ok(())
    }
}

/// Describes one entry of a table.
fn said_of(table: &Table<'_>, entry: &Entry, index: usize, wide: bool) -> Result<String, DecodeError> {
    let offset_at = |index: usize| table.offset(index, wide).map(|offset| format!("byte {offset}"));
    Ok(match entry.part {
        Part::STRING_OFFSETS | Part::SHAPE_OFFSETS | Part::SHARED_OFFSETS => {
            let item = (index as u64).checked_shl(entry.stride.into()).unwrap_or(u64::MAX);
            format!("item {item} at {}", offset_at(index)?)
        }
        Part::LANDMARK_OFFSETS => format!("at {}", offset_at(index)?),
        Part::LANDMARK_CLASSES => format!("class {}", table.entry::<1>(index)?[0]),
        Part::LANDMARK_TREE => {
            let parent = Ordinal(table.u32(index.saturating_mul(2))?);
            let end = table.u32(index.saturating_mul(2).saturating_add(1))?;
            match parent {
                NO_PARENT => format!("no parent, ends before {end}"),
                Ordinal(parent) => format!("in {parent}, ends before {end}"),
            }
        }
        Part::KEY_BUCKETS => format!("slots from {}", table.u32(index)?),
        Part::KEY_SLOTS => {
            let width = if wide { 4 } else { 2 };
            let hash = table.u32(index.saturating_mul(width))?;
            // The second half of the slot, in either width.
            let offset = table.offset(index.saturating_mul(2).saturating_add(1), wide)?;
            format!("hash {hash:#010x}, landmark at byte {offset}")
        }
        Part::DEPENDENCY_STARTS | Part::DEPENDENT_STARTS => {
            format!("place {} among the edges", table.u32(index)?)
        }
        Part::DEPENDENCY_TARGETS | Part::DEPENDENT_TARGETS => format!("landmark {}", table.u32(index)?),
        Part::DEPENDENCY_KINDS | Part::DEPENDENT_KINDS => {
            format!("edge pattern {}", table.entry::<1>(index)?[0])
        }
        Part::LANDMARK_DIGESTS => {
            format!("digest {} of slot {index}", Hex(&table.entry::<LANDMARK_DIGEST>(index)?))
        }
        _ => String::new(),
    })
}
