//! The one walk over the containers of a file (§4.5). Its stack holds the open containers and the
//! unvisited rest of each.
//!
//! A [`Visitor`] gives keys and values their meaning: one [measures](super::measure), one
//! [streams](super::stream), one shows [regions](super::regions). Only [`tree`](super::tree) has
//! its own decoder. Its pass reports no errors, which halves its instructions.

use crate::msgpack::Cursor;
use crate::wire::ids::SharedId;
use std::mem;

/// The position of a walk.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    pub(crate) cursor: Cursor<'a>,
    /// The first shared value that values here must not reference.
    pub(crate) bound: SharedId,
}

/// An open container. All fields are words, as in [`Form`](crate::wire::value::Form). A `bool`
/// field stalled its copies and took a tenth of the time of printing.
pub(crate) struct Open<N> {
    pub(crate) left: Left,
    /// The visitor's data about it.
    pub(crate) note: N,
}

/// The unvisited rest of a container.
#[repr(usize)]
pub(crate) enum Left {
    /// The number of items.
    List(usize),
    /// The number of visited entries, and the number of all entries.
    Object { visited: usize, count: usize },
    /// The visitor's next slot, and the end of the slots.
    Record { next: usize, end: usize },
}

impl Left {
    pub(crate) fn list(count: u32) -> Left {
        Left::List(count as usize)
    }

    /// Returns an object with its keys in place.
    pub(crate) fn object(count: u32) -> Left {
        Left::Object { visited: 0, count: count as usize }
    }
}

/// The actions of a walk.
pub(crate) trait Visitor<'a> {
    type Error;
    /// The data kept for an open container. The default is for the place around the first value.
    type Note: Default;
    /// The form of a value. The default is for values outside records.
    type Slot: Default;

    /// Reads the key at `place`, after `before` other keys of its object.
    fn key(&mut self, place: &mut Place<'a>, before: usize, around: &Self::Note) -> Result<(), Self::Error>;

    /// Advances to the next slot of a record that has a value. Returns `None` at the end.
    fn slot(&mut self, next: &mut usize, end: usize) -> Result<Option<Self::Slot>, Self::Error>;

    /// Reads the value at `place`. A container is opened and returned.
    fn value(
        &mut self,
        place: &mut Place<'a>,
        slot: Self::Slot,
        around: &Self::Note,
    ) -> Result<Option<Open<Self::Note>>, Self::Error>;

    /// Ends a container.
    #[inline]
    fn end(&mut self, _: Open<Self::Note>, _: &mut Place<'a>) -> Result<(), Self::Error> {
        Ok(())
    }
}

/// The memory of a walk: the containers around the innermost open one.
pub(crate) struct Walk<N> {
    around: Vec<Open<N>>,
}

impl<N: Default> Walk<N> {
    pub(crate) fn new() -> Walk<N> {
        Walk { around: Vec::new() }
    }

    /// Visits the value at `place` and everything in it. Moves the cursor past it.
    ///
    /// The innermost container is a local variable, not on the stack. Most values are scalars, so
    /// the stack is rarely used.
    #[inline]
    pub(crate) fn visit<'a, V: Visitor<'a, Note = N>>(
        &mut self,
        visitor: &mut V,
        place: &mut Place<'a>,
        slot: V::Slot,
    ) -> Result<(), V::Error> {
        self.around.clear();
        let Some(mut open) = visitor.value(place, slot, &N::default())? else { return Ok(()) };
        loop {
            if let Some(inner) = advance(visitor, place, &mut open)? {
                self.around.push(mem::replace(&mut open, inner));
                continue;
            }
            visitor.end(open, place)?;
            match self.around.pop() {
                Some(around) => open = around,
                None => return Ok(()),
            }
        }
    }
}

/// Advances to the next container in this one and returns it, or to the end of this one.
#[inline]
fn advance<'a, V: Visitor<'a>>(
    visitor: &mut V,
    place: &mut Place<'a>,
    open: &mut Open<V::Note>,
) -> Result<Option<Open<V::Note>>, V::Error> {
    loop {
        let slot = match &mut open.left {
            Left::List(0) => return Ok(None),
            Left::List(left) => {
                *left -= 1;
                V::Slot::default()
            }
            Left::Object { visited, count } => {
                if visited == count {
                    return Ok(None);
                }
                visitor.key(place, *visited, &open.note)?;
                *visited += 1;
                V::Slot::default()
            }
            Left::Record { next, end } => match visitor.slot(next, *end)? {
                Some(slot) => slot,
                None => return Ok(None),
            },
        };
        if let Some(inner) = visitor.value(place, slot, &open.note)? {
            return Ok(Some(inner));
        }
    }
}
