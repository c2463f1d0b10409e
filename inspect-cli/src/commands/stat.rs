//! `stat`: shows the sizes of the parts of a document.

use clap::{Args, ValueEnum};
use coconut_picture::graph::landmarks_of;
use coconut_picture::treemap;
use coconut_report::answers::stat::{By, Sizes};
use coconut_report::failure::{Exit, Failure};
use coconut_shell::choice::choice;
use coconut_shell::console::Console;
use coconut_shell::open::{Documents, Opened};
use coconut_shell::sources::{Marks, Sources};
use std::path::PathBuf;

/// Show where the bytes of a document go, and what sharing saves
///
/// For a source, its compiled form is measured. Sizes of values are those of minified JSON without
/// sharing. `stored` is the size of a part or landmark in the file itself, without the data it
/// refers to. Reads the whole document.
///
/// `--as svg` and `--as html` draw rectangles in proportion to the bytes of the compiled document:
/// its parts, and in each part the landmarks by module and type.
#[derive(Args, Debug)]
#[command(after_long_help = include_str!("../../tests/help/stat.trycmd"))]
pub struct Stat {
    /// Documents, sources or folders; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Print all tables
    ///
    /// These are parts, classes, and the largest landmarks, keys and strings.
    #[arg(long)]
    sizes: bool,

    /// Print only this table (repeatable)
    #[arg(long, value_name = "WHAT", value_parser = choice(&By::ALL, By::name, By::meaning))]
    by: Vec<By>,

    /// Output format; on a terminal, text has bars
    #[arg(long = "as", value_name = "FORM", default_value = "text")]
    form: Form,

    /// Maximum rows for landmarks, keys and strings
    #[arg(long, value_name = "N", default_value_t = 10)]
    limit: usize,
}

/// How sizes are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    /// Facts and tables
    Text,
    /// Facts and tables with bars
    Bars,
    /// A treemap of the bytes, as an image
    Svg,
    /// A treemap to explore in a browser: one file that works offline
    Html,
}

impl Stat {
    pub(super) fn run(&self, documents: &dyn Documents, console: &mut Console) -> Result<Exit, Failure> {
        let mut sources = Sources::of(documents, &self.files);
        if self.is_picture(console) {
            sources = sources.one("a picture")?;
        }
        sources.each_opened(documents, console, Marks::Heading, |opened, console| {
            self.show(opened, console)?;
            Ok(Exit::Good)
        })
    }

    fn is_picture(&self, console: &Console) -> bool {
        matches!(self.form, Form::Svg | Form::Html) && !console.json
    }

    fn tables(&self) -> Vec<By> {
        // Facts alone have no bars.
        let is_usual = |by: &By| self.by.is_empty() && matches!(by, By::Part | By::Class);
        let has_bars = self.form == Form::Bars;
        By::ALL
            .into_iter()
            .filter(|by| self.sizes || self.by.contains(by) || has_bars && is_usual(by))
            .collect()
    }

    fn show(&self, opened: &Opened, console: &mut Console) -> Result<(), Failure> {
        if self.is_picture(console) {
            let contents = landmarks_of(opened.source(), console.reveal)?;
            let drawn = if self.form == Form::Svg { treemap::drawn(&contents) } else { contents.page() };
            return console.lines(drawn.as_bytes());
        }
        let answer = Sizes::of(opened.source(), &self.tables(), self.limit, console.reveal)?;
        let bars = self.form == Form::Bars || console.is_terminal();
        match console.json {
            true => console.print_json(&answer.to_report()),
            false => answer.write_text(bars.then(length_of_bars), &mut console.text()),
        }
    }
}

/// The columns of a table next to its bar, with space for a name.
const BESIDE: usize = 86;

/// Lengths of bars.
const SHORTEST: usize = 6;
const LONGEST: usize = 40;

/// The number of columns of a terminal that does not report it.
const USUAL: usize = 100;

/// The length of the bars of this terminal.
fn length_of_bars() -> usize {
    let width = columns().unwrap_or(USUAL);
    width.saturating_sub(BESIDE).clamp(SHORTEST, LONGEST)
}

/// The width given by the user, or that of the terminal.
fn columns() -> Option<usize> {
    let said = std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
    said.or_else(of_terminal).filter(|&columns| columns > 0)
}

#[cfg(unix)]
fn of_terminal() -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(std::io::stdout()).ok()?;
    Some(usize::from(size.ws_col))
}

#[cfg(not(unix))]
fn of_terminal() -> Option<usize> {
    None
}
