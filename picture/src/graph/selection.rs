//! The selection of the resources in a picture.

use coconut_diff::Happened;
use coconut_report::Failure;
use coconut_report::name_filter::{NameFilter, described};
use coconut_report::relations::Direction;
use coconut_report::resources::ResourceGraph;

/// The part of a graph to draw. The default is all of it.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Only these resources and their neighbourhood: all direct and indirect dependencies and
    /// dependents.
    pub focus: Vec<String>,
    /// The maximum number of edges to follow from the focus, in each direction.
    pub depth: Option<u32>,
    /// The same to dependents.
    pub up: Option<u32>,
    /// The same to dependencies.
    pub down: Option<u32>,
    /// Only the resources on paths between two of them: a pair of keys, or empty.
    pub between: Vec<String>,
    /// Only resources of such types: a type, its last part, or a pattern.
    pub types: Vec<String>,
    /// Whether providers are omitted.
    pub no_providers: bool,
}

/// A resource of a picture.
#[derive(Clone, Copy, Debug)]
pub struct Chosen {
    /// The vertex of the graph.
    pub vertex: u32,
    /// Whether the selection names it.
    pub is_focus: bool,
    /// The change of the resource, if the picture shows changes.
    pub change: Option<Happened>,
}

impl Selection {
    /// The types to draw, in words, unless all of them are drawn.
    pub fn types_wanted(&self) -> Option<String> {
        (!self.types.is_empty()).then(|| described(&[], &self.types))
    }

    /// The selected resources, in document order.
    pub(super) fn shown(&self, graph: &ResourceGraph<'_>) -> Result<Vec<Chosen>, Failure> {
        let (mut is_shown, focus) = self.region(graph)?;
        let types = NameFilter::of_types(&self.types)?;
        for (vertex, is_shown) in (0..).zip(&mut is_shown) {
            if !*is_shown || types.is_all() && !self.no_providers {
                continue;
            }
            let name = graph.resource_type(vertex)?;
            *is_shown = types.has(&name) && !(self.no_providers && is_provider(&name));
        }
        let shown = (0..).zip(is_shown).filter(|(_, is_shown)| *is_shown);
        Ok(shown
            .map(|(vertex, _)| Chosen { vertex, is_focus: focus.contains(&vertex), change: None })
            .collect())
    }

    /// The deleted resources of an older graph to draw: if a part is selected, those with an edge
    /// from or to that part.
    pub(super) fn shown_of_deleted(
        &self,
        old: &ResourceGraph<'_>,
        deleted: &[u32],
        is_shown: impl Fn(u32) -> bool,
    ) -> Result<Vec<Chosen>, Failure> {
        let types = NameFilter::of_types(&self.types)?;
        let is_part = !self.focus.is_empty() || !self.between.is_empty();
        let mut chosen = Vec::new();
        for &vertex in deleted {
            let is_beside = || {
                let both = [Direction::Dependencies, Direction::Dependents];
                both.into_iter()
                    .any(|direction| old.edges(direction).of(vertex).any(|edge| is_shown(edge.target)))
            };
            let name = old.resource_type(vertex)?;
            let is_left_out = !types.has(&name) || self.no_providers && is_provider(&name);
            if !is_left_out && (!is_part || is_beside()) {
                chosen.push(Chosen { vertex, is_focus: false, change: Some(Happened::Deleted) });
            }
        }
        Ok(chosen)
    }

    /// For each resource, whether it is in the part that is selected, and the resources named
    /// there.
    fn region(&self, graph: &ResourceGraph<'_>) -> Result<(Vec<bool>, Vec<u32>), Failure> {
        let count = graph.vertices() as usize;
        let far = self.depth.unwrap_or(u32::MAX);
        let reached = |start: &[u32], direction, depth| {
            let mut is_reached = vec![false; count];
            let order = graph.reach(direction, start, depth, |_| false).order;
            let all = order.iter().map(|(vertex, _)| vertex).chain(start);
            all.for_each(|&vertex| is_reached[vertex as usize] = true);
            is_reached
        };
        if let [from, to] = &self.between[..] {
            let (from, to) = (graph.start(from)?, graph.start(to)?);
            let on_the_way = |from: &[u32], to: &[u32]| {
                let after = reached(from, Direction::Dependencies, u32::MAX);
                let before = reached(to, Direction::Dependents, u32::MAX);
                let both = after.iter().zip(before).map(|(&after, before)| after && before);
                both.collect::<Vec<bool>>()
            };
            // A path in the other direction answers the question as well.
            let mut region = on_the_way(&from, &to);
            if !region.contains(&true) {
                region = on_the_way(&to, &from);
            }
            return Ok((region, [from, to].concat()));
        }
        if self.focus.is_empty() {
            return Ok((vec![true; count], Vec::new()));
        }
        let mut focus = Vec::new();
        for key in &self.focus {
            focus.extend(graph.start(key)?);
        }
        let down = reached(&focus, Direction::Dependencies, self.down.unwrap_or(far));
        let up = reached(&focus, Direction::Dependents, self.up.unwrap_or(far));
        Ok((down.iter().zip(up).map(|(&down, up)| down || up).collect(), focus))
    }
}

/// Whether a type is that of a provider: a configuration of a plugin, to which nearly every
/// resource refers.
fn is_provider(type_name: &str) -> bool {
    type_name.starts_with("pulumi:providers:")
}
