//! From: the output of `terraform show -json` for a state. To: a state of version 4.
//!
//! | shown | in a state |
//! |---|---|
//! | `values` | `attributes` |
//! | `sensitive_values`, a mask | `sensitive_attributes`, paths |
//! | `provider_name` | `provider` |
//! | `index`, `deposed_key` | `index_key`, `deposed` |
//! | `tainted`, `depends_on` | `status`, `dependencies` |
//!
//! The output has no serial, lineage, provider aliases or private data of providers (`private`), so
//! these are lost.

use super::cocogl_to_origin::Between;
use super::finding::{Findings, GraphError};
use super::form::{Form, Target};
use super::model::lose_others;
use super::state_parts::{implied_type, object, owned, string};
use coconut_codec::event::SinkError;
use coconut_format::Value;
use coconut_format::node::Node;
use std::collections::HashMap;

/// The assumption made for every shown state.
const NOT_SHOWN: &str = "serial, lineage, provider aliases and `private` are not shown, so they are omitted";

/// The fields of an instance, each with the field of the output it comes from.
const FIELDS: [(&str, &str); 9] = [
    ("index_key", "index"),
    ("status", "tainted"),
    ("deposed", "deposed_key"),
    ("schema_version", "schema_version"),
    ("attributes", "values"),
    ("sensitive_attributes", "sensitive_values"),
    ("identity", "identity"),
    ("identity_schema_version", "identity_schema_version"),
    ("dependencies", "depends_on"),
];

/// The fields of a resource, which the output repeats for each of its instances.
const OF_RESOURCE: [&str; 5] = ["address", "mode", "type", "name", "provider_name"];

/// The maximum number of steps in paths to secrets. Each path repeats the steps to its container,
/// so a few masks can need many.
const MOST_STEPS: usize = 1 << 19;

/// A resource of the state, with its instances.
struct Gathered {
    head: Vec<(&'static str, Value)>,
    instances: Vec<Value>,
}

/// The resources of the state, in the order of their first instances.
struct Resources<'a> {
    of: Vec<Gathered>,
    /// By module, mode, type, name and provider.
    numbers: HashMap<[&'a str; 5], usize>,
    places: HashMap<String, String>,
    secrets: Secrets,
}

/// The remaining steps for paths to secrets.
struct Secrets {
    steps_left: usize,
}

/// Builds a state from the output.
pub(super) fn state<'a, N: Node<'a>>(
    root: N,
    target: Target,
    findings: &mut Findings,
) -> Result<Between, GraphError> {
    if matches!(target, Target::TerraformState | Target::CocoGl) {
        findings.assumed(NOT_SHOWN, "", "");
    }
    let values = root.get("values");
    let mut resources = Resources {
        of: Vec::new(),
        numbers: HashMap::new(),
        places: HashMap::from([("/outputs".to_owned(), "/values/outputs".to_owned())]),
        secrets: Secrets { steps_left: MOST_STEPS },
    };
    let first = values.and_then(|values| values.get("root_module"));
    let mut pending: Vec<(N, String)> =
        first.map(|module| (module, "/values/root_module".to_owned())).into_iter().collect();
    while let Some((module, pointer)) = pending.pop() {
        let address = module.get("address").and_then(Node::as_str).unwrap_or_default();
        for (number, resource) in module.get("resources").into_iter().flat_map(Node::items).enumerate() {
            resources.add(address, resource, format!("{pointer}/resources/{number}"), findings)?;
        }
        let children = module.get("child_modules").into_iter().flat_map(Node::items).enumerate();
        let before = pending.len();
        pending.extend(children.map(|(number, child)| (child, format!("{pointer}/child_modules/{number}"))));
        pending[before..].reverse();
    }
    let outputs = values.and_then(|values| values.get("outputs")).into_iter().flat_map(Node::entries);
    let outputs = outputs.map(|(name, shown)| (name.to_owned(), output(shown))).collect();
    let version = root.get("terraform_version").and_then(Node::as_str).unwrap_or("0.0.0");
    let document = object(vec![
        ("version", Value::Integer(4u64.into())),
        ("terraform_version", string(version)),
        ("serial", Value::Integer(0u64.into())),
        ("lineage", string("")),
        ("outputs", Value::Object(outputs)),
        ("resources", Value::List(resources.of.into_iter().map(Gathered::into_value).collect())),
    ]);
    Ok(Between { form: Form::TerraformState, document, places: Some(resources.places) })
}

fn output<'a, N: Node<'a>>(shown: N) -> Value {
    let value = shown.get("value").map_or(Value::Null, owned);
    let value_type = shown.get("type").map_or_else(|| implied_type(&value), owned);
    let mut entries = vec![("value", value), ("type", value_type)];
    if shown.get("sensitive").and_then(Node::as_bool) == Some(true) {
        entries.push(("sensitive", Value::Bool(true)));
    }
    object(entries)
}

impl<'a> Resources<'a> {
    fn add<N: Node<'a>>(
        &mut self,
        module: &'a str,
        shown: N,
        pointer: String,
        findings: &mut Findings,
    ) -> Result<(), GraphError> {
        let text = |key: &str| shown.get(key).and_then(Node::as_str).unwrap_or_default();
        let (mode, own_type, name, provider) =
            (text("mode"), text("type"), text("name"), text("provider_name"));
        if own_type.is_empty() || name.is_empty() {
            let (expected, found) = ("a resource with `type` and `name`", shown.kind().name());
            return Err(GraphError::Malformed { pointer, expected, found });
        }
        let taken: Vec<&str> = FIELDS.iter().map(|(_, from)| *from).chain(OF_RESOURCE).collect();
        lose_others(shown, &taken, text("address"), &pointer, findings);
        let count = self.of.len();
        let number = *self.numbers.entry([module, mode, own_type, name, provider]).or_insert(count);
        if number == count {
            self.of.push(Gathered::of(module, [mode, own_type, name], provider));
        }
        let instances = &mut self.of[number].instances;
        self.places.insert(format!("/resources/{number}/instances/{}", instances.len()), pointer);
        let mut entries = Vec::new();
        for (key, from) in FIELDS {
            match (key, shown.get(from)) {
                (_, None) => {}
                ("status", Some(tainted)) if tainted.as_bool() == Some(true) => {
                    entries.push((key, string("tainted")));
                }
                ("status", Some(_)) => {}
                ("sensitive_attributes", Some(mask)) => {
                    let paths = self.secrets.paths(mask, shown.get("values"))?;
                    entries.push((key, Value::List(paths)));
                }
                (_, Some(value)) => entries.push((key, owned(value))),
            }
        }
        instances.push(object(entries));
        Ok(())
    }
}

impl Gathered {
    fn of(module: &str, [mode, own_type, name]: [&str; 3], provider: &str) -> Gathered {
        let mut head = Vec::new();
        if !module.is_empty() {
            head.push(("module", string(module)));
        }
        head.push(("mode", string(if mode.is_empty() { "managed" } else { mode })));
        head.push(("type", string(own_type)));
        head.push(("name", string(name)));
        if !provider.is_empty() {
            // Before version 0.13, providers had no address.
            head.push((
                "provider",
                match provider.contains('/') {
                    true => Value::String(format!("provider[\"{provider}\"]")),
                    false => Value::String(format!("provider.{provider}")),
                },
            ));
        }
        Gathered { head, instances: Vec::new() }
    }

    fn into_value(mut self) -> Value {
        self.head.push(("instances", Value::List(self.instances)));
        object(self.head)
    }
}

impl Secrets {
    /// The paths of the values that a mask marks as secret. A mask is an object, a list of masks,
    /// or true.
    fn paths<'a, N: Node<'a>>(&mut self, mask: N, values: Option<N>) -> Result<Vec<Value>, SinkError> {
        if mask.as_bool() == Some(true) {
            // The whole value is secret. A path has at least one step.
            let names = values.into_iter().flat_map(Node::entries);
            return names.map(|(name, _)| self.deeper(&[], attribute_step(name)).map(Value::List)).collect();
        }
        let mut paths = Vec::new();
        let mut pending: Vec<(N, Vec<Value>)> = vec![(mask, Vec::new())];
        while let Some((mask, path)) = pending.pop() {
            let before = pending.len();
            if mask.as_bool().is_some() {
                paths.push(Value::List(path));
                continue;
            }
            for (name, inner) in mask.entries().filter(|(_, inner)| is_mask(*inner)) {
                pending.push((inner, self.deeper(&path, attribute_step(name))?));
            }
            for (at, inner) in (0u64..).zip(mask.items()).filter(|(_, inner)| is_mask(*inner)) {
                pending.push((inner, self.deeper(&path, index_step(at))?));
            }
            pending[before..].reverse();
        }
        Ok(paths)
    }

    /// The path with one more step.
    fn deeper(&mut self, path: &[Value], step: Value) -> Result<Vec<Value>, SinkError> {
        let steps = path.len().saturating_add(1);
        let what = "steps of paths to secrets";
        self.steps_left = self.steps_left.checked_sub(steps).ok_or(SinkError::TooMany { what })?;
        Ok(path.iter().cloned().chain([step]).collect())
    }
}

/// Whether a mask may mark any value as secret.
fn is_mask<'a, N: Node<'a>>(mask: N) -> bool {
    mask.width() > 0 || mask.as_bool() == Some(true)
}

fn attribute_step(name: &str) -> Value {
    object(vec![("type", string("get_attr")), ("value", string(name))])
}

fn index_step(at: u64) -> Value {
    let number = object(vec![("value", Value::Integer(at.into())), ("type", string("number"))]);
    object(vec![("type", string("index")), ("value", number)])
}
