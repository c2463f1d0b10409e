//! References by name.
//!
//! Each row of `references.tsv` is a place where objects of a kind name another:
//!
//! * `edge`: the kind of the edge;
//! * `group`, `kind`: the objects that have the place. `-` is any group, `core` is the unnamed one,
//!   and `@pod` is any pod specification;
//! * `path`: the keys down to the name, as a JSON pointer without the first `/`. Lists are
//!   traversed;
//! * `target-group`, `target-kind`: the object named. `-` is any object, or the one given in the
//!   reference itself.
//!
//! A path ends at a name, a list of names, or an object with `name` and optionally `kind`, `group`
//! (also `apiGroup`, `apiVersion`) and `namespace`.

use super::super::draft::Draft;
use super::super::scalar::{at, string};
use super::super::{Edge, EdgeKind, ImportError, Missing};
use super::objects::{Object, Objects, group_of};
use coconut_format::node::{Kind, Node};
use coconut_format::pointer::{Pointer, unescape};
use std::collections::HashMap;
use std::sync::OnceLock;

const REFERENCES: &str = include_str!("references.tsv");

/// The places of the pod specification in built-in kinds.
const PODS: &[(&str, &[&str])] = &[
    ("Pod", &["spec"]),
    ("PodTemplate", &["template", "spec"]),
    ("CronJob", &["spec", "jobTemplate", "spec", "template", "spec"]),
];

/// The place of the pod specification in all other workloads, including custom kinds.
const TEMPLATE: &[&str] = &["spec", "template", "spec"];

/// Kinds of subjects that are not objects.
const PEOPLE: &[&str] = &["User", "Group"];

/// Objects that every cluster has: the kind, and the name or its prefix.
const GIVEN: &[(&str, &str)] = &[
    ("ClusterRole", "system:"),
    ("ClusterRole", "cluster-admin"),
    ("ClusterRole", "admin"),
    ("ClusterRole", "edit"),
    ("ClusterRole", "view"),
    ("Role", "extension-apiserver-authentication-reader"),
    ("Role", "system:"),
    ("PriorityClass", "system-cluster-critical"),
    ("PriorityClass", "system-node-critical"),
];

/// A row of the table, without its path.
#[derive(Clone, Copy, Debug)]
struct Row {
    edge: EdgeKind,
    /// `None` means any group.
    target_group: Option<&'static str>,
    /// `None` if the reference gives the kind.
    target_kind: Option<&'static str>,
}

/// Paths in a tree, so that common prefixes are stored once.
#[derive(Debug, Default)]
struct Paths {
    next: Vec<(String, Paths)>,
    rows: Vec<Row>,
}

#[derive(Debug, Default)]
struct Table {
    pod: Paths,
    /// By kind: the group, or `None` for any, and the paths.
    of_kind: HashMap<&'static str, Vec<(Option<&'static str>, Paths)>>,
}

impl Table {
    fn get() -> &'static Table {
        static TABLE: OnceLock<Table> = OnceLock::new();
        TABLE.get_or_init(|| {
            let mut table = Table::default();
            for line in REFERENCES.lines().skip(1) {
                table.add(line).expect("a test reads every row");
            }
            table
        })
    }

    fn add(&mut self, line: &'static str) -> Option<()> {
        let columns: Vec<&'static str> = line.split('\t').collect();
        let [edge, group, kind, path, target_group, target_kind] = columns[..] else { return None };
        let edge = EdgeKind::ALL.iter().copied().find(|known| known.name() == edge)?;
        let named = |text: &'static str| match text {
            "-" => None,
            "core" => Some(""),
            text => Some(text),
        };
        let row = Row { edge, target_group: named(target_group), target_kind: named(target_kind) };
        let paths = match kind {
            "@pod" => &mut self.pod,
            kind => {
                let (group, of_kind) = (named(group), self.of_kind.entry(kind).or_default());
                let known = of_kind.iter().position(|(known, _)| *known == group);
                let position = known.unwrap_or_else(|| {
                    of_kind.push((group, Paths::default()));
                    of_kind.len() - 1
                });
                &mut of_kind[position].1
            }
        };
        let mut end = paths;
        for segment in path.split('/').map(unescape) {
            let known = end.next.iter().position(|(known, _)| *known == segment);
            let position = known.unwrap_or_else(|| {
                end.next.push((segment.into_owned(), Paths::default()));
                end.next.len() - 1
            });
            end = &mut end.next[position].1;
        }
        end.rows.push(row);
        Some(())
    }
}

/// Adds the edges of all names that `object` has.
pub(super) fn follow<'a, N: Node<'a>>(
    object: &Object<'a, '_, N>,
    objects: &Objects<'a, '_, N>,
    draft: &mut Draft<'a, '_, N>,
) -> Result<(), ImportError> {
    let table = Table::get();
    let mut walk = Walk { object, objects, draft, pointer: Pointer::root(), beside: None };
    for (group, paths) in table.of_kind.get(object.kind).into_iter().flatten() {
        if group.is_none_or(|group| group == object.group) {
            walk.visit(paths, object.node, None)?;
        }
    }
    let path = pod_path(object.kind);
    if let Some(pod) = at(object.node, path).filter(|pod| is_pod(object, *pod)) {
        path.iter().for_each(|key| walk.pointer.push_key(key));
        walk.visit(&table.pod, pod, None)?;
        walk.service_account(pod)?;
        walk.pointer.truncate(0);
    }
    match object.kind {
        "Role" | "ClusterRole" => walk.rules(),
        _ => Ok(()),
    }
}

/// The place of the pod specification in an object of this kind, if it has one.
pub(super) fn pod_path(kind: &str) -> &'static [&'static str] {
    PODS.iter().find(|(known, _)| *known == kind).map_or(TEMPLATE, |(_, path)| path)
}

/// Whether this is a pod specification, not an unrelated value at that place.
fn is_pod<'a, N: Node<'a>>(object: &Object<'a, '_, N>, pod: N) -> bool {
    let is_known = matches!(object.group, "" | "apps" | "batch" | "extensions");
    is_known && pod.kind() == Kind::Object
        || pod.get("containers").is_some_and(|containers| containers.kind() == Kind::List)
}

/// Records a reference to a missing resource. `at` is the pointer below the object.
pub(super) fn missing<'a, N: Node<'a>>(
    object: &Object<'a, '_, N>,
    kind: EdgeKind,
    name: &str,
    at: &str,
    is_optional: bool,
    draft: &mut Draft<'a, '_, N>,
) -> Result<(), ImportError> {
    let at = format!("{}{at}", object.pointer);
    draft.missing(Missing { from: object.number, kind, name: name.to_owned(), at, is_optional })
}

struct Walk<'w, 'a, 'x, 'o, N> {
    object: &'w Object<'a, 'x, N>,
    objects: &'w Objects<'a, 'x, N>,
    draft: &'w mut Draft<'a, 'o, N>,
    pointer: Pointer,
    /// The namespace next to a name: `secretNamespace` next to `secretName`.
    beside: Option<&'a str>,
}

impl<'a, N: Node<'a>> Walk<'_, 'a, '_, '_, N> {
    /// Visits a value on the way to names. `around` is the object that contains it.
    fn visit(&mut self, paths: &Paths, node: N, around: Option<N>) -> Result<(), ImportError> {
        self.draft.work(1)?;
        if node.kind() == Kind::List {
            for (index, item) in node.items().enumerate() {
                self.pointer.push_index(index);
                self.visit(paths, item, around)?;
                self.pointer.pop();
            }
            return Ok(());
        }
        for row in &paths.rows {
            self.reference(row, node, around)?;
        }
        for (key, paths) in &paths.next {
            if let Some(value) = node.get(key) {
                self.pointer.push_key(key);
                self.beside =
                    key.strip_suffix("Name").and_then(|stem| string(node, &format!("{stem}Namespace")));
                self.visit(paths, value, Some(node))?;
                self.pointer.pop();
            }
        }
        Ok(())
    }

    /// Adds the edge of one reference.
    fn reference(&mut self, row: &Row, node: N, around: Option<N>) -> Result<(), ImportError> {
        let own = |key| string(node, key);
        let (group, kind) = (row.target_group, own("kind").or(row.target_kind));
        let is_other = own("kind").is_some() && own("kind") != row.target_kind;
        let group = match own("group").or(own("apiGroup")).or(own("apiVersion").map(group_of)) {
            Some(group) => Some(group),
            // A reference to a kind other than the usual one can have any group.
            None if is_other => None,
            None => group,
        };
        let (Some(name), Some(kind)) = (node.as_str().or(own("name")), kind) else { return Ok(()) };
        if name.is_empty() || PEOPLE.contains(&kind) {
            return Ok(());
        }
        // Annotations may name an object in another namespace.
        let (namespace, name) = match name.split_once('/') {
            Some((namespace, name)) => (Some(namespace), name),
            None => (own("namespace").or(self.beside).or(self.object.namespace), name),
        };
        let optional = |node: N| node.get("optional").and_then(Node::as_bool);
        let is_optional = optional(node).or(around.and_then(optional)).unwrap_or(false);
        self.lead((row.edge, is_optional), (group, kind), namespace, name)
    }

    fn lead(
        &mut self,
        (edge, is_optional): (EdgeKind, bool),
        (group, kind): (Option<&str>, &str),
        namespace: Option<&str>,
        name: &str,
    ) -> Result<(), ImportError> {
        let from = self.object.number;
        let mut found = self.objects.named(group, kind, namespace, name);
        if found.is_none() && namespace.is_none() {
            // An object of the cluster need not give the namespace of the other object.
            let anywhere = self.objects.named_anywhere(group, kind, name);
            self.draft.work(anywhere.len())?;
            found = if let [only] = anywhere[..] { Some(only) } else { None };
        }
        match found {
            Some(to) if to == from => Ok(()),
            Some(to) => self.draft.edge_with(Edge { from, kind: edge, to, is_optional, is_assumed: false }),
            None if is_given(kind, name) => Ok(()),
            None => missing(self.object, edge, name, self.pointer.as_str(), is_optional, self.draft),
        }
    }

    /// A pod that names no account runs as `default`, which every namespace has. The input need not
    /// contain it.
    fn service_account(&mut self, pod: N) -> Result<(), ImportError> {
        if string(pod, "serviceAccountName").is_some() {
            return Ok(());
        }
        let kind = (EdgeKind::ServiceAccount, false);
        match string(pod, "serviceAccount") {
            Some(name) => {
                self.pointer.push_key("serviceAccount");
                self.lead(kind, (Some(""), "ServiceAccount"), self.object.namespace, name)?;
                self.pointer.pop();
                Ok(())
            }
            None => {
                let account =
                    self.objects.named(Some(""), "ServiceAccount", self.object.namespace, "default");
                match account {
                    Some(account) => self.draft.edge(self.object.number, EdgeKind::ServiceAccount, account),
                    None => Ok(()),
                }
            }
        }
    }

    /// Adds the names in the rules of a role: objects of the kinds that the rule lists in the
    /// plural.
    fn rules(&mut self) -> Result<(), ImportError> {
        let Some(rules) = self.object.node.get("rules") else { return Ok(()) };
        self.pointer.push_key("rules");
        for (number, rule) in rules.items().enumerate() {
            let Some(names) = rule.get("resourceNames") else { continue };
            self.pointer.push_index(number);
            self.pointer.push_key("resourceNames");
            let texts = |key| rule.get(key).into_iter().flat_map(Node::items).filter_map(Node::as_str);
            for (index, name) in names.items().enumerate() {
                let Some(name) = name.as_str() else { continue };
                self.pointer.push_index(index);
                let mut found = Vec::new();
                for plural in texts("resources") {
                    let plural = plural.split('/').next().unwrap_or_default();
                    self.draft.work(1)?;
                    for &(group, kind) in self.objects.kinds_called(plural) {
                        let mut groups = texts("apiGroups").peekable();
                        let is_meant =
                            groups.peek().is_none() || groups.any(|known| known == "*" || known == group);
                        if is_meant {
                            self.named_in_rule(group, kind, name, &mut found);
                        }
                    }
                }
                for (edge, to) in found {
                    self.draft.edge(self.object.number, edge, to)?;
                }
                self.pointer.pop();
            }
            self.pointer.truncate(1);
        }
        self.pointer.truncate(0);
        Ok(())
    }

    /// Adds the objects that a rule of this role allows to use. A cluster role allows those of all
    /// namespaces.
    fn named_in_rule(&self, group: &str, kind: &str, name: &str, found: &mut Vec<(EdgeKind, u32)>) {
        let edge = match (group, kind) {
            ("", "ConfigMap") => EdgeKind::ConfigMap,
            ("", "Secret") => EdgeKind::Secret,
            ("", "PersistentVolume") => EdgeKind::Volume,
            ("", "PersistentVolumeClaim") => EdgeKind::Pvc,
            _ => EdgeKind::Reference,
        };
        match self.object.namespace {
            Some(_) => {
                let to = self.objects.named(Some(group), kind, self.object.namespace, name);
                found.extend(to.map(|to| (edge, to)));
            }
            None => {
                let all = self.objects.named_anywhere(Some(group), kind, name);
                found.extend(all.into_iter().map(|to| (edge, to)));
            }
        }
    }
}

fn is_given(kind: &str, name: &str) -> bool {
    GIVEN.iter().any(|&(known, start)| {
        known == kind && if start.ends_with(':') { name.starts_with(start) } else { name == start }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_table_is_read_and_is_unique() {
        let mut table = Table::default();
        let mut known = std::collections::HashSet::new();
        for row in REFERENCES.lines().skip(1) {
            assert!(table.add(row).is_some(), "{row}");
            assert!(known.insert(row), "twice: {row}");
        }
        assert!(known.len() > 100);
    }
}
