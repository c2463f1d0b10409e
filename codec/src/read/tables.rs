//! The string and shape parts (§5.4–§5.5), read once for an operation that reads everything.

mod flat;
mod kept;

use crate::limits;
use crate::msgpack::Cursor;
use crate::read::file::DocumentView;
use crate::wire::directory::Part;
use crate::wire::distinct_keys::DistinctKeys;
use crate::wire::header::Profile;
use crate::wire::ids::{ShapeId, SharedId, StringId};
use crate::wire::shapes::{SlotKind, ValueSlot, read_shape_header, read_slot_head};
use crate::wire::value::{self, Form, References, Text, check_length};
use coconut_format::error::{DecodeError, ErrorKind};
pub(crate) use flat::{FlatSlot, FlatSlots};
pub(crate) use kept::{KeptTables, TreeTables};
use std::ops::Range;

/// Strings and shapes, ready for random access.
///
/// Memory: 16 bytes per string, 40 per shape, and 64 per slot. While they are being read, slots
/// take up to three times that.
#[derive(Debug)]
pub(crate) struct Tables<'a> {
    pub(crate) strings: Vec<&'a str>,
    pub(crate) shapes: Vec<Shape>,
    slots: Vec<ShapeSlot<'a>>,
    /// For all shapes, the slots with values in their records.
    valued: Vec<ValueSlot>,
    pub(crate) plain: bool,
}

/// A shape and the facts that follow from its slots.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    first_slot: u32,
    slots: u32,
    first_valued: u32,
    valued: u32,
    /// The number of values of a record.
    pub(crate) width: u32,
    /// The number of values of the object that are not in the record: constants, nested objects and
    /// their implied values.
    pub(crate) implied_values: u64,
    /// The bytes of all keys and constants, and one for each implied value.
    pub(crate) implied_text: u64,
    /// The number of levels of nested objects below the object itself.
    pub(crate) implied_levels: u32,
}

/// One slot of a shape.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShapeSlot<'a> {
    pub(crate) key: &'a str,
    /// The id of the key, if it is in the string table.
    pub(crate) key_id: Option<StringId>,
    pub(crate) form: SlotForm<'a>,
    /// The number of values of the record before the value of this slot.
    pub(crate) value: u32,
}

/// The form of the value of a slot. A constant is already read.
pub(crate) type SlotForm<'a> = SlotKind<Form<'a>>;

impl<'a> Tables<'a> {
    pub(crate) fn read(document: DocumentView<'a>) -> Result<Tables<'a>, DecodeError> {
        document.check_adjacent()?;
        Tables::read_anywhere(document)
    }

    /// Like [`read`](Self::read), even if there are other bytes between the parts.
    pub(crate) fn read_anywhere(document: DocumentView<'a>) -> Result<Tables<'a>, DecodeError> {
        let strings = read_strings(document)?;
        let plain = document.header().profile == Profile::Plain;
        let mut tables = Tables { strings, shapes: Vec::new(), slots: Vec::new(), valued: Vec::new(), plain };
        tables.read_shapes(document)?;
        Ok(tables)
    }

    pub(crate) fn shape(&self, id: ShapeId) -> &Shape {
        &self.shapes[id.index()]
    }

    pub(crate) fn slots(&self, shape: &Shape) -> &[ShapeSlot<'a>] {
        &self.slots[range(shape.first_slot, shape.slots)]
    }

    /// Returns the slots that have values in a record. All other slots are implied. So the time to
    /// walk records depends only on their own values.
    pub(crate) fn valued(&self, shape: &Shape) -> &[ValueSlot] {
        &self.valued[range(shape.first_valued, shape.valued)]
    }

    /// Returns the range of shape `id` among all slots.
    pub(crate) fn slot_range(&self, id: ShapeId) -> Range<usize> {
        let shape = self.shape(id);
        range(shape.first_slot, shape.slots)
    }

    pub(crate) fn slot(&self, index: usize) -> &ShapeSlot<'a> {
        &self.slots[index]
    }

    /// Returns string `id`, which the reference at `at` names.
    pub(crate) fn string(&self, id: u64, at: usize) -> Result<&'a str, DecodeError> {
        let text = usize::try_from(id).ok().and_then(|id| self.strings.get(id));
        text.copied()
            .ok_or_else(|| ErrorKind::StringRange { id, count: self.strings.len() as u64 }.at(at as u64))
    }

    fn read_shapes(&mut self, document: DocumentView<'a>) -> Result<(), DecodeError> {
        let (mut cursor, count) = document.frame.shapes.first(document.data, document.blocks())?;
        let mut keys = DistinctKeys::default();
        if self.plain {
            // No value refers to them in profile `plain` (§4.6).
            cursor.skip(count.into())?;
            return nothing_left(&cursor);
        }
        check_count("shapes", count as usize, limits::SHAPES, document.element(Part::SHAPES).start)?;
        // Trusted: the cursor has compared the count with the remaining bytes. A growing vector
        // would take twice the memory.
        self.shapes.reserve_exact(count as usize);
        for id in (0..count).map(ShapeId) {
            keys.clear();
            let at = cursor.position();
            let slots = read_shape_header(&mut cursor)?;
            let all_slots = self.slots.len().saturating_add(slots as usize);
            check_count("slots of shapes", all_slots, limits::SLOTS, at)?;
            let mut shape = Shape {
                first_slot: number(self.slots.len()),
                slots,
                first_valued: number(self.valued.len()),
                valued: 0,
                width: 0,
                implied_values: 0,
                implied_text: 0,
                implied_levels: 0,
            };
            for _ in 0..slots {
                self.read_slot(&mut cursor, id, &mut shape, &mut keys)?;
            }
            self.shapes.push(shape);
        }
        nothing_left(&cursor)
    }

    fn read_slot(
        &mut self,
        cursor: &mut Cursor<'a>,
        id: ShapeId,
        shape: &mut Shape,
        keys: &mut DistinctKeys<'a>,
    ) -> Result<(), DecodeError> {
        let head = read_slot_head(cursor)?;
        let (key, key_id) = match head.key {
            Text::Inline(text) => (text, None),
            Text::Id(id, at) => (self.string(id, at)?, StringId::of(id)),
        };
        check_length(key.len(), limits::KEY_BYTES, head.key_at)?;
        if !keys.insert(key) {
            return Err(ErrorKind::DuplicateKey.at(head.key_at as u64));
        }
        let value = shape.width;
        shape.implied_text = shape.implied_text.saturating_add(key.len() as u64);
        let form = match head.read_kind(cursor, id)? {
            SlotKind::Plain => SlotForm::Plain,
            SlotKind::Integer => SlotForm::Integer,
            SlotKind::Nested(inner) => {
                let nested = *self.shape(inner);
                shape.width = shape.width.saturating_add(nested.width);
                shape.implied_values =
                    shape.implied_values.saturating_add(nested.implied_values).saturating_add(1);
                shape.implied_text = shape.implied_text.saturating_add(nested.implied_text).saturating_add(1);
                shape.implied_levels = shape.implied_levels.max(nested.implied_levels.saturating_add(1));
                if nested.width > 0 {
                    self.push_valued(shape, SlotKind::Nested(inner));
                }
                SlotForm::Nested(inner)
            }
            SlotKind::Constant(at) => {
                let mut constant = cursor.at(at);
                let constant = value::read(&mut constant, self, false, SharedId(0))?;
                let text = match constant {
                    Form::String(text) => {
                        check_length(text.len(), limits::STRING_BYTES, at)?;
                        text.len()
                    }
                    Form::StringId(id) => self.strings[id.index()].len(),
                    _ => 0,
                };
                shape.implied_values = shape.implied_values.saturating_add(1);
                shape.implied_text = shape.implied_text.saturating_add(1 + text as u64);
                SlotForm::Constant(constant)
            }
        };
        match form {
            SlotForm::Plain => self.push_valued(shape, SlotKind::Plain),
            SlotForm::Integer => self.push_valued(shape, SlotKind::Integer),
            SlotForm::Nested(_) | SlotForm::Constant(_) => {}
        }
        if matches!(form, SlotForm::Plain | SlotForm::Integer) {
            shape.width = shape.width.saturating_add(1);
        }
        self.slots.push(ShapeSlot { key, key_id, form, value });
        Ok(())
    }

    fn push_valued(&mut self, shape: &mut Shape, slot: ValueSlot) {
        self.valued.push(slot);
        shape.valued += 1;
    }
}

impl<'a> References<'a> for Tables<'a> {
    #[inline]
    fn is_plain(&self) -> bool {
        self.plain
    }

    #[inline]
    fn string_form(&self, id: u64, at: usize) -> Result<Form<'a>, DecodeError> {
        match StringId::of(id) {
            Some(short) if short.index() < self.strings.len() => Ok(Form::StringId(short)),
            _ => Err(ErrorKind::StringRange { id, count: self.strings.len() as u64 }.at(at as u64)),
        }
    }

    #[inline]
    fn text(&self, id: u64, at: usize) -> Result<&'a str, DecodeError> {
        self.string(id, at)
    }

    #[inline]
    fn record_width(&self, id: u64, at: usize) -> Result<u32, DecodeError> {
        match usize::try_from(id).ok().and_then(|id| self.shapes.get(id)) {
            Some(shape) => Ok(shape.width),
            None => Err(ErrorKind::ShapeRange { id, count: self.shapes.len() as u64 }.at(at as u64)),
        }
    }
}

/// Returns the number of a slot.
fn number(slot: usize) -> u32 {
    u32::try_from(slot).expect("more slots than `limits::SLOTS` are refused before they are read")
}

fn range(first: u32, count: u32) -> Range<usize> {
    first as usize..first as usize + count as usize
}

/// Refuses more shapes or slots than the limit, before any of them is read.
fn check_count(what: &'static str, count: usize, limit: usize, at: usize) -> Result<(), DecodeError> {
    match count > limit {
        true => {
            let (count, limit) = (count as u64, limit as u64);
            Err(ErrorKind::TooMany { what, count, limit }.at(at as u64))
        }
        false => Ok(()),
    }
}

fn read_strings(document: DocumentView<'_>) -> Result<Vec<&str>, DecodeError> {
    let (mut cursor, count) = document.frame.strings.first(document.data, document.blocks())?;
    // Trusted: the cursor has compared the count with the remaining bytes.
    let mut strings = Vec::with_capacity(count as usize);
    for _ in 0..count {
        if let Some(text) = short_text(&mut cursor) {
            strings.push(text);
            continue;
        }
        let at = cursor.position();
        let text = cursor.str()?;
        check_length(text.len(), limits::STRING_BYTES, at)?;
        strings.push(text);
    }
    nothing_left(&cursor)?;
    Ok(strings)
}

/// Reads the next token if it is a string of up to 255 bytes, in UTF-8. The standard library checks
/// short texts faster.
#[inline]
fn short_text<'a>(cursor: &mut Cursor<'a>) -> Option<&'a str> {
    let mut ahead = *cursor;
    let text = std::str::from_utf8(ahead.short_str_bytes()?).ok()?;
    *cursor = ahead;
    Some(text)
}

/// Checks that an element ends where the directory records its end.
pub(crate) fn nothing_left(cursor: &Cursor<'_>) -> Result<(), DecodeError> {
    match cursor.end() - cursor.position() {
        0 => Ok(()),
        count => Err(ErrorKind::TrailingBytes { count: count as u64 }.at(cursor.position() as u64)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_and_slots_take_no_more_memory_than_documented() {
        let sizes = (size_of::<Shape>(), size_of::<ShapeSlot<'_>>() + size_of::<ValueSlot>());
        assert!(sizes.0 <= 40 && sizes.1 <= 64, "{sizes:?}");
    }
}
