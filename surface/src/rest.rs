//! §12.1 What a schema says that the model has no field for.
//!
//! A comparison has no use for it. A translation carries it, so that the schema comes back whole.

use coconut_format::value::Value;

/// Keys with their values, as the schema has them.
pub type Rest = Vec<(String, Value)>;

/// The value under a key.
pub(crate) fn get<'r>(rest: &'r Rest, key: &str) -> Option<&'r Value> {
    rest.iter().find(|(known, _)| known == key).map(|(_, value)| value)
}
