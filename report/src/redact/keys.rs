//! §15.8 Hides keys of landmarks that come from secrets.

use super::{Redaction, SECRET};
use crate::failure::Failure;
use crate::place::for_each_landmark;
use coconut_codec::read::file::DocumentView;
use coconut_codec::read::lookup::LandmarkView;
use coconut_codec::read::lookup::Step;
use coconut_format::error::DecodeError;
use coconut_format::graph::{PathSet, Place};
use coconut_format::landmark::{KeyField, KeyRule, Piece, TemplatePart, Trail};
use std::collections::HashSet;

/// The landmarks whose keys must not be shown, by ordinal. These are landmarks whose own key comes
/// from a secret, for instance entries of an object in a secret. Landmarks inside them are
/// included, because their full keys begin with that key.
#[derive(Debug, Default)]
pub struct HiddenKeys(HashSet<u32>);

impl HiddenKeys {
    /// Costs nothing if there are no secrets, otherwise a pass over the containers of landmarks.
    pub fn of(document: DocumentView<'_>, redaction: &Redaction) -> Result<HiddenKeys, Failure> {
        let mut hidden = HiddenKeys::default();
        if redaction.is_empty() {
            return Ok(hidden);
        }
        let rule = document.header().rule()?;
        let patterns = rule.patterns();
        let mut along = Along::new(&redaction.places);
        for_each_landmark::<DecodeError>(document, |landmark, _, way| {
            let key =
                patterns.get(usize::from(landmark.class()?)).map_or(&KeyRule::Name, |pattern| pattern.key());
            let begins_hidden = || match rule.join() {
                Some(_) => landmark.parent()?.map_or(Ok(false), |parent| hidden.has(parent)),
                None => Ok(false),
            };
            if comes_from_secret(&mut along, key, way) || begins_hidden()? {
                hidden.0.insert(landmark.ordinal()?);
            }
            Ok(())
        })?;
        Ok(hidden)
    }

    /// Whether the key of this landmark must not be shown.
    pub fn has(&self, landmark: LandmarkView<'_>) -> Result<bool, DecodeError> {
        Ok(!self.0.is_empty() && self.0.contains(&landmark.ordinal()?))
    }

    /// The text shown for the key of a landmark.
    pub fn shown<'k>(&self, landmark: LandmarkView<'_>, key: &'k str) -> Result<&'k str, DecodeError> {
        Ok(if self.has(landmark)? { SECRET } else { key })
    }
}

/// Whether the own key of the landmark at the end of `way` is a text of a secret, or a key of an
/// object in one.
fn comes_from_secret(along: &mut Along<'_>, key: &KeyRule, way: &[Step<'_>]) -> bool {
    let place = along.place_of(way);
    is_key_secret(along.places, key, place, along.around())
}

/// Does the same for a landmark at `place`, in a container at `around`.
pub fn is_key_secret(places: &PathSet, key: &KeyRule, place: Place, around: Place) -> bool {
    let is_secret = |field: &KeyField| {
        field.steps().fold(place, |place, step| places.enter_key(place, step)) == Place::Inside
    };
    let is_secret_in = |piece: &Piece| match piece {
        Piece::Text(_) => false,
        Piece::Field(field) | Piece::Json(field) | Piece::Equal { field, .. } => is_secret(field),
    };
    match key {
        KeyRule::Name => around == Place::Inside,
        KeyRule::Field(field) => is_secret(field),
        KeyRule::Template(parts) => parts.iter().any(|part| match part {
            TemplatePart::Always(piece) => is_secret_in(piece),
            TemplatePart::Optional(pieces) => pieces.iter().any(is_secret_in),
        }),
    }
}

/// The places of landmarks, in document order. Paths to many landmarks can share very many long
/// keys, so common steps of consecutive paths are not repeated.
#[derive(Debug)]
pub struct Along<'p> {
    places: &'p PathSet,
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
    fn around(&self) -> Place {
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
