//! Values as text: on one line if they fit, otherwise one part a line.

use super::identifier::is_identifier;
use coconut_codec::event::push;
use coconut_codec::text::json::{JsonStyle, Printer};
use coconut_format::Value as Json;
use std::fmt::Write as _;

/// Columns of a line.
const WIDTH: usize = 100;
const INDENT: usize = 4;

/// The text of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Text {
    /// Text that is not divided.
    Word(String),
    List(Vec<Text>),
    /// Keys and values.
    Object(Vec<(String, Text)>),
}

/// A string literal.
pub(crate) fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            // Editors treat these as the ends of lines, or show nothing.
            c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}') => {
                let _ = write!(quoted, "\\u{{{:x}}}", u32::from(c));
            }
            // Marks that change the direction of a text hide what is in it.
            c @ ('\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}') => {
                let _ = write!(quoted, "\\u{{{:x}}}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// A number of the language.
pub(crate) fn number(value: &Json) -> String {
    let mut printer = Printer::new(Vec::new(), JsonStyle::Minified);
    let is_printed = push(value, &mut printer).is_ok();
    let text = printer.finish().ok().filter(|_| is_printed).and_then(|text| String::from_utf8(text).ok());
    // JSON, and so a graph, has no other numbers.
    text.unwrap_or_else(|| "null".to_owned())
}

/// A key of an object literal.
pub(crate) fn key(text: &str) -> String {
    match text {
        // As a literal, this key would set the prototype.
        "__proto__" => format!("[{}]", quoted(text)),
        text if is_identifier(text) => text.to_owned(),
        text => quoted(text),
    }
}

impl Text {
    /// Whether it has no parts.
    pub(crate) fn is_empty(&self) -> bool {
        match self {
            Text::Word(_) => false,
            Text::List(items) => items.is_empty(),
            Text::Object(entries) => entries.is_empty(),
        }
    }

    /// The text on one line.
    pub(crate) fn inline(&self) -> String {
        let mut out = String::new();
        self.push_inline(&mut out);
        out
    }

    /// Recursion is bounded by the levels of properties, here and below.
    fn push_inline(&self, out: &mut String) {
        let mut separator = "";
        match self {
            Text::Word(word) => out.push_str(word),
            Text::List(items) => {
                out.push('[');
                for item in items {
                    out.push_str(std::mem::replace(&mut separator, ", "));
                    item.push_inline(out);
                }
                out.push(']');
            }
            Text::Object(entries) if entries.is_empty() => out.push_str("{}"),
            Text::Object(entries) => {
                out.push_str("{ ");
                for (name, value) in entries {
                    out.push_str(std::mem::replace(&mut separator, ", "));
                    push_entry(out, name, value, |out| value.push_inline(out));
                }
                out.push_str(" }");
            }
        }
    }

    /// Columns of the text on one line, or more than `most`.
    fn width(&self, most: usize) -> usize {
        let mut sum: usize = 2;
        let mut add = |columns: usize| {
            sum += columns;
            sum <= most
        };
        match self {
            Text::Word(word) => return word.chars().count(),
            Text::List(items) => {
                let _ = items.iter().all(|item| add(item.width(most) + 2));
            }
            Text::Object(entries) => {
                let _ = entries.iter().all(|(name, value)| add(name.len() + 4 + value.width(most)));
            }
        }
        sum
    }

    /// Appends the text to a line that is indented by `level` steps. `after` is the number of
    /// columns that follow it on its last line.
    pub(crate) fn push(&self, out: &mut String, level: usize, after: usize) {
        let used = out.len() - out.rfind('\n').map_or(0, |at| at + 1);
        let free = WIDTH.saturating_sub(used + after);
        match self.width(free) <= free {
            true => self.push_inline(out),
            false => self.push_lines(out, level),
        }
    }

    /// The same, with each part on a line of its own.
    pub(crate) fn push_lines(&self, out: &mut String, level: usize) {
        let line = |out: &mut String, level: usize| {
            out.push('\n');
            out.extend(std::iter::repeat_n(' ', level * INDENT));
        };
        match self {
            text if text.is_empty() => text.push_inline(out),
            Text::Word(word) => out.push_str(word),
            Text::List(items) => {
                out.push('[');
                for item in items {
                    line(out, level + 1);
                    item.push(out, level + 1, 1);
                    out.push(',');
                }
                line(out, level);
                out.push(']');
            }
            Text::Object(entries) => {
                out.push('{');
                for (name, value) in entries {
                    line(out, level + 1);
                    push_entry(out, name, value, |out| value.push(out, level + 1, 1));
                    out.push(',');
                }
                line(out, level);
                out.push('}');
            }
        }
    }
}

/// `key: value`, or only the key if the value is the variable of that name.
fn push_entry(out: &mut String, name: &str, value: &Text, push_value: impl FnOnce(&mut String)) {
    if matches!(value, Text::Word(word) if word == name && is_identifier(name)) {
        out.push_str(name);
        return;
    }
    out.push_str(&key(name));
    out.push_str(": ");
    push_value(out);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(text: &str) -> Text {
        Text::Word(text.to_owned())
    }

    #[test]
    fn texts_are_escaped_so_that_each_is_one_line() {
        assert_eq!(quoted("a\"\\\n\u{2028}\u{202e}ß"), r#""a\"\\\n\u{2028}\u{202e}ß""#);
        assert_eq!(
            ["a", "a-b", "class", "__proto__"].map(key),
            ["a", "\"a-b\"", "\"class\"", "[\"__proto__\"]"]
        );
    }

    #[test]
    fn long_values_have_a_line_for_each_part() {
        let entries =
            vec![("vpc".to_owned(), word("vpc")), ("n".to_owned(), Text::List(vec![word("1"), word("2")]))];
        let object = Text::Object(entries);
        assert_eq!(object.inline(), "{ vpc, n: [1, 2] }");
        let mut out = " ".repeat(90);
        object.push(&mut out, 1, 0);
        assert_eq!(out.trim_start(), "{\n        vpc,\n        n: [1, 2],\n    }");
    }
}
