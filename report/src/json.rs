//! The JSON that `--json` writes, built as values.

use crate::safe::SafeJson;
use coconut_codec::event::push;
use coconut_codec::text::json::{JsonStyle, Printer};
use coconut_format::{Integer, Value};

/// The version of all reports of both tools. Adding a key does not change it. Removing a key or
/// changing its meaning does.
pub const FORMAT_VERSION: u64 = 2;

/// A string.
pub fn text(text: impl Into<String>) -> Value {
    Value::String(text.into())
}

/// A number.
pub fn number(number: impl Into<Integer>) -> Value {
    Value::Integer(number.into())
}

/// A string, or null.
pub fn optional(value: Option<impl Into<String>>) -> Value {
    value.map_or(Value::Null, text)
}

/// A number, or null.
pub fn optional_number(value: Option<u64>) -> Value {
    value.map_or(Value::Null, number)
}

/// A list of the results of `item` for each value.
pub fn list<T>(values: impl IntoIterator<Item = T>, item: impl FnMut(T) -> Value) -> Value {
    Value::List(values.into_iter().map(item).collect())
}

/// An object with these members.
pub fn object<const N: usize>(members: [(&str, Value); N]) -> Value {
    Value::Object(members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}

/// An object with those of these members that have a value.
pub fn members<const N: usize>(members: [(&str, Option<Value>); N]) -> Value {
    let known = members.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?)));
    Value::Object(known.collect())
}

/// The report of a command: version, name of the command, then these members.
pub fn report<const N: usize>(command: &str, members: [(&str, Value); N]) -> Value {
    let head = [("format_version", number(FORMAT_VERSION)), ("command", text(command))];
    let members = head.into_iter().chain(members);
    Value::Object(members.map(|(key, value)| (key.to_owned(), value)).collect())
}

/// A value on one line, safe for a terminal.
pub fn to_line(value: &Value) -> Vec<u8> {
    let mut line = Vec::new();
    let mut printer = Printer::new(SafeJson::new(&mut line), JsonStyle::Minified).with_final_newline();
    let printed = push(value, &mut printer).map(|()| printer.finish());
    debug_assert!(printed.is_ok(), "memory takes all bytes");
    line
}
