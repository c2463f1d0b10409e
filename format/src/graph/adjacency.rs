//! §15.6 Paths along edges: orders and cycles.
//!
//! Everything here is linear in vertices and edges, and does not recurse. Edges are requested by
//! number only, so a list in a file need not be copied.

use std::collections::{HashSet, VecDeque};

/// Edges between vertices numbered from 0, however they are stored, and queries about paths along
/// them. Each query takes at most 26 bytes per vertex, in addition to its answer.
///
/// Edges from a vertex to itself are ignored.
pub trait Adjacency {
    /// The number of vertices.
    fn vertices(&self) -> u32;

    /// The number of entries of `vertex` for edges that start at it.
    fn degree(&self, vertex: u32) -> u32;

    /// The target of the edge in an entry of `vertex`, or `None` for an omitted entry. `entry` is
    /// below the degree.
    fn target(&self, vertex: u32, entry: u32) -> Option<u32>;

    /// The first of several vertices that share the entries of `vertex`. A query then visits these
    /// entries once. `None` if no other vertex has them.
    fn first_sharing(&self, vertex: u32) -> Option<u32> {
        let _ = vertex;
        None
    }

    /// The vertices, each after all vertices that it depends on. Numbers that are already in such
    /// an order stay in it.
    ///
    /// `None` if there is a cycle.
    fn topological_order(&self) -> Option<Vec<u32>> {
        let mut order = Vec::with_capacity(self.vertices() as usize);
        let mut is_acyclic = true;
        each_component(self, |component| {
            is_acyclic &= component.len() == 1;
            order.extend_from_slice(component);
        });
        is_acyclic.then_some(order)
    }

    /// For each vertex, the first vertex of its strongly connected component. Outside cycles that
    /// is the vertex itself.
    fn components(&self) -> Vec<u32> {
        let mut component_of = vec![0; self.vertices() as usize];
        each_component(self, |component| {
            let first = component.iter().copied().min().expect("a component has a vertex");
            component.iter().for_each(|&vertex| component_of[vertex as usize] = first);
        });
        component_of
    }

    /// One cycle of every strongly connected component, given the [`components`](Self::components).
    /// Each begins with the component's first vertex and is a shortest cycle through it. Among the
    /// shortest cycles, the one through the lowest vertices is chosen, whatever the order of the
    /// edges.
    fn cycles(&self, component_of: &[u32]) -> Vec<Vec<u32>> {
        let mut firsts: Vec<u32> = (0..)
            .zip(component_of)
            .filter(|&(vertex, &first)| first != vertex)
            .map(|(_, &first)| first)
            .collect();
        firsts.sort_unstable();
        firsts.dedup();
        let mut came_from = match firsts.is_empty() {
            true => Vec::new(),
            false => vec![NOWHERE; component_of.len()],
        };
        firsts.into_iter().map(|first| shortest_cycle(self, first, component_of, &mut came_from)).collect()
    }
}

/// Marks an unreached vertex in `came_from`.
const NOWHERE: u32 = u32::MAX;

/// A shortest path from `first` back to it, through vertices of its component.
fn shortest_cycle<G: Adjacency + ?Sized>(
    graph: &G,
    first: u32,
    component_of: &[u32],
    came_from: &mut [u32],
) -> Vec<u32> {
    let mut queue = VecDeque::from([first]);
    // Shared entries that do not lead to a new vertex, by the first vertex that has them.
    let mut visited: HashSet<u32> = HashSet::new();
    while let Some(vertex) = queue.pop_front() {
        // From `first`, an entry that leads to `first` is not part of a cycle.
        if let Some(row) = graph.first_sharing(vertex).filter(|_| vertex != first)
            && !visited.insert(row)
        {
            continue;
        }
        let mut targets: Vec<u32> =
            (0..graph.degree(vertex)).filter_map(|entry| graph.target(vertex, entry)).collect();
        targets.sort_unstable();
        for target in targets {
            if target == first && vertex != first {
                let mut cycle = vec![vertex];
                while let Some(&last) = cycle.last().filter(|&&last| last != first) {
                    cycle.push(came_from[last as usize]);
                }
                cycle.reverse();
                return cycle;
            }
            let at = target as usize;
            if component_of[at] == first && came_from[at] == NOWHERE && target != first {
                came_from[at] = vertex;
                queue.push_back(target);
            }
        }
    }
    unreachable!("every vertex of a component leads back to every other")
}

/// A graph in which shared entries are a vertex between the vertices that share them and their
/// targets. That of vertex v has the number of v and all vertices.
struct WithRows<'g, G: ?Sized>(&'g G);

impl<G: Adjacency + ?Sized> Adjacency for WithRows<'_, G> {
    fn vertices(&self) -> u32 {
        self.0.vertices() * 2
    }

    fn degree(&self, vertex: u32) -> u32 {
        match vertex.checked_sub(self.0.vertices()) {
            Some(row) => self.0.degree(row),
            None if self.0.first_sharing(vertex).is_some() => 1,
            None => self.0.degree(vertex),
        }
    }

    fn target(&self, vertex: u32, entry: u32) -> Option<u32> {
        match vertex.checked_sub(self.0.vertices()) {
            Some(row) => self.0.target(row, entry),
            None => match self.0.first_sharing(vertex) {
                Some(row) => Some(self.0.vertices() + row),
                None => self.0.target(vertex, entry),
            },
        }
    }
}

/// Calls `each` with every strongly connected component, after those that it depends on.
fn each_component<G: Adjacency + ?Sized>(graph: &G, mut each: impl FnMut(&[u32])) {
    let vertices = graph.vertices();
    if (0..vertices).all(|vertex| graph.first_sharing(vertex).is_none()) {
        return each_component_of(graph, vertices, each);
    }
    let mut own = Vec::new();
    each_component_of(&WithRows(graph), vertices, |component| {
        own.clear();
        own.extend(component.iter().filter(|&&vertex| vertex < vertices));
        if !own.is_empty() {
            each(&own);
        }
    });
}

/// Does this for the components reached from the first `starts` vertices (Tarjan).
fn each_component_of<G: Adjacency + ?Sized>(graph: &G, starts: u32, mut each: impl FnMut(&[u32])) {
    const UNSEEN: u32 = u32::MAX;
    let count = graph.vertices() as usize;
    let mut seen_as = vec![UNSEEN; count];
    let mut lowest = vec![UNSEEN; count];
    let mut is_open = vec![false; count];
    // Neither grows beyond its capacity, and memory that is never written costs nothing.
    let mut open: Vec<u32> = Vec::with_capacity(count);
    // A vertex being visited, and the number of its edges followed so far.
    let mut visits: Vec<(u32, u32)> = Vec::with_capacity(count);
    let mut seen = 0;
    for start in 0..starts {
        if seen_as[start as usize] != UNSEEN {
            continue;
        }
        visits.push((start, 0));
        while let Some((vertex, followed)) = visits.pop() {
            let at = vertex as usize;
            if followed == 0 {
                (seen_as[at], lowest[at]) = (seen, seen);
                seen += 1;
                open.push(vertex);
                is_open[at] = true;
            }
            let mut unseen = None;
            for entry in followed..graph.degree(vertex) {
                let Some(target) = graph.target(vertex, entry) else { continue };
                match seen_as[target as usize] {
                    UNSEEN => {
                        unseen = Some((entry, target));
                        break;
                    }
                    number if is_open[target as usize] => lowest[at] = lowest[at].min(number),
                    _ => {}
                }
            }
            if let Some((entry, target)) = unseen {
                visits.push((vertex, entry + 1));
                visits.push((target, 0));
                continue;
            }
            if let Some(&(above, _)) = visits.last() {
                lowest[above as usize] = lowest[above as usize].min(lowest[at]);
            }
            if lowest[at] == seen_as[at] {
                let first = open.iter().rposition(|&other| other == vertex).expect("it is open until now");
                open[first..].iter().for_each(|&member| is_open[member as usize] = false);
                each(&open[first..]);
                open.truncate(first);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Edge, Edges};
    use super::*;

    fn edges(vertices: u32, pairs: &[(u32, u32)]) -> Edges {
        let edges: Vec<Edge> =
            pairs.iter().map(|&(source, target)| Edge { source, target, number: 0 }).collect();
        Edges::new(vertices, &edges)
    }

    fn cycles(graph: &Edges) -> Vec<Vec<u32>> {
        graph.cycles(&graph.components())
    }

    #[test]
    fn an_order_that_is_topological_is_kept() {
        assert_eq!(edges(4, &[(1, 0), (3, 1), (3, 2)]).topological_order().unwrap(), [0, 1, 2, 3]);
        assert_eq!(edges(3, &[(0, 2), (1, 0)]).topological_order().unwrap(), [2, 0, 1]);
    }

    #[test]
    fn a_vertex_that_leads_to_itself_is_not_a_cycle() {
        let list = edges(2, &[(0, 0), (1, 0)]);
        assert_eq!(list.topological_order().unwrap(), [0, 1]);
        assert_eq!(cycles(&list), [[0; 0]; 0]);
    }

    #[test]
    fn each_component_gives_one_shortest_cycle_from_its_first_vertex() {
        // 1 → 2 → 3 → 1 with the shortcut 2 → 1, and 5 ⇄ 4; 0 only leads into them.
        let list = edges(6, &[(0, 1), (1, 2), (2, 3), (3, 1), (2, 1), (5, 4), (4, 5)]);
        assert_eq!(cycles(&list), [vec![1, 2], vec![4, 5]]);
        assert_eq!(list.topological_order(), None);
    }

    #[test]
    fn of_two_shortest_cycles_the_lower_vertices_are_given() {
        for pairs in [[(0, 1), (0, 2), (1, 0), (2, 0)], [(0, 2), (0, 1), (2, 0), (1, 0)]] {
            assert_eq!(cycles(&edges(3, &pairs)), [[0, 1]]);
        }
    }

    #[test]
    fn a_long_chain_needs_no_stack() {
        let chain: Vec<(u32, u32)> = (0..200_000).map(|vertex| (vertex, vertex + 1)).collect();
        let list = edges(200_001, &chain);
        assert_eq!(list.topological_order().unwrap()[..2], [200_000, 199_999]);
    }
}
