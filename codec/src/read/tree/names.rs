//! Finds the equal strings and shapes of two files (§5.4–§5.5).
//!
//! Ids differ between files. Each pair of ids is compared once; after that, comparing the ids is
//! enough.

use super::TooMuchWork;
use crate::read::tables::{SlotForm, Tables};
use crate::wire::ids::ShapeId;
use crate::wire::value::Form;
use foldhash::fast::RandomState;
use hashbrown::HashSet;

/// The tables of an old and a new file, and the equal entries found so far.
#[derive(Debug)]
pub(super) struct Names<'t, 'a> {
    pub(super) old: &'t Tables<'a>,
    pub(super) new: &'t Tables<'a>,
    /// For each old string, one more than the id of the equal new string.
    texts: Vec<u32>,
    /// The same for shapes.
    shapes: Vec<u32>,
    /// Pairs of shapes that differ.
    other_shapes: HashSet<(u32, u32), RandomState>,
    left: u64,
}

impl<'t, 'a> Names<'t, 'a> {
    /// Starts without results. Does at most about `most` steps of work.
    pub(super) fn new(old: &'t Tables<'a>, new: &'t Tables<'a>, most: u64) -> Names<'t, 'a> {
        Names {
            old,
            new,
            texts: vec![0; old.strings.len()],
            shapes: vec![0; old.shapes.len()],
            other_shapes: HashSet::default(),
            left: most,
        }
    }

    pub(super) fn spend(&mut self, steps: usize) -> Result<(), TooMuchWork> {
        self.left = self.left.checked_sub(steps as u64).ok_or(TooMuchWork)?;
        Ok(())
    }

    /// Whether an old and a new string are equal. Both ids must be in their tables.
    #[inline]
    pub(super) fn is_same_text(&mut self, old: usize, new: usize) -> Result<bool, TooMuchWork> {
        match self.texts[old] {
            0 => self.compare_texts(old, new),
            known => Ok(known as usize == new + 1),
        }
    }

    #[inline(never)]
    fn compare_texts(&mut self, old: usize, new: usize) -> Result<bool, TooMuchWork> {
        let (a, b) = (self.old.strings[old], self.new.strings[new]);
        self.spend(a.len() / 32)?;
        let is_same = a == b;
        if is_same {
            self.texts[old] = u32::try_from(new + 1).unwrap_or(0);
        }
        Ok(is_same)
    }

    /// Whether two shapes store the same entries in the same way.
    pub(super) fn is_same_shape(&mut self, old: ShapeId, new: ShapeId) -> Result<bool, TooMuchWork> {
        let known = self.shapes[old.index()];
        if known != 0 && known as usize == new.index() + 1 {
            return Ok(true);
        }
        if self.other_shapes.contains(&(old.0, new.0)) {
            return Ok(false);
        }
        let mut pending = vec![(old, new)];
        while let Some((a, b)) = pending.pop() {
            let (of_old, of_new) = (self.old.slot_range(a), self.new.slot_range(b));
            self.spend(of_old.len() + 1)?;
            let widths = (self.old.shape(a).width, self.new.shape(b).width);
            let mut is_same = of_old.len() == of_new.len() && widths.0 == widths.1;
            for (a, b) in of_old.zip(of_new) {
                if !is_same {
                    break;
                }
                let (x, y) = (self.old.slot(a), self.new.slot(b));
                is_same = x.key == y.key
                    && x.value == y.value
                    && match (x.form, y.form) {
                        (SlotForm::Plain | SlotForm::Integer, SlotForm::Plain | SlotForm::Integer) => true,
                        (SlotForm::Nested(x), SlotForm::Nested(y)) => {
                            pending.push((x, y));
                            true
                        }
                        (SlotForm::Constant(x), SlotForm::Constant(y)) => self.is_same_constant(x, y)?,
                        _ => false,
                    };
            }
            if !is_same {
                self.other_shapes.insert((old.0, new.0));
                return Ok(false);
            }
        }
        self.shapes[old.index()] = new.0 + 1;
        Ok(true)
    }

    /// Whether two constants, which are scalars, are equal.
    pub(super) fn is_same_constant(&mut self, old: Form<'_>, new: Form<'_>) -> Result<bool, TooMuchWork> {
        let is_same = match (old, new) {
            (Form::Null, Form::Null) => true,
            (Form::Bool(a), Form::Bool(b)) => a == b,
            (Form::Integer(a), Form::Integer(b)) => a == b,
            (Form::Float(a), Form::Float(b)) => a.to_bits() == b.to_bits(),
            (Form::StringId(a), Form::StringId(b)) => return self.is_same_text(a.index(), b.index()),
            (old, new) => match (text_of(self.old, old), text_of(self.new, new)) {
                (Some(a), Some(b)) => {
                    self.spend(a.len() / 32)?;
                    a == b
                }
                _ => false,
            },
        };
        Ok(is_same)
    }
}

/// The text of a constant, if it is a string.
fn text_of<'a>(tables: &Tables<'a>, constant: Form<'a>) -> Option<&'a str> {
    match constant {
        Form::String(text) => Some(text),
        Form::StringId(id) => Some(tables.strings[id.index()]),
        _ => None,
    }
}
