//! The document produced by an import: dialect `coconut-import`.
//!
//! ```text
//! {"package": "import/kubernetes#*",
//!  "origin": {"kind": "kubernetes", "inference": "kubernetes-1",
//!             "sources": [{"path": "a.yaml", "sha-256": "…"}]},
//!  "resources": {
//!    "urn:coconut:import::default::kubernetes:apps/v1:Deployment::web": {
//!      "type": "kubernetes:apps/v1:Deployment", "id": "default/web",
//!      "properties": { … the object as it is … },
//!      "edges": {"config-map": ["urn:…"]},
//!      "missing": [{"kind": "secret", "name": "x", "at": "/spec/…"}]}}}
//! ```

use super::{Edge, Import, Missing};
use crate::output::Output;
use coconut_codec::event::{EventSink, SinkError};
use coconut_format::node::Node;

/// The description of a source in the document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceRecord {
    /// The path as given by the caller.
    pub path: String,
    /// The digest of its bytes, in hexadecimal.
    pub sha_256: String,
}

impl<'a, N: Node<'a>> Import<'a, N> {
    /// Pushes the document of dialect `coconut-import` into `sink`.
    ///
    /// Omits resources that later ones replace. Pointers of missing references begin at the object
    /// in `properties` if they are inside it.
    ///
    /// # Errors
    ///
    /// Fails if the sink fails, or if there are more values than a stream may have.
    pub fn push(&self, sources: &[SourceRecord], sink: &mut dyn EventSink) -> Result<(), SinkError> {
        let mut out = Output::new(sink);
        out.begin()?;
        out.text("package", &format!("import/{}#*", self.system.name()))?;
        out.key("origin")?;
        out.begin()?;
        out.text("kind", self.system.name())?;
        out.text("inference", self.system.inference())?;
        out.key("sources")?;
        out.sink.begin_list()?;
        for source in sources {
            out.begin()?;
            out.text("path", &source.path)?;
            out.text("sha-256", &source.sha_256)?;
            out.end()?;
        }
        out.sink.end_list()?;
        out.end()?;
        out.key("resources")?;
        out.begin()?;
        let mut missing = &self.missing[..];
        for (number, resource) in (0..).zip(&self.resources) {
            let (own, rest) =
                missing.split_at(missing.iter().take_while(|missing| missing.from == number).count());
            missing = rest;
            if resource.replaced_by.is_some() {
                continue;
            }
            out.key(&resource.urn)?;
            out.begin()?;
            out.text("type", &resource.resource_type)?;
            if let Some(id) = &resource.id {
                out.text("id", id)?;
            }
            out.key("properties")?;
            out.value(resource.value)?;
            let edges = self.dependencies(number);
            self.edge_lists(&mut out, "edges", edges.iter().copied())?;
            self.edge_lists(&mut out, "optional", edges.iter().copied().filter(|edge| edge.is_optional))?;
            self.edge_lists(&mut out, "assumed", edges.iter().copied().filter(|edge| edge.is_assumed))?;
            if !own.is_empty() {
                out.key("missing")?;
                out.sink.begin_list()?;
                for missing in own {
                    push_missing(&mut out, missing, &resource.pointer)?;
                }
                out.sink.end_list()?;
            }
            out.end()?;
        }
        out.end()?;
        out.end()
    }

    /// Pushes `"edges": {"config-map": ["urn:…"]}`, unless there are no edges.
    fn edge_lists(
        &self,
        out: &mut Output<'_>,
        key: &str,
        edges: impl Iterator<Item = Edge>,
    ) -> Result<(), SinkError> {
        let mut last = None;
        for edge in edges {
            if last.is_none() {
                out.key(key)?;
                out.begin()?;
            }
            if last != Some(edge.kind) {
                if last.is_some() {
                    out.sink.end_list()?;
                }
                out.key(edge.kind.name())?;
                out.sink.begin_list()?;
                last = Some(edge.kind);
            }
            out.sink.string(&self.resources[edge.to as usize].urn)?;
        }
        if last.is_some() {
            out.sink.end_list()?;
            out.end()?;
        }
        Ok(())
    }
}

/// Pushes an item of `missing`, for the resource at `pointer`.
fn push_missing(out: &mut Output<'_>, missing: &Missing, pointer: &str) -> Result<(), SinkError> {
    out.begin()?;
    out.text("kind", missing.kind.name())?;
    out.text("name", &missing.name)?;
    // Some references are outside the resource: in the configuration of a plan.
    let at = missing.at.strip_prefix(pointer).filter(|rest| rest.starts_with('/'));
    match at {
        Some(at) => out.text("at", at)?,
        None => out.text("at-source", &missing.at)?,
    }
    if missing.is_optional {
        out.flag("optional", true)?;
    }
    out.end()
}
