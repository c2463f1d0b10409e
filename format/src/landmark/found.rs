//! Applies a landmark rule to a whole tree (§8.1).
//!
//! This defines every index: the index of a compiled document contains the results of this walk.

use std::borrow::Cow;
use std::fmt;

use super::LandmarkRule;
use super::own_keys::OwnKeys;
use super::walk::{Visited, Walk};
use crate::node::Node;

/// All landmarks and edges of a document, in document order.
///
/// A landmark comes before those inside it; its position in the list is its *ordinal*.
#[derive(Clone)]
pub struct Landmarks<'a, N> {
    rule: LandmarkRule,
    entries: Vec<Landmark<'a, N>>,
    edges: Vec<FoundEdge<'a>>,
}

/// Prints a line of bounded length, without content.
impl<N> fmt::Debug for Landmarks<'_, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (entries, edges) = (self.entries.len(), self.edges.len());
        write!(f, "Landmarks {{ entries: {entries}, edges: {edges} }}")
    }
}

/// A value that can be looked up.
#[derive(Clone)]
pub struct Landmark<'a, N> {
    /// The number of the pattern that makes it a landmark.
    pub class: u8,
    /// The ordinal of the innermost landmark around it.
    pub parent: Option<u32>,
    /// Its own key, without its parent's. Neither this key nor the full key need be unique.
    pub key: Cow<'a, str>,
    /// The value itself.
    pub node: N,
}

/// Prints a line of bounded length, without content.
impl<N> fmt::Debug for Landmark<'_, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Landmark {{ class: {}, parent: {:?} }}", self.class, self.parent)
    }
}

/// A reference in a string at a place where the rule expects one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoundEdge<'a> {
    /// The ordinal of the landmark that the edge starts at.
    pub source: u32,
    /// The number of the edge pattern.
    pub number: u8,
    /// The key that it names. It may not exist.
    pub target: &'a str,
}

/// The references in a string for the edge patterns that end there. They are found on request,
/// because a long string can have very many.
#[derive(Clone, Debug, Default)]
pub struct FoundEdges<'a>(Option<FoundString<'a>>);

#[derive(Clone, Debug)]
struct FoundString<'a> {
    rule: LandmarkRule,
    /// The numbers of the edge patterns.
    numbers: Vec<u8>,
    source: u32,
    text: &'a str,
    /// Maximum number of references that count.
    most: usize,
}

impl<'a> FoundEdges<'a> {
    /// The references in the string `text` by the edge patterns with these numbers.
    pub(super) fn new(rule: &LandmarkRule, numbers: Vec<u8>, source: u32, text: &'a str) -> FoundEdges<'a> {
        FoundEdges(Some(FoundString { rule: rule.clone(), numbers, source, text, most: usize::MAX }))
    }

    /// The references, by edge pattern and then in the order of the string.
    pub fn iter(&self) -> impl Iterator<Item = FoundEdge<'a>> {
        self.0.iter().flat_map(FoundString::iter)
    }

    /// Drops all references after the first `most`.
    pub fn truncate(&mut self, most: usize) {
        if let Some(found) = &mut self.0 {
            found.most = most;
        }
    }
}

impl<'a> FoundString<'a> {
    fn iter(&self) -> impl Iterator<Item = FoundEdge<'a>> {
        let (source, text) = (self.source, self.text);
        let of_pattern = move |&number: &u8| {
            let edge = &self.rule.edges()[usize::from(number)];
            edge.reading().references(text).map(move |target| FoundEdge { source, number, target })
        };
        self.numbers.iter().flat_map(of_pattern).take(self.most)
    }
}

impl<'a, N: Node<'a>> Landmarks<'a, N> {
    /// Finds landmarks and edges. Walks the tree once, without recursion, and only where the rule
    /// can match.
    pub fn find(rule: &LandmarkRule, root: N) -> Landmarks<'a, N> {
        Landmarks::of_walk(rule, Walk::new(rule, root))
    }

    /// Collects the landmarks and edges of values visited in document order: by a [`Walk`], or by
    /// the part of it that the caller passes on.
    pub fn of_walk(rule: &LandmarkRule, walk: impl Iterator<Item = Visited<'a, N>>) -> Landmarks<'a, N> {
        let mut found = Landmarks { rule: rule.clone(), entries: Vec::new(), edges: Vec::new() };
        for visited in walk {
            found.edges.extend(visited.edges.iter());
            found.entries.extend(visited.landmark);
        }
        found
    }

    /// Total bytes of all full keys, computed without assembling them. Nested landmarks repeat the
    /// keys of their parents.
    pub fn full_key_bytes(&self) -> u64 {
        let mut lengths: Vec<u64> = Vec::with_capacity(self.entries.len());
        let mut total = 0u64;
        for landmark in &self.entries {
            let own = landmark.key.len() as u64;
            let above = match (self.rule.join(), landmark.parent) {
                (Some(join), Some(parent)) => lengths[parent as usize].saturating_add(join.len() as u64),
                _ => 0,
            };
            let length = own.saturating_add(above);
            lengths.push(length);
            total = total.saturating_add(length);
        }
        total
    }

    /// The rule that found them.
    pub fn rule(&self) -> &LandmarkRule {
        &self.rule
    }

    /// The landmarks by ordinal.
    pub fn entries(&self) -> &[Landmark<'a, N>] {
        &self.entries
    }

    /// The edges in document order. Those of one landmark need not be adjacent if landmarks are
    /// nested.
    pub fn edges(&self) -> &[FoundEdge<'a>] {
        &self.edges
    }

    /// The edges. Frees the landmarks.
    pub fn into_edges(self) -> Vec<FoundEdge<'a>> {
        self.edges
    }

    /// The full key of the landmark with this ordinal: own keys from the outside in, with the
    /// rule's join between them. If the rule has no join, it is the own key.
    pub fn full_key(&self, ordinal: u32) -> Cow<'_, str> {
        self.whole_key(ordinal)
    }
}

impl<N> OwnKeys for Landmarks<'_, N> {
    fn own_key(&self, ordinal: u32) -> Option<&str> {
        Some(&self.entries.get(ordinal as usize)?.key)
    }

    fn parent_of(&self, ordinal: u32) -> Option<u32> {
        self.entries.get(ordinal as usize)?.parent
    }

    fn join(&self) -> Option<&str> {
        self.rule.join()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Value;

    fn text(text: &str) -> Value {
        Value::String(text.to_owned())
    }

    fn object(entries: impl IntoIterator<Item = (&'static str, Value)>) -> Value {
        Value::Object(entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
    }

    fn full_keys(rule: &LandmarkRule, root: &Value) -> Vec<String> {
        let found = Landmarks::find(rule, root);
        (0..).zip(found.entries()).map(|(n, _)| found.full_key(n).into_owned()).collect()
    }

    #[test]
    fn nested_landmarks_have_the_joined_keys_of_their_parents() {
        let rule =
            LandmarkRule::parse(&["[name]", "/modules/*", "/modules/*/members/*"], Some(":"), &[]).unwrap();
        let root = object([
            ("name", text("aws")),
            (
                "modules",
                object([("ec2/instance", object([("members", object([("Instance", Value::Null)]))]))]),
            ),
        ]);
        assert_eq!(full_keys(&rule, &root), ["aws", "aws:ec2/instance", "aws:ec2/instance:Instance"]);
    }

    #[test]
    fn without_a_parent_the_own_key_is_the_full_key() {
        let rule = LandmarkRule::parse(&["[name]", "/modules/*"], Some(":"), &[]).unwrap();
        assert_eq!(full_keys(&rule, &object([("modules", object([("m", Value::Null)]))])), ["m"]);
    }

    #[test]
    fn an_edge_starts_at_the_innermost_landmark() {
        let rule = LandmarkRule::parse(
            &["/r/*", "/r/*/instances/*[~[{index_key|json}~]]"],
            Some(""),
            &["dependency=1/dependencies/*"],
        )
        .unwrap();
        let instance = |index: Option<u64>| {
            let index = index.map(|n| ("index_key", Value::Integer(n.into())));
            object(index.into_iter().chain([("dependencies", Value::List(vec![text("a")]))]))
        };
        let root = object([(
            "r",
            object([
                ("a", object([("instances", Value::List(vec![instance(None)]))])),
                ("b", object([("instances", Value::List(vec![instance(Some(0)), instance(Some(1))]))])),
            ]),
        )]);
        let found = Landmarks::find(&rule, &root);
        assert_eq!(full_keys(&rule, &root), ["a", "b", "b[0]", "b[1]"]);
        assert_eq!(found.edges().iter().map(|edge| edge.source).collect::<Vec<_>>(), [0, 2, 3]);
        assert!(found.edges().iter().all(|edge| edge.target == "a"));
    }

    #[test]
    fn a_string_may_be_landmark_and_edge_at_once() {
        let rule = LandmarkRule::parse(&["/v/*", "/v"], None, &["next=1/*"]).unwrap();
        let root = object([("v", object([("a", text("b")), ("b", text("nobody"))]))]);
        let found = Landmarks::find(&rule, &root);
        assert_eq!(full_keys(&rule, &root), ["v", "a", "b"]);
        let edges: Vec<(u32, &str)> = found.edges().iter().map(|edge| (edge.source, edge.target)).collect();
        assert_eq!(edges, [(1, "b"), (2, "nobody")]);
    }

    #[test]
    fn a_reference_object_has_one_entry_and_a_string() {
        let rule = LandmarkRule::parse(&["/v/*"], None, &["ref=0(/*)*/{#ref}"]).unwrap();
        let a = Value::List(vec![
            object([("#ref", text("b"))]),
            object([("#ref", text("b")), ("more", Value::Null)]),
            object([("#ref", Value::Null)]),
        ]);
        let root = object([("v", object([("a", a), ("b", Value::Null)]))]);
        let found = Landmarks::find(&rule, &root);
        assert_eq!(found.edges(), [FoundEdge { source: 0, number: 0, target: "b" }]);
    }
}
