//! §12.1 The parts that a package carries from its Pulumi schema: those without a field in its
//! format, unchanged.

use crate::model::{Definition, Direction, Facets, Member};
use crate::pulumi::read::PULUMI_TYPE_KEYS;
use crate::pulumi::write::{Schema, origin};
use crate::rest::Rest;
use crate::write::writer::Output;
use coconut_codec::event::SinkError;
use coconut_format::Value;

/// Keys for which a package carries the parts outside the members.
const BAGS: [&str; 4] = ["inputs", "outputs", "returnType", "stateInputs"];

impl<'p, 'a> Schema<'p, 'a> {
    /// The carried part of a definition under a key.
    pub(crate) fn carried(&self, definition: &'p Definition<'a>, key: &str) -> Option<&'p Value> {
        definition.rest(key).filter(|_| self.is_restored)
    }

    /// The name of a member in the schema.
    pub(crate) fn name_of<'m>(&self, member: &'m Member<'a>) -> &'m str {
        let origin = member.facets.as_deref().and_then(|facets| facets.origin);
        origin.filter(|_| self.is_restored).unwrap_or(member.name)
    }

    /// Whether the settings of the schema are carried.
    pub(crate) fn has_settings(&self) -> bool {
        self.is_restored
    }

    /// Pushes the carried parts of the whole schema.
    pub(crate) fn write_settings(&self, out: &mut Output<'_>) -> Result<(), SinkError> {
        let rest = self.package.rest.iter().filter(|_| self.is_restored);
        rest.into_iter().try_for_each(|(key, value)| out.value(key, value))
    }

    /// Pushes the other carried parts of a definition.
    pub(crate) fn write_rest(
        &self,
        out: &mut Output<'_>,
        definition: &'p Definition<'a>,
    ) -> Result<(), SinkError> {
        let rest = definition.rest.iter().filter(|(key, _)| self.is_restored && !BAGS.contains(&&**key));
        rest.into_iter().try_for_each(|(key, value)| out.value(key, value))
    }

    /// Pushes the carried parts of a bag outside its members.
    pub(crate) fn write_rest_of_bag(
        &self,
        out: &mut Output<'_>,
        definition: &'p Definition<'a>,
        key: &str,
    ) -> Result<(), SinkError> {
        let rest = self.carried(definition, key).and_then(Value::as_object).unwrap_or_default();
        rest.iter().try_for_each(|(key, value)| out.value(key, value))
    }

    /// The arguments or results of a function: the members of a record, and the carried parts.
    pub(crate) fn write_bag(
        &mut self,
        out: &mut Output<'_>,
        function: &'p Definition<'a>,
        key: &str,
        record: Option<&'p Definition<'a>>,
    ) -> Result<(), SinkError> {
        let carried = self.carried(function, key);
        if record.is_none() && carried.is_none() {
            return Ok(());
        }
        if let (None, Some(value)) = (record, carried.filter(|value| value.as_object().is_none())) {
            return out.value(key, value);
        }
        out.object(key, |out| {
            if let Some(record) = record {
                let has_required = carried.is_some_and(|bag| bag.get("required").is_some());
                let required = if has_required { None } else { Some("required") };
                self.bag_of(out, record, ("properties", required), Direction::Both)?;
            }
            self.write_rest_of_bag(out, function, key)
        })
    }

    /// Pushes the inputs for looking up a resource.
    pub(crate) fn write_state(
        &mut self,
        out: &mut Output<'_>,
        class: &'p Definition<'a>,
    ) -> Result<(), SinkError> {
        let record = self.records.get(&class.state).copied().filter(|_| !class.state.is_empty());
        if let Some(record) = record {
            self.note_bag(class, record);
        }
        self.write_bag(out, class, "stateInputs", record)
    }

    /// Whether the parameters of a function were in an order in the schema.
    pub(crate) fn is_positional(&self, function: &Definition<'a>) -> bool {
        self.is_restored && origin(function).is_some() && function.is_positional
    }

    /// Whether a record was created for a function, or may have been.
    pub(crate) fn is_made(&self, function: &Definition<'a>, record: &Definition<'a>) -> bool {
        !self.is_restored || origin(function).is_none() || record.origin.is_none()
    }

    /// Whether the type of a member is carried unchanged.
    pub(crate) fn has_type(&self, member: &Member<'a>) -> bool {
        self.is_restored && member.facets.as_deref().is_some_and(|facets| self.says_type(&facets.rest))
    }

    /// Whether the carried part contains a type that is still valid. If the package has another
    /// name, references lead elsewhere.
    fn says_type(&self, rest: &Rest) -> bool {
        let mut of_type = rest.iter().filter(|(key, _)| is_of_type(key)).peekable();
        let refers = |(_, value): &(String, Value)| refers(value);
        of_type.peek().is_some() && !(self.tokens.is_renamed && of_type.any(refers))
    }

    /// Pushes the other carried parts of a member.
    pub(crate) fn write_rest_of_member(
        &self,
        out: &mut Output<'_>,
        facets: &Facets<'a>,
    ) -> Result<(), SinkError> {
        let has_type = self.says_type(&facets.rest);
        let rest = facets.rest.iter().filter(|(key, _)| has_type || !is_of_type(key));
        rest.into_iter().try_for_each(|(key, value)| out.value(key, value))
    }
}

fn is_of_type(key: &str) -> bool {
    PULUMI_TYPE_KEYS.contains(&key)
}

/// Whether a type has a reference into its own schema. Does not recurse.
fn refers(value: &Value) -> bool {
    let mut pending = vec![value];
    while let Some(value) = pending.pop() {
        match value {
            Value::String(text) if text.starts_with("#/") => return true,
            Value::List(items) => pending.extend(items),
            Value::Object(entries) => pending.extend(entries.iter().map(|(_, value)| value)),
            _ => {}
        }
    }
    false
}
