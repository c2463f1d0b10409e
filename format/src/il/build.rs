//! §13.1 Building nodes of the newest dialect.

use std::collections::HashSet;
use std::fmt;

use super::{Field, Key, PackageDialect, SyntaxKind, SyntaxNode};
use crate::value::{Integer, Value};

/// Builds a node of one kind and checks it against the list of kinds.
///
/// ```
/// use coconut_format::il::{BuildError, SyntaxKind, NodeBuilder};
///
/// let name = NodeBuilder::new(SyntaxKind::Identifier).set("ident", "counter").finish()?;
/// let variable = NodeBuilder::new(SyntaxKind::ModuleProperty).set("name", name).finish();
/// let kind = SyntaxKind::ModuleProperty;
/// assert_eq!(variable, Err(BuildError::Missing { kind, key: "type" }));
/// # Ok::<(), BuildError>(())
/// ```
#[derive(Clone, Debug)]
pub struct NodeBuilder {
    kind: SyntaxKind,
    fields: Vec<(String, Field)>,
}

/// The reasons why a node cannot be built.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum BuildError {
    /// The kind has no such field in the newest dialect.
    UnknownField {
        /// The kind to be built.
        kind: SyntaxKind,
        /// The unknown field.
        key: String,
    },
    /// The field was already set, or an object in it has a duplicate key.
    Twice {
        /// The kind to be built.
        kind: SyntaxKind,
        /// The repeated field or key.
        key: String,
    },
    /// The value does not have the type of the field.
    Misfit {
        /// The kind to be built.
        kind: SyntaxKind,
        /// The field to be set.
        key: &'static str,
        /// The intended value.
        found: String,
    },
    /// A required field was not set.
    Missing {
        /// The kind to be built.
        kind: SyntaxKind,
        /// The required field.
        key: &'static str,
    },
    /// The kind belongs to older dialects.
    Retired {
        /// The kind to be built.
        kind: SyntaxKind,
    },
}

impl NodeBuilder {
    /// Begins a node of `kind`.
    pub fn new(kind: SyntaxKind) -> NodeBuilder {
        NodeBuilder { kind, fields: Vec::new() }
    }

    /// Sets a field. Fields are written in the order in which they are set, after `kind`.
    #[must_use]
    pub fn set(mut self, key: &str, value: impl Into<Field>) -> NodeBuilder {
        self.fields.push((key.to_owned(), value.into()));
        self
    }

    /// Returns the node, if the list of kinds admits it and JSON can express it.
    ///
    /// `PackageBuilder` checks the spelling of names and the meaning of the node at its place, when
    /// the whole package is known.
    ///
    /// # Errors
    ///
    /// The first invalid field, or otherwise the first missing one.
    pub fn finish(self) -> Result<SyntaxNode, BuildError> {
        let kind = self.kind;
        if !kind.era().contains(PackageDialect::P6) {
            return Err(BuildError::Retired { kind });
        }
        let mut fields: Vec<(Key, Field)> = Vec::with_capacity(self.fields.len() + 1);
        if kind.is_tagged() {
            fields.push((Key::Listed("kind"), Field::Tag));
        }
        for (key, field) in self.fields {
            let Some(spec) = kind.field(&key).filter(|spec| spec.key != "kind") else {
                return Err(BuildError::UnknownField { kind, key });
            };
            let mut forms = spec.forms.iter().filter(|form| form.era.contains(PackageDialect::P6)).peekable();
            if forms.peek().is_none() {
                return Err(BuildError::UnknownField { kind, key });
            }
            if fields.iter().any(|(known, _)| known.as_str() == key) {
                return Err(BuildError::Twice { kind, key });
            }
            if !forms.any(|form| form.of.fits(&field)) {
                return Err(BuildError::Misfit { kind, key: spec.key, found: field.phrase() });
            }
            match fault(&field) {
                Some(Fault::Repeated(key)) => return Err(BuildError::Twice { kind, key }),
                Some(Fault::Number) => {
                    let found = "a number that is not finite".to_owned();
                    return Err(BuildError::Misfit { kind, key: spec.key, found });
                }
                None => fields.push((Key::Listed(spec.key), field)),
            }
        }
        let mut needed = kind.fields().filter(|spec| spec.needed.contains(PackageDialect::P6));
        match needed.find(|spec| fields.iter().all(|(key, _)| key.as_str() != spec.key)) {
            Some(spec) => Err(BuildError::Missing { kind, key: spec.key }),
            None => Ok(SyntaxNode { kind, fields }),
        }
    }
}

/// The reasons why JSON cannot express a field.
enum Fault {
    /// An object has this key more than once.
    Repeated(String),
    /// A number that is infinite, or not a number.
    Number,
}

/// The fault in a field itself. Nodes in it were checked when they were built.
fn fault(field: &Field) -> Option<Fault> {
    let mut pending = match field {
        Field::Map(entries) => {
            let repeated = first_repeated(entries.iter().map(|(name, _)| &**name))?;
            return Some(Fault::Repeated(repeated.to_owned()));
        }
        Field::Value(value) => vec![value],
        _ => return None,
    };
    while let Some(value) = pending.pop() {
        match value {
            Value::Float(number) if !number.is_finite() => return Some(Fault::Number),
            Value::List(items) => pending.extend(items),
            Value::Object(entries) => {
                if let Some(key) = first_repeated(entries.iter().map(|(key, _)| key.as_str())) {
                    return Some(Fault::Repeated(key.to_owned()));
                }
                pending.extend(entries.iter().map(|(_, value)| value));
            }
            _ => {}
        }
    }
    None
}

fn first_repeated<'k>(mut keys: impl Iterator<Item = &'k str>) -> Option<&'k str> {
    let mut seen = HashSet::new();
    keys.find(|key| !seen.insert(*key))
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BuildError::UnknownField { kind, key } => write!(f, "`{kind}` has no field `{key}`"),
            BuildError::Twice { kind, key } => write!(f, "`{key}` of `{kind}` is set twice"),
            BuildError::Misfit { kind, key, found } => {
                let expected = kind.field(key).map(super::FieldSpec::expected).unwrap_or_default();
                write!(f, "`{key}` of `{kind}` must be {expected}, found {found}")
            }
            BuildError::Missing { kind, key } => write!(f, "`{kind}` needs a field `{key}`"),
            BuildError::Retired { kind } => write!(f, "`{kind}` is only in dialects {}", kind.era()),
        }
    }
}

impl std::error::Error for BuildError {}

impl BuildError {
    /// Returns the stable code, for machines.
    pub fn code(&self) -> &'static str {
        crate::code::BUILD_NODE
    }
}

crate::explained!(BuildError);

/// Declares the types that [`NodeBuilder::set`] takes.
macro_rules! field_sources {
    ($( $from:ty => |$value:ident| $field:expr; )+) => { $(
        impl From<$from> for Field {
            fn from($value: $from) -> Field {
                $field
            }
        }
    )+ };
}

field_sources! {
    SyntaxNode => |node| Field::Node(node);
    Vec<SyntaxNode> => |nodes| Field::List(nodes.into_iter().map(Field::Node).collect());
    Vec<(String, SyntaxNode)> => |entries| {
        Field::Map(entries.into_iter().map(|(name, node)| (name.into(), Field::Node(node))).collect())
    };
    crate::location::Location => |location| Field::Location(location);
    Value => |value| Field::Value(value);
    &str => |text| Field::Value(Value::String(text.to_owned()));
    bool => |flag| Field::Value(Value::Bool(flag));
    u64 => |number| Field::Value(Value::Integer(Integer::from(number)));
}
