//! §4.5 and §6.2 Objects, whichever way they are written.

use super::shape::ShapeHeader;
use super::{Form, ValueView};
use crate::limits;
use crate::msgpack::Cursor;
use crate::wire::shapes::{SlotKind, Text, read_slot, read_text};
use coconut_format::error::DecodeError;
use std::cell::Cell;

/// An object in a file, its entries not yet read.
///
/// Keys are distinct in a verified file. In one that was never read whole a key may stand twice; then the first
/// counts for [`get`](ObjectView::get).
#[derive(Clone, Copy, Debug)]
pub struct ObjectView<'a> {
    /// The first value of a record, or the first key.
    first: ValueView<'a>,
    keys: Keys<'a>,
}

#[derive(Clone, Copy, Debug)]
enum Keys<'a> {
    /// Before each value: so many entries.
    InPlace(u32),
    /// In the shape.
    Shape(ShapeHeader<'a>),
}

impl<'a> ObjectView<'a> {
    pub(super) fn entries(first: ValueView<'a>, count: u32) -> Self {
        ObjectView { first, keys: Keys::InPlace(count) }
    }

    pub(super) fn nested(first: ValueView<'a>, shape: ShapeHeader<'a>) -> Self {
        ObjectView { first, keys: Keys::Shape(shape) }
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        match self.keys {
            Keys::InPlace(count) => count as usize,
            Keys::Shape(shape) => shape.slots as usize,
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether its keys stand in a shape.
    pub(crate) fn is_record(&self) -> bool {
        matches!(self.keys, Keys::Shape(_))
    }

    /// The entries in document order. An error ends the iteration.
    pub fn iter(&self) -> Entries<'a> {
        let cursor = self.first.cursor();
        let (keys, left) = match self.keys {
            Keys::InPlace(count) => (None, count),
            Keys::Shape(shape) => (Some((shape.cursor, shape.id)), shape.slots),
        };
        Entries { object: self.first, values: cursor, unread: 0, keys, left }
    }

    /// The value under `key`. Costs a walk over the entries before it; where there is none, over all but the value of
    /// the last one.
    pub fn get(&self, key: &str) -> Result<Option<ValueView<'a>>, DecodeError> {
        self.get_counting(key, &Cell::new(0))
    }

    /// As [`get`](Self::get); `looked_at` counts the entries that are looked at, and as many as their names and the
    /// values that are stepped over take the time of.
    pub(crate) fn get_counting(
        &self,
        key: &str,
        looked_at: &Cell<u64>,
    ) -> Result<Option<ValueView<'a>>, DecodeError> {
        let mut entries = self.iter();
        let start = entries.reached();
        let mut found = None;
        let (mut count, mut names) = (0u64, 0u64);
        for entry in entries.by_ref() {
            let (name, value) = entry?;
            count += 1;
            names = names.saturating_add(name.len() as u64);
            if name == key {
                found = Some(value);
                break;
            }
        }
        // Many names can be one text of the string table.
        let bytes = names.saturating_add(entries.reached().saturating_sub(start) as u64);
        looked_at.set(looked_at.get().saturating_add(count + bytes / limits::BYTES_LIKE_A_VALUE));
        Ok(found)
    }
}

/// The entries of an [`ObjectView`].
#[derive(Clone, Debug)]
pub struct Entries<'a> {
    object: ValueView<'a>,
    values: Cursor<'a>,
    /// Values of the entry before this, which nobody needs to step over unless there is a next one: a document is
    /// often an object whose last entry is nearly all of it.
    unread: u32,
    /// Cursor over the slots of the shape, and its id.
    keys: Option<(Cursor<'a>, u32)>,
    left: u32,
}

impl<'a> Entries<'a> {
    /// Where what was read of the values ends.
    pub(crate) fn reached(&self) -> usize {
        self.values.position()
    }

    fn read(&mut self) -> Result<(&'a str, ValueView<'a>), DecodeError> {
        self.values.skip(std::mem::take(&mut self.unread).into())?;
        let entry = self.values.position();
        let Some((slots, shape)) = &mut self.keys else {
            let key = self.text_in_place()?;
            let value = ValueView { entry, ..self.object.moved(self.values.position()) };
            self.unread = 1;
            return Ok((key, value));
        };
        let slot = read_slot(slots, *shape)?;
        let value = self.object.moved(entry);
        let value = match slot.kind {
            SlotKind::Plain => value,
            SlotKind::Integer => ValueView { form: Form::IntegerSlot, ..value },
            SlotKind::Nested(inner) => ValueView { form: Form::Nested(inner), ..value },
            SlotKind::Constant(constant) => {
                let position = constant.position();
                ValueView { position, end: constant.end(), bound: 0, ..value }
            }
        };
        self.unread = match slot.kind {
            SlotKind::Plain | SlotKind::Integer => 1,
            SlotKind::Nested(inner) => self.object.document.shape_width(inner.into(), entry)?,
            SlotKind::Constant(_) => 0,
        };
        Ok((self.resolve(slot.key)?, value))
    }

    fn text_in_place(&mut self) -> Result<&'a str, DecodeError> {
        if self.object.document.header().profile == crate::wire::header::Profile::Plain {
            return self.values.str();
        }
        let text = read_text(&mut self.values)?;
        self.resolve(text)
    }

    fn resolve(&self, text: Text<'a>) -> Result<&'a str, DecodeError> {
        match text {
            Text::Inline(text) => Ok(text),
            Text::Id(id, at) => self.object.document.string(id, at),
        }
    }
}

impl<'a> Iterator for Entries<'a> {
    type Item = Result<(&'a str, ValueView<'a>), DecodeError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let entry = self.read();
        if entry.is_err() {
            self.left = 0;
        }
        Some(entry)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.left as usize))
    }
}
