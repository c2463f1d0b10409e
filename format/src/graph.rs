//! §15 Graphs. The resources, edges and marked values of a graph document.
//!
//! ```
//! use coconut_format::graph::Graph;
//! use coconut_format::landmark::Dialect;
//! # use coconut_format::Value;
//! # fn object(entries: &[(&str, Value)]) -> Value {
//! #     let entries = entries.iter().map(|(key, value)| ((*key).to_owned(), value.clone()));
//! #     Value::Object(entries.collect())
//! # }
//! # let text = |text: &str| Value::String(text.to_owned());
//! # let vpc = object(&[("type", text("aws:ec2/vpc:VPC"))]);
//! # let link = object(&[("vpcId", object(&[("#ref", text("VPC"))]))]);
//! # let subnet = object(&[("type", text("aws:ec2/subnet:Subnet")), ("properties", link)]);
//! # let document =
//! #     object(&[
//! #         ("package", text("my/cluster:*")),
//! #         ("vertices", object(&[("VPC", vpc), ("Subnet", subnet)])),
//! #     ]);
//! // {"package": "my/cluster:*", "vertices": {
//! //     "VPC": {"type": "aws:ec2/vpc:VPC"},
//! //     "Subnet": {"type": "aws:ec2/subnet:Subnet", "properties": {"vpcId": {"#ref": "VPC"}}}}}
//! let dialect = Dialect::of(&document).expect("it has `package` and `vertices`");
//! let graph = Graph::new(&document, dialect);
//!
//! let subnet = graph.resource("Subnet").next().expect("it is in the document");
//! assert_eq!(subnet.resource_type(), Some("aws:ec2/subnet:Subnet"));
//! let (kind, vpc) = graph.dependencies(subnet).next().expect("it refers to the network");
//! assert_eq!((kind, &*vpc.key()), ("ref", "VPC"));
//! ```

#[cfg(feature = "tooling")]
#[doc(hidden)]
pub mod address;
#[cfg(not(feature = "tooling"))]
mod address;
mod adjacency;
mod build;
mod edges;
mod facts;
#[cfg(any(feature = "verify", feature = "tooling"))]
mod given_names;
mod key_numbers;
mod moniker;
mod path_set;
mod resource;
mod secrets;
mod signed_texts;
mod snapshot;
mod special;

pub use adjacency::Adjacency;
pub use build::{Property, ResourceHandle, SnapshotBuilder, SnapshotError};
pub use edges::{Edge, Edges};
#[cfg(all(feature = "verify", not(feature = "tooling")))]
pub(crate) use facts::Dangling;
#[cfg(feature = "tooling")]
#[doc(hidden)]
pub use facts::{Connected, Dangling, GraphFacts, meant_vertex};
#[cfg(not(feature = "tooling"))]
pub(crate) use facts::{Connected, GraphFacts};
#[cfg(feature = "tooling")]
#[doc(hidden)]
pub use given_names::{
    GivenNames, MOST_VISITED, given_in, given_names, may_be_given, substitutions, until_dot,
};
#[cfg(all(feature = "verify", not(feature = "tooling")))]
pub(crate) use given_names::{GivenNames, given_names, may_be_given};
#[cfg(feature = "tooling")]
#[doc(hidden)]
pub use moniker::Monikers;
pub use path_set::{PathNodeId, PathSet, Place};
pub use resource::{Resource, ResourceNode};
pub(crate) use secrets::visit_all;
pub use secrets::{dynamic_value, secret_places, secret_places_within, secret_words, unknown_places};
pub use signed_texts::holds_escaped_signature;
pub use snapshot::Snapshot;
pub use special::{ARCHIVE_SIGNATURE, ASSET_SIGNATURE, SECRET_SIGNATURE, SIGNATURE_KEY};
pub use special::{ArchiveContent, AssetContent, Secret, Special, UnknownType};

use crate::landmark::{Dialect, Landmarks, OwnKeys};
use crate::node::Node;
use std::borrow::Cow;
use std::fmt;

/// A graph document, read through its dialect.
///
/// It borrows the tree and does not change it, so keys unknown to all dialects stay in place.
/// Creating one costs a walk over the document; a compiled document answers the same questions from
/// its index.
#[derive(Clone)]
pub struct Graph<'a, N> {
    root: N,
    dialect: &'static Dialect,
    landmarks: Landmarks<'a, N>,
    facts: GraphFacts<'a>,
}

/// Prints a line of bounded length, without content.
impl<N> fmt::Debug for Graph<'_, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Graph")
            .field("dialect", &self.dialect.name)
            .field("landmarks", &self.landmarks)
            .finish_non_exhaustive()
    }
}

impl<'a, N: Node<'a>> Graph<'a, N> {
    /// The graph in `root`, a document of `dialect`.
    pub fn new(root: N, dialect: &'static Dialect) -> Graph<'a, N> {
        let landmarks = Landmarks::find(&dialect.rule(root), root);
        let facts = GraphFacts::of(&landmarks);
        Graph { root, dialect, landmarks, facts }
    }

    /// The document.
    pub fn root(&self) -> N {
        self.root
    }

    /// The dialect of the document.
    pub fn dialect(&self) -> &'static Dialect {
        self.dialect
    }

    /// The landmarks that are the graph's vertices.
    #[doc(hidden)]
    pub fn landmarks(&self) -> &Landmarks<'a, N> {
        &self.landmarks
    }

    /// The connections between the resources, in compact form.
    #[doc(hidden)]
    pub fn facts(&self) -> &GraphFacts<'a> {
        &self.facts
    }

    /// The document's front matter.
    pub fn snapshot(&self) -> Snapshot<'a, N> {
        Snapshot::of(self.root)
    }

    /// All resources in document order.
    pub fn resources(&self) -> impl Iterator<Item = Resource<'_, 'a, N>> {
        (0..).zip(self.landmarks.entries()).map(|(ordinal, _)| Resource { graph: self, ordinal })
    }

    /// The resources with this key, in document order; usually one. Compares all keys.
    pub fn resource(&self, key: &str) -> impl Iterator<Item = Resource<'_, 'a, N>> {
        let numbers = &self.facts.key_numbers;
        let number = self.first_with_key(key).map(|first| numbers[first as usize]);
        self.resources().filter(move |resource| number == Some(numbers[resource.ordinal as usize]))
    }

    /// The first vertex with this key. Visits each own key once, after those around it.
    fn first_with_key(&self, key: &str) -> Option<u32> {
        let join = self.landmarks.join();
        // For each vertex whose key is a prefix of `key`: the rest of `key` after it.
        let mut rests: Vec<Option<&str>> = Vec::with_capacity(self.landmarks.entries().len());
        for (ordinal, landmark) in (0..).zip(self.landmarks.entries()) {
            let before = match (join, landmark.parent) {
                (Some(join), Some(parent)) => rests[parent as usize].and_then(|rest| rest.strip_prefix(join)),
                _ => Some(key),
            };
            let rest = before.and_then(|before| before.strip_prefix(&*landmark.key));
            if rest == Some("") {
                return Some(ordinal);
            }
            rests.push(rest);
        }
        None
    }

    /// The resources that `resource` depends on, each with the kind of edge, in document order. A
    /// resource with several edges to it is repeated.
    pub fn dependencies<'g>(
        &'g self,
        resource: Resource<'g, 'a, N>,
    ) -> impl Iterator<Item = (&'g str, Resource<'g, 'a, N>)> {
        let kinds = self.landmarks.rule().edges();
        self.facts.edges.of(resource.ordinal).map(move |edge| {
            let dependency = Resource { graph: self, ordinal: edge.target };
            (kinds[usize::from(edge.number)].kind(), dependency)
        })
    }

    /// The places that must not be shown.
    pub fn secret_places(&self) -> PathSet {
        secret_places(self.root, self.dialect)
    }

    /// The places whose values are not known yet.
    pub fn unknown_places(&self) -> PathSet {
        unknown_places(self.root, self.dialect)
    }
}

impl<'a, N: Node<'a>> Adjacency for Graph<'a, N> {
    fn vertices(&self) -> u32 {
        self.facts.vertices()
    }

    fn degree(&self, vertex: u32) -> u32 {
        self.facts.degree(vertex)
    }

    fn target(&self, vertex: u32, entry: u32) -> Option<u32> {
        self.facts.target(vertex, entry)
    }
}

impl<'a, N: Node<'a>> Connected for Graph<'a, N> {
    fn key(&self, vertex: u32) -> Cow<'_, str> {
        self.landmarks.full_key(vertex)
    }

    fn cut_key(&self, vertex: u32, most: usize) -> Cow<'_, str> {
        facts::cut(&self.landmarks.key_parts(vertex), most)
    }

    fn parent(&self, vertex: u32) -> Option<u32> {
        self.landmarks.parent_of(vertex)
    }
}
