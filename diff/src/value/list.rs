//! §16.3 Pairing the items of two lists.

use crate::value::align::{common, gaps};
use crate::value::class::{Scope, rows};
use crate::value::places::PlacePattern;
use crate::value::same::{Sameness, TooMuchWork, Tree};
use coconut_format::node::{Kind, Node};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet, VecDeque};
use std::fmt;
use std::ops::Range;

/// The mode in which the items of two lists are paired.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ListMode {
    /// By position.
    Index,
    /// By the longest common subsequence. Order counts.
    Ordered,
    /// Equal items, each once.
    Set,
    /// Equal items, as often as they occur.
    Multiset,
    /// By the texts of these entries: `protocol=TCP` uses `TCP` if the entry is missing.
    Key(Vec<Cow<'static, str>>),
    /// By the texts of these entries. Order counts.
    OrderedKey(Vec<Cow<'static, str>>),
}

impl fmt::Display for ListMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ListMode::Index => f.write_str("index"),
            ListMode::Ordered => f.write_str("ordered"),
            ListMode::Set => f.write_str("set"),
            ListMode::Multiset => f.write_str("multiset"),
            ListMode::Key(keys) => write!(f, "key:{}", keys.join(",")),
            ListMode::OrderedKey(keys) => write!(f, "ordered:{}", keys.join(",")),
        }
    }
}

impl ListMode {
    /// Parses the text of a mode.
    pub fn parse(text: &str) -> Option<ListMode> {
        Some(match text {
            "index" => ListMode::Index,
            "ordered" => ListMode::Ordered,
            "set" => ListMode::Set,
            "multiset" => ListMode::Multiset,
            _ => {
                let (how, keys) = text.split_once(':').filter(|(_, keys)| !keys.is_empty())?;
                let keys = keys.split(',').map(|key| Cow::Owned(key.to_owned())).collect();
                match how {
                    "key" => ListMode::Key(keys),
                    "ordered" => ListMode::OrderedKey(keys),
                    _ => return None,
                }
            }
        })
    }

    /// The entries by which items are paired. The text after `=` replaces a missing entry.
    pub fn keys(&self) -> &[Cow<'static, str>] {
        match self {
            ListMode::Key(keys) | ListMode::OrderedKey(keys) => keys,
            _ => &[],
        }
    }
}

/// The rows of the registry: dialects, types, place, modes.
const ROWS: &str = include_str!("lists.tsv");

/// The rules for lists that apply in one scope.
#[derive(Clone, Debug, Default)]
pub struct ListRules {
    rules: Vec<(PlacePattern, Vec<ListMode>)>,
    /// The number of rules given by the caller, which come first.
    of_caller: usize,
}

/// The modes that a rule gives for a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RuledModes<'r> {
    /// Row L1: the caller gives it.
    OfCaller(&'r [ListMode]),
    /// Rows L2 and L5: the registry has a row.
    OfRegistry(&'r [ListMode]),
    /// There is no rule.
    None,
}

impl ListRules {
    /// The rules of a scope. Those in `first` come before those of the registry.
    pub fn of(scope: &Scope<'_>, first: &[(PlacePattern, ListMode)]) -> ListRules {
        let first = first.iter().map(|(pattern, mode)| (pattern.clone(), vec![mode.clone()]));
        let rows = rows(ROWS).filter(|[dialects, types, ..]| scope.is_of(dialects, types));
        let parsed = rows.filter_map(|[_, _, place, modes]| {
            let modes = modes.split(' ').map(ListMode::parse).collect::<Option<Vec<ListMode>>>()?;
            Some((PlacePattern::parse(place).ok()?, modes))
        });
        let of_caller = first.len();
        ListRules { rules: first.chain(parsed).collect(), of_caller }
    }

    /// The modes to try for the list at a place, if there is a rule.
    pub fn of_place(&self, place: &str) -> &[ListMode] {
        match self.ruled(place) {
            RuledModes::OfCaller(modes) | RuledModes::OfRegistry(modes) => modes,
            RuledModes::None => &[],
        }
    }

    /// The same modes, and the origin of the rule.
    pub(super) fn ruled(&self, place: &str) -> RuledModes<'_> {
        match self.rules.iter().enumerate().find(|(_, (pattern, _))| pattern.is(place)) {
            Some((n, (_, modes))) if n < self.of_caller => RuledModes::OfCaller(modes),
            Some((_, (_, modes))) => RuledModes::OfRegistry(modes),
            None => RuledModes::None,
        }
    }
}

/// One step through two lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListStep {
    /// These items are paired. If they are known to be equal, nothing is left to compare.
    Pair {
        /// The position in the old list.
        old: usize,
        /// The position in the new list.
        new: usize,
        /// Whether they are known to be equal.
        is_same: bool,
    },
    /// Only the old list has this item.
    Removed(usize),
    /// Only the new list has this item.
    Added(usize),
}

/// The alignment of two lists.
#[derive(Clone, Debug)]
pub struct Alignment {
    /// The mode in which the items were paired.
    pub mode: ListMode,
    /// The steps in the order of the new list, each removed item before its replacement.
    pub steps: Vec<ListStep>,
    /// Whether paired items have another order.
    pub is_reordered: bool,
}

/// Entries that identify items of lists, the best first.
const KEYS: [&str; 10] = ["urn", "address", "key", "name", "id", "Key", "Name", "sid", "Sid", "deviceName"];

/// Pairs the items of two lists. `wanted` are the modes to try first.
pub fn align<'a, N: Node<'a>, M: Node<'a>>(
    old: &[N],
    new: &[M],
    wanted: &[ListMode],
    sameness: &mut Sameness,
) -> Result<Alignment, TooMuchWork> {
    sameness.spend(old.len().saturating_add(new.len()))?;
    for mode in wanted {
        let found = match mode {
            // Rows I1 to I6 of §16.3.
            ListMode::Index => Some(by_index(old.len(), new.len())),
            ListMode::Ordered => Some(in_order(old, new, sameness)?),
            // In an exact comparison, repeated items are a difference, too.
            ListMode::Set => Some(as_set(old, new, !sameness.strictness().is_exact, sameness)?),
            ListMode::Multiset => Some(as_set(old, new, false, sameness)?),
            ListMode::Key(keys) | ListMode::OrderedKey(keys) => {
                by_key(old, new, keys).map(|found| Alignment { mode: mode.clone(), ..found })
            }
        };
        if let Some(found) = found {
            return Ok(found);
        }
    }
    // L8
    for key in KEYS {
        let is_text = |value: Option<Kind>| value == Some(Kind::String);
        let have_it = !old.is_empty()
            && !new.is_empty()
            && old.iter().all(|item| is_text(item.get(key).map(Node::kind)))
            && new.iter().all(|item| is_text(item.get(key).map(Node::kind)));
        if have_it && let Some(found) = by_key(old, new, &[Cow::Borrowed(key)]) {
            return Ok(found);
        }
    }
    // L9
    if sameness.strictness().is_by_meaning() && old.len() == new.len() {
        let found = as_set(old, new, false, sameness)?;
        if found.steps.iter().all(|step| matches!(step, ListStep::Pair { is_same: true, .. })) {
            return Ok(Alignment { mode: ListMode::Ordered, ..found });
        }
    }
    // L10
    in_order(old, new, sameness)
}

fn by_index(old: usize, new: usize) -> Alignment {
    let pairs = (0..old.min(new)).map(|n| ListStep::Pair { old: n, new: n, is_same: false });
    let removed = (new..old.max(new)).map(ListStep::Removed);
    let added = (old..new.max(old)).map(ListStep::Added);
    let steps = pairs.chain(removed).chain(added).collect();
    Alignment { mode: ListMode::Index, steps, is_reordered: false }
}

/// `None` unless each item has a unique key.
fn by_key<'a, N: Node<'a>, M: Node<'a>>(
    old: &[N],
    new: &[M],
    keys: &[Cow<'static, str>],
) -> Option<Alignment> {
    let of_old = keys_of(old, keys)?;
    let of_new = keys_of(new, keys)?;
    let mut positions: HashMap<&str, usize> = HashMap::with_capacity(old.len());
    for (n, key) in of_old.iter().enumerate() {
        if positions.insert(key, n).is_some() {
            return None;
        }
    }
    let mut seen = HashSet::with_capacity(new.len());
    let partners: Vec<Option<usize>> =
        of_new.iter().map(|key| positions.get(key.as_str()).copied()).collect();
    if !of_new.iter().all(|key| seen.insert(key.as_str())) {
        return None;
    }
    Some(of_partners(ListMode::Key(keys.to_vec()), old.len(), &partners, false))
}

/// The texts of these entries for each item. `None` if an item is not an object or has none of
/// them.
fn keys_of<'a, N: Node<'a>>(items: &[N], keys: &[Cow<'static, str>]) -> Option<Vec<String>> {
    let key_of = |item: &N| {
        let mut text = String::new();
        let mut has_one = item.kind() == Kind::Object && keys.iter().any(|key| key == "index_key");
        for key in keys {
            let (key, usual) = key.split_once('=').map_or((&**key, None), |(key, usual)| (key, Some(usual)));
            let value = item.get(key);
            has_one |= value.is_some();
            match value.map(Node::kind) {
                None | Some(Kind::Null) => {
                    if let Some(usual) = usual {
                        text.push('"');
                        text.push_str(usual);
                    }
                }
                Some(Kind::String) => {
                    text.push('"');
                    text.push_str(value.and_then(Node::as_str).unwrap_or_default());
                }
                Some(Kind::Integer) => {
                    let number = value.and_then(Node::as_integer)?;
                    text.push_str(&number.to_string());
                }
                Some(_) => return None,
            }
            text.push('\0');
        }
        has_one.then_some(text)
    };
    items.iter().map(key_of).collect()
}

/// The alignment in which each new item has this partner.
fn of_partners(mode: ListMode, old: usize, partners: &[Option<usize>], is_same: bool) -> Alignment {
    let mut is_paired = vec![false; old];
    partners.iter().flatten().for_each(|&partner| is_paired[partner] = true);
    let mut removed = (0..old).filter(|&n| !is_paired[n]).peekable();
    let mut steps = Vec::with_capacity(partners.len());
    let (mut is_reordered, mut last) = (false, None);
    for (new, &partner) in partners.iter().enumerate() {
        while let Some(gone) = removed.next_if(|&gone| gone <= partner.unwrap_or(new)) {
            steps.push(ListStep::Removed(gone));
        }
        match partner {
            None => steps.push(ListStep::Added(new)),
            Some(old) => {
                is_reordered |= last.is_some_and(|last| old < last);
                last = Some(old);
                steps.push(ListStep::Pair { old, new, is_same });
            }
        }
    }
    steps.extend(removed.map(ListStep::Removed));
    Alignment { mode, steps, is_reordered }
}

/// A number for each item: equal items have equal numbers.
fn tokens<'a, N: Node<'a>, M: Node<'a>>(
    old: &[N],
    new: &[M],
    sameness: &mut Sameness,
) -> Result<[Vec<u32>; 2], TooMuchWork> {
    // By hash: a number, and the first item that has it, for each distinct item of the old list.
    let mut known: HashMap<u64, Vec<(u32, usize)>> = HashMap::new();
    let mut next = 0u32;
    let mut of_old = Vec::with_capacity(old.len());
    let mut twins = Sameness::new(sameness.strictness(), u64::MAX);
    for (n, &item) in old.iter().enumerate() {
        let same = known.entry(sameness.hash(item, Tree::Old)?).or_default();
        let mut number = None;
        for &(candidate, first) in same.iter() {
            sameness.spend(1)?;
            if twins.is_same(item, old[first])? {
                number = Some(candidate);
                break;
            }
        }
        of_old.push(number.unwrap_or_else(|| {
            same.push((next, n));
            next += 1;
            next - 1
        }));
    }
    let mut of_new = Vec::with_capacity(new.len());
    // Items in only the new list, by hash.
    let mut fresh: HashMap<u64, Vec<(u32, usize)>> = HashMap::new();
    for (n, &item) in new.iter().enumerate() {
        let hash = sameness.hash(item, Tree::New)?;
        let mut number = None;
        for &(candidate, first) in known.get(&hash).into_iter().flatten() {
            if sameness.is_same(old[first], item)? {
                number = Some(candidate);
                break;
            }
        }
        if number.is_none() {
            let same = fresh.entry(hash).or_default();
            for &(candidate, first) in same.iter() {
                sameness.spend(1)?;
                if twins.is_same(item, new[first])? {
                    number = Some(candidate);
                    break;
                }
            }
            if number.is_none() {
                same.push((next, n));
                number = Some(next);
                next += 1;
            }
        }
        of_new.extend(number);
    }
    Ok([of_old, of_new])
}

/// A number for each item of two lists: equal for items with one key. If some items have no unique
/// key, equal for equal items.
pub(super) fn tokens_of<'a, N: Node<'a>, M: Node<'a>>(
    old: &[N],
    new: &[M],
    sameness: &mut Sameness,
) -> Result<[Vec<u32>; 2], TooMuchWork> {
    for key in KEYS {
        let is_text = |value: Option<Kind>| value == Some(Kind::String);
        let have_it = old.iter().all(|item| is_text(item.get(key).map(Node::kind)))
            && new.iter().all(|item| is_text(item.get(key).map(Node::kind)));
        if have_it && let Some(found) = by_key(old, new, &[Cow::Borrowed(key)]) {
            let mut of_new = vec![0; new.len()];
            let mut of_old = vec![0; old.len()];
            for (number, step) in (1u32..).zip(&found.steps) {
                match *step {
                    ListStep::Pair { old, new, .. } => (of_old[old], of_new[new]) = (number, number),
                    ListStep::Removed(old) => of_old[old] = number,
                    ListStep::Added(new) => of_new[new] = number,
                }
            }
            return Ok([of_old, of_new]);
        }
    }
    tokens(old, new, sameness)
}

/// Pairs equal items. Of the rest, a removed and an added item at one position are paired.
fn as_set<'a, N: Node<'a>, M: Node<'a>>(
    old: &[N],
    new: &[M],
    folds: bool,
    sameness: &mut Sameness,
) -> Result<Alignment, TooMuchWork> {
    let [of_old, of_new] = tokens(old, new, sameness)?;
    let mut positions: HashMap<u32, VecDeque<usize>> = HashMap::new();
    let mut is_paired = vec![false; old.len()];
    for (n, &token) in of_old.iter().enumerate() {
        let equal = positions.entry(token).or_default();
        match folds && !equal.is_empty() {
            // A repeated item of a set has no meaning.
            true => is_paired[n] = true,
            false => equal.push_back(n),
        }
    }
    let mut seen: HashMap<u32, usize> = HashMap::new();
    let mut partners: Vec<Option<usize>> = Vec::with_capacity(new.len());
    let mut repeated = vec![false; new.len()];
    for (n, &token) in of_new.iter().enumerate() {
        if folds && let Some(&first) = seen.get(&token) {
            repeated[n] = true;
            partners.push(partners[first]);
            continue;
        }
        seen.insert(token, n);
        let partner = positions.get_mut(&token).and_then(VecDeque::pop_front);
        if let Some(partner) = partner {
            is_paired[partner] = true;
        }
        partners.push(partner);
    }
    let mode = if folds { ListMode::Set } else { ListMode::Multiset };
    let mut steps = Vec::with_capacity(new.len());
    let (mut is_reordered, mut last) = (false, None);
    for n in 0..old.len().max(new.len()) {
        let gone = n < old.len() && !is_paired[n];
        match partners.get(n) {
            Some(None) if !repeated[n] && gone => {
                steps.push(ListStep::Pair { old: n, new: n, is_same: false });
            }
            Some(None) if !repeated[n] => steps.push(ListStep::Added(n)),
            Some(&Some(old)) if !repeated[n] => {
                if gone {
                    steps.push(ListStep::Removed(n));
                }
                is_reordered |= last.is_some_and(|last| old < last);
                last = Some(old);
                steps.push(ListStep::Pair { old, new: n, is_same: true });
            }
            _ if gone => steps.push(ListStep::Removed(n)),
            _ => {}
        }
    }
    Ok(Alignment { mode, steps, is_reordered })
}

/// The maximum number of steps when searching for the longest common subsequence.
const MOST_STEPS: u64 = 20_000_000;

/// Pairs by the longest common subsequence, and then similar items in the gaps.
fn in_order<'a, N: Node<'a>, M: Node<'a>>(
    old: &[N],
    new: &[M],
    sameness: &mut Sameness,
) -> Result<Alignment, TooMuchWork> {
    // Most lists differ in a few items, and hashing all others would cost more.
    let mut start = 0;
    while start < old.len().min(new.len()) && sameness.is_same(old[start], new[start])? {
        start += 1;
    }
    let mut end = 0;
    while end < old.len().min(new.len()) - start
        && sameness.is_same(old[old.len() - 1 - end], new[new.len() - 1 - end])?
    {
        end += 1;
    }
    let (a, b) = (&old[start..old.len() - end], &new[start..new.len() - end]);
    let pairs = match a.is_empty() || b.is_empty() {
        true => Vec::new(),
        false => {
            let [a, b] = tokens(a, b, sameness)?;
            match common(&a, &b, MOST_STEPS) {
                Some(pairs) => pairs,
                None => return Ok(by_index(old.len(), new.len())),
            }
        }
    };
    let equal = |old: usize, new: usize| ListStep::Pair { old, new, is_same: true };
    let mut steps: Vec<ListStep> = (0..start).map(|n| equal(n, n)).collect();
    let mut paired = pairs.iter().map(|&(x, y)| (x + start, y + start)).peekable();
    for (gone, come) in gaps(&pairs, a.len(), b.len()) {
        let (gone, come) = (gone.start + start..gone.end + start, come.start + start..come.end + start);
        while let Some((x, y)) = paired.next_if(|&(x, _)| x < gone.start) {
            steps.push(equal(x, y));
        }
        pair_similar(old, new, gone, come, sameness, &mut steps)?;
    }
    steps.extend(paired.map(|(x, y)| equal(x, y)));
    steps.extend((0..end).rev().map(|n| equal(old.len() - 1 - n, new.len() - 1 - n)));
    Ok(Alignment { mode: ListMode::Ordered, steps, is_reordered: false })
}

/// The maximum number of items visited in a gap to find a similar one. Similar entries count only
/// if a gap has at most this many pairs.
const MOST_LOOKED_AT: usize = 64;

/// In a gap, similar items are paired, in their order.
fn pair_similar<'a, N: Node<'a>, M: Node<'a>>(
    old: &[N],
    new: &[M],
    gone: Range<usize>,
    come: Range<usize>,
    sameness: &mut Sameness,
    steps: &mut Vec<ListStep>,
) -> Result<(), TooMuchWork> {
    // For many items, a deeper search would take longer than reading both documents.
    let is_small = gone.len().saturating_mul(come.len()) <= MOST_LOOKED_AT;
    let levels = if is_small { MOST_LEVELS } else { 1 };
    let mut next = gone.start;
    for b in come {
        let mut partner = None;
        let looked_at = next..gone.end.min(next + MOST_LOOKED_AT);
        for (a, &item) in looked_at.clone().zip(&old[looked_at]) {
            if is_similar(item, new[b], levels, sameness)? {
                partner = Some(a);
                break;
            }
        }
        match partner {
            None => steps.push(ListStep::Added(b)),
            Some(a) => {
                steps.extend((next..a).map(ListStep::Removed));
                steps.push(ListStep::Pair { old: a, new: b, is_same: false });
                next = a + 1;
            }
        }
    }
    steps.extend((next..gone.end).map(ListStep::Removed));
    Ok(())
}

/// The maximum depth of objects in which similar entries are searched.
const MOST_LEVELS: u32 = 3;

/// Whether two different items appear to be one that changed: rows I7, I8 and I9.
fn is_similar<'a, N: Node<'a>, M: Node<'a>>(
    old: N,
    new: M,
    levels: u32,
    sameness: &mut Sameness,
) -> Result<bool, TooMuchWork> {
    if old.kind() != new.kind() {
        return Ok(false);
    }
    match old.kind() {
        Kind::Object => {
            let mut common = 0;
            for (key, value) in old.entries() {
                sameness.spend(1)?;
                let Some(other) = new.get(key) else { continue };
                if sameness.is_same(value, other)?
                    || (levels > 1 && is_similar(value, other, levels - 1, sameness)?)
                {
                    common += 1;
                }
            }
            Ok(2 * common >= old.width().max(new.width()) && common > 0)
        }
        Kind::String => {
            let has_lines = |text: Option<&str>| text.is_some_and(|text| text.contains('\n'));
            Ok(has_lines(old.as_str()) && has_lines(new.as_str()))
        }
        Kind::List => Ok(true),
        _ => Ok(false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::same::Strictness;
    use coconut_format::landmark::DIALECTS;
    use coconut_format::value::Value;

    fn text(text: &str) -> Value {
        Value::String(text.to_owned())
    }

    fn object(entries: &[(&str, &str)]) -> Value {
        Value::Object(entries.iter().map(|(key, value)| ((*key).to_owned(), text(value))).collect())
    }

    /// `old=new`, `old~new`, `-old` and `+new` for each step, and `*` if the order differs.
    fn shown(old: &[Value], new: &[Value], wanted: &[ListMode]) -> String {
        let (old, new): (Vec<_>, Vec<_>) = (old.iter().collect(), new.iter().collect());
        let mut sameness = Sameness::new(Strictness::default(), 1 << 20);
        let found = align(&old, &new, wanted, &mut sameness).unwrap();
        let steps = found.steps.iter().map(|step| match step {
            ListStep::Pair { old, new, is_same: true } => format!("{old}={new}"),
            ListStep::Pair { old, new, is_same: false } => format!("{old}~{new}"),
            ListStep::Removed(old) => format!("-{old}"),
            ListStep::Added(new) => format!("+{new}"),
        });
        let mut all: Vec<String> = steps.collect();
        all.extend(found.is_reordered.then(|| "*".to_owned()));
        all.insert(0, found.mode.to_string());
        all.join(" ")
    }

    fn letters(letters: &str) -> Vec<Value> {
        letters.chars().map(|letter| text(&letter.to_string())).collect()
    }

    #[test]
    fn the_table_is_the_registry() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../spec/model/registry/lists.tsv");
        assert!(std::fs::read_to_string(path).unwrap() == ROWS, "lists.tsv differs from the registry");
    }

    #[test]
    fn every_row_has_an_effect() {
        use crate::value::places::is_like;
        for [dialects, _, place, modes] in rows(ROWS) {
            assert!(DIALECTS.iter().any(|dialect| is_like(dialects, dialect.name)), "{dialects}");
            assert!(PlacePattern::parse(place).is_ok(), "{place}");
            for mode in modes.split(' ') {
                assert_eq!(ListMode::parse(mode).map(|mode| mode.to_string()).as_deref(), Some(mode));
            }
        }
    }

    #[test]
    fn an_item_put_in_front_changes_no_other() {
        assert_eq!(shown(&letters("bcd"), &letters("abcd"), &[]), "ordered +0 0=1 1=2 2=3");
        assert_eq!(shown(&letters("abcd"), &letters("acxd"), &[]), "ordered 0=0 -1 2=1 +2 3=3");
        assert_eq!(shown(&letters("ab"), &letters("ac"), &[ListMode::Index]), "index 0~0 1~1");
    }

    #[test]
    fn another_order_alone_is_only_that() {
        assert_eq!(shown(&letters("abc"), &letters("cab"), &[]), "ordered 2=0 0=1 1=2 *");
        assert_eq!(shown(&letters("ab"), &letters("ba"), &[ListMode::Ordered]), "ordered -0 1=0 +1");
    }

    #[test]
    fn sets_fold_repeated_items_and_multisets_do_not() {
        assert_eq!(shown(&letters("aab"), &letters("ba"), &[ListMode::Set]), "set 2=0 0=1 *");
        assert_eq!(shown(&letters("aab"), &letters("ba"), &[ListMode::Multiset]), "multiset 2=0 -1 0=1 *");
        assert_eq!(shown(&letters("ax"), &letters("ay"), &[ListMode::Set]), "set 0=0 1~1");
        assert_eq!(shown(&letters("abx"), &letters("yab"), &[ListMode::Set]), "set +0 0=1 -2 1=2");
    }

    #[test]
    fn items_with_keys_are_known_by_them() {
        let old = [object(&[("name", "a"), ("x", "1")]), object(&[("name", "b")])];
        let new = [object(&[("name", "c")]), object(&[("name", "b")]), object(&[("name", "a")])];
        assert_eq!(shown(&old, &new, &[]), "key:name +0 1~1 0~2 *");
        let twice = [object(&[("name", "a")]), object(&[("name", "a")])];
        assert!(shown(&twice, &new, &[]).starts_with("ordered"));
        let in_order = [ListMode::OrderedKey(vec!["name".into()])];
        assert_eq!(shown(&old, &new, &in_order), "ordered:name +0 1~1 0~2 *");
        let sid = [ListMode::Key(vec!["Sid".into()]), ListMode::Multiset];
        assert!(shown(&old, &new, &sid).starts_with("multiset"));
    }

    #[test]
    fn similar_items_in_a_gap_are_one_that_changed() {
        let old = [object(&[("a", "1"), ("b", "1")])];
        assert_eq!(shown(&old, &[object(&[("a", "1"), ("b", "2")])], &[]), "ordered 0~0");
        assert_eq!(shown(&old, &[object(&[("a", "2"), ("b", "2")])], &[]), "ordered +0 -0");
        let around = |inner: &[(&str, &str)], size: &str| {
            Value::Object(vec![("in".into(), object(inner)), ("size".into(), text(size))])
        };
        let old = [around(&[("a", "1"), ("b", "1")], "1")];
        assert_eq!(shown(&old, &[around(&[("a", "1"), ("b", "2")], "2")], &[]), "ordered 0~0");
        assert_eq!(shown(&old, &[around(&[("a", "2"), ("b", "2")], "2")], &[]), "ordered +0 -0");
        let many = |b: &str, sizes: Range<u32>| -> Vec<Value> {
            sizes.map(|n| around(&[("a", &n.to_string()), ("b", b)], &format!("{b}{n}"))).collect()
        };
        assert_eq!(shown(&many("1", 0..8), &many("2", 0..8), &[]).matches('~').count(), 8);
        assert_eq!(shown(&many("1", 0..9), &many("2", 0..9), &[]).matches('~').count(), 0);
    }
}
