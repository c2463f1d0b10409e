//! §15.9 Verification of graphs.
//!
//! Cycles and order need the connections ([`Connected`]), references need all keys, and all other
//! checks need the document. [`verify_graph`] performs all checks on a tree. The other functions
//! are its parts, for readers of compiled documents, which have the keys and the connections in
//! their index.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};

use super::graph_rules::{
    GRF_CYCLE, GRF_DEPENDENCY, GRF_ENTRIES, GRF_FIELD, GRF_KEY, GRF_ORDER, GRF_REF, GRF_SELF, GRF_SIGNATURE,
    GRF_TAG, GRF_TYPE, GRF_UNKNOWN, GRF_URN,
};
use super::listing::{Listed, Listing, PointerRoom, bytes_of};
use super::{Finding, Pointer, Rule};
use crate::graph::{
    Adjacency, Connected, Dangling, GivenNames, Graph, Resource, Special, given_names, may_be_given,
    visit_all,
};
use crate::landmark::{
    CycleRule, Dialect, KeyRule, LandmarkRule, OwnKeys, Trail, Visited, Walk, without_instances,
};
use crate::limits::MOST_SUGGESTIONS;
use crate::node::{Kind, Node};
use crate::suggest::Nearest;
use crate::urn::UrnScan;

/// A violation of a rule at a resource, vertex or reference, before its place in the document is
/// found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphBreach {
    /// The violated rule.
    pub rule: &'static Rule,
    /// The place.
    pub at: GraphPlace,
    /// The expected value.
    pub expected: Option<String>,
    /// The value found.
    pub found: Option<String>,
    /// The remedy for the author.
    pub hint: Option<String>,
}

/// The part of a graph that a violation is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GraphPlace {
    /// The value with this number, in document order, among those at the first pattern. It is a
    /// resource, or a value in the place of one.
    Resource(usize),
    /// The vertex with this ordinal.
    Vertex(u32),
    /// The reference with this number, in document order; valid references also count.
    Reference(usize),
}

/// All findings in `root`, a graph of `dialect`: on references, cycles and order, keys, fields,
/// names, and values, each of these in document order.
///
/// Linear in the document, except for at most 32 suggestions. Full keys are assembled one at a
/// time. A long list is truncated (§14.1).
pub fn verify_graph<'a, N: Node<'a>>(root: N, dialect: &'static Dialect) -> Vec<Finding> {
    let graph = Graph::new(root, dialect);
    let mut breaches = Listing::default();
    let each_key = |look: &mut dyn FnMut(&str)| {
        let mut keys = graph.landmarks().each_key();
        while let Some(key) = keys.read_next() {
            look(key);
        }
    };
    let dangling = graph.facts().dangling.iter().copied();
    let dangling: Vec<Dangling<'_>> = match dialect.is_open(root) {
        true => Vec::new(),
        false => dangling.filter(|dangling| is_amiss(dangling, dialect)).collect(),
    };
    verify_references(&dangling, each_key, dialect, &mut breaches);
    let connected = GivenNames::left_out_of(&graph, given_ends(&graph, dialect));
    verify_connections(&connected, dialect, &mut breaches);
    if dialect.has_unique_keys {
        repeated_keys(&graph, &mut breaches);
    }
    let rule = graph.landmarks().rule();
    let candidates = Walk::new(rule, root).filter(Visited::is_resource);
    for (number, candidate) in candidates.enumerate() {
        breaches.extend(verify_fields(number, candidate.node, dialect));
    }
    verify_names(&graph, dialect, &mut breaches);
    let places = find_places(graph.landmarks().rule(), root, breaches.kept());
    let mut findings =
        breaches.map(|breach| places[&breach.at].clone().map(|(path, _)| breach.into_finding(path)));
    verify_values(root, dialect, |rule, path, _| {
        findings.add(|| {
            let mut pointer = Pointer::root();
            path.iter().for_each(|step| step.push_to(&mut pointer));
            Finding::new(rule, &pointer)
        });
    });
    findings.finish(|more| more)
}

/// The ends of edges to names that have values of their own (§15.6).
fn given_ends<'a, N: Node<'a>>(graph: &Graph<'a, N>, dialect: &Dialect) -> HashSet<(u32, u32)> {
    let (given, dialect) = (given_names(graph.root(), Some(dialect.name)), Some(dialect.name));
    let resources = graph.resources().filter(|_| !given.is_empty());
    let by_key: HashMap<Cow<'_, str>, Resource<'_, 'a, N>> =
        resources.map(|resource| (resource.key(), resource)).collect();
    let mut ends = HashSet::new();
    for names in given.chunk_by(|one, other| one.0 == other.0) {
        let Some(&from) = by_key.get(&names[0].0) else { continue };
        let targets = names.iter().filter_map(|(_, to)| by_key.get(*to));
        ends.extend(targets.map(|to| (from.ordinal(), to.ordinal())));
        let others = graph.dependencies(from).filter(|(kind, _)| !may_be_given(dialect, kind));
        for (_, to) in others {
            ends.remove(&(from.ordinal(), to.ordinal()));
        }
    }
    ends
}

/// Checks cycles and order. Linear in vertices and edges, whatever the declared nesting. Takes at
/// most 34 bytes per vertex, and 12 more if vertices nest.
///
/// An edge to a resource covers all its instances, so an instance that refers to its own resource
/// refers to itself.
pub fn verify_connections<F: Connected>(facts: &F, dialect: &Dialect, breaches: &mut Listing<GraphBreach>) {
    if dialect.cycles == CycleRule::Any {
        return;
    }
    let needs = Needs::of(facts);
    let refers_to_itself = |vertex: &u32| {
        let mut targets = (0..facts.degree(*vertex)).filter_map(|entry| facts.target(*vertex, entry));
        targets.any(|target| needs.is_within(*vertex, target))
    };
    for vertex in (0..facts.vertices()).filter(refers_to_itself) {
        breaches.add(|| GraphBreach::at_vertex(&GRF_SELF, vertex));
    }
    let cycle_of = needs.components();
    for cycle in needs.cycles(&cycle_of) {
        breaches.add(|| GraphBreach {
            found: Some(print_cycle(facts, &cycle)),
            ..GraphBreach::at_vertex(&GRF_CYCLE, cycle[0])
        });
    }
    if dialect.cycles == CycleRule::Ordered {
        for vertex in 0..facts.vertices() {
            let Some(late) = disorder(&needs, &cycle_of, vertex) else { continue };
            breaches.add(|| GraphBreach {
                found: Some(format!("`{}` after it", facts.key(late))),
                ..GraphBreach::at_vertex(&GRF_ORDER, vertex)
            });
        }
    }
}

/// The required order of creation: the edges, except within one resource, and each resource after
/// its instances.
struct Needs<'f, F> {
    facts: &'f F,
    /// The vertices directly inside vertex `v`: `offsets[v] .. offsets[v + 1]` of `inner`. Empty if
    /// vertices do not nest.
    offsets: Vec<u32>,
    inner: Vec<u32>,
    /// For each vertex, the first vertex after it that is not in it; those in it follow it in
    /// document order. Empty if vertices do not nest.
    ends: Vec<u32>,
}

impl<F: Connected> Needs<'_, F> {
    fn of(facts: &F) -> Needs<'_, F> {
        let parents = || (0..facts.vertices()).filter_map(|vertex| Some((vertex, facts.parent(vertex)?)));
        if parents().next().is_none() {
            return Needs { facts, offsets: Vec::new(), inner: Vec::new(), ends: Vec::new() };
        }
        // Counted at the parent, then summed up to the end of each parent's run. Filling from the
        // back of each run leaves the starts.
        let mut offsets = vec![0u32; facts.vertices() as usize + 1];
        parents().for_each(|(_, parent)| offsets[parent as usize] += 1);
        let mut sum = 0;
        for offset in &mut offsets {
            sum += *offset;
            *offset = sum;
        }
        let mut inner = vec![0; sum as usize];
        for (vertex, parent) in parents() {
            let end = &mut offsets[parent as usize];
            *end -= 1;
            inner[*end as usize] = vertex;
        }
        let mut ends: Vec<u32> = (1..=facts.vertices()).collect();
        // Inner ones first. An entry that puts a parent after its contents is ignored.
        for vertex in (0..facts.vertices()).rev() {
            if let Some(parent) = facts.parent(vertex).filter(|parent| *parent < vertex) {
                ends[parent as usize] = ends[parent as usize].max(ends[vertex as usize]);
            }
        }
        Needs { facts, offsets, inner, ends }
    }

    /// Whether `vertex` is `outer` or in it.
    fn is_within(&self, vertex: u32, outer: u32) -> bool {
        let end = self.ends.get(outer as usize).copied();
        (outer..end.unwrap_or(outer.saturating_add(1))).contains(&vertex)
    }

    fn inner(&self, vertex: u32) -> &[u32] {
        let at = vertex as usize;
        match self.offsets.get(at..at + 2) {
            Some(&[start, end]) => &self.inner[start as usize..end as usize],
            _ => &[],
        }
    }
}

impl<F: Connected> Adjacency for Needs<'_, F> {
    fn vertices(&self) -> u32 {
        self.facts.vertices()
    }

    fn degree(&self, vertex: u32) -> u32 {
        let inner = u32::try_from(self.inner(vertex).len()).expect("there are no more of them than ordinals");
        self.facts.degree(vertex) + inner
    }

    fn target(&self, vertex: u32, entry: u32) -> Option<u32> {
        match entry.checked_sub(self.facts.degree(vertex)) {
            None => self.facts.target(vertex, entry).filter(|&target| !self.is_within(vertex, target)),
            Some(entry) => self.inner(vertex).get(entry as usize).copied(),
        }
    }
}

impl Listed for GraphBreach {
    fn text_bytes(&self) -> usize {
        bytes_of([&self.expected, &self.found, &self.hint])
    }
}

impl GraphBreach {
    /// The finding at `path`, the place of the violation in the document.
    pub fn into_finding(self, path: String) -> Finding {
        let GraphBreach { rule, expected, found, hint, .. } = self;
        Finding { rule, path, location: None, expected, found, hint }
    }

    /// A vertex has the key of an earlier one.
    pub fn repeated_key(vertex: u32, key: &str) -> GraphBreach {
        GraphBreach { found: Some(format!("`{key}`")), ..GraphBreach::at_vertex(&GRF_KEY, vertex) }
    }

    fn at_vertex(rule: &'static Rule, vertex: u32) -> GraphBreach {
        GraphBreach { rule, at: GraphPlace::Vertex(vertex), expected: None, found: None, hint: None }
    }
}

/// Whether a dangling reference is a fault.
pub fn is_amiss(dangling: &Dangling<'_>, dialect: &Dialect) -> bool {
    let kind = dialect.edges.get(usize::from(dangling.edge.number)).and_then(|edge| edge.split('=').next());
    !kind.is_some_and(|kind| dialect.may_lead_elsewhere(kind, dangling.edge.target))
}

/// Checks references, and suggests keys for dangling ones. `each_key` visits the keys of all
/// vertices. It is called at most twice, and not at all if no reference dangles.
pub fn verify_references(
    dangling: &[Dangling<'_>],
    each_key: impl Fn(&mut dyn FnMut(&str)),
    dialect: &Dialect,
    breaches: &mut Listing<GraphBreach>,
) {
    if dangling.is_empty() {
        return;
    }
    // A state keeps dependencies on deleted resources; everywhere else a reference must have a
    // target.
    let rule = match dialect.name.starts_with("terraform-") {
        true => &GRF_DEPENDENCY,
        false => &GRF_REF,
    };
    let mut targets: HashMap<&str, Option<String>> = HashMap::new();
    let mut wanted: Vec<Nearest<'_, String>> = Vec::new();
    for dangling in dangling {
        let target = dangling.edge.target;
        if wanted.len() < MOST_SUGGESTIONS as usize && !targets.contains_key(target) {
            targets.insert(target, None);
            wanted.push(Nearest::to(target));
        }
    }
    let name_instances = dialect.edges.iter().any(|edge| edge.ends_with("<["));
    each_key(&mut |key| {
        // Suggest the text that the author would write: addresses in a configuration have no
        // instance keys.
        let key = if name_instances { without_instances(key) } else { Cow::Borrowed(key) };
        wanted.iter_mut().for_each(|wanted| wanted.look_at(&*key));
    });
    for nearest in wanted {
        targets.insert(nearest.wanted(), nearest.found());
    }
    for dangling in dangling {
        let target = dangling.edge.target;
        let meant = targets.get(target).and_then(Option::as_ref);
        breaches.add(|| GraphBreach {
            rule,
            at: GraphPlace::Reference(dangling.reference),
            expected: None,
            found: Some(format!("`{target}`")),
            hint: meant.map(|key| format!("did you mean `{key}`?")),
        });
    }
}

/// The keys of a cycle, with the first repeated at its end. For a long cycle, only its beginning
/// and end are shown, which are nearest to the finding.
fn print_cycle<F: Connected>(facts: &F, cycle: &[u32]) -> String {
    let whole = || cycle.iter().chain(&cycle[..1]);
    let print = |&vertex: &u32| format!("`{}`", facts.cut_key(vertex, MOST_CHARACTERS));
    let left_out = cycle.len().saturating_sub(2 * MOST_AT_AN_END);
    let (first, last) = match left_out {
        0 => (whole().count(), 0),
        _ => (MOST_AT_AN_END, MOST_AT_AN_END + 1),
    };
    let mut steps: Vec<String> = whole().take(first).map(print).collect();
    if left_out > 0 {
        steps.push(format!("({left_out} more)"));
    }
    steps.extend(whole().skip(cycle.len() + 1 - last).map(print));
    steps.join(" → ")
}

/// The number of keys printed from either end of a cycle, and of characters from either end of each
/// key.
const MOST_AT_AN_END: usize = 8;
const MOST_CHARACTERS: usize = 100;

/// The first dependency of `vertex` that comes after it, unless a cycle is the reason.
fn disorder<F: Connected>(needs: &Needs<'_, F>, cycle_of: &[u32], vertex: u32) -> Option<u32> {
    let facts = needs.facts;
    let targets = (0..facts.degree(vertex)).filter_map(|entry| needs.target(vertex, entry));
    let is_late = |target: &u32| *target > vertex && cycle_of[*target as usize] != cycle_of[vertex as usize];
    targets.filter(is_late).min()
}

/// Reports the second and later of resources with one key. Does not compare keys of object entries:
/// those of one object differ, and different objects may be different modules.
fn repeated_keys<'a, N: Node<'a>>(graph: &Graph<'a, N>, breaches: &mut Listing<GraphBreach>) {
    let patterns = graph.landmarks().rule().patterns();
    let mut seen = HashSet::new();
    for (resource, landmark) in graph.resources().zip(graph.landmarks().entries()) {
        let is_entry = *patterns[usize::from(landmark.class)].key() == KeyRule::Name;
        if is_entry || resource.is_pending_delete() {
            continue;
        }
        let vertex = resource.ordinal();
        if !seen.insert((landmark.class, graph.facts().key_numbers[vertex as usize])) {
            breaches.add(|| GraphBreach::repeated_key(vertex, &resource.key()));
        }
    }
}

/// Checks the fields of a resource that its dialect [needs](Dialect::needs): whether each exists
/// and has its kind. `number` is that of [`GraphPlace::Resource`]. Costs a key lookup for each such
/// field.
pub fn verify_fields<'a, N: Node<'a>>(
    number: usize,
    resource: N,
    dialect: &Dialect,
) -> impl Iterator<Item = GraphBreach> {
    let breach = move |expected: &str, found: String| GraphBreach {
        rule: &GRF_FIELD,
        at: GraphPlace::Resource(number),
        expected: Some(expected.to_owned()),
        found: Some(found),
        hint: None,
    };
    let is_object = resource.kind() == Kind::Object;
    let no_object = (!is_object).then(|| breach("an object", resource.kind().name().to_owned()));
    let needed = dialect.needs.iter().filter(move |_| is_object);
    let lacking = needed.filter_map(move |need| {
        let (key, kind) = need.split_once(':')?;
        let found = match resource.get(key).map(|value| value.kind().name()) {
            None => "a resource without it".to_owned(),
            Some(found) if found != kind => found.to_owned(),
            Some(_) => return None,
        };
        Some(breach(&format!("`{key}` of kind {kind}"), found))
    });
    no_object.into_iter().chain(lacking)
}

/// Checks the keys that are URNs. Visits each own key once, after those around it.
fn verify_names<'a, N: Node<'a>>(
    graph: &Graph<'a, N>,
    dialect: &Dialect,
    breaches: &mut Listing<GraphBreach>,
) {
    let mut keys = graph.landmarks().each_key();
    // The vertices around the last one, outermost first, and itself, with the scans of their keys.
    let mut around: Vec<(u32, UrnScan)> = Vec::new();
    let has_parts = graph.landmarks().join().is_some();
    for resource in graph.resources() {
        let Some(key) = keys.read_next() else { return };
        let parent = graph.parent(resource.ordinal()).filter(|_| has_parts);
        while around.pop_if(|(vertex, _)| Some(*vertex) != parent).is_some() {}
        let mut scan = around.last().map(|(_, scan)| *scan).unwrap_or_default();
        verify_scanned(resource.ordinal(), key, &mut scan, || resource.resource_type(), dialect, breaches);
        around.push((resource.ordinal(), scan.before_more_than(key)));
    }
}

/// Checks `key`, the URN of a vertex, by itself and against the vertex's type. Simple names, as in
/// the first graphs, are not checked.
pub fn verify_name<'a>(
    vertex: u32,
    key: &str,
    resource_type: impl FnOnce() -> Option<&'a str>,
    dialect: &Dialect,
    breaches: &mut Listing<GraphBreach>,
) {
    verify_scanned(vertex, key, &mut UrnScan::default(), resource_type, dialect, breaches);
}

/// Like [`verify_name`], with a scan of the beginning of `key`.
fn verify_scanned<'a>(
    vertex: u32,
    key: &str,
    scan: &mut UrnScan,
    resource_type: impl FnOnce() -> Option<&'a str>,
    dialect: &Dialect,
    breaches: &mut Listing<GraphBreach>,
) {
    if !(dialect.has_urns() || key.starts_with("urn:")) {
        return;
    }
    scan.go_on(key);
    match scan.urn(key) {
        Err(error) => breaches.add(|| GraphBreach {
            found: Some(format!("`{key}`")),
            hint: Some(error.to_string()),
            ..GraphBreach::at_vertex(&GRF_URN, vertex)
        }),
        Ok(urn) => {
            if let Some(found) = resource_type().filter(|&token| !urn.has_type_token(token)) {
                breaches.add(|| GraphBreach {
                    expected: Some(format!("`{}`", urn.type_token())),
                    found: Some(format!("`{found}`")),
                    ..GraphBreach::at_vertex(&GRF_TYPE, vertex)
                });
            }
        }
    }
}

/// Calls `each` with every unknown value and every unknown signature, the violated rule, and its
/// path. Costs a walk over the document. Terraform marks such values differently.
pub fn verify_values<'a, N: Node<'a>>(
    root: N,
    dialect: &Dialect,
    mut each: impl FnMut(&'static Rule, &[Trail<'a>], N),
) {
    if dialect.name.starts_with("terraform-") {
        return;
    }
    let tag = verify_tag(root, dialect, &mut each);
    visit_all(root, |path, value| match Special::of(value) {
        Some(Special::Unknown(_)) => each(&GRF_UNKNOWN, path, value),
        Some(Special::Unrecognised(_)) => each(&GRF_SIGNATURE, path, value),
        _ => {
            if tag.is_some_and(|tag| is_reference_and_more(value, tag)) && dialect.is_in_resource(path) {
                each(&GRF_ENTRIES, path, value);
            }
        }
    });
}

/// Checks the key that the document gives to its reference objects. Returns the key if objects with
/// it are references.
fn verify_tag<'a, N: Node<'a>>(
    root: N,
    dialect: &Dialect,
    each: &mut impl FnMut(&'static Rule, &[Trail<'a>], N),
) -> Option<&'a str> {
    /// Keys of resources, so that an object with one of them proves nothing.
    const TAKEN: [&str; 3] = ["", "id", "type"];
    if dialect.tag.is_empty() {
        return None;
    }
    let Some((path, named)) = dialect.named_tag(root) else { return Some("#ref") };
    let tag = named.as_str()?;
    if !TAKEN.contains(&tag) {
        return Some(tag);
    }
    let path: Vec<Trail<'a>> = path.split('/').skip(1).map(Trail::Entry).collect();
    each(&GRF_TAG, &path, named);
    None
}

/// Whether an object has the key of a reference, but also other entries. Such an object is not a
/// reference.
fn is_reference_and_more<'a, N: Node<'a>>(value: N, tag: &str) -> bool {
    let is_object = value.kind() == Kind::Object && value.width() > 1;
    is_object && value.get(tag).is_some_and(|reference| reference.as_str().is_some())
}

/// The places of violations in the graph that `rule` finds in `root`: their JSON pointers, while
/// there is room, and the values there. Costs one walk if there are violations.
pub fn find_places<'a, N: Node<'a>>(
    rule: &LandmarkRule,
    root: N,
    breaches: &[GraphBreach],
) -> BTreeMap<GraphPlace, Option<(String, N)>> {
    let mut places: BTreeMap<GraphPlace, Option<(String, N)>> =
        breaches.iter().map(|breach| (breach.at, None)).collect();
    if places.is_empty() {
        return places;
    }
    let (mut pointer, mut room) = (Pointer::root(), PointerRoom::default());
    let (mut resources, mut vertices, mut references) = (0, 0, 0);
    for visited in Walk::new(rule, root) {
        pointer.truncate(visited.depth.saturating_sub(1));
        visited.trail.push_to(&mut pointer);
        let mut note = |place| {
            if let Some(found) = places.get_mut(&place) {
                *found = room.take(&pointer).then(|| ((&pointer).into(), visited.node));
            }
        };
        for _ in visited.edges.iter() {
            note(GraphPlace::Reference(references));
            references += 1;
        }
        if visited.is_resource() {
            note(GraphPlace::Resource(resources));
            resources += 1;
        }
        if visited.landmark.is_some() {
            note(GraphPlace::Vertex(vertices));
            vertices += 1;
        }
    }
    places
}

#[cfg(test)]
mod tests;
