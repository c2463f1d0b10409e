//! One resource of a graph in a file (§15.5).

use crate::bounded_debug::bounded_debug;
use crate::read::lookup::{EdgeView, LandmarkView};
use crate::read::view::ValueView;
use crate::read::view::node::{WatchedView, find_value};
use coconut_format::error::DecodeError;
use coconut_format::graph::ResourceNode;
use std::borrow::Cow;

/// A vertex of a [`GraphView`](super::GraphView): a resource, an instance of one, or any vertex of
/// a general graph. `Copy`; its contents are read only on request.
///
/// The accessors know where each dialect stores these values. For all other content, use
/// [`value`](Self::value). The paths in their errors start at the resource.
#[derive(Clone, Copy, Debug)]
pub struct ResourceView<'a> {
    landmark: LandmarkView<'a>,
}

/// An edge between two resources.
#[derive(Clone, Copy)]
pub struct ResourceEdge<'a> {
    /// The meaning of the edge, for instance `parent`.
    pub kind: &'a str,
    /// The resource at the other end.
    pub resource: ResourceView<'a>,
}

bounded_debug!(ResourceEdge<'_>, |edge| resource: edge.resource);

impl<'a> ResourceView<'a> {
    pub(super) fn of(landmark: LandmarkView<'a>) -> ResourceView<'a> {
        ResourceView { landmark }
    }

    /// Returns the landmark of the vertex.
    pub fn landmark(self) -> LandmarkView<'a> {
        self.landmark
    }

    /// Returns its number in document order, from 0.
    pub fn ordinal(self) -> Result<u32, DecodeError> {
        self.landmark.ordinal()
    }

    /// Returns its key: a URN, a Terraform address, or a name.
    pub fn key(self) -> Result<Cow<'a, str>, DecodeError> {
        self.landmark.key()
    }

    /// Returns its value in the document.
    pub fn value(self) -> Result<ValueView<'a>, DecodeError> {
        self.landmark.value()
    }

    /// Returns the resource that this vertex is an instance of.
    pub fn parent(self) -> Result<Option<ResourceView<'a>>, DecodeError> {
        Ok(self.landmark.parent()?.map(ResourceView::of))
    }

    /// Returns the type token or Terraform type. An instance has the type of its resource.
    pub fn resource_type(self) -> Result<Option<&'a str>, DecodeError> {
        let own = self.find("/type", |node| ResourceNode { node, around: None }.type_value())?;
        match (own, self.parent()?) {
            (Some(token), _) => token.text().map_err(|error| error.below("/type")),
            (None, Some(parent)) => parent.resource_type(),
            (None, None) => Ok(None),
        }
    }

    /// Returns the id given by the provider. A resource that exists only in the graph has no id.
    pub fn id(self) -> Result<Option<&'a str>, DecodeError> {
        match self.find("/id", |node| ResourceNode { node, around: None }.id_value())? {
            Some(id) => id.text().map_err(|error| error.below("/id")),
            None => Ok(None),
        }
    }

    /// Returns the inputs from the program: `inputs`, or the `properties` of Coconut 2017.
    /// Terraform stores none.
    pub fn inputs(self) -> Result<Option<ValueView<'a>>, DecodeError> {
        self.find("/inputs", |node| ResourceNode { node, around: None }.inputs())
    }

    /// Returns the state of the resource: `outputs`, `values`, or the attributes of the only
    /// instance. For a change in a plan, returns the planned state.
    pub fn outputs(self) -> Result<Option<ValueView<'a>>, DecodeError> {
        self.find("/outputs", |node| ResourceNode { node, around: None }.outputs())
    }

    /// Returns the property `name` from the inputs, or otherwise from the outputs.
    pub fn property(self, name: &str) -> Result<Option<ValueView<'a>>, DecodeError> {
        for properties in [self.inputs()?, self.outputs()?].into_iter().flatten() {
            if let Some(found) = properties.field(name)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// Returns whether the resource is kept only until it is deleted.
    pub fn is_pending_delete(self) -> Result<bool, DecodeError> {
        let found =
            self.find("", |node| ResourceNode { node, around: None }.is_pending_delete().then_some(node));
        Ok(found?.is_some())
    }

    /// Returns the edges to its dependencies, by target and kind of edge.
    pub fn dependencies(self) -> Result<Vec<ResourceEdge<'a>>, DecodeError> {
        Ok(self.landmark.dependencies()?.into_iter().map(ResourceEdge::of).collect())
    }

    /// Returns the edges from its dependents, by source and kind of edge.
    pub fn dependents(self) -> Result<Vec<ResourceEdge<'a>>, DecodeError> {
        Ok(self.landmark.dependents()?.into_iter().map(ResourceEdge::of).collect())
    }

    fn find(
        self,
        place: &str,
        find: impl for<'w> FnOnce(WatchedView<'w>) -> Option<WatchedView<'w>>,
    ) -> Result<Option<ValueView<'a>>, DecodeError> {
        find_value(self.value()?, find).map_err(|error| error.below(place))
    }
}

impl<'a> ResourceEdge<'a> {
    fn of(edge: EdgeView<'a>) -> ResourceEdge<'a> {
        ResourceEdge { kind: edge.kind, resource: ResourceView::of(edge.landmark) }
    }
}
