//! §25.2 The intention of a call, written before the call is made.

use coconut_format::Value;

coconut_format::named! {
    /// An operation that calls a provider and may change something.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum Operation, ALL {
        /// Creates a resource.
        Create = "create", "creating";
        /// Creates the replacement of a resource, which waits to be deleted from then on.
        CreateReplacement = "create-replacement", "creating";
        /// Changes a resource in place.
        Update = "update", "updating";
        /// Deletes a resource.
        Delete = "delete", "deleting";
        /// Deletes a resource before its replacement is created.
        DeleteFirst = "delete-first", "deleting";
        /// Deletes a resource that was replaced.
        DeleteReplaced = "delete-replaced", "deleting";
    }
    /// The name in a journal.
    pub fn as_str;
    /// The kind in the unfinished operations of a snapshot (§15.5).
    pub fn pending_kind;
}

/// An operation before its call.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Intent {
    /// The operation.
    pub operation: Operation,
    /// The URN of the resource.
    pub urn: String,
    /// Its type.
    pub type_token: String,
    /// Its id; absent for a resource that is created.
    pub id: Option<String>,
    /// The checked inputs: the new ones, or those of the resource to delete.
    pub inputs: Vec<(String, Value)>,
    /// The resources that a deletion takes with it (`deletedWith`).
    pub carried: Vec<Entry>,
}

/// An entry of a state. A URN may have several: a live one, and others that were replaced.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Entry {
    /// The URN.
    pub urn: String,
    /// The id.
    pub id: Option<String>,
    /// Whether the resource was replaced.
    pub is_condemned: bool,
}

impl Entry {
    pub(crate) fn fields(&self) -> [(&'static str, Value); 3] {
        let id = self.id.as_deref().map_or(Value::Null, Value::from);
        [("urn", self.urn.as_str().into()), ("id", id), ("delete", self.is_condemned.into())]
    }

    pub(crate) fn from_value(value: &Value) -> Option<Entry> {
        let text = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
        let is_condemned = matches!(value.get("delete")?, Value::Bool(true));
        Some(Entry { urn: text("urn")?, id: text("id"), is_condemned })
    }
}

/// The entries under `with`, if there are any.
fn carried_of(value: &Value) -> Option<Vec<Entry>> {
    match value.get("with") {
        None => Some(Vec::new()),
        Some(entries) => entries.as_list()?.iter().map(Entry::from_value).collect(),
    }
}

impl Operation {
    pub(crate) fn named(name: &str) -> Option<Operation> {
        Operation::ALL.into_iter().find(|operation| operation.as_str() == name)
    }

    /// Whether it makes a resource that no id names yet.
    pub fn is_create(self) -> bool {
        matches!(self, Operation::Create | Operation::CreateReplacement)
    }
}

impl Intent {
    /// Whether both are about the same entry of a state.
    pub(crate) fn is_of_same(&self, other: &Intent) -> bool {
        let is_condemned = |intent: &Intent| intent.operation == Operation::DeleteReplaced;
        self.urn == other.urn
            && is_condemned(self) == is_condemned(other)
            && self.operation.is_create() == other.operation.is_create()
            && (!is_condemned(self) || self.id == other.id)
    }

    pub(crate) fn fields(&self) -> Vec<(String, Value)> {
        let mut fields = vec![
            ("operation".to_owned(), self.operation.as_str().into()),
            ("urn".to_owned(), self.urn.as_str().into()),
            ("type".to_owned(), self.type_token.as_str().into()),
        ];
        fields.extend(self.id.as_deref().map(|id| ("id".to_owned(), id.into())));
        fields.push(("inputs".to_owned(), Value::Object(self.inputs.clone())));
        fields.extend(self.carried_field());
        fields
    }

    fn carried_field(&self) -> Option<(String, Value)> {
        let entries = self.carried.iter().map(|entry| Value::from_iter(entry.fields()));
        (!self.carried.is_empty()).then(|| ("with".to_owned(), entries.collect()))
    }

    pub(crate) fn from_value(value: &Value) -> Option<Intent> {
        let text = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
        Some(Intent {
            operation: Operation::named(&text("operation")?)?,
            urn: text("urn")?,
            type_token: text("type")?,
            id: text("id"),
            inputs: value.get("inputs")?.as_object()?.to_vec(),
            carried: carried_of(value)?,
        })
    }

    /// The intention as an unfinished operation of a snapshot.
    pub(crate) fn to_pending(&self, message: Option<&str>) -> Value {
        let mut resource: Vec<(String, Value)> = vec![
            ("urn".to_owned(), self.urn.as_str().into()),
            ("custom".to_owned(), true.into()),
            ("type".to_owned(), self.type_token.as_str().into()),
            ("inputs".to_owned(), Value::Object(self.inputs.clone())),
        ];
        resource.extend(self.id.as_deref().map(|id| ("id".to_owned(), id.into())));
        if self.operation == Operation::DeleteReplaced {
            resource.push(("delete".to_owned(), true.into()));
        }
        let mut pending: Vec<(String, Value)> = vec![
            ("resource".to_owned(), Value::Object(resource)),
            ("type".to_owned(), self.operation.pending_kind().into()),
        ];
        pending.extend(self.carried_field());
        pending.extend(message.map(|message| ("message".to_owned(), message.into())));
        Value::Object(pending)
    }

    /// The intention of an unfinished operation. Others are reads, which have no effect.
    pub(crate) fn of_pending(pending: &Value) -> Option<Intent> {
        let resource = pending.get("resource")?;
        let text = |key: &str| resource.get(key).and_then(Value::as_str).map(str::to_owned);
        let is_condemned = matches!(resource.get("delete"), Some(Value::Bool(true)));
        let operation = match pending.get("type")?.as_str()? {
            "creating" => Operation::Create,
            "updating" => Operation::Update,
            "deleting" if is_condemned => Operation::DeleteReplaced,
            "deleting" => Operation::Delete,
            _ => return None,
        };
        Some(Intent {
            operation,
            urn: text("urn")?,
            type_token: text("type")?,
            id: text("id").filter(|id| !id.is_empty()),
            inputs: resource.get("inputs").and_then(Value::as_object).unwrap_or_default().to_vec(),
            carried: carried_of(pending).unwrap_or_default(),
        })
    }
}
