//! §12.1 The extension key of definitions and members.

use super::plan::{Form, Planned, Property};
use super::type_text::value_of;
use coconut_format::Value;
use coconut_format::api::{Bounds, Direction, Role};

/// Facets in the order in which they are written.
pub(super) struct Extension(Vec<(String, Value)>);

impl Extension {
    fn new() -> Extension {
        Extension(Vec::new())
    }

    fn set(&mut self, key: &str, value: Value) {
        self.0.push((key.to_owned(), value));
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
    pub(super) fn value(self) -> Option<Value> {
        (!self.0.is_empty()).then_some(Value::Object(self.0))
    }
}

/// A bound as it is written in schemas: without a fraction if it has none.
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
pub(super) fn of_definition(planned: &Planned<'_, '_>) -> Extension {
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
    extension
}

/// The facets of a property or a parameter.
pub(super) fn of_property(property: &Property<'_, '_>) -> Extension {
    let mut extension = Extension::new();
    let member = property.member;
    if let Some(facet) = property.typed.facet() {
        extension.set("type", facet.clone());
    }
    if property.direction == Direction::In {
        extension.text("direction", Some("in"));
    }
    extension.flag("computed", property.is_computed);
    extension.flag("secret", property.is_secret);
    extension.flag("replaces", member.replaces);
    if let Some(facets) = property.facets {
        if let Some(default) = &facets.default {
            extension.set("default", value_of(default));
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
    extension
}
