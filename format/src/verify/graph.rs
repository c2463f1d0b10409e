//! §15.9 Verification of graphs.
//!
//! Keys, references, cycles and order need only [`GraphFacts`]; what else is checked needs the document.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::graph_rules::{
    GRF_CYCLE, GRF_DEPENDENCY, GRF_KEY, GRF_ORDER, GRF_REF, GRF_SELF, GRF_SIGNATURE, GRF_TYPE, GRF_UNKNOWN,
    GRF_URN,
};
use super::nearest::nearest;
use super::{Finding, Pointer, Rule};
use crate::graph::address::Address;
use crate::graph::{Edge, Edges, Graph, GraphFacts, Resource, Special, visit_all};
use crate::landmark::{CycleRule, Dialect, Key, Walk};
use crate::node::Node;
use crate::urn::Urn;

/// For how many keys that lead nowhere the nearest one is searched. Each costs a look at every key.
const MOST_SUGGESTIONS: usize = 32;

/// A breach of a rule, at a vertex or a reference whose place in the document is still to be found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphBreach {
    /// The rule.
    pub rule: &'static Rule,
    /// Where.
    pub at: GraphPlace,
    /// What would have been right.
    pub expected: Option<String>,
    /// What is there.
    pub found: Option<String>,
    /// What the author can do.
    pub hint: Option<String>,
}

/// What of a graph a breach is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GraphPlace {
    /// The vertex with this ordinal.
    Vertex(u32),
    /// The reference with this number, in document order, those that lead somewhere included.
    Reference(usize),
}

/// Everything that is wrong with `root`, a graph of `dialect`, in document order.
///
/// Linear in the document, but for the suggestions, of which there are at most 32.
pub fn verify_graph<'a, N: Node<'a>>(root: N, dialect: &'static Dialect) -> Vec<Finding> {
    let graph = Graph::new(root, dialect);
    let mut breaches = verify_facts(graph.facts(), dialect);
    breaches.extend(repeated_keys(&graph));
    breaches.extend(graph.resources().filter_map(|resource| name_breach(resource, dialect)));
    let pointers = pointers_of(&graph, &breaches);
    let mut findings: Vec<Finding> = breaches
        .into_iter()
        .map(|breach| Finding {
            rule: breach.rule,
            path: pointers[&breach.at].clone(),
            location: None,
            expected: breach.expected,
            found: breach.found,
            hint: breach.hint,
        })
        .collect();
    special_values(root, dialect, &mut findings);
    findings
}

/// What is wrong with references, cycles and order. Linear in vertices and edges, but for the suggestions.
///
/// An edge to a resource means all its instances, so an instance that refers to its own resource refers to
/// itself.
pub fn verify_facts(facts: &GraphFacts<'_>, dialect: &Dialect) -> Vec<GraphBreach> {
    let mut breaches = dangling_references(facts, dialect);
    let mut edges = Vec::new();
    for vertex in 0..facts.edges.vertices() {
        let mut refers_to_itself = false;
        for edge in facts.edges.of(vertex) {
            match facts.is_within(vertex, edge.target) {
                true => refers_to_itself = true,
                false => edges.push(edge),
            }
        }
        edges.extend(facts.parents[vertex as usize].map(|parent| Edge {
            source: parent,
            target: vertex,
            number: 0,
        }));
        if refers_to_itself && dialect.cycles != CycleRule::Any {
            breaches.push(GraphBreach::at_vertex(&GRF_SELF, vertex));
        }
    }
    if dialect.cycles != CycleRule::Any {
        let edges = Edges::new(facts.edges.vertices(), &edges);
        let cycle_of = edges.components();
        breaches.extend(edges.cycles().into_iter().map(|cycle| GraphBreach {
            found: Some(print_cycle(facts, &cycle)),
            ..GraphBreach::at_vertex(&GRF_CYCLE, cycle[0])
        }));
        if dialect.cycles == CycleRule::Ordered {
            breaches.extend(
                (0..edges.vertices()).filter_map(|vertex| disorder(facts, &edges, &cycle_of, vertex)),
            );
        }
    }
    breaches
}

impl GraphBreach {
    fn at_vertex(rule: &'static Rule, vertex: u32) -> GraphBreach {
        GraphBreach { rule, at: GraphPlace::Vertex(vertex), expected: None, found: None, hint: None }
    }
}

fn dangling_references(facts: &GraphFacts<'_>, dialect: &Dialect) -> Vec<GraphBreach> {
    // A state remembers dependencies on what is gone; everywhere else a reference is meant.
    let rule = match dialect.name.starts_with("terraform-") {
        true => &GRF_DEPENDENCY,
        false => &GRF_REF,
    };
    // `terraform show` lists instances only, while dependencies name the resources that they are of.
    let resources: HashSet<&str> = match dialect.name == "terraform-show" && !facts.dangling.is_empty() {
        true => facts.keys.iter().filter_map(|key| Some(Address::parse(key).ok()?.without_index())).collect(),
        false => HashSet::new(),
    };
    let mut suggestions: HashMap<&str, Option<&str>> = HashMap::new();
    let mut breaches = Vec::new();
    for dangling in &facts.dangling {
        let target = dangling.edge.target;
        if resources.contains(target) {
            continue;
        }
        let is_full = suggestions.len() >= MOST_SUGGESTIONS;
        let meant = match suggestions.get(target) {
            Some(known) => *known,
            None if is_full => None,
            None => {
                let meant = nearest(target, facts.keys.iter().map(AsRef::as_ref));
                suggestions.insert(target, meant);
                meant
            }
        };
        breaches.push(GraphBreach {
            rule,
            at: GraphPlace::Reference(dangling.reference),
            expected: None,
            found: Some(format!("`{target}`")),
            hint: meant.map(|key| format!("did you mean `{key}`?")),
        });
    }
    breaches
}

fn print_cycle(facts: &GraphFacts<'_>, cycle: &[u32]) -> String {
    let keys = cycle.iter().chain(&cycle[..1]).map(|&vertex| format!("`{}`", facts.keys[vertex as usize]));
    keys.collect::<Vec<_>>().join(" -> ")
}

/// The first dependency of `vertex` that stands after it, if that is not because of a cycle.
fn disorder(facts: &GraphFacts<'_>, edges: &Edges, cycle_of: &[u32], vertex: u32) -> Option<GraphBreach> {
    let is_late =
        |edge: &Edge| edge.target > vertex && cycle_of[edge.target as usize] != cycle_of[vertex as usize];
    let late = edges.of(vertex).find(is_late)?;
    Some(GraphBreach {
        found: Some(format!("`{}` after it", facts.keys[late.target as usize])),
        ..GraphBreach::at_vertex(&GRF_ORDER, vertex)
    })
}

/// The second and later of resources with one key. Keys of object entries are not compared: those of one object
/// differ, and different objects may be different modules.
fn repeated_keys<'a, N: Node<'a>>(graph: &Graph<'a, N>) -> Vec<GraphBreach> {
    let patterns = graph.landmarks().rule().patterns();
    let mut seen = HashMap::new();
    let mut breaches = Vec::new();
    for (resource, landmark) in graph.resources().zip(graph.landmarks().entries()) {
        let is_entry = *patterns[usize::from(landmark.class)].key() == Key::Name;
        if is_entry || resource.is_condemned() {
            continue;
        }
        if seen.insert((landmark.class, resource.key()), resource.ordinal()).is_some() {
            breaches.push(GraphBreach {
                found: Some(format!("`{}` again", resource.key())),
                ..GraphBreach::at_vertex(&GRF_KEY, resource.ordinal())
            });
        }
    }
    breaches
}

/// What is wrong with the URN of a resource. Simple names, as the first graphs have them, are no URNs.
fn name_breach<'a, N: Node<'a>>(resource: Resource<'_, 'a, N>, dialect: &Dialect) -> Option<GraphBreach> {
    let key = resource.key();
    if !(dialect.name.starts_with("pulumi-") || key.starts_with("urn:")) {
        return None;
    }
    match Urn::parse(key) {
        Err(error) => Some(GraphBreach {
            found: Some(format!("`{key}`")),
            hint: Some(error.to_string()),
            ..GraphBreach::at_vertex(&GRF_URN, resource.ordinal())
        }),
        Ok(urn) => {
            let found = resource.resource_type().filter(|&token| token != urn.type_token())?;
            Some(GraphBreach {
                expected: Some(format!("`{}`", urn.type_token())),
                found: Some(format!("`{found}`")),
                ..GraphBreach::at_vertex(&GRF_TYPE, resource.ordinal())
            })
        }
    }
}

/// Adds unknown values in snapshots, and signatures that nobody knows.
fn special_values<'a, N: Node<'a>>(root: N, dialect: &Dialect, findings: &mut Vec<Finding>) {
    if dialect.name.starts_with("terraform-") {
        return;
    }
    visit_all(root, |path, value| {
        let rule = match Special::of(value) {
            Some(Special::Unknown(_)) => &GRF_UNKNOWN,
            Some(Special::Unrecognised(_)) => &GRF_SIGNATURE,
            _ => return,
        };
        let mut pointer = Pointer::root();
        path.iter().for_each(|step| step.push_to(&mut pointer));
        findings.push(Finding::new(rule, &pointer));
    });
}

/// The JSON pointers of the places that breaches are at.
fn pointers_of<'a, N: Node<'a>>(
    graph: &Graph<'a, N>,
    breaches: &[GraphBreach],
) -> BTreeMap<GraphPlace, String> {
    let mut pointers: BTreeMap<GraphPlace, String> =
        breaches.iter().map(|breach| (breach.at, String::new())).collect();
    if pointers.is_empty() {
        return pointers;
    }
    let mut pointer = Pointer::root();
    let mut vertices = 0;
    let mut references = 0;
    for visited in Walk::new(graph.landmarks().rule(), graph.root()) {
        pointer.truncate(visited.depth.saturating_sub(1));
        visited.trail.push_to(&mut pointer);
        let mut note = |place| {
            if let Some(text) = pointers.get_mut(&place) {
                *text = (&pointer).into();
            }
        };
        for _ in &visited.edges {
            note(GraphPlace::Reference(references));
            references += 1;
        }
        if visited.landmark.is_some() {
            note(GraphPlace::Vertex(vertices));
            vertices += 1;
        }
    }
    pointers
}
