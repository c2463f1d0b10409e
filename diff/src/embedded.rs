//! §16.3 Strings that contain JSON or YAML, compared by their contents.

use crate::value::{
    Class, ClassRules, Comparison, Difference, ListRules, Marks, NullRule, Sameness, Scope, Strictness,
    compare,
};
use coconut_codec::event::ValueSink;
use coconut_codec::text::json::{self, JsonOptions};
use coconut_format::Value;

/// The differences inside two strings.
#[derive(Clone, Debug)]
pub struct Inner {
    /// `json` or `yaml`.
    pub notation: &'static str,
    /// The differences. Places begin at the value inside the string.
    pub differences: Vec<Difference<Value, Value>>,
}

impl Inner {
    /// Whether both strings contain the same value, spelled differently or in another order.
    pub fn is_same(&self) -> bool {
        self.differences.iter().all(|difference| difference.class == Class::Order)
    }
}

/// Longer strings are compared as strings.
const MOST_BYTES: usize = 16 << 20;

/// Compares two strings by their contents: JSON objects or lists, or YAML if `is_yaml` is set.
/// `None` if one of them contains neither, or if the comparison takes too much work.
pub fn within(old: &str, new: &str, is_yaml: bool) -> Option<Inner> {
    if old.len().max(new.len()) > MOST_BYTES {
        return None;
    }
    let of_json = || Some((read_json(old)?, read_json(new)?, "json"));
    let of_yaml = || Some((read_yaml(old)?, read_yaml(new)?, "yaml"));
    let (old, new, notation) = of_json().or_else(|| if is_yaml { of_yaml() } else { None })?;
    let most = 64 * (MOST_BYTES as u64);
    let mut sameness = Sameness::new(Strictness::default(), most);
    let scope = Scope::default();
    let (classes, lists) = (ClassRules::of(&scope), ListRules::of(&scope, &[]));
    let comparison = Comparison {
        classes: &classes,
        usual: Class::Value,
        lists: &lists,
        nulls: NullRule::IsValue,
        has_blocks: false,
        schema: None,
        without: None,
    };
    let mut differences = Vec::new();
    let values = (Some(&old), Some(&new));
    compare(values, (Marks::NONE, Marks::NONE), &comparison, &mut sameness, &mut |difference| {
        differences.push(owned(difference));
    })
    .ok()?;
    Some(Inner { notation, differences })
}

fn owned(difference: Difference<&Value, &Value>) -> Difference<Value, Value> {
    let Difference { pointer, old_pointer, action, class, item, old, new, is_possible, is_secret } =
        difference;
    let old = old.map(|(value, place)| (value.clone(), place));
    let new = new.map(|(value, place)| (value.clone(), place));
    Difference { pointer, old_pointer, action, class, item, old, new, is_possible, is_secret }
}

fn read_json(text: &str) -> Option<Value> {
    let start = text.trim_ascii_start();
    if !start.starts_with(['{', '[']) {
        return None;
    }
    let mut sink = ValueSink::new();
    json::read(text.as_bytes(), &mut sink, &JsonOptions::default()).ok()?;
    sink.finish()
}

fn read_yaml(text: &str) -> Option<Value> {
    use coconut_codec::text::yaml::{self, YamlOptions};
    let mut sink = ValueSink::new();
    yaml::read(text.as_bytes(), &mut sink, &YamlOptions::default()).ok()?;
    sink.finish().filter(|value| matches!(value, Value::Object(_) | Value::List(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(old: &str, new: &str, is_yaml: bool) -> Option<String> {
        let inner = within(old, new, is_yaml)?;
        let differences = inner
            .differences
            .iter()
            .map(|difference| format!("{}{}", difference.action.sign(), difference.pointer));
        Some(differences.collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn strings_differ_by_their_contents() {
        let policy = |action: &str| format!(r#"{{"Statement": [{{"Sid": "a", "Action": {action}}}]}}"#);
        assert_eq!(
            shown(&policy(r#""x""#), &policy(r#"["x"]"#), false).as_deref(),
            Some("~/Statement/0/Action")
        );
        let both = within(&policy(r#""x""#), &policy(r#"["x"]"#), false);
        assert!(both.is_some_and(|inner| inner.is_same()));
        assert_eq!(shown(r#"{"a":1}"#, r#"{ "a" : 1 }"#, false).as_deref(), Some(""));
        assert_eq!(shown("{", "{}", false), None);
        assert_eq!(shown("1", "2", false), None);
    }

    #[test]
    fn yaml_is_read_if_it_is_expected() {
        assert_eq!(shown("a: 1\nb: 2\n", "b: 2\na: 3\n", true).as_deref(), Some("~ ~/a"));
        assert_eq!(shown("a: 1\n", "a: 2\n", false), None);
    }
}
