//! Strings, shapes and shared values for a reader that does not know yet how much it will read.

use crate::decode::{Parts, ShapeSlot, SlotForm, Step, Tables, step};
use crate::file::DocumentView;
use crate::msgpack::Cursor;
use crate::wire::header::Profile;
use crate::wire::offsets::Items;
use crate::wire::shapes::{SlotKind, Text, read_slot};
use coconut_format::error::DecodeError;
use std::cell::{Cell, OnceCell};
use std::slice;

/// Looks parts up one by one, as one landmark of many needs them, until that has cost about as much as reading
/// the tables whole; then reads them, and looks up by index from there on. So neither a small value in a large file nor
/// a large one costs more than twice what knowing beforehand would. Shared values are counted apart: one type of a provider asks for
/// hundreds of strings and a few of those, and took a third longer when it found all.
pub(super) struct Source<'a> {
    document: DocumentView<'a>,
    pub(super) is_plain: bool,
    /// `None` inside when they cannot be read: damage elsewhere is no reason to refuse what is whole. Nor when a lookup may find
    /// something else, and some were made: the answer may not change in the middle of a value.
    tables: OnceCell<Option<Tables<'a>>>,
    /// Where each shared value begins, once that is found out. The same holds for it.
    shared: OnceCell<Option<Vec<usize>>>,
    /// Lookups of strings and shapes until the tables are read.
    lookups_left: Cell<usize>,
    /// Those of shared values until it is found out where all of them begin.
    shared_left: Cell<usize>,
    /// Whether a whole document is read, for which nothing is looked up.
    everything: Cell<bool>,
    /// Strings that were looked up, or stand beside such, each with its id, by the lowest bits of that.
    recent: [Cell<(u32, Option<&'a str>)>; RECENT],
}

/// One resource of a checkpoint asks for a hundred strings, keys included: some sixty different ones, most of which follow each
/// other in the table, because ids are given in order of appearance (§4.5). With these remembered, finding and reading one in a
/// file of 20,000 takes a tenth less cycles.
const RECENT: usize = 128;

/// Bytes of tables that are read whole in the time of one lookup (measured: less than 1 ns a byte, 60 to 100 ns a lookup).
const BYTES_PER_LOOKUP: usize = 128;

impl<'a> Source<'a> {
    pub(super) fn new(document: DocumentView<'a>) -> Self {
        let frame = document.frame;
        let lookups = |part: &Items| part.end.saturating_sub(part.start) / BYTES_PER_LOOKUP;
        Source {
            document,
            is_plain: frame.header.profile == Profile::Plain,
            tables: OnceCell::new(),
            shared: OnceCell::new(),
            lookups_left: Cell::new(lookups(&frame.strings).saturating_add(lookups(&frame.shapes))),
            shared_left: Cell::new(lookups(&frame.shared)),
            everything: Cell::new(false),
            recent: [const { Cell::new((0, None)) }; RECENT],
        }
    }

    /// Says that everything will be read, and reads the tables at once.
    pub(super) fn expect_everything(&self) {
        self.lookups_left.set(0);
        self.shared_left.set(0);
        self.everything.set(true);
        self.tables();
    }

    /// Whether this is the source of values of `document`.
    pub(super) fn is_of(&self, document: DocumentView<'_>) -> bool {
        std::ptr::eq(self.document.frame, document.frame)
    }

    /// String `id`, if it was met before all strings were known and is still remembered.
    #[inline]
    fn recent(&self, id: u32) -> Option<&'a str> {
        let (known, text) = self.recent[id as usize % RECENT].get();
        text.filter(|_| known == id)
    }

    /// String `id`, which the reference at `at` names, found by itself. What stands around it is remembered, too.
    #[inline(never)]
    fn find_text(&self, id: u64, at: usize) -> Result<&'a str, DecodeError> {
        if let Some(tables) = self.tables() {
            return tables.string(id, at);
        }
        let Ok(short) = u32::try_from(id) else { return self.document.string(id, at) };
        for (near, bytes) in self.document.near_strings(short) {
            self.recent[near as usize % RECENT].set((near, simdutf8::basic::from_utf8(bytes).ok()));
        }
        if let Some(text) = self.recent(short) {
            return Ok(text);
        }
        let text = self.document.string(id, at)?;
        self.recent[short as usize % RECENT].set((short, Some(text)));
        Ok(text)
    }

    /// The tables, if reading them is worth it by now.
    #[inline]
    fn tables(&self) -> Option<&Tables<'a>> {
        match self.tables.get() {
            Some(tables) => tables.as_ref(),
            None => self.count_lookup(),
        }
    }

    /// The tables, if they are read.
    pub(super) fn known_tables(&self) -> Option<&Tables<'a>> {
        self.tables.get()?.as_ref()
    }

    fn count_lookup(&self) -> Option<&Tables<'a>> {
        match self.lookups_left.get().checked_sub(1) {
            Some(left) => {
                self.lookups_left.set(left);
                None
            }
            None => self.tables.get_or_init(|| self.read_tables()).as_ref(),
        }
    }

    #[cold]
    fn read_tables(&self) -> Option<Tables<'a>> {
        if self.everything.get() {
            return Tables::read(self.document).ok();
        }
        let (tables, [strings, shapes]) = Tables::read_with_places(self.document).ok()?;
        let frame = self.document.frame;
        let is_as_walked =
            self.is_as_walked(&frame.strings, &strings) && self.is_as_walked(&frame.shapes, &shapes);
        is_as_walked.then_some(tables)
    }

    /// Whether a lookup of any of these items finds what a walk came to.
    fn is_as_walked(&self, items: &Items, places: &[usize]) -> bool {
        items.is_as_walked(self.document.data, self.document.blocks(), places)
    }

    /// A cursor at shared value `id`, which the reference at `at` names.
    #[inline]
    pub(super) fn shared(&self, id: u32, at: usize) -> Result<Cursor<'a>, DecodeError> {
        match self.shared.get() {
            Some(Some(all)) if (id as usize) < all.len() => {
                Ok(self.document.cursor(all[id as usize], self.document.frame.shared.end))
            }
            _ => self.shared_first(id, at),
        }
    }

    #[cold]
    fn shared_first(&self, id: u32, at: usize) -> Result<Cursor<'a>, DecodeError> {
        let document = self.document;
        if let Some(left) = self.shared_left.get().checked_sub(1) {
            self.shared_left.set(left);
            return document.shared_cursor(id, at);
        }
        let items = &document.frame.shared;
        let all = self.shared.get_or_init(|| {
            let all = items.all(document.data, document.blocks()).ok()?;
            (self.everything.get() || self.is_as_walked(items, &all)).then_some(all)
        });
        match all.as_ref().and_then(|all| all.get(id as usize)) {
            Some(&start) => Ok(document.cursor(start, items.end)),
            None => document.shared_cursor(id, at),
        }
    }

    /// The slots of shape `id`, which is named at `at`.
    #[inline]
    pub(super) fn slots(&self, id: u32, at: usize) -> Result<Slots<'_, 'a>, DecodeError> {
        match self.tables().and_then(|tables| Some(tables.slots(tables.shapes.get(id as usize)?))) {
            Some(slots) => Ok(Slots::known(slots)),
            None => {
                let header = self.document.shape(id.into(), at)?;
                let (cursor, left) = (header.cursor, header.slots);
                Ok(Slots::Read { cursor, shape: id, left, form: SlotForm::Plain })
            }
        }
    }

    /// The key of the next slot of a shape. How its value is written is then [`Slots::form`].
    #[inline(always)]
    pub(super) fn next_key(&self, slots: &mut Slots<'_, 'a>) -> Result<Option<&'a str>, DecodeError> {
        match slots {
            Slots::Known { rest, form } => {
                let Some(slot) = rest.next() else { return Ok(None) };
                *form = &slot.form;
                Ok(Some(slot.key))
            }
            Slots::Read { left: 0, .. } => Ok(None),
            Slots::Read { cursor, shape, left, form } => {
                *left -= 1;
                self.read_slot(cursor, *shape, form).map(Some)
            }
        }
    }

    #[inline(never)]
    fn read_slot(
        &self,
        cursor: &mut Cursor<'a>,
        shape: u32,
        form: &mut SlotForm<'a>,
    ) -> Result<&'a str, DecodeError> {
        let slot = read_slot(cursor, shape)?;
        let key = match slot.key {
            Text::Inline(text) => text,
            Text::Id(id, at) => self.text(id, at)?,
        };
        *form = match slot.kind {
            SlotKind::Plain => SlotForm::Plain,
            SlotKind::Integer => SlotForm::Integer,
            SlotKind::Nested(inner) => SlotForm::Nested(inner),
            SlotKind::Constant(at) => SlotForm::Constant(step(&mut cursor.at(at), self, false, 0)?),
        };
        Ok(key)
    }

    /// How many values an object of shape `id` has in a record.
    pub(super) fn width(&self, id: u32, at: usize) -> Result<u32, DecodeError> {
        match self.tables().and_then(|tables| tables.shapes.get(id as usize)) {
            Some(shape) => Ok(shape.width),
            None => self.document.shape_width(id.into(), at),
        }
    }
}

impl<'a> Parts<'a> for Source<'a> {
    #[inline]
    fn string_step(&self, id: u64, at: usize) -> Result<Step<'a>, DecodeError> {
        self.text(id, at).map(Step::String)
    }

    #[inline]
    fn text(&self, id: u64, at: usize) -> Result<&'a str, DecodeError> {
        match self.known_tables() {
            Some(tables) => tables.string(id, at),
            None => match u32::try_from(id).ok().and_then(|id| self.recent(id)) {
                Some(text) => Ok(text),
                None => self.find_text(id, at),
            },
        }
    }

    #[inline]
    fn record_width(&self, id: u64, at: usize) -> Result<u32, DecodeError> {
        match self.tables() {
            Some(tables) => tables.record_width(id, at),
            None => self.document.shape_width(id, at),
        }
    }
}

/// The slots of a shape that are still to come, and the form of the last one.
pub(super) enum Slots<'t, 'a> {
    Known { rest: slice::Iter<'t, ShapeSlot<'a>>, form: &'t SlotForm<'a> },
    Read { cursor: Cursor<'a>, shape: u32, left: u32, form: SlotForm<'a> },
}

impl<'t, 'a> Slots<'t, 'a> {
    #[inline]
    pub(super) fn known(slots: &'t [ShapeSlot<'a>]) -> Self {
        Slots::Known { rest: slots.iter(), form: &SlotForm::Plain }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Slots::Known { rest, .. } => rest.len(),
            Slots::Read { left, .. } => *left as usize,
        }
    }

    /// How the value of the slot is written whose key was read last.
    #[inline]
    pub(super) fn form(&self) -> &SlotForm<'a> {
        match self {
            Slots::Known { form, .. } => form,
            Slots::Read { form, .. } => form,
        }
    }
}
