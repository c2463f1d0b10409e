//! §15.5 One resource of a state.

use crate::intent::Entry;
use coconut_format::Value;

/// A resource of a state, with all keys that its document has.
#[derive(Clone, Debug, PartialEq)]
pub struct ResourceState {
    fields: Vec<(String, Value)>,
}

impl ResourceState {
    /// The resource of a document: an object with a `urn` and a `type`.
    pub(crate) fn from_value(value: Value) -> Option<ResourceState> {
        let is_text = |key: &str| value.get(key).and_then(Value::as_str).is_some_and(|text| !text.is_empty());
        if !is_text("urn") || !is_text("type") {
            return None;
        }
        match value {
            Value::Object(fields) => Some(ResourceState { fields }),
            _ => None,
        }
    }

    pub(crate) fn new(urn: &str, type_token: &str) -> ResourceState {
        let fields: [(&str, Value); 3] =
            [("urn", urn.into()), ("custom", true.into()), ("type", type_token.into())];
        ResourceState { fields: fields.map(|(key, value)| (key.to_owned(), value)).into() }
    }

    /// The value in the document.
    pub fn to_value(&self) -> Value {
        Value::Object(self.fields.clone())
    }

    /// The value of a key.
    pub fn field(&self, key: &str) -> Option<&Value> {
        self.fields.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    fn text(&self, key: &str) -> Option<&str> {
        self.field(key).and_then(Value::as_str).filter(|text| !text.is_empty())
    }

    fn flag(&self, key: &str) -> Option<bool> {
        match self.field(key) {
            Some(Value::Bool(flag)) => Some(*flag),
            _ => None,
        }
    }

    fn object(&self, key: &str) -> &[(String, Value)] {
        self.field(key).and_then(Value::as_object).unwrap_or_default()
    }

    /// Sets a key, or removes it.
    pub(crate) fn set(&mut self, key: &str, value: Option<Value>) {
        match (self.fields.iter_mut().find(|(name, _)| name == key), value) {
            (Some((_, old)), Some(value)) => *old = value,
            (None, Some(value)) => self.fields.push((key.to_owned(), value)),
            (_, None) => self.fields.retain(|(name, _)| name != key),
        }
    }

    /// The URN.
    pub fn urn(&self) -> &str {
        self.text("urn").unwrap_or_default()
    }

    /// The type.
    pub fn type_token(&self) -> &str {
        self.text("type").unwrap_or_default()
    }

    /// The id that the provider has given. Components have none.
    pub fn id(&self) -> Option<&str> {
        self.text("id")
    }

    /// The inputs that the provider has checked.
    pub fn inputs(&self) -> &[(String, Value)] {
        self.object("inputs")
    }

    /// The properties that the provider has returned.
    pub fn outputs(&self) -> &[(String, Value)] {
        self.object("outputs")
    }

    /// Whether it was replaced, and waits to be deleted.
    pub fn is_condemned(&self) -> bool {
        self.flag("delete") == Some(true)
    }

    /// Whether it was deleted for a replacement that does not exist yet.
    pub fn is_gone(&self) -> bool {
        self.flag("pendingReplacement") == Some(true)
    }

    /// Whether it must not be deleted or replaced.
    pub fn is_protected(&self) -> bool {
        self.flag("protect") == Some(true)
    }

    /// Whether it was only read, and is not managed.
    pub fn is_external(&self) -> bool {
        self.flag("external") == Some(true)
    }

    /// Whether it outlives its entry in the state.
    pub fn is_retained(&self) -> bool {
        self.flag("retainOnDelete") == Some(true)
    }

    /// Whether no provider has it.
    pub fn is_component(&self) -> bool {
        self.flag("custom") == Some(false)
    }

    /// Whether it exists, but its initialization failed.
    pub fn is_unready(&self) -> bool {
        self.field("initErrors").and_then(Value::as_list).is_some_and(|errors| !errors.is_empty())
    }

    /// The URN of the resource that takes this one with it.
    pub fn deleted_with(&self) -> Option<&str> {
        self.text("deletedWith")
    }

    /// The entry of the state that it is.
    pub(crate) fn entry(&self) -> Entry {
        let id = self.id().map(str::to_owned);
        Entry { urn: self.urn().to_owned(), id, is_condemned: self.is_condemned() }
    }

    /// The resource after its replacement was created.
    pub(crate) fn condemned(mut self) -> ResourceState {
        self.set("delete", Some(true.into()));
        self
    }

    /// The URNs of all resources on which it depends. One may occur several times.
    pub fn relations(&self) -> impl Iterator<Item = &str> {
        // A provider is `URN::ID`.
        let provider = self.text("provider").map(|text| text.rsplit_once("::").map_or(text, |(urn, _)| urn));
        let listed = self.field("dependencies").into_iter().flat_map(texts);
        let by_property = self.object("propertyDependencies").iter().flat_map(|(_, value)| texts(value));
        let single = [self.text("parent"), provider, self.deleted_with()];
        single.into_iter().flatten().chain(listed).chain(by_property)
    }

    /// The same without a relation to a resource that does not exist any more.
    pub(crate) fn without_relation(mut self, urn: &str) -> ResourceState {
        let is_other = |value: &Value| value.as_str() != Some(urn);
        let list = |value: &Value| -> Value {
            value.as_list().unwrap_or_default().iter().filter(|one| is_other(one)).cloned().collect()
        };
        if let Some(all) = self.field("dependencies").map(list) {
            self.set("dependencies", Some(all));
        }
        if let Some(Value::Object(all)) = self.field("propertyDependencies") {
            let all = all.iter().map(|(key, value)| (key.clone(), list(value))).collect();
            self.set("propertyDependencies", Some(Value::Object(all)));
        }
        for key in ["parent", "deletedWith"] {
            if self.text(key) == Some(urn) {
                self.set(key, None);
            }
        }
        self
    }

    /// Whether a property depends on one of these resources, as far as the state records it.
    pub(crate) fn depends(&self, property: &str, urns: &[String]) -> bool {
        let all = self.object("propertyDependencies").iter().filter(|(key, _)| key == property);
        all.flat_map(|(_, value)| texts(value)).any(|urn| urns.iter().any(|other| other == urn))
    }
}

fn texts(value: &Value) -> impl Iterator<Item = &str> {
    value.as_list().unwrap_or_default().iter().filter_map(Value::as_str)
}
