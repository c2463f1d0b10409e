//! §13.1 Nodes. A kind, and its fields in the order of the document.

use super::{Era, FieldSpec, SyntaxKind, decode};
use crate::location::Location;
use crate::value::Value;

/// An object of the tree, with every field in its place.
///
/// Unlike a [`Value`], a node knows its kind and has its children decoded. The typed views of
/// [`view`](SyntaxNode::view) read it by field. They return `None` (or `false`, or an empty list)
/// for a field that is absent, `null`, or not of the listed type. A node costs a vector of 72-byte
/// fields; the names of source files are shared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxNode {
    pub(super) kind: SyntaxKind,
    pub(super) fields: Vec<(Key, Field)>,
}

/// The key of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Key {
    /// A key listed for this kind.
    Listed(&'static str),
    /// Any other key.
    Other(Box<str>),
}

impl Key {
    /// The text of the key.
    pub fn as_str(&self) -> &str {
        match self {
            Key::Listed(key) => key,
            Key::Other(key) => key,
        }
    }
}

/// The content of a field, an item of a list or an entry of a map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Field {
    /// The place of the `kind` tag; its text is the name of the node's kind.
    Tag,
    /// A location in the regular form: `file`, `start` and `end`, in this order, without other
    /// keys.
    Location(Location),
    /// A node.
    Node(SyntaxNode),
    /// A list in a field that `kinds` declares as nodes.
    List(Vec<Field>),
    /// An object of names in a field that `kinds` declares as nodes.
    Map(Vec<(Box<str>, Field)>),
    /// Everything else: scalars, unknown keys, explicit nulls, and values that are not of the
    /// listed type.
    Value(Value),
}

impl SyntaxNode {
    /// Decodes an object whose `kind` is in the list. Returns any other value unchanged.
    ///
    /// Costs one pass; texts and lists are moved, not copied.
    pub fn from_value(value: Value) -> Result<SyntaxNode, Value> {
        decode::node(value)
    }

    /// The value that the node was decoded from, or that a built node represents.
    ///
    /// Recurses once per node, at most [`MAX_DEPTH`](crate::limits::MAX_DEPTH) deep if it was
    /// decoded. That takes up to 256 KiB of stack, and 768 KiB in a build without optimisation.
    pub fn to_value(&self) -> Value {
        let entries = self.fields.iter();
        Value::Object(
            entries.map(|(key, field)| (key.as_str().to_owned(), field.to_value(self.kind))).collect(),
        )
    }

    /// The kind of the node.
    pub fn kind(&self) -> SyntaxKind {
        self.kind
    }

    /// All fields in document order, explicit nulls and unknown keys included.
    pub fn fields(&self) -> &[(Key, Field)] {
        &self.fields
    }

    /// The field under `key`, or `None` if it is absent or `null`. Both mean the same in every
    /// dialect.
    pub fn get(&self, key: &str) -> Option<&Field> {
        let entry = self.fields.iter().find(|(k, _)| k.as_str() == key);
        entry.map(|(_, field)| field).filter(|field| !matches!(field, Field::Value(Value::Null)))
    }

    /// Its place in the source.
    pub fn location(&self) -> Option<&Location> {
        match self.get("loc") {
            Some(Field::Location(location)) => Some(location),
            _ => None,
        }
    }

    /// The node under `key`.
    pub fn node(&self, key: &str) -> Option<&SyntaxNode> {
        self.get(key).and_then(Field::as_node)
    }

    /// The nodes in the list under `key`, in order.
    pub fn nodes(&self, key: &str) -> impl Iterator<Item = &SyntaxNode> + use<'_> {
        self.list(key).iter().filter_map(Field::as_node)
    }

    /// The items of the list under `key`, nodes or not; empty if it is absent.
    pub fn list(&self, key: &str) -> &[Field] {
        match self.get(key) {
            Some(Field::List(items)) => items,
            _ => &[],
        }
    }

    /// The nodes in the map under `key` with their names, in order.
    pub fn entries(&self, key: &str) -> impl Iterator<Item = (&str, &SyntaxNode)> + use<'_> {
        let entries = match self.get(key) {
            Some(Field::Map(entries)) => entries.as_slice(),
            _ => &[],
        };
        entries.iter().filter_map(|(name, field)| Some((&**name, field.as_node()?)))
    }

    /// The value under `key`, if it is neither a node nor a location.
    pub fn value(&self, key: &str) -> Option<&Value> {
        match self.get(key) {
            Some(Field::Value(value)) => Some(value),
            _ => None,
        }
    }

    /// The string under `key`.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.value(key).and_then(Value::as_str)
    }

    /// Whether the value under `key` is `true`. Every flag of the format is `false` if absent.
    pub fn flag(&self, key: &str) -> bool {
        matches!(self.value(key), Some(Value::Bool(true)))
    }

    /// The text of the token or identifier under `key`, in any form that a dialect writes: a node,
    /// an object with `tok`, or a string.
    pub fn token(&self, key: &str) -> Option<&str> {
        match self.get(key)? {
            Field::Node(node) => node.text("tok").or_else(|| node.text("ident")),
            Field::Value(Value::String(text)) => Some(text),
            Field::Value(value) => value.get("tok").and_then(Value::as_str),
            _ => None,
        }
    }

    /// The dialects that have the kind and write every field in this form. Nulls, and fields that
    /// match no dialect, are ignored.
    pub fn era(&self) -> Era {
        let eras = self.fields.iter().filter_map(|(key, field)| {
            let era = self.spec(key.as_str())?.era_of(field);
            let is_evidence = !era.is_empty() && !matches!(field, Field::Value(Value::Null));
            is_evidence.then_some(era)
        });
        eras.fold(self.kind.era(), Era::intersection)
    }

    /// The entry in the list of kinds for the field `key` of this node.
    #[doc(hidden)]
    pub fn spec(&self, key: &str) -> Option<&'static FieldSpec> {
        self.kind.field(key)
    }
}

impl Field {
    /// The node, if the field is a node.
    pub fn as_node(&self) -> Option<&SyntaxNode> {
        match self {
            Field::Node(node) => Some(node),
            _ => None,
        }
    }

    /// The value that the field was decoded from. Recursion is bounded by
    /// [`MAX_DEPTH`](crate::limits::MAX_DEPTH): deeper values were not decoded.
    fn to_value(&self, kind: SyntaxKind) -> Value {
        match self {
            Field::Tag => Value::String(kind.name().to_owned()),
            Field::Location(location) => location_value(location),
            Field::Node(node) => node.to_value(),
            Field::List(items) => Value::List(items.iter().map(|field| field.to_value(kind)).collect()),
            Field::Map(entries) => {
                let values = entries.iter().map(|(name, field)| (name.to_string(), field.to_value(kind)));
                Value::Object(values.collect())
            }
            Field::Value(value) => value.clone(),
        }
    }

    /// Its description in error messages.
    pub fn phrase(&self) -> String {
        match self {
            Field::Tag => "a kind".to_owned(),
            Field::Location(_) => "a location".to_owned(),
            Field::Node(node) => format!("a node `{}`", node.kind),
            Field::List(_) => "a list".to_owned(),
            Field::Map(_) => "an object".to_owned(),
            Field::Value(value) => match value {
                Value::Null => "null".to_owned(),
                Value::Bool(flag) => flag.to_string(),
                Value::Integer(_) | Value::Float(_) => "a number".to_owned(),
                Value::String(_) => "a string".to_owned(),
                Value::List(_) => "a list".to_owned(),
                Value::Object(_) => "an object".to_owned(),
            },
        }
    }
}

fn location_value(location: &Location) -> Value {
    let number = |n: u32| Value::Integer(u64::from(n).into());
    let position = |position: crate::location::Position| {
        Value::Object(vec![
            ("line".to_owned(), number(position.line)),
            ("column".to_owned(), number(position.column)),
        ])
    };
    let mut entries = Vec::with_capacity(3);
    if let Some(file) = &location.file {
        entries.push(("file".to_owned(), Value::String(file.as_ref().to_owned())));
    }
    entries.push(("start".to_owned(), position(location.start)));
    if let Some(end) = location.end {
        entries.push(("end".to_owned(), position(end)));
    }
    Value::Object(entries)
}

/// A typed view of a node of one kind, or of one group of kinds.
pub trait NodeView<'a>: Copy {
    /// The node of the view.
    fn node(self) -> &'a SyntaxNode;
}
