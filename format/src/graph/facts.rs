//! §15.6 What verification needs to know of a graph: keys, resolved edges, and references that lead nowhere.

use std::borrow::Cow;
use std::collections::HashMap;

use super::edges::{Edge, Edges};
use crate::landmark::{FoundEdge, Landmarks};
use crate::node::Node;

/// A graph without its properties. The vertices are landmarks, numbered by ordinal.
///
/// It can be made from a tree, or by a reader of compiled documents from the tables of their index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GraphFacts<'a> {
    /// The full key of each vertex.
    pub keys: Vec<Cow<'a, str>>,
    /// The edges whose target is a vertex. `number` is that of the landmark rule.
    pub edges: Edges,
    /// The references to keys that no vertex has, in document order.
    pub dangling: Vec<FoundEdge<'a>>,
}

impl<'a> GraphFacts<'a> {
    /// The facts of a document whose landmarks these are. Linear in keys and edges.
    ///
    /// Where several vertices have the key, a reference means the last of them that does not come after the
    /// reference's own vertex, else the first: a checkpoint lists a replaced resource after the one that took
    /// its place, and what depends on either after it. An empty reference means nothing.
    pub fn of<N: Node<'a>>(landmarks: &Landmarks<'a, N>) -> GraphFacts<'a> {
        let count = u32::try_from(landmarks.entries().len()).expect("ordinals are u32");
        let keys: Vec<Cow<'a, str>> = (0..count).map(|ordinal| landmarks.full_key(ordinal)).collect();
        let ordinals = Ordinals::of(&keys);
        let mut edges = Vec::with_capacity(landmarks.edges().len());
        let mut dangling = Vec::new();
        for edge in landmarks.edges().iter().filter(|edge| !edge.target.is_empty()) {
            match ordinals.nearest(edge.target, edge.source) {
                Some(target) => edges.push(Edge { source: edge.source, target, number: edge.number }),
                None => dangling.push(*edge),
            }
        }
        GraphFacts { edges: Edges::new(count, &edges), keys, dangling }
    }
}

/// Ordinals by key.
struct Ordinals<'k> {
    /// For each key, its group.
    groups: HashMap<&'k str, u32>,
    /// Group `g` owns entries `offsets[g] .. offsets[g + 1]` of `ordinals`, in ascending order.
    offsets: Vec<u32>,
    ordinals: Vec<u32>,
}

impl<'k> Ordinals<'k> {
    fn of(keys: &'k [Cow<'_, str>]) -> Ordinals<'k> {
        let mut groups: HashMap<&str, u32> = HashMap::with_capacity(keys.len());
        let mut offsets = vec![0u32];
        let mut group_of = Vec::with_capacity(keys.len());
        for key in keys {
            let next = u32::try_from(groups.len()).expect("there are no more groups than ordinals");
            let group = *groups.entry(key).or_insert(next);
            if group == next {
                offsets.push(0);
            }
            offsets[group as usize + 1] += 1;
            group_of.push(group);
        }
        for group in 1..offsets.len() {
            offsets[group] += offsets[group - 1];
        }
        let mut free = offsets.clone();
        let mut ordinals = vec![0; keys.len()];
        for (ordinal, group) in (0u32..).zip(group_of) {
            let entry = &mut free[group as usize];
            ordinals[*entry as usize] = ordinal;
            *entry += 1;
        }
        Ordinals { groups, offsets, ordinals }
    }

    /// The last ordinal with `key` that is not above `source`, else the first.
    fn nearest(&self, key: &str, source: u32) -> Option<u32> {
        let group = *self.groups.get(key)? as usize;
        let ordinals = &self.ordinals[self.offsets[group] as usize..self.offsets[group + 1] as usize];
        let not_above = ordinals.partition_point(|&ordinal| ordinal <= source);
        Some(ordinals[not_above.saturating_sub(1)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_means_the_last_vertex_of_that_key_before_it() {
        let keys: Vec<Cow<'_, str>> = ["a", "b", "a", "c", "a"].map(Cow::Borrowed).to_vec();
        let ordinals = Ordinals::of(&keys);
        assert_eq!(ordinals.nearest("a", 1), Some(0));
        assert_eq!(ordinals.nearest("a", 3), Some(2));
        assert_eq!(ordinals.nearest("a", 4), Some(4));
        assert_eq!(ordinals.nearest("c", 0), Some(3));
        assert_eq!(ordinals.nearest("d", 0), None);
    }
}
