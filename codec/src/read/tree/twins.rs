//! Whether values of two trees are identical (§4): compared as they are stored.
//!
//! Ids of strings and shapes differ between files. Each pair of them is compared once, and then its
//! numbers are enough. So is each pair of stored values.

use super::node::{Form, Node};
use super::{Place, Tree, TreeContent, TreeValue, text_at};
use crate::read::tables::SlotForm;
use crate::wire::ids::ShapeId;
use coconut_format::diff::TooMuchWork;
use foldhash::fast::RandomState;
use hashbrown::{HashMap, HashSet};

/// Two trees that are compared.
#[derive(Debug)]
pub(crate) struct Twins<'t> {
    old: &'t Tree<'t>,
    new: &'t Tree<'t>,
    /// For each string of the old tree, one more than the id of the same string of the new one.
    texts: Vec<u32>,
    /// The same for shapes.
    shapes: Vec<u32>,
    /// Pairs of shapes that are not the same.
    other_shapes: HashSet<(u32, u32), RandomState>,
    /// Pairs of stored values.
    stored: HashMap<(usize, usize), bool, RandomState>,
    tasks: Vec<Task<'t>>,
    left: u64,
}

#[derive(Clone, Copy, Debug)]
enum Task<'t> {
    /// Runs of as many nodes.
    Nodes(usize, usize, usize),
    /// Two values that are stored differently.
    Values(TreeValue<'t, 't>, TreeValue<'t, 't>),
    /// All of these stored values was found to be identical.
    Done(usize, usize),
}

impl<'t> Twins<'t> {
    /// Nothing is known yet. No more than about `most` values are compared.
    pub(crate) fn new(old: &'t Tree<'t>, new: &'t Tree<'t>, most: u64) -> Twins<'t> {
        Twins {
            old,
            new,
            texts: vec![0; old.tables.strings.len()],
            shapes: vec![0; old.tables.shapes.len()],
            other_shapes: HashSet::default(),
            stored: HashMap::default(),
            tasks: Vec::new(),
            left: most,
        }
    }

    /// Whether a value of the old tree is identical to one of the new tree.
    pub(crate) fn is_identical(
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
        // What is still open contains this difference.
        for task in self.tasks.drain(..) {
            if let Task::Done(old, new) = task {
                self.stored.insert((old, new), false);
            }
        }
        Ok(false)
    }

    fn spend(&mut self, steps: usize) -> Result<(), TooMuchWork> {
        self.left = self.left.checked_sub(steps as u64).ok_or(TooMuchWork)?;
        Ok(())
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
            (Form::StringId(a), Form::StringId(b)) => {
                let known = self.texts[a];
                if known != 0 {
                    return Ok(known as usize == b + 1);
                }
                self.is_same_text(a, b)
            }
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
                    (self.old.nodes[a].count(), self.new.nodes[b].count()),
                    matches!(old.form(), Form::List(_)),
                );
                if counts.0 != counts.1 {
                    return Ok(false);
                }
                let count = if is_list { counts.0 } else { 2 * counts.0 };
                self.enter((a, b), Task::Nodes(a + 1, b + 1, count))
            }
            (Form::Record(a), Form::Record(b)) => {
                let shapes = (self.old.nodes[a].shape(), self.new.nodes[b].shape());
                match self.is_same_shape(shapes.0, shapes.1)? {
                    true => {
                        let width = self.old.tables.shape(shapes.0).width as usize;
                        self.enter((a, b), Task::Nodes(a + 1, b + 1, width))
                    }
                    false => self.is_same_value(self.old_value(old), self.new_value(new)),
                }
            }
            _ => self.is_same_value(self.old_value(old), self.new_value(new)),
        }
    }

    fn old_value(&self, node: Node) -> TreeValue<'t, 't> {
        TreeValue { tree: self.old, place: Place::Node(node) }
    }

    fn new_value(&self, node: Node) -> TreeValue<'t, 't> {
        TreeValue { tree: self.new, place: Place::Node(node) }
    }

    /// Compares containers with these headers later, unless they were compared before.
    fn enter(&mut self, (old, new): (usize, usize), task: Task<'t>) -> Result<bool, TooMuchWork> {
        if old < self.old.first_of_root && new < self.new.first_of_root {
            if let Some(&known) = self.stored.get(&(old, new)) {
                return Ok(known);
            }
            self.tasks.push(Task::Done(old, new));
        }
        self.tasks.push(task);
        Ok(true)
    }

    #[inline(never)]
    fn is_same_text(&mut self, old: usize, new: usize) -> Result<bool, TooMuchWork> {
        let (a, b) = (self.old.tables.strings[old], self.new.tables.strings[new]);
        self.spend(a.len() / 32)?;
        let is_same = a == b;
        if is_same {
            self.texts[old] = u32::try_from(new + 1).unwrap_or(0);
        }
        Ok(is_same)
    }

    /// Whether two shapes store the same entries in the same way.
    fn is_same_shape(&mut self, old: ShapeId, new: ShapeId) -> Result<bool, TooMuchWork> {
        let known = self.shapes[old.index()];
        if known != 0 && known as usize == new.index() + 1 {
            return Ok(true);
        }
        if self.other_shapes.contains(&(old.0, new.0)) {
            return Ok(false);
        }
        let mut pending = vec![(old, new)];
        while let Some((a, b)) = pending.pop() {
            let (of_old, of_new) = (self.old.tables.slot_range(a), self.new.tables.slot_range(b));
            self.spend(of_old.len() + 1)?;
            let widths = (self.old.tables.shape(a).width, self.new.tables.shape(b).width);
            let mut is_same = of_old.len() == of_new.len() && widths.0 == widths.1;
            for (a, b) in of_old.zip(of_new) {
                if !is_same {
                    break;
                }
                let (x, y) = (self.old.tables.slot(a), self.new.tables.slot(b));
                is_same = x.key == y.key
                    && x.value == y.value
                    && match (x.form, y.form) {
                        (SlotForm::Plain | SlotForm::Integer, SlotForm::Plain | SlotForm::Integer) => true,
                        (SlotForm::Nested(x), SlotForm::Nested(y)) => {
                            pending.push((x, y));
                            true
                        }
                        (SlotForm::Constant(_), SlotForm::Constant(_)) => {
                            is_same_scalar(self.old.constant(a), self.new.constant(b))
                        }
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

    /// Compares one level by its meaning, and leaves what is below for later.
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
    !matches!(node.form(), Form::List(_) | Form::Object(_) | Form::Record(_))
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
