//! §12.1 The extension key of definitions: data without a field in the Coconut 2017 format.

use super::package::Verifier;
use super::package_rules as rules;
use crate::graph::{SECRET_SIGNATURE, SIGNATURE_KEY};
use crate::il::{Field, SyntaxKind, SyntaxNode};
use crate::package::EXTENSION;
use crate::value::Value;

/// The keys of the extension, and the forms of their values.
const KEYS: [(&str, Form); 24] = [
    ("type", Form::Type),
    ("direction", Form::Direction),
    ("computed", Form::Bool),
    ("secret", Form::Bool),
    ("replaces", Form::Bool),
    ("plain", Form::Bool),
    ("optional", Form::Bool),
    ("positional", Form::Bool),
    ("default", Form::Any),
    ("value", Form::Bounds),
    ("length", Form::Bounds),
    ("items", Form::Bounds),
    ("pattern", Form::Text),
    ("deprecated", Form::Text),
    ("aliases", Form::Texts),
    ("origin", Form::Text),
    ("provider", Form::Bool),
    ("dialect", Form::Text),
    ("version", Form::Text),
    ("output", Form::Output),
    ("methods", Form::Names),
    ("values", Form::Values),
    ("state", Form::Text),
    ("schema", Form::Object),
];

/// The keys of `output`, which may also be null: the statement about the input does not hold.
const OUTPUT_KEYS: [&str; 13] = [
    "type",
    "optional",
    "description",
    "secret",
    "replaces",
    "plain",
    "default",
    "value",
    "length",
    "items",
    "pattern",
    "deprecated",
    "schema",
];

/// The keys of an item of `values` beside `value`.
const VALUE_KEYS: [&str; 3] = ["name", "description", "deprecated"];

/// The names of types without parts.
const SCALARS: [&str; 8] = ["any", "null", "bool", "integer", "number", "string", "asset", "archive"];

#[derive(Clone, Copy)]
enum Form {
    Any,
    Bool,
    Text,
    Texts,
    Bounds,
    Direction,
    Type,
    Object,
    Names,
    Values,
    Output,
}

impl Form {
    /// The description of a value of this form.
    fn expected(self) -> &'static str {
        match self {
            Form::Any => "any value",
            Form::Bool => "true or false",
            Form::Text => "a string",
            Form::Texts => "a list of strings",
            Form::Bounds => "an object of `min` and `max`, numbers",
            Form::Direction => "`in` or `out`",
            Form::Object => "an object",
            Form::Names => "an object of strings",
            Form::Values => {
                "a list of objects of `value`, and of `name`, `description` or `deprecated`, strings"
            }
            Form::Output => "an object of facets, or of nulls in their place",
            Form::Type => "a word for a type, or an object of `list`, `set`, `map`, `union`, `enum` or `ref`",
        }
    }

    fn fits(self, value: &Value) -> bool {
        let is_text = |value: &Value| value.as_str().is_some();
        match self {
            Form::Any => true,
            Form::Bool => matches!(value, Value::Bool(_)),
            Form::Text => is_text(value),
            Form::Texts => value.as_list().is_some_and(|items| items.iter().all(is_text)),
            Form::Bounds => value.as_object().is_some_and(|entries| {
                entries.iter().all(|(key, value)| {
                    matches!(&**key, "min" | "max") && matches!(value, Value::Integer(_) | Value::Float(_))
                })
            }),
            Form::Direction => matches!(value.as_str(), Some("in" | "out")),
            Form::Type => is_type(value),
            Form::Object => value.as_object().is_some(),
            Form::Names => {
                value.as_object().is_some_and(|entries| entries.iter().all(|(_, value)| is_text(value)))
            }
            Form::Values => value.as_list().is_some_and(|values| values.iter().all(is_named_value)),
            Form::Output => value
                .as_object()
                .is_some_and(|entries| entries.iter().all(|(key, value)| is_of_output(key, value))),
        }
    }
}

fn is_named_value(value: &Value) -> bool {
    let is_known = |(key, value): &(String, Value)| {
        key == "value" || (VALUE_KEYS.contains(&&**key) && value.as_str().is_some())
    };
    value.get("value").is_some() && value.as_object().is_some_and(|entries| entries.iter().all(is_known))
}

/// Whether a facet may be in `output`. By themselves, facets are not there.
fn is_of_output(key: &str, value: &Value) -> bool {
    let form = match key {
        "description" => Some(Form::Text),
        _ => KEYS.iter().find(|(known, _)| *known == key).map(|(_, form)| *form),
    };
    let is_null = matches!(value, Value::Null);
    OUTPUT_KEYS.contains(&key) && form.is_some_and(|form| is_null || form.fits(value))
}

/// Whether a value is a type of the extension. Does not recurse.
fn is_type(value: &Value) -> bool {
    let mut pending = vec![value];
    while let Some(value) = pending.pop() {
        let first = value.as_object().and_then(|entries| entries.first());
        let fits = match (value.as_str(), first) {
            (Some(word), _) => SCALARS.contains(&word),
            (None, Some((key, part))) => match (&**key, part) {
                ("list" | "set" | "map", part) => {
                    pending.push(part);
                    true
                }
                ("union", Value::List(types)) => {
                    pending.extend(types);
                    true
                }
                ("enum", Value::List(_)) => {
                    value.get("of").is_none_or(|of| of.as_str().is_some_and(|of| SCALARS.contains(&of)))
                }
                ("ref", Value::String(_)) => true,
                _ => false,
            },
            (None, None) => false,
        };
        if !fits {
            return false;
        }
    }
    true
}

impl<'a> Verifier<'a> {
    /// Checks an unlisted key, if it is the extension of a kind that may have it. Returns whether
    /// it is.
    pub(super) fn check_extension(&mut self, node: &SyntaxNode, key: &str) -> bool {
        let may_have = matches!(
            node.kind(),
            SyntaxKind::Package
                | SyntaxKind::Class
                | SyntaxKind::ModuleMethod
                | SyntaxKind::ModuleProperty
                | SyntaxKind::ClassMethod
                | SyntaxKind::ClassProperty
                | SyntaxKind::LocalVariable
        );
        if key == SIGNATURE_KEY {
            // §13.1 The value of a secret literal.
            let is_literal = matches!(
                node.kind(),
                SyntaxKind::BoolLiteral | SyntaxKind::NumberLiteral | SyntaxKind::StringLiteral
            );
            return is_literal && node.text(key) == Some(SECRET_SIGNATURE);
        }
        if key != EXTENSION || !may_have {
            return false;
        }
        let entries = match node.get(key) {
            Some(Field::Value(Value::Object(entries))) => entries,
            None => return true,
            Some(other) => {
                let finding = self.finding(&rules::PKG_FACETS, &[key]);
                self.report(finding.expected("`object`").found(other.phrase()));
                return true;
            }
        };
        for (name, value) in entries {
            let known = KEYS.iter().find(|(known, _)| known == name);
            let finding = |verifier: &Self| verifier.finding(&rules::PKG_FACETS, &[key, name]);
            match known {
                Some((_, form)) if form.fits(value) => {}
                Some((_, form)) => {
                    let finding = finding(self);
                    self.report(finding.expected(form.expected()).found(value.kind_name()));
                }
                None => {
                    let hint = self.suggest(name, KEYS.iter().map(|(known, _)| *known));
                    let finding = finding(self);
                    self.report(finding.expected("a facet").found(format!("`{name}`")).perhaps(hint));
                }
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::package::Package;
    use crate::verify::verify_package;

    fn object(entries: &[(&str, Value)]) -> Value {
        Value::Object(entries.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect())
    }

    fn text(text: &str) -> Value {
        Value::String(text.to_owned())
    }

    fn findings(extension: Value) -> Vec<String> {
        findings_of(EXTENSION, extension)
    }

    /// The findings of a package with a variable that has this key.
    fn findings_of(key: &str, value: Value) -> Vec<String> {
        let identifier = |name: &str| object(&[("kind", text("Identifier")), ("ident", text(name))]);
        let variable = object(&[
            ("kind", text("ModuleProperty")),
            ("name", identifier("v")),
            ("type", object(&[("kind", text("TypeToken")), ("tok", text("string"))])),
            (key, value),
        ]);
        let module = object(&[
            ("kind", text("Module")),
            ("name", identifier("m")),
            ("members", object(&[("v", variable)])),
        ]);
        let package = object(&[("name", text("p")), ("modules", object(&[("m", module)]))]);
        let package = Package::from_value(package).unwrap();
        verify_package(&package, &[]).iter().map(|one| format!("{} {}", one.rule.id, one.path)).collect()
    }

    #[test]
    fn a_definition_may_not_have_the_mark_of_a_literal() {
        let finding = format!("TREE-KEY /modules/m/members/v/{SIGNATURE_KEY}");
        assert_eq!(findings_of(SIGNATURE_KEY, text(SECRET_SIGNATURE)), [finding]);
    }

    #[test]
    fn facets_of_their_form_are_no_findings() {
        let list = |items: &[Value]| Value::List(items.to_vec());
        let of_enum = object(&[("enum", list(&[text("a")])), ("of", text("string"))]);
        let union =
            object(&[("union", list(&[text("integer"), object(&[("ref", text("a:b:C"))]), of_enum]))]);
        let all = object(&[
            ("type", object(&[("set", object(&[("map", union)]))])),
            ("secret", Value::Bool(true)),
            ("default", Value::Null),
            ("value", object(&[("min", Value::Integer(1u64.into())), ("max", Value::Float(2.5))])),
            ("aliases", list(&[text("a")])),
            ("direction", text("out")),
            ("plain", Value::Bool(true)),
            ("methods", object(&[("run", text("a:b:C"))])),
            ("values", list(&[object(&[("value", text("a")), ("name", text("A"))])])),
            ("state", text("a:b:C")),
            ("output", object(&[("description", text("d")), ("deprecated", Value::Null)])),
            ("schema", object(&[("isOverlay", Value::Bool(true))])),
        ]);
        assert_eq!(findings(all), [""; 0]);
    }

    #[test]
    fn facets_of_another_form_are_findings_where_they_are() {
        for (key, value) in [
            ("type", text("float")),
            ("type", object(&[("list", Value::Null)])),
            ("type", object(&[])),
            ("secret", text("yes")),
            ("value", object(&[("least", Value::Integer(1u64.into()))])),
            ("aliases", text("a")),
            ("direction", text("both")),
            ("sekret", Value::Bool(true)),
            ("methods", text("run")),
            ("values", Value::List(vec![object(&[("name", text("A"))])])),
            ("output", object(&[("output", object(&[]))])),
            ("output", object(&[("secret", text("yes"))])),
            ("schema", Value::List(Vec::new())),
        ] {
            let expected = format!("PKG-FACETS /modules/m/members/v/x-facets/{key}");
            assert_eq!(findings(object(&[(key, value)])), [expected]);
        }
        assert_eq!(findings(text("secret")), ["PKG-FACETS /modules/m/members/v/x-facets"]);
    }
}
