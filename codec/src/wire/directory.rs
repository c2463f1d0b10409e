//! §5.8 Directory. The places of the parts of a file.
//!
//! ```text
//! narrow  0 u8 part  1 u8 flags  2 u16 stride  4 u32 offset  8 u32 length      12 bytes
//! wide    0 u8 part  1 u8 flags  2 u16 stride  4 u64 offset 12 u64 length      20 bytes
//! ```
//!
//! Flags: 1 critical, 2 drop on rewrite, 4 element, 8 needs a newer reader. A part is an element of
//! the payload array or a table in its last element. For an unknown part, the flag records which.

use super::trailer::{TRAILER, Trailer, WRONG_DIRECTORY};
use crate::bytes::Bytes;
use crate::limits;
use coconut_format::error::{DecodeError, ErrorKind};
use std::ops::Range;

/// Declares the parts that this version knows: constant, number, name. The registry is `parts.tsv`.
macro_rules! parts {
    ($( $constant:ident = $number:literal, $name:literal; )+) => {
        /// The number of a part.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub(crate) struct Part(pub(crate) u8);

        impl Part {
            $( pub(crate) const $constant: Part = Part($number); )+

            /// The parts that this version knows, with their names.
            pub(crate) const KNOWN: &'static [(Part, &'static str)] = &[$((Part::$constant, $name)),+];

            /// Whether this version knows the part.
            pub(crate) fn is_known(self) -> bool {
                matches!(self.0, $($number)|+)
            }
        }
    };
}

parts! {
    STRINGS = 1, "strings";
    SHAPES = 2, "shapes";
    SHARED = 3, "shared";
    ROOT = 4, "root";
    STRING_OFFSETS = 16, "string offsets";
    SHAPE_OFFSETS = 17, "shape offsets";
    SHARED_OFFSETS = 18, "shared offsets";
    LANDMARK_OFFSETS = 32, "landmark offsets";
    LANDMARK_CLASSES = 33, "landmark classes";
    LANDMARK_TREE = 34, "landmark tree";
    KEY_BUCKETS = 35, "key buckets";
    KEY_SLOTS = 36, "key slots";
    LANDMARK_DIGESTS = 37, "landmark digests";
    DEPENDENCY_STARTS = 40, "dependency starts";
    DEPENDENCY_TARGETS = 41, "dependency targets";
    DEPENDENCY_KINDS = 42, "dependency kinds";
    DEPENDENT_STARTS = 43, "dependent starts";
    DEPENDENT_TARGETS = 44, "dependent targets";
    DEPENDENT_KINDS = 45, "dependent kinds";
    BLOCK_TABLE = 64, "block table";
}

impl Part {
    /// The elements of this version, in their order in the payload array.
    pub(crate) const ELEMENTS: [Part; 4] = [Part::STRINGS, Part::SHAPES, Part::SHARED, Part::ROOT];

    /// §8.6 The tables of edges. A file has either all of them or none.
    pub(crate) const EDGES: [Part; 6] = [
        Part::DEPENDENCY_STARTS,
        Part::DEPENDENCY_TARGETS,
        Part::DEPENDENCY_KINDS,
        Part::DEPENDENT_STARTS,
        Part::DEPENDENT_TARGETS,
        Part::DEPENDENT_KINDS,
    ];

    /// The name, or `unknown`.
    pub(crate) fn name(self) -> &'static str {
        Part::KNOWN.iter().find(|(part, _)| *part == self).map_or("unknown", |(_, name)| name)
    }

    /// Whether the part is an element of this version. For an unknown part, the directory records
    /// whether it is one: see [`Entry::is_element`].
    fn is_own_element(self) -> bool {
        Part::ELEMENTS.contains(&self)
    }

    /// Whether the part is an offset table, which has one entry per stride of items.
    fn has_stride(self) -> bool {
        (Part::STRING_OFFSETS..=Part::SHARED_OFFSETS).contains(&self)
    }

    /// The parts that a file with this one must also have. The tables of edges require each other.
    fn needs(self) -> &'static [Part] {
        match self {
            Part::LANDMARK_CLASSES | Part::LANDMARK_TREE => &[Part::LANDMARK_OFFSETS],
            Part::KEY_BUCKETS => &[Part::LANDMARK_OFFSETS, Part::KEY_SLOTS],
            Part::KEY_SLOTS => &[Part::LANDMARK_OFFSETS, Part::KEY_BUCKETS],
            Part::LANDMARK_DIGESTS => &[Part::KEY_SLOTS],
            _ if Part::EDGES.contains(&self) => const { &Part::needed_by_edges() },
            _ => &[],
        }
    }

    const fn needed_by_edges() -> [Part; 7] {
        let [d0, d1, d2, r0, r1, r2] = Part::EDGES;
        [Part::LANDMARK_OFFSETS, d0, d1, d2, r0, r1, r2]
    }
}

/// A reader that does not know the part must refuse the file.
pub(crate) const FLAG_CRITICAL: u8 = 1;
/// A program that does not know the part must omit it when rewriting the file.
pub(crate) const FLAG_DROP_ON_REWRITE: u8 = 2;
/// The part is one value among the elements of the payload array.
pub(crate) const FLAG_ELEMENT: u8 = 4;
/// A reader of this version cannot follow the entry.
const FLAG_NEWER: u8 = 8;

/// Binary logarithm of the longest stride of an offset table.
const MOST_STRIDE: u16 = 31;

/// One entry: a part and its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) part: Part,
    pub(crate) flags: u8,
    /// For an offset table: the binary logarithm of its stride.
    pub(crate) stride: u16,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl Entry {
    pub(crate) fn range(&self) -> Range<usize> {
        self.start..self.end
    }

    /// Whether the part is an element of the payload array. If not, it is a table.
    pub(crate) fn is_element(&self) -> bool {
        self.flags & FLAG_ELEMENT != 0
    }

    /// Whether the flags and the stride are allowed for the part, and an element is not empty.
    fn is_possible(&self) -> bool {
        let Entry { part, flags, stride, .. } = *self;
        flags & !(FLAG_CRITICAL | FLAG_DROP_ON_REWRITE | FLAG_ELEMENT) == 0
            && if part.has_stride() { stride <= MOST_STRIDE } else { stride == 0 }
            && (!part.is_known() || self.is_element() == part.is_own_element())
            && !(self.is_element() && self.range().is_empty())
    }
}

/// The directory of an open file, in the order of part numbers.
#[derive(Clone, Debug)]
pub(crate) struct Directory {
    pub(crate) entries: Vec<Entry>,
    /// For each part number, its position in `entries`, or a position after their end if the file
    /// does not have the part. Each edge of a walk uses several parts. Searching the entries for
    /// them took a quarter of the instructions of a walk.
    indices: [u8; 256],
    /// Offset of the first entry.
    pub(crate) start: usize,
}

const NARROW: usize = 12;
const WIDE: usize = 20;

impl Directory {
    /// Reads and checks the directory. `content` is the start of the payload: no part may begin
    /// before it.
    pub(crate) fn read(file: Bytes<'_>, trailer: &Trailer, content: usize) -> Result<Directory, DecodeError> {
        let end = file.len().saturating_sub(TRAILER);
        let width = if trailer.wide { WIDE } else { NARROW };
        let count = usize::from(trailer.directory_entries);
        let start = end.checked_sub(count.saturating_mul(width)).filter(|&start| start >= content);
        let Some(start) = start else {
            return Err(WRONG_DIRECTORY.at(end as u64));
        };
        if count > limits::DIRECTORY_ENTRIES {
            let (count, limit) = (count as u64, limits::DIRECTORY_ENTRIES as u64);
            return Err(ErrorKind::TooMany { what: "directory entries", count, limit }.at(end as u64));
        }
        let bytes = file.get(start..end).unwrap_or_default();
        // Checked before anything else: a newer entry may have other fields, and change the meaning
        // of others.
        for (index, entry) in bytes.chunks_exact(width).enumerate() {
            if let [part, flags, ..] = *entry
                && flags & FLAG_NEWER != 0
            {
                let at = start.saturating_add(index.saturating_mul(width)) as u64;
                return Err(ErrorKind::PartNewer { part }.at(at));
            }
        }
        let mut entries: Vec<Entry> = Vec::with_capacity(count);
        // End of the last part so far.
        let mut covered = 0;
        let mut indices = [u8::MAX; 256];
        for (index, bytes) in bytes.chunks_exact(width).enumerate() {
            let at = start.saturating_add(index.saturating_mul(width)) as u64;
            let number = bytes.first().copied().unwrap_or_default();
            let entry = read_entry(bytes, trailer.wide).filter(Entry::is_possible);
            let entry = entry.filter(|entry| entry.start >= content && entry.end <= start);
            let Some(entry) = entry else { return Err(ErrorKind::PartRange { part: number }.at(at)) };
            if entries.last().is_some_and(|before| before.part >= entry.part) {
                return Err(ErrorKind::PartTwice { part: number }.at(at));
            }
            if entry.flags & FLAG_CRITICAL != 0 && !entry.part.is_known() {
                return Err(ErrorKind::PartCritical { part: number }.at(at));
            }
            if !entry.is_element() && entry.start % 8 != 0 {
                return Err(ErrorKind::Padding.at(at));
            }
            // Parts are mostly in the order of their numbers.
            let is_last = entry.start >= covered;
            covered = covered.max(entry.end);
            if !is_last && entries.iter().any(|other| other.start < entry.end && entry.start < other.end) {
                return Err(ErrorKind::PartRange { part: number }.at(at));
            }
            if let (Some(place), Ok(index)) = (indices.get_mut(usize::from(number)), u8::try_from(index)) {
                *place = index;
            }
            entries.push(entry);
        }
        let directory = Directory { entries, indices, start };
        let needed = directory.entries.iter().flat_map(|entry| entry.part.needs());
        match Part::ELEMENTS.iter().chain(needed).find(|&&part| directory.get(part).is_none()) {
            Some(part) => Err(ErrorKind::PartMissing { part: part.0 }.at(start as u64)),
            None => Ok(directory),
        }
    }

    #[inline]
    pub(crate) fn get(&self, part: Part) -> Option<&Entry> {
        let index = self.indices.get(usize::from(part.0))?;
        self.entries.get(usize::from(*index))
    }

    /// Offset of the entry of `part`, for errors about it.
    pub(crate) fn place_of(&self, part: Part, wide: bool) -> u64 {
        let index = self.entries.iter().position(|entry| entry.part == part).unwrap_or_default();
        let width = if wide { WIDE } else { NARROW };
        self.start.saturating_add(index.saturating_mul(width)) as u64
    }

    /// Appends the entries to `out`, sorted.
    pub(crate) fn write(entries: &mut [Entry], wide: bool, out: &mut Vec<u8>) {
        entries.sort_by_key(|entry| entry.part);
        for entry in entries {
            out.extend_from_slice(&[entry.part.0, entry.flags]);
            out.extend_from_slice(&entry.stride.to_le_bytes());
            let length = entry.end.saturating_sub(entry.start);
            for number in [entry.start as u64, length as u64] {
                let bytes = number.to_le_bytes();
                out.extend_from_slice(if wide { &bytes } else { bytes.first_chunk::<4>().expect("4 of 8") });
            }
        }
    }
}

fn read_entry(bytes: &[u8], wide: bool) -> Option<Entry> {
    let (&[part, flags, s0, s1], rest) = bytes.split_first_chunk()?;
    let number = |at: usize| -> Option<usize> {
        let bytes = rest.get(at..)?;
        match wide {
            true => usize::try_from(u64::from_le_bytes(*bytes.first_chunk()?)).ok(),
            false => usize::try_from(u32::from_le_bytes(*bytes.first_chunk()?)).ok(),
        }
    };
    let start = number(0)?;
    let end = start.checked_add(number(if wide { 8 } else { 4 })?)?;
    let (part, stride) = (Part(part), u16::from_le_bytes([s0, s1]));
    Some(Entry { part, flags, stride, start, end })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(part: Part, start: usize, end: usize) -> Entry {
        let flags = if part.is_own_element() { FLAG_CRITICAL | FLAG_ELEMENT } else { 0 };
        Entry { part, flags, stride: 0, start, end }
    }

    fn elements() -> Vec<Entry> {
        [Part::STRINGS, Part::SHAPES, Part::SHARED, Part::ROOT]
            .iter()
            .zip(8..)
            .map(|(&part, at)| entry(part, at, at + 1))
            .collect()
    }

    /// 16 bytes of content, then the directory and space for a trailer.
    fn read(mut entries: Vec<Entry>, wide: bool) -> Result<Directory, DecodeError> {
        let mut file = vec![0; 16];
        let directory_entries = entries.len().try_into().unwrap();
        let trailer = Trailer { covered_from: 0, directory_entries, wide, blocks: None };
        Directory::write(&mut entries, wide, &mut file);
        file.extend_from_slice(&[0; TRAILER]);
        Directory::read(Bytes::Whole(&file), &trailer, 8)
    }

    #[test]
    fn both_widths_read_back() {
        for wide in [false, true] {
            assert_eq!(read(elements(), wide).unwrap().entries, elements());
        }
    }

    #[test]
    fn refuses_parts_that_overlap_or_are_outside() {
        let mut overlapping = elements();
        overlapping[3] = entry(Part::ROOT, 8, 12);
        assert_eq!(read(overlapping, false).unwrap_err(), ErrorKind::PartRange { part: 4 }.at(16 + 36));
        let mut outside = elements();
        outside[0] = entry(Part::STRINGS, 7, 8);
        assert_eq!(read(outside, false).unwrap_err(), ErrorKind::PartRange { part: 1 }.at(16));
    }

    #[test]
    fn a_part_may_take_all_bytes_between_the_header_and_the_directory() {
        let mut all = elements();
        all[3] = entry(Part::ROOT, 11, 16);
        assert_eq!(read(all.clone(), false).unwrap().entries, all);
        all[3] = entry(Part::ROOT, 11, 17);
        assert_eq!(read(all, false).unwrap_err(), ErrorKind::PartRange { part: 4 }.at(16 + 36));
    }

    #[test]
    fn refuses_a_directory_that_overlaps_the_header() {
        // Four entries, and 7 or 12 bytes of content, of which 8 are the header.
        for (content, expected) in [(12, None), (7, Some(WRONG_DIRECTORY.at(7 + 48)))] {
            let mut file = vec![0; content];
            Directory::write(&mut elements(), false, &mut file);
            file.extend_from_slice(&[0; TRAILER]);
            let trailer = Trailer { covered_from: 0, directory_entries: 4, wide: false, blocks: None };
            assert_eq!(Directory::read(Bytes::Whole(&file), &trailer, 8).err(), expected, "{content}");
        }
    }

    #[test]
    fn a_part_appears_once() {
        let mut twice = elements();
        twice.insert(1, entry(Part::STRINGS, 13, 14));
        assert_eq!(read(twice, false).unwrap_err(), ErrorKind::PartTwice { part: 1 }.at(16 + 12));
    }

    #[test]
    fn keeps_an_unknown_part_that_is_not_critical() {
        let mut entries = elements();
        entries.push(Entry { flags: FLAG_DROP_ON_REWRITE | FLAG_ELEMENT, ..entry(Part(99), 13, 14) });
        let directory = read(entries.clone(), false).unwrap();
        assert_eq!(directory.entries, entries);
        assert_eq!(directory.get(Part(99)), Some(&entries[4]));
        assert_eq!((directory.get(Part(98)), directory.get(Part::KEY_SLOTS)), (None, None));
    }

    #[test]
    fn an_entry_is_found_by_its_part() {
        for (wide, width) in [(false, 12), (true, 20)] {
            let directory = read(elements(), wide).unwrap();
            for (index, part) in
                [Part::STRINGS, Part::SHAPES, Part::SHARED, Part::ROOT].into_iter().enumerate()
            {
                assert_eq!(directory.get(part), Some(&elements()[index]));
                assert_eq!(directory.place_of(part, wide), 16 + width * index as u64, "{}", part.name());
            }
        }
    }

    #[test]
    fn a_directory_has_at_most_64_entries() {
        let with = |count: u8| {
            let mut entries = elements();
            entries.extend((0..count - 4).map(|n| entry(Part(100 + n), 16, 16)));
            read(entries, false).map(|directory| directory.entries.len())
        };
        assert_eq!(with(64), Ok(64));
        let kind = ErrorKind::TooMany { what: "directory entries", count: 65, limit: 64 };
        assert_eq!(with(65), Err(kind.at(16 + 65 * 12)));
    }

    #[test]
    fn refuses_a_missing_part_and_an_unknown_critical_one() {
        let three = elements().split_off(1);
        assert_eq!(read(three, false).unwrap_err(), ErrorKind::PartMissing { part: 1 }.at(16));
        let mut unknown = elements();
        unknown.push(Entry { flags: FLAG_CRITICAL, ..entry(Part(99), 16, 16) });
        assert_eq!(read(unknown, false).unwrap_err(), ErrorKind::PartCritical { part: 99 }.at(16 + 48));
    }

    #[test]
    fn an_entry_for_a_newer_reader_is_said_before_its_other_faults() {
        for part in [Part::STRINGS, Part::KEY_SLOTS, Part(99)] {
            let mut entries = elements();
            entries.retain(|entry| entry.part != part);
            entries.push(Entry { flags: 0xff, stride: 9, ..entry(part, 3, 3) });
            entries.sort_by_key(|entry| entry.part);
            let at = 16 + 12 * entries.iter().position(|entry| entry.part == part).unwrap() as u64;
            assert_eq!(read(entries, false).unwrap_err(), ErrorKind::PartNewer { part: part.0 }.at(at));
        }
    }

    #[test]
    fn the_flag_tells_elements_from_tables() {
        let range = |part: u8, at| Some(ErrorKind::PartRange { part }.at(at));
        let mut root = elements();
        root[3].flags = FLAG_CRITICAL;
        assert_eq!(read(root, false).err(), range(4, 16 + 36), "an element of this version has it");
        let with = |part, flags, start, end| {
            let mut entries = elements();
            entries.push(Entry { flags, ..entry(part, start, end) });
            read(entries, false).err()
        };
        assert_eq!(with(Part::KEY_SLOTS, FLAG_ELEMENT, 12, 13), range(36, 16 + 48), "a known table has not");
        assert_eq!(with(Part(20), FLAG_ELEMENT, 13, 14), None, "an unknown part is what the flag says");
        assert_eq!(with(Part(20), 0, 13, 14), Some(ErrorKind::Padding.at(16 + 48)));
        assert_eq!(with(Part(5), 0, 16, 16), None, "whatever its number");
        assert_eq!(with(Part(5), FLAG_ELEMENT, 13, 13), range(5, 16 + 48), "an element has bytes");
    }

    #[test]
    fn tables_that_need_others_are_not_alone() {
        let missing = |parts: &[Part]| {
            let mut entries = elements();
            entries.extend(parts.iter().map(|&part| entry(part, 16, 16)));
            match read(entries, false).err() {
                Some(error) => match error.kind() {
                    ErrorKind::PartMissing { part } if error.offset() == 16 => Some(part),
                    _ => panic!("{error}"),
                },
                None => None,
            }
        };
        let all: Vec<Part> = (32..=36).chain(40..=45).map(Part).collect();
        assert_eq!(missing(&all), None);
        assert_eq!(missing(&[Part::LANDMARK_OFFSETS]), None);
        for part in &all[1..] {
            assert_eq!(missing(&[*part]), Some(32), "{}", part.name());
            let others: Vec<Part> = all.iter().copied().filter(|other| other != part).collect();
            let is_needed = !matches!(*part, Part::LANDMARK_CLASSES | Part::LANDMARK_TREE);
            assert_eq!(missing(&others), is_needed.then_some(part.0), "{}", part.name());
        }
        assert_eq!(missing(&[Part::LANDMARK_OFFSETS, Part::LANDMARK_DIGESTS]), Some(36));
    }

    #[test]
    fn refuses_undefined_flags_and_strides() {
        let mut flagged = elements();
        flagged[2].flags |= 16;
        assert_eq!(read(flagged, false).unwrap_err(), ErrorKind::PartRange { part: 3 }.at(16 + 24));
        let mut strided = elements();
        strided[1].stride = 1;
        assert_eq!(read(strided, true).unwrap_err(), ErrorKind::PartRange { part: 2 }.at(16 + 20));
        for (part, has_stride) in [
            (Part::STRING_OFFSETS, true),
            (Part::SHAPE_OFFSETS, true),
            (Part::SHARED_OFFSETS, true),
            (Part::LANDMARK_OFFSETS, false),
        ] {
            let mut strided = elements();
            for (stride, fits) in [(1, true), (31, true), (32, false), (u16::MAX, false)] {
                strided.truncate(4);
                strided.push(Entry { stride, ..entry(part, 16, 16) });
                let is_right = has_stride && fits;
                let expected = (!is_right).then(|| ErrorKind::PartRange { part: part.0 }.at(16 + 48));
                assert_eq!(read(strided.clone(), false).err(), expected, "{} {stride}", part.name());
            }
        }
    }

    #[test]
    fn tables_begin_at_multiples_of_eight() {
        let mut entries = elements();
        entries.push(entry(Part::LANDMARK_OFFSETS, 12, 14));
        assert_eq!(read(entries, false).unwrap_err(), ErrorKind::Padding.at(16 + 48));
        let after = |e: Entry| Entry { start: e.start + 1, end: e.end + 1, ..e };
        let mut entries: Vec<Entry> = elements().into_iter().map(after).collect();
        entries.push(entry(Part::LANDMARK_OFFSETS, 8, 9));
        assert_eq!(read(entries.clone(), false).unwrap().entries, entries);
    }
}
