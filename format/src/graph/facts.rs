//! §15.6 What verification needs to know of a graph: resolved edges, and references that lead nowhere.

use super::adjacency::Adjacency;
use super::edges::{Edge, Edges};
use super::key_numbers::KeyNumbers;
use crate::landmark::{FoundEdge, Landmarks};
use crate::node::Node;
use std::borrow::Cow;

/// What connects the landmarks of a document, which are numbered by ordinal, without their keys: those are in the
/// [`Landmarks`], each without those around it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GraphFacts<'a> {
    /// A number for the full key of each vertex: equal ones have equal numbers.
    pub key_numbers: Vec<u32>,
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
    /// The facts of a document whose landmarks these are. Linear in own keys and references, however keys nest.
    ///
    /// Where several vertices have the key, a reference means the last of them that does not come after the
    /// reference's own vertex, else the first: a checkpoint lists a replaced resource after the one that took
    /// its place, and what depends on either after it. An empty reference means nothing.
    pub fn of<N: Node<'a>>(landmarks: &Landmarks<'a, N>) -> GraphFacts<'a> {
        let count = u32::try_from(landmarks.entries().len()).expect("ordinals are u32");
        let numbers = KeyNumbers::of(landmarks, count);
        let ordinals = Ordinals::of(&numbers.of_vertices, numbers.bound());
        let references = landmarks.edges();
        let mut edges = Vec::with_capacity(references.len());
        let mut dangling = Vec::new();
        for (reference, &edge) in references.iter().enumerate().filter(|(_, edge)| !edge.target.is_empty()) {
            let number = numbers.number(edge.target);
            match number.and_then(|number| ordinals.nearest(number, edge.source)) {
                Some(target) => edges.push(Edge { source: edge.source, target, number: edge.number }),
                None => dangling.push(Dangling { reference, edge }),
            }
        }
        let edges = Edges::new(count, &edges);
        GraphFacts { edges, dangling, key_numbers: numbers.of_vertices }
    }
}

/// Resources with their keys and what they depend on, wherever that is kept: in a [`Graph`](super::Graph), or in the
/// index of a file.
pub trait Connected: Adjacency {
    /// The full key of a vertex.
    fn key(&self, vertex: u32) -> Cow<'_, str>;

    /// The key without the middle of one that has more than `2 * most` characters: so many from its start, `…`, and as
    /// many from its end.
    fn cut_key(&self, vertex: u32, most: usize) -> Cow<'_, str> {
        match self.key(vertex) {
            Cow::Borrowed(key) => cut(&[key], most),
            Cow::Owned(key) => Cow::Owned(cut(&[&key], most).into_owned()),
        }
    }

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

/// The text that these parts are, without the middle of one that has more than `2 * most` characters. Looks at no more of
/// it than that, and at how many parts there are.
pub(super) fn cut<'t>(parts: &[&'t str], most: usize) -> Cow<'t, str> {
    let count = |length| parts.iter().flat_map(|part| part.chars()).take(length).count();
    match parts {
        _ if count(2 * most + 1) > 2 * most => {
            let start: String = parts.iter().flat_map(|part| part.chars()).take(most).collect();
            let end: Vec<char> = parts.iter().rev().flat_map(|part| part.chars().rev()).take(most).collect();
            Cow::Owned(start + "…" + &end.into_iter().rev().collect::<String>())
        }
        [whole] => Cow::Borrowed(whole),
        _ => Cow::Owned(parts.concat()),
    }
}

/// Which of the vertices with one key, ascending, a reference from `source` means: the last that does not come
/// after it, else the first.
pub fn meant_vertex(ordinals: &[u32], source: u32) -> Option<u32> {
    let not_above = ordinals.partition_point(|&ordinal| ordinal <= source);
    ordinals.get(not_above.saturating_sub(1)).copied()
}

/// Ordinals by the number of their key.
struct Ordinals {
    /// Key `n` has entries `offsets[n] .. offsets[n + 1]` of `ordinals`, in ascending order.
    offsets: Vec<u32>,
    ordinals: Vec<u32>,
}

impl Ordinals {
    /// Of keys with numbers below `bound`.
    fn of(numbers: &[u32], bound: usize) -> Ordinals {
        let mut offsets = vec![0u32; bound + 1];
        for &number in numbers {
            offsets[number as usize + 1] += 1;
        }
        for number in 1..offsets.len() {
            offsets[number] += offsets[number - 1];
        }
        let mut free = offsets.clone();
        let mut ordinals = vec![0; numbers.len()];
        for (ordinal, &number) in (0u32..).zip(numbers) {
            let entry = &mut free[number as usize];
            ordinals[*entry as usize] = ordinal;
            *entry += 1;
        }
        Ordinals { offsets, ordinals }
    }

    /// The last ordinal with that key that is not above `source`, else the first.
    fn nearest(&self, number: u32, source: u32) -> Option<u32> {
        let at = number as usize;
        let ordinals = &self.ordinals[self.offsets[at] as usize..self.offsets[at + 1] as usize];
        meant_vertex(ordinals, source)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_means_the_last_vertex_of_that_key_before_it() {
        let ordinals = Ordinals::of(&[0, 1, 0, 3, 0], 4);
        assert_eq!(ordinals.nearest(0, 1), Some(0));
        assert_eq!(ordinals.nearest(0, 3), Some(2));
        assert_eq!(ordinals.nearest(0, 4), Some(4));
        assert_eq!(ordinals.nearest(3, 0), Some(3));
        assert_eq!(ordinals.nearest(2, 0), None);
    }

    #[test]
    fn a_key_is_cut_in_its_middle_wherever_its_parts_end() {
        for parts in [&["äbcdéf"][..], &["", "ä", "bcdé", "", "f"], &["äbc", "déf"]] {
            assert_eq!([3, 2, 1].map(|most| cut(parts, most)), ["äbcdéf", "äb…éf", "ä…f"]);
        }
        assert_eq!(cut(&["äbcdé"], 2), "äb…dé");
    }
}
