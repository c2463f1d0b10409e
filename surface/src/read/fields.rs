//! Fields of a document that is read: by kind, and of texts.

use coconut_format::node::{Kind, Node};

/// Whether a node has an entry with a value of this kind.
pub(crate) fn is<'a, N: Node<'a>>(node: N, key: &str, kind: Kind) -> bool {
    node.get(key).is_some_and(|value| value.kind() == kind)
}

/// The entries of an object under a key.
pub(crate) fn entries<'a, N: Node<'a>>(node: N, key: &str) -> impl Iterator<Item = (&'a str, N)> + 'a {
    node.get(key).into_iter().flat_map(Node::entries)
}

/// The string under a key.
pub(crate) fn text<'a, N: Node<'a>>(node: N, key: &str) -> Option<&'a str> {
    node.get(key)?.as_str()
}

/// The strings of the list under a key.
pub(crate) fn texts<'a, N: Node<'a>>(node: N, key: &str) -> impl Iterator<Item = &'a str> + 'a {
    node.get(key).into_iter().flat_map(Node::items).filter_map(Node::as_str)
}
