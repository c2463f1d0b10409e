//! Measures the expanded size of single values before they are expanded (§9.2).
//!
//! A [survey](super::Survey) visits every stored byte. This visits only the bytes that a value
//! needs, once or twice. Shared values and shapes are measured when they are first referenced.

use super::Size;
use crate::limits;
use crate::msgpack::Cursor;
use crate::read::file::DocumentView;
use crate::read::view::{LongTexts, ValueView};
use crate::read::walk::{Left, Open, Place, Visitor, Walk};
use crate::wire::ids::{ShapeId, SharedId};
use crate::wire::shapes::{SlotKind, ValueSlot, read_slot};
use crate::wire::value::{self, Form, Text, check_shared};
use coconut_format::error::DecodeError;
use std::collections::HashMap;

/// The sizes found in a document so far.
pub(crate) struct Sizes<'a> {
    document: DocumentView<'a>,
    /// The sizes of shared values, by id, and the levels of their contents.
    shared: HashMap<SharedId, (Size, u64)>,
    shapes: HashMap<ShapeId, ShapeSize>,
    /// The slots of measured shapes that have values in records.
    valued: Vec<ValueSlot>,
    long_texts: LongTexts<'a>,
    /// Shared values still to be measured, and the references to them.
    pending: Vec<(SharedId, usize)>,
    /// The size of the visited part of the value being measured.
    size: Size,
    /// The sum of the levels of all values in it: the total indentation of its indented text.
    levels: u64,
    /// The number of visited values, plus bytes that count as values.
    looked_at: u64,
}

/// The sizes that a shape implies for its records.
#[derive(Clone, Copy, Debug)]
struct ShapeSize {
    /// Its keys, and the values that are not in the record.
    implied: Size,
    /// The sum of the levels of these values. A record is at level 0.
    levels: u64,
    /// The start of its slots in [`Sizes::valued`].
    first: usize,
    end: usize,
}

impl<'a> Sizes<'a> {
    pub(crate) fn new(document: DocumentView<'a>) -> Sizes<'a> {
        Sizes {
            document,
            shared: HashMap::new(),
            shapes: HashMap::new(),
            valued: Vec::new(),
            long_texts: LongTexts::default(),
            pending: Vec::new(),
            size: Size::default(),
            levels: 0,
            looked_at: 0,
        }
    }

    /// Returns the work so far. A value counts each time it is measured.
    pub(crate) fn looked_at(&self) -> u64 {
        self.looked_at
    }

    /// Returns the sum of the levels of all values in the value that was measured last.
    pub(crate) fn levels(&self) -> u64 {
        self.levels
    }

    /// Returns the expanded size of `value`. Refuses depths beyond the limit.
    pub(crate) fn of(&mut self, value: ValueView<'a>) -> Result<Size, DecodeError> {
        let (cursor, first, bound) = value.walk();
        self.pending.clear();
        let size = self.measure(cursor, first, bound)?;
        if self.pending.is_empty() {
            return Ok(size);
        }
        self.measure_pending()?;
        self.measure(cursor, first, bound)
    }

    /// Measures the pending shared values, after those they refer to. A chain of references may be
    /// as long as the file, so there is no recursion.
    fn measure_pending(&mut self) -> Result<(), DecodeError> {
        while let Some(&(id, reference)) = self.pending.last() {
            let before = self.pending.len();
            if !self.shared.contains_key(&id) {
                let cursor = self.document.shared_cursor(id, reference)?;
                check_shared(cursor)?;
                let size = self.measure(cursor, SlotKind::Plain, id)?;
                if self.pending.len() > before {
                    continue;
                }
                self.shared.insert(id, (size, self.levels));
            }
            self.pending.pop();
        }
        Ok(())
    }

    /// Returns the size of the value at the cursor. Adds references to unmeasured values to
    /// `pending`. If there are any, the size excludes them.
    fn measure(&mut self, cursor: Cursor<'a>, slot: ValueSlot, bound: SharedId) -> Result<Size, DecodeError> {
        let start = cursor.position();
        let mut place = Place { cursor, bound };
        (self.size, self.levels) = (Size::default(), 0);
        if let SlotKind::Nested(shape) = slot {
            self.size.add_value(0);
            self.imply(shape, 0, start)?;
        }
        Walk::new().visit(self, &mut place, slot)?;
        self.looked_at += (place.cursor.position() - start) as u64 / limits::BYTES_PER_STEP;
        Ok(self.size)
    }

    /// Adds the sizes that a shape implies for each of its records.
    fn imply(&mut self, shape: ShapeId, around: u32, at: usize) -> Result<(), DecodeError> {
        let ShapeSize { implied, levels, .. } = self.shape(shape, at)?;
        self.size.add(implied.values, implied.text);
        self.indent(around, implied.values, levels);
        self.size.reach(around, implied.depth.saturating_add(1), at).map(drop)
    }

    /// Adds the levels of `values` values inside `around` containers.
    fn indent(&mut self, around: u32, values: u64, levels: u64) {
        let around = values.saturating_mul(around.into());
        self.levels = self.levels.saturating_add(around).saturating_add(levels);
    }

    /// Opens the values of a record.
    fn record(&mut self, shape: ShapeId, around: u32, at: usize) -> Result<Open<u32>, DecodeError> {
        let ShapeSize { first, end, .. } = self.shape(shape, at)?;
        Ok(Open { left: Left::Record { next: first, end }, note: self.size.reach(around, 1, at)? })
    }

    /// Returns the length of a text in bytes.
    fn length(&mut self, text: Text<'a>) -> Result<u64, DecodeError> {
        Ok(self.long_texts.resolve(text, self.document)?.len() as u64)
    }

    /// Returns the bytes of text of a scalar.
    fn text_of(&mut self, form: Form<'a>, at: usize) -> Result<u64, DecodeError> {
        match form {
            Form::String(text) => Ok(text.len() as u64),
            Form::StringId(id) => self.length(Text::Id(id.into(), at)),
            _ => Ok(0),
        }
    }

    /// Returns the sizes implied by shape `id`, which the reference at `at` names. Measures the
    /// shapes that it nests first, without recursion.
    fn shape(&mut self, id: ShapeId, at: usize) -> Result<ShapeSize, DecodeError> {
        if let Some(&known) = self.shapes.get(&id) {
            return Ok(known);
        }
        let mut pending = vec![id];
        while let Some(&next) = pending.last() {
            if self.shapes.contains_key(&next) || self.measure_shape(next, at, &mut pending)? {
                pending.pop();
            }
        }
        Ok(self.shapes[&id])
    }

    /// Adds up the slots of a shape. Returns `false` if it nests unmeasured shapes, which are
    /// recorded to be measured first.
    fn measure_shape(
        &mut self,
        id: ShapeId,
        at: usize,
        pending: &mut Vec<ShapeId>,
    ) -> Result<bool, DecodeError> {
        let header = self.document.shape(id.into(), at)?;
        let (mut cursor, before) = (header.cursor, pending.len());
        let (mut implied, mut valued) = (Size::default(), Vec::new());
        let mut levels = 0u64;
        for _ in 0..header.slots {
            let slot = read_slot(&mut cursor, id)?;
            implied.add(0, self.length(slot.key)?);
            match slot.kind {
                SlotKind::Plain => valued.push(SlotKind::Plain),
                SlotKind::Integer => valued.push(SlotKind::Integer),
                SlotKind::Constant(at) => {
                    self.looked_at += 1;
                    let constant = value::read(&mut cursor.at(at), &self.document, false, SharedId(0))?;
                    implied.add_value(self.text_of(constant, at)?);
                    levels = levels.saturating_add(1);
                }
                SlotKind::Nested(inner) => match self.shapes.get(&inner) {
                    None => pending.push(inner),
                    Some(nested) => {
                        implied.add_value(0);
                        implied.add(nested.implied.values, nested.implied.text);
                        let below = nested.levels.saturating_add(nested.implied.values);
                        levels = levels.saturating_add(below).saturating_add(1);
                        implied.depth = implied.depth.max(nested.implied.depth.saturating_add(1));
                        if nested.end > nested.first {
                            valued.push(SlotKind::Nested(inner));
                        }
                    }
                },
            }
        }
        if pending.len() > before {
            return Ok(false);
        }
        let first = self.valued.len();
        self.valued.append(&mut valued);
        self.shapes.insert(id, ShapeSize { implied, levels, first, end: self.valued.len() });
        Ok(true)
    }
}

impl<'a> Visitor<'a> for Sizes<'a> {
    type Error = DecodeError;
    /// The level of the container.
    type Note = u32;
    type Slot = ValueSlot;

    fn key(&mut self, place: &mut Place<'a>, _: usize, _: &u32) -> Result<(), DecodeError> {
        let key = value::read_key(&mut place.cursor, &self.document)?;
        let length = self.length(key)?;
        self.size.add(0, length);
        Ok(())
    }

    fn slot(&mut self, next: &mut usize, end: usize) -> Result<Option<ValueSlot>, DecodeError> {
        let slot = (*next < end).then(|| self.valued[*next]);
        *next += 1;
        Ok(slot)
    }

    fn value(
        &mut self,
        place: &mut Place<'a>,
        slot: ValueSlot,
        around: &u32,
    ) -> Result<Option<Open<u32>>, DecodeError> {
        self.looked_at += 1;
        let at = place.cursor.position();
        if let SlotKind::Nested(shape) = slot {
            // The shape around it already includes its implied values.
            return self.record(shape, *around, at).map(Some);
        }
        let is_integer = slot == SlotKind::Integer;
        let form = value::read(&mut place.cursor, &self.document, is_integer, place.bound)?;
        let left = match form {
            Form::Shared(id) => {
                match self.shared.get(&id).copied() {
                    Some((inner, levels)) => {
                        self.size.add(inner.values, inner.text);
                        self.indent(*around, inner.values, levels);
                        self.size.reach(*around, inner.depth, at)?;
                    }
                    None => self.pending.push((id, at)),
                }
                return Ok(None);
            }
            Form::Record(shape) => {
                self.size.add_value(0);
                self.indent(*around, 1, 0);
                self.imply(shape, *around, at)?;
                return self.record(shape, *around, at).map(Some);
            }
            Form::List(count) => Left::list(count),
            Form::Object(count) => Left::object(count),
            scalar => {
                let text = self.text_of(scalar, at)?;
                self.size.add_value(text);
                self.indent(*around, 1, 0);
                return Ok(None);
            }
        };
        self.size.add_value(0);
        self.indent(*around, 1, 0);
        Ok(Some(Open { left, note: self.size.reach(*around, 1, at)? }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crafted::Crafted;
    use crate::read::view::LONG_TEXT;
    use crate::wire::header::Profile;
    use coconut_format::error::ErrorKind;

    #[test]
    fn only_lengths_of_long_texts_are_cached() {
        let mut crafted = Crafted::of(Profile::Full, b"\x95\xc0\x00\x01\x00\x01");
        let texts = [LONG_TEXT - 1, LONG_TEXT].map(|length| vec![b't'; length]);
        crafted.strings = [&b"\x92\xd9\xff"[..], &texts[0], b"\xda\x01\0", &texts[1]].concat();
        let file = crafted.file();
        let mut sizes = Sizes::new(file.view());
        let text = 1 + 2 * (1 + 255) + 2 * (1 + 256);
        assert_eq!(sizes.of(file.view().root()), Ok(Size { values: 5, depth: 1, text }));
        let known: Vec<_> = sizes.long_texts.known().iter().map(|(id, text)| (*id, text.len())).collect();
        assert_eq!(known, [(1, 256)]);
    }

    #[test]
    fn nested_objects_without_values_are_measured_with_their_shape_alone() {
        // An object of a constant, and an object of two of those. Each further level would double
        // the number of objects.
        let mut crafted = Crafted::of(Profile::Full, b"\x91\x01");
        crafted.shapes = b"\x92\x91\x93\xa1c\xc0\xc3\x92\x92\xa1a\x00\x92\xa1b\x00".to_vec();
        let file = crafted.file();
        let mut sizes = Sizes::new(file.view());
        let text = 1 + 2 * (1 + 1 + 1 + 1);
        assert_eq!(sizes.of(file.view().root()), Ok(Size { values: 5, depth: 2, text }));
        assert!(sizes.valued.is_empty(), "{:?}", sizes.valued);
    }

    #[test]
    fn a_nested_object_counts_as_visited_like_any_other() {
        // An object in an object, with one value, all in one record.
        let mut crafted = Crafted::of(Profile::Full, b"\x92\x01\xc3");
        crafted.shapes = b"\x92\x91\xa1b\x91\x92\xa1a\x00".to_vec();
        let file = crafted.file();
        let root = file.view().root();
        let nested = root.field("a").unwrap().unwrap();
        for (value, expected) in [(root, 3), (nested, 2)] {
            let mut sizes = Sizes::new(file.view());
            assert_eq!(sizes.of(value).map(|size| size.values), Ok(expected));
            assert_eq!(sizes.looked_at(), expected);
        }
    }

    #[test]
    fn no_string_has_an_id_beyond_32_bits() {
        let crafted = Crafted::of(Profile::Full, b"\x92\xc0\xcf\0\0\0\x01\0\0\0\0");
        let file = crafted.file();
        let at = crafted.elements()[3] as u64 + 2;
        let error = ErrorKind::StringRange { id: 1 << 32, count: 0 }.at(at);
        assert_eq!(Sizes::new(file.view()).of(file.view().root()), Err(error));
    }
}
