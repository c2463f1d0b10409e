//! Strings, shapes and shared values for a reader that does not know in advance how much it will
//! read.

use super::recent::RecentStrings;
use crate::limits;
use crate::msgpack::Cursor;
use crate::read::file::{DocumentView, Frame};
use crate::read::tables::{ShapeSlot, SlotForm, Tables};
use crate::wire::header::Profile;
use crate::wire::ids::{ShapeId, SharedId, StringId};
use crate::wire::offsets::Items;
use crate::wire::shapes::{SlotKind, read_slot, read_slot_head};
use crate::wire::value::{self, Form, References, too_long};
use coconut_format::error::DecodeError;
use std::cell::{Cell, OnceCell};
use std::slice;

/// Finds parts in one of two ways, depending on the number of lookups:
///
/// 1. It looks parts up one by one, as for one landmark of many.
/// 2. When that has cost about as much as reading the whole tables, it reads them, and then looks
///    up by index.
///
/// So a value costs at most twice as much as if the amount were known beforehand. Lookups of shared
/// values are counted separately. One type of a provider needs hundreds of strings and a few shared
/// values. Finding all shared values made it take a third longer.
pub(super) struct Source<'a> {
    document: DocumentView<'a>,
    pub(super) is_plain: bool,
    /// The inner `None` means that the tables cannot be used. Either they are damaged, perhaps
    /// outside the requested values, or a lookup could give a different result than the tables. The
    /// result must not change within a value.
    tables: OnceCell<Option<Tables<'a>>>,
    /// The start of each shared value, once all are found. The inner `None` has the same reasons.
    shared: OnceCell<Option<Vec<usize>>>,
    /// Lookups of strings and shapes until the tables are read.
    lookups_left: Cell<usize>,
    /// Lookups of shared values until all of them are found.
    shared_left: Cell<usize>,
    /// Whether a whole document is read, which needs no lookups.
    everything: Cell<bool>,
    recent: RecentStrings<'a>,
}

/// Bytes of tables that can be read in the time of one lookup. Measured: less than 1 ns per byte,
/// and 60 to 100 ns per lookup.
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
            recent: RecentStrings::new(),
        }
    }

    /// Reads the tables at once, because everything will be read.
    pub(super) fn expect_everything(&self) {
        self.lookups_left.set(0);
        self.shared_left.set(0);
        self.everything.set(true);
        self.tables();
    }

    /// Whether this source belongs to `document`.
    pub(super) fn is_of(&self, document: DocumentView<'_>) -> bool {
        std::ptr::eq(self.document.frame, document.frame)
    }

    /// Looks up string `id`, which the reference at `at` names. Also remembers its neighbours.
    #[inline(never)]
    fn find_text(&self, id: u64, at: usize) -> Result<&'a str, DecodeError> {
        if let Some(tables) = self.tables() {
            return tables.string(id, at);
        }
        let Some(short) = StringId::of(id) else { return self.document.string(id, at) };
        for (near, bytes) in self.document.near_strings(short) {
            self.recent.note_beside(near, bytes);
        }
        if let Some(text) = self.recent.get(short) {
            return Ok(text);
        }
        let text = self.document.string(id, at)?;
        self.recent.note(short, text);
        Ok(text)
    }

    /// The tables, if reading them pays off by now.
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
        let tables = Tables::read(self.document).ok()?;
        let Frame { strings, shapes, .. } = self.document.frame;
        let are_as_walked =
            self.everything.get() || [strings, shapes].into_iter().all(|items| self.places(items).is_some());
        are_as_walked.then_some(tables)
    }

    /// The starts of all items, if lookups give the same result as a walk.
    fn places(&self, items: &Items) -> Option<Vec<usize>> {
        let (data, blocks) = (self.document.data, self.document.blocks());
        let places = items.all(data, blocks).ok()?;
        (self.everything.get() || items.is_as_walked(data, blocks, &places)).then_some(places)
    }

    /// A cursor at shared value `id`, which the reference at `at` names.
    #[inline]
    pub(super) fn shared(&self, id: SharedId, at: usize) -> Result<Cursor<'a>, DecodeError> {
        match self.shared.get() {
            Some(Some(all)) if id.index() < all.len() => {
                Ok(self.document.cursor(all[id.index()], self.document.frame.shared.end))
            }
            _ => self.shared_first(id, at),
        }
    }

    #[cold]
    fn shared_first(&self, id: SharedId, at: usize) -> Result<Cursor<'a>, DecodeError> {
        let document = self.document;
        if let Some(left) = self.shared_left.get().checked_sub(1) {
            self.shared_left.set(left);
            return document.shared_cursor(id, at);
        }
        let items = &document.frame.shared;
        let all = self.shared.get_or_init(|| self.places(items));
        match all.as_ref().and_then(|all| all.get(id.index())) {
            Some(&start) => Ok(document.cursor(start, items.end)),
            None => document.shared_cursor(id, at),
        }
    }

    /// The slots of shape `id`, which is named at `at`.
    #[inline]
    pub(super) fn slots(&self, id: ShapeId, at: usize) -> Result<Slots<'_, 'a>, DecodeError> {
        match self.tables().and_then(|tables| Some(tables.slots(tables.shapes.get(id.index())?))) {
            Some(slots) => Ok(Slots::known(slots)),
            None => {
                let header = self.document.shape(id.into(), at)?;
                let (cursor, left) = (header.cursor, header.slots);
                Ok(Slots::Read { cursor, shape: id, left, form: SlotForm::Plain })
            }
        }
    }

    /// Reads the key of the next slot of a shape. The form of its value is then [`Slots::form`].
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
        shape: ShapeId,
        form: &mut SlotForm<'a>,
    ) -> Result<&'a str, DecodeError> {
        let at = cursor.position();
        let slot = read_slot(cursor, shape)?;
        let key = slot.key.resolve(self)?;
        if key.len() > limits::KEY_BYTES {
            let head = read_slot_head(&mut cursor.at(at))?;
            return Err(too_long(key.len(), limits::KEY_BYTES, head.key_at));
        }
        *form = match slot.kind {
            SlotKind::Plain => SlotForm::Plain,
            SlotKind::Integer => SlotForm::Integer,
            SlotKind::Nested(inner) => SlotForm::Nested(inner),
            SlotKind::Constant(at) => {
                SlotForm::Constant(value::read(&mut cursor.at(at), self, false, SharedId(0))?)
            }
        };
        Ok(key)
    }

    /// The number of values that an object of shape `id` has in a record.
    pub(super) fn width(&self, id: ShapeId, at: usize) -> Result<u32, DecodeError> {
        match self.tables().and_then(|tables| tables.shapes.get(id.index())) {
            Some(shape) => Ok(shape.width),
            None => self.document.shape_width(id.into(), at),
        }
    }
}

impl<'a> References<'a> for Source<'a> {
    #[inline]
    fn is_plain(&self) -> bool {
        self.is_plain
    }

    #[inline]
    fn string_form(&self, id: u64, at: usize) -> Result<Form<'a>, DecodeError> {
        self.text(id, at).map(Form::String)
    }

    #[inline]
    fn text(&self, id: u64, at: usize) -> Result<&'a str, DecodeError> {
        match self.known_tables() {
            Some(tables) => tables.string(id, at),
            None => match StringId::of(id).and_then(|id| self.recent.get(id)) {
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

/// The remaining slots of a shape, and the form of the last one read.
pub(super) enum Slots<'t, 'a> {
    Known { rest: slice::Iter<'t, ShapeSlot<'a>>, form: &'t SlotForm<'a> },
    Read { cursor: Cursor<'a>, shape: ShapeId, left: u32, form: SlotForm<'a> },
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

    /// The form of the value whose key was read last.
    #[inline]
    pub(super) fn form(&self) -> &SlotForm<'a> {
        match self {
            Slots::Known { form, .. } => form,
            Slots::Read { form, .. } => form,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::{CompileOptions, compile};
    use crate::crafted::repair;
    use crate::read::file::DocumentFile;
    use crate::wire::directory::Part;
    use coconut_format::error::ErrorKind;

    fn file(document: serde_json::Value) -> DocumentFile<Vec<u8>> {
        let compiled = compile(document.to_string().as_bytes(), &CompileOptions::default()).unwrap();
        DocumentFile::from_data(compiled.bytes).unwrap()
    }

    /// A file of `count` strings of `length` bytes in its string table, in the order of their ids.
    fn strings(count: usize, length: usize) -> DocumentFile<Vec<u8>> {
        let texts = (0..count).map(|n| [format!("{n:0length$}"), format!("{n:0length$}")]);
        let file = file(texts.flatten().collect());
        let view = file.view();
        let in_table = view.frame.strings.count(view.data, view.blocks()).unwrap();
        assert_eq!(in_table as usize, count);
        file
    }

    /// The remembered strings among the first 300.
    fn remembered(source: &Source<'_>) -> Vec<u32> {
        (0..300).filter(|&id| source.recent.get(StringId(id)).is_some()).collect()
    }

    #[test]
    fn a_string_is_remembered_with_its_neighbours_by_the_lowest_bits_of_its_id() {
        // A table with an entry for every fourth string.
        let file = strings(300, 20);
        let source = Source::new(file.view());
        assert_eq!(source.text(6, 0), Ok("00000000000000000006"));
        assert_eq!(remembered(&source), [4, 5, 6, 7]);
        assert_eq!(source.recent.get(StringId(5)), Some("00000000000000000005"));
        source.text(127, 0).unwrap();
        assert_eq!(remembered(&source), [4, 5, 6, 7, 124, 125, 126, 127]);
        source.text(128 + 5, 0).unwrap();
        assert_eq!(remembered(&source), [124, 125, 126, 127, 132, 133, 134, 135], "in their place");
    }

    #[test]
    fn a_string_without_an_offset_table_is_remembered_alone() {
        let file = strings(20, 100);
        let source = Source::new(file.view());
        for id in [3u32, 5, 19] {
            assert_eq!(source.text(id.into(), 0), Ok(&*format!("{id:0100}")));
        }
        assert_eq!(remembered(&source), [3, 5, 19]);
    }

    #[test]
    fn tables_are_read_once_lookups_have_cost_as_much() {
        let file = strings(300, 20);
        let source = Source::new(file.view());
        let [strings, shapes] = [&file.view().frame.strings, &file.view().frame.shapes];
        let lookups = (strings.end - strings.start) / 128 + (shapes.end - shapes.start) / 128;
        for lookup in 0..lookups {
            assert!(source.tables().is_none(), "lookup {lookup} of {lookups}");
        }
        assert_eq!(source.tables().map(|tables| tables.strings.len()), Some(300));
    }

    /// A part that was looked up before the tables are read must be found at the same place
    /// afterwards.
    #[test]
    fn tables_are_not_used_if_a_lookup_of_a_string_or_shape_finds_another() {
        let rows = (0..200).map(|n| {
            let [first, second] = [format!("k{}", n / 2), format!("l{}", n / 2)];
            serde_json::json!({first: format!("text {}", n / 2), second: [format!("text {}", n / 2), n]})
        });
        let good = file(rows.collect());
        let tables_of = |file: &DocumentFile<Vec<u8>>| {
            let source = Source::new(file.view());
            source.lookups_left.set(0);
            source.tables().map(|tables| (tables.strings.len(), tables.shapes.len()))
        };
        let [strings, shapes] = [&good.view().frame.strings, &good.view().frame.shapes]
            .map(|items| items.count(good.view().data, good.view().blocks()).unwrap() as usize);
        assert_eq!(tables_of(&good), Some((strings, shapes)));
        for part in [Part::STRING_OFFSETS, Part::SHAPE_OFFSETS] {
            let mut bytes = good.data().clone();
            let table = good.view().frame.directory.get(part).unwrap();
            bytes[table.start..table.end].rotate_left(4);
            repair(&mut bytes);
            let file = DocumentFile::from_data(bytes).unwrap();
            assert_eq!(tables_of(&file), None, "{part:?}");
            let source = Source::new(file.view());
            source.expect_everything();
            assert!(source.known_tables().is_some(), "{part:?}: nothing is looked up");
        }
    }

    #[test]
    fn invalid_shared_values_are_reported_before_and_after_all_are_found() {
        let list = |n: usize| (n * 1000..n * 1000 + 100).collect::<Vec<_>>();
        let file = file((0..40).flat_map(|n| [list(n), list(n)]).collect());
        let view = file.view();
        let count = view.frame.shared.count(view.data, view.blocks()).unwrap();
        assert_eq!(count, 40);
        let source = Source::new(view);
        let check = || {
            for id in 0..count + 2 {
                let found = source.shared(SharedId(id), 77).map(|cursor| cursor.position());
                let expected = view.shared_cursor(SharedId(id), 77).map(|cursor| cursor.position());
                assert_eq!(found, expected, "shared value {id}");
                let range = ErrorKind::SharedRange { id: id.into(), count: count.into() };
                assert_eq!(found.is_err().then_some(found), (id >= count).then_some(Err(range.at(77))));
            }
        };
        check();
        assert!(source.shared.get().is_none(), "looked up one by one");
        source.shared_left.set(0);
        check();
        assert_eq!(source.shared.get().and_then(Option::as_ref).map(Vec::len), Some(40));
        check();
    }

    #[test]
    fn a_nested_record_has_as_many_values_as_its_shape() {
        #[derive(Debug, PartialEq, serde::Deserialize)]
        struct Last {
            last: String,
        }
        let row = |n: u64| {
            serde_json::json!({
                "nested": {"x": n, "y": format!("y{n}"), "z": {"u": n + 1, "v": n + 2}},
                "last": format!("last {n}"),
            })
        };
        let file = file((0..9).map(row).collect());
        let source = Source::new(file.view());
        let count = file.view().frame.shapes.count(file.view().data, file.view().blocks()).unwrap();
        let widths = |source: &Source<'_>| {
            (0..count).map(|id| source.width(ShapeId(id), 0).unwrap()).collect::<Vec<_>>()
        };
        source.lookups_left.set(1000);
        let looked_up = widths(&source);
        source.lookups_left.set(0);
        assert_eq!(widths(&source), looked_up);
        assert_eq!(looked_up, [2, 4, 5]);
        let range = ErrorKind::ShapeRange { id: count.into(), count: count.into() };
        assert_eq!(source.width(ShapeId(count), 5), Err(range.at(5)));
        let read: Vec<Last> = crate::serde::from_view(file.view().root()).unwrap();
        let expected: Vec<_> = (0..9).map(|n| Last { last: format!("last {n}") }).collect();
        assert_eq!(read, expected);
    }
}
