//! §15.5 The marks that a deployment leaves in a snapshot.

use coconut_format::Value as Json;

/// The marks of one resource.
#[derive(Clone, Debug, Default)]
pub(crate) struct DeploymentMarks {
    /// `delete`: the resource was replaced, and only waits to be deleted.
    pub(crate) is_condemned: bool,
    /// `pendingReplacement`: the resource was deleted, and its replacement does not exist yet.
    pub(crate) is_gone: bool,
    /// `protect`. Absent if the document does not say.
    pub(crate) protect: Option<bool>,
    /// `retainOnDelete`: the resource outlives its entry in the snapshot.
    pub(crate) is_retained: bool,
    /// `external`: the resource was only read.
    pub(crate) is_external: bool,
    /// `custom` is false: no provider has the resource.
    pub(crate) is_component: bool,
    /// `initErrors` is not empty: the resource exists, but is not ready.
    pub(crate) is_unready: bool,
    /// `deletedWith`: the resource that takes this one with it.
    pub(crate) deleted_with: Option<String>,
}

impl DeploymentMarks {
    /// The marks of a resource. A value of another type is no mark, as in any reader of such
    /// documents.
    pub(super) fn of(resource: &Json, tag: &str) -> DeploymentMarks {
        let flag = |key: &str| match resource.get(key) {
            Some(Json::Bool(flag)) => Some(*flag),
            _ => None,
        };
        let is_set = |key: &str| flag(key) == Some(true);
        let errors = resource.get("initErrors").and_then(Json::as_list);
        DeploymentMarks {
            is_condemned: is_set("delete"),
            is_gone: is_set("pendingReplacement"),
            protect: flag("protect"),
            is_retained: is_set("retainOnDelete"),
            is_external: is_set("external"),
            is_component: flag("custom") == Some(false),
            is_unready: errors.is_some_and(|errors| !errors.is_empty()),
            deleted_with: resource.get("deletedWith").and_then(|value| super::urn_of(value, tag)),
        }
    }
}

/// An operation that the last deployment began and did not finish (§15.5).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PendingOperation {
    /// The kind, as in the document: `creating`, `updating`, `deleting`, `reading` or `importing`.
    pub kind: String,
    /// The URN of the resource; empty if the document does not say.
    pub urn: String,
}

/// Places around `pending_operations`.
const PLACES: [&[&str]; 4] = [&["checkpoint", "latest"], &["deployment"], &["latest"], &[]];

/// The unfinished operations of a document.
pub(super) fn pending_operations(document: &Json) -> Vec<PendingOperation> {
    let found = PLACES.iter().find_map(|path| {
        let around = path.iter().try_fold(document, |value, key| value.get(key))?;
        around.get("pending_operations")?.as_list().filter(|all| !all.is_empty())
    });
    let operation = |operation: &Json| {
        let text = |value: Option<&Json>| value.and_then(Json::as_str).unwrap_or_default().to_owned();
        let urn = operation.get("resource").and_then(|resource| resource.get("urn"));
        PendingOperation { kind: text(operation.get("type")), urn: text(urn) }
    };
    found.unwrap_or_default().iter().map(operation).collect()
}
