//! §15.2 The automatic rule: landmarks of a document without a known dialect.

use super::key::{KeyField, KeyRule};
use super::pattern::{Path, Segment, Step};
use super::{LandmarkRule, Pattern};
use crate::node::{Kind, Node};

/// The name of the algorithm of [`automatic_rule`]. A change to it gets a new name.
pub const AUTOMATIC_RULE: &str = "auto-2";

/// Minimum number of entries of a container with landmarks. In a smaller one, a reader finds an
/// entry as fast without an index.
const FEWEST_ENTRIES: usize = 16;

/// Maximum depth of a container, in objects. Deeper ones are parts of something that should itself
/// be a landmark.
const DEEPEST: usize = 8;

/// The fields that name the items of a list, in order of preference.
const KEY_FIELDS: [&str; 5] = ["urn", "address", "name", "id", "key"];

/// A container whose entries could be landmarks.
struct Container<'a> {
    /// Keys from the root to it.
    path: Vec<&'a str>,
    key: KeyRule,
    size: u64,
}

/// A rule for `root`: the shallowest containers of at least 16 entries that together hold half of
/// it.
///
/// `size` returns the bytes of a value as minified JSON. It is called for the root and for each
/// such container.
///
/// Containers are objects, and lists in which every item has a string field with the same one of
/// the names `urn`, `address`, `name`, `id` and `key`. They are searched for through objects, but
/// not through lists and not inside one another.
///
/// The root counts as one only if all its entries are objects. Otherwise it is the last resort: its
/// entries, such as a name and a list, describe the document.
///
/// If a rule cannot cover all of them, the largest count. The rule is empty if the containers down
/// to 8 levels hold less than half, and the root is not a container.
pub fn automatic_rule<'a, N: Node<'a>>(root: N, size: impl Fn(N) -> u64) -> LandmarkRule {
    let whole = size(root);
    let mut containers: Vec<Container<'a>> = Vec::new();
    let mut level = vec![(Vec::new(), root)];
    for depth in 0..DEEPEST {
        let mut below = Vec::new();
        for (path, node) in level {
            if let Some(key) = container_key(node).filter(|_| depth > 0 || is_even(node)) {
                containers.push(Container { path, key, size: size(node) });
            } else {
                below.extend(node.entries().map(|(key, child)| ([&path[..], &[key]].concat(), child)));
            }
        }
        let held: u64 = containers.iter().fold(0, |held, container| held.saturating_add(container.size));
        if held >= whole.div_ceil(2) && !containers.is_empty() {
            return rule_of(&containers);
        }
        level = below;
    }
    match container_key(root) {
        Some(key) => rule_of(&[Container { path: Vec::new(), key, size: whole }]),
        None => LandmarkRule::default(),
    }
}

/// Whether all entries of `root` may be of the same kind.
fn is_even<'a, N: Node<'a>>(root: N) -> bool {
    root.entries().all(|(_, value)| value.kind() == Kind::Object)
}

/// The key of the entries of `node`, if it has enough of them and each has a name.
fn container_key<'a, N: Node<'a>>(node: N) -> Option<KeyRule> {
    if node.width() < FEWEST_ENTRIES {
        return None;
    }
    if node.kind() == Kind::Object {
        return Some(KeyRule::Name);
    }
    let names =
        |field: &str| node.items().all(|item| item.get(field).is_some_and(|name| name.as_str().is_some()));
    KEY_FIELDS
        .into_iter()
        .find(|field| names(field))
        .map(|field| KeyRule::Field(KeyField::named(field.to_owned())))
}

/// The rule with these containers as patterns, in document order, up to the limits.
fn rule_of(containers: &[Container<'_>]) -> LandmarkRule {
    let mut by_size: Vec<usize> = (0..containers.len()).collect();
    by_size.sort_by_key(|&n| std::cmp::Reverse(containers[n].size));
    let mut chosen: Vec<usize> = Vec::new();
    let mut rule = LandmarkRule::default();
    for n in by_size {
        let place = chosen.partition_point(|&other| other < n);
        chosen.insert(place, n);
        let patterns = chosen.iter().map(|&n| pattern_of(&containers[n])).collect();
        match LandmarkRule::new(patterns, None, Vec::new()) {
            Ok(larger) => rule = larger,
            Err(_beyond_a_limit) => break,
        }
    }
    rule
}

fn pattern_of(container: &Container<'_>) -> Pattern {
    let entries = container.path.iter().map(|&key| Segment::Entry(key.to_owned()));
    let path = Path::new(entries.chain([Segment::Any]).map(Step::One).collect());
    Pattern::new(path, container.key.clone()).expect("the path ends in an entry")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Value;

    /// A substitute for the bytes of JSON: the number of scalars.
    fn scalars(value: &Value) -> u64 {
        match value {
            Value::List(items) => items.iter().map(scalars).sum(),
            Value::Object(entries) => entries.iter().map(|(_, value)| scalars(value)).sum(),
            _ => 1,
        }
    }

    fn object(entries: impl IntoIterator<Item = (String, Value)>) -> Value {
        Value::Object(entries.into_iter().collect())
    }

    fn numbered(count: usize, value: &Value) -> Value {
        object((0..count).map(|n| (format!("k{n}"), value.clone())))
    }

    fn items(count: usize, fields: &[&str]) -> Value {
        let item = object(fields.iter().map(|&field| (field.to_owned(), Value::String("x".into()))));
        Value::List(vec![item; count])
    }

    #[track_caller]
    fn automatic(root: &Value) -> Vec<String> {
        automatic_rule(root, scalars).patterns().iter().map(Pattern::to_string).collect()
    }

    #[test]
    fn finds_the_containers_of_a_provider_schema() {
        let schema = object([
            ("resource_schemas".into(), numbered(40, &numbered(3, &Value::Null))),
            ("data_source_schemas".into(), numbered(20, &Value::Null)),
        ]);
        let root = object([
            ("format_version".into(), Value::Null),
            ("provider_schemas".into(), object([("registry/aws".into(), schema)])),
        ]);
        assert_eq!(
            automatic(&root),
            [
                "/provider_schemas/registry~1aws/resource_schemas/*",
                "/provider_schemas/registry~1aws/data_source_schemas/*",
            ]
        );
    }

    #[test]
    fn goes_deeper_while_the_containers_hold_less_than_half() {
        let root = object([
            ("tags".into(), numbered(16, &Value::Null)),
            ("a".into(), object([("b".into(), numbered(17, &Value::Null))])),
        ]);
        assert_eq!(automatic(&root), ["/tags/*", "/a/b/*"]);
    }

    #[test]
    fn stops_where_the_containers_hold_half() {
        let root = object([
            ("tags".into(), numbered(16, &Value::Null)),
            ("a".into(), object([("b".into(), numbered(16, &Value::Null))])),
        ]);
        assert_eq!(automatic(&root), ["/tags/*"]);
    }

    #[test]
    fn fifteen_entries_are_too_few() {
        assert_eq!(automatic(&numbered(15, &Value::Null)), [""; 0]);
        assert_eq!(automatic(&numbered(16, &Value::Null)), ["/*"]);
    }

    #[test]
    fn the_root_comes_after_its_contents_unless_these_are_alike() {
        let names = |count: usize| (0..count).map(|n| (format!("n{n}"), Value::String("x".into())));
        let schema = |names_of_root| {
            let types = [("types".to_owned(), numbered(40, &numbered(3, &Value::Null)))];
            object(names(names_of_root).chain(types))
        };
        assert_eq!(automatic(&schema(15)), ["/types/*"]);
        assert_eq!(automatic(&schema(40)), ["/types/*"]);
        assert_eq!(automatic(&schema(121)), ["/*"], "what is in it holds less than half");
        assert_eq!(automatic(&numbered(16, &numbered(16, &Value::Null))), ["/*"]);
    }

    #[test]
    fn a_list_takes_the_first_field_that_every_item_has() {
        assert_eq!(automatic(&items(16, &["key", "name"])), ["/*[name]"]);
        assert_eq!(automatic(&items(16, &["title"])), [""; 0]);
        let mut uneven = items(15, &["id", "name"]);
        if let (Value::List(all), Value::List(more)) = (&mut uneven, items(1, &["id"])) {
            all.extend(more);
        }
        assert_eq!(automatic(&uneven), ["/*[id]"]);
    }

    #[test]
    fn the_largest_containers_count_where_a_rule_cannot_hold_all() {
        let parts = object((0..4).map(|n| {
            let containers = (0..12).map(|m| (format!("c{m}"), numbered(16 + n * 12 + m, &Value::Null)));
            (format!("p{n}"), object(containers))
        }));
        let rule = automatic(&parts);
        assert!(rule.iter().all(|pattern| !pattern.starts_with("/p0")), "{rule:?}");
        assert_eq!(rule.last().unwrap(), "/p3/c11/*");
        // Each pattern has three segments.
        assert_eq!(rule.len(), crate::limits::MAX_SEGMENTS / 3);
    }
}
