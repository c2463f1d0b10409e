//! §15.6 The resources of a document as a graph in memory, for questions about the whole graph.
//!
//! `deps` follows the edges of the file and keeps only the resources it reaches. The questions here
//! visit every edge, some of them several times, so the edges are read once: 13 bytes for each, and
//! 8 for each landmark. The algorithms are those of [`Adjacency`], which do not recurse.
//!
//! Between two resources of n instances each there are n² edges, which a file stores as one row of
//! n (§8.6). They are not expanded here.

use crate::failure::Failure;
use crate::json::text;
use crate::relations::Direction;
use crate::relations::{Follow, Relations};
use coconut_codec::limits::EDGES_MIN;
use coconut_codec::read::file::DocumentView;
use coconut_format::Value;
use coconut_format::error::DecodeError;
use coconut_format::graph::{Adjacency, Edge, Edges};
use std::cell::Cell;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};

/// The resources, each with its instances as one vertex, in document order.
pub struct ResourceGraph<'a> {
    /// The resources and edges recorded in the document.
    pub relations: Relations<'a>,
    /// The node of each vertex: its outermost landmark.
    nodes: Vec<u32>,
    /// The vertex of each node; [`NOWHERE`] for sections.
    vertex_of: Vec<u32>,
    /// From a resource to its dependencies, each target and kind once.
    dependencies: Edges,
    /// The same edges in the other direction.
    dependents: Edges,
    /// The vertices with an edge from a landmark to itself.
    loops: Vec<u32>,
}

/// In [`Reached::via`]: the vertex was not reached. For a node: it has no vertex.
const NOWHERE: u32 = u32::MAX;

impl<'a> ResourceGraph<'a> {
    /// The graph with the edges of these kinds, or of all. Refuses a document without edges.
    pub fn of(
        document: DocumentView<'a>,
        reveal: bool,
        kinds: &[String],
    ) -> Result<ResourceGraph<'a>, Failure> {
        let relations = Relations::of(document, reveal)?;
        if !relations.has_edges() {
            return Err(relations.no_edges());
        }
        let wanted = relations.wanted_kinds(kinds)?;
        let (mut nodes, mut vertex_of) = (Vec::new(), Vec::new());
        for node in 0..relations.count()? {
            let resource = relations.resource(node)?;
            let vertex = match resource < node {
                true => vertex_of.get(resource as usize).copied().unwrap_or_default(),
                false if relations.is_section_node(node)? => NOWHERE,
                false => {
                    nodes.push(node);
                    number_of(nodes.len() - 1)
                }
            };
            vertex_of.push(vertex);
        }
        let mut found =
            Found { vertex_of: &vertex_of, wanted: &wanted, edges: Vec::new(), loops: Vec::new() };
        let rows = found.read(&relations, number_of(nodes.len()))?;
        let Found { edges, loops, .. } = found;
        let dependencies = match rows {
            Some(rows) => Edges::shared(rows, &edges),
            None => Edges::new(number_of(nodes.len()), &edges),
        };
        drop(edges);
        let dependents = reversed(&relations, &dependencies)?;
        Ok(ResourceGraph { relations, nodes, vertex_of, dependencies, dependents, loops })
    }

    /// The number of resources.
    pub fn vertices(&self) -> u32 {
        self.dependencies.vertices()
    }

    /// The edges of one direction.
    pub fn edges(&self, direction: Direction) -> &Edges {
        match direction {
            Direction::Dependencies => &self.dependencies,
            Direction::Dependents => &self.dependents,
        }
    }

    /// The resources to which `key` refers.
    pub fn start(&self, key: &str) -> Result<Vec<u32>, Failure> {
        let nodes = self.relations.start(key, None)?;
        let mut vertices: Vec<u32> = nodes.into_iter().filter_map(|node| self.vertex(node)).collect();
        vertices.sort_unstable();
        vertices.dedup();
        Ok(vertices)
    }

    /// The number of nodes.
    pub fn count_nodes(&self) -> u32 {
        number_of(self.vertex_of.len())
    }

    /// The vertex of a node; `None` for a landmark that only contains others.
    pub fn vertex(&self, node: u32) -> Option<u32> {
        self.vertex_of.get(node as usize).copied().filter(|&vertex| vertex != NOWHERE)
    }

    /// The node of a vertex.
    pub fn node(&self, vertex: u32) -> u32 {
        self.nodes.get(vertex as usize).copied().unwrap_or_default()
    }

    /// The key that leads only to this resource.
    pub fn name(&self, vertex: u32) -> Result<String, DecodeError> {
        self.relations.name(self.node(vertex))
    }

    /// The type of a resource.
    pub fn resource_type(&self, vertex: u32) -> Result<String, DecodeError> {
        self.relations.resource_type(self.node(vertex))
    }

    /// A resource in a report: its name, its type, and other members.
    pub fn item<'k>(
        &self,
        vertex: u32,
        others: impl IntoIterator<Item = (&'k str, Value)>,
    ) -> Result<Value, DecodeError> {
        let members = [("key", text(self.name(vertex)?)), ("type", text(self.resource_type(vertex)?))];
        let members = members.into_iter().chain(others);
        Ok(Value::Object(members.map(|(key, value)| (key.to_owned(), value)).collect()))
    }

    /// The vertices with an edge from a landmark to itself, ascending.
    pub fn loops(&self) -> &[u32] {
        &self.loops
    }

    /// The kinds of the edges from one resource to another, each once.
    pub fn kinds_between(&self, source: u32, target: u32) -> Vec<&'a str> {
        let between = self.dependencies.of(source).filter(|edge| edge.target == target);
        let mut kinds: Vec<&str> = Vec::new();
        for edge in between {
            let kind = self.relations.kind(edge.number);
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        kinds
    }

    /// Whether an edge that was met at `vertex` is followed.
    fn is_followed(
        &self,
        follow: Follow,
        vertex: u32,
        edge: Edge,
        direction: Direction,
    ) -> Result<bool, DecodeError> {
        let [near, far] = [self.node(vertex), self.node(edge.target)];
        let ends = if direction == Direction::Dependencies { [near, far] } else { [far, near] };
        self.relations.is_followed(follow, ends, edge.number)
    }

    /// Follows edges from `start`, nearest first, not beyond `depth` and not beyond a vertex that
    /// is `closed`. At one distance, in document order of their predecessors.
    pub fn reach(
        &self,
        direction: Direction,
        start: &[u32],
        depth: u32,
        closed: impl Fn(u32) -> bool,
    ) -> Reached {
        self.reach_along(self.edges(direction), start, depth, closed, None)
    }

    /// Follows the edges to dependents that [`Follow`] names.
    pub fn reach_dependents(
        &self,
        follow: Follow,
        start: &[u32],
        depth: u32,
        closed: impl Fn(u32) -> bool,
    ) -> Result<Reached, DecodeError> {
        if follow == Follow::All || !self.relations.has_instances() {
            return Ok(self.reach(Direction::Dependents, start, depth, closed));
        }
        if follow == Follow::Recorded && self.dependencies.is_shared() {
            return Ok(self.reach_along(&self.recorded()?, start, depth, closed, None));
        }
        // Each edge of a shared row is visited for each of its vertices.
        let degrees = (0..self.vertices()).map(|vertex| self.dependents.degree(vertex) as usize);
        self.relations.check_edges_met(degrees.sum())?;
        let fault = Cell::new(None);
        let is_followed = |vertex, edge| {
            let is_followed = self.is_followed(follow, vertex, edge, Direction::Dependents);
            is_followed.unwrap_or_else(|error| {
                fault.set(Some(error));
                false
            })
        };
        let reached = self.reach_along(&self.dependents, start, depth, closed, Some(&is_followed));
        fault.take().map_or(Ok(reached), Err)
    }

    /// The edges to dependents that are recorded: see [`Follow::Recorded`].
    fn recorded(&self) -> Result<Edges, DecodeError> {
        let rows: Vec<u32> = (0..self.vertices()).map(|vertex| self.dependencies.row(vertex)).collect();
        let mut edges = Vec::new();
        let mut first_of: Vec<Option<u32>> = vec![None; rows.len()];
        (0..).zip(&rows).for_each(|(vertex, &row)| {
            first_of[row as usize].get_or_insert(vertex);
        });
        for (row, first) in (0..).zip(first_of) {
            // Whether an edge is recorded depends on the other edges of the row only.
            let Some(first) = first else { continue };
            for edge in self.dependencies.in_row(row) {
                if self.is_followed(Follow::Recorded, first, edge, Direction::Dependencies)? {
                    edges.push(edge);
                }
            }
        }
        reversed(&self.relations, &Edges::shared(rows, &edges))
    }

    /// Follows these edges, those of a shared row once. Given `followed`, only the edges for which
    /// it is true at the vertex where they start.
    fn reach_along(
        &self,
        edges: &Edges,
        start: &[u32],
        depth: u32,
        closed: impl Fn(u32) -> bool,
        followed: Option<&dyn Fn(u32, Edge) -> bool>,
    ) -> Reached {
        let mut is_visited = vec![false; if edges.is_shared() { self.nodes.len() } else { 0 }];
        let mut reached = Reached { via: vec![NOWHERE; self.nodes.len()], order: Vec::new() };
        let mut queue: VecDeque<(u32, u32)> = VecDeque::new();
        for &vertex in start {
            reached.via[vertex as usize] = vertex;
            queue.push_back((vertex, 0));
        }
        while let Some((vertex, distance)) = queue.pop_front() {
            if distance >= depth || distance > 0 && closed(vertex) {
                continue;
            }
            if followed.is_none()
                && let Some(is_visited) = is_visited.get_mut(edges.row(vertex) as usize)
                && std::mem::replace(is_visited, true)
            {
                continue;
            }
            for edge in edges.of(vertex) {
                let via = &mut reached.via[edge.target as usize];
                if *via == NOWHERE && followed.is_none_or(|followed| followed(vertex, edge)) {
                    *via = vertex;
                    reached.order.push((edge.target, distance + 1));
                    queue.push_back((edge.target, distance + 1));
                }
            }
        }
        reached
    }
}

/// The edges in the other direction. Refuses more of them, in distinct rows, than a document may
/// have.
fn reversed(relations: &Relations<'_>, edges: &Edges) -> Result<Edges, DecodeError> {
    edges.reversed_within(EDGES_MIN as u64).or_else(|count| {
        relations.check_edges_met(usize::try_from(count).unwrap_or(usize::MAX))?;
        Ok(edges.reversed())
    })
}

/// Edges between vertices, as they are read.
struct Found<'f> {
    vertex_of: &'f [u32],
    /// For the number of an edge, whether it is wanted.
    wanted: &'f [bool],
    edges: Vec<Edge>,
    loops: Vec<u32>,
}

impl Found<'_> {
    /// Reads all edges. Returns the row of each vertex if they are stored in shared rows.
    fn read(&mut self, relations: &Relations<'_>, vertices: u32) -> Result<Option<Vec<u32>>, Failure> {
        let has_rows = !self.vertex_of.is_empty() && relations.dependency_row(0)?.is_some();
        let rows = match has_rows {
            true => Some(self.read_rows(relations, vertices)?),
            false => {
                self.read_nodes(relations)?;
                None
            }
        };
        self.edges.sort_unstable_by_key(|edge| (edge.source, edge.target, edge.number));
        self.edges.dedup();
        self.loops.dedup();
        Ok(rows)
    }

    /// Reads the edges of each node.
    fn read_nodes(&mut self, relations: &Relations<'_>) -> Result<(), DecodeError> {
        let mut met = 0;
        for (node, &source) in (0..).zip(self.vertex_of) {
            let of_node = relations.edges(node, Direction::Dependencies)?;
            met += of_node.len();
            relations.check_edges_met(met)?;
            for (to, number) in of_node {
                match self.wanted_target(to, number) {
                    Some(target) if target != source => self.edges.push(Edge { source, target, number }),
                    Some(_) if to == node => self.loops.push(source),
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// Reads each stored row of edges once, and returns the row of each vertex. It joins those of
    /// the nodes of the vertex.
    fn read_rows(&mut self, relations: &Relations<'_>, vertices: u32) -> Result<Vec<u32>, DecodeError> {
        let (mut known, mut met) = (HashMap::new(), 0);
        let mut rows_of_vertices: Vec<(u32, u64)> = Vec::new();
        for (node, &source) in (0..).zip(self.vertex_of) {
            let Some(row) = relations.dependency_row(node)? else { continue };
            let edges = match known.entry(row) {
                Entry::Occupied(entry) => &*entry.into_mut(),
                Entry::Vacant(entry) => {
                    let mut edges = relations.edges(node, Direction::Dependencies)?;
                    met += edges.len();
                    relations.check_edges_met(met)?;
                    edges.sort_unstable();
                    &*entry.insert(edges)
                }
            };
            if source == NOWHERE || edges.is_empty() {
                continue;
            }
            rows_of_vertices.push((source, row));
            let start = edges.partition_point(|&(to, _)| to < node);
            let mut to_itself = edges[start..].iter().take_while(|&&(to, _)| to == node);
            if to_itself.any(|&(to, number)| self.wanted_target(to, number).is_some()) {
                self.loops.push(source);
            }
        }
        rows_of_vertices.sort_unstable();
        rows_of_vertices.dedup();
        let (mut numbers, mut left) = (HashMap::new(), &rows_of_vertices[..]);
        let mut row_of = Vec::with_capacity(vertices as usize);
        for vertex in 0..vertices {
            let own = left.iter().take_while(|&&(source, _)| source == vertex).count();
            let (own, after) = left.split_at(own);
            left = after;
            let list: Vec<u64> = own.iter().map(|&(_, row)| row).collect();
            let next = number_of(numbers.len());
            let number = *numbers.entry(list).or_insert_with_key(|list| {
                for (to, number) in list.iter().filter_map(|row| known.get(row)).flatten() {
                    if let Some(target) = self.wanted_target(*to, *number) {
                        self.edges.push(Edge { source: next, target, number: *number });
                    }
                }
                next
            });
            row_of.push(number);
        }
        Ok(row_of)
    }

    /// The vertex to which an edge leads, if the edge is wanted.
    fn wanted_target(&self, to: u32, number: u8) -> Option<u32> {
        let is_wanted = self.wanted.get(usize::from(number)).copied().unwrap_or_default();
        is_wanted.then(|| self.vertex_of.get(to as usize).copied().unwrap_or_default())
    }
}

/// The vertices reached from a start.
pub struct Reached {
    /// For each vertex, the one from which it was reached; the start from itself.
    via: Vec<u32>,
    /// The vertices without the start, each with its distance, nearest first.
    pub order: Vec<(u32, u32)>,
}

impl Reached {
    /// The path from the start to `vertex`, including both.
    pub fn way_to(&self, vertex: u32) -> Option<Vec<u32>> {
        let mut way = vec![vertex];
        let mut at = vertex;
        loop {
            match self.via.get(at as usize).copied() {
                None | Some(NOWHERE) => return None,
                Some(via) if via == at => {
                    way.reverse();
                    return Some(way);
                }
                Some(via) => {
                    way.push(via);
                    at = via;
                }
            }
        }
    }
}

fn number_of(count: usize) -> u32 {
    u32::try_from(count).expect("a document has fewer landmarks than 2^24")
}

#[cfg(test)]
mod tests {
    use super::*;
    use coconut_codec::{CompileOptions, Document, compile};
    use std::collections::BTreeSet;

    fn state(resources: &[(String, &str, Vec<String>)]) -> Document<Vec<u8>> {
        let resource = |(module, name, dependencies): &(String, &str, Vec<String>)| {
            let module = if module.is_empty() { String::new() } else { format!(r#""module": "{module}", "#) };
            format!(
                r#"{{{module}"mode": "managed", "type": "t", "name": "{name}",
                    "instances": [{{"attributes": {{}}, "dependencies": {dependencies:?}}}]}}"#
            )
        };
        let resources: Vec<String> = resources.iter().map(resource).collect();
        let text = format!(
            r#"{{"version": 4, "terraform_version": "1.11.4", "serial": 1, "resources": [{}]}}"#,
            resources.join(",")
        );
        let compiled = compile(text.as_bytes(), &CompileOptions::default()).expect("it is a state");
        Document::from_data(compiled.bytes).expect("it was just written")
    }

    /// States with modules of several instances, whose resources depend on others at random, on
    /// themselves and in circles, too.
    fn random_state(seed: u64) -> Document<Vec<u8>> {
        let mut random = seed * 2 + 1;
        let mut below = |most: u64| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 33) % most
        };
        let counts: Vec<u64> = (0..3).map(|_| below(6)).collect();
        let mut of_module = |module: u64| -> Vec<(&'static str, Vec<String>)> {
            let mut of_resource = |name| {
                let known = (0..below(3)).map(|_| match below(4) {
                    0 => "t.root".to_owned(),
                    1 => format!("module.m{module}[{}].t.a", below(3)),
                    _ => format!("module.m{}.t.{}", below(3), if below(2) == 0 { "a" } else { "b" }),
                });
                (name, known.collect())
            };
            vec![of_resource("a"), of_resource("b")]
        };
        let mut resources = vec![(String::new(), "root", Vec::new())];
        for (module, &count) in (0..).zip(&counts) {
            for (name, dependencies) in of_module(module) {
                let one = |number| (format!("module.m{module}[{number}]"), name, dependencies.clone());
                resources.extend((0..count).map(one));
            }
        }
        state(&resources)
    }

    /// All edges of a graph, each of a shared row for each of its vertices.
    fn expanded(graph: &ResourceGraph<'_>) -> Edges {
        let mut edges = BTreeSet::new();
        for node in 0..graph.count_nodes() {
            let Some(source) = graph.vertex(node) else { continue };
            for (to, number) in graph.relations.edges(node, Direction::Dependencies).expect("it has edges") {
                let target = graph.vertex(to).expect("no edge leads to a section");
                if target != source {
                    edges.insert((source, target, number));
                }
            }
        }
        let edge = |(source, target, number)| Edge { source, target, number };
        Edges::new(graph.vertices(), &edges.into_iter().map(edge).collect::<Vec<_>>())
    }

    fn all(edges: &Edges) -> Vec<Edge> {
        (0..edges.vertices()).flat_map(|vertex| edges.of(vertex)).collect()
    }

    #[test]
    fn shared_rows_give_the_answers_of_the_expanded_edges() {
        let mut shared = [0; 2];
        for seed in 0..200 {
            let file = random_state(seed);
            let graph = ResourceGraph::of(file.view(), false, &[]).unwrap_or_else(|_| panic!("{seed}"));
            let [dependencies, dependents] = [expanded(&graph), expanded(&graph).reversed()];
            shared[usize::from(graph.dependencies.is_shared())] += 1;
            assert_eq!(all(&graph.dependencies), all(&dependencies), "{seed}");
            assert_eq!(all(&graph.dependents), all(&dependents), "{seed}");
            assert_eq!(graph.dependencies.components(), dependencies.components(), "{seed}");
            let components = dependencies.components();
            assert_eq!(graph.dependencies.cycles(&components), dependencies.cycles(&components), "{seed}");
            for vertex in 0..graph.vertices() {
                for (direction, edges) in
                    [(Direction::Dependencies, &dependencies), (Direction::Dependents, &dependents)]
                {
                    for depth in [1, 2, u32::MAX] {
                        let found = graph.reach(direction, &[vertex], depth, |other| other % 5 == 4);
                        let expected =
                            graph.reach_along(edges, &[vertex], depth, |other| other % 5 == 4, None);
                        assert_eq!((found.order, found.via), (expected.order, expected.via), "{seed}");
                    }
                }
                for follow in
                    [Follow::All, Follow::Recorded, Follow::SameInstance, Follow::RecordedOrSameInstance]
                {
                    let is_followed = |vertex, edge| {
                        let found = graph.is_followed(follow, vertex, edge, Direction::Dependents);
                        found.expect("the state is good")
                    };
                    let found = graph.reach_dependents(follow, &[vertex], u32::MAX, |_| false);
                    let expected =
                        graph.reach_along(&dependents, &[vertex], u32::MAX, |_| false, Some(&is_followed));
                    let found = found.expect("the state is good");
                    assert_eq!((found.order, found.via), (expected.order, expected.via), "{seed}");
                }
            }
        }
        assert!(shared.iter().all(|&count| count > 10), "{shared:?}");
    }

    #[test]
    fn edges_of_a_counted_module_are_not_expanded() {
        // 25 million edges, in a file of less than a megabyte.
        let count = 5_000;
        let mut resources = Vec::new();
        for number in 0..count {
            let module = format!("module.m[{number}]");
            resources.push((module.clone(), "a", Vec::new()));
            resources.push((module, "b", vec!["module.m.t.a".to_owned()]));
        }
        let file = state(&resources);
        let graph = ResourceGraph::of(file.view(), false, &[]).unwrap_or_else(|_| panic!("few rows"));
        let reached = graph.reach(Direction::Dependents, &[0], u32::MAX, |_| false).order;
        assert_eq!((reached.len(), reached[0]), (count, (1, 1)));
        let recorded = graph.reach_dependents(Follow::Recorded, &[0], u32::MAX, |_| false);
        assert_eq!(recorded.map(|reached| reached.order.len()), Ok(0));
        assert_eq!(graph.dependencies.topological_order().map(|order| order.len()), Some(2 * count));
    }
}
