//! JSON Lines: each item of a list on a separate line.
//!
//! A text of one line is read as the value of that line. So a list of fewer than two items is a
//! line with its brackets, and so is every document that is not a list. Lines are read as documents
//! only if all are objects or all are lists, so a list of several other items is refused.

use coconut_codec::event::{EventSink, SinkError};
use coconut_codec::text::json::{JsonStyle, Printer};
use coconut_format::Integer;
use std::io::Write;

/// Prints a document as JSON Lines. Holds one line in memory.
pub(crate) struct LinesPrinter<W> {
    out: W,
    /// The value of the current line.
    line: Printer<Vec<u8>>,
    /// The number of open lists and objects, including the list of the document.
    depth: usize,
    /// Whether the document is a list.
    is_list: bool,
    /// The first item of a list, until there is a second or the list ends.
    first: Option<Vec<u8>>,
    /// Items that have begun.
    items: usize,
    /// The first character of each line, once there are two.
    bracket: Option<u8>,
}

impl<W: Write> LinesPrinter<W> {
    pub(super) fn new(out: W) -> LinesPrinter<W> {
        LinesPrinter { out, line: line(), depth: 0, is_list: false, first: None, items: 0, bracket: None }
    }

    /// Ends the document. All of its lines are written already.
    pub(super) fn finish(mut self) -> Result<(), SinkError> {
        self.out.flush().map_err(failed)
    }

    /// After each value: ends the line if the value is the whole line.
    fn ended(&mut self) -> Result<(), SinkError> {
        if self.depth != usize::from(self.is_list) {
            return Ok(());
        }
        let text = std::mem::replace(&mut self.line, line()).finish().map_err(failed)?;
        if !self.is_list {
            return self.write(&[&text]);
        }
        self.items += 1;
        if self.items == 1 {
            self.first = Some(text);
            return Ok(());
        }
        if self.items == 2 {
            self.bracket = self.first.as_ref().and_then(|first| first.first().copied());
        }
        if !matches!(self.bracket, Some(b'{' | b'[')) || text.first().copied() != self.bracket {
            let message = "JSON Lines need items that are all objects or all lists; use `--as json`";
            return Err(SinkError::Output(message.to_owned()));
        }
        if let Some(first) = self.first.take() {
            self.write(&[&first])?;
        }
        self.write(&[&text])
    }

    /// Writes a line of these parts.
    fn write(&mut self, parts: &[&[u8]]) -> Result<(), SinkError> {
        parts.iter().chain([&&b"\n"[..]]).try_for_each(|part| self.out.write_all(part)).map_err(failed)
    }

    fn value(
        &mut self,
        push: impl FnOnce(&mut Printer<Vec<u8>>) -> Result<(), SinkError>,
    ) -> Result<(), SinkError> {
        push(&mut self.line)?;
        self.ended()
    }
}

fn line() -> Printer<Vec<u8>> {
    Printer::new(Vec::new(), JsonStyle::Minified)
}

#[expect(clippy::needless_pass_by_value, reason = "it is the argument of `map_err`")]
fn failed(error: std::io::Error) -> SinkError {
    SinkError::Output(error.to_string())
}

impl<W: Write> EventSink for LinesPrinter<W> {
    fn null(&mut self) -> Result<(), SinkError> {
        self.value(EventSink::null)
    }

    fn bool(&mut self, value: bool) -> Result<(), SinkError> {
        self.value(|line| line.bool(value))
    }

    fn integer(&mut self, value: Integer) -> Result<(), SinkError> {
        self.value(|line| line.integer(value))
    }

    fn float(&mut self, value: f64) -> Result<(), SinkError> {
        self.value(|line| line.float(value))
    }

    fn string(&mut self, value: &str) -> Result<(), SinkError> {
        self.value(|line| line.string(value))
    }

    fn begin_list(&mut self) -> Result<(), SinkError> {
        self.depth += 1;
        if self.depth == 1 {
            self.is_list = true;
            return Ok(());
        }
        self.line.begin_list()
    }

    fn end_list(&mut self) -> Result<(), SinkError> {
        self.depth -= 1;
        if self.depth > 0 || !self.is_list {
            return self.value(EventSink::end_list);
        }
        match (self.items, self.first.take()) {
            (0, _) => self.write(&[b"[]"]),
            (_, Some(only)) => self.write(&[b"[", &only, b"]"]),
            _ => Ok(()),
        }
    }

    fn begin_object(&mut self) -> Result<(), SinkError> {
        self.depth += 1;
        self.line.begin_object()
    }

    fn key(&mut self, key: &str) -> Result<(), SinkError> {
        self.line.key(key)
    }

    fn end_object(&mut self) -> Result<(), SinkError> {
        self.depth -= 1;
        self.value(EventSink::end_object)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coconut_codec::compile::{CompileOptions, compile};
    use coconut_codec::event::push;
    use coconut_codec::read::file::DocumentFile;
    use coconut_codec::text::SourceFormat;
    use coconut_format::Value;

    /// The value of a text, by the reader of sources.
    fn value(text: &[u8]) -> Value {
        let options = CompileOptions { format: Some(SourceFormat::Json), ..CompileOptions::default() };
        let compiled = compile(text, &options).unwrap().bytes;
        DocumentFile::from_data(compiled).unwrap().view().to_value().unwrap()
    }

    fn printed(value: &Value) -> String {
        let mut text = Vec::new();
        let mut printer = LinesPrinter::new(&mut text);
        push(value, &mut printer).unwrap();
        printer.finish().unwrap();
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn each_document_is_read_back_as_it_was() {
        let texts = [
            ("[[2,{}],[{\"a\":[3]}]]", "[2,{}]\n[{\"a\":[3]}]\n"),
            ("[{\"a\":[3]},{\"b\":1}]", "{\"a\":[3]}\n{\"b\":1}\n"),
            ("[{\"a\":1}]", "[{\"a\":1}]\n"),
            ("[[1,2]]", "[[1,2]]\n"),
            ("[]", "[]\n"),
            ("[[],[]]", "[]\n[]\n"),
            ("{\"a\":[1,2],\"b\":{}}", "{\"a\":[1,2],\"b\":{}}\n"),
            ("\"a\\nb\"", "\"a\\nb\"\n"),
        ];
        for (text, lines) in texts {
            let document = value(text.as_bytes());
            assert_eq!(printed(&document), lines);
            assert_eq!(value(lines.as_bytes()), document, "{lines}");
        }
    }

    #[test]
    fn lines_that_would_not_be_read_back_are_refused() {
        for text in ["[1,2]", "[{},[]]", "[[],{}]", "[\"a\",{}]"] {
            let mut printer = LinesPrinter::new(Vec::new());
            let refused = push(&value(text.as_bytes()), &mut printer).unwrap_err();
            assert!(refused.to_string().contains("all objects or all lists"), "{text}: {refused}");
        }
    }
}
