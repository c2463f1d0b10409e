//! Standard output and error: colour, escapes, and readers that close the pipe.

use crate::choice::choice_of;
use crate::pager::{Output, Paging};
use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use clap::Args;
use coconut_codec::SourceFinding;
use coconut_codec::text::LintKind;
use coconut_format::Value;
use coconut_report::code;
use coconut_report::coloured;
use coconut_report::failure::{Exit, Failure, to_report};
use coconut_report::json::{self, FORMAT_VERSION, number, object, text};
pub use coconut_report::safe::{SafeJson, visible};
use coconut_report::style::{self, TextWriter};
pub use coconut_report::style::{BAD, DIM, GOOD, STRONG};
use std::collections::HashSet;
use std::io::{self, BufWriter, IsTerminal as _, Write};
use std::process::Stdio;

/// Style of warnings.
const ODD: Style = AnsiColor::Yellow.on_default().bold();

/// Options of every command.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Output")]
pub struct GlobalOptions {
    /// Print reports and errors as lines of JSON; `schema` describes them
    #[arg(long, global = true)]
    pub json: bool,

    /// Show values that a document marks as secret
    #[arg(long, global = true)]
    pub reveal: bool,

    /// Print only results and errors: no warnings, notes or progress
    #[arg(short, long, global = true)]
    pub quiet: bool,

    /// When to use colour
    ///
    /// `auto` follows NO_COLOR and CLICOLOR_FORCE.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", value_parser = choice_of(&COLORS))]
    pub color: ColorChoice,

    /// When to show long output in a pager
    ///
    /// The pager is COCONUT_PAGER, PAGER or `less`. Output to a pipe or a file is never paged.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub paging: Paging,
}

/// When to use colour.
const COLORS: [(ColorChoice, &str, &str); 3] = [
    (ColorChoice::Auto, "auto", "On terminals"),
    (ColorChoice::Always, "always", "Always"),
    (ColorChoice::Never, "never", "Never"),
];

impl GlobalOptions {
    /// The options that can be recognised in a command line that cannot be parsed or only requests
    /// help.
    pub(crate) fn of_arguments() -> GlobalOptions {
        let (mut options, mut is_color) = (GlobalOptions::default(), false);
        for argument in std::env::args_os().skip(1) {
            let argument = argument.to_string_lossy();
            let value = if is_color { Some(&*argument) } else { argument.strip_prefix("--color=") };
            if let Some((color, ..)) = COLORS.iter().find(|(_, name, _)| Some(*name) == value) {
                options.color = *color;
            }
            is_color = argument == "--color";
            options.json |= argument == "--json";
        }
        options
    }
}

/// The way to distinguish the output of one of several files.
#[derive(Debug)]
pub enum Mark {
    /// A line with this name before the first output. JSON reports contain the name themselves.
    Heading(String),
    /// This name and a tab before each line.
    Column(String),
    /// The output itself contains the name.
    Inside,
}

/// The output, and the options that every command follows.
#[derive(Debug)]
pub struct Console {
    out: BufWriter<Output>,
    paging: Paging,
    /// Messages that wait until the pager has ended.
    held_messages: String,
    is_terminal: bool,
    is_coloured: bool,
    are_errors_coloured: bool,
    is_closed: bool,
    is_quiet: bool,
    /// The mark of the current file, if there are several.
    mark: Option<Mark>,
    /// The heading that comes before the next output.
    heading: Option<String>,
    has_output: bool,
    /// Whether the last output was a whole line.
    is_at_line_start: bool,
    /// The sources whose findings were printed.
    warned: HashSet<String>,
    /// Print reports for machines.
    pub json: bool,
    /// Show secrets.
    pub reveal: bool,
}

impl Console {
    /// Creates the console of this process, and sets its colours.
    pub fn new(options: &GlobalOptions) -> Console {
        options.color.write_global();
        let is_coloured = |stream: ColorChoice| !matches!(stream, ColorChoice::Never);
        Console {
            out: BufWriter::with_capacity(1 << 16, Output::Plain(io::stdout())),
            paging: options.paging,
            held_messages: String::new(),
            is_terminal: io::stdout().is_terminal(),
            is_coloured: is_coloured(AutoStream::choice(&io::stdout())),
            are_errors_coloured: is_coloured(AutoStream::choice(&io::stderr())),
            is_closed: false,
            is_quiet: options.quiet,
            mark: None,
            heading: None,
            has_output: false,
            is_at_line_start: true,
            warned: HashSet::new(),
            json: options.json,
            reveal: options.reveal,
        }
    }

    /// Shows the output in a pager, if it goes to a terminal. Messages come after it.
    pub fn page_output(&mut self) {
        if !self.json && self.is_terminal {
            self.out = BufWriter::with_capacity(1 << 16, Output::start(self.paging));
        }
    }

    /// The output, for a process that writes it in place of this one.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    pub fn output_for_process(&mut self) -> Result<Stdio, Failure> {
        self.flush()?;
        Ok(self.out.get_ref().for_process()?)
    }

    /// Waits for the end of the pager, and prints the messages that were held back.
    pub fn end_paging(&mut self) {
        if self.out.get_ref().is_paged() {
            // If the rest cannot be written, no reader is left.
            let _ = self.flush();
            self.out.get_mut().finish();
            self.out = BufWriter::new(Output::Plain(io::stdout()));
            let messages = std::mem::take(&mut self.held_messages);
            let _ = io::stderr().write_all(messages.as_bytes());
        }
    }

    /// Whether the reader of the output has closed it.
    pub fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// Writes the buffered output.
    pub fn flush_output(&mut self) -> Result<(), Failure> {
        Ok(self.flush()?)
    }

    /// Whether the output is a terminal. If so, everything that a terminal would interpret must be
    /// escaped.
    pub fn is_terminal(&self) -> bool {
        self.is_terminal
    }

    /// Whether styles may be written to the output.
    pub fn is_coloured(&self) -> bool {
        self.is_coloured
    }

    /// Whether styles may be written to standard error.
    pub fn are_errors_coloured(&self) -> bool {
        self.are_errors_coloured
    }

    /// Whether notes and progress are shown.
    pub fn is_chatty(&self) -> bool {
        !self.json && !self.is_quiet
    }

    /// `text` safe for a terminal, in this style.
    pub fn paint(&self, style: Style, text: &str) -> String {
        style::paint(self.is_coloured, style, text)
    }

    /// Begins the output of one of several files.
    pub fn begin_file(&mut self, mark: Mark) {
        self.heading = match &mark {
            Mark::Heading(name) if !self.json => {
                let heading = self.paint(STRONG, &format!("==> {} <==", visible(name)));
                Some(heading)
            }
            _ => None,
        };
        self.mark = Some(mark);
    }

    /// Ends the output of one of several files. A result that was cut by an error ends its line, so
    /// that the next one begins on a new line.
    pub fn end_file(&mut self) {
        (self.mark, self.heading) = (None, None);
        if !self.is_at_line_start {
            // The next write fails as well, and is reported.
            let _ = self.write_all(b"\n");
        }
    }

    /// Whether the output belongs to one of several files.
    pub fn is_one_of_several(&self) -> bool {
        self.mark.is_some()
    }

    /// Writes lines, marked as in [`Console::line`].
    pub fn lines(&mut self, lines: &[u8]) -> Result<(), Failure> {
        if !matches!(self.mark, Some(Mark::Column(_))) {
            return Ok(self.write_all(lines)?);
        }
        for line in lines.split_inclusive(|&byte| byte == b'\n') {
            let column = self.column().unwrap_or_default();
            self.write_all(column.as_bytes())?;
            self.write_all(line)?;
        }
        Ok(())
    }

    /// The name of the file and a tab, if each line of one of several files begins with it. It has
    /// a style and is safe.
    pub fn column(&self) -> Option<String> {
        match &self.mark {
            Some(Mark::Column(name)) if !self.json => Some(format!("{}\t", self.paint(DIM, name))),
            _ => None,
        }
    }

    /// Writes `line` and a line end. The line may have styles and must be safe already.
    pub fn line(&mut self, line: &str) -> Result<(), Failure> {
        self.text().line(line)
    }

    /// A writer of lines, which are marked as in [`Console::line`].
    pub fn text(&mut self) -> TextWriter<'_> {
        let (is_coloured, before) = (self.is_coloured, self.column().unwrap_or_default());
        TextWriter::new(self, is_coloured).with_column(before)
    }

    /// Writes `text`, whose lines may have styles and must be safe already.
    pub fn print(&mut self, text: &str) -> Result<(), Failure> {
        Ok(self.write_all(text.as_bytes())?)
    }

    /// Prints a value on one line, safe for a terminal.
    pub fn print_json(&mut self, value: &Value) -> Result<(), Failure> {
        Ok(self.write_all(&json::to_line(value))?)
    }

    /// Prints failures to standard error. Returns the exit code of the first.
    pub fn report(&mut self, failures: &[Failure]) -> Exit {
        let Some(first) = failures.first().filter(|first| first.exit() != Exit::Good) else {
            return Exit::Good;
        };
        match self.json {
            true => self.complain_json(&to_report(failures)),
            false => failures.iter().for_each(|failure| {
                self.complain(BAD, "error", Some(failure.code()), &failure.to_lines());
            }),
        }
        first.exit()
    }

    /// Prints the failure of one of several files as a line on standard error.
    pub fn report_line(&mut self, failure: &Failure) {
        match self.json {
            true => self.complain_json(&to_report(std::slice::from_ref(failure))),
            false => self.complain(BAD, "error", Some(failure.code()), &failure.to_line()),
        }
    }

    /// Prints the result of a command line that could not be parsed: help, the version, or the
    /// error.
    pub fn report_usage(&mut self, error: &clap::Error) -> Exit {
        let text = error.render().to_string();
        if let (true, Some(message)) = (error.use_stderr(), text.strip_prefix("error: ")) {
            let message = message.trim_end();
            return match self.json {
                true => self.report(&[Failure::usage(message)]),
                false => {
                    let message: Vec<String> = message.lines().map(visible).collect();
                    self.complain(BAD, "error", Some(code::USAGE), &message.join("\n"));
                    Exit::Usage
                }
            };
        }
        // An error here cannot be reported.
        let _ = error.print();
        if error.use_stderr() { Exit::Usage } else { Exit::Good }
    }

    /// Prints a warning to standard error, with its code if it has one. The lines must be safe
    /// already.
    pub fn warn(&mut self, code: Option<&'static str>, message: &str) {
        if self.is_quiet {
            return;
        }
        match self.json {
            true => {
                let code = code.map_or(Value::Null, text);
                let warning = object([("code", code), ("message", text(message))]);
                self.complain_json(&object([
                    ("format_version", number(FORMAT_VERSION)),
                    ("warning", warning),
                ]));
            }
            false => self.complain(ODD, "warning", code, message),
        }
    }

    /// Warns of findings about a source, once for each kind of finding. Prints nothing if it has
    /// already warned of this source.
    pub fn warn_of_source(&mut self, name: &str, findings: &[SourceFinding]) {
        if findings.is_empty() || !self.warned.insert(name.to_owned()) {
            return;
        }
        for SourceFinding { code, count, line, column } in findings {
            // A byte order mark changes no value.
            let kind = LintKind::of_code(code).filter(|kind| *kind != LintKind::ByteOrderMark);
            let Some(kind) = kind else { continue };
            let others = match count - 1 {
                0 => String::new(),
                1 => ", and one more".to_owned(),
                more => format!(", and {more} more"),
            };
            let place = format!("{}:{line}:{column}{others}", visible(name));
            self.warn(Some(kind.code()), &format!("{kind}\n --> {place}"));
        }
    }

    /// Prints a note to standard error, unless notes are off.
    pub fn note(&mut self, message: &str) {
        if self.is_chatty() {
            self.write_error(&format!("{}\n", visible(message)));
        }
    }

    /// A writer for JSON text, as by [`Console::json_on`].
    pub fn json_output(&mut self) -> Box<dyn Write + '_> {
        let (is_terminal, is_coloured) = (self.is_terminal, self.is_coloured && !self.json);
        coloured::json_writer(self, is_terminal, is_coloured)
    }

    /// A writer for JSON text that is printed later. For a terminal, it escapes everything that a
    /// terminal would interpret, and adds colours.
    pub fn json_on<'w>(&self, out: &'w mut dyn Write) -> Box<dyn Write + 'w> {
        coloured::json_writer(out, self.is_terminal, self.is_coloured && !self.json)
    }

    fn complain(&mut self, style: Style, label: &str, code: Option<&str>, message: &str) {
        let code = code.map_or(String::new(), |code| format!("[{code}]"));
        let line = match self.are_errors_coloured {
            true => format!("{style}{label}{code}{style:#}{STRONG}:{STRONG:#} {message}\n"),
            false => format!("{label}{code}: {message}\n"),
        };
        self.write_error(&line);
    }

    fn complain_json(&mut self, value: &Value) {
        let line = json::to_line(value);
        self.write_error(&String::from_utf8_lossy(&line));
    }

    /// Whether the output goes to a pager.
    pub fn is_paged(&self) -> bool {
        self.out.get_ref().is_paged()
    }

    /// Writes text to standard error: after the output before it, and after the end of a pager.
    pub fn write_error(&mut self, text: &str) {
        // An error on standard error cannot be reported.
        let _ = self.flush();
        if self.out.get_ref().is_paged() {
            self.held_messages.push_str(text);
            return;
        }
        let _ = io::stderr().write_all(text.as_bytes());
    }
}

impl Write for Console {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Some(heading) = self.heading.take_if(|_| !bytes.is_empty()) {
            let blank = if self.has_output { "\n" } else { "" };
            let written = writeln!(self.out, "{blank}{heading}");
            self.noting_a_closed_pipe(written)?;
        }
        let written = self.out.write(bytes);
        if let Ok(last) = written.as_ref().map(|&length| bytes.get(..length).and_then(<[u8]>::last)) {
            self.is_at_line_start = last.map_or(self.is_at_line_start, |&last| last == b'\n');
            self.has_output |= last.is_some();
        }
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
