//! §4 The values that begin with short tokens, once the tables are read.
//!
//! Everything here declines what is long, damaged or forbidden, and leaves that to [`value::read`].

use crate::msgpack::{Cursor, TakeShort, Token};
use crate::read::tables::Tables;
use crate::wire::ids::{ShapeId, SharedId, StringId};
use crate::wire::value::{self, Form, ext_integer};
use coconut_format::error::DecodeError;

/// Reads the head of the next value if it is a container, or a reference below `bound`, that begins
/// with short tokens. Otherwise `None`, and nothing is read.
#[inline(always)]
pub(crate) fn read_opened<'a>(
    cursor: &mut Cursor<'a>,
    tables: &Tables<'a>,
    is_integer: bool,
    bound: SharedId,
) -> Option<Form<'a>> {
    let mut ahead = *cursor;
    let form = match ahead.short(Opening).ok()? {
        Form::List(count @ 1..) => ahead.short(TakeHead { tables, rest: count - 1 }).ok()?,
        Form::Shared(id) if is_integer || id >= bound => return None,
        form => form,
    };
    *cursor = ahead;
    Some(form)
}

/// Takes what containers begin with: the header of an array, given as a list, or a reference.
struct Opening;

impl<'a> TakeShort<'a> for Opening {
    type Value = Form<'a>;

    #[inline(always)]
    fn array(self, count: u32) -> Result<Form<'a>, Self> {
        Ok(Form::List(count))
    }

    #[inline(always)]
    fn negative(self, number: i16) -> Result<Form<'a>, Self> {
        Ok(Form::Shared(short_shared_id(number)))
    }
}

/// Takes the first item of an array, which says what the `rest` of it is. Declines what is not well
/// formed.
pub(crate) struct TakeHead<'t, 'a> {
    pub(crate) tables: &'t Tables<'a>,
    pub(crate) rest: u32,
}

impl<'a> TakeHead<'_, 'a> {
    /// The same for the id of a shape that is not short, and how long its token is.
    #[inline(never)]
    pub(crate) fn long(self, mut cursor: Cursor<'a>) -> Option<(Form<'a>, usize)> {
        let at = cursor.position();
        let Token::Unsigned(id) = cursor.token().ok()? else { return None };
        let form = self.record(ShapeId::of(id)?).ok()?;
        Some((form, cursor.position() - at))
    }

    #[inline(always)]
    fn record(self, id: ShapeId) -> Result<Form<'a>, Self> {
        match self.tables.shapes.get(id.index()) {
            Some(shape) if shape.width == self.rest => Ok(Form::Record(id)),
            _ => Err(self),
        }
    }
}

impl<'a> TakeShort<'a> for TakeHead<'_, 'a> {
    type Value = Form<'a>;

    #[inline(always)]
    fn null(self) -> Result<Form<'a>, Self> {
        Ok(Form::List(self.rest))
    }

    #[inline(always)]
    fn bool(self, value: bool) -> Result<Form<'a>, Self> {
        match !value && self.rest.is_multiple_of(2) {
            true => Ok(Form::Object(self.rest / 2)),
            false => Err(self),
        }
    }

    #[inline(always)]
    fn unsigned(self, id: u16) -> Result<Form<'a>, Self> {
        self.record(ShapeId(id.into()))
    }
}

/// §4.4 The id that a short reference names.
#[inline(always)]
pub(crate) fn short_shared_id(reference: i16) -> SharedId {
    SharedId((!reference).cast_unsigned().into())
}

/// Reads the next value of a document whose tables are read.
///
/// For values that are no short scalars. Most are heads of containers or references, which take half
/// as long so.
#[inline]
pub(crate) fn read_with<'a>(
    cursor: &mut Cursor<'a>,
    tables: &Tables<'a>,
    is_integer: bool,
    bound: SharedId,
) -> Result<Form<'a>, DecodeError> {
    if !tables.plain
        && let Some(form) = read_opened(cursor, tables, is_integer, bound)
    {
        return Ok(form);
    }
    value::read(cursor, tables, is_integer, bound)
}

/// What becomes of a scalar. A trait and not a closure, because it has to be inlined for each form.
pub(crate) trait Then<'a> {
    type Value;

    fn then(self, scalar: Form<'a>) -> Self::Value;
}

/// Takes scalars in short forms, which most values are.
pub(crate) struct TakeScalar<'t, 'a, T> {
    pub(crate) tables: &'t Tables<'a>,
    pub(crate) is_integer: bool,
    pub(crate) then: T,
}

impl<'a, T: Then<'a>> TakeShort<'a> for TakeScalar<'_, 'a, T> {
    type Value = T::Value;

    #[inline(always)]
    fn null(self) -> Result<T::Value, Self> {
        Ok(self.then.then(Form::Null))
    }

    #[inline(always)]
    fn bool(self, value: bool) -> Result<T::Value, Self> {
        Ok(self.then.then(Form::Bool(value)))
    }

    #[inline(always)]
    fn unsigned(self, number: u16) -> Result<T::Value, Self> {
        if self.is_integer || self.tables.plain {
            return Ok(self.then.then(Form::Integer(u64::from(number).into())));
        }
        match usize::from(number) < self.tables.strings.len() {
            true => Ok(self.then.then(Form::StringId(StringId(number.into())))),
            false => Err(self),
        }
    }

    #[inline(always)]
    fn negative(self, number: i16) -> Result<T::Value, Self> {
        match self.is_integer || self.tables.plain {
            true => Ok(self.then.then(Form::Integer(i64::from(number).into()))),
            false => Err(self),
        }
    }

    #[inline(always)]
    fn ext(self, code: i8, body: &'a [u8]) -> Result<T::Value, Self> {
        match ext_integer(code, body) {
            Ok(integer) if !self.tables.plain => Ok(self.then.then(Form::Integer(integer))),
            _ => Err(self),
        }
    }

    #[inline(always)]
    fn string(self, bytes: &'a [u8]) -> Result<T::Value, Self> {
        match std::str::from_utf8(bytes) {
            Ok(text) => Ok(self.then.then(Form::String(text))),
            Err(_) => Err(self),
        }
    }
}

/// Takes a key in front of its value, and its id if it is in the string table.
pub(crate) struct TakeKey<'t, 'a> {
    pub(crate) tables: &'t Tables<'a>,
}

impl<'a> TakeShort<'a> for TakeKey<'_, 'a> {
    type Value = (&'a str, Option<StringId>);

    #[inline(always)]
    fn unsigned(self, id: u16) -> Result<Self::Value, Self> {
        match self.tables.strings.get(usize::from(id)) {
            Some(text) if !self.tables.plain => Ok((text, Some(StringId(id.into())))),
            _ => Err(self),
        }
    }

    #[inline(always)]
    fn string(self, bytes: &'a [u8]) -> Result<Self::Value, Self> {
        match std::str::from_utf8(bytes) {
            Ok(text) => Ok((text, None)),
            Err(_) => Err(self),
        }
    }
}

/// Reads a key in front of its value, and its id if that is short.
#[inline]
pub(crate) fn read_key_with<'a>(
    cursor: &mut Cursor<'a>,
    tables: &Tables<'a>,
) -> Result<(&'a str, Option<StringId>), DecodeError> {
    match cursor.short(TakeKey { tables }) {
        Ok(taken) => Ok(taken),
        Err(_) => Ok((value::read_key(cursor, tables)?.resolve(tables)?, None)),
    }
}
