//! §4.5 What an array is, by its first item, once the tables are read.

use super::{Step, Tables};
use crate::msgpack::{Cursor, TakeShort, Token};

/// A container whose head was read.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Container {
    /// With the number of its items.
    List(u32),
    /// With the number of its entries, keys in place.
    Object(u32),
    /// With its shape, which has as many values.
    Record(u32),
}

/// A container whose head was read, or a reference.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Opened {
    Container(Container),
    /// With the id of the shared value, which is below the bound.
    Shared(u32),
}

impl Opened {
    /// Reads the head of the next value if it is a container, or a reference below `bound`, that begins with short
    /// tokens. Otherwise `None`, and nothing is read: [`step`](super::step) says what comes or what is wrong.
    #[inline(always)]
    pub(crate) fn short<'a>(
        cursor: &mut Cursor<'a>,
        tables: &Tables<'a>,
        is_integer: bool,
        bound: u32,
    ) -> Option<Opened> {
        let mut ahead = *cursor;
        let opened = match ahead.short(Opening).ok()? {
            Beginning::Array(0) => Opened::Container(Container::List(0)),
            Beginning::Array(count) => {
                Opened::Container(ahead.short(TakeHead { tables, rest: count - 1 }).ok()?)
            }
            Beginning::Shared(id) if !is_integer && u32::from(id) < bound => Opened::Shared(id.into()),
            Beginning::Shared(_) => return None,
        };
        *cursor = ahead;
        Some(opened)
    }
}

impl From<Opened> for Step<'_> {
    #[inline]
    fn from(opened: Opened) -> Self {
        match opened {
            Opened::Container(Container::List(count)) => Step::List(count),
            Opened::Container(Container::Object(count)) => Step::Object(count),
            Opened::Container(Container::Record(shape)) => Step::Record(shape),
            Opened::Shared(id) => Step::Shared(id),
        }
    }
}

/// Takes what containers begin with: the header of an array, or a reference.
struct Opening;

enum Beginning {
    Array(u32),
    Shared(u16),
}

impl TakeShort<'_> for Opening {
    type Value = Beginning;

    #[inline]
    fn array(self, count: u32) -> Result<Beginning, Self> {
        Ok(Beginning::Array(count))
    }

    #[inline]
    fn negative(self, number: i16) -> Result<Beginning, Self> {
        Ok(Beginning::Shared((!number).cast_unsigned()))
    }
}

/// Takes the first item of an array, which says what the `rest` of it is; or declines what is not well formed.
pub(crate) struct TakeHead<'t, 'a> {
    pub(crate) tables: &'t Tables<'a>,
    pub(crate) rest: u32,
}

impl<'a> TakeHead<'_, 'a> {
    /// The same for the id of a shape that is not short, and how long its token is.
    #[inline(never)]
    pub(crate) fn long(self, mut cursor: Cursor<'a>) -> Option<(Container, usize)> {
        let at = cursor.position();
        let Token::Unsigned(id) = cursor.token().ok()? else { return None };
        let container = self.record(u32::try_from(id).ok()?).ok()?;
        Some((container, cursor.position() - at))
    }

    #[inline]
    fn record(self, id: u32) -> Result<Container, Self> {
        match self.tables.shapes.get(id as usize) {
            Some(shape) if shape.width == self.rest => Ok(Container::Record(id)),
            _ => Err(self),
        }
    }
}

impl<'a> TakeShort<'a> for TakeHead<'_, 'a> {
    type Value = Container;

    #[inline]
    fn null(self) -> Result<Container, Self> {
        Ok(Container::List(self.rest))
    }

    #[inline]
    fn bool(self, value: bool) -> Result<Container, Self> {
        match !value && self.rest.is_multiple_of(2) {
            true => Ok(Container::Object(self.rest / 2)),
            false => Err(self),
        }
    }

    #[inline]
    fn unsigned(self, id: u16) -> Result<Container, Self> {
        self.record(id.into())
    }
}
