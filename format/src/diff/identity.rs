//! §16.2 Which resources of two graphs are the same.

use super::same::{Sameness, TooMuchWork};
use crate::graph::ResourceNode;
use crate::node::{Kind, Node};
use crate::urn::Urn;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet, VecDeque};

/// A resource to be compared.
#[derive(Clone, Debug)]
pub struct Unit<'a, N> {
    /// Its full key.
    pub key: Cow<'a, str>,
    /// The number of the pattern that makes it a landmark.
    pub class: u8,
    /// A number for the container that it is in: equal for containers at one place. Positions in
    /// lists do not count.
    pub container: u64,
    /// Its value.
    pub node: N,
}

impl<'a, N: Node<'a>> Unit<'a, N> {
    fn described(&self) -> ResourceNode<N> {
        ResourceNode { node: self.node, around: None }
    }

    /// Its type.
    pub fn resource_type(&self) -> Option<&'a str> {
        let kind = || self.node.get("kind").and_then(Node::as_str);
        self.described().resource_type().or_else(kind)
    }

    /// Its provider's id.
    pub fn id(&self) -> Option<&'a str> {
        self.described().id().filter(|id| !id.is_empty())
    }

    /// Whether it only waits for its deletion.
    pub fn is_condemned(&self) -> bool {
        self.described().is_pending_delete()
    }
}

/// What makes two resources the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(not(feature = "tooling"), non_exhaustive)]
pub enum Evidence {
    /// Their keys.
    Key,
    /// The new one names the old key as its own.
    Alias,
    /// The provider's id.
    Id,
    /// Type and content, without names.
    Digest,
}

impl Evidence {
    /// The word for it in reports.
    pub fn name(self) -> &'static str {
        match self {
            Evidence::Key => "key",
            Evidence::Alias => "alias",
            Evidence::Id => "id",
            Evidence::Digest => "digest",
        }
    }
}

/// An old and a new resource that are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SameResource {
    /// Position of the old one.
    pub old: usize,
    /// Position of the new one.
    pub new: usize,
    /// Why they are the same.
    pub why: Evidence,
    /// Whether the old one waited for its deletion, and the new one does not.
    pub is_made_anew: bool,
    /// Whether they are known to be identical.
    pub is_identical: bool,
}

impl SameResource {
    fn new(old: usize, new: usize, why: Evidence) -> SameResource {
        SameResource { old, new, why, is_made_anew: false, is_identical: false }
    }
}

/// Says whether two resources are identical, with all orders and forms.
pub type Identical<'i, N, M> = &'i mut dyn FnMut(N, M) -> Result<bool, TooMuchWork>;

/// The resources of two graphs, paired.
#[derive(Clone, Debug, Default)]
pub struct Pairing {
    /// By position of the new one.
    pub same: Vec<SameResource>,
    /// Positions of new resources without a partner, ascending.
    pub created: Vec<usize>,
    /// Positions of old resources without a partner, ascending.
    pub deleted: Vec<usize>,
    /// Those of `created` that could be several of `deleted`, or the other way round.
    pub ambiguous: Vec<usize>,
    /// New resources that only wait for their deletion after another one took their place.
    pub retired: Vec<usize>,
}

/// The evidence that makes a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moves {
    /// Whether an alias does.
    pub by_alias: bool,
    /// Whether the provider's id does.
    pub by_id: bool,
    /// Whether equal content does: always, never, or where no resource has an id.
    pub by_digest: Option<bool>,
}

impl Moves {
    /// The usual evidence.
    pub const USUAL: Moves = Moves { by_alias: true, by_id: true, by_digest: None };
    /// Nothing has moved.
    pub const NONE: Moves = Moves { by_alias: false, by_id: false, by_digest: Some(false) };
}

/// Pairs the resources of two graphs.
pub fn pair<'a, N: Node<'a>, M: Node<'a>>(
    old: &[Unit<'a, N>],
    new: &[Unit<'a, M>],
    moves: Moves,
    identical: Identical<'_, N, M>,
    sameness: &mut Sameness,
) -> Result<Pairing, TooMuchWork> {
    sameness.spend(old.len().saturating_add(new.len()))?;
    let mut left = by_key(old, new, identical)?;
    if !left.created.is_empty() && !left.deleted.is_empty() && moves.by_alias {
        by_alias(old, new, &mut left);
    }
    if !left.created.is_empty() && !left.deleted.is_empty() && moves.by_id {
        by_id(old, new, &mut left);
    }
    if !left.created.is_empty() && !left.deleted.is_empty() && moves.by_digest != Some(false) {
        by_digest(old, new, &mut left, moves.by_digest == Some(true), sameness)?;
    }
    retire(old, new, &mut left);
    left.same.sort_unstable_by_key(|same| same.new);
    Ok(left)
}

/// How many resources of one key are looked at to pair one of them. There are two or three of a key
/// in real documents, so the time of hostile ones stays in proportion.
const MOST_COPIES: usize = 256;

fn by_key<'a, N: Node<'a>, M: Node<'a>>(
    old: &[Unit<'a, N>],
    new: &[Unit<'a, M>],
    identical: Identical<'_, N, M>,
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
        // Nearly all have one partner, and did not change.
        if let Some(only) = free.only(first)
            && old[only].container == unit.container
            && identical(old[only].node, unit.node)?
        {
            free.take(first, |_| true);
            found.same.push(SameResource { is_identical: true, ..SameResource::new(only, n, Evidence::Key) });
            continue;
        }
        let is_condemned = unit.is_condemned();
        let is_like = |old_n: usize| {
            old[old_n].container == unit.container && old[old_n].is_condemned() == is_condemned
        };
        // Copies that wait for their deletion come and go in any order.
        let by_id = match (free.only(first), unit.id()) {
            (None, Some(id)) => free.take(first, |old_n| is_like(old_n) && old[old_n].id() == Some(id)),
            _ => None,
        };
        match by_id.or_else(|| free.take(first, is_like)) {
            Some(partner) => found.same.push(SameResource::new(partner, n, Evidence::Key)),
            None => waiting.push((first, n)),
        }
    }
    // Of another container, and then what took the place of one that waited for its deletion.
    for is_made_anew in [false, true] {
        waiting.retain(|&(first, n)| {
            let is_condemned = new[n].is_condemned() && !is_made_anew;
            let is_like = |old_n: usize| match is_made_anew {
                true => !new[n].is_condemned() && old[old_n].is_condemned(),
                false => old[old_n].is_condemned() == is_condemned,
            };
            let Some(partner) = free.take(first, is_like) else { return true };
            found.same.push(SameResource { is_made_anew, ..SameResource::new(partner, n, Evidence::Key) });
            false
        });
    }
    found.created.extend(waiting.into_iter().map(|(_, n)| n));
    found.created.sort_unstable();
    found.deleted = (0..old.len()).filter(|&n| !free.is_taken[n]).collect();
    Ok(found)
}

/// The old resources that have no partner yet, by their keys.
struct Free<'u> {
    /// The position of the first resource with each key.
    first: HashMap<&'u str, usize>,
    /// For the first of several resources with one key, those that are not taken.
    several: HashMap<usize, VecDeque<usize>>,
    is_taken: Vec<bool>,
}

impl<'u> Free<'u> {
    fn of<'a, N>(old: &'u [Unit<'a, N>]) -> Free<'u> {
        let mut free = Free {
            first: HashMap::with_capacity(old.len()),
            several: HashMap::new(),
            is_taken: vec![false; old.len()],
        };
        for (n, unit) in old.iter().enumerate() {
            let first = *free.first.entry(&unit.key).or_insert(n);
            if first != n {
                free.several.entry(first).or_insert_with(|| VecDeque::from([first])).push_back(n);
            }
        }
        free
    }

    /// The first resource with this key, which often is the one at `next`.
    fn first_of<N>(&self, key: &str, next: usize, old: &[Unit<'_, N>]) -> Option<usize> {
        match old.get(next) {
            Some(unit) if self.several.is_empty() && unit.key == key => Some(next),
            _ => self.first.get(key).copied(),
        }
    }

    /// The only resource left with the key of `first`.
    fn only(&self, first: usize) -> Option<usize> {
        match self.several.get(&first) {
            Some(left) => left.front().copied().filter(|_| left.len() == 1),
            None => (!self.is_taken[first]).then_some(first),
        }
    }

    /// Takes the first resource with the key of `first` that is like that.
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

/// A new resource that waits for its deletion is not created: it is what was replaced.
fn retire<'a, N: Node<'a>, M: Node<'a>>(old: &[Unit<'a, N>], new: &[Unit<'a, M>], left: &mut Pairing) {
    if !left.created.iter().any(|&n| new[n].is_condemned()) {
        return;
    }
    let keys: HashSet<&str> = left.same.iter().map(|same| &*old[same.old].key).collect();
    let is_retired = |n: &usize| new[*n].is_condemned() && keys.contains(&*new[*n].key);
    left.retired = left.created.iter().copied().filter(is_retired).collect();
    left.created.retain(|n| !is_retired(n));
}

impl Pairing {
    /// Makes pairs of what only one on each side claims; the others are ambiguous.
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
            } else if !self.ambiguous.contains(&new) {
                self.ambiguous.push(new);
            }
        }
        self.created.retain(|new| !come.contains(new));
        self.deleted.retain(|old| !gone.contains(old));
        self.ambiguous.retain(|new| !come.contains(new));
    }
}

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

/// The other keys that a resource says it had: URNs, parts of URNs, and a previous address.
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

/// The URN that differs from `own` in the parts that an alias has.
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

fn by_id<'a, N: Node<'a>, M: Node<'a>>(old: &[Unit<'a, N>], new: &[Unit<'a, M>], left: &mut Pairing) {
    let mut wanted: HashSet<(&str, &str)> = HashSet::new();
    let identity = |token: Option<&'a str>, id: Option<&'a str>| Some((own_type(token?), id?));
    for &n in &left.created {
        wanted.extend(identity(new[n].resource_type(), new[n].id()));
    }
    // An id that several resources of a type have is no evidence.
    let mut of_old: HashMap<(&str, &str), Vec<usize>> = HashMap::new();
    for (n, unit) in old.iter().enumerate().filter(|(_, unit)| !unit.is_condemned()) {
        let found = identity(unit.resource_type(), unit.id()).filter(|found| wanted.contains(found));
        if let Some(found) = found {
            of_old.entry(found).or_default().push(n);
        }
    }
    let mut of_new: HashMap<(&str, &str), Vec<usize>> = HashMap::new();
    for (n, unit) in new.iter().enumerate().filter(|(_, unit)| !unit.is_condemned()) {
        let found = identity(unit.resource_type(), unit.id()).filter(|found| of_old.contains_key(found));
        if let Some(found) = found {
            of_new.entry(found).or_default().push(n);
        }
    }
    let (created, deleted): (HashSet<usize>, HashSet<usize>) =
        (left.created.iter().copied().collect(), left.deleted.iter().copied().collect());
    let mut claims = Vec::new();
    for (identity, new) in of_new {
        if let ([new], Some([old])) = (&new[..], of_old.get(&identity).map(Vec::as_slice))
            && created.contains(new)
            && deleted.contains(old)
        {
            claims.push((*old, *new));
        }
    }
    left.settle(&claims, Evidence::Id);
}

/// Entries that say who a resource is, and not what it is.
const NAMES: [&str; 11] = [
    "urn",
    "name",
    "address",
    "previous_address",
    "module",
    "index",
    "parent",
    "aliases",
    "created",
    "modified",
    "id",
];

fn by_digest<'a, N: Node<'a>, M: Node<'a>>(
    old: &[Unit<'a, N>],
    new: &[Unit<'a, M>],
    left: &mut Pairing,
    is_wanted: bool,
    sameness: &mut Sameness,
) -> Result<(), TooMuchWork> {
    let has_id = |old: &[usize], new: &[usize], a: &[Unit<'a, N>], b: &[Unit<'a, M>]| {
        old.iter().any(|&n| a[n].id().is_some()) || new.iter().any(|&n| b[n].id().is_some())
    };
    if !is_wanted && has_id(&left.deleted, &left.created, old, new) {
        return Ok(());
    }
    let mut of_old: HashMap<&str, Vec<usize>> = HashMap::new();
    for &n in &left.deleted {
        of_old.entry(own_type(old[n].resource_type().unwrap_or_default())).or_default().push(n);
    }
    let mut claims = Vec::new();
    for &n in &left.created {
        let token = own_type(new[n].resource_type().unwrap_or_default());
        for &candidate in of_old.get(token).into_iter().flatten() {
            sameness.spend(1)?;
            if is_same_content(old[candidate].node, new[n].node, sameness)? {
                claims.push((candidate, n));
            }
        }
    }
    left.settle(&claims, Evidence::Digest);
    Ok(())
}

/// Whether two resources are the same but for their names, and say anything at all.
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
            false => sameness.is_same(value, other)?,
        };
        if !is_equal {
            return Ok(false);
        }
        said += usize::from(value.kind().is_container() && value.width() > 0);
    }
    Ok(said > 0 && new.entries().all(|(key, _)| !is_content(key) || old.get(key).is_some()))
}

/// Labels are content; names and what controllers note are not.
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
mod tests {
    use super::super::same::Strictness;
    use super::*;
    use crate::value::Value;

    fn text(text: &str) -> Value {
        Value::String(text.to_owned())
    }

    fn urn(name: &str) -> String {
        format!("urn:pulumi:s::p::t:m:T::{name}")
    }

    /// A resource with this name and id. `!` before the name condemns it, and `<` after it comes
    /// before its aliases.
    fn resource(name: &str, id: &str) -> (String, Value) {
        let (plain, is_condemned) = name.strip_prefix('!').map_or((name, false), |plain| (plain, true));
        let (plain, aliases) = plain.split_once('<').unwrap_or((plain, ""));
        let aliases = aliases.split(',').filter(|alias| !alias.is_empty()).map(|alias| text(&urn(alias)));
        let value = Value::Object(vec![
            ("urn".into(), text(&urn(plain))),
            ("type".into(), text("t:m:T")),
            ("id".into(), text(id)),
            ("delete".into(), Value::Bool(is_condemned)),
            ("inputs".into(), Value::Object(vec![("x".into(), text(&format!("content of {id}")))])),
            ("aliases".into(), Value::List(aliases.collect())),
        ]);
        (urn(plain), value)
    }

    fn units(resources: &[(String, Value)]) -> Vec<Unit<'_, &Value>> {
        resources
            .iter()
            .map(|(key, node)| Unit { key: Cow::Borrowed(key), class: 0, container: 0, node })
            .collect()
    }

    fn paired(old: &[(&str, &str)], new: &[(&str, &str)], moves: Moves) -> String {
        let make = |all: &[(&str, &str)]| all.iter().map(|(name, id)| resource(name, id)).collect::<Vec<_>>();
        let (old, new) = (make(old), make(new));
        let mut sameness = Sameness::new(Strictness::default(), 1 << 20);
        let mut identical = |old: &Value, new: &Value| Ok(old == new);
        let found = pair(&units(&old), &units(&new), moves, &mut identical, &mut sameness).unwrap();
        let mut words: Vec<String> = Vec::new();
        for same in &found.same {
            let anew = if same.is_made_anew { "!" } else { "" };
            words.push(format!("{}{}{anew}{}", same.old, &same.why.name()[..1], same.new));
        }
        words.extend(found.created.iter().map(|n| format!("+{n}")));
        words.extend(found.deleted.iter().map(|n| format!("-{n}")));
        words.extend(found.ambiguous.iter().map(|n| format!("?{n}")));
        words.extend(found.retired.iter().map(|n| format!("x{n}")));
        words.join(" ")
    }

    #[test]
    fn equal_keys_are_one_resource_and_equal_ones_pair_in_order() {
        let old = [("a", "1"), ("b", "2"), ("c", "3")];
        let new = [("d", "4"), ("c", "9"), ("a", "1")];
        assert_eq!(paired(&old, &new, Moves::USUAL), "2k1 0k2 +0 -1");
        let twice = [("a", "1"), ("a", "2")];
        assert_eq!(paired(&twice, &[("a", "2")], Moves::USUAL), "1k0 -0");
        assert_eq!(paired(&twice, &[("a", "3")], Moves::USUAL), "0k0 -1");
        assert_eq!(paired(&twice, &twice, Moves::USUAL), "0k0 1k1");
    }

    #[test]
    fn condemned_resources_pair_with_each_other() {
        let (alive, replaced) = ([("a", "1")], [("a", "2"), ("!a", "1")]);
        assert_eq!(paired(&alive, &replaced, Moves::USUAL), "0k0 x1");
        let three = [("!a", "1"), ("!a", "2"), ("!a", "3"), ("a", "4")];
        assert_eq!(paired(&three, &three[1..], Moves::USUAL), "1k0 2k1 3k2 -0");
        // It is made anew while the old one still waits.
        assert_eq!(paired(&[("!a", "1")], &[("a", "2")], Moves::USUAL), "0k!0");
        assert_eq!(paired(&[("!a", "1")], &[("a", "2"), ("!a", "1")], Moves::USUAL), "0k1 +0");
    }

    #[test]
    fn an_alias_moves_a_resource_once() {
        assert_eq!(paired(&[("a", "")], &[("b<a", "")], Moves::USUAL), "0a0");
        assert_eq!(paired(&[("a", "")], &[("c<b,a", "")], Moves::USUAL), "0a0");
        // It still exists.
        assert_eq!(paired(&[("a", "")], &[("a", ""), ("b<a", "")], Moves::USUAL), "0k0 +1");
        assert_eq!(paired(&[("a", "")], &[("b<a", ""), ("c<a", "")], Moves::USUAL), "+0 +1 -0 ?0 ?1");
        assert_eq!(paired(&[("a", "")], &[("b<a", "")], Moves::NONE), "+0 -0");
    }

    #[test]
    fn an_id_moves_a_resource_if_only_one_has_it() {
        assert_eq!(paired(&[("a", "i")], &[("b", "i")], Moves::USUAL), "0i0");
        assert_eq!(
            paired(&[("a", "true"), ("b", "true")], &[("c", "true"), ("b", "true")], Moves::USUAL),
            "1k1 +0 -0"
        );
        assert_eq!(
            paired(&[("a", "")], &[("b", "")], Moves { by_digest: Some(false), ..Moves::USUAL }),
            "+0 -0"
        );
    }

    #[test]
    fn content_moves_a_resource_where_nothing_has_an_id() {
        assert_eq!(paired(&[("a", "")], &[("b", "")], Moves::USUAL), "0d0");
        assert_eq!(paired(&[("a", ""), ("b", "")], &[("c", "")], Moves::USUAL), "+0 -0 -1 ?0");
    }

    #[test]
    fn parts_of_an_alias_replace_those_of_the_key() {
        let own = Urn::parse("urn:pulumi:s::p::a:b:C$t:m:T::new").unwrap();
        let alias = |entries: &[(&str, Value)]| {
            let entries = entries.iter().map(|(key, value)| ((*key).to_owned(), value.clone()));
            alias_of_parts(&Value::Object(entries.collect()), own).unwrap()
        };
        assert_eq!(alias(&[("name", text("old"))]), "urn:pulumi:s::p::a:b:C$t:m:T::old");
        assert_eq!(alias(&[("noParent", Value::Bool(true))]), "urn:pulumi:s::p::t:m:T::new");
        assert_eq!(
            alias(&[("parent", text("urn:pulumi:s::p::x:y:Z::q")), ("project", text("o"))]),
            "urn:pulumi:s::o::x:y:Z$t:m:T::new"
        );
    }
}
