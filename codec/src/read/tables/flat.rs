//! Shapes (§6.1), in the order of the values of their records.

use super::Tables;
use crate::wire::ids::ShapeId;
use crate::wire::shapes::SlotKind;
use std::num::NonZeroUsize;

/// The facts needed to read a value.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FlatSlot {
    pub(crate) is_integer: bool,
    /// The number of nested objects around it in its record.
    pub(crate) levels: u16,
}

/// The slots of all shapes with a record that was read. Slots of nested shapes are included in
/// place.
#[derive(Debug)]
pub(crate) struct FlatSlots {
    slots: Vec<FlatSlot>,
    /// For each shape, the start of its slots, once one of its records was read.
    first: Vec<Option<NonZeroUsize>>,
}

impl FlatSlots {
    /// The slot of values outside records.
    pub(crate) const ANY: usize = 0;

    pub(crate) fn new(tables: &Tables<'_>) -> Self {
        let any = FlatSlot { is_integer: tables.plain, levels: 0 };
        FlatSlots { slots: vec![any], first: vec![None; tables.shapes.len()] }
    }

    #[inline]
    pub(crate) fn get(&self, slot: usize) -> FlatSlot {
        self.slots[slot]
    }

    /// Returns the start of the slots of a shape. Call it only for shapes of records that were
    /// read: such a record is as long as the slots created here.
    #[inline]
    pub(crate) fn of_shape(&mut self, shape: ShapeId, tables: &Tables<'_>) -> usize {
        match self.first[shape.index()] {
            Some(first) => first.get(),
            None => self.lay_out(shape, tables),
        }
    }

    #[cold]
    fn lay_out(&mut self, shape: ShapeId, tables: &Tables<'_>) -> usize {
        let first = self.slots.len();
        let mut stack = vec![(shape, 0u16, 0usize)];
        while let Some((id, levels, next)) = stack.pop() {
            let slots = tables.valued(tables.shape(id));
            for (position, &slot) in slots.iter().enumerate().skip(next) {
                match slot {
                    SlotKind::Plain => self.slots.push(FlatSlot { is_integer: false, levels }),
                    SlotKind::Integer => self.slots.push(FlatSlot { is_integer: true, levels }),
                    SlotKind::Nested(inner) => {
                        stack.push((id, levels, position + 1));
                        stack.push((inner, levels.saturating_add(1), 0));
                        break;
                    }
                }
            }
        }
        // Never zero, because slot 0 is for values outside records.
        self.first[shape.index()] = NonZeroUsize::new(first);
        first
    }
}
