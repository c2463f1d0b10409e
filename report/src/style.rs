//! Text for people: its styles, and its lines.

use crate::failure::Failure;
use anstyle::{AnsiColor, Style};
use coconut_format::visible::visible;
use std::io::Write;

/// Style of keys and headings.
pub const STRONG: Style = Style::new().bold();
/// Style of less important text.
pub const DIM: Style = Style::new().dimmed();
/// Style of success.
pub const GOOD: Style = AnsiColor::Green.on_default();
/// Style of failure.
pub const BAD: Style = AnsiColor::Red.on_default().bold();
/// Style of keys in JSON.
pub const KEY: Style = AnsiColor::Blue.on_default().bold();
/// Style of strings in JSON.
pub const STRING: Style = AnsiColor::Green.on_default();

/// `text` safe for a terminal, in this style if styles may be written.
pub fn paint(is_coloured: bool, style: Style, text: &str) -> String {
    match is_coloured {
        true => format!("{style}{}{style:#}", visible(text)),
        false => visible(text),
    }
}

/// Writes lines of text for people.
///
/// ```
/// use coconut_report::style::{STRONG, TextWriter};
///
/// let mut text = Vec::new();
/// let mut writer = TextWriter::new(&mut text, true);
/// writer.styled(STRONG, "web\u{7}")?;
/// assert_eq!(text, b"\x1b[1mweb\\u{7}\x1b[0m\n");
/// # Ok::<(), coconut_report::Failure>(())
/// ```
pub struct TextWriter<'w> {
    out: &'w mut dyn Write,
    is_coloured: bool,
    before: String,
}

impl<'w> TextWriter<'w> {
    /// Writes to `out`, with styles if it `is_coloured`.
    pub fn new(out: &'w mut dyn Write, is_coloured: bool) -> TextWriter<'w> {
        TextWriter { out, is_coloured, before: String::new() }
    }

    /// Writes this text before each line. It may have styles and must be safe already.
    #[must_use]
    pub fn with_column(self, before: String) -> TextWriter<'w> {
        TextWriter { before, ..self }
    }

    /// `text` safe for a terminal, in this style.
    pub fn paint(&self, style: Style, text: &str) -> String {
        paint(self.is_coloured, style, text)
    }

    /// Writes a line, which may have styles and must be safe already.
    pub fn line(&mut self, line: &str) -> Result<(), Failure> {
        Ok(writeln!(self.out, "{}{line}", self.before)?)
    }

    /// Writes a line in this style. It becomes safe for a terminal.
    pub fn styled(&mut self, style: Style, line: &str) -> Result<(), Failure> {
        self.line(&self.paint(style, line))
    }

    /// Writes a line without a style. It becomes safe for a terminal.
    pub fn plain(&mut self, line: &str) -> Result<(), Failure> {
        self.line(&visible(line))
    }
}
