//! From: Terraform states of version 1 to 3. To: version 4, by the rules of Terraform and OpenTofu.
//!
//! | version | change |
//! |---|---|
//! | 1 | outputs get a type; a module without path is the root |
//! | 2 | the count of a map is under `%` instead of `#`, and empty collections have none |
//! | 3 | instances are below their resource; outputs of modules below the root are dropped |
//!
//! The attributes stay one level of texts (`attributes_flat`), since only the schema of a provider
//! knows their types.

use super::cocogl_to_origin::Between;
use super::finding::{Findings, GraphError};
use super::form::Form;
use super::state_parts::{
    Instance, Legacy, implied_type, is_identifier, legacy_dependency, legacy_provider, object, owned,
    private_data, string, with_counts_of_maps,
};
use coconut_format::node::{Kind, Node};
use coconut_format::pointer::push_key;
use coconut_format::{Integer, Value};
use std::collections::{BTreeMap, HashMap};

/// A resource of the new state, which has instances of one or more entries of the old one.
struct Upgraded {
    provider: String,
    is_counted: bool,
    instances: Vec<(Instance, String)>,
}

/// The module, the mode, the type and the name.
type Identity = (String, &'static str, String, String);

pub(super) fn upgraded<'a, N: Node<'a>>(root: N, findings: &mut Findings) -> Result<Between, GraphError> {
    let version = root.get("version").and_then(Node::as_integer).and_then(Integer::as_u64);
    let version = version.unwrap_or(3);
    for field in ["remote", "backend"] {
        if root.get(field).is_some_and(|value| value.kind() != Kind::Null) {
            findings.lost(format!("`{field}`"), "", format!("/{field}"));
        }
    }
    let mut resources: BTreeMap<Identity, Upgraded> = BTreeMap::new();
    let mut outputs = Vec::new();
    for (number, module) in root.get("modules").into_iter().flat_map(Node::items).enumerate() {
        let pointer = format!("/modules/{number}");
        let path = module_path(module, version, &pointer)?;
        let address = path.iter().map(|name| format!("module.{name}")).collect::<Vec<_>>().join(".");
        let is_full = |key: &str| module.get(key).is_some_and(|value: N| value.width() > 0);
        match path.is_empty() {
            true => outputs.extend(
                module
                    .get("outputs")
                    .into_iter()
                    .flat_map(Node::entries)
                    .map(|(name, output)| (name.to_owned(), upgraded_output(output, version))),
            ),
            false if is_full("outputs") => {
                findings.lost("outputs", &address, format!("{pointer}/outputs"));
            }
            false => {}
        }
        if is_full("depends_on") {
            findings.lost("a dependency of all resources", &address, format!("{pointer}/depends_on"));
        }
        for (key, resource) in module.get("resources").into_iter().flat_map(Node::entries) {
            let mut pointer = format!("{pointer}/resources");
            push_key(&mut pointer, key);
            upgrade_resource(key, resource, &address, version, &pointer, &mut resources, findings)?;
        }
    }
    let text = |key: &str| root.get(key).and_then(Node::as_str).filter(|text| !text.is_empty());
    let terraform_version = text("terraform_version").unwrap_or_else(|| {
        findings.assumed("the version of Terraform is 0.0.0", "", "");
        "0.0.0"
    });
    let serial = root.get("serial").and_then(Node::as_integer).and_then(Integer::as_u64);
    let mut places = HashMap::new();
    let resources = resources
        .into_iter()
        .enumerate()
        .map(|(number, (identity, resource))| resource.into_value(identity, number, &mut places));
    let document = object(vec![
        ("version", Value::Integer(4u64.into())),
        ("terraform_version", string(terraform_version)),
        ("serial", Value::Integer(serial.unwrap_or(0).into())),
        ("lineage", string(text("lineage").unwrap_or_default())),
        ("outputs", Value::Object(outputs)),
        ("resources", Value::List(resources.collect())),
    ]);
    Ok(Between { form: Form::TerraformState, document, places: Some(places) })
}

/// The names of the calls that lead to a module.
fn module_path<'a, N: Node<'a>>(module: N, version: u64, pointer: &str) -> Result<Vec<&'a str>, GraphError> {
    let malformed = |expected| {
        let (pointer, found) = (format!("{pointer}/path"), "another path");
        Err(GraphError::Malformed { pointer, expected, found })
    };
    let path: Vec<&str> =
        module.get("path").into_iter().flat_map(Node::items).filter_map(Node::as_str).collect();
    match path.split_first() {
        None if version == 1 => Ok(Vec::new()),
        Some((&"root", rest)) if rest.iter().all(|name| is_identifier(name)) => Ok(rest.to_vec()),
        Some((&"root", _)) => malformed("names of modules"),
        _ => malformed("a path that begins with `root`"),
    }
}

/// An output with the type implied by its value.
fn upgraded_output<'a, N: Node<'a>>(output: N, version: u64) -> Value {
    let value = match version {
        1 => Some(output),
        _ => output.get("value"),
    };
    let value = value.map_or(Value::Null, owned);
    let value_type = implied_type(&value);
    let mut entries = vec![("value", value), ("type", value_type)];
    if version > 1 && output.get("sensitive").and_then(Node::as_bool) == Some(true) {
        entries.push(("sensitive", Value::Bool(true)));
    }
    object(entries)
}

fn upgrade_resource<'a, N: Node<'a>>(
    key: &str,
    resource: N,
    module: &str,
    version: u64,
    pointer: &str,
    resources: &mut BTreeMap<Identity, Upgraded>,
    findings: &mut Findings,
) -> Result<(), GraphError> {
    let legacy = Legacy::parse(key).ok_or_else(|| GraphError::Malformed {
        pointer: pointer.to_owned(),
        expected: "a key of a type, a name and an index",
        found: "another key",
    })?;
    let dot = if module.is_empty() { "" } else { "." };
    let subject = format!("{module}{dot}{key}");
    let own_provider = resource.get("provider").and_then(Node::as_str).unwrap_or_default();
    let provider = legacy_provider(own_provider, module, legacy.kind);
    let identity = (module.to_owned(), legacy.mode, legacy.kind.to_owned(), legacy.name.to_owned());
    let upgraded = resources.entry(identity).or_insert_with(|| Upgraded {
        provider: provider.clone(),
        is_counted: false,
        instances: Vec::new(),
    });
    if upgraded.provider != provider {
        findings.lost("the provider", &subject, format!("{pointer}/provider"));
    }
    upgraded.is_counted |= legacy.index.is_some();
    let mut dependencies = Vec::new();
    for (index, item) in resource.get("depends_on").into_iter().flat_map(Node::items).enumerate() {
        let text = item.as_str().unwrap_or_default();
        match legacy_dependency(text) {
            Some(dependency) => dependencies.push(dependency),
            None => findings.lost(
                format!("the dependency on `{text}`"),
                &subject,
                format!("{pointer}/depends_on/{index}"),
            ),
        }
    }
    // Version 1 listed resources to be replaced separately from those to be deleted.
    if version == 1 && resource.get("tainted").is_some_and(|list| list.width() > 0) {
        findings.lost("a tainted object", &subject, format!("{pointer}/tainted"));
    }
    let primary = resource.get("primary").filter(|object| object.kind() == Kind::Object);
    let deposed = resource.get("deposed").into_iter().flat_map(Node::items);
    let objects = primary.map(|object| (object, None)).into_iter();
    let deposed = (1u32..).zip(deposed).map(|(number, object)| (object, Some(format!("{number:08x}"))));
    for (object, deposed) in objects.chain(deposed.filter(|(object, _)| object.kind() == Kind::Object)) {
        let instance = Instance {
            index: legacy.index,
            is_tainted: object.get("tainted").and_then(Node::as_bool) == Some(true),
            deposed,
            attributes: attributes(object, version),
            private: private_data(object.get("meta")),
            dependencies: dependencies.clone(),
        };
        upgraded.instances.push((instance, pointer.to_owned()));
    }
    Ok(())
}

/// The attributes, with an id if the object has one.
fn attributes<'a, N: Node<'a>>(object: N, version: u64) -> Option<Vec<(String, Value)>> {
    let own = object.get("attributes").filter(|attributes| attributes.kind() == Kind::Object);
    let mut attributes: Option<Vec<(String, Value)>> =
        own.map(|own| own.entries().map(|(key, value)| (key.to_owned(), owned(value))).collect());
    let id = object.get("id").and_then(Node::as_str).filter(|id| !id.is_empty());
    if let Some(id) = id {
        let attributes = attributes.get_or_insert_default();
        match attributes.iter_mut().find(|(key, _)| key == "id") {
            Some((_, own)) if own.as_str().is_none_or(str::is_empty) => *own = string(id),
            Some(_) => {}
            None => attributes.push(("id".to_owned(), string(id))),
        }
    }
    match version {
        1 | 2 => attributes.map(with_counts_of_maps),
        _ => attributes,
    }
}

impl Upgraded {
    fn into_value(
        mut self,
        (module, mode, kind, name): Identity,
        number: usize,
        places: &mut HashMap<String, String>,
    ) -> Value {
        self.instances.sort_by_key(|(instance, _)| (instance.index, instance.deposed.clone()));
        let mut entries = Vec::new();
        if !module.is_empty() {
            entries.push(("module", Value::String(module)));
        }
        entries.push(("mode", string(mode)));
        entries.push(("type", Value::String(kind)));
        entries.push(("name", Value::String(name)));
        if self.is_counted {
            entries.push(("each", string("list")));
        }
        entries.push(("provider", Value::String(self.provider)));
        let mut instances = Vec::with_capacity(self.instances.len());
        for (index, (instance, pointer)) in self.instances.into_iter().enumerate() {
            places.insert(format!("/resources/{number}/instances/{index}"), pointer);
            instances.push(instance.into_value());
        }
        entries.push(("instances", Value::List(instances)));
        object(entries)
    }
}
