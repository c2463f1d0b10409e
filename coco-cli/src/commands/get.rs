//! `coco get`: one value of a document.

use super::build::FormatName;
use crate::command_line::examples;
use crate::destination::{Content, Destination, WriteOptions};
use crate::document::{Document, Input, Stored};
use crate::failure::{Exit, Failure, code};
use crate::loading::{LoaderOptions, Subject, warn_of};
use crate::numbers::{ratio, size, time};
use crate::screen::{FORMAT_VERSION, Screen, on_one_line};
use clap::Args;
use coconut_codec::bytes::paged::PagedFile;
use coconut_codec::event::SinkError;
use coconut_codec::limits;
use coconut_codec::loader::{Loaded, Proof};
use coconut_codec::read::file::OpenErrorKind;
use coconut_codec::read::file::{DocumentFile, DocumentView, Storage};
use coconut_codec::read::lookup::{LandmarkView, key_and_pointer};
use coconut_codec::read::stream::{Budget, Forecast, StreamError};
use coconut_codec::read::view::ValueView;
use coconut_codec::text::json::{JsonStyle, Printer};
use coconut_codec::text::{SourceFormat, yaml};
use coconut_format::DecodeError;
use coconut_format::error::ErrorKind;
use coconut_format::suggest::{COMPARED, near_keys};
use coconut_format::truncated::Truncated;
use serde::Serialize;
use serde_json::value::RawValue;
use std::cell::Cell;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Look a value up
///
/// KEY is the key of a landmark: a token of a package, a URN or an address of a graph, or what the pattern of the
/// document says. A JSON pointer may follow it. A name that begins with `/` and is no key is a JSON pointer from the root, and an
/// empty one is the document itself.
/// What is looked up is found from the compiled bytes without decoding the others. A package is looked for in the
/// workspace, in ~/.coconut/packs and in $COCONUT/lib. The compiled form of a package or of a source is kept in the
/// cache, which only its owner can read, so that the next lookup compiles nothing; --no-cache keeps nothing.
#[derive(Debug, Args)]
#[command(after_long_help = examples(include_str!("../../tests/commands/get.md")))]
pub(crate) struct Get {
    /// A source or a compiled document, `-` for standard input, or the name of a package
    #[arg(value_name = "FILE|PACKAGE")]
    file: PathBuf,
    /// Key of a landmark, a JSON pointer, or both
    #[arg(value_name = "KEY[/POINTER]")]
    key: String,
    /// Print the values of all landmarks that have the key, one after the other
    #[arg(long)]
    all: bool,
    /// Only landmarks of this class: the number of their pattern
    #[arg(long, value_name = "N")]
    class: Option<u8>,
    /// Print a string as it is, without quotes and escapes
    #[arg(long)]
    raw: bool,
    /// Print JSON without white space
    #[arg(long)]
    compact: bool,
    /// Language in which values are printed
    #[arg(long = "as", value_name = "LANGUAGE", default_value = "json", conflicts_with_all = ["compact", "raw"])]
    language: FormatName,
    /// Say on standard error how long it took, and how many bytes were looked at
    #[arg(long)]
    stats: bool,
    /// Neither use nor fill the cache
    #[arg(long)]
    no_cache: bool,
    #[command(flatten)]
    loader: LoaderOptions,
}

/// A document that is looked into.
struct Opened<'a, D> {
    name: &'a str,
    file: &'a DocumentFile<D>,
    /// Before it was opened.
    started: Instant,
    /// Of the document.
    bytes: u64,
    /// If it was made from text just now.
    compiled: Option<Compiled>,
}

/// What compiling cost.
#[derive(Clone, Copy)]
struct Compiled {
    source_bytes: u64,
    took: Duration,
}

/// A value that was found.
struct Match<'a> {
    landmark: Option<LandmarkView<'a>>,
    value: ValueView<'a>,
}

#[derive(Serialize)]
struct GetJson {
    format_version: u32,
    matches: Vec<MatchJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stats: Option<StatsJson>,
}

#[derive(Serialize)]
struct MatchJson {
    /// Absent where the value was found by a pointer alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    class: Option<u8>,
    /// Where the value lies in the compiled document.
    offset: u64,
    value: Box<RawValue>,
}

#[derive(Serialize)]
struct StatsJson {
    #[serde(skip_serializing_if = "Option::is_none")]
    compile_microseconds: Option<u64>,
    lookup_microseconds: u64,
    print_microseconds: u64,
    touched_bytes: u64,
    bytes: u64,
}

impl Get {
    pub(crate) fn run(self, screen: &Screen) -> Result<Exit, Failure> {
        match Subject::of(&self.file) {
            Subject::File(path) => match Stored::at(&path) {
                Stored::Source => self.run_loaded(screen, &Subject::File(path)),
                // All of it is wanted, and not a part.
                Stored::Document if self.key.is_empty() => self.run_read(screen, &path),
                Stored::Document => self.run_paged(screen, &path),
                Stored::Neither(error) => Err(Failure::decoding(&path.to_string_lossy(), &error)),
                Stored::Otherwise => self.run_read(screen, &path),
            },
            package @ Subject::Package(_) => self.run_loaded(screen, &package),
        }
    }

    /// From a compiled document, of which those pages are read that the lookup touches.
    fn run_paged(&self, screen: &Screen, path: &Path) -> Result<Exit, Failure> {
        let name = path.to_string_lossy();
        let started = Instant::now();
        let file = match DocumentFile::open_paged(path) {
            Ok(file) => file,
            Err(error) => match error.source {
                OpenErrorKind::Io(error) => return Err(Failure::reading(path, &error)),
                // Text behind an envelope has to be compiled, and so to be read.
                OpenErrorKind::Decode(error) if error.kind() == ErrorKind::SourceText => {
                    return self.run_read(screen, path);
                }
                OpenErrorKind::Decode(error) => return Err(Failure::decoding(&name, &error)),
            },
        };
        let bytes = file.data().len() as u64;
        let opened = Opened { name: &name, file: &file, started, bytes, compiled: None };
        self.answer(screen, &opened).map_err(|failure| unread(path, &file).unwrap_or(failure))
    }

    /// From what can be read only once, or only whole.
    fn run_read(&self, screen: &Screen, path: &Path) -> Result<Exit, Failure> {
        let input = Input::read(path)?;
        let source_bytes = input.bytes.len() as u64;
        let started = Instant::now();
        let document = input.into_document()?;
        self.answer_from(screen, &document, source_bytes, started.elapsed())
    }

    /// From the best place there is. A compiled form that proves to be damaged only now is no failure either: it is
    /// taken out of use, and the source answers.
    fn run_loaded(&self, screen: &Screen, subject: &Subject) -> Result<Exit, Failure> {
        let loader = match self.no_cache {
            true => self.loader.loader_without_cache(),
            false => self.loader.loader(),
        };
        let started = Instant::now();
        let loaded = subject.load(&loader)?;
        let took = started.elapsed();
        warn_of(screen, &loaded.fallbacks);
        if loaded.origin.proof() == Some(Proof::SourceAbsent) {
            let binary = on_one_line(&loaded.origin.path().to_string_lossy());
            screen.note(&format!("there is no source to compare {binary} with"));
        }
        let document = Document::of_loaded(subject.name(), &loaded);
        let failure = match self.answer_from(screen, &document, source_bytes(&loaded), took) {
            Err(failure) if failure.exit() == Exit::Undecodable => failure,
            result => return result,
        };
        let Err(error) = loaded.document.view().check_integrity() else { return Err(failure) };
        let started = Instant::now();
        let reloaded = loader.reload(loaded, error);
        let loaded = reloaded.map_err(|error| Failure::loading(&subject.name(), &error))?;
        warn_of(screen, &loaded.fallbacks);
        let document = Document::of_loaded(subject.name(), &loaded);
        self.answer_from(screen, &document, source_bytes(&loaded), started.elapsed())
    }

    fn answer_from(
        &self,
        screen: &Screen,
        document: &Document,
        source_bytes: u64,
        took: Duration,
    ) -> Result<Exit, Failure> {
        let started = Instant::now();
        let file = document.open()?;
        let bytes = document.bytes.as_ref().len() as u64;
        let compiled = document.was_compiled.then_some(Compiled { source_bytes, took });
        self.answer(screen, &Opened { name: &document.name, file: &file, started, bytes, compiled })
    }

    fn answer<D: Storage>(&self, screen: &Screen, opened: &Opened<'_, D>) -> Result<Exit, Failure> {
        let Opened { name, file, .. } = *opened;
        let found = self.find(name, file.view())?;
        let looked_up = opened.started.elapsed();

        let started = Instant::now();
        let values = self.print_all(&found, Budget::held(opened.bytes), screen);
        let values = values.map_err(|error| Failure::streaming(name, &error))?;
        let stats = Stats {
            compiled: opened.compiled,
            looked_up,
            printed: started.elapsed(),
            touched_bytes: file.touched_bytes(),
            bytes: opened.bytes,
        };
        if screen.is_json() {
            self.report(screen, name, &found, values, &stats)?;
        } else {
            self.show(&values)?;
            if self.stats {
                screen.note(stats.text().trim_end());
            }
        }
        Ok(Exit::Good)
    }

    /// What the key leads to: at least one value, and exactly one without `--all`.
    fn find<'a>(&self, name: &str, view: DocumentView<'a>) -> Result<Vec<Match<'a>>, Failure> {
        let failed = |error: DecodeError| Failure::decoding(name, &error);
        for (key, pointer) in key_and_pointer(&self.key) {
            let mut landmarks = view.get_all(key).map_err(failed)?;
            if let Some(class) = self.class {
                let mut kept = Vec::new();
                for landmark in landmarks {
                    if landmark.class().map_err(failed)? == class {
                        kept.push(landmark);
                    }
                }
                landmarks = kept;
            }
            if landmarks.is_empty() {
                continue;
            }
            if landmarks.len() > 1 && !self.all {
                return Err(ambiguous(name, &landmarks)?);
            }
            let mut found = Vec::new();
            for landmark in landmarks {
                let value = landmark.value().and_then(|value| value.pointer(pointer)).map_err(failed)?;
                found.extend(value.map(|value| Match { landmark: Some(landmark), value }));
            }
            if found.is_empty() {
                let message = format!("`{}` has nothing at `{}`", Truncated(key), Truncated(pointer));
                return Err(Failure::negative(code::PATH_MISSING, message).in_file(name));
            }
            return Ok(found);
        }
        if self.key.is_empty() || self.key.starts_with('/') {
            let value = view.root().pointer(&self.key).map_err(failed)?;
            return match value {
                Some(value) => Ok(vec![Match { landmark: None, value }]),
                None => {
                    let message = format!("the document has nothing at `{}`", Truncated(&self.key));
                    Err(Failure::negative(code::PATH_MISSING, message).in_file(name))
                }
            };
        }
        Err(self.missing(name, view)?)
    }

    /// That nothing has the key, and which keys are like it.
    fn missing(&self, name: &str, view: DocumentView<'_>) -> Result<Failure, Failure> {
        let count = view.landmark_count().map_err(|error| Failure::decoding(name, &error))?;
        let message = format!("no landmark has the key `{}`", Truncated(&self.key));
        let failure = Failure::negative(code::KEY_MISSING, message).in_file(name);
        if count == 0 {
            return Ok(
                failure.with_hint("this document has no landmarks; begin with `/` to use a JSON pointer")
            );
        }
        let similar = similar_keys(view, &self.key).map_err(|error| Failure::decoding(name, &error))?;
        Ok(match &similar[..] {
            [] => {
                failure.with_hint(format!("there are {count} landmarks; `coco-inspect ls` shows their keys"))
            }
            _ => failure.with_hint(format!("similar keys: {}", similar.join(", "))),
        })
    }

    /// The texts of all values, which together have this budget. None is made unless all are within it.
    fn print_all(
        &self,
        found: &[Match<'_>],
        budget: Budget,
        screen: &Screen,
    ) -> Result<Vec<Vec<u8>>, StreamError> {
        if let Some(Match { value, .. }) = found.first() {
            let mut forecast = Forecast::new(value.document(), budget);
            for Match { value, .. } in found {
                match self.raw_text(*value, screen)? {
                    Some(text) => forecast.beside(text, value.offset())?,
                    None => forecast.value(*value)?,
                }
            }
        }
        let room = Room::new(budget.bytes.saturating_mul(limits::PRINTED_PER_TEXT_BYTE));
        found.iter().map(|found| self.print(found, budget, &room, screen)).collect()
    }

    /// The text of a string that is to be printed as it is.
    fn raw_text<'a>(&self, value: ValueView<'a>, screen: &Screen) -> Result<Option<&'a str>, DecodeError> {
        match self.raw && !screen.is_json() {
            true => value.text(),
            false => Ok(None),
        }
    }

    fn print(
        &self,
        found: &Match<'_>,
        budget: Budget,
        room: &Room,
        screen: &Screen,
    ) -> Result<Vec<u8>, StreamError> {
        if let Some(text) = self.raw_text(found.value, screen)? {
            return Ok(text.as_bytes().to_vec());
        }
        let mut held = Held { bytes: Vec::new(), room };
        let printed = self.print_into(&mut held, found.value, budget, screen);
        room.check(found.value.offset())?;
        printed?;
        Ok(held.bytes)
    }

    fn print_into(
        &self,
        held: &mut Held<'_>,
        value: ValueView<'_>,
        budget: Budget,
        screen: &Screen,
    ) -> Result<(), StreamError> {
        let failed = |error: io::Error| SinkError::Output(error.to_string());
        if self.language.format() == SourceFormat::Yaml && !screen.is_json() {
            let mut printer = yaml::Printer::new(held);
            value.stream(&mut printer, budget)?;
            let Held { bytes, .. } = printer.finish().map_err(failed)?;
            bytes.pop_if(|last| *last == b'\n');
            return Ok(());
        }
        let is_compact = self.compact || screen.is_json();
        let style = if is_compact { JsonStyle::Minified } else { JsonStyle::Pretty { indent: 2 } };
        let mut printer = Printer::new(held, style);
        value.stream(&mut printer, budget)?;
        printer.finish().map_err(failed)?;
        Ok(())
    }

    fn show(&self, values: &[Vec<u8>]) -> Result<(), Failure> {
        Destination::Stdout.write(Content::Text, WriteOptions::default(), |out| {
            for value in values {
                out.write_all(value)
                    .and_then(|()| out.write_all(b"\n"))
                    .map_err(|error| Failure::printing(&error))?;
            }
            Ok(())
        })
    }

    fn report(
        &self,
        screen: &Screen,
        name: &str,
        found: &[Match<'_>],
        values: Vec<Vec<u8>>,
        stats: &Stats,
    ) -> Result<(), Failure> {
        let mut matches = Vec::new();
        for (Match { landmark, value }, text) in found.iter().zip(values) {
            let failed = |error: DecodeError| Failure::decoding(name, &error);
            let key = landmark.map(|landmark| landmark.key()).transpose().map_err(failed)?;
            let class = landmark.map(|landmark| landmark.class()).transpose().map_err(failed)?;
            let text = String::from_utf8(text).expect("the printer writes UTF-8");
            let raw = RawValue::from_string(text).expect("the printer writes JSON");
            matches.push(MatchJson { key: key.map(Into::into), class, offset: value.offset(), value: raw });
        }
        let stats = self.stats.then(|| stats.json());
        screen.print_json(&GetJson { format_version: FORMAT_VERSION, matches, stats })
    }
}

/// Bytes of the source that a document was made from.
fn source_bytes(loaded: &Loaded) -> u64 {
    loaded.document.header().source.as_ref().map_or(0, |source| source.bytes)
}

/// Why not all of a file could be read: to whoever decodes it these bytes are missing.
fn unread(path: &Path, file: &DocumentFile<PagedFile>) -> Option<Failure> {
    file.data().fault().map(|error| Failure::reading(path, error))
}

/// That several landmarks have the key, and how to choose.
fn ambiguous(name: &str, landmarks: &[LandmarkView<'_>]) -> Result<Failure, Failure> {
    let mut classes = Vec::new();
    for landmark in landmarks {
        let class = landmark.class().map_err(|error| Failure::decoding(name, &error))?;
        let pattern =
            landmark.document().header().rule.patterns().get(usize::from(class)).map(ToString::to_string);
        let line = format!("--class {class} for {}", pattern.unwrap_or_default());
        if !classes.contains(&line) {
            classes.push(line);
        }
    }
    let count = landmarks.len();
    let failure =
        Failure::negative(code::KEY_AMBIGUOUS, format!("{count} landmarks have this key")).in_file(name);
    Ok(match classes.len() {
        1 => failure.with_hint("use --all"),
        _ => failure.with_hint(format!("use --all, or {}", classes.join(", or "))),
    })
}

/// Up to three keys near `wanted`, or else that contain it or end with its last part, whatever the case.
fn similar_keys(view: DocumentView<'_>, wanted: &str) -> Result<Vec<String>, DecodeError> {
    /// Looking further costs more than a wrong key is worth.
    const SEARCH_MIN: usize = 100_000;
    const SHOWN: usize = 3;
    if wanted.len() > COMPARED {
        return Ok(Vec::new());
    }
    let lower = wanted.to_lowercase();
    let last = lower.rsplit([':', '/', '.']).find(|part| !part.is_empty()).unwrap_or(&lower);
    let mut alike: Vec<String> = Vec::new();
    let (mut keys, mut fault) = (view.keys()?, None);
    let compared = std::iter::from_fn(|| match keys.read_next() {
        Ok(next) => next.map(|(_, key)| (key.len() <= COMPARED).then(|| key.to_owned())),
        Err(error) => {
            fault = Some(error);
            None
        }
    });
    let compared = compared.take(SEARCH_MIN).flatten().inspect(|key| {
        let known = key.to_lowercase();
        let is_alike = known.contains(&lower) || known.ends_with(last);
        if is_alike && alike.len() < SHOWN && !alike.contains(key) {
            alike.push(key.clone());
        }
    });
    let mut near = near_keys(wanted, compared);
    near.truncate(SHOWN);
    match fault {
        Some(error) => Err(error),
        None if near.is_empty() => Ok(alike),
        None => Ok(near),
    }
}

/// How many bytes of text may be held until all is well (§9.15), and how many there are.
struct Room {
    limit: u64,
    taken: Cell<u64>,
}

impl Room {
    fn new(limit: u64) -> Room {
        Room { limit, taken: Cell::new(0) }
    }

    /// Refuses the value that begins at `offset` if there was too much with it.
    fn check(&self, offset: u64) -> Result<(), DecodeError> {
        match self.taken.get() > self.limit {
            true => Err(ErrorKind::Bytes { count: self.taken.get(), limit: self.limit }.at(offset)),
            false => Ok(()),
        }
    }
}

/// The text of a value, as long as there is room for it.
struct Held<'r> {
    bytes: Vec<u8>,
    room: &'r Room,
}

impl Write for Held<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.room.taken.set(self.room.taken.get().saturating_add(bytes.len() as u64));
        if self.room.check(0).is_err() {
            return Err(io::ErrorKind::OutOfMemory.into());
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What a lookup cost.
struct Stats {
    compiled: Option<Compiled>,
    looked_up: Duration,
    printed: Duration,
    touched_bytes: u64,
    bytes: u64,
}

impl Stats {
    fn text(&self) -> String {
        let mut text = String::new();
        if let Some(Compiled { source_bytes, took }) = self.compiled {
            let (from, to, took) = (size(source_bytes), size(self.bytes), time(took));
            text.push_str(&format!("compiled  {from} of source into {to} in {took}\n"));
        }
        let (touched, whole) = (size(self.touched_bytes), size(self.bytes));
        text.push_str(&format!("found     in {}, opening included\n", time(self.looked_up)));
        text.push_str(&format!("printed   in {}\n", time(self.printed)));
        let share = ratio(self.touched_bytes, self.bytes);
        text.push_str(&format!("touched   {touched} of {whole} ({share}), checksums compared\n"));
        text
    }

    fn json(&self) -> StatsJson {
        let micros = |duration: Duration| u64::try_from(duration.as_micros()).unwrap_or(u64::MAX);
        StatsJson {
            compile_microseconds: self.compiled.map(|compiled| micros(compiled.took)),
            lookup_microseconds: micros(self.looked_up),
            print_microseconds: micros(self.printed),
            touched_bytes: self.touched_bytes,
            bytes: self.bytes,
        }
    }
}

#[cfg(test)]
mod tests;
