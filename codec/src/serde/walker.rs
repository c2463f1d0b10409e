//! A walk that consumes values as serde requests them, without decoding any byte twice.

use super::error::DeserializeError;
use super::limits::Limits;
use super::short::{ShortKey, ShortScalar, TakeScalar};
use super::source::{Slots, Source};
use crate::limits;
use crate::msgpack::{Cursor, marker};
use crate::read::short::Head;
use crate::read::tables::{SlotForm, Tables};
use crate::read::view::ValueView;
use crate::wire::ids::{ShapeId, SharedId};
use crate::wire::shapes::SlotKind;
use crate::wire::value::{self, Form, References, check_length, check_shared};
use coconut_format::Integer;
use coconut_format::error::{DecodeError, ErrorKind};

/// A walk over values in document order, wherever they are in the file. It is always at the next
/// value.
pub(super) struct Walker<'t, 'a> {
    source: &'t Source<'a>,
    /// The tables of the source, once they are read. Profile `plain` needs none.
    tables: Option<&'t Tables<'a>>,
    /// The known strings whose ids the numbers are. `None` in profile `plain`, where numbers are
    /// integers.
    strings: Option<&'t [&'a str]>,
    cursor: Cursor<'a>,
    /// Shared values from this id on cannot be referenced here.
    bound: SharedId,
    limits: Limits,
    /// The remaining limits.
    left: Limits,
    /// Number of values that may still be skipped.
    ignored_left: u64,
    /// Whether the type may keep something from the next value even if it is skipped.
    next_is_held: bool,
    /// The error that ended the walk within a value.
    ended: Option<DeserializeError>,
}

/// The place of a reference to return to.
pub(super) struct Back<'a> {
    cursor: Cursor<'a>,
    bound: SharedId,
}

/// The next value, not read yet. It is skipped when dropped, because types may ignore values.
pub(super) struct Next<'w, 't, 'a> {
    pub(super) walker: &'w mut Walker<'t, 'a>,
    pub(super) form: &'w SlotForm<'a>,
}

impl Drop for Next<'_, '_, '_> {
    fn drop(&mut self) {
        let at = self.walker.position();
        if let Err(error) = self.walker.skip(self.form) {
            self.walker.end(error, at);
        }
    }
}

impl<'t, 'a> Walker<'t, 'a> {
    /// A walk over `value`, which belongs to the document of `source`, and the form of the value.
    pub(super) fn new(source: &'t Source<'a>, value: ValueView<'a>, limits: Limits) -> (Self, SlotForm<'a>) {
        let (cursor, slot, bound) = value.walk();
        let form = match slot {
            SlotKind::Plain => SlotForm::Plain,
            SlotKind::Integer => SlotForm::Integer,
            SlotKind::Nested(shape) => SlotForm::Nested(shape),
        };
        if value.is_root() {
            source.expect_everything();
        }
        let (tables, strings, ignored_left) = (None, None, ignored_limit(limits));
        let mut walker = Walker {
            source,
            tables,
            strings,
            cursor,
            bound,
            limits,
            left: limits,
            ignored_left,
            next_is_held: false,
            ended: None,
        };
        walker.take_tables();
        (walker, form)
    }

    /// Keeps the tables of the source at hand, if they are read.
    fn take_tables(&mut self) {
        if !self.source.is_plain {
            self.tables = self.source.known_tables();
            self.strings = Some(self.tables.map_or(&[], |tables| &tables.strings));
        }
    }

    /// The start of the next value in the file.
    pub(super) fn position(&self) -> usize {
        self.cursor.position()
    }

    /// Reads the next value if it is a short scalar, as most values are. Otherwise reads nothing;
    /// [`read`](Self::read) then handles every form and reports errors.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn read_short(&mut self, form: &SlotForm<'a>) -> Option<ShortScalar<'a>> {
        let strings = match form {
            SlotForm::Plain | SlotForm::Constant(_) => self.strings,
            SlotForm::Integer => None,
            SlotForm::Nested(_) => return None,
        };
        let take = TakeScalar { strings, left: &mut self.left };
        match form {
            SlotForm::Constant(constant) => take.constant(constant).ok(),
            _ => self.cursor.short(take).ok(),
        }
    }

    /// Reads the head of the next value if it is a container that begins with short tokens.
    /// Otherwise returns `None` and reads nothing.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn open_short(&mut self, form: &SlotForm<'a>) -> Option<Head> {
        let values = self.left.values.checked_sub(1)?;
        let opened = match form {
            SlotForm::Nested(shape) => Head::Record(*shape),
            SlotForm::Constant(_) => return None,
            SlotForm::Plain | SlotForm::Integer => {
                let is_integer = matches!(form, SlotForm::Integer);
                Head::short(&mut self.cursor, self.tables?, is_integer, self.bound)?
            }
        };
        self.left.values = values;
        Some(opened)
    }

    /// Reads the head of the next value: a whole scalar, the count of a container, or the id of a
    /// reference.
    ///
    /// A caller that receives a text must [count](Self::counted) it. Counting here, between this
    /// step and the caller, would move each value through memory once more.
    pub(super) fn read(&mut self, form: &SlotForm<'a>) -> Result<Form<'a>, DecodeError> {
        let at = self.position();
        self.count_value()?;
        let is_integer = match form {
            SlotForm::Plain => false,
            SlotForm::Integer => true,
            SlotForm::Nested(shape) => return Ok(Form::Record(*shape)),
            SlotForm::Constant(Form::StringId(id)) => {
                return self.source.text((*id).into(), at).map(Form::String);
            }
            SlotForm::Constant(form) => return Ok(*form),
        };
        value::read(&mut self.cursor, self.source, is_integer, self.bound)
    }

    /// Counts a text that was [read](Self::read) at `at`.
    pub(super) fn counted(&mut self, text: &'a str, at: usize) -> Result<&'a str, DecodeError> {
        self.count_text(text, at)?;
        Ok(text)
    }

    /// Reads the next value if it is null. Any other value stays unread.
    #[inline]
    pub(super) fn take_null(&mut self, form: &SlotForm<'a>) -> Result<bool, DecodeError> {
        let length = match form {
            SlotForm::Plain | SlotForm::Integer if self.cursor.peek()? == marker::NIL => 1,
            SlotForm::Constant(Form::Null) => 0,
            _ => return Ok(false),
        };
        self.count_value()?;
        self.cursor.advance(length);
        Ok(true)
    }

    /// Reads the next value if it is a string. Any other value stays unread.
    pub(super) fn take_string(&mut self, form: &SlotForm<'a>) -> Result<Option<&'a str>, DecodeError> {
        let at = self.position();
        match self.take(form, |form| matches!(form, Form::String(_)))? {
            Some(Form::String(text)) => self.counted(text, at).map(Some),
            _ => Ok(None),
        }
    }

    /// Reads the next value if it is an integer. Any other value stays unread.
    pub(super) fn take_integer(&mut self, form: &SlotForm<'a>) -> Result<Option<Integer>, DecodeError> {
        match self.take(form, |form| matches!(form, Form::Integer(_)))? {
            Some(Form::Integer(number)) => Ok(Some(number)),
            _ => Ok(None),
        }
    }

    /// Reads the next value if it is the `wanted` one.
    fn take(
        &mut self,
        form: &SlotForm<'a>,
        wanted: fn(&Form<'a>) -> bool,
    ) -> Result<Option<Form<'a>>, DecodeError> {
        let before = (self.cursor, self.left);
        let read = self.read(form)?;
        if wanted(&read) {
            return Ok(Some(read));
        }
        (self.cursor, self.left) = before;
        Ok(None)
    }

    /// Sets whether the type may keep something from the next value even if it is skipped. That is
    /// the key before it, or the result of an ignored item, as in `LinkedList<IgnoredAny>`.
    ///
    /// Reset at the next key or item, at the end of the list or object, and if the value is a
    /// container. Any value skipped after that is a different one. The offset alone would not
    /// reveal that, since constants and nested records may take no bytes.
    #[inline]
    pub(super) fn next_is_held(&mut self, is_held: bool) {
        self.next_is_held = is_held;
    }

    /// Skips the next value without decoding it.
    pub(super) fn skip(&mut self, form: &SlotForm<'a>) -> Result<(), DecodeError> {
        let at = self.position();
        if self.next_is_held {
            self.count_value()?;
        }
        match form {
            SlotForm::Plain | SlotForm::Integer => self.cursor.skip(1)?,
            SlotForm::Nested(shape) => {
                let width = self.source.width(*shape, at)?;
                self.cursor.skip(width.into())?;
            }
            SlotForm::Constant(_) => {}
        }
        let bytes = self.position().wrapping_sub(at) as u64;
        match self.ignored_left.checked_sub(1 + bytes / limits::BYTES_PER_STEP) {
            Some(left) => {
                self.ignored_left = left;
                Ok(())
            }
            None => Err(self.too_many_ignored(at)),
        }
    }

    /// Moves to the shared value `id`, whose reference was just read. The walk continues there
    /// until [`come_back`](Self::come_back).
    pub(super) fn follow(&mut self, id: SharedId) -> Result<Back<'a>, DecodeError> {
        let target = self.source.shared(id, self.position())?;
        check_shared(target)?;
        let back = Back { cursor: self.cursor, bound: self.bound };
        self.cursor = target;
        self.bound = id;
        Ok(back)
    }

    /// Adjusts an error in the shared value `id`, while returning to its reference at `at`. If the
    /// shared value itself does not fit, the error gets the place of the reference. So does every
    /// error at the end of a shared value.
    #[cold]
    #[inline(never)]
    pub(super) fn failed_in(&mut self, id: SharedId, at: usize) {
        let Ok(target) = self.source.shared(id, at) else { return };
        self.ended = self.ended.take().map(|ended| ended.moved(target.position(), at));
    }

    /// Returns to the end of the reference. After an error, a caller further out [ends](Self::end)
    /// the walk again.
    pub(super) fn come_back(&mut self, back: Back<'a>) {
        self.cursor = back.cursor;
        self.bound = back.bound;
    }

    /// Reads the key before the next value.
    #[inline]
    pub(super) fn key(&mut self) -> Result<&'a str, DecodeError> {
        let strings = self.strings.unwrap_or_default();
        if let Ok(key) = self.cursor.short(ShortKey { strings, left: &mut self.left.bytes }) {
            return Ok(key);
        }
        let at = self.position();
        let key = value::read_key(&mut self.cursor, self.source)?.resolve(self.source)?;
        check_length(key.len(), limits::KEY_BYTES, at)?;
        self.counted(key, at)
    }

    /// The slots of a record whose head was just read.
    #[inline]
    pub(super) fn slots(&mut self, shape: ShapeId) -> Result<Slots<'t, 'a>, DecodeError> {
        match self.tables {
            Some(tables) => Ok(Slots::known(tables.slots(tables.shape(shape)))),
            None => self.slots_first(shape),
        }
    }

    #[cold]
    fn slots_first(&mut self, shape: ShapeId) -> Result<Slots<'t, 'a>, DecodeError> {
        let slots = self.source.slots(shape, self.position());
        self.take_tables();
        slots
    }

    /// Reads the key of the next slot of a record.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn slot_key(&mut self, slots: &mut Slots<'t, 'a>) -> Result<Option<&'a str>, DecodeError> {
        let Some(key) = self.source.next_key(slots)? else { return Ok(None) };
        self.count_text(key, self.position())?;
        Ok(Some(key))
    }

    /// Enters a list or object.
    pub(super) fn descend(&mut self) -> Result<(), DecodeError> {
        self.next_is_held = false;
        match self.left.depth.checked_sub(1) {
            Some(left) => {
                self.left.depth = left;
                Ok(())
            }
            None => Err(ErrorKind::Depth { limit: self.limits.depth.into() }.at(self.position() as u64)),
        }
    }

    /// Leaves a list or object.
    pub(super) fn ascend(&mut self) {
        self.next_is_held = false;
        self.left.depth += 1;
    }

    /// Ends the walk with an error within the value at `at`, after which no requested value can be
    /// found. If a type discards the error, each open list and object returns it again in place of
    /// its remaining items. [`finish`](Self::finish) also returns it.
    #[cold]
    #[inline(never)]
    pub(super) fn end(&mut self, error: impl Into<DeserializeError>, at: usize) -> DeserializeError {
        if let Some(first) = &self.ended {
            return first.clone();
        }
        let error = error.into().at(at);
        self.end_with(&error, at);
        error
    }

    /// Does the same for an error that is passed outwards. Each level on its way ends with it
    /// again.
    #[cold]
    #[inline(never)]
    pub(super) fn end_with(&mut self, error: &DeserializeError, at: usize) {
        if self.ended.is_some() {
            return;
        }
        self.ended = Some(error.without_path().at(at));
        // After that, every request exceeds a limit or finds nothing.
        self.cursor.exhaust();
        (self.left.values, self.ignored_left) = (0, 0);
    }

    /// Whether the walk has [ended](Self::end). Open lists and objects then return nothing more, so
    /// the counts in their heads cost no time at any level.
    #[inline]
    pub(super) fn has_ended(&self) -> bool {
        self.ended.is_some()
    }

    /// The error that ended the walk, if there is one.
    #[cold]
    pub(super) fn first_error(&self) -> Option<DeserializeError> {
        self.ended.clone()
    }

    /// The result, or the error that ended the walk, even if a type discarded the error and
    /// returned another one.
    pub(super) fn finish<T>(self, result: Result<T, DeserializeError>) -> Result<T, DeserializeError> {
        match (self.ended, result) {
            (Some(ended), Err(error)) => Err(error.unless_ended_by(ended)),
            (Some(ended), Ok(_)) => Err(ended),
            (None, result) => result,
        }
    }

    /// Counts a value that is read. It begins at the cursor.
    #[inline]
    fn count_value(&mut self) -> Result<(), DecodeError> {
        match self.left.values.checked_sub(1) {
            Some(left) => {
                self.left.values = left;
                Ok(())
            }
            None => Err(self.too_many_values(self.position())),
        }
    }

    #[inline]
    fn count_text(&mut self, text: &str, at: usize) -> Result<(), DecodeError> {
        match self.left.bytes.checked_sub(text.len() as u64) {
            Some(left) => {
                self.left.bytes = left;
                Ok(())
            }
            None => Err(self.too_many_bytes(at)),
        }
    }

    #[cold]
    fn too_many_bytes(&self, at: usize) -> DecodeError {
        let limit = self.limits.bytes;
        ErrorKind::Bytes { count: limit.saturating_add(1), limit }.at(at as u64)
    }

    #[cold]
    fn too_many_ignored(&self, at: usize) -> DecodeError {
        ErrorKind::Work { limit: ignored_limit(self.limits) }.at(at as u64)
    }

    #[cold]
    fn too_many_values(&self, at: usize) -> DecodeError {
        let limit = self.limits.values;
        ErrorKind::Nodes { count: limit.saturating_add(1), limit }.at(at as u64)
    }
}

/// Number of values that may be skipped in one read.
fn ignored_limit(limits: Limits) -> u64 {
    limits::IGNORED_VALUES.max(limits.values)
}
