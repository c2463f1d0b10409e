//! Resources and implied edges in documents of other systems.
//!
//! Each system has a file, and all return the same type: an [`Import`]. Edges lead from the
//! dependent to the dependency, as everywhere (§15.6).

mod cloudformation;
mod compose;
mod document;
mod draft;
mod kubernetes;
mod limits;
mod puppet;
mod recognition;
mod scalar;
mod system;
mod terraform;

pub use document::SourceRecord;
pub use recognition::{infer, system_of};
pub use system::System;
pub(crate) use terraform::modules_of;

use coconut_format::node::Node;
use std::fmt;

/// A source of an import: the root of a document, and the name of its file.
#[derive(Clone, Copy, Debug)]
pub struct Source<'s, N> {
    /// The name, used in keys if several sources are imported and each has its own namespace.
    pub name: &'s str,
    /// The document.
    pub root: N,
}

/// Settings of an import.
#[derive(Clone, Copy, Debug)]
pub struct Options<'o> {
    /// The first part of all URNs: a cluster, a stack, an environment.
    pub environment: &'o str,
    /// The namespace of Kubernetes objects that do not name one.
    pub namespace: &'o str,
    /// Whether `Class[main]` of a Puppet catalog has edges to its contents. It contains nearly
    /// everything, so these edges carry little information.
    pub class_main: bool,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options { environment: "import", namespace: "default", class_main: false }
    }
}

/// The graph of the sources.
#[derive(Clone, Debug)]
pub struct Import<'a, N> {
    system: System,
    resources: Vec<Resource<'a, N>>,
    edges: Vec<Edge>,
    /// For each resource, the position of its first edge. The last item is the number of edges.
    first_edges: Vec<usize>,
    missing: Vec<Missing>,
    findings: Vec<ImportFinding>,
}

/// A vertex: a value of a source.
#[derive(Clone, Debug)]
pub struct Resource<'a, N> {
    /// The name by which users of the system refer to it. Several resources may have the same name.
    pub key: String,
    /// The JSON pointer of the value in its source.
    pub pointer: String,
    /// The number of its source.
    pub source: u32,
    /// The key in the imported document. Unique, except among resources that are replaced.
    pub urn: String,
    /// The type in the URN.
    pub resource_type: String,
    /// The system's own identifier, if it has one.
    pub id: Option<String>,
    /// The value as it is.
    pub value: N,
    /// The later resource with the same identity. An import of several sources keeps only that one.
    pub replaced_by: Option<u32>,
    lives: std::marker::PhantomData<&'a ()>,
}

/// An edge from a resource to one of its dependencies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    /// The number of the dependent.
    pub from: u32,
    /// The meaning of the edge.
    pub kind: EdgeKind,
    /// The number of the dependency.
    pub to: u32,
    /// Whether the dependent works without the dependency.
    pub is_optional: bool,
    /// Whether the two instances were paired because of equal indexes.
    pub is_assumed: bool,
}

/// A reference that leads to no resource in the sources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// The number of the dependent.
    pub from: u32,
    /// The meaning that the edge would have.
    pub kind: EdgeKind,
    /// The name of the missing resource, in the notation of the system.
    pub name: String,
    /// The JSON pointer of the reference in the source of the dependent.
    pub at: String,
    /// Whether the dependent works without it.
    pub is_optional: bool,
}

/// A part of a source that the import could not read as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportFinding {
    /// The kind of the finding.
    pub kind: ImportFindingKind,
    /// The subject of the finding, by its name in the system.
    pub subject: String,
    /// The number of the source.
    pub source: u32,
    /// The JSON pointer in the source.
    pub at: String,
}

coconut_format::named! {
    /// The kind of an [`ImportFinding`].
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum ImportFindingKind, ALL {
        /// A resource that a later one replaces.
        Twice = "IMP-TWICE";
        /// A resource without a name of its own.
        Unnamed = "IMP-NAME";
        /// A label that is not a string.
        Label = "IMP-LABEL";
        /// A plan without its configuration.
        NoConfiguration = "IMP-CONFIGURATION";
        /// A reference that leads through too many other references.
        TooDeep = "IMP-DEPTH";
        /// Another file that the source includes.
        Include = "IMP-INCLUDE";
        /// A part of a source that is not a resource.
        NoResource = "IMP-RESOURCE";
        /// A duration whose text may be wrong.
        Timespan = "IMP-TIMESPAN";
    }
    /// The stable code.
    pub fn code;
}

/// A reference leads to no resource of the sources.
pub const MISSING: &str = "IMP-MISSING";
/// A source belongs to another system, or to an unknown one.
pub const SYSTEM: &str = "IMP-SYSTEM";
/// The limit for something is exceeded.
pub const LIMIT: &str = "IMP-LIMIT";

/// All codes of imports.
pub const CODES: &[&str] = &[
    MISSING,
    SYSTEM,
    LIMIT,
    "IMP-TWICE",
    "IMP-NAME",
    "IMP-LABEL",
    "IMP-CONFIGURATION",
    "IMP-DEPTH",
    "IMP-INCLUDE",
    "IMP-RESOURCE",
    "IMP-TIMESPAN",
];

impl fmt::Display for ImportFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let subject = &self.subject;
        match self.kind {
            ImportFindingKind::Twice => {
                write!(f, "`{subject}` occurs again later, and the later one is used")
            }
            ImportFindingKind::Unnamed => {
                write!(f, "a resource has no name, so its position is used: `{subject}`")
            }
            ImportFindingKind::Label => {
                write!(f, "the label `{subject}` is not a string, and is compared as one")
            }
            ImportFindingKind::NoConfiguration => {
                write!(f, "the plan has no configuration, so only recorded dependencies are known")
            }
            ImportFindingKind::TooDeep => {
                write!(
                    f,
                    "`{subject}` leads through more than {} others, and is not followed further",
                    limits::STEPS
                )
            }
            ImportFindingKind::Include => write!(f, "`{subject}` is included and must be imported too"),
            ImportFindingKind::Timespan => {
                write!(f, "the Timespan `{subject}` may be wrong: Puppet omits leading zeros of fractions")
            }
            ImportFindingKind::NoResource => write!(f, "expected a resource, found {subject}"),
        }
    }
}

/// The reason why documents cannot be imported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImportError {
    /// The limit for something is exceeded.
    TooMany {
        /// The name of the counted items, in the plural.
        what: &'static str,
        /// The limit.
        limit: usize,
    },
    /// The document does not belong to the system.
    OtherSystem {
        /// The number of the source.
        source: usize,
        /// The expected system.
        expected: System,
    },
}

impl fmt::Display for ImportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ImportError::TooMany { what, limit } => write!(f, "more than {limit} {what}"),
            ImportError::OtherSystem { expected, .. } => {
                write!(f, "expected {}, found something else", expected.described())
            }
        }
    }
}

impl ImportError {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            ImportError::TooMany { .. } => LIMIT,
            ImportError::OtherSystem { .. } => SYSTEM,
        }
    }
}

impl std::error::Error for ImportError {}

coconut_format::named! {
    /// The meaning of an edge. The names are those of the dialect `coconut-import`, in its
    /// order.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum EdgeKind, ALL {
        /// The resource is part of the other one: an owner reference, the containment of a catalog.
        Owner = "owner";
        /// A pod runs as this service account.
        ServiceAccount = "service-account";
        /// Configuration is read from the dependency.
        ConfigMap = "config-map";
        /// A secret is read from the dependency, or images are pulled with it.
        Secret = "secret";
        /// A claim to a volume.
        Pvc = "pvc";
        /// A volume.
        Volume = "volume";
        /// The dependency is selected by labels.
        Selector = "selector";
        /// The dependency is scaled.
        ScaleTarget = "scale-target";
        /// The backend of an ingress and its class; the parents and backends of a route.
        Ingress = "ingress";
        /// The role granted by a binding.
        RoleRef = "role-ref";
        /// The account to which a binding grants a role.
        Subject = "subject";
        /// A service that the system calls.
        Webhook = "webhook";
        /// The definition of a custom object's kind.
        Crd = "crd";
        /// The namespace of the object.
        Namespace = "namespace";
        /// Any other reference by name or expression: a class, a node.
        Reference = "reference";
        /// A dependency that the author declared, or that a state recorded.
        DependsOn = "depends-on";
        /// The configuration of the provider refers to the dependency.
        Provider = "provider";
        /// A network.
        Network = "network";
        /// The dependency is applied first.
        Require = "require";
        /// The dependency is applied first, and its changes refresh the resource.
        Subscribe = "subscribe";
    }
    /// The name in documents and in answers.
    pub fn name;
}

impl<'a, N: Node<'a>> Import<'a, N> {
    /// The system of the sources.
    pub fn system(&self) -> System {
        self.system
    }

    /// The resources, in the order of the sources.
    pub fn resources(&self) -> &[Resource<'a, N>] {
        &self.resources
    }

    /// All edges, by dependent, meaning and dependency. No two edges agree in all three.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// The edges from a resource.
    pub fn dependencies(&self, resource: u32) -> &[Edge] {
        let bound = |number: usize| self.first_edges.get(number).copied().unwrap_or(self.edges.len());
        let number = resource as usize;
        &self.edges[bound(number)..bound(number.saturating_add(1))]
    }

    /// The edges to each resource. Costs a pass over all edges.
    pub fn dependents(&self) -> Dependents {
        Dependents::of(&self.edges, self.resources.len())
    }

    /// The references that lead to no resource, by dependent.
    pub fn missing(&self) -> &[Missing] {
        &self.missing
    }

    /// The parts that could not be read as they are.
    pub fn findings(&self) -> &[ImportFinding] {
        &self.findings
    }

    /// The numbers of the resources with this key. Compares all keys.
    pub fn numbers_of(&self, key: &str) -> impl Iterator<Item = u32> {
        (0..).zip(&self.resources).filter(move |(_, resource)| resource.key == key).map(|(number, _)| number)
    }
}

/// The edges of an [`Import`] by dependency.
#[derive(Clone, Debug)]
pub struct Dependents {
    edges: Vec<Edge>,
    first: Vec<usize>,
}

impl Dependents {
    fn of(edges: &[Edge], resources: usize) -> Dependents {
        let mut edges = edges.to_vec();
        edges.sort_unstable_by_key(|edge| (edge.to, edge.from, edge.kind));
        let first = first_edges(&edges, resources, |edge| edge.to);
        Dependents { edges, first }
    }

    /// The edges to a resource, by dependent and meaning.
    pub fn of_resource(&self, resource: u32) -> &[Edge] {
        let bound = |number: usize| self.first.get(number).copied().unwrap_or(self.edges.len());
        let number = resource as usize;
        &self.edges[bound(number)..bound(number.saturating_add(1))]
    }
}

/// For each resource, the position of its first edge in `edges`, which are sorted by that resource.
fn first_edges(edges: &[Edge], resources: usize, end: impl Fn(&Edge) -> u32) -> Vec<usize> {
    let mut first = Vec::with_capacity(resources + 1);
    let mut at = 0;
    for resource in 0..resources {
        first.push(at);
        at += edges[at..].iter().take_while(|edge| end(edge) as usize == resource).count();
    }
    first.push(at);
    first
}

/// Imports sources of one system.
///
/// Kubernetes objects and Compose files share one namespace, in which a later resource replaces an
/// earlier one with the same identity. Each plan, state and catalog has its own namespace.
///
/// # Errors
///
/// Fails if a source belongs to another system, or if there are more resources, edges or work than
/// the limits allow.
pub fn import<'a, N: Node<'a>>(
    system: System,
    sources: &[Source<'_, N>],
    options: &Options<'_>,
) -> Result<Import<'a, N>, ImportError> {
    if let Some(source) = sources.iter().position(|source| !system.reads(source.root)) {
        return Err(ImportError::OtherSystem { source, expected: system });
    }
    let mut draft = draft::Draft::new(system, options);
    match system {
        System::Kubernetes => kubernetes::import(sources, options, &mut draft)?,
        System::Compose => compose::import(sources, &mut draft)?,
        System::Plan => each(sources, &mut draft, terraform::import_plan)?,
        System::TerraformState => each(sources, &mut draft, terraform::import_state)?,
        System::CloudFormation => cloudformation::import(sources, &mut draft)?,
        System::Puppet => {
            each(sources, &mut draft, |source, draft| puppet::import(source, options.class_main, draft))?;
        }
    }
    Ok(draft.finish())
}

/// The graph of a Terraform state of version 4, even if the state has too little information to be
/// recognised.
pub(crate) fn graph_of_state<'a, N: Node<'a>>(root: N) -> Result<Import<'a, N>, ImportError> {
    let options = Options::default();
    let mut draft = draft::Draft::new(System::TerraformState, &options);
    terraform::import_state(World { number: 0, name: "", root }, &mut draft)?;
    Ok(draft.finish())
}

/// Imports each source with its own namespace.
fn each<'a, N: Node<'a>, D>(
    sources: &[Source<'_, N>],
    draft: &mut D,
    mut one: impl FnMut(World<'_, N>, &mut D) -> Result<(), ImportError>,
) -> Result<(), ImportError> {
    for (number, source) in (0..).zip(sources) {
        let name = if sources.len() > 1 { source.name } else { "" };
        one(World { number, name, root: source.root }, draft)?;
    }
    Ok(())
}

/// A source that has its own namespace.
#[derive(Clone, Copy)]
struct World<'s, N> {
    number: u32,
    /// The prefix of keys. Empty if there is only one source.
    name: &'s str,
    root: N,
}

#[cfg(test)]
mod tests;
