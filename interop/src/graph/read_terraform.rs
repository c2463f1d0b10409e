//! From: Terraform states of version 4. To: the intermediate graph between two systems.

use super::finding::{Findings, GraphError};
use super::model::{Index, Model, Output, Resource, Sort, Values, lose_others};
use super::terraform_to_cocogl::{around, check};
use crate::import::graph_of_state;
use coconut_format::graph::secret_places;
use coconut_format::landmark::Dialect;
use coconut_format::node::{Kind, Node};
use coconut_format::pointer::push_key;

/// The fields of an instance that the intermediate graph has.
const TAKEN: &[&str] = &[
    "attributes",
    "attributes_flat",
    "sensitive_attributes",
    "dependencies",
    "depends_on",
    "index_key",
    "deposed",
    "status",
    "provider",
    "schema_version",
    "identity_schema_version",
];

pub(super) fn read<'a, N: Node<'a>>(root: N, findings: &mut Findings) -> Result<Model<'a, N>, GraphError> {
    check(root)?;
    let graph = graph_of_state(root)?;
    let nodes: Vec<N> = root.get("resources").into_iter().flat_map(Node::items).collect();
    let dialect = Dialect::named("terraform-state-4").ok_or(GraphError::NoGraph)?;
    let mut resources = Vec::with_capacity(graph.resources().len());
    for (number, found) in (0..).zip(graph.resources()) {
        let (node, pointer) = (found.value, found.pointer.clone());
        let around = around(&nodes, &pointer);
        let of_resource = |key: &str| around.and_then(|node| node.get(key)).and_then(Node::as_str);
        let text = |key: &str| node.get(key).and_then(Node::as_str).filter(|text| !text.is_empty());
        let index = node.get("index_key").and_then(|key| match key.as_str() {
            Some(text) => Some(Index::Text(text)),
            None => Some(Index::Number(key.as_integer()?.as_u64()?)),
        });
        let sort = match of_resource("mode") {
            None | Some("managed") => Sort::Managed,
            Some(_) => Sort::Data,
        };
        let state = Values::under(node, "attributes", &pointer);
        let state = state.or_else(|| Values::under(node, "attributes_flat", &pointer));
        if sort == Sort::Managed {
            lose_others(node, TAKEN, &found.key, &pointer, findings);
        }
        resources.push(Resource {
            key: found.key.clone(),
            sort,
            resource_type: of_resource("type").unwrap_or_default(),
            name: of_resource("name").unwrap_or_default().to_owned(),
            modules: modules(of_resource("module").unwrap_or_default()),
            index,
            id: state.as_ref().and_then(|state| state.node.get("id")?.as_str()),
            inputs: None,
            state,
            waits: text("deposed").is_some(),
            is_tainted: text("status") == Some("tainted"),
            provider: text("provider").or_else(|| of_resource("provider")),
            parent: None,
            dependencies: graph.dependencies(number).iter().map(|edge| edge.to).collect(),
            pointer,
        });
    }
    let outputs = root.get("outputs").into_iter().flat_map(Node::entries).filter_map(|(name, output)| {
        let mut pointer = String::from("/outputs");
        push_key(&mut pointer, name);
        pointer.push_str("/value");
        let is_secret = output.get("sensitive").and_then(Node::as_bool) == Some(true);
        Some(Output { name, value: output.get("value")?, is_secret, pointer })
    });
    let outputs = outputs.collect();
    if root.get("check_results").is_some_and(|results| results.kind() == Kind::List && results.width() > 0) {
        findings.lost("`check_results`", "", "/check_results");
    }
    let secrets = secret_places(root, dialect);
    Ok(Model { stack: None, project: None, outputs, resources, secrets })
}

/// The modules of an address, each with its key: `a["x"]`, `b`.
fn modules(address: &str) -> Vec<String> {
    crate::import::modules_of(address)
        .iter()
        .map(|step| match step.index {
            Some(index) => format!("{}[{index}]", step.name),
            None => step.name.to_owned(),
        })
        .collect()
}
