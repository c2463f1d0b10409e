//! Reachability along the edges of a graph (§15.5), and the edges as a whole.

use super::{GraphView, ResourceView};
use crate::bounded_debug::bounded_debug;
use crate::read::lookup::{EdgeView, LandmarkView};
use crate::wire::edges::CheckedEdges;
use crate::wire::ids::Ordinal;
use coconut_format::error::DecodeError;
use coconut_format::graph::Adjacency;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// The edges of a [`GraphView`] by ordinals, checked: for questions about the whole graph
/// ([`Adjacency`]), such as its cycles and components.
///
/// They are the edges between landmarks as stored in the file. A resource and each of its instances
/// are separate vertices here.
#[derive(Clone)]
pub struct GraphEdges<'a> {
    edges: Cow<'a, CheckedEdges<'a>>,
    vertices: u32,
}

bounded_debug!(GraphEdges<'_>, |graph| vertices: graph.vertices);

impl Adjacency for GraphEdges<'_> {
    fn vertices(&self) -> u32 {
        self.vertices
    }

    fn degree(&self, vertex: u32) -> u32 {
        let range = self.edges.range(Ordinal(vertex));
        range.end.saturating_sub(range.start)
    }

    fn target(&self, vertex: u32, entry: u32) -> Option<u32> {
        let range = self.edges.range(Ordinal(vertex));
        let edge = range.start.checked_add(entry).filter(|edge| range.contains(edge))?;
        self.edges.target(edge).map(|target| target.0)
    }
}

impl<'a> GraphView<'a> {
    /// Returns all edges, from dependents to dependencies.
    ///
    /// Costs a pass over the edge tables. Without tables, walks the document once.
    ///
    /// ```
    /// use coconut_codec::format::graph::Adjacency;
    /// use coconut_codec::{CompileOptions, Document, GraphView, compile};
    ///
    /// let source = br##"{"package": "p:*", "vertices": {
    ///     "a": {"type": "t", "properties": {"of": {"#ref": "b"}}},
    ///     "b": {"type": "t", "properties": {"of": {"#ref": "a"}}}}}"##;
    /// let file = Document::from_data(compile(source, &CompileOptions::default())?.bytes)?;
    /// let edges = GraphView::of(file.view()).expect("it is a graph").edges()?;
    /// assert_eq!(edges.cycles(&edges.components()), [[0, 1]]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn edges(self) -> Result<GraphEdges<'a>, DecodeError> {
        let vertices = self.document().landmark_count()?;
        Ok(GraphEdges { edges: self.document().checked_edges()?, vertices })
    }

    /// Returns everything that `resource` depends on, directly or not, in document order.
    ///
    /// A resource and its instances count as one: an edge to one of them leads to all. The result
    /// excludes `resource` and its own instances. Costs a lookup of edges for each reached
    /// resource.
    ///
    /// ```
    /// use coconut_codec::{CompileOptions, Document, GraphView, compile};
    ///
    /// let source = br#"{"version": 4, "resources": [
    ///     {"mode": "managed", "type": "t", "name": "net", "instances": [{"attributes": {}}]},
    ///     {"mode": "managed", "type": "t", "name": "web",
    ///      "instances": [{"attributes": {"id": "w-1"}, "dependencies": ["t.net"]}]}]}"#;
    /// let file = Document::from_data(compile(source, &CompileOptions::default())?.bytes)?;
    /// let graph = GraphView::of(file.view()).expect("it is a graph");
    /// let mut found = Vec::new();
    /// for resource in graph.resources()? {
    ///     let resource = resource?;
    ///     if resource.key()? == "t.web" {
    ///         found = graph.dependencies_of(resource)?;
    ///     }
    /// }
    /// assert_eq!(found[0].key()?, "t.net");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn dependencies_of(self, resource: ResourceView<'a>) -> Result<Vec<ResourceView<'a>>, DecodeError> {
        self.reached_from(resource, LandmarkView::dependencies)
    }

    /// Returns everything that depends on `resource`, directly or not, in document order. See
    /// [`dependencies_of`](Self::dependencies_of).
    ///
    /// ```
    /// use coconut_codec::{CompileOptions, Document, GraphView, compile};
    ///
    /// let source = br#"{"version": 4, "resources": [
    ///     {"mode": "managed", "type": "t", "name": "net", "instances": [{"attributes": {}}]},
    ///     {"mode": "managed", "type": "t", "name": "web",
    ///      "instances": [{"attributes": {"id": "w-1"}, "dependencies": ["t.net"]}]}]}"#;
    /// let file = Document::from_data(compile(source, &CompileOptions::default())?.bytes)?;
    /// let graph = GraphView::of(file.view()).expect("it is a graph");
    /// let mut found = Vec::new();
    /// for resource in graph.resources()? {
    ///     let resource = resource?;
    ///     if resource.key()? == "t.net" {
    ///         found = graph.dependents_of(resource)?;
    ///     }
    /// }
    /// assert_eq!(found[0].key()?, "t.web");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn dependents_of(self, resource: ResourceView<'a>) -> Result<Vec<ResourceView<'a>>, DecodeError> {
        self.reached_from(resource, LandmarkView::dependents)
    }

    fn reached_from(
        self,
        resource: ResourceView<'a>,
        edges: impl Fn(&LandmarkView<'a>) -> Result<Vec<EdgeView<'a>>, DecodeError>,
    ) -> Result<Vec<ResourceView<'a>>, DecodeError> {
        let own = resource.landmark().joined()?;
        let (mut reached, mut open, mut met) = (BTreeSet::new(), own.clone(), 0);
        for landmark in &own {
            reached.insert(landmark.ordinal()?);
        }
        while let Some(landmark) = open.pop() {
            let ends = edges(&landmark)?;
            met += ends.len();
            self.document().check_edges_met(met)?;
            for end in ends {
                if reached.contains(&end.landmark.ordinal()?) {
                    continue;
                }
                for joined in end.landmark.joined()? {
                    if reached.insert(joined.ordinal()?) {
                        open.push(joined);
                    }
                }
            }
        }
        for landmark in own {
            reached.remove(&landmark.ordinal()?);
        }
        let resources = reached.into_iter().map(|ordinal| self.resource(ordinal).transpose());
        resources.flatten().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::{CompileOptions, compile};
    use crate::read::file::DocumentFile;

    #[test]
    fn a_closure_follows_edges_to_their_end_and_round_circles() {
        let vertex = |name: &str, needs: &[&str]| {
            let needs: Vec<String> = needs.iter().map(|need| format!(r##"{{"#ref": "{need}"}}"##)).collect();
            format!(r#""{name}": {{"type": "t", "properties": {{"of": [{}]}}}}"#, needs.join(","))
        };
        let vertices = [
            vertex("a", &["b", "c"]),
            vertex("b", &["d"]),
            vertex("c", &["a"]),
            vertex("d", &[]),
            vertex("e", &["a"]),
        ];
        let text = format!(r#"{{"package": "p:*", "vertices": {{{}}}}}"#, vertices.join(","));
        let bytes = compile(text.as_bytes(), &CompileOptions::default()).unwrap().bytes;
        let file = DocumentFile::from_data(bytes).unwrap();
        let graph = GraphView::of(file.view()).unwrap();
        let keys = |found: Vec<ResourceView<'_>>| -> String {
            found.into_iter().map(|resource| resource.key().unwrap().into_owned()).collect()
        };
        let of = |ordinal: u32| graph.resource(ordinal).unwrap().unwrap();
        let closures: Vec<(String, String)> = (0..5)
            .map(|n| (keys(graph.dependencies_of(of(n)).unwrap()), keys(graph.dependents_of(of(n)).unwrap())))
            .collect();
        let expected = [("bcd", "ce"), ("d", "ace"), ("abd", "ae"), ("", "abce"), ("abcd", "")];
        assert_eq!(closures, expected.map(|(one, other)| (one.to_owned(), other.to_owned())));
        let edges = graph.edges().unwrap();
        let targets: Vec<Vec<u32>> = (0..edges.vertices())
            .map(|vertex| (0..edges.degree(vertex)).filter_map(|entry| edges.target(vertex, entry)).collect())
            .collect();
        assert_eq!(targets, [vec![1, 2], vec![3], vec![0], vec![], vec![0]]);
        assert_eq!((edges.degree(5), edges.target(0, 2), edges.target(9, 0)), (0, None, None));
    }
}
