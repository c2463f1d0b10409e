//! §16.2 Pairing the resources of two graphs.

mod names;
mod planned;

use crate::value::list::{ListMode, ListStep, align};
use crate::value::options::Moves;
use crate::value::same::{Sameness, TooMuchWork, Tree};
use coconut_format::graph::ResourceNode;
use coconut_format::node::{Kind, Node};
use coconut_format::urn::Urn;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::{BuildHasher as _, RandomState};

/// A resource to be compared.
#[derive(Clone, Debug)]
pub struct Unit<'a, N> {
    /// Its full key.
    pub key: Cow<'a, str>,
    /// The number of the pattern that makes it a landmark.
    pub class: u8,
    /// A number for its container: equal for containers at one place. Positions in lists do not
    /// count.
    pub container: u64,
    /// Its value.
    pub node: N,
    /// The resource to which it belongs, if the document has all instances in one value.
    pub instance_of: Option<Box<InstanceOf<'a, N>>>,
}

/// The resource to which an instance belongs.
#[derive(Clone, Debug)]
pub struct InstanceOf<'a, N> {
    /// Its full key.
    pub key: Cow<'a, str>,
    /// Its value.
    pub node: N,
    /// The position among its instances.
    pub number: usize,
}

/// Values that providers write as the id of a resource without an id.
const PLACEHOLDERS: [&str; 4] = ["", "-", "none", "static"];

impl<'a, N: Node<'a>> Unit<'a, N> {
    fn described(&self) -> ResourceNode<N> {
        ResourceNode { node: self.node, around: self.instance_of.as_ref().map(|of| of.node) }
    }

    /// Its type. A Kubernetes object may have an unrelated entry `type`.
    pub fn resource_type(&self) -> Option<&'a str> {
        let text = |name: &str| self.node.get(name).and_then(Node::as_str);
        match (text("apiVersion"), text("kind")) {
            (Some(_), Some(kind)) => Some(kind),
            (_, kind) => self.described().resource_type().or(kind),
        }
    }

    /// Its type in the tables of lists and classes. A custom kind of Kubernetes has its group as a
    /// suffix, so that it is not treated as a built-in kind.
    pub fn type_in_tables(&self) -> Option<Cow<'a, str>> {
        let own = self.resource_type()?;
        let group = self.node.get("apiVersion").and_then(Node::as_str).and_then(|api| api.split_once('/'));
        match group.filter(|_| self.node.get("kind").is_some()) {
            Some((group, _)) if group.contains('.') && !group.ends_with(".k8s.io") => {
                Some(Cow::Owned(format!("{own}.{group}")))
            }
            _ => Some(Cow::Borrowed(own)),
        }
    }

    /// Its provider's id, unless that is a placeholder.
    pub fn id(&self) -> Option<&'a str> {
        self.described().id().filter(|id| !PLACEHOLDERS.contains(id))
    }

    /// The version of a Kubernetes object, with its group. It is not in the key.
    fn api_version(&self) -> Option<&'a str> {
        let kind = self.node.get("kind").filter(|kind| kind.kind() == Kind::String);
        kind.and(self.node.get("apiVersion")).and_then(Node::as_str)
    }

    /// The former keys that it declares.
    pub fn aliases(&self) -> Vec<Cow<'a, str>> {
        aliases(self)
    }

    /// Whether it is only waiting to be deleted.
    pub fn is_condemned(&self) -> bool {
        self.described().is_pending_delete()
    }
}

coconut_format::named! {
    /// The evidence that two resources are the same.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    #[non_exhaustive]
    pub enum Evidence {
        /// Their keys.
        Key = "key";
        /// The new one declares the old key as its own.
        Alias = "alias";
        /// The provider's id.
        Id = "id";
        /// The name: for Kubernetes objects, if only one records its namespace, or if names have a
        /// hash of the content.
        Name = "name";
        /// The package of default providers.
        Package = "package";
        /// Type and content, without names.
        Digest = "digest";
    }
    /// The word used in reports.
    pub fn name;
}

/// An old and a new resource that are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SameResource {
    /// The position of the old one.
    pub old: usize,
    /// The position of the new one.
    pub new: usize,
    /// The evidence.
    pub why: Evidence,
    /// Whether the old one was waiting to be deleted, and the new one is not.
    pub is_made_anew: bool,
    /// Whether they are known to be identical.
    pub is_identical: bool,
}

impl SameResource {
    fn new(old: usize, new: usize, why: Evidence) -> SameResource {
        SameResource { old, new, why, is_made_anew: false, is_identical: false }
    }
}

/// Returns whether two resources are identical, including all orders and forms.
pub type Identical<'i, 'a, N, M> = &'i mut dyn FnMut(&Unit<'a, N>, &Unit<'a, M>) -> Result<bool, TooMuchWork>;

/// The resources of two graphs, paired.
#[derive(Clone, Debug, Default)]
pub struct Pairing {
    /// Pairs by the position of the new one.
    pub same: Vec<SameResource>,
    /// Positions of new resources without a partner, ascending.
    pub created: Vec<usize>,
    /// Positions of old resources without a partner, ascending.
    pub deleted: Vec<usize>,
    /// Those of `created` that could match several of `deleted`, or the other way round.
    pub ambiguous: Vec<usize>,
    /// New resources that are only waiting to be deleted, because a paired resource replaced them.
    pub retired: Vec<usize>,
}

/// Pairs the resources of two graphs by the rows of §16.2: P1 to P11, or M1 to M5 for a plan.
pub fn pair<'a, N: Node<'a>, M: Node<'a>>(
    old: &[Unit<'a, N>],
    new: &[Unit<'a, M>],
    moves: Moves,
    identical: Identical<'_, 'a, N, M>,
    sameness: &mut Sameness,
) -> Result<Pairing, TooMuchWork> {
    sameness.spend(old.len().saturating_add(new.len()))?;
    let mut left = match moves.as_planned {
        true => planned::by_plan(old, new, moves.by_alias),
        false => by_key(old, new, identical)?,
    };
    let has_both = |left: &Pairing| !left.created.is_empty() && !left.deleted.is_empty();
    if has_both(&left) && moves.by_alias && !moves.as_planned {
        by_alias(old, new, &mut left);
    }
    if has_both(&left) && moves.by_id {
        by_id(old, new, &mut left);
        names::by_name(old, new, &mut left);
        by_package(old, new, &mut left);
    }
    if has_both(&left) && moves.by_digest != Some(false) {
        by_digest(old, new, &mut left, moves.by_digest == Some(true), sameness)?;
    }
    retire(old, new, &mut left);
    left.same.sort_unstable_by_key(|same| same.new);
    Ok(left)
}

/// The maximum number of resources with one key visited to pair one of them. Real documents have
/// two or three. The limit keeps the time proportional for hostile ones.
const MOST_COPIES: usize = 256;

/// Rows P1 to P4 of §16.2.
fn by_key<'a, N: Node<'a>, M: Node<'a>>(
    old: &[Unit<'a, N>],
    new: &[Unit<'a, M>],
    identical: Identical<'_, 'a, N, M>,
) -> Result<Pairing, TooMuchWork> {
    let mut free = Free::of(old);
    let mut found = Pairing::default();
    let mut waiting: Vec<(usize, usize)> = Vec::new();
    let mut next = 0;
    for (n, unit) in new.iter().enumerate() {
        let Some(first) = free.first_of(&unit.key, next, old) else {
            found.created.push(n);
            continue;
        };
        next = first + 1;
        // Nearly all have one partner and are unchanged.
        if let Some(only) = free.only(first)
            && old[only].container == unit.container
            && identical(&old[only], unit)?
        {
            free.take(first, |_| true);
            found.same.push(SameResource { is_identical: true, ..SameResource::new(only, n, Evidence::Key) });
            continue;
        }
        // P1 applies only to copies. They reach P2 after P1 has chosen among all of them.
        let row = if free.has_copies(first) { KeyRow::P1 } else { KeyRow::P2 };
        match free.take(first, |old_n| row.is_met(&old[old_n], unit)) {
            Some(partner) => found.same.push(SameResource::new(partner, n, Evidence::Key)),
            None => waiting.push((first, n)),
        }
    }
    for row in [KeyRow::P2, KeyRow::P3, KeyRow::P4] {
        waiting.retain(|&(first, n)| {
            let Some(partner) = free.take(first, |old_n| row.is_met(&old[old_n], &new[n])) else {
                return true;
            };
            let is_made_anew = row == KeyRow::P4;
            found.same.push(SameResource { is_made_anew, ..SameResource::new(partner, n, Evidence::Key) });
            false
        });
    }
    found.created.extend(waiting.into_iter().map(|(_, n)| n));
    found.created.sort_unstable();
    found.deleted = (0..old.len()).filter(|&n| !free.is_taken[n]).collect();
    Ok(found)
}

/// The rows of §16.2 for resources of one key.
#[derive(Clone, Copy, PartialEq, Eq)]
enum KeyRow {
    P1,
    P2,
    P3,
    P4,
}

impl KeyRow {
    fn is_met<'a, N: Node<'a>, M: Node<'a>>(self, old: &Unit<'a, N>, new: &Unit<'a, M>) -> bool {
        let pending = (old.is_condemned(), new.is_condemned());
        let is_like = pending.0 == pending.1 && !(pending.1 && is_other(old, new));
        let is_beside = old.container == new.container;
        match self {
            KeyRow::P1 => {
                let is_same = |old: Option<&str>, new: Option<&str>| old.is_some() && old == new;
                let has_equal = is_same(old.id(), new.id()) || is_same(old.api_version(), new.api_version());
                is_beside && is_like && has_equal
            }
            KeyRow::P2 => is_beside && is_like,
            KeyRow::P3 => is_like,
            KeyRow::P4 => pending == (true, false),
        }
    }
}

/// Whether their ids show that two copies are different.
fn is_other<'a, N: Node<'a>, M: Node<'a>>(old: &Unit<'a, N>, new: &Unit<'a, M>) -> bool {
    old.id().zip(new.id()).is_some_and(|(old, new)| old != new)
}

/// The old resources without a partner, by their keys.
struct Free {
    /// The hashes of all keys, sorted, each with the position of its resource in the lower half.
    /// For a million keys, sorting takes a quarter of the time of a table, and half of the memory.
    by_hash: Vec<u64>,
    hasher: RandomState,
    /// For the first of several resources with one key, those not paired yet.
    several: HashMap<usize, VecDeque<usize>>,
    is_taken: Vec<bool>,
}

/// A hash in the upper half.
fn hash_of(hasher: &RandomState, key: &str) -> u64 {
    hasher.hash_one(key) << 32
}

#[expect(clippy::cast_possible_truncation, reason = "only the lower half is the position")]
fn position(hash: u64) -> usize {
    hash as u32 as usize
}

impl Free {
    fn of<N>(old: &[Unit<'_, N>]) -> Free {
        let hasher = RandomState::new();
        // There are fewer than 2^32 resources.
        let mut by_hash: Vec<u64> = (0..).zip(old).map(|(n, unit)| hash_of(&hasher, &unit.key) | n).collect();
        by_hash.sort_unstable();
        let mut several: HashMap<usize, VecDeque<usize>> = HashMap::new();
        for run in by_hash.chunk_by(|one, other| one >> 32 == other >> 32).filter(|run| run.len() > 1) {
            for n in run.iter().copied().map(position) {
                let mut all = run.iter().copied().map(position);
                if let Some(first) = all.find(|&first| old[first].key == old[n].key)
                    && first != n
                {
                    several.entry(first).or_insert_with(|| VecDeque::from([first])).push_back(n);
                }
            }
        }
        Free { by_hash, hasher, several, is_taken: vec![false; old.len()] }
    }

    /// The first resource with this key, which often is the one at `next`.
    fn first_of<N>(&self, key: &str, next: usize, old: &[Unit<'_, N>]) -> Option<usize> {
        if old.get(next).is_some_and(|unit| self.several.is_empty() && unit.key == key) {
            return Some(next);
        }
        let hash = hash_of(&self.hasher, key);
        let from = self.by_hash.partition_point(|&other| other < hash);
        let like = self.by_hash[from..].iter().copied().take_while(|other| other >> 32 == hash >> 32);
        like.map(position).find(|&n| old[n].key == key)
    }

    /// Whether several resources have the key of `first`.
    fn has_copies(&self, first: usize) -> bool {
        self.several.contains_key(&first)
    }

    /// The only resource left with the key of `first`.
    fn only(&self, first: usize) -> Option<usize> {
        match self.several.get(&first) {
            Some(left) => left.front().copied().filter(|_| left.len() == 1),
            None => (!self.is_taken[first]).then_some(first),
        }
    }

    /// Takes the first resource with the key of `first` that meets the condition.
    fn take(&mut self, first: usize, is_like: impl Fn(usize) -> bool) -> Option<usize> {
        let taken = match self.several.get_mut(&first) {
            Some(left) => {
                let place = left.iter().take(MOST_COPIES).position(|&n| is_like(n))?;
                left.remove(place)?
            }
            None => Some(first).filter(|&n| !self.is_taken[n] && is_like(n))?,
        };
        self.is_taken[taken] = true;
        Some(taken)
    }
}

/// Rows R1 to R3: a new resource that is waiting to be deleted is not created if a pair has
/// replaced it. Otherwise nothing would report it.
fn retire<'a, N: Node<'a>, M: Node<'a>>(old: &[Unit<'a, N>], new: &[Unit<'a, M>], left: &mut Pairing) {
    if !left.created.iter().any(|&n| new[n].is_condemned()) {
        return;
    }
    // The ids of replaced resources, by their keys.
    let mut replaced: HashMap<&str, Vec<Option<&str>>> = HashMap::new();
    for same in &left.same {
        let (old, new) = (&old[same.old], &new[same.new]);
        let is_replaced = same.is_made_anew || same.why != Evidence::Package && is_other(old, new);
        if is_replaced && !new.is_condemned() {
            replaced.entry(&*old.key).or_default().push(old.id());
        }
    }
    let is_retired = |n: &usize| {
        let Some(ids) = replaced.get_mut(&*new[*n].key).filter(|_| new[*n].is_condemned()) else {
            return false;
        };
        // R1, otherwise R2. Without ids, nothing shows that it is a different one.
        let id = new[*n].id();
        let is_it = |old: &Option<&str>| old.is_none() || id.is_none() || *old == id;
        let place = ids.iter().take(MOST_COPIES).position(is_it);
        place.is_some_and(|place| {
            ids.swap_remove(place);
            true
        })
    };
    (left.retired, left.created) = std::mem::take(&mut left.created).into_iter().partition(is_retired);
}

impl Pairing {
    /// Pairs resources that have exactly one candidate on each side; the others are ambiguous
    /// (P10).
    fn settle(&mut self, claims: &[(usize, usize)], why: Evidence) {
        let (mut of_old, mut of_new): (HashMap<usize, u32>, HashMap<usize, u32>) = Default::default();
        for &(old, new) in claims {
            *of_old.entry(old).or_default() += 1;
            *of_new.entry(new).or_default() += 1;
        }
        let (mut gone, mut come) = (HashSet::new(), HashSet::new());
        for &(old, new) in claims {
            if of_old[&old] == 1 && of_new[&new] == 1 {
                self.same.push(SameResource::new(old, new, why));
                gone.insert(old);
                come.insert(new);
            } else {
                self.ambiguous.push(new);
            }
        }
        self.ambiguous.sort_unstable();
        self.ambiguous.dedup();
        self.created.retain(|new| !come.contains(new));
        self.deleted.retain(|old| !gone.contains(old));
        self.ambiguous.retain(|new| !come.contains(new));
    }
}

/// Row P5.
fn by_alias<'a, N: Node<'a>, M: Node<'a>>(old: &[Unit<'a, N>], new: &[Unit<'a, M>], left: &mut Pairing) {
    let mut of_old: HashMap<&str, Vec<usize>> = HashMap::new();
    for &n in &left.deleted {
        of_old.entry(&old[n].key).or_default().push(n);
    }
    let mut claims = Vec::new();
    for &n in &left.created {
        let mut claimed: Vec<usize> = Vec::new();
        for alias in aliases(&new[n]) {
            claimed.extend(of_old.get(&*alias).into_iter().flatten());
        }
        claimed.sort_unstable();
        claimed.dedup();
        claims.extend(claimed.into_iter().map(|old| (old, n)));
    }
    left.settle(&claims, Evidence::Alias);
}

/// The former keys that a resource declares: URNs, parts of URNs, and a previous address.
fn aliases<'a, N: Node<'a>>(unit: &Unit<'a, N>) -> Vec<Cow<'a, str>> {
    let own = Urn::parse(&unit.key).ok();
    let listed = unit.node.get("aliases").into_iter().flat_map(Node::items);
    let mut found: Vec<Cow<'a, str>> = listed
        .filter_map(|alias| match alias.kind() {
            Kind::String => alias.as_str().map(Cow::Borrowed),
            Kind::Object => match alias.get("urn").and_then(Node::as_str) {
                Some(urn) => Some(Cow::Borrowed(urn)),
                None => alias_of_parts(alias, own?).map(Cow::Owned),
            },
            _ => None,
        })
        .collect();
    found.extend(unit.node.get("previous_address").and_then(Node::as_str).map(Cow::Borrowed));
    found
}

/// The URN that differs from `own` in the parts given by an alias.
fn alias_of_parts<'a, N: Node<'a>>(alias: N, own: Urn<'_>) -> Option<String> {
    let part = |names: [&str; 2]| {
        names.iter().find_map(|name| alias.get(name)).and_then(Node::as_str).filter(|text| !text.is_empty())
    };
    let (stack, project) = (own.namespace(), own.allocation());
    let stack = part(["stack", "Stack"]).unwrap_or(stack);
    let project = part(["project", "Project"]).unwrap_or(project);
    let token = part(["type", "Type"]).unwrap_or(own.type_token());
    let name = part(["name", "Name"]).unwrap_or(own.name());
    let is_top =
        ["noParent", "NoParent"].iter().any(|key| alias.get(key).and_then(Node::as_bool) == Some(true));
    let around: Option<String> = match part(["parent", "Parent"]).map(Urn::parse) {
        _ if is_top => None,
        Some(Ok(parent)) => Some(parent.qualified_type().to_owned()),
        _ => own.qualified_type().rsplit_once('$').map(|(around, _)| around.to_owned()),
    };
    let qualified = around.map_or_else(|| token.to_owned(), |around| format!("{around}${token}"));
    Some(format!("{}{stack}::{project}::{qualified}::{name}", own.scheme().prefix()))
}

/// The last part of a qualified type.
fn own_type(token: &str) -> &str {
    token.rsplit_once('$').map_or(token, |(_, own)| own)
}

/// Row P6.
fn by_id<'a, N: Node<'a>, M: Node<'a>>(old: &[Unit<'a, N>], new: &[Unit<'a, M>], left: &mut Pairing) {
    let identity = |token: Option<&'a str>, id: Option<&'a str>| Some((own_type(token?), id?));
    let created = left.created.iter().filter_map(|&n| identity(new[n].resource_type(), new[n].id()));
    let created: HashSet<(&str, &str)> = created.collect();
    let deleted = left.deleted.iter().filter_map(|&n| identity(old[n].resource_type(), old[n].id()));
    let wanted: HashSet<(&str, &str)> = deleted.filter(|identity| created.contains(identity)).collect();
    if wanted.is_empty() {
        return;
    }
    // An id shared by several resources of a type proves nothing. Few resources have one of these,
    // so the ids are compared first.
    let of_old = with_ids(old, &wanted);
    let of_new = with_ids(new, &of_old.keys().copied().collect());
    let (created, deleted): (HashSet<usize>, HashSet<usize>) =
        (left.created.iter().copied().collect(), left.deleted.iter().copied().collect());
    let mut claims = Vec::new();
    for (identity, new) in of_new {
        if let ([new], Some([old])) = (&new[..], of_old.get(&identity).map(Vec::as_slice))
            // P11
            && created.contains(new)
            && deleted.contains(old)
        {
            claims.push((*old, *new));
        }
    }
    left.settle(&claims, Evidence::Id);
}

/// The resources that have one of these types and ids, and are not waiting to be deleted.
fn with_ids<'a, N: Node<'a>>(
    units: &[Unit<'a, N>],
    wanted: &HashSet<(&'a str, &'a str)>,
) -> HashMap<(&'a str, &'a str), Vec<usize>> {
    let mut ids: Vec<&str> = wanted.iter().map(|(_, id)| *id).collect();
    ids.sort_unstable();
    let mut found: HashMap<_, Vec<usize>> = HashMap::new();
    for (n, unit) in units.iter().enumerate() {
        let Some(id) = unit.id().filter(|id| ids.binary_search(id).is_ok()) else { continue };
        let identity = unit.resource_type().and_then(|token| wanted.get(&(own_type(token), id)));
        if let Some(identity) = identity.filter(|_| !unit.is_condemned()) {
            found.entry(*identity).or_default().push(n);
        }
    }
    found
}

/// Row P8: pairs the default providers of each Pulumi package. Their names contain the version.
fn by_package<'a, N: Node<'a>, M: Node<'a>>(old: &[Unit<'a, N>], new: &[Unit<'a, M>], left: &mut Pairing) {
    fn package_of(key: &str) -> Option<(&str, &str, &str)> {
        let urn = Urn::parse(key).ok()?;
        let is_default = urn.name() == "default" || urn.name().starts_with("default_");
        let is_provider = urn.qualified_type().starts_with("pulumi:providers:");
        (is_default && is_provider).then(|| (urn.namespace(), urn.allocation(), urn.qualified_type()))
    }
    let mut of_package: HashMap<_, (Vec<usize>, Vec<usize>)> = HashMap::new();
    for &n in left.deleted.iter().filter(|&&n| !old[n].is_condemned()) {
        if let Some(package) = package_of(&old[n].key) {
            of_package.entry(package).or_default().0.push(n);
        }
    }
    for &n in left.created.iter().filter(|&&n| !new[n].is_condemned()) {
        if let Some(package) = package_of(&new[n].key) {
            of_package.entry(package).or_default().1.push(n);
        }
    }
    let only = of_package.into_values().filter_map(|pair| match (&*pair.0, &*pair.1) {
        (&[old], &[new]) => Some((old, new)),
        _ => None,
    });
    let claims: Vec<(usize, usize)> = only.collect();
    left.settle(&claims, Evidence::Package);
}

/// Entries that identify a resource without describing it.
const NAMES: [&str; 12] = [
    "urn",
    "name",
    "address",
    "previous_address",
    "module",
    "index",
    "index_key",
    "parent",
    "aliases",
    "created",
    "modified",
    "id",
];

/// Row P9.
fn by_digest<'a, N: Node<'a>, M: Node<'a>>(
    old: &[Unit<'a, N>],
    new: &[Unit<'a, M>],
    left: &mut Pairing,
    is_wanted: bool,
    sameness: &mut Sameness,
) -> Result<(), TooMuchWork> {
    /// The old and the new units with one type and one content.
    type Group = (Vec<usize>, Vec<usize>);
    let has_id = left.deleted.iter().any(|&n| old[n].id().is_some())
        || left.created.iter().any(|&n| new[n].id().is_some());
    if !is_wanted && has_id {
        return Ok(());
    }
    let mut groups: HashMap<(&str, u64), Group> = HashMap::new();
    for &n in &left.deleted {
        if let Some(number) = content_number(old[n].node, Tree::Old, sameness)? {
            groups.entry((type_of(&old[n]), number)).or_default().0.push(n);
        }
    }
    for &n in &left.created {
        if let Some(number) = content_number(new[n].node, Tree::New, sameness)?
            && let Some(group) = groups.get_mut(&(type_of(&new[n]), number))
        {
            group.1.push(n);
        }
    }
    let mut claims = Vec::new();
    let mut unclear = Vec::new();
    for (of_old, of_new) in groups.into_values() {
        if of_old.len().saturating_mul(of_new.len()) > MOST_CLAIMS {
            unclear.extend(of_new);
            continue;
        }
        for &n in &of_new {
            for &candidate in &of_old {
                if is_same_content(old[candidate].node, new[n].node, sameness)? {
                    claims.push((candidate, n));
                }
            }
        }
    }
    left.settle(&claims, Evidence::Digest);
    left.ambiguous.extend(unclear);
    left.ambiguous.sort_unstable();
    left.ambiguous.dedup();
    Ok(())
}

/// The maximum number of pairs compared among resources with one number. More of them are certainly
/// ambiguous.
const MOST_CLAIMS: usize = 64;

/// A type without its qualifiers.
fn type_of<'a, N: Node<'a>>(unit: &Unit<'a, N>) -> &'a str {
    own_type(unit.resource_type().unwrap_or_default())
}

/// A number that is equal for resources that differ only in their names. `None` for a resource
/// without content. If all keys are new, comparing all pairs would take too long.
fn content_number<'a, N: Node<'a>>(
    resource: N,
    tree: Tree,
    sameness: &mut Sameness,
) -> Result<Option<u64>, TooMuchWork> {
    let (mut sum, mut is_said) = (0u64, false);
    if resource.kind() != Kind::Object {
        return Ok(None);
    }
    for (key, value) in resource.entries().filter(|(key, _)| !NAMES.contains(key)) {
        is_said |= value.kind().is_container() && value.width() > 0;
        let said = if key == "metadata" { value.get("labels") } else { Some(value) };
        let number = match said {
            Some(said) if key == PROPERTIES => properties_number(said, tree, sameness)?,
            Some(said) => sameness.hash(said, tree)?,
            None => 0,
        };
        sum = sum.wrapping_add(sameness.number_of_entry(key, number));
    }
    Ok(is_said.then_some(sum))
}

/// Whether two resources differ only in their names, and have any content.
fn is_same_content<'a, N: Node<'a>, M: Node<'a>>(
    old: N,
    new: M,
    sameness: &mut Sameness,
) -> Result<bool, TooMuchWork> {
    let is_content = |key: &str| !NAMES.contains(&key);
    if old.kind() != Kind::Object || new.kind() != Kind::Object {
        return Ok(false);
    }
    let mut said = 0;
    for (key, value) in old.entries().filter(|(key, _)| is_content(key)) {
        let Some(other) = new.get(key) else { return Ok(false) };
        let is_equal = match key == "metadata" {
            true => is_same_metadata(value, other, sameness)?,
            false if key == PROPERTIES => is_same_properties(value, other, sameness)?,
            false => sameness.is_same(value, other)?,
        };
        if !is_equal {
            return Ok(false);
        }
        said += usize::from(value.kind().is_container() && value.width() > 0);
    }
    Ok(said > 0 && new.entries().all(|(key, _)| !is_content(key) || old.get(key).is_some()))
}

/// The entry of a CloudFormation resource with its properties, and the entry of these with its
/// tags, which are unordered.
const PROPERTIES: &str = "Properties";
const TAGS: &str = "Tags";

/// A number that is equal for equal properties, with their tags in any order.
fn properties_number<'a, N: Node<'a>>(
    properties: N,
    tree: Tree,
    sameness: &mut Sameness,
) -> Result<u64, TooMuchWork> {
    let mut sum = 0u64;
    for (key, value) in properties.entries() {
        let number = match key == TAGS && value.kind() == Kind::List {
            true => {
                value.items().try_fold(0u64, |sum, tag| Ok(sum.wrapping_add(sameness.hash(tag, tree)?)))?
            }
            false => sameness.hash(value, tree)?,
        };
        sum = sum.wrapping_add(sameness.number_of_entry(key, number));
    }
    Ok(sum)
}

fn is_same_properties<'a, N: Node<'a>, M: Node<'a>>(
    old: N,
    new: M,
    sameness: &mut Sameness,
) -> Result<bool, TooMuchWork> {
    if (old.kind(), new.kind()) != (Kind::Object, Kind::Object) || old.width() != new.width() {
        return sameness.is_same(old, new);
    }
    for (key, value) in old.entries() {
        let Some(other) = new.get(key) else { return Ok(false) };
        let is_equal = match key == TAGS && (value.kind(), other.kind()) == (Kind::List, Kind::List) {
            true => has_same_tags(value, other, sameness)?,
            false => sameness.is_same(value, other)?,
        };
        if !is_equal {
            return Ok(false);
        }
    }
    Ok(true)
}

fn has_same_tags<'a, N: Node<'a>, M: Node<'a>>(
    old: N,
    new: M,
    sameness: &mut Sameness,
) -> Result<bool, TooMuchWork> {
    let (old, new): (Vec<N>, Vec<M>) = (old.items().collect(), new.items().collect());
    let by_key = [ListMode::Key(vec![Cow::Borrowed("Key")])];
    for step in align(&old, &new, &by_key, sameness)?.steps {
        match step {
            ListStep::Pair { old: from, new: to, .. } if sameness.is_same(old[from], new[to])? => {}
            _ => return Ok(false),
        }
    }
    Ok(true)
}

/// Labels are content; names and notes of controllers are not.
fn is_same_metadata<'a, N: Node<'a>, M: Node<'a>>(
    old: N,
    new: M,
    sameness: &mut Sameness,
) -> Result<bool, TooMuchWork> {
    match (old.get("labels"), new.get("labels")) {
        (None, None) => Ok(true),
        (Some(old), Some(new)) => sameness.is_same(old, new),
        _ => Ok(false),
    }
}

#[cfg(test)]
mod tests;
