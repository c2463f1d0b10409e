//! The edges of all landmarks as rows: equal rows once (§8.6).

use super::TooMuch;
use crate::wire::edges::{End, Rows};
use crate::wire::ids::Ordinal;
use foldhash::fast::RandomState;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use std::hash::{BuildHasher, Hash};
use std::ops::Range;

/// Distinct lists, numbered in the order in which they are first met.
pub(super) struct Lists<T> {
    pub(super) items: Vec<T>,
    /// The place of each list in `items`.
    pub(super) places: Vec<Range<usize>>,
    known: HashTable<u32>,
    /// Seeded at random, so a document cannot be crafted with lists that all collide.
    hasher: RandomState,
}

impl<T: Copy + Eq + Hash> Lists<T> {
    pub(super) fn new() -> Lists<T> {
        let (known, hasher) = (HashTable::new(), RandomState::default());
        Lists { items: Vec::new(), places: Vec::new(), known, hasher }
    }

    /// The number of a list. Adds it if it is new.
    pub(super) fn number(&mut self, list: &[T]) -> u32 {
        let Lists { items, places, known, hasher } = self;
        let of = |number: u32| &items[places[number as usize].clone()];
        let hash_again = |&number: &u32| hasher.hash_one(of(number));
        match known.entry(hasher.hash_one(list), |&number| of(number) == list, hash_again) {
            Entry::Occupied(entry) => *entry.get(),
            Entry::Vacant(entry) => {
                let number = u32::try_from(places.len()).expect("there are at most 2^24 landmarks");
                entry.insert(number);
                places.push(items.len()..items.len() + list.len());
                items.extend_from_slice(list);
                number
            }
        }
    }

    /// All lists, by number.
    pub(super) fn each(&self) -> impl Iterator<Item = &[T]> {
        self.places.iter().map(|place| &self.items[place.clone()])
    }
}

impl Lists<End> {
    /// The rows with these numbers, by landmark.
    pub(super) fn into_rows(self, row_of: Vec<u32>) -> Rows {
        Rows { row_of, places: self.places, edges: self.items }
    }
}

/// The same edges, seen from the landmarks that they lead to. Refuses more than `most` in distinct
/// rows, counted before they are made.
pub(super) fn reversed(rows: &Rows, most: u64) -> Result<Rows, TooMuch> {
    let sources = (0..).map(Ordinal).zip(&rows.row_of).map(|(from, &row)| (row, from));
    let sources_of = Grouped::of(rows.places.len(), sources.collect());
    let ends = |(row, place): (u32, &Range<usize>)| {
        rows.edges[place.clone()].iter().map(move |&(to, kind)| (to.0, (row, kind)))
    };
    let met = Grouped::of(rows.row_of.len(), (0..).zip(&rows.places).flat_map(ends).collect());
    let mut lists = Lists::new();
    let list_of = (0..rows.row_of.len()).map(|to| lists.number(met.group(to))).collect();
    let sources_of = |&(row, _): &(u32, u8)| sources_of.group(row as usize);
    TooMuch::check("edges", lists.items.iter().map(|item| sources_of(item).len() as u64).sum(), most)?;
    // Each row has its own sources, so different lists give different rows.
    let (mut edges, mut places) = (Vec::new(), Vec::new());
    for list in lists.each() {
        let start = edges.len();
        edges.extend(list.iter().flat_map(|item| sources_of(item).iter().map(|&from| (from, item.1))));
        edges[start..].sort_unstable();
        places.push(start..edges.len());
    }
    Ok(Rows { row_of: list_of, places, edges })
}

/// Items by the number of their group.
struct Grouped<T> {
    items: Vec<T>,
    ends: Vec<usize>,
}

impl<T: Ord> Grouped<T> {
    fn of(groups: usize, mut items: Vec<(u32, T)>) -> Grouped<T> {
        items.sort_unstable();
        let mut end = 0;
        let ends = (0..groups).map(|group| {
            end += items[end..].iter().take_while(|item| item.0 as usize == group).count();
            end
        });
        Grouped { ends: ends.collect(), items: items.into_iter().map(|(_, item)| item).collect() }
    }

    fn group(&self, number: usize) -> &[T] {
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.items[start..self.ends[number]]
    }
}
