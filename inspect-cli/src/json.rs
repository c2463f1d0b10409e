//! The JSON that `--json` writes. Small reports are built as values; large ones are streamed.

use crate::console::{Console, SafeJson};
use crate::failure::Failure;
use coconut_codec::event::EventSink;
use coconut_codec::event::push;
use coconut_codec::text::json::{JsonStyle, Printer};
use coconut_format::{Integer, Value};
use std::io::Write as _;

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

/// A list of the results of `item` for each value.
pub fn list<T>(values: impl IntoIterator<Item = T>, item: impl FnMut(T) -> Value) -> Value {
    Value::List(values.into_iter().map(item).collect())
}

/// An object with these members.
pub fn object<const N: usize>(members: [(&str, Value); N]) -> Value {
    Value::Object(members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
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

/// Prints a value on one line, safe for a terminal.
pub fn print(console: &mut Console, value: &Value) -> Result<(), Failure> {
    Ok(console.write_all(&to_line(value))?)
}

/// A report with a list that may be long. Writes each item at once and keeps none. Safe for a
/// terminal.
pub struct Report<'c> {
    printer: Printer<SafeJson<&'c mut Console>>,
}

impl<'c> Report<'c> {
    /// Begins the report of a command with these members.
    pub fn begin<const N: usize>(
        console: &'c mut Console,
        command: &str,
        members: [(&str, Value); N],
    ) -> Result<Report<'c>, Failure> {
        let printer = Printer::new(SafeJson::new(console), JsonStyle::Minified).with_final_newline();
        let mut report = Report { printer };
        report.printer.begin_object()?;
        report.member("format_version", &number(FORMAT_VERSION))?;
        report.member("command", &text(command))?;
        for (key, value) in &members {
            report.member(key, value)?;
        }
        Ok(report)
    }

    /// Adds a member.
    pub fn member(&mut self, key: &str, value: &Value) -> Result<(), Failure> {
        self.printer.key(key)?;
        Ok(push(value, &mut self.printer)?)
    }

    /// Begins a member that is a list, whose items come next.
    pub fn begin_list(&mut self, key: &str) -> Result<(), Failure> {
        self.printer.key(key)?;
        Ok(self.printer.begin_list()?)
    }

    /// Adds an item to the list.
    pub fn item(&mut self, value: &Value) -> Result<(), Failure> {
        Ok(push(value, &mut self.printer)?)
    }

    /// Ends the list.
    pub fn end_list(&mut self) -> Result<(), Failure> {
        Ok(self.printer.end_list()?)
    }

    /// Ends the report.
    pub fn end(mut self) -> Result<(), Failure> {
        self.printer.end_object()?;
        self.printer.finish()?;
        Ok(())
    }
}
