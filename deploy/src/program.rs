//! The wanted resources of a deployment.

use crate::provider::Properties;
use coconut_format::Value;
use coconut_format::graph::UnknownType;
use std::collections::BTreeMap;

/// A resource that shall exist.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wanted {
    /// Its URN.
    pub urn: String,
    /// Its type.
    pub type_token: String,
    /// Its inputs. A reference `{"#ref": URN}` becomes the id of that resource. A text for an
    /// unknown value (§15.7) waits for another round.
    pub inputs: Properties,
    /// The URN of its parent.
    pub parent: Option<String>,
    /// URNs of resources that must exist before, although no input refers to them.
    pub dependencies: Vec<String>,
    /// Whether no provider has it.
    pub is_component: bool,
    /// Whether it is protected. If absent, it is as before.
    pub protect: Option<bool>,
}

/// The resources that a deployment has finished: the id and the properties of each URN.
pub type Known = BTreeMap<String, (Option<String>, Properties)>;

/// The source of the wanted resources.
///
/// A deployment calls it in *rounds* (§25.4): at first with nothing known, and again when values
/// are known for which unsent resources wait. Each round names all resources, so that of two rounds
/// the later one only knows more.
pub trait Program {
    /// The wanted resources, each after those on which it depends.
    ///
    /// # Errors
    /// A message for people. It ends the deployment.
    fn resources(&mut self, known: &Known) -> Result<Vec<Wanted>, String>;

    /// The reason why the last round ended before the end of the program: it needs a value that is
    /// not known yet. The resources of a later round then begin with those of this one.
    fn suspension(&self) -> Option<String> {
        None
    }
}

/// A list without unknown values.
impl Program for Vec<Wanted> {
    fn resources(&mut self, _: &Known) -> Result<Vec<Wanted>, String> {
        Ok(self.clone())
    }
}

/// A function of the known values.
impl<F: FnMut(&Known) -> Result<Vec<Wanted>, String>> Program for F {
    fn resources(&mut self, known: &Known) -> Result<Vec<Wanted>, String> {
        self(known)
    }
}

/// The key of a reference.
const REFERENCE: &str = "#ref";

fn reference(value: &Value) -> Option<&str> {
    match value.as_object()? {
        [(key, Value::String(urn))] if key == REFERENCE => Some(urn),
        _ => None,
    }
}

/// Calls a function for each value. Recursion is bounded by the levels of a document.
fn visit<'v>(value: &'v Value, found: &mut dyn FnMut(&'v Value)) {
    found(value);
    match value {
        Value::List(items) => items.iter().for_each(|item| visit(item, found)),
        Value::Object(entries) => entries.iter().for_each(|(_, value)| visit(value, found)),
        _ => {}
    }
}

/// The URNs to which a value refers.
pub(crate) fn references(value: &Value) -> Vec<&str> {
    let mut urns = Vec::new();
    visit(value, &mut |value| urns.extend(reference(value)));
    urns
}

/// Whether a part of the value is unknown.
pub(crate) fn is_unknown(value: &Value) -> bool {
    let mut is_found = false;
    visit(value, &mut |value| {
        is_found |= value.as_str().is_some_and(|text| UnknownType::of_sentinel(text).is_some());
    });
    is_found
}

/// The value with references replaced. Recursion is bounded by the levels of a document.
pub(crate) fn resolved(value: &Value, id_of: &dyn Fn(&str) -> String) -> Value {
    if let Some(urn) = reference(value) {
        return Value::String(id_of(urn));
    }
    match value {
        Value::List(items) => items.iter().map(|item| resolved(item, id_of)).collect(),
        Value::Object(entries) => {
            Value::from_iter(entries.iter().map(|(key, value)| (key.as_str(), resolved(value, id_of))))
        }
        scalar => scalar.clone(),
    }
}

impl Wanted {
    /// The URNs of all resources that must exist before.
    pub(crate) fn relations(&self) -> impl Iterator<Item = &str> {
        let referred = self.inputs.iter().flat_map(|(_, value)| references(value));
        referred.chain(self.parent.as_deref()).chain(self.dependencies.iter().map(String::as_str))
    }

    /// Whether an input is unknown.
    pub(crate) fn waits(&self) -> bool {
        self.inputs.iter().any(|(_, value)| is_unknown(value))
    }
}
