//! §4.5 What an array is, by its first item, once the tables are read.

use super::Tables;
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

    #[inline(always)]
    fn record(self, id: u32) -> Result<Container, Self> {
        match self.tables.shapes.get(id as usize) {
            Some(shape) if shape.width == self.rest => Ok(Container::Record(id)),
            _ => Err(self),
        }
    }
}

impl<'a> TakeShort<'a> for TakeHead<'_, 'a> {
    type Value = Container;

    #[inline(always)]
    fn null(self) -> Result<Container, Self> {
        Ok(Container::List(self.rest))
    }

    #[inline(always)]
    fn bool(self, value: bool) -> Result<Container, Self> {
        match !value && self.rest.is_multiple_of(2) {
            true => Ok(Container::Object(self.rest / 2)),
            false => Err(self),
        }
    }

    #[inline(always)]
    fn unsigned(self, id: u16) -> Result<Container, Self> {
        self.record(id.into())
    }
}
