//! Edges of which the document does not record the instance of a module.
//!
//! A Terraform state records that a resource depends on `module.env.aws_vpc.main`, but not on which
//! of the instances `module.env["a"].aws_vpc.main` and `module.env["b"].aws_vpc.main`. The edges
//! then lead to all of them, so what follows such edges is an upper bound.

use super::{Direction, Relations};
use coconut_format::error::DecodeError;
use coconut_format::landmark::{EdgePattern, Reading, instance_key, without_instances};
use std::collections::HashMap;
use std::rc::Rc;

/// The edges to follow, if the document does not record to which instances they lead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Follow {
    /// All edges: nothing is missing, but there may be too many.
    All,
    /// No edge of which the instance is not recorded: nothing is too many, but some may be missing.
    Recorded,
    /// Of the edges between instances of the same module, those within one instance. A guess.
    SameInstance,
    /// The same, and of the other edges those of which the instance is recorded.
    RecordedOrSameInstance,
}

impl Follow {
    /// Either all edges, or those of the guess.
    pub fn guessing(is_same_instance: bool) -> Follow {
        if is_same_instance { Follow::SameInstance } else { Follow::All }
    }

    /// The edges among these that are recorded or guessed.
    #[must_use]
    pub fn without_unrecorded(self) -> Follow {
        match self {
            Follow::All | Follow::Recorded => Follow::Recorded,
            Follow::SameInstance | Follow::RecordedOrSameInstance => Follow::RecordedOrSameInstance,
        }
    }
}

/// The ends of the edges from a resource of which the instance is not recorded, sorted, with the
/// numbers of the edges.
pub(super) type Unrecorded = Rc<[(u32, u8)]>;

impl Relations<'_> {
    /// Keeps those of the edges of a node that are to be followed.
    pub fn keep(
        &self,
        follow: Follow,
        node: u32,
        direction: Direction,
        edges: &mut Vec<(u32, u8)>,
    ) -> Result<(), DecodeError> {
        if follow == Follow::All || !self.has_instances() {
            return Ok(());
        }
        // Most resources are in no module with instances, and may have very many dependents.
        if direction == Direction::Dependents && !has_instances(&self.key(self.resource(node)?)?) {
            return Ok(());
        }
        let mut fault = None;
        edges.retain(|&(to, number)| {
            let ends = if direction == Direction::Dependencies { [node, to] } else { [to, node] };
            match self.is_followed(follow, ends, number) {
                Ok(is_followed) => is_followed,
                Err(error) => {
                    fault = Some(error);
                    false
                }
            }
        });
        fault.map_or(Ok(()), Err)
    }

    /// Whether an edge from a dependent to its dependency is followed.
    pub fn is_followed(
        &self,
        follow: Follow,
        [dependent, dependency]: [u32; 2],
        number: u8,
    ) -> Result<bool, DecodeError> {
        if follow == Follow::All || self.is_recorded(dependent, dependency, number)? {
            return Ok(true);
        }
        let is_same = match follow {
            Follow::All | Follow::Recorded => return Ok(false),
            Follow::SameInstance | Follow::RecordedOrSameInstance => {
                is_same_instance(&self.key(dependent)?, &self.key(dependency)?)
            }
        };
        Ok(is_same.unwrap_or(follow == Follow::SameInstance))
    }

    /// Whether edges can lead to instances that are not recorded.
    pub fn has_instances(&self) -> bool {
        self.inferred.is_none() && self.edges_of_rule().iter().any(is_of_instances)
    }

    /// Whether the document records that an edge leads to this instance, not to one of several.
    fn is_recorded(&self, dependent: u32, dependency: u32, number: u8) -> Result<bool, DecodeError> {
        if !self.has_instances() {
            return Ok(true);
        }
        let unrecorded = self.unrecorded(self.resource(dependent)?)?;
        Ok(unrecorded.binary_search(&(self.resource(dependency)?, number)).is_err())
    }

    /// The edges from a resource of which the instance is not recorded: several lead to resources
    /// with one address in the configuration.
    fn unrecorded(&self, resource: u32) -> Result<Unrecorded, DecodeError> {
        if let Some(known) = self.unrecorded.borrow().get(&resource) {
            return Ok(Rc::clone(known));
        }
        let joined = self.joined(resource)?;
        // Instances of a module share their edges.
        let rows: Vec<Option<u64>> =
            joined.iter().map(|&node| self.dependency_row(node)).collect::<Result<_, _>>()?;
        let rows: Option<Vec<u64>> = rows.into_iter().collect();
        if let Some(known) =
            rows.as_ref().and_then(|rows| self.unrecorded_of_rows.borrow().get(rows).cloned())
        {
            return Ok(known);
        }
        let mut of_address: HashMap<(String, u8), Vec<u32>> = HashMap::new();
        for node in joined {
            for (to, number) in self.edges(node, Direction::Dependencies)? {
                if !self.edges_of_rule().get(usize::from(number)).is_some_and(is_of_instances) {
                    continue;
                }
                let to = self.resource(to)?;
                let key = self.key(to)?;
                let address = without_instances(&key);
                if address.len() < key.len() {
                    of_address.entry((address.into_owned(), number)).or_default().push(to);
                }
            }
        }
        let mut unrecorded = Vec::new();
        for ((_, number), mut to) in of_address {
            to.sort_unstable();
            to.dedup();
            if to.len() > 1 {
                unrecorded.extend(to.into_iter().map(|to| (to, number)));
            }
        }
        unrecorded.sort_unstable();
        let unrecorded: Unrecorded = unrecorded.into();
        if let Some(rows) = rows {
            self.unrecorded_of_rows.borrow_mut().insert(rows, Rc::clone(&unrecorded));
        }
        self.unrecorded.borrow_mut().insert(resource, Rc::clone(&unrecorded));
        Ok(unrecorded)
    }
}

fn is_of_instances(edge: &EdgePattern) -> bool {
    *edge.reading() == Reading::Instances
}

fn has_instances(key: &str) -> bool {
    without_instances(key).len() < key.len()
}

/// Whether two resources are in the same instance of the innermost module with instances that
/// contains both. `None` if no such module contains both.
fn is_same_instance(one: &str, other: &str) -> Option<bool> {
    let mut is_same = None;
    for (one, other) in Modules(one).zip(Modules(other)) {
        if one.0 != other.0 {
            break;
        }
        if !one.1.is_empty() || !other.1.is_empty() {
            is_same = Some(one.1 == other.1);
            if one.1 != other.1 {
                break;
            }
        }
    }
    is_same
}

/// The names of the modules around a resource, each with its instance key, from the outermost.
struct Modules<'k>(&'k str);

impl<'k> Iterator for Modules<'k> {
    type Item = (&'k str, &'k str);

    fn next(&mut self) -> Option<(&'k str, &'k str)> {
        let rest = self.0.strip_prefix("module.")?;
        let (name, rest) = rest.split_at(rest.find(['.', '['])?);
        let instance = if rest.starts_with('[') { instance_key(rest)? } else { 0 };
        let (instance, rest) = rest.split_at_checked(instance)?;
        self.0 = rest.strip_prefix('.')?;
        Some((name, instance))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resources_of_one_module_are_in_the_same_instance_or_not() {
        let key = |module: &str| format!("{module}aws_vpc.a");
        for (one, other, expected) in [
            ("module.env[\"a\"].", "module.env[\"a\"].", Some(true)),
            ("module.env[\"a\"].", "module.env[\"b\"].", Some(false)),
            ("module.env[\"a.b\\\"].x\"].", "module.env[\"a.b\\\"].x\"].module.c.", Some(true)),
            ("module.env[0].module.db[1].", "module.env[0].module.db[2].", Some(false)),
            ("module.env[1].module.db[1].", "module.env[0].module.db[1].", Some(false)),
            ("module.env[0].module.db[1].", "module.env[0].module.web[2].", Some(true)),
            ("module.env.module.db[1].", "module.env.module.web[1].", None),
            ("module.env.", "module.env.", None),
            ("module.env[0].", "module.net[0].", None),
            ("", "module.env[0].", None),
        ] {
            assert_eq!(is_same_instance(&key(one), &key(other)), expected, "{one} {other}");
        }
    }
}
