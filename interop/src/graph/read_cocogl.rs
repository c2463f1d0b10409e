//! From: a Coconut 2017 graph built by a program. To: the intermediate graph between two systems.

use super::finding::{Findings, GraphError};
use super::model::{Model, Resource, Sort, Values, lose_others};
use coconut_format::graph::{Graph, secret_places};
use coconut_format::landmark::Dialect;
use coconut_format::node::{Kind, Node};
use coconut_format::pointer::push_key;
use coconut_format::urn::Urn;

/// The fields of a resource that the intermediate graph has.
const TAKEN: &[&str] = &["id", "type", "properties", "inputs", "outputs", "dependencies", "urn"];

pub(super) fn read<'a, N: Node<'a>>(root: N, findings: &mut Findings) -> Result<Model<'a, N>, GraphError> {
    let dialect = Dialect::of(root).ok_or(GraphError::NoGraph)?;
    let graph = Graph::new(root, dialect);
    let snapshot = graph.snapshot();
    let mut model = Model {
        stack: snapshot.environment,
        project: None,
        outputs: Vec::new(),
        resources: Vec::new(),
        secrets: secret_places(root, dialect),
    };
    let within = ["/latest/resources", "/resources", "/vertices"]
        .into_iter()
        .find(|path| path.split('/').skip(1).try_fold(root, |node: N, key| node.get(key)).is_some());
    for resource in graph.resources() {
        let node = resource.node();
        let mut pointer = within.unwrap_or_default().to_owned();
        push_key(&mut pointer, &resource.key());
        if node.kind() != Kind::Object {
            let found = node.kind().name();
            return Err(GraphError::Malformed { pointer, expected: "a resource", found });
        }
        let key = resource.key().into_owned();
        let parsed = Urn::parse(&key).ok();
        let own_type = resource.resource_type();
        if own_type.is_none() {
            findings.assumed("it has no type, so `unknown:index:Unknown` is used", &key, pointer.clone());
        }
        let mut dependencies: Vec<u32> =
            graph.dependencies(resource).map(|(_, target)| target.ordinal()).collect();
        dependencies.retain(|&target| target != resource.ordinal());
        dependencies.sort_unstable();
        dependencies.dedup();
        lose_others(node, TAKEN, &key, &pointer, findings);
        let id = resource.id().filter(|id| !id.is_empty());
        if id.is_none() {
            findings.assumed("it has no id, so it does not belong to a provider", &key, pointer.clone());
        }
        let inputs = Values::under(node, "inputs", &pointer);
        model.resources.push(Resource {
            sort: if id.is_some() { Sort::Managed } else { Sort::Component },
            resource_type: own_type.unwrap_or("unknown:index:Unknown"),
            name: parsed.map_or(&*key, Urn::name).to_owned(),
            modules: Vec::new(),
            index: None,
            id,
            inputs: inputs.or_else(|| Values::under(node, "properties", &pointer)),
            state: Values::under(node, "outputs", &pointer),
            waits: false,
            is_tainted: false,
            provider: None,
            parent: None,
            dependencies,
            key,
            pointer,
        });
    }
    Ok(model)
}
