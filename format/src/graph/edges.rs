//! §15.6 Edges as a compact list: what each vertex depends on, and the questions that this answers.
//!
//! Everything here is linear in vertices and edges, and none of it recurses: a million resources with three
//! million edges take 19 MB, and as much again while a question is answered.

/// Directed edges between vertices that are numbered from 0, by the vertex that they start at.
///
/// ```text
/// offsets  0     2  2     5        vertex v owns entries offsets[v] .. offsets[v + 1]
/// targets  7 9 | | 1 2 7          the vertex that each entry leads to
/// numbers  0 3 | | 0 0 2          and what it means, as an edge number of the landmark rule
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edges {
    offsets: Vec<u32>,
    targets: Vec<u32>,
    numbers: Vec<u8>,
}

/// One edge of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The vertex that it starts at: the dependent.
    pub source: u32,
    /// The vertex that it leads to: the dependency.
    pub target: u32,
    /// What it means, as an edge number of the landmark rule.
    pub number: u8,
}

impl Edges {
    /// These edges between `vertices` vertices. Those of one vertex keep their order.
    ///
    /// # Panics
    ///
    /// When an edge starts at or leads to a vertex that is not there, or with 2^32 edges or more.
    pub fn new(vertices: u32, edges: &[Edge]) -> Edges {
        let mut offsets = vec![0u32; vertices as usize + 1];
        for edge in edges {
            assert!(edge.target < vertices, "edge to vertex {} of {vertices}", edge.target);
            offsets[edge.source as usize + 1] += 1;
        }
        for vertex in 0..vertices as usize {
            offsets[vertex + 1] += offsets[vertex];
        }
        let mut next = offsets.clone();
        let mut targets = vec![0; edges.len()];
        let mut numbers = vec![0; edges.len()];
        for edge in edges {
            let entry = &mut next[edge.source as usize];
            targets[*entry as usize] = edge.target;
            numbers[*entry as usize] = edge.number;
            *entry += 1;
        }
        Edges { offsets, targets, numbers }
    }

    /// How many vertices there are.
    pub fn vertices(&self) -> u32 {
        u32::try_from(self.offsets.len().saturating_sub(1)).expect("vertices are numbered by u32")
    }

    /// The vertices that `vertex` depends on, with the edge numbers, in the order they were given.
    pub fn of(&self, vertex: u32) -> impl Iterator<Item = Edge> {
        let entries = self.entries(vertex);
        let targets = self.targets[entries.clone()].iter();
        let numbers = self.numbers[entries].iter();
        targets.zip(numbers).map(move |(&target, &number)| Edge { source: vertex, target, number })
    }

    /// The same edges by the vertex that they lead to: what depends on each vertex.
    ///
    /// In the result, `source` and `target` of an [`Edge`] have changed places.
    #[must_use]
    pub fn reversed(&self) -> Edges {
        let edges: Vec<Edge> = (0..self.vertices())
            .flat_map(|vertex| self.of(vertex))
            .map(|edge| Edge { source: edge.target, target: edge.source, number: edge.number })
            .collect();
        Edges::new(self.vertices(), &edges)
    }

    fn entries(&self, vertex: u32) -> std::ops::Range<usize> {
        self.offsets[vertex as usize] as usize..self.offsets[vertex as usize + 1] as usize
    }

    /// The vertices, each after all that it depends on. Numbers that are in such an order already keep it.
    ///
    /// `None` when there is a cycle. Edges from a vertex to itself do not count.
    pub fn topological_order(&self) -> Option<Vec<u32>> {
        let mut order = Vec::with_capacity(self.vertices() as usize);
        let mut is_acyclic = true;
        self.each_component(|component| {
            is_acyclic &= component.len() == 1;
            order.extend_from_slice(component);
        });
        is_acyclic.then_some(order)
    }

    /// One cycle out of every set of vertices that all depend on one another, each as short as one through the
    /// set's first vertex can be, beginning with it. Edges from a vertex to itself do not count.
    pub fn cycles(&self) -> Vec<Vec<u32>> {
        let component_of = self.components();
        let mut came_from = vec![u32::MAX; self.vertices() as usize];
        let mut has_others = vec![false; self.vertices() as usize];
        for (vertex, &first) in (0..).zip(&component_of) {
            has_others[first as usize] |= first != vertex;
        }
        let firsts = (0..self.vertices()).filter(|&vertex| has_others[vertex as usize]);
        firsts.map(|first| self.shortest_cycle(first, &component_of, &mut came_from)).collect()
    }

    /// For each vertex, the first of those that it depends on and that depend on it: itself, outside of cycles.
    pub fn components(&self) -> Vec<u32> {
        let mut component_of = vec![0; self.vertices() as usize];
        self.each_component(|component| {
            let first = component.iter().copied().min().expect("a component has a vertex");
            component.iter().for_each(|&vertex| component_of[vertex as usize] = first);
        });
        component_of
    }

    /// A shortest way from `first` back to it, through the vertices of its component.
    fn shortest_cycle(&self, first: u32, component_of: &[u32], came_from: &mut [u32]) -> Vec<u32> {
        let mut queue = std::collections::VecDeque::from([first]);
        while let Some(vertex) = queue.pop_front() {
            for edge in self.of(vertex) {
                if edge.target == first && vertex != first {
                    let mut cycle = vec![vertex];
                    while let Some(&last) = cycle.last().filter(|&&last| last != first) {
                        cycle.push(came_from[last as usize]);
                    }
                    cycle.reverse();
                    return cycle;
                }
                let target = edge.target as usize;
                if component_of[target] == first && came_from[target] == u32::MAX && edge.target != first {
                    came_from[target] = vertex;
                    queue.push_back(edge.target);
                }
            }
        }
        unreachable!("every vertex of a component leads back to every other")
    }

    /// Calls `each` with every strongly connected component, after those that it depends on (Tarjan).
    fn each_component(&self, mut each: impl FnMut(&[u32])) {
        const UNSEEN: u32 = u32::MAX;
        let count = self.vertices() as usize;
        let mut seen_as = vec![UNSEEN; count];
        let mut lowest = vec![UNSEEN; count];
        let mut is_open = vec![false; count];
        let mut open: Vec<u32> = Vec::new();
        let mut seen = 0;
        // A vertex that is being visited, and how many of its edges were followed.
        let mut visits: Vec<(u32, usize)> = Vec::new();
        for start in 0..self.vertices() {
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
                let targets = &self.targets[self.entries(vertex)];
                let mut unseen = None;
                for (entry, &target) in targets.iter().enumerate().skip(followed) {
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
                    let first =
                        open.iter().rposition(|&other| other == vertex).expect("it is open until now");
                    open[first..].iter().for_each(|&member| is_open[member as usize] = false);
                    each(&open[first..]);
                    open.truncate(first);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edges(vertices: u32, pairs: &[(u32, u32)]) -> Edges {
        let edges: Vec<Edge> =
            pairs.iter().map(|&(source, target)| Edge { source, target, number: 0 }).collect();
        Edges::new(vertices, &edges)
    }

    #[test]
    fn the_edges_of_a_vertex_keep_their_order_and_number() {
        let given = [
            Edge { source: 2, target: 0, number: 1 },
            Edge { source: 0, target: 2, number: 0 },
            Edge { source: 2, target: 1, number: 0 },
        ];
        let list = Edges::new(3, &given);
        assert_eq!(list.of(2).collect::<Vec<_>>(), [given[0], given[2]]);
        assert_eq!(list.of(1).count(), 0);
        assert_eq!(list.reversed().of(2).collect::<Vec<_>>(), [Edge { source: 2, target: 0, number: 0 }]);
    }

    #[test]
    fn an_order_that_is_topological_is_kept() {
        assert_eq!(edges(4, &[(1, 0), (3, 1), (3, 2)]).topological_order().unwrap(), [0, 1, 2, 3]);
        assert_eq!(edges(3, &[(0, 2), (1, 0)]).topological_order().unwrap(), [2, 0, 1]);
    }

    #[test]
    fn a_vertex_that_leads_to_itself_is_no_cycle() {
        let list = edges(2, &[(0, 0), (1, 0)]);
        assert_eq!(list.topological_order().unwrap(), [0, 1]);
        assert_eq!(list.cycles(), [[0; 0]; 0]);
    }

    #[test]
    fn each_component_gives_one_shortest_cycle_from_its_first_vertex() {
        // 1 → 2 → 3 → 1 with the shortcut 2 → 1, and 5 ⇄ 4; 0 only leads into them.
        let list = edges(6, &[(0, 1), (1, 2), (2, 3), (3, 1), (2, 1), (5, 4), (4, 5)]);
        assert_eq!(list.cycles(), [vec![1, 2], vec![4, 5]]);
        assert_eq!(list.topological_order(), None);
    }

    #[test]
    fn a_long_chain_needs_no_stack() {
        let chain: Vec<(u32, u32)> = (0..200_000).map(|vertex| (vertex, vertex + 1)).collect();
        let list = edges(200_001, &chain);
        assert_eq!(list.topological_order().unwrap()[..2], [200_000, 199_999]);
    }
}
