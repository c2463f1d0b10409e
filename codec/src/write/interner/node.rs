//! The document layer's way to look at a [`Dag`].

use super::{ContainerIndex, Dag, Handle, Kind as DagKind, StringIndex};
use coconut_format::Integer;
use coconut_format::node::{Kind, Node};

/// A value of a dag, for the landmark rules.
#[derive(Clone, Copy)]
pub(crate) struct DagNode<'a> {
    pub(crate) dag: &'a Dag,
    pub(crate) handle: Handle,
}

impl<'a> DagNode<'a> {
    fn children(self) -> &'a [Handle] {
        self.handle.container().map_or(&[], |container| self.dag.children(container))
    }

    fn container(self) -> Option<ContainerIndex> {
        self.handle.container()
    }

    fn keys(self) -> &'a [StringIndex] {
        self.container().and_then(|container| self.dag.keys(container)).unwrap_or_default()
    }
}

impl<'a> Node<'a> for DagNode<'a> {
    fn kind(self) -> Kind {
        match self.dag.kind(self.handle) {
            DagKind::Null => Kind::Null,
            DagKind::Bool(_) => Kind::Bool,
            DagKind::Integer(_) => Kind::Integer,
            DagKind::Float(_) => Kind::Float,
            DagKind::String(_) => Kind::String,
            DagKind::Container(container) => match self.dag.key_list(container) {
                Some(_) => Kind::Object,
                None => Kind::List,
            },
        }
    }

    fn as_bool(self) -> Option<bool> {
        match self.dag.kind(self.handle) {
            DagKind::Bool(value) => Some(value),
            _ => None,
        }
    }

    fn as_integer(self) -> Option<Integer> {
        match self.dag.kind(self.handle) {
            DagKind::Integer(value) => Some(value),
            _ => None,
        }
    }

    fn as_float(self) -> Option<f64> {
        match self.dag.kind(self.handle) {
            DagKind::Float(value) => Some(value),
            _ => None,
        }
    }

    fn as_str(self) -> Option<&'a str> {
        self.handle.string().map(|string| self.dag.text(string))
    }

    fn get(self, key: &str) -> Option<Self> {
        let handle = self.dag.get(self.container()?, key)?;
        Some(DagNode { dag: self.dag, handle })
    }

    fn entries(self) -> impl Iterator<Item = (&'a str, Self)> + 'a {
        let DagNode { dag, .. } = self;
        self.keys()
            .iter()
            .zip(self.children())
            .map(move |(&key, &handle)| (dag.text(key), DagNode { dag, handle }))
    }

    fn items(self) -> impl Iterator<Item = Self> + 'a {
        let DagNode { dag, .. } = self;
        let items = if self.kind() == Kind::List { self.children() } else { &[] };
        items.iter().map(move |&handle| DagNode { dag, handle })
    }

    fn width(self) -> usize {
        self.children().len()
    }
}
