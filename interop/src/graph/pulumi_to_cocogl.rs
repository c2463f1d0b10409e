//! From: Pulumi's deployments, of any version. To: a Coconut 2017 graph. Nothing is lost.
//!
//! ```text
//! {"package": "import/pulumi#*",
//!  "origin": {"form": "pulumi-export", "document": { … the document, its resources null … }},
//!  "resources": {
//!    "urn:pulumi:dev::shop::aws:s3/bucket:Bucket::site": {
//!      "custom": true, "id": "site-1", "type": "aws:s3/bucket:Bucket", "inputs": { … },
//!      "parent": {"#ref": "urn:pulumi:dev::shop::pulumi:pulumi:Stack::shop-dev"}}}}
//! ```
//!
//! Every field keeps its name. A reference to a resource of the document becomes a reference
//! object; all other values stay the same. A resource that is only waiting to be deleted may share
//! its URN with another resource. Its key ends in `#delete-1`, and `x-origin` holds the URN.

use super::finding::GraphError;
use super::form::Form;
use super::origin::{self, ORIGIN, X_ORIGIN};
use crate::output::Output;
use coconut_codec::event::SinkError;
use coconut_format::graph::meant_vertex;
use coconut_format::node::{Kind, Node};
use coconut_format::pointer::push_index;
use std::collections::{HashMap, HashSet};

/// How a field of a resource refers to others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refers {
    /// A URN.
    Text,
    /// A list of URNs.
    List,
    /// Lists of URNs by name.
    Lists,
    /// A URN, `::` and an id.
    Provider,
}

/// The fields of a resource that refer to others.
pub(super) const REFERENCES: [(&str, Refers); 7] = [
    ("parent", Refers::Text),
    ("dependencies", Refers::List),
    ("propertyDependencies", Refers::Lists),
    ("provider", Refers::Provider),
    ("deletedWith", Refers::Text),
    ("replaceWith", Refers::List),
    ("viewOf", Refers::Text),
];

/// The way in which a field refers to other resources, if it does.
pub(super) fn refers(field: &str) -> Option<Refers> {
    REFERENCES.iter().find(|(name, _)| *name == field).map(|&(_, refers)| refers)
}

/// The resources of a deployment, each with a key.
pub(super) struct Keys<'a> {
    urns: Vec<&'a str>,
    keys: Vec<String>,
    by_urn: HashMap<&'a str, Vec<u32>>,
}

impl<'a> Keys<'a> {
    /// Computes the keys. Each resource has a string under `urn`.
    pub(super) fn of<N: Node<'a>>(resources: &[N], path: &str) -> Result<Keys<'a>, GraphError> {
        let mut found =
            Keys { urns: Vec::new(), keys: Vec::with_capacity(resources.len()), by_urn: HashMap::new() };
        for (number, &resource) in resources.iter().enumerate() {
            let malformed = |expected, found| {
                let mut pointer = path.to_owned();
                push_index(&mut pointer, number);
                GraphError::Malformed { pointer, expected, found }
            };
            if resource.kind() != Kind::Object {
                return Err(malformed("a resource", resource.kind().name()));
            }
            let urn = resource.get("urn").and_then(Node::as_str);
            let urn = urn.ok_or_else(|| malformed("a string under `urn`", "none"))?;
            let ordinal = u32::try_from(number).map_err(|_| SinkError::TooMany { what: "resources" })?;
            found.by_urn.entry(urn).or_default().push(ordinal);
            found.urns.push(urn);
        }
        found.name(resources);
        Ok(found)
    }

    /// Gives each resource a unique key: the URN for one resource, the URN with a suffix for the
    /// others.
    fn name<N: Node<'a>>(&mut self, resources: &[N]) {
        let is_condemned = |number: u32| resources[number as usize].get("delete").and_then(Node::as_bool);
        let mut taken: HashSet<String> = self.by_urn.keys().map(|&urn| urn.to_owned()).collect();
        let mut counts: HashMap<&str, u64> = HashMap::new();
        let plain_of = |same: &[u32]| {
            same.iter().find(|&&other| is_condemned(other) != Some(true)).or(same.first()).copied()
        };
        let plain: HashMap<&str, Option<u32>> =
            self.by_urn.iter().map(|(&urn, same)| (urn, plain_of(same))).collect();
        for (number, &urn) in (0..).zip(&self.urns) {
            if plain[urn] == Some(number) {
                self.keys.push(urn.to_owned());
                continue;
            }
            let word = if is_condemned(number) == Some(true) { "delete" } else { "again" };
            let count = counts.entry(urn).or_default();
            let key = loop {
                *count += 1;
                let key = format!("{urn}#{word}-{count}");
                if taken.insert(key.clone()) {
                    break key;
                }
            };
            self.keys.push(key);
        }
    }

    /// The key of the resource to which a reference from `source` leads.
    fn meant(&self, urn: &str, source: u32) -> Option<&str> {
        let number = meant_vertex(self.by_urn.get(urn)?, source)?;
        self.keys.get(number as usize).map(String::as_str)
    }
}

pub(super) fn push<'a, N: Node<'a>>(root: N, form: Form, out: &mut Output<'_>) -> Result<(), GraphError> {
    let deployment_path = form.deployment_path().unwrap_or_default();
    let path = [deployment_path, &["resources"]].concat();
    let list = path.iter().try_fold(root, |node: N, key| node.get(key));
    let resources: Vec<N> = list.into_iter().flat_map(Node::items).collect();
    let pointer: String = path.iter().map(|key| format!("/{key}")).collect();
    let keys = Keys::of(&resources, &pointer)?;
    out.begin()?;
    out.text("package", "import/pulumi#*")?;
    origin::push(form, out, |out| {
        out.value_with(root, &path, &mut |out: &mut Output<'_>, list: N| {
            // A value other than a list has no items, and is kept.
            match list.kind() {
                Kind::List => out.sink.null(),
                _ => out.value(list),
            }
        })
    })?;
    out.key("resources")?;
    out.begin()?;
    for (number, &resource) in (0..).zip(&resources) {
        let mut pointer = pointer.clone();
        push_index(&mut pointer, number);
        out.key(&keys.keys[number as usize])?;
        push_resource(resource, number, &keys, &pointer, out)?;
    }
    out.end()?;
    Ok(out.end()?)
}

fn push_resource<'a, N: Node<'a>>(
    resource: N,
    number: u32,
    keys: &Keys<'a>,
    pointer: &str,
    out: &mut Output<'_>,
) -> Result<(), GraphError> {
    let own_key = [ORIGIN, X_ORIGIN].into_iter().find(|key| resource.get(key).is_some());
    if own_key.is_some() {
        let (pointer, found) = (pointer.to_owned(), "a field with a name of CocoGL");
        return Err(GraphError::Malformed { pointer, expected: "a resource of Pulumi", found });
    }
    out.begin()?;
    let mut at = 0;
    for (position, (field, value)) in resource.entries().enumerate() {
        if field == "urn" {
            at = position;
            continue;
        }
        out.key(field)?;
        match refers(field) {
            None => out.value(value)?,
            Some(refers) => {
                let mut references =
                    References { keys, source: number, pointer: &format!("{pointer}/{field}") };
                references.push(value, refers, out)?;
            }
        }
    }
    let (urn, key) = (keys.urns[number as usize], &*keys.keys[number as usize]);
    if urn != key || at != 0 {
        out.key(X_ORIGIN)?;
        out.begin()?;
        if urn != key {
            out.text("urn", urn)?;
        }
        if at != 0 {
            out.number("at", at as u64)?;
        }
        out.end()?;
    }
    Ok(out.end()?)
}

/// Writes the references of one field.
struct References<'k, 'a> {
    keys: &'k Keys<'a>,
    source: u32,
    pointer: &'k str,
}

impl References<'_, '_> {
    fn push<'a, N: Node<'a>>(
        &mut self,
        value: N,
        refers: Refers,
        out: &mut Output<'_>,
    ) -> Result<(), GraphError> {
        match (refers, value.kind()) {
            (Refers::Text | Refers::Provider, Kind::String) => {
                let text = value.as_str().unwrap_or_default();
                let (urn, id) = match refers {
                    Refers::Provider => {
                        text.rsplit_once("::").map_or((text, None), |(urn, id)| (urn, Some(id)))
                    }
                    _ => (text, None),
                };
                match self.keys.meant(urn, self.source) {
                    None => out.sink.string(text)?,
                    Some(key) => push_reference(key, id, out)?,
                }
                Ok(())
            }
            (Refers::List, Kind::List) => {
                out.sink.begin_list()?;
                for item in value.items() {
                    self.push(item, Refers::Text, out)?;
                }
                Ok(out.sink.end_list()?)
            }
            (Refers::Lists, Kind::Object) => {
                out.begin()?;
                for (name, list) in value.entries() {
                    out.key(name)?;
                    self.push(list, Refers::List, out)?;
                }
                Ok(out.end()?)
            }
            // Converting back would turn it into a reference.
            (_, Kind::Object) => {
                let (pointer, expected) = (self.pointer.to_owned(), "the URN of a resource");
                Err(GraphError::Malformed { pointer, expected, found: "object" })
            }
            _ => Ok(out.value(value)?),
        }
    }
}

/// `{"#ref": key}`, or with an id `{"urn": {"#ref": key}, "id": id}`.
fn push_reference(key: &str, id: Option<&str>, out: &mut Output<'_>) -> Result<(), SinkError> {
    out.begin()?;
    match id {
        None => out.text("#ref", key)?,
        Some(id) => {
            out.key("urn")?;
            push_reference(key, None, out)?;
            out.text("id", id)?;
        }
    }
    out.end()
}
