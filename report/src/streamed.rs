//! JSON reports that are written while they are computed.

use crate::failure::{Exit, Failure};
use crate::json::{FORMAT_VERSION, number, text};
use crate::safe::SafeJson;
use coconut_codec::event::EventSink as _;
use coconut_codec::event::{ValueSink, push};
use coconut_codec::limits::DEPTH;
use coconut_codec::text::json::{self, JsonOptions, JsonStyle, Printer};
use coconut_format::Value;
use std::io::Write;

/// The report that `write` writes, as a value. Holds it as text, too.
pub fn collected(write: impl FnOnce(&mut dyn Write) -> Result<(), Failure>) -> Result<Value, Failure> {
    let mut text = Vec::new();
    write(&mut text)?;
    let mut sink = ValueSink::new();
    // Values of documents are a few levels deep in the report.
    json::read(&text, &mut sink, &JsonOptions::default().depth(2 * DEPTH))
        .map_err(|error| Failure::new(Exit::of_document(error.code()), error.code(), error.to_string()))?;
    Ok(sink.finish().expect("a report that was read is whole"))
}

/// A report with a list that may be long. Writes each item immediately and keeps none. Safe for a
/// terminal.
pub struct Report<'c> {
    printer: Printer<SafeJson<&'c mut dyn Write>>,
}

impl<'c> Report<'c> {
    /// Begins the report of a command with these members.
    pub fn begin<const N: usize>(
        out: &'c mut dyn Write,
        command: &str,
        members: [(&str, Value); N],
    ) -> Result<Report<'c>, Failure> {
        let printer = Printer::new(SafeJson::new(out), JsonStyle::Minified).with_final_newline();
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

    /// Adds a member that is a list. Each item is written before the next one is computed.
    pub fn list(
        &mut self,
        key: &str,
        mut items: impl Iterator<Item = Result<Value, Failure>>,
    ) -> Result<(), Failure> {
        self.begin_list(key)?;
        items.try_for_each(|item| self.item(&item?))?;
        self.end_list()
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
