//! A printer of any language of text.

use super::Language;
use super::lines::LinesPrinter;
use coconut_codec::event::{EventSink, SinkError};
use coconut_codec::text::json::{JsonStyle, Printer};
use coconut_codec::text::yaml::YamlPrinter;
use coconut_format::Integer;
use std::io::Write;

/// The layout of a text. Each language uses what applies to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    /// White space of JSON.
    pub(crate) style: JsonStyle,
    /// Whether JSON ends in a line feed.
    pub(crate) final_newline: bool,
    /// Whether a list is several documents of YAML.
    pub(crate) is_stream: bool,
}

impl Default for Layout {
    fn default() -> Layout {
        Layout { style: JsonStyle::Pretty { indent: 2 }, final_newline: true, is_stream: false }
    }
}

/// Prints a document.
pub(crate) enum TextPrinter<W: Write> {
    Json(Printer<W>),
    Lines(LinesPrinter<W>),
    Yaml(YamlPrinter<W>),
}

impl<W: Write> TextPrinter<W> {
    pub(super) fn new(out: W, language: Language, layout: Layout) -> TextPrinter<W> {
        match language {
            Language::Json => {
                let printer = Printer::new(out, layout.style);
                TextPrinter::Json(if layout.final_newline { printer.with_final_newline() } else { printer })
            }
            Language::Lines => TextPrinter::Lines(LinesPrinter::new(out)),
            Language::Yaml if layout.is_stream => TextPrinter::Yaml(YamlPrinter::of_stream(out)),
            Language::Yaml => TextPrinter::Yaml(YamlPrinter::new(out)),
        }
    }

    /// Writes the rest of the text.
    pub(super) fn finish(self) -> Result<(), SinkError> {
        let finished = match self {
            TextPrinter::Json(printer) => printer.finish().map(drop),
            TextPrinter::Lines(printer) => return printer.finish(),
            TextPrinter::Yaml(printer) => printer.finish().map(drop),
        };
        finished.map_err(|error| SinkError::Output(error.to_string()))
    }
}

/// Hands an event on: `on!(self, null())`.
macro_rules! on {
    ($printer:expr, $($event:tt)*) => {
        match $printer {
            TextPrinter::Json(printer) => printer.$($event)*,
            TextPrinter::Lines(printer) => printer.$($event)*,
            TextPrinter::Yaml(printer) => printer.$($event)*,
        }
    };
}

impl<W: Write> EventSink for TextPrinter<W> {
    fn null(&mut self) -> Result<(), SinkError> {
        on!(self, null())
    }

    fn bool(&mut self, value: bool) -> Result<(), SinkError> {
        on!(self, bool(value))
    }

    fn integer(&mut self, value: Integer) -> Result<(), SinkError> {
        on!(self, integer(value))
    }

    fn float(&mut self, value: f64) -> Result<(), SinkError> {
        on!(self, float(value))
    }

    fn string(&mut self, value: &str) -> Result<(), SinkError> {
        on!(self, string(value))
    }

    fn begin_list(&mut self) -> Result<(), SinkError> {
        on!(self, begin_list())
    }

    fn end_list(&mut self) -> Result<(), SinkError> {
        on!(self, end_list())
    }

    fn begin_object(&mut self) -> Result<(), SinkError> {
        on!(self, begin_object())
    }

    fn key(&mut self, key: &str) -> Result<(), SinkError> {
        on!(self, key(key))
    }

    fn end_object(&mut self) -> Result<(), SinkError> {
        on!(self, end_object())
    }

    fn begin_document(&mut self) {
        on!(self, begin_document());
    }

    fn numbered_string(&mut self, number: u32, text: &str) -> Result<(), SinkError> {
        on!(self, numbered_string(number, text))
    }

    fn numbered_key(&mut self, number: u32, text: &str) -> Result<(), SinkError> {
        on!(self, numbered_key(number, text))
    }

    fn begin_run(&mut self, number: u64) -> Result<bool, SinkError> {
        on!(self, begin_run(number))
    }

    fn end_run(&mut self) {
        on!(self, end_run());
    }
}
