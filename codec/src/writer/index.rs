//! §8 What the index of a document holds: its landmarks with their full keys, and its edges.

use super::{WriteError, check_count};
use crate::dag::{Dag, DagNode};
use crate::limits;
use crate::wire::edges::Edge;
use coconut_format::landmark::{LandmarkRule, Landmarks};
use foldhash::fast::RandomState;
use hashbrown::HashMap;

/// The landmarks and edges of a document, by ordinal.
#[derive(Default)]
pub(crate) struct Index {
    pub(crate) keys: Vec<String>,
    pub(crate) classes: Vec<u8>,
    pub(crate) parents: Vec<Option<u32>>,
    /// Sorted and distinct. `None` when the rule has no edges.
    pub(crate) edges: Option<Vec<Edge>>,
    /// Whether the rule has several patterns.
    pub(crate) has_classes: bool,
}

impl Index {
    pub(crate) fn of(dag: &Dag, rule: &LandmarkRule) -> Result<Index, WriteError> {
        if rule.is_empty() {
            return Ok(Index::default());
        }
        let found = Landmarks::find(rule, DagNode { dag, handle: dag.root() });
        check_count("landmarks", found.entries().len(), limits::LANDMARKS)?;
        let keys: Vec<String> =
            (0u32..).take(found.entries().len()).map(|n| found.full_key(n).into_owned()).collect();
        let edges = (!rule.edges().is_empty()).then(|| resolve(&found, &keys));
        if let Some(edges) = &edges {
            check_count("edges", edges.len(), limits::EDGES)?;
        }
        Ok(Index {
            classes: found.entries().iter().map(|landmark| landmark.class).collect(),
            parents: found.entries().iter().map(|landmark| landmark.parent).collect(),
            keys,
            edges,
            has_classes: rule.patterns().len() > 1,
        })
    }

    pub(crate) fn len(&self) -> usize {
        self.keys.len()
    }
}

/// The edges between landmarks: a reference leads to every landmark with its key.
fn resolve(found: &Landmarks<'_, '_, DagNode<'_>>, keys: &[String]) -> Vec<Edge> {
    let mut by_key: HashMap<&str, Vec<u32>, RandomState> = HashMap::default();
    for (key, ordinal) in keys.iter().zip(0u32..) {
        by_key.entry(key).or_default().push(ordinal);
    }
    let mut edges: Vec<Edge> = found
        .edges()
        .iter()
        .flat_map(|edge| {
            let targets = by_key.get(edge.target).map_or(&[][..], Vec::as_slice);
            targets.iter().map(|&to| Edge { from: edge.source, to, kind: edge.number })
        })
        .collect();
    edges.sort_unstable();
    edges.dedup();
    edges
}
