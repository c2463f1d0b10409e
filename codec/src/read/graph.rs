//! §15 A graph in a file: its resources and what leads from one to another, read where they lie.
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
//! let subnet = graph.resources_with_key("subnet")?[0];
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
mod resource;

pub use order::{DependencyOrder, OrderError};
pub use resource::{ResourceEdge, ResourceView};

use crate::read::file::DocumentView;
use crate::read::lookup::LandmarkView;
use coconut_format::error::DecodeError;
use coconut_format::landmark::Dialect;

/// A graph in a file: `Copy`, two words.
///
/// Unlike a [`Graph`](coconut_format::graph::Graph) it has walked over nothing and owns nothing: every answer
/// comes from the index of the file, or from the one resource that is asked.
#[derive(Clone, Copy, Debug)]
pub struct GraphView<'a> {
    document: DocumentView<'a>,
}

impl<'a> GraphView<'a> {
    /// The graph that `document` is; `None` when its document type is not `cocogl`.
    pub fn of(document: DocumentView<'a>) -> Option<GraphView<'a>> {
        (document.header().document_type == "cocogl").then_some(GraphView { document })
    }

    /// The document.
    pub fn document(self) -> DocumentView<'a> {
        self.document
    }

    /// The dialect that the writer recognised, if this reader knows it too.
    pub fn dialect(self) -> Option<&'static Dialect> {
        Dialect::named(self.document.header().dialect.as_deref()?)
    }

    /// How many resources there are, instances included.
    pub fn resource_count(self) -> Result<u32, DecodeError> {
        self.document.landmark_count()
    }

    /// All resources in document order. Nothing of a resource is read before it is asked for.
    pub fn resources(
        self,
    ) -> Result<impl Iterator<Item = Result<ResourceView<'a>, DecodeError>>, DecodeError> {
        Ok(self.document.landmarks()?.map(|landmark| landmark.map(ResourceView::of)))
    }

    /// The resource with this ordinal, its number in document order.
    pub fn resource(self, ordinal: u32) -> Result<Option<ResourceView<'a>>, DecodeError> {
        Ok(self.document.landmark(ordinal)?.map(ResourceView::of))
    }

    /// The resources with this key, in document order: mostly one. Costs what a lookup costs.
    pub fn resources_with_key(self, key: &str) -> Result<Vec<ResourceView<'a>>, DecodeError> {
        let landmarks: Vec<LandmarkView<'a>> = self.document.get_all(key)?;
        Ok(landmarks.into_iter().map(ResourceView::of).collect())
    }

    /// All resources, each after all that it depends on. A document that is in such an order keeps it.
    ///
    /// Reads the edge tables and where landmarks begin, and nothing else: some nanoseconds an edge, and at most 12
    /// bytes a resource. An edge to a resource means all its instances, so a resource comes after those. Where
    /// several resources have one key, an edge to the key leads to all of them.
    pub fn in_dependency_order(self) -> Result<DependencyOrder<'a>, DecodeError> {
        DependencyOrder::of(self.document)
    }
}
