//! The systems whose documents can be imported, and how they are recognised.

use super::{Import, ImportError, Options, Source, import, limits};
use coconut_format::node::{Kind, Node};

/// A system whose documents can be imported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum System {
    /// Objects of a Kubernetes cluster: one, a `List`, or a list of documents.
    Kubernetes,
    /// A Terraform plan as JSON.
    Plan,
    /// A Compose file.
    Compose,
    /// A Puppet catalog.
    Puppet,
    /// A Terraform state of version 3 or 4.
    TerraformState,
    /// A CloudFormation template.
    CloudFormation,
}

impl System {
    /// All systems.
    pub const ALL: [System; 6] = [
        System::Kubernetes,
        System::Plan,
        System::Compose,
        System::Puppet,
        System::TerraformState,
        System::CloudFormation,
    ];

    /// The name in commands and documents.
    pub fn name(self) -> &'static str {
        match self {
            System::Kubernetes => "kubernetes",
            System::Plan => "plan",
            System::Compose => "compose",
            System::Puppet => "puppet",
            System::TerraformState => "terraform-state",
            System::CloudFormation => "cloudformation",
        }
    }

    /// The name of the procedure that finds the edges. It changes when the edges may.
    pub fn inference(self) -> &'static str {
        match self {
            System::Kubernetes => "kubernetes-1",
            System::Plan => "plan-1",
            System::Compose => "compose-1",
            System::Puppet => "puppet-1",
            System::TerraformState => "terraform-state-1",
            System::CloudFormation => "cloudformation-1",
        }
    }

    /// Words for a document of this system, after "expected".
    pub fn described(self) -> &'static str {
        match self {
            System::Kubernetes => "Kubernetes objects with `apiVersion`, `kind` and `metadata`",
            System::Plan => "a Terraform plan as JSON",
            System::Compose => "a Compose file with `services`",
            System::Puppet => "a Puppet catalog with `resources` of a `type` and a `title`",
            System::TerraformState => "a Terraform state of version 3 or 4",
            System::CloudFormation => "a CloudFormation template with `Resources`",
        }
    }

    /// Whether a document is of this system.
    pub(super) fn reads<'a, N: Node<'a>>(self, root: N) -> bool {
        match self {
            System::Kubernetes => is_kubernetes(root, limits::LEVELS),
            System::Plan => {
                is(root, "format_version", Kind::String)
                    && (is(root, "resource_changes", Kind::List)
                        || is(root, "planned_values", Kind::Object)
                        || is(root, "configuration", Kind::Object))
            }
            System::Compose => is_compose(root),
            System::Puppet => super::puppet::catalog(root).is_some(),
            System::TerraformState => super::terraform::state_version(root).is_some(),
            System::CloudFormation => super::cloudformation::is_template(root),
        }
    }
}

/// The system of a document; `None` for any other. Costs a few lookups, and reads the names of the
/// first level.
pub fn system_of<'a, N: Node<'a>>(root: N) -> Option<System> {
    System::ALL.into_iter().find(|system| system.reads(root))
}

/// The graph of a document whose edges are only implied.
///
/// `None` if the document has its edges in it, or is of no known system. A Terraform state of
/// version 4 is imported only if it has dependencies of the older form, which are relative to a
/// module.
pub fn infer<'a, N: Node<'a>>(root: N) -> Option<Result<Import<'a, N>, ImportError>> {
    let system = system_of(root)?;
    match system {
        // The dialects of templates and of newer states have the edges.
        System::CloudFormation => return None,
        System::TerraformState if !super::terraform::has_relative_dependencies(root) => return None,
        _ => {}
    }
    Some(import(system, &[Source { name: "", root }], &Options::default()))
}

fn is<'a, N: Node<'a>>(node: N, key: &str, kind: Kind) -> bool {
    node.get(key).is_some_and(|value| value.kind() == kind)
}

/// Whether the first object of a stream, a list or a document is one of a cluster.
fn is_kubernetes<'a, N: Node<'a>>(root: N, levels: u32) -> bool {
    if root.kind() == Kind::List {
        // Documents between two separators may be empty.
        let first = root.items().find(|item| item.kind() != Kind::Null);
        return levels > 0 && first.is_some_and(|first| is_kubernetes(first, levels - 1));
    }
    is(root, "apiVersion", Kind::String)
        && is(root, "kind", Kind::String)
        && (is(root, "metadata", Kind::Object) || is(root, "items", Kind::List))
}

/// The sections of a Compose file.
const COMPOSE: &[&str] =
    &["version", "name", "services", "networks", "volumes", "configs", "secrets", "models", "include"];

fn is_compose<'a, N: Node<'a>>(root: N) -> bool {
    is(root, "services", Kind::Object)
        && root.entries().all(|(key, _)| COMPOSE.contains(&key) || key.starts_with("x-"))
        && root.get("services").is_some_and(|services| {
            services.entries().all(|(_, service)| matches!(service.kind(), Kind::Object | Kind::Null))
        })
}
