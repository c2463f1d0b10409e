//! Terraform: plans and states.

mod address;
mod configuration;
mod plan;
mod recorded;
mod show;
mod state;

pub(crate) use address::modules_of;
pub(super) use plan::import as import_plan;
pub(super) use state::{form as state_form, has_relative_dependencies, import as import_state};

use super::draft::Described;
use coconut_format::node::Node;

/// A resource or an instance, with its address as its key. If there are several sources, the source
/// name tells equal addresses apart.
fn described<'d, 'a, N: Node<'a>>(
    world: super::World<'d, N>,
    address: &'d str,
    pointer: String,
    resource_type: Option<&'d str>,
    id: Option<&str>,
    value: N,
) -> Described<'d, N> {
    Described {
        key: address.to_owned(),
        pointer,
        source: world.number,
        value,
        allocation: if world.name.is_empty() { "root" } else { world.name },
        resource_type: resource_type.unwrap_or("_"),
        name: address,
        id: id.map(str::to_owned),
    }
}
