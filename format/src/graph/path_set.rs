//! §15.8 Sets of places in a document, for readers that walk it once.

use std::collections::HashMap;

use crate::landmark::Trail;
use crate::pointer;

/// A set of places. Everything below a place of the set is also in it.
///
/// A walk over the document carries a [`Place`] per level. It takes at most two hash lookups per
/// value, and none after leaving the paths to the places of the set.
#[derive(Clone, Debug)]
pub struct PathSet {
    /// The root first.
    nodes: Vec<PathNode>,
    /// The size of the nodes and their keys, and its limit. A node counts 1, and its key 1 for each
    /// 32 bytes.
    size: u64,
    most: u64,
    /// Steps taken to insert places, known ones included, counted like `size`.
    gone: u64,
}

#[derive(Clone, Debug, Default)]
struct PathNode {
    entries: HashMap<Box<str>, u32>,
    items: HashMap<usize, u32>,
    is_member: bool,
}

/// The place of a walk in a [`PathSet`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Neither in the set nor above a place of it.
    Outside,
    /// Above a place of the set, but not in it.
    Above(PathNodeId),
    /// In the set.
    Inside,
}

/// A node of one [`PathSet`]. It is meaningless for others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathNodeId(u32);

impl Default for PathSet {
    fn default() -> PathSet {
        PathSet::within(u64::MAX)
    }
}

/// Steps allowed for inserting places, for each step that may be stored. Most paths of real
/// documents have fewer steps in total.
const GONE_PER_STEP: u64 = 16;

impl PathSet {
    /// An empty set that stores at most about `most` steps, where a step to a long key counts as
    /// several. Inserting may take 16 times as many steps, known ones included.
    pub(crate) fn within(most: u64) -> PathSet {
        PathSet { nodes: vec![PathNode::default()], size: 0, most, gone: 0 }
    }

    /// Whether a place was omitted because of the limit.
    pub(crate) fn is_cut(&self) -> bool {
        self.size > self.most || self.gone > self.most.saturating_mul(GONE_PER_STEP)
    }

    /// The steps taken so far to insert places. Grows with each place that is not the root.
    pub(crate) fn steps(&self) -> u64 {
        self.gone
    }

    /// Adds the place that these steps reach from the root. A cut set does not change.
    #[doc(hidden)]
    pub fn insert<'a>(&mut self, path: impl IntoIterator<Item = Trail<'a>>) {
        let mut at = 0;
        for step in path {
            if self.is_cut() {
                return;
            }
            let next =
                u32::try_from(self.nodes.len()).expect("a document in memory has fewer than 2^32 places");
            let node = &mut self.nodes[at];
            let known = match step {
                Trail::Root => continue,
                Trail::Entry(key) => match node.entries.get(key) {
                    Some(&known) => known,
                    None => *node.entries.entry(key.into()).or_insert(next),
                },
                Trail::Item(index) => *node.items.entry(index).or_insert(next),
            };
            let cost = match step {
                Trail::Entry(key) => 1 + key.len() as u64 / 32,
                _ => 1,
            };
            self.gone = self.gone.saturating_add(cost);
            if known == next {
                self.nodes.push(PathNode::default());
                self.size = self.size.saturating_add(cost);
            }
            at = known as usize;
        }
        self.nodes[at].is_member = true;
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.nodes.len() == 1 && !self.nodes[0].is_member
    }

    /// The place of the document's root.
    pub fn root(&self) -> Place {
        self.place(0)
    }

    /// The place of the entry `key` of the object at `place`.
    pub fn enter_key(&self, place: Place, key: &str) -> Place {
        self.enter(place, |node| node.entries.get(key).copied())
    }

    /// The place of the item `index` of the list at `place`.
    pub fn enter_item(&self, place: Place, index: usize) -> Place {
        self.enter(place, |node| node.items.get(&index).copied())
    }

    fn enter(&self, place: Place, next: impl Fn(&PathNode) -> Option<u32>) -> Place {
        match place {
            Place::Above(PathNodeId(at)) => {
                next(&self.nodes[at as usize]).map_or(Place::Outside, |at| self.place(at))
            }
            outside_or_inside => outside_or_inside,
        }
    }

    fn place(&self, at: u32) -> Place {
        match self.nodes[at as usize].is_member {
            true => Place::Inside,
            false => Place::Above(PathNodeId(at)),
        }
    }

    /// Whether the value at `pointer`, an RFC 6901 JSON pointer, is in the set. A segment of digits
    /// is read as a key if the set has such a key, otherwise as an index.
    pub fn contains(&self, pointer: &str) -> bool {
        self.place_at(pointer) == Place::Inside
    }

    /// Whether the value at `pointer`, or a part of it, is in the set.
    pub fn touches(&self, pointer: &str) -> bool {
        !self.is_empty() && self.place_at(pointer) != Place::Outside
    }

    /// Whether the value that these steps reach from the root is in the set.
    pub(crate) fn has(&self, path: &[Trail<'_>]) -> bool {
        let place = path.iter().fold(self.root(), |place, step| match step {
            Trail::Root => place,
            Trail::Entry(key) => self.enter_key(place, key),
            Trail::Item(index) => self.enter_item(place, *index),
        });
        place == Place::Inside
    }

    fn place_at(&self, pointer: &str) -> Place {
        let mut place = self.root();
        for key in pointer::keys(pointer).into_iter().flatten() {
            place = match (self.enter_key(place, &key), key.parse()) {
                (Place::Outside, Ok(index)) => self.enter_item(place, index),
                (entered, _) => entered,
            };
        }
        place
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_below_a_member_are_in_the_set() {
        let mut set = PathSet::default();
        set.insert([Trail::Entry("a"), Trail::Item(1)]);
        assert!(set.contains("/a/1"));
        assert!(set.contains("/a/1/b/2"));
        assert!(!set.contains("/a"));
        assert!(!set.contains("/a/0"));
        assert!(!set.contains("/b"));
        let touched = ["", "/a", "/a/1", "/a/1/b/2", "/a/0", "/b"].map(|pointer| set.touches(pointer));
        assert_eq!(touched, [true, true, true, true, false, false]);
        assert!(!PathSet::default().touches(""));
    }

    #[test]
    fn a_set_is_cut_where_its_places_take_too_much() {
        let key = "k".repeat(64);
        // Two steps, a known one, and one to a key of 64 bytes: 1 + 1 + 1 + 2.
        for (most, is_cut) in [(4, true), (5, false)] {
            let mut set = PathSet::within(most);
            set.insert([Trail::Entry("a"), Trail::Item(1)]);
            set.insert([Trail::Entry("a"), Trail::Entry(&key)]);
            assert_eq!((set.is_cut(), set.contains("/a/1")), (is_cut, true), "{most}");
        }
    }

    #[test]
    fn a_set_is_cut_if_long_paths_are_taken_again_and_again() {
        // 16 paths of 8 steps that share 7: 23 to store, and 16 * 23 that may be taken.
        for (ways, is_cut) in [(46, false), (47, true)] {
            let mut set = PathSet::within(23);
            for way in 0..ways {
                set.insert([Trail::Item(0); 7].into_iter().chain([Trail::Item(way % 16)]));
            }
            assert_eq!(set.is_cut(), is_cut, "{ways} ways");
        }
    }

    #[test]
    fn a_walk_leaves_the_set_and_does_not_come_back() {
        let mut set = PathSet::default();
        set.insert([Trail::Entry("a"), Trail::Entry("b")]);
        let outside = set.enter_key(set.root(), "b");
        assert_eq!(outside, Place::Outside);
        assert_eq!(set.enter_key(outside, "a"), Place::Outside);
        assert_eq!(set.enter_key(set.enter_key(set.root(), "a"), "b"), Place::Inside);
    }

    #[test]
    fn a_key_of_digits_is_not_an_index() {
        let mut set = PathSet::default();
        set.insert([Trail::Entry("0")]);
        assert_eq!(set.enter_item(set.root(), 0), Place::Outside);
        assert_eq!(set.enter_key(set.root(), "0"), Place::Inside);
    }

    #[test]
    fn the_empty_path_is_the_whole_document() {
        let mut set = PathSet::default();
        assert!(set.is_empty() && !set.contains(""));
        set.insert([]);
        assert!(set.contains("") && set.contains("/a"));
    }
}
