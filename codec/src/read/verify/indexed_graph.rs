//! Verification of a graph by its index tables (§15.9), so the size of the graph costs time but not
//! memory.

use super::{LocatedFinding, has_rule_of, is_open};
use crate::read::file::DocumentView;
use crate::read::view::node::WatchedView;
use crate::wire::edges::CheckedEdges;
use crate::wire::ids::Ordinal;
use crate::wire::keys::KeyIndex;
use crate::wire::landmarks::LandmarkTables;
use coconut_format::error::DecodeError;
use coconut_format::graph::{
    Adjacency, Connected, Dangling, GivenNames, ResourceNode, given_names, may_be_given, meant_vertex,
};
use coconut_format::landmark::{Dialect, EdgePattern, KeyRule, Reading, Walk, without_instances};
use coconut_format::pointer::Pointer;
use coconut_format::verify::{
    Finding, GraphBreach, Listing, find_places, is_amiss, verify_connections, verify_fields, verify_name,
    verify_references, verify_values,
};
use foldhash::fast::RandomState;
use hashbrown::{HashMap, HashSet};
use std::borrow::Cow;
use std::cell::Cell;
use std::hash::BuildHasher;

/// A graph with the vertices and edges from the file's index.
pub(super) struct IndexedGraph<'a> {
    document: DocumentView<'a>,
    dialect: &'static Dialect,
    keys: KeyIndex<'a>,
    edges: Cow<'a, CheckedEdges<'a>>,
    count: u32,
    is_nested: bool,
    same_keys: SameKeys,
    /// If a reference can name a vertex without its instance keys.
    configured: Option<Configured>,
    /// Whether references may lead out of the document.
    is_open: bool,
    /// The first read error, because the rules cannot return errors.
    fault: Cell<Option<DecodeError>>,
}

/// The unchecked references of one vertex.
#[derive(Default)]
struct References<'e> {
    source: Option<u32>,
    pending: Vec<Dangling<'e>>,
    /// Whether there were more references than the vertex has edges.
    is_beyond: bool,
}

/// Vertices by their full keys without instance keys, if these differ.
struct Configured {
    /// Hashes of the keys without instance keys, with the vertices. Sorted.
    vertices: Vec<(u64, u32)>,
    hasher: RandomState,
}

impl Configured {
    /// Takes 16 bytes for each vertex with an instance key.
    fn of(document: DocumentView<'_>) -> Result<Configured, DecodeError> {
        let (mut vertices, hasher) = (Vec::new(), RandomState::default());
        let mut keys = document.keys()?;
        let mut numbers = 0..;
        while let (Some((_, key)), Some(vertex)) = (keys.read_next()?, numbers.next()) {
            let without = without_instances(key);
            if without.len() < key.len() {
                vertices.push((hasher.hash_one(&*without), vertex));
            }
        }
        vertices.sort_unstable();
        Ok(Configured { vertices, hasher })
    }

    /// Whether a vertex has this key without its instance keys.
    fn has(&self, document: DocumentView<'_>, key: &str) -> Result<bool, DecodeError> {
        let hash = self.hasher.hash_one(key);
        let first = self.vertices.partition_point(|&(other, _)| other < hash);
        for &(other, vertex) in &self.vertices[first..] {
            if other != hash {
                break;
            }
            if let Some(landmark) = document.landmark(vertex)?
                && without_instances(&landmark.key()?) == key
            {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Vertices that share their keys. An edge in the index leads to all vertices with the key. The
/// rules need the intended one.
#[derive(Default)]
struct SameKeys {
    /// The group of each such vertex.
    group_of: HashMap<u32, u32>,
    /// The ordinals in each group are ascending.
    groups: Vec<Vec<u32>>,
}

impl<'a> IndexedGraph<'a> {
    /// Returns the graph, if the document has an index made by the rule of the dialect.
    pub(super) fn of(
        document: DocumentView<'a>,
        dialect: &'static Dialect,
    ) -> Result<Option<IndexedGraph<'a>>, DecodeError> {
        let (Some(landmarks), Some(keys)) = (document.landmark_tables(), document.key_index()) else {
            return Ok(None);
        };
        if !has_rule_of(document, dialect)? {
            return Ok(None);
        }
        let edges = document.header().rule()?.edges();
        let names_instances = edges.iter().any(|edge| *edge.reading() == Reading::Instances);
        Ok(Some(IndexedGraph {
            same_keys: SameKeys::of(document, &landmarks, &keys)?,
            configured: names_instances.then(|| Configured::of(document)).transpose()?,
            edges: document.checked_edges()?,
            count: landmarks.count(),
            is_nested: document.has_nested_landmarks()?,
            is_open: is_open(document, dialect)?,
            fault: Cell::new(None),
            document,
            dialect,
            keys,
        }))
    }

    pub(super) fn verify(self) -> Result<Vec<LocatedFinding>, DecodeError> {
        let (dangling, of_resources) = self.walk()?;
        let mut breaches = Listing::default();
        verify_references(dangling.kept(), |look| self.each_key(look), self.dialect, &mut breaches);
        breaches.leave_out(dangling.left_out());
        let connected = GivenNames::left_out_of(&self, self.given_ends()?);
        verify_connections(&connected, self.dialect, &mut breaches);
        let repeated = if self.dialect.has_unique_keys { self.repeated_keys()? } else { Vec::new() };
        for vertex in repeated {
            breaches.add(|| GraphBreach::repeated_key(vertex, &self.key(vertex)));
        }
        breaches.append(of_resources);
        let mut findings = self.located(breaches)?;
        self.verify_values(&mut findings);
        let root = self.document.root().offset();
        match self.fault.take() {
            Some(error) => Err(error),
            None => Ok(findings.finish(|finding| LocatedFinding { finding, offset: root })),
        }
    }

    /// Returns the ends of edges to names that have values of their own (§15.6).
    fn given_ends(&self) -> Result<HashSet<(u32, u32)>, DecodeError> {
        let (document, dialect) = (self.document, Some(self.dialect.name));
        let kinds = document.header().rule()?.edges();
        let mut ends = HashSet::new();
        for names in given_names(self.root(), dialect).chunk_by(|one, other| one.0 == other.0) {
            for from in document.get_all(&names[0].0)? {
                let from_ordinal = from.ordinal()?;
                for (_, to) in names {
                    for to in document.get_all(to)? {
                        ends.insert((from_ordinal, to.ordinal()?));
                    }
                }
                for edge in from.dependencies()? {
                    let kind = kinds.get(usize::from(edge.number)).map_or("", EdgePattern::kind);
                    if !may_be_given(dialect, kind) {
                        ends.remove(&(from_ordinal, edge.landmark.ordinal()?));
                    }
                }
            }
        }
        Ok(ends)
    }

    /// Walks once over the places of landmarks and edges. Returns the dangling references, and the
    /// violations in fields and names of resources.
    fn walk(&self) -> Result<(Listing<Dangling<'_>>, Listing<GraphBreach>), DecodeError> {
        let rule = self.document.header().rule()?;
        let (mut dangling, mut fields, mut names) =
            (Listing::default(), Listing::default(), Listing::default());
        // The references of one vertex. In a graph without nesting they follow each other.
        let mut of_vertex = References::default();
        let (mut references, mut resources, mut vertices) = (0.., 0.., 0..);
        let mut keys = match rule.join() {
            Some(_) => Some(self.document.keys()?),
            None => None,
        };
        for visited in Walk::new(rule, self.root()) {
            if visited.is_resource() {
                let number = resources.next().expect("a document has fewer of them than bytes");
                fields.extend(verify_fields(number, visited.node, self.dialect));
            }
            for edge in visited.edges.iter() {
                let reference = references.next().expect("a document has fewer of them than bytes");
                if of_vertex.source != Some(edge.source) {
                    self.retain_dangling(&mut of_vertex, &mut dangling)?;
                    of_vertex = References { source: Some(edge.source), ..References::default() };
                }
                if !edge.target.is_empty() {
                    of_vertex.pending.push(Dangling { reference, edge });
                }
                // There are more references than edges, so collecting them gains nothing.
                if of_vertex.pending.len() > self.degree(edge.source) as usize {
                    of_vertex.is_beyond = true;
                    self.retain_dangling(&mut of_vertex, &mut dangling)?;
                }
            }
            if let Some(landmark) = visited.landmark {
                let vertex = vertices.next().expect("ordinals do not run out");
                let node = ResourceNode { node: landmark.node, around: None };
                let key = match &mut keys {
                    Some(keys) => self.watch(keys.read_next()).map_or("", |(_, key)| key),
                    None => &landmark.key,
                };
                verify_name(vertex, key, || node.resource_type(), self.dialect, &mut names);
            }
        }
        self.retain_dangling(&mut of_vertex, &mut dangling)?;
        fields.append(names);
        Ok((dangling, fields))
    }

    /// Moves the dangling references of one vertex to `dangling`, and drops the others.
    ///
    /// A valid reference is an edge of the index. If keys are distinct, each edge belongs to one
    /// reference. Then equal numbers of edges and references mean that all references are valid,
    /// without any lookup.
    fn retain_dangling<'e>(
        &self,
        of_vertex: &mut References<'e>,
        dangling: &mut Listing<Dangling<'e>>,
    ) -> Result<(), DecodeError> {
        let Some(source) = of_vertex.source else { return Ok(()) };
        if self.is_open {
            of_vertex.pending.clear();
            return Ok(());
        }
        let has_distinct_edges = !self.is_nested
            && self.same_keys.groups.is_empty()
            && !of_vertex.is_beyond
            && self.configured.is_none();
        if has_distinct_edges && self.degree(source) as usize == of_vertex.pending.len() {
            of_vertex.pending.clear();
            return Ok(());
        }
        for reference in of_vertex.pending.drain(..) {
            let is_configured = match &self.configured {
                Some(configured) => configured.has(self.document, reference.edge.target)?,
                None => false,
            };
            if !is_configured && !self.has_key(reference.edge.target)? && is_amiss(&reference, self.dialect) {
                dangling.add(|| reference);
            }
        }
        Ok(())
    }

    /// Calls `look` with the full key of each vertex.
    fn each_key(&self, look: &mut dyn FnMut(&str)) {
        let Some(mut keys) = self.watch(self.document.keys().map(Some)) else { return };
        while let Some((_, key)) = self.watch(keys.read_next()) {
            look(key);
        }
    }

    fn has_key(&self, key: &str) -> Result<bool, DecodeError> {
        self.document.has_key(&self.keys, key)
    }

    /// Returns the ordinals of resources with the key of an earlier one that exists at the same
    /// time.
    fn repeated_keys(&self) -> Result<Vec<u32>, DecodeError> {
        let patterns = self.document.header().rule()?.patterns();
        let mut repeated = Vec::new();
        for group in &self.same_keys.groups {
            let mut seen = HashSet::new();
            for &vertex in group {
                let Some(landmark) = self.document.landmark(vertex)? else { continue };
                let class = landmark.class()?;
                let is_entry =
                    patterns.get(usize::from(class)).is_some_and(|pattern| *pattern.key() == KeyRule::Name);
                if is_entry {
                    continue;
                }
                let node = self.root().beside(landmark.value()?);
                let is_pending_delete = ResourceNode { node, around: None }.is_pending_delete();
                if !is_pending_delete && !seen.insert(class) {
                    repeated.push(vertex);
                }
            }
        }
        repeated.sort_unstable();
        Ok(repeated)
    }

    /// Returns the violations as findings. If there are any, one more walk finds their places.
    fn located(&self, breaches: Listing<GraphBreach>) -> Result<Listing<LocatedFinding>, DecodeError> {
        let places = find_places(self.document.header().rule()?, self.root(), breaches.kept());
        Ok(breaches.map(|breach| {
            let (path, node) = places[&breach.at].clone()?;
            Some(LocatedFinding { finding: breach.into_finding(path), offset: node.view.offset() })
        }))
    }

    fn verify_values(&self, findings: &mut Listing<LocatedFinding>) {
        verify_values(self.root(), self.dialect, |rule, path, node| {
            findings.add(|| {
                let mut pointer = Pointer::root();
                path.iter().for_each(|step| step.push_to(&mut pointer));
                LocatedFinding { finding: Finding::new(rule, &pointer), offset: node.view.offset() }
            });
        });
    }

    fn root(&self) -> WatchedView<'_> {
        WatchedView::new(self.document.root(), &self.fault)
    }

    fn watch<T>(&self, result: Result<Option<T>, DecodeError>) -> Option<T> {
        result.unwrap_or_else(|error| {
            let first = self.fault.take();
            self.fault.set(Some(first.unwrap_or(error)));
            None
        })
    }
}

impl SameKeys {
    /// Finds vertices with the same key. Slots with the same hash are adjacent, and those with the
    /// same key are among them.
    fn of(
        document: DocumentView<'_>,
        landmarks: &LandmarkTables<'_>,
        keys: &KeyIndex<'_>,
    ) -> Result<SameKeys, DecodeError> {
        let mut same_keys = SameKeys::default();
        let mut last_hash = None;
        // The key of the previous slot, while its neighbours are compared.
        let mut last: Option<(Cow<'_, str>, u32)> = None;
        let mut is_group_open = false;
        for slot in 0..keys.count() {
            let hash = keys.hash_of(slot)?;
            let follows = last_hash.replace(hash) == Some(hash);
            let has_follower = slot + 1 < keys.count() && keys.hash_of(slot + 1)? == hash;
            if !follows && !has_follower {
                continue;
            }
            let landmark = document.landmark_of_slot(landmarks, keys, slot, keys.offset(slot)?)?;
            let (key, vertex) = (landmark.key()?, landmark.ordinal()?);
            match last.take().filter(|(other, _)| follows && *other == key) {
                Some((_, first)) if !is_group_open => {
                    same_keys.begin(first);
                    same_keys.join(vertex);
                    is_group_open = true;
                }
                Some(_) => same_keys.join(vertex),
                None => is_group_open = false,
            }
            last = Some((key, vertex));
        }
        same_keys.groups.iter_mut().for_each(|group| group.sort_unstable());
        Ok(same_keys)
    }

    fn begin(&mut self, vertex: u32) {
        self.groups.push(Vec::new());
        self.join(vertex);
    }

    fn join(&mut self, vertex: u32) {
        if let Some(group) = self.groups.last_mut() {
            group.push(vertex);
        }
        let number = self.groups.len().saturating_sub(1);
        self.group_of.insert(vertex, u32::try_from(number).expect("there are fewer groups than ordinals"));
    }

    fn group(&self, vertex: u32) -> Option<&[u32]> {
        if self.group_of.is_empty() {
            return None;
        }
        let number = *self.group_of.get(&vertex)?;
        self.groups.get(number as usize).map(Vec::as_slice)
    }
}

impl Adjacency for IndexedGraph<'_> {
    fn vertices(&self) -> u32 {
        self.count
    }

    fn degree(&self, vertex: u32) -> u32 {
        let range = self.edges.range(Ordinal(vertex));
        range.end - range.start
    }

    fn target(&self, vertex: u32, entry: u32) -> Option<u32> {
        let target = self.edges.target(self.edges.range(Ordinal(vertex)).start + entry)?.0;
        let is_meant = match self.same_keys.group(target) {
            Some(group) => meant_vertex(group, vertex) == Some(target),
            None => true,
        };
        is_meant.then_some(target)
    }
}

impl Connected for IndexedGraph<'_> {
    fn key(&self, vertex: u32) -> Cow<'_, str> {
        let landmark = self.watch(self.document.landmark(vertex));
        let key = landmark.and_then(|landmark| self.watch(landmark.key().map(Some)));
        key.unwrap_or_default()
    }

    fn parent(&self, vertex: u32) -> Option<u32> {
        match self.is_nested {
            true => self.watch(self.document.parent_of(Ordinal(vertex))).map(|parent| parent.0),
            false => None,
        }
    }
}
