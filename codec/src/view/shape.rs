//! §6.2 Shapes as records need them: their slots, and how many values they have.

use crate::file::DocumentView;
use crate::msgpack::Cursor;
use crate::wire::shapes::{RawSlot, SlotKind, Text, read_slot};
use coconut_format::error::{DecodeError, ErrorKind};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

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

impl DocumentView<'_> {
    /// How many values an object of shape `id`, which is named at `at`, has in a record.
    ///
    /// Remembered: each record that is touched is held against the width of its shape, and the records of a file
    /// have a handful of shapes.
    pub(crate) fn shape_width(&self, id: u64, at: usize) -> Result<u32, DecodeError> {
        let widths = &self.shape_facts()?.widths;
        match u32::try_from(id).ok().and_then(|id| widths.get(id)) {
            Some(width) => Ok(width),
            None => self.measure_shape(self.shape(id, at)?.id, at, widths),
        }
    }

    /// Behind how many values of a record of shape `id` that of the field `key` stands; `None` where it has no
    /// value of its own there. All calls for one file must ask for the same key, whose places are remembered.
    pub(crate) fn key_position(&self, id: u64, key: &str, at: usize) -> Result<Option<u32>, DecodeError> {
        let facts = &self.shape_facts()?.key_positions;
        if let Some(position) = u32::try_from(id).ok().and_then(|id| facts.get(id)) {
            return Ok((position < NO_POSITION).then_some(position));
        }
        let shape = self.shape(id, at)?;
        let (mut before, mut position) = (0u32, NO_POSITION);
        for slot in shape.slots() {
            let slot = slot?;
            let name = match slot.key {
                Text::Inline(name) => name,
                Text::Id(id, at) => self.string(id, at)?,
            };
            let values = match slot.kind {
                SlotKind::Plain | SlotKind::Integer => 1,
                SlotKind::Constant(_) => 0,
                SlotKind::Nested(inner) => self.shape_width(inner.into(), at)?,
            };
            if name == key {
                if matches!(slot.kind, SlotKind::Plain) {
                    position = before;
                }
                break;
            }
            before = before.saturating_add(values);
        }
        facts.set(shape.id, position);
        Ok((position < NO_POSITION).then_some(position))
    }

    fn shape_facts(&self) -> Result<&ShapeFacts, DecodeError> {
        if let Some(facts) = self.frame.shape_facts.get() {
            return Ok(facts);
        }
        let count = self.frame.shapes.count(self.data, self.blocks())?;
        let new = || ShapeFacts { widths: Numbers::unknown(count), key_positions: Numbers::unknown(count) };
        Ok(self.frame.shape_facts.get_or_init(new))
    }

    /// Adds up the slots of a shape, after those of the shapes that it nests: each needs only earlier ones, and a
    /// file can be made in which they nest as deep as there are shapes, so there is no recursion.
    fn measure_shape(&self, id: u32, at: usize, widths: &Numbers) -> Result<u32, DecodeError> {
        if id >= widths.count {
            let count = widths.count.into();
            return Err(ErrorKind::ShapeRange { id: id.into(), count }.at(at as u64));
        }
        let mut pending = vec![id];
        while let Some(&id) = pending.last() {
            let before = pending.len();
            if widths.get(id).is_none() {
                let mut width = 0u32;
                for slot in self.shape(id.into(), at)?.slots() {
                    let values = match slot?.kind {
                        SlotKind::Plain | SlotKind::Integer => 1,
                        SlotKind::Constant(_) => 0,
                        SlotKind::Nested(inner) => widths.get(inner).unwrap_or_else(|| {
                            pending.push(inner);
                            0
                        }),
                    };
                    width = width.saturating_add(values);
                }
                if pending.len() > before {
                    continue;
                }
                widths.set(id, width);
            }
            pending.pop();
        }
        Ok(widths.get(id).unwrap_or_default())
    }
}

/// What was found out about shapes when it was needed.
#[derive(Debug)]
pub(crate) struct ShapeFacts {
    widths: Numbers,
    /// See [`DocumentView::key_position`].
    key_positions: Numbers,
}

/// The key position of a shape whose records do not hold the key.
const NO_POSITION: u32 = u32::MAX - 1;

/// A number for each shape, once it is known.
///
/// In pages that are made when a number of theirs is: a lookup meets a few of perhaps thousands of shapes.
#[derive(Debug)]
struct Numbers {
    count: u32,
    /// One more than each number; 0 while it is unknown.
    pages: Box<[OnceLock<Box<[AtomicU32]>>]>,
}

/// Numbers in one page.
const PAGE: u32 = 64;

impl Numbers {
    fn unknown(count: u32) -> Numbers {
        Numbers { count, pages: (0..count.div_ceil(PAGE)).map(|_| OnceLock::new()).collect() }
    }

    // Relaxed: a number stands for itself; a thread that misses it finds it out again.
    fn get(&self, id: u32) -> Option<u32> {
        let page = self.pages.get((id / PAGE) as usize)?.get()?;
        page.get((id % PAGE) as usize)?.load(Ordering::Relaxed).checked_sub(1)
    }

    fn set(&self, id: u32, number: u32) {
        let Some(page) = self.pages.get((id / PAGE) as usize) else { return };
        let page = page.get_or_init(|| (0..PAGE).map(|_| AtomicU32::new(0)).collect());
        if let Some(known) = page.get((id % PAGE) as usize) {
            known.store(number.saturating_add(1), Ordering::Relaxed);
        }
    }
}
