//! From: a Coconut 2017 graph converted from another document. To: that document.
//!
//! Resources added to the graph are added to the document, and removed ones are omitted.

use super::finding::GraphError;
use super::form::Form;
use super::origin::{self, X_ORIGIN};
use super::pulumi_to_cocogl::{Refers, refers};
use crate::output::Output;
use coconut_codec::event::{SinkError, ValueSink};
use coconut_format::Value;
use coconut_format::graph::address::Address;
use coconut_format::node::{Kind, Node};
use coconut_format::pointer::push_key;
use std::collections::{HashMap, HashSet};

/// The intermediate document between the source and the target.
pub(super) struct Between {
    pub(super) form: Form,
    pub(super) document: Value,
    /// Maps the pointer of each resource in the document to its place in the source. `None` if all
    /// places are the same.
    pub(super) places: Option<HashMap<String, String>>,
}

impl Between {
    /// The place in the source of a pointer into the document.
    pub(super) fn place(&self, pointer: &str) -> String {
        let Some(places) = &self.places else { return pointer.to_owned() };
        let mut end = pointer.len();
        loop {
            if let Some(place) = places.get(&pointer[..end]) {
                return place.clone();
            }
            match pointer[..end].rfind('/') {
                Some(shorter) => end = shorter,
                None => return String::new(),
            }
        }
    }
}

/// The document from which a graph was converted; `None` if there is no such document.
pub(super) fn restored<'a, N: Node<'a>>(root: N) -> Result<Option<Between>, GraphError> {
    let Some((form, rest)) = origin::of(root) else { return Ok(None) };
    let resources: Vec<(&str, N)> = root.get("resources").into_iter().flat_map(Node::entries).collect();
    let mut places = HashMap::new();
    let mut sink = ValueSink::new();
    let out = &mut Output::new(&mut sink);
    match form.deployment_path() {
        Some(path) => {
            let path = [path, &["resources"]].concat();
            let pointer: String = path.iter().map(|key| format!("/{key}")).collect();
            for (number, (key, _)) in resources.iter().enumerate() {
                places.insert(format!("{pointer}/{number}"), place_of(key));
            }
            out.value_with(rest, &path, &mut |out: &mut Output<'_>, list: N| {
                push_pulumi(list, &resources, out)
            })?;
        }
        None => out.value_with(rest, &["resources"], &mut |out: &mut Output<'_>, list: N| {
            push_terraform(list, &resources, &mut places, out)
        })?,
    }
    let document = sink.finish().ok_or(GraphError::NoGraph)?;
    Ok(Some(Between { form, document, places: Some(places) }))
}

fn place_of(key: &str) -> String {
    let mut place = String::from("/resources");
    push_key(&mut place, key);
    place
}

fn push_pulumi<'a, N: Node<'a>>(
    list: N,
    resources: &[(&str, N)],
    out: &mut Output<'_>,
) -> Result<(), GraphError> {
    if list.kind() != Kind::Null {
        return Ok(out.value(list)?);
    }
    let urns: HashMap<&str, &str> = resources
        .iter()
        .filter_map(|(key, resource)| Some((*key, resource.get(X_ORIGIN)?.get("urn")?.as_str()?)))
        .collect();
    out.sink.begin_list()?;
    for (key, resource) in resources {
        if resource.kind() != Kind::Object {
            let (pointer, found) = (place_of(key), resource.kind().name());
            return Err(GraphError::Malformed { pointer, expected: "a resource", found });
        }
        let extra = resource.get(X_ORIGIN);
        let at = extra.and_then(|extra| extra.get("at")?.as_integer()?.as_u64()).unwrap_or(0);
        let urn = urns.get(key).copied().unwrap_or(key);
        out.begin()?;
        let mut is_written = false;
        for (position, (field, value)) in (0..).zip(resource.entries()) {
            if position == at {
                out.text("urn", urn)?;
                is_written = true;
            }
            if field == X_ORIGIN {
                continue;
            }
            out.key(field)?;
            match refers(field) {
                Some(refers) => push_reference(value, refers, &urns, out)?,
                None => out.value(value)?,
            }
        }
        if !is_written {
            out.text("urn", urn)?;
        }
        out.end()?;
    }
    Ok(out.sink.end_list()?)
}

/// A reference in Pulumi's notation.
fn push_reference<'a, N: Node<'a>>(
    value: N,
    refers: Refers,
    urns: &HashMap<&str, &str>,
    out: &mut Output<'_>,
) -> Result<(), SinkError> {
    let urn_of = |node: N| {
        let key = node.get("#ref")?.as_str()?;
        Some(urns.get(key).copied().unwrap_or(key))
    };
    match (refers, value.kind()) {
        (Refers::List, Kind::List) => {
            out.sink.begin_list()?;
            value.items().try_for_each(|item| push_reference(item, Refers::Text, urns, out))?;
            out.sink.end_list()
        }
        (Refers::Lists, Kind::Object) => {
            out.begin()?;
            for (name, list) in value.entries() {
                out.key(name)?;
                push_reference(list, Refers::List, urns, out)?;
            }
            out.end()
        }
        (Refers::Provider, Kind::Object) => {
            let id = value.get("id").and_then(Node::as_str);
            match value.get("urn").and_then(urn_of).zip(id) {
                Some((urn, id)) => out.sink.string(&format!("{urn}::{id}")),
                None => match urn_of(value) {
                    Some(urn) => out.sink.string(urn),
                    None => out.value(value),
                },
            }
        }
        (_, Kind::Object) => match urn_of(value) {
            Some(urn) => out.sink.string(urn),
            None => out.value(value),
        },
        _ => out.value(value),
    }
}

fn push_terraform<'a, N: Node<'a>>(
    list: N,
    resources: &[(&'a str, N)],
    places: &mut HashMap<String, String>,
    out: &mut Output<'_>,
) -> Result<(), GraphError> {
    if list.kind() != Kind::List {
        return Ok(out.value(list)?);
    }
    let by_key: HashMap<&str, N> = resources.iter().copied().collect();
    let mut written = HashSet::new();
    out.sink.begin_list()?;
    let mut count = 0;
    for (number, resource) in list.items().enumerate() {
        count += 1;
        out.begin()?;
        for (field, value) in resource.entries() {
            out.key(field)?;
            if field != "instances" || value.kind() != Kind::List {
                out.value(value)?;
                continue;
            }
            out.sink.begin_list()?;
            let mut index = 0;
            for key in value.items().filter_map(Node::as_str) {
                let Some(instance) = by_key.get(key) else { continue };
                written.insert(key);
                places.insert(format!("/resources/{number}/instances/{index}"), place_of(key));
                index += 1;
                push_instance(*instance, out)?;
            }
            out.sink.end_list()?;
        }
        out.end()?;
    }
    for (key, resource) in resources.iter().filter(|(key, _)| !written.contains(key)) {
        places.insert(format!("/resources/{count}"), place_of(key));
        count += 1;
        push_added(key, *resource, out)?;
    }
    Ok(out.sink.end_list()?)
}

/// An instance in the form that a state uses.
fn push_instance<'a, N: Node<'a>>(vertex: N, out: &mut Output<'_>) -> Result<(), SinkError> {
    out.begin()?;
    let fields = vertex.get("terraform");
    if fields.is_none()
        && let Some(properties) = vertex.get("properties")
    {
        out.entry("attributes", properties)?;
    }
    for (field, value) in fields.into_iter().flat_map(Node::entries) {
        let beside = match field {
            "attributes" => vertex.get("properties"),
            "sensitive_attributes" => vertex.get("sensitive_attributes"),
            _ => None,
        };
        out.entry(field, beside.filter(|_| value.kind() == Kind::Null).unwrap_or(value))?;
    }
    out.end()
}

/// A resource that the state did not have.
fn push_added<'a, N: Node<'a>>(key: &str, vertex: N, out: &mut Output<'_>) -> Result<(), SinkError> {
    let address = Address::parse(key).ok();
    let own_type = vertex.get("type").and_then(Node::as_str);
    out.begin()?;
    if let Some(module) = address.and_then(Address::module) {
        out.text("module", module)?;
    }
    out.text("mode", if address.is_some_and(Address::is_data) { "data" } else { "managed" })?;
    out.text("type", own_type.or(address.map(Address::resource_type)).unwrap_or(key))?;
    out.text("name", address.map_or(key, Address::name))?;
    if let Some(provider) = vertex.get("provider") {
        out.entry("provider", provider)?;
    }
    out.key("instances")?;
    out.sink.begin_list()?;
    push_instance(vertex, out)?;
    out.sink.end_list()?;
    out.end()
}
