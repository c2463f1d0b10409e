//! From: Pulumi's deployments. To: the intermediate graph between two systems.

use super::finding::{Findings, GraphError};
use super::form::Form;
use super::model::{Model, Output, Resource, Sort, Values, lose_others};
use super::pulumi_to_cocogl::{REFERENCES, Refers};
use coconut_format::graph::{Special, meant_vertex, secret_places};
use coconut_format::landmark::Dialect;
use coconut_format::node::Node;
use coconut_format::pointer::push_key;
use coconut_format::urn::Urn;
use std::collections::HashMap;

/// The fields of a resource that the intermediate graph has, or that carry no information about the
/// resource.
const TAKEN: &[&str] = &[
    "urn",
    "custom",
    "delete",
    "id",
    "type",
    "inputs",
    "outputs",
    "parent",
    "provider",
    "dependencies",
    "propertyDependencies",
    "taint",
    "created",
    "modified",
    "sourcePosition",
    "stackTrace",
    "additionalSecretOutputs",
];

/// The type of the resource that represents the stack.
pub(super) const STACK: &str = "pulumi:pulumi:Stack";
/// The prefix of provider types.
pub(super) const PROVIDERS: &str = "pulumi:providers:";

pub(super) fn read<'a, N: Node<'a>>(
    root: N,
    form: Form,
    findings: &mut Findings,
) -> Result<Model<'a, N>, GraphError> {
    let path = form.deployment_path().unwrap_or_default();
    let base: String = path.iter().map(|key| format!("/{key}")).collect();
    let deployment = path.iter().try_fold(root, |node: N, key| node.get(key));
    let nodes: Vec<N> =
        deployment.and_then(|node| node.get("resources")).into_iter().flat_map(Node::items).collect();
    let mut by_urn: HashMap<&str, Vec<u32>> = HashMap::new();
    for (number, node) in (0..).zip(&nodes) {
        if let Some(urn) = node.get("urn").and_then(Node::as_str) {
            by_urn.entry(urn).or_default().push(number);
        }
    }
    let mut model = Model {
        stack: None,
        project: None,
        outputs: Vec::new(),
        resources: Vec::new(),
        secrets: secret_places(root, Dialect::of(root).ok_or(GraphError::NoGraph)?),
    };
    for (number, &node) in (0..).zip(&nodes) {
        let pointer = format!("{base}/resources/{number}");
        let Some(urn) = node.get("urn").and_then(Node::as_str) else {
            let (expected, found) = ("a string under `urn`", node.kind().name());
            return Err(GraphError::Malformed { pointer, expected, found });
        };
        let resource = read_resource(node, urn, number, pointer, &by_urn, findings);
        if let Ok(parsed) = Urn::parse(urn) {
            model.stack = model.stack.or(Some(parsed.namespace()));
            model.project = model.project.or(Some(parsed.allocation()));
        }
        if resource.resource_type == STACK {
            read_outputs(&resource, &mut model);
        }
        model.resources.push(resource);
    }
    if let Some(deployment) = deployment {
        lose_others(deployment, &["resources", "manifest", "metadata", "time"], "", &base, findings);
    }
    Ok(model)
}

fn read_resource<'a, N: Node<'a>>(
    node: N,
    urn: &'a str,
    number: u32,
    pointer: String,
    by_urn: &HashMap<&str, Vec<u32>>,
    findings: &mut Findings,
) -> Resource<'a, N> {
    let text = |key: &str| node.get(key).and_then(Node::as_str).filter(|text| !text.is_empty());
    let flag = |key: &str| node.get(key).and_then(Node::as_bool) == Some(true);
    let parsed = Urn::parse(urn).ok();
    let resource_type = text("type").or(parsed.map(Urn::type_token)).unwrap_or_default();
    let meant = |urn: &str| meant_vertex(by_urn.get(urn)?, number).filter(|&target| target != number);
    let mut dependencies = Vec::new();
    for (field, refers) in REFERENCES {
        let texts: Vec<&str> = match (node.get(field), refers) {
            (Some(value), Refers::List) => value.items().filter_map(Node::as_str).collect(),
            (Some(value), Refers::Lists) => {
                value.entries().flat_map(|(_, list)| list.items()).filter_map(Node::as_str).collect()
            }
            _ => Vec::new(),
        };
        dependencies.extend(texts.into_iter().filter_map(meant));
    }
    dependencies.sort_unstable();
    dependencies.dedup();
    let sort = match () {
        () if resource_type.starts_with(PROVIDERS) => Sort::Provider,
        () if !flag("custom") => Sort::Component,
        () if flag("external") => Sort::Data,
        () => Sort::Managed,
    };
    let name = parsed.map_or(urn, Urn::name);
    if sort == Sort::Managed {
        lose_others(node, TAKEN, name, &pointer, findings);
    }
    Resource {
        key: name.to_owned(),
        sort,
        resource_type,
        name: name.to_owned(),
        modules: Vec::new(),
        index: None,
        id: text("id"),
        inputs: Values::under(node, "inputs", &pointer),
        state: Values::under(node, "outputs", &pointer),
        waits: flag("delete"),
        is_tainted: flag("taint"),
        provider: text("provider"),
        parent: text("parent").and_then(meant),
        dependencies,
        pointer,
    }
}

/// The outputs of the stack become those of the graph.
fn read_outputs<'a, N: Node<'a>>(stack: &Resource<'a, N>, model: &mut Model<'a, N>) {
    let Some(state) = &stack.state else { return };
    for (name, value) in state.node.entries() {
        let mut pointer = state.pointer.clone();
        push_key(&mut pointer, name);
        let is_secret = matches!(Special::of(value), Some(Special::Secret(_)));
        model.outputs.push(Output { name, value, is_secret, pointer });
    }
}
