//! §15.8 The places of secrets in a document, or in a part of it.

use super::along::{Along, enter, place_of};
use super::restricted::{Along as Part, Restricted, Whole};
use super::search::{Marks, Search, dialects_of, marks_of, words_for};
use super::sink::{RedactingSink, SECRET};
use crate::event::EventSink;
use crate::limits;
use crate::read::file::DocumentView;
use crate::read::lookup::{LandmarkView, Step};
use crate::read::tree::Tree;
#[cfg(feature = "tooling")]
use crate::read::tree::TreeOnDemand;
use crate::read::view::WatchedView;
use coconut_format::Value;
use coconut_format::error::DecodeError;
use coconut_format::graph::{PathSet, Place, secret_places_within};
use coconut_format::landmark::Trail;
use coconut_format::pointer::{push_index, push_key};
use std::cell::Cell;

/// The places of a document, or of one value of it, that must not be shown.
#[derive(Clone, Debug, Default)]
pub struct Redaction {
    pub(super) places: PathSet,
}

impl Redaction {
    /// The secrets of the whole document; empty if they are to be revealed.
    ///
    /// Costs a walk over the document, unless its bytes contain none of the words that mark
    /// secrets.
    pub fn of_document(document: DocumentView<'_>, reveal: bool) -> Result<Redaction, DecodeError> {
        Redaction::of_whole(document, reveal, |words| Redaction::in_tree(document, &document.tree()?, words))
    }

    /// Does the same for a document whose tree answers other questions, too.
    #[cfg(feature = "tooling")]
    #[doc(hidden)]
    pub fn on_demand(tree: &TreeOnDemand<'_>, reveal: bool) -> Result<Redaction, DecodeError> {
        Redaction::of_whole(tree.document(), reveal, |words| {
            Redaction::in_tree(tree.document(), tree.get()?, words)
        })
    }

    /// Does the same for a document that was already read.
    pub fn of_tree(
        document: DocumentView<'_>,
        tree: &Tree<'_>,
        reveal: bool,
    ) -> Result<Redaction, DecodeError> {
        Redaction::of_whole(document, reveal, |words| Redaction::in_tree(document, tree, words))
    }

    fn of_whole(
        document: DocumentView<'_>,
        reveal: bool,
        anywhere: impl FnOnce(&[&str]) -> Result<Redaction, DecodeError>,
    ) -> Result<Redaction, DecodeError> {
        if reveal {
            return Ok(Redaction::default());
        }
        match marks_of(document)? {
            Marks::None => Ok(Redaction::default()),
            // Almost no part of the document is visited.
            Marks::Outside => Redaction::along(document, (&[], &[]), &[]),
            Marks::Anywhere(words) => anywhere(&words),
        }
    }

    fn in_tree(
        document: DocumentView<'_>,
        tree: &Tree<'_>,
        words: &[&str],
    ) -> Result<Redaction, DecodeError> {
        let (root, visited) = (tree.root(), Cell::new(0));
        let dialects = dialects_of(document, root);
        let places = Search::new(document).secrets((root, Whole), &dialects, &visited, words)?;
        Ok(Redaction { places })
    }

    /// The secrets of the value at the end of a path from the root. Other secrets are omitted.
    pub fn of_value(
        document: DocumentView<'_>,
        way: &[Step<'_>],
        reveal: bool,
    ) -> Result<Redaction, DecodeError> {
        match reveal {
            true => Ok(Redaction::default()),
            false => Redaction::along(document, (way, &[]), &words_for(document, way.is_empty())),
        }
    }

    /// The same for a value in a landmark, whose neighbours are not read if the index knows them.
    pub fn of_value_in<'a>(
        document: DocumentView<'a>,
        landmark: Option<LandmarkView<'a>>,
        way: &[Step<'a>],
        reveal: bool,
    ) -> Result<Redaction, DecodeError> {
        if reveal {
            return Ok(Redaction::default());
        }
        let (mut landmarks, mut next) = (Vec::new(), landmark);
        while let Some(landmark) = next {
            landmarks.push(landmark);
            next = landmark.parent()?;
        }
        Redaction::along(document, (way, &landmarks), &words_for(document, way.is_empty()))
    }

    /// The secrets of a source for a comparison with a document. If there are too many, the whole
    /// source is secret.
    pub fn of_source(document: DocumentView<'_>, source: &Value, reveal: bool) -> Redaction {
        if reveal {
            return Redaction::default();
        }
        let all = || {
            let mut all = PathSet::default();
            all.insert([]);
            all
        };
        let dialects = dialects_of(document, source);
        let places = secret_places_within(source, &dialects, limits::SECRET_STEPS, |_| true);
        Redaction { places: places.unwrap_or_else(all) }
    }

    fn along<'a>(
        document: DocumentView<'a>,
        (way, landmarks): (&[Step<'a>], &[LandmarkView<'a>]),
        words: &[&str],
    ) -> Result<Redaction, DecodeError> {
        let (fault, visited) = (Cell::new(None), Cell::new(0));
        let root = WatchedView::new(document.root(), &fault).counting(&visited);
        let (search, part) = (Search::new(document), Part::new(way, landmarks));
        let dialects = dialects_of(document, Restricted::new(root, part, &visited, search.limit));
        let places = search.secrets((root, part), &dialects, &visited, words)?;
        match fault.take() {
            Some(error) => Err(error),
            None => Ok(Redaction { places }),
        }
    }

    /// Adds the values at the ends of these paths.
    pub fn hide(&mut self, ways: Vec<Vec<Trail<'_>>>) {
        ways.into_iter().for_each(|way| self.places.insert(way));
    }

    /// The secret places.
    pub fn places(&self) -> &PathSet {
        &self.places
    }

    /// Whether there is nothing to hide.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The JSON pointer of a path. The first `found` steps were not named by the caller, so keys of
    /// secrets among them are omitted.
    pub fn pointer(&self, way: &[Step<'_>], found: usize) -> String {
        let (mut pointer, mut around) = (String::new(), self.places.root());
        for (at, step) in way.iter().enumerate() {
            let place = enter(&self.places, around, step);
            match step.0 {
                Trail::Root => {}
                Trail::Entry(_) if at < found && around == Place::Inside => push_key(&mut pointer, SECRET),
                Trail::Entry(key) => push_key(&mut pointer, key),
                Trail::Item(index) => push_index(&mut pointer, index),
            }
            around = place;
        }
        pointer
    }

    /// The JSON pointer of a value, cut at the secret that contains it.
    pub fn cut<'p>(&self, pointer: &'p str) -> &'p str {
        let ends = pointer.match_indices('/').map(|(at, _)| at).chain([pointer.len()]);
        ends.map(|end| &pointer[..end]).find(|above| self.hides(above)).unwrap_or(pointer)
    }

    /// Whether the value at this JSON pointer must not be shown.
    pub fn hides(&self, pointer: &str) -> bool {
        self.places.contains(pointer)
    }

    /// Whether the value at this JSON pointer must not be shown completely.
    pub fn hides_part_of(&self, pointer: &str) -> bool {
        self.places.touches(pointer)
    }

    /// Wraps `sink`, so that it does not receive the secrets of the value at the end of `way` from
    /// the root.
    pub fn sink<S: EventSink>(&self, way: &[Step<'_>], sink: S) -> RedactingSink<'_, S> {
        self.sink_at(place_of(&self.places, way), sink)
    }

    /// The place at the end of a path from the root.
    pub fn place_of(&self, way: &[Step<'_>]) -> Place {
        place_of(&self.places, way)
    }

    /// The places of landmarks, one after the other.
    pub fn of_landmarks(&self) -> Along<'_> {
        Along::new(&self.places)
    }

    /// Does the same as [`Self::sink`] for a value at this place.
    pub fn sink_at<S: EventSink>(&self, place: Place, sink: S) -> RedactingSink<'_, S> {
        RedactingSink::new(&self.places, place, sink)
    }
}

#[cfg(test)]
mod tests;
