//! Shapes as records need them (§6.2): their slots and their number of values.

use super::object::SoughtKey;
use super::slots::KeptSlots;
use crate::msgpack::Cursor;
use crate::read::file::DocumentView;
use crate::wire::ids::ShapeId;
use crate::wire::shapes::{RawSlot, SlotKind, read_shape_header, read_slot};
use coconut_format::error::{DecodeError, ErrorKind};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// A shape with slots not yet read.
#[derive(Clone, Copy)]
pub(crate) struct ShapeHeader<'a> {
    pub(crate) id: ShapeId,
    pub(crate) slots: u32,
    pub(crate) cursor: Cursor<'a>,
}

impl<'a> ShapeHeader<'a> {
    /// Iterates over the slots in order.
    pub(super) fn slots(&self) -> impl Iterator<Item = Result<RawSlot<'a>, DecodeError>> + use<'a> {
        let ShapeHeader { id, slots, mut cursor } = *self;
        (0..slots).map(move |_| read_slot(&mut cursor, id))
    }
}

impl<'a> DocumentView<'a> {
    /// Returns shape `id` (§6.1), which the reference at `at` names.
    ///
    /// Its place is cached beside the widths. Opening a record looks up its shape, and finding a
    /// place takes half as many steps as reading three fields.
    pub(crate) fn shape(&self, id: u64, at: usize) -> Result<ShapeHeader<'a>, DecodeError> {
        let shapes = &self.frame.shapes;
        let Some(id) = ShapeId::of(id) else { return self.no_shape(id, at) };
        // If no record was stepped over yet, this may be the only lookup.
        let known = self.frame.shape_facts.get().map(|facts| &facts.widths);
        let place = known.and_then(|known| known.place(id));
        let mut cursor = match place {
            Some(place) => self.cursor(shapes.start.saturating_add(place), shapes.end),
            None => match shapes.find(self.data, self.blocks(), id.0)? {
                Some(cursor) => cursor,
                None => return self.no_shape(id.into(), at),
            },
        };
        if let (None, Some(known)) = (place, known) {
            known.set_place(id, cursor.position().saturating_sub(shapes.start));
        }
        let slots = read_shape_header(&mut cursor)?;
        Ok(ShapeHeader { id, slots, cursor })
    }

    /// Returns the cached facts, if any record was stepped over before.
    pub(super) fn kept_slots(&self) -> Option<&'a KeptSlots> {
        self.frame.shape_facts.get().map(|facts| &facts.slots)
    }

    #[cold]
    fn no_shape(&self, id: u64, at: usize) -> Result<ShapeHeader<'a>, DecodeError> {
        let count = self.frame.shapes.count(self.data, self.blocks())?.into();
        Err(ErrorKind::ShapeRange { id, count }.at(at as u64))
    }
}

impl DocumentView<'_> {
    /// Returns the number of values in a record of shape `id`. The reference at `at` names the
    /// shape.
    ///
    /// The width is cached. Each visited record is compared with the width of its shape, and the
    /// records of a file share only a few shapes.
    pub(crate) fn shape_width(&self, id: u64, at: usize) -> Result<u32, DecodeError> {
        let widths = &self.shape_facts()?.widths;
        match ShapeId::of(id).and_then(|id| widths.get(id)) {
            Some(width) => Ok(width),
            None => self.measure_shape(self.shape(id, at)?, at, widths),
        }
    }

    /// Returns the number of values of a record that belong to a slot of this kind. The record is
    /// at `at`.
    #[inline]
    pub(super) fn slot_width(&self, kind: SlotKind, at: usize) -> Result<u32, DecodeError> {
        match kind {
            SlotKind::Plain | SlotKind::Integer => Ok(1),
            SlotKind::Constant(_) => Ok(0),
            SlotKind::Nested(inner) => self.shape_width(inner.into(), at),
        }
    }

    /// Returns the number of values before the field `key` in a record of shape `id`. Returns
    /// `None` if the key has no value in the record. All calls for one file must pass the same key,
    /// because the positions are cached.
    pub(crate) fn key_position(&self, id: u64, key: &str, at: usize) -> Result<Option<u32>, DecodeError> {
        let facts = &self.shape_facts()?.key_positions;
        if let Some(position) = ShapeId::of(id).and_then(|id| facts.get(id)) {
            return Ok((position < NO_POSITION).then_some(position));
        }
        let shape = self.shape(id, at)?;
        let (mut before, mut position) = (0u32, NO_POSITION);
        let mut sought = SoughtKey::new(key);
        for slot in shape.slots() {
            let slot = slot?;
            let is_sought = sought.compare(slot.key, *self)?.is_some();
            let values = self.slot_width(slot.kind, at)?;
            if is_sought {
                if matches!(slot.kind, SlotKind::Plain) {
                    position = before;
                }
                break;
            }
            before = before.saturating_add(values);
        }
        facts.set(shape.id, position);
        Ok((position < NO_POSITION).then_some(position))
    }

    fn shape_facts(&self) -> Result<&ShapeFacts, DecodeError> {
        if let Some(facts) = self.frame.shape_facts.get() {
            return Ok(facts);
        }
        let count = self.frame.shapes.count(self.data, self.blocks())?;
        let new = || ShapeFacts {
            widths: Numbers::unknown(count),
            key_positions: Numbers::unknown(count),
            slots: KeptSlots::new(),
        };
        Ok(self.frame.shape_facts.get_or_init(new))
    }

    /// Adds up the slots of a shape, after those of the shapes that it nests. A shape nests only
    /// earlier ones. Nesting can be as deep as there are shapes, so there is no recursion.
    fn measure_shape(&self, asked: ShapeHeader<'_>, at: usize, widths: &Numbers) -> Result<u32, DecodeError> {
        if asked.id.0 >= widths.count {
            let count = widths.count.into();
            return Err(ErrorKind::ShapeRange { id: asked.id.into(), count }.at(at as u64));
        }
        let mut shape = asked;
        // Nested shapes to measure first. Most shapes nest only shapes with a known width.
        let mut pending = Vec::new();
        loop {
            let before = pending.len();
            let width = add_up(shape, widths, &mut pending)?;
            if pending.len() == before {
                widths.set(shape.id, width);
                if shape.id == asked.id {
                    return Ok(width);
                }
                while pending.pop_if(|id| widths.get(*id).is_some()).is_some() {}
            }
            shape = match pending.last() {
                Some(&next) => self.shape(next.into(), at)?,
                None => asked,
            };
        }
    }
}

/// Returns the number of values in a record of this shape, if `widths` contains all shapes that it
/// nests. Missing shapes are appended to `pending`.
fn add_up(shape: ShapeHeader<'_>, widths: &Numbers, pending: &mut Vec<ShapeId>) -> Result<u32, DecodeError> {
    shape.slots().try_fold(0u32, |width, slot| {
        let values = match slot?.kind {
            SlotKind::Plain | SlotKind::Integer => 1,
            SlotKind::Constant(_) => 0,
            SlotKind::Nested(inner) => widths.get(inner).unwrap_or_else(|| {
                pending.push(inner);
                0
            }),
        };
        Ok(width.saturating_add(values))
    })
}

/// Facts about shapes, cached on first use.
#[derive(Debug)]
pub(crate) struct ShapeFacts {
    widths: Numbers,
    /// See [`DocumentView::key_position`].
    key_positions: Numbers,
    slots: KeptSlots,
}

/// The key position of a shape with no value for the key in its records.
const NO_POSITION: u32 = u32::MAX - 1;

/// A number and the place of each shape, once they are known.
///
/// Stored in pages that are allocated on first use: a lookup uses a few of perhaps thousands of
/// shapes.
#[derive(Debug)]
struct Numbers {
    count: u32,
    /// The low bits store the number plus one, the high bits the place plus one. 0 means unknown.
    pages: Box<[OnceLock<Box<[AtomicU64]>>]>,
}

/// Numbers in one page.
const PAGE: u32 = 64;

/// The low bits of a word. A number plus one may exceed 32 bits.
const NUMBER_BITS: u32 = 33;
const NUMBER: u64 = (1 << NUMBER_BITS) - 1;

impl Numbers {
    #[inline(never)]
    fn unknown(count: u32) -> Numbers {
        Numbers { count, pages: (0..count.div_ceil(PAGE)).map(|_| OnceLock::new()).collect() }
    }

    fn get(&self, id: ShapeId) -> Option<u32> {
        let known = (self.word(id)? & NUMBER).checked_sub(1)?;
        u32::try_from(known).ok()
    }

    fn set(&self, id: ShapeId, number: u32) {
        self.add(id, NUMBER, u64::from(number).saturating_add(1));
    }

    /// Returns the place of the shape, in bytes from the start of its part.
    fn place(&self, id: ShapeId) -> Option<usize> {
        let known = (self.word(id)? >> NUMBER_BITS).checked_sub(1)?;
        usize::try_from(known).ok()
    }

    /// Stores the place of the shape, unless it is beyond the first 2 GiB of the part.
    fn set_place(&self, id: ShapeId, place: usize) {
        let place = (place as u64).saturating_add(1);
        if place >> (u64::BITS - NUMBER_BITS) == 0 {
            self.add(id, !NUMBER, place << NUMBER_BITS);
        }
    }

    // Relaxed: each number is independent. A thread that misses one computes it again.
    fn word(&self, ShapeId(id): ShapeId) -> Option<u64> {
        let page = self.pages.get((id / PAGE) as usize)?.get()?;
        Some(page.get((id % PAGE) as usize)?.load(Ordering::Relaxed))
    }

    /// Sets the `bits` of a word that are in `field`, unless some of that field are set.
    fn add(&self, ShapeId(id): ShapeId, field: u64, bits: u64) {
        let Some(page) = self.pages.get((id / PAGE) as usize) else { return };
        let page = page.get_or_init(|| (0..PAGE).map(|_| AtomicU64::new(0)).collect());
        if let Some(known) = page.get((id % PAGE) as usize) {
            let added = |word: u64| (word & field == 0).then_some(word | bits);
            // An error means that another thread was faster, with the same number.
            let _ = known.fetch_update(Ordering::Relaxed, Ordering::Relaxed, added);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crafted::Crafted;
    use crate::wire::directory::Part;
    use crate::wire::header::Profile;

    #[test]
    fn numbers_are_returned_once_they_are_set() {
        let numbers = Numbers::unknown(130);
        let ids = [0, 1, 62, 63, 64, 65, 127, 128, 129];
        for id in ids {
            assert_eq!(numbers.get(ShapeId(id)), None, "{id}");
            numbers.set(ShapeId(id), 1000 - id);
            assert_eq!(
                ids.map(|other| numbers.get(ShapeId(other))),
                ids.map(|other| (other <= id).then_some(1000 - other))
            );
        }
        assert_eq!(numbers.pages.len(), 3);
        // A number outside all pages is dropped. Zero is a valid number.
        numbers.set(ShapeId(192), 5);
        assert_eq!((numbers.get(ShapeId(192)), numbers.get(ShapeId(2))), (None, None));
        numbers.set(ShapeId(2), 0);
        assert_eq!(numbers.get(ShapeId(2)), Some(0));
    }

    #[test]
    fn a_number_and_a_place_do_not_disturb_each_other() {
        let numbers = Numbers::unknown(4);
        let largest = (1 << (u64::BITS - NUMBER_BITS)) - 2;
        for (id, number, place) in [(0, 0, 0), (1, u32::MAX, largest), (2, 5, largest + 1)] {
            let id = ShapeId(id);
            numbers.set_place(id, place);
            assert_eq!(numbers.get(id), None);
            numbers.set(id, number);
            assert_eq!(numbers.get(id), Some(number));
            assert_eq!(numbers.place(id), (place <= largest).then_some(place));
        }
        // The first number of each is kept.
        numbers.set(ShapeId(1), 7);
        numbers.set_place(ShapeId(1), 7);
        assert_eq!((numbers.get(ShapeId(1)), numbers.place(ShapeId(1))), (Some(u32::MAX), Some(largest)));
    }

    #[test]
    fn a_page_is_made_for_the_numbers_that_it_holds() {
        let numbers = Numbers::unknown(64);
        assert_eq!(numbers.pages.len(), 1);
        assert!(numbers.pages[0].get().is_none());
        numbers.set(ShapeId(63), 0);
        assert_eq!(numbers.pages[0].get().map(|page| page.len()), Some(64));
    }

    /// Nested shapes: 0 has two values. 1 has those, two more and a constant. 2 has 1 twice, with
    /// one value between them.
    fn nesting() -> Crafted {
        let mut crafted = Crafted::of(Profile::Full, b"\xc0");
        crafted.strings = b"\x92\xa1s\xa1t".to_vec();
        crafted.shapes = [
            &b"\x93\x92\xa1a\x91\xa1b"[..],
            b"\x94\xa1c\x92\xa1d\x00\x93\xa1e\xc0\xc3\x01",
            b"\x93\x92\xa1f\x01\xa1g\x92\xa1h\x01",
        ]
        .concat();
        crafted
    }

    #[test]
    fn a_record_is_as_wide_as_its_shape_and_the_shapes_nested_in_it() {
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
            let file = nesting().file();
            for id in [order, order].concat() {
                let expected = [2, 4, 9][usize::try_from(id).unwrap()];
                assert_eq!(file.view().shape_width(id, 7), Ok(expected), "{id}");
            }
            let missing = |id| Err(ErrorKind::ShapeRange { id, count: 3 }.at(7));
            assert_eq!(file.view().shape_width(3, 7), missing(3));
            assert_eq!(file.view().shape_width(1 << 32, 7), missing(1 << 32));
        }
    }

    #[test]
    fn an_oversized_shape_has_the_same_width_in_views_and_surveys() {
        // One value, then each shape nests the previous one twice: 2^32, and 2^33.
        let doubling = (1..34).flat_map(|id: u8| [0x92, 0x92, 0xa1, b'a', id - 1, 0x92, 0xa1, b'b', id - 1]);
        let mut crafted = Crafted::of(Profile::Full, &[0x92, 0xc0, 0x91, 33]);
        crafted.shapes = [0xdc, 0, 34, 0x91, 0xa1, b'a'].into_iter().chain(doubling).collect();
        let file = crafted.file();
        for (id, expected) in [(31, 1 << 31), (32, u32::MAX), (33, u32::MAX)] {
            // Computed first, then cached.
            for _ in 0..2 {
                assert_eq!(file.view().shape_width(id, 7), Ok(expected), "{id}");
            }
        }
        let [.., root] = crafted.elements();
        let refused = ErrorKind::ShapeArity { expected: u32::MAX.into(), found: 0 }.at(root as u64 + 2);
        assert_eq!(file.view().check_values(), Err(refused.clone()));
        assert_eq!(file.view().root().pointer("/0/a").map(drop), Err(refused));
    }

    #[test]
    fn a_key_position_counts_the_values_of_earlier_slots() {
        let positions = [
            // An integer slot, a nested object and a constant never hold a string of a record.
            ("a", [Some(0), None, None]),
            ("b", [None, None, None]),
            ("c", [None, Some(0), None]),
            ("d", [None, None, None]),
            ("e", [None, None, None]),
            ("t", [None, Some(3), None]),
            ("g", [None, None, Some(4)]),
            ("no such key", [None, None, None]),
        ];
        for (key, expected) in positions {
            let file = nesting().file();
            for _ in 0..2 {
                let found = [0, 1, 2].map(|id| file.view().key_position(id, key, 7));
                assert_eq!(found, expected.map(Ok), "{key}");
            }
            let missing = Err(ErrorKind::ShapeRange { id: 3, count: 3 }.at(7));
            assert_eq!(file.view().key_position(3, key, 7), missing);
        }
    }

    #[test]
    fn a_shape_that_only_the_offset_table_lists_is_refused() {
        let mut crafted = nesting();
        // A table of four entries. The last one leads to the first shape again.
        let [_, shapes, ..] = crafted.elements();
        let first = u32::try_from(shapes + 1).unwrap();
        crafted.tables = vec![(Part::SHAPE_OFFSETS.0, 0, [first; 4].map(u32::to_le_bytes).concat())];
        let file = crafted.file();
        let entry = file.view().frame.directory.place_of(Part::SHAPE_OFFSETS, false);
        let length = ErrorKind::PartLength { part: Part::SHAPE_OFFSETS.0, expected: 12, found: 16 };
        for id in [3, 0] {
            assert_eq!(file.view().shape_width(id, 7), Err(length.at(entry)));
        }
    }
}
