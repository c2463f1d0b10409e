//! The objects of all sources, by identity.

use super::super::draft::{Described, Draft};
use super::super::scalar::{at, string};
use super::super::{ImportError, ImportFindingKind, Options, Source, limits};
use coconut_format::node::{Kind, Node};
use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

/// Built-in kinds without a namespace, by group and kind.
const CLUSTER_KINDS: &str = include_str!("cluster-kinds.tsv");

/// An object of a cluster.
pub(super) struct Object<'a, 'x, N> {
    pub(super) number: u32,
    pub(super) node: N,
    /// The group of its API version, empty for the core group.
    pub(super) group: &'a str,
    pub(super) kind: &'a str,
    /// `None` if it belongs to the whole cluster.
    pub(super) namespace: Option<&'x str>,
    pub(super) source: u32,
    pub(super) pointer: String,
}

impl<'a, N: Node<'a>> Object<'a, '_, N> {
    pub(super) fn metadata(&self) -> Option<N> {
        self.node.get("metadata")
    }

    pub(super) fn labels(&self) -> Option<N> {
        self.metadata()?.get("labels")
    }
}

pub(super) struct Objects<'a, 'x, N> {
    all: Vec<Object<'a, 'x, N>>,
    /// Positions in `all` by kind, namespace and name. Several objects differ in their groups.
    by_name: HashMap<(&'x str, Option<&'x str>, &'x str), Vec<u32>>,
    /// Positions in `all` by kind and name, in any namespace.
    by_bare_name: HashMap<(&'a str, &'a str), Vec<u32>>,
    by_uid: HashMap<&'a str, u32>,
    /// Numbers of the definitions of custom kinds, by group and kind.
    definitions: HashMap<(&'a str, &'a str), u32>,
    /// Kinds by the plural used in access rules. Several kinds differ in their groups.
    plurals: HashMap<String, Vec<(&'a str, &'a str)>>,
}

/// An object before its namespace is known, which needs the definitions in all sources.
struct Found<'a, N> {
    node: N,
    api_version: &'a str,
    kind: &'a str,
    source: u32,
    pointer: String,
}

impl<'a, 'x, N: Node<'a>> Objects<'a, 'x, N>
where
    'a: 'x,
{
    /// Collects the objects, and adds a resource for each.
    pub(super) fn collect(
        sources: &[Source<'_, N>],
        options: &'x Options<'_>,
        draft: &mut Draft<'a, '_, N>,
    ) -> Result<Objects<'a, 'x, N>, ImportError> {
        let mut found = Vec::new();
        for (number, source) in (0..).zip(sources) {
            let mut collector = Collector { source: number, found: &mut found, draft: &mut *draft };
            collector.visit(source.root, &mut String::new(), None, limits::LEVELS)?;
        }
        let cluster_kinds = cluster_kinds_of(&found);
        let mut objects = Objects {
            all: Vec::with_capacity(found.len()),
            by_name: HashMap::new(),
            by_bare_name: HashMap::new(),
            by_uid: HashMap::new(),
            definitions: HashMap::new(),
            plurals: HashMap::new(),
        };
        for found in found {
            let group = group_of(found.api_version);
            let is_of_cluster = cluster_kinds.contains(&(group, found.kind));
            objects.add(found, group, is_of_cluster, options, draft)?;
        }
        objects.note_definitions();
        Ok(objects)
    }

    fn add(
        &mut self,
        found: Found<'a, N>,
        group: &'a str,
        is_of_cluster: bool,
        options: &'x Options<'_>,
        draft: &mut Draft<'a, '_, N>,
    ) -> Result<(), ImportError> {
        let Found { node, api_version, kind, source, pointer } = found;
        let metadata = node.get("metadata");
        let field = |key: &str| metadata.and_then(|metadata| string(metadata, key));
        let (name, written) = (field("name"), field("namespace"));
        let namespace = match is_of_cluster {
            true => None,
            false => Some(written.unwrap_or(options.namespace)),
        };
        let shown = match name {
            Some(name) => name.to_owned(),
            None => format!("{}#{}", field("generateName").unwrap_or_default(), self.all.len()),
        };
        let key = match written {
            Some(namespace) => format!("{kind}/{namespace}/{shown}"),
            None => format!("{kind}/{shown}"),
        };
        let id = match namespace {
            Some(namespace) => format!("{namespace}/{shown}"),
            None => shown.clone(),
        };
        let number = draft.resource(Described {
            key: key.clone(),
            pointer: pointer.clone(),
            source,
            value: node,
            allocation: namespace.unwrap_or("_cluster"),
            resource_type: &format!("kubernetes:{api_version}:{kind}"),
            name: &shown,
            id: Some(id),
        })?;
        match name {
            Some(name) => {
                let same = self.by_name.entry((kind, namespace, name)).or_default();
                // Among objects with one identity, the last one counts, as when they are applied in
                // order.
                let earlier = same.iter().position(|&position| self.all[position as usize].group == group);
                match earlier {
                    Some(earlier) => {
                        draft.replace(self.all[same[earlier] as usize].number, number)?;
                        same[earlier] = number;
                    }
                    None => {
                        same.push(number);
                        self.by_bare_name.entry((kind, name)).or_default().push(number);
                    }
                }
            }
            None => draft.finding(ImportFindingKind::Unnamed, key, source, pointer.clone())?,
        }
        if let Some(uid) = field("uid") {
            self.by_uid.insert(uid, number);
        }
        self.all.push(Object { number, node, group, kind, namespace, source, pointer });
        Ok(())
    }

    fn note_definitions(&mut self) {
        let mut kinds = HashSet::new();
        for object in &self.all {
            if kinds.insert((object.group, object.kind)) {
                let plural = plural_of(object.kind);
                self.plurals.entry(plural).or_default().push((object.group, object.kind));
            }
            if let Some((group, kind, _)) = defined(object.group, object.kind, object.node) {
                self.definitions.insert((group, kind), object.number);
                let plural = at(object.node, &["spec", "names", "plural"]).and_then(Node::as_str);
                if let Some(plural) = plural.filter(|plural| *plural != plural_of(kind)) {
                    self.plurals.entry(plural.to_owned()).or_default().push((group, kind));
                }
            }
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Object<'a, 'x, N>> {
        self.all.iter()
    }

    pub(super) fn with_uid(&self, uid: &str) -> Option<u32> {
        self.by_uid.get(uid).copied()
    }

    /// The definition of a custom kind.
    pub(super) fn definition(&self, group: &str, kind: &str) -> Option<u32> {
        self.definitions.get(&(group, kind)).copied()
    }

    /// The groups and kinds to which access rules refer by this plural.
    pub(super) fn kinds_called(&self, plural: &str) -> &[(&'a str, &'a str)] {
        self.plurals.get(plural).map_or(&[], Vec::as_slice)
    }

    /// The object with this name, in this namespace or cluster-wide. Without a group, the first of
    /// any group.
    pub(super) fn named(
        &self,
        group: Option<&str>,
        kind: &str,
        namespace: Option<&str>,
        name: &str,
    ) -> Option<u32> {
        let within = |namespace| {
            let same = self.by_name.get(&(kind, namespace, name))?;
            let is_meant =
                |number: &&u32| group.is_none_or(|group| self.all[**number as usize].group == group);
            same.iter().find(is_meant).copied()
        };
        within(namespace).or_else(|| if namespace.is_some() { within(None) } else { None })
    }
}

impl<'a, N: Node<'a>> Objects<'a, '_, N> {
    /// The objects with this name in all namespaces.
    pub(super) fn named_anywhere(&self, group: Option<&str>, kind: &str, name: &str) -> Vec<u32> {
        let same = self.by_bare_name.get(&(kind, name)).map_or(&[][..], Vec::as_slice);
        let is_meant = |number: &u32| group.is_none_or(|group| self.all[*number as usize].group == group);
        same.iter().copied().filter(is_meant).collect()
    }
}

/// Collects the objects from nested lists.
struct Collector<'c, 'a, 'o, N> {
    source: u32,
    found: &'c mut Vec<Found<'a, N>>,
    draft: &'c mut Draft<'a, 'o, N>,
}

impl<'a, N: Node<'a>> Collector<'_, 'a, '_, N> {
    /// Visits a document, an item of a list, or a list of them. `of_list` is the version and kind
    /// that the items of a list share.
    fn visit(
        &mut self,
        node: N,
        pointer: &mut String,
        of_list: Option<(&'a str, &'a str)>,
        levels: u32,
    ) -> Result<(), ImportError> {
        self.draft.work(1)?;
        let own = |key| node.get(key).and_then(Node::as_str);
        let api_version = own("apiVersion").or(of_list.map(|(api_version, _)| api_version));
        let kind = own("kind").or(of_list.map(|(_, kind)| kind));
        match (node.kind(), api_version, kind) {
            // An empty document between two separators.
            (Kind::Null, _, _) => Ok(()),
            (Kind::List, _, _) if levels > 0 => self.items(node, pointer, None, levels - 1),
            (Kind::Object, Some(api_version), Some(kind)) => match node.get("items") {
                Some(items) if levels > 0 && kind.ends_with("List") && items.kind() == Kind::List => {
                    // The items of a typed list need not repeat their kind.
                    let singular = kind.strip_suffix("List").filter(|kind| !kind.is_empty());
                    let length = pointer.len();
                    pointer.push_str("/items");
                    self.items(items, pointer, singular.map(|kind| (api_version, kind)), levels - 1)?;
                    pointer.truncate(length);
                    Ok(())
                }
                _ => {
                    if self.found.len() >= limits::RESOURCES {
                        return Err(ImportError::TooMany { what: "resources", limit: limits::RESOURCES });
                    }
                    let (source, pointer) = (self.source, pointer.clone());
                    self.found.push(Found { node, api_version, kind, source, pointer });
                    Ok(())
                }
            },
            (found, _, _) => {
                let subject = match found {
                    Kind::Object => "an object without `apiVersion` and `kind`",
                    other => other.name(),
                };
                self.draft.finding(ImportFindingKind::NoResource, subject, self.source, pointer.clone())
            }
        }
    }

    fn items(
        &mut self,
        list: N,
        pointer: &mut String,
        of_list: Option<(&'a str, &'a str)>,
        levels: u32,
    ) -> Result<(), ImportError> {
        let length = pointer.len();
        for (index, item) in list.items().enumerate() {
            coconut_format::pointer::push_index(pointer, index);
            self.visit(item, pointer, of_list, levels)?;
            pointer.truncate(length);
        }
        Ok(())
    }
}

/// The group of an `apiVersion`, empty for the core.
pub(super) fn group_of(api_version: &str) -> &str {
    api_version.split_once('/').map_or("", |(group, _)| group)
}

/// The group, the kind and the scope declared by a definition of a custom kind.
fn defined<'a, N: Node<'a>>(group: &str, kind: &str, node: N) -> Option<(&'a str, &'a str, Option<&'a str>)> {
    if (group, kind) != ("apiextensions.k8s.io", "CustomResourceDefinition") {
        return None;
    }
    let spec = node.get("spec")?;
    let kind = at(spec, &["names", "kind"])?.as_str()?;
    Some((string(spec, "group")?, kind, string(spec, "scope")))
}

/// The kinds without a namespace: built-in ones and those defined in the input.
fn cluster_kinds_of<'a, N: Node<'a>>(found: &[Found<'a, N>]) -> HashSet<(&'a str, &'a str)> {
    let mut kinds = HashSet::clone(built_in());
    for found in found {
        match defined(group_of(found.api_version), found.kind, found.node) {
            Some((group, kind, Some("Cluster"))) => {
                kinds.insert((group, kind));
            }
            Some((group, kind, _)) => {
                kinds.remove(&(group, kind));
            }
            None => {}
        }
    }
    kinds
}

fn built_in() -> &'static HashSet<(&'static str, &'static str)> {
    static KINDS: OnceLock<HashSet<(&str, &str)>> = OnceLock::new();
    KINDS.get_or_init(|| {
        let rows = CLUSTER_KINDS.lines().skip(1).filter_map(|row| row.split_once('\t'));
        rows.map(|(group, kind)| (if group == "core" { "" } else { group }, kind)).collect()
    })
}

/// The plural of a kind as Kubernetes forms it: `networkpolicies`, `ingresses`, `endpoints`.
fn plural_of(kind: &str) -> String {
    let lower = kind.to_lowercase();
    match lower.as_str() {
        "endpoints" => lower,
        _ if ["s", "x", "ch", "sh"].iter().any(|end| lower.ends_with(end)) => lower + "es",
        _ => match lower.strip_suffix('y') {
            Some(stem) if !stem.ends_with(['a', 'e', 'i', 'o', 'u']) => format!("{stem}ies"),
            _ => lower + "s",
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plural_is_formed_as_in_the_system() {
        let plurals = ["ConfigMap", "NetworkPolicy", "Ingress", "Endpoints", "Gateway"].map(plural_of);
        assert_eq!(plurals, ["configmaps", "networkpolicies", "ingresses", "endpoints", "gateways"]);
    }

    #[test]
    fn the_core_has_an_empty_group() {
        assert_eq!([group_of("v1"), group_of("apps/v1")], ["", "apps"]);
        assert!(built_in().contains(&("", "Namespace")));
        assert!(built_in().contains(&("rbac.authorization.k8s.io", "ClusterRole")));
        assert!(!built_in().contains(&("", "group")), "the heading is no row");
    }
}
