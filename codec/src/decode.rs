//! §10.1 Reading whole documents: what the operations that read everything share.
//!
//! Reading whole begins with [`Tables`]: strings checked and shapes parsed once. Operations that expand shared
//! values then [survey](Survey) the document, which finds out how large it becomes before anything is produced.

mod container;
mod keys;
mod sizes;
mod slots;
mod survey;
mod tables;

pub(crate) use container::{Container, Opened, TakeHead};
pub(crate) use keys::{DistinctKeys, FEW_KEYS};
pub(crate) use sizes::Sizes;
pub(crate) use slots::{FlatSlot, FlatSlots};
pub(crate) use survey::Survey;
#[cfg(feature = "serde")]
pub(crate) use tables::ShapeSlot;
pub(crate) use tables::{SlotForm, Tables};

use crate::msgpack::{Cursor, TakeShort, Token};
use crate::view::ext_integer;
use coconut_format::Integer;
use coconut_format::error::{DecodeError, ErrorKind, FormRule};

/// A value as a walk over everything meets it: scalars with what they hold, containers opened.
///
/// The wide tag keeps what it holds at word boundaries: copies of a layout that is packed around a byte stall the
/// processor, which took a third of the time of reading a document.
#[derive(Clone, Copy, Debug)]
#[repr(u64)]
pub(crate) enum Step<'a> {
    Null,
    Bool(bool),
    Integer(Integer),
    Float(f64),
    String(&'a str),
    /// Id of a string in the table.
    StringId(u32),
    /// Id of a shared value.
    Shared(u32),
    List(u32),
    /// An object with its keys in place.
    Object(u32),
    /// A record of this shape.
    Record(u32),
}

/// Where a walk finds what the ids in it stand for.
pub(crate) trait Parts<'a> {
    /// String `id`, which the reference at `at` names: its text, or its id once that is known to be good.
    fn string_step(&self, id: u64, at: usize) -> Result<Step<'a>, DecodeError>;

    /// String `id`, which the reference at `at` names.
    fn text(&self, id: u64, at: usize) -> Result<&'a str, DecodeError>;

    /// How many values a record of shape `id`, which the reference at `at` names, has.
    fn record_width(&self, id: u64, at: usize) -> Result<u32, DecodeError>;
}

/// Reads the next value of the forms of §4.2 to §4.5. Behind a container the cursor is at its first item, key or
/// value. Shared ids must be below `bound`.
#[inline]
pub(crate) fn step<'a, P: Parts<'a>>(
    cursor: &mut Cursor<'a>,
    parts: &P,
    integer_slot: bool,
    bound: u32,
) -> Result<Step<'a>, DecodeError> {
    let at = cursor.position();
    match cursor.token() {
        Ok(Token::Unsigned(number)) if integer_slot => Ok(Step::Integer(number.into())),
        Ok(Token::Negative(number)) if integer_slot => Ok(Step::Integer(number.into())),
        Ok(Token::Unsigned(id)) => parts.string_step(id, at),
        Ok(Token::Negative(number)) => {
            let id = u64::from_ne_bytes((!number).to_ne_bytes());
            match u32::try_from(id) {
                Ok(short) if short < bound => Ok(Step::Shared(short)),
                _ => Err(ErrorKind::SharedRange { id, count: bound.into() }.at(at as u64)),
            }
        }
        Ok(Token::Array(count)) => array(cursor, parts, count, at),
        Ok(ref other) => scalar(cursor, other, at),
        Err(error) => Err(error),
    }
}

/// Reads the next value as [`step`] does, or [`plain_step`], of a document whose tables are read.
///
/// For what is no short scalar: mostly the head of a container, or a reference, which take half as long so.
#[inline]
pub(crate) fn step_with_tables<'a>(
    cursor: &mut Cursor<'a>,
    tables: &Tables<'a>,
    integer_slot: bool,
    bound: u32,
) -> Result<Step<'a>, DecodeError> {
    if tables.plain {
        return plain_step(cursor);
    }
    match Opened::short(cursor, tables, integer_slot, bound) {
        Some(opened) => Ok(opened.into()),
        None => step(cursor, tables, integer_slot, bound),
    }
}

/// §4.5 The forms of lists and objects. The cursor is behind the array header.
#[inline]
pub(crate) fn array<'a, P: Parts<'a>>(
    cursor: &mut Cursor<'a>,
    parts: &P,
    count: u32,
    at: usize,
) -> Result<Step<'a>, DecodeError> {
    let Some(rest) = count.checked_sub(1) else { return Ok(Step::List(0)) };
    let head = cursor.position();
    match cursor.token() {
        Ok(Token::Nil) => Ok(Step::List(rest)),
        Ok(Token::Bool(false)) if rest % 2 == 0 => Ok(Step::Object(rest / 2)),
        Ok(Token::Unsigned(id)) => {
            let expected = parts.record_width(id, head)?;
            if expected != rest {
                let (expected, found) = (expected.into(), rest.into());
                return Err(ErrorKind::ShapeArity { expected, found }.at(at as u64));
            }
            Ok(Step::Record(u32::try_from(id).expect("a shape with this id was found")))
        }
        Ok(_) => Err(ErrorKind::ValueForm { rule: FormRule::Array }.at(at as u64)),
        Err(error) => Err(error),
    }
}

/// Reads the next value of profile `plain` (§4.6).
#[inline]
pub(crate) fn plain_step<'a>(cursor: &mut Cursor<'a>) -> Result<Step<'a>, DecodeError> {
    let at = cursor.position();
    match cursor.token() {
        Ok(Token::Unsigned(number)) => Ok(Step::Integer(number.into())),
        Ok(Token::Negative(number)) => Ok(Step::Integer(number.into())),
        Ok(Token::Array(count)) => Ok(Step::List(count)),
        Ok(Token::Map(count)) => Ok(Step::Object(count)),
        Ok(Token::Ext(code, body) | Token::OtherExt(code, body)) => {
            Err(ErrorKind::Extension { code, length: body.len() as u64 }.at(at as u64))
        }
        Ok(ref other) => scalar(cursor, other, at),
        Err(error) => Err(error),
    }
}

#[inline]
fn scalar<'a>(cursor: &Cursor<'a>, token: &Token<'a>, at: usize) -> Result<Step<'a>, DecodeError> {
    match *token {
        Token::Nil => Ok(Step::Null),
        Token::Bool(value) => Ok(Step::Bool(value)),
        Token::Float(value) if value.is_finite() => Ok(Step::Float(value)),
        Token::Float(_) => Err(ErrorKind::NonFinite.at(at as u64)),
        Token::Str(bytes) => cursor.text(bytes).map(Step::String),
        Token::Ext(code, body) => ext_integer(code, body, at).map(Step::Integer),
        Token::OtherExt(code, body) => {
            Err(ErrorKind::Extension { code, length: body.len() as u64 }.at(at as u64))
        }
        other => Err(ErrorKind::Type { expected: "value", found: other.name() }.at(at as u64)),
    }
}

/// Takes a key in front of its value, and its id if it is in the string table. What it declines is for [`key`].
pub(crate) struct TakeKey<'t, 'a> {
    pub(crate) tables: &'t Tables<'a>,
}

impl<'a> TakeShort<'a> for TakeKey<'_, 'a> {
    type Value = (&'a str, Option<u32>);

    #[inline]
    fn unsigned(self, id: u16) -> Result<Self::Value, Self> {
        match self.tables.strings.get(usize::from(id)) {
            Some(text) if !self.tables.plain => Ok((text, Some(id.into()))),
            _ => Err(self),
        }
    }

    #[inline]
    fn string(self, bytes: &'a [u8]) -> Result<Self::Value, Self> {
        match std::str::from_utf8(bytes) {
            Ok(text) => Ok((text, None)),
            Err(_) => Err(self),
        }
    }
}

/// A key in front of its value.
#[inline]
pub(crate) fn key<'a, P: Parts<'a>>(
    cursor: &mut Cursor<'a>,
    parts: &P,
    plain: bool,
) -> Result<&'a str, DecodeError> {
    let at = cursor.position();
    match cursor.token() {
        Err(error) => Err(error),
        Ok(Token::Unsigned(id)) if !plain => parts.text(id, at),
        Ok(Token::Str(bytes)) => cursor.text(bytes),
        Ok(ref other) => Err(ErrorKind::Type { expected: "string", found: other.name() }.at(at as u64)),
    }
}

/// §9 Refuses a string or key, which stands at `at`, that is longer than its limit.
fn check_length(length: usize, limit: usize, at: usize) -> Result<(), DecodeError> {
    if length > limit { Err(too_long(length, limit, at)) } else { Ok(()) }
}

#[cold]
pub(crate) fn too_long(length: usize, limit: usize, at: usize) -> DecodeError {
    ErrorKind::StringLength { length: length as u64, limit: limit as u64 }.at(at as u64)
}
