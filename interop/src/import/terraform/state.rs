//! States: `terraform-state-1`.
//!
//! The vertices are the instances. Version 4 lists them below their resource, version 3 has one
//! entry for each, below its module. `show.rs` has the output of `terraform show`.

use super::super::draft::Draft;
use super::super::scalar::{at, string};
use super::super::{ImportError, ImportFindingKind, World};
use super::address::quoted;
use super::described;
use super::recorded::{Instances, Pending, resolve};
use super::show::is_show;
use coconut_format::node::{Kind, Node};
use coconut_format::pointer::push_key;

/// A form of states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Form {
    Version3,
    Version4,
    /// Output of `terraform show` in version 0.12.
    Show,
}

/// The form of a state; `None` if it cannot be imported.
pub(in super::super) fn form<'a, N: Node<'a>>(root: N) -> Option<Form> {
    if is_show(root) {
        return Some(Form::Show);
    }
    let version = root.get("version")?.as_integer()?.as_u64()?;
    let has = |key| root.get(key).is_some_and(|value: N| value.kind() == Kind::List);
    let is_state = ["terraform_version", "serial", "lineage"].iter().any(|key| root.get(key).is_some());
    match version {
        3 if has("modules") => Some(Form::Version3),
        4 if has("resources") && is_state => Some(Form::Version4),
        _ => None,
    }
}

/// Whether a state has dependencies relative to a module. All states of version 3 and all output of
/// `terraform show` in version 0.12 do, and states of version 4 with dependencies kept from
/// version 3.
pub(in super::super) fn has_relative_dependencies<'a, N: Node<'a>>(root: N) -> bool {
    let list = |node: N, key| node.get(key).into_iter().flat_map(Node::items);
    match form(root) {
        Some(Form::Version3 | Form::Show) => true,
        Some(Form::Version4) => list(root, "resources")
            .flat_map(|resource| list(resource, "instances"))
            .any(|instance| list(instance, "depends_on").next().is_some()),
        None => false,
    }
}

pub(in super::super) fn import<'a, N: Node<'a>>(
    world: World<'_, N>,
    draft: &mut Draft<'a, '_, N>,
) -> Result<(), ImportError> {
    match form(world.root) {
        Some(Form::Version3) => import_version_3(world, draft),
        Some(Form::Show) => super::show::import(world, draft),
        _ => import_version_4(world, draft),
    }
}

fn import_version_4<'a, N: Node<'a>>(
    world: World<'_, N>,
    draft: &mut Draft<'a, '_, N>,
) -> Result<(), ImportError> {
    let mut instances = Instances::default();
    let mut pending = Vec::new();
    let resources = world.root.get("resources").into_iter().flat_map(Node::items);
    for (number, resource) in resources.enumerate() {
        let pointer = format!("/resources/{number}");
        let field = |key| string(resource, key);
        let (Some(kind), Some(name)) = (field("type"), field("name")) else {
            let what = "something without `type` and `name`";
            draft.finding(ImportFindingKind::NoResource, what, world.number, pointer)?;
            continue;
        };
        let module = field("module").unwrap_or_default();
        let mode = match field("mode") {
            None | Some("managed") => String::new(),
            Some(mode) => format!("{mode}."),
        };
        let dot = if module.is_empty() { "" } else { "." };
        let resource_address = format!("{module}{dot}{mode}{kind}.{name}");
        let list = resource.get("instances").into_iter().flat_map(Node::items);
        instances.add_empty(&resource_address);
        for (index, instance) in list.enumerate() {
            let address = match instance.get("index_key") {
                Some(key) => match (key.as_str(), key.as_integer()) {
                    (Some(text), _) => format!("{resource_address}[{}]", quoted(text)),
                    (None, Some(number)) => format!("{resource_address}[{number}]"),
                    (None, None) => resource_address.clone(),
                },
                None => resource_address.clone(),
            };
            let pointer = format!("{pointer}/instances/{index}");
            let id = at(instance, &["attributes", "id"]).and_then(Node::as_str);
            let described = described(world, &address, pointer.clone(), Some(kind), id, instance);
            let from = draft.resource(described)?;
            // Nothing depends on an object that is only waiting to be deleted.
            if string(instance, "deposed").is_none() {
                instances.add(&address, from);
            }
            for (key, within) in [("dependencies", None), ("depends_on", Some(module.to_owned()))] {
                if let Some(list) = instance.get(key) {
                    pending.push(Pending { from, list, at: format!("{pointer}/{key}"), within });
                }
            }
        }
    }
    resolve(&pending, &instances, draft)
}

fn import_version_3<'a, N: Node<'a>>(
    world: World<'_, N>,
    draft: &mut Draft<'a, '_, N>,
) -> Result<(), ImportError> {
    let mut instances = Instances::default();
    let mut pending = Vec::new();
    let modules = world.root.get("modules").into_iter().flat_map(Node::items);
    for (number, module) in modules.enumerate() {
        let path: Vec<&str> =
            module.get("path").into_iter().flat_map(Node::items).filter_map(Node::as_str).collect();
        let address_of = |path: &[&str]| {
            let calls: Vec<String> = path.iter().skip(1).map(|name| format!("module.{name}")).collect();
            calls.join(".")
        };
        let within = address_of(&path);
        let around = address_of(&path[..path.len().saturating_sub(1)]);
        let resources = module.get("resources").into_iter().flat_map(Node::entries);
        for (key, resource) in resources {
            let mut pointer = format!("/modules/{number}/resources");
            push_key(&mut pointer, key);
            let dot = if within.is_empty() { "" } else { "." };
            let own = address_of_key(key);
            let address = format!("{within}{dot}{own}");
            let id = at(resource, &["primary", "id"]).and_then(Node::as_str);
            let kind = string(resource, "type").or_else(|| key.split('.').find(|word| *word != "data"));
            let described = described(world, &address, pointer.clone(), kind, id, resource);
            let from = draft.resource(described)?;
            instances.add(&address, from);
            let at = format!("{pointer}/depends_on");
            let within = Some(within.clone());
            pending.extend(resource.get("depends_on").map(|list| Pending { from, list, at, within }));
            // A dependency of a module is a dependency of all its resources.
            let at = format!("/modules/{number}/depends_on");
            let within = Some(around.clone());
            pending.extend(module.get("depends_on").map(|list| Pending { from, list, at, within }));
        }
    }
    resolve(&pending, &instances, draft)
}

/// The address of an entry of version 3: `aws_subnet.a.0` is the first of `aws_subnet.a`.
fn address_of_key(key: &str) -> String {
    match key.rsplit_once('.') {
        Some((resource, index))
            if resource.contains('.') && !index.is_empty() && index.bytes().all(|b| b.is_ascii_digit()) =>
        {
            // `data.aws_ami` has one more word before it has a name.
            let is_name = resource.strip_prefix("data.").is_some_and(|rest| !rest.contains('.'));
            if is_name { key.to_owned() } else { format!("{resource}[{index}]") }
        }
        _ => key.to_owned(),
    }
}
