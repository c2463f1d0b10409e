//! §15.5 One resource of a graph.

use super::Graph;
use crate::node::{Kind, Node};
use std::borrow::Cow;
use std::fmt;

/// A vertex of a [`Graph`]: a resource, an instance of one, or any vertex of a general graph.
///
/// The accessors know where each dialect stores each field. For everything else, use
/// [`node`](Self::node).
#[derive(Clone, Copy)]
pub struct Resource<'g, 'a, N> {
    pub(super) graph: &'g Graph<'a, N>,
    pub(super) ordinal: u32,
}

/// Prints a line of bounded length, without content.
impl<N> fmt::Debug for Resource<'_, '_, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Resource {{ ordinal: {} }}", self.ordinal)
    }
}

impl<'g, 'a, N: Node<'a>> Resource<'g, 'a, N> {
    /// Its number in the document, from 0.
    pub fn ordinal(self) -> u32 {
        self.ordinal
    }

    /// Its key: a [URN](crate::urn::Urn), a Terraform address, or a name. The key of an instance is
    /// assembled from its own key and that of its resource.
    pub fn key(self) -> Cow<'g, str> {
        self.graph.landmarks.full_key(self.ordinal)
    }

    /// Its value in the document.
    pub fn node(self) -> N {
        self.landmark().node
    }

    /// The resource that this vertex is an instance of.
    pub fn parent(self) -> Option<Resource<'g, 'a, N>> {
        Some(Resource { ordinal: self.landmark().parent?, ..self })
    }

    /// Its description in the document.
    pub fn description(self) -> ResourceNode<N> {
        ResourceNode { node: self.node(), around: self.parent().map(Resource::node) }
    }

    /// The type token or Terraform type.
    pub fn resource_type(self) -> Option<&'a str> {
        self.description().resource_type()
    }

    /// The provider's id; `None` for a resource that exists only in the graph.
    pub fn id(self) -> Option<&'a str> {
        self.description().id()
    }

    /// The inputs from the program: `inputs`, or the `properties` of Coconut 2017, of programs and
    /// of templates. Terraform stores none.
    pub fn inputs(self) -> Option<N> {
        self.description().inputs()
    }

    /// The state of the resource: `outputs`, `values`, or the attributes of the only instance. For
    /// a change in a plan, it is the state after the change.
    pub fn outputs(self) -> Option<N> {
        self.description().outputs()
    }

    /// Whether the resource is kept only until it is deleted.
    pub fn is_pending_delete(self) -> bool {
        self.description().is_pending_delete()
    }

    fn landmark(self) -> &'g crate::landmark::Landmark<'a, N> {
        &self.graph.landmarks.entries()[self.ordinal as usize]
    }
}

/// A document's description of a resource: its own value, and that of the resource that it is an
/// instance of.
#[derive(Clone, Copy)]
pub struct ResourceNode<N> {
    /// Its own value.
    pub node: N,
    /// The value of the landmark around it.
    pub around: Option<N>,
}

impl<'a, N: Node<'a>> ResourceNode<N> {
    /// The type token or Terraform type; an instance has the type of its resource.
    pub fn resource_type(self) -> Option<&'a str> {
        self.type_value()?.as_str()
    }

    /// The value of the type.
    pub fn type_value(self) -> Option<N> {
        let of = |node: N| node.get("type").or_else(|| node.get("Type"));
        of(self.node).or_else(|| of(self.around?))
    }

    /// The provider's id; `None` for a resource that exists only in the graph.
    pub fn id(self) -> Option<&'a str> {
        self.id_value()?.as_str()
    }

    /// The value of the id.
    pub fn id_value(self) -> Option<N> {
        self.node.get("id").or_else(|| self.content()?.get("id"))
    }

    /// The inputs from the program: `inputs`, or the `properties` of Coconut 2017, of programs and
    /// of templates. Terraform stores none.
    pub fn inputs(self) -> Option<N> {
        self.object("inputs").or_else(|| self.object("properties")).or_else(|| self.object("Properties"))
    }

    /// The state of the resource: `outputs`, `values`, or the attributes of the only instance. For
    /// a change in a plan, it is the state after the change.
    pub fn outputs(self) -> Option<N> {
        self.object("outputs").or_else(|| self.content())
    }

    /// Whether the resource is kept only until it is deleted.
    pub fn is_pending_delete(self) -> bool {
        let flag = |name| self.node.get(name).and_then(Node::as_bool) == Some(true);
        let has_text = |name| self.node.get(name).is_some_and(|value| value.as_str().is_some());
        flag("delete") || has_text("deposed") || has_text("deposed_key")
    }

    fn object(self, key: &str) -> Option<N> {
        self.node.get(key).filter(|value| value.kind() == Kind::Object)
    }

    /// Terraform's attributes of a resource, an instance, the only instance of a resource, or a
    /// change.
    fn content(self) -> Option<N> {
        let only_instance = || {
            let mut instances = self.node.get("instances")?.items();
            instances.next().filter(|_| instances.next().is_none())?.get("attributes")
        };
        let primary = || self.node.get("primary")?.get("attributes");
        let change = || self.node.get("change")?.get("after");
        let values = self.object("values").or_else(|| self.object("attributes"));
        values.or_else(only_instance).or_else(primary).or_else(change)
    }
}
