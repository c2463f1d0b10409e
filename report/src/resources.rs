//! §15.6 The resources of a document as a graph in memory, for questions about the whole graph.
//!
//! `deps` follows the edges of the file and keeps only the resources it reaches. The questions here
//! visit every edge, some of them several times, so the edges are read once: 13 bytes for each, and
//! 8 for each landmark. The algorithms are those of [`Adjacency`], which do not recurse.

use crate::failure::Failure;
use crate::json::text;
use crate::relations::Direction;
use crate::relations::{Follow, Relations};
use coconut_codec::read::file::DocumentView;
use coconut_format::Value;
use coconut_format::error::DecodeError;
use coconut_format::graph::{Adjacency, Edge, Edges};
use std::collections::VecDeque;

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
        let (mut edges, mut loops, mut met) = (Vec::new(), Vec::new(), 0);
        for (node, &source) in (0..).zip(&vertex_of) {
            let of_node = relations.edges(node, Direction::Dependencies)?;
            met += of_node.len();
            relations.check_edges_met(met)?;
            for (to, number) in of_node {
                let target = vertex_of.get(to as usize).copied().unwrap_or_default();
                match wanted.get(usize::from(number)).copied().unwrap_or_default() {
                    true if target != source => edges.push(Edge { source, target, number }),
                    true if to == node => loops.push(source),
                    _ => {}
                }
            }
        }
        edges.sort_unstable_by_key(|edge| (edge.source, edge.target, edge.number));
        edges.dedup();
        loops.dedup();
        let dependencies = Edges::new(number_of(nodes.len()), &edges);
        drop(edges);
        let dependents = dependencies.reversed();
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
    pub fn is_followed(
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
        self.reach_by(direction, start, depth, closed, |_, _| true)
    }

    /// Does the same along the edges that are `followed`, given the vertex at which one starts.
    pub fn reach_by(
        &self,
        direction: Direction,
        start: &[u32],
        depth: u32,
        closed: impl Fn(u32) -> bool,
        followed: impl Fn(u32, Edge) -> bool,
    ) -> Reached {
        let edges = self.edges(direction);
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
            for edge in edges.of(vertex) {
                let via = &mut reached.via[edge.target as usize];
                if *via == NOWHERE && followed(vertex, edge) {
                    *via = vertex;
                    reached.order.push((edge.target, distance + 1));
                    queue.push_back((edge.target, distance + 1));
                }
            }
        }
        reached
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
