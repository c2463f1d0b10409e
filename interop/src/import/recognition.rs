//! How documents of the systems are recognised.

use super::{Import, ImportError, Options, Source, System, import, limits};
use coconut_format::node::{Kind, Node};

impl System {
    /// Whether a document belongs to this system.
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
            System::TerraformState => super::terraform::state_form(root).is_some(),
            System::CloudFormation => super::cloudformation::is_template(root),
        }
    }
}

/// The system of a document; `None` if it is unknown. Costs a few lookups, and reads the names of
/// the first level.
pub fn system_of<'a, N: Node<'a>>(root: N) -> Option<System> {
    System::ALL.into_iter().find(|system| system.reads(root))
}

/// The graph of a document that only implies its edges.
///
/// `None` if the document records its edges, or if its system is unknown. A Terraform state of
/// version 4 is imported only if it has dependencies of the older form, which are relative to a
/// module.
pub fn infer<'a, N: Node<'a>>(root: N) -> Option<Result<Import<'a, N>, ImportError>> {
    let system = system_of(root)?;
    match system {
        // The dialects of templates and newer states record the edges.
        System::CloudFormation => return None,
        System::TerraformState if !super::terraform::has_relative_dependencies(root) => return None,
        _ => {}
    }
    Some(import(system, &[Source { name: "", root }], &Options::default()))
}

fn is<'a, N: Node<'a>>(node: N, key: &str, kind: Kind) -> bool {
    node.get(key).is_some_and(|value| value.kind() == kind)
}

/// Whether the first object of a stream, a list or a document belongs to a cluster.
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
