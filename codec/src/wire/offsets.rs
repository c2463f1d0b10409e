//! §5.9 Offset tables: item *i* of an element, without decoding those before it.
//!
//! ```text
//! element   [ item 0, item 1, … item 15, item 16, … ]
//! table       ▲ entry 0                  ▲ entry 1        stride 16: s = 4
//! ```

use super::checksum::Blocks;
use super::directory::{Directory, Entry, Part};
use super::table::{Table, offset_width, put_offset};
use crate::bytes::Bytes;
use crate::msgpack::{Cursor, Token};
use coconut_format::error::{DecodeError, ErrorKind};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Items of an element from which a writer makes an offset table.
pub(crate) const TABLE_FROM: usize = 64;

/// The same for shapes of a file that is made to be looked up in: a lookup needs some ten of them, and stepping
/// over one takes as long as reading it.
pub(crate) const SHAPE_TABLE_FROM: usize = 4;

/// One of the three elements whose items have ids, in an open file.
#[derive(Debug)]
pub(crate) struct Items {
    pub(crate) start: usize,
    pub(crate) end: usize,
    wide: bool,
    table: Option<Entry>,
    /// Made when first needed, where the file has no table that is used and the element many items; else empty.
    made: OnceLock<Vec<usize>>,
    /// Bytes that were stepped over on long ways to items.
    stepped: AtomicUsize,
    /// Where every item begins, or [`UNKNOWN`]; made when finding items has cost as much as making it does.
    every: OnceLock<Vec<usize>>,
}

/// Where an item begins that damage keeps from being found. No item begins where a file does.
const UNKNOWN: usize = 0;

/// Binary logarithm of the longest stride of a table that is used. With fewer samples each lookup would walk a good
/// part of the element, and a document of lookups take the square of its time.
const LONGEST_STRIDE: u16 = 6;

/// Binary logarithm of the stride of tables that a reader makes.
const MADE_STRIDE: u32 = 3;

/// Bytes from the sample of a table to the item, from which on the way is long.
const LONG_WAY: usize = 256;

impl Items {
    /// The items of element `part`, with the table `offsets` if the file has it. Reads neither.
    pub(crate) fn open(
        directory: &Directory,
        (part, offsets): (Part, Part),
        wide: bool,
    ) -> Result<Items, DecodeError> {
        let element = directory.get(part).expect("the directory has all four elements");
        let table = directory.get(offsets).copied();
        if let Some(table) = table {
            let length = table.end.saturating_sub(table.start);
            let width = offset_width(wide);
            let whole = length.checked_div(width).unwrap_or_default().saturating_mul(width);
            if length != whole {
                let kind =
                    ErrorKind::PartLength { part: offsets.0, expected: whole as u64, found: length as u64 };
                return Err(kind.at(directory.place_of(offsets, wide)));
            }
        }
        Ok(Items {
            start: element.start,
            end: element.end,
            wide,
            table,
            made: OnceLock::new(),
            stepped: AtomicUsize::new(0),
            every: OnceLock::new(),
        })
    }

    /// A cursor behind the array header of the element, and how many items there are: at most one per byte.
    pub(crate) fn first<'a>(
        &self,
        data: Bytes<'a>,
        blocks: Option<&'a Blocks>,
    ) -> Result<(Cursor<'a>, u32), DecodeError> {
        let mut cursor = Cursor::new(data, self.start, self.end, blocks);
        match cursor.token()? {
            Token::Array(count) => Ok((cursor, count)),
            _ => Err(ErrorKind::PayloadForm { expected: "array" }.at(self.start as u64)),
        }
    }

    /// How many items there are.
    pub(crate) fn count(&self, data: Bytes<'_>, blocks: Option<&Blocks>) -> Result<u32, DecodeError> {
        self.first(data, blocks).map(|(_, count)| count)
    }

    /// A cursor at item `id`; `None` when there is no such item.
    ///
    /// Touches one entry of the table and at most a stride of items. With a table the array header is not
    /// read: that would cost a page fault more.
    pub(crate) fn find<'a>(
        &self,
        data: Bytes<'a>,
        blocks: Option<&'a Blocks>,
        id: u32,
    ) -> Result<Option<Cursor<'a>>, DecodeError> {
        let at = |offset| Cursor::new(data, offset, self.end, blocks);
        let every = self.every.get();
        let (mut cursor, steps) = match self.used_table() {
            Some(table) => {
                let entry = (id >> table.stride) as usize;
                let steps = id & (1u32 << table.stride).wrapping_sub(1);
                let offsets = Table::new(data, blocks, table);
                let width = offset_width(self.wide);
                if entry >= offsets.len(width) {
                    return Ok(None);
                }
                let offset = offsets.offset(entry, self.wide)?;
                if offset <= self.start || offset >= self.end {
                    let kind = ErrorKind::IndexRange { table: table.part.0 };
                    return Err(kind.at(offsets.place_of(entry, width)));
                }
                // The answer may not change with what is known.
                let sample = id.wrapping_sub(steps) as usize;
                if every.is_some_and(|every| every.get(sample) != Some(&offset)) {
                    let kind = ErrorKind::IndexDiffers { table: table.part.0 };
                    return Err(kind.at(offsets.place_of(entry, width)));
                }
                (at(offset), steps)
            }
            None => {
                let (first, count) = self.first(data, blocks)?;
                if id >= count {
                    return Ok(None);
                }
                let made = self.made(data, blocks, count)?;
                match made.get((id >> MADE_STRIDE) as usize) {
                    Some(&offset) => (at(offset), id & (1u32 << MADE_STRIDE).wrapping_sub(1)),
                    None => (first, id),
                }
            }
        };
        match every.map(|every| every.get(id as usize)) {
            None | Some(Some(&UNKNOWN)) => {}
            Some(known) => return Ok(known.map(|&offset| at(offset))),
        }
        let before = cursor;
        if cursor.skip(steps.into()).is_ok() {
            let way = cursor.position().saturating_sub(before.position());
            if way > LONG_WAY {
                self.note_long_way(way, data, blocks);
            }
        } else {
            // Either the element ends before the item, or it is damaged: one by one, that can be told.
            cursor = before;
            for _ in 0..steps {
                if cursor.is_at_end() {
                    return Ok(None);
                }
                cursor.skip(1)?;
            }
        }
        Ok((!cursor.is_at_end()).then_some(cursor))
    }

    /// The bytes of item `id`, if it is a string in the verified block that the table leads to. Otherwise
    /// [`find`](Self::find) finds it or says what is wrong.
    ///
    /// One value of a large file is some ninety strings: without the detours this takes 6 % less instructions, and a lookup
    /// in an open file, which is one string, 15 % less.
    #[inline]
    pub(crate) fn near_string<'a>(
        &self,
        data: Bytes<'a>,
        blocks: Option<&'a Blocks>,
        id: u32,
    ) -> Option<&'a [u8]> {
        let table = self.used_table()?;
        let offset = Table::new(data, blocks, table).offset((id >> table.stride) as usize, self.wide).ok()?;
        if offset <= self.start || offset >= self.end {
            return None;
        }
        let steps = id & (1u32 << table.stride).wrapping_sub(1);
        if let Some(every) = self.every.get() {
            // The answer may not change with what is known.
            let is_sample = every.get(id.wrapping_sub(steps) as usize) == Some(&offset);
            let known = every.get(id as usize).filter(|&&known| is_sample && known != UNKNOWN);
            return Some(Cursor::new(data, *known?, self.end, blocks).near_string(0)?.0);
        }
        let (bytes, way) = Cursor::new(data, offset, self.end, blocks).near_string(steps.into())?;
        if way > LONG_WAY {
            self.note_long_way(way, data, blocks);
        }
        Some(bytes)
    }

    /// The table, if the file has one that is used.
    fn used_table(&self) -> Option<&Entry> {
        self.table.as_ref().filter(|table| table.stride <= LONGEST_STRIDE)
    }

    /// Looks for every item once, as soon as that would have cost less than all the long ways together: an item
    /// before others can be as large as the element, and a table can lead to wherever its author wanted.
    #[cold]
    fn note_long_way(&self, way: usize, data: Bytes<'_>, blocks: Option<&Blocks>) {
        let stepped = self.stepped.fetch_add(way, Ordering::Relaxed).saturating_add(way);
        if stepped <= self.end.saturating_sub(self.start) {
            return;
        }
        self.every.get_or_init(|| match self.all(data, blocks) {
            Ok(every) => every,
            // An element that is damaged elsewhere has still the items that are asked for.
            Err(_) => match self.used_table() {
                Some(table) => {
                    self.known_by_table(Table::new(data, blocks, table), table.stride, data, blocks)
                }
                None => self.known_from_first(data, blocks),
            },
        });
    }

    /// Where the items begin that are before any damage.
    fn known_from_first(&self, data: Bytes<'_>, blocks: Option<&Blocks>) -> Vec<usize> {
        let mut known = Vec::new();
        if let Ok((mut cursor, count)) = self.first(data, blocks) {
            note_items(&mut cursor, count, &mut known);
            known.resize(count as usize, UNKNOWN);
        }
        known
    }

    /// Where the items begin that are found from an entry of this table.
    ///
    /// All ways together are no longer than the element, unless the table lies: then nothing is known of its other entries.
    fn known_by_table(
        &self,
        table: Table<'_>,
        stride: u16,
        data: Bytes<'_>,
        blocks: Option<&Blocks>,
    ) -> Vec<usize> {
        let length = self.end.saturating_sub(self.start);
        // No item has less than a byte.
        let most = table.len(offset_width(self.wide)).saturating_mul(1 << stride).min(length);
        let (mut known, mut stepped) = (Vec::new(), 0usize);
        for (entry, sample) in (0..most).step_by(1 << stride).enumerate() {
            known.resize(sample, UNKNOWN);
            let offset = table.offset(entry, self.wide);
            let Ok(offset) = offset.map(|offset| offset.clamp(self.start, self.end)) else { continue };
            let mut cursor = Cursor::new(data, offset, self.end, blocks);
            let seen = note_items(&mut cursor, 1 << stride, &mut known);
            stepped = stepped.saturating_add(seen.saturating_sub(offset));
            if stepped > length {
                break;
            }
        }
        known.resize(most, UNKNOWN);
        known
    }

    /// Whether every entry of the table leads into the element.
    pub(crate) fn check_table(&self, data: Bytes<'_>, blocks: Option<&Blocks>) -> Result<(), DecodeError> {
        let Some(entry) = &self.table else { return Ok(()) };
        let table = Table::new(data, blocks, entry);
        for index in 0..table.len(offset_width(self.wide)) {
            let offset = table.offset(index, self.wide)?;
            if offset <= self.start || offset >= self.end {
                let at = table.place_of(index, offset_width(self.wide));
                return Err(ErrorKind::IndexRange { table: entry.part.0 }.at(at));
            }
        }
        Ok(())
    }

    /// The offset table of an element that has none; empty where stepping is as fast.
    fn made(&self, data: Bytes<'_>, blocks: Option<&Blocks>, count: u32) -> Result<&[usize], DecodeError> {
        if let Some(made) = self.made.get() {
            return Ok(made);
        }
        let mut made = Vec::new();
        if count as usize >= TABLE_FROM {
            let (mut cursor, _) = self.first(data, blocks)?;
            for index in 0..count {
                if index.is_multiple_of(1 << MADE_STRIDE) {
                    made.push(cursor.position());
                }
                cursor.skip(1)?;
            }
        }
        Ok(self.made.get_or_init(|| made))
    }

    /// The offsets of all items, by walking the element: for operations that read everything.
    pub(crate) fn all(&self, data: Bytes<'_>, blocks: Option<&Blocks>) -> Result<Vec<usize>, DecodeError> {
        let (mut cursor, count) = self.first(data, blocks)?;
        let count = count as usize;
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

/// Notes where the next `count` items begin, as far as they can be stepped over. Returns how far the file was looked at.
fn note_items(cursor: &mut Cursor<'_>, count: u32, known: &mut Vec<usize>) -> usize {
    for _ in 0..count {
        if cursor.is_at_end() {
            break;
        }
        known.push(cursor.position());
        if let Err(error) = cursor.skip(1) {
            // A large item can be damaged at its end only.
            return usize::try_from(error.offset()).unwrap_or(usize::MAX);
        }
    }
    cursor.position()
}

/// The stride (as its logarithm) that a writer gives a table over `count` strings or shared values of `bytes`
/// together.
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

/// The same for shapes: always direct. A record needs its shape and those that it nests before any of its values
/// can be read, stepping over a shape means stepping over all its slots, and there are few.
pub(crate) const SHAPE_STRIDE: u16 = 0;

/// Appends the table over `offsets`, which are those of all items.
pub(crate) fn put_table(offsets: &[u64], stride: u16, wide: bool, out: &mut Vec<u8>) {
    let step = 1usize.checked_shl(stride.into()).unwrap_or(usize::MAX);
    for &offset in offsets.iter().step_by(step) {
        put_offset(out, offset, wide);
    }
}

#[cfg(test)]
mod tests {
    use super::super::trailer::{TRAILER, Trailer};
    use super::*;
    use crate::msgpack::{put_array_header, put_str};

    /// An element in a file, with a table behind it.
    struct Element {
        data: Vec<u8>,
        items: Items,
        /// Where each item begins.
        offsets: Vec<usize>,
    }

    impl Element {
        /// One of strings of these lengths, from byte 8 on, with a table of this stride if there is to be one.
        fn of(lengths: &[usize], stride: Option<u16>, wide: bool) -> Element {
            let mut data = vec![0xc1; 8];
            put_array_header(&mut data, lengths.len());
            let mut offsets = Vec::new();
            for &length in lengths {
                offsets.push(data.len());
                put_str(&mut data, &"x".repeat(length));
            }
            let end = data.len();
            let places: Vec<u64> = offsets.iter().map(|&offset| offset as u64).collect();
            put_table(&places, stride.unwrap_or_default(), wide, &mut data);
            let table = stride.map(|stride| {
                let part = Part::STRING_OFFSETS;
                Entry { part, flags: 0, stride, start: end, end: data.len() }
            });
            let (made, stepped, every) = (OnceLock::new(), AtomicUsize::new(0), OnceLock::new());
            let items = Items { start: 8, end, wide, table, made, stepped, every };
            Element { data, items, offsets }
        }

        fn find(&self, id: u32) -> Result<Option<usize>, DecodeError> {
            let found = self.items.find(Bytes::Whole(&self.data), None, id)?;
            Ok(found.map(|cursor| cursor.position()))
        }

        fn near(&self, id: u32) -> Option<usize> {
            self.items.near_string(Bytes::Whole(&self.data), None, id).map(<[u8]>::len)
        }

        fn check_table(&self) -> Result<(), DecodeError> {
            self.items.check_table(Bytes::Whole(&self.data), None)
        }

        /// Sets an entry of a narrow table, and tells where it stands.
        fn set(&mut self, entry: usize, offset: usize) -> u64 {
            let at = self.items.end + 4 * entry;
            self.data[at..at + 4].copy_from_slice(&u32::try_from(offset).unwrap().to_le_bytes());
            at as u64
        }
    }

    #[test]
    fn every_item_is_found_with_any_table_and_with_none() {
        let strides = (0..8).map(Some).chain([None]);
        for (stride, count) in strides.flat_map(|stride| [1, 10, 63, 64, 65, 200].map(|n| (stride, n))) {
            for wide in [false, true] {
                let lengths: Vec<usize> = (0..count).map(|n| n % 7).collect();
                let element = Element::of(&lengths, stride, wide);
                for (id, &offset) in (0..).zip(&element.offsets) {
                    assert_eq!(element.find(id), Ok(Some(offset)), "{id} of {count}, stride {stride:?}");
                }
                let count = u32::try_from(count).unwrap();
                for id in [count, count + 1, count + 7, count + 200, u32::MAX] {
                    assert_eq!(element.find(id), Ok(None), "{id} of {count}, stride {stride:?}");
                }
                let data = Bytes::Whole(&element.data);
                assert_eq!(element.items.count(data, None), Ok(count));
                assert_eq!(element.items.all(data, None), Ok(element.offsets.clone()));
                assert_eq!(element.check_table(), Ok(()));
            }
        }
    }

    #[test]
    fn a_table_is_made_where_there_are_64_items() {
        for (count, stride, samples) in [(63, None, 0), (64, None, 8), (65, None, 9), (65, Some(7), 9)] {
            let element = Element::of(&vec![1; count], stride, false);
            element.find(1).unwrap();
            let expected: Vec<usize> = element.offsets.iter().copied().step_by(8).take(samples).collect();
            assert_eq!(element.items.made.get(), Some(&expected), "{count} items");
        }
        let element = Element::of(&[1; 65], Some(6), false);
        element.find(1).unwrap();
        assert_eq!(element.items.made.get(), None);
    }

    #[test]
    fn an_entry_that_leads_outside_is_named_unless_the_table_is_not_used() {
        for (stride, is_used) in [(0, true), (6, true), (7, false)] {
            let good = || Element::of(&[1; 300], Some(stride), false);
            let (start, end) = (good().items.start, good().items.end);
            for outside in [0, start, end, end + 1] {
                let mut element = good();
                let at = element.set(1, outside);
                let expected = Err(ErrorKind::IndexRange { table: Part::STRING_OFFSETS.0 }.at(at));
                let id = 1 << stride;
                let found = if is_used { expected.clone() } else { Ok(Some(element.offsets[id])) };
                assert_eq!(element.find(u32::try_from(id).unwrap()), found, "{outside}, stride {stride}");
                assert_eq!(element.find(0), Ok(Some(element.offsets[0])));
                assert_eq!(element.check_table().map(|()| None), expected);
            }
        }
    }

    #[test]
    fn damage_before_an_item_is_named_and_behind_it_is_not_seen() {
        let mut element = Element::of(&[1; 12], Some(3), false);
        let damaged = element.offsets[10];
        element.data[damaged] = 0xc1;
        assert_eq!(element.find(9), Ok(Some(element.offsets[9])));
        assert_eq!(element.find(10), Ok(Some(damaged)));
        assert_eq!(element.find(11), Err(ErrorKind::ReservedByte.at(damaged as u64)));
        assert_eq!(element.find(15), Err(ErrorKind::ReservedByte.at(damaged as u64)));
    }

    #[test]
    fn long_ways_are_added_up() {
        // The way to item 1 is item 0, which has two bytes more than its text or three.
        for (length, noted) in [(253, 0), (254, 0), (255, 257), (256, 259)] {
            let element = Element::of(&[length, 1, 600], Some(3), false);
            assert_eq!(element.find(1), Ok(Some(element.offsets[1])));
            assert_eq!(element.items.stepped.load(Ordering::Relaxed), noted, "{length}");
            assert_eq!(element.items.every.get(), None);
        }
    }

    #[test]
    fn a_near_string_is_the_one_that_is_found() {
        for (stride, wide) in [(0, false), (1, false), (2, true)] {
            let element = Element::of(&[3, 1, 4, 0, 5], Some(stride), wide);
            let near = || [0, 1, 2, 3, 4, 5, 9].map(|id| element.near(id));
            let expected = [Some(3), Some(1), Some(4), Some(0), Some(5), None, None];
            assert_eq!(near(), expected, "stride {stride}");
            element.items.every.set(element.offsets.clone()).unwrap();
            assert_eq!(near(), expected, "stride {stride}, where each item is known");
        }
        assert_eq!(Element::of(&[3], None, false).near(0), None, "there is no table");
    }

    #[test]
    fn no_string_is_near_where_the_table_lies() {
        let mut element = Element::of(&[3, 1, 4], Some(0), false);
        // A string before the element.
        element.data[..2].copy_from_slice(b"\xa1b");
        element.set(0, 0);
        element.set(1, element.items.end);
        assert_eq!([0, 1, 2].map(|id| element.near(id)), [None, None, Some(4)]);
        // The second entry leads to the third item.
        element.set(1, element.offsets[2]);
        assert_eq!(element.near(1), Some(4), "as long as nothing else is known");
        element.items.every.set(element.offsets.clone()).unwrap();
        assert_eq!([1, 2].map(|id| element.near(id)), [None, Some(4)]);
    }

    #[test]
    fn nothing_is_near_that_is_not_known() {
        let element = Element::of(&[3, 1, 4], Some(2), false);
        let mut every = element.offsets.clone();
        every[2] = UNKNOWN;
        // What would be read if that were the place of an item.
        let mut data = element.data.clone();
        data[..2].copy_from_slice(b"\xa1b");
        element.items.every.set(every).unwrap();
        let near = [0, 1, 2].map(|id| element.items.near_string(Bytes::Whole(&data), None, id));
        assert_eq!(near, [Some(&b"xxx"[..]), Some(b"x"), None]);
    }

    #[test]
    fn long_ways_to_near_strings_are_added_up() {
        for (length, noted) in [(253, 0), (254, 0), (255, 257)] {
            let element = Element::of(&[length, 1, 600], Some(3), false);
            assert_eq!(element.near(1), Some(1));
            assert_eq!(element.items.stepped.load(Ordering::Relaxed), noted, "{length}");
        }
    }

    #[test]
    fn a_way_as_long_as_the_element_is_not_too_long_to_go_on() {
        let mut element = Element::of(&[1, 1], Some(0), false);
        // The first entry leads to the header: from there all of the element is one item.
        element.set(0, element.items.start);
        let (data, table) = (Bytes::Whole(&element.data), element.items.table.unwrap());
        let known = element.items.known_by_table(Table::new(data, None, &table), 0, data, None);
        assert_eq!(known, [element.items.start, element.offsets[1]]);
    }

    #[test]
    fn every_item_is_looked_for_once_the_ways_were_longer_than_the_element() {
        // A header, two items of 303 bytes and one of 300.
        let element = Element::of(&[300, 300, 297], Some(3), false);
        assert_eq!(element.items.end - element.items.start, 1 + 303 + 303 + 300);
        for (id, stepped) in [(1, 303), (2, 909)] {
            assert_eq!(element.items.every.get(), None);
            assert_eq!(element.find(id), Ok(Some(element.offsets[id as usize])));
            assert_eq!(element.items.stepped.load(Ordering::Relaxed), stepped);
        }
        assert_eq!(element.items.every.get(), Some(&element.offsets));
        for id in 0..5 {
            assert_eq!(element.find(id), Ok(element.offsets.get(id as usize).copied()));
        }
        assert_eq!(element.items.stepped.load(Ordering::Relaxed), 909, "no way is long any more");
        // Ways as long as the element are not longer.
        let element = Element::of(&[300, 300, 300], Some(3), false);
        element.items.stepped.store(1 + 303 + 303, Ordering::Relaxed);
        element.find(1).unwrap();
        assert_eq!(element.items.stepped.load(Ordering::Relaxed), element.items.end - element.items.start);
        assert_eq!(element.items.every.get(), None);
    }

    #[test]
    fn a_table_that_leads_elsewhere_differs_once_every_item_is_known() {
        let mut lengths = [1; 20];
        lengths[0] = 300;
        let mut element = Element::of(&lengths, Some(3), false);
        let ninth = element.offsets[9];
        let at = element.set(1, ninth);
        assert_eq!(element.find(8), Ok(Some(ninth)), "nothing shows what is wrong");
        element.find(1).unwrap();
        element.find(1).unwrap();
        assert_eq!(element.items.every.get(), Some(&element.offsets));
        let differs = Err(ErrorKind::IndexDiffers { table: Part::STRING_OFFSETS.0 }.at(at));
        assert_eq!((element.find(8), element.find(15)), (differs.clone(), differs));
        for id in [0, 1, 7, 16, 19] {
            assert_eq!(element.find(id), Ok(Some(element.offsets[id as usize])));
        }
    }

    #[test]
    fn of_an_element_that_is_damaged_elsewhere_items_are_found_as_before_and_stepped_over_once() {
        for stride in [Some(3), None] {
            let mut element = Element::of(&[300, 1, 1, 1], stride, false);
            let damaged = element.offsets[2];
            element.data[damaged] = 0xc1;
            for stepped in [303, 606, 606, 606] {
                assert_eq!(element.find(1), Ok(Some(element.offsets[1])));
                assert_eq!(element.items.stepped.load(Ordering::Relaxed), stepped);
            }
            assert_eq!(element.find(2), Ok(Some(damaged)));
            assert_eq!(element.find(3), Err(ErrorKind::ReservedByte.at(damaged as u64)));
        }
    }

    #[test]
    fn items_behind_damage_are_found_by_their_table_and_stepped_over_once() {
        let mut lengths = [1; 30];
        lengths[8] = 300;
        let mut element = Element::of(&lengths, Some(3), false);
        let damaged = element.offsets[3];
        element.data[damaged] = 0xc1;
        for stepped in [303, 606, 606] {
            assert_eq!(element.find(9), Ok(Some(element.offsets[9])));
            assert_eq!(element.items.stepped.load(Ordering::Relaxed), stepped);
        }
        for id in (0..4).chain(8..30) {
            assert_eq!(element.find(id), Ok(Some(element.offsets[id as usize])));
        }
        assert_eq!(element.find(4), Err(ErrorKind::ReservedByte.at(damaged as u64)));
        assert_eq!(element.find(30), Ok(None));
    }

    #[test]
    fn a_table_of_a_damaged_element_that_leads_to_an_item_again_and_again_differs() {
        let mut lengths = [1; 30];
        lengths[8] = 300;
        let mut element = Element::of(&lengths, Some(3), false);
        let damaged = element.offsets[29];
        element.data[damaged] = 0xc1;
        let large = element.offsets[8];
        element.set(2, large);
        let at = element.set(3, large);
        element.find(9).unwrap();
        element.find(9).unwrap();
        assert_eq!(element.find(17), Ok(Some(element.offsets[9])), "nothing shows what is wrong");
        assert_eq!(element.find(25), Err(ErrorKind::IndexDiffers { table: Part::STRING_OFFSETS.0 }.at(at)));
    }

    #[test]
    fn items_take_all_of_their_element_which_is_an_array() {
        let mut element = Element::of(&[1; 3], Some(0), false);
        let end = element.items.end;
        element.items.end += 4;
        let all = |element: &Element| element.items.all(Bytes::Whole(&element.data), None);
        assert_eq!(all(&element), Err(ErrorKind::TrailingBytes { count: 4 }.at(end as u64)));
        element.data[8] = 0x83;
        assert_eq!(all(&element), Err(ErrorKind::PayloadForm { expected: "array" }.at(8)));
    }

    #[test]
    fn a_table_that_is_cut_within_an_entry_is_refused() {
        for (wide, width) in [(false, 4), (true, 8)] {
            for length in [0, 1, width - 1, width, 2 * width] {
                let entry = |part, start, end| Entry { part, flags: 0, stride: 0, start, end };
                let mut entries: Vec<Entry> = [Part::STRINGS, Part::SHAPES, Part::SHARED, Part::ROOT]
                    .map(|part| entry(part, 8, 8))
                    .to_vec();
                entries.push(entry(Part::STRING_OFFSETS, 8, 8 + length));
                let mut file = vec![0; 24];
                let trailer = Trailer { covered_from: 0, directory_entries: 5, wide };
                Directory::write(&mut entries, wide, &mut file);
                file.extend_from_slice(&[0; TRAILER]);
                let directory = Directory::read(Bytes::Whole(&file), &trailer, 8).unwrap();
                let opened = Items::open(&directory, (Part::STRINGS, Part::STRING_OFFSETS), wide);
                let expected = (length % width != 0).then(|| {
                    let (expected, found) = ((length / width * width) as u64, length as u64);
                    let kind = ErrorKind::PartLength { part: Part::STRING_OFFSETS.0, expected, found };
                    kind.at(directory.place_of(Part::STRING_OFFSETS, wide))
                });
                assert_eq!(opened.map(|items| (items.start, items.end)).err(), expected, "{length}");
            }
        }
    }

    #[test]
    fn the_smaller_the_items_the_longer_is_the_stride() {
        let strides = [(0, 0), (2, 31), (2, 32), (2, 127), (2, 128)];
        assert_eq!(strides.map(|(count, bytes)| choose_stride(count, bytes)), [3, 3, 2, 2, 0]);
    }
}
