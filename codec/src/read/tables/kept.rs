//! The string and shape parts (§5.4–§5.5), kept beside their file.

use super::{Shape, ShapeSlot, SlotForm, Tables, range};
use crate::wire::ids::{ShapeId, StringId};
use crate::wire::shapes::SlotKind;
use crate::wire::value::Form;
use std::ops::Range;

/// Owned strings and shapes.
///
/// Memory: all texts, 16 bytes per string, 40 per shape and 56 per slot.
#[derive(Debug)]
pub(crate) struct KeptTables {
    /// The strings of the table, the keys and the constants, one after the other.
    texts: String,
    strings: Vec<Range<usize>>,
    shapes: Vec<Shape>,
    slots: Vec<KeptSlot>,
}

/// A slot of a shape, with places of texts.
#[derive(Debug)]
struct KeptSlot {
    key: Range<usize>,
    key_id: Option<StringId>,
    form: SlotKind<Constant>,
    value: u32,
}

/// The value of a slot that is equal in every record.
#[derive(Debug)]
enum Constant {
    Text(Range<usize>),
    Other(Form<'static>),
}

impl KeptTables {
    pub(crate) fn of(tables: &Tables<'_>) -> KeptTables {
        let length = tables.strings.iter().map(|text| text.len()).sum();
        let mut kept = KeptTables {
            texts: String::with_capacity(length),
            strings: Vec::with_capacity(tables.strings.len()),
            shapes: tables.shapes.clone(),
            slots: Vec::with_capacity(tables.slots.len()),
        };
        for text in &tables.strings {
            let place = kept.keep(text);
            kept.strings.push(place);
        }
        for slot in &tables.slots {
            let slot = kept.kept(slot);
            kept.slots.push(slot);
        }
        kept
    }

    fn keep(&mut self, text: &str) -> Range<usize> {
        let start = self.texts.len();
        self.texts.push_str(text);
        start..self.texts.len()
    }

    fn kept(&mut self, slot: &ShapeSlot<'_>) -> KeptSlot {
        let key = match slot.key_id {
            Some(id) => self.strings[id.index()].clone(),
            None => self.keep(slot.key),
        };
        let form = match slot.form {
            SlotKind::Plain => SlotKind::Plain,
            SlotKind::Integer => SlotKind::Integer,
            SlotKind::Nested(shape) => SlotKind::Nested(shape),
            SlotKind::Constant(constant) => SlotKind::Constant(match constant {
                Form::String(text) => Constant::Text(self.keep(text)),
                Form::Null => Constant::Other(Form::Null),
                Form::Bool(value) => Constant::Other(Form::Bool(value)),
                Form::Integer(value) => Constant::Other(Form::Integer(value)),
                Form::Float(value) => Constant::Other(Form::Float(value)),
                Form::StringId(id) => Constant::Other(Form::StringId(id)),
                Form::Shared(id) => Constant::Other(Form::Shared(id)),
                Form::List(count) => Constant::Other(Form::List(count)),
                Form::Object(count) => Constant::Other(Form::Object(count)),
                Form::Record(shape) => Constant::Other(Form::Record(shape)),
            }),
        };
        KeptSlot { key, key_id: slot.key_id, form, value: slot.value }
    }

    fn text(&self, place: &Range<usize>) -> &str {
        &self.texts[place.clone()]
    }

    fn slot(&self, index: usize) -> ShapeSlot<'_> {
        let KeptSlot { key, key_id, form, value } = &self.slots[index];
        let form = match form {
            SlotKind::Plain => SlotForm::Plain,
            SlotKind::Integer => SlotForm::Integer,
            SlotKind::Nested(shape) => SlotForm::Nested(*shape),
            SlotKind::Constant(Constant::Text(place)) => SlotForm::Constant(Form::String(self.text(place))),
            SlotKind::Constant(Constant::Other(form)) => SlotForm::Constant(*form),
        };
        ShapeSlot { key: self.text(key), key_id: *key_id, form, value: *value }
    }
}

#[inline]
fn without_constant<C>(form: &SlotKind<C>) -> SlotKind<()> {
    match form {
        SlotKind::Plain => SlotKind::Plain,
        SlotKind::Integer => SlotKind::Integer,
        SlotKind::Nested(shape) => SlotKind::Nested(*shape),
        SlotKind::Constant(_) => SlotKind::Constant(()),
    }
}

/// The tables of a tree: read with it, or kept beside its file.
#[derive(Debug)]
pub(crate) enum TreeTables<'a> {
    Read(Tables<'a>),
    Kept(&'a KeptTables),
}

impl<'a> TreeTables<'a> {
    /// The tables of a tree that was just read. Only such trees are compared.
    #[inline]
    pub(crate) fn read(&self) -> &Tables<'a> {
        match self {
            TreeTables::Read(tables) => tables,
            TreeTables::Kept(_) => unreachable!("a kept tree is only read"),
        }
    }

    #[inline]
    pub(crate) fn string(&self, id: usize) -> &'a str {
        match self {
            TreeTables::Read(tables) => tables.strings[id],
            TreeTables::Kept(tables) => tables.text(&tables.strings[id]),
        }
    }

    #[inline]
    pub(crate) fn count_strings(&self) -> usize {
        match self {
            TreeTables::Read(tables) => tables.strings.len(),
            TreeTables::Kept(tables) => tables.strings.len(),
        }
    }

    #[inline]
    pub(crate) fn shapes(&self) -> &[Shape] {
        match self {
            TreeTables::Read(tables) => &tables.shapes,
            TreeTables::Kept(tables) => &tables.shapes,
        }
    }

    /// The range of shape `id` among all slots.
    #[inline]
    pub(crate) fn slot_range(&self, id: ShapeId) -> Range<usize> {
        let shape = &self.shapes()[id.index()];
        range(shape.first_slot, shape.slots)
    }

    #[inline]
    pub(crate) fn slot(&self, index: usize) -> ShapeSlot<'a> {
        match self {
            TreeTables::Read(tables) => tables.slots[index],
            TreeTables::Kept(tables) => tables.slot(index),
        }
    }

    /// The place of the value of a slot: its form, and the number of values before it in the
    /// record.
    ///
    /// A whole slot is six words, and a walk would copy it for each entry.
    #[inline]
    pub(crate) fn place(&self, slot: usize) -> (SlotKind<()>, u32) {
        match self {
            TreeTables::Read(tables) => {
                let slot = &tables.slots[slot];
                (without_constant(&slot.form), slot.value)
            }
            TreeTables::Kept(tables) => {
                let slot = &tables.slots[slot];
                (without_constant(&slot.form), slot.value)
            }
        }
    }

    #[inline]
    pub(crate) fn key(&self, slot: usize) -> &'a str {
        match self {
            TreeTables::Read(tables) => tables.slots[slot].key,
            TreeTables::Kept(tables) => tables.text(&tables.slots[slot].key),
        }
    }

    /// The slot of this key among those of a shape.
    #[inline]
    pub(crate) fn find(&self, id: ShapeId, key: &str) -> Option<usize> {
        let mut slots = self.slot_range(id);
        match self {
            TreeTables::Read(tables) => slots.find(|&slot| tables.slots[slot].key == key),
            TreeTables::Kept(tables) => slots.find(|&slot| tables.text(&tables.slots[slot].key) == key),
        }
    }
}
