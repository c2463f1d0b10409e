//! §19.10 What providers would do, as data: names of resources, and what forces a replacement.

use crate::property::Property;
use coconut_format::Value;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::rc::Rc;

/// Rules of providers.
///
/// As JSON: `{"types": {"aws:ec2/instance:Instance": {"name": "key", "replace": ["imageId"]}}}`.
/// The entry `*` is for all types that have none.
#[derive(Clone, Debug, Default)]
pub struct ProviderRules {
    types: BTreeMap<String, TypeRules>,
}

#[derive(Clone, Debug, Default)]
struct TypeRules {
    /// The property that names a resource.
    name: Option<String>,
    /// Properties that cannot change without a replacement.
    replace: Vec<String>,
    /// Values of properties that the program leaves out.
    defaults: Vec<(String, Value)>,
}

/// Rules that are not in their form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RulesError {
    place: String,
    expected: &'static str,
}

impl fmt::Display for RulesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "provider rules at `{}`: expected {}", self.place, self.expected)
    }
}

impl std::error::Error for RulesError {}

/// Properties that name a resource, where no rule says so.
const NAMES: [&str; 3] = ["urnName", "name", "key"];

/// A property that names a resource before all rules, and is not in the graph.
pub(crate) const NAME_KEY: &str = ".name";

/// The name of a resource that nothing names: that of the class, numbered from the second on.
/// `counts` has the resources of each type that have such names.
pub(crate) fn fallback_name(ty: &str, counts: &mut HashMap<String, u32>) -> String {
    let class = ty.rsplit(':').next().unwrap_or(ty).to_lowercase();
    let count = counts.entry(ty.to_owned()).or_default();
    *count += 1;
    if *count == 1 { class } else { format!("{class}{count}") }
}

impl ProviderRules {
    /// Reads rules.
    ///
    /// # Errors
    /// The first value that is not of this form.
    pub fn from_value(value: &Value) -> Result<ProviderRules, RulesError> {
        let wrong = |place: String, expected| Err(RulesError { place, expected });
        let Some(types) = value.get("types").and_then(Value::as_object) else {
            return wrong("/types".to_owned(), "an object of types");
        };
        if let Some((key, _)) = value.as_object().unwrap_or_default().iter().find(|(key, _)| key != "types") {
            return wrong(format!("/{key}"), "no key but `types`");
        }
        let mut rules = ProviderRules::default();
        for (ty, value) in types {
            let Some(entries) = value.as_object() else { return wrong(format!("/types/{ty}"), "an object") };
            let mut of_type = TypeRules::default();
            for (key, value) in entries {
                let place = || format!("/types/{ty}/{key}");
                match (key.as_str(), value) {
                    ("name", Value::String(name)) => of_type.name = Some(name.clone()),
                    ("name", _) => return wrong(place(), "the name of a property"),
                    ("replace", Value::List(items)) => {
                        for item in items {
                            let Some(name) = item.as_str() else {
                                return wrong(place(), "names of properties");
                            };
                            of_type.replace.push(name.to_owned());
                        }
                    }
                    ("replace", _) => return wrong(place(), "a list of names of properties"),
                    ("defaults", Value::Object(defaults)) => of_type.defaults.clone_from(defaults),
                    ("defaults", _) => return wrong(place(), "an object of values"),
                    _ => return wrong(place(), "`name`, `replace` or `defaults`"),
                }
            }
            rules.types.insert(ty.clone(), of_type);
        }
        Ok(rules)
    }

    /// The rules by which a change of one of these properties of any type is a replacement.
    pub fn replacing<S: Into<String>>(properties: impl IntoIterator<Item = S>) -> ProviderRules {
        let replace = properties.into_iter().map(Into::into).collect();
        let of_all = TypeRules { replace, ..TypeRules::default() };
        ProviderRules { types: BTreeMap::from([("*".to_owned(), of_all)]) }
    }

    fn of(&self, ty: &str) -> Option<&TypeRules> {
        self.types.get(ty).or_else(|| self.types.get("*"))
    }

    /// The name of a resource, or `None` if none of its properties is one.
    pub(crate) fn name(&self, ty: &str, properties: &[(Rc<str>, Property)]) -> Option<String> {
        let text = |name: &str| {
            let found = properties.iter().find(|(key, _)| **key == *name);
            match found {
                Some((_, Property::Text(text))) if !text.is_empty() => Some(text.to_string()),
                _ => None,
            }
        };
        match self.of(ty).and_then(|rules| rules.name.as_deref()) {
            Some(name) => text(name),
            None => NAMES.iter().find_map(|name| text(name)),
        }
    }

    pub(crate) fn replaces(&self, ty: &str, property: &str) -> bool {
        self.of(ty).is_some_and(|rules| rules.replace.iter().any(|name| name == property))
    }

    pub(crate) fn defaults(&self, ty: &str) -> &[(String, Value)] {
        self.of(ty).map_or(&[], |rules| &rules.defaults)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_of_a_type_come_before_those_of_all() {
        let text = |text: &str| Value::String(text.to_owned());
        let object = |entries: Vec<(&str, Value)>| {
            Value::Object(entries.into_iter().map(|(k, v)| (k.to_owned(), v)).collect())
        };
        let value = object(vec![(
            "types",
            object(vec![
                ("a:b:C", object(vec![("name", text("key")), ("replace", Value::List(vec![text("size")]))])),
                ("*", object(vec![("replace", Value::List(vec![text("zone")]))])),
            ]),
        )]);
        let rules = ProviderRules::from_value(&value).unwrap();
        assert_eq!([rules.replaces("a:b:C", "size"), rules.replaces("a:b:C", "zone")], [true, false]);
        assert_eq!([rules.replaces("a:b:D", "size"), rules.replaces("a:b:D", "zone")], [false, true]);
        let properties =
            [("name".into(), Property::Text("n".into())), ("key".into(), Property::Text("k".into()))];
        assert_eq!(rules.name("a:b:C", &properties).as_deref(), Some("k"));
        assert_eq!(rules.name("a:b:D", &properties).as_deref(), Some("n"));
        let wrong = object(vec![("types", object(vec![("a:b:C", object(vec![("nam", Value::Null)]))]))]);
        let error = ProviderRules::from_value(&wrong).unwrap_err();
        assert_eq!(
            error.to_string(),
            "provider rules at `/types/a:b:C/nam`: expected `name`, `replace` or `defaults`"
        );
    }
}
