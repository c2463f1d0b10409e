//! From: Terraform states of version 4. To: a Coconut 2017 graph. Nothing is lost.
//!
//! ```text
//! {"package": "import/terraform#*",
//!  "origin": {"form": "terraform-state", "document": {"version": 4, …, "resources": [
//!    {"mode": "managed", "type": "aws_vpc", …, "instances": ["aws_vpc.main"]}]}},
//!  "resources": {
//!    "aws_vpc.main": {
//!      "type": "aws_vpc", "id": "vpc-1", "properties": { … the attributes … },
//!      "provider": "provider[…]", "dependencies": [{"#ref": "…"}], "sensitive_attributes": […],
//!      "terraform": {"schema_version": 1, "attributes": null, "private": "…", …}}}}
//! ```
//!
//! `terraform` is the instance as it is, with null for the parts stored elsewhere. The key of a
//! resource is its address. The key of an object that is only waiting to be deleted ends in
//! `#deposed-` and its deposed key.

use super::finding::{Findings, GraphError};
use super::flatmap;
use super::form::Form;
use super::model::in_order;
use super::origin;
use crate::import::{Import, graph_of_state};
use crate::output::Output;
use coconut_codec::event::SinkError;
use coconut_format::node::{Kind, Node};
use std::collections::HashSet;

pub(super) fn push<'a, N: Node<'a>>(
    root: N,
    findings: &mut Findings,
    out: &mut Output<'_>,
) -> Result<(), GraphError> {
    check(root)?;
    let graph = graph_of_state(root)?;
    let keys = keys(&graph);
    let resources: Vec<N> = root.get("resources").into_iter().flat_map(Node::items).collect();
    out.begin()?;
    out.text("package", "import/terraform#*")?;
    origin::push(Form::TerraformState, out, |out| {
        let mut next = keys.iter();
        out.value_with(root, &["resources"], &mut |out: &mut Output<'_>, list: N| {
            push_rest(list, &mut next, out)
        })
    })?;
    out.key("resources")?;
    out.begin()?;
    let count = u32::try_from(keys.len()).map_err(|_| SinkError::TooMany { what: "resources" })?;
    // A Coconut 2017 graph lists its resources in the order of their edges.
    let targets = |number| graph.dependencies(number).iter().map(|edge| edge.to);
    for number in in_order(count, targets) {
        push_resource(number, &graph, &keys, &resources, findings, out)?;
    }
    out.end()?;
    Ok(out.end()?)
}

/// An instance as a resource of the graph.
fn push_resource<'a, N: Node<'a>>(
    number: u32,
    graph: &Import<'a, N>,
    keys: &[String],
    resources: &[N],
    findings: &mut Findings,
    out: &mut Output<'_>,
) -> Result<(), GraphError> {
    let resource = &graph.resources()[number as usize];
    out.key(&keys[number as usize])?;
    out.begin()?;
    out.text("type", &resource.resource_type)?;
    if let Some(id) = &resource.id {
        out.text("id", id)?;
    }
    let instance = resource.value;
    let attributes = instance.get("attributes").filter(|values| values.kind() == Kind::Object);
    match (attributes, instance.get("attributes_flat")) {
        (Some(attributes), _) => out.entry("properties", attributes)?,
        (None, Some(flat)) => {
            let pointer = format!("{}/attributes_flat", resource.pointer);
            out.entry("properties", &flatmap::expanded(flat, &resource.key, &pointer, findings))?;
        }
        (None, None) => {}
    }
    let around = around(resources, &resource.pointer);
    let provider = instance.get("provider").or_else(|| around?.get("provider"));
    if let Some(provider) = provider {
        out.entry("provider", provider)?;
    }
    let dependencies = graph.dependencies(number);
    if !dependencies.is_empty() {
        out.key("dependencies")?;
        out.sink.begin_list()?;
        for edge in dependencies {
            out.begin()?;
            out.text("#ref", &keys[edge.to as usize])?;
            out.end()?;
        }
        out.sink.end_list()?;
    }
    let secrets = instance.get("sensitive_attributes");
    if let Some(secrets) = secrets {
        out.entry("sensitive_attributes", secrets)?;
    }
    out.key("terraform")?;
    out.begin()?;
    for (field, value) in instance.entries() {
        out.key(field)?;
        match field {
            "attributes" if attributes.is_some() => out.sink.null()?,
            "sensitive_attributes" => out.sink.null()?,
            _ => out.value(value)?,
        }
    }
    out.end()?;
    Ok(out.end()?)
}

/// Refuses a state with malformed resources or instances.
pub(super) fn check<'a, N: Node<'a>>(root: N) -> Result<(), GraphError> {
    let resources = root.get("resources").into_iter().flat_map(Node::items);
    for (number, resource) in resources.enumerate() {
        let text = |key: &str| resource.get(key).and_then(Node::as_str).is_some_and(|text| !text.is_empty());
        let malformed =
            |pointer: String, expected, found| Err(GraphError::Malformed { pointer, expected, found });
        if !text("type") || !text("name") {
            let expected = "a resource with `type` and `name`";
            return malformed(format!("/resources/{number}"), expected, resource.kind().name());
        }
        for (index, instance) in resource.get("instances").into_iter().flat_map(Node::items).enumerate() {
            if instance.kind() != Kind::Object {
                let pointer = format!("/resources/{number}/instances/{index}");
                return malformed(pointer, "an instance", instance.kind().name());
            }
        }
    }
    Ok(())
}

/// A unique key for each instance.
fn keys<'a, N: Node<'a>>(graph: &Import<'a, N>) -> Vec<String> {
    let mut taken = HashSet::new();
    let mut keys = Vec::with_capacity(graph.resources().len());
    for resource in graph.resources() {
        let deposed = resource.value.get("deposed").and_then(Node::as_str).filter(|key| !key.is_empty());
        let wanted = match deposed {
            Some(deposed) => format!("{}#deposed-{deposed}", resource.key),
            None => resource.key.clone(),
        };
        let mut key = wanted.clone();
        for count in 2u64.. {
            if taken.insert(key.clone()) {
                break;
            }
            key = format!("{wanted}#{count}");
        }
        keys.push(key);
    }
    keys
}

/// The resource that contains the instance at a place.
pub(super) fn around<'a, N: Node<'a>>(resources: &[N], pointer: &str) -> Option<N> {
    let number: usize = pointer.split('/').nth(2)?.parse().ok()?;
    resources.get(number).copied()
}

/// The list of resources, with keys for their instances.
fn push_rest<'a, 'k, N: Node<'a>>(
    list: N,
    keys: &mut impl Iterator<Item = &'k String>,
    out: &mut Output<'_>,
) -> Result<(), GraphError> {
    if list.kind() != Kind::List {
        return Ok(out.value(list)?);
    }
    out.sink.begin_list()?;
    for resource in list.items() {
        out.begin()?;
        for (field, value) in resource.entries() {
            out.key(field)?;
            if field != "instances" || value.kind() != Kind::List {
                out.value(value)?;
                continue;
            }
            out.sink.begin_list()?;
            for key in keys.by_ref().take(value.width()) {
                out.sink.string(key)?;
            }
            out.sink.end_list()?;
        }
        out.end()?;
    }
    Ok(out.sink.end_list()?)
}
