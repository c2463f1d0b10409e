//! `coco-inspect get`: one value.

use crate::code;
use crate::console::{Console, visible};
use crate::failure::{Exit, Failure};
use crate::json::FORMAT_VERSION;
use crate::open::{Opened, open};
use crate::place::Step;
use crate::redact::{Redaction, SECRET};
use crate::select::{Classes, Selected, select_all, select_one};
use clap::{Args, ValueEnum};
use coconut_codec::event::EventSink;
use coconut_codec::read::file::DocumentView;
use coconut_codec::read::stream::{Budget, Forecast};
use coconut_codec::read::view::Content;
use coconut_codec::text::json::{JsonStyle, Printer};
use coconut_codec::text::yaml::Printer as YamlPrinter;
use std::path::PathBuf;

/// Print one value, found by its key
///
/// KEY is a key as `ls` lists them; what follows it after a `/` is a JSON pointer into its value. A name that begins with `/` and
/// is no key is a JSON pointer from the root, and an empty one is the document itself. Where a document has several values of that key, `get` lists them
/// and exits with 1, as it does when there is none.
#[derive(Args, Debug)]
#[command(after_long_help = super::examples(include_str!("../../tests/help/get.trycmd")))]
pub(crate) struct Get {
    /// The document
    file: PathBuf,

    /// The key, and a JSON pointer into its value if not all of it is wanted
    #[arg(value_name = "KEY[/POINTER]")]
    key: String,

    /// Only landmarks of this class: a number, a word or a pattern, as `info` shows them
    #[arg(long, value_name = "N|NAME")]
    class: Option<String>,

    /// All values of the key, each as an object with its class and place, one per line
    #[arg(long, conflicts_with_all = ["raw", "notation"])]
    all: bool,

    /// Print a string as it is, without quotes and escapes, unless `--json` is given
    #[arg(long, conflicts_with = "notation")]
    raw: bool,

    /// How to print the value, unless `--json` is given
    #[arg(long = "as", value_name = "NOTATION", default_value = "json")]
    notation: Notation,
}

/// How a value is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Notation {
    Json,
    Yaml,
}

impl Get {
    pub(super) fn run(&self, console: &mut Console) -> Result<Exit, Failure> {
        let opened = open(&self.file)?;
        self.print(&opened, console).map_err(|failure| failure.in_file(&opened.name))?;
        Ok(Exit::Good)
    }

    fn print(&self, opened: &Opened, console: &mut Console) -> Result<(), Failure> {
        let document = opened.view();
        let classes = Classes::named(&document.header().rule, self.class.as_deref())?;
        if self.all {
            // Nothing is printed unless the pointer leads somewhere in each of them, and all of it is within the budget.
            let (mut first, mut count) = (None, 0u32);
            let mut forecast = Forecast::new(document, Budget::default());
            for selected in select_all(document, &self.key, classes)? {
                let selected = selected?;
                foresee_report(&selected, &mut forecast)?;
                first.get_or_insert(selected);
                count = count.saturating_add(1);
            }
            // To look for the secrets of one value means to go to it from the root.
            let redaction = match &first {
                Some(only) if count == 1 => Redaction::of_value(document, &only.way, console.reveal)?,
                _ => Redaction::of_document(document, console.reveal)?,
            };
            for selected in select_all(document, &self.key, classes)? {
                print_report(&selected?, &redaction, JsonStyle::Minified, console)?;
            }
            return Ok(());
        }
        let selected = select_one(document, &self.key, classes)?;
        if self.raw && !console.json {
            return print_raw(&selected, console);
        }
        let redaction = Redaction::of_value(document, &selected.way, console.reveal)?;
        if console.json {
            foresee_report(&selected, &mut Forecast::new(document, Budget::default()))?;
            return print_report(&selected, &redaction, JsonStyle::Pretty { indent: 2 }, console);
        }
        match self.notation {
            Notation::Json => {
                let out = console.json_output();
                let printer = Printer::new(out, JsonStyle::Pretty { indent: 2 }).with_final_newline();
                stream(document, &selected.way, &redaction, printer)?.finish()?;
            }
            Notation::Yaml => {
                stream(document, &selected.way, &redaction, YamlPrinter::new(console))?.finish()?;
            }
        }
        Ok(())
    }
}

/// Pushes the value at the end of the way into `sink`, unless it expands to too much: then nothing of it.
pub(super) fn stream<S: EventSink>(
    document: DocumentView<'_>,
    way: &[Step<'_>],
    redaction: &Redaction,
    sink: S,
) -> Result<S, Failure> {
    let mut sink = redaction.sink(way, sink);
    match way.last() {
        None => document.stream(&mut sink, Budget::default())?,
        Some((_, value)) => {
            Forecast::new(document, Budget::default()).value(*value)?;
            value.stream(&mut sink, Budget::default())?;
        }
    }
    Ok(sink.into_inner())
}

/// A string as it is. On a terminal, what a terminal obeys is shown as escapes.
fn print_raw(selected: &Selected<'_>, console: &mut Console) -> Result<(), Failure> {
    let pointer = selected.pointer();
    let redaction = Redaction::of_value(selected.value.document(), &selected.way, console.reveal)?;
    let text = match selected.value.content()? {
        _ if redaction.hides(&pointer) => SECRET,
        Content::String(text) => text,
        _ => {
            let failure = Failure::negative(code::NOT_A_STRING, "only a string can be printed raw");
            return Err(failure.at_path(pointer));
        }
    };
    match console.is_terminal() {
        true => console.line(&visible(text)),
        false => console.line(text),
    }
}

/// Counts what [`print_report`] prints.
fn foresee_report<'a>(selected: &Selected<'a>, forecast: &mut Forecast<'a>) -> Result<(), Failure> {
    if let Some(landmark) = selected.landmark {
        forecast.beside(&landmark.key()?, landmark.offset())?;
    }
    forecast.beside(&selected.pointer(), selected.value.offset())?;
    Ok(forecast.value(selected.value)?)
}

/// The value with what there is to say about it. The schema is `schemas/get.json`.
fn print_report(
    selected: &Selected<'_>,
    redaction: &Redaction,
    style: JsonStyle,
    console: &mut Console,
) -> Result<(), Failure> {
    let mut printer = Printer::new(console.json_output(), style).with_final_newline();
    printer.begin_object()?;
    printer.key("format_version")?;
    printer.integer(FORMAT_VERSION.into())?;
    printer.key("command")?;
    printer.string("get")?;
    if let Some(landmark) = selected.landmark {
        printer.key("key")?;
        printer.string(&landmark.key()?)?;
        printer.key("class")?;
        printer.integer(u64::from(landmark.class()?).into())?;
    }
    printer.key("pointer")?;
    printer.string(&selected.shown_pointer(redaction))?;
    printer.key("value")?;
    let mut sink = redaction.sink(&selected.way, printer);
    selected.value.stream(&mut sink, Budget::default())?;
    let mut printer = sink.into_inner();
    printer.end_object()?;
    printer.finish()?;
    Ok(())
}
