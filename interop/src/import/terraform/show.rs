//! Output of `terraform show` in version 0.12: `terraform-state-1`.
//!
//! The vertices are the instances. In early versions, an address is relative to the module and has
//! no instance key, and a dependency is relative, too. Later ones print whole addresses.

use super::super::draft::Draft;
use super::super::scalar::{at, string};
use super::super::{ImportError, ImportFindingKind, World};
use super::address::quoted;
use super::described;
use super::recorded::{Instances, Pending, resolve};
use coconut_format::node::{Kind, Node};

/// Whether a document is such output. Later versions record their edges as whole addresses.
pub(super) fn is_show<'a, N: Node<'a>>(root: N) -> bool {
    string(root, "terraform_version").is_some_and(|version| version.starts_with("0.12."))
        && string(root, "format_version").is_some()
        && at(root, &["values", "root_module"]).is_some_and(|module: N| module.kind() == Kind::Object)
}

pub(super) fn import<'a, N: Node<'a>>(
    world: World<'_, N>,
    draft: &mut Draft<'a, '_, N>,
) -> Result<(), ImportError> {
    let mut instances = Instances::default();
    instances.or_addresses = true;
    let mut pending = Vec::new();
    let list = |node: N, key| node.get(key).into_iter().flat_map(Node::items);
    let root = at(world.root, &["values", "root_module"]);
    let mut modules: Vec<(N, String)> =
        root.map(|root| (root, "/values/root_module".to_owned())).into_iter().collect();
    while let Some((module, place)) = modules.pop() {
        draft.work(1)?;
        let within = string(module, "address").unwrap_or_default();
        for (number, resource) in list(module, "resources").enumerate() {
            let pointer = format!("{place}/resources/{number}");
            let (Some(own), Some(kind)) = (string(resource, "address"), string(resource, "type")) else {
                let what = "something without `address` and `type`";
                draft.finding(ImportFindingKind::NoResource, what, world.number, pointer)?;
                continue;
            };
            let address = whole_address(within, own, resource.get("index"));
            let id = at(resource, &["values", "id"]).and_then(Node::as_str);
            let described = described(world, &address, pointer.clone(), Some(kind), id, resource);
            let from = draft.resource(described)?;
            instances.add(&address, from);
            let (at, within) = (format!("{pointer}/depends_on"), Some(within.to_owned()));
            pending.extend(resource.get("depends_on").map(|list| Pending { from, list, at, within }));
        }
        let below = list(module, "child_modules").enumerate();
        let mut below: Vec<_> =
            below.map(|(at, child)| (child, format!("{place}/child_modules/{at}"))).collect();
        below.reverse();
        modules.extend(below);
    }
    resolve(&pending, &instances, draft)
}

/// Adds what an address lacks: its module before it, and its instance key after it.
fn whole_address<'a, N: Node<'a>>(module: &str, own: &str, index: Option<N>) -> String {
    let is_whole = module.is_empty() || own.strip_prefix(module).is_some_and(|rest| rest.starts_with('.'));
    let mut address = if is_whole { own.to_owned() } else { format!("{module}.{own}") };
    let key = index.and_then(|index| match (index.as_str(), index.as_integer()) {
        (Some(text), _) => Some(format!("[{}]", quoted(text))),
        (None, Some(number)) => Some(format!("[{number}]")),
        (None, None) => None,
    });
    if let Some(key) = key.filter(|key| !address.ends_with(&**key)) {
        address.push_str(&key);
    }
    address
}

#[cfg(test)]
mod tests {
    use crate::{Options, Source, System, import};
    use coconut_format::Value;

    /// Keys, and edges as keys.
    fn imported(root: &Value) -> (Vec<String>, Vec<(String, String)>) {
        let import =
            import(System::TerraformState, &[Source { name: "", root }], &Options::default()).unwrap();
        let keys: Vec<String> = import.resources().iter().map(|resource| resource.key.clone()).collect();
        let edges = import.edges().iter();
        let edges = edges.map(|edge| (keys[edge.from as usize].clone(), keys[edge.to as usize].clone()));
        let edges = edges.collect();
        (keys, edges)
    }

    fn text(text: &str) -> Value {
        Value::String(text.to_owned())
    }

    fn object<const N: usize>(members: [(&str, Value); N]) -> Value {
        Value::Object(members.map(|(key, value)| (key.to_owned(), value)).into())
    }

    fn resource(address: &str, index: Option<i64>, dependencies: &[&str]) -> Value {
        let list = Value::List(dependencies.iter().map(|one| text(one)).collect());
        let mut members = vec![("address", text(address)), ("type", text("t")), ("depends_on", list)];
        members.extend(index.map(|index| ("index", Value::from(index))));
        Value::Object(members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
    }

    fn shown(root: Vec<Value>, child: Vec<Value>) -> Value {
        let child = object([("address", text("module.net")), ("resources", Value::List(child))]);
        let root = [("resources", Value::List(root)), ("child_modules", Value::List(vec![child]))];
        object([
            ("format_version", text("0.1")),
            ("terraform_version", text("0.12.3")),
            ("values", object([("root_module", object(root))])),
        ])
    }

    fn edges_of(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(from, to)| ((*from).to_owned(), (*to).to_owned())).collect()
    }

    #[test]
    fn relative_addresses_and_dependencies_are_of_their_module() {
        let child = vec![
            resource("t.a", Some(0), &[]),
            resource("t.a", Some(1), &[]),
            resource("t.b", None, &["t.a"]),
        ];
        let (keys, edges) = imported(&shown(
            vec![resource("t.a", None, &[]), resource("t.c", None, &["t.a", "module.net.x"])],
            child,
        ));
        assert_eq!(keys, ["t.a", "t.c", "module.net.t.a[0]", "module.net.t.a[1]", "module.net.t.b"]);
        let expected = [
            ("t.c", "t.a"),
            ("t.c", "module.net.t.a[0]"),
            ("t.c", "module.net.t.a[1]"),
            ("t.c", "module.net.t.b"),
            ("module.net.t.b", "module.net.t.a[0]"),
            ("module.net.t.b", "module.net.t.a[1]"),
        ];
        assert_eq!(edges, edges_of(&expected));
    }

    #[test]
    fn whole_addresses_are_kept() {
        let child = vec![
            resource("module.net.t.a[0]", Some(0), &["t.root"]),
            resource("module.net.t.b", None, &["module.net.t.a"]),
        ];
        let (keys, edges) = imported(&shown(vec![resource("t.root", None, &[])], child));
        assert_eq!(keys, ["t.root", "module.net.t.a[0]", "module.net.t.b"]);
        let expected = [("module.net.t.a[0]", "t.root"), ("module.net.t.b", "module.net.t.a[0]")];
        assert_eq!(edges, edges_of(&expected));
    }
}
