//! All paths from one resource to another, the shortest first.

use crate::relations::Direction;
use crate::resources::ResourceGraph;
use std::collections::HashMap;

/// The maximum number of steps of a search. There can be far too many paths to list.
const MOST_STEPS: u64 = 1 << 22;

/// Some or all paths.
#[derive(Default)]
pub(super) struct Ways {
    pub(super) ways: Vec<Vec<u32>>,
    /// Whether there may be more.
    pub(super) is_cut: bool,
}

/// At most `most` paths from the first resources to the second. Paths of one length are ordered by
/// their resources. No path contains a resource twice.
pub(super) fn all(graph: &ResourceGraph<'_>, from: &[u32], to: &[u32], most: usize) -> Ways {
    let back = graph.reach(Direction::Dependents, to, u32::MAX, |_| false);
    let ends = to.iter().map(|&vertex| (vertex, 0));
    let search = Search {
        graph,
        // The minimum distance of each vertex to the end.
        far: back.order.iter().copied().chain(ends).collect(),
    };
    let mut found = Ways::default();
    let starts = from.iter().filter_map(|start| search.far.get(start));
    let Some(mut length) = starts.min().copied() else { return found };
    let mut steps = 0;
    // Each round finds the paths of one length.
    loop {
        let mut is_more = false;
        for &start in from {
            match search.of_length(start, length, &mut found.ways, (most, &mut steps)) {
                Some(more) => is_more |= more,
                None => {
                    found.is_cut = true;
                    return found;
                }
            }
        }
        if !is_more {
            return found;
        }
        length += 1;
    }
}

struct Search<'g, 'a> {
    graph: &'g ResourceGraph<'a>,
    far: HashMap<u32, u32>,
}

impl Search<'_, '_> {
    /// Adds the paths of this length, and returns whether there may be longer ones. `None` if the
    /// search was stopped before.
    fn of_length(
        &self,
        start: u32,
        length: u32,
        ways: &mut Vec<Vec<u32>>,
        (most, steps): (usize, &mut u64),
    ) -> Option<bool> {
        let mut is_more = false;
        let mut way = vec![start];
        let mut open = vec![self.next(start)];
        loop {
            let depth = u32::try_from(open.len()).unwrap_or(u32::MAX);
            let Some(targets) = open.last_mut() else { break };
            *steps += 1;
            if *steps > MOST_STEPS {
                return None;
            }
            let left = (length + 1).saturating_sub(depth);
            let here = way.last().copied().unwrap_or(start);
            if left == 0 && self.far.get(&here) == Some(&0) {
                if ways.len() >= most {
                    return None;
                }
                ways.push(way.clone());
            }
            let next = if left == 0 { None } else { targets.next() };
            match next {
                Some(target) if way.contains(&target) => {}
                Some(target) if self.far.get(&target).is_some_and(|&far| far < left) => {
                    way.push(target);
                    open.push(self.next(target));
                }
                Some(target) => is_more |= self.far.contains_key(&target),
                None => {
                    is_more |= left == 0 && targets.any(|target| self.far.contains_key(&target));
                    open.pop();
                    way.pop();
                }
            }
        }
        Some(is_more)
    }

    /// The dependencies of a vertex, each once.
    fn next(&self, vertex: u32) -> std::vec::IntoIter<u32> {
        let mut targets: Vec<u32> =
            self.graph.edges(Direction::Dependencies).of(vertex).map(|edge| edge.target).collect();
        targets.dedup();
        targets.into_iter()
    }
}
