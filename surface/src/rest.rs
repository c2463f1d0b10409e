//! §12.1 The parts of a schema for which the model has no field.
//!
//! A comparison does not use them. A translation carries them, so that the schema can be restored
//! completely.

use coconut_format::value::Value;

/// Keys with their values, in the form of the schema.
pub type Rest = Vec<(String, Value)>;

/// The value under a key.
pub(crate) fn get<'r>(rest: &'r Rest, key: &str) -> Option<&'r Value> {
    rest.iter().find(|(known, _)| known == key).map(|(_, value)| value)
}
