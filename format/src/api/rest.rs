//! §12.1 What a schema says that the model has no field for.
//!
//! A comparison has no use for it. A translation carries it, so that the schema comes back whole.

use super::draft::Draft;
use super::error::ApiError;
use crate::node::{Kind, Node};
use crate::value::Value;

/// Keys with their values, as the schema has them.
pub type Rest = Vec<(String, Value)>;

/// The value under a key.
pub(super) fn get<'r>(rest: &'r Rest, key: &str) -> Option<&'r Value> {
    rest.iter().find(|(known, _)| known == key).map(|(_, value)| value)
}

/// Maximum values that are carried. Stored once, they may be many times as many.
pub(super) const MOST_VALUES: usize = 1 << 22;

impl Draft<'_> {
    /// The entries of an object that are not known, if such entries are carried.
    pub(super) fn rest_of<'n, N: Node<'n>>(
        &mut self,
        node: N,
        is_known: impl Fn(&str, N) -> bool,
    ) -> Result<Rest, ApiError> {
        let mut rest = Rest::new();
        if self.rest_left.is_none() {
            return Ok(rest);
        }
        for (key, value) in node.entries() {
            if !is_known(key, value) {
                rest.push((key.to_owned(), self.carried(value)?));
            }
        }
        Ok(rest)
    }

    /// A value as it is. Recurses once per level; a document has at most 512 (§9.1).
    pub(super) fn carried<'n, N: Node<'n>>(&mut self, node: N) -> Result<Value, ApiError> {
        let left = self.rest_left.unwrap_or_default();
        self.rest_left = Some(left.checked_sub(1).ok_or(ApiError::TooLarge)?);
        Ok(match node.kind() {
            Kind::List => Value::List(node.items().map(|item| self.carried(item)).collect::<Result<_, _>>()?),
            Kind::Object => {
                let mut entries = Vec::with_capacity(node.width().min(64));
                for (key, value) in node.entries() {
                    entries.push((key.to_owned(), self.carried(value)?));
                }
                Value::Object(entries)
            }
            Kind::Bool => node.as_bool().map_or(Value::Null, Value::Bool),
            Kind::Integer => node.as_integer().map_or(Value::Null, Value::Integer),
            Kind::Float => node.as_float().map_or(Value::Null, Value::Float),
            Kind::String => node.as_str().map_or(Value::Null, |text| Value::String(text.to_owned())),
            Kind::Null => Value::Null,
        })
    }
}
