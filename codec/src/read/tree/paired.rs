//! Reads records of two files in step (§6.2).
//!
//! Files may store the same entry in different ways. A value that all records of a shape share is a
//! constant in one file. A single different value in the other file makes it a value of each record
//! there. So the layout of each pair of shapes is computed once.

use super::TooMuchWork;
use super::names::Names;
use crate::read::tables::SlotForm;
use crate::wire::ids::ShapeId;
use foldhash::fast::RandomState;
use hashbrown::HashMap;

/// The next read from two records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Paired {
    /// A value from each. Records whether they are in integer slots (§6.3).
    Both([bool; 2]),
    /// A value from the record of this side. It must equal the constant of this slot of the other
    /// one.
    Constant { side: u8, is_integer: bool, constant: u32 },
    /// A value from the record of this side, which must be a record itself. The other one has the
    /// values of an object of this shape in place.
    Nested { side: u8, inner: ShapeId },
}

#[derive(Clone, Copy, Debug)]
pub(super) struct PairedSlot {
    pub(super) next: Paired,
    /// The number of nested objects around it in both records.
    pub(super) levels: u16,
}

/// The slots of two records that store the same entries.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slots {
    pub(super) first: u32,
    pub(super) count: u32,
}

/// The slots of pairs of shapes whose records were read.
#[derive(Debug)]
pub(super) struct PairedShapes {
    slots: Vec<PairedSlot>,
    /// For each old shape, the new one that was read last, and their slots.
    last: Vec<Option<(ShapeId, Slots)>>,
    /// All pairs read so far. `None` for shapes with different entries.
    known: HashMap<(u32, u32), Option<Slots>, RandomState>,
}

/// The limit of steps per byte bounds the memory of all slots to three times that of both files. In
/// real documents they take almost nothing.
const STEPS_PER_SLOT: usize = 8;

impl PairedShapes {
    /// The slot of values outside records.
    pub(super) const ANY: usize = 0;

    /// `shapes` is the number of shapes of the old file.
    pub(super) fn new(shapes: usize) -> PairedShapes {
        let any = PairedSlot { next: Paired::Both([false; 2]), levels: 0 };
        PairedShapes { slots: vec![any], last: vec![None; shapes], known: HashMap::default() }
    }

    #[inline]
    pub(super) fn get(&self, slot: usize) -> PairedSlot {
        self.slots[slot]
    }

    /// The slots of records of these shapes, which exist in their tables. `None` if the entries of
    /// the shapes differ.
    #[inline]
    pub(super) fn of(
        &mut self,
        old: ShapeId,
        new: ShapeId,
        names: &mut Names<'_, '_>,
    ) -> Result<Option<Slots>, TooMuchWork> {
        match self.last[old.index()] {
            Some((other, slots)) if other == new => Ok(Some(slots)),
            _ => self.find(old, new, names),
        }
    }

    #[inline(never)]
    fn find(
        &mut self,
        old: ShapeId,
        new: ShapeId,
        names: &mut Names<'_, '_>,
    ) -> Result<Option<Slots>, TooMuchWork> {
        let found = match self.known.get(&(old.0, new.0)) {
            Some(known) => *known,
            None => {
                let first = self.slots.len();
                let is_same = self.lay_out(old, new, names)?;
                if !is_same {
                    self.slots.truncate(first);
                }
                let number = |count: usize| u32::try_from(count).map_err(|_| TooMuchWork);
                let slots = Slots { first: number(first)?, count: number(self.slots.len() - first)? };
                let found = is_same.then_some(slots);
                self.known.insert((old.0, new.0), found);
                found
            }
        };
        if let Some(slots) = found {
            self.last[old.index()] = Some((new, slots));
        }
        Ok(found)
    }

    /// Adds the slots of these shapes. Returns whether the shapes have the same entries.
    fn lay_out(
        &mut self,
        old: ShapeId,
        new: ShapeId,
        names: &mut Names<'_, '_>,
    ) -> Result<bool, TooMuchWork> {
        let Names { old: of_old, new: of_new, .. } = *names;
        let slots = |old: ShapeId, new: ShapeId| (of_old.slot_range(old), of_new.slot_range(new));
        let mut around = vec![(slots(old, new), 0u16)];
        while let Some(((old, new), levels)) = around.last_mut() {
            let levels = *levels;
            let (a, b) = match (old.next(), new.next()) {
                (Some(a), Some(b)) => (a, b),
                (None, None) => {
                    around.pop();
                    continue;
                }
                _ => return Ok(false),
            };
            let (x, y) = (of_old.slot(a), of_new.slot(b));
            names.spend(STEPS_PER_SLOT + x.key.len() / 32)?;
            if x.key != y.key {
                return Ok(false);
            }
            let next = match (x.form, y.form) {
                (SlotForm::Constant(x), SlotForm::Constant(y)) if names.is_same_constant(x, y)? => continue,
                (SlotForm::Nested(x), SlotForm::Nested(y)) => {
                    around.push((slots(x, y), levels.saturating_add(1)));
                    continue;
                }
                (x, y) => match paired((x, a), (y, b)) {
                    Some(next) => next,
                    None => return Ok(false),
                },
            };
            self.slots.push(PairedSlot { next, levels });
        }
        Ok(true)
    }
}

/// The read of two slots from their records, if at least one of them reads anything.
fn paired((old, a): (SlotForm<'_>, usize), (new, b): (SlotForm<'_>, usize)) -> Option<Paired> {
    let integer = |form| match form {
        SlotForm::Plain => Some(false),
        SlotForm::Integer => Some(true),
        SlotForm::Nested(_) | SlotForm::Constant(_) => None,
    };
    let constant = |slot| u32::try_from(slot).ok();
    match ((old, integer(old)), (new, integer(new))) {
        ((_, Some(a)), (_, Some(b))) => Some(Paired::Both([a, b])),
        ((_, Some(is_integer)), (SlotForm::Constant(_), _)) => {
            Some(Paired::Constant { side: 0, is_integer, constant: constant(b)? })
        }
        ((SlotForm::Constant(_), _), (_, Some(is_integer))) => {
            Some(Paired::Constant { side: 1, is_integer, constant: constant(a)? })
        }
        ((_, Some(_)), (SlotForm::Nested(inner), _)) => Some(Paired::Nested { side: 0, inner }),
        ((SlotForm::Nested(inner), _), (_, Some(_))) => Some(Paired::Nested { side: 1, inner }),
        _ => None,
    }
}
