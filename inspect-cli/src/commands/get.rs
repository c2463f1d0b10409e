//! `get`: prints one value.

use clap::{Args, ValueEnum};
use coconut_codec::event::{EventSink, ValueSink, push};
use coconut_codec::limits;
use coconut_codec::read::file::DocumentView;
use coconut_codec::read::lookup::Step;
use coconut_codec::read::stream::{Budget, Meter};
use coconut_codec::read::view::Content;
use coconut_codec::secrets::Redaction;
use coconut_codec::text::json::{JsonStyle, Printer};
use coconut_codec::text::yaml::YamlPrinter;
use coconut_format::Value;
use coconut_format::error::ErrorKind;
use coconut_format::numerals::{grouped, percent};
use coconut_report::code;
use coconut_report::failure::{Exit, Failure};
use coconut_report::json::{FORMAT_VERSION, number, object};
use coconut_report::outline::{self, first_bytes};
use coconut_report::select::{Classes, Need, Selected, select_all, select_one};
use coconut_shell::console::{Console, SafeJson, visible};
use coconut_shell::open::{Access, Documents, Opened};
use coconut_shell::sources::{FilesAndKey, Marks, Sources};
use std::borrow::Cow;
use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, Instant};

/// Print one value, looked up by its key
///
/// KEY is a key as `ls` lists it: the token of a definition in a package, or the URN or address of
/// a resource in a graph. A JSON pointer into the value may follow it. A KEY that begins with `/`
/// and matches no key is a JSON pointer from the root. An empty KEY is the whole document.
///
/// If no key is equal to KEY, it may be an unambiguous short form: the end of a URN (`Vpc::main` or
/// `main`), an address without instance keys (`aws_subnet.a` for `aws_subnet.a[0]`), a token
/// without its version, a key with the path of an attribute (`aws_vpc.main.tags.Name`), or the name
/// under which a template exports an output. If several landmarks share a key, `KEY#2` is the
/// second.
///
/// The whole value is read before anything is printed. If several values have the key, they are
/// listed and the exit code is 1.
#[derive(Args, Debug)]
#[command(after_long_help = include_str!("../../tests/help/get.trycmd"))]
pub struct Get {
    #[command(flatten)]
    named: FilesAndKey,

    /// Only landmarks of this class
    ///
    /// A number, a word or a pattern, as `info` shows them.
    #[arg(long, value_name = "N|NAME")]
    class: Option<String>,

    /// Print all values with this key
    #[arg(long)]
    all: bool,

    /// Print a string without quotes and escapes, and other scalars as they are
    #[arg(long)]
    raw: bool,

    /// Print JSON without whitespace
    #[arg(long)]
    compact: bool,

    /// Output format, unless --json is given
    #[arg(long = "as", value_name = "NOTATION", default_value = "json", conflicts_with_all = ["compact", "raw"])]
    notation: Notation,

    /// Print only this many levels
    ///
    /// A deeper list or object is replaced by its number of items or entries.
    #[arg(long, value_name = "N")]
    depth: Option<u32>,

    /// Print an outline of the value, two levels deep
    ///
    /// Each entry has a line with its kind and size, or with the beginning of a string.
    #[arg(long, conflicts_with_all = ["raw", "compact"])]
    outline: bool,

    /// Print at most this many bytes, in whole lines
    ///
    /// If lines are left out, a note on standard error reports it.
    #[arg(long, value_name = "N")]
    max_bytes: Option<usize>,

    /// Report time and bytes read on standard error
    #[arg(long)]
    stats: bool,
}

/// The format of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Notation {
    Json,
    Yaml,
}

impl Get {
    /// Whether a file has such a name.
    pub(super) fn reads(&self, is_such: impl Fn(&OsStr) -> bool) -> bool {
        self.named.split().is_ok_and(|(files, _)| files.iter().any(|file| is_such(file.as_os_str())))
    }

    pub(super) fn run(&self, documents: &dyn Documents, console: &mut Console) -> Result<Exit, Failure> {
        let marks = if self.raw || self.compact { Marks::Column } else { Marks::Heading };
        let (files, key) = self.named.split()?;
        Sources::of(documents, &files)
            .each(console, marks, |file, console| self.show(file, key, documents, console))
    }

    fn show(
        &self,
        file: &Path,
        key: &str,
        documents: &dyn Documents,
        console: &mut Console,
    ) -> Result<Exit, Failure> {
        let access = if key.is_empty() { Access::Whole } else { Access::Lookup };
        let opened = documents.open(file, access, console)?;
        let (text, stats) = match self.answer(&opened, key, console) {
            // The damage shows only now. A check of the whole document finds another form of it.
            Err(failure) if opened.is_replaceable && failure.exit() == Exit::Decode => {
                self.answer(&documents.open(file, Access::Whole, console)?, key, console)
            }
            answer => answer,
        }?;
        let shown = match self.max_bytes {
            Some(most) if !console.json => first_bytes(&text, most),
            _ => &text,
        };
        console.lines(shown)?;
        if shown.len() < text.len() {
            let (shown, all) = (grouped(shown.len() as u64), grouped(text.len() as u64));
            console.warn(
                None,
                &format!("stopped after {shown} of {all} bytes; `--outline` shows what there is"),
            );
        }
        if self.stats && !console.json {
            stats.lines().iter().for_each(|line| console.note(line));
        }
        Ok(Exit::Good)
    }

    /// The output and its cost.
    fn answer(&self, opened: &Opened, key: &str, console: &Console) -> Result<(Vec<u8>, Stats), Failure> {
        let mut held = Held::of(opened);
        let answer = self.print(opened, key, console, &mut held);
        let answer = answer.map_err(|failure| opened.read_fault().unwrap_or(failure).in_file(&opened.name));
        answer.map(|stats| (held.bytes, stats))
    }

    fn print(
        &self,
        opened: &Opened,
        key: &str,
        console: &Console,
        held: &mut Held,
    ) -> Result<Stats, Failure> {
        let document = opened.view();
        let classes = Classes::named(document, self.class.as_deref())?;
        // An index leads to a value that is shown completely and without its pointer. Earlier parts
        // need not be read.
        let need = if console.reveal && !console.json { Need::Value } else { Need::Way };
        let found = match self.all {
            true => select_all(document, key, classes, need)?.collect::<Result<Vec<_>, _>>()?,
            false => vec![select_one(document, key, classes, need)?],
        };
        // Finding the secrets of one value requires following its path from the root.
        let redaction = match &found[..] {
            [only] => Redaction::of_value_in(document, only.landmark, &only.way, console.reveal)?,
            _ => Redaction::of_document(document, console.reveal)?,
        };
        let looked_up = opened.age();
        let started = Instant::now();
        let mut meter = Meter::new(document, held.budget);
        for selected in &found {
            self.foresee(selected, console, &mut meter)?;
            let is_indented = !console.json && !self.compact && self.notation == Notation::Json;
            let printed = meter.indented(if is_indented { INDENT.into() } else { 0 });
            held.check_printed(printed, selected.value.offset())?;
        }
        let mut stats = Stats::of(opened, looked_up);
        if console.json {
            let printed = self.print_report(opened, &found, &redaction, held, || {
                stats.printed = started.elapsed();
                stats.clone()
            });
            found.last().map_or(Ok(()), |last| held.check(last.value.offset()))?;
            printed?;
        } else {
            for selected in &found {
                let printed = self.print_value(selected, &redaction, console, held);
                held.check(selected.value.offset())?;
                printed?;
            }
            stats.printed = started.elapsed();
        }
        stats.touched = opened.touched_bytes();
        Ok(stats)
    }

    /// Counts the values to be printed.
    fn foresee<'a>(
        &self,
        selected: &Selected<'a>,
        console: &Console,
        meter: &mut Meter<'a>,
    ) -> Result<(), Failure> {
        let offset = selected.value.offset();
        if console.json {
            if let Some(landmark) = selected.landmark {
                meter.beside(&landmark.key()?, landmark.offset())?;
            }
            meter.beside(&selected.pointer(), offset)?;
        }
        match selected.value.content()? {
            Content::String(text) if self.raw && !console.json => Ok(meter.beside(text, offset)?),
            _ => Ok(meter.value(selected.value)?),
        }
    }

    fn print_value(
        &self,
        selected: &Selected<'_>,
        redaction: &Redaction,
        console: &Console,
        held: &mut Held,
    ) -> Result<(), Failure> {
        if self.raw {
            let text = raw_text(selected, redaction)?;
            let shown = if console.is_terminal() { visible(&text) } else { text.into_owned() };
            return Ok(writeln!(held, "{shown}")?);
        }
        if self.outline || self.depth.is_some() {
            return self.print_cut(selected, redaction, console, held);
        }
        let style = self.style();
        let (value, way, budget) = (selected.value, &selected.way, held.budget);
        match self.notation {
            Notation::Json => {
                let printer = Printer::new(console.json_on(held), style).with_final_newline();
                let mut sink = redaction.sink(way, printer);
                value.stream(&mut sink, budget)?;
                sink.into_inner().finish().map(drop)?;
            }
            Notation::Yaml => {
                let mut sink = redaction.sink(way, YamlPrinter::new(held));
                value.stream(&mut sink, budget)?;
                sink.into_inner().finish().map(drop)?;
            }
        }
        Ok(())
    }

    fn style(&self) -> JsonStyle {
        if self.compact { JsonStyle::Minified } else { JsonStyle::Pretty { indent: INDENT } }
    }

    /// Prints the upper levels of a value.
    fn print_cut(
        &self,
        selected: &Selected<'_>,
        redaction: &Redaction,
        console: &Console,
        held: &mut Held,
    ) -> Result<(), Failure> {
        let value = self.upper_levels(selected, redaction, held.budget)?;
        if self.outline {
            let levels = self.depth.unwrap_or(outline::LEVELS);
            return Ok(held.write_all(outline::lines(&value, levels).as_bytes())?);
        }
        match self.notation {
            Notation::Json => {
                let mut printer = Printer::new(console.json_on(held), self.style()).with_final_newline();
                push(&value, &mut printer)?;
                printer.finish().map(drop)?;
            }
            Notation::Yaml => {
                let mut printer = YamlPrinter::new(held);
                push(&value, &mut printer)?;
                printer.finish().map(drop)?;
            }
        }
        Ok(())
    }

    /// The value, in memory. Without an outline, cut at the requested level.
    fn upper_levels(
        &self,
        selected: &Selected<'_>,
        redaction: &Redaction,
        budget: Budget,
    ) -> Result<Value, Failure> {
        let mut sink = redaction.sink(&selected.way, ValueSink::new());
        selected.value.stream(&mut sink, budget)?;
        let value = outline::received(sink.into_inner());
        Ok(match self.depth {
            Some(levels) if !self.outline => outline::cut(value, levels),
            _ => value,
        })
    }

    /// Prints the values and their properties. The schema is `schemas/get.json`.
    fn print_report(
        &self,
        opened: &Opened,
        found: &[Selected<'_>],
        redaction: &Redaction,
        held: &mut Held,
        stats: impl FnOnce() -> Stats,
    ) -> Result<(), Failure> {
        let budget = held.budget;
        let mut printer = Printer::new(SafeJson::new(&mut *held), JsonStyle::Minified).with_final_newline();
        printer.begin_object()?;
        printer.key("format_version")?;
        printer.integer(FORMAT_VERSION.into())?;
        printer.key("command")?;
        printer.string("get")?;
        printer.key("file")?;
        printer.string(&opened.name)?;
        printer.key("matches")?;
        printer.begin_list()?;
        for selected in found {
            printer.begin_object()?;
            if let Some(landmark) = selected.landmark {
                printer.key("key")?;
                printer.string(&landmark.key()?)?;
                printer.key("class")?;
                printer.integer(u64::from(landmark.class()?).into())?;
            }
            printer.key("pointer")?;
            printer.string(&selected.shown_pointer(redaction))?;
            printer.key("offset")?;
            printer.integer(selected.value.offset().into())?;
            printer.key("value")?;
            match self.depth.or(self.outline.then_some(outline::LEVELS)) {
                Some(levels) => {
                    let value = self.upper_levels(selected, redaction, budget)?;
                    push(&outline::cut(value, levels), &mut printer)?;
                }
                None => {
                    let mut sink = redaction.sink(&selected.way, printer);
                    selected.value.stream(&mut sink, budget)?;
                    printer = sink.into_inner();
                }
            }
            printer.end_object()?;
        }
        printer.end_list()?;
        if self.stats {
            printer.key("stats")?;
            push(&stats().to_value(), &mut printer)?;
        }
        printer.end_object()?;
        printer.finish()?;
        Ok(())
    }
}

/// Pushes the value at the end of the path into `sink`. Pushes nothing if it expands to too much.
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
            Meter::new(document, Budget::default()).value(*value)?;
            value.stream(&mut sink, Budget::default())?;
        }
    }
    Ok(sink.into_inner())
}

/// The string without quotes and escapes, or the text of another scalar.
fn raw_text<'a>(selected: &Selected<'a>, redaction: &Redaction) -> Result<Cow<'a, str>, Failure> {
    let failure = match selected.value.content()? {
        _ if redaction.hides(&selected.pointer()) => {
            Failure::negative(code::SECRET, "the value is secret").with_hint("use `--reveal` to print it")
        }
        Content::String(text) => return Ok(text.into()),
        Content::List(_) | Content::Object(_) => {
            Failure::negative(code::NOT_A_STRING, "a list or an object has no raw text")
                .with_hint("omit `--raw`, or use `--compact` for one line of JSON")
        }
        _ => {
            let mut printer = Printer::new(Vec::new(), JsonStyle::Minified);
            selected.value.stream(&mut printer, Budget::default())?;
            return Ok(String::from_utf8_lossy(&printer.finish()?).into_owned().into());
        }
    };
    Err(failure.at_path(selected.shown_pointer(redaction)))
}

/// Blanks for each level of printed JSON.
const INDENT: u8 = 2;

/// §21.2 The output, held back until the whole value is read, as long as it fits.
struct Held {
    bytes: Vec<u8>,
    budget: Budget,
    /// The full number of bytes, including those that did not fit.
    wanted: u64,
}

impl Held {
    fn of(opened: &Opened) -> Held {
        Held { bytes: Vec::new(), budget: Budget::held(opened.document_bytes()), wanted: 0 }
    }

    /// Refuses the value that begins at `offset` if it did not fit.
    fn check(&self, offset: u64) -> Result<(), Failure> {
        self.check_printed(self.wanted, offset)
    }

    /// Refuses the value that begins at `offset` if `count` bytes would not fit.
    fn check_printed(&self, count: u64, offset: u64) -> Result<(), Failure> {
        let limit = self.budget.bytes.saturating_mul(limits::PRINTED_PER_TEXT_BYTE);
        match count > limit {
            true => Err(ErrorKind::Bytes { count, limit }.at(offset).into()),
            false => Ok(()),
        }
    }
}

impl Write for Held {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.wanted = self.wanted.saturating_add(bytes.len() as u64);
        if self.check(0).is_err() {
            return Err(io::ErrorKind::OutOfMemory.into());
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The cost of a lookup.
#[derive(Clone, Debug)]
struct Stats {
    /// The size of the source and the time to compile it, if it was compiled now.
    compiled: Option<(u64, Duration)>,
    looked_up: Duration,
    printed: Duration,
    touched: u64,
    bytes: u64,
}

impl Stats {
    fn of(opened: &Opened, looked_up: Duration) -> Stats {
        Stats {
            compiled: opened.compiled.map(|took| (opened.size(), took)),
            looked_up,
            printed: Duration::ZERO,
            touched: opened.touched_bytes(),
            bytes: opened.document_bytes(),
        }
    }

    fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let (touched, bytes) = (grouped(self.touched), grouped(self.bytes));
        if let Some((source, took)) = self.compiled {
            lines.push(format!("compiled  {} bytes of source into {bytes} in {took:.1?}", grouped(source)));
        }
        lines.push(format!("found     in {:.1?}, opening included", self.looked_up));
        lines.push(format!("printed   in {:.1?}", self.printed));
        let share = percent(self.touched, self.bytes);
        lines.push(format!("touched   {touched} of {bytes} bytes ({share}), checksums compared"));
        lines
    }

    fn to_value(&self) -> Value {
        let micros = |duration: Duration| number(u64::try_from(duration.as_micros()).unwrap_or(u64::MAX));
        object([
            ("compile_microseconds", self.compiled.map_or(Value::Null, |(_, took)| micros(took))),
            ("lookup_microseconds", micros(self.looked_up)),
            ("print_microseconds", micros(self.printed)),
            ("touched_bytes", number(self.touched)),
            ("bytes", number(self.bytes)),
        ])
    }
}

#[cfg(test)]
mod tests;
