//! How records of two files are compared slot by slot (§6.2).
//!
//! Files store the same entry in different ways: what all records of a shape have in one file is a
//! constant there, and one other value in the other file makes it a value of each record. So each
//! pair of shapes is laid out once, with what its records have in their files.

use super::names::Names;
use crate::read::tables::SlotForm;
use crate::wire::ids::ShapeId;
use coconut_format::limits::TooMuchWork;
use foldhash::fast::RandomState;
use hashbrown::HashMap;
use std::ops::Range;

/// The next comparison of two records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PairedSlot {
    /// A value of each.
    Both,
    /// A value of the old record. It must be the constant of this slot of the new one.
    NewConstant(usize),
    /// A value of the new record. It must be the constant of this slot of the old one.
    OldConstant(usize),
    /// A value of the old record. The new one has the values of an object of this shape in place.
    NewNested(ShapeId),
    /// A value of the new record. The old one has the values of an object of this shape in place.
    OldNested(ShapeId),
}

/// The slots of two records with the same keys, among all slots.
pub(super) type Slots = Range<usize>;

/// The slots of pairs of shapes whose records were compared.
#[derive(Debug)]
pub(super) struct PairedShapes {
    slots: Vec<PairedSlot>,
    /// For each old shape, the new one that was compared last, and their slots.
    last: Vec<(Option<ShapeId>, Slots)>,
    /// All pairs so far. `None` for shapes with other entries.
    known: HashMap<(u32, u32), Option<Slots>, RandomState>,
}

/// The limit of steps bounds the memory of all slots. In real documents they take almost nothing.
const STEPS_PER_SLOT: usize = 64;

impl PairedShapes {
    /// `shapes` is the number of shapes of the old file.
    pub(super) fn new(shapes: usize) -> PairedShapes {
        PairedShapes { slots: Vec::new(), last: vec![(None, 0..0); shapes], known: HashMap::default() }
    }

    #[inline]
    pub(super) fn get(&self, slot: usize) -> PairedSlot {
        self.slots[slot]
    }

    /// The slots of records of these shapes, which exist in their tables. `None` if such records
    /// never have the same entries.
    #[inline]
    pub(super) fn of(
        &mut self,
        old: ShapeId,
        new: ShapeId,
        names: &mut Names<'_, '_>,
    ) -> Result<Option<Slots>, TooMuchWork> {
        match &self.last[old.index()] {
            (Some(other), slots) if *other == new => Ok(Some(slots.clone())),
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
            Some(known) => known.clone(),
            None => {
                let first = self.slots.len();
                let is_same = self.lay_out(old, new, names)?;
                if !is_same {
                    self.slots.truncate(first);
                }
                let found = is_same.then_some(first..self.slots.len());
                self.known.insert((old.0, new.0), found.clone());
                found
            }
        };
        if let Some(slots) = &found {
            self.last[old.index()] = (Some(new), slots.clone());
        }
        Ok(found)
    }

    /// Adds the slots of these shapes. Returns whether the shapes have the same keys and constants.
    fn lay_out(
        &mut self,
        old: ShapeId,
        new: ShapeId,
        names: &mut Names<'_, '_>,
    ) -> Result<bool, TooMuchWork> {
        let Names { old: of_old, new: of_new, .. } = *names;
        let slots = |old: ShapeId, new: ShapeId| (of_old.slot_range(old), of_new.slot_range(new));
        let mut around = vec![slots(old, new)];
        while let Some((old, new)) = around.last_mut() {
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
            self.slots.push(match (x.form, y.form) {
                (SlotForm::Constant(x), SlotForm::Constant(y)) if names.is_same_constant(x, y)? => continue,
                (SlotForm::Nested(x), SlotForm::Nested(y)) => {
                    around.push(slots(x, y));
                    continue;
                }
                (SlotForm::Constant(_), SlotForm::Constant(_) | SlotForm::Nested(_))
                | (SlotForm::Nested(_), SlotForm::Constant(_)) => return Ok(false),
                (SlotForm::Constant(_), _) => PairedSlot::OldConstant(a),
                (_, SlotForm::Constant(_)) => PairedSlot::NewConstant(b),
                (SlotForm::Nested(inner), _) => PairedSlot::OldNested(inner),
                (_, SlotForm::Nested(inner)) => PairedSlot::NewNested(inner),
                _ => PairedSlot::Both,
            });
        }
        Ok(true)
    }
}
