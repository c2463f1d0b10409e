//! §8 Landmarks and their index. Builds the index of any tree of nodes: its landmarks, their keys,
//! and the edges between them.
//!
//! The writer builds one of the document that it writes. `read::index` builds one of a file without
//! index tables, and one to verify index tables.

mod keys;

use crate::limits;
use crate::wire::edges::{CheckedEdges, Edge, reversed};
use crate::wire::ids::Ordinal;
use crate::wire::keys::slot_order;
use coconut_format::landmark::{FoundEdge, Landmarks, OwnKeys, Visited};
use coconut_format::node::Node;
use foldhash::fast::RandomState;
use hashbrown::HashTable;
use std::hash::BuildHasher;
use std::sync::OnceLock;

pub(crate) use keys::EachKey;
pub(crate) use keys::FullKeys;

/// The landmarks and edges of a document, by ordinal.
#[derive(Debug, Default)]
pub(crate) struct Index {
    pub(crate) keys: FullKeys,
    pub(crate) classes: Vec<u8>,
    pub(crate) parents: Vec<Option<Ordinal>>,
    /// The start of each landmark in the file. Empty if there is no file yet.
    pub(crate) offsets: Vec<u64>,
    /// Sorted and distinct. `None` if the rule has no edges.
    pub(crate) edges: Option<Vec<Edge>>,
    /// The same in the other direction.
    pub(crate) reversed_edges: Vec<Edge>,
    /// The edges for readers that follow many of them. Made on first use.
    checked_edges: OnceLock<CheckedEdges<'static>>,
    /// Made on first use: writing a document without edges looks up no key.
    by_key: OnceLock<ByKey>,
}

impl Index {
    /// Builds the index of the landmarks that a rule finds in a tree. `offset_of` returns the start
    /// of a landmark. At most `most_edges` are allowed.
    ///
    /// Refuses an index whose memory would be out of proportion to the document, before it is built
    /// (§9).
    pub(crate) fn of<'a, N: Node<'a>>(
        found: Landmarks<'a, N>,
        offset_of: impl Fn(N) -> u64,
        most_edges: usize,
    ) -> Result<Index, TooMuch> {
        Index::within(Most { edges: most_edges, ..Most::default() }, found, offset_of)
    }

    /// Does the same with other limits.
    fn within<'a, N: Node<'a>>(
        most: Most,
        found: Landmarks<'a, N>,
        offset_of: impl Fn(N) -> u64,
    ) -> Result<Index, TooMuch> {
        TooMuch::check("landmarks", found.entries().len() as u64, most.landmarks as u64)?;
        TooMuch::check("references", found.edges().len() as u64, most.references as u64)?;
        TooMuch::check("bytes of full keys", found.full_key_bytes(), most.full_key_bytes)?;
        let parents: Vec<Option<Ordinal>> =
            found.entries().iter().map(|landmark| landmark.parent.map(Ordinal)).collect();
        let own_keys = found.entries().iter().map(|landmark| landmark.key.as_ref());
        let keys = FullKeys::new(own_keys, found.rule().join(), &parents);
        let mut index = Index {
            classes: found.entries().iter().map(|landmark| landmark.class).collect(),
            parents,
            offsets: found.entries().iter().map(|landmark| offset_of(landmark.node)).collect(),
            keys,
            ..Index::default()
        };
        if !found.rule().edges().is_empty() {
            let edges = resolve(&found.into_edges(), &index, most.edges)?;
            index.reversed_edges = reversed(&edges);
            index.edges = Some(edges);
        }
        Ok(index)
    }

    pub(crate) fn len(&self) -> usize {
        self.keys.len()
    }

    /// The edges by the landmark that they start at.
    pub(crate) fn checked_edges(&self) -> &CheckedEdges<'static> {
        let edges = self.edges.as_deref().unwrap_or_default();
        self.checked_edges.get_or_init(|| CheckedEdges::of(edges, self.len()))
    }

    /// The ordinals of the landmarks with this full key, ascending.
    pub(crate) fn with_key(&self, key: &str) -> &[Ordinal] {
        self.by_key().get(&self.keys, key)
    }

    fn by_key(&self) -> &ByKey {
        self.by_key.get_or_init(|| ByKey::of(&self.keys))
    }

    /// A reference of landmark `from`, as an edge to the first landmark with its key. `None` if
    /// there is no such landmark.
    ///
    /// Two references that differ have different edges: their landmarks have different keys, or
    /// their kinds differ. So duplicates are removed before each is multiplied by the landmarks of
    /// its key.
    pub(crate) fn reference(&self, from: Ordinal, found: &FoundEdge<'_>) -> Option<Edge> {
        let first = self.with_key(found.target).first();
        first.map(|&to| Edge { from, to, kind: found.number })
    }

    /// The landmarks with the same key as this one.
    fn with_key_of(&self, ordinal: Ordinal) -> &[Ordinal] {
        self.by_key().of_ordinal(ordinal)
    }

    /// See [`slot_order`].
    pub(crate) fn slot_order(&self) -> Vec<(u32, Ordinal)> {
        let mut each = self.keys.each_key();
        let hashes = std::iter::from_fn(|| each.read_next().map(crate::wire::keys::hash));
        slot_order(hashes, |one, other| self.keys.compare(one, other))
    }

    /// The number of edges of distinct references.
    pub(crate) fn count_of_edges(&self, references: &[Edge]) -> u64 {
        if self.has_distinct_keys() {
            return references.len() as u64;
        }
        references.iter().map(|reference| self.with_key_of(reference.to).len() as u64).sum()
    }

    /// The edges of distinct references, sorted: all of them, or more than `most`.
    pub(crate) fn edges_of(&self, references: Vec<Edge>, most: usize) -> Vec<Edge> {
        if self.has_distinct_keys() {
            return references;
        }
        let mut edges = Vec::with_capacity(references.len());
        for reference in references {
            if edges.len() > most {
                break;
            }
            edges.extend(self.with_key_of(reference.to).iter().map(|&to| Edge { to, ..reference }));
        }
        edges.sort_unstable();
        edges
    }

    fn has_distinct_keys(&self) -> bool {
        self.by_key().has_distinct_keys()
    }

    /// The first ordinal after `ordinal` that is not inside it.
    pub(crate) fn end(&self, ordinal: Ordinal) -> Ordinal {
        let inside = |other: Ordinal| {
            let mut around = Some(other);
            while let Some(at) = around.filter(|&at| at > ordinal) {
                around = self.parents.get(at.index()).copied().flatten();
            }
            around == Some(ordinal)
        };
        let count = u32::try_from(self.len()).unwrap_or(u32::MAX);
        (ordinal.0 + 1..count).map(Ordinal).find(|&other| !inside(other)).unwrap_or(Ordinal(count))
    }
}

/// The limits of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Most {
    landmarks: usize,
    references: usize,
    full_key_bytes: u64,
    edges: usize,
}

impl Default for Most {
    fn default() -> Most {
        let (landmarks, full_key_bytes) = (limits::LANDMARKS, limits::FULL_KEY_BYTES);
        Most { landmarks, references: limits::EDGES, full_key_bytes, edges: limits::EDGES }
    }
}

/// A walk that ends once it exceeds the limits of an index for landmarks, references or bytes of
/// own keys, before they fill the memory. [`Index::of`] then refuses the result.
pub(crate) fn bounded<'a, N>(
    walk: impl Iterator<Item = Visited<'a, N>>,
) -> impl Iterator<Item = Visited<'a, N>> {
    let (mut landmarks, mut references, mut key_bytes) = (0, 0, 0u64);
    walk.map_while(move |visited| {
        if landmarks > limits::LANDMARKS || references > limits::EDGES || key_bytes > limits::FULL_KEY_BYTES {
            return None;
        }
        if let Some(landmark) = &visited.landmark {
            landmarks += 1;
            key_bytes = key_bytes.saturating_add(landmark.key.len() as u64);
        }
        references += visited.edges.len();
        Some(visited)
    })
}

/// The excess over a limit of an index (§9).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooMuch {
    pub(crate) what: &'static str,
    pub(crate) count: u64,
    pub(crate) limit: u64,
}

impl TooMuch {
    pub(crate) fn check(what: &'static str, count: u64, limit: u64) -> Result<(), TooMuch> {
        match count > limit {
            true => Err(TooMuch { what, count, limit }),
            false => Ok(()),
        }
    }
}

/// Ordinals by full key, without the keys: each call receives the same keys again.
///
/// Allocates once for all keys. An allocation for each key took a tenth of the time of writing a
/// schema.
#[derive(Debug)]
struct ByKey {
    /// Numbers of the distinct keys, in order of first appearance.
    table: HashTable<usize>,
    /// The number of the key of each landmark.
    numbers: Vec<u32>,
    /// The ordinals of each distinct key, ascending, one key after the other.
    ordinals: Vec<Ordinal>,
    /// The start of each distinct key in `ordinals`, and the end of the last.
    starts: Vec<usize>,
    hasher: RandomState,
}

impl ByKey {
    fn of(keys: &FullKeys) -> ByKey {
        let hasher = RandomState::default();
        let mut table: HashTable<usize> = HashTable::with_capacity(keys.len());
        // For each distinct key: its first landmark, its hash, and the number of its landmarks.
        let mut distinct: Vec<(Ordinal, u64, usize)> = Vec::with_capacity(keys.len());
        let mut numbers = Vec::with_capacity(keys.len());
        let (mut each, mut ordinals) = (keys.each_key(), (0..).map(Ordinal));
        while let (Some(key), Some(ordinal)) = (each.read_next(), ordinals.next()) {
            let hash = hasher.hash_one(key);
            let is_same = |&number: &usize| keys.compare(distinct[number].0, ordinal).is_eq();
            let place = table.entry(hash, is_same, |&number| distinct[number].1);
            let number = *place.or_insert(distinct.len()).get();
            match distinct.get_mut(number) {
                Some((.., count)) => *count += 1,
                None => distinct.push((ordinal, hash, 1)),
            }
            numbers.push(u32::try_from(number).expect("an index has fewer keys than landmarks"));
        }
        let mut ordinals: Vec<Ordinal> = (0..).map(Ordinal).take(keys.len()).collect();
        ordinals.sort_by_key(|&ordinal| numbers[ordinal.index()]);
        let mut starts = vec![0];
        starts.extend(distinct.iter().scan(0, |end, (.., count)| {
            *end += count;
            Some(*end)
        }));
        ByKey { table, numbers, ordinals, starts, hasher }
    }

    fn has_distinct_keys(&self) -> bool {
        self.starts.len() > self.ordinals.len()
    }

    fn get(&self, keys: &FullKeys, key: &str) -> &[Ordinal] {
        let is_key = |&number: &usize| keys.is(self.ordinals_of(number)[0], key);
        let number = self.table.find(self.hasher.hash_one(key), is_key);
        number.map_or(&[], |&number| self.ordinals_of(number))
    }

    /// The ordinals with the key of landmark `ordinal`.
    fn of_ordinal(&self, ordinal: Ordinal) -> &[Ordinal] {
        self.ordinals_of(self.numbers[ordinal.index()] as usize)
    }

    fn ordinals_of(&self, number: usize) -> &[Ordinal] {
        &self.ordinals[self.starts[number]..self.starts[number + 1]]
    }
}

/// The edges between landmarks: a reference leads to every landmark with its key. Refuses more than
/// `most`, counted before they are made.
fn resolve(found: &[FoundEdge<'_>], index: &Index, most: usize) -> Result<Vec<Edge>, TooMuch> {
    let references = found.iter().filter_map(|edge| index.reference(Ordinal(edge.source), edge));
    let mut references: Vec<Edge> = references.collect();
    references.sort_unstable();
    references.dedup();
    TooMuch::check("edges", index.count_of_edges(&references), most as u64)?;
    Ok(index.edges_of(references, most))
}

#[cfg(test)]
mod tests;
