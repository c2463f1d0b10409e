//! §13.1 Fields. The entry of each field in the list of kinds, and the check of a value against it.

use std::fmt;

use super::{Era, Field, PackageDialect, SyntaxKind};
use crate::value::Value;

/// One field of a kind.
#[derive(Debug)]
pub struct FieldSpec {
    /// The key in the JSON object.
    pub key: &'static str,
    /// The dialects in which a node without the field is incomplete.
    pub needed: Era,
    /// The allowed types, each with its dialects.
    pub forms: &'static [Form],
}

/// A type that a field has in some dialects.
#[derive(Debug)]
pub struct Form {
    /// The type.
    pub of: Type,
    /// The dialects that write it.
    pub era: Era,
}

impl FieldSpec {
    /// The dialects that would write this value here; empty if it matches no form.
    pub fn era_of(&self, field: &Field) -> Era {
        let fitting = self.forms.iter().filter(|form| form.of.fits(field));
        fitting.fold(Era::NEVER, |era, form| era.hull(form.era))
    }

    /// Whether some form has a type for which `predicate` holds.
    pub(super) fn any_form(&self, predicate: impl Fn(&Type) -> bool) -> bool {
        self.forms.iter().any(|form| predicate(&form.of))
    }

    /// The types of the newest dialect as a phrase for messages, or of all dialects if the newest
    /// has none.
    pub fn expected(&self) -> String {
        let current: Vec<&Form> =
            self.forms.iter().filter(|form| form.era.contains(PackageDialect::P6)).collect();
        let forms = if current.is_empty() { self.forms.iter().collect() } else { current };
        let names: Vec<String> = forms.iter().map(|form| form.of.to_string()).collect();
        names.join(" or ")
    }
}

/// The type of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// The tag that names the kind of the node.
    Tag,
    /// A source location (§13.2).
    Location,
    /// A string.
    Text,
    /// `true` or `false`.
    Flag,
    /// A number.
    Number,
    /// Any value.
    Json,
    /// A token without a node around it: a string, or an object with `tok` and perhaps `loc`.
    BareToken,
    /// A node of one kind.
    Node(SyntaxKind),
    /// A node of any kind of a union.
    Union(Union),
    /// A list.
    List(&'static Type),
    /// An object whose keys are names.
    Map(&'static Type),
}

impl Type {
    /// Whether `field` is a value of this type.
    pub fn fits(&self, field: &Field) -> bool {
        match (self, field) {
            (Type::Tag, Field::Tag) | (Type::Location, Field::Location(_)) => true,
            (Type::Node(kind), Field::Node(node)) => node.kind() == *kind,
            (Type::Union(union), Field::Node(node)) => union.holds(node.kind()),
            (Type::List(item), Field::List(items)) => items.iter().all(|field| item.fits(field)),
            (Type::Map(item), Field::Map(entries)) => entries.iter().all(|(_, field)| item.fits(field)),
            (_, Field::Value(value)) => self.fits_value(value),
            _ => false,
        }
    }

    fn fits_value(&self, value: &Value) -> bool {
        match (self, value) {
            (Type::Json, _)
            | (Type::Text | Type::BareToken, Value::String(_))
            | (Type::Flag, Value::Bool(_))
            | (Type::Number, Value::Integer(_)) => true,
            (Type::Number, Value::Float(number)) => number.is_finite(),
            (Type::BareToken, Value::Object(entries)) => {
                entries.iter().all(|(key, _)| key == "tok" || key == "loc")
                    && value.get("tok").is_some_and(|token| token.as_str().is_some())
            }
            (Type::List(item), Value::List(items)) => items.iter().all(|value| item.fits_value(value)),
            (Type::Map(item), Value::Object(entries)) => {
                entries.iter().all(|(_, value)| item.fits_value(value))
            }
            _ => false,
        }
    }
}

impl fmt::Display for Type {
    /// A phrase with its article: ``a list, each a `SwitchCase` ``.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Tag => f.write_str("a kind"),
            Type::Location => f.write_str("a location"),
            Type::Text => f.write_str("a string"),
            Type::Flag => f.write_str("true or false"),
            Type::Number => f.write_str("a number"),
            Type::Json => f.write_str("any value"),
            Type::BareToken => f.write_str("a token"),
            Type::Node(kind) => write!(f, "a node `{kind}`"),
            Type::Union(union) => f.write_str(union.phrase()),
            Type::List(item) => write!(f, "a list, each {item}"),
            Type::Map(item) => write!(f, "an object of names, each {item}"),
        }
    }
}

/// A set of kinds that are allowed in the same place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Union {
    /// Variables, functions and classes of a module.
    ModuleMember,
    /// The same and exports, which were members before modules had an `exports` map.
    ExportOrMember,
    /// Properties and methods of a class.
    ClassMember,
    /// The parts of a block.
    Statement,
    /// Expressions: nodes with a value.
    Expression,
    /// An entry of an object literal.
    ObjectProperty,
    /// Nodes that occur only where their own kind is required.
    Part,
    /// Objects without a `kind`, recognised by their place.
    Record,
    /// Any node with a `kind`.
    Any,
}

impl Union {
    /// Whether a node of `kind` may be where this union is required.
    pub fn holds(self, kind: SyntaxKind) -> bool {
        match self {
            Union::Any => kind.is_tagged(),
            Union::ExportOrMember => kind == SyntaxKind::Export || kind.union() == Union::ModuleMember,
            union => kind.union() == union,
        }
    }

    fn phrase(self) -> &'static str {
        match self {
            Union::ModuleMember => "a module member",
            Union::ExportOrMember => "a module member or an export",
            Union::ClassMember => "a class member",
            Union::Statement => "a statement",
            Union::Expression => "an expression",
            Union::ObjectProperty => "a property of an object literal",
            Union::Part | Union::Any => "a node",
            Union::Record => "an object",
        }
    }
}
