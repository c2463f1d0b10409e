//! §15.5 One resource of a graph in a file.

use crate::read::lookup::{EdgeView, LandmarkView};
use crate::read::view::ValueView;
use crate::read::view::node::{WatchedView, find_value};
use coconut_format::error::DecodeError;
use coconut_format::graph::ResourceNode;
use std::borrow::Cow;

/// A vertex of a [`GraphView`](super::GraphView): a resource, an instance of one, or whatever a general graph
/// consists of. `Copy`; nothing of it is read before it is asked for.
///
/// The accessors know where each dialect has what they ask for. What they do not know is in
/// [`value`](Self::value). The paths in their errors start at the resource.
#[derive(Clone, Copy, Debug)]
pub struct ResourceView<'a> {
    landmark: LandmarkView<'a>,
}

/// An edge between two resources.
#[derive(Clone, Copy, Debug)]
pub struct ResourceEdge<'a> {
    /// What the edge means, for instance `parent`.
    pub kind: &'a str,
    /// The resource at the other end.
    pub resource: ResourceView<'a>,
}

impl<'a> ResourceView<'a> {
    pub(super) fn of(landmark: LandmarkView<'a>) -> ResourceView<'a> {
        ResourceView { landmark }
    }

    /// The landmark that it is.
    pub fn landmark(self) -> LandmarkView<'a> {
        self.landmark
    }

    /// Its number in document order, from 0.
    pub fn ordinal(self) -> Result<u32, DecodeError> {
        self.landmark.ordinal()
    }

    /// Its key: a URN, a Terraform address, or a name.
    pub fn key(self) -> Result<Cow<'a, str>, DecodeError> {
        self.landmark.key()
    }

    /// The value that it is in the document.
    pub fn value(self) -> Result<ValueView<'a>, DecodeError> {
        self.landmark.value()
    }

    /// The resource that this is an instance of.
    pub fn parent(self) -> Result<Option<ResourceView<'a>>, DecodeError> {
        Ok(self.landmark.parent()?.map(ResourceView::of))
    }

    /// The type token or Terraform type; an instance has that of its resource.
    pub fn resource_type(self) -> Result<Option<&'a str>, DecodeError> {
        let own = self.find("/type", |node| ResourceNode { node, around: None }.type_value())?;
        match (own, self.parent()?) {
            (Some(token), _) => token.text().map_err(|error| error.below("/type")),
            (None, Some(parent)) => parent.resource_type(),
            (None, None) => Ok(None),
        }
    }

    /// What the provider calls it. A resource that exists only in the graph has none.
    pub fn id(self) -> Result<Option<&'a str>, DecodeError> {
        match self.find("/id", |node| ResourceNode { node, around: None }.id_value())? {
            Some(id) => id.text().map_err(|error| error.below("/id")),
            None => Ok(None),
        }
    }

    /// What the program asked for: `inputs`, or the `properties` of early Coconut. Terraform keeps none.
    pub fn inputs(self) -> Result<Option<ValueView<'a>>, DecodeError> {
        self.find("/inputs", |node| ResourceNode { node, around: None }.inputs())
    }

    /// What the resource is like: `outputs`, `values`, or the attributes of the only instance. Of a plan's change,
    /// what it will be like.
    pub fn outputs(self) -> Result<Option<ValueView<'a>>, DecodeError> {
        self.find("/outputs", |node| ResourceNode { node, around: None }.outputs())
    }

    /// The property `name`: of the inputs, or else of the outputs.
    pub fn property(self, name: &str) -> Result<Option<ValueView<'a>>, DecodeError> {
        for properties in [self.inputs()?, self.outputs()?].into_iter().flatten() {
            if let Some(found) = properties.field(name)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// Whether the document has it only until it is deleted.
    pub fn is_pending_delete(self) -> Result<bool, DecodeError> {
        let found =
            self.find("", |node| ResourceNode { node, around: None }.is_pending_delete().then_some(node));
        Ok(found?.is_some())
    }

    /// What it depends on, by target and kind of edge.
    pub fn dependencies(self) -> Result<Vec<ResourceEdge<'a>>, DecodeError> {
        Ok(self.landmark.dependencies()?.into_iter().map(ResourceEdge::of).collect())
    }

    /// What depends on it, by source and kind of edge.
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
