//! From: Terraform states of version 4. To: the output of `terraform show -json` for them.
//!
//! ```text
//! {"format_version": "1.0", "terraform_version": "1.9.1", "values": {
//!   "outputs": {…},
//!   "root_module": {
//!     "resources": [{"address": "aws_vpc.main", …, "values": {…}, "sensitive_values": {}}],
//!     "child_modules": [{"resources": […], "address": "module.net"}]}}}
//! ```
//!
//! Terraform takes two things from the schemas of providers: attributes that a state does not
//! contain, which are then null, and attributes that are always secret.

use super::finding::{Findings, GraphError};
use super::flatmap;
use super::terraform_to_cocogl::{around, check};
use crate::import::{graph_of_state, modules_of};
use crate::output::Output;
use coconut_codec::event::SinkError;
use coconut_format::graph::{PathSet, Place, dynamic_value, secret_places};
use coconut_format::landmark::Dialect;
use coconut_format::node::{Kind, Node};
use coconut_format::pointer::push_key;
use std::collections::BTreeMap;

/// The maximum nesting of modules. Each takes two levels of the document, which has at most 512.
const LEVELS: usize = 200;

/// An instance with the fields of its resource.
struct Shown<'a, N> {
    address: String,
    /// The positions of its resource and of the instance, used to find the places of secrets.
    position: (usize, usize),
    resource: N,
    instance: N,
    deposed: Option<&'a str>,
}

/// A module with its instances, and its child modules by their calls.
struct Module<'a, N> {
    instances: Vec<Shown<'a, N>>,
    modules: BTreeMap<String, Module<'a, N>>,
}

impl<N> Default for Module<'_, N> {
    fn default() -> Self {
        Module { instances: Vec::new(), modules: BTreeMap::new() }
    }
}

pub(super) fn push<'a, N: Node<'a>>(
    root: N,
    findings: &mut Findings,
    out: &mut Output<'_>,
) -> Result<(), GraphError> {
    check(root)?;
    let tree = modules(root)?;
    let outputs = root.get("outputs").filter(|outputs| outputs.width() > 0);
    out.begin()?;
    out.text("format_version", "1.0")?;
    if outputs.is_none() && tree.modules.is_empty() && tree.instances.is_empty() {
        return Ok(out.end()?);
    }
    findings.assumed("attributes that only the schemas of providers define are not shown", "", "");
    if let Some(version) = root.get("terraform_version") {
        out.entry("terraform_version", version)?;
    }
    out.key("values")?;
    out.begin()?;
    if let Some(outputs) = outputs {
        push_outputs(outputs, out)?;
    }
    let dialect = Dialect::named("terraform-state-4").ok_or(GraphError::NoGraph)?;
    let secrets = secret_places(root, dialect);
    out.key("root_module")?;
    push_module(&tree, "", &secrets, findings, out)?;
    out.end()?;
    Ok(out.end()?)
}

/// The instances of a state, grouped by module.
fn modules<'a, N: Node<'a>>(root: N) -> Result<Module<'a, N>, GraphError> {
    let graph = graph_of_state(root)?;
    let resources: Vec<N> = root.get("resources").into_iter().flat_map(Node::items).collect();
    let mut tree = Module::default();
    for found in graph.resources() {
        let Some(resource) = around(&resources, &found.pointer) else { continue };
        let mut numbers = found.pointer.split('/').filter_map(|part| part.parse().ok());
        let position = (numbers.next().unwrap_or_default(), numbers.next().unwrap_or_default());
        let address = resource.get("module").and_then(Node::as_str).unwrap_or_default();
        let steps = modules_of(address);
        if steps.len() > LEVELS {
            let pointer = format!("/resources/{}/module", position.0);
            let (expected, found) = ("a module in few others", "a longer address");
            return Err(GraphError::Malformed { pointer, expected, found });
        }
        let mut module: &mut Module<'a, N> = &mut tree;
        for step in steps {
            let index = step.index.map(|index| format!("[{index}]")).unwrap_or_default();
            module = module.modules.entry(format!("module.{}{index}", step.name)).or_default();
        }
        module.instances.push(Shown {
            address: found.key.clone(),
            position,
            resource,
            instance: found.value,
            deposed: found.value.get("deposed").and_then(Node::as_str).filter(|key| !key.is_empty()),
        });
    }
    Ok(tree)
}

fn push_outputs<'a, N: Node<'a>>(outputs: N, out: &mut Output<'_>) -> Result<(), SinkError> {
    out.key("outputs")?;
    out.begin()?;
    for (name, output) in outputs.entries() {
        out.key(name)?;
        out.begin()?;
        out.flag("sensitive", output.get("sensitive").and_then(Node::as_bool) == Some(true))?;
        for field in ["value", "type"] {
            if let Some(value) = output.get(field) {
                out.entry(field, value)?;
            }
        }
        out.end()?;
    }
    out.end()
}

/// A module. Recurses once per level of modules.
fn push_module<'a, N: Node<'a>>(
    module: &Module<'a, N>,
    address: &str,
    secrets: &PathSet,
    findings: &mut Findings,
    out: &mut Output<'_>,
) -> Result<(), SinkError> {
    out.begin()?;
    if !module.instances.is_empty() {
        let mut instances: Vec<&Shown<'a, N>> = module.instances.iter().collect();
        instances.sort_by_key(|shown| (&shown.address, shown.deposed));
        out.key("resources")?;
        out.sink.begin_list()?;
        instances.into_iter().try_for_each(|shown| push_instance(shown, secrets, findings, out))?;
        out.sink.end_list()?;
    }
    if !address.is_empty() {
        out.text("address", address)?;
    }
    if !module.modules.is_empty() {
        out.key("child_modules")?;
        out.sink.begin_list()?;
        for (call, child) in &module.modules {
            let dot = if address.is_empty() { "" } else { "." };
            push_module(child, &format!("{address}{dot}{call}"), secrets, findings, out)?;
        }
        out.sink.end_list()?;
    }
    out.end()
}

fn push_instance<'a, N: Node<'a>>(
    shown: &Shown<'a, N>,
    secrets: &PathSet,
    findings: &mut Findings,
    out: &mut Output<'_>,
) -> Result<(), SinkError> {
    let (resource, instance) = (shown.resource, shown.instance);
    let pointer = format!("/resources/{}/instances/{}", shown.position.0, shown.position.1);
    out.begin()?;
    out.text("address", &shown.address)?;
    for field in ["mode", "type", "name"] {
        if let Some(value) = resource.get(field) {
            out.entry(field, value)?;
        }
    }
    if let Some(index) = instance.get("index_key") {
        out.entry("index", index)?;
    }
    let provider = instance.get("provider").or_else(|| resource.get("provider")).and_then(Node::as_str);
    if let Some(provider) = provider {
        let address = provider.split_once("[\"").and_then(|(_, rest)| rest.split_once("\"]"));
        out.text("provider_name", address.map_or(provider, |(address, _)| address))?;
    }
    if let Some(version) = instance.get("schema_version") {
        out.entry("schema_version", version)?;
    }
    let attributes = instance.get("attributes").filter(|values| values.kind() == Kind::Object);
    match (attributes, instance.get("attributes_flat")) {
        (Some(values), _) => {
            out.key("values")?;
            out.begin()?;
            for (name, value) in values.entries() {
                out.key(name)?;
                let own_type = resource.get("type").and_then(Node::as_str).unwrap_or_default();
                if dynamic_value(value).is_some() && !DYNAMIC.contains(&own_type) {
                    let mut place = format!("{pointer}/attributes");
                    push_key(&mut place, name);
                    findings.assumed(
                        "an object with a value and its type is that value",
                        &shown.address,
                        place,
                    );
                }
                push_value(value, true, out)?;
            }
            out.end()?;
        }
        (None, Some(flat)) => {
            let pointer = format!("{pointer}/attributes_flat");
            out.entry("values", &flatmap::expanded(flat, &shown.address, &pointer, findings))?;
        }
        (None, None) => {}
    }
    out.key("sensitive_values")?;
    match attributes {
        Some(values) => {
            let mut place = secrets.enter_key(secrets.root(), "resources");
            place = secrets.enter_item(place, shown.position.0);
            place = secrets.enter_item(secrets.enter_key(place, "instances"), shown.position.1);
            push_attribute_masks(values, secrets.enter_key(place, "attributes"), secrets, out)?;
        }
        None => {
            out.begin()?;
            out.end()?;
        }
    }
    if let Some(dependencies) = instance.get("dependencies").filter(|list| list.width() > 0) {
        out.entry("depends_on", dependencies)?;
    }
    if instance.get("status").and_then(Node::as_str) == Some("tainted") {
        out.flag("tainted", true)?;
    }
    if let Some(deposed) = shown.deposed {
        out.text("deposed_key", deposed)?;
    }
    if instance.get("private").is_some() {
        findings.lost("`private`", &shown.address, format!("{pointer}/private"));
    }
    out.end()
}

/// Types whose attributes are dynamic.
const DYNAMIC: [&str; 2] = ["terraform_data", "kubernetes_manifest"];

/// Whether the type of a dynamic value leaves parts of it open again.
fn has_dynamic<'a, N: Node<'a>>(value: N) -> bool {
    let mut pending: Vec<N> = value.get("type").into_iter().collect();
    while let Some(part) = pending.pop() {
        if part.as_str() == Some("dynamic") {
            return true;
        }
        pending.extend(part.items());
        pending.extend(part.entries().map(|(_, part)| part));
    }
    false
}

/// A value with the values that a state stores as `{"value": value, "type": type}`, because only
/// the provider knows their types, in place of these objects. Recurses once per level; a document
/// has at most 512 (§9.1).
fn push_value<'a, N: Node<'a>>(value: N, is_open: bool, out: &mut Output<'_>) -> Result<(), SinkError> {
    if let Some(inner) = dynamic_value(value).filter(|_| is_open) {
        return push_value(inner, has_dynamic(value), out);
    }
    match value.kind() {
        Kind::List => {
            out.count()?;
            out.sink.begin_list()?;
            value.items().try_for_each(|item| push_value(item, is_open, out))?;
            out.sink.end_list()
        }
        Kind::Object => {
            out.count()?;
            out.begin()?;
            for (key, item) in value.entries() {
                out.key(key)?;
                push_value(item, is_open, out)?;
            }
            out.end()
        }
        _ => out.scalar(value),
    }
}

/// The masks of the attributes of an instance. These are never a dynamic value as a whole.
fn push_attribute_masks<'a, N: Node<'a>>(
    values: N,
    place: Place,
    secrets: &PathSet,
    out: &mut Output<'_>,
) -> Result<(), SinkError> {
    if place == Place::Inside {
        return push_mask(values, place, false, secrets, out);
    }
    out.begin()?;
    for (name, value) in values.entries() {
        let inner = secrets.enter_key(place, name);
        if is_container(value, true) || inner == Place::Inside {
            out.key(name)?;
            push_mask(value, inner, true, secrets, out)?;
        }
    }
    out.end()
}

/// Whether a value is shown as a list or an object.
fn is_container<'a, N: Node<'a>>(value: N, is_open: bool) -> bool {
    let inner = dynamic_value(value).filter(|_| is_open);
    inner.unwrap_or(value).kind().is_container()
}

/// The mask of a value (§15.8): values that are not secret are false in a list and omitted from an
/// object. Recurses once per level; a document has at most 512 (§9.1).
fn push_mask<'a, N: Node<'a>>(
    value: N,
    place: Place,
    is_open: bool,
    secrets: &PathSet,
    out: &mut Output<'_>,
) -> Result<(), SinkError> {
    out.count()?;
    if place == Place::Inside {
        return out.sink.bool(true);
    }
    if let Some(inner) = dynamic_value(value).filter(|_| is_open) {
        return push_mask(inner, secrets.enter_key(place, "value"), has_dynamic(value), secrets, out);
    }
    match value.kind() {
        Kind::List => {
            out.sink.begin_list()?;
            for (index, item) in value.items().enumerate() {
                push_mask(item, secrets.enter_item(place, index), is_open, secrets, out)?;
            }
            out.sink.end_list()
        }
        Kind::Object => {
            out.begin()?;
            for (key, item) in value.entries() {
                let inner = secrets.enter_key(place, key);
                if is_container(item, is_open) || inner == Place::Inside {
                    out.key(key)?;
                    push_mask(item, inner, is_open, secrets, out)?;
                }
            }
            out.end()
        }
        _ => out.sink.bool(false),
    }
}
