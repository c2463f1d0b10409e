//! Distinct strings and distinct key lists.

use super::{KeyListIndex, StringIndex};
use crate::event::SinkError;
use foldhash::fast::RandomState;
use hashbrown::HashTable;
use std::hash::BuildHasher;
use std::ops::Range;

/// The number of a distinct item, with its hash.
///
/// So a table that grows or skips unequal items need not read the items. Reading them took a sixth
/// of the time of compiling a large package.
#[derive(Clone, Copy)]
pub(super) struct Numbered {
    pub(super) hash: u32,
    pub(super) index: u32,
}

impl Numbered {
    /// The kept part of a hash: an entry then takes eight bytes instead of sixteen. The table of
    /// containers was a quarter of the peak memory of compiling a package.
    #[expect(clippy::cast_possible_truncation, reason = "every bit of a hash is as good as any other")]
    pub(super) fn short_hash(hash: u64) -> u32 {
        hash as u32
    }

    /// The number in `table` for which `is_same` is true.
    #[inline]
    pub(super) fn find(table: &HashTable<Numbered>, hash: u32, is_same: impl Fn(u32) -> bool) -> Option<u32> {
        let found = table.find(Self::spread(hash), |known| known.hash == hash && is_same(known.index));
        found.map(|known| known.index)
    }

    #[inline]
    pub(super) fn insert(self, table: &mut HashTable<Numbered>) {
        table.insert_unique(Self::spread(self.hash), self, |known| Self::spread(known.hash));
    }

    /// A hash for a table, which uses the lowest bits for the place and the highest to compare.
    fn spread(hash: u32) -> u64 {
        u64::from(hash) << 32 | u64::from(hash)
    }
}

/// Distinct strings in one buffer, numbered by first appearance.
pub(crate) struct Strings {
    /// Begins with a byte that belongs to no string.
    text: String,
    /// String `i` is in `text` from bound `i` to bound `i + 1`.
    bounds: Vec<usize>,
    table: HashTable<Numbered>,
    hasher: RandomState,
}

impl Strings {
    pub(crate) fn new() -> Self {
        Strings {
            text: "\0".to_owned(),
            bounds: vec![1],
            table: HashTable::new(),
            // Seeded at random, so that a document cannot be crafted with strings that all collide.
            // Numbers follow first appearance, so the seed has no effect on the output.
            hasher: RandomState::default(),
        }
    }

    /// Reserves memory for `bytes` bytes of text.
    pub(super) fn reserve(&mut self, bytes: usize) {
        self.text.reserve(bytes);
    }

    /// The same strings, without the table that finds them by their text.
    pub(crate) fn finished(self) -> Strings {
        Strings { table: HashTable::new(), ..self }
    }

    pub(crate) fn len(&self) -> usize {
        self.bounds.len() - 1
    }

    pub(crate) fn get(&self, index: StringIndex) -> &str {
        &self.text[self.range(index)]
    }

    #[inline]
    pub(crate) fn bytes(&self, index: StringIndex) -> &[u8] {
        &self.text.as_bytes()[self.range(index)]
    }

    /// The length of a string of less than `N` bytes, and `N` bytes that begin with the byte before
    /// the string, so that there is room for a header. `None` for longer strings, and for some of
    /// the last ones.
    #[inline]
    pub(crate) fn short<const N: usize>(&self, index: StringIndex) -> Option<(usize, &[u8; N])> {
        let Range { start, end } = self.range(index);
        let (length, before) = (end.checked_sub(start)?, start.checked_sub(1)?);
        let window = self.text.as_bytes().get(before..)?.first_chunk()?;
        (length < N).then_some((length, window))
    }

    /// Bytes of all strings together.
    pub(crate) fn size(&self) -> usize {
        self.text.len() - self.bounds[0]
    }

    /// Approximate memory in bytes.
    #[inline]
    pub(super) fn memory(&self) -> usize {
        const EACH: usize = size_of::<usize>() + size_of::<Numbered>();
        self.text.len().saturating_add(EACH.saturating_mul(self.bounds.len()))
    }

    /// Range of a string in the text of all.
    #[inline]
    pub(crate) fn range(&self, index: StringIndex) -> Range<usize> {
        let bounds = &self.bounds[index.0 as usize..][..2];
        bounds[0]..bounds[1]
    }

    /// The number of `text`; a new one for a new text.
    pub(crate) fn intern(&mut self, text: &str) -> Result<StringIndex, SinkError> {
        let hash = Numbered::short_hash(self.hasher.hash_one(text.as_bytes()));
        let Strings { text: all, bounds, table, .. } = self;
        let slice = |index: u32| {
            let index = index as usize;
            &all.as_bytes()[bounds[index]..bounds[index + 1]]
        };
        if let Some(known) = Numbered::find(table, hash, |index| slice(index) == text.as_bytes()) {
            return Ok(StringIndex(known));
        }
        let index =
            u32::try_from(bounds.len() - 1).map_err(|_| SinkError::TooMany { what: "distinct strings" })?;
        Numbered { hash, index }.insert(table);
        all.push_str(text);
        bounds.push(all.len());
        Ok(StringIndex(index))
    }
}

/// Distinct sequences of keys, in one buffer.
pub(crate) struct KeyLists {
    keys: Vec<StringIndex>,
    ends: Vec<usize>,
    table: HashTable<KeyListIndex>,
    hasher: RandomState,
}

impl KeyLists {
    pub(crate) fn new() -> Self {
        KeyLists {
            keys: Vec::new(),
            ends: Vec::new(),
            table: HashTable::new(),
            hasher: RandomState::default(),
        }
    }

    /// The same lists, without the table that finds them by their keys.
    pub(crate) fn finished(self) -> KeyLists {
        KeyLists { table: HashTable::new(), ..self }
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Keys of all lists together.
    pub(crate) fn key_count(&self) -> usize {
        self.keys.len()
    }

    /// Position of the first key of a list among all keys of all lists.
    pub(crate) fn start(&self, index: KeyListIndex) -> usize {
        match index.position().checked_sub(1) {
            Some(before) => self.ends[before],
            None => 0,
        }
    }

    pub(crate) fn keys(&self, index: KeyListIndex) -> &[StringIndex] {
        &self.keys[self.start(index)..self.ends[index.position()]]
    }

    /// The number of a key list.
    ///
    /// A new list is searched for duplicates. So a known list has none, and checking objects of a
    /// known shape costs nothing.
    pub(crate) fn intern(
        &mut self,
        keys: &[StringIndex],
        strings: &Strings,
    ) -> Result<KeyListIndex, SinkError> {
        let hash = self.hasher.hash_one(keys);
        let KeyLists { keys: all, ends, table, hasher } = self;
        let slice = |index: KeyListIndex| {
            let index = index.position();
            let start = if index == 0 { 0 } else { ends[index - 1] };
            &all[start..ends[index]]
        };
        if let Some(&index) = table.find(hash, |&index| slice(index) == keys) {
            return Ok(index);
        }
        refuse_duplicates(keys, strings)?;
        let index = KeyListIndex::at(ends.len()).ok_or(SinkError::TooMany { what: "key lists" })?;
        table.insert_unique(hash, index, |&index| hasher.hash_one(slice(index)));
        all.extend_from_slice(keys);
        ends.push(all.len());
        Ok(index)
    }
}

/// Reports the pair whose second key comes first in the object, as a human reader would.
fn refuse_duplicates(keys: &[StringIndex], strings: &Strings) -> Result<(), SinkError> {
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.sort_by_key(|&position| (keys[position], position));
    let pairs = order.windows(2).filter(|pair| keys[pair[0]] == keys[pair[1]]);
    match pairs.min_by_key(|pair| pair[1]) {
        Some(pair) => {
            let key = strings.get(keys[pair[1]]).into();
            Err(SinkError::DuplicateKey { key, first: pair[0], second: pair[1] })
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_strings_have_one_number() {
        let mut strings = Strings::new();
        let a = strings.intern("a").unwrap();
        let empty = strings.intern("").unwrap();
        assert_eq!(strings.intern("a").unwrap(), a);
        assert_eq!((strings.get(a), strings.get(empty), strings.len()), ("a", "", 2));
    }

    #[test]
    fn duplicate_keys_are_reported_by_position() {
        let mut strings = Strings::new();
        let keys = ["d", "b", "c", "b", "d"].map(|key| strings.intern(key).unwrap());
        let error = KeyLists::new().intern(&keys, &strings).unwrap_err();
        assert_eq!(error, SinkError::DuplicateKey { key: "b".into(), first: 1, second: 3 });
        assert_eq!(error.to_string(), "entry 3 of the object repeats the key `b` of entry 1");
    }
}
