//! §4.1 Keys of one object are distinct.

use foldhash::fast::RandomState;
use hashbrown::HashSet;

/// Up to this number of keys, all pairs are compared.
pub(crate) const FEW_KEYS: usize = 16;

/// The keys of the open objects so far, those of the innermost object last. Small objects need no
/// separate memory.
#[derive(Default)]
pub(crate) struct OpenKeys<'a> {
    few: Vec<&'a str>,
    /// One set for each open object that has had more than [`FEW_KEYS`].
    many: Vec<HashSet<&'a str, RandomState>>,
}

impl<'a> OpenKeys<'a> {
    /// Adds a key of the innermost object, which has had `before` keys. Returns `false` if the key
    /// is a duplicate.
    #[inline]
    pub(crate) fn insert(&mut self, key: &'a str, before: usize) -> bool {
        if before >= FEW_KEYS {
            return self.insert_in_many(key, before);
        }
        let first = self.few.len() - before;
        let is_new = !self.few[first..].contains(&key);
        self.few.push(key);
        is_new
    }

    #[inline(never)]
    fn insert_in_many(&mut self, key: &'a str, before: usize) -> bool {
        if before == FEW_KEYS {
            self.many.push(self.few.drain(self.few.len() - FEW_KEYS..).collect());
        }
        self.many.last_mut().is_some_and(|keys| keys.insert(key))
    }

    /// Ends the innermost object, which has had `count` keys.
    #[inline]
    pub(crate) fn end(&mut self, count: usize) {
        match count {
            few @ ..=FEW_KEYS => self.few.truncate(self.few.len() - few),
            _ => drop(self.many.pop()),
        }
    }
}

/// The keys of one object so far.
#[derive(Default)]
pub(crate) struct DistinctKeys<'a> {
    few: Vec<&'a str>,
    many: HashSet<&'a str, RandomState>,
}

impl<'a> DistinctKeys<'a> {
    /// Starts the next object.
    pub(crate) fn clear(&mut self) {
        self.few.clear();
        // Clearing a table takes time in proportion to its capacity. One that is far larger than
        // its content is dropped.
        match self.many.len() {
            0 => {}
            held if self.many.capacity() / 16 > held => self.many = HashSet::default(),
            _ => self.many.clear(),
        }
    }

    /// Adds a key. Returns `false` if it is a duplicate.
    pub(crate) fn insert(&mut self, key: &'a str) -> bool {
        if !self.many.is_empty() {
            return self.many.insert(key);
        }
        let is_new = !self.few.contains(&key);
        if self.few.capacity() == 0 {
            self.few.reserve_exact(FEW_KEYS);
        }
        self.few.push(key);
        if self.few.len() == FEW_KEYS {
            self.many.extend(self.few.drain(..));
        }
        is_new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_new_once_in_each_object_of_any_size() {
        let names: Vec<String> = (0..3 * FEW_KEYS).map(|n| format!("key {n}")).collect();
        let mut keys = DistinctKeys::default();
        for count in [1, 2, FEW_KEYS - 1, FEW_KEYS, FEW_KEYS + 1, 3 * FEW_KEYS, 1] {
            keys.clear();
            for (position, name) in names[..count].iter().enumerate() {
                assert!(keys.insert(name), "{name} of {count}");
                assert!(!keys.insert(&names[position / 2]), "{name} of {count}");
                assert!(!keys.insert(name), "{name} of {count}");
            }
        }
    }

    #[test]
    fn a_table_is_dropped_when_a_sixteenth_of_it_is_enough() {
        let names: Vec<String> = (0..3000).map(|n| format!("key {n}")).collect();
        let mut keys = DistinctKeys::default();
        let mut room_after = |count: usize| {
            for name in &names[..count] {
                assert!(keys.insert(name), "{name} of {count}");
            }
            keys.clear();
            keys.many.capacity()
        };
        let room = room_after(3000);
        assert!(room >= 3000);
        // Few keys are not in the table.
        assert_eq!([0, 1, room / 16].map(&mut room_after), [room; 3]);
        assert_eq!(room_after(room / 16 - 1), 0);
    }
}
