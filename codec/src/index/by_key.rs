//! Ordinals of landmarks by their full keys (§8.1).

use super::FullKeys;
use crate::wire::ids::Ordinal;
use coconut_format::landmark::{OwnKeys, without_instances};
use foldhash::fast::RandomState;
use hashbrown::HashTable;
use std::borrow::Cow;
use std::hash::BuildHasher;

/// Ordinals by full key, without the keys: each call receives the same keys again.
///
/// Allocates once for all keys. One allocation per key took a tenth of the time to write a schema.
#[derive(Debug)]
pub(super) struct ByKey {
    /// Numbers of the distinct keys, in order of first appearance.
    table: HashTable<usize>,
    /// The number of the key of each landmark.
    numbers: Vec<u32>,
    /// The ordinals of each distinct key, ascending, one key after the other.
    ordinals: Vec<Ordinal>,
    /// The start of each distinct key in `ordinals`, and the end of the last.
    starts: Vec<usize>,
    hasher: RandomState,
    part: KeyPart,
}

/// The part of a full key that is compared.
#[derive(Clone, Copy, Debug)]
pub(super) enum KeyPart {
    Whole,
    /// The key without instance keys (§8.1).
    Configured,
}

impl KeyPart {
    fn of(self, key: &str) -> Cow<'_, str> {
        match self {
            KeyPart::Whole => Cow::Borrowed(key),
            KeyPart::Configured => without_instances(key),
        }
    }

    /// Whether `key` equals this part of the full key of landmark `ordinal`.
    fn is(self, keys: &FullKeys, ordinal: Ordinal, key: &str) -> bool {
        match self {
            KeyPart::Whole => keys.is(ordinal, key),
            KeyPart::Configured => without_instances(&keys.whole_key(ordinal.0)) == key,
        }
    }
}

impl ByKey {
    pub(super) fn of(keys: &FullKeys) -> ByKey {
        ByKey::of_parts(keys, KeyPart::Whole)
    }

    /// The landmarks by a part of their full keys.
    pub(super) fn of_parts(keys: &FullKeys, part: KeyPart) -> ByKey {
        let hasher = RandomState::default();
        let mut table: HashTable<usize> = HashTable::with_capacity(keys.len());
        // For each distinct key: its first landmark, its hash, and the number of its landmarks.
        let mut distinct: Vec<(Ordinal, u64, usize)> = Vec::with_capacity(keys.len());
        let mut numbers = Vec::with_capacity(keys.len());
        let (mut each, mut ordinals) = (keys.each_key(), (0..).map(Ordinal));
        while let (Some(key), Some(ordinal)) = (each.read_next(), ordinals.next()) {
            let first = keys.first_alike(ordinal);
            if first < ordinal {
                let number: u32 = numbers[first.index()];
                distinct[number as usize].2 += 1;
                numbers.push(number);
                continue;
            }
            let key = part.of(key);
            let hash = hasher.hash_one(&*key);
            let is_same = |&number: &usize| {
                let (first, other, _) = distinct[number];
                other == hash
                    && match part {
                        KeyPart::Whole => keys.compare(first, ordinal).is_eq(),
                        KeyPart::Configured => part.is(keys, first, &key),
                    }
            };
            let place = table.entry(hash, is_same, |&number| distinct[number].1);
            let number = *place.or_insert(distinct.len()).get();
            match distinct.get_mut(number) {
                Some((.., count)) => *count += 1,
                None => distinct.push((ordinal, hash, 1)),
            }
            numbers.push(u32::try_from(number).expect("an index has fewer keys than landmarks"));
        }
        let mut ordinals: Vec<Ordinal> = (0..).map(Ordinal).take(keys.len()).collect();
        ordinals.sort_by_key(|&ordinal| numbers[ordinal.index()]);
        let mut starts = vec![0];
        starts.extend(distinct.iter().scan(0, |end, (.., count)| {
            *end += count;
            Some(*end)
        }));
        ByKey { table, numbers, ordinals, starts, hasher, part }
    }

    pub(super) fn get(&self, keys: &FullKeys, key: &str) -> &[Ordinal] {
        self.number(keys, key).map_or(&[], |number| self.ordinals_of(number))
    }

    /// The number of this key.
    pub(super) fn number(&self, keys: &FullKeys, key: &str) -> Option<usize> {
        let is_key = |&number: &usize| self.part.is(keys, self.ordinals_of(number)[0], key);
        self.table.find(self.hasher.hash_one(key), is_key).copied()
    }

    /// The number of distinct keys.
    pub(super) fn count(&self) -> usize {
        self.starts.len() - 1
    }

    /// The number of the key of landmark `ordinal`.
    pub(super) fn number_of(&self, ordinal: Ordinal) -> u32 {
        self.numbers[ordinal.index()]
    }

    /// The ordinals with the key of landmark `ordinal`.
    pub(super) fn of_ordinal(&self, ordinal: Ordinal) -> &[Ordinal] {
        self.ordinals_of(self.numbers[ordinal.index()] as usize)
    }

    pub(super) fn ordinals_of(&self, number: usize) -> &[Ordinal] {
        &self.ordinals[self.starts[number]..self.starts[number + 1]]
    }
}
