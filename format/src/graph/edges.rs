//! §15.6 Edges as a compact list: the dependencies of each vertex. A million resources with three
//! million edges take 19 MB.

use super::adjacency::Adjacency;

/// Directed edges between vertices numbered from 0, sorted by the vertex where they start.
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
    /// Its meaning, as an edge number of the landmark rule.
    pub number: u8,
}

impl Edges {
    /// Stores these edges between `vertices` vertices. Those of one vertex keep their order.
    ///
    /// # Panics
    ///
    /// If an edge starts at or leads to a missing vertex, or if there are 2^32 edges or more.
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

    /// The vertices that `vertex` depends on, with the edge numbers, in the given order.
    pub fn of(&self, vertex: u32) -> impl Iterator<Item = Edge> {
        let entries = self.entries(vertex);
        let targets = self.targets[entries.clone()].iter();
        let numbers = self.numbers[entries].iter();
        targets.zip(numbers).map(move |(&target, &number)| Edge { source: vertex, target, number })
    }

    /// The same edges by their target: the dependents of each vertex.
    ///
    /// In the result, `source` and `target` of an [`Edge`] are swapped.
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
}

impl Adjacency for Edges {
    fn vertices(&self) -> u32 {
        u32::try_from(self.offsets.len().saturating_sub(1)).expect("vertices are numbered by u32")
    }

    fn degree(&self, vertex: u32) -> u32 {
        self.offsets[vertex as usize + 1] - self.offsets[vertex as usize]
    }

    fn target(&self, vertex: u32, entry: u32) -> Option<u32> {
        self.targets.get(self.offsets[vertex as usize] as usize + entry as usize).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
