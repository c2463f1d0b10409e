//! §15.6 Facts about a graph for verification: resolved edges, and dangling references.

use super::adjacency::Adjacency;
use super::edges::{Edge, Edges};
use super::key_numbers::KeyNumbers;
use crate::landmark::{FoundEdge, Landmarks, OwnKeys, Reading, without_instances};
use crate::node::Node;
use std::borrow::Cow;
use std::collections::HashMap;

/// The connections of a document's landmarks, which are numbered by ordinal. The own keys are in
/// the [`Landmarks`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GraphFacts<'a> {
    /// A number for the full key of each vertex. Equal keys have equal numbers.
    pub key_numbers: Vec<u32>,
    /// The edges whose target is a vertex. `number` is that of the landmark rule.
    pub edges: Edges,
    /// The dangling references, in document order.
    pub dangling: Vec<Dangling<'a>>,
}

/// A dangling reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dangling<'a> {
    /// The number of the reference in the document, from 0.
    pub reference: usize,
    /// Its start and its text.
    pub edge: FoundEdge<'a>,
}

impl<'a> GraphFacts<'a> {
    /// The facts of a document with these landmarks. Linear in own keys and references, however
    /// keys nest.
    ///
    /// If several vertices have the key, a reference means the last one that is not after the
    /// reference's own vertex, or otherwise the first. A checkpoint lists a replaced resource after
    /// its replacement, and the dependents of each after it. Empty references are ignored.
    ///
    /// A reference that names a landmark without its instance keys means one vertex for each full
    /// key that it names.
    pub fn of<N: Node<'a>>(landmarks: &Landmarks<'a, N>) -> GraphFacts<'a> {
        let count = u32::try_from(landmarks.entries().len()).expect("ordinals are u32");
        let numbers = KeyNumbers::of(landmarks, count);
        let ordinals = Ordinals::of((0..).zip(numbers.of_vertices.iter().copied()), numbers.bound());
        let references = landmarks.edges();
        let patterns = landmarks.rule().edges();
        let names_instances =
            |edge: &FoundEdge<'_>| *patterns[usize::from(edge.number)].reading() == Reading::Instances;
        let instances = match references.iter().any(names_instances) {
            true => Instances::of(landmarks, &numbers),
            false => Instances::default(),
        };
        let mut edges = Vec::with_capacity(references.len());
        let mut dangling = Vec::new();
        for (reference, &edge) in references.iter().enumerate().filter(|(_, edge)| !edge.target.is_empty()) {
            let number = numbers.number(edge.target);
            let before = edges.len();
            let to = |target: u32| Edge { source: edge.source, target, number: edge.number };
            let meant = |number| ordinals.nearest(number, edge.source);
            if names_instances(&edge) {
                let named = instances.named(edge.target, number).iter().copied();
                let is_meant = |target: &u32| meant(numbers.of_vertices[*target as usize]) == Some(*target);
                edges.extend(named.filter(is_meant).map(to));
            } else {
                edges.extend(number.and_then(meant).map(to));
            }
            if edges.len() == before {
                dangling.push(Dangling { reference, edge });
            }
        }
        let edges = Edges::new(count, &edges);
        GraphFacts { edges, dangling, key_numbers: numbers.of_vertices }
    }
}

/// Resources with their keys and dependencies, whatever the storage: in a [`Graph`](super::Graph),
/// or in the index of a file.
pub trait Connected: Adjacency {
    /// The full key of a vertex.
    fn key(&self, vertex: u32) -> Cow<'_, str>;

    /// The key, shortened if it has more than `2 * most` characters: `most` from its start, `…`,
    /// and `most` from its end.
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

/// The text of these parts, shortened if it has more than `2 * most` characters. Reads no more of
/// the text than that, and the number of parts.
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

/// The vertex that a reference from `source` means, out of the vertices with one key in ascending
/// order. It is the last one that is not after `source`, or otherwise the first.
pub fn meant_vertex(ordinals: &[u32], source: u32) -> Option<u32> {
    let not_above = ordinals.partition_point(|&ordinal| ordinal <= source);
    ordinals.get(not_above.saturating_sub(1)).copied()
}

/// The vertices that a text names with or without their instance keys, unless the landmark around a
/// vertex is also named.
#[derive(Default)]
struct Instances {
    /// Numbers of the keys without instance keys.
    numbers: HashMap<String, u32>,
    /// Indexed by those numbers.
    configured: Ordinals,
    /// Indexed by the numbers of the keys themselves.
    with_key: Ordinals,
}

impl Instances {
    fn of<'a, N: Node<'a>>(landmarks: &Landmarks<'a, N>, keys: &KeyNumbers<'_>) -> Instances {
        let own: usize = landmarks.entries().iter().map(|landmark| landmark.key.len()).sum();
        let mut left = MOST_NESTED_BYTES.saturating_add(own.saturating_mul(NESTED_PER_OWN_BYTE));
        let mut numbers: HashMap<String, u32> = HashMap::new();
        let mut of_vertices = Vec::with_capacity(keys.of_vertices.len());
        let mut each = landmarks.each_key();
        while let Some(key) = each.read_next() {
            let Some(rest) = left.checked_sub(key.len()) else { break };
            left = rest;
            let key = without_instances(key);
            let next = u32::try_from(numbers.len()).expect("there are no more keys than vertices");
            of_vertices.push(match numbers.get(&*key) {
                Some(&known) => known,
                None => *numbers.entry(key.into_owned()).or_insert(next),
            });
        }
        let outermost = |of_vertices: &[u32], bound| {
            let is_outermost = |&(vertex, number): &(u32, u32)| {
                let around = landmarks.parent_of(vertex).and_then(|parent| of_vertices.get(parent as usize));
                around != Some(&number)
            };
            Ordinals::of((0..).zip(of_vertices.iter().copied()).filter(is_outermost), bound)
        };
        let configured = outermost(&of_vertices, numbers.len());
        let with_key = outermost(&keys.of_vertices, keys.bound());
        Instances { numbers, configured, with_key }
    }

    /// The vertices that `text`, the key with this number, names.
    fn named(&self, text: &str, number: Option<u32>) -> &[u32] {
        match (self.numbers.get(text), number) {
            (Some(&configured), _) => self.configured.group(configured),
            (None, Some(number)) => self.with_key.group(number),
            (None, None) => &[],
        }
    }
}

/// Maximum bytes of full keys that are read to find instance keys, in addition to
/// [`NESTED_PER_OWN_BYTE`]: 64 MiB. Beyond that, a reference finds a vertex only by its whole key.
const MOST_NESTED_BYTES: usize = 64 << 20;

/// The additional maximum for each byte of the own keys.
const NESTED_PER_OWN_BYTE: usize = 16;

/// Ordinals by the number of their key.
#[derive(Default)]
struct Ordinals {
    /// Key `n` has entries `offsets[n] .. offsets[n + 1]` of `ordinals`, in ascending order.
    offsets: Vec<u32>,
    ordinals: Vec<u32>,
}

impl Ordinals {
    /// The ordinals in ascending order, each with the number of its key, which is below `bound`.
    fn of(numbers: impl Iterator<Item = (u32, u32)> + Clone, bound: usize) -> Ordinals {
        let mut offsets = vec![0u32; bound + 1];
        for (_, number) in numbers.clone() {
            offsets[number as usize + 1] += 1;
        }
        for number in 1..offsets.len() {
            offsets[number] += offsets[number - 1];
        }
        let mut free = offsets.clone();
        let mut ordinals = vec![0; offsets[bound] as usize];
        for (ordinal, number) in numbers {
            let entry = &mut free[number as usize];
            ordinals[*entry as usize] = ordinal;
            *entry += 1;
        }
        Ordinals { offsets, ordinals }
    }

    /// The last ordinal with this key that is not above `source`, or otherwise the first.
    fn nearest(&self, number: u32, source: u32) -> Option<u32> {
        meant_vertex(self.group(number), source)
    }

    /// The ordinals with this key, ascending.
    fn group(&self, number: u32) -> &[u32] {
        let at = number as usize;
        &self.ordinals[self.offsets[at] as usize..self.offsets[at + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_means_the_last_vertex_of_that_key_before_it() {
        let ordinals = Ordinals::of((0..).zip([0, 1, 0, 3, 0]), 4);
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
