//! Pieces of the elements (§4 to §6): strings, shapes, shared values, root.

use super::{Dissector, Stop};
use crate::msgpack::{Cursor, Token};
use crate::read::file::DocumentView;
use crate::read::tables::{SlotForm, Tables};
use crate::read::walk::{Left, Open, Place, Visitor, Walk};
use crate::wire::directory::Part;
use crate::wire::ids::{ShapeId, SharedId};
use crate::wire::shapes::{SlotKind, ValueSlot, read_shape_header, read_slot};
use crate::wire::value::{self, Form};
use std::mem;
use std::ops::Range;

impl<E> Dissector<'_, '_, E> {
    /// Emits the elements of a file that opens.
    pub(super) fn elements(&mut self, document: DocumentView<'_>) -> Result<(), E> {
        let tables = Tables::read_anywhere(document);
        let parts = [
            (Part::STRINGS, "strings"),
            (Part::SHAPES, "shapes"),
            (Part::SHARED, "shared values"),
            (Part::ROOT, "root"),
        ];
        for (part, name) in parts {
            let span = document.element(part);
            self.unread(span.start, None)?;
            // In profile `plain`, shapes and shared values are never referenced and may be anything
            // (§4.6).
            let is_unused = |tables: &Tables<'_>| tables.plain && matches!(part, Part::SHAPES | Part::SHARED);
            let result = match &tables {
                Ok(tables) if !is_unused(tables) => {
                    self.element(part, name, Cursor::new(document.data, span.start, span.end, None), tables)
                }
                _ => self.tokens(name, span.end),
            };
            self.finish_element(result, span.end)?;
        }
        Ok(())
    }

    /// Emits the elements of a file without directory, in sequence, as msgpack values.
    pub(super) fn elements_in_order(&mut self) -> Result<(), E> {
        for name in ["strings", "shapes", "shared values", "root"] {
            let mut cursor = self.cursor(self.data.len());
            // A truncated value is shown up to its end.
            let end = cursor.skip(1).map_or(self.data.len(), |()| cursor.position());
            let result = self.tokens(name, end);
            self.finish_element(result, end)?;
        }
        Ok(())
    }

    fn finish_element(&mut self, result: Result<(), Stop<E>>, end: usize) -> Result<(), E> {
        match result {
            Ok(()) => self.unread(end, None),
            Err(Stop::Unreadable(error)) => self.unread(end, Some(error)),
            Err(Stop::Refused(error)) => Err(error),
        }
    }

    /// Emits an element of a document with readable strings and shapes.
    fn element<'d>(
        &mut self,
        part: Part,
        name: &str,
        mut cursor: Cursor<'d>,
        tables: &Tables<'d>,
    ) -> Result<(), Stop<E>> {
        if part == Part::ROOT {
            return self.value(&mut cursor, tables, SharedId::NO_BOUND, "root");
        }
        let count = cursor.array_header()?;
        self.say(&cursor, 0, format!("{name}: array of {count}"))?;
        for id in 0..count {
            match part {
                Part::STRINGS => {
                    let text = cursor.str()?;
                    self.spell(&cursor, 1, format!("string {id}"), quoted(text))?;
                }
                Part::SHAPES => self.shape(&mut cursor, ShapeId(id), tables)?,
                _ => self.value(&mut cursor, tables, SharedId(id), &format!("shared value {id}"))?,
            }
        }
        Ok(())
    }

    /// Emits a shape (§6.1), slot by slot.
    fn shape<'d>(
        &mut self,
        cursor: &mut Cursor<'d>,
        id: ShapeId,
        tables: &Tables<'d>,
    ) -> Result<(), Stop<E>> {
        let slots = read_shape_header(cursor)?;
        self.say(cursor, 1, format!("shape {}: {slots} slots", id.0))?;
        for _ in 0..slots {
            let slot = read_slot(cursor, id)?;
            let key = quoted(slot.key.resolve(tables)?);
            match slot.kind {
                SlotKind::Plain => self.say(cursor, 2, format!("slot {key}"))?,
                SlotKind::Integer => self.say(cursor, 2, format!("integer slot {key}"))?,
                SlotKind::Nested(inner) => {
                    self.say(cursor, 2, format!("slot {key}: nested shape {}", inner.0))?;
                }
                SlotKind::Constant(at) => {
                    let said =
                        described(value::read(&mut cursor.at(at), tables, false, SharedId(0))?, tables);
                    self.spell(cursor, 2, format!("slot {key}: constant"), said.1.unwrap_or(said.0))?;
                }
            }
        }
        Ok(())
    }

    /// Emits a value (§4) and everything in it.
    fn value<'d>(
        &mut self,
        cursor: &mut Cursor<'d>,
        tables: &Tables<'d>,
        bound: SharedId,
        name: &str,
    ) -> Result<(), Stop<E>> {
        let mut place = Place { cursor: *cursor, bound };
        let mut values = Values { dissector: self, tables, name };
        Walk::new().visit(&mut values, &mut place, SlotKind::Plain)?;
        *cursor = place.cursor;
        Ok(())
    }

    /// Emits an element as plain msgpack, if strings and shapes could not be read.
    fn tokens(&mut self, name: &str, end: usize) -> Result<(), Stop<E>> {
        let mut cursor = self.cursor(end);
        let mut open: Vec<u64> = Vec::new();
        loop {
            let token = cursor.token()?;
            let level = u32::try_from(open.len()).unwrap_or(u32::MAX);
            let name = if open.is_empty() { name } else { "" };
            let separator = if name.is_empty() { "" } else { ": " };
            match token {
                Token::Str(bytes) => {
                    let text = cursor.text(bytes)?;
                    self.spell(&cursor, level, format!("{name}{separator}string"), quoted(text))?;
                }
                Token::Array(count) => {
                    self.say(&cursor, level, format!("{name}{separator}array of {count}"))?;
                }
                Token::Map(count) => self.say(&cursor, level, format!("{name}{separator}map of {count}"))?,
                Token::Unsigned(number) => {
                    self.spell(&cursor, level, format!("{name}{separator}integer"), number.to_string())?;
                }
                Token::Negative(number) => {
                    self.spell(&cursor, level, format!("{name}{separator}integer"), number.to_string())?;
                }
                other => self.spell(&cursor, level, format!("{name}{separator}{}", other.name()), "")?,
            }
            match token {
                Token::Array(count) => open.push(count.into()),
                Token::Map(count) => open.push(u64::from(count) * 2),
                _ => {}
            }
            while open.last() == Some(&0) {
                open.pop();
            }
            match open.last_mut() {
                Some(left) => *left -= 1,
                None => return Ok(()),
            }
        }
    }

    /// Emits the form that was read before the cursor.
    fn show(
        &mut self,
        cursor: &Cursor<'_>,
        level: u32,
        name: &str,
        form: Form<'_>,
        tables: &Tables<'_>,
    ) -> Result<(), Stop<E>> {
        let (said, content) = described(form, tables);
        let meaning = format!("{name}: {said}");
        match (content, form) {
            (Some(content), Form::StringId(_)) => self.refer(cursor, level, meaning, content),
            (Some(content), _) => self.spell(cursor, level, meaning, content),
            (None, Form::Null) => self.spell(cursor, level, meaning, ""),
            (None, _) => self.say(cursor, level, meaning),
        }
    }

    pub(super) fn say(&mut self, cursor: &Cursor<'_>, level: u32, meaning: String) -> Result<(), Stop<E>> {
        self.piece(cursor.position(), level, meaning).map_err(Stop::Refused)
    }

    /// Emits a reference to `content`, which is stored elsewhere.
    fn refer(
        &mut self,
        cursor: &Cursor<'_>,
        level: u32,
        meaning: String,
        content: String,
    ) -> Result<(), Stop<E>> {
        self.emit(cursor.position(), level, meaning, Some(content), false, None).map_err(Stop::Refused)
    }

    fn spell(
        &mut self,
        cursor: &Cursor<'_>,
        level: u32,
        meaning: String,
        content: impl Into<String>,
    ) -> Result<(), Stop<E>> {
        self.content(cursor.position(), level, meaning, content).map_err(Stop::Refused)
    }
}

/// Emits a value and everything in it. References are not followed.
struct Values<'v, 'b, 'e, 'd, E> {
    dissector: &'v mut Dissector<'b, 'e, E>,
    tables: &'v Tables<'d>,
    /// The name of the next value.
    name: &'v str,
}

impl<'d, E> Visitor<'d> for Values<'_, '_, '_, 'd, E> {
    type Error = Stop<E>;
    /// The level of the values in the container.
    type Note = u32;
    type Slot = ValueSlot;

    fn key(&mut self, place: &mut Place<'d>, _: usize, level: &u32) -> Result<(), Stop<E>> {
        let text = value::read_key(&mut place.cursor, self.tables)?.resolve(self.tables)?;
        self.name = "value";
        self.dissector.say(&place.cursor, *level, format!("key {}", quoted(text)))
    }

    fn slot(&mut self, next: &mut usize, end: usize) -> Result<Option<ValueSlot>, Stop<E>> {
        while *next < end {
            let slot = self.tables.slot(*next);
            *next += 1;
            self.name = slot.key;
            match slot.form {
                SlotForm::Constant(_) => {}
                // There can be astronomically many nested shapes without values.
                SlotForm::Nested(inner) if self.tables.shape(inner).width == 0 => {}
                SlotForm::Nested(inner) => return Ok(Some(SlotKind::Nested(inner))),
                SlotForm::Plain => return Ok(Some(SlotKind::Plain)),
                SlotForm::Integer => return Ok(Some(SlotKind::Integer)),
            }
        }
        Ok(None)
    }

    fn value(
        &mut self,
        place: &mut Place<'d>,
        slot: ValueSlot,
        level: &u32,
    ) -> Result<Option<Open<u32>>, Stop<E>> {
        let record = |shape| {
            let Range { start: next, end } = self.tables.slot_range(shape);
            Left::Record { next, end }
        };
        let name = mem::replace(&mut self.name, "item");
        let left = match slot {
            SlotKind::Nested(shape) => Some(record(shape)),
            SlotKind::Plain | SlotKind::Integer => {
                let is_integer = slot == SlotKind::Integer;
                let form = value::read(&mut place.cursor, self.tables, is_integer, place.bound)?;
                self.dissector.show(&place.cursor, *level, name, form, self.tables)?;
                match form {
                    Form::List(count) => Some(Left::list(count)),
                    Form::Object(count) => Some(Left::object(count)),
                    Form::Record(shape) => Some(record(shape)),
                    _ => None,
                }
            }
        };
        Ok(left.map(|left| Open { left, note: level.saturating_add(1) }))
    }

    fn end(&mut self, _: Open<u32>, _: &mut Place<'d>) -> Result<(), Stop<E>> {
        // The next value of a list.
        self.name = "item";
        Ok(())
    }
}

/// Describes a value. Also returns its content if it is a scalar.
fn described(form: Form<'_>, tables: &Tables<'_>) -> (String, Option<String>) {
    let scalar = |kind: &str, content: String| (kind.to_owned(), Some(content));
    match form {
        Form::Null => ("null".to_owned(), None),
        Form::Bool(value) => scalar("bool", value.to_string()),
        Form::Integer(number) => scalar("integer", number.to_string()),
        Form::Float(number) => scalar("float", number.to_string()),
        Form::String(text) => scalar("string", quoted(text)),
        Form::StringId(id) => {
            let text = tables.strings.get(id.index()).copied().unwrap_or_default();
            scalar(&format!("string {}", id.0), quoted(text))
        }
        Form::Shared(id) => (format!("shared value {}", id.0), None),
        Form::List(count) => (format!("list of {count}"), None),
        Form::Object(count) => (format!("object of {count}"), None),
        Form::Record(shape) => (format!("record of shape {}", shape.0), None),
    }
}

/// Returns a text in Rust notation, with unprintable characters escaped.
fn quoted(text: &str) -> String {
    format!("{text:?}")
}
