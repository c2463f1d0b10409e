//! §19.10 Snapshots: the deployed resources, from a current or a Coconut 2017 document.

mod deployment;
mod marks;

pub(crate) use deployment::DeploymentMarks;
pub use deployment::PendingOperation;
pub(crate) use marks::own_marks;

use coconut_format::Value as Json;
use coconut_format::graph::{PathSet, Place};
use coconut_format::urn::Urn;
use std::collections::HashSet;
use std::fmt;

/// The resources of a snapshot: a CocoGL graph of any kind, or a current checkpoint.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    pub(crate) resources: Vec<OldResource>,
    pub(crate) pending: Vec<PendingOperation>,
}

#[derive(Clone, Debug)]
pub(crate) struct OldResource {
    pub(crate) urn: String,
    pub(crate) ty: String,
    pub(crate) id: Option<String>,
    /// References are `{"#ref": URN}`, whatever key the document uses for them.
    pub(crate) inputs: Vec<(String, Json)>,
    pub(crate) outputs: Vec<(String, Json)>,
    pub(crate) marks: DeploymentMarks,
    pub(crate) unknowns: Vec<UnknownPlace>,
    pub(crate) relations: OldRelations,
}

/// The relations of a resource that its properties need not show, as URNs.
#[derive(Clone, Debug, Default)]
pub(crate) struct OldRelations {
    pub(crate) parent: Option<String>,
    pub(crate) provider: Option<String>,
    /// Without duplicates.
    pub(crate) dependencies: Vec<String>,
}

/// An entry of `unknowns`.
#[derive(Clone, Debug)]
pub(crate) struct UnknownPlace {
    /// The path, beginning at the properties.
    pub(crate) path: String,
    pub(crate) ty: String,
    pub(crate) sources: Vec<String>,
}

/// The error of a document that is not a snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SnapshotError {
    place: String,
    expected: &'static str,
}

impl fmt::Display for SnapshotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "snapshot at `{}`: expected {}", self.place, self.expected)
    }
}

impl std::error::Error for SnapshotError {}

/// Keys under which documents list their resources.
const PLACES: [&[&str]; 4] = [
    &["latest", "resources"],
    &["resources"],
    &["deployment", "resources"],
    &["checkpoint", "latest", "resources"],
];

impl Snapshot {
    /// Creates an empty snapshot.
    pub fn empty() -> Snapshot {
        Snapshot::default()
    }

    /// Reads a snapshot: CocoGL and LumiGL from 2017, a graph of an evaluation, or a Pulumi
    /// checkpoint or export. The document of an empty stack has no resources.
    ///
    /// # Errors
    /// Fails if no resources are at any of the known places, or if a resource has no type.
    pub fn from_value(value: &Json) -> Result<Snapshot, SnapshotError> {
        Snapshot::signed(value, &PathSet::default())
    }

    /// Does the same. Values at these places are signed as secrets (§15.7), unless they have a mark
    /// of their own.
    pub(crate) fn signed(value: &Json, secrets: &PathSet) -> Result<Snapshot, SnapshotError> {
        let wrong = |place: String, expected| Err(SnapshotError { place, expected });
        let found = PLACES.iter().find_map(|path| {
            let found = path.iter().try_fold(value, |value, key| value.get(key));
            let place = path.iter().fold(secrets.root(), |place, key| secrets.enter_key(place, key));
            Some((found.filter(|found| !matches!(found, Json::Null))?, place))
        });
        let Some((found, list)) = found else {
            let is_new = value.get("target").is_some() || value.get("latest").is_some();
            return if is_new {
                Ok(Snapshot::empty())
            } else {
                wrong("/".to_owned(), "a snapshot with `resources`")
            };
        };
        let tag = tag_of(value);
        let mut resources = Vec::new();
        let entries: Vec<(Option<&str>, &Json)> = match found {
            Json::Object(entries) => entries.iter().map(|(urn, value)| (Some(urn.as_str()), value)).collect(),
            Json::List(items) => items.iter().map(|item| (None, item)).collect(),
            _ => return wrong("/resources".to_owned(), "an object or a list of resources"),
        };
        for (at, (key, resource)) in entries.into_iter().enumerate() {
            let place = || format!("/resources/{}", key.map_or_else(|| at.to_string(), str::to_owned));
            let text = |key: &str| resource.get(key).and_then(Json::as_str);
            let Some(urn) = key.or_else(|| text("urn")).or_else(|| text("URN")) else {
                return wrong(place(), "a resource with a `urn`");
            };
            let Some(ty) = text("type") else { return wrong(place(), "a resource with a `type`") };
            let object = |key: &str| resource.get(key).and_then(Json::as_object).unwrap_or_default().to_vec();
            // If a property occurs twice, the later value counts.
            let mut inputs: Vec<(String, Json)> = Vec::new();
            let mut places = Vec::new();
            let mut seen = HashSet::new();
            let own = match key {
                Some(key) => secrets.enter_key(list, key),
                None => secrets.enter_item(list, at),
            };
            for section in ["properties", "inputs", "defaults"] {
                let around = secrets.enter_key(own, section);
                for (key, value) in object(section).into_iter().rev() {
                    if seen.insert(key.clone()) {
                        places.push(secrets.enter_key(around, &key));
                        inputs.push((key, with_references(value, tag)));
                    }
                }
            }
            inputs.reverse();
            places.reverse();
            let mut relations = OldRelations::of(resource, tag);
            if places.iter().any(|place| *place != Place::Outside) {
                inputs = marks::signed(inputs, &places, secrets, &mut relations.dependencies);
            }
            resources.push(OldResource {
                urn: urn.to_owned(),
                ty: ty.to_owned(),
                id: text("id").filter(|id| !id.is_empty()).map(str::to_owned),
                inputs,
                outputs: object("outputs"),
                marks: DeploymentMarks::of(resource, tag),
                unknowns: unknowns_of(resource),
                relations,
            });
        }
        Ok(Snapshot { resources, pending: deployment::pending_operations(value) })
    }

    /// The operations that the last deployment began and did not finish (§15.5), in the order of
    /// the document. Nothing tells whether they had an effect.
    pub fn pending_operations(&self) -> &[PendingOperation] {
        &self.pending
    }

    /// The scheme and the environment of its URNs, if any resource has a URN.
    pub fn naming(&self) -> Option<(String, String)> {
        let urn = self.resources.iter().find_map(|resource| Urn::parse(&resource.urn).ok())?;
        let scheme = urn.scheme().prefix().trim_start_matches("urn:").trim_end_matches(':');
        Some((scheme.to_owned(), urn.namespace().to_owned()))
    }

    /// The number of resources.
    pub fn len(&self) -> usize {
        self.resources.len()
    }

    /// Whether it has no resources.
    pub fn is_empty(&self) -> bool {
        self.resources.is_empty()
    }
}

/// The key of an object that refers to another resource.
const TAG: &str = "#ref";

/// The key that the document uses for references (§15.1), if it declares one.
fn tag_of(document: &Json) -> &str {
    let places = [Some(document), document.get("latest")].into_iter().flatten();
    let mut named = places.flat_map(|place| ["reftag", "refs", "ref"].map(|key| place.get(key)));
    named.find_map(|tag| tag?.as_str()).unwrap_or(TAG)
}

/// A value with `#ref` as the key of references. Recursion is bounded by the levels of a document.
fn with_references(value: Json, tag: &str) -> Json {
    match value {
        value if tag == TAG => value,
        Json::List(items) => Json::List(items.into_iter().map(|item| with_references(item, tag)).collect()),
        Json::Object(mut entries) => {
            if let [(key, Json::String(_))] = &mut entries[..]
                && key == tag
            {
                TAG.clone_into(key);
                return Json::Object(entries);
            }
            let entry = |(key, value)| (key, with_references(value, tag));
            Json::Object(entries.into_iter().map(entry).collect())
        }
        scalar => scalar,
    }
}

/// The URN to which a value refers, if it is a reference.
pub(crate) fn reference_of(value: &Json) -> Option<&str> {
    match value.as_object()? {
        [(key, Json::String(urn))] if key == TAG => Some(urn),
        _ => None,
    }
}

fn unknowns_of(resource: &Json) -> Vec<UnknownPlace> {
    let all = resource.get("unknowns").and_then(Json::as_list).unwrap_or_default();
    let place = |unknown: &Json| {
        let text = |key: &str| Some(unknown.get(key)?.as_str()?.to_owned());
        let sources = unknown.get("sources").and_then(Json::as_list).unwrap_or_default();
        let sources = sources.iter().filter_map(reference_of).map(str::to_owned).collect();
        Some(UnknownPlace { path: text("path")?, ty: text("type")?, sources })
    };
    all.iter().filter_map(place).collect()
}

/// The URN in a relation: a text, or a reference.
fn urn_of(value: &Json, tag: &str) -> Option<String> {
    match (value, value.as_object()) {
        (Json::String(text), _) if !text.is_empty() => Some(text.clone()),
        (_, Some([(key, Json::String(urn))])) if key == tag => Some(urn.clone()),
        _ => None,
    }
}

impl OldRelations {
    /// The relations next to the properties. Pulumi records texts, and graphs of evaluations
    /// references.
    fn of(resource: &Json, tag: &str) -> OldRelations {
        let urn = |value: &Json| urn_of(value, tag);
        let urns = |value: &Json| -> Vec<String> {
            value.as_list().unwrap_or_default().iter().filter_map(urn).collect()
        };
        // Pulumi writes a provider as `URN::ID`.
        let provider = resource.get("provider").and_then(|provider| match provider {
            Json::String(text) => text.rsplit_once("::").map(|(urn, _)| urn.to_owned()),
            other => urn(other),
        });
        let mut dependencies: Vec<String> = resource.get("dependencies").map(urns).unwrap_or_default();
        let properties = resource.get("propertyDependencies").and_then(Json::as_object).unwrap_or_default();
        dependencies.extend(properties.iter().flat_map(|(_, value)| urns(value)));
        dependencies.extend(resource.get("deletedWith").and_then(urn));
        let mut seen = HashSet::new();
        dependencies.retain(|urn| seen.insert(urn.clone()));
        OldRelations {
            parent: resource.get("parent").and_then(urn),
            provider: provider.filter(|provider| !provider.is_empty()),
            dependencies,
        }
    }
}
