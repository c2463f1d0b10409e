//! §15.6 Edges as a compact list: the dependencies of each vertex. A million resources with three
//! million edges take 19 MB.

use super::adjacency::Adjacency;
use std::collections::HashMap;

/// Directed edges between vertices numbered from 0, sorted by the vertex where they start.
///
/// ```text
/// offsets  0     2  2     5        vertex v owns entries offsets[v] .. offsets[v + 1]
/// targets  7 9 | | 1 2 7          the vertex that each entry leads to
/// numbers  0 3 | | 0 0 2          and what it means, as an edge number of the landmark rule
/// ```
///
/// Vertices can share a row of entries: between two resources of n instances each, there are n²
/// edges in one row of n.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edges {
    /// The row of each vertex. Empty if vertex v has row v.
    rows: Vec<u32>,
    /// For each shared row, the first of its vertices; [`ALONE`] if it has only one.
    firsts: Vec<u32>,
    offsets: Vec<u32>,
    targets: Vec<u32>,
    numbers: Vec<u8>,
}

/// In `firsts`: no two vertices have the row.
const ALONE: u32 = u32::MAX;

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
        Edges { rows: Vec::new(), firsts: Vec::new(), offsets, targets, numbers }
    }

    /// Stores rows of edges that vertices share. `rows` has the row of each vertex, and the source
    /// of an edge here is its row. An edge from a row to a vertex that has this row stands for the
    /// edges from the other vertices with the row.
    ///
    /// # Panics
    ///
    /// As for [`new`](Self::new), or if there are more rows than vertices.
    pub fn shared(rows: Vec<u32>, edges: &[Edge]) -> Edges {
        let vertices = u32::try_from(rows.len()).expect("vertices are numbered by u32");
        let (mut firsts, mut has_one) = (vec![ALONE; rows.len()], vec![ALONE; rows.len()]);
        for (vertex, &row) in (0..).zip(&rows) {
            let (first, one) = (&mut firsts[row as usize], &mut has_one[row as usize]);
            match *one {
                ALONE => *one = vertex,
                one if *first == ALONE => *first = one,
                _ => {}
            }
        }
        Edges { rows, firsts, ..Edges::new(vertices, edges) }
    }

    /// The vertices that `vertex` depends on, with the edge numbers, in the given order.
    pub fn of(&self, vertex: u32) -> impl Iterator<Item = Edge> {
        let edges = self.in_row(self.row(vertex)).map(move |edge| Edge { source: vertex, ..edge });
        let is_shared = self.is_shared();
        edges.filter(move |edge| !is_shared || edge.target != vertex)
    }

    /// Whether vertices share rows.
    pub fn is_shared(&self) -> bool {
        !self.rows.is_empty()
    }

    /// The number of the row of `vertex`. Vertices with one row have the same edges, except those
    /// to themselves.
    pub fn row(&self, vertex: u32) -> u32 {
        if self.is_shared() { self.rows[vertex as usize] } else { vertex }
    }

    /// The edges in a row, which is their `source`, in the given order.
    pub fn in_row(&self, row: u32) -> impl Iterator<Item = Edge> {
        let entries = self.offsets[row as usize] as usize..self.offsets[row as usize + 1] as usize;
        let targets = self.targets[entries.clone()].iter();
        let numbers = self.numbers[entries].iter();
        targets.zip(numbers).map(move |(&target, &number)| Edge { source: row, target, number })
    }

    /// The same edges by their target: the dependents of each vertex.
    ///
    /// In the result, `source` and `target` of an [`Edge`] are swapped. Rows that were shared are
    /// shared again.
    #[must_use]
    pub fn reversed(&self) -> Edges {
        self.reversed_within(u64::MAX).expect("no document has so many edges")
    }

    /// Does the same if all distinct rows of the result have at most `most` edges. Otherwise
    /// returns their number.
    pub fn reversed_within(&self, most: u64) -> Result<Edges, u64> {
        let swapped = |edge: Edge| Edge { source: edge.target, target: edge.source, number: edge.number };
        if !self.is_shared() {
            let edges: Vec<Edge> =
                (0..self.vertices()).flat_map(|vertex| self.of(vertex)).map(swapped).collect();
            return Ok(Edges::new(self.vertices(), &edges));
        }
        let all = 0..self.vertices();
        let of_rows: Vec<Edge> = (all.clone())
            .map(|vertex| Edge { source: self.row(vertex), target: vertex, number: 0 })
            .collect();
        let vertices_of = Edges::new(self.vertices(), &of_rows);
        let to_rows: Vec<Edge> = all.clone().flat_map(|row| self.in_row(row)).map(swapped).collect();
        let rows_to = Edges::new(self.vertices(), &to_rows);
        // Vertices in the same rows have the same dependents.
        let (mut numbers, mut lists, mut count) = (HashMap::new(), Vec::new(), 0);
        let mut list_of = Vec::with_capacity(self.rows.len());
        for vertex in all {
            let list: Vec<(u32, u8)> = rows_to.of(vertex).map(|edge| (edge.target, edge.number)).collect();
            let number = numbers.entry(list).or_insert_with_key(|list| {
                let length = |&(row, _): &(u32, u8)| u64::from(vertices_of.degree(row));
                count += list.iter().map(length).sum::<u64>();
                lists.push(list.clone());
                lists.len() - 1
            });
            list_of.push(u32::try_from(*number).expect("there is at most one for each vertex"));
        }
        if count > most {
            return Err(count);
        }
        let mut edges = Vec::new();
        for (number, list) in (0..).zip(&lists) {
            let before = edges.len();
            for &(row, kind) in list {
                let vertices = vertices_of.of(row);
                edges.extend(vertices.map(|to| Edge { source: number, target: to.target, number: kind }));
            }
            edges[before..].sort_unstable_by_key(|edge: &Edge| (edge.target, edge.number));
        }
        Ok(Edges::shared(list_of, &edges))
    }
}

impl Adjacency for Edges {
    fn vertices(&self) -> u32 {
        u32::try_from(self.offsets.len().saturating_sub(1)).expect("vertices are numbered by u32")
    }

    fn degree(&self, vertex: u32) -> u32 {
        let row = self.row(vertex) as usize;
        self.offsets[row + 1] - self.offsets[row]
    }

    fn target(&self, vertex: u32, entry: u32) -> Option<u32> {
        let start = self.offsets[self.row(vertex) as usize];
        self.targets.get(start as usize + entry as usize).copied()
    }

    fn first_sharing(&self, vertex: u32) -> Option<u32> {
        let row = self.row(vertex) as usize;
        self.firsts.get(row).copied().filter(|&first| first != ALONE)
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
