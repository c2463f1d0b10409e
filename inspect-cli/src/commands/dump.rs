//! `dump`: prints the whole document.

mod stream;

use super::get::stream;
use clap::{Args, ValueEnum};
use coconut_codec::event::EventSink;
use coconut_codec::read::file::DocumentView;
use coconut_codec::read::lookup::LandmarkView;
use coconut_codec::read::lookup::Step;
use coconut_codec::read::stream::{Budget, Meter};
use coconut_codec::secrets::{HiddenKeys, Redaction};
use coconut_codec::text::json::{JsonStyle, Printer};
use coconut_codec::text::yaml::YamlPrinter;
use coconut_format::graph::Place;
use coconut_report::answers::wire::Wire;
use coconut_report::failure::{Exit, Failure};
use coconut_report::place::for_each_landmark;
use coconut_report::select::{Classes, select_pointer};
use coconut_shell::console::Console;
use coconut_shell::open::{Access, Documents, Opened, Storage, name_of, open_bytes, read};
use coconut_shell::pcore::is_stream;
use coconut_shell::sources::{Marks, Sources};
use std::io::Write as _;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Print the whole document as text
///
/// The JSON is strict, keeps the order of keys and all digits of integers, and denotes the same
/// value as the source. JSON Lines has one landmark per line. Landmarks that contain others are
/// omitted, unless `--class` selects them.
///
/// For several files, each result is an object with `file` and `value`. In YAML, each result is a
/// document of its own. In JSON Lines, each line has a member `file`. With `--as wire`, a heading
/// names each file.
#[derive(Args, Debug)]
#[command(after_long_help = include_str!("../../tests/help/dump.trycmd"))]
pub struct Dump {
    /// Documents, sources or folders; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Output format
    #[arg(long = "as", value_name = "NOTATION", default_value = "json")]
    notation: Notation,

    /// Spaces per level of JSON (default: 2)
    #[arg(long, value_name = "N", conflicts_with = "compact")]
    indent: Option<u8>,

    /// Print JSON without whitespace
    #[arg(long)]
    compact: bool,

    /// Print only the value at this JSON pointer
    #[arg(long, value_name = "POINTER", default_value = "", hide_default_value = true)]
    path: String,

    /// With `--as wire`: print only the bytes from offset A to before offset B
    #[arg(long, value_name = "A..B", value_parser = byte_range, conflicts_with = "path")]
    bytes: Option<Range<usize>>,

    /// With `--as jsonl`: only landmarks of this class
    #[arg(long, value_name = "N|NAME")]
    class: Option<String>,
}

/// The format of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Notation {
    /// One JSON value
    Json,
    /// JSON Lines: an object with `key`, `class` and `value` for each landmark
    Jsonl,
    /// YAML 1.2; JSON if --json is given
    Yaml,
    /// Every byte of the file with its offset and meaning, even if the file is damaged; every token
    /// of a stream of Pcore, with its slots
    Wire,
}

/// The reason for leaving strings and numbers out of a file that may not contain secrets.
const UNREADABLE: &str = "secrets cannot be looked for in a file that cannot be read whole: all strings and numbers that are values are left \
                          out without `--reveal`";

/// Many other JSON readers fail beyond this number of levels.
const COMMON_DEPTH: u32 = 128;

impl Dump {
    pub(super) fn run(&self, documents: &dyn Documents, console: &mut Console) -> Result<Exit, Failure> {
        self.check_options()?;
        let is_wire = self.notation == Notation::Wire;
        let marks = if is_wire { Marks::Heading } else { Marks::Inside };
        Sources::of(documents, &self.files).each(console, marks, |file, console| {
            if is_wire {
                return self.print_wire(file, console);
            }
            let opened = documents.open(file, Access::Whole, console)?;
            self.print(&opened, console).map_err(|failure| failure.in_file(&opened.name))
        })
    }

    /// Refuses options that have no effect on the chosen format.
    fn check_options(&self) -> Result<(), Failure> {
        let (is_json, is_lines) = (self.notation == Notation::Json, self.notation == Notation::Jsonl);
        let has_layout = self.indent.is_some() || self.compact;
        let message = match self.notation {
            _ if self.bytes.is_some() && self.notation != Notation::Wire => {
                "`--bytes` is only for `--as wire`"
            }
            _ if has_layout && !is_json => "`--indent` and `--compact` are only for `--as json`",
            _ if self.class.is_some() && !is_lines => "`--class` is only for `--as jsonl`",
            Notation::Jsonl if !self.path.is_empty() => "`--as jsonl` prints landmarks; omit `--path`",
            _ => return Ok(()),
        };
        Err(Failure::usage(message))
    }

    fn print(&self, opened: &Opened, console: &mut Console) -> Result<Exit, Failure> {
        let document = opened.view();
        let depth = document.header().depth;
        if depth > COMMON_DEPTH {
            console.warn(
                None,
                &format!("the document has {depth} levels, many JSON readers stop at {COMMON_DEPTH}"),
            );
        }
        let way = select_pointer(document, &self.path)?;
        let name = Some(&*opened.name).filter(|_| console.is_one_of_several());
        let style = match self.compact {
            true => JsonStyle::Minified,
            false => JsonStyle::Pretty { indent: self.indent.unwrap_or(2) },
        };
        let notation = match self.notation {
            Notation::Yaml if console.json => Notation::Json,
            notation => notation,
        };
        match notation {
            Notation::Json => {
                let redaction = redaction_of(document, &way, console.reveal)?;
                let printer = Printer::new(console.json_output(), style).with_final_newline();
                print_value(document, &way, &redaction, name, printer)?.finish()?;
            }
            Notation::Yaml => {
                let redaction = redaction_of(document, &way, console.reveal)?;
                if name.is_some() {
                    console.write_all(b"---\n")?;
                }
                let is_stream = name.is_none() && way.is_empty() && opened.is_stream();
                let printer = match is_stream {
                    true => YamlPrinter::of_stream(console),
                    false => YamlPrinter::new(console),
                };
                print_value(document, &way, &redaction, name, printer)?.finish()?;
            }
            Notation::Jsonl => {
                opened.check_whole()?;
                self.print_lines(document, name, console)?;
            }
            Notation::Wire => unreachable!("needs no document that opens, so it was printed before"),
        }
        Ok(Exit::Good)
    }

    fn print_wire(&self, file: &Path, console: &mut Console) -> Result<Exit, Failure> {
        let data = read(file)?;
        if is_stream(&data) {
            if self.bytes.is_some() || !self.path.is_empty() {
                return Err(Failure::usage("`--path` and `--bytes` are only for documents, not for streams"));
            }
            return stream::print_tokens(&data, &name_of(file), console);
        }
        let opened = open_bytes(Storage::new(Vec::from(&data[..])), "", false);
        let mut wire = match console.reveal {
            true => Wire::revealed(&data),
            false => Wire::of(&data, opened.as_ref().ok().map(Opened::view)),
        };
        if let Some(bytes) = &self.bytes {
            wire = wire.within(bytes.clone());
        }
        if !self.path.is_empty() {
            let opened = opened.map_err(|failure| failure.in_file(&name_of(file)))?;
            wire = wire.within(span_of(opened.view(), &self.path)?);
        }
        if wire.is_unreadable {
            console.warn(None, UNREADABLE);
        }
        match console.json {
            true => wire.write_json(&name_of(file), console)?,
            false => wire.write_text(&mut console.text())?,
        }
        Ok(Exit::Good)
    }

    fn print_lines(
        &self,
        document: DocumentView<'_>,
        name: Option<&str>,
        console: &mut Console,
    ) -> Result<(), Failure> {
        let classes = Classes::named(document, self.class.as_deref())?;
        let redaction = Redaction::of_document(document, console.reveal)?;
        let hidden = HiddenKeys::of(document, &redaction)?;
        let is_wanted = |landmark: LandmarkView<'_>| match classes.is_all() {
            true => landmark.has_children().map(|has_children| !has_children),
            false => landmark.class().map(|class| classes.contains(class)),
        };
        let (mut meter, mut keys) = (Meter::new(document, Budget::default()), document.keys()?);
        while let Some((landmark, key)) = keys.read_next()? {
            if is_wanted(landmark)? {
                meter.beside(key, landmark.offset())?;
                meter.value(landmark.value()?)?;
            }
        }
        let mut along = redaction.of_landmarks();
        for_each_landmark::<Failure>(document, |landmark, key, way| {
            let key = hidden.shown(landmark, key)?;
            match is_wanted(landmark)? {
                true => print_line(landmark, (name, key), along.place_of(way), &redaction, console),
                false => Ok(()),
            }
        })
    }
}

/// The bytes of the value at a pointer. For a reference to a shared value, those of the reference.
fn span_of(document: DocumentView<'_>, pointer: &str) -> Result<Range<usize>, Failure> {
    let value = match select_pointer(document, pointer)?.last() {
        Some((_, value)) => *value,
        None => document.root(),
    };
    let span = value.span()?;
    let within = |offset: u64| usize::try_from(offset).unwrap_or(usize::MAX);
    Ok(within(span.start)..within(span.end))
}

/// Offsets in decimal or hexadecimal digits, as in `0x11c..0x134`.
fn byte_range(text: &str) -> Result<Range<usize>, String> {
    let offset = |text: &str| match text.strip_prefix("0x") {
        Some(digits) => usize::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    };
    let ends = text.split_once("..").and_then(|(start, end)| Some((offset(start)?, offset(end)?)));
    match ends.filter(|(start, end)| start < end) {
        Some((start, end)) => Ok(start..end),
        None => Err("expected two ascending offsets, such as `0x11c..0x134`".to_owned()),
    }
}

fn redaction_of(document: DocumentView<'_>, way: &[Step<'_>], reveal: bool) -> Result<Redaction, Failure> {
    Ok(match way {
        [] => Redaction::of_document(document, reveal)?,
        way => Redaction::of_value(document, way, reveal)?,
    })
}

/// Pushes the value, in an object with the name of its file if there is one.
fn print_value<S: EventSink>(
    document: DocumentView<'_>,
    way: &[Step<'_>],
    redaction: &Redaction,
    name: Option<&str>,
    mut printer: S,
) -> Result<S, Failure> {
    let Some(name) = name else { return stream(document, way, redaction, printer) };
    printer.begin_object()?;
    printer.key("file")?;
    printer.string(name)?;
    printer.key("value")?;
    let mut printer = stream(document, way, redaction, printer)?;
    printer.end_object()?;
    Ok(printer)
}

fn print_line(
    landmark: LandmarkView<'_>,
    (name, key): (Option<&str>, &str),
    place: Place,
    redaction: &Redaction,
    console: &mut Console,
) -> Result<(), Failure> {
    let mut printer = Printer::new(console.json_output(), JsonStyle::Minified).with_final_newline();
    printer.begin_object()?;
    if let Some(name) = name {
        printer.key("file")?;
        printer.string(name)?;
    }
    printer.key("key")?;
    printer.string(key)?;
    printer.key("class")?;
    printer.integer(u64::from(landmark.class()?).into())?;
    printer.key("value")?;
    let mut sink = redaction.sink_at(place, printer);
    landmark.value()?.stream(&mut sink, Budget::default())?;
    let mut printer = sink.into_inner();
    printer.end_object()?;
    printer.finish()?;
    Ok(())
}
