//! §12.1 The extension key of definitions and members.

use crate::cocopack::write::plan::{Form, Planned, Property};
use crate::model::{Bounds, Direction, Facets, Member, NamedValue, Role};
use crate::rest::Rest;
use crate::write::type_text::{Typed, value_of};
use coconut_format::Value;

/// Facets in the order in which they are written.
pub(crate) struct Extension(Vec<(String, Value)>);

impl Extension {
    fn new() -> Extension {
        Extension(Vec::new())
    }

    /// Sets a facet, replacing an existing one.
    fn set(&mut self, key: &str, value: Value) {
        match self.0.iter_mut().find(|(known, _)| known == key) {
            Some((_, known)) => *known = value,
            None => self.0.push((key.to_owned(), value)),
        }
    }

    /// The parts of the schema for which the model has no field.
    fn schema(&mut self, rest: &Rest) {
        let beside = rest.iter().filter(|(key, _)| key != "default").cloned();
        let beside: Rest = beside.collect();
        if !beside.is_empty() {
            self.set("schema", Value::Object(beside));
        }
    }

    fn text(&mut self, key: &str, text: Option<&str>) {
        if let Some(text) = text {
            self.set(key, Value::String(text.to_owned()));
        }
    }

    fn flag(&mut self, key: &str, is_set: bool) {
        if is_set {
            self.set(key, Value::Bool(true));
        }
    }

    fn bounds(&mut self, key: &str, bounds: Bounds) {
        let bounds = [("min", bounds.min), ("max", bounds.max)].into_iter();
        let bounds = bounds.filter_map(|(name, bound)| Some((name.to_owned(), number(bound?))));
        let bounds: Vec<(String, Value)> = bounds.collect();
        if !bounds.is_empty() {
            self.set(key, Value::Object(bounds));
        }
    }

    /// The value, if there are any facets.
    pub(crate) fn value(self) -> Option<Value> {
        (!self.0.is_empty()).then_some(Value::Object(self.0))
    }
}

/// A bound in the notation of schemas: without a fraction if it is a whole number.
fn number(bound: f64) -> Value {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let is_whole =
        bound.fract() == 0.0 && bound.abs() <= EXACT && !(bound == 0.0 && bound.is_sign_negative());
    match is_whole {
        true => format!("{bound:.0}")
            .parse::<i64>()
            .map_or(Value::Float(bound), |whole| Value::Integer(whole.into())),
        false => Value::Float(bound),
    }
}

/// The facets of a class or a function.
pub(crate) fn of_definition(planned: &Planned<'_, '_>) -> Extension {
    let mut extension = Extension::new();
    if let Some(value) = planned.value.as_ref().filter(|_| planned.form != Form::Function) {
        extension.set("type", value.full().clone());
    }
    let Some(definition) = planned.definition else { return extension };
    extension.text("deprecated", definition.deprecated);
    if !definition.aliases.is_empty() {
        let aliases = definition.aliases.iter().map(|alias| Value::String((*alias).to_owned()));
        extension.set("aliases", Value::List(aliases.collect()));
    }
    extension.text("origin", Some(&*definition.token));
    extension.flag("provider", definition.role == Role::Provider);
    extension.flag("positional", planned.form == Form::Function && definition.is_positional);
    if !planned.methods.is_empty() {
        let methods = planned.methods.iter();
        let methods = methods.map(|(name, token)| ((*name).to_owned(), Value::String(token.clone())));
        extension.set("methods", Value::Object(methods.collect()));
    }
    if !definition.named_values.is_empty() {
        extension.set("values", Value::List(definition.named_values.iter().map(named_value).collect()));
    }
    extension.text("state", planned.state.as_deref());
    extension.schema(&definition.rest);
    extension
}

fn named_value(one: &NamedValue<'_>) -> Value {
    let mut entries = vec![("value".to_owned(), value_of(&one.value))];
    let said = [("name", one.name), ("description", one.doc), ("deprecated", one.deprecated)];
    let said = said.into_iter().filter_map(|(key, text)| Some((key, text?)));
    entries.extend(said.map(|(key, text)| (key.to_owned(), Value::String(text.to_owned()))));
    Value::Object(entries)
}

/// The facets of a property or a parameter.
pub(crate) fn of_property(property: &Property<'_, '_>, is_record: bool) -> Extension {
    let mut extension = Extension::new();
    let member = property.member;
    if let Some(facet) = property.typed.facet() {
        extension.set("type", facet.clone());
    }
    match property.direction {
        Direction::In => extension.text("direction", Some("in")),
        // A primary property is always set, whatever other facets it has.
        Direction::Out if is_record => extension.text("direction", Some("out")),
        Direction::Out | Direction::Both => {}
    }
    // A property with a default is optional, unless the schema declares otherwise.
    if member.is_required && property.facets.is_some_and(|facets| facets.default.is_some()) {
        extension.set("optional", Value::Bool(false));
    }
    extension.flag("computed", property.is_computed);
    extension.flag("secret", member.is_secret);
    extension.flag("plain", member.is_plain);
    extension.flag("replaces", member.replaces);
    if let Some(facets) = property.facets {
        if let Some(default) = default_of(facets) {
            extension.set("default", default);
        }
        extension.bounds("value", facets.value);
        extension.bounds("length", facets.length);
        extension.bounds("items", facets.items);
        extension.text("pattern", facets.pattern);
    }
    extension.text("deprecated", member.deprecated);
    if property.name != member.name {
        extension.text("origin", Some(member.name));
    }
    if let Some(facets) = property.facets {
        extension.schema(&facets.rest);
    }
    if let Some((output, typed)) = &property.output
        && let Some(output) = of_output(property, output, typed.as_ref()).value()
    {
        extension.set("output", output);
    }
    extension
}

/// The facets of a parameter. An optional parameter has no default here.
pub(crate) fn of_parameter(parameter: &Property<'_, '_>) -> Extension {
    let mut extension = of_property(parameter, false);
    extension.flag("optional", !parameter.member.is_required);
    extension
}

/// The facets for reading that do not follow from those for giving.
fn of_output(property: &Property<'_, '_>, read: &Member<'_>, typed: Option<&Typed>) -> Extension {
    let mut extension = Extension::new();
    let given = property.member;
    let text = |text: Option<&str>| text.map_or(Value::Null, |text| Value::String(text.to_owned()));
    if let Some(typed) = typed {
        extension.set("type", typed.full().clone());
    }
    if read.is_required != (given.is_required || property.is_computed) {
        extension.set("optional", Value::Bool(!read.is_required));
    }
    if read.doc.unwrap_or_default() != given.doc.unwrap_or_default() {
        extension.set("description", text(read.doc));
    }
    for (key, given, read) in [
        ("secret", given.is_secret, read.is_secret),
        // For reading alone, a replacement has no meaning.
        ("replaces", false, read.replaces),
        ("plain", given.is_plain, read.is_plain),
    ] {
        if given != read {
            extension.set(key, Value::Bool(read));
        }
    }
    let none = Facets::default();
    let (own, other) = (read.facets.as_deref().unwrap_or(&none), given.facets.as_deref().unwrap_or(&none));
    if default_of(own) != default_of(other) {
        extension.set("default", default_of(own).unwrap_or(Value::Null));
    }
    for (key, own, other) in [
        ("value", own.value, other.value),
        ("length", own.length, other.length),
        ("items", own.items, other.items),
    ] {
        if own != other {
            extension.set(key, Value::Null);
            extension.bounds(key, own);
        }
    }
    if own.pattern != other.pattern {
        extension.set("pattern", text(own.pattern));
    }
    if read.deprecated != given.deprecated {
        extension.set("deprecated", text(read.deprecated));
    }
    let is_beside = |(key, _): &&(String, Value)| key != "default";
    if !own.rest.iter().filter(is_beside).eq(other.rest.iter().filter(is_beside)) {
        extension.set("schema", Value::Null);
        extension.schema(&own.rest);
    }
    extension
}

/// The default in the notation of the schema. For a list or an object, the model has a text.
fn default_of(facets: &Facets<'_>) -> Option<Value> {
    let carried = facets.rest.iter().find(|(key, _)| key == "default").map(|(_, value)| value.clone());
    carried.or_else(|| facets.default.as_ref().map(value_of))
}
