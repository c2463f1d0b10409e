//! Shortened forms of large values: cut at a level, as an outline, or at a number of bytes.

use crate::safe::visible;
use crate::text::grouped;
use coconut_codec::event::{ValueSink, push};
use coconut_codec::text::json::{JsonStyle, Printer};
use coconut_format::Value;
use coconut_format::truncated::Truncated;
use std::fmt::Write as _;

/// The default number of levels of an outline.
pub const LEVELS: u32 = 2;

/// The maximum number of lines of an outline.
const MOST_LINES: usize = 200;

/// The value without levels deeper than this number. A list or object there is replaced by a text
/// with its size.
pub fn cut(value: Value, levels: u32) -> Value {
    match value {
        Value::List(items) if !items.is_empty() && levels == 0 => {
            Value::String(format!("[{}]", size_of(items.len(), false)))
        }
        Value::Object(entries) if !entries.is_empty() && levels == 0 => {
            Value::String(format!("{{{}}}", size_of(entries.len(), true)))
        }
        Value::List(items) => Value::List(items.into_iter().map(|item| cut(item, levels - 1)).collect()),
        Value::Object(entries) => {
            Value::Object(entries.into_iter().map(|(key, value)| (key, cut(value, levels - 1))).collect())
        }
        scalar => scalar,
    }
}

fn size_of(count: usize, is_object: bool) -> String {
    match (count, is_object) {
        (1, true) => "1 entry".to_owned(),
        (1, false) => "1 item".to_owned(),
        (count, true) => format!("{} entries", grouped(count as u64)),
        (count, false) => format!("{} items", grouped(count as u64)),
    }
}

/// One line for each entry and item of the value down to this number of levels, safe to print.
pub fn lines(value: &Value, levels: u32) -> String {
    let mut all = Vec::new();
    add_lines("", value, 0, levels, &mut all);
    let more = all.len().saturating_sub(MOST_LINES);
    all.truncate(MOST_LINES);
    let mut text = String::new();
    for line in all {
        let _ = writeln!(text, "{line}");
    }
    if more > 0 {
        let _ = writeln!(
            text,
            "... {} more lines; a JSON pointer after the key shows one part",
            grouped(more as u64)
        );
    }
    text
}

fn add_lines(name: &str, value: &Value, level: u32, levels: u32, lines: &mut Vec<String>) {
    let name = if level == 0 { String::new() } else { format!("{}: ", visible(&Truncated(name).to_text())) };
    let indent = "  ".repeat(level.saturating_sub(1) as usize);
    lines.push(format!("{indent}{name}{}", summary(value)));
    if level >= levels {
        return;
    }
    match value {
        Value::List(items) => {
            for (index, item) in items.iter().enumerate() {
                add_lines(&index.to_string(), item, level + 1, levels, lines);
            }
        }
        Value::Object(entries) => {
            for (key, value) in entries {
                add_lines(key, value, level + 1, levels, lines);
            }
        }
        _ => {}
    }
}

/// A scalar, or the kind and size of any other value.
fn summary(value: &Value) -> String {
    match value {
        Value::List(items) => format!("list, {}", size_of(items.len(), false)),
        Value::Object(entries) => format!("object, {}", size_of(entries.len(), true)),
        Value::String(text) => json_of(&Value::String(Truncated(text).to_text().into_owned())),
        scalar => json_of(scalar),
    }
}

fn json_of(scalar: &Value) -> String {
    let mut text = Vec::new();
    let mut printer = Printer::new(&mut text, JsonStyle::Minified);
    let printed = push(scalar, &mut printer).map(|()| printer.finish());
    debug_assert!(printed.is_ok(), "memory takes all bytes");
    visible(&String::from_utf8_lossy(&text))
}

/// The value that a sink has received.
pub fn received(sink: ValueSink) -> Value {
    sink.finish().expect("a value that was streamed is whole")
}

/// The text up to the last complete line within this number of bytes. A longer first line is cut at
/// a character.
pub fn first_bytes(text: &[u8], most: usize) -> &[u8] {
    let Some(within) = text.get(..most) else { return text };
    if let Some(end) = within.iter().rposition(|&byte| byte == b'\n') {
        return &within[..=end];
    }
    match std::str::from_utf8(within) {
        Ok(_) => within,
        Err(error) => &within[..error.valid_up_to()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value() -> Value {
        let entry = |key: &str, value| (key.to_owned(), value);
        Value::Object(vec![
            entry("a", Value::List(vec![Value::Bool(true), Value::List(vec![Value::Null])])),
            entry("b", Value::Object(vec![entry("c", Value::String("\u{1b}".to_owned()))])),
            entry("e", Value::List(Vec::new())),
        ])
    }

    #[test]
    fn omitted_levels_show_their_size() {
        assert_eq!(cut(value(), 0), Value::String("{3 entries}".to_owned()));
        let Value::Object(entries) = cut(value(), 1) else { panic!("an object") };
        let shown: Vec<String> = entries.iter().map(|(_, value)| json_of(value)).collect();
        assert_eq!(shown, ["\"[2 items]\"", "\"{1 entry}\"", "[]"]);
        assert_eq!(cut(value(), 3), value());
    }

    #[test]
    fn an_outline_has_a_line_for_each_entry_and_nothing_for_the_terminal() {
        let expected = "object, 3 entries\na: list, 2 items\n  0: true\n  1: list, 1 item\nb: object, 1 entry\n  c: \"\\u001b\"\ne: list, 0 items\n";
        assert_eq!(lines(&value(), 2), expected);
        let many = Value::List(vec![Value::Null; 1000]);
        assert_eq!(lines(&many, 1).lines().count(), MOST_LINES + 1);
    }

    #[test]
    fn text_is_cut_after_a_line_or_a_character() {
        assert_eq!(first_bytes(b"ab\ncd\n", 5), b"ab\n");
        assert_eq!(first_bytes(b"ab\n", 5), b"ab\n");
        assert_eq!(first_bytes("aé".as_bytes(), 2), b"a");
    }
}
