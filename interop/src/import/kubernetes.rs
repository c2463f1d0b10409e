//! Kubernetes objects: `kubernetes-1`.
//!
//! An object refers to others by name, by labels, by the uid of its owner, and by its own kind.
//! `references.tsv` lists the places of the names.

mod objects;
mod references;
mod selectors;

use super::draft::Draft;
use super::{EdgeKind, ImportError, Options, Source};
use coconut_format::node::Node;
use objects::{Object, Objects};

pub(super) fn import<'a, N: Node<'a>>(
    sources: &[Source<'_, N>],
    options: &Options<'_>,
    draft: &mut Draft<'a, '_, N>,
) -> Result<(), ImportError> {
    let objects = Objects::collect(sources, options, draft)?;
    for object in objects.iter() {
        belongs(object, &objects, draft)?;
        references::follow(object, &objects, draft)?;
    }
    selectors::follow(&objects, draft)
}

/// Adds the edges of any object: to its owners, its namespace and the definition of its kind.
fn belongs<'a, N: Node<'a>>(
    object: &Object<'a, '_, N>,
    objects: &Objects<'a, '_, N>,
    draft: &mut Draft<'a, '_, N>,
) -> Result<(), ImportError> {
    if let Some(owners) = object.metadata().and_then(|metadata| metadata.get("ownerReferences")) {
        for (index, owner) in owners.items().enumerate() {
            draft.work(1)?;
            let text = |key| owner.get(key).and_then(Node::as_str);
            let by_uid = text("uid").and_then(|uid| objects.with_uid(uid));
            let found = by_uid.or_else(|| {
                let group = text("apiVersion").map(objects::group_of);
                objects.named(group, text("kind")?, object.namespace, text("name")?)
            });
            match (found, text("name").or_else(|| text("uid"))) {
                (Some(owner), _) => draft.edge(object.number, EdgeKind::Owner, owner)?,
                (None, Some(name)) => {
                    let at = format!("/metadata/ownerReferences/{index}");
                    references::missing(object, EdgeKind::Owner, name, &at, false, draft)?;
                }
                (None, None) => {}
            }
        }
    }
    let namespace = object.namespace.and_then(|name| objects.named(Some(""), "Namespace", None, name));
    if let Some(namespace) = namespace {
        draft.edge(object.number, EdgeKind::Namespace, namespace)?;
    }
    match objects.definition(object.group, object.kind) {
        Some(definition) => draft.edge(object.number, EdgeKind::Crd, definition),
        None => Ok(()),
    }
}
