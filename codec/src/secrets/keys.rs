//! §15.8 Hides keys of landmarks that come from secrets.

use super::along::Along;
use super::redaction::Redaction;
use super::sink::SECRET;
use crate::read::file::DocumentView;
use crate::read::lookup::{LandmarkView, Step, Ways};
use coconut_format::error::DecodeError;
use coconut_format::graph::{PathSet, Place};
use coconut_format::landmark::{KeyField, KeyRule, Piece, TemplatePart};
use std::collections::HashSet;

/// The landmarks whose keys must not be shown, by ordinal. These are landmarks whose own key comes
/// from a secret, for instance entries of an object in a secret. Landmarks inside them are
/// included, because their full keys begin with that key.
#[derive(Debug, Default)]
pub struct HiddenKeys(HashSet<u32>);

impl HiddenKeys {
    /// Costs nothing if there are no secrets, otherwise a pass over the containers of landmarks.
    pub fn of(document: DocumentView<'_>, redaction: &Redaction) -> Result<HiddenKeys, DecodeError> {
        let mut hidden = HiddenKeys::default();
        // Without a rule, or with one of a later version, the document has no keys.
        let (false, Ok(rule)) = (redaction.is_empty(), document.header().rule()) else { return Ok(hidden) };
        let patterns = rule.patterns();
        let mut along = Along::new(&redaction.places);
        let (mut ways, mut keys) = (Ways::from_root(document), document.keys()?);
        while let Some((landmark, _)) = keys.read_next()? {
            let way = ways.next_to(landmark)?;
            let key =
                patterns.get(usize::from(landmark.class()?)).map_or(&KeyRule::Name, |pattern| pattern.key());
            let begins_hidden = || match rule.join() {
                Some(_) => landmark.parent()?.map_or(Ok(false), |parent| hidden.has(parent)),
                None => Ok(false),
            };
            if comes_from_secret(&mut along, key, way) || begins_hidden()? {
                hidden.0.insert(landmark.ordinal()?);
            }
        }
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
    let place_of = |field: &KeyField| field.steps().fold(place, |place, step| places.enter_key(place, step));
    let is_secret = |field: &KeyField| place_of(field) == Place::Inside;
    let touches = |field: &KeyField| place_of(field) != Place::Outside;
    let is_secret_in = |piece: &Piece| match piece {
        Piece::Text(_) => false,
        Piece::Field(field) | Piece::Json(field) | Piece::Equal { field, .. } => is_secret(field),
        // A part of the path may be marked without the whole.
        Piece::Modules(field) => touches(field),
    };
    match key {
        KeyRule::Name => around == Place::Inside,
        KeyRule::Field(field) => is_secret(field),
        KeyRule::Template(parts) => parts.iter().any(|part| match part {
            TemplatePart::Always(piece) => is_secret_in(piece),
            TemplatePart::Optional(pieces) | TemplatePart::Once(pieces) => pieces.iter().any(is_secret_in),
        }),
    }
}
