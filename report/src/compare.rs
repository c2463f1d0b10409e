//! §4.1 The first difference between two documents.

use coconut_codec::event::push;
use coconut_codec::secrets::SECRET;
use coconut_codec::text::json::{JsonStyle, Printer};
use coconut_format::Value;
use coconut_format::pointer::push_key;

/// The first place, in document order, at which two documents are not equal.
#[derive(Debug)]
pub struct Difference<'v> {
    /// JSON pointer of the innermost values that differ.
    pub pointer: String,
    expected: Side<'v>,
    found: Side<'v>,
}

/// One side of a difference.
#[derive(Clone, Copy, Debug)]
enum Side<'v> {
    Value(&'v Value),
    /// The key at this position of an object.
    Key(&'v str),
    Nothing,
}

/// Finds the first difference; `None` if the documents are equal.
pub fn first_difference<'v>(expected: &'v Value, found: &'v Value) -> Option<Difference<'v>> {
    let mut pending = vec![Difference {
        pointer: String::new(),
        expected: Side::Value(expected),
        found: Side::Value(found),
    }];
    while let Some(Difference { pointer, expected, found }) = pending.pop() {
        let first = pending.len();
        match (expected, found) {
            (Side::Value(Value::List(a)), Side::Value(Value::List(b))) => {
                let side = |list: &'v [Value], index| list.get(index).map_or(Side::Nothing, Side::Value);
                pending.extend((0..a.len().max(b.len())).map(|index| Difference {
                    pointer: format!("{pointer}/{index}"),
                    expected: side(a, index),
                    found: side(b, index),
                }));
            }
            (Side::Value(Value::Object(a)), Side::Value(Value::Object(b))) => {
                push_entries(&pointer, a, b, &mut pending);
            }
            (Side::Value(a), Side::Value(b)) if a == b => {}
            _ => return Some(Difference { pointer, expected, found }),
        }
        pending[first..].reverse();
    }
    None
}

/// Pushes the values of equal keys up to the first difference of keys, and that difference.
fn push_entries<'v>(
    pointer: &str,
    a: &'v [(String, Value)],
    b: &'v [(String, Value)],
    pending: &mut Vec<Difference<'v>>,
) {
    for index in 0..a.len().max(b.len()) {
        match (a.get(index), b.get(index)) {
            (Some((key, expected)), Some((other, found))) if key == other => {
                let mut pointer = pointer.to_owned();
                push_key(&mut pointer, key);
                let (expected, found) = (Side::Value(expected), Side::Value(found));
                pending.push(Difference { pointer, expected, found });
            }
            (expected, found) => {
                let key = |entry: Option<&'v (String, Value)>| {
                    entry.map_or(Side::Nothing, |(key, _)| Side::Key(key))
                };
                let (expected, found) = (key(expected), key(found));
                pending.push(Difference { pointer: pointer.to_owned(), expected, found });
                return;
            }
        }
    }
}

impl Difference<'_> {
    /// Whether both sides are values, rather than a key or nothing.
    pub fn is_of_values(&self) -> bool {
        matches!((self.expected, self.found), (Side::Value(_), Side::Value(_)))
    }

    /// The expected and the found side as text. With `is_secret`, values and keys are omitted.
    pub fn sides(&self, is_secret: bool) -> (String, String) {
        (self.expected.shown(is_secret), self.found.shown(is_secret))
    }
}

impl Side<'_> {
    fn shown(self, is_secret: bool) -> String {
        match self {
            Side::Nothing => "nothing".to_owned(),
            Side::Key(_) if is_secret => format!("the key {SECRET}"),
            Side::Key(key) => format!("the key `{key}`"),
            Side::Value(value) if is_secret => format!("{} {SECRET}", value.kind_name()),
            Side::Value(Value::List(items)) => format!("list of {} items", items.len()),
            Side::Value(Value::Object(entries)) => format!("object of {} entries", entries.len()),
            Side::Value(value) => {
                let mut printer = Printer::new(Vec::new(), JsonStyle::Minified);
                let printed = push(value, &mut printer).ok().and_then(|()| printer.finish().ok());
                let text = String::from_utf8_lossy(&printed.unwrap_or_default()).into_owned();
                let mut cut: String = text.chars().take(80).collect();
                if cut.len() < text.len() {
                    cut.push_str("...");
                }
                format!("{} {cut}", value.kind_name())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coconut_codec::event::ValueSink;
    use coconut_codec::text::json;

    fn difference(expected: &str, found: &str) -> Option<(String, String, String)> {
        let read = |text: &str| {
            let mut sink = ValueSink::new();
            json::read(text.as_bytes(), &mut sink, &json::JsonOptions::default()).unwrap();
            sink.finish().unwrap()
        };
        let (expected, found) = (read(expected), read(found));
        let difference = first_difference(&expected, &found)?;
        let (expected, found) = difference.sides(false);
        Some((difference.pointer, expected, found))
    }

    fn is(pointer: &str, expected: &str, found: &str) -> Option<(String, String, String)> {
        Some((pointer.to_owned(), expected.to_owned(), found.to_owned()))
    }

    #[test]
    fn the_first_difference_in_document_order_counts() {
        let a = r#"{"a":[1,{"b/c":2}],"d":3}"#;
        assert_eq!(difference(a, a), None);
        assert_eq!(
            difference(a, r#"{"a":[1,{"b/c":2.0}],"d":4}"#),
            is("/a/1/b~1c", "integer 2", "float 2.0")
        );
        assert_eq!(difference(a, r#"{"a":[1],"d":3}"#), is("/a/1", "object of 1 entries", "nothing"));
    }

    #[test]
    fn the_order_of_keys_counts() {
        let found = difference(r#"{"a":1,"b":2}"#, r#"{"b":2,"a":1}"#);
        assert_eq!(found, is("", "the key `a`", "the key `b`"));
        assert_eq!(difference(r#"{"a":1,"b":2}"#, r#"{"a":1}"#), is("", "the key `b`", "nothing"));
    }

    #[test]
    fn a_secret_is_not_shown() {
        let (a, b) = (Value::String("x".into()), Value::String("y".into()));
        let sides = first_difference(&a, &b).unwrap().sides(true);
        assert_eq!(sides, ("string [secret]".to_owned(), "string [secret]".to_owned()));
    }
}
