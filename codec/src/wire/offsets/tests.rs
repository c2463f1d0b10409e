//! Items are found with and without a table, and wrong tables are detected.

use super::*;
use crate::msgpack::{put_array_header, put_str};

/// Offset of the directory entry of the table.
const TABLE_ENTRY: u64 = 9999;

/// An element in a file, followed by its table.
struct Element {
    data: Vec<u8>,
    items: Items,
    /// The start of each item.
    offsets: Vec<usize>,
}

impl Element {
    /// An element of strings of these lengths, from byte 8 on, with a table of this stride if there
    /// is one.
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
        let (table_entry, fits) = (TABLE_ENTRY, AtomicBool::new(true));
        let items = Items { start: 8, end, wide, table, table_entry, fits, made, stepped, every };
        Element { data, items, offsets }
    }

    fn find(&self, id: u32) -> Result<Option<usize>, DecodeError> {
        let found = self.items.find(Bytes::Whole(&self.data), None, id)?;
        Ok(found.map(|cursor| cursor.position()))
    }

    fn near(&self, id: u32) -> Option<usize> {
        self.items.near_string(Bytes::Whole(&self.data), None, id).map(<[u8]>::len)
    }

    /// The ids and lengths of the strings around string `id`.
    #[cfg(feature = "serde")]
    fn near_all(&self, id: u32) -> Vec<(u32, usize)> {
        let near = self.items.near_strings(Bytes::Whole(&self.data), None, id);
        near.map(|(id, bytes)| (id, bytes.len())).collect()
    }

    /// Sets an entry of a narrow table, and returns its offset.
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
        }
    }
}

#[cfg(feature = "serde")]
#[test]
fn the_strings_around_one_are_those_of_its_entry() {
    let lengths = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
    for (stride, id, expected) in [
        (0, 3, &[(3, 4)][..]),
        (1, 3, &[(2, 3), (3, 4)]),
        (2, 3, &[(0, 1), (1, 2), (2, 3), (3, 4)]),
        (2, 9, &[(8, 9), (9, 10)]),
        (3, 9, &[(8, 9), (9, 10)]),
        (3, 10, &[(8, 9), (9, 10)]),
        // No such entry, and too many strings.
        (3, 16, &[]),
        (4, 3, &[]),
    ] {
        for wide in [false, true] {
            let element = Element::of(&lengths, Some(stride), wide);
            assert_eq!(element.near_all(id), expected, "string {id}, stride {stride}");
        }
    }
    assert_eq!(Element::of(&lengths, None, false).near_all(3), [], "without a table");
}

#[cfg(feature = "serde")]
#[test]
fn the_strings_around_one_end_before_one_that_is_not_short() {
    let element = Element::of(&[1, 300, 2, 3], Some(2), false);
    assert_eq!(element.near_all(3), [(0, 1)]);
    let mut element = Element::of(&[1, 2, 3], Some(2), false);
    element.data[element.offsets[1]] = 0xc0;
    assert_eq!(element.near_all(2), [(0, 1)], "one that is no string");
}

#[cfg(feature = "serde")]
#[test]
fn no_strings_are_near_an_entry_that_leads_elsewhere() {
    let mut element = Element::of(&[1; 10], Some(3), false);
    let end = element.items.end;
    // A string before the element, and one at its start, in place of its header.
    element.data[..2].copy_from_slice(b"\xa1b");
    let header = std::mem::replace(&mut element.data[8], 0xa0);
    for offset in [0, 8, end, end + 1, usize::from(u16::MAX)] {
        element.set(1, offset);
        assert_eq!(element.near_all(8), [], "at {offset}");
    }
    element.data[8] = header;
    element.set(1, element.offsets[2]);
    assert_eq!(element.near_all(8).first(), Some(&(8, 1)), "as it is found by itself");
    element.items.every.set(element.offsets.clone()).unwrap();
    assert_eq!(element.near_all(8), [], "once it is known that it lies");
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
fn an_entry_that_leads_outside_is_reported_if_the_table_is_used() {
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
        }
    }
}

#[test]
fn damage_before_an_item_is_reported_and_after_it_is_not() {
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
    // The way to item 1 is item 0, which has two or three bytes more than its text.
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
fn no_string_is_near_if_the_table_is_wrong() {
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
fn no_unknown_string_is_near() {
    let element = Element::of(&[3, 1, 4], Some(2), false);
    let mut every = element.offsets.clone();
    every[2] = UNKNOWN;
    // The bytes that would be read if that were the start of an item.
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
fn a_way_as_long_as_the_element_is_not_too_long() {
    let mut element = Element::of(&[1, 1], Some(0), false);
    // The first entry leads to the header: from there, the whole element is one item.
    element.set(0, element.items.start);
    let (data, table) = (Bytes::Whole(&element.data), element.items.table.unwrap());
    let known = element.items.known_by_table(Table::new(data, None, &table), 0, data, None);
    assert_eq!(known, [element.items.start, element.offsets[1]]);
}

#[test]
fn every_item_is_found_once_the_ways_exceed_the_element() {
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
    // Paths as long as the element do not count as longer.
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

#[cfg(feature = "serde")]
#[test]
fn a_table_agrees_with_a_walk_unless_an_entry_differs_or_is_missing() {
    let is_as_walked =
        |element: &Element| element.items.is_as_walked(Bytes::Whole(&element.data), None, &element.offsets);
    for count in [1, 8, 9, 20] {
        for stride in [None, Some(0), Some(3), Some(LONGEST_STRIDE), Some(LONGEST_STRIDE + 1)] {
            for wide in [false, true] {
                let element = Element::of(&vec![3; count], stride, wide);
                assert!(is_as_walked(&element), "{count}, stride {stride:?}");
            }
        }
        let entries = count.div_ceil(8);
        for entry in 0..entries {
            let mut element = Element::of(&vec![3; count], Some(3), false);
            element.set(entry, element.offsets[entry * 8] + 1);
            assert!(!is_as_walked(&element), "entry {entry} of {count} items");
        }
        for other in [entries - 1, entries + 1] {
            let mut element = Element::of(&vec![3; count], Some(3), false);
            element.data.extend([0; 4]);
            let table = element.items.table.as_mut().unwrap();
            table.end = table.start + 4 * other;
            assert!(!is_as_walked(&element), "{other} entries of {count} items");
        }
    }
}

#[test]
fn items_of_a_damaged_element_are_found_as_before_and_skipped_once() {
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
fn items_after_damage_are_found_by_their_table_and_skipped_once() {
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
fn a_table_of_a_damaged_element_that_repeats_an_item_differs() {
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
fn a_table_of_another_length_is_refused_when_it_is_first_used() {
    let cases = [(10usize, 0, false), (10, 3, true), (64, 7, false), (65, 31, false), (0, 3, false)];
    for (count, stride, wide) in cases {
        let width = offset_width(wide);
        let expected = count.div_ceil(1usize << stride);
        for found in [expected.saturating_sub(1), expected, expected + 1] {
            let mut element = Element::of(&vec![1; count], Some(stride), wide);
            element.items.fits = AtomicBool::new(false);
            element.data.extend([0; 8]);
            let table = element.items.table.as_mut().unwrap();
            table.end = table.start + width * found;
            let is_near = found == expected && count > 0 && stride <= LONGEST_STRIDE;
            assert_eq!(element.near(0), is_near.then_some(1));
            let (expected_bytes, found_bytes) = ((width * expected) as u64, (width * found) as u64);
            let kind = ErrorKind::PartLength {
                part: Part::STRING_OFFSETS.0,
                expected: expected_bytes,
                found: found_bytes,
            };
            let refused = (found != expected).then(|| kind.at(TABLE_ENTRY));
            assert_eq!(element.find(0).err(), refused, "{found} of {expected}, stride {stride}");
            assert_eq!(element.find(u32::MAX).err(), refused);
        }
    }
}

#[test]
fn the_smaller_the_items_the_longer_is_the_stride() {
    let strides = [(0, 0), (2, 31), (2, 32), (2, 127), (2, 128)];
    assert_eq!(strides.map(|(count, bytes)| choose_stride(count, bytes)), [3, 3, 2, 2, 0]);
}
