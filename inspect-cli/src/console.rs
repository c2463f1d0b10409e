//! Standard output and error: colour, escapes, and readers that go away.

use crate::cli::GlobalOptions;
use crate::failure::{Exit, Failure};
use crate::json::{FORMAT_VERSION, number, object, text};
use anstream::AutoStream;
use anstyle::{AnsiColor, Style};
use coconut_codec::event::push;
use coconut_codec::text::json::{JsonStyle, Printer};
use coconut_format::Value;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::{self, BufWriter, IsTerminal as _, Write};
use std::process;

/// Keys, headings.
pub(crate) const STRONG: Style = Style::new().bold();
/// What is less important.
pub(crate) const DIM: Style = Style::new().dimmed();
/// Good news.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
/// Bad news.
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();

/// Where the output goes, and the options that every command obeys.
#[derive(Debug)]
pub(crate) struct Console {
    out: BufWriter<io::Stdout>,
    is_terminal: bool,
    is_coloured: bool,
    are_errors_coloured: bool,
    is_closed: bool,
    /// Reports for machines.
    pub(crate) json: bool,
    /// Secrets are shown.
    pub(crate) reveal: bool,
}

impl Console {
    /// The console of this process.
    pub(crate) fn new(options: &GlobalOptions) -> Console {
        let choice = options.color.into();
        let is_coloured = |choice| !matches!(choice, anstream::ColorChoice::Never);
        let resolve = |resolved: anstream::ColorChoice| match choice {
            anstream::ColorChoice::Auto => is_coloured(resolved),
            explicit => is_coloured(explicit),
        };
        Console {
            out: BufWriter::with_capacity(1 << 16, io::stdout()),
            is_terminal: io::stdout().is_terminal(),
            is_coloured: resolve(AutoStream::choice(&io::stdout())),
            are_errors_coloured: resolve(AutoStream::choice(&io::stderr())),
            is_closed: false,
            json: options.json,
            reveal: options.reveal,
        }
    }

    /// Whether the reader of the output went away.
    pub(crate) fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// Writes what is still kept back.
    pub(crate) fn flush_output(&mut self) -> Result<(), Failure> {
        Ok(self.flush()?)
    }

    /// Whether a person reads the output directly, so that nothing may reach it that a terminal obeys.
    pub(crate) fn is_terminal(&self) -> bool {
        self.is_terminal
    }

    /// `text` safe for a terminal, in this style.
    pub(crate) fn paint(&self, style: Style, text: &str) -> String {
        match self.is_coloured {
            true => format!("{style}{}{style:#}", visible(text)),
            false => visible(text),
        }
    }

    /// Writes `line`, which may hold styles and is safe already, and a line end.
    pub(crate) fn line(&mut self, line: &str) -> Result<(), Failure> {
        self.write_all(line.as_bytes())?;
        Ok(self.write_all(b"\n")?)
    }

    /// Says on standard error why the run failed.
    pub(crate) fn report(&self, failure: &Failure) {
        let message = if self.json {
            as_json(&failure.to_value())
        } else {
            let lines = failure.to_lines();
            let mut lines = lines.lines().map(visible);
            let first = lines.next().unwrap_or_default();
            let label = match self.are_errors_coloured {
                true => format!("{BAD}error:{BAD:#}"),
                false => "error:".to_owned(),
            };
            let rest: Vec<String> = lines.map(|line| format!("{line}\n")).collect();
            format!("{label} {first}\n{}", rest.concat()).into_bytes()
        };
        // Nobody is left to be told that this failed.
        let _ = io::stderr().write_all(&message);
    }
}

/// Shows what became of a command line that could not be parsed: help, the version, or what is wrong with it. The wish for JSON
/// stands somewhere among its `arguments`.
pub(crate) fn report_usage(
    error: &clap::Error,
    mut arguments: impl Iterator<Item = OsString>,
) -> process::ExitCode {
    if error.use_stderr() && arguments.any(|argument| argument == "--json") {
        let text = error.render().to_string();
        let message = text.strip_prefix("error: ").unwrap_or(&text).trim_end();
        let failure = Failure::usage(message);
        // Nobody is left to be told that this failed.
        let _ = io::stderr().write_all(&as_json(&failure.to_value()));
        return failure.exit().into();
    }
    // Nor that this did.
    let _ = error.print();
    if error.use_stderr() { Exit::Usage.into() } else { Exit::Good.into() }
}

/// A failure or a warning as a line of JSON.
fn as_json(value: &Value) -> Vec<u8> {
    let mut line = Vec::new();
    let mut printer = Printer::new(SafeJson(&mut line), JsonStyle::Minified).with_final_newline();
    let printed = push(value, &mut printer).map(|()| printer.finish());
    debug_assert!(printed.is_ok(), "memory takes all bytes");
    line
}

impl Console {
    /// Where JSON text goes: to a terminal only what it shows and does not obey.
    pub(crate) fn json_output(&mut self) -> Box<dyn Write + '_> {
        match self.is_terminal() {
            true => Box::new(SafeJson(self)),
            false => Box::new(self),
        }
    }

    /// Says something on standard error that is no failure: a line of text, or of JSON.
    pub(crate) fn warn(&self, message: &str) {
        let line = match self.json {
            true => {
                as_json(&object([("format_version", number(FORMAT_VERSION)), ("warning", text(message))]))
            }
            false => format!("warning: {}\n", visible(message)).into_bytes(),
        };
        // Nobody is left to be told that this failed.
        let _ = io::stderr().write_all(&line);
    }
}

impl Write for Console {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes);
        self.noting_a_closed_pipe(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.out.flush();
        self.noting_a_closed_pipe(flushed)
    }
}

impl Console {
    fn noting_a_closed_pipe<T>(&mut self, result: io::Result<T>) -> io::Result<T> {
        self.is_closed |= result.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::BrokenPipe);
        result
    }
}

/// `text` with everything escaped that a terminal obeys or that reorders what follows it, on one line.
pub(crate) fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => shown.push_str("\\n"),
            '\t' => shown.push_str("\\t"),
            '\r' => shown.push_str("\\r"),
            c if is_deceptive(c) => {
                let _ = write!(shown, "\\u{{{:x}}}", u32::from(c));
            }
            c => shown.push(c),
        }
    }
    shown
}

/// Whether a terminal or a bidirectional text layout would do something else with the character than to show it.
pub(crate) fn is_deceptive(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61C}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}')
}

/// Writes JSON text that may come to a terminal: characters that [are deceptive](is_deceptive) become escapes, which in JSON text
/// can stand only in strings, where they mean the same.
pub(crate) struct SafeJson<W>(pub(crate) W);

impl<W: Write> Write for SafeJson<W> {
    /// Takes whole characters, as a [`Printer`] writes them.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // Nearly all text.
        if bytes.iter().all(|byte| matches!(byte, b'\n' | b' '..=b'~')) {
            self.0.write_all(bytes)?;
            return Ok(bytes.len());
        }
        for chunk in bytes.utf8_chunks() {
            let mut safe = String::with_capacity(chunk.valid().len());
            for c in chunk.valid().chars() {
                match c {
                    '\n' => safe.push(c),
                    c if is_deceptive(c) => {
                        let _ = write!(safe, "\\u{:04x}", u32::from(c));
                    }
                    c => safe.push(c),
                }
            }
            self.0.write_all(safe.as_bytes())?;
            self.0.write_all(chunk.invalid())?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_obeys_is_shown_as_an_escape() {
        assert_eq!(visible("a\u{1b}[31m\u{9b}\u{202e}b\nc"), "a\\u{1b}[31m\\u{9b}\\u{202e}b\\nc");
    }

    #[test]
    fn json_on_a_terminal_means_the_same_and_is_safe() {
        let mut out = Vec::new();
        SafeJson(&mut out).write_all("{\n \"a\u{7f}\": \"\u{202e}é\"}".as_bytes()).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "{\n \"a\\u007f\": \"\\u202eé\"}");
    }
}
