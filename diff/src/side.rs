//! §16.2 One of two documents: its resources and the paths to them.

use crate::limits::JOINED_KEY_BYTES;
use crate::value::{InstanceOf, ItemRuns, Unit};
use coconut_codec::read::file::DocumentView;
use coconut_codec::read::tree::{Tree, TreeValue};
use coconut_codec::secrets::{HiddenValues, marks_among};
use coconut_format::error::DecodeError;
use coconut_format::graph::{MOST_VISITED, PathSet, given_in, may_be_given};
use coconut_format::landmark::{
    Dialect, FoundEdge, KeyRule, LandmarkRule, Pattern, RuleMatcher, Trail, Walk,
};
use coconut_format::node::{Kind, Node as FormatNode};
use coconut_format::pointer::Pointer;
use std::borrow::Cow;
use std::cell::Cell;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::panic::resume_unwind;
use std::thread;

/// The value of a document, in the form used by the comparison.
pub(super) type Node<'t> = TreeValue<'t, 't>;

/// A document that was read for a comparison.
#[derive(Debug)]
pub struct Side<'a> {
    pub(super) document: DocumentView<'a>,
    pub(super) tree: Tree<'a>,
    pub(super) rule: LandmarkRule,
}

impl<'a> Side<'a> {
    /// Reads a document (§10.1, level *decode*).
    pub fn read(document: DocumentView<'a>) -> Result<Side<'a>, DecodeError> {
        // Values are compared without a rule that this version does not understand.
        let rule = document.header().rule().cloned().unwrap_or_default();
        Ok(Side { document, tree: document.tree()?, rule })
    }

    /// Reads two documents as [`read`](Self::read) does, at the same time if both are large.
    pub fn read_both(old: DocumentView<'a>, new: DocumentView<'a>) -> [Result<Side<'a>, DecodeError>; 2] {
        at_once([old, new], || Side::read(old), || Side::read(new))
    }

    /// The document.
    pub fn document(&self) -> DocumentView<'a> {
        self.document
    }

    /// Its value.
    pub fn root<'t>(&'t self) -> Node<'t> {
        self.tree.root()
    }

    /// The dialect recognised by its writer.
    pub fn dialect_name(&self) -> Option<&'a str> {
        self.document.header().dialect.as_deref()
    }

    /// The common property of two dialects that describe resources in the same form.
    pub(super) fn form(&self) -> Option<&str> {
        let name = self.dialect_name()?;
        Some(match name {
            "pulumi-yaml" => name,
            "terraform-show-0.12" => "terraform-show",
            "mugl-graph" | "mugl-snapshot" => "mugl",
            _ if name.starts_with("pulumi-") => "pulumi",
            _ => name,
        })
    }

    /// Whether both documents have resources at the same places, so that the values around them
    /// are the same parts.
    pub(super) fn has_places_of(&self, other: &Side<'_>) -> bool {
        let place = |side: &Side<'_>| side.rule.patterns().first().map(|pattern| pattern.path().clone());
        let (own, others) = (place(self), place(other));
        own.is_some() && own == others
    }

    /// The name pattern of instances, if one value contains all instances of a resource.
    fn instance_keys(&self) -> Option<&KeyRule> {
        let named = self.dialect_name().filter(|name| *name == "terraform-state-4");
        named.and_then(|_| self.rule.patterns().get(usize::from(INSTANCE))).map(Pattern::key)
    }

    /// The pattern of landmarks that only contain resources.
    fn group(&self) -> Option<u8> {
        Dialect::named(self.dialect_name()?)?.section(&self.rule)
    }

    /// The resources: the outermost landmarks. If the document is a landmark itself and contains
    /// others, the outermost of those. In Terraform states, the instances of these.
    pub(super) fn units<'t>(&'t self) -> Units<'t> {
        // An item without a key in a list of resources may contain others, so it must be visited.
        self.found_units(true).or_else(|| self.found_units(false)).unwrap_or_default()
    }

    /// With `by_list`, the items of a list of resources are collected without walking over them.
    /// `None` if one of them is not a resource.
    fn found_units<'t>(&'t self, by_list: bool) -> Option<Units<'t>> {
        let rule = self.rule.without_edges();
        let matcher = RuleMatcher::new(&rule);
        // The pattern of the items in the list that is visited next.
        let items: Cell<Option<u8>> = Cell::new(None);
        let mut found = Units::default();
        let mut path: Vec<Trail<'t>> = Vec::new();
        let mut whole: Option<Unit<'t, Node<'t>>> = None;
        let instance_keys = self.instance_keys();
        // Nothing inside a resource is a resource. The root is visited first.
        let mut outermost = None;
        let group = self.group();
        // The landmark around the values that are visited, if it is a group. Groups are not nested.
        let entered: Cell<Option<u32>> = Cell::new(None);
        let mut group_key = Cow::Borrowed("");
        let is_around = |node: Node<'t>, state, landmark: Option<u32>| {
            if group.is_some() && landmark.is_some() && matcher.landmark(state) == group {
                entered.set(landmark);
            }
            let is_in_group = landmark.is_some() && entered.get() == landmark;
            let is_around = *outermost.get_or_insert(landmark) == landmark || is_in_group;
            if by_list && group.is_none() && is_around && landmark.is_none() && node.kind() == Kind::List {
                items.set(matcher.landmark(matcher.enter_item(state)));
            }
            is_around && items.get().is_none()
        };
        for visited in Walk::new(&rule, self.root()).entering(is_around) {
            path.truncate(visited.depth.saturating_sub(1));
            if visited.depth > 0 {
                path.push(visited.trail);
            }
            if let Some(class) = items.take() {
                let pattern = rule.patterns().get(usize::from(class))?;
                let nodes = visited.node.items().map(|node| Some((pattern.key().of(None, node)?, node)));
                found.push_items(nodes, class, instance_keys.map(|keys| (keys, rule.join())), &mut path)?;
                continue;
            }
            let Some(landmark) = visited.landmark else { continue };
            let class = landmark.class;
            let unit = |key| Unit { key, class, container: 0, node: visited.node, instance_of: None };
            match landmark.parent {
                None if visited.depth == 0 => whole = Some(unit(landmark.key)),
                None if Some(class) == group => group_key = landmark.key,
                Some(parent) if group.is_some() && entered.get() == Some(parent) => {
                    let join = rule.join().unwrap_or_default();
                    found.push(unit(Cow::Owned(format!("{group_key}{join}{}", landmark.key))), &path);
                }
                None => match instance_keys.map(|keys| (keys, instances(visited.node))) {
                    Some((keys, instances)) if !instances.is_empty() => {
                        let names = (keys, rule.join());
                        found.push_instances(&unit(landmark.key), instances, names, &mut path);
                    }
                    _ => found.push(unit(landmark.key), &path),
                },
                Some(0) if whole.is_some() => {
                    let key = match (rule.join(), &whole) {
                        (Some(join), Some(whole)) => {
                            Cow::Owned(format!("{}{join}{}", whole.key, landmark.key))
                        }
                        _ => landmark.key,
                    };
                    found.push(unit(key), &path);
                }
                Some(_) => {}
            }
        }
        if let (true, Some(whole)) = (found.units.is_empty(), whole) {
            found.push(whole, &[]);
        }
        Some(found)
    }

    /// The key of each resource, and its type.
    pub fn resources<'t>(&'t self) -> impl Iterator<Item = (Cow<'t, str>, Option<&'t str>)> {
        self.units().units.into_iter().map(|unit| {
            let resource_type = unit.resource_type();
            (unit.key, resource_type)
        })
    }

    /// The ordinals of the landmarks for the resources, by the positions of the resources. Walks
    /// the document.
    pub fn ordinals(&self) -> Vec<u32> {
        let rule = self.rule.without_edges();
        let (mut found, mut count, mut is_in_whole) = (Vec::new(), 0, false);
        let instance_keys = self.instance_keys();
        let (group, mut entered) = (self.group(), None);
        for visited in Walk::new(&rule, self.root()) {
            let Some(landmark) = visited.landmark else { continue };
            match landmark.parent {
                None if visited.depth == 0 => is_in_whole = true,
                None if Some(landmark.class) == group => entered = Some(count),
                Some(parent) if group.is_some() && entered == Some(parent) => found.push(count),
                None => match instance_keys.map(|keys| (keys, instances(visited.node))) {
                    Some((keys, instances)) if !instances.is_empty() => {
                        // Resources without a key are not landmarks.
                        let mut last = count;
                        found.extend(instances.into_iter().map(|instance| {
                            let is_landmark = keys.of(None, instance).is_some();
                            last += u32::from(is_landmark);
                            if is_landmark { last } else { count }
                        }));
                    }
                    _ => found.push(count),
                },
                Some(0) if is_in_whole => found.push(count),
                Some(_) => {}
            }
            count += 1;
        }
        if found.is_empty() && is_in_whole {
            found.push(0);
        }
        found
    }

    /// The value at the end of a path, treated as the only resource.
    pub(super) fn unit_at<'t>(&'t self, way: Option<&[Trail<'t>]>, key: &str) -> Units<'t> {
        let mut found = Units { is_one_value: true, ..Units::default() };
        let node = way.and_then(|way| {
            way.iter().try_fold(self.root(), |node, &trail| match trail {
                Trail::Root => Some(node),
                Trail::Entry(key) => FormatNode::get(node, key),
                Trail::Item(index) => node.items().nth(index),
            })
        });
        if let Some(node) = node {
            let unit =
                Unit { key: Cow::Owned(key.to_owned()), class: 0, container: 0, node, instance_of: None };
            found.push(unit, way.unwrap_or_default());
        }
        found
    }

    /// The edges that start in a resource: kind and target.
    pub(super) fn edges<'t>(&'t self, units: &Units<'t>, unit: usize) -> Vec<(&'t str, &'t str)> {
        if units.is_one_value {
            return Vec::new();
        }
        let Unit { node, class, .. } = units.units[unit];
        let walk = Walk::of_landmark(&self.rule, node, class, 0);
        let found = walk.flat_map(|visited| visited.edges.iter().collect::<Vec<FoundEdge<'t>>>());
        let kind = |edge: &FoundEdge<'t>| self.rule.edges()[usize::from(edge.number)].kind();
        let found = found.filter(|edge| !edge.target.is_empty()).map(|edge| (kind(&edge), edge.target));
        let mut edges: Vec<_> = found.collect();
        if edges.iter().any(|(kind, _)| may_be_given(self.dialect_name(), kind)) {
            let given = given_in(node, &mut MOST_VISITED.clone()).unwrap_or_default();
            let is_given = |target: &str| given.binary_search(&target).is_ok();
            edges.retain(|(kind, target)| !may_be_given(self.dialect_name(), kind) || !is_given(target));
        }
        edges.sort_unstable();
        edges.dedup();
        edges
    }

    /// The secrets, unless they may be shown, and the unknown values: those in these resources, and
    /// those outside all resources.
    pub(super) fn marks(
        &self,
        ways: (&PathSet, &HiddenValues),
        reveals: bool,
    ) -> Result<(PathSet, PathSet), DecodeError> {
        marks_among(self.document, &self.tree, ways, reveals)
    }
}

/// The entry of a resource that contains its instances.
pub(super) const INSTANCES: &str = "instances";

/// The number of the pattern for instances.
const INSTANCE: u8 = 1;

/// The instances of a resource, if its value contains a list of objects.
fn instances(resource: Node<'_>) -> Vec<Node<'_>> {
    let listed = FormatNode::get(resource, INSTANCES).into_iter().flat_map(FormatNode::items);
    let listed: Vec<Node<'_>> = listed.collect();
    if listed.iter().all(|instance| instance.kind() == Kind::Object) { listed } else { Vec::new() }
}

/// Documents with fewer bytes are read one after the other.
const WORTH_A_THREAD: usize = 256 << 10;

/// Processes two documents: in parallel if both are large and a thread is available.
pub(super) fn at_once<T: Send>(
    documents: [DocumentView<'_>; 2],
    old: impl Fn() -> T + Sync,
    new: impl FnOnce() -> T,
) -> [T; 2] {
    if documents.iter().any(|document| document.length() < WORTH_A_THREAD) {
        return [old(), new()];
    }
    thread::scope(|scope| {
        let other = thread::Builder::new().spawn_scoped(scope, &old);
        let new = new();
        let old = match other {
            Ok(other) => other.join().unwrap_or_else(|panic| resume_unwind(panic)),
            Err(_) => old(),
        };
        [old, new]
    })
}

/// A number for the keys on the path to a container.
fn container_of(path: &[Trail<'_>]) -> u64 {
    let mut hasher = DefaultHasher::new();
    for trail in path {
        match trail {
            Trail::Entry(key) => key.hash(&mut hasher),
            Trail::Root | Trail::Item(_) => 0u8.hash(&mut hasher),
        }
    }
    hasher.finish()
}

/// The last step to a resource. There can be millions of them, so it is small.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LastStep {
    Root,
    /// A position in a list. A list has fewer than 2^32 items.
    Item(u32),
    /// An index into the keys that are last steps.
    Entry(u32),
}

/// The resources of a document, in its order.
#[derive(Debug, Default)]
pub(super) struct Units<'t> {
    pub(super) units: Vec<Unit<'t, Node<'t>>>,
    /// The last step to each resource, after the steps in `prefixes` at this index.
    last: Vec<(u32, LastStep)>,
    /// The keys that are last steps.
    keys: Vec<&'t str>,
    prefixes: Vec<Vec<Trail<'t>>>,
    /// The number of the last one.
    container: u64,
    /// Whether this is one named value, rather than the resources of the document.
    pub(super) is_one_value: bool,
    /// The bytes of keys that are joined of several. Beyond the limit, resources are left out.
    pub(super) joined_bytes: u64,
}

impl<'t> Units<'t> {
    pub(super) fn is_empty(&self) -> bool {
        self.units.is_empty()
    }

    fn push(&mut self, unit: Unit<'t, Node<'t>>, path: &[Trail<'t>]) {
        self.push_beside(unit, path, false);
    }

    /// Adds a resource, which may be known to be in the container of the previous one.
    fn push_beside(&mut self, mut unit: Unit<'t, Node<'t>>, path: &[Trail<'t>], is_beside: bool) {
        let of = unit.instance_of.as_ref().map(|of| &of.key);
        let joined = [Some(&unit.key), of].into_iter().flatten();
        let joined = joined.filter(|key| matches!(key, Cow::Owned(_))).map(|key| key.len() as u64);
        self.joined_bytes = self.joined_bytes.saturating_add(joined.sum());
        if self.joined_bytes > JOINED_KEY_BYTES {
            return;
        }
        let (last, before) = path.split_last().map_or((Trail::Root, path), |(last, before)| (*last, before));
        // Consecutive resources are in a few containers.
        if !is_beside && self.prefixes.last().map(Vec::as_slice) != Some(before) {
            self.prefixes.push(before.to_vec());
            self.container = container_of(before);
        }
        unit.container = self.container;
        let prefix = u32::try_from(self.prefixes.len() - 1).expect("there are fewer than 2^24 landmarks");
        let number = |number: usize| u32::try_from(number).expect("no list or document has 2^32 values");
        let last = match last {
            Trail::Root => LastStep::Root,
            Trail::Item(item) => LastStep::Item(number(item)),
            Trail::Entry(key) => {
                self.keys.push(key);
                LastStep::Entry(number(self.keys.len() - 1))
            }
        };
        self.units.push(unit);
        self.last.push((prefix, last));
    }

    /// Adds the items of a list, each with its key. `None` if one of them has no key.
    fn push_items(
        &mut self,
        items: impl Iterator<Item = Option<(Cow<'t, str>, Node<'t>)>>,
        class: u8,
        instances_by: Option<(&KeyRule, Option<&str>)>,
        path: &mut Vec<Trail<'t>>,
    ) -> Option<()> {
        let mut is_beside = false;
        for (number, item) in items.enumerate() {
            let (key, node) = item?;
            let unit = Unit { key, class, container: 0, node, instance_of: None };
            path.push(Trail::Item(number));
            match instances_by.map(|names| (names, instances(node))) {
                Some((names, instances)) if !instances.is_empty() => {
                    self.push_instances(&unit, instances, names, path);
                    is_beside = false;
                }
                _ => {
                    self.push_beside(unit, path, is_beside);
                    is_beside = true;
                }
            }
            path.pop();
        }
        Some(())
    }

    /// Adds the instances of a resource.
    fn push_instances(
        &mut self,
        resource: &Unit<'t, Node<'t>>,
        instances: Vec<Node<'t>>,
        (keys, join): (&KeyRule, Option<&str>),
        path: &mut Vec<Trail<'t>>,
    ) {
        path.push(Trail::Entry(INSTANCES));
        for (number, node) in instances.into_iter().enumerate() {
            let own = join.and_then(|join| Some((join, keys.of(None, node)?)));
            let key = match own {
                Some((join, own)) => Cow::Owned(format!("{}{join}{own}", resource.key)),
                None => resource.key.clone(),
            };
            let of = InstanceOf { key: resource.key.clone(), node: resource.node, number };
            path.push(Trail::Item(number));
            let unit = Unit { key, class: INSTANCE, container: 0, node, instance_of: Some(Box::new(of)) };
            self.push(unit, path);
            path.pop();
        }
        path.pop();
    }

    /// The pointer of the list of instances that contains two resources.
    pub(super) fn list_of_both(&self, one: usize, other: usize) -> Option<String> {
        let of = |unit: usize| self.units[unit].instance_of.as_ref().map(|_| self.last[unit].0);
        let prefix = of(one).filter(|prefix| of(other) == Some(*prefix))?;
        Some(pointer_of(&self.prefixes[prefix as usize]))
    }

    /// The steps from the root to a resource.
    pub(super) fn way(&self, unit: usize) -> impl Iterator<Item = Trail<'t>> {
        let (prefix, last) = self.last[unit];
        let before: Vec<Trail<'t>> = self.prefixes[prefix as usize].clone();
        let last = match last {
            LastStep::Root => None,
            LastStep::Item(item) => Some(Trail::Item(item as usize)),
            LastStep::Entry(key) => Some(Trail::Entry(self.keys[key as usize])),
        };
        before.into_iter().chain(last)
    }

    /// The resources that are list items.
    pub(super) fn items(&self) -> ItemRuns {
        let mut found = ItemRuns::default();
        for run in self.last.chunk_by(|one, other| one.0 == other.0) {
            let items = run.iter().filter_map(|(_, trail)| match trail {
                LastStep::Item(item) => Some(*item as usize),
                LastStep::Root | LastStep::Entry(_) => None,
            });
            // A list of instances is inside a resource, and omitted with it.
            let prefix = run.first().map_or(&[][..], |(prefix, _)| &self.prefixes[*prefix as usize]);
            if !matches!(prefix.last(), Some(Trail::Entry(INSTANCES))) {
                found.extend(pointer_of(prefix), items);
            }
        }
        found
    }

    /// Whether the resources are parts of the document, rather than the whole document.
    pub(super) fn has_ways(&self) -> bool {
        self.last.iter().any(|&(_, last)| last != LastStep::Root)
    }

    /// The pointer of the container of the first resource.
    pub(super) fn around(&self) -> String {
        let first = self.prefixes.first().map_or(&[][..], Vec::as_slice);
        let is_instance = self.units.first().is_some_and(|unit| unit.instance_of.is_some());
        // The path to the list of instances leads through a resource.
        let steps = if is_instance { first.len().saturating_sub(2) } else { first.len() };
        pointer_of(&first[..steps])
    }
}

fn pointer_of(way: &[Trail<'_>]) -> String {
    let mut pointer = Pointer::root();
    way.iter().for_each(|trail| trail.push_to(&mut pointer));
    pointer.as_str().to_owned()
}
