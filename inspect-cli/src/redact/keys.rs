//! §15.8 Keys of landmarks that come from secrets, and are secret like them.

use super::{Redaction, SECRET};
use crate::failure::Failure;
use crate::place::{Step, for_each_landmark};
use coconut_codec::file::DocumentView;
use coconut_codec::lookup::LandmarkView;
use coconut_format::error::DecodeError;
use coconut_format::graph::{PathSet, Place};
use coconut_format::landmark::{Key, Piece, TemplatePart, Trail};
use std::collections::HashSet;

/// The landmarks of a document whose keys must not be shown, by ordinal: those that have their own key from a secret, as
/// the entry of an object in one has, and those in them, whose full keys begin with it.
#[derive(Debug, Default)]
pub(crate) struct HiddenKeys(HashSet<u32>);

impl HiddenKeys {
    /// Costs nothing where nothing is secret, else a pass over the containers that hold landmarks.
    pub(crate) fn of(document: DocumentView<'_>, redaction: &Redaction) -> Result<HiddenKeys, Failure> {
        let mut hidden = HiddenKeys::default();
        if redaction.is_empty() {
            return Ok(hidden);
        }
        let rule = &document.header().rule;
        let patterns = rule.patterns();
        for_each_landmark(document, |landmark, _, way| {
            let key =
                patterns.get(usize::from(landmark.class()?)).map_or(&Key::Name, |pattern| pattern.key());
            let begins_hidden = || match rule.join() {
                Some(_) => landmark.parent()?.map_or(Ok(false), |parent| hidden.has(parent)),
                None => Ok(false),
            };
            if comes_from_secret(&redaction.places, key, way) || begins_hidden()? {
                hidden.0.insert(landmark.ordinal()?);
            }
            Ok(())
        })?;
        Ok(hidden)
    }

    /// Whether the key of this landmark must not be shown.
    pub(crate) fn has(&self, landmark: LandmarkView<'_>) -> Result<bool, DecodeError> {
        Ok(!self.0.is_empty() && self.0.contains(&landmark.ordinal()?))
    }

    /// What is shown for the key of a landmark.
    pub(crate) fn shown<'k>(&self, landmark: LandmarkView<'_>, key: &'k str) -> Result<&'k str, DecodeError> {
        Ok(if self.has(landmark)? { SECRET } else { key })
    }
}

/// Whether the own key of the landmark at the end of `way` is a text of a secret, or a key of an object in one.
fn comes_from_secret(places: &PathSet, key: &Key, way: &[Step<'_>]) -> bool {
    let is_secret = |name: &str| places.enter_key(place_of(places, way), name) == Place::Inside;
    let is_secret_in = |piece: &Piece| match piece {
        Piece::Text(_) => false,
        Piece::Field(field) | Piece::Json(field) | Piece::Equal { field, .. } => is_secret(field),
    };
    match key {
        Key::Name => way.split_last().is_some_and(|(_, around)| place_of(places, around) == Place::Inside),
        Key::Field(field) => is_secret(field),
        Key::Template(parts) => parts.iter().any(|part| match part {
            TemplatePart::Always(piece) => is_secret_in(piece),
            TemplatePart::Optional(pieces) => pieces.iter().any(is_secret_in),
        }),
    }
}

/// The place that a way leads to.
pub(super) fn place_of(places: &PathSet, way: &[Step<'_>]) -> Place {
    way.iter().fold(places.root(), |place, step| enter(places, place, step))
}

/// The place that a step leads to.
pub(super) fn enter(places: &PathSet, place: Place, (trail, _): &Step<'_>) -> Place {
    match trail {
        Trail::Root => place,
        Trail::Entry(key) => places.enter_key(place, key),
        Trail::Item(index) => places.enter_item(place, *index),
    }
}
