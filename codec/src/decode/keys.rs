//! §4.1 Keys of one object are distinct.

use foldhash::fast::RandomState;
use hashbrown::HashSet;

/// The keys of one object so far.
#[derive(Default)]
pub(crate) struct DistinctKeys<'a> {
    few: Vec<&'a str>,
    many: HashSet<&'a str, RandomState>,
}

impl<'a> DistinctKeys<'a> {
    /// Keys up to which each is compared with each.
    const FEW: usize = 16;

    /// Goes on to the next object.
    pub(super) fn clear(&mut self) {
        self.few.clear();
        self.many.clear();
    }

    /// Adds a key; `false` when it was there.
    pub(crate) fn insert(&mut self, key: &'a str) -> bool {
        if !self.many.is_empty() {
            return self.many.insert(key);
        }
        let is_new = !self.few.contains(&key);
        if self.few.capacity() == 0 {
            self.few.reserve_exact(Self::FEW);
        }
        self.few.push(key);
        if self.few.len() == Self::FEW {
            self.many.extend(self.few.drain(..));
        }
        is_new
    }
}
