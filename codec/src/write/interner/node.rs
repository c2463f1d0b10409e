//! [`Node`] for an [`Interned`], so that the landmark rules can walk it.

use super::{ContainerIndex, Handle, Interned, Kind as InternedKind, StringIndex};
use coconut_format::Integer;
use coconut_format::node::{Kind, Node};

/// A value of a document, for the landmark rules.
#[derive(Clone, Copy)]
pub(crate) struct InternedNode<'a> {
    pub(crate) document: &'a Interned,
    pub(crate) handle: Handle,
}

impl<'a> InternedNode<'a> {
    fn children(self) -> &'a [Handle] {
        self.handle.container().map_or(&[], |container| self.document.children(container))
    }

    fn container(self) -> Option<ContainerIndex> {
        self.handle.container()
    }

    fn keys(self) -> &'a [StringIndex] {
        self.container().and_then(|container| self.document.keys(container)).unwrap_or_default()
    }
}

impl<'a> Node<'a> for InternedNode<'a> {
    fn kind(self) -> Kind {
        match self.document.kind(self.handle) {
            InternedKind::Null => Kind::Null,
            InternedKind::Bool(_) => Kind::Bool,
            InternedKind::Integer(_) => Kind::Integer,
            InternedKind::Float(_) => Kind::Float,
            InternedKind::String(_) => Kind::String,
            InternedKind::Container(container) => match self.document.key_list(container) {
                Some(_) => Kind::Object,
                None => Kind::List,
            },
        }
    }

    fn as_bool(self) -> Option<bool> {
        match self.document.kind(self.handle) {
            InternedKind::Bool(value) => Some(value),
            _ => None,
        }
    }

    fn as_integer(self) -> Option<Integer> {
        match self.document.kind(self.handle) {
            InternedKind::Integer(value) => Some(value),
            _ => None,
        }
    }

    fn as_float(self) -> Option<f64> {
        match self.document.kind(self.handle) {
            InternedKind::Float(value) => Some(value),
            _ => None,
        }
    }

    fn as_str(self) -> Option<&'a str> {
        self.handle.string().map(|string| self.document.text(string))
    }

    fn get(self, key: &str) -> Option<Self> {
        let handle = self.document.get(self.container()?, key)?;
        Some(InternedNode { document: self.document, handle })
    }

    fn entries(self) -> impl Iterator<Item = (&'a str, Self)> + 'a {
        let InternedNode { document, .. } = self;
        self.keys()
            .iter()
            .zip(self.children())
            .map(move |(&key, &handle)| (document.text(key), InternedNode { document, handle }))
    }

    fn items(self) -> impl Iterator<Item = Self> + 'a {
        let InternedNode { document, .. } = self;
        let items = if self.kind() == Kind::List { self.children() } else { &[] };
        items.iter().map(move |&handle| InternedNode { document, handle })
    }

    fn width(self) -> usize {
        self.children().len()
    }
}
