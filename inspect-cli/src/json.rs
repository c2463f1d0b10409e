//! The JSON that `--json` writes: small reports built as values.

use crate::console::Console;
use crate::failure::Failure;
use coconut_codec::source::json::{JsonStyle, Printer};
use coconut_codec::source::push;
use coconut_format::{Integer, Value};

/// The version of all reports. A key that is added does not change it; a key that goes or changes its meaning does.
pub(crate) const FORMAT_VERSION: u64 = 1;

/// A string.
pub(crate) fn text(text: impl Into<String>) -> Value {
    Value::String(text.into())
}

/// A number.
pub(crate) fn number(number: impl Into<Integer>) -> Value {
    Value::Integer(number.into())
}

/// An object with these members.
pub(crate) fn object<const N: usize>(members: [(&str, Value); N]) -> Value {
    Value::Object(members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}

/// The report of a command: these members behind the version and the command's name.
pub(crate) fn report<const N: usize>(command: &str, members: [(&str, Value); N]) -> Value {
    let head = [("format_version", number(FORMAT_VERSION)), ("command", text(command))];
    let members = head.into_iter().chain(members);
    Value::Object(members.map(|(key, value)| (key.to_owned(), value)).collect())
}

/// Prints a value on lines of its own.
pub(crate) fn print(console: &mut Console, value: &Value) -> Result<(), Failure> {
    let mut printer = Printer::new(console, JsonStyle::Pretty { indent: 2 }).with_final_newline();
    push(value, &mut printer)?;
    printer.finish()?;
    Ok(())
}
