//! The attributes of states up to version 3: one level of strings, with counts under `#` and `%`.
//!
//! ```text
//! {"tags.%": "1", "tags.a.b": "x", "ports.#": "2", "ports.0": "80", "ports.1": "81"}
//! {"tags": {"a.b": "x"}, "ports": ["80", "81"]}
//! ```
//!
//! Only the schema of the provider has the types of scalars, so all of them stay strings.

use super::finding::Findings;
use coconut_format::Value;
use coconut_format::node::{Kind, Node};
use coconut_format::pointer::push_key;
use coconut_format::truncated::Truncated;
use std::collections::BTreeMap;

/// The maximum nesting of lists and objects.
const LEVELS: usize = 64;

/// The assumption made for attributes stored as one level of strings.
const TEXTS: &str = "its numbers and booleans stay strings, since only the provider knows their types";

/// Whether an instance of a state stores its attributes as one level of strings.
pub(super) fn is_in<'a, N: Node<'a>>(state: N) -> bool {
    let list = |node: N, key: &str| node.get(key).into_iter().flat_map(Node::items);
    let mut instances = list(state, "resources").flat_map(|resource| list(resource, "instances"));
    instances.any(|instance| instance.get("attributes_flat").is_some())
}

/// Expands the attributes of all instances of a state.
pub(super) fn expand_all(state: &mut Value, findings: &mut Findings) {
    for (number, resource) in items_mut(state, "resources").iter_mut().enumerate() {
        let kind = resource.get("type").and_then(Value::as_str).unwrap_or_default();
        let name = resource.get("name").and_then(Value::as_str).unwrap_or_default();
        let subject = format!("{kind}.{name}");
        for (index, instance) in items_mut(resource, "instances").iter_mut().enumerate() {
            let Value::Object(fields) = instance else { continue };
            if fields.iter().any(|(key, _)| key == "attributes") {
                continue;
            }
            let flat = fields.iter_mut().find(|(key, _)| key == "attributes_flat");
            if let Some((key, flat)) = flat {
                *flat =
                    expanded(&*flat, &subject, &format!("/resources/{number}/instances/{index}"), findings);
                "attributes".clone_into(key);
            }
        }
    }
}

/// The items of the list under a key; none if there is no list.
fn items_mut<'v>(object: &'v mut Value, key: &str) -> &'v mut [Value] {
    let Value::Object(entries) = object else { return &mut [] };
    match entries.iter_mut().find(|(name, _)| name == key) {
        Some((_, Value::List(items))) => items,
        _ => &mut [],
    }
}

/// The attributes of a resource as nested lists and objects. Reports what is assumed: the types of
/// scalars, and the sizes of lists and maps whose counts are wrong.
pub(super) fn expanded<'a, N: Node<'a>>(
    flat: N,
    subject: &str,
    pointer: &str,
    findings: &mut Findings,
) -> Value {
    findings.assumed(TEXTS, subject, pointer);
    report_counts(flat, subject, pointer, findings);
    let entries: Vec<(&str, N)> = flat.entries().collect();
    object(entries.iter().map(|&(key, value)| (key, value)).collect(), LEVELS)
}

/// Reports each count that differs from the entries that follow it.
fn report_counts<'a, N: Node<'a>>(flat: N, subject: &str, pointer: &str, findings: &mut Findings) {
    let all: BTreeMap<&str, N> = flat.entries().collect();
    for (key, count) in &all {
        let Some(name) = key.strip_suffix(['#', '%']).filter(|name| name.ends_with('.')) else { continue };
        let below = all.range(name..).map(|(key, _)| key.strip_prefix(name));
        let below = below.map_while(|rest| rest).filter(|rest| !matches!(*rest, "#" | "%"));
        // The keys of a map may contain dots.
        let is_map = key.ends_with('%');
        let mut found: Vec<&str> =
            below.map(|rest| if is_map { rest } else { rest.split('.').next().unwrap_or(rest) }).collect();
        found.dedup();
        let counted = count.as_str().and_then(|count| count.parse::<usize>().ok());
        if counted == Some(found.len()) {
            continue;
        }
        let said = counted.map_or_else(|| "is no number".to_owned(), |count| format!("is {count}"));
        let what =
            format!("`{}` {said}, and the entries that are there are all, {}", Truncated(key), found.len());
        let mut place = pointer.to_owned();
        push_key(&mut place, key);
        findings.assumed(what, subject, place);
    }
}

/// The object built from entries whose keys are paths. Names keep the order of their first entries.
fn object<'a, N: Node<'a>>(entries: Vec<(&'a str, N)>, levels: usize) -> Value {
    let mut order: Vec<&str> = Vec::new();
    let mut parts: BTreeMap<&str, Vec<(&str, N)>> = BTreeMap::new();
    for (key, value) in entries {
        let (name, rest) = match key.split_once('.') {
            Some((name, rest)) if levels > 0 => (name, rest),
            _ => (key, ""),
        };
        let part = parts.entry(name).or_insert_with(|| {
            order.push(name);
            Vec::new()
        });
        part.push((rest, value));
    }
    let named = order.into_iter().map(|name| {
        let part = parts.remove(name).unwrap_or_default();
        (name.to_owned(), part_value(part, levels.saturating_sub(1)))
    });
    Value::Object(named.collect())
}

fn part_value<'a, N: Node<'a>>(part: Vec<(&'a str, N)>, levels: usize) -> Value {
    if let [("", value)] = part[..] {
        return scalar(value);
    }
    let has = |sign: &str| part.iter().any(|(key, _)| *key == sign);
    let (is_map, is_list) = (has("%"), has("#"));
    // A scalar with the same name as a list or an object has no place; providers write none.
    let rest = part.into_iter().filter(|(key, _)| !matches!(*key, "" | "%" | "#"));
    match (is_map, is_list) {
        // The keys of a map may contain dots, and its values are strings.
        (true, _) => Value::Object(rest.map(|(key, value)| (key.to_owned(), scalar(value))).collect()),
        (false, true) => list(rest.collect(), levels),
        (false, false) => object(rest.collect(), levels),
    }
}

/// The items in the order of their numbers, which are indexes or hashes.
fn list<'a, N: Node<'a>>(entries: Vec<(&'a str, N)>, levels: usize) -> Value {
    let Value::Object(mut items) = object(entries, levels) else { return Value::List(Vec::new()) };
    let number = |key: &str| key.trim_start_matches('~').parse::<u64>().unwrap_or(u64::MAX);
    items.sort_by_key(|(key, _)| number(key));
    Value::List(items.into_iter().map(|(_, item)| item).collect())
}

fn scalar<'a, N: Node<'a>>(node: N) -> Value {
    match node.kind() {
        Kind::String => Value::String(node.as_str().unwrap_or_default().to_owned()),
        Kind::Bool => Value::Bool(node.as_bool().unwrap_or_default()),
        Kind::Integer => node.as_integer().map_or(Value::Null, Value::Integer),
        Kind::Float => Value::Float(node.as_float().unwrap_or_default()),
        Kind::Null | Kind::List | Kind::Object => Value::Null,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Value {
        Value::String(text.to_owned())
    }

    fn of(entries: &[(&str, Value)]) -> Value {
        Value::Object(entries.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect())
    }

    #[test]
    fn counts_distinguish_maps_from_lists() {
        let flat = [
            ("id", "i-1"),
            ("tags.%", "2"),
            ("tags.a.b", "x"),
            ("tags.c", "y"),
            ("ports.#", "3"),
            ("ports.10", "c"),
            ("ports.9", "b"),
            ("ports.0", "a"),
            ("rule.#", "1"),
            ("rule.345861710.from", "80"),
            ("rule.345861710.to.#", "1"),
            ("rule.345861710.to.0", "81"),
            ("none.#", "0"),
            ("empty.%", "0"),
        ];
        let flat = of(&flat.map(|(key, value)| (key, text(value))));
        let rule = of(&[("from", text("80")), ("to", Value::List(vec![text("81")]))]);
        let expected = of(&[
            ("id", text("i-1")),
            ("tags", of(&[("a.b", text("x")), ("c", text("y"))])),
            ("ports", Value::List(vec![text("a"), text("b"), text("c")])),
            ("rule", Value::List(vec![rule])),
            ("none", Value::List(Vec::new())),
            ("empty", of(&[])),
        ]);
        let mut findings = Findings::default();
        assert_eq!(expanded(&flat, "a", "", &mut findings), expected);
        assert_eq!(findings.0.len(), 1, "{:?}", findings.0);
    }

    #[test]
    fn counts_that_do_not_fit_are_reported() {
        let flat = [
            ("tags.%", "3"),
            ("tags.Name", "x"),
            ("tags.a.b", "y"),
            ("sg.#", "2"),
            ("sg.0", "a"),
            ("sg.1.x", "b"),
            ("sg.1.y", "b"),
            ("sg.2", "c"),
            ("l.#", "-1"),
            ("m.%", "abc"),
            ("m.q", "1"),
            ("set.#", "1"),
            ("set.123.from.#", "0"),
            ("set.123.to.%", "1"),
            ("big.#", "4000000000"),
        ];
        let flat = of(&flat.map(|(key, value)| (key, text(value))));
        let mut findings = Findings::default();
        expanded(&flat, "a", "/p", &mut findings);
        let found: Vec<&str> = findings.0.iter().skip(1).map(|finding| &*finding.pointer).collect();
        assert_eq!(found, ["/p/big.#", "/p/l.#", "/p/m.%", "/p/set.123.to.%", "/p/sg.#", "/p/tags.%"]);
    }
}
