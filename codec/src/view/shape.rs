//! §6.2 Shapes as records need them: their slots, and how many values they have.

use crate::file::DocumentView;
use crate::msgpack::Cursor;
use crate::wire::shapes::{RawSlot, SlotKind, read_slot};
use coconut_format::error::{DecodeError, ErrorKind};

/// A shape whose slots are not yet read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShapeHeader<'a> {
    pub(crate) id: u32,
    pub(crate) slots: u32,
    pub(crate) cursor: Cursor<'a>,
}

impl<'a> ShapeHeader<'a> {
    /// The slots in order.
    pub(super) fn slots(&self) -> impl Iterator<Item = Result<RawSlot<'a>, DecodeError>> + use<'a> {
        let ShapeHeader { id, slots, mut cursor } = *self;
        (0..slots).map(move |_| read_slot(&mut cursor, id))
    }
}

/// Nested slots that are looked into one by one before the widths of all shapes are computed.
const DIRECT_VISITS: u32 = 64;

impl DocumentView<'_> {
    /// How many values an object of shape `id` has in a record.
    pub(crate) fn shape_width(&self, id: u32) -> Result<u32, DecodeError> {
        let mut visits = DIRECT_VISITS;
        match self.direct_width(id, &mut visits)? {
            Some(width) => Ok(width),
            None => self.all_widths()?.get(id as usize).copied().ok_or_else(|| self.no_such_shape(id)),
        }
    }

    /// The same for a shape whose slots are at hand.
    pub(crate) fn width_of(&self, id: u32) -> Result<u32, DecodeError> {
        self.shape_width(id)
    }

    /// Looks into nested shapes one by one: for real documents, where they are few, without allocating. `None`
    /// when that would take too many visits, as it can in a file that is made to.
    fn direct_width(&self, id: u32, visits: &mut u32) -> Result<Option<u32>, DecodeError> {
        let Some(left) = visits.checked_sub(1) else { return Ok(None) };
        *visits = left;
        let mut width = 0u32;
        for slot in self.shape(id.into(), 0)?.slots() {
            let values = match slot?.kind {
                SlotKind::Plain | SlotKind::Integer => 1,
                SlotKind::Constant(_) => 0,
                // Bounded by the visits.
                SlotKind::Nested(inner) => match self.direct_width(inner, visits)? {
                    Some(width) => width,
                    None => return Ok(None),
                },
            };
            width = width.saturating_add(values);
        }
        Ok(Some(width))
    }

    /// Widths of all shapes, from the first up: each needs only earlier ones.
    fn all_widths(&self) -> Result<&[u32], DecodeError> {
        if let Some(widths) = self.frame.widths.get() {
            return Ok(widths);
        }
        let offsets = self.frame.shapes.all(self.data, self.blocks())?;
        let mut widths: Vec<u32> = Vec::with_capacity(offsets.len());
        for id in (0u32..).take(offsets.len()) {
            let mut width = 0u32;
            for slot in self.shape(id.into(), 0)?.slots() {
                let values = match slot?.kind {
                    SlotKind::Plain | SlotKind::Integer => 1,
                    SlotKind::Constant(_) => 0,
                    SlotKind::Nested(inner) => widths.get(inner as usize).copied().unwrap_or_default(),
                };
                width = width.saturating_add(values);
            }
            widths.push(width);
        }
        Ok(self.frame.widths.get_or_init(|| widths))
    }

    fn no_such_shape(&self, id: u32) -> DecodeError {
        ErrorKind::ShapeRange { id: id.into(), count: 0 }.at(self.frame.shapes.start as u64)
    }
}
