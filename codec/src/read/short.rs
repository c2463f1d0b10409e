//! Reads values that begin with short tokens (§4), for readers with loaded tables.
//!
//! Everything here declines tokens that are long, damaged or forbidden; [`value::read`] handles
//! them.

use crate::msgpack::{Cursor, TakeShort, Token};
use crate::read::tables::Tables;
use crate::wire::ids::{ShapeId, SharedId, StringId};
use crate::wire::value::{self, Form};
use coconut_format::error::DecodeError;

/// The beginning of a container, or a reference to one.
///
/// Kept smaller than a [`Form`]: with forms, a tree of a provider schema takes 4 % more
/// instructions.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Head {
    /// With the number of items.
    List(u32),
    /// With the number of entries. Keys are in place.
    Object(u32),
    /// With the shape, which implies the number of values.
    Record(ShapeId),
    Shared(SharedId),
}

impl Head {
    /// Reads the head of the next value if it begins with short tokens and is a container, or a
    /// reference below `bound`. Otherwise returns `None` and reads nothing.
    #[inline(always)]
    pub(crate) fn short<'a>(
        cursor: &mut Cursor<'a>,
        tables: &Tables<'a>,
        is_integer: bool,
        bound: SharedId,
    ) -> Option<Head> {
        let mut ahead = *cursor;
        let head = match ahead.short(Opening).ok()? {
            Head::List(count @ 1..) => ahead.short(TakeHead { tables, rest: count - 1 }).ok()?,
            Head::Shared(id) if is_integer || id >= bound => return None,
            head => head,
        };
        *cursor = ahead;
        Some(head)
    }
}

impl From<Head> for Form<'_> {
    #[inline(always)]
    fn from(head: Head) -> Self {
        match head {
            Head::List(count) => Form::List(count),
            Head::Object(count) => Form::Object(count),
            Head::Record(shape) => Form::Record(shape),
            Head::Shared(id) => Form::Shared(id),
        }
    }
}

/// Takes the header of an array (as a list header), or a reference.
struct Opening;

impl TakeShort<'_> for Opening {
    type Value = Head;

    #[inline(always)]
    fn array(self, count: u32) -> Result<Head, Self> {
        Ok(Head::List(count))
    }

    #[inline(always)]
    fn negative(self, number: i16) -> Result<Head, Self> {
        Ok(Head::Shared(short_shared_id(number)))
    }
}

/// Takes the first item of an array, which determines the meaning of the `rest`. Declines malformed
/// arrays.
pub(crate) struct TakeHead<'t, 'a> {
    pub(crate) tables: &'t Tables<'a>,
    pub(crate) rest: u32,
}

impl<'a> TakeHead<'_, 'a> {
    /// Does the same for the id of a shape that is not short. Also returns the length of its token.
    #[inline(never)]
    pub(crate) fn long(self, mut cursor: Cursor<'a>) -> Option<(Head, usize)> {
        let at = cursor.position();
        let Token::Unsigned(id) = cursor.token().ok()? else { return None };
        let head = self.record(ShapeId::of(id)?).ok()?;
        Some((head, cursor.position() - at))
    }

    #[inline(always)]
    fn record(self, id: ShapeId) -> Result<Head, Self> {
        match self.tables.shapes.get(id.index()) {
            Some(shape) if shape.width == self.rest => Ok(Head::Record(id)),
            _ => Err(self),
        }
    }
}

impl<'a> TakeShort<'a> for TakeHead<'_, 'a> {
    type Value = Head;

    #[inline(always)]
    fn null(self) -> Result<Head, Self> {
        Ok(Head::List(self.rest))
    }

    #[inline(always)]
    fn bool(self, value: bool) -> Result<Head, Self> {
        match !value && self.rest.is_multiple_of(2) {
            true => Ok(Head::Object(self.rest / 2)),
            false => Err(self),
        }
    }

    #[inline(always)]
    fn unsigned(self, id: u16) -> Result<Head, Self> {
        self.record(ShapeId(id.into()))
    }
}

/// Returns the id that a short reference (§4.4) names.
#[inline(always)]
pub(crate) fn short_shared_id(reference: i16) -> SharedId {
    SharedId((!reference).cast_unsigned().into())
}

/// Reads the next value of a document with tables that are already read.
///
/// Use it for values other than short scalars. Most of them are container heads or references,
/// which take half as long this way.
#[inline]
pub(crate) fn read_with<'a>(
    cursor: &mut Cursor<'a>,
    tables: &Tables<'a>,
    is_integer: bool,
    bound: SharedId,
) -> Result<Form<'a>, DecodeError> {
    if !tables.plain
        && let Some(head) = Head::short(cursor, tables, is_integer, bound)
    {
        return Ok(head.into());
    }
    value::read(cursor, tables, is_integer, bound)
}

/// Takes a key before its value, and the key's id if it is in the string table.
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

/// Reads a key before its value, and the key's id if that is short.
///
/// Always inlined, because its result is too large for registers.
#[inline(always)]
pub(crate) fn read_key_with<'a>(
    cursor: &mut Cursor<'a>,
    tables: &Tables<'a>,
) -> Result<(&'a str, Option<StringId>), DecodeError> {
    match cursor.short(TakeKey { tables }) {
        Ok(taken) => Ok(taken),
        Err(_) => Ok((value::read_key(cursor, tables)?.resolve(tables)?, None)),
    }
}
