//! The JSON that `--json` writes: small reports built as values, and those that may be large written as they come.

use crate::console::{Console, SafeJson};
use crate::failure::Failure;
use coconut_codec::event::EventSink;
use coconut_codec::event::push;
use coconut_codec::text::json::{JsonStyle, Printer};
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

/// Prints a value on lines of its own. Nothing in it is obeyed by a terminal.
pub(crate) fn print(console: &mut Console, value: &Value) -> Result<(), Failure> {
    let mut printer = Printer::new(SafeJson(console), JsonStyle::Pretty { indent: 2 }).with_final_newline();
    push(value, &mut printer)?;
    printer.finish()?;
    Ok(())
}

/// A report whose list may be long: each item is written when it is known, and none is kept. Nothing in it is obeyed by a
/// terminal.
pub(crate) struct Report<'c> {
    printer: Printer<SafeJson<&'c mut Console>>,
}

impl<'c> Report<'c> {
    /// Begins the report of a command with these members.
    pub(crate) fn begin<const N: usize>(
        console: &'c mut Console,
        command: &str,
        members: [(&str, Value); N],
    ) -> Result<Report<'c>, Failure> {
        let printer = Printer::new(SafeJson(console), JsonStyle::Pretty { indent: 2 }).with_final_newline();
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
    pub(crate) fn member(&mut self, key: &str, value: &Value) -> Result<(), Failure> {
        self.printer.key(key)?;
        Ok(push(value, &mut self.printer)?)
    }

    /// Begins a member that is a list, whose items come next.
    pub(crate) fn begin_list(&mut self, key: &str) -> Result<(), Failure> {
        self.printer.key(key)?;
        Ok(self.printer.begin_list()?)
    }

    /// Adds an item to the list.
    pub(crate) fn item(&mut self, value: &Value) -> Result<(), Failure> {
        Ok(push(value, &mut self.printer)?)
    }

    /// Ends the list.
    pub(crate) fn end_list(&mut self) -> Result<(), Failure> {
        Ok(self.printer.end_list()?)
    }

    /// Ends the report.
    pub(crate) fn end(mut self) -> Result<(), Failure> {
        self.printer.end_object()?;
        self.printer.finish()?;
        Ok(())
    }
}
