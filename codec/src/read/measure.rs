//! Measures the expanded size of a document before it is expanded (§9.2).
//!
//! Every stored byte is visited once. Shared values are measured in the order of their ids, so each
//! comes after those it depends on. All forms are checked as well, so later steps can rely on a
//! survey.

mod single;

use crate::limits;
use crate::msgpack::TakeShort;
use crate::read::file::DocumentView;
use crate::read::short::{Head, TakeHead, read_key_with, read_with, short_shared_id};
use crate::read::tables::{FlatSlot, FlatSlots, Tables, nothing_left};
use crate::read::walk::{Left, Open, Place, Visitor, Walk};
use crate::wire::directory::Part;
use crate::wire::distinct_keys::OpenKeys;
use crate::wire::ids::SharedId;
use crate::wire::value::{Form, check_length, check_shared, ext_integer};
use coconut_format::error::{DecodeError, ErrorKind};
pub(crate) use single::Sizes;

/// The expanded size of a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Size {
    /// The number of values, including itself.
    pub(crate) values: u64,
    /// The number of levels.
    pub(crate) depth: u32,
    /// The bytes of its strings and keys, and one for each value: a lower bound of any text.
    pub(crate) text: u64,
}

impl Size {
    /// Adds values and bytes of text, at any depth.
    #[inline(always)]
    pub(crate) fn add(&mut self, values: u64, text: u64) {
        self.values = self.values.saturating_add(values);
        self.text = self.text.saturating_add(text);
    }

    /// Adds one value: a scalar with `text` bytes of text, or a container with none.
    #[inline(always)]
    fn add_value(&mut self, text: u64) {
        self.add(1, text.saturating_add(1));
    }

    /// Refuses more than `values` values or `bytes` bytes of text, at the value at `at`.
    pub(crate) fn check(&self, values: u64, bytes: u64, at: usize) -> Result<(), DecodeError> {
        if self.values > values {
            return Err(ErrorKind::Nodes { count: self.values, limit: values }.at(at as u64));
        }
        if self.text > bytes {
            return Err(ErrorKind::Bytes { count: self.text, limit: bytes }.at(at as u64));
        }
        Ok(())
    }

    /// Records that the value at `at` has `levels` levels of its own inside `around` others.
    /// Returns the sum. Refuses depths beyond the limit.
    #[inline]
    fn reach(&mut self, around: u32, levels: u32, at: usize) -> Result<u32, DecodeError> {
        let depth = around.saturating_add(levels);
        if depth > limits::DEPTH {
            return Err(ErrorKind::Depth { limit: limits::DEPTH.into() }.at(at as u64));
        }
        self.depth = self.depth.max(depth);
        Ok(depth)
    }
}

/// The results of a survey.
#[derive(Debug)]
pub(crate) struct Survey {
    /// The size of the document.
    pub(crate) root: Size,
    /// The start of each shared value.
    pub(crate) shared: Vec<usize>,
}

impl Survey {
    /// Measures and checks the shared part and the root. Refuses depths beyond the limit.
    pub(crate) fn of(document: DocumentView<'_>, tables: &Tables<'_>) -> Result<Survey, DecodeError> {
        let slots = FlatSlots::new(tables);
        let (sizes, size, keys) = (Vec::new(), Size::default(), OpenKeys::default());
        let mut surveyor = Surveyor { tables, slots, shared: sizes, size, keys };
        let mut walk = Walk::new();
        let (cursor, count) = document.frame.shared.first(document.data, document.blocks())?;
        let mut shared = Vec::with_capacity(count as usize);
        surveyor.shared.reserve_exact(if tables.plain { 0 } else { count as usize });
        let mut place = Place { cursor, bound: SharedId(0) };
        for id in (0..count).map(SharedId) {
            let start = place.cursor.position();
            if tables.plain {
                // No value refers to it in profile `plain` (§4.6).
                place.cursor.skip(1)?;
                continue;
            }
            check_shared(place.cursor)?;
            place.bound = id;
            let size = surveyor.measure(&mut walk, &mut place)?;
            surveyor.shared.push(size);
            shared.push(start);
        }
        nothing_left(&place.cursor)?;
        let part = document.element(Part::ROOT);
        let cursor = document.cursor(part.start, part.end);
        let mut place = Place { cursor, bound: SharedId(count) };
        let root = surveyor.measure(&mut walk, &mut place)?;
        nothing_left(&place.cursor)?;
        Ok(Survey { root, shared })
    }

    /// Refuses a document that expands to more than `values` values or `bytes` bytes.
    pub(crate) fn check(&self, values: u64, bytes: u64, at: usize) -> Result<(), DecodeError> {
        self.root.check(values, bytes, at)
    }
}

struct Surveyor<'t, 'a> {
    tables: &'t Tables<'a>,
    slots: FlatSlots,
    /// The sizes of shared values measured so far.
    shared: Vec<Size>,
    /// The size of the visited part of the value being measured.
    size: Size,
    /// The keys of all open objects with keys in place.
    keys: OpenKeys<'a>,
}

/// The level of a container, counted from the value being measured.
type Level = usize;

impl<'a> Visitor<'a> for Surveyor<'_, 'a> {
    type Error = DecodeError;
    type Note = Level;
    type Slot = FlatSlot;

    fn key(&mut self, place: &mut Place<'a>, before: usize, _: &Level) -> Result<(), DecodeError> {
        let at = place.cursor.position();
        let (key, _) = read_key_with(&mut place.cursor, self.tables)?;
        check_length(key.len(), limits::KEY_BYTES, at)?;
        self.size.add(0, key.len() as u64);
        match self.keys.insert(key, before) {
            true => Ok(()),
            false => Err(ErrorKind::DuplicateKey.at(at as u64)),
        }
    }

    #[inline(always)]
    fn slot(&mut self, next: &mut usize, end: usize) -> Result<Option<FlatSlot>, DecodeError> {
        let slot = (*next < end).then(|| self.slots.get(*next));
        *next += 1;
        Ok(slot)
    }

    #[inline(always)]
    fn value(
        &mut self,
        place: &mut Place<'a>,
        slot: FlatSlot,
        around: &Level,
    ) -> Result<Option<Open<Level>>, DecodeError> {
        let (cursor, is_integer) = (&mut place.cursor, slot.is_integer);
        // The level was a `u32` when the container was opened.
        let around = u32::try_from(*around).unwrap_or(u32::MAX) + u32::from(slot.levels);
        let at = cursor.position();
        match cursor.short(MeasureShort { tables: self.tables, is_integer, bound: place.bound }) {
            Ok(Measured::Text(text)) => {
                self.size.add_value(text as u64);
                Ok(None)
            }
            Ok(Measured::Shared(id)) => self.open(Head::Shared(id), around, at),
            Ok(Measured::Array(count)) => {
                let head = match count {
                    0 => Head::List(0),
                    _ if self.tables.plain => Head::List(count),
                    _ => match cursor.short(TakeHead { tables: self.tables, rest: count - 1 }) {
                        Ok(head) => head,
                        Err(_) => {
                            cursor.step_back();
                            return self.any_value(place, is_integer, around);
                        }
                    },
                };
                self.open(head, around, at)
            }
            Err(_) => self.any_value(place, is_integer, around),
        }
    }

    fn end(&mut self, open: Open<Level>, _: &mut Place<'a>) -> Result<(), DecodeError> {
        if let Left::Object { count, .. } = open.left {
            self.keys.end(count);
        }
        Ok(())
    }
}

impl<'a> Surveyor<'_, 'a> {
    /// Returns the size of the value at `place`, and moves the cursor past it.
    fn measure(&mut self, walk: &mut Walk<Level>, place: &mut Place<'a>) -> Result<Size, DecodeError> {
        self.size = Size::default();
        walk.visit(self, place, FlatSlot::default())?;
        Ok(self.size)
    }

    fn any_value(
        &mut self,
        place: &mut Place<'a>,
        is_integer: bool,
        around: u32,
    ) -> Result<Option<Open<Level>>, DecodeError> {
        let at = place.cursor.position();
        let text = match read_with(&mut place.cursor, self.tables, is_integer, place.bound) {
            Err(error) => return Err(error),
            Ok(Form::Null | Form::Bool(_) | Form::Integer(_) | Form::Float(_)) => 0,
            Ok(Form::String(text)) => {
                check_length(text.len(), limits::STRING_BYTES, at)?;
                text.len()
            }
            Ok(Form::StringId(id)) => self.tables.strings[id.index()].len(),
            Ok(Form::Shared(id)) => return self.open(Head::Shared(id), around, at),
            Ok(Form::List(count)) => return self.open(Head::List(count), around, at),
            Ok(Form::Object(count)) => return self.open(Head::Object(count), around, at),
            Ok(Form::Record(shape)) => return self.open(Head::Record(shape), around, at),
        };
        self.size.add_value(text as u64);
        Ok(None)
    }

    /// Opens a container, or adds the size of a reference's target. Everything implied by the shape
    /// of a record, including nested shapes, is added at once. This can be astronomically large
    /// even if the record has no values.
    #[inline]
    fn open(&mut self, head: Head, around: u32, at: usize) -> Result<Option<Open<Level>>, DecodeError> {
        let left = match head {
            Head::List(count) => Left::list(count),
            Head::Object(count) => Left::object(count),
            Head::Record(shape) => {
                let next = self.slots.of_shape(shape, self.tables);
                let shape = self.tables.shape(shape);
                self.size.add(shape.implied_values, shape.implied_text);
                self.size.reach(around, shape.implied_levels.saturating_add(1), at)?;
                Left::Record { next, end: next + shape.width as usize }
            }
            Head::Shared(id) => {
                let inner = self.shared[id.index()];
                self.size.add(inner.values, inner.text);
                self.size.reach(around, inner.depth, at)?;
                return Ok(None);
            }
        };
        self.size.add_value(0);
        let level = self.size.reach(around, 1, at)?;
        Ok(Some(Open { left, note: level as usize }))
    }
}

/// Measures scalars in short forms (the majority of values), and recognises other short forms.
/// Without it, every value would go through [`Surveyor::any_value`], and a survey would take twice
/// as long.
struct MeasureShort<'t, 'a> {
    tables: &'t Tables<'a>,
    is_integer: bool,
    /// References must be below this id.
    bound: SharedId,
}

/// The meaning of a short token.
enum Measured {
    /// A scalar, with its bytes of text.
    Text(usize),
    /// The header of an array, with its number of items.
    Array(u32),
    /// A reference to the shared value with this id.
    Shared(SharedId),
}

impl<'a> TakeShort<'a> for MeasureShort<'_, 'a> {
    type Value = Measured;

    #[inline(always)]
    fn null(self) -> Result<Measured, Self> {
        Ok(Measured::Text(0))
    }

    #[inline(always)]
    fn bool(self, _: bool) -> Result<Measured, Self> {
        Ok(Measured::Text(0))
    }

    #[inline(always)]
    fn unsigned(self, number: u16) -> Result<Measured, Self> {
        if self.is_integer || self.tables.plain {
            return Ok(Measured::Text(0));
        }
        self.tables.strings.get(usize::from(number)).map(|text| Measured::Text(text.len())).ok_or(self)
    }

    #[inline(always)]
    fn negative(self, number: i16) -> Result<Measured, Self> {
        if self.is_integer || self.tables.plain {
            return Ok(Measured::Text(0));
        }
        let id = short_shared_id(number);
        match id < self.bound {
            true => Ok(Measured::Shared(id)),
            false => Err(self),
        }
    }

    #[inline(always)]
    fn array(self, count: u32) -> Result<Measured, Self> {
        Ok(Measured::Array(count))
    }

    #[inline(always)]
    fn ext(self, code: i8, body: &'a [u8]) -> Result<Measured, Self> {
        match ext_integer(code, body) {
            Ok(_) if !self.tables.plain => Ok(Measured::Text(0)),
            _ => Err(self),
        }
    }

    #[inline(always)]
    fn string(self, bytes: &'a [u8]) -> Result<Measured, Self> {
        if bytes.is_ascii() { Ok(Measured::Text(bytes.len())) } else { Err(self) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crafted::Crafted;
    use crate::wire::header::Profile;

    #[track_caller]
    fn assert_size(crafted: &Crafted, values: u64, depth: u32, text: u64) {
        let file = crafted.file();
        let survey = Survey::of(file.view(), &Tables::read(file.view()).unwrap()).unwrap();
        assert_eq!(survey.root, Size { values, depth, text }, "{:02x?}", crafted.root);
    }

    #[test]
    fn a_value_counts_one_byte_and_its_text() {
        let full = |root: &[u8]| {
            let mut crafted = Crafted::of(Profile::Full, root);
            crafted.strings = b"\x91\xa3abc".to_vec();
            // An integer slot, and an empty list.
            (crafted.shapes, crafted.shared) = (b"\x91\x91\x91\xa1k".to_vec(), b"\x91\x91\xc0".to_vec());
            crafted
        };
        assert_size(&full(b"\xc0"), 1, 0, 1);
        assert_size(&full(b"\xa2ab"), 1, 0, 3);
        assert_size(&full(b"\xa2\xc3\xa9"), 1, 0, 3);
        assert_size(&full(b"\x00"), 1, 0, 4);
        assert_size(&full(b"\xff"), 1, 1, 1);
        // In an integer slot, the number 0 is not a string, and -1 is not a reference.
        assert_size(&full(b"\x92\x00\x00"), 2, 1, 3);
        assert_size(&full(b"\x92\x00\xff"), 2, 1, 3);
    }

    #[test]
    fn numbers_of_profile_plain_are_no_strings_and_a_list_has_all_its_items() {
        let plain = |root: &[u8]| {
            let mut crafted = Crafted::of(Profile::Plain, root);
            crafted.strings = b"\x91\xa3abc".to_vec();
            crafted
        };
        assert_size(&plain(b"\x00"), 1, 0, 1);
        assert_size(&plain(b"\xff"), 1, 0, 1);
        assert_size(&plain(b"\x92\xc0\x05"), 3, 1, 3);
        assert_size(&plain(b"\x93\xc2\xc0\x05"), 4, 1, 4);
    }

    #[test]
    fn keys_in_place_are_text_without_a_value() {
        let mut crafted = Crafted::of(Profile::Full, b"\x95\xc2\xa3abc\xc0\x00\xa2xy");
        crafted.strings = b"\x91\xa4long".to_vec();
        // The object and two values have a byte each. The keys have three and four bytes, the text
        // of a value two.
        assert_size(&crafted, 3, 1, 3 + 3 + 4 + 2);
        assert_size(&Crafted::of(Profile::Plain, b"\x82\xa3abc\xc0\xa4long\xa2xy"), 3, 1, 3 + 3 + 4 + 2);
    }

    #[test]
    fn a_short_reference_counts_from_the_first_of_many_shared_values() {
        let mut crafted = Crafted::of(Profile::Full, b"\xff");
        // A list of null, and enough empty lists that the last one has id 65,535.
        crafted.shared = [&b"\xdd\0\x01\0\0\x92\xc0\xc0"[..], &b"\x91\xc0".repeat(65_535)].concat();
        assert_size(&crafted, 2, 1, 2);
    }

    #[test]
    fn a_budget_may_be_used_completely() {
        let survey = Survey { root: Size { values: 3, depth: 1, text: 5 }, shared: Vec::new() };
        assert_eq!(survey.check(3, 5, 9), Ok(()));
        assert_eq!(survey.check(2, 4, 9), Err(ErrorKind::Nodes { count: 3, limit: 2 }.at(9)));
        assert_eq!(survey.check(3, 4, 9), Err(ErrorKind::Bytes { count: 5, limit: 4 }.at(9)));
        assert_eq!(survey.check(3, 3, 9), Err(ErrorKind::Bytes { count: 5, limit: 3 }.at(9)));
    }
}
