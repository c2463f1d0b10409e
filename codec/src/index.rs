//! §8 Landmarks and their index. Builds the index of any tree of nodes: its landmarks, their keys,
//! and the edges between them.
//!
//! The writer builds one for the document that it writes. `read::index` builds one for a file
//! without index tables, and one to verify index tables.

mod by_key;
mod edges;
mod instances;
mod keys;
mod rows;

use crate::limits;
use crate::wire::edges::{CheckedEdges, Rows};
use crate::wire::ids::Ordinal;
use crate::wire::keys::slot_order;
use by_key::ByKey;
use coconut_format::landmark::{Landmarks, Visited};
use coconut_format::node::Node;
pub(crate) use edges::{Reference, Target};
use instances::Instances;
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
    /// The edges by the landmark that they start at, and by the one that they lead to. `None` if
    /// the rule has no edges.
    pub(crate) edges: Option<[Rows; 2]>,
    /// The edges for readers that follow many of them. Built on first use.
    checked_edges: OnceLock<CheckedEdges<'static>>,
    /// Built on first use: writing a document without edges looks up no keys.
    by_key: OnceLock<ByKey>,
    /// Built on first use, if the rule has an edge with [`Reading::Instances`].
    instances: OnceLock<Instances>,
}

impl Index {
    /// Builds the index of the landmarks that a rule finds in a tree, without edges. `offset_of`
    /// returns the start of a landmark.
    ///
    /// Refuses an index whose memory would be out of proportion to the document, before it is built
    /// (§9).
    pub(crate) fn of_landmarks<'a, N: Node<'a>>(
        found: &Landmarks<'a, N>,
        offset_of: impl Fn(N) -> u64,
    ) -> Result<Index, TooMuch> {
        Index::landmarks_within(Most::default(), found, offset_of)
    }

    /// Does the same with other limits.
    fn landmarks_within<'a, N: Node<'a>>(
        most: Most,
        found: &Landmarks<'a, N>,
        offset_of: impl Fn(N) -> u64,
    ) -> Result<Index, TooMuch> {
        TooMuch::check("landmarks", found.entries().len() as u64, most.landmarks as u64)?;
        TooMuch::check("references", found.edges().len() as u64, most.references as u64)?;
        TooMuch::check("bytes of full keys", found.full_key_bytes(), most.full_key_bytes)?;
        let parents: Vec<Option<Ordinal>> =
            found.entries().iter().map(|landmark| landmark.parent.map(Ordinal)).collect();
        let own_keys = found.entries().iter().map(|landmark| landmark.key.as_ref());
        let keys = FullKeys::new(own_keys, found.rule().join(), &parents);
        Ok(Index {
            classes: found.entries().iter().map(|landmark| landmark.class).collect(),
            parents,
            offsets: found.entries().iter().map(|landmark| offset_of(landmark.node)).collect(),
            keys,
            ..Index::default()
        })
    }

    pub(crate) fn len(&self) -> usize {
        self.keys.len()
    }

    /// The edges of distinct rows, in the direction with more of them.
    pub(crate) fn most_edges(&self) -> usize {
        self.edges.iter().flatten().map(|rows| rows.edges.len()).max().unwrap_or_default()
    }

    /// The ordinals of the landmarks with this full key, ascending.
    pub(crate) fn with_key(&self, key: &str) -> &[Ordinal] {
        self.by_key().get(&self.keys, key)
    }

    fn by_key(&self) -> &ByKey {
        self.by_key.get_or_init(|| ByKey::of(&self.keys))
    }

    /// See [`slot_order`].
    pub(crate) fn slot_order(&self) -> Vec<(u32, Ordinal)> {
        let hashes = self.keys.hashes();
        match self.keys.ranks(&hashes) {
            Some(ranks) => slot_order(&hashes, |one, other| ranks[one.index()].cmp(&ranks[other.index()])),
            None => slot_order(&hashes, |one, other| self.keys.compare(one, other)),
        }
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

/// A walk that ends once landmarks, references or bytes of own keys exceed the limits of an index,
/// before they fill the memory. [`Index::of_landmarks`] then refuses the result.
pub(crate) fn bounded<'a, N>(
    walk: impl Iterator<Item = Visited<'a, N>>,
) -> impl Iterator<Item = Visited<'a, N>> {
    bounded_within(Most::default(), walk)
}

/// Does the same with other limits.
fn bounded_within<'a, N>(
    most: Most,
    walk: impl Iterator<Item = Visited<'a, N>>,
) -> impl Iterator<Item = Visited<'a, N>> {
    let (mut landmarks, mut references, mut key_bytes) = (0, 0, 0u64);
    walk.map_while(move |mut visited| {
        if landmarks > most.landmarks || references > most.references || key_bytes > most.full_key_bytes {
            return None;
        }
        if let Some(landmark) = &visited.landmark {
            landmarks += 1;
            key_bytes = key_bytes.saturating_add(landmark.key.len() as u64);
        }
        // One string can contain more references than fit in memory.
        let left = most.references + 1 - references;
        references += visited.edges.iter().take(left).count();
        visited.edges.truncate(left);
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

#[cfg(test)]
mod tests;
