//! §16.2 Differences between two graphs: which resources came, went, and changed.

use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};

use super::{Difference, NullRule, differences};
use crate::graph::{Graph, Resource};
use crate::node::Node;

/// What happened to the resources of a graph.
///
/// Resources are the outermost landmarks. A change of an instance is part of the change of its
/// resource. Two resources are the same if their keys are equal, and if both or neither wait for
/// their deletion. Several resources with one key are paired in document order.
#[derive(Clone, Debug)]
pub struct GraphDiff<N, M> {
    /// Ordinals, in the new graph, of resources that the old graph does not have.
    pub created: Vec<u32>,
    /// Ordinals, in the old graph, of resources that the new graph does not have.
    pub deleted: Vec<u32>,
    /// The resources of both graphs that differ, in the order of the new graph.
    pub changed: Vec<ChangedResource<N, M>>,
    /// How many resources are equal except for the order of keys.
    pub unchanged: usize,
}

/// One resource in two graphs.
#[derive(Clone, Debug)]
pub struct ChangedResource<N, M> {
    /// Its ordinal in the old graph.
    pub old: u32,
    /// Its ordinal in the new graph.
    pub new: u32,
    /// Whether the provider's id differs, since the resource was replaced.
    pub is_replaced: bool,
    /// Its differences. Paths begin at the resource.
    pub differences: Vec<Difference<N, M>>,
}

impl<N, M> GraphDiff<N, M> {
    /// Compares two graphs. Linear in both documents.
    pub fn of<'a>(old: &Graph<'a, N>, new: &Graph<'a, M>, nulls: NullRule) -> GraphDiff<N, M>
    where
        N: Node<'a>,
        M: Node<'a>,
    {
        let mut of_old: HashMap<(Cow<'_, str>, bool), VecDeque<Resource<'_, 'a, N>>> = HashMap::new();
        for resource in outermost(old) {
            of_old.entry((resource.key(), resource.is_pending_delete())).or_default().push_back(resource);
        }
        let mut diff =
            GraphDiff { created: Vec::new(), deleted: Vec::new(), changed: Vec::new(), unchanged: 0 };
        for resource in outermost(new) {
            let same = of_old.get_mut(&(resource.key(), resource.is_pending_delete()));
            match same.and_then(VecDeque::pop_front) {
                None => diff.created.push(resource.ordinal()),
                Some(before) => diff.compare(before, resource, nulls),
            }
        }
        let left = of_old.into_values().flatten();
        diff.deleted.extend(left.map(Resource::ordinal));
        diff.deleted.sort_unstable();
        diff
    }

    fn compare<'a>(&mut self, old: Resource<'_, 'a, N>, new: Resource<'_, 'a, M>, nulls: NullRule)
    where
        N: Node<'a>,
        M: Node<'a>,
    {
        let differences = differences(old.node(), new.node(), nulls);
        if differences.is_empty() {
            self.unchanged += 1;
            return;
        }
        let is_replaced = matches!((old.id(), new.id()), (Some(old), Some(new)) if old != new);
        self.changed.push(ChangedResource {
            old: old.ordinal(),
            new: new.ordinal(),
            is_replaced,
            differences,
        });
    }
}

fn outermost<'g, 'a, N: Node<'a>>(graph: &'g Graph<'a, N>) -> impl Iterator<Item = Resource<'g, 'a, N>> {
    graph.resources().filter(|resource| resource.parent().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::landmark::Dialect;
    use crate::value::Value;

    /// A deployment with nothing but resources of these names, ids and `delete` flags.
    fn deployment(resources: &[(&str, &str, bool)]) -> Value {
        let text = |text: &str| Value::String(text.to_owned());
        let resources = resources.iter().map(|&(name, id, is_pending_delete)| {
            Value::Object(vec![
                ("urn".into(), text(&format!("urn:pulumi:s::p::t:m:T::{name}"))),
                ("id".into(), text(id)),
                ("delete".into(), Value::Bool(is_pending_delete)),
            ])
        });
        Value::Object(vec![("resources".into(), Value::List(resources.collect()))])
    }

    #[test]
    fn resources_are_compared_with_those_of_the_same_key() {
        let old = deployment(&[("a", "1", false), ("b", "2", false), ("c", "3", false)]);
        let new = deployment(&[("d", "4", false), ("c", "9", false), ("a", "1", false)]);
        let dialect = Dialect::named("pulumi-deployment").unwrap();
        let diff = GraphDiff::of(&Graph::new(&old, dialect), &Graph::new(&new, dialect), NullRule::IsValue);
        assert_eq!(diff.created, [0]);
        assert_eq!(diff.deleted, [1]);
        assert_eq!(diff.unchanged, 1);
        let [changed] = &diff.changed[..] else { panic!("{:?}", diff.changed) };
        assert_eq!((changed.old, changed.new, changed.is_replaced), (2, 1, true));
        assert_eq!(changed.differences[0].path, "/id");
    }

    #[test]
    fn resources_pending_deletion_are_compared_with_each_other() {
        let old = deployment(&[("a", "1", false)]);
        let new = deployment(&[("a", "2", false), ("a", "1", true)]);
        let dialect = Dialect::named("pulumi-deployment").unwrap();
        let diff = GraphDiff::of(&Graph::new(&old, dialect), &Graph::new(&new, dialect), NullRule::IsValue);
        assert_eq!(diff.created, [1]);
        assert_eq!(
            diff.changed.iter().map(|changed| (changed.old, changed.new)).collect::<Vec<_>>(),
            [(0, 0)]
        );
    }
}
