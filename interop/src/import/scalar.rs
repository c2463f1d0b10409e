//! Scalars as strings. Authors of YAML forget quotes.

use coconut_format::node::{Kind, Node};
use std::borrow::Cow;

/// The text of a scalar other than null, as YAML would write it.
pub(super) fn text_of<'a, N: Node<'a>>(node: N) -> Option<Cow<'a, str>> {
    match node.kind() {
        Kind::String => node.as_str().map(Cow::Borrowed),
        Kind::Bool => node.as_bool().map(|truth| Cow::Borrowed(if truth { "true" } else { "false" })),
        Kind::Integer => node.as_integer().map(|number| Cow::Owned(number.to_string())),
        Kind::Float => node.as_float().map(|number| Cow::Owned(number.to_string())),
        Kind::Null | Kind::List | Kind::Object => None,
    }
}

/// The string under `key`, if it is not empty.
pub(super) fn string<'a, N: Node<'a>>(node: N, key: &str) -> Option<&'a str> {
    node.get(key)?.as_str().filter(|text| !text.is_empty())
}

/// The value below the keys of `path`.
pub(super) fn at<'a, N: Node<'a>>(node: N, path: &[&str]) -> Option<N> {
    path.iter().try_fold(node, |node, key| node.get(key))
}

/// The items of a list, or the value itself if it is not a list.
pub(super) fn one_or_many<'a, N: Node<'a>>(node: N) -> impl Iterator<Item = (Option<usize>, N)> {
    let is_list = node.kind() == Kind::List;
    let single = (!is_list).then_some((None, node));
    let items = node.items().enumerate().map(|(index, item)| (Some(index), item));
    single.into_iter().chain(items)
}
