//! From: the intermediate graph between two systems. To: Pulumi's export and checkpoint, version 3.
//!
//! ```text
//! {"version": 3, "deployment": {"manifest": {…}, "resources": [
//!   {"urn": "urn:pulumi:dev::shop::pulumi:pulumi:Stack::shop-dev", "custom": false, …},
//!   {"urn": "urn:pulumi:dev::shop::pulumi:providers:aws::default", …},
//!   {"urn": "urn:pulumi:dev::shop::aws:s3/bucket:Bucket::site", "custom": true, "id": "…", …}]}}
//! ```

use super::ConversionOptions;
use super::finding::Findings;
use super::form::Target;
use super::mapping::Types;
use super::model::{Distinct, Index, Model, Resource, Sort, Values, in_order};
use super::read_pulumi::{PROVIDERS, STACK};
use super::values::{Referred, Writing, push_secret};
use crate::output::Output;
use coconut_codec::event::SinkError;
use coconut_format::node::Node;
use coconut_format::urn::Urn;
use std::collections::HashMap;

/// The time in a manifest if it is unknown.
const NO_TIME: &str = "0001-01-01T00:00:00Z";

/// A provider to which resources refer.
struct Provider {
    /// The reference in the source.
    reference: String,
    urn: String,
    id: String,
    /// The place of the first resource that refers to this provider.
    pointer: String,
}

/// The names of all resources in the new stack.
struct Named<'m, 'a, N> {
    model: &'m Model<'a, N>,
    stack: String,
    project: String,
    urns: Vec<Option<String>>,
    providers: Vec<Provider>,
    /// The number of the provider of each reference.
    by_reference: HashMap<&'a str, usize>,
    by_key: HashMap<&'m str, u32>,
}

pub(super) fn push<'a, N: Node<'a>>(
    model: &Model<'a, N>,
    target: Target,
    options: &ConversionOptions<'_>,
    types: &mut Types<'_>,
    findings: &mut Findings,
    out: &mut Output<'_>,
) -> Result<(), SinkError> {
    let named = Named::of(model, options, types, findings);
    out.begin()?;
    out.number("version", 3)?;
    if target == Target::PulumiCheckpoint {
        out.key("checkpoint")?;
        out.begin()?;
        out.text("stack", &named.stack)?;
        out.key("latest")?;
    } else {
        out.key("deployment")?;
    }
    named.push_deployment(findings, out)?;
    if target == Target::PulumiCheckpoint {
        out.end()?;
    }
    out.end()
}

impl<'m, 'a, N: Node<'a>> Named<'m, 'a, N> {
    fn of(
        model: &'m Model<'a, N>,
        options: &ConversionOptions<'_>,
        types: &mut Types<'_>,
        findings: &mut Findings,
    ) -> Named<'m, 'a, N> {
        let urns = || model.resources.iter().filter_map(|resource| Urn::parse(&resource.key).ok());
        let mut chosen = |given: Option<&str>, known: Option<&str>, what: &str, other: &str| {
            given.or(known).map(str::to_owned).unwrap_or_else(|| {
                findings.assumed(format!("the {what} is `{other}`; set another with --{what}"), "", "");
                other.to_owned()
            })
        };
        let stack = model.stack.or(urns().next().map(Urn::namespace));
        let stack = chosen(options.stack, stack, "stack", "dev");
        let project = model.project.or(urns().next().map(Urn::allocation));
        let project = chosen(options.project, project, "project", "import");
        let mut named = Named {
            model,
            urns: Vec::with_capacity(model.resources.len()),
            providers: Vec::new(),
            by_reference: HashMap::new(),
            by_key: (0..).zip(&model.resources).map(|(number, one)| (&*one.key, number)).collect(),
            stack,
            project,
        };
        let mut distinct = Distinct::default();
        for resource in &model.resources {
            let urn = named.urn_of(resource, types, &mut distinct, findings);
            named.urns.push(urn);
        }
        named
    }

    fn urn(&self, resource_type: &str, name: &str) -> String {
        format!("urn:pulumi:{}::{}::{resource_type}::{name}", self.stack, self.project)
    }

    /// The URN of a resource; `None` if it has no place in a stack.
    fn urn_of(
        &mut self,
        resource: &Resource<'a, N>,
        types: &mut Types<'_>,
        distinct: &mut Distinct,
        findings: &mut Findings,
    ) -> Option<String> {
        let Resource { key, pointer, .. } = resource;
        if resource.sort == Sort::Data {
            findings.left_out("a data source", key, pointer.clone());
            return None;
        }
        if resource.sort == Sort::Managed && resource.id.is_none() {
            findings.left_out("a resource without an id", key, pointer.clone());
            return None;
        }
        if let Some(provider) = resource.provider {
            self.provider(provider, &types.package(resource.resource_type), pointer, distinct);
        }
        let token = types.token(resource.resource_type, key, pointer, findings);
        let index = match resource.index {
            None => String::new(),
            Some(Index::Number(number)) => format!("[{number}]"),
            Some(Index::Text(text)) => format!("[\"{text}\"]"),
        };
        let mut names = resource.modules.clone();
        names.push(format!("{}{index}", resource.name));
        let urn = self.urn(&token, &names.join("_"));
        // An object waiting to be deleted has the URN of the one that replaced it.
        match resource.waits {
            true => Some(urn),
            false => Some(distinct.take(urn, "-")),
        }
    }

    /// Records the provider of a resource.
    fn provider(&mut self, reference: &'a str, package: &str, pointer: &str, distinct: &mut Distinct) {
        if self.by_reference.contains_key(reference) {
            return;
        }
        // `module.a.provider["host/space/aws"].west`, `provider.aws.west`.
        let (before, own) = reference.split_once("provider").unwrap_or(("", reference));
        let alias = match own.rsplit_once("\"]") {
            Some((_, alias)) => alias.trim_start_matches('.'),
            None => own.trim_start_matches('.').split_once('.').map_or("", |(_, alias)| alias),
        };
        let mut name = before.trim_end_matches('.').replace(['.', '"', '[', ']'], "_");
        if !name.is_empty() {
            name.push('_');
        }
        name.push_str(if alias.is_empty() { "default" } else { alias });
        let urn = distinct.take(self.urn(&format!("{PROVIDERS}{package}"), &name), "_");
        let id = urn.rsplit("::").next().unwrap_or_default().to_owned();
        self.by_reference.insert(reference, self.providers.len());
        let (reference, pointer) = (reference.to_owned(), pointer.to_owned());
        self.providers.push(Provider { reference, urn, id, pointer });
    }

    fn push_deployment(&self, findings: &mut Findings, out: &mut Output<'_>) -> Result<(), SinkError> {
        let stack_urn = self.urn(STACK, &format!("{}-{}", self.project, self.stack));
        let has_stack = self.model.resources.iter().any(|resource| resource.resource_type == STACK);
        out.begin()?;
        out.key("manifest")?;
        out.begin()?;
        out.text("time", NO_TIME)?;
        out.text("magic", "")?;
        out.text("version", "")?;
        out.end()?;
        out.key("resources")?;
        out.sink.begin_list()?;
        if !has_stack {
            out.begin()?;
            out.text("urn", &stack_urn)?;
            out.flag("custom", false)?;
            out.text("type", STACK)?;
            self.push_outputs(findings, out)?;
            out.end()?;
        }
        for Provider { reference, urn, id, pointer } in &self.providers {
            let what = format!("the provider has no configuration, and `{id}` as its id");
            findings.assumed(what, reference, pointer.clone());
            out.begin()?;
            out.text("urn", urn)?;
            out.flag("custom", true)?;
            out.text("id", id)?;
            out.text("type", urn.split("::").nth(2).unwrap_or_default())?;
            out.end()?;
        }
        let resources = &self.model.resources;
        let count = u32::try_from(resources.len()).map_err(|_| SinkError::TooMany { what: "resources" })?;
        for number in in_order(count, |number| resources[number as usize].earlier()) {
            if let Some(urn) = &self.urns[number as usize] {
                let resource = &resources[number as usize];
                let parent = (resource.resource_type != STACK).then_some(&*stack_urn);
                self.push_resource(resource, urn, parent, findings, out)?;
            }
        }
        out.sink.end_list()?;
        out.end()
    }

    fn push_outputs(&self, findings: &mut Findings, out: &mut Output<'_>) -> Result<(), SinkError> {
        if self.model.outputs.is_empty() {
            return Ok(());
        }
        out.key("outputs")?;
        out.begin()?;
        for output in &self.model.outputs {
            out.key(output.name)?;
            if output.is_secret {
                push_secret(output.value, out)?;
                continue;
            }
            let values = Values { node: output.value, pointer: output.pointer.clone() };
            self.writing(output.name, findings).push_for_pulumi(&values, out)?;
        }
        out.end()
    }

    fn writing<'w>(&'w self, subject: &'w str, findings: &'w mut Findings) -> Writing<'w> {
        Writing { secrets: &self.model.secrets, resource: self, subject, findings, found: Vec::new() }
    }

    fn push_resource(
        &self,
        resource: &Resource<'a, N>,
        urn: &str,
        stack_urn: Option<&str>,
        findings: &mut Findings,
        out: &mut Output<'_>,
    ) -> Result<(), SinkError> {
        out.begin()?;
        out.text("urn", urn)?;
        out.flag("custom", resource.sort != Sort::Component)?;
        if resource.waits {
            out.flag("delete", true)?;
        }
        if let Some(id) = resource.id {
            out.text("id", id)?;
        }
        out.text("type", Urn::parse(urn).map_or(resource.resource_type, Urn::type_token))?;
        for (key, values) in [("inputs", &resource.inputs), ("outputs", &resource.state)] {
            if let Some(values) = values {
                out.key(key)?;
                self.writing(&resource.key, findings).push_for_pulumi(values, out)?;
            }
        }
        let parent = resource.parent.and_then(|parent| self.urns[parent as usize].as_deref());
        if let Some(parent) = parent.or(stack_urn) {
            out.text("parent", parent)?;
        }
        let urns = resource.dependencies.iter().filter_map(|&target| self.urns[target as usize].as_deref());
        let urns: Vec<&str> = urns.collect();
        if !urns.is_empty() {
            out.key("dependencies")?;
            out.sink.begin_list()?;
            urns.into_iter().try_for_each(|urn| out.sink.string(urn))?;
            out.sink.end_list()?;
        }
        let provider = resource.provider.and_then(|own| self.providers.get(*self.by_reference.get(own)?));
        if let Some(Provider { urn, id, .. }) = provider {
            out.text("provider", &format!("{urn}::{id}"))?;
        }
        if resource.is_tainted {
            out.flag("taint", true)?;
        }
        out.end()
    }
}

impl<'a, N: Node<'a>> super::values::Resources for Named<'_, 'a, N> {
    fn with_key(&self, key: &str) -> Option<Referred> {
        let number = *self.by_key.get(key)? as usize;
        let id = self.model.resources[number].id.map(str::to_owned);
        Some(Referred { urn: self.urns[number].clone()?, id })
    }
}
