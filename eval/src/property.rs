//! §19.5 Property values of resources, and their comparison.

use crate::snapshot::reference_of;
use coconut_codec::event::ValueSink;
use coconut_codec::text::json::{self, JsonOptions};
use coconut_format::Value as Json;
use coconut_format::graph::{SECRET_SIGNATURE, SIGNATURE_KEY, Special, UnknownType};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// A value of a property of a resource.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Property {
    Null,
    Bool(bool),
    Number(f64),
    Text(Arc<str>),
    List(Vec<Property>),
    Object(Vec<(Arc<str>, Property)>),
    /// An asset or an archive, with its signature (§15.7). Members that it does not use are empty
    /// texts, or null.
    Asset(Vec<(Arc<str>, Property)>),
    /// Another resource, by its position in the graph.
    Reference(u32),
    /// A value that is known after a deployment of these resources.
    Unknown {
        ty: Arc<str>,
        sources: Vec<u32>,
        /// The text that names the resource if this value does (§19.5).
        stand_in: Option<Arc<str>>,
    },
    /// An output of the resource itself, with this type.
    Output(Arc<str>),
}

impl Property {
    /// The value of a document. Recursion is bounded by the levels of a document.
    pub(crate) fn of(value: &Json, numbers: &HashMap<&str, u32>) -> Property {
        if let Some(number) = reference_of(value).and_then(|urn| numbers.get(urn)) {
            return Property::Reference(*number);
        }
        match value {
            Json::Null => Property::Null,
            Json::Bool(flag) => Property::Bool(*flag),
            Json::Integer(integer) => Property::Number(integer.as_f64()),
            Json::Float(number) => Property::Number(*number),
            Json::String(text) => match UnknownType::of_sentinel(text) {
                Some(_) => Property::Unknown { ty: "dynamic".into(), sources: Vec::new(), stand_in: None },
                None => Property::Text(text.as_str().into()),
            },
            Json::List(items) => {
                Property::List(items.iter().map(|item| Property::of(item, numbers)).collect())
            }
            Json::Object(entries) => {
                let properties = entries
                    .iter()
                    .map(|(key, value)| (Arc::from(key.as_str()), Property::of(value, numbers)));
                match Special::of(value) {
                    Some(Special::Asset { .. } | Special::Archive { .. }) => {
                        Property::Asset(properties.collect())
                    }
                    _ => Property::Object(properties.collect()),
                }
            }
        }
    }

    /// Whether the value is omitted from documents.
    pub(crate) fn is_absent(&self) -> bool {
        matches!(self, Property::Null | Property::Output(_))
    }

    /// The resources to which it refers or from which it comes, with the places of the references.
    pub(crate) fn resources(&self, found: &mut Vec<u32>) {
        match self {
            Property::Reference(resource) => found.push(*resource),
            Property::Unknown { sources, .. } => found.extend(sources),
            Property::List(items) => items.iter().for_each(|item| item.resources(found)),
            Property::Object(entries) | Property::Asset(entries) => {
                entries.iter().for_each(|(_, value)| value.resources(found));
            }
            _ => {}
        }
    }

    fn text_at(&self, key: &str) -> Option<&str> {
        let Property::Object(entries) = self else { return None };
        match entries.iter().find(|(name, _)| **name == *key)? {
            (_, Property::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// The value as JSON. References become the result of `reference`.
    pub(crate) fn to_json(&self, reference: &dyn Fn(u32) -> Json) -> Json {
        match self {
            Property::Null => Json::Null,
            Property::Bool(flag) => Json::Bool(*flag),
            Property::Number(number) => number_to_json(*number),
            Property::Text(text) => Json::String(text.to_string()),
            Property::List(items) => Json::List(items.iter().map(|item| item.to_json(reference)).collect()),
            Property::Object(entries) => {
                let present = entries.iter().filter(|(_, value)| !value.is_absent());
                Json::Object(
                    present.map(|(key, value)| (key.to_string(), value.to_json(reference))).collect(),
                )
            }
            Property::Asset(entries) => Json::Object(
                entries.iter().map(|(key, value)| (key.to_string(), value.to_json(reference))).collect(),
            ),
            Property::Reference(resource) => reference(*resource),
            Property::Unknown { ty, .. } | Property::Output(ty) => Json::String(sentinel(ty).to_owned()),
        }
    }
}

/// The text for an unknown value of this type (§15.7).
pub(crate) fn sentinel(ty: &str) -> &'static str {
    let unknown = match ty {
        "bool" => UnknownType::Bool,
        "number" => UnknownType::Number,
        ty if ty.starts_with("[]") => UnknownType::Array,
        ty if ty.starts_with("map[") || ty == "object" => UnknownType::Object,
        ty if ty.contains(":asset/asset:") => UnknownType::Asset,
        ty if ty.contains(":asset/archive:") => UnknownType::Archive,
        _ => UnknownType::String,
    };
    unknown.sentinel()
}

/// A number of the language: a JSON integer if it is one.
pub(crate) fn number_to_json(number: f64) -> Json {
    #[expect(clippy::cast_possible_truncation, reason = "checked to be an integer in range")]
    if number.fract() == 0.0
        && number.abs() < 9_007_199_254_740_992.0
        && !(number == 0.0 && number.is_sign_negative())
    {
        Json::Integer((number as i64).into())
    } else if number.is_finite() {
        Json::Float(number)
    } else {
        Json::Null
    }
}

/// The value of an unencrypted secret (§15.7) with these texts.
fn open<'v>(text_at: impl Fn(&str) -> Option<&'v str>) -> Option<Json> {
    let is_secret = text_at(SIGNATURE_KEY) == Some(SECRET_SIGNATURE);
    let is_encrypted = text_at("ciphertext").is_some_and(|text| !text.is_empty());
    let text = text_at("plaintext").filter(|_| is_secret && !is_encrypted)?;
    let mut sink = ValueSink::new();
    let read = json::read(text.as_bytes(), &mut sink, &JsonOptions::default());
    sink.finish().filter(|_| read.is_ok())
}

/// §19.10 Whether two values of a property are equal. A missing value, `null` and an output are
/// equal. An unknown value counts as a missing one. Numbers are compared numerically. A readable
/// secret is the value of its text.
pub(crate) fn is_same(
    old: Option<&Json>,
    new: Option<&Property>,
    reference: &dyn Fn(&Json, u32) -> bool,
) -> bool {
    let old = old.filter(|old| !matches!(old, Json::Null));
    let new = new.filter(|new| !new.is_absent());
    let opened = old.and_then(|old| open(|key| old.get(key)?.as_str()));
    let old = opened.as_ref().or(old);
    let opened = new.and_then(|new| open(|key| new.text_at(key)));
    let opened = opened.map(|value| Property::of(&value, &HashMap::new()));
    let new = opened.as_ref().or(new);
    match (old, new) {
        (None, None) => true,
        (Some(Json::Bool(old)), Some(Property::Bool(new))) => old == new,
        (Some(Json::Integer(old)), Some(Property::Number(new))) => old.as_f64() == *new,
        (Some(Json::Float(old)), Some(Property::Number(new))) => old == new,
        (Some(Json::String(old)), Some(Property::Text(new))) => **old == **new,
        (Some(Json::List(old)), Some(Property::List(new))) => {
            old.len() == new.len()
                && old.iter().zip(new).all(|(old, new)| is_same(Some(old), Some(new), reference))
        }
        (Some(old), Some(Property::Reference(resource))) => reference(old, *resource),
        (Some(Json::Object(old)), Some(Property::Asset(new))) => {
            // Other writers omit unused members, and add a hash of the content.
            let is_used = |value: &Json| value.as_str() != Some("");
            let is_new_used = |value: &Property| !matches!(value, Property::Text(text) if text.is_empty());
            let find_old = |key: &str| old.iter().find(|(name, _)| name == key).map(|(_, value)| value);
            let find_new = |key: &str| new.iter().find(|(name, _)| **name == *key).map(|(_, value)| value);
            new.iter().all(|(key, value)| {
                is_same(
                    find_old(key).filter(|old| is_used(old)),
                    Some(value).filter(|new| is_new_used(new)),
                    reference,
                )
            }) && old.iter().all(|(key, value)| key == "hash" || !is_used(value) || find_new(key).is_some())
        }
        (Some(Json::Object(old)), Some(Property::Object(new))) => {
            let news: HashMap<&str, &Property> = new.iter().map(|(key, value)| (&**key, value)).collect();
            let olds: HashSet<&str> = old.iter().map(|(key, _)| key.as_str()).collect();
            old.iter().all(|(key, value)| is_same(Some(value), news.get(key.as_str()).copied(), reference))
                && new.iter().all(|(key, value)| value.is_absent() || olds.contains(&**key))
        }
        _ => false,
    }
}
