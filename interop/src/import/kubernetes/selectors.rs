//! References by labels.
//!
//! A selector picks the objects of a namespace with matching labels: pods, and workloads by the
//! labels that their pods will have. Candidates come from an index of labels, so the cost of a
//! selector depends on its rarest label.

use super::super::draft::Draft;
use super::super::scalar::{at, text_of};
use super::super::{EdgeKind, ImportError, ImportFindingKind};
use super::objects::{Object, Objects};
use super::references::pod_path;
use coconut_format::node::{Kind, Node};
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

/// The objects from which a selector picks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Among {
    /// Pods, by their labels.
    Pods,
    /// Workloads, by the labels of their pods, and pods.
    Workloads,
    /// Services, by their labels.
    Services,
}

/// The place of a selector in an object.
struct Selecting {
    kind: &'static str,
    group: &'static str,
    path: &'static [&'static str],
    among: Among,
    /// Whether it is a map of labels, rather than an object with `matchLabels`.
    is_map: bool,
    /// Whether an empty selector picks everything.
    empty_is_all: bool,
}

/// Selectors of built-in kinds and of common monitoring kinds. A workload picks the pods that it
/// created.
const SELECTING: &[Selecting] = &[
    of("Service", "", &["spec", "selector"], Among::Workloads).map().none_if_empty(),
    of("NetworkPolicy", "networking.k8s.io", &["spec", "podSelector"], Among::Workloads),
    of("PodDisruptionBudget", "policy", &["spec", "selector"], Among::Workloads),
    of("PodMonitor", "monitoring.coreos.com", &["spec", "selector"], Among::Workloads),
    of("ServiceMonitor", "monitoring.coreos.com", &["spec", "selector"], Among::Services),
    of("Deployment", "apps", &["spec", "selector"], Among::Pods).none_if_empty(),
    of("ReplicaSet", "apps", &["spec", "selector"], Among::Pods).none_if_empty(),
    of("StatefulSet", "apps", &["spec", "selector"], Among::Pods).none_if_empty(),
    of("DaemonSet", "apps", &["spec", "selector"], Among::Pods).none_if_empty(),
    of("Job", "batch", &["spec", "selector"], Among::Pods).none_if_empty(),
    of("ReplicationController", "", &["spec", "selector"], Among::Pods).map().none_if_empty(),
];

const fn of(
    kind: &'static str,
    group: &'static str,
    path: &'static [&'static str],
    among: Among,
) -> Selecting {
    Selecting { kind, group, path, among, is_map: false, empty_is_all: true }
}

impl Selecting {
    const fn map(mut self) -> Selecting {
        self.is_map = true;
        self
    }

    const fn none_if_empty(mut self) -> Selecting {
        self.empty_is_all = false;
        self
    }
}

/// Adds the edges of all selectors.
pub(super) fn follow<'a, N: Node<'a>>(
    objects: &Objects<'a, '_, N>,
    draft: &mut Draft<'a, '_, N>,
) -> Result<(), ImportError> {
    let mut index = Index::default();
    for object in objects.iter() {
        // Labels of a replaced object match nothing.
        if draft.resources()[object.number as usize].replaced_by.is_none() {
            index.add(object, draft)?;
        }
    }
    for object in objects.iter() {
        let row = SELECTING.iter().find(|row| row.kind == object.kind && row.group == object.group);
        let Some((row, node)) = row.and_then(|row| Some((row, at(object.node, row.path)?))) else {
            continue;
        };
        if node.kind() != Kind::Object {
            continue;
        }
        let Some(requirements) = requirements(node, row.is_map) else { continue };
        if requirements.is_empty() && !row.empty_is_all {
            continue;
        }
        for namespace in index.namespaces(object, row.among) {
            for to in index.pick(row.among, namespace, &requirements, draft)? {
                if to != object.number {
                    draft.edge(object.number, EdgeKind::Selector, to)?;
                }
            }
        }
    }
    Ok(())
}

/// One condition of a selector. All must hold.
enum Requirement<'a> {
    In(&'a str, Vec<Cow<'a, str>>),
    NotIn(&'a str, Vec<Cow<'a, str>>),
    Exists(&'a str),
    Absent(&'a str),
}

impl<'a> Requirement<'a> {
    fn holds<N: Node<'a>>(&self, labels: Option<N>) -> bool {
        let value = |key: &str| labels.and_then(|labels| labels.get(key)).and_then(text_of);
        match self {
            Requirement::In(key, values) => value(key).is_some_and(|value| values.contains(&value)),
            // An object without the label matches, too.
            Requirement::NotIn(key, values) => value(key).is_none_or(|value| !values.contains(&value)),
            Requirement::Exists(key) => value(key).is_some(),
            Requirement::Absent(key) => value(key).is_none(),
        }
    }
}

/// The conditions of a selector; `None` if one has an unknown form, so that its matches cannot be
/// determined.
fn requirements<'a, N: Node<'a>>(selector: N, is_map: bool) -> Option<Vec<Requirement<'a>>> {
    let labels = if is_map { Some(selector) } else { selector.get("matchLabels") };
    let labels = labels.into_iter().flat_map(Node::entries);
    let mut all = labels
        .map(|(key, value)| Some(Requirement::In(key, vec![text_of(value)?])))
        .collect::<Option<Vec<_>>>()?;
    let expressions = if is_map { None } else { selector.get("matchExpressions") };
    for expression in expressions.into_iter().flat_map(Node::items) {
        let key = expression.get("key")?.as_str()?;
        let values = expression.get("values").into_iter().flat_map(Node::items).filter_map(text_of);
        all.push(match expression.get("operator")?.as_str()? {
            "In" => Requirement::In(key, values.collect()),
            "NotIn" => Requirement::NotIn(key, values.collect()),
            "Exists" => Requirement::Exists(key),
            "DoesNotExist" => Requirement::Absent(key),
            _ => return None,
        });
    }
    Some(all)
}

/// The objects that can be picked in one namespace.
struct Group<'a, N> {
    /// Numbers, in order, with their labels.
    all: Vec<(u32, Option<N>)>,
    /// Positions in `all` by label, and by label and value.
    with_key: HashMap<&'a str, Vec<u32>>,
    with_value: HashMap<(&'a str, Cow<'a, str>), Vec<u32>>,
}

struct Index<'a, 'x, N> {
    groups: HashMap<(Among, Option<&'x str>), Group<'a, N>>,
}

impl<N> Default for Index<'_, '_, N> {
    fn default() -> Self {
        Index { groups: HashMap::new() }
    }
}

impl<'a, 'x, N: Node<'a>> Index<'a, 'x, N> {
    fn add(&mut self, object: &Object<'a, 'x, N>, draft: &mut Draft<'a, '_, N>) -> Result<(), ImportError> {
        match (object.group, object.kind) {
            ("", "Pod") => {
                self.put(Among::Pods, object, object.labels(), draft)?;
                self.put(Among::Workloads, object, object.labels(), draft)
            }
            ("", "Service") => self.put(Among::Services, object, object.labels(), draft),
            _ => {
                let path = pod_path(object.kind);
                let template = path.split_last().and_then(|(_, path)| at(object.node, path));
                let is_template = template.is_some_and(|template| template.get("spec").is_some());
                match template.filter(|_| is_template) {
                    Some(template) => {
                        let labels = at(template, &["metadata", "labels"]);
                        self.put(Among::Workloads, object, labels, draft)
                    }
                    None => Ok(()),
                }
            }
        }
    }

    fn put(
        &mut self,
        among: Among,
        object: &Object<'a, 'x, N>,
        labels: Option<N>,
        draft: &mut Draft<'a, '_, N>,
    ) -> Result<(), ImportError> {
        let group = self.groups.entry((among, object.namespace)).or_insert_with(|| Group {
            all: Vec::new(),
            with_key: HashMap::new(),
            with_value: HashMap::new(),
        });
        let position = u32::try_from(group.all.len()).expect("there are fewer resources");
        group.all.push((object.number, labels));
        for (key, value) in labels.into_iter().flat_map(Node::entries) {
            draft.work(1)?;
            let Some(text) = text_of(value) else { continue };
            if value.kind() != Kind::String && among != Among::Pods {
                let at = object.pointer.clone();
                draft.finding(ImportFindingKind::Label, format!("{key}: {text}"), object.source, at)?;
            }
            group.with_key.entry(key).or_default().push(position);
            group.with_value.entry((key, text)).or_default().push(position);
        }
        Ok(())
    }

    /// The namespaces in which the selector of `object` picks.
    fn namespaces(&self, object: &Object<'a, 'x, N>, among: Among) -> Vec<Option<&'x str>>
    where
        'a: 'x,
    {
        let of_monitor = match object.group {
            "monitoring.coreos.com" => at(object.node, &["spec", "namespaceSelector"]),
            _ => None,
        };
        if let Some(selector) = of_monitor {
            if selector.get("any").and_then(Node::as_bool) == Some(true) {
                let all = self.groups.keys().filter(|(of, _)| *of == among).map(|&(_, namespace)| namespace);
                return all.collect::<BTreeSet<_>>().into_iter().collect();
            }
            let names: BTreeSet<Option<&'x str>> = selector
                .get("matchNames")
                .into_iter()
                .flat_map(Node::items)
                .filter_map(Node::as_str)
                .map(|name| -> Option<&'x str> { Some(name) })
                .collect();
            if !names.is_empty() {
                return names.into_iter().collect();
            }
        }
        vec![object.namespace]
    }

    /// The numbers that a selector picks, in order.
    fn pick(
        &self,
        among: Among,
        namespace: Option<&str>,
        requirements: &[Requirement<'a>],
        draft: &mut Draft<'a, '_, N>,
    ) -> Result<Vec<u32>, ImportError> {
        let Some(group) = self.groups.get(&(among, namespace)) else { return Ok(Vec::new()) };
        // The fewest candidates left by any one requirement.
        let lists = |requirement: &Requirement<'a>| -> Option<Vec<&Vec<u32>>> {
            match requirement {
                Requirement::In(key, values) => {
                    let values: BTreeSet<_> = values.iter().collect();
                    let with =
                        values.iter().filter_map(|&value| group.with_value.get(&(*key, value.clone())));
                    Some(with.collect())
                }
                Requirement::Exists(key) => Some(group.with_key.get(key).into_iter().collect()),
                Requirement::NotIn(..) | Requirement::Absent(_) => None,
            }
        };
        let fewest = requirements
            .iter()
            .filter_map(lists)
            .min_by_key(|lists| lists.iter().map(|list| list.len()).sum::<usize>());
        let candidates: Vec<u32> = match fewest {
            Some(lists) => lists.into_iter().flatten().copied().collect(),
            None => (0..).zip(&group.all).map(|(position, _)| position).collect(),
        };
        let mut picked = Vec::new();
        for position in candidates {
            let (number, labels) = group.all[position as usize];
            // Each requirement searches the labels.
            let labels_wide = labels.map_or(0, Node::width);
            draft.work(requirements.len().saturating_mul(labels_wide).saturating_add(1))?;
            if requirements.iter().all(|requirement| requirement.holds(labels)) {
                picked.push(number);
            }
        }
        picked.sort_unstable();
        Ok(picked)
    }
}
