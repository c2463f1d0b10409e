//! §19.12 Marks of secrets, carried from a document to a program.

use super::reference_of;
use coconut_codec::event::push;
use coconut_codec::text::json::{JsonStyle, Printer};
use coconut_format::Value as Json;
use coconut_format::graph::{PathSet, Place, SECRET_SIGNATURE, SIGNATURE_KEY, UnknownType, secret_places};
use coconut_format::landmark::Dialect;

/// The secrets in the graph of an evaluation that returns these properties, and the place of the
/// properties.
pub(crate) fn own_marks(properties: &[(String, Json)]) -> (PathSet, Place) {
    const AROUND: [&str; 3] = ["resources", "r", "properties"];
    let properties = Json::Object(properties.to_vec());
    let graph = AROUND.iter().rfold(properties, |value, key| Json::Object(vec![((*key).to_owned(), value)]));
    let dialect = Dialect::named("coconut-snapshot").expect("the registry has it");
    let places = secret_places(&graph, dialect);
    let place = AROUND.iter().fold(places.root(), |place, key| places.enter_key(place, key));
    (places, place)
}

/// Signs the secrets at these places that have no mark of their own. Adds the URNs to which they
/// refer to `dependencies`.
pub(super) fn signed(
    properties: Vec<(String, Json)>,
    places: &[Place],
    secrets: &PathSet,
    dependencies: &mut Vec<String>,
) -> Vec<(String, Json)> {
    let (own, around) = own_marks(&properties);
    let mut signing = Signing { secrets, own, dependencies };
    let all = properties.into_iter().zip(places);
    all.map(|((key, value), place)| {
        let own = signing.own.enter_key(around, &key);
        (key, signing.value(value, *place, own))
    })
    .collect()
}

struct Signing<'p> {
    secrets: &'p PathSet,
    own: PathSet,
    dependencies: &'p mut Vec<String>,
}

impl Signing<'_> {
    /// A value at this place of the document, and of the graph of an evaluation. Recursion is
    /// bounded by the levels of a document.
    fn value(&mut self, value: Json, place: Place, own: Place) -> Json {
        match (place, value) {
            (Place::Outside, value) | (_, value @ Json::Null) => value,
            (Place::Inside, Json::String(text)) if UnknownType::of_sentinel(&text).is_some() => {
                Json::String(text)
            }
            (Place::Inside, value) if reference_of(&value).is_some() => value,
            (Place::Inside, value @ (Json::List(_) | Json::Object(_))) => self.sign(&value),
            (Place::Inside, value) if own == Place::Inside => value,
            (Place::Inside, value) => self.sign(&value),
            (Place::Above(_), Json::List(items)) => {
                let items = items.into_iter().enumerate().map(|(at, item)| {
                    self.value(item, self.secrets.enter_item(place, at), self.own.enter_item(own, at))
                });
                Json::List(items.collect())
            }
            (Place::Above(_), Json::Object(entries)) => {
                let entries = entries.into_iter().map(|(key, value)| {
                    let (place, own) = (self.secrets.enter_key(place, &key), self.own.enter_key(own, &key));
                    (key, self.value(value, place, own))
                });
                Json::Object(entries.collect())
            }
            (Place::Above(_), scalar) => scalar,
        }
    }

    /// A value as an unencrypted secret (§15.7).
    fn sign(&mut self, value: &Json) -> Json {
        self.note_references(value);
        let mut printer = Printer::new(Vec::new(), JsonStyle::Minified);
        let is_printed = push(value, &mut printer).is_ok();
        let text = printer.finish().ok().filter(|_| is_printed);
        let text = text.and_then(|text| String::from_utf8(text).ok());
        // JSON cannot express a number that is not finite.
        let text = text.unwrap_or_else(|| "null".to_owned());
        let entry = |key: &str, text| (key.to_owned(), Json::String(text));
        Json::Object(vec![entry(SIGNATURE_KEY, SECRET_SIGNATURE.to_owned()), entry("plaintext", text)])
    }

    fn note_references(&mut self, value: &Json) {
        if let Some(urn) = reference_of(value) {
            self.dependencies.push(urn.to_owned());
            return;
        }
        match value {
            Json::List(items) => items.iter().for_each(|item| self.note_references(item)),
            Json::Object(entries) => entries.iter().for_each(|(_, value)| self.note_references(value)),
            _ => {}
        }
    }
}
