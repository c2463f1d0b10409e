//! Compares values of two trees in their stored form (§4).
//!
//! Compares each pair of stored values once, and each pair of ids ([`Names`]) once.

use super::names::Names;
use super::node::{Form, Node};
use super::{Place, Tree, TreeContent, TreeValue, text_at};
use coconut_format::limits::TooMuchWork;
use foldhash::fast::RandomState;
use hashbrown::HashMap;

/// Two trees that are compared.
#[derive(Debug)]
pub struct Twins<'t> {
    old: &'t Tree<'t>,
    new: &'t Tree<'t>,
    names: Names<'t, 't>,
    /// Whether both trees were read together, so that closed values with the same number are
    /// identical.
    are_together: bool,
    /// Pairs of stored values.
    stored: HashMap<(usize, usize), bool, RandomState>,
    tasks: Vec<Task<'t>>,
}

#[derive(Clone, Copy, Debug)]
enum Task<'t> {
    /// Runs of this many nodes.
    Nodes(usize, usize, usize),
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
            are_together: old.is_read_with(new),
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
        let mut is_so = match (old.place, new.place) {
            (Place::Node(old), Place::Node(new)) => self.is_same_node(old, new)?,
            _ => self.is_same_value(old, new)?,
        };
        while is_so {
            let Some(task) = self.tasks.pop() else { return Ok(true) };
            is_so = match task {
                Task::Nodes(old, new, count) => self.is_same_run(old, new, count)?,
                Task::Values(old, new) => self.is_same_value(old, new)?,
                Task::Done(old, new) => {
                    self.stored.insert((old, new), true);
                    true
                }
            };
        }
        // The open containers contain this difference.
        for task in self.tasks.drain(..) {
            if let Task::Done(old, new) = task {
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
                let shapes = (self.old.node(a).shape(), self.new.node(b).shape());
                match self.names.is_same_shape(shapes.0, shapes.1)? {
                    true => {
                        let width = self.old.tables.read().shape(shapes.0).width as usize;
                        self.enter((a, b), Task::Nodes(a + 1, b + 1, width))
                    }
                    false => self.is_same_value(self.old_value(old), self.new_value(new)),
                }
            }
            (Form::Closed(a), Form::Closed(b)) if self.is_same_closed(a, b) => Ok(true),
            (Form::Closed(a), Form::Closed(b)) => self.is_same_node(self.old.opened(a), self.new.opened(b)),
            (Form::Closed(a), _) => self.is_same_node(self.old.opened(a), new),
            (_, Form::Closed(b)) => self.is_same_node(old, self.new.opened(b)),
            _ => self.is_same_value(self.old_value(old), self.new_value(new)),
        }
    }

    /// Whether two values were already found identical when the trees were read.
    fn is_same_closed(&self, old: usize, new: usize) -> bool {
        self.are_together && self.old.closed.twin(old) == self.new.closed.twin(new)
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
        match (old.content(), new.content()) {
            (TreeContent::List(a), TreeContent::List(b)) => {
                self.tasks.extend(a.iter().zip(b.iter()).map(|(a, b)| Task::Values(a, b)));
                Ok(a.len() == b.len())
            }
            (TreeContent::Object(a), TreeContent::Object(b)) => {
                if a.len() != b.len() {
                    return Ok(false);
                }
                self.spend(a.len())?;
                for ((key, a), (other, b)) in a.iter().zip(b.iter()) {
                    if key != other {
                        return Ok(false);
                    }
                    self.tasks.push(match (a.place, b.place) {
                        (Place::Node(x), Place::Node(y)) if is_scalar(x) && is_scalar(y) => {
                            if !self.is_same_node(x, y)? {
                                return Ok(false);
                            }
                            continue;
                        }
                        _ => Task::Values(a, b),
                    });
                }
                Ok(true)
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

fn is_scalar(node: Node) -> bool {
    !matches!(node.form(), Form::List(_) | Form::Object(_) | Form::Record(_) | Form::Closed(_))
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
mod tests {
    use super::*;
    use crate::Profile;
    use crate::compile::{CompileOptions, compile};
    use crate::read::file::DocumentFile;

    fn file(text: &str, profile: Profile) -> DocumentFile<Vec<u8>> {
        let options = CompileOptions { profile, ..CompileOptions::default() };
        DocumentFile::from_data(compile(text.as_bytes(), &options).unwrap().bytes).unwrap()
    }

    /// Records with nested ones, constants, shared values and scalars of all kinds.
    fn document(changed: &str) -> String {
        let record = |n: u32| {
            let last = if n == 39 { changed } else { "1.5" };
            format!(
                r#"{{"id":{n},"k":"constant","in":{{"a":[1,2,{{"b":"shared text of some length"}}],"n":{n}}},"f":{last},"t":"text {n}"}}"#
            )
        };
        let records: Vec<String> = (0..40).map(record).collect();
        format!(
            r#"[{}, [], {{}}, null, true, -5, 18446744073709551615, {{"x":[{}]}}]"#,
            records.join(","),
            records[3]
        )
    }

    #[test]
    fn values_are_identical_whatever_the_profile_and_only_then() {
        let all = ["1.5", "1", "\"1.5\"", "null", "[1.5]", r#"{"a":1}"#].map(document);
        for (n, old) in all.iter().enumerate() {
            for (m, new) in all.iter().enumerate() {
                for profile in Profile::ALL {
                    let (a, b) = (file(old, Profile::Full), file(new, profile));
                    let (a, b) = (a.view().tree().unwrap(), b.view().tree().unwrap());
                    let mut twins = Twins::new(&a, &b, 1 << 20);
                    for _ in 0..2 {
                        assert_eq!(twins.is_identical(a.root(), b.root()), Ok(n == m), "{n} {m} {profile:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_shape_that_begins_like_another_is_not_the_same() {
        let record = |n: u32, more: &str| format!(r#"{{"a":{n},"b":"{n}"{more}}}"#);
        let list = |more: &str| {
            let records: Vec<String> = (0..20).map(|n| record(n, more)).collect();
            format!("[{}]", records.join(","))
        };
        for (old, new) in
            [("", r#","c":[1]"#), (r#","c":[1]"#, ""), (r#","c":{"d":1}"#, r#","c":{"d":1,"e":2}"#)]
        {
            let (a, b) = (file(&list(old), Profile::Full), file(&list(new), Profile::Full));
            let (a, b) = (a.view().tree().unwrap(), b.view().tree().unwrap());
            assert_eq!(Twins::new(&a, &b, 1 << 20).is_identical(a.root(), b.root()), Ok(false));
        }
    }

    #[test]
    fn order_counts_and_work_is_limited() {
        let (a, b) = (file(r#"{"a":1,"b":2}"#, Profile::Full), file(r#"{"b":2,"a":1}"#, Profile::Full));
        let (a, b) = (a.view().tree().unwrap(), b.view().tree().unwrap());
        assert_eq!(Twins::new(&a, &b, 100).is_identical(a.root(), b.root()), Ok(false));
        assert_eq!(Twins::new(&a, &a, 0).is_identical(a.root(), a.root()), Err(TooMuchWork));
    }
}
