//! §16.3 The differences of two values, by meaning.

use crate::value::class::{Class, ClassRules};
use crate::value::described::SchemaOf;
use crate::value::items::ItemRuns;
use crate::value::list::{ListMode, ListRules, ListStep, RuledModes, align};
use crate::value::same::{Sameness, TooMuchWork, is_same_number, is_same_scalar};
use crate::value::typed::modes_of_type;
use crate::value::unknown::{is_sentinel, pair_unknown};
use coconut_format::graph::{PathSet, Place, Special};
use coconut_format::landmark::{LandmarkRule, RuleMatcher, State, Trail};
use coconut_format::node::{Kind, Node};
use coconut_format::pointer::Pointer;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::fmt;

coconut_format::named! {
    /// The change at a place.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Action {
        /// Only the new value is there.
        Add = "add";
        /// Only the old value is there.
        Remove = "remove";
        /// Both are there, and differ.
        Update = "update";
        /// The parts have another order.
        Reorder = "reorder";
    }
    /// The word used in reports.
    pub fn name;
}

impl Action {
    /// The symbol used in texts.
    pub fn sign(self) -> char {
        match self {
            Action::Add => '+',
            Action::Remove => '-',
            Action::Update | Action::Reorder => '~',
        }
    }
}

/// A difference at one place.
///
/// Its values may contain secrets, so they are not fields. To show them, copy them without their
/// secrets: [`Change::masked`](crate::Change::masked).
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Difference<N, M> {
    /// The place in the new value, or in the old one if only that has it.
    pub pointer: String,
    /// The place in the old value, if it differs.
    pub old_pointer: Option<String>,
    /// The kind of the change.
    pub action: Action,
    /// The subject of the change.
    pub class: Class,
    /// The list item, if the compared value is a whole item of a list.
    pub item: Option<ItemPlace>,
    /// The old value, and its place among the secrets.
    pub(crate) old: Option<(N, Place)>,
    /// The new value, and its place among the secrets.
    pub(crate) new: Option<(M, Place)>,
    /// For a secret: whether equal contents may have these different stored forms.
    pub is_possible: bool,
    /// Whether one of the sides is secret as a whole.
    pub is_secret: bool,
}

/// Leaves the values out, which may be secret.
impl<N, M> fmt::Debug for Difference<N, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Difference")
            .field("pointer", &self.pointer)
            .field("action", &self.action)
            .field("class", &self.class)
            .finish_non_exhaustive()
    }
}

impl<N, M> Difference<N, M> {
    /// Whether there is an old value.
    pub fn has_old(&self) -> bool {
        self.old.is_some()
    }

    /// Whether there is a new value.
    pub fn has_new(&self) -> bool {
        self.new.is_some()
    }

    /// The old value as the document has it, with its secrets, and its place among the secrets.
    pub fn revealed_old(&self) -> Option<&(N, Place)> {
        self.old.as_ref()
    }

    /// The new value as the document has it, with its secrets, and its place among the secrets.
    pub fn revealed_new(&self) -> Option<&(M, Place)> {
        self.new.as_ref()
    }

    /// Treats the value as new, because its old document is missing.
    pub fn forget_old(&mut self) {
        (self.old, self.action) = (None, Action::Add);
    }

    /// Treats the value as removed, because its new document is missing.
    pub fn forget_new(&mut self) {
        (self.new, self.action) = (None, Action::Remove);
    }
}

/// An item of lists that were paired.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ItemPlace {
    /// The mode in which the items were paired.
    pub mode: ListMode,
    /// The old position.
    pub from: Option<usize>,
    /// The new position.
    pub to: Option<usize>,
}

/// A set of places, and the position of a walk in it.
#[derive(Clone, Copy, Debug)]
pub struct Along<'s> {
    set: Option<&'s PathSet>,
    /// The position of the value.
    pub place: Place,
}

impl<'s> Along<'s> {
    /// Outside any set.
    pub const NOWHERE: Along<'static> = Along { set: None, place: Place::Outside };

    /// At the root of `set`.
    pub fn root(set: &'s PathSet) -> Along<'s> {
        Along { set: Some(set).filter(|set| !set.is_empty()), place: set.root() }
    }

    /// One step further.
    #[must_use]
    pub fn enter(self, trail: Trail<'_>) -> Along<'s> {
        let Some(set) = self.set else { return self };
        let place = match trail {
            Trail::Root => self.place,
            Trail::Entry(key) => set.enter_key(self.place, key),
            Trail::Item(index) => set.enter_item(self.place, index),
        };
        Along { place, ..self }
    }

    fn is_inside(self) -> bool {
        self.set.is_some() && self.place == Place::Inside
    }

    /// Whether a place of the set is here, above or below.
    fn is_marked(self) -> bool {
        self.set.is_some() && self.place != Place::Outside
    }

    /// The position for readers of the set; outside if there is none.
    fn seen(self) -> Place {
        if self.set.is_some() { self.place } else { Place::Outside }
    }
}

/// The marks at a value: secret, or not known yet.
#[derive(Clone, Copy, Debug)]
pub struct Marks<'s> {
    /// Among the secrets.
    pub secret: Along<'s>,
    /// Among the unknown values.
    pub unknown: Along<'s>,
}

impl Marks<'_> {
    /// Nothing is marked.
    pub const NONE: Marks<'static> = Marks { secret: Along::NOWHERE, unknown: Along::NOWHERE };

    /// One step further.
    #[must_use]
    pub fn enter(self, trail: Trail<'_>) -> Self {
        Marks { secret: self.secret.enter(trail), unknown: self.unknown.enter(trail) }
    }
}

/// The parts to skip: the values that the rule makes landmarks.
#[derive(Clone, Copy, Debug)]
pub struct Without<'r> {
    /// The rule of both documents.
    pub rule: &'r LandmarkRule,
    /// Its matcher.
    pub matcher: &'r RuleMatcher,
    /// Items of the old and the new value that are known landmarks, so that they need not be read.
    /// There may be more.
    pub known: (&'r ItemRuns, &'r ItemRuns),
}

/// Whether `null` is a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NullRule {
    /// `null` differs from a missing entry.
    IsValue,
    /// `null` equals a missing entry, as in Coconut 2017 snapshots.
    IsMissing,
}

/// The rules for comparing two values.
#[derive(Clone, Copy, Debug)]
pub struct Comparison<'r> {
    /// Classes of places.
    pub classes: &'r ClassRules,
    /// The class of all other places.
    pub usual: Class,
    /// Modes of lists.
    pub lists: &'r ListRules,
    /// Whether `null` is a value.
    pub nulls: NullRule,
    /// Whether an empty list, `null` and a missing entry can mean an absent block, as Terraform
    /// writes it. Its types then determine how lists of outputs are paired.
    pub has_blocks: bool,
    /// The information of a schema about the values.
    pub schema: Option<SchemaOf<'r>>,
    /// The parts to skip.
    pub without: Option<Without<'r>>,
}

/// The values at one place that are still to be compared.
struct Pending<'a, 's, N, M> {
    depth: usize,
    trails: (Trail<'a>, Trail<'a>),
    old: Option<N>,
    new: Option<M>,
    marks: (Marks<'s>, Marks<'s>),
    item: Option<ItemPlace>,
    state: Option<State>,
    /// Whether only the list on the other side contains secrets.
    is_beside_secret: bool,
}

/// Compares two values, one of which may be missing, and calls `each` for every difference. Those
/// of an object come in the order of the old one, followed by those in only the new one.
///
/// Does not recurse. The work is counted by `sameness`.
pub fn compare<'a, 's, N: Node<'a>, M: Node<'a>>(
    values: (Option<N>, Option<M>),
    marks: (Marks<'s>, Marks<'s>),
    comparison: &Comparison<'_>,
    sameness: &mut Sameness,
    each: &mut dyn FnMut(Difference<N, M>),
) -> Result<(), TooMuchWork> {
    compare_at(&[], values, marks, comparison, sameness, each)
}

/// The same for values that are parts of larger ones, at the ends of these paths. Places begin at
/// the start of the paths.
pub fn compare_at<'a, 's, N: Node<'a>, M: Node<'a>>(
    ways: &[(Trail<'a>, Trail<'a>)],
    (old, new): (Option<N>, Option<M>),
    marks: (Marks<'s>, Marks<'s>),
    comparison: &Comparison<'_>,
    sameness: &mut Sameness,
    each: &mut dyn FnMut(Difference<N, M>),
) -> Result<(), TooMuchWork> {
    let state = comparison.without.map(|without| without.matcher.root());
    let (trails, above) =
        ways.split_last().map_or(((Trail::Root, Trail::Root), ways), |(last, above)| (*last, above));
    let mut pointers = (Pointer::root(), Pointer::root());
    for (old, new) in above {
        old.push_to(&mut pointers.0);
        new.push_to(&mut pointers.1);
    }
    let depth = ways.len();
    let root = Pending { depth, trails, old, new, marks, item: None, state, is_beside_secret: false };
    let mut walk = Walk { comparison, sameness, each, new, pointers, pending: vec![root] };
    while let Some(pending) = walk.pending.pop() {
        let first = walk.pending.len();
        walk.visit(pending)?;
        // The last one in `pending` is compared first.
        walk.pending[first..].reverse();
    }
    Ok(())
}

struct Walk<'w, 'a, 's, N, M> {
    comparison: &'w Comparison<'w>,
    sameness: &'w mut Sameness,
    each: &'w mut dyn FnMut(Difference<N, M>),
    /// The root of the new value.
    new: Option<M>,
    pointers: (Pointer, Pointer),
    pending: Vec<Pending<'a, 's, N, M>>,
}

impl<'a, 's, N: Node<'a>, M: Node<'a>> Walk<'_, 'a, 's, N, M> {
    fn visit(&mut self, at: Pending<'a, 's, N, M>) -> Result<(), TooMuchWork> {
        self.sameness.spend(1)?;
        let above = at.depth.saturating_sub(1);
        self.pointers.0.truncate(above);
        self.pointers.1.truncate(above);
        at.trails.0.push_to(&mut self.pointers.0);
        at.trails.1.push_to(&mut self.pointers.1);
        if self.is_left_out(&at) {
            return Ok(());
        }
        // N1 and N2
        let is_there = |kind: Kind| kind != Kind::Null || self.comparison.nulls == NullRule::IsValue;
        let old = at.old.filter(|old| is_there(old.kind()));
        let new = at.new.filter(|new| is_there(new.kind()));
        let at = Pending { old, new, ..at };
        // Rows D1 to D6 of §16.1.
        match (old, new) {
            (None, None) => Ok(()),
            (Some(old), Some(new)) => self.visit_both(at, old, new),
            // There may be landmarks below, which are skipped.
            (Some(value), None) if self.leads_on(&at) && value.kind().is_container() => {
                self.push_one_sided(&at, Some(value), None)
            }
            (None, Some(value)) if self.leads_on(&at) && value.kind().is_container() => {
                self.push_one_sided(&at, None, Some(value))
            }
            // C5
            _ if self.is_absent_block(&at) => {
                let action = if at.old.is_some() { Action::Remove } else { Action::Add };
                self.found(at, action, Some(Class::Order), false);
                Ok(())
            }
            (old, _) => {
                let action = if old.is_some() { Action::Remove } else { Action::Add };
                let marked = old.is_some_and(|old| is_secret(old, at.marks.0))
                    || new.is_some_and(|new| is_secret(new, at.marks.1))
                    || at.may_be_secret();
                // C8, or else C9
                let class = if marked { Some(Class::Secret) } else { self.unknown_class(&at) };
                self.found(at, action, class, false);
                Ok(())
            }
        }
    }

    /// Values are not different if one or both are unknown.
    fn unknown_class(&self, at: &Pending<'a, 's, N, M>) -> Option<Class> {
        let is_unknown = at.marks.0.unknown.is_inside()
            || at.marks.1.unknown.is_inside()
            || at.old.is_some_and(is_sentinel)
            || at.new.is_some_and(is_sentinel);
        is_unknown.then_some(Class::Unknown)
    }

    fn visit_both(&mut self, at: Pending<'a, 's, N, M>, old: N, new: M) -> Result<(), TooMuchWork> {
        let secrets = (is_secret(old, at.marks.0), is_secret(new, at.marks.1));
        if secrets.0 || secrets.1 {
            // C7, or else C6
            if secrets.0 != secrets.1 {
                self.found(at, Action::Update, Some(Class::Identity), false);
            } else if !self.sameness.is_same(old, new)? {
                // A value that was encrypted again has another form, and may have the same content.
                let is_possible = is_encrypted(old) || is_encrypted(new);
                self.found(at, Action::Update, Some(Class::Secret), is_possible);
            }
            return Ok(());
        }
        let (kind, other) = (old.kind(), new.kind());
        // C9
        if let Some(class) = self.unknown_class(&at) {
            if !self.sameness.is_same(old, new)? {
                self.found(at, Action::Update, Some(class), false);
            }
            return Ok(());
        }
        if kind != other {
            // C10, C5 and C11
            let is_order = self.sameness.strictness().is_by_meaning()
                && (is_same_number(old, new)
                    || self.is_absent_block(&at)
                    || self.is_list_of_one(old, new)?);
            self.found(at, Action::Update, is_order.then_some(Class::Order), false);
            return Ok(());
        }
        match kind {
            // Shared values can occur any number of times.
            Kind::Object | Kind::List
                if at.is_plain()
                    && old.stored_once_as().is_some()
                    && new.stored_once_as().is_some()
                    && self.sameness.is_identical(old, new)? =>
            {
                Ok(())
            }
            // C12
            Kind::Object if is_same_asset(old, new) => {
                if !self.sameness.is_same(old, new)? {
                    self.found(at, Action::Update, Some(Class::Metadata), false);
                }
                Ok(())
            }
            Kind::Object => self.push_entries(at, old, new),
            Kind::List => self.push_items(at, old, new),
            _ if is_same_scalar(old, new) => Ok(()),
            _ => {
                self.found(at, Action::Update, None, false);
                Ok(())
            }
        }
    }

    /// Whether both sides represent an absent block.
    fn is_absent_block(&self, at: &Pending<'a, 's, N, M>) -> bool {
        fn is_nothing<'a, N: Node<'a>>(value: Option<N>) -> bool {
            value.is_none_or(|value| match value.kind() {
                Kind::Null => true,
                kind => kind == Kind::List && value.width() == 0,
            })
        }
        fn is_list<'a, N: Node<'a>>(value: Option<N>) -> bool {
            value.is_some_and(|value| value.kind() == Kind::List)
        }
        self.comparison.has_blocks
            && self.sameness.strictness().is_by_meaning()
            && (is_list(at.old) || is_list(at.new))
            && is_nothing(at.old)
            && is_nothing(at.new)
    }

    /// Whether a string equals a list of only this string here.
    fn is_list_of_one(&mut self, old: N, new: M) -> Result<bool, TooMuchWork> {
        let modes = self.comparison.lists.of_place(self.pointers.1.as_str());
        if modes.first() != Some(&ListMode::Set) {
            return Ok(false);
        }
        match (old.kind(), new.kind()) {
            (Kind::List, _) if old.width() == 1 => {
                old.items().next().map_or(Ok(false), |item| self.sameness.is_same(item, new))
            }
            (_, Kind::List) if new.width() == 1 => {
                new.items().next().map_or(Ok(false), |item| self.sameness.is_same(old, item))
            }
            _ => Ok(false),
        }
    }

    fn is_left_out(&self, at: &Pending<'a, 's, N, M>) -> bool {
        let (Some(without), Some(state)) = (self.comparison.without, at.state) else { return false };
        let Some(class) = without.matcher.landmark(state) else { return false };
        let Some(pattern) = without.rule.patterns().get(usize::from(class)) else { return false };
        let has_key = |trail: Trail<'a>, has: &dyn Fn(Option<&'a str>) -> bool| match trail {
            Trail::Entry(name) => has(Some(name)),
            _ => has(None),
        };
        at.depth > 0
            && (at.old.is_some_and(|old| has_key(at.trails.0, &|name| pattern.key().is_of(name, old)))
                || at.new.is_some_and(|new| has_key(at.trails.1, &|name| pattern.key().is_of(name, new))))
    }

    /// Whether there may be landmarks below, which are skipped.
    fn leads_on(&self, at: &Pending<'a, 's, N, M>) -> bool {
        match (self.comparison.without, at.state) {
            (Some(without), Some(state)) => without.matcher.leads_on(state),
            _ => false,
        }
    }

    fn enter(&self, state: Option<State>, trail: Trail<'_>) -> Option<State> {
        let matcher = self.comparison.without?.matcher;
        let state = match trail {
            Trail::Root => state?,
            Trail::Entry(key) => matcher.enter_key(state?, key),
            Trail::Item(_) => matcher.enter_item(state?),
        };
        (!state.is_dead()).then_some(state)
    }

    fn push(
        &mut self,
        at: &Pending<'a, 's, N, M>,
        trails: (Trail<'a>, Trail<'a>),
        (old, new): (Option<N>, Option<M>),
        item: Option<ItemPlace>,
    ) {
        let marks = (at.marks.0.enter(trails.0), at.marks.1.enter(trails.1));
        let state = self.enter(at.state, trails.1);
        let depth = at.depth + 1;
        let below = Pending { depth, trails, old, new, marks, item, state, is_beside_secret: false };
        self.pending.push(below);
    }

    fn push_one_sided(
        &mut self,
        at: &Pending<'a, 's, N, M>,
        old: Option<N>,
        new: Option<M>,
    ) -> Result<(), TooMuchWork> {
        self.sameness.spend(old.map_or(0, Node::width) + new.map_or(0, Node::width))?;
        for (key, value) in old.into_iter().flat_map(Node::entries) {
            self.push(at, (Trail::Entry(key), Trail::Entry(key)), (Some(value), None), None);
        }
        for (key, value) in new.into_iter().flat_map(Node::entries) {
            self.push(at, (Trail::Entry(key), Trail::Entry(key)), (None, Some(value)), None);
        }
        for (n, value) in old.into_iter().flat_map(Node::items).enumerate() {
            self.push(at, (Trail::Item(n), Trail::Item(n)), (Some(value), None), None);
        }
        for (n, value) in new.into_iter().flat_map(Node::items).enumerate() {
            self.push(at, (Trail::Item(n), Trail::Item(n)), (None, Some(value)), None);
        }
        Ok(())
    }

    fn push_entries(&mut self, at: Pending<'a, 's, N, M>, old: N, new: M) -> Result<(), TooMuchWork> {
        self.sameness.spend(old.width().saturating_add(new.width()))?;
        let both = |key: &'a str| (Trail::Entry(key), Trail::Entry(key));
        // Nearly always both have the same keys in the same order, and no table is needed.
        if keys_are_aligned(old, new) {
            for ((key, old), (_, new)) in old.entries().zip(new.entries()) {
                self.push(&at, both(key), (Some(old), Some(new)), None);
            }
            return Ok(());
        }
        let of_new: HashMap<&str, (usize, M)> =
            new.entries().enumerate().map(|(n, (key, value))| (key, (n, value))).collect();
        let (mut last, mut is_reordered) = (None, false);
        for (key, value) in old.entries() {
            let other = of_new.get(key).copied();
            if let Some((n, _)) = other {
                is_reordered |= last.is_some_and(|last| n < last);
                last = Some(n);
            }
            self.push(&at, both(key), (Some(value), other.map(|(_, value)| value)), None);
        }
        let of_old: HashSet<&str> = old.entries().map(|(key, _)| key).collect();
        for (key, value) in new.entries().filter(|(key, _)| !of_old.contains(key)) {
            self.push(&at, both(key), (None, Some(value)), None);
        }
        if is_reordered && at.state.is_none() {
            // C13
            self.found(at, Action::Reorder, Some(Class::Order), false);
        }
        Ok(())
    }

    fn push_items(&mut self, at: Pending<'a, 's, N, M>, old: N, new: M) -> Result<(), TooMuchWork> {
        if self.leads_on(&at) {
            return self.push_items_of_landmarks(&at, old, new);
        }
        let place = self.pointers.1.as_str();
        let wanted = &*modes_at(self.comparison, self.new, place);
        let (old, new): (Vec<N>, Vec<M>) = (old.items().collect(), new.items().collect());
        let schema = self.comparison.schema.filter(|_| self.sameness.strictness().is_by_meaning());
        let mut found = match schema {
            Some(schema) => schema.align(place, (&old, &new), wanted, self.sameness)?,
            None => align(&old, &new, wanted, self.sameness)?,
        };
        let (of_old, of_new) = (at.marks.0.unknown, at.marks.1.unknown);
        let marked_old = |n| of_old.enter(Trail::Item(n)).is_inside();
        let marked_new = |n| of_new.enter(Trail::Item(n)).is_inside();
        let marked: (&dyn Fn(usize) -> bool, &dyn Fn(usize) -> bool) = (&marked_old, &marked_new);
        // Y1 to Y4
        pair_unknown(&mut found, (&old, &new), marked, !wanted.is_empty(), self.sameness)?;
        for &step in &found.steps {
            let (from, to) = match step {
                ListStep::Pair { is_same: true, old: from, new: to }
                    if at.is_plain() && self.sameness.is_identical(old[from], new[to])? =>
                {
                    continue;
                }
                ListStep::Pair { old, new, .. } => (Some(old), Some(new)),
                ListStep::Removed(old) => (Some(old), None),
                ListStep::Added(new) => (None, Some(new)),
            };
            let trail = |index: Option<usize>| Trail::Item(index.or(from).or(to).unwrap_or_default());
            let values = (from.map(|n| old[n]), to.map(|n| new[n]));
            let item = Some(ItemPlace { mode: found.mode.clone(), from, to });
            self.push(&at, (trail(from), trail(to)), values, item);
            // It may have been at any position where the other side has a secret now.
            let (of_old, of_new) = (at.marks.0.secret, at.marks.1.secret);
            let other = if from.is_some() { of_new } else { of_old };
            let is_beside_secret = of_old.is_marked() != of_new.is_marked() && other.is_marked();
            if let Some(below) = self.pending.last_mut() {
                below.is_beside_secret = is_beside_secret;
            }
        }
        if found.is_reordered {
            let strictness = self.sameness.strictness();
            // O1, O2, O3, otherwise O4. If nothing is known about a list, a comparison of values
            // counts its order.
            let counts = strictness.is_exact
                || matches!(found.mode, ListMode::OrderedKey(_))
                || (wanted.is_empty() && !strictness.is_by_meaning());
            self.found(at, Action::Reorder, if counts { None } else { Some(Class::Order) }, false);
        }
        Ok(())
    }

    /// Items that are landmarks are skipped; the others are compared by position.
    fn push_items_of_landmarks(
        &mut self,
        at: &Pending<'a, 's, N, M>,
        old: N,
        new: M,
    ) -> Result<(), TooMuchWork> {
        self.sameness.spend(old.width().saturating_add(new.width()))?;
        let state = self.enter(at.state, Trail::Item(0));
        let pattern = self.comparison.without.zip(state).and_then(|(without, state)| {
            without.rule.patterns().get(usize::from(without.matcher.landmark(state)?))
        });
        let is_rest_of_old = |item: &N| pattern.is_none_or(|pattern| !pattern.key().is_of(None, *item));
        let is_rest_of_new = |item: &M| pattern.is_none_or(|pattern| !pattern.key().is_of(None, *item));
        let none = ItemRuns::default();
        let known = self.comparison.without.map_or((&none, &none), |without| without.known);
        let lists = (self.pointers.0.as_str().to_owned(), self.pointers.1.as_str().to_owned());
        let mut old = known.0.others(&lists.0, old.items()).filter(|(_, item)| is_rest_of_old(item));
        let mut new = known.1.others(&lists.1, new.items()).filter(|(_, item)| is_rest_of_new(item));
        loop {
            let (old, new) = (old.next(), new.next());
            let (from, to) = (old.map(|(n, _)| n), new.map(|(n, _)| n));
            let Some(any) = to.or(from) else { return Ok(()) };
            let trails = (Trail::Item(from.unwrap_or(any)), Trail::Item(to.unwrap_or(any)));
            self.push(at, trails, (old.map(|(_, item)| item), new.map(|(_, item)| item)), None);
        }
    }

    /// Reports a difference at the current place.
    fn found(&mut self, at: Pending<'a, 's, N, M>, action: Action, class: Option<Class>, is_possible: bool) {
        let (old, new) = (self.pointers.0.as_str(), self.pointers.1.as_str());
        let pointer = if action == Action::Remove { old } else { new }.to_owned();
        let old_pointer = (old != pointer && action != Action::Add).then(|| old.to_owned());
        let of_place = self.comparison.classes.class_of(&pointer);
        let class = match (class, of_place) {
            // Changes in them do not count. C1
            (_, Some(Class::Metadata)) => Class::Metadata,
            // C5 to C13, otherwise C14
            (Some(class), _) | (None, Some(class)) => class,
            // C16 or C17
            (None, None) => self.comparison.usual,
        };
        let is_secret = at.old.is_some_and(|old| is_secret(old, at.marks.0))
            || at.new.is_some_and(|new| is_secret(new, at.marks.1))
            || at.may_be_secret();
        let old = at.old.map(|old| (old, at.marks.0.secret.seen()));
        let new = at.new.map(|new| (new, at.marks.1.secret.seen()));
        (self.each)(Difference {
            pointer,
            old_pointer,
            action,
            class,
            item: at.item,
            old,
            new,
            is_possible,
            is_secret,
        });
    }
}

impl<N, M> Pending<'_, '_, N, M> {
    /// Whether a value on only one side may be a secret of the other side: rows X3 and X4.
    fn may_be_secret(&self) -> bool {
        let (own, other) = match (&self.old, &self.new) {
            (Some(_), None) => (self.marks.0.secret, self.marks.1.secret),
            (None, Some(_)) => (self.marks.1.secret, self.marks.0.secret),
            _ => return false,
        };
        self.is_beside_secret || other.is_inside() || (other.is_marked() && !own.is_marked())
    }

    /// Whether no external mark is at or below this place.
    fn is_plain(&self) -> bool {
        let is_outside = |along: Along<'_>| along.set.is_none() || along.place == Place::Outside;
        [self.marks.0, self.marks.1].iter().all(|marks| is_outside(marks.secret) && is_outside(marks.unknown))
    }
}

/// The modes for the list at a place: rows L1 to L7 of §16.3. The rows after them are those of
/// [`align`].
fn modes_at<'c, 'a, M: Node<'a>>(
    comparison: &Comparison<'c>,
    new: Option<M>,
    place: &str,
) -> Cow<'c, [ListMode]> {
    let of_registry = match comparison.lists.ruled(place) {
        // L1
        RuledModes::OfCaller(modes) => return Cow::Borrowed(modes),
        RuledModes::OfRegistry(modes) => modes,
        RuledModes::None => &[],
    };
    // L2
    let is_open = matches!(of_registry.first(), None | Some(ListMode::Ordered | ListMode::OrderedKey(_)));
    if !is_open {
        return Cow::Borrowed(of_registry);
    }
    // L3 and L4
    let of_schema = comparison.schema.map(|schema| schema.modes(place)).unwrap_or_default();
    if !of_schema.is_empty() {
        return Cow::Owned(of_schema);
    }
    // L5
    if !of_registry.is_empty() {
        return Cow::Borrowed(of_registry);
    }
    // L6 and L7
    let root = new.filter(|_| comparison.has_blocks);
    Cow::Owned(root.and_then(|root| modes_of_type(root, place)).unwrap_or_default())
}

fn keys_are_aligned<'a, N: Node<'a>, M: Node<'a>>(old: N, new: M) -> bool {
    old.width() == new.width() && old.entries().zip(new.entries()).all(|(old, new)| old.0 == new.0)
}

/// Whether a value is secret: by an external mark, or by its own form.
fn is_secret<'a, N: Node<'a>>(value: N, marks: Marks<'_>) -> bool {
    marks.secret.is_inside()
        || value.kind() == Kind::Object
            && (matches!(Special::of(value), Some(Special::Secret(_))) || is_secure(value))
}

/// Encrypted configuration: `{"secure": text}`.
fn is_secure<'a, N: Node<'a>>(value: N) -> bool {
    value.width() == 1 && value.get("secure").is_some_and(|text| text.kind() == Kind::String)
}

fn is_encrypted<'a, N: Node<'a>>(value: N) -> bool {
    use coconut_format::graph::Secret;
    value.kind() == Kind::Object
        && (is_secure(value) || matches!(Special::of(value), Some(Special::Secret(Secret::Ciphertext(_)))))
}

/// Whether both are assets or archives with the same content, at any location.
fn is_same_asset<'a, N: Node<'a>, M: Node<'a>>(old: N, new: M) -> bool {
    match (Special::of(old), Special::of(new)) {
        (Some(Special::Asset { hash: Some(a), .. }), Some(Special::Asset { hash: Some(b), .. }))
        | (Some(Special::Archive { hash: Some(a), .. }), Some(Special::Archive { hash: Some(b), .. })) => {
            a == b && !a.is_empty()
        }
        _ => false,
    }
}
