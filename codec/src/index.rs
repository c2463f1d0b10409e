//! §8 Landmarks and their index. Builds the index of any tree of nodes: its landmarks, their keys,
//! and the edges between them.
//!
//! The writer builds one of the document that it writes. `read::index` builds one of a file without
//! index tables, and one to verify index tables.

mod instances;
mod keys;

use crate::limits;
use crate::wire::edges::{CheckedEdges, Edge, reversed};
use crate::wire::ids::Ordinal;
use crate::wire::keys::slot_order;
use coconut_format::landmark::{
    FoundEdge, LandmarkRule, Landmarks, OwnKeys, Reading, Visited, without_instances,
};
use coconut_format::node::Node;
use foldhash::fast::RandomState;
use hashbrown::HashTable;
use instances::Instances;
use std::borrow::Cow;
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
    /// Made if the rule has an edge with [`Reading::Instances`], on first use.
    instances: OnceLock<Instances>,
}

/// A reference from a landmark to all landmarks that it names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Reference {
    pub(crate) from: Ordinal,
    pub(crate) to: Target,
    /// The number of the edge pattern.
    pub(crate) kind: u8,
}

/// The landmarks that a reference leads to, in one number. Two references of one kind that differ
/// have different targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Target(u32);

/// A [`Target`] taken apart.
enum Named {
    /// All landmarks with the key of this one, which is the first of them.
    Key(Ordinal),
    /// The outermost landmarks with the key of this one.
    Outermost(Ordinal),
    /// The outermost landmarks with the key of this number without instance keys.
    Configured(u32),
}

impl Target {
    /// There are at most 2^24 landmarks (§9.8), so two bits are free.
    fn of(named: &Named) -> Target {
        let (number, form) = match *named {
            Named::Key(first) => (first.0, 0),
            Named::Outermost(first) => (first.0, 1),
            Named::Configured(number) => (number, 2),
        };
        Target(number << 2 | form)
    }

    fn named(self) -> Named {
        let number = self.0 >> 2;
        match self.0 & 3 {
            0 => Named::Key(Ordinal(number)),
            1 => Named::Outermost(Ordinal(number)),
            _ => Named::Configured(number),
        }
    }
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
            let rule = found.rule().clone();
            let edges = resolve(&found.into_edges(), &rule, &index, most.edges)?;
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

    /// A reference of landmark `from`. `None` if it leads to no landmark. `rule` is that of the
    /// document.
    ///
    /// Duplicates are removed before each is multiplied by the landmarks that it leads to.
    pub(crate) fn reference(
        &self,
        from: Ordinal,
        found: &FoundEdge<'_>,
        rule: &LandmarkRule,
    ) -> Option<Reference> {
        let reading = rule.edges().get(usize::from(found.number))?.reading();
        let configured = match reading {
            Reading::Instances => self.instances().number(&self.keys, found.target).map(Named::Configured),
            _ => None,
        };
        let named = configured.or_else(|| {
            let first = *self.with_key(found.target).first()?;
            Some(if *reading == Reading::Instances { Named::Outermost(first) } else { Named::Key(first) })
        });
        named.map(|named| Reference { from, to: Target::of(&named), kind: found.number })
    }

    /// The landmarks that a reference leads to, ascending.
    fn targets(&self, target: Target) -> &[Ordinal] {
        match target.named() {
            Named::Key(first) => self.by_key().of_ordinal(first),
            Named::Outermost(first) => self.instances().with_key(self.by_key().number_of(first)),
            Named::Configured(number) => self.instances().configured(number),
        }
    }

    fn instances(&self) -> &Instances {
        self.instances.get_or_init(|| Instances::of(&self.keys, self.by_key(), &self.parents))
    }

    /// See [`slot_order`].
    pub(crate) fn slot_order(&self) -> Vec<(u32, Ordinal)> {
        let hashes = self.keys.hashes();
        match self.keys.ranks(&hashes) {
            Some(ranks) => slot_order(&hashes, |one, other| ranks[one.index()].cmp(&ranks[other.index()])),
            None => slot_order(&hashes, |one, other| self.keys.compare(one, other)),
        }
    }

    /// The number of edges of distinct references. If a landmark refers to another by two different
    /// texts, once with and once without instance keys, that edge counts twice.
    pub(crate) fn count_of_edges(&self, references: &[Reference]) -> u64 {
        if self.has_one_target_each() {
            return references.len() as u64;
        }
        references.iter().map(|reference| self.targets(reference.to).len() as u64).sum()
    }

    /// The edges of distinct references in their order, sorted: all of them, or more than `most`.
    pub(crate) fn edges_of(&self, references: Vec<Reference>, most: usize) -> Vec<Edge> {
        let edge = |reference: Reference, to| Edge { from: reference.from, to, kind: reference.kind };
        if self.has_one_target_each() {
            let first = |reference: Reference| Some(edge(reference, *self.targets(reference.to).first()?));
            return references.into_iter().filter_map(first).collect();
        }
        let mut edges: Vec<Edge> = Vec::with_capacity(references.len());
        for of_one in references.chunk_by(|one, other| one.from == other.from) {
            if edges.len() > most {
                break;
            }
            let before = edges.len();
            for &reference in of_one {
                edges.extend(self.targets(reference.to).iter().map(|&to| edge(reference, to)));
            }
            edges[before..].sort_unstable();
            edges.dedup();
        }
        edges
    }

    /// Whether each reference leads to one landmark, and no two to the same.
    fn has_one_target_each(&self) -> bool {
        self.by_key().has_distinct_keys() && self.instances.get().is_none()
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
        // A string can have more references than fit in memory.
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
    part: KeyPart,
}

/// The text that counts of a full key.
#[derive(Clone, Copy, Debug)]
enum KeyPart {
    Whole,
    /// The key without instance keys (§8.1).
    Configured,
}

impl KeyPart {
    fn of(self, key: &str) -> Cow<'_, str> {
        match self {
            KeyPart::Whole => Cow::Borrowed(key),
            KeyPart::Configured => without_instances(key),
        }
    }

    /// Whether `key` is that part of the full key of landmark `ordinal`.
    fn is(self, keys: &FullKeys, ordinal: Ordinal, key: &str) -> bool {
        match self {
            KeyPart::Whole => keys.is(ordinal, key),
            KeyPart::Configured => without_instances(&keys.whole_key(ordinal.0)) == key,
        }
    }
}

impl ByKey {
    fn of(keys: &FullKeys) -> ByKey {
        ByKey::of_parts(keys, KeyPart::Whole)
    }

    /// The landmarks by a part of their full keys.
    fn of_parts(keys: &FullKeys, part: KeyPart) -> ByKey {
        let hasher = RandomState::default();
        let mut table: HashTable<usize> = HashTable::with_capacity(keys.len());
        // For each distinct key: its first landmark, its hash, and the number of its landmarks.
        let mut distinct: Vec<(Ordinal, u64, usize)> = Vec::with_capacity(keys.len());
        let mut numbers = Vec::with_capacity(keys.len());
        let (mut each, mut ordinals) = (keys.each_key(), (0..).map(Ordinal));
        while let (Some(key), Some(ordinal)) = (each.read_next(), ordinals.next()) {
            let first = keys.first_alike(ordinal);
            if first < ordinal {
                let number: u32 = numbers[first.index()];
                distinct[number as usize].2 += 1;
                numbers.push(number);
                continue;
            }
            let key = part.of(key);
            let hash = hasher.hash_one(&*key);
            let is_same = |&number: &usize| {
                let (first, other, _) = distinct[number];
                other == hash
                    && match part {
                        KeyPart::Whole => keys.compare(first, ordinal).is_eq(),
                        KeyPart::Configured => part.is(keys, first, &key),
                    }
            };
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
        ByKey { table, numbers, ordinals, starts, hasher, part }
    }

    fn has_distinct_keys(&self) -> bool {
        self.starts.len() > self.ordinals.len()
    }

    fn get(&self, keys: &FullKeys, key: &str) -> &[Ordinal] {
        self.number(keys, key).map_or(&[], |number| self.ordinals_of(number))
    }

    /// The number of this key.
    fn number(&self, keys: &FullKeys, key: &str) -> Option<usize> {
        let is_key = |&number: &usize| self.part.is(keys, self.ordinals_of(number)[0], key);
        self.table.find(self.hasher.hash_one(key), is_key).copied()
    }

    /// How many distinct keys there are.
    fn count(&self) -> usize {
        self.starts.len() - 1
    }

    /// The number of the key of landmark `ordinal`.
    fn number_of(&self, ordinal: Ordinal) -> u32 {
        self.numbers[ordinal.index()]
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
fn resolve(
    found: &[FoundEdge<'_>],
    rule: &LandmarkRule,
    index: &Index,
    most: usize,
) -> Result<Vec<Edge>, TooMuch> {
    let references = found.iter().filter_map(|edge| index.reference(Ordinal(edge.source), edge, rule));
    let mut references: Vec<Reference> = references.collect();
    references.sort_unstable();
    references.dedup();
    TooMuch::check("edges", index.count_of_edges(&references), most as u64)?;
    Ok(index.edges_of(references, most))
}

#[cfg(test)]
mod tests;
