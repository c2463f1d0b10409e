//! Events to JSON text.

use super::string::end_of_run;
use crate::event::{EventSink, SinkError};
use crate::source::number::Decimal;
use coconut_format::Integer;
use std::io;

/// The white space between the tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonStyle {
    /// None at all.
    Minified,
    /// One entry per line, as `JSON.stringify(value, null, indent)` lays it out: `": "` after a key, `[]` and `{}`
    /// for what is empty, no line end after the document.
    Pretty {
        /// Blanks per level.
        indent: u8,
    },
}

/// Writes the document that it receives as JSON text.
///
/// Byte for byte what `JSON.stringify` writes for the same document (only `"`, `\` and control characters are
/// escaped, everything else stands as it is), but for numbers that JavaScript cannot hold or tell apart: integers
/// keep all digits, and a float always has a point or an exponent, so that it reads back as a float: `1.0` and
/// `100000000000000000000.0` where JavaScript prints `1` and `100000000000000000000`, `-0.0` where it prints `0`.
/// All floats have the fewest digits that read back to the same float64.
///
/// Collects about 64 KiB before it writes to `out`. What was collected last is lost without [`finish`](Self::finish).
#[derive(Debug)]
pub struct Printer<W> {
    out: W,
    text: Vec<u8>,
    style: JsonStyle,
    final_newline: bool,
    /// The closing bracket of each open list or object.
    open: Vec<u8>,
    next: Next,
    quoted: Quoted,
}

/// What stands before the next key or value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    /// The document, or the value of a key: nothing.
    Here,
    /// The first entry of a list or object.
    First,
    /// Another entry.
    Later,
}

/// Text is handed on to the output when this many bytes have come together.
const FULL: usize = 64 * 1024;

impl<W: io::Write> Printer<W> {
    /// A printer of one document.
    pub fn new(out: W, style: JsonStyle) -> Printer<W> {
        Printer {
            out,
            text: Vec::new(),
            style,
            final_newline: false,
            open: Vec::new(),
            next: Next::Here,
            quoted: Quoted::default(),
        }
    }

    /// Ends the document with a line feed, as the compilers of 2017 did after `JSON.stringify`.
    #[must_use]
    pub fn with_final_newline(mut self) -> Printer<W> {
        self.final_newline = true;
        self
    }

    /// Writes what was collected and returns the output, not flushed.
    ///
    /// # Errors
    ///
    /// Those of the output.
    pub fn finish(mut self) -> io::Result<W> {
        if self.final_newline {
            self.text.push(b'\n');
        }
        self.out.write_all(&self.text)?;
        Ok(self.out)
    }

    /// Writes what separates the next key or list item from what is before it.
    #[inline]
    fn separate(&mut self) -> Result<(), SinkError> {
        if self.text.len() >= FULL {
            self.out.write_all(&self.text).map_err(|error| SinkError::Output(error.to_string()))?;
            self.text.clear();
        }
        match self.next {
            Next::Here => return Ok(()),
            Next::First => {}
            Next::Later => self.text.push(b','),
        }
        self.break_line();
        Ok(())
    }

    #[inline]
    fn break_line(&mut self) {
        if let JsonStyle::Pretty { indent } = self.style {
            self.text.push(b'\n');
            let width = self.open.len() * usize::from(indent);
            self.text.resize(self.text.len() + width, b' ');
        }
    }

    /// Writes a string that may have been written before.
    #[inline]
    fn write_numbered(&mut self, number: u32, value: &str) {
        match self.quoted.get(number) {
            Some(form) => self.text.extend_from_slice(form),
            None => {
                let start = self.text.len();
                write_string(value, &mut self.text);
                self.quoted.remember(number, &self.text[start..]);
            }
        }
    }

    #[inline]
    fn end_key(&mut self) {
        let colon: &[u8] = if self.style == JsonStyle::Minified { b":" } else { b": " };
        self.text.extend_from_slice(colon);
        self.next = Next::Here;
    }

    /// Notes that a value has been written.
    #[inline]
    fn written(&mut self) -> Result<(), SinkError> {
        self.next = Next::Later;
        Ok(())
    }

    #[inline]
    fn begin(&mut self, open: u8, close: u8) -> Result<(), SinkError> {
        self.separate()?;
        self.text.push(open);
        self.open.push(close);
        self.next = Next::First;
        Ok(())
    }

    #[inline]
    fn end(&mut self) -> Result<(), SinkError> {
        let close = self.open.pop().expect("the caller ends only what is open");
        if self.next != Next::First {
            self.break_line();
        }
        self.text.push(close);
        self.written()
    }
}

impl<W: io::Write> EventSink for Printer<W> {
    fn null(&mut self) -> Result<(), SinkError> {
        self.separate()?;
        self.text.extend_from_slice(b"null");
        self.written()
    }

    fn bool(&mut self, value: bool) -> Result<(), SinkError> {
        self.separate()?;
        self.text.extend_from_slice(if value { b"true" } else { b"false" });
        self.written()
    }

    fn integer(&mut self, value: Integer) -> Result<(), SinkError> {
        self.separate()?;
        let mut buffer = itoa::Buffer::new();
        let digits = match (value.as_u64(), value.as_i64()) {
            (Some(value), _) => buffer.format(value),
            (None, Some(value)) => buffer.format(value),
            (None, None) => unreachable!("an integer is at least one of the two"),
        };
        self.text.extend_from_slice(digits.as_bytes());
        self.written()
    }

    fn float(&mut self, value: f64) -> Result<(), SinkError> {
        if !value.is_finite() {
            return Err(SinkError::NonFinite);
        }
        self.separate()?;
        write_float(value, &mut self.text);
        self.written()
    }

    fn string(&mut self, value: &str) -> Result<(), SinkError> {
        self.separate()?;
        write_string(value, &mut self.text);
        self.written()
    }

    fn begin_list(&mut self) -> Result<(), SinkError> {
        self.begin(b'[', b']')
    }

    fn end_list(&mut self) -> Result<(), SinkError> {
        self.end()
    }

    fn begin_object(&mut self) -> Result<(), SinkError> {
        self.begin(b'{', b'}')
    }

    fn key(&mut self, key: &str) -> Result<(), SinkError> {
        self.separate()?;
        write_string(key, &mut self.text);
        self.end_key();
        Ok(())
    }

    fn end_object(&mut self) -> Result<(), SinkError> {
        self.end()
    }

    fn numbered_string(&mut self, number: u32, text: &str) -> Result<(), SinkError> {
        self.separate()?;
        self.write_numbered(number, text);
        self.written()
    }

    fn numbered_key(&mut self, number: u32, text: &str) -> Result<(), SinkError> {
        self.separate()?;
        self.write_numbered(number, text);
        self.end_key();
        Ok(())
    }
}

/// Numbered texts as they stand in JSON, quotes and escapes included: a document has few texts and writes them
/// often, and a copy takes a third of the time of a search for what must be escaped.
#[derive(Debug, Default)]
struct Quoted {
    forms: Vec<u8>,
    /// By number, where the form begins and ends. No form is empty, so equal ends mean that there is none.
    places: Vec<(u32, u32)>,
}

impl Quoted {
    /// Bytes of forms, and texts, that are remembered. The sources number frequent texts first.
    const BYTES: usize = 2 << 20;
    const TEXTS: usize = 128 << 10;

    #[inline]
    fn get(&self, number: u32) -> Option<&[u8]> {
        let &(start, end) = self.places.get(number as usize)?;
        (start < end).then(|| &self.forms[start as usize..end as usize])
    }

    fn remember(&mut self, number: u32, form: &[u8]) {
        let (number, start) = (number as usize, self.forms.len());
        let end = start + form.len();
        let (Ok(place_start), Ok(place_end)) = (u32::try_from(start), u32::try_from(end)) else { return };
        if end > Self::BYTES || number >= Self::TEXTS {
            return;
        }
        if number >= self.places.len() {
            self.places.resize(number + 1, (0, 0));
        }
        self.forms.extend_from_slice(form);
        self.places[number] = (place_start, place_end);
    }
}

/// Writes `value` in double quotes, with the escapes of `JSON.stringify`.
fn write_string(value: &str, out: &mut Vec<u8>) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let bytes = value.as_bytes();
    out.push(b'"');
    let mut start = 0;
    loop {
        let end = end_of_run(bytes, start);
        out.extend_from_slice(&bytes[start..end]);
        let Some(&special) = bytes.get(end) else { break };
        let short = match special {
            0x08 => b'b',
            0x09 => b't',
            0x0A => b'n',
            0x0C => b'f',
            0x0D => b'r',
            // The quote and the backslash stand for themselves after a backslash.
            _ => special,
        };
        if short < b' ' {
            out.extend_from_slice(b"\\u00");
            out.extend([HEX[usize::from(special >> 4)], HEX[usize::from(special & 0xF)]]);
        } else {
            out.extend([b'\\', short]);
        }
        start = end + 1;
    }
    out.push(b'"');
}

/// Writes a finite float in the layout of ECMAScript's `Number::toString`, with `.0` where that has no point.
fn write_float(value: f64, out: &mut Vec<u8>) {
    let mut buffer = zmij::Buffer::new();
    let decimal = Decimal::of(buffer.format_finite(value));
    let exponent = decimal.exponent();
    let count = decimal.digits().count() as i64;
    let zeros = |out: &mut Vec<u8>, zeros: i64| out.extend((0..zeros).map(|_| b'0'));
    if value.is_sign_negative() {
        out.push(b'-');
    }
    match exponent {
        _ if count == 0 => out.extend_from_slice(b"0.0"),
        -5..=0 => {
            out.extend_from_slice(b"0.");
            zeros(out, -exponent);
            out.extend(decimal.digits());
        }
        1..=21 if count <= exponent => {
            out.extend(decimal.digits());
            zeros(out, exponent - count);
            out.extend_from_slice(b".0");
        }
        1..=21 => write_with_point(decimal, exponent, out),
        _ => {
            write_with_point(decimal, 1, out);
            out.extend([b'e', if exponent > 0 { b'+' } else { b'-' }]);
            let mut buffer = itoa::Buffer::new();
            out.extend_from_slice(buffer.format((exponent - 1).unsigned_abs()).as_bytes());
        }
    }
}

/// Writes the digits with a point after the first `whole`, if any are left.
fn write_with_point(decimal: Decimal<'_>, whole: i64, out: &mut Vec<u8>) {
    for (index, digit) in (0..).zip(decimal.digits()) {
        if index == whole {
            out.push(b'.');
        }
        out.push(digit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::push;
    use coconut_format::Value;

    fn printed(value: &Value, style: JsonStyle) -> String {
        let mut printer = Printer::new(Vec::new(), style);
        push(value, &mut printer).expect("a printer into memory takes all finite values");
        String::from_utf8(printer.finish().expect("memory takes all bytes")).expect("JSON text is UTF-8")
    }

    fn sample() -> Value {
        let pair = Value::List(vec![Value::Integer(1u64.into()), Value::Bool(false)]);
        Value::Object(vec![
            ("empty".into(), Value::List(vec![Value::List(vec![]), Value::Object(vec![])])),
            ("pair".into(), pair),
            ("o".into(), Value::Object(vec![("x".into(), Value::Null)])),
        ])
    }

    #[test]
    fn minified_has_no_space() {
        assert_eq!(
            printed(&sample(), JsonStyle::Minified),
            r#"{"empty":[[],{}],"pair":[1,false],"o":{"x":null}}"#
        );
    }

    #[test]
    fn pretty_is_laid_out_as_json_stringify_does() {
        let expected = r#"{
  "empty": [
    [],
    {}
  ],
  "pair": [
    1,
    false
  ],
  "o": {
    "x": null
  }
}"#;
        assert_eq!(printed(&sample(), JsonStyle::Pretty { indent: 2 }), expected);
        let expected = expected.replace("  ", "    ");
        assert_eq!(printed(&sample(), JsonStyle::Pretty { indent: 4 }), expected);
        assert_eq!(printed(&Value::Object(vec![]), JsonStyle::Pretty { indent: 4 }), "{}");
    }

    #[test]
    fn only_quotes_backslashes_and_controls_are_escaped() {
        let text = "\"\\/\u{8}\u{c}\n\r\t\0\u{1f}\u{7f}<é\u{2028}😀";
        assert_eq!(
            printed(&Value::String(text.into()), JsonStyle::Minified),
            "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0000\\u001f\u{7f}<é\u{2028}😀\""
        );
    }

    #[test]
    fn floats_are_laid_out_as_in_javascript_but_stay_floats() {
        for (value, text) in [
            (0.5, "0.5"),
            (123.456, "123.456"),
            (0.000001, "0.000001"),
            (0.0000012, "0.0000012"),
            (0.0000001, "1e-7"),
            (1.5e-7, "1.5e-7"),
            (1.5e21, "1.5e+21"),
            (1e21, "1e+21"),
            (f64::MAX, "1.7976931348623157e+308"),
            (5e-324, "5e-324"),
            (123456789012345680000.0, "123456789012345680000.0"),
            (1e20, "100000000000000000000.0"),
            (1.0, "1.0"),
            (-1.0, "-1.0"),
            (0.0, "0.0"),
            (-0.0, "-0.0"),
        ] {
            assert_eq!(printed(&Value::Float(value), JsonStyle::Minified), text);
        }
    }

    #[test]
    fn integers_keep_all_digits() {
        for (value, text) in [
            (Integer::from(u64::MAX), "18446744073709551615"),
            (Integer::from(i64::MIN), "-9223372036854775808"),
            (Integer::from(0u64), "0"),
        ] {
            assert_eq!(printed(&Value::Integer(value), JsonStyle::Minified), text);
        }
    }

    #[test]
    fn a_document_longer_than_the_buffer_is_whole() {
        let item = "x".repeat(1000);
        let list = Value::List(vec![Value::String(item.clone()); 200]);
        let expected = format!("[{}]", vec![format!("\"{item}\""); 200].join(","));
        assert_eq!(printed(&list, JsonStyle::Minified), expected);
    }

    #[test]
    fn a_line_feed_ends_the_document_on_request() {
        let mut printer = Printer::new(Vec::new(), JsonStyle::Minified).with_final_newline();
        printer.null().expect("memory takes all bytes");
        assert_eq!(printer.finish().expect("memory takes all bytes"), b"null\n");
    }

    #[test]
    fn a_numbered_text_is_written_alike_each_time() {
        let mut printer = Printer::new(Vec::new(), JsonStyle::Minified);
        printer.begin_object().unwrap();
        for number in [0, u32::MAX, 0, u32::MAX] {
            printer.numbered_key(number, "a\"b").unwrap();
            printer.numbered_string(7, "").unwrap();
        }
        printer.end_object().unwrap();
        let text = String::from_utf8(printer.finish().unwrap()).unwrap();
        assert_eq!(text, r#"{"a\"b":"","a\"b":"","a\"b":"","a\"b":""}"#);
    }

    #[test]
    fn numbered_texts_beyond_the_memory_are_written_in_full() {
        let mut printer = Printer::new(Vec::new(), JsonStyle::Minified);
        let long = "x".repeat(Quoted::BYTES);
        printer.begin_list().unwrap();
        for (number, text) in [(0, "short"), (1, &long), (1, &long), (0, "short")] {
            printer.numbered_string(number, text).unwrap();
        }
        printer.end_list().unwrap();
        let text = String::from_utf8(printer.finish().unwrap()).unwrap();
        assert!(text == format!(r#"["short","{long}","{long}","short"]"#), "four texts, in order");
    }

    #[test]
    fn refuses_floats_that_are_not_finite_before_writing_anything() {
        let mut printer = Printer::new(Vec::new(), JsonStyle::Minified);
        assert_eq!(printer.float(f64::INFINITY), Err(SinkError::NonFinite));
        assert_eq!(printer.finish().expect("memory takes all bytes"), b"");
    }
}
