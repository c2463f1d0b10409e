//! §15.6 What verification needs to know of a graph: keys, resolved edges, and references that lead nowhere.

use std::borrow::Cow;
use std::collections::HashMap;

use super::adjacency::Adjacency;
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
    /// The landmark around each vertex: of a Terraform instance, its resource.
    pub parents: Vec<Option<u32>>,
    /// The edges whose target is a vertex. `number` is that of the landmark rule.
    pub edges: Edges,
    /// The references to keys that no vertex has, in document order.
    pub dangling: Vec<Dangling<'a>>,
}

/// A reference that leads nowhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dangling<'a> {
    /// Its number among all references of the document, from 0.
    pub reference: usize,
    /// Where it starts and what it says.
    pub edge: FoundEdge<'a>,
}

impl<'a> GraphFacts<'a> {
    /// The facts of a document whose landmarks these are.
    pub fn of<N: Node<'a>>(landmarks: &Landmarks<'a, N>) -> GraphFacts<'a> {
        let keys = (0..).zip(landmarks.entries()).map(|(ordinal, _)| landmarks.full_key(ordinal)).collect();
        let parents = landmarks.entries().iter().map(|landmark| landmark.parent).collect();
        GraphFacts::resolve(keys, parents, landmarks.edges())
    }

    /// The facts of a graph with these vertices and all its references, in document order. Linear in both.
    ///
    /// Where several vertices have the key, a reference means the last of them that does not come after the
    /// reference's own vertex, else the first: a checkpoint lists a replaced resource after the one that took
    /// its place, and what depends on either after it. An empty reference means nothing.
    pub fn resolve(
        keys: Vec<Cow<'a, str>>,
        parents: Vec<Option<u32>>,
        references: &[FoundEdge<'a>],
    ) -> GraphFacts<'a> {
        let ordinals = Ordinals::of(&keys);
        let mut edges = Vec::with_capacity(references.len());
        let mut dangling = Vec::new();
        for (reference, &edge) in references.iter().enumerate().filter(|(_, edge)| !edge.target.is_empty()) {
            match ordinals.nearest(edge.target, edge.source) {
                Some(target) => edges.push(Edge { source: edge.source, target, number: edge.number }),
                None => dangling.push(Dangling { reference, edge }),
            }
        }
        let count = u32::try_from(keys.len()).expect("ordinals are u32");
        GraphFacts { edges: Edges::new(count, &edges), keys, parents, dangling }
    }
}

/// Resources with their keys and what they depend on, wherever that is kept: in [`GraphFacts`], or in the index of
/// a file.
pub trait Connected: Adjacency {
    /// The full key of a vertex.
    fn key(&self, vertex: u32) -> Cow<'_, str>;

    /// The landmark around a vertex. Its ordinal is lower.
    fn parent(&self, vertex: u32) -> Option<u32>;
}

impl Adjacency for GraphFacts<'_> {
    fn vertices(&self) -> u32 {
        self.edges.vertices()
    }

    fn degree(&self, vertex: u32) -> u32 {
        self.edges.degree(vertex)
    }

    fn target(&self, vertex: u32, entry: u32) -> Option<u32> {
        self.edges.target(vertex, entry)
    }
}

impl Connected for GraphFacts<'_> {
    fn key(&self, vertex: u32) -> Cow<'_, str> {
        Cow::Borrowed(&self.keys[vertex as usize])
    }

    fn parent(&self, vertex: u32) -> Option<u32> {
        self.parents[vertex as usize]
    }
}

/// Which of the vertices with one key, ascending, a reference from `source` means: the last that does not come
/// after it, else the first.
pub fn meant_vertex(ordinals: &[u32], source: u32) -> Option<u32> {
    let not_above = ordinals.partition_point(|&ordinal| ordinal <= source);
    ordinals.get(not_above.saturating_sub(1)).copied()
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
        meant_vertex(ordinals, source)
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
