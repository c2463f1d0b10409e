//! An import under construction: limits, distinct URNs, sorted edges.

use super::{
    Edge, EdgeKind, Import, ImportError, ImportFinding, ImportFindingKind, Missing, Options, Resource, System,
};
use super::{first_edges, limits};
use coconut_format::node::Node;
use std::collections::HashMap;
use std::marker::PhantomData;

pub(super) struct Draft<'a, 'o, N> {
    system: System,
    environment: &'o str,
    resources: Vec<Resource<'a, N>>,
    edges: Vec<Edge>,
    missing: Vec<Missing>,
    findings: Vec<ImportFinding>,
    /// The number of times each URN was requested.
    urns: HashMap<String, u32>,
    /// The remaining steps.
    work: usize,
}

/// The parts of a resource that its system defines.
pub(super) struct Described<'d, N> {
    pub(super) key: String,
    pub(super) pointer: String,
    pub(super) source: u32,
    pub(super) value: N,
    /// The second part of the URN.
    pub(super) allocation: &'d str,
    pub(super) resource_type: &'d str,
    /// The last part of the URN.
    pub(super) name: &'d str,
    pub(super) id: Option<String>,
}

impl<'a, 'o, N: Node<'a>> Draft<'a, 'o, N> {
    pub(super) fn new(system: System, options: &Options<'o>) -> Draft<'a, 'o, N> {
        Draft {
            system,
            environment: options.environment,
            resources: Vec::new(),
            edges: Vec::new(),
            missing: Vec::new(),
            findings: Vec::new(),
            urns: HashMap::new(),
            work: limits::WORK,
        }
    }

    /// Adds a resource. Returns its number.
    pub(super) fn resource(&mut self, described: Described<'_, N>) -> Result<u32, ImportError> {
        check(self.resources.len(), limits::RESOURCES, "resources")?;
        let number = u32::try_from(self.resources.len()).expect("the limit is smaller");
        let Described { key, pointer, source, value, allocation, resource_type, name, id } = described;
        let resource_type = type_part(resource_type);
        let mut urn = format!(
            "urn:coconut:{}::{}::{resource_type}::{name}",
            urn_part(self.environment),
            urn_part(allocation)
        );
        let wanted = self.urns.entry(urn.clone()).or_insert(0);
        *wanted += 1;
        if *wanted > 1 {
            // The URN must be unused. A name with `#` is counted separately only if a source chose
            // it, and then the next number tells them apart.
            let mut count = *wanted;
            let mut numbered = format!("{urn}#{count}");
            while self.urns.contains_key(&numbered) {
                count += 1;
                numbered = format!("{urn}#{count}");
            }
            self.urns.insert(numbered.clone(), 1);
            urn = numbered;
        }
        self.resources.push(Resource {
            key,
            pointer,
            source,
            urn,
            resource_type,
            id,
            value,
            replaced_by: None,
            lives: PhantomData,
        });
        Ok(number)
    }

    pub(super) fn resources(&self) -> &[Resource<'a, N>] {
        &self.resources
    }

    /// Records that the resource `earlier` is replaced by `later`, which gets its URN.
    pub(super) fn replace(&mut self, earlier: u32, later: u32) -> Result<(), ImportError> {
        let urn = self.resources[earlier as usize].urn.clone();
        self.resources[later as usize].urn = urn;
        let resource = &mut self.resources[earlier as usize];
        resource.replaced_by = Some(later);
        let (subject, source, at) = (resource.key.clone(), resource.source, resource.pointer.clone());
        self.finding(ImportFindingKind::Twice, subject, source, at)
    }

    /// Adds an edge.
    pub(super) fn edge(&mut self, from: u32, kind: EdgeKind, to: u32) -> Result<(), ImportError> {
        self.edge_with(Edge { from, kind, to, is_optional: false, is_assumed: false })
    }

    pub(super) fn edge_with(&mut self, edge: Edge) -> Result<(), ImportError> {
        check(self.edges.len(), limits::EDGES, "edges")?;
        self.edges.push(edge);
        Ok(())
    }

    pub(super) fn missing(&mut self, missing: Missing) -> Result<(), ImportError> {
        check(self.missing.len(), limits::MISSING, "references to missing resources")?;
        self.missing.push(missing);
        Ok(())
    }

    pub(super) fn finding(
        &mut self,
        kind: ImportFindingKind,
        subject: impl Into<String>,
        source: u32,
        at: impl Into<String>,
    ) -> Result<(), ImportError> {
        check(self.findings.len(), limits::FINDINGS, "findings")?;
        self.findings.push(ImportFinding { kind, subject: subject.into(), source, at: at.into() });
        Ok(())
    }

    /// Counts steps of work.
    pub(super) fn work(&mut self, steps: usize) -> Result<(), ImportError> {
        match self.work.checked_sub(steps) {
            Some(left) => {
                self.work = left;
                Ok(())
            }
            None => Err(ImportError::TooMany { what: "steps of work", limit: limits::WORK }),
        }
    }

    pub(super) fn finish(self) -> Import<'a, N> {
        let Draft { system, resources, mut edges, mut missing, findings, .. } = self;
        // A replaced resource keeps its own edges, but no edge leads to it. Compose files are
        // merged, so their edges stay, too.
        let latest = |mut number: u32| {
            while let Some(later) = resources[number as usize].replaced_by {
                number = later;
            }
            number
        };
        for edge in &mut edges {
            edge.to = latest(edge.to);
            if system == System::Compose {
                edge.from = latest(edge.from);
            }
        }
        // Of equal edges, the certain one comes first and is kept.
        edges.sort_unstable();
        edges.dedup_by_key(|edge| (edge.from, edge.kind, edge.to));
        let same = |missing: &Missing| (missing.from, missing.kind);
        missing.sort_by(|a, b| (same(a), &a.name, &a.at).cmp(&(same(b), &b.name, &b.at)));
        missing.dedup();
        let first_edges = first_edges(&edges, resources.len(), |edge| edge.from);
        Import { system, resources, edges, first_edges, missing, findings }
    }
}

fn check(count: usize, limit: usize, what: &'static str) -> Result<(), ImportError> {
    match count < limit {
        true => Ok(()),
        false => Err(ImportError::TooMany { what, limit }),
    }
}

/// A text as a part of a URN: not empty, and without the separator.
fn urn_part(text: &str) -> String {
    let mut part = text.replace("::", "/");
    // A colon at the end would form a separator with the next one.
    if part.is_empty() || part.ends_with(':') || part.starts_with(':') {
        part.insert(0, '_');
        part.push('_');
    }
    part
}

/// A text as the type in a URN, where `$` ends the type of a parent.
fn type_part(text: &str) -> String {
    urn_part(text).replace('$', "_")
}

#[cfg(test)]
mod tests {
    use super::*;
    use coconut_format::Value;

    fn draft() -> Draft<'static, 'static, &'static Value> {
        Draft::new(System::Kubernetes, &Options { environment: "e::nv", namespace: "", class_main: false })
    }

    #[test]
    fn one_edge_more_than_the_limit_is_refused() {
        let mut draft = draft();
        (0..limits::EDGES).for_each(|_| draft.edge(0, EdgeKind::Owner, 0).unwrap());
        let refused = draft.edge(0, EdgeKind::Owner, 0).unwrap_err();
        assert_eq!(refused.to_string(), "more than 16777216 edges");
    }

    #[test]
    fn work_beyond_the_limit_is_refused() {
        let mut draft = draft();
        draft.work(limits::WORK).unwrap();
        assert_eq!(draft.work(1).unwrap_err().to_string(), "more than 268435456 steps of work");
    }

    #[test]
    fn every_resource_has_a_urn_of_its_own() {
        let mut draft = draft();
        let mut urn = |resource_type: &str, name: &str| {
            let number = draft.resource(Described {
                key: String::new(),
                pointer: String::new(),
                source: 0,
                value: &Value::Null,
                allocation: "",
                resource_type,
                name,
                id: None,
            });
            draft.resources()[number.unwrap() as usize].urn.clone()
        };
        let urns = [urn("a::b$c:", ":x"), urn("t", "x#2"), urn("t", "x"), urn("t", "x"), urn("t", "x#2")];
        let expected = ["_a/b_c:_:::x", "t::x#2", "t::x", "t::x#3", "t::x#2#2"];
        let expected = expected.map(|end| format!("urn:coconut:e/nv::__::{end}"));
        assert_eq!(urns, expected);
    }
}
