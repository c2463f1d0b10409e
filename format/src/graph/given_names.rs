//! §15.6 Names that a template gives values of its own, which hide the resources of these names.
//!
//! A landmark rule sees only one string, so it finds an edge to such a resource.

use super::adjacency::Adjacency;
use super::facts::Connected;
use crate::node::{Kind, Node};
use std::borrow::Cow;
use std::collections::HashSet;

/// The kind of the edges in `Fn::Sub`.
const SUB: &str = "sub";

/// Values visited in a document. Templates have at most 1 MB.
pub const MOST_VISITED: u64 = 1 << 22;

/// Whether an edge of this kind, in a document of this dialect, may lead to a name that has a value
/// of its own.
pub fn may_be_given(dialect: Option<&str>, kind: &str) -> bool {
    kind == SUB && dialect == Some("cloudformation")
}

/// The resources and outputs of a template by key, each with a name that every `Fn::Sub` in it
/// which contains the name gives a value. Nothing for other documents, and for documents of more
/// than 2^22 values.
pub fn given_names<'a, N: Node<'a>>(template: N, dialect: Option<&str>) -> Vec<(Cow<'a, str>, &'a str)> {
    let mut left = MOST_VISITED;
    let mut given = Vec::new();
    if !may_be_given(dialect, SUB) {
        return given;
    }
    let section = |name| template.get(name).into_iter().flat_map(Node::entries);
    let resources = section("Resources").map(|(name, resource)| (Cow::Borrowed(name), resource));
    let outputs = section("Outputs").map(|(name, output)| (Cow::Owned(format!("Outputs/{name}")), output));
    for (key, resource) in resources.chain(outputs) {
        let Some(names) = given_in(resource, &mut left) else { return Vec::new() };
        given.extend(names.into_iter().map(|name| (key.clone(), name)));
    }
    given
}

/// The names that every `Fn::Sub` in this resource or output gives values, if they are in one, in
/// order. `None` if it has more values than are left.
pub fn given_in<'a, N: Node<'a>>(resource: N, left: &mut u64) -> Option<Vec<&'a str>> {
    let (mut own_names, mut others) = (Vec::new(), HashSet::new());
    let mut pending = vec![resource];
    while let Some(value) = pending.pop() {
        *left = left.checked_sub(1)?;
        if let Some(substituted) = value.get("Fn::Sub").filter(|list| list.kind() == Kind::List)
            && let Some(text) = substituted.items().next().and_then(Node::as_str)
        {
            let own = substituted.items().nth(1);
            for name in substitutions(text) {
                match own.is_some_and(|own| own.get(name).is_some()) {
                    true => own_names.push(until_dot(name)),
                    false => drop(others.insert(until_dot(name))),
                }
            }
        } else if let Some(text) = value.get("Fn::Sub").and_then(Node::as_str) {
            others.extend(substitutions(text).map(until_dot));
        }
        let below = value.entries().map(|(_, inner)| inner).chain(value.items());
        pending.extend(below.filter(|inner| inner.kind().is_container()));
    }
    own_names.sort_unstable();
    own_names.dedup();
    own_names.retain(|name| !others.contains(name));
    Some(own_names)
}

/// The names in `${…}`. A text that begins with `!` is not a name.
pub fn substitutions(text: &str) -> impl Iterator<Item = &str> {
    text.split("${")
        .skip(1)
        .filter_map(|rest| rest.split_once('}'))
        .map(|(name, _)| name.trim())
        .filter(|name| !name.starts_with('!') && !name.is_empty())
}

/// The name of the resource in the name of one of its attributes.
pub fn until_dot(text: &str) -> &str {
    text.split_once('.').map_or(text, |(name, _)| name)
}

/// A graph without the edges to names that have values of their own.
#[derive(Debug)]
pub struct GivenNames<'f, F> {
    facts: &'f F,
    /// The ends of these edges, unless another edge leads from the one to the other.
    ends: HashSet<(u32, u32)>,
}

impl<'f, F: Connected> GivenNames<'f, F> {
    /// Leaves out all edges with these ends.
    pub fn left_out_of(facts: &'f F, ends: impl IntoIterator<Item = (u32, u32)>) -> GivenNames<'f, F> {
        GivenNames { facts, ends: ends.into_iter().collect() }
    }
}

impl<F: Connected> Adjacency for GivenNames<'_, F> {
    fn vertices(&self) -> u32 {
        self.facts.vertices()
    }

    fn degree(&self, vertex: u32) -> u32 {
        self.facts.degree(vertex)
    }

    fn target(&self, vertex: u32, entry: u32) -> Option<u32> {
        self.facts.target(vertex, entry).filter(|&target| !self.ends.contains(&(vertex, target)))
    }
}

impl<F: Connected> Connected for GivenNames<'_, F> {
    fn key(&self, vertex: u32) -> Cow<'_, str> {
        self.facts.key(vertex)
    }

    fn cut_key(&self, vertex: u32, most: usize) -> Cow<'_, str> {
        self.facts.cut_key(vertex, most)
    }

    fn parent(&self, vertex: u32) -> Option<u32> {
        self.facts.parent(vertex)
    }
}
