//! §9.2 How large a document becomes when it is expanded, found out before it is.
//!
//! Every stored byte is visited once; shared values are measured in the order of their ids, which is also the
//! order in which they depend on each other. All forms are checked on the way, so what follows a survey can
//! rely on them.

mod single;

use crate::limits;
use crate::msgpack::{Cursor, TakeShort};
use crate::read::file::DocumentView;
use crate::read::short::{Container, TakeHead, read_key_with, read_with, short_shared_id};
use crate::read::tables::{FlatSlot, FlatSlots, Tables, nothing_left};
use crate::wire::directory::Part;
use crate::wire::distinct_keys::OpenKeys;
use crate::wire::ids::{ShapeId, SharedId};
use crate::wire::value::{Form, check_length, check_shared, ext_integer};
use coconut_format::error::{DecodeError, ErrorKind};
pub(crate) use single::Sizes;

/// What a value expands to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Size {
    /// Values, itself included.
    pub(crate) values: u64,
    /// Levels.
    pub(crate) depth: u32,
    /// Bytes of its strings and keys, and one for each other scalar and container: a lower bound of any text.
    pub(crate) text: u64,
}

impl Size {
    /// Counts more values and bytes of text, however deep they lie.
    #[inline(always)]
    fn add(&mut self, values: u64, text: u64) {
        self.values = self.values.saturating_add(values);
        self.text = self.text.saturating_add(text);
    }

    /// Counts one value: a scalar with so many bytes of text, or a container with none.
    #[inline(always)]
    fn add_value(&mut self, text: u64) {
        self.add(1, text.saturating_add(1));
    }
}

/// What a survey finds out.
#[derive(Debug)]
pub(crate) struct Survey {
    /// Size of the document.
    pub(crate) root: Size,
    /// Where each shared value begins.
    pub(crate) shared: Vec<usize>,
}

impl Survey {
    /// Measures and checks the shared part and the root. Refuses depths beyond the limit.
    pub(crate) fn of(document: DocumentView<'_>, tables: &Tables<'_>) -> Result<Survey, DecodeError> {
        let slots = FlatSlots::new(tables);
        let mut surveyor =
            Surveyor { tables, slots, shared: Vec::new(), stack: Vec::new(), keys: OpenKeys::default() };
        let (mut cursor, count) = document.frame.shared.first(document.data, document.blocks())?;
        let mut shared = Vec::with_capacity(count as usize);
        surveyor.shared.reserve_exact(if tables.plain { 0 } else { count as usize });
        for id in (0..count).map(SharedId) {
            let start = cursor.position();
            if tables.plain {
                // §4.6: nothing refers to it.
                cursor.skip(1)?;
                continue;
            }
            check_shared(cursor)?;
            let size = surveyor.measure(&mut cursor, id)?;
            surveyor.shared.push(size);
            shared.push(start);
        }
        nothing_left(&cursor)?;
        let part = document.element(Part::ROOT);
        let mut cursor = document.cursor(part.start, part.end);
        let root = surveyor.measure(&mut cursor, SharedId(count))?;
        nothing_left(&cursor)?;
        Ok(Survey { root, shared })
    }

    /// Refuses what expands to more than `values` values or `bytes` bytes.
    pub(crate) fn check(&self, values: u64, bytes: u64, at: usize) -> Result<(), DecodeError> {
        if self.root.values > values {
            return Err(ErrorKind::Nodes { count: self.root.values, limit: values }.at(at as u64));
        }
        if self.root.text > bytes {
            return Err(ErrorKind::Bytes { count: self.root.text, limit: bytes }.at(at as u64));
        }
        Ok(())
    }
}

struct Surveyor<'t, 'a> {
    tables: &'t Tables<'a>,
    slots: FlatSlots,
    /// Sizes of the shared values so far.
    shared: Vec<Size>,
    stack: Vec<Open>,
    /// Of all open objects with keys in place.
    keys: OpenKeys<'a>,
}

/// A container of which something is left. All words, as in [`Form`].
struct Open {
    left: Left,
    /// Its own, counted from the value that is measured.
    level: usize,
}

#[repr(usize)]
enum Left {
    List(usize),
    /// How many of its entries were met.
    Object {
        met: usize,
        count: usize,
    },
    /// The next of the values of a record, those of nested objects among them, and where they end.
    Record {
        next: usize,
        end: usize,
    },
}

impl<'t, 'a> Surveyor<'t, 'a> {
    /// The size of the value at the cursor, which is left behind it.
    ///
    /// The innermost container is in hand, not on the stack, while its scalars pass by.
    fn measure(&mut self, cursor: &mut Cursor<'a>, bound: SharedId) -> Result<Size, DecodeError> {
        let mut size = Size::default();
        let Some(mut open) = self.value(cursor, false, bound, 0, &mut size)? else { return Ok(size) };
        loop {
            if let Some(inner) = self.advance(&mut open, cursor, bound, &mut size)? {
                self.stack.push(std::mem::replace(&mut open, inner));
                continue;
            }
            if let Left::Object { count, .. } = open.left {
                self.keys.end(count);
            }
            match self.stack.pop() {
                Some(around) => open = around,
                None => return Ok(size),
            }
        }
    }

    /// Goes on to the next container in this one, which is returned, or to the end of this one.
    #[inline]
    fn advance(
        &mut self,
        open: &mut Open,
        cursor: &mut Cursor<'a>,
        bound: SharedId,
        size: &mut Size,
    ) -> Result<Option<Open>, DecodeError> {
        // It was a `u32` when the container was opened.
        let level = u32::try_from(open.level).unwrap_or(u32::MAX);
        match &mut open.left {
            Left::List(left) => {
                while let Some(rest) = left.checked_sub(1) {
                    *left = rest;
                    if let Some(inner) = self.value(cursor, false, bound, level, size)? {
                        return Ok(Some(inner));
                    }
                }
            }
            Left::Object { met, count } => {
                while *met < *count {
                    self.key(cursor, *met, size)?;
                    *met += 1;
                    if let Some(inner) = self.value(cursor, false, bound, level, size)? {
                        return Ok(Some(inner));
                    }
                }
            }
            Left::Record { next, end } => {
                while *next < *end {
                    let FlatSlot { is_integer, levels } = self.slots.get(*next);
                    *next += 1;
                    let around = level + u32::from(levels);
                    if let Some(inner) = self.value(cursor, is_integer, bound, around, size)? {
                        return Ok(Some(inner));
                    }
                }
            }
        }
        Ok(None)
    }

    /// A key in front of its value, which none of the `before` keys in front of it in its object is.
    fn key(&mut self, cursor: &mut Cursor<'a>, before: usize, size: &mut Size) -> Result<(), DecodeError> {
        let at = cursor.position();
        let (key, _) = read_key_with(cursor, self.tables)?;
        check_length(key.len(), limits::KEY_BYTES, at)?;
        size.add(0, key.len() as u64);
        match self.keys.insert(key, before) {
            true => Ok(()),
            false => Err(ErrorKind::DuplicateKey.at(at as u64)),
        }
    }

    /// Measures a scalar or what a reference stands for, or begins a container and returns it. `around` is the
    /// level of the container around it.
    #[inline(always)]
    fn value(
        &mut self,
        cursor: &mut Cursor<'a>,
        is_integer: bool,
        bound: SharedId,
        around: u32,
        size: &mut Size,
    ) -> Result<Option<Open>, DecodeError> {
        let at = cursor.position();
        match cursor.short(MeasureShort { tables: self.tables, is_integer, bound }) {
            Ok(Measured::Text(text)) => {
                size.add_value(text as u64);
                Ok(None)
            }
            Ok(Measured::Shared(id)) => self.refer(id, around, at, size).map(|()| None),
            Ok(Measured::Array(count)) => {
                let container = match count {
                    0 => Container::List(0),
                    _ if self.tables.plain => Container::List(count),
                    _ => match cursor.short(TakeHead { tables: self.tables, rest: count - 1 }) {
                        Ok(container) => container,
                        Err(_) => {
                            cursor.step_back();
                            return self.any_value(cursor, is_integer, bound, around, size);
                        }
                    },
                };
                self.open_container(container, around, at, size).map(Some)
            }
            Err(_) => self.any_value(cursor, is_integer, bound, around, size),
        }
    }

    /// Measures shared value `id`, to which a reference is at `at`.
    #[inline]
    fn refer(&self, id: SharedId, around: u32, at: usize, size: &mut Size) -> Result<(), DecodeError> {
        let inner = self.shared[id.index()];
        size.add(inner.values, inner.text);
        reach(around, inner.depth, at, size).map(drop)
    }

    #[inline]
    fn open_container(
        &mut self,
        container: Container,
        around: u32,
        at: usize,
        size: &mut Size,
    ) -> Result<Open, DecodeError> {
        size.add_value(0);
        match container {
            Container::List(count) => Self::open(Left::List(count as usize), around, at, size),
            Container::Object(count) => {
                Self::open(Left::Object { met: 0, count: count as usize }, around, at, size)
            }
            Container::Record(shape) => self.open_record(shape, around, at, size),
        }
    }

    fn any_value(
        &mut self,
        cursor: &mut Cursor<'a>,
        is_integer: bool,
        bound: SharedId,
        around: u32,
        size: &mut Size,
    ) -> Result<Option<Open>, DecodeError> {
        let at = cursor.position();
        let text = match read_with(cursor, self.tables, is_integer, bound) {
            Err(error) => return Err(error),
            Ok(Form::Null | Form::Bool(_) | Form::Integer(_) | Form::Float(_)) => 0,
            Ok(Form::String(text)) => {
                check_length(text.len(), limits::STRING_BYTES, at)?;
                text.len()
            }
            Ok(Form::StringId(id)) => self.tables.strings[id.index()].len(),
            Ok(Form::Shared(id)) => return self.refer(id, around, at, size).map(|()| None),
            Ok(Form::List(count)) => {
                return self.open_container(Container::List(count), around, at, size).map(Some);
            }
            Ok(Form::Object(count)) => {
                return self.open_container(Container::Object(count), around, at, size).map(Some);
            }
            Ok(Form::Record(shape)) => {
                return self.open_container(Container::Record(shape), around, at, size).map(Some);
            }
        };
        size.add_value(text as u64);
        Ok(None)
    }

    #[inline]
    fn open(left: Left, around: u32, at: usize, size: &mut Size) -> Result<Open, DecodeError> {
        let level = reach(around, 1, at, size)?;
        Ok(Open { left, level: level as usize })
    }

    /// Opens the values of a record. What its shape implies, with all that is nested in it, is counted at once:
    /// it can be astronomical without any value of the record.
    fn open_record(
        &mut self,
        shape: ShapeId,
        around: u32,
        at: usize,
        size: &mut Size,
    ) -> Result<Open, DecodeError> {
        let first = self.slots.of_shape(shape, self.tables);
        let shape = self.tables.shape(shape);
        size.add(shape.implied_values, shape.implied_text);
        reach(around, shape.implied_levels.saturating_add(1), at, size)?;
        Self::open(Left::Record { next: first, end: first + shape.width as usize }, around, at, size)
    }
}

/// Measures scalars in short forms, which most values are: half of the time of a survey, when every value takes the
/// way of [`Surveyor::any_value`]. Says what else has a short form.
struct MeasureShort<'t, 'a> {
    tables: &'t Tables<'a>,
    is_integer: bool,
    /// What references must be below.
    bound: SharedId,
}

/// What a short token is.
enum Measured {
    /// A scalar, with its bytes of text.
    Text(usize),
    /// The header of an array, with how many items it has.
    Array(u32),
    /// A reference to the shared value of this id.
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

/// Notes that the value at `at` has `levels` levels of its own inside `around` others. Returns the deepest.
#[inline]
fn reach(around: u32, levels: u32, at: usize, size: &mut Size) -> Result<u32, DecodeError> {
    let depth = around.saturating_add(levels);
    if depth > limits::DEPTH {
        return Err(ErrorKind::Depth { limit: limits::DEPTH.into() }.at(at as u64));
    }
    size.depth = size.depth.max(depth);
    Ok(depth)
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
    fn a_value_has_a_byte_and_those_of_its_text() {
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
        // The number 0 is no string in an integer slot, and -1 no reference.
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
        // The object and two values have a byte each; the keys have three and four, the text of a value two.
        assert_size(&crafted, 3, 1, 3 + 3 + 4 + 2);
        assert_size(&Crafted::of(Profile::Plain, b"\x82\xa3abc\xc0\xa4long\xa2xy"), 3, 1, 3 + 3 + 4 + 2);
    }

    #[test]
    fn a_short_reference_counts_from_the_first_of_many_shared_values() {
        let mut crafted = Crafted::of(Profile::Full, b"\xff");
        // A list of null, and so many empty ones that the last has id 65,535.
        crafted.shared = [&b"\xdd\0\x01\0\0\x92\xc0\xc0"[..], &b"\x91\xc0".repeat(65_535)].concat();
        assert_size(&crafted, 2, 1, 2);
    }

    #[test]
    fn a_budget_may_be_used_up() {
        let survey = Survey { root: Size { values: 3, depth: 1, text: 5 }, shared: Vec::new() };
        assert_eq!(survey.check(3, 5, 9), Ok(()));
        assert_eq!(survey.check(2, 4, 9), Err(ErrorKind::Nodes { count: 3, limit: 2 }.at(9)));
        assert_eq!(survey.check(3, 4, 9), Err(ErrorKind::Bytes { count: 5, limit: 4 }.at(9)));
        assert_eq!(survey.check(3, 3, 9), Err(ErrorKind::Bytes { count: 5, limit: 3 }.at(9)));
    }
}
