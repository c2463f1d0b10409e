//! From: the intermediate graph between two systems. To: Terraform states of version 4.
//!
//! ```text
//! {"version": 4, "terraform_version": "0.0.0", "serial": 1, "lineage": "", "outputs": {…},
//!  "resources": [{"mode": "managed", "type": "aws_s3_bucket", "name": "site",
//!                 "provider": "provider[\"registry.terraform.io/hashicorp/aws\"]",
//!                 "instances": [{"schema_version": 0, "attributes": {…},
//!                                "sensitive_attributes": […],
//!                                "dependencies": ["aws_s3_bucket.logs"]}]}]}
//! ```

use super::finding::Findings;
use super::mapping::Types;
use super::model::{Distinct, Model, Resource, Sort, Values};
use super::state_parts::implied_type;
use super::state_parts::is_identifier;
use super::values::{Referred, Resources, Step, Writing};
use crate::output::Output;
use coconut_codec::event::{SinkError, ValueSink};
use coconut_format::Value;
use coconut_format::node::Node;
use std::collections::{BTreeSet, HashMap};

/// The resources with their names in the new state.
struct Named<'m, 'a, N> {
    model: &'m Model<'a, N>,
    /// The type and the name of each resource; `None` if it has no place in a state.
    names: Vec<Option<(String, String)>>,
    by_key: HashMap<&'m str, u32>,
}

pub(super) fn push<'a, N: Node<'a>>(
    model: &Model<'a, N>,
    types: &mut Types<'_>,
    findings: &mut Findings,
    out: &mut Output<'_>,
) -> Result<(), SinkError> {
    let named = Named::of(model, types, findings);
    findings.assumed("the state has no lineage and its serial is 1", "", "");
    out.begin()?;
    out.number("version", 4)?;
    out.text("terraform_version", "0.0.0")?;
    out.number("serial", 1)?;
    out.text("lineage", "")?;
    named.push_outputs(findings, out)?;
    out.key("resources")?;
    out.sink.begin_list()?;
    let mut told = BTreeSet::new();
    for (name, objects) in named.groups() {
        named.push_resource(name, &objects, &mut told, findings, out)?;
    }
    out.sink.end_list()?;
    out.end()
}

impl<'m, 'a, N: Node<'a>> Named<'m, 'a, N> {
    fn of(model: &'m Model<'a, N>, types: &mut Types<'_>, findings: &mut Findings) -> Named<'m, 'a, N> {
        let mut distinct = Distinct::default();
        let mut current: HashMap<(&str, &str), String> = HashMap::new();
        let mut names = Vec::with_capacity(model.resources.len());
        for resource in &model.resources {
            let Resource { key, pointer, .. } = resource;
            match resource.sort {
                Sort::Managed => {}
                Sort::Data => findings.left_out("a resource that is only read", key, pointer.clone()),
                Sort::Component => findings.left_out("a component", key, pointer.clone()),
                Sort::Provider => findings.left_out("the configuration of a provider", key, pointer.clone()),
            }
            if resource.sort != Sort::Managed {
                names.push(None);
                continue;
            }
            if resource.inputs.as_ref().is_some_and(|inputs| inputs.node.width() > 0)
                && resource.state.is_some()
            {
                findings.lost("`inputs`", key, format!("{pointer}/inputs"));
            }
            let own_type = types.own_type(resource.resource_type, key, pointer, findings);
            // An object waiting to be deleted belongs to the resource that replaced it.
            let identity = (resource.resource_type, &*resource.name);
            if let Some(name) = current.get(&identity).filter(|_| resource.waits) {
                names.push(Some((own_type, name.clone())));
                continue;
            }
            let wanted = identifier(&resource.name);
            let name = distinct.take(format!("{own_type} {wanted}"), "_");
            let name = name.split_once(' ').map_or(&*name, |(_, name)| name).to_owned();
            if name != resource.name {
                findings.assumed(format!("its name is `{name}`"), key, pointer.clone());
            }
            current.insert(identity, name.clone());
            names.push(Some((own_type, name)));
        }
        let by_key = (0..).zip(&model.resources).map(|(number, one)| (&*one.key, number)).collect();
        Named { model, names, by_key }
    }

    fn writing<'w>(&'w self, subject: &'w str, findings: &'w mut Findings) -> Writing<'w> {
        Writing { secrets: &self.model.secrets, resource: self, subject, findings, found: Vec::new() }
    }

    fn push_outputs(&self, findings: &mut Findings, out: &mut Output<'_>) -> Result<(), SinkError> {
        out.key("outputs")?;
        out.begin()?;
        for output in &self.model.outputs {
            let values = Values { node: output.value, pointer: output.pointer.clone() };
            let mut sink = ValueSink::new();
            let mut writing = self.writing(output.name, findings);
            writing.push_for_terraform(&values, &mut Output::new(&mut sink))?;
            let is_secret = output.is_secret || !writing.found.is_empty();
            let value = sink.finish().unwrap_or(Value::Null);
            out.key(output.name)?;
            out.begin()?;
            out.entry("value", &value)?;
            out.entry("type", &implied_type(&value))?;
            if is_secret {
                out.flag("sensitive", true)?;
            }
            out.end()?;
        }
        out.end()
    }

    /// The names in the order of their first objects, each with the numbers of its objects.
    fn groups(&self) -> Vec<(&(String, String), Vec<usize>)> {
        let mut groups: Vec<(&(String, String), Vec<usize>)> = Vec::new();
        let mut by_name: HashMap<&(String, String), usize> = HashMap::new();
        for (number, name) in self.names.iter().enumerate() {
            let Some(name) = name else { continue };
            let group = *by_name.entry(name).or_insert_with(|| {
                groups.push((name, Vec::new()));
                groups.len() - 1
            });
            groups[group].1.push(number);
        }
        groups
    }

    /// A resource with all of its objects.
    fn push_resource(
        &self,
        name: &(String, String),
        objects: &[usize],
        told: &mut BTreeSet<String>,
        findings: &mut Findings,
        out: &mut Output<'_>,
    ) -> Result<(), SinkError> {
        let (own_type, own_name) = name;
        let first = objects.first().map(|&number| &self.model.resources[number]);
        let package = own_type.split('_').next().unwrap_or(own_type);
        out.begin()?;
        out.text("mode", "managed")?;
        out.text("type", own_type)?;
        out.text("name", own_name)?;
        let provider = format!("registry.terraform.io/hashicorp/{package}");
        if let Some(first) = first.filter(|_| told.insert(package.to_owned())) {
            let what = format!("its provider is `{provider}`");
            findings.assumed(what, &first.key, first.pointer.clone());
        }
        out.text("provider", &format!("provider[\"{provider}\"]"))?;
        out.key("instances")?;
        out.sink.begin_list()?;
        let mut deposed = 0u32;
        for resource in objects.iter().map(|&number| &self.model.resources[number]) {
            deposed += u32::from(resource.waits);
            let key = resource.waits.then(|| format!("{deposed:08x}"));
            self.push_instance(resource, key, findings, out)?;
        }
        out.sink.end_list()?;
        out.end()
    }

    fn push_instance(
        &self,
        resource: &Resource<'a, N>,
        deposed: Option<String>,
        findings: &mut Findings,
        out: &mut Output<'_>,
    ) -> Result<(), SinkError> {
        out.begin()?;
        if resource.is_tainted {
            out.text("status", "tainted")?;
        }
        if let Some(deposed) = deposed {
            out.text("deposed", &deposed)?;
        }
        out.number("schema_version", 0)?;
        let mut writing = self.writing(&resource.key, findings);
        let values = resource.state.as_ref().or(resource.inputs.as_ref());
        out.key("attributes")?;
        let attributes = match values {
            Some(values) => {
                let mut sink = ValueSink::new();
                writing.push_for_terraform(values, &mut Output::new(&mut sink))?;
                sink.finish()
            }
            None => None,
        };
        let mut entries = match attributes {
            Some(Value::Object(entries)) => entries,
            _ => Vec::new(),
        };
        if let Some(id) = resource.id.filter(|_| !entries.iter().any(|(key, _)| key == "id")) {
            entries.insert(0, ("id".to_owned(), Value::String(id.to_owned())));
            if resource.is_id_secret(&self.model.secrets) {
                writing.found.push(vec![Step::Attribute("id".to_owned())]);
            }
        }
        out.value(&Value::Object(entries))?;
        push_secret_paths(&writing.found, out)?;
        let targets = resource.dependencies.iter().filter_map(|&target| self.names[target as usize].as_ref());
        let mut addresses: Vec<String> = targets.map(|(kind, name)| format!("{kind}.{name}")).collect();
        addresses.sort();
        addresses.dedup();
        if !addresses.is_empty() {
            out.key("dependencies")?;
            out.sink.begin_list()?;
            addresses.iter().try_for_each(|address| out.sink.string(address))?;
            out.sink.end_list()?;
        }
        out.end()
    }
}

impl<'a, N: Node<'a>> Resources for Named<'_, 'a, N> {
    fn with_key(&self, key: &str) -> Option<Referred> {
        let resource = &self.model.resources[*self.by_key.get(key)? as usize];
        Some(Referred { urn: resource.key.clone(), id: resource.id.map(str::to_owned) })
    }
}

/// A text converted to a valid name in Terraform's language.
fn identifier(text: &str) -> String {
    if is_identifier(text) {
        return text.to_owned();
    }
    let legal: String = text.chars().map(|c| if c.is_alphanumeric() || c == '-' { c } else { '_' }).collect();
    if is_identifier(&legal) { legal } else { format!("_{legal}") }
}

/// `sensitive_attributes` (§15.8).
fn push_secret_paths(paths: &[Vec<Step>], out: &mut Output<'_>) -> Result<(), SinkError> {
    out.key("sensitive_attributes")?;
    out.sink.begin_list()?;
    for path in paths {
        out.sink.begin_list()?;
        for step in path {
            out.begin()?;
            match step {
                Step::Attribute(name) => {
                    out.text("type", "get_attr")?;
                    out.text("value", name)?;
                }
                Step::Key(key) => push_index(out, |out| {
                    out.text("value", key)?;
                    out.text("type", "string")
                })?,
                Step::Item(index) => push_index(out, |out| {
                    out.number("value", *index as u64)?;
                    out.text("type", "number")
                })?,
            }
            out.end()?;
        }
        out.sink.end_list()?;
    }
    out.sink.end_list()
}

/// A step to an item, or to the value of a key. Terraform does not apply it to an object.
fn push_index(
    out: &mut Output<'_>,
    index: impl FnOnce(&mut Output<'_>) -> Result<(), SinkError>,
) -> Result<(), SinkError> {
    out.text("type", "index")?;
    out.key("value")?;
    out.begin()?;
    index(out)?;
    out.end()
}
