//! §13.1 Decodes values into nodes, by the list of kinds.

use std::sync::Arc;
use std::vec;

use super::{Field, FieldSpec, Key, SyntaxKind, SyntaxNode, Type, Union};
use crate::limits::MAX_DEPTH;
use crate::location::{Location, Position};
use crate::value::Value;

/// Decodes an object whose `kind` is in the list. Returns any other value unchanged.
pub(super) fn node(value: Value) -> Result<SyntaxNode, Value> {
    match (tagged_kind(&value), value) {
        (Some(kind), Value::Object(entries)) => Ok(record(kind, entries)),
        (_, value) => Err(value),
    }
}

/// Decodes the fields of an object without a `kind`, whose place determines its kind.
pub(crate) fn record(kind: SyntaxKind, entries: Vec<(String, Value)>) -> SyntaxNode {
    let mut decoder = Decoder::default();
    let mut root = OpenNode::new(kind, entries, 1);
    // The containers being decoded, outermost first, each with its place in the one around it. Not
    // recursive: 512 levels of recursion took half a megabyte of stack.
    let mut open: Vec<(Place, Open)> = Vec::new();
    loop {
        let next = match open.last_mut() {
            None => decoder.next_field(&mut root),
            Some((_, Open::Node(node))) => decoder.next_field(node),
            Some((_, Open::List { items, depth, .. })) => {
                items.next().map(|value| (Place::Item, decoder.item(value, *depth + 1)))
            }
            Some((_, Open::Map { entries, depth, .. })) => entries
                .next()
                .map(|(name, value)| (Place::Entry(name.into()), decoder.item(value, *depth + 1))),
        };
        let (place, field) = match next {
            Some((place, Begun::Open(inner))) => {
                open.push((place, inner));
                continue;
            }
            Some((place, Begun::Whole(field))) => (place, field),
            None => match open.pop() {
                Some((place, done)) => (place, done.finish()),
                None => return root.finish(),
            },
        };
        match open.last_mut() {
            None => root.put(place, field),
            Some((_, around)) => around.put(place, field),
        }
    }
}

fn tagged_kind(value: &Value) -> Option<SyntaxKind> {
    SyntaxKind::from_tag(value.get("kind")?.as_str()?)
}

/// A node with its decoded and undecoded fields.
struct OpenNode {
    kind: SyntaxKind,
    entries: vec::IntoIter<(String, Value)>,
    fields: Vec<(Key, Field)>,
    /// Its JSON level.
    depth: usize,
}

/// A container whose nodes are not all decoded yet.
enum Open {
    Node(OpenNode),
    List { items: vec::IntoIter<Value>, done: Vec<Field>, depth: usize },
    Map { entries: vec::IntoIter<(String, Value)>, done: Vec<(Box<str>, Field)>, depth: usize },
}

/// The place of a field in the container around it.
enum Place {
    Field(Key),
    Item,
    Entry(Box<str>),
}

/// The first result for a field, once its value is inspected.
enum Begun {
    Whole(Field),
    Open(Open),
}

impl OpenNode {
    fn new(kind: SyntaxKind, entries: Vec<(String, Value)>, depth: usize) -> OpenNode {
        OpenNode { kind, fields: Vec::with_capacity(entries.len()), entries: entries.into_iter(), depth }
    }

    fn put(&mut self, place: Place, field: Field) {
        if let Place::Field(key) = place {
            self.fields.push((key, field));
        }
    }

    fn finish(self) -> SyntaxNode {
        SyntaxNode { kind: self.kind, fields: self.fields }
    }
}

impl Open {
    fn list(items: Vec<Value>, depth: usize) -> Open {
        Open::List { done: Vec::with_capacity(items.len()), items: items.into_iter(), depth }
    }

    fn map(entries: Vec<(String, Value)>, depth: usize) -> Open {
        Open::Map { done: Vec::with_capacity(entries.len()), entries: entries.into_iter(), depth }
    }

    /// `place` has the kind that the open container gave with the value.
    fn put(&mut self, place: Place, field: Field) {
        match (self, place) {
            (Open::Node(node), place) => node.put(place, field),
            (Open::List { done, .. }, _) => done.push(field),
            (Open::Map { done, .. }, Place::Entry(name)) => done.push((name, field)),
            (Open::Map { .. }, _) => {}
        }
    }

    fn finish(self) -> Field {
        match self {
            Open::Node(node) => Field::Node(node.finish()),
            Open::List { done, .. } => Field::List(done),
            Open::Map { done, .. } => Field::Map(done),
        }
    }
}

impl From<Field> for Begun {
    fn from(field: Field) -> Begun {
        Begun::Whole(field)
    }
}

impl From<Value> for Begun {
    fn from(value: Value) -> Begun {
        Begun::Whole(Field::Value(value))
    }
}

#[derive(Default)]
struct Decoder {
    /// The file of the last location, which is nearly always also that of the next one.
    file: Option<Arc<str>>,
}

impl Decoder {
    fn next_field(&mut self, node: &mut OpenNode) -> Option<(Place, Begun)> {
        let (key, value) = node.entries.next()?;
        Some(match node.kind.field(&key) {
            Some(spec) => (Place::Field(Key::Listed(spec.key)), self.field(spec, value, node.depth + 1)),
            None => (Place::Field(Key::Other(key.into())), value.into()),
        })
    }

    /// `depth` counts JSON levels, including that of `value`.
    fn field(&mut self, spec: &FieldSpec, value: Value, depth: usize) -> Begun {
        match value {
            // A string does not count as a level, so that the deepest node still has its tag.
            Value::String(_) if spec.any_form(|t| *t == Type::Tag) => Field::Tag.into(),
            value if depth > MAX_DEPTH => value.into(),
            Value::Object(_) if spec.any_form(|t| *t == Type::Location) => self.location(value).into(),
            Value::Object(entries) if spec.any_form(|t| matches!(t, Type::Map(item) if item.is_node())) => {
                Begun::Open(Open::map(entries, depth))
            }
            Value::List(items) if spec.any_form(|t| matches!(t, Type::List(item) if item.is_node())) => {
                Begun::Open(Open::list(items, depth))
            }
            Value::Object(entries) => match spec.record() {
                Some(kind) => Begun::Open(Open::Node(OpenNode::new(kind, entries, depth))),
                None if spec.any_form(Type::is_node) => self.item(Value::Object(entries), depth),
                None => Value::Object(entries).into(),
            },
            scalar => scalar.into(),
        }
    }

    /// A value in a place for nodes: a node if it names its kind.
    fn item(&self, value: Value, depth: usize) -> Begun {
        match (tagged_kind(&value), value) {
            (Some(kind), Value::Object(entries)) if depth <= MAX_DEPTH => {
                Begun::Open(Open::Node(OpenNode::new(kind, entries, depth)))
            }
            (_, value) => value.into(),
        }
    }

    /// A location in the regular form, or otherwise the unchanged value.
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

/// `start` and perhaps `end`, in this order and without other keys.
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
    /// The kind of an object at this place that does not name its kind.
    pub fn record(&self) -> Option<SyntaxKind> {
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
