//! Parts of Terraform states up to version 3, and their form in version 4.

use coconut_codec::event::push;
use coconut_codec::text::json::{JsonStyle, Printer};
use coconut_format::node::{Kind, Node};
use coconut_format::{Integer, Value};
use std::collections::{BTreeMap, BTreeSet};

/// An object of a state: the current one of an instance, or one waiting to be deleted.
pub(super) struct Instance {
    /// The number of the instance of a counted resource. There were no other keys.
    pub(super) index: Option<u64>,
    pub(super) is_tainted: bool,
    pub(super) deposed: Option<String>,
    pub(super) attributes: Option<Vec<(String, Value)>>,
    pub(super) private: Private,
    pub(super) dependencies: Vec<String>,
}

/// The private data of the provider.
pub(super) struct Private {
    schema_version: u64,
    /// The private data in Base64.
    data: Option<String>,
}

impl Instance {
    pub(super) fn into_value(self) -> Value {
        let mut entries = Vec::new();
        if let Some(index) = self.index {
            entries.push(("index_key", Value::Integer(index.into())));
        }
        if self.is_tainted {
            entries.push(("status", string("tainted")));
        }
        if let Some(deposed) = self.deposed {
            entries.push(("deposed", Value::String(deposed)));
        }
        entries.push(("schema_version", Value::Integer(self.private.schema_version.into())));
        if let Some(attributes) = self.attributes {
            entries.push(("attributes_flat", Value::Object(attributes)));
        }
        if let Some(data) = self.private.data {
            entries.push(("private", Value::String(data)));
        }
        if !self.dependencies.is_empty() {
            let dependencies = self.dependencies.into_iter().map(Value::String).collect();
            entries.push(("depends_on", Value::List(dependencies)));
        }
        object(entries)
    }
}

/// The key of an entry: `aws_subnet.a`, `aws_subnet.a.0`, `data.aws_ami.b`.
pub(super) struct Legacy<'t> {
    pub(super) mode: &'static str,
    pub(super) kind: &'t str,
    pub(super) name: &'t str,
    pub(super) index: Option<u64>,
}

impl<'t> Legacy<'t> {
    pub(super) fn parse(key: &'t str) -> Option<Legacy<'t>> {
        let parts: Vec<&str> = key.split('.').collect();
        let (mode, parts) = match &parts[..] {
            ["data", rest @ ..] if rest.len() > 1 => ("data", rest),
            parts => ("managed", parts),
        };
        let (kind, name, index) = match parts {
            [kind, name] => (kind, name, None),
            [kind, name, index] => (kind, name, Some(index.parse().ok()?)),
            _ => return None,
        };
        Some(Legacy { mode, kind, name, index })
    }
}

/// A dependency in the notation of version 4: without `.*`, and with an index in brackets. `None`
/// if it is not a reference.
pub(super) fn legacy_dependency(text: &str) -> Option<String> {
    let mut parts = text.split('.');
    let mut dependency = parts.next()?.to_owned();
    for part in parts.by_ref() {
        if part == "*" {
            break;
        }
        if let Ok(index) = part.parse::<u64>() {
            dependency += &format!("[{index}]");
            break;
        }
        dependency += &format!(".{part}");
    }
    let bare = dependency.split_once('[').map_or(&*dependency, |(bare, _)| bare);
    (bare.contains('.') && bare.split('.').all(is_identifier)).then_some(dependency)
}

/// The provider of a resource in the notation of the first states of version 4. A provider without
/// a module belongs to the module of the resource.
pub(super) fn legacy_provider(own: &str, module: &str, kind: &str) -> String {
    if own.contains("provider.") {
        return own.to_owned();
    }
    let dot = if module.is_empty() { "" } else { "." };
    let implied = kind.split('_').next().unwrap_or(kind);
    format!("{module}{dot}provider.{}", if own.is_empty() { implied } else { own })
}

/// The private data of the provider, with the version of its schema, which had no field of its own.
pub(super) fn private_data<'a, N: Node<'a>>(meta: Option<N>) -> Private {
    let mut schema_version = 0;
    let mut kept = BTreeMap::new();
    for (key, value) in meta.into_iter().flat_map(Node::entries) {
        let version = match value.kind() {
            Kind::String => value.as_str().and_then(|text| text.parse::<u64>().ok()),
            _ => value.as_integer().and_then(Integer::as_u64),
        };
        match version.filter(|_| key == "schema_version") {
            Some(version) => schema_version = version,
            None => {
                kept.insert(key.to_owned(), owned(value));
            }
        }
    }
    let data =
        (!kept.is_empty()).then(|| base64(go_json(&Value::Object(kept.into_iter().collect())).as_bytes()));
    Private { schema_version, data }
}

/// JSON in the notation of the Go library: keys are sorted, and characters with a meaning in HTML
/// are escaped.
fn go_json(value: &Value) -> String {
    let mut printer = Printer::new(Vec::new(), JsonStyle::Minified);
    let printed = push(&sorted(value), &mut printer).is_ok();
    let bytes = printer.finish().unwrap_or_default();
    let text = String::from_utf8(bytes).ok().filter(|_| printed).unwrap_or_default();
    text.replace('&', "\\u0026").replace('<', "\\u003c").replace('>', "\\u003e")
}

fn sorted(value: &Value) -> Value {
    match value {
        Value::List(items) => Value::List(items.iter().map(sorted).collect()),
        Value::Object(entries) => {
            let entries: BTreeMap<&String, Value> =
                entries.iter().map(|(key, value)| (key, sorted(value))).collect();
            Value::Object(entries.into_iter().map(|(key, value)| (key.clone(), value)).collect())
        }
        other => other.clone(),
    }
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |index: usize| u32::from(chunk.get(index).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for digit in 0..4 {
            let sextet = (bits >> (18 - 6 * digit)) & 63;
            let is_padding = digit as usize > chunk.len();
            text.push(if is_padding { '=' } else { char::from(DIGITS[sextet as usize]) });
        }
    }
    text
}

/// The attributes of versions 1 and 2, converted to version 3.
pub(super) fn with_counts_of_maps(attributes: Vec<(String, Value)>) -> Vec<(String, Value)> {
    // In sorted order, keys with a common prefix are adjacent.
    let keys: BTreeSet<String> = attributes.iter().map(|(key, _)| key.clone()).collect();
    let mut changed = Vec::with_capacity(attributes.len());
    for (key, value) in attributes {
        let Some(prefix) = key.strip_suffix('#').filter(|prefix| prefix.ends_with('.')) else {
            changed.push((key, value));
            continue;
        };
        let below = keys.range(prefix.to_owned()..).map_while(|other| other.strip_prefix(prefix));
        let mut names = below.filter(|rest| *rest != "#");
        let name = |rest: &str| rest.split_once('.').map_or(rest, |(name, _)| name).parse::<i64>();
        match names.next() {
            // An empty collection has no count.
            None => {}
            Some(first) if name(first).is_err() || names.any(|rest| name(rest).is_err()) => {
                changed.push((format!("{prefix}%"), value));
            }
            Some(_) => changed.push((key, value)),
        }
    }
    changed
}

/// The type of an output's value. It is a simple type if all parts have the same type.
pub(super) fn implied_type(value: &Value) -> Value {
    simple(structural(value))
}

fn structural(value: &Value) -> Value {
    match value {
        Value::Null => string("dynamic"),
        Value::Bool(_) => string("bool"),
        Value::Integer(_) | Value::Float(_) => string("number"),
        Value::String(_) => string("string"),
        Value::List(items) => {
            Value::List(vec![string("tuple"), Value::List(items.iter().map(structural).collect())])
        }
        Value::Object(entries) => {
            let types: BTreeMap<&String, Value> =
                entries.iter().map(|(key, value)| (key, structural(value))).collect();
            let types = types.into_iter().map(|(key, value)| (key.clone(), value)).collect();
            Value::List(vec![string("object"), Value::Object(types)])
        }
    }
}

/// Returns a list instead of a tuple and a map instead of an object if their types are equal.
fn simple(structural: Value) -> Value {
    let Value::List(parts) = &structural else { return structural };
    let (word, types): (&str, Vec<&Value>) = match &parts[..] {
        [_, Value::List(types)] => ("list", types.iter().collect()),
        [_, Value::Object(types)] => ("map", types.iter().map(|(_, of)| of).collect()),
        _ => return structural,
    };
    match types.split_first() {
        Some((first, rest)) if rest.iter().all(|other| other == first) => {
            Value::List(vec![string(word), simple((*first).clone())])
        }
        _ => structural,
    }
}

/// Whether a text is a valid name in Terraform's language.
pub(super) fn is_identifier(text: &str) -> bool {
    let is_start = |c: char| c.is_alphabetic() || c == '_';
    let is_part = |c: char| is_start(c) || c.is_numeric() || c == '-';
    text.chars().next().is_some_and(is_start) && text.chars().all(is_part)
}

pub(super) fn object(entries: Vec<(&str, Value)>) -> Value {
    Value::Object(entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}

pub(super) fn string(text: &str) -> Value {
    Value::String(text.to_owned())
}

/// A value with no other value at its key. Recurses once per level; a document has at most 512
/// (§9.1).
pub(super) fn owned<'a, N: Node<'a>>(node: N) -> Value {
    match node.kind() {
        Kind::Null => Value::Null,
        Kind::Bool => Value::Bool(node.as_bool().unwrap_or_default()),
        Kind::Integer => node.as_integer().map_or(Value::Null, Value::Integer),
        Kind::Float => Value::Float(node.as_float().unwrap_or_default()),
        Kind::String => Value::String(node.as_str().unwrap_or_default().to_owned()),
        Kind::List => Value::List(node.items().map(owned).collect()),
        Kind::Object => {
            Value::Object(node.entries().map(|(key, value)| (key.to_owned(), owned(value))).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_data_are_base64_of_sorted_json() {
        assert_eq!(["", "f", "fo", "foo"].map(|text| base64(text.as_bytes())), ["", "Zg==", "Zm8=", "Zm9v"]);
        let value = object(vec![("b", string("<&>")), ("a", Value::Null)]);
        assert_eq!(go_json(&value), r#"{"a":null,"b":"\u003c\u0026\u003e"}"#);
    }

    #[test]
    fn dependencies_lose_the_parts_that_version_4_does_not_write() {
        for (old, new) in [
            ("null_resource.foo.*", Some("null_resource.foo")),
            ("null_resource.foobar.1", Some("null_resource.foobar[1]")),
            ("data.aws_ami.b", Some("data.aws_ami.b")),
            ("module.net", Some("module.net")),
            ("null_resource.1invalid", None),
            ("", None),
        ] {
            assert_eq!(legacy_dependency(old).as_deref(), new, "{old}");
        }
    }

    #[test]
    fn a_provider_without_a_module_is_of_the_module_of_its_resource() {
        assert_eq!(legacy_provider("", "", "aws_vpc"), "provider.aws");
        assert_eq!(legacy_provider("aws.west", "module.a", "aws_vpc"), "module.a.provider.aws.west");
        assert_eq!(legacy_provider("module.b.provider.aws", "module.a", "aws_vpc"), "module.b.provider.aws");
    }

    #[test]
    fn maps_have_their_count_under_another_sign() {
        let of = |entries: &[(&str, &str)]| {
            entries.iter().map(|(key, value)| ((*key).to_owned(), string(value))).collect::<Vec<_>>()
        };
        let old = of(&[("t.#", "1"), ("t.what", "0"), ("l.#", "1"), ("l.0", "x"), ("e.#", "0"), ("id", "i")]);
        let new = of(&[("t.%", "1"), ("t.what", "0"), ("l.#", "1"), ("l.0", "x"), ("id", "i")]);
        assert_eq!(with_counts_of_maps(old), new);
    }

    #[test]
    fn types_of_outputs_are_simple_if_all_parts_agree() {
        let number = |number: u64| Value::Integer(number.into());
        let list = Value::List(vec![number(1), number(2)]);
        assert_eq!(implied_type(&list), Value::List(vec![string("list"), string("number")]));
        let mixed = Value::List(vec![number(1), string("a")]);
        let types = Value::List(vec![string("number"), string("string")]);
        assert_eq!(implied_type(&mixed), Value::List(vec![string("tuple"), types]));
        let map = object(vec![("a", list.clone()), ("b", list)]);
        // A map of lists that have the same type.
        let inner = Value::List(vec![string("list"), string("number")]);
        assert_eq!(implied_type(&map), Value::List(vec![string("map"), inner]));
    }
}
