//! Finds the equal strings of two files (§5.4).
//!
//! Ids differ between files. Each pair of ids is compared once; after that, comparing the ids is
//! enough.

use crate::read::tables::Tables;
use crate::wire::value::Form;
use coconut_format::limits::TooMuchWork;

/// The tables of an old and a new file, and the equal entries found so far.
#[derive(Debug)]
pub(super) struct Names<'t, 'a> {
    pub(super) old: &'t Tables<'a>,
    pub(super) new: &'t Tables<'a>,
    /// For each old string, one more than the id of the equal new string.
    texts: Vec<u32>,
    left: u64,
}

impl<'t, 'a> Names<'t, 'a> {
    /// Starts without results. Does at most about `most` steps of work.
    pub(super) fn new(old: &'t Tables<'a>, new: &'t Tables<'a>, most: u64) -> Names<'t, 'a> {
        Names { old, new, texts: vec![0; old.strings.len()], left: most }
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
