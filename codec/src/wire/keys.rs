//! §8.5 and §8.8 Key index: the landmarks of each full key, and the digests of landmarks.
//!
//! ```text
//! buckets   2^b + 1 × u32       first slot whose hash has this number in its highest b bits
//! slots     n × (u32 hash, u32 offset)      sorted by hash, full key, ordinal     narrow
//!           n × (u32 hash, u32 0, u64 offset)                                     wide
//! digests   n × 16 bytes        of the full key and the value of each slot's landmark; optional
//! ```

use super::directory::Part;
use super::ids::Ordinal;
use super::table::Table;
use coconut_format::error::{DecodeError, ErrorKind};
use std::cmp::Ordering;
use std::ops::{ControlFlow, Range};

/// Bytes of an entry of the landmark digests (part 37).
pub(crate) const LANDMARK_DIGEST: usize = 16;

/// The hash of a full key.
pub(crate) fn hash(key: &str) -> u32 {
    crc32fast::hash(key.as_bytes())
}

/// The hash of a full key that begins with a key of hash `before` and continues with these texts.
pub(crate) fn hash_after(before: u32, rest: [&str; 2]) -> u32 {
    let mut hasher = crc32fast::Hasher::new_with_initial(before);
    rest.iter().for_each(|text| hasher.update(text.as_bytes()));
    hasher.finalize()
}

/// b: buckets have at most four slots on average.
pub(crate) fn bucket_bits(landmarks: usize) -> u32 {
    landmarks.div_ceil(4).max(1).next_power_of_two().trailing_zeros()
}

/// Maximum number of slots of a bucket that is scanned. Larger buckets are searched by bisection.
const SCANNED: usize = 16;

/// The slots of one hash.
#[derive(Clone, Debug)]
struct Slots<'a> {
    range: Range<usize>,
    /// Their bytes, if the search has read them; otherwise empty. Reading a slot again took a
    /// fifteenth of a lookup.
    bytes: &'a [u8],
}

/// The key index of an open file.
#[derive(Clone, Debug)]
pub(crate) struct KeyIndex<'a> {
    /// The root part, which contains the landmarks.
    pub(crate) root: Range<usize>,
    pub(crate) buckets: Table<'a>,
    pub(crate) slots: Table<'a>,
    pub(crate) wide: bool,
}

impl<'a> KeyIndex<'a> {
    /// The number of slots.
    #[inline]
    pub(crate) fn count(&self) -> usize {
        match self.wide {
            true => self.slots.len(16),
            false => self.slots.len(8),
        }
    }

    fn width(&self) -> usize {
        if self.wide { 16 } else { 8 }
    }

    /// File offset of slot `index`, for errors.
    pub(crate) fn place_of(&self, index: usize) -> u64 {
        self.slots.place_of(index, self.width())
    }

    /// Calls `each` with the slot of each landmark whose key hashes to `hash` and compares equal,
    /// directly after comparing it. The order is that of the document, and a break ends it.
    /// `compare` compares the key of the landmark of a slot, at an offset, with the requested key.
    #[inline]
    pub(crate) fn each_with_key(
        &self,
        hash: u32,
        compare: impl Fn(usize, usize) -> Result<Ordering, DecodeError>,
        each: impl FnMut(usize) -> ControlFlow<()>,
    ) -> Result<(), DecodeError> {
        self.each_equal(self.with_hash(hash)?, compare, each)
    }

    /// Does the same for the slots of one hash.
    #[inline]
    fn each_equal(
        &self,
        slots: Slots<'_>,
        compare: impl Fn(usize, usize) -> Result<Ordering, DecodeError>,
        mut each: impl FnMut(usize) -> ControlFlow<()>,
    ) -> Result<(), DecodeError> {
        let Range { mut start, end } = slots.range.clone();
        // Nearly every hash has one slot. Its key is then compared once instead of twice.
        if slots.range.len() > 1 {
            start = self.partition(start..end, &|slot| {
                Ok(compare(slot, self.offset_among(&slots, slot)?)?.is_lt())
            })?;
        }
        // Searched one by one, because the slots of an unverified file may not be sorted.
        for slot in start..end {
            let offset = self.offset_among(&slots, slot)?;
            if compare(slot, offset)?.is_ne() || each(slot).is_break() {
                break;
            }
        }
        Ok(())
    }

    /// The slots whose hash is `hash`.
    #[inline]
    fn with_hash(&self, hash: u32) -> Result<Slots<'a>, DecodeError> {
        let bits = bucket_bits(self.count());
        let bucket = if bits == 0 { 0 } else { hash >> 32u32.saturating_sub(bits) } as usize;
        let Range { start, end } = self.bucket(bucket)?;
        // Reading the bytes of all slots at once takes a third of the time of reading them one by
        // one.
        if end.saturating_sub(start) <= SCANNED {
            let width = self.width();
            let bytes = self.slots.stretch(start.saturating_mul(width)..end.saturating_mul(width))?;
            let (before, with) = match self.wide {
                true => count_hashes::<16>(bytes, hash),
                false => count_hashes::<8>(bytes, hash),
            };
            let first = start.saturating_add(before);
            let bytes = bytes.get(before.saturating_mul(width)..).unwrap_or_default();
            return Ok(Slots { range: first..first.saturating_add(with), bytes });
        }
        let start = self.partition(start..end, &|slot| Ok(self.hash_of(slot)? < hash))?;
        let end = self.partition(start..end, &|slot| Ok(self.hash_of(slot)? == hash))?;
        Ok(Slots { range: start..end, bytes: &[] })
    }

    /// The slots of bucket `number`.
    #[inline]
    fn bucket(&self, number: usize) -> Result<Range<usize>, DecodeError> {
        let start = number.saturating_mul(4);
        let pair = self.buckets.stretch(start..start.saturating_add(8))?;
        let number_of = |entry: Option<&[u8; 4]>| entry.map_or(u32::MAX, |entry| u32::from_le_bytes(*entry));
        let (first, last) = (number_of(pair.first_chunk()) as usize, number_of(pair.last_chunk()) as usize);
        match first <= last && last <= self.count() {
            true => Ok(first..last),
            false => Err(self.bad_bucket(number, first, last)),
        }
    }

    /// The error in bucket `number`, whose slots would range from `first` to `last`.
    #[cold]
    fn bad_bucket(&self, number: usize, first: usize, last: usize) -> DecodeError {
        for (entry, slot) in [(number, first), (number.saturating_add(1), last)] {
            if slot > self.count() {
                let kind = ErrorKind::IndexRange { table: Part::KEY_BUCKETS.0 };
                return kind.at(self.buckets.place_of(entry, 4));
            }
        }
        ErrorKind::IndexDiffers { table: Part::KEY_BUCKETS.0 }.at(self.buckets.place_of(number, 4))
    }

    /// The first slot of `range` for which `before` is false. It must be false for all slots after
    /// that.
    fn partition(
        &self,
        range: Range<usize>,
        before: &dyn Fn(usize) -> Result<bool, DecodeError>,
    ) -> Result<usize, DecodeError> {
        let (mut low, mut high) = (range.start, range.end);
        while low < high {
            let middle = low.midpoint(high);
            match before(middle)? {
                true => low = middle.saturating_add(1),
                false => high = middle,
            }
        }
        Ok(low)
    }

    /// The hash in a slot: the first of its two or four u32.
    #[inline]
    pub(crate) fn hash_of(&self, slot: usize) -> Result<u32, DecodeError> {
        self.slots.u32(slot.saturating_mul(if self.wide { 4 } else { 2 }))
    }

    /// The start of a slot's landmark, which is in the root.
    pub(crate) fn offset(&self, slot: usize) -> Result<usize, DecodeError> {
        self.check_offset(slot, self.any_offset(slot)?)
    }

    /// Returns the same for one of `slots`.
    #[inline]
    fn offset_among(&self, slots: &Slots<'_>, slot: usize) -> Result<usize, DecodeError> {
        let before = slot.saturating_sub(slots.range.start).saturating_mul(self.width());
        match slots.bytes.get(before..).and_then(|bytes| first_offset(bytes, self.wide)) {
            Some(offset) => self.check_offset(slot, offset),
            None => self.offset(slot),
        }
    }

    /// Checks the `offset` of `slot`: it must be in the root.
    #[inline]
    fn check_offset(&self, slot: usize, offset: usize) -> Result<usize, DecodeError> {
        match self.root.contains(&offset) {
            true => Ok(offset),
            false => Err(ErrorKind::IndexRange { table: Part::KEY_SLOTS.0 }.at(self.place_of(slot))),
        }
    }

    /// The second u32 or u64 of a slot, unchecked.
    #[inline]
    fn any_offset(&self, slot: usize) -> Result<usize, DecodeError> {
        self.slots.offset(slot.saturating_mul(2).saturating_add(1), self.wide)
    }
}

/// Counts the first slots of `WIDTH` bytes with hashes lower than `hash`, and the slots with this
/// hash after them.
#[inline]
fn count_hashes<const WIDTH: usize>(slots: &[u8], hash: u32) -> (usize, usize) {
    let (slots, _) = slots.as_chunks::<WIDTH>();
    let hash_of = |slot: &[u8; WIDTH]| slot.first_chunk().map_or(u32::MAX, |hash| u32::from_le_bytes(*hash));
    let before = slots.iter().take_while(|slot| hash_of(slot) < hash).count();
    let with = slots.iter().skip(before).take_while(|slot| hash_of(slot) == hash).count();
    (before, with)
}

/// The offset in the first of these slots, which is its second half.
#[inline]
fn first_offset(slots: &[u8], wide: bool) -> Option<usize> {
    match wide {
        true => usize::try_from(u64::from_le_bytes(*slots.get(8..)?.first_chunk()?)).ok(),
        false => Some(u32::from_le_bytes(*slots.get(4..)?.first_chunk()?) as usize),
    }
}

/// Hashes and ordinals in the order of the slots. `hashes` are by ordinal, and `compare` compares
/// full keys.
pub(crate) fn slot_order(
    hashes: &[u32],
    compare: impl Fn(Ordinal, Ordinal) -> Ordering,
) -> Vec<(u32, Ordinal)> {
    let mut order: Vec<(u32, Ordinal)> = hashes.iter().copied().zip((0..).map(Ordinal)).collect();
    order.sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| compare(a.1, b.1)).then_with(|| a.1.cmp(&b.1)));
    order
}

/// Buckets and slots for the landmarks of a [`slot_order`].
pub(crate) fn tables_in_order(order: &[(u32, Ordinal)], offsets: &[u64], wide: bool) -> (Vec<u8>, Vec<u8>) {
    let bits = bucket_bits(order.len());
    let mut buckets = Vec::new();
    let mut slots = Vec::new();
    let mut next = 0usize;
    for bucket in 0..(1u64 << bits) {
        buckets.extend_from_slice(&u32::try_from(next).unwrap_or(u32::MAX).to_le_bytes());
        while let Some(&(hash, ordinal)) = order.get(next)
            && u64::from(hash).checked_shr(32u32.saturating_sub(bits)).unwrap_or_default() <= bucket
        {
            slots.extend_from_slice(&hash.to_le_bytes());
            if wide {
                slots.extend_from_slice(&[0; 4]);
            }
            let offset = offsets.get(ordinal.index()).copied().unwrap_or_default();
            super::table::put_offset(&mut slots, offset, wide);
            next = next.saturating_add(1);
        }
    }
    buckets.extend_from_slice(&u32::try_from(next).unwrap_or(u32::MAX).to_le_bytes());
    (buckets, slots)
}

#[cfg(test)]
mod tests {
    use super::super::directory::Entry;
    use super::*;
    use crate::bytes::Bytes;
    use std::cell::Cell;

    /// Buckets and slots for landmarks with these full keys and offsets, by ordinal.
    fn tables(keys: &[&str], offsets: &[u64], wide: bool) -> (Vec<u8>, Vec<u8>) {
        let compare = |one: Ordinal, other: Ordinal| keys[one.index()].cmp(keys[other.index()]);
        let hashes: Vec<u32> = keys.iter().map(|key| hash(key)).collect();
        let order = slot_order(&hashes, compare);
        tables_in_order(&order, offsets, wide)
    }

    #[test]
    fn the_hash_is_the_crc_of_every_standard_library() {
        assert_eq!(hash("123456789"), 0xcbf4_3926);
    }

    #[test]
    fn buckets_hold_four_slots_on_average() {
        let bits = [0, 1, 4, 5, 8, 9, 16, 17, 20_000].map(bucket_bits);
        assert_eq!(bits, [0, 0, 0, 1, 1, 2, 2, 3, 13]);
    }

    #[test]
    fn slots_are_sorted_by_hash_and_equal_keys_by_ordinal() {
        let (buckets, slots) = tables(&["b", "a", "b"], &[10, 20, 30], false);
        let number = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().unwrap());
        assert_eq!(buckets.chunks(4).map(number).collect::<Vec<_>>(), [0, 3]);
        let pairs: Vec<(u32, u32)> = slots.chunks(8).map(|s| (number(&s[..4]), number(&s[4..]))).collect();
        assert_eq!(pairs, [(hash("b"), 10), (hash("b"), 30), (hash("a"), 20)]);
        assert!(hash("b") < hash("a"));
    }

    /// Tables in a file: the bytes, and the start of the slots in them.
    struct Tables {
        data: Vec<u8>,
        slots: usize,
        wide: bool,
    }

    const ROOT: Range<usize> = 100..200;

    impl Tables {
        /// The tables of landmarks with these keys, at one offset after the other from the start of
        /// the root.
        fn of(keys: &[&str], wide: bool) -> Tables {
            let offsets: Vec<u64> = (100..).take(keys.len()).collect();
            let (buckets, slots) = tables(keys, &offsets, wide);
            Tables { slots: buckets.len(), data: [buckets, slots].concat(), wide }
        }

        fn set(&mut self, at: usize, number: u32) {
            self.data[at..at + 4].copy_from_slice(&number.to_le_bytes());
        }

        /// The offset of a slot's offset, and the offset of the slot itself.
        fn slot(&self, slot: usize) -> (usize, usize) {
            let (width, offset) = if self.wide { (16, 8) } else { (8, 4) };
            (self.slots + width * slot + offset, self.slots + width * slot)
        }

        fn ask<T>(&self, ask: impl FnOnce(&KeyIndex<'_>) -> T) -> T {
            let entry = |part, start, end| Entry { part, flags: 0, stride: 0, start, end };
            let buckets = entry(Part::KEY_BUCKETS, 0, self.slots);
            let slots = entry(Part::KEY_SLOTS, self.slots, self.data.len());
            let table = |entry| Table::new(Bytes::Whole(&self.data), None, entry);
            let (buckets, slots) = (table(&buckets), table(&slots));
            ask(&KeyIndex { root: ROOT, buckets, slots, wide: self.wide })
        }

        /// The offsets in the slots of a hash, which are the same with and without the bytes of the
        /// slots.
        fn offsets_of(&self, hash: u32) -> Vec<usize> {
            self.ask(|index| {
                let slots = index.with_hash(hash).unwrap();
                let offsets = slots.range.clone().map(|slot| {
                    let offset = index.offset(slot).unwrap();
                    assert_eq!(index.offset_among(&slots, slot), Ok(offset));
                    offset
                });
                offsets.collect()
            })
        }
    }

    fn range_of(index: &KeyIndex<'_>, hash: u32) -> Result<Range<usize>, DecodeError> {
        index.with_hash(hash).map(|slots| slots.range)
    }

    #[test]
    fn an_entry_that_leads_outside_is_reported_at_its_offset() {
        let outside = |part: Part, at: usize| Err(ErrorKind::IndexRange { table: part.0 }.at(at as u64));
        for wide in [false, true] {
            let good = || Tables::of(&["a", "b", "c"], wide);
            assert_eq!(good().ask(|index| index.place_of(2)), good().slot(2).1 as u64);
            let mut tables = good();
            tables.set(4, 4);
            let range = tables.ask(|index| range_of(index, 0).map(|slots| slots.len()));
            assert_eq!(range, outside(Part::KEY_BUCKETS, 4), "a bucket that ends after the last slot");
            for (slot, offset) in [(0, 99), (1, 200), (2, u32::MAX)] {
                let mut tables = good();
                let (at, place) = tables.slot(slot);
                tables.set(at, offset);
                let found = tables.ask(|index| index.offset(slot));
                assert_eq!(found, outside(Part::KEY_SLOTS, place), "{offset}");
                let among = tables.ask(|index| {
                    let bytes = index.slots.whole().unwrap();
                    index.offset_among(&Slots { range: 0..3, bytes }, slot)
                });
                assert_eq!(among, outside(Part::KEY_SLOTS, place));
            }
        }
    }

    #[test]
    fn the_slots_of_a_hash_are_found_among_those_of_all() {
        for (count, wide) in [(1, false), (4, false), (5, true), (50, false), (50, true)] {
            let keys: Vec<String> = (0..count).map(|n| format!("key {n}")).collect();
            let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
            let tables = Tables::of(&keys, wide);
            for (key, offset) in keys.iter().zip(100..) {
                assert_eq!(tables.offsets_of(hash(key)), [offset], "{key} of {count}");
            }
            assert_eq!(tables.ask(|index| range_of(index, hash("absent"))).map(|slots| slots.len()), Ok(0));
        }
    }

    #[test]
    fn a_bucket_of_many_slots_is_searched_like_any_other() {
        // Keys of one bucket of sixteen, one of them twice, and missing keys of the same bucket.
        let same_bucket = (0..).map(|n| format!("key {n}")).filter(|key| hash(key) >> 28 == 0);
        let names: Vec<String> = same_bucket.take(60).collect();
        let (present, absent) = names.split_at(40);
        let keys: Vec<&str> = present.iter().chain([&present[7]]).map(String::as_str).collect();
        for wide in [false, true] {
            let tables = Tables::of(&keys, wide);
            assert!(tables.ask(|index| index.bucket(0)).is_ok_and(|slots| slots.len() > SCANNED));
            for (key, offset) in present.iter().zip(100..) {
                let offsets = tables.offsets_of(hash(key));
                assert_eq!(offsets, if *key == present[7] { vec![107, 140] } else { vec![offset] }, "{key}");
            }
            assert!(absent.iter().all(|key| tables.offsets_of(hash(key)).is_empty()));
        }
    }

    #[test]
    fn the_end_of_a_bucket_is_read_only_if_it_has_few_slots() {
        use crate::bytes::checksum::{BLOCK, BlockSize, Blocks, block_table};
        // All in the first of four or of eight buckets, so the lowest hash is that of its first
        // slot.
        let same_bucket = (0..).map(|n| format!("key {n}")).filter(|key| hash(key) >> 29 == 0);
        let names: Vec<String> = same_bucket.take(SCANNED + 1).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let least_of = |count: usize| {
            let keys = &names[..count];
            let (buckets, slots) = tables(keys, &vec![100; count], false);
            // The thirteenth slot is the first of a block, which is damaged.
            let start = BLOCK - 8 * 12;
            let mut content = vec![0; 2 * BLOCK];
            content[..buckets.len()].copy_from_slice(&buckets);
            content[start..start + slots.len()].copy_from_slice(&slots);
            let table = block_table(&content, BlockSize::PAGE);
            let blocks = Blocks::new(content.len(), content.len() + table.len(), BlockSize::PAGE);
            let root = block_table(&table, BlockSize::PAGE);
            content[2 * BLOCK - 1] ^= 1;
            let file = [content, table, root].concat();
            let entry = |part, start, end| Entry { part, flags: 0, stride: 0, start, end };
            let (buckets, slots) = (
                entry(Part::KEY_BUCKETS, 0, buckets.len()),
                entry(Part::KEY_SLOTS, start, start + slots.len()),
            );
            let table = |entry| Table::new(Bytes::Whole(&file), Some(&blocks), entry);
            let index = KeyIndex { root: ROOT, buckets: table(&buckets), slots: table(&slots), wide: false };
            let least = keys.iter().map(|key| hash(key)).min().unwrap();
            range_of(&index, least).map_err(|error| error.offset())
        };
        assert_eq!(least_of(SCANNED), Err(BLOCK as u64));
        assert_eq!(least_of(SCANNED + 1), Ok(0..1));
    }

    #[test]
    fn an_invalid_bucket_is_reported_at_its_offset() {
        let keys = ["0", "1", "2", "3", "4", "5", "6", "7"];
        let key = keys.into_iter().find(|key| hash(key) >> 31 == 1).unwrap();
        let ask = |first, last| {
            let mut tables = Tables::of(&keys, false);
            tables.set(4, first);
            tables.set(8, last);
            tables.ask(|index| range_of(index, hash(key)))
        };
        let table = Part::KEY_BUCKETS.0;
        assert!(ask(0, 8).is_ok_and(|slots| slots.len() == 1));
        assert_eq!(ask(8, 8).map(|slots| slots.len()), Ok(0));
        assert_eq!(ask(9, 9), Err(ErrorKind::IndexRange { table }.at(4)));
        assert_eq!(ask(0, 9), Err(ErrorKind::IndexRange { table }.at(8)));
        assert_eq!(ask(2, 1), Err(ErrorKind::IndexDiffers { table }.at(4)));
        assert_eq!(ask(8, 7), Err(ErrorKind::IndexDiffers { table }.at(4)), "behind the last slot is none");
    }

    #[test]
    fn among_equal_hashes_only_those_with_the_key_count() {
        let texts = ["a", "b", "b", "b", "d"];
        let mut tables = Tables::of(&texts, false);
        for slot in 0..texts.len() {
            let at = tables.slot(slot).0;
            tables.set(at, 100 + u32::try_from(slot).unwrap());
        }
        let compared = Cell::new(0);
        let find = |range: Range<usize>, wanted: &str, most: usize| {
            compared.set(0);
            let compare = |_, offset: usize| {
                compared.set(compared.get() + 1);
                Ok(texts[offset - 100].cmp(wanted))
            };
            let mut found = Vec::new();
            let each = |slot| {
                found.push(slot + 100);
                if found.len() < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            };
            tables.ask(|index| index.each_equal(Slots { range, bytes: &[] }, compare, each)).unwrap();
            found
        };
        let all = usize::MAX;
        assert_eq!(
            ["a", "b", "d"].map(|wanted| find(0..5, wanted, all)),
            [vec![100], vec![101, 102, 103], vec![104]]
        );
        assert!(["", "c", "e"].iter().all(|wanted| find(0..5, wanted, all).is_empty()));
        assert_eq!(find(0..5, "b", 2), [101, 102], "until it is enough");
        assert_eq!(find(0..3, "b", all), [101, 102], "those of another hash do not");
        assert_eq!((find(4..5, "d", all), compared.get()), (vec![104], 1), "one is compared once");
        assert!(find(4..5, "b", all).is_empty() && find(4..4, "d", all).is_empty());
    }
}
