//! Full keys of landmarks in parts (§8.1): for a nested landmark, only its own key is kept.

use crate::wire::ids::Ordinal;
use crate::wire::keys::{hash, hash_after};
use coconut_format::landmark::OwnKeys;
use foldhash::fast::RandomState;
use hashbrown::HashTable;
use std::cmp::Ordering;
use std::hash::BuildHasher;
use std::ops::Range;

/// Own keys of at least this length are kept once, however many landmarks have them. Any number of
/// landmarks can have the same string of up to 64 KiB as their own key.
const LONG_KEY: usize = 64;

/// Full keys by ordinal, storing only the distinct own keys. Storing whole keys of nested landmarks
/// would take up to 512 times as much.
#[derive(Debug, Default)]
pub(crate) struct FullKeys {
    /// Own keys, one after the other.
    text: String,
    /// The range of each landmark's own key in `text`.
    own: Vec<Range<usize>>,
    /// The separator between a full key and the own key after it. `None` if own keys are full keys.
    join: Option<String>,
    /// The parent of each landmark, which has a lower ordinal.
    parents: Vec<Option<Ordinal>>,
    /// Length of each full key in bytes. Empty without `join`.
    lengths: Vec<u64>,
    /// The first landmark with the same own keys on each level. Empty unless landmarks nest deeply.
    alike: Vec<Ordinal>,
}

/// From this number of levels on, landmarks with the same own keys on each level count as one. Keys
/// that differ on only some levels are then compared once, not once for each landmark inside them.
const DEEP: u32 = 16;

impl FullKeys {
    /// The full keys of landmarks with these own keys and parents.
    pub(crate) fn new<'k>(
        own_keys: impl Iterator<Item = &'k str>,
        join: Option<&str>,
        parents: &[Option<Ordinal>],
    ) -> FullKeys {
        let mut keys = FullKeys::default();
        keys.own.reserve(parents.len());
        // The first landmark with each long own key.
        let (mut long, hasher) = (HashTable::<Ordinal>::new(), RandomState::default());
        for (ordinal, key) in (0..).map(Ordinal).zip(own_keys) {
            let known = |&ordinal: &Ordinal| keys.own(ordinal).unwrap_or_default();
            let first = (key.len() >= LONG_KEY).then(|| {
                if long.is_empty() {
                    // If one key is long, most are. Growing the table step by step would hash its
                    // keys each time.
                    long.reserve(parents.len(), |_| 0);
                }
                let hash = hasher.hash_one(key);
                let is_same = |place: &Ordinal| known(place) == key;
                *long.entry(hash, is_same, |place| hasher.hash_one(known(place))).or_insert(ordinal).get()
            });
            let place = match first.filter(|&first| first != ordinal) {
                Some(first) => keys.own[first.index()].clone(),
                None => keys.text.len()..keys.text.len() + key.len(),
            };
            if place.start == keys.text.len() {
                keys.text.push_str(key);
            }
            keys.own.push(place);
        }
        let Some(join) = join else { return keys };
        let (mut levels, mut deepest) = (Vec::with_capacity(parents.len()), 0u32);
        for (own, parent) in keys.own.iter().zip(parents) {
            let around = parent.map_or(0, |parent| keys.lengths[parent.index()] + join.len() as u64);
            keys.lengths.push(around.saturating_add(own.len() as u64));
            let level = parent.map_or(0, |parent| levels[parent.index()] + 1);
            levels.push(level);
            deepest = deepest.max(level);
        }
        let mut keys = FullKeys { join: Some(join.to_owned()), parents: parents.to_vec(), ..keys };
        if deepest >= DEEP {
            keys.find_alike();
        }
        keys
    }

    /// Finds the landmarks with the same own keys on each level, from the outside in.
    fn find_alike(&mut self) {
        let hasher = RandomState::default();
        let mut known = HashTable::<Ordinal>::with_capacity(self.len());
        let mut alike: Vec<Ordinal> = Vec::with_capacity(self.len());
        for (ordinal, &parent) in (0..).map(Ordinal).zip(&self.parents) {
            let around = |parent: Option<Ordinal>| parent.map(|parent| alike[parent.index()]);
            let parts_of = |ordinal: Ordinal| (around(self.parents[ordinal.index()]), self.own(ordinal));
            let parts = (around(parent), self.own(ordinal));
            let hash_of = |&other: &Ordinal| hasher.hash_one(parts_of(other));
            let is_same = |&other: &Ordinal| parts_of(other) == parts;
            let first = *known.entry(hasher.hash_one(parts), is_same, hash_of).or_insert(ordinal).get();
            alike.push(first);
        }
        self.alike = alike;
    }

    /// The first landmark that is known to have the full key of this one, often itself.
    pub(crate) fn first_alike(&self, ordinal: Ordinal) -> Ordinal {
        self.alike.get(ordinal.index()).copied().unwrap_or(ordinal)
    }

    /// The hashes of the full keys (§8.5), by ordinal. Each continues from the hash of the parent.
    pub(crate) fn hashes(&self) -> Vec<u32> {
        let mut hashes: Vec<u32> = Vec::with_capacity(self.len());
        for ordinal in (0..).map(Ordinal).take(self.len()) {
            let own = self.own(ordinal).unwrap_or_default();
            let around = self.join.as_deref().zip(self.parents.get(ordinal.index()).copied().flatten());
            hashes.push(match around {
                Some((join, parent)) => hash_after(hashes[parent.index()], [join, own]),
                None => hash(own),
            });
        }
        hashes
    }

    /// Numbers in the order of full keys with equal hashes, by ordinal. `None` unless landmarks
    /// nest deeply; otherwise comparing the keys is as fast.
    pub(crate) fn ranks(&self, hashes: &[u32]) -> Option<Vec<u32>> {
        if self.alike.is_empty() {
            return None;
        }
        let hash = |ordinal: Ordinal| hashes[ordinal.index()];
        let firsts = (0..).map(Ordinal).zip(&self.alike).filter(|(ordinal, first)| ordinal == *first);
        let mut firsts: Vec<Ordinal> = firsts.map(|(ordinal, _)| ordinal).collect();
        firsts.sort_by(|&one, &other| hash(one).cmp(&hash(other)).then_with(|| self.compare(one, other)));
        let (mut ranks, mut rank) = (vec![0; self.len()], 0);
        let mut before: Option<Ordinal> = None;
        for &first in &firsts {
            let is_equal = |before| hash(before) == hash(first) && self.compare(before, first).is_eq();
            rank += u32::from(!before.is_some_and(is_equal));
            ranks[first.index()] = rank;
            before = Some(first);
        }
        Some(self.alike.iter().map(|first| ranks[first.index()]).collect())
    }

    fn own(&self, ordinal: Ordinal) -> Option<&str> {
        self.text.get(self.own.get(ordinal.index())?.clone())
    }

    pub(crate) fn len(&self) -> usize {
        self.own.len()
    }

    /// Whether landmark `ordinal` has this full key.
    pub(crate) fn is(&self, ordinal: Ordinal, key: &str) -> bool {
        let (Some(join), Some(&length)) = (&self.join, self.lengths.get(ordinal.index())) else {
            return self.own(ordinal) == Some(key);
        };
        if length != key.len() as u64 {
            return false;
        }
        let (mut rest, mut at) = (key.as_bytes(), Some(ordinal));
        while let Some(ordinal) = at {
            at = self.parents[ordinal.index()];
            let join = if at.is_some() { join.as_str() } else { "" };
            let before = self.own(ordinal).and_then(|own| rest.strip_suffix(own.as_bytes()));
            match before.and_then(|before| before.strip_suffix(join.as_bytes())) {
                Some(before) => rest = before,
                None => return false,
            }
        }
        rest.is_empty()
    }

    /// Compares two full keys by their bytes, starting after the key of their innermost common
    /// parent. Landmarks may nest 512 levels deep, so comparing whole keys of siblings could take
    /// that many times as long.
    pub(crate) fn compare(&self, one: Ordinal, other: Ordinal) -> Ordering {
        let (one, other) = (self.first_alike(one), self.first_alike(other));
        let parent = |ordinal: Ordinal| self.parents.get(ordinal.index()).copied().flatten();
        if self.join.is_none() || parent(one) == parent(other) {
            return self.own(one).cmp(&self.own(other));
        }
        let [one, other] = self.parts_after_common(one, other);
        let (mut one, mut other) = (one.into_iter(), other.into_iter());
        let (mut left, mut right): (&[u8], &[u8]) = (&[], &[]);
        loop {
            // The next part that is not empty, or the end.
            while let (true, Some(part)) = (left.is_empty(), one.as_slice().first()) {
                (left, _) = (part.as_bytes(), one.next());
            }
            while let (true, Some(part)) = (right.is_empty(), other.as_slice().first()) {
                (right, _) = (part.as_bytes(), other.next());
            }
            let common = left.len().min(right.len());
            let order = left[..common].cmp(&right[..common]);
            if order.is_ne() || common == 0 {
                return order.then(left.len().cmp(&right.len()));
            }
            (left, right) = (&left[common..], &right[common..]);
        }
    }
}

impl FullKeys {
    /// The parts of two full keys, in order, without those of their innermost common parent.
    fn parts_after_common(&self, one: Ordinal, other: Ordinal) -> [Vec<&str>; 2] {
        let join = self.join.as_deref().unwrap_or_default();
        let (mut ends, mut parts) = ([Some(one), Some(other)], [Vec::new(), Vec::new()]);
        // A parent has a lower ordinal, so the end with the higher ordinal is not a parent of the
        // other.
        while ends[0] != ends[1] {
            let side = usize::from(ends[1] > ends[0]);
            let Some(ordinal) = ends[side] else { break };
            parts[side].extend(self.own(ordinal));
            ends[side] = self.parents[ordinal.index()].map(|parent| self.first_alike(parent));
            if ends[side].is_some() {
                parts[side].push(join);
            }
        }
        parts.iter_mut().for_each(|parts| parts.reverse());
        parts
    }
}

impl OwnKeys for FullKeys {
    fn own_key(&self, ordinal: u32) -> Option<&str> {
        self.own(Ordinal(ordinal))
    }

    fn parent_of(&self, ordinal: u32) -> Option<u32> {
        self.parents.get(ordinal as usize).copied().flatten().map(|parent| parent.0)
    }

    fn join(&self) -> Option<&str> {
        self.join.as_deref()
    }
}

/// See [`OwnKeys::each_key`].
pub(crate) type EachKey<'k> = coconut_format::landmark::EachKey<'k, FullKeys>;

#[cfg(test)]
mod tests {
    use super::*;

    /// Nested landmarks. Some have equal keys of different parts, or the same long own key.
    fn nested() -> (FullKeys, Vec<String>) {
        let long = "l".repeat(LONG_KEY);
        let own = ["a", "b/c", "b", "c", "", "", "/", "a/b", "c", &long, "x", &long, "a", &long];
        let parents = [
            None,
            Some(0),
            Some(0),
            Some(2),
            None,
            Some(4),
            Some(5),
            None,
            Some(7),
            None,
            Some(9),
            Some(10),
            None,
            None,
        ]
        .map(|parent| parent.map(Ordinal));
        let mut full: Vec<String> = Vec::new();
        for (own, parent) in own.iter().zip(&parents) {
            full.push(parent.map_or(own.to_string(), |parent| format!("{}/{own}", full[parent.index()])));
        }
        (FullKeys::new(own.into_iter(), Some("/"), &parents), full)
    }

    #[test]
    fn full_keys_are_made_of_own_keys() {
        let (keys, full) = nested();
        assert_eq!((full[1].as_str(), full[3].as_str(), full[6].as_str()), ("a/b/c", "a/b/c", "///"));
        let mut each = keys.each_key();
        for (ordinal, expected) in (0..).map(Ordinal).zip(&full) {
            assert_eq!(
                (each.read_next(), &*keys.whole_key(ordinal.0)),
                (Some(expected.as_str()), expected.as_str())
            );
            for (other, key) in (0..).map(Ordinal).zip(&full) {
                assert_eq!(keys.is(other, expected), key == expected, "{other:?} is {expected}");
                assert_eq!(keys.compare(ordinal, other), expected.cmp(key), "{expected} and {key}");
            }
            for other in
                [&expected[1.min(expected.len())..], &format!("{expected}/"), &format!("x{expected}")]
            {
                assert_eq!(keys.is(ordinal, other), other == expected, "{other}");
            }
        }
        assert_eq!((each.read_next(), keys.len()), (None, full.len()));
    }

    /// Landmarks in two chains of `deep` levels, with the same keys cut in other places.
    fn chains(deep: u32) -> (FullKeys, Vec<String>) {
        let (mut own, mut parents) = (Vec::new(), Vec::new());
        for (first, leaves) in
            [("aa", ["aab", "aa", "aab"]), ("a", ["ab", "a", "ab"]), ("aa", ["aac", "aa", "aab"])]
        {
            let start = u32::try_from(own.len()).unwrap();
            for level in 0..deep {
                own.push(if level == 0 { first } else { "aa" });
                parents.push((level > 0).then(|| Ordinal(start + level - 1)));
            }
            own.extend(leaves);
            parents.extend([Some(Ordinal(start + deep - 1)); 3]);
        }
        let mut full: Vec<String> = Vec::new();
        for (own, parent) in own.iter().zip(&parents) {
            full.push(parent.map_or_else(String::new, |parent| full[parent.index()].clone()) + own);
        }
        (FullKeys::new(own.into_iter(), Some(""), &parents), full)
    }

    #[test]
    fn keys_that_nest_deeply_are_compared_as_others_are() {
        for deep in [DEEP, DEEP + 3] {
            let (keys, full) = chains(deep);
            let hashes = keys.hashes();
            let ranks = keys.ranks(&hashes).unwrap();
            for (one, key) in (0..).map(Ordinal).zip(&full) {
                assert_eq!(hashes[one.index()], hash(key));
                for (other, second) in (0..).map(Ordinal).zip(&full) {
                    assert_eq!(keys.compare(one, other), key.cmp(second), "{key} and {second}");
                    if hashes[one.index()] == hashes[other.index()] {
                        assert_eq!(ranks[one.index()].cmp(&ranks[other.index()]), key.cmp(second));
                    }
                }
            }
        }
        let (shallow, _) = chains(DEEP - 1);
        assert_eq!(shallow.ranks(&shallow.hashes()), None);
    }

    #[test]
    fn own_keys_are_full_keys_without_a_join() {
        let keys = FullKeys::new(["b", "a", "b"].into_iter(), None, &[None, Some(Ordinal(0)), None]);
        let mut each = keys.each_key();
        let read: Vec<String> = std::iter::from_fn(|| each.read_next().map(str::to_owned)).collect();
        assert_eq!(read, ["b", "a", "b"]);
        assert_eq!(
            [(0, 1), (0, 2), (1, 0)].map(|(one, other)| keys.compare(Ordinal(one), Ordinal(other))),
            [Ordering::Greater, Ordering::Equal, Ordering::Less]
        );
        assert_eq!(
            [(0, "b"), (1, "b"), (2, "b"), (3, "b")].map(|(at, key)| keys.is(Ordinal(at), key)),
            [true, false, true, false]
        );
        assert_eq!(keys.whole_key(1), "a");
    }

    #[test]
    fn a_long_own_key_is_kept_once_and_a_nested_one_without_its_parents() {
        let (long, short) = ("l".repeat(LONG_KEY), "s".repeat(LONG_KEY - 1));
        let parents: Vec<Option<Ordinal>> = (0..100u32).map(|n| n.checked_sub(1).map(Ordinal)).collect();
        let held = |key: &str| FullKeys::new((0..100).map(|_| key), Some("/"), &parents).text.len();
        assert_eq!((held(&long), held(&short)), (LONG_KEY, 100 * (LONG_KEY - 1)));
    }
}
