//! §16.2 Kubernetes objects that are the same although their keys differ.

use crate::value::identity::{Evidence, Pairing, Unit};
use coconut_format::node::Node;
use std::collections::HashMap;

/// A Kubernetes object, by the parts of its key.
struct Named<'a> {
    kind: &'a str,
    namespace: Option<&'a str>,
    name: &'a str,
}

/// The kind, the name without the hash of generated names, and whether there was a hash.
type Group<'a> = (&'a str, &'a str, bool);

impl<'a> Named<'a> {
    fn of<N: Node<'a>>(unit: &Unit<'a, N>) -> Option<Named<'a>> {
        let text = |name: &str| unit.node.get(name).and_then(Node::as_str);
        text("apiVersion")?;
        let metadata = unit.node.get("metadata")?;
        let of_metadata = |name: &str| metadata.get(name).and_then(Node::as_str);
        let (kind, name) = (text("kind")?, of_metadata("name")?);
        Some(Named { kind, namespace: of_metadata("namespace"), name })
    }

    fn group(&self) -> Group<'a> {
        let generated = matches!(self.kind, "ConfigMap" | "Secret").then(|| without_hash(self.name));
        let generated = generated.flatten();
        (self.kind, generated.unwrap_or(self.name), generated.is_some())
    }

    /// Whether one of them has no namespace, or both have the same.
    fn may_be(&self, new: &Named<'_>) -> bool {
        self.namespace.is_none() || new.namespace.is_none() || self.namespace == new.namespace
    }
}

/// The characters in the hash that Kustomize appends to generated names.
const HASH: &[u8] = b"2456789bcdfghkmt";

/// The length of that hash.
const HASH_LENGTH: usize = 10;

fn without_hash(name: &str) -> Option<&str> {
    let (name, hash) = name.rsplit_once('-')?;
    let is_hash = hash.len() == HASH_LENGTH && hash.bytes().all(|byte| HASH.contains(&byte));
    is_hash.then_some(name)
}

/// Row P7: pairs objects with one name if only one of them has a namespace, and generated ones
/// whose names differ in a hash of their content.
pub(super) fn by_name<'a, N: Node<'a>, M: Node<'a>>(
    old: &[Unit<'a, N>],
    new: &[Unit<'a, M>],
    left: &mut Pairing,
) {
    let mut of_old: HashMap<Group<'a>, Vec<(usize, Named<'a>)>> = HashMap::new();
    for &n in &left.deleted {
        if let Some(named) = Named::of(&old[n]) {
            of_old.entry(named.group()).or_default().push((n, named));
        }
    }
    let mut claims = Vec::new();
    for &n in &left.created {
        let Some(named) = Named::of(&new[n]) else { continue };
        let candidates = of_old.get(&named.group()).into_iter().flatten();
        // With more of them, they are certainly ambiguous.
        let candidates = candidates.filter(|(_, old)| old.may_be(&named)).take(2);
        claims.extend(candidates.map(|&(old, _)| (old, n)));
    }
    left.settle(&claims, Evidence::Name);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_is_ten_of_sixteen_characters() {
        assert_eq!(without_hash("app-config-9bfbmfgt2f"), Some("app-config"));
        assert_eq!(without_hash("app-config-abcdefghij"), None);
        assert_eq!(without_hash("app-config-9bfbmfgt2"), None);
        assert_eq!(without_hash("9bfbmfgt2f"), None);
    }
}
