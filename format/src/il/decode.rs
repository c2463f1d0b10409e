//! §13.1 From values to nodes, by the list of kinds.

use std::sync::Arc;

use super::{Field, FieldSpec, Key, Kind, MAX_DEPTH, Node, Type, Union};
use crate::location::{Location, Position};
use crate::value::Value;

/// Decodes an object whose `kind` is in the list; hands any other value back.
pub(super) fn node(value: Value) -> Result<Node, Value> {
    match (tagged_kind(&value), value) {
        (Some(kind), Value::Object(entries)) => Ok(Decoder::default().fields(kind, entries, 1)),
        (_, value) => Err(value),
    }
}

/// Decodes the fields of an object that has no `kind` because its place tells it.
pub(crate) fn record(kind: Kind, entries: Vec<(String, Value)>) -> Node {
    Decoder::default().fields(kind, entries, 1)
}

fn tagged_kind(value: &Value) -> Option<Kind> {
    Kind::from_tag(value.get("kind")?.as_str()?)
}

#[derive(Default)]
struct Decoder {
    /// The file of the last location: nearly always also that of the next one.
    file: Option<Arc<str>>,
}

impl Decoder {
    /// `depth` counts JSON levels and bounds the recursion; the object itself is at level `depth`.
    fn fields(&mut self, kind: Kind, entries: Vec<(String, Value)>, depth: usize) -> Node {
        let fields = entries.into_iter().map(|(key, value)| match kind.field(&key) {
            Some(spec) => (Key::Listed(spec.key), self.field(spec, value, depth + 1)),
            None => (Key::Other(key.into()), Field::Value(value)),
        });
        Node { kind, fields: fields.collect() }
    }

    fn field(&mut self, spec: &FieldSpec, value: Value, depth: usize) -> Field {
        match value {
            // A string is no level of its own, so that the deepest node of all has its tag, too.
            Value::String(_) if spec.any_form(|t| *t == Type::Tag) => Field::Tag,
            value if depth > MAX_DEPTH => Field::Value(value),
            Value::Object(_) if spec.any_form(|t| *t == Type::Location) => self.location(value),
            Value::Object(entries) if spec.any_form(|t| matches!(t, Type::Map(item) if item.is_node())) => {
                let items =
                    entries.into_iter().map(|(name, value)| (name.into(), self.item(value, depth + 1)));
                Field::Map(items.collect())
            }
            Value::List(items) if spec.any_form(|t| matches!(t, Type::List(item) if item.is_node())) => {
                Field::List(items.into_iter().map(|value| self.item(value, depth + 1)).collect())
            }
            Value::Object(entries) => match spec.record() {
                Some(kind) => Field::Node(self.fields(kind, entries, depth)),
                None if spec.any_form(Type::is_node) => self.item(Value::Object(entries), depth),
                None => Field::Value(Value::Object(entries)),
            },
            scalar => Field::Value(scalar),
        }
    }

    /// A value in a place for nodes: a node if it says of which kind it is.
    fn item(&mut self, value: Value, depth: usize) -> Field {
        match (tagged_kind(&value), value) {
            (Some(kind), Value::Object(entries)) if depth <= MAX_DEPTH => {
                Field::Node(self.fields(kind, entries, depth))
            }
            (_, value) => Field::Value(value),
        }
    }

    /// A location in the regular form, or the value as it is.
    fn location(&mut self, value: Value) -> Field {
        let regular = match value.as_object() {
            Some([(file, Value::String(name)), rest @ ..]) if file == "file" => {
                span(rest).map(|(start, end)| Location { file: Some(self.shared_file(name)), start, end })
            }
            Some(entries) => span(entries).map(|(start, end)| Location { file: None, start, end }),
            None => None,
        };
        regular.map_or(Field::Value(value), Field::Location)
    }

    fn shared_file(&mut self, name: &str) -> Arc<str> {
        match &self.file {
            Some(file) if **file == *name => Arc::clone(file),
            _ => {
                let file: Arc<str> = name.into();
                self.file = Some(Arc::clone(&file));
                file
            }
        }
    }
}

/// `start` and perhaps `end`, in this order and with nothing else.
fn span(entries: &[(String, Value)]) -> Option<(Position, Option<Position>)> {
    match entries {
        [(start, first)] if start == "start" => Some((position(first)?, None)),
        [(start, first), (end, second)] if start == "start" && end == "end" => {
            Some((position(first)?, Some(position(second)?)))
        }
        _ => None,
    }
}

fn position(value: &Value) -> Option<Position> {
    match value.as_object()? {
        [(line, Value::Integer(l)), (column, Value::Integer(c))] if line == "line" && column == "column" => {
            let small = |n: crate::value::Integer| n.as_u64().and_then(|n| u32::try_from(n).ok());
            Some(Position { line: small(*l)?, column: small(*c)? })
        }
        _ => None,
    }
}

impl FieldSpec {
    /// The kind of object that stands here without saying its kind.
    pub fn record(&self) -> Option<Kind> {
        self.forms.iter().find_map(|form| match form.of {
            Type::Node(kind) if kind.union() == Union::Record => Some(kind),
            _ => None,
        })
    }
}

impl Type {
    /// Whether the type is a node of the tree.
    fn is_node(&self) -> bool {
        matches!(self, Type::Node(_) | Type::Union(_))
    }
}
