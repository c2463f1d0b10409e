//! §19.10 Provider behaviour as data: names of resources, and changes that force a replacement.

use crate::property::Property;
use coconut_format::Value;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::Arc;

/// Rules of providers.
///
/// Reads JSON: `{"types": {"aws:ec2/instance:Instance": {"name": "key", "replace": ["imageId"]}}}`.
/// The entry `*` applies to all types without an entry.
#[derive(Clone, Debug, Default)]
pub struct ProviderRules {
    types: BTreeMap<String, TypeRules>,
}

#[derive(Clone, Debug, Default)]
struct TypeRules {
    /// The property that contains the name of a resource.
    name: Option<String>,
    /// Properties whose changes force a replacement.
    replace: Vec<String>,
    /// Values of properties that the program omits.
    defaults: Vec<(String, Value)>,
}

/// The error of malformed rules.
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

/// Properties that contain the name of a resource if no rule names one.
const NAMES: [&str; 3] = ["urnName", "name", "key"];

/// The name of an unnamed resource: the name of its class, numbered from the second on. `counts`
/// has the number of such resources of each type.
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
    /// Fails at the first malformed value.
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

    /// Rules by which a change of any of these properties, in any type, is a replacement.
    pub fn replacing<S: Into<String>>(properties: impl IntoIterator<Item = S>) -> ProviderRules {
        let replace = properties.into_iter().map(Into::into).collect();
        let of_all = TypeRules { replace, ..TypeRules::default() };
        ProviderRules { types: BTreeMap::from([("*".to_owned(), of_all)]) }
    }

    fn of(&self, ty: &str) -> Option<&TypeRules> {
        self.types.get(ty).or_else(|| self.types.get("*"))
    }

    /// The name of a resource, or `None` if none of its properties contains one. A property that is
    /// computed from unknown values gets the text that stands in for it.
    pub(crate) fn name(&self, ty: &str, properties: &mut [(Arc<str>, Property)]) -> Option<String> {
        let mut text = |name: &str| {
            let (_, value) = properties.iter_mut().find(|(key, _)| **key == *name)?;
            if let Property::Unknown { stand_in: Some(text), .. } = value {
                *value = Property::Text(Arc::clone(text));
            }
            match value {
                Property::Text(text) if !text.is_empty() => Some(text.to_string()),
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
        let mut properties =
            [("name".into(), Property::Text("n".into())), ("key".into(), Property::Text("k".into()))];
        assert_eq!(rules.name("a:b:C", &mut properties).as_deref(), Some("k"));
        assert_eq!(rules.name("a:b:D", &mut properties).as_deref(), Some("n"));
        let wrong = object(vec![("types", object(vec![("a:b:C", object(vec![("nam", Value::Null)]))]))]);
        let error = ProviderRules::from_value(&wrong).unwrap_err();
        assert_eq!(
            error.to_string(),
            "provider rules at `/types/a:b:C/nam`: expected `name`, `replace` or `defaults`"
        );
    }
}
