//! §5.9 Offset tables: item *i* of an element, without decoding those before it.
//!
//! ```text
//! element   [ item 0, item 1, … item 15, item 16, … ]
//! table       ▲ entry 0                  ▲ entry 1        stride 16: s = 4
//! ```

use super::checksum::Blocks;
use super::directory::{Directory, Entry, Part};
use super::table::{Table, offset_width, put_offset};
use crate::msgpack::Cursor;
use coconut_format::error::{DecodeError, ErrorKind};

/// Items of an element from which a writer makes an offset table.
pub(crate) const TABLE_FROM: usize = 64;

/// One of the three elements whose items have ids, in an open file.
#[derive(Debug)]
pub(crate) struct Items {
    pub(crate) start: usize,
    pub(crate) end: usize,
    wide: bool,
    table: Option<Entry>,
    /// Made when the file was opened, where it has no table and many items.
    made: Option<(u32, Vec<usize>)>,
}

/// Binary logarithm of the stride of tables made when a file is opened.
const MADE_STRIDE: u32 = 3;

impl Items {
    /// The items of element `part`, with the table `offsets` if the file has it.
    pub(crate) fn open(
        data: &[u8],
        blocks: Option<&Blocks>,
        directory: &Directory,
        (part, offsets): (Part, Part),
        wide: bool,
    ) -> Result<Items, DecodeError> {
        let element = directory.get(part).expect("the directory has all four elements");
        let table = directory.get(offsets).copied();
        let mut items = Items { start: element.start, end: element.end, wide, table, made: None };
        if let Some(table) = table {
            let length = table.end.saturating_sub(table.start);
            let width = offset_width(wide);
            let whole = length.checked_div(width).unwrap_or_default().saturating_mul(width);
            if length == 0 || length != whole || table.stride > 31 {
                let expected = whole.max(width) as u64;
                let kind = ErrorKind::PartLength { part: offsets.0, expected, found: length as u64 };
                return Err(kind.at(directory.place_of(offsets, wide)));
            }
        } else {
            let mut cursor = items.cursor(data, blocks, items.start);
            let count = cursor.array_header()? as usize;
            if count >= TABLE_FROM {
                let mut made = Vec::with_capacity(count >> MADE_STRIDE);
                for index in 0..count {
                    if index.is_multiple_of(1 << MADE_STRIDE) {
                        made.push(cursor.position());
                    }
                    cursor.skip(1)?;
                }
                items.made = Some((MADE_STRIDE, made));
            }
        }
        Ok(items)
    }

    fn cursor<'a>(&self, data: &'a [u8], blocks: Option<&'a Blocks>, start: usize) -> Cursor<'a> {
        Cursor::new(data, start, self.end, blocks)
    }

    /// How many items there are: the claim of the array header, at most one per byte.
    pub(crate) fn count(&self, data: &[u8], blocks: Option<&Blocks>) -> Result<u32, DecodeError> {
        self.cursor(data, blocks, self.start).array_header()
    }

    /// A cursor at item `id`; `None` when there is no such item.
    ///
    /// Touches one entry of the table and at most a stride of items. The array header is not read: that would
    /// cost a page fault more.
    pub(crate) fn find<'a>(
        &self,
        data: &'a [u8],
        blocks: Option<&'a Blocks>,
        id: u32,
    ) -> Result<Option<Cursor<'a>>, DecodeError> {
        let (mut cursor, steps) = match (&self.table, &self.made) {
            (Some(table), _) => {
                let stride = u32::from(table.stride).min(31);
                let (entry, steps) = ((id >> stride) as usize, id & ((1u32 << stride).wrapping_sub(1)));
                let offsets = Table::new(data, blocks, table);
                if entry >= offsets.len(offset_width(self.wide)) {
                    return Ok(None);
                }
                let offset = offsets.offset(entry, self.wide)?;
                if offset <= self.start || offset > self.end {
                    let kind = ErrorKind::IndexRange { table: table.part.0 };
                    return Err(kind.at(offsets.place_of(entry, offset_width(self.wide))));
                }
                (self.cursor(data, blocks, offset), steps)
            }
            (None, Some((stride, made))) => match made.get((id >> stride) as usize) {
                Some(&offset) => (self.cursor(data, blocks, offset), id & (1u32 << stride).wrapping_sub(1)),
                None => return Ok(None),
            },
            (None, None) => {
                let mut cursor = self.cursor(data, blocks, self.start);
                if id >= cursor.array_header()? {
                    return Ok(None);
                }
                (cursor, id)
            }
        };
        for _ in 0..steps {
            if cursor.is_at_end() {
                return Ok(None);
            }
            cursor.skip(1)?;
        }
        Ok((!cursor.is_at_end()).then_some(cursor))
    }

    /// The offsets of all items, by walking the element: for operations that read everything.
    pub(crate) fn all(&self, data: &[u8], blocks: Option<&Blocks>) -> Result<Vec<usize>, DecodeError> {
        let mut cursor = self.cursor(data, blocks, self.start);
        let count = cursor.array_header()? as usize;
        // Believed: the cursor has compared the count with the bytes left.
        let mut offsets = Vec::with_capacity(count);
        for _ in 0..count {
            offsets.push(cursor.position());
            cursor.skip(1)?;
        }
        match cursor.is_at_end() {
            true => Ok(offsets),
            false => {
                let count = self.end.saturating_sub(cursor.position()) as u64;
                Err(ErrorKind::TrailingBytes { count }.at(cursor.position() as u64))
            }
        }
    }
}

/// The stride (as its logarithm) that a writer gives a table over `count` items of an element of `bytes`.
///
/// Direct where the table is small beside the element, else sampled so that it takes about a byte an item.
pub(crate) fn choose_stride(count: usize, bytes: usize) -> u16 {
    let average = bytes.checked_div(count).unwrap_or_default();
    match average {
        0..=15 => 3,
        16..=63 => 2,
        _ => 0,
    }
}

/// Appends the table over `offsets`, which are those of all items.
pub(crate) fn put_table(offsets: &[u64], stride: u16, wide: bool, out: &mut Vec<u8>) {
    for &offset in offsets.iter().step_by(1 << stride) {
        put_offset(out, offset, wide);
    }
}
