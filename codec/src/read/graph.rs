//! A graph in a file (§15): its resources and the edges between them, read in place.
//!
//! ```
//! use coconut_codec::compile::{CompileOptions, compile};
//! use coconut_codec::read::file::DocumentFile;
//! use coconut_codec::read::graph::GraphView;
//!
//! let source = br##"{"package": "my/cluster:*", "vertices": {
//!     "subnet": {"type": "aws:ec2/subnet:Subnet", "properties": {"vpcId": {"#ref": "vpc"}}},
//!     "vpc": {"type": "aws:ec2/vpc:VPC"}
//! }}"##;
//! let compiled = compile(source, &CompileOptions::default())?;
//! let file = DocumentFile::from_data(&compiled.bytes[..])?;
//! let graph = GraphView::of(file.view()).expect("it is a graph");
//!
//! let subnet = graph.resource(0)?.expect("it is the first resource");
//! assert_eq!(subnet.resource_type()?, Some("aws:ec2/subnet:Subnet"));
//! let edge = subnet.dependencies()?[0];
//! assert_eq!((edge.kind, &*edge.resource.key()?), ("ref", "vpc"));
//!
//! let mut keys = Vec::new();
//! for resource in graph.in_dependency_order()? {
//!     keys.push(resource?.key()?);
//! }
//! assert_eq!(keys, ["vpc", "subnet"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod order;
mod reach;
mod resource;

pub use order::{DependencyOrder, OrderError};
pub use reach::GraphEdges;
pub use resource::{ResourceEdge, ResourceView};

use crate::read::file::DocumentView;
use coconut_format::error::DecodeError;
use coconut_format::landmark::Dialect;

/// A graph in a file: `Copy`, two words.
///
/// Unlike a [`Graph`](coconut_format::graph::Graph), it has walked nothing and owns nothing. Each
/// answer comes from the index of the file, or from the requested resource.
#[derive(Clone, Copy, Debug)]
pub struct GraphView<'a> {
    document: DocumentView<'a>,
}

impl<'a> GraphView<'a> {
    /// Returns the graph in `document`, or `None` if the document type is not `cocogl`.
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
    /// assert_eq!(graph.resources()?.count(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of(document: DocumentView<'a>) -> Option<GraphView<'a>> {
        (document.header().document_type == "cocogl").then_some(GraphView { document })
    }

    /// Returns the document.
    pub fn document(self) -> DocumentView<'a> {
        self.document
    }

    /// Returns the dialect that the writer recognised, if this reader also knows it.
    pub fn dialect(self) -> Option<&'static Dialect> {
        Dialect::named(self.document.header().dialect.as_deref()?)
    }

    /// Iterates over all resources in document order. The contents of a resource are read only on
    /// request.
    pub fn resources(
        self,
    ) -> Result<impl Iterator<Item = Result<ResourceView<'a>, DecodeError>>, DecodeError> {
        Ok(self.document.landmarks()?.map(|landmark| landmark.map(ResourceView::of)))
    }

    /// Returns the resource with this ordinal, its number in document order.
    pub fn resource(self, ordinal: u32) -> Result<Option<ResourceView<'a>>, DecodeError> {
        Ok(self.document.landmark(ordinal)?.map(ResourceView::of))
    }

    /// Iterates over all resources, each after all of its dependencies. A document that is already
    /// in such an order keeps it.
    ///
    /// Reads only the edge tables and the places of landmarks: some nanoseconds per edge, and at
    /// most 12 bytes per resource. An edge to a resource covers all its instances, so a dependent
    /// comes after those. If several resources have the same key, an edge to the key leads to all
    /// of them.
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
    /// let mut keys = Vec::new();
    /// for resource in graph.in_dependency_order()? {
    ///     keys.push(resource?.key()?.into_owned());
    /// }
    /// assert_eq!(keys, ["t.net", "t.web"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn in_dependency_order(self) -> Result<DependencyOrder<'a>, DecodeError> {
        DependencyOrder::of(self.document)
    }
}
