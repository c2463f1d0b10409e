//! §16.3 The modes of lists whose types are recorded next to them: Terraform outputs.

use crate::value::list::ListMode;
use coconut_format::node::{Kind, Node};
use coconut_format::pointer;
use std::borrow::Cow;

/// Rows L6 and L7: the modes for the list at a place, if an object above it has the type of its
/// entry `value`.
pub(super) fn modes_of_type<'a, N: Node<'a>>(root: N, place: &str) -> Option<Vec<ListMode>> {
    let (mut node, mut expected) = (Some(root), None);
    for step in pointer::keys(place)? {
        let beside = node.and_then(|node| node.get("type")).filter(|_| &*step == "value");
        let below = expected.and_then(|expected| type_below(expected, &step));
        expected = below.or_else(|| beside.filter(|beside| beside.kind() == Kind::List));
        node = node.and_then(|node| match node.kind() {
            Kind::List => node.items().nth(step.parse().ok()?),
            _ => node.get(&step),
        });
    }
    match parts(expected?).0? {
        "set" => Some(vec![ListMode::Set]),
        "list" | "tuple" => Some(in_order()),
        _ => None,
    }
}

/// The modes of a list whose order counts.
pub(super) fn in_order() -> Vec<ListMode> {
    let by = |key| ListMode::OrderedKey(vec![Cow::Borrowed(key)]);
    vec![by("name"), by("key"), by("id"), ListMode::Ordered]
}

/// The name of a type and its argument: `["list", "string"]`.
fn parts<'a, N: Node<'a>>(expected: N) -> (Option<&'a str>, Option<N>) {
    let mut items = expected.items();
    (items.next().and_then(Node::as_str), items.next())
}

/// The type of an entry or item.
fn type_below<'a, N: Node<'a>>(expected: N, step: &str) -> Option<N> {
    let (word, about) = parts(expected);
    match word? {
        "list" | "set" | "map" => about,
        "object" => about?.get(step),
        "tuple" => about?.items().nth(step.parse().ok()?),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coconut_format::value::Value;

    fn text(text: &str) -> Value {
        Value::String(text.to_owned())
    }

    fn object(entries: &[(&str, Value)]) -> Value {
        Value::Object(entries.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect())
    }

    #[test]
    fn a_list_has_the_mode_of_its_type() {
        let list = |word: &str, of: Value| Value::List(vec![text(word), of]);
        let tuple = list("tuple", Value::List(vec![text("string"), list("set", text("string"))]));
        let inner = object(&[("a", list("list", text("number"))), ("b", list("map", tuple))]);
        let output = object(&[("value", Value::Null), ("type", list("object", inner))]);
        let root = object(&[("outputs", object(&[("o", output)]))]);
        let mode = |place: &str| {
            let modes = modes_of_type(&root, &format!("/outputs/o/{place}"))?;
            modes.last().map(ToString::to_string)
        };
        assert_eq!(mode("value/a").as_deref(), Some("ordered"));
        assert_eq!(mode("value/b/x").as_deref(), Some("ordered"));
        assert_eq!(mode("value/b/x/1").as_deref(), Some("set"));
        assert_eq!(mode("value/b/x/0"), None);
        assert_eq!(mode("value"), None);
        assert_eq!(mode("type"), None);
        assert_eq!(modes_of_type(&root, "/x/value"), None);
    }
}
