//! §15.3 Monikers: the original keys of resources, derived from the graph alone.
//!
//! A path follows the edges from a vertex without dependents to the resource. Its text lists the
//! types on it. The shortest path is the primary moniker; among equally short ones, the first by
//! the order of their types.

use super::Adjacency;
use super::edges::Edges;

/// The monikers of all vertices of a graph.
///
/// Stored as one step per vertex, since the texts together may be far larger than the graph.
#[derive(Clone, Debug)]
pub struct Monikers<'t> {
    types: Vec<&'t str>,
    reversed: Edges,
    /// The step before each vertex on its path.
    before: Vec<Before>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Before {
    /// No path reaches the vertex: it is in a cycle without edges into it, or after one.
    Unreached,
    /// The vertex has no dependents.
    Root,
    Vertex(u32),
}

impl<'t> Monikers<'t> {
    /// The monikers of a graph whose vertices have these types. Costs a sort of the vertices, and
    /// is linear in the edges.
    ///
    /// # Panics
    ///
    /// If the number of types differs from the number of vertices.
    pub fn new(edges: &Edges, types: Vec<&'t str>) -> Monikers<'t> {
        assert_eq!(types.len(), edges.vertices() as usize, "one type per vertex");
        let reversed = edges.reversed();
        let mut before = vec![Before::Unreached; types.len()];
        // The vertices with paths of the same length, each with the rank of the path to the
        // previous vertex.
        let mut level: Vec<(usize, u32)> = Vec::new();
        for vertex in (0..edges.vertices()).filter(|&vertex| reversed.of(vertex).next().is_none()) {
            before[vertex as usize] = Before::Root;
            level.push((0, vertex));
        }
        while !level.is_empty() {
            let path = |&(rank, vertex): &(usize, u32)| (rank, types[vertex as usize]);
            level.sort_by_key(path);
            let mut next = Vec::new();
            let mut rank = 0;
            for (at, entry) in level.iter().enumerate() {
                // Equal paths have the same rank, so that the next step decides.
                rank += usize::from(at > 0 && path(&level[at - 1]) != path(entry));
                for edge in edges.of(entry.1) {
                    let unreached = &mut before[edge.target as usize];
                    if *unreached == Before::Unreached {
                        *unreached = Before::Vertex(entry.1);
                        next.push((rank, edge.target));
                    }
                }
            }
            level = next;
        }
        Monikers { types, reversed, before }
    }

    /// The primary moniker of a vertex, or `None` if no path reaches it.
    pub fn primary(&self, vertex: u32) -> Option<String> {
        let mut path = vec![self.types[vertex as usize]];
        let mut at = vertex;
        loop {
            match self.before[at as usize] {
                Before::Unreached => return None,
                Before::Root => break,
                Before::Vertex(before) => {
                    path.push(self.types[before as usize]);
                    at = before;
                }
            }
        }
        path.reverse();
        Some(path.join("."))
    }

    /// The other monikers of a vertex: those through each of its dependents, in order, without
    /// repetitions.
    pub fn aliases(&self, vertex: u32) -> Vec<String> {
        let primary = self.primary(vertex);
        let through = self.reversed.of(vertex).filter_map(|edge| self.primary(edge.target));
        let mut aliases: Vec<String> =
            through.map(|path| format!("{path}.{}", self.types[vertex as usize])).collect();
        aliases.sort();
        aliases.dedup();
        aliases.retain(|alias| Some(alias) != primary.as_ref());
        aliases
    }
}

#[cfg(test)]
mod tests {
    use super::super::edges::Edge;
    use super::*;

    fn monikers<'t>(types: &[&'t str], pairs: &[(u32, u32)]) -> Monikers<'t> {
        let edges: Vec<Edge> =
            pairs.iter().map(|&(source, target)| Edge { source, target, number: 0 }).collect();
        Monikers::new(&Edges::new(u32::try_from(types.len()).unwrap(), &edges), types.to_vec())
    }

    #[test]
    fn the_shortest_path_is_the_primary_moniker() {
        // An instance depends on subnet and group, both depend on the network, and the instance
        // does too.
        let found = monikers(&["I", "S", "G", "N"], &[(0, 1), (0, 2), (1, 3), (2, 3), (0, 3)]);
        assert_eq!(found.primary(0).unwrap(), "I");
        assert_eq!(found.primary(1).unwrap(), "I.S");
        assert_eq!(found.primary(3).unwrap(), "I.N");
        assert_eq!(found.aliases(3), ["I.G.N", "I.S.N"]);
    }

    #[test]
    fn the_first_of_equally_short_paths_is_the_primary_moniker() {
        let found = monikers(&["I", "S", "G", "N"], &[(0, 1), (0, 2), (1, 3), (2, 3)]);
        assert_eq!(found.primary(3).unwrap(), "I.G.N");
        assert_eq!(found.aliases(3), ["I.S.N"]);
    }

    #[test]
    fn types_are_compared_whole_and_from_the_root() {
        // `a` comes before `a-b` as a text, although `.` would sort after `-`.
        let found = monikers(&["a-b", "a", "x", "y", "t"], &[(0, 2), (1, 3), (2, 4), (3, 4)]);
        assert_eq!(found.primary(4).unwrap(), "a.y.t");
    }

    #[test]
    fn equal_paths_are_told_apart_by_the_next_step() {
        let found = monikers(&["r", "r", "z", "b", "t"], &[(0, 2), (1, 3), (2, 4), (3, 4)]);
        assert_eq!(found.primary(4).unwrap(), "r.b.t");
    }

    #[test]
    fn nothing_leads_into_a_cycle_without_a_root() {
        let found = monikers(&["a", "b", "c"], &[(0, 1), (1, 0), (1, 2)]);
        assert_eq!(found.primary(0), None);
        assert_eq!(found.primary(2), None);
        assert_eq!(found.aliases(2), [""; 0]);
    }
}
