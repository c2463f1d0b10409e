//! §25.1 The document of a state.

use super::order::sort;
use super::{Folded, ResourceState, State, Table, Unresolved};
use crate::intent::Intent;
use coconut_format::Value;
use coconut_format::hex::Hex;
use sha2::{Digest, Sha256};
use std::fmt;

/// The writer of new states.
const VERSION: &str = concat!("coconut-", env!("CARGO_PKG_VERSION"));

/// The error of a document that is not a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateError {
    place: String,
    expected: &'static str,
}

impl fmt::Display for StateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "state at `{}`: expected {}", self.place, self.expected)
    }
}

impl std::error::Error for StateError {}

fn wrong(place: impl Into<String>, expected: &'static str) -> StateError {
    StateError { place: place.into(), expected }
}

impl State {
    /// The state of a new environment.
    pub fn empty() -> State {
        let magic = Hex(&Sha256::digest(VERSION)).to_string();
        let manifest: [(&str, Value); 3] =
            [("time", "".into()), ("magic", magic.into()), ("version", VERSION.into())];
        State {
            resources: Table::default(),
            unresolved: Vec::new(),
            others: Vec::new(),
            around: vec![("version".to_owned(), 3u64.into())],
            deployment: vec![("manifest".to_owned(), Value::from_iter(manifest))],
            folded: None,
        }
    }

    /// Reads a state in the form of a Pulumi export: `{version, deployment: {resources, …}}`.
    ///
    /// # Errors
    /// Fails if the document has another form, or a resource has no URN or no type.
    pub fn from_document(document: Value) -> Result<State, StateError> {
        let Value::Object(entries) = document else { return Err(wrong("/", "an object")) };
        let (mut around, mut folded, mut deployment) = (Vec::new(), None, None);
        for (key, value) in entries {
            match (key.as_str(), value) {
                ("deployment", Value::Object(entries)) => deployment = Some(entries),
                ("journal", value) => folded = Folded::from_value(&value),
                (_, value) => around.push((key, value)),
            }
        }
        let expected = "an export: an object `deployment` with `resources`";
        let deployment = deployment.ok_or_else(|| wrong("/deployment", expected))?;
        let mut state = State { around, folded, deployment: Vec::new(), ..State::empty() };
        for (key, value) in deployment {
            match (key.as_str(), value) {
                ("resources" | "pending_operations", Value::Null) => {}
                ("resources", Value::List(items)) => state.resources = resources(items)?,
                ("pending_operations", Value::List(items)) => state.add_pending(items),
                ("resources" | "pending_operations", _) => {
                    return Err(wrong(format!("/deployment/{key}"), "a list"));
                }
                (_, value) => state.deployment.push((key, value)),
            }
        }
        Ok(state)
    }

    /// Reads a state of another tool: an export or a checkpoint of Pulumi.
    ///
    /// # Errors
    /// The same as for [`State::from_document`].
    pub fn adopted(document: Value) -> Result<State, StateError> {
        let Some(latest) = document.get("checkpoint").and_then(|checkpoint| checkpoint.get("latest")) else {
            return State::from_document(document);
        };
        let deployment = latest.clone();
        let Value::Object(mut fields) = document else { return State::from_document(document) };
        for (key, value) in &mut fields {
            if let (Value::Object(checkpoint), "checkpoint") = (value, key.as_str()) {
                checkpoint.retain(|(key, _)| key != "latest");
            }
        }
        fields.push(("deployment".to_owned(), deployment));
        State::from_document(Value::Object(fields))
    }

    fn add_pending(&mut self, items: Vec<Value>) {
        for item in items {
            let message = item.get("message").and_then(Value::as_str).map(str::to_owned);
            match Intent::of_pending(&item) {
                Some(intent) => self.unresolved.push(Unresolved { intent, message }),
                None => self.others.push(item),
            }
        }
    }

    /// The document of the state, with the resources in the order of their dependencies.
    pub fn to_document(&self) -> Value {
        let mut resources: Vec<ResourceState> = self.resources().cloned().collect();
        sort(&mut resources);
        let mut deployment = self.deployment.clone();
        deployment.push(("resources".to_owned(), resources.iter().map(ResourceState::to_value).collect()));
        let pending = self.unresolved.iter().map(|one| one.intent.to_pending(one.message.as_deref()));
        let pending: Vec<Value> = pending.chain(self.others.iter().cloned()).collect();
        if !pending.is_empty() {
            deployment.push(("pending_operations".to_owned(), Value::List(pending)));
        }
        let mut document = self.around.clone();
        document.push(("deployment".to_owned(), Value::Object(deployment)));
        document.extend(self.folded.as_ref().map(|folded| ("journal".to_owned(), folded.to_value())));
        Value::Object(document)
    }
}

fn resources(items: Vec<Value>) -> Result<Table, StateError> {
    let resource = |(at, item)| {
        let place = || format!("/deployment/resources/{at}");
        ResourceState::from_value(item).ok_or_else(|| wrong(place(), "a resource with a `urn` and a `type`"))
    };
    items.into_iter().enumerate().map(resource).collect()
}

impl Folded {
    fn from_value(value: &Value) -> Option<Folded> {
        let records = match value.get("records")? {
            Value::Integer(number) => number.as_u64()?,
            _ => return None,
        };
        Some(Folded { base: value.get("base").and_then(Value::as_str).map(str::to_owned), records })
    }

    fn to_value(&self) -> Value {
        let base = self.base.as_deref().map_or(Value::Null, Value::from);
        Value::from_iter([("base", base), ("records", self.records.into())])
    }
}
