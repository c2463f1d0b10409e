//! Events to JSON text.

use super::string::end_of_run;
use crate::event::{EventSink, SinkError};
use crate::replay::Replay;
use crate::text::number::Decimal;
use coconut_format::Integer;
use std::io;

/// White space between the tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum JsonStyle {
    /// No white space.
    Minified,
    /// One entry per line, laid out as by `JSON.stringify(value, null, indent)`: `": "` after a
    /// key, `[]` and `{}` for empty containers, no line end after the document.
    Pretty {
        /// Blanks per level.
        indent: u8,
    },
}

/// Writes the document that it receives as JSON text.
///
/// The text has the same bytes as that of `JSON.stringify`: only `"`, `\` and control characters
/// are escaped. Numbers differ if JavaScript cannot represent or distinguish them:
///
/// * Integers keep all digits.
/// * A float always has a point or an exponent, so that it reads back as a float. It prints `1.0`,
///   `100000000000000000000.0` and `-0.0`, where JavaScript prints `1`, `100000000000000000000` and
///   `0`.
/// * All floats have the fewest digits that read back to the same float64.
///
/// Collects about 64 KiB before it writes to `out`. Without [`finish`](Self::finish) the rest is
/// lost.
#[derive(Debug)]
pub struct Printer<W> {
    out: W,
    text: Vec<u8>,
    style: JsonStyle,
    final_newline: bool,
    /// Number of open lists and objects.
    depth: usize,
    next: Next,
    /// Numbered texts, with quotes and escapes.
    texts: Replay<()>,
    /// Numbered runs of events.
    runs: Replay<Passage>,
    /// Runs that have begun but not ended.
    open_runs: Vec<OpenRun>,
    /// The number of times that text was passed to the output.
    handed_on: u64,
}

/// Separator before the next key or value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    /// None: the next is the document, or the value of a key.
    Here,
    /// The first entry of a list or object.
    First,
    /// Another entry.
    Later,
}

/// The effect of a run of events other than its text.
#[derive(Clone, Copy, Debug)]
struct Passage {
    /// The depth at its beginning. Indented text depends on it.
    depth: usize,
    /// Number of lists and objects that it leaves open.
    opened: usize,
    /// The separator after it.
    next: Next,
}

/// A run that is being written.
#[derive(Clone, Copy, Debug)]
struct OpenRun {
    number: u64,
    start: usize,
    depth: usize,
    /// [`Printer::handed_on`] at its beginning. The text of a run can be kept only while all of it
    /// is in the buffer.
    handed_on: u64,
}

/// A line end and enough indentation for most depths, to copy at once.
const LINE_BREAK: &[u8] = b"\n                                                                ";

/// Text is passed to the output once it has this many bytes.
const FULL: usize = 64 * 1024;

impl<W: io::Write> Printer<W> {
    /// A printer of one document.
    pub fn new(out: W, style: JsonStyle) -> Printer<W> {
        Printer {
            out,
            text: Vec::with_capacity(FULL + FULL / 4),
            style,
            final_newline: false,
            depth: 0,
            next: Next::Here,
            texts: Replay::new(),
            runs: Replay::new(),
            open_runs: Vec::new(),
            handed_on: 0,
        }
    }

    /// Ends the document with a line feed, as the Coconut 2017 compilers did after
    /// `JSON.stringify`.
    #[must_use]
    pub fn with_final_newline(mut self) -> Printer<W> {
        self.final_newline = true;
        self
    }

    /// Writes the rest of the text and returns the output, not flushed.
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

    /// Writes the separator before the next key or list item.
    #[inline]
    fn separate(&mut self) -> Result<(), SinkError> {
        if self.text.len() >= FULL {
            self.hand_on()?;
        }
        match self.next {
            Next::Here => return Ok(()),
            Next::First => {}
            Next::Later => self.text.push(b','),
        }
        self.break_line();
        Ok(())
    }

    #[cold]
    fn hand_on(&mut self) -> Result<(), SinkError> {
        self.out.write_all(&self.text).map_err(|error| SinkError::Output(error.to_string()))?;
        self.text.clear();
        self.handed_on += 1;
        Ok(())
    }

    #[inline]
    fn break_line(&mut self) {
        if let JsonStyle::Pretty { indent } = self.style {
            self.break_and_indent(indent);
        }
    }

    fn break_and_indent(&mut self, indent: u8) {
        let width = self.depth * usize::from(indent);
        match LINE_BREAK.get(..=width) {
            Some(line_break) => self.text.extend_from_slice(line_break),
            None => {
                self.text.push(b'\n');
                self.text.resize(self.text.len() + width, b' ');
            }
        }
    }

    /// Writes a string that may have been written before.
    #[inline]
    fn write_numbered(&mut self, number: u32, value: &str) {
        if self.texts.copy(number.into(), &mut self.text, |()| true).is_none() {
            self.write_first(number, value);
        }
    }

    fn write_first(&mut self, number: u32, value: &str) {
        let start = self.text.len();
        write_string(value, &mut self.text);
        self.texts.keep(number.into(), &self.text[start..], ());
    }

    #[inline]
    fn end_key(&mut self) {
        let colon: &[u8] = if self.style == JsonStyle::Minified { b":" } else { b": " };
        self.text.extend_from_slice(colon);
        self.next = Next::Here;
    }

    /// Records that a value has been written.
    #[inline]
    fn written(&mut self) -> Result<(), SinkError> {
        self.next = Next::Later;
        Ok(())
    }

    #[inline]
    fn begin(&mut self, bracket: u8) -> Result<(), SinkError> {
        self.separate()?;
        self.text.push(bracket);
        self.depth += 1;
        self.next = Next::First;
        Ok(())
    }

    #[inline]
    fn end(&mut self, bracket: u8) -> Result<(), SinkError> {
        self.depth = self.depth.checked_sub(1).expect("the caller ends only what is open");
        if self.next != Next::First {
            self.break_line();
        }
        self.text.push(bracket);
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
        if let Some(small @ 0..1000) = value.as_u64().and_then(|value| u16::try_from(value).ok()) {
            write_small(small, &mut self.text);
            return self.written();
        }
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
        self.begin(b'[')
    }

    fn end_list(&mut self) -> Result<(), SinkError> {
        self.end(b']')
    }

    fn begin_object(&mut self) -> Result<(), SinkError> {
        self.begin(b'{')
    }

    fn key(&mut self, key: &str) -> Result<(), SinkError> {
        self.separate()?;
        write_string(key, &mut self.text);
        self.end_key();
        Ok(())
    }

    #[inline]
    fn end_object(&mut self) -> Result<(), SinkError> {
        self.end(b'}')
    }

    fn begin_document(&mut self) {
        self.texts.clear();
        self.runs.clear();
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

    /// Copies a run that was written before. Nine tenths of provider schemas are such runs.
    #[inline]
    fn begin_run(&mut self, number: u64) -> Result<bool, SinkError> {
        self.separate()?;
        self.next = Next::Here;
        let (depth, style) = (self.depth, self.style);
        let fits = |passage: &Passage| passage.depth == depth || style == JsonStyle::Minified;
        let Some(passage) = self.runs.copy(number, &mut self.text, fits) else {
            let (start, handed_on) = (self.text.len(), self.handed_on);
            self.open_runs.push(OpenRun { number, start, depth, handed_on });
            return Ok(false);
        };
        self.depth += passage.opened;
        self.next = passage.next;
        Ok(true)
    }

    fn end_run(&mut self) {
        let run = self.open_runs.pop().expect("the caller ends only what it began");
        if run.handed_on == self.handed_on {
            let passage = Passage { depth: run.depth, opened: self.depth - run.depth, next: self.next };
            self.runs.keep(run.number, &self.text[run.start..], passage);
        }
    }
}

/// Writes a number. Most have up to three digits.
#[inline]
fn write_small(number: u16, out: &mut Vec<u8>) {
    let digit = |power: u16| b"0123456789"[usize::from(number / power % 10)];
    if number >= 100 {
        out.push(digit(100));
    }
    if number >= 10 {
        out.push(digit(10));
    }
    out.push(digit(1));
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
            // After a backslash, the quote and the backslash denote themselves.
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

/// Writes a finite float in the layout of ECMAScript's `Number::toString`, with `.0` if that has no
/// point.
fn write_float(value: f64, out: &mut Vec<u8>) {
    let mut buffer = zmij::Buffer::new();
    let text = buffer.format_finite(value);
    match text.contains('e') {
        true => write_digits(text, out),
        // Nearly all numbers: text without an exponent is copied, which saves about 430
        // instructions.
        false => out.extend_from_slice(text.as_bytes()),
    }
}

/// Writes the shortest digits of a number with the point at its place.
fn write_digits(text: &str, out: &mut Vec<u8>) {
    let decimal = Decimal::of(text);
    let exponent = decimal.exponent();
    let count = decimal.digits().count() as i64;
    let zeros = |out: &mut Vec<u8>, zeros: i64| out.extend((0..zeros).map(|_| b'0'));
    if text.starts_with('-') {
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
mod tests;
