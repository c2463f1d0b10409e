//! Colours in JSON text.

use crate::safe::SafeJson;
use crate::style::{DIM, KEY, STRING};
use anstyle::Style;
use std::io::{self, Write};

/// Writes JSON text with styles around keys, strings and `null`. The text is whole tokens of valid
/// JSON, in any number of pieces. Without the styles, it is the same text.
///
/// # Examples
///
/// ```
/// use coconut_report::coloured::ColouredJson;
/// use std::io::Write as _;
///
/// let mut out = Vec::new();
/// ColouredJson::new(&mut out).write_all(br#"{"port":80}"#)?;
/// assert_eq!(out, b"{\x1b[1m\x1b[34m\"port\"\x1b[0m:80}");
/// # std::io::Result::Ok(())
/// ```
#[derive(Debug)]
pub struct ColouredJson<W> {
    out: W,
    /// Open lists and objects: whether each is an object.
    levels: Vec<bool>,
    at: At,
    /// Text with styles, to write at once.
    styled: Vec<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    /// Before a key or after a bracket or comma of an object.
    Key,
    /// Before a value, or after one.
    Value,
    String,
    /// After a backslash in a string.
    Escape,
    Null,
}

impl<W: Write> ColouredJson<W> {
    /// Writes to `out`.
    pub fn new(out: W) -> ColouredJson<W> {
        ColouredJson { out, levels: Vec::new(), at: At::Value, styled: Vec::new() }
    }

    fn begin(&mut self, style: Style, byte: u8, at: At) {
        // Writing to a vector does not fail.
        let _ = write!(self.styled, "{style}");
        self.styled.push(byte);
        self.at = at;
    }

    /// Ends a token that has a style.
    fn end(&mut self) {
        let _ = write!(self.styled, "{DIM:#}");
        self.at = At::Value;
    }

    fn byte(&mut self, byte: u8) {
        match (self.at, byte) {
            (At::Escape, _) => self.at = At::String,
            (At::String, b'\\') => self.at = At::Escape,
            (At::String, b'"') => {
                self.styled.push(byte);
                return self.end();
            }
            (At::String, _) => {}
            (At::Key, b'"') => return self.begin(KEY, byte, At::String),
            (At::Value, b'"') => return self.begin(STRING, byte, At::String),
            (At::Value, b'n') => return self.begin(DIM, byte, At::Null),
            (At::Null, b'u' | b'l') => {}
            (At::Null, _) => {
                self.end();
                return self.byte(byte);
            }
            (_, b'{' | b'[') => {
                self.levels.push(byte == b'{');
                self.at = if byte == b'{' { At::Key } else { At::Value };
            }
            (_, b'}' | b']') => {
                self.levels.pop();
                self.at = At::Value;
            }
            (_, b',') if self.levels.last() == Some(&true) => self.at = At::Key,
            _ => {}
        }
        self.styled.push(byte);
    }
}

impl<W: Write> Write for ColouredJson<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.styled.clear();
        bytes.iter().for_each(|&byte| self.byte(byte));
        self.out.write_all(&self.styled)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// A writer for JSON text. For a terminal, it escapes everything that a terminal would interpret.
pub fn json_writer<'w>(out: &'w mut dyn Write, is_safe: bool, is_coloured: bool) -> Box<dyn Write + 'w> {
    match (is_safe, is_coloured) {
        (true, true) => Box::new(SafeJson::new(ColouredJson::new(out))),
        (true, false) => Box::new(SafeJson::new(out)),
        (false, true) => Box::new(ColouredJson::new(out)),
        (false, false) => Box::new(out),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_strings_and_null_have_styles_however_the_text_is_cut() {
        let text = "{\"a\\\"\": [\"b\\\\\", null, {\"c\": null}, -1.5],\n \"d\": {}}\nnull\n\"e\"\n";
        let expected = "{<k>\"a\\\"\"<>: [<s>\"b\\\\\"<>, <d>null<>, {<k>\"c\"<>: <d>null<>}, -1.5],\n \
                        <k>\"d\"<>: {}}\n<d>null<>\n<s>\"e\"<>\n";
        for length in 1..=text.len() {
            let mut coloured = ColouredJson::new(Vec::new());
            text.as_bytes().chunks(length).for_each(|piece| coloured.write_all(piece).unwrap());
            let mut shown = String::from_utf8(coloured.out).unwrap();
            for (style, name) in [(KEY, "<k>"), (STRING, "<s>"), (DIM, "<d>")] {
                shown = shown.replace(&style.to_string(), name);
            }
            assert_eq!(shown.replace("\u{1b}[0m", "<>"), expected, "pieces of {length} bytes");
        }
    }
}
