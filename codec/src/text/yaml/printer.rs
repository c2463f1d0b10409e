//! Events to YAML 1.2 text, in block style.
//!
//! The text reads back as the same document, here and in readers of YAML 1.1. A string is unquoted
//! only if no reader can mistake it for anything else. Quoted strings are on one line, with the
//! escapes of JSON.

use crate::event::{EventSink, SinkError};
use crate::text::json::{self, JsonStyle};
use coconut_format::Integer;
use coconut_format::visible::is_deceptive;
use std::fmt::Write as _;
use std::io;

/// Blanks per level.
const INDENT: usize = 2;

/// Maximum number of characters of a key on one line with its `:`. YAML allows 1,024.
const SIMPLE_KEY: usize = 1000;

/// Bytes that are collected before they are written.
const FULL: usize = 1 << 16;

/// Writes the document that it receives as YAML.
///
/// Keeps one small entry per open list or object, and some text.
#[derive(Debug)]
pub struct YamlPrinter<W> {
    out: W,
    text: String,
    levels: Vec<Level>,
    at: At,
    /// The most recently opened list or object, until it is known whether it is empty.
    begun: Option<Kind>,
    stream: Stream,
}

/// Whether the items of the root are documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stream {
    No,
    /// If the root is a list.
    Wanted,
    First,
    Next,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    List,
    Object,
}

/// Text before the next value on its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    /// Nothing.
    Start,
    /// `- `, and the value begins here.
    Dash,
    /// `key:`, without a blank.
    Key,
}

/// An open list or object that is not empty.
#[derive(Debug)]
struct Level {
    kind: Kind,
    /// Blanks before its items or keys.
    indent: usize,
    /// Whether the next item or key continues the current line.
    is_on_line: bool,
}

impl<W: io::Write> YamlPrinter<W> {
    /// A printer of one document.
    pub fn new(out: W) -> YamlPrinter<W> {
        let (text, levels) = (String::new(), Vec::new());
        YamlPrinter { out, text, levels, at: At::Start, begun: None, stream: Stream::No }
    }

    /// A printer of a list as a stream: each item is a separate document, preceded by a line `---`
    /// except for the first. Anything other than a list is one document.
    ///
    /// Reads back as the same list if it has at least two items.
    pub fn of_stream(out: W) -> YamlPrinter<W> {
        YamlPrinter { stream: Stream::Wanted, ..YamlPrinter::new(out) }
    }

    /// Ends the document with a line end and returns the output, not flushed.
    ///
    /// # Errors
    ///
    /// Those of the output.
    pub fn finish(mut self) -> io::Result<W> {
        self.text.push('\n');
        self.out.write_all(self.text.as_bytes())?;
        Ok(self.out)
    }

    /// Opens the level of a list or object before its first item or key.
    fn open_level(&mut self) {
        if let Some(kind) = self.begun.take() {
            let indent = self.levels.last().map_or(0, |level| level.indent + INDENT);
            self.levels.push(Level { kind, indent, is_on_line: self.at != At::Key });
        }
    }

    /// Moves to the place of the next item or key of the innermost level.
    fn begin_entry(&mut self) -> Result<(), SinkError> {
        let Some(level) = self.levels.last_mut() else { return Ok(()) };
        if !std::mem::replace(&mut level.is_on_line, false) {
            self.text.push('\n');
            self.text.extend(std::iter::repeat_n(' ', level.indent));
        }
        if self.text.len() >= FULL {
            let written = self.out.write_all(self.text.as_bytes());
            written.map_err(|error| SinkError::Output(error.to_string()))?;
            self.text.clear();
        }
        Ok(())
    }

    /// Moves to the place of the next value, after its dash if it is an item.
    fn begin_value(&mut self) -> Result<(), SinkError> {
        self.open_level();
        if self.levels.is_empty() {
            match self.stream {
                Stream::No => {}
                Stream::Wanted => self.stream = Stream::No,
                Stream::First => self.stream = Stream::Next,
                Stream::Next => {
                    self.text.push_str("\n---\n");
                    self.at = At::Start;
                }
            }
        }
        if self.levels.last().is_some_and(|level| level.kind == Kind::List) {
            self.begin_entry()?;
            self.text.push_str("- ");
            self.at = At::Dash;
        }
        Ok(())
    }

    fn scalar(&mut self, text: &str) -> Result<(), SinkError> {
        self.begin_value()?;
        self.write_value(text);
        Ok(())
    }

    fn write_value(&mut self, text: &str) {
        if self.at == At::Key {
            self.text.push(' ');
        }
        self.text.push_str(text);
    }

    fn begin(&mut self, kind: Kind) -> Result<(), SinkError> {
        self.begin_value()?;
        self.begun = Some(kind);
        Ok(())
    }

    fn end(&mut self, empty: &str) -> Result<(), SinkError> {
        match self.begun.take() {
            Some(_) => self.write_value(empty),
            None => {
                self.levels.pop();
            }
        }
        Ok(())
    }
}

impl<W: io::Write> EventSink for YamlPrinter<W> {
    fn null(&mut self) -> Result<(), SinkError> {
        self.scalar("null")
    }

    fn bool(&mut self, value: bool) -> Result<(), SinkError> {
        self.scalar(if value { "true" } else { "false" })
    }

    fn integer(&mut self, value: Integer) -> Result<(), SinkError> {
        self.scalar(&value.to_string())
    }

    fn float(&mut self, value: f64) -> Result<(), SinkError> {
        let mut printer = json::Printer::new(Vec::new(), JsonStyle::Minified);
        printer.float(value)?;
        let bytes = printer.finish().map_err(|error| SinkError::Output(error.to_string()))?;
        let text = String::from_utf8_lossy(&bytes);
        // In YAML 1.1 every float has a point.
        match text.split_once('e') {
            Some((digits, exponent)) if !digits.contains('.') => {
                self.scalar(&format!("{digits}.0e{exponent}"))
            }
            _ => self.scalar(&text),
        }
    }

    fn string(&mut self, value: &str) -> Result<(), SinkError> {
        match is_plain(value) {
            true => self.scalar(value),
            false => self.scalar(&quoted(value)),
        }
    }

    fn begin_list(&mut self) -> Result<(), SinkError> {
        if self.stream == Stream::Wanted {
            self.stream = Stream::First;
            return Ok(());
        }
        self.begin(Kind::List)
    }

    fn end_list(&mut self) -> Result<(), SinkError> {
        if self.stream == Stream::First {
            self.text.push_str("[]");
        }
        self.end("[]")
    }

    fn begin_object(&mut self) -> Result<(), SinkError> {
        self.begin(Kind::Object)
    }

    fn key(&mut self, key: &str) -> Result<(), SinkError> {
        self.open_level();
        self.begin_entry()?;
        let shown = if is_plain(key) { key.to_owned() } else { quoted(key) };
        if shown.len() > SIMPLE_KEY {
            self.text.push_str("? ");
            self.text.push_str(&shown);
            self.text.push('\n');
            let indent = self.levels.last().map_or(0, |level| level.indent);
            self.text.extend(std::iter::repeat_n(' ', indent));
        } else {
            self.text.push_str(&shown);
        }
        self.text.push(':');
        self.at = At::Key;
        Ok(())
    }

    fn end_object(&mut self) -> Result<(), SinkError> {
        self.end("{}")
    }
}

/// Whether every reader reads unquoted `text` as this string.
///
/// It begins with a letter, `_` or `/`, and no character has a special meaning at its place. It is
/// not a word for a boolean or null in YAML 1.1 or 1.2.
fn is_plain(text: &str) -> bool {
    const WORDS: [&str; 9] = ["null", "true", "false", "yes", "no", "on", "off", "y", "n"];
    let begins_well = text.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '/');
    let ends_well = !text.ends_with([' ', ':']);
    let is_shown = |c: char| c == ' ' || c.is_alphanumeric() || c.is_ascii_graphic();
    begins_well
        && ends_well
        && text.chars().all(|c| is_shown(c) && !is_deceptive(c))
        && !text.contains(": ")
        && !text.contains(" #")
        && !WORDS.iter().any(|word| word.eq_ignore_ascii_case(text))
}

/// `text` in double quotes, on one line.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            // Characters that are not printable in YAML must be escaped, and deceptive ones should
            // be.
            c if is_deceptive(c) || matches!(c, '\u{FFFE}' | '\u{FFFF}') => {
                let _ = match u32::from(c) {
                    code @ ..=0xFFFF => write!(out, "\\u{code:04x}"),
                    code => write!(out, "\\U{code:08x}"),
                };
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{ValueSink, push};
    use crate::text::yaml;
    use coconut_format::Value;
    use proptest::prelude::*;

    fn printed(value: &Value) -> String {
        let mut printer = YamlPrinter::new(Vec::new());
        push(value, &mut printer).unwrap();
        String::from_utf8(printer.finish().unwrap()).unwrap()
    }

    fn read(text: &str) -> Value {
        let mut sink = ValueSink::new();
        let read = yaml::read(text.as_bytes(), &mut sink, &yaml::YamlOptions::default());
        read.unwrap_or_else(|error| panic!("{error}\n{text}"));
        sink.finish().unwrap()
    }

    fn string(text: &str) -> Value {
        Value::String(text.to_owned())
    }

    #[test]
    fn blocks_are_laid_out_as_people_write_them() {
        let object = |entries: Vec<(&str, Value)>| {
            Value::Object(entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
        };
        let value = object(vec![
            ("name", string("web server")),
            (
                "ports",
                Value::List(vec![Value::Integer(80u64.into()), Value::List(vec![string("no"), string("")])]),
            ),
            (
                "tags",
                Value::List(vec![
                    object(vec![("a", Value::Null), ("b", object(vec![]))]),
                    Value::List(vec![]),
                ]),
            ),
            ("1", Value::Float(1e-7)),
        ]);
        let expected = "\
name: web server
ports:
  - 80
  - - \"no\"
    - \"\"
tags:
  - a: null
    b: {}
  - []
\"1\": 1.0e-7
";
        assert_eq!(printed(&value), expected);
        assert_eq!(read(expected), value);
    }

    fn printed_as_stream(value: &Value) -> String {
        let mut printer = YamlPrinter::of_stream(Vec::new());
        push(value, &mut printer).unwrap();
        String::from_utf8(printer.finish().unwrap()).unwrap()
    }

    #[test]
    fn a_stream_has_a_document_for_each_item() {
        let object = |key: &str, value| Value::Object(vec![(key.to_owned(), value)]);
        let list = |items| Value::List(items);
        let value = list(vec![
            object("a", list(vec![object("b", string("c"))])),
            list(vec![Value::Null, list(vec![])]),
            list(vec![]),
            Value::Null,
            object("x", object("z", Value::Bool(true))),
        ]);
        let expected = "\
a:
  - b: c
---
- null
- []
---
[]
---
null
---
x:
  z: true
";
        assert_eq!(printed_as_stream(&value), expected);
        assert!(yaml::is_stream(expected.as_bytes()));
        assert_eq!(read(expected), value);
        for (value, text) in
            [(list(vec![]), "[]\n"), (object("a", list(vec![])), "a: []\n"), (string("a"), "a\n")]
        {
            assert_eq!(printed_as_stream(&value), text);
        }
    }

    #[test]
    fn strings_that_mean_something_are_quoted() {
        for text in [
            "",
            "~",
            "Yes",
            "null",
            "1.10",
            "-",
            "a: b",
            "a #b",
            "a:",
            " a",
            "a ",
            "<<",
            "*x",
            "2020-01-01",
            "a\nb",
        ] {
            assert!(!is_plain(text), "{text:?}");
            assert_eq!(read(&printed(&string(text))), string(text));
        }
        for text in ["urn:pulumi:a::b", "/usr/lib", "it's", "a#b", "ünï", "_x", "say \"hi\", you"] {
            assert!(is_plain(text), "{text:?}");
            assert_eq!(read(&printed(&string(text))), string(text));
        }
    }

    #[test]
    fn a_key_too_long_for_one_line_is_explicit() {
        let value = Value::Object(vec![
            ("k".repeat(2000), Value::List(vec![Value::Null])),
            ("b".into(), Value::Null),
        ]);
        assert!(printed(&value).starts_with("? kkk"));
        assert_eq!(read(&printed(&value)), value);
    }

    /// Documents of all kinds of values, with distinct keys.
    fn documents() -> impl Strategy<Value = Value> {
        let text = prop_oneof![
            any::<String>(),
            "[a-zA-Z0-9 :#~,\\-\\[\\]{}&*!|>'\"%@`.\\n\\t\u{85}\u{2028}\u{feff}é]{0,12}",
            "(yes|No|null|0x1f|0o7|1e3|\\.inf|-|\\?|<<|=|---|\\.\\.\\.)",
        ];
        let scalar = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::Bool),
            any::<i64>().prop_map(|number| Value::Integer(number.into())),
            any::<u64>().prop_map(|number| Value::Integer(number.into())),
            any::<f64>().prop_filter("finite", |number| number.is_finite()).prop_map(Value::Float),
            text.clone().prop_map(Value::String),
        ];
        scalar.prop_recursive(5, 40, 6, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::List),
                prop::collection::vec((text.clone(), inner), 0..6).prop_map(|entries| {
                    let mut distinct: Vec<(String, Value)> = Vec::new();
                    for (key, value) in entries {
                        if distinct.iter().all(|(known, _)| *known != key) {
                            distinct.push((key, value));
                        }
                    }
                    Value::Object(distinct)
                }),
            ]
        })
    }

    proptest! {
        #[test]
        fn every_document_reads_back(value in documents()) {
            prop_assert_eq!(read(&printed(&value)), value);
        }

        #[test]
        fn every_stream_reads_back(first in documents(), second in documents(), third in documents()) {
            let value = Value::List(vec![first, second, third]);
            let text = printed_as_stream(&value);
            prop_assert!(yaml::is_stream(text.as_bytes()), "{}", text);
            prop_assert_eq!(read(&text), value);
        }
    }
}
