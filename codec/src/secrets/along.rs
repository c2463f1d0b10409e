//! §15.8 Places at the ends of paths.

use crate::read::lookup::Step;
use coconut_format::graph::{PathSet, Place};
use coconut_format::landmark::Trail;

/// The places of landmarks, in document order. Paths to many landmarks can share very many long
/// keys, so common steps of consecutive paths are not repeated.
#[derive(Debug)]
pub struct Along<'p> {
    pub(super) places: &'p PathSet,
    /// The offsets of the values on the last path, which are distinct, and their places.
    gone: Vec<(u64, Place)>,
}

impl<'p> Along<'p> {
    pub(super) fn new(places: &'p PathSet) -> Along<'p> {
        Along { places, gone: Vec::new() }
    }

    /// The place at the end of the path to a landmark.
    pub fn place_of(&mut self, way: &[Step<'_>]) -> Place {
        let known =
            self.gone.iter().zip(way).take_while(|((at, _), (_, value))| *at == value.offset()).count();
        self.gone.truncate(known);
        for step in &way[known..] {
            let place = enter(self.places, self.place(), step);
            self.gone.push((step.1.offset(), place));
        }
        self.place()
    }

    /// The place at the end of the last path.
    fn place(&self) -> Place {
        self.gone.last().map_or(self.places.root(), |&(_, place)| place)
    }

    /// The place of the container around the end of the last path. For an empty path, the place of
    /// the root.
    pub(super) fn around(&self) -> Place {
        self.gone.iter().rev().nth(1).map_or(self.places.root(), |&(_, place)| place)
    }
}

/// The place at the end of a path.
pub(super) fn place_of(places: &PathSet, way: &[Step<'_>]) -> Place {
    way.iter().fold(places.root(), |place, step| enter(places, place, step))
}

/// The place after a step.
pub(super) fn enter(places: &PathSet, place: Place, (trail, _): &Step<'_>) -> Place {
    match trail {
        Trail::Root => place,
        Trail::Entry(key) => places.enter_key(place, key),
        Trail::Item(index) => places.enter_item(place, *index),
    }
}
