//! Borrowed values (§4): the trait through which the document layer reads a tree.
//!
//! Landmarks, dialects and graph rules depend on the content of a document, not on the storage of
//! its values. They are written against [`Node`], so that they work on an owned [`Value`] and on
//! any other tree.

use crate::value::{Integer, Value};

crate::named! {
    /// The kind of a [`Node`]'s value. The names are those of error messages and of the dialect
    /// registry.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Kind {
        /// `null`.
        Null = "null";
        /// `true` or `false`.
        Bool = "bool";
        /// A number without fraction or exponent.
        Integer = "integer";
        /// Any other number.
        Float = "float";
        /// A text.
        String = "string";
        /// An ordered list.
        List = "list";
        /// Keys with values, in order.
        Object = "object";
    }
    /// The word for this kind, the same as [`Value::kind_name`].
    pub fn name;
}

impl Kind {
    /// Whether values of this kind contain others: lists and objects.
    pub fn is_container(self) -> bool {
        matches!(self, Kind::List | Kind::Object)
    }
}

/// A value in a tree that lives for `'a`.
///
/// For a value of the wrong kind, each accessor returns `None` or an empty iterator.
pub trait Node<'a>: Copy + 'a {
    /// The kind of this value.
    fn kind(self) -> Kind;

    /// The boolean, if this is a boolean.
    fn as_bool(self) -> Option<bool>;

    /// The integer, if this is an integer.
    fn as_integer(self) -> Option<Integer>;

    /// The float, if this is a float. `None` for an integer.
    fn as_float(self) -> Option<f64>;

    /// The text, if this is a string.
    fn as_str(self) -> Option<&'a str>;

    /// The value under `key`, if this is an object with that key.
    fn get(self, key: &str) -> Option<Self>;

    /// The entries of an object in document order.
    fn entries(self) -> impl Iterator<Item = (&'a str, Self)> + 'a;

    /// The items of a list in order.
    fn items(self) -> impl Iterator<Item = Self> + 'a;

    /// The items with their numbers, from 0. A tree that hides parts omits hidden items, which
    /// appear as nulls among [`items`](Self::items).
    fn numbered_items(self) -> impl Iterator<Item = (usize, Self)> + 'a {
        self.items().enumerate()
    }

    /// The number of entries or items; 0 for a scalar.
    fn width(self) -> usize;

    /// A number that this list or object shares only with other occurrences of the same stored
    /// value, in trees that store equal parts once. A search that has visited the value can skip
    /// the other occurrences.
    fn stored_once_as(self) -> Option<usize> {
        None
    }
}

impl Value {
    /// One word for the kind of value, for error messages.
    pub fn kind_name(&self) -> &'static str {
        self.kind().name()
    }
}

impl<'a> Node<'a> for &'a Value {
    fn kind(self) -> Kind {
        match self {
            Value::Null => Kind::Null,
            Value::Bool(_) => Kind::Bool,
            Value::Integer(_) => Kind::Integer,
            Value::Float(_) => Kind::Float,
            Value::String(_) => Kind::String,
            Value::List(_) => Kind::List,
            Value::Object(_) => Kind::Object,
        }
    }

    fn as_bool(self) -> Option<bool> {
        match self {
            Value::Bool(truth) => Some(*truth),
            _ => None,
        }
    }

    fn as_integer(self) -> Option<Integer> {
        match self {
            Value::Integer(number) => Some(*number),
            _ => None,
        }
    }

    fn as_float(self) -> Option<f64> {
        match self {
            Value::Float(number) => Some(*number),
            _ => None,
        }
    }

    fn as_str(self) -> Option<&'a str> {
        Value::as_str(self)
    }

    fn get(self, key: &str) -> Option<Self> {
        Value::get(self, key)
    }

    fn entries(self) -> impl Iterator<Item = (&'a str, Self)> + 'a {
        self.as_object().unwrap_or_default().iter().map(|(key, value)| (key.as_str(), value))
    }

    fn items(self) -> impl Iterator<Item = Self> + 'a {
        self.as_list().unwrap_or_default().iter()
    }

    fn width(self) -> usize {
        match self {
            Value::List(items) => items.len(),
            Value::Object(entries) => entries.len(),
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_has_the_name_that_the_value_gives() {
        let values = [
            Value::Null,
            Value::Bool(true),
            Value::Integer(1u64.into()),
            Value::Float(1.0),
            Value::String(String::new()),
            Value::List(Vec::new()),
            Value::Object(Vec::new()),
        ];
        for value in &values {
            assert_eq!(value.kind().name(), value.kind_name());
        }
    }

    #[test]
    fn a_scalar_has_neither_entries_nor_items() {
        let text = Value::String("a".into());
        assert_eq!((&text).entries().count(), 0);
        assert_eq!((&text).items().count(), 0);
        assert_eq!((&text).width(), 0);
    }
}
