//! Compares values of two trees in their stored form (§4).
//!
//! Compares each pair of stored values once, and each pair of ids ([`Names`]) once.

mod names;
mod paired;

use super::node::{Form, Node};
use super::{Place, Tree, TreeContent, TreeValue, text_at};
use crate::wire::ids::ShapeId;
use coconut_format::limits::TooMuchWork;
use foldhash::fast::RandomState;
use hashbrown::HashMap;
use names::Names;
use paired::{PairedShapes, PairedSlot, Slots};

/// Two trees that are compared.
#[derive(Debug)]
pub struct Twins<'t> {
    old: &'t Tree<'t>,
    new: &'t Tree<'t>,
    names: Names<'t, 't>,
    shapes: PairedShapes,
    /// Pairs of stored values.
    stored: HashMap<(usize, usize), bool, RandomState>,
    tasks: Vec<Task<'t>>,
}

#[derive(Clone, Debug)]
enum Task<'t> {
    /// Runs of this many nodes.
    Nodes(usize, usize, usize),
    /// Records with these slots, and the first node of each.
    Records(Slots, usize, usize),
    /// Two values that are stored differently.
    Values(TreeValue<'t, 't>, TreeValue<'t, 't>),
    /// All these stored values are identical.
    Done(usize, usize),
}

impl<'t> Twins<'t> {
    /// Starts without results. Compares at most about `most` values.
    pub fn new(old: &'t Tree<'t>, new: &'t Tree<'t>, most: u64) -> Twins<'t> {
        Twins {
            old,
            new,
            names: Names::new(old.tables.read(), new.tables.read(), most),
            shapes: PairedShapes::new(old.tables.shapes().len()),
            stored: HashMap::default(),
            tasks: Vec::new(),
        }
    }

    /// Whether a value of the old tree is identical to one of the new tree.
    pub fn is_identical(
        &mut self,
        old: TreeValue<'t, 't>,
        new: TreeValue<'t, 't>,
    ) -> Result<bool, TooMuchWork> {
        self.tasks.clear();
        let mut is_so = self.is_same(old, new)?;
        while is_so {
            let Some(task) = self.tasks.pop() else { return Ok(true) };
            is_so = match task {
                Task::Nodes(old, new, count) => self.is_same_run(old, new, count)?,
                Task::Records(slots, old, new) => self.is_same_record(slots, old, new)?,
                Task::Values(old, new) => self.is_same(old, new)?,
                Task::Done(old, new) => {
                    self.stored.insert((old, new), true);
                    true
                }
            };
        }
        // Containers whose comparison has begun contain this difference. Others wait with their
        // tasks.
        for (at, task) in self.tasks.iter().enumerate() {
            let Task::Done(old, new) = *task else { continue };
            let waits = match self.tasks.get(at + 1) {
                Some(Task::Nodes(a, b, _) | Task::Records(_, a, b)) => (*a, *b) == (old + 1, new + 1),
                _ => false,
            };
            if !waits {
                self.stored.insert((old, new), false);
            }
        }
        Ok(false)
    }

    fn spend(&mut self, steps: usize) -> Result<(), TooMuchWork> {
        self.names.spend(steps)
    }

    fn is_same_run(&mut self, old: usize, new: usize, count: usize) -> Result<bool, TooMuchWork> {
        self.spend(count)?;
        let (a, b) = (self.old.run(old, count), self.new.run(new, count));
        for (&a, &b) in a.iter().zip(b) {
            if !self.is_same_node(a, b)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    #[inline]
    fn is_same_node(&mut self, old: Node, new: Node) -> Result<bool, TooMuchWork> {
        match (old.form(), new.form()) {
            (Form::StringId(a), Form::StringId(b)) => self.names.is_same_text(a, b),
            (
                Form::Null | Form::Bool(_) | Form::Unsigned(_),
                Form::Null | Form::Bool(_) | Form::Unsigned(_),
            ) => Ok(old == new),
            (Form::Text(a), Form::Text(b)) => {
                let (a, b) = (text_at(self.old.data, a), text_at(self.new.data, b));
                self.spend(a.len() / 32)?;
                Ok(a == b)
            }
            (Form::Number(a), Form::Number(b)) => Ok(is_same_scalar(self.old.number(a), self.new.number(b))),
            (Form::List(a), Form::List(b)) | (Form::Object(a), Form::Object(b)) => {
                let (counts, is_list) = (
                    (self.old.node(a).count(), self.new.node(b).count()),
                    matches!(old.form(), Form::List(_)),
                );
                if counts.0 != counts.1 {
                    return Ok(false);
                }
                let count = if is_list { counts.0 } else { 2 * counts.0 };
                self.enter((a, b), Task::Nodes(a + 1, b + 1, count))
            }
            (Form::Record(a), Form::Record(b)) => {
                let (old, new) = (self.old.node(a).shape(), self.new.node(b).shape());
                match self.shapes.of(old, new, &mut self.names)? {
                    Some(slots) => self.enter((a, b), Task::Records(slots, a + 1, b + 1)),
                    None => Ok(false),
                }
            }
            _ => self.is_same_value(self.old_value(old), self.new_value(new)),
        }
    }

    fn is_same(&mut self, old: TreeValue<'t, 't>, new: TreeValue<'t, 't>) -> Result<bool, TooMuchWork> {
        match (old.place, new.place) {
            (Place::Node(old), Place::Node(new)) => self.is_same_node(old, new),
            _ => self.is_same_value(old, new),
        }
    }

    /// Compares the values of records that begin at these nodes.
    fn is_same_record(&mut self, slots: Slots, mut old: usize, mut new: usize) -> Result<bool, TooMuchWork> {
        self.spend(slots.len())?;
        let at = |tree: &Tree<'_>, node| Place::Node(tree.node(node));
        let width = |tree: &Tree<'_>, shape: ShapeId| tree.tables.shapes()[shape.index()].width as usize;
        for slot in slots {
            // Unless both have a value, one has it in its shape, or those of an object in place.
            let (a, b, of_old, of_new) = match self.shapes.get(slot) {
                PairedSlot::Both => {
                    if !self.is_same_node(self.old.node(old), self.new.node(new))? {
                        return Ok(false);
                    }
                    (old, new) = (old + 1, new + 1);
                    continue;
                }
                PairedSlot::NewConstant(slot) => (at(self.old, old), Place::Constant { slot }, 1, 0),
                PairedSlot::OldConstant(slot) => (Place::Constant { slot }, at(self.new, new), 0, 1),
                PairedSlot::NewNested(shape) => {
                    (at(self.old, old), Place::Nested { shape, first: new }, 1, width(self.new, shape))
                }
                PairedSlot::OldNested(shape) => {
                    (Place::Nested { shape, first: old }, at(self.new, new), width(self.old, shape), 1)
                }
            };
            let (a, b) = (TreeValue { tree: self.old, place: a }, TreeValue { tree: self.new, place: b });
            if !self.is_same_value(a, b)? {
                return Ok(false);
            }
            (old, new) = (old + of_old, new + of_new);
        }
        Ok(true)
    }

    fn old_value(&self, node: Node) -> TreeValue<'t, 't> {
        TreeValue { tree: self.old, place: Place::Node(node) }
    }

    fn new_value(&self, node: Node) -> TreeValue<'t, 't> {
        TreeValue { tree: self.new, place: Place::Node(node) }
    }

    /// Compares containers with these headers later, unless they were compared before.
    fn enter(&mut self, (old, new): (usize, usize), task: Task<'t>) -> Result<bool, TooMuchWork> {
        if self.old.is_stored_once(old) && self.new.is_stored_once(new) {
            if let Some(&known) = self.stored.get(&(old, new)) {
                return Ok(known);
            }
            self.tasks.push(Task::Done(old, new));
        }
        self.tasks.push(task);
        Ok(true)
    }

    /// Compares one level by its meaning, and schedules the values below it.
    fn is_same_value(&mut self, old: TreeValue<'t, 't>, new: TreeValue<'t, 't>) -> Result<bool, TooMuchWork> {
        self.spend(1)?;
        if let (Some((a, first)), Some((b, other))) = (old.record(), new.record()) {
            let slots = self.shapes.of(a, b, &mut self.names)?;
            self.tasks.extend(slots.clone().map(|slots| Task::Records(slots, first, other)));
            return Ok(slots.is_some());
        }
        match (old.content(), new.content()) {
            (TreeContent::List(a), TreeContent::List(b)) => {
                self.tasks.extend(a.iter().zip(b.iter()).map(|(a, b)| Task::Values(a, b)));
                Ok(a.len() == b.len())
            }
            (TreeContent::Object(a), TreeContent::Object(b)) => {
                self.spend(a.len())?;
                let is_same = a.iter().map(|(key, _)| key).eq(b.iter().map(|(key, _)| key));
                if is_same {
                    let values = a.iter().zip(b.iter());
                    self.tasks.extend(values.map(|((_, a), (_, b))| Task::Values(a, b)));
                }
                Ok(is_same)
            }
            (a, b) => {
                if let (TreeContent::String(a), TreeContent::String(_)) = (&a, &b) {
                    self.spend(a.len() / 32)?;
                }
                Ok(is_same_scalar(a, b))
            }
        }
    }
}

impl TreeValue<'_, '_> {
    /// The shape and the first node of a record.
    fn record(self) -> Option<(ShapeId, usize)> {
        match self.place {
            Place::Nested { shape, first } => Some((shape, first)),
            Place::Node(node) => match node.form() {
                Form::Record(header) => Some((self.tree.node(header).shape(), header + 1)),
                _ => None,
            },
            Place::Constant { .. } => None,
        }
    }
}

fn is_same_scalar(old: TreeContent<'_, '_>, new: TreeContent<'_, '_>) -> bool {
    match (old, new) {
        (TreeContent::Null, TreeContent::Null) => true,
        (TreeContent::Bool(a), TreeContent::Bool(b)) => a == b,
        (TreeContent::Integer(a), TreeContent::Integer(b)) => a == b,
        (TreeContent::Float(a), TreeContent::Float(b)) => a.to_bits() == b.to_bits(),
        (TreeContent::String(a), TreeContent::String(b)) => a == b,
        _ => false,
    }
}

#[cfg(test)]
mod tests;
