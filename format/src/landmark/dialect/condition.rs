//! §15.1 Conditions on the content of a document.
//!
//! ```text
//! Condition = [ "!" ] Path Test
//! Path      = { "/" Step }
//! Step      = "*" | Glob | Text      the first entry or item that is not null
//!                                    | the first entry whose key has this form | the entry Text
//! Test      = ":" Kind | ":any"      a value of this kind | a value
//!           | "=" Text | "^" Text    a string or integer that is, or begins with, this text
//! ```

use crate::node::{Kind, Node};

/// Whether a condition holds for a document.
pub(super) fn holds<'a, N: Node<'a>>(root: N, condition: &str) -> bool {
    if let Some(condition) = condition.strip_prefix('!') {
        return !holds(root, condition);
    }
    let scalar = |path| {
        let node = first_at(root, path)?;
        node.as_str().map(str::to_owned).or_else(|| Some(node.as_integer()?.to_string()))
    };
    if let Some((path, text)) = condition.split_once('=') {
        return scalar(path).is_some_and(|found| found == text);
    }
    if let Some((path, text)) = condition.split_once('^') {
        return scalar(path).is_some_and(|found| found.starts_with(text));
    }
    // Keys may contain colons.
    let Some((path, kind)) = condition.rsplit_once(':') else { return false };
    first_at(root, path).is_some_and(|node| kind == "any" || node.kind().name() == kind)
}

/// The value at a path.
pub(super) fn first_at<'a, N: Node<'a>>(root: N, path: &str) -> Option<N> {
    let is_value = |node: &N| node.kind() != Kind::Null;
    path.split('/').skip(1).try_fold(root, |node, step| match (step, node.kind()) {
        ("*", Kind::List) => node.items().find(is_value),
        ("*", _) => node.entries().map(|(_, value)| value).find(is_value),
        (glob, _) if glob.contains('*') => {
            node.entries().find(|(key, _)| has_form(key, glob)).map(|(_, value)| value)
        }
        (key, _) => node.get(key),
    })
}

/// Whether `key` matches `glob`, in which `*` matches any text.
fn has_form(key: &str, glob: &str) -> bool {
    let mut parts = glob.split('*');
    let Some(mut rest) = parts.next().and_then(|first| key.strip_prefix(first)) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        match rest.split_once(part) {
            Some((_, after)) => rest = after,
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Value;

    fn text(text: &str) -> Value {
        Value::String(text.to_owned())
    }

    fn object(entries: Vec<(&str, Value)>) -> Value {
        Value::Object(entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
    }

    #[test]
    fn a_condition_is_a_path_and_a_test() {
        let documents = Value::List(vec![Value::Null, object(vec![("kind", text("List"))]), Value::Null]);
        let root = object(vec![
            ("version", Value::Integer(4u64.into())),
            ("tool", text("0.12.31")),
            ("Fn::x", Value::Null),
            ("all", documents),
            ("map", object(vec![("a", Value::Null), ("b", Value::List(Vec::new()))])),
        ]);
        for (condition, expected) in [
            ("/version=4", true),
            ("/version=40", false),
            ("/version:integer", true),
            ("/version:string", false),
            ("/version:any", true),
            ("/tool=0.12.31", true),
            ("/tool=0.12", false),
            ("/tool^0.12.", true),
            ("/tool^0.13.", false),
            ("/none:any", false),
            ("!/none:any", true),
            ("!/version=4", false),
            ("/Fn::x:null", true),
            ("/Fn::x:any", true),
            ("/Fn::*:any", true),
            ("/all/*/kind=List", true),
            ("/all/*/kind:list", false),
            ("/map/*:list", true),
            (":object", true),
            (":list", false),
            ("/all/0:any", false),
            ("/version", false),
        ] {
            assert_eq!(holds(&root, condition), expected, "{condition}");
        }
        assert!(
            holds(&Value::List(vec![text("x")]), ":list") && holds(&Value::List(vec![text("x")]), "/*=x")
        );
    }

    #[test]
    fn a_step_with_stars_is_the_form_of_a_key() {
        for (key, glob, expected) in [
            ("io.k8s.api.Pod", "io.k8s.*", true),
            ("io.k8s", "io.k8s.*", false),
            ("a:b:c", "*:*", true),
            ("abc", "*:*", false),
            ("a:b", "*:*:*", false),
            ("a:b:c", "*:*:*", true),
            ("ab", "a*b", true),
            ("a", "a*a", false),
            ("axbyb", "a*b", true),
        ] {
            assert_eq!(has_form(key, glob), expected, "{key} {glob}");
        }
    }
}
