//! Standard output and standard error: colour, JSON, and text that is safe to show.

use crate::command_line::{Color, GlobalOptions};
use crate::failure::{Exit, Failure};
use anstyle::{AnsiColor, Style};
use clap::ValueEnum;
use serde::Serialize;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::{self, Write};

/// Version of all JSON that `coco` prints. It changes when a field goes or changes its meaning.
pub(crate) const FORMAT_VERSION: u32 = 1;

/// Where results, reports and failures go.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Screen {
    is_json: bool,
    is_quiet: bool,
}

const ERROR: Style = AnsiColor::Red.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();
const STRONG: Style = Style::new().bold();

#[derive(Serialize)]
struct FailureReport<'a> {
    format_version: u32,
    errors: &'a [Failure],
}

fn set_colours(color: Color) {
    match color {
        Color::Auto => {}
        Color::Always => anstream::ColorChoice::Always.write_global(),
        Color::Never => anstream::ColorChoice::Never.write_global(),
    }
}

impl Screen {
    /// Sets the colours of the process, too.
    pub(crate) fn new(options: &GlobalOptions) -> Screen {
        set_colours(options.color);
        Screen { is_json: options.json, is_quiet: options.quiet }
    }

    /// The screen of a command line that could not be parsed, or asks for help. Sets the colours, too.
    pub(crate) fn of_arguments(arguments: impl Iterator<Item = OsString>) -> Screen {
        let (mut is_json, mut is_color) = (false, false);
        for argument in arguments {
            let argument = argument.to_string_lossy();
            let value = if is_color { Some(&*argument) } else { argument.strip_prefix("--color=") };
            if let Some(Ok(color)) = value.map(|value| Color::from_str(value, false)) {
                set_colours(color);
            }
            is_color = argument == "--color";
            is_json |= argument == "--json";
        }
        Screen { is_json, is_quiet: false }
    }

    pub(crate) fn is_json(&self) -> bool {
        self.is_json
    }

    /// Whether reports and progress are for a person.
    pub(crate) fn is_chatty(&self) -> bool {
        !self.is_json && !self.is_quiet
    }

    /// Prints `text` on standard output.
    pub(crate) fn print(&self, text: &str) -> Result<(), Failure> {
        anstream::stdout().write_all(text.as_bytes()).map_err(|error| Failure::printing(&error))
    }

    /// Prints `value` as a line of JSON on standard output.
    pub(crate) fn print_json(&self, value: &impl Serialize) -> Result<(), Failure> {
        let text = serde_json::to_string(value).expect("reports have string keys and finite numbers");
        self.print(&format!("{}\n", escaped_json(&text)))
    }

    /// A remark on standard error, unless people do not want any.
    pub(crate) fn note(&self, text: &str) {
        if self.is_chatty() {
            self.complain(&format!("{}\n", escaped(text)));
        }
    }

    /// Something odd, with its code, unless people do not want to know.
    pub(crate) fn warn(&self, code: &str, text: &str) {
        if self.is_chatty() {
            self.complain(&format!(
                "{WARNING}warning[{code}]{WARNING:#}{STRONG}:{STRONG:#} {}\n",
                escaped(text)
            ));
        }
    }

    /// Shows failures on standard error. Of several, the first decides the exit.
    pub(crate) fn report(&self, failures: &[Failure]) -> Exit {
        let Some(first) = failures.first().filter(|first| first.exit() != Exit::Good) else {
            return Exit::Good;
        };
        if self.is_json {
            let report = FailureReport { format_version: FORMAT_VERSION, errors: failures };
            let text = serde_json::to_string(&report).expect("failures have string keys and integers only");
            self.complain(&format!("{}\n", escaped_json(&text)));
        } else {
            failures.iter().for_each(|failure| self.show_failure(failure));
        }
        first.exit()
    }

    /// Shows one failure to a person.
    pub(crate) fn show_failure(&self, failure: &Failure) {
        let text = escaped(&failure.text());
        let code = failure.code();
        self.complain(&format!("{ERROR}error[{code}]{ERROR:#}{STRONG}:{STRONG:#} {text}\n"));
    }

    /// What `clap` has to say: help, versions, and mistakes.
    pub(crate) fn report_usage(&self, error: &clap::Error) -> Exit {
        let is_mistake = error.use_stderr();
        if is_mistake && self.is_json {
            let text = error.render().to_string();
            let message = text.strip_prefix("error: ").unwrap_or(&text).trim_end();
            return self.report(&[Failure::usage(message)]);
        }
        // Nothing is left to be said when not even this can be shown.
        let _closed = error.print();
        if is_mistake { Exit::Usage } else { Exit::Good }
    }

    /// Hands on what is buffered.
    pub(crate) fn flush(&self) -> io::Result<()> {
        match io::stdout().flush() {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            result => result,
        }
    }

    fn complain(&self, text: &str) {
        // Nobody is there to be told that standard error is closed.
        let _closed = anstream::stderr().write_all(text.as_bytes());
    }
}

/// `text` with everything as an escape that a terminal would act on, line ends excepted.
pub(crate) fn escaped(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match is_dangerous(c) && c != '\n' {
            true => write!(shown, "\\u{{{:x}}}", u32::from(c)).expect("a string takes everything"),
            false => shown.push(c),
        }
    }
    shown
}

/// `text`, which may be the name of a file or come from a document, as it is safe to show within a line.
pub(crate) fn on_one_line(text: &str) -> String {
    escaped(text).replace('\n', "\\u{a}")
}

/// JSON text that means the same and has no character that a terminal would act on. Such characters stand in
/// strings only.
pub(crate) fn escaped_json(json: &str) -> String {
    let mut shown = String::with_capacity(json.len());
    for c in json.chars() {
        match is_dangerous(c) && !matches!(c, '\n' | '\t' | '\r') {
            true => write!(shown, "\\u{:04x}", u32::from(c)).expect("a string takes everything"),
            false => shown.push(c),
        }
    }
    shown
}

/// Control characters, marks that change the direction of text, and characters that nobody sees. All lie in the first
/// plane.
fn is_dangerous(c: char) -> bool {
    let is_invisible = matches!(
        c,
        '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
    );
    c.is_control() || is_invisible
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_act_on_is_escaped() {
        assert_eq!(escaped("a\u{1b}[31mb\u{202e}\nc\u{9b}\t"), "a\\u{1b}[31mb\\u{202e}\nc\\u{9b}\\u{9}");
    }

    #[test]
    fn a_name_stays_on_one_line() {
        assert_eq!(on_one_line("a\nerror: b\u{1b}"), "a\\u{a}error: b\\u{1b}");
    }

    #[test]
    fn escaped_json_means_the_same() {
        let json = "{\n  \"a\u{7f}\": \"\u{2067}é\u{85}\"\n}";
        assert_eq!(escaped_json(json), "{\n  \"a\\u007f\": \"\\u2067é\\u0085\"\n}");
        let parse = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        assert_eq!(parse(json), parse(&escaped_json(json)));
    }
}
