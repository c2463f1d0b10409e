//! §9.2 What single values expand to, found out before they are.
//!
//! A [survey](super::Survey) visits every stored byte. This visits those that a value needs, once or twice: what is shared is
//! measured when a reference to it is met, and so is what shapes say of their records.

use super::{Size, reach};
use crate::limits;
use crate::msgpack::Cursor;
use crate::read::file::DocumentView;
use crate::read::view::ValueView;
use crate::wire::ids::{ShapeId, SharedId, StringId};
use crate::wire::shapes::{SlotKind, ValueSlot, read_slot};
use crate::wire::value::{self, Form, Text, check_shared};
use coconut_format::error::DecodeError;
use std::collections::HashMap;

/// Bytes from which on the length of a text of the string table is remembered: any number of values can be one text, which
/// may be as long as the file.
const LONG_TEXT: usize = 256;

/// What was found out about a document so far.
#[derive(Debug)]
pub(crate) struct Sizes<'a> {
    document: DocumentView<'a>,
    /// Of shared values, by their ids.
    shared: HashMap<SharedId, Size>,
    shapes: HashMap<ShapeId, ShapeSize>,
    /// The slots of these shapes that have values in records.
    valued: Vec<ValueSlot>,
    long_texts: HashMap<StringId, u64>,
    /// Shared values that are to be measured, and the references to them.
    pending: Vec<(SharedId, usize)>,
    /// How many values were looked at, and bytes that are like values.
    looked_at: u64,
}

/// What a shape says of its records.
#[derive(Clone, Copy, Debug)]
struct ShapeSize {
    /// Its keys, and the values that are not in the record.
    implied: Size,
    /// Where its slots are in [`Sizes::valued`].
    first: usize,
    end: usize,
}

/// A container of which something is left.
struct Open {
    left: Left,
    level: u32,
}

enum Left {
    List(u32),
    Object(u32),
    /// The next of the slots with values, and where they end.
    Record {
        next: usize,
        end: usize,
    },
}

impl<'a> Sizes<'a> {
    pub(crate) fn new(document: DocumentView<'a>) -> Sizes<'a> {
        Sizes {
            document,
            shared: HashMap::new(),
            shapes: HashMap::new(),
            valued: Vec::new(),
            long_texts: HashMap::new(),
            pending: Vec::new(),
            looked_at: 0,
        }
    }

    /// How much was looked at so far. What stands in several of the values, or is one of them twice, was as often.
    pub(crate) fn looked_at(&self) -> u64 {
        self.looked_at
    }

    /// What `value` expands to. Refuses depths beyond the limit.
    pub(crate) fn of(&mut self, value: ValueView<'a>) -> Result<Size, DecodeError> {
        let (cursor, first, bound) = value.walk();
        self.pending.clear();
        let size = self.walk(cursor, first, bound)?;
        if self.pending.is_empty() {
            return Ok(size);
        }
        self.measure_pending()?;
        self.walk(cursor, first, bound)
    }

    /// Measures what is pending, after what it refers to: no value refers to itself, but a chain of references may be as
    /// long as the file, so there is no recursion.
    fn measure_pending(&mut self) -> Result<(), DecodeError> {
        while let Some(&(id, reference)) = self.pending.last() {
            let before = self.pending.len();
            if !self.shared.contains_key(&id) {
                let cursor = self.document.shared_cursor(id, reference)?;
                check_shared(cursor)?;
                let size = self.walk(cursor, SlotKind::Plain, id)?;
                if self.pending.len() > before {
                    continue;
                }
                self.shared.insert(id, size);
            }
            self.pending.pop();
        }
        Ok(())
    }

    /// The size of the value at the cursor. References to what is not yet measured are noted; where there are some, the size
    /// lacks them.
    fn walk(
        &mut self,
        mut cursor: Cursor<'a>,
        first: ValueSlot,
        bound: SharedId,
    ) -> Result<Size, DecodeError> {
        let start = cursor.position();
        let mut size = Size::default();
        let mut open: Vec<Open> = Vec::new();
        open.extend(match first {
            SlotKind::Plain | SlotKind::Integer => {
                self.value(&mut cursor, first == SlotKind::Integer, bound, 0, &mut size)?
            }
            SlotKind::Nested(shape) => {
                self.looked_at += 1;
                size = Size { values: 1, text: 1, depth: 0 };
                Some(self.open_record(shape, 0, start, &mut size)?)
            }
        });
        while let Some(innermost) = open.last_mut() {
            let level = innermost.level;
            let next = match &mut innermost.left {
                Left::List(0) | Left::Object(0) => None,
                Left::List(left) => {
                    *left -= 1;
                    Some(SlotKind::Plain)
                }
                Left::Object(left) => {
                    *left -= 1;
                    let key = self.key(&mut cursor)?;
                    size.add(0, key);
                    Some(SlotKind::Plain)
                }
                Left::Record { next, end } if next == end => None,
                Left::Record { next, .. } => {
                    *next += 1;
                    Some(self.valued[*next - 1])
                }
            };
            match next {
                None => drop(open.pop()),
                Some(slot @ (SlotKind::Plain | SlotKind::Integer)) => {
                    let is_integer = slot == SlotKind::Integer;
                    open.extend(self.value(&mut cursor, is_integer, bound, level, &mut size)?);
                }
                Some(SlotKind::Nested(shape)) => {
                    self.looked_at += 1;
                    // The shape around it has counted what it implies.
                    let ShapeSize { first, end, .. } = self.shape(shape, cursor.position())?;
                    let left = Left::Record { next: first, end };
                    open.push(Open { left, level: reach(level, 1, cursor.position(), &mut size)? });
                }
            }
        }
        self.looked_at += (cursor.position() - start) as u64 / limits::BYTES_LIKE_A_VALUE;
        Ok(size)
    }

    /// Measures a scalar or what a reference stands for, or begins a container and returns it.
    fn value(
        &mut self,
        cursor: &mut Cursor<'a>,
        is_integer: bool,
        bound: SharedId,
        around: u32,
        size: &mut Size,
    ) -> Result<Option<Open>, DecodeError> {
        self.looked_at += 1;
        let at = cursor.position();
        let form = value::read(cursor, &self.document, is_integer, bound)?;
        size.add_value(0);
        let left = match form {
            Form::Null | Form::Bool(_) | Form::Integer(_) | Form::Float(_) => return Ok(None),
            Form::String(text) => {
                size.add(0, text.len() as u64);
                return Ok(None);
            }
            Form::StringId(id) => {
                size.add(0, self.text_length(id, at)?);
                return Ok(None);
            }
            Form::Shared(id) => {
                match self.shared.get(&id) {
                    Some(inner) => {
                        // The reference itself was counted above as the container that it stands for.
                        size.add(inner.values - 1, inner.text - 1);
                        reach(around, inner.depth, at, size)?;
                    }
                    None => self.pending.push((id, at)),
                }
                return Ok(None);
            }
            Form::List(count) => Left::List(count),
            Form::Object(count) => Left::Object(count),
            Form::Record(shape) => return self.open_record(shape, around, at, size).map(Some),
        };
        Ok(Some(Open { left, level: reach(around, 1, at, size)? }))
    }

    /// Opens the values of a record, and counts what its shape implies.
    fn open_record(
        &mut self,
        shape: ShapeId,
        around: u32,
        at: usize,
        size: &mut Size,
    ) -> Result<Open, DecodeError> {
        let ShapeSize { implied, first, end } = self.shape(shape, at)?;
        size.add(implied.values, implied.text);
        reach(around, implied.depth.saturating_add(1), at, size)?;
        let level = reach(around, 1, at, size)?;
        Ok(Open { left: Left::Record { next: first, end }, level })
    }

    /// Bytes of a key in front of its value.
    fn key(&mut self, cursor: &mut Cursor<'a>) -> Result<u64, DecodeError> {
        let text = value::read_key(cursor, &self.document)?;
        self.length(text)
    }

    fn length(&mut self, text: Text<'a>) -> Result<u64, DecodeError> {
        match text {
            Text::Inline(text) => Ok(text.len() as u64),
            Text::Id(id, at) => match StringId::of(id) {
                Some(id) => self.text_length(id, at),
                None => self.document.string(id, at).map(|text| text.len() as u64),
            },
        }
    }

    fn text_length(&mut self, id: StringId, at: usize) -> Result<u64, DecodeError> {
        if let Some(&length) = self.long_texts.get(&id) {
            return Ok(length);
        }
        let length = self.document.string(id.into(), at)?.len();
        if length >= LONG_TEXT {
            self.long_texts.insert(id, length as u64);
        }
        Ok(length as u64)
    }

    /// What shape `id` says, which is named at `at`: after those that it nests, without recursion.
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

    /// Adds up the slots of a shape, unless others have to be measured before, which are noted. Returns whether it is done.
    fn measure_shape(
        &mut self,
        id: ShapeId,
        at: usize,
        pending: &mut Vec<ShapeId>,
    ) -> Result<bool, DecodeError> {
        let header = self.document.shape(id.into(), at)?;
        let (mut cursor, before) = (header.cursor, pending.len());
        let (mut implied, mut valued) = (Size::default(), Vec::new());
        for _ in 0..header.slots {
            let slot = read_slot(&mut cursor, id)?;
            implied.add(0, self.length(slot.key)?);
            match slot.kind {
                SlotKind::Plain => valued.push(SlotKind::Plain),
                SlotKind::Integer => valued.push(SlotKind::Integer),
                SlotKind::Constant(at) => {
                    let mut constant = cursor.at(at);
                    // §6.2 A constant is a scalar: there is nothing to be opened.
                    self.value(&mut constant, false, SharedId(0), 0, &mut implied)?;
                }
                SlotKind::Nested(inner) => match self.shapes.get(&inner) {
                    None => pending.push(inner),
                    Some(nested) => {
                        implied.add_value(0);
                        implied.add(nested.implied.values, nested.implied.text);
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
        self.shapes.insert(id, ShapeSize { implied, first, end: self.valued.len() });
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crafted::Crafted;
    use crate::wire::header::Profile;
    use coconut_format::error::ErrorKind;

    #[test]
    fn lengths_of_long_texts_are_remembered_and_of_no_others() {
        let mut crafted = Crafted::of(Profile::Full, b"\x95\xc0\x00\x01\x00\x01");
        let texts = [LONG_TEXT - 1, LONG_TEXT].map(|length| vec![b't'; length]);
        crafted.strings = [&b"\x92\xd9\xff"[..], &texts[0], b"\xda\x01\0", &texts[1]].concat();
        let file = crafted.file();
        let mut sizes = Sizes::new(file.view());
        let text = 1 + 2 * (1 + 255) + 2 * (1 + 256);
        assert_eq!(sizes.of(file.view().root()), Ok(Size { values: 5, depth: 1, text }));
        assert_eq!(sizes.long_texts, HashMap::from([(StringId(1), 256)]));
    }

    #[test]
    fn nested_objects_without_values_are_measured_with_their_shape_alone() {
        // Objects of a constant, and of two of those: as many levels of them would be as many more objects each.
        let mut crafted = Crafted::of(Profile::Full, b"\x91\x01");
        crafted.shapes = b"\x92\x91\x93\xa1c\xc0\xc3\x92\x92\xa1a\x00\x92\xa1b\x00".to_vec();
        let file = crafted.file();
        let mut sizes = Sizes::new(file.view());
        let text = 1 + 2 * (1 + 1 + 1 + 1);
        assert_eq!(sizes.of(file.view().root()), Ok(Size { values: 5, depth: 2, text }));
        assert!(sizes.valued.is_empty(), "{:?}", sizes.valued);
    }

    #[test]
    fn a_nested_object_is_looked_at_like_any_other() {
        // An object of an object of a value, all in one record.
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
