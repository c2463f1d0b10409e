//! From: Pulumi's exports, checkpoints and deployments, of any version. To: exports and checkpoints
//! of version 3 or later.
//!
//! The deployment is kept as it is. A deployment before version 3 has no manifest, and has fields
//! that version 3 does not have.

use super::ConversionOptions;
use super::finding::{Findings, GraphError};
use super::form::{Form, Target};
use crate::output::Output;
use coconut_codec::event::SinkError;
use coconut_format::Integer;
use coconut_format::node::{Kind, Node};
use coconut_format::pointer::push_key;
use coconut_format::urn::Urn;

/// The resource fields that only versions before 3 have.
const OLD_FIELDS: [&str; 2] = ["defaults", "children"];

/// The version written for older deployments.
const VERSION: u64 = 3;

/// The version of a deployment. The earliest ones do not record it.
pub(super) fn version<'a, N: Node<'a>>(root: N, form: Form) -> u64 {
    let version = root.get("version").and_then(Node::as_integer).and_then(Integer::as_u64);
    version.unwrap_or(if form == Form::PulumiDeployment { VERSION } else { 0 })
}

/// A deployment and its wrapper.
struct Source<'o, 'a, N> {
    /// The document, unless it is the deployment itself.
    document: Option<N>,
    /// The key of the document that leads to the deployment.
    key: &'static str,
    /// The object that holds the stack and its configuration next to the deployment, and its
    /// pointer.
    wrapper: Option<(N, &'static str)>,
    deployment: Option<N>,
    /// The pointer of the deployment.
    pointer: String,
    version: u64,
    options: &'o ConversionOptions<'a>,
}

pub(super) fn push<'a, N: Node<'a>>(
    root: N,
    form: Form,
    target: Target,
    options: &ConversionOptions<'_>,
    findings: &mut Findings,
    out: &mut Output<'_>,
) -> Result<(), GraphError> {
    let path = form.deployment_path().unwrap_or_default();
    let source = Source {
        document: (form != Form::PulumiDeployment).then_some(root),
        key: path.first().copied().unwrap_or_default(),
        wrapper: match form {
            Form::PulumiCheckpoint => root.get("checkpoint").map(|wrapper| (wrapper, "/checkpoint")),
            Form::PulumiEnvironment => Some((root, "")),
            _ => None,
        },
        deployment: path.iter().try_fold(root, |node: N, key| node.get(key)),
        pointer: path.iter().map(|key| format!("/{key}")).collect(),
        version: version(root, form),
        options,
    };
    out.begin()?;
    if root.get("version").is_none() || source.document.is_none() {
        out.number("version", source.version.max(VERSION))?;
    }
    // The wrapper keeps its order, so converting back restores it.
    for (key, value) in source.document.into_iter().flat_map(Node::entries) {
        match key {
            "version" => out.number("version", source.version.max(VERSION))?,
            key if key == source.key => source.push_wrapped(target, findings, out)?,
            // The document is the wrapper itself.
            _ if form == Form::PulumiEnvironment => {}
            _ => out.entry(key, value)?,
        }
    }
    if source.document.is_none() {
        source.push_wrapped(target, findings, out)?;
    }
    Ok(out.end()?)
}

impl<'a, N: Node<'a>> Source<'_, '_, N> {
    /// The entry of the new document that holds the deployment.
    fn push_wrapped(
        &self,
        target: Target,
        findings: &mut Findings,
        out: &mut Output<'_>,
    ) -> Result<(), SinkError> {
        let (wrapper, base) = self.wrapper.map_or((None, ""), |(wrapper, base)| (Some(wrapper), base));
        let others = wrapper.into_iter().flat_map(Node::entries).filter(|(key, value)| {
            let is_empty = value.kind() == Kind::Null || value.kind().is_container() && value.width() == 0;
            !matches!(*key, "latest" | "stack" | "target" | "version" | "checkpoint") && !is_empty
        });
        let of_urns = self.stack_of_urns();
        let own = ["stack", "target"].iter().find_map(|key| Some((*key, wrapper?.get(key)?.as_str()?)));
        if target != Target::PulumiCheckpoint {
            for (key, _) in others {
                let mut pointer = base.to_owned();
                push_key(&mut pointer, key);
                findings.lost(format!("`{key}`"), "", pointer);
            }
            if let Some((key, stack)) = own.filter(|(_, stack)| !stack.is_empty() && Some(*stack) != of_urns)
            {
                findings.lost(format!("the name of the stack, `{stack}`,"), "", format!("{base}/{key}"));
            }
            out.key("deployment")?;
            return self.push_deployment(findings, out);
        }
        out.key("checkpoint")?;
        out.begin()?;
        let own = own.map(|(_, stack)| stack).filter(|stack| !stack.is_empty());
        let stack = self.options.stack.or(own).or(of_urns).unwrap_or_else(|| {
            findings.assumed("the stack has no name; set one with --stack", "", "");
            ""
        });
        out.text("stack", stack)?;
        for (key, value) in others {
            out.entry(key, value)?;
        }
        out.key("latest")?;
        self.push_deployment(findings, out)?;
        out.end()
    }

    /// The stack of the first resource.
    fn stack_of_urns(&self) -> Option<&'a str> {
        let first = self.deployment?.get("resources")?.items().next()?;
        Urn::parse(first.get("urn")?.as_str()?).ok().map(Urn::namespace)
    }

    fn push_deployment(&self, findings: &mut Findings, out: &mut Output<'_>) -> Result<(), SinkError> {
        let Some(deployment) = self.deployment else { return out.sink.null() };
        if self.version >= VERSION {
            return out.value(deployment);
        }
        out.begin()?;
        for (key, value) in deployment.entries() {
            match key {
                "time" if deployment.get("manifest").is_none() => {
                    out.key("manifest")?;
                    out.begin()?;
                    out.entry("time", value)?;
                    out.text("magic", "")?;
                    out.text("version", "")?;
                    out.end()?;
                }
                "resources" if value.kind() == Kind::List => {
                    out.key("resources")?;
                    out.sink.begin_list()?;
                    for (number, resource) in value.items().enumerate() {
                        let pointer = format!("{}/resources/{number}", self.pointer);
                        push_new_resource(resource, &pointer, findings, out)?;
                    }
                    out.sink.end_list()?;
                }
                _ => out.entry(key, value)?,
            }
        }
        out.end()
    }
}

/// A resource without the fields that version 3 does not have.
fn push_new_resource<'a, N: Node<'a>>(
    resource: N,
    pointer: &str,
    findings: &mut Findings,
    out: &mut Output<'_>,
) -> Result<(), SinkError> {
    if resource.kind() != Kind::Object {
        return out.value(resource);
    }
    let urn = resource.get("urn").and_then(Node::as_str).unwrap_or_default();
    out.begin()?;
    for (key, value) in resource.entries() {
        if !OLD_FIELDS.contains(&key) {
            out.entry(key, value)?;
        } else if value.width() > 0 {
            findings.lost(format!("`{key}`"), urn, format!("{pointer}/{key}"));
        }
    }
    out.end()
}
