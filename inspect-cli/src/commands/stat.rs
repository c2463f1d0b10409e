//! `stat`: shows the sizes of the parts of a document.

mod bars;
mod contents;

use clap::{Args, ValueEnum};
use coconut_codec::limits::search_budget;
use coconut_codec::read::stream::Budget;
use coconut_codec::read::view::WatchedView;
use coconut_codec::secrets::{HiddenKeys, Redaction};
use coconut_format::Value;
use coconut_format::numerals::{grouped, percent};
use coconut_report::failure::{Exit, Failure};
use coconut_report::json::{number, object, report, text};
use coconut_report::measure::{Measure, Measured, Tally};
use coconut_report::place::for_each_landmark;
use coconut_report::select::word_of;
use coconut_shell::console::{Console, DIM, GOOD, STRONG, visible};
use coconut_shell::open::{Documents, Opened};
use coconut_shell::sources::{Marks, Sources};
use std::cell::Cell;
use std::collections::HashMap;
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
    #[arg(long, value_name = "WHAT")]
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

coconut_format::named! {
    /// The contents of the rows of a table.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
    enum By {
        /// Parts of the file
        Part = "part";
        /// Classes of landmarks
        Class = "class";
        /// Single landmarks
        Landmark = "landmark";
        /// Keys of objects, each with its value
        Key = "key";
        /// Strings that are not keys
        Text = "text";
    }
    fn name;
}

/// One line of a table.
struct Row {
    name: String,
    count: u64,
    /// The size as minified JSON. For parts, the size in the file.
    bytes: u64,
    /// The size in the file, if known.
    stored: Option<u64>,
}

/// The facts to show.
struct Facts {
    /// The size of the compiled form, which contains the parts.
    size: u64,
    /// The size of the source, if it was opened.
    source: Option<u64>,
    measured: Measured,
    stored_nodes: u64,
    tables: Vec<(By, Vec<Row>)>,
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
        let all = [By::Part, By::Class, By::Landmark, By::Key, By::Text];
        // Facts alone have no bars.
        let is_usual = |by: &By| self.by.is_empty() && matches!(by, By::Part | By::Class);
        let has_bars = self.form == Form::Bars;
        all.into_iter().filter(|by| self.sizes || self.by.contains(by) || has_bars && is_usual(by)).collect()
    }

    fn show(&self, opened: &Opened, console: &mut Console) -> Result<(), Failure> {
        if self.is_picture(console) {
            let contents = contents::of(opened, console.reveal)?;
            let drawn = if self.form == Form::Svg {
                coconut_picture::treemap::drawn(&contents)
            } else {
                contents.page()
            };
            return console.lines(drawn.as_bytes());
        }
        let facts = self.measure(opened, console.reveal)?;
        let bars = self.form == Form::Bars || console.is_terminal();
        match console.json {
            true => console.print_json(&facts.to_report(&opened.name)),
            false => facts.print(bars.then(bars::length), console),
        }
    }

    fn measure(&self, opened: &Opened, reveal: bool) -> Result<Facts, Failure> {
        let document = opened.view();
        let redaction = Redaction::of_document(document, reveal)?;
        let mut sink = redaction.sink(&[], Measure::within(search_budget(document.length())));
        document.stream(&mut sink, Budget::default())?;
        let measured = sink.into_inner().finish();
        let stored_nodes = document.tree()?.stored_nodes() as u64;
        let tables = self.tables();
        let landmarks = match tables.contains(&By::Class) || tables.contains(&By::Landmark) {
            true => landmarks(opened, &HiddenKeys::of(document, &redaction)?, self.limit)?,
            false => Landmarks::default(),
        };
        let tables: Result<Vec<_>, Failure> =
            tables.into_iter().map(|by| Ok((by, self.rows(by, opened, &measured, &landmarks)?))).collect();
        let size = opened.document_bytes();
        let source = Some(opened.size()).filter(|_| opened.is_text());
        Ok(Facts { size, source, measured, stored_nodes, tables: tables? })
    }

    fn rows(
        &self,
        by: By,
        opened: &Opened,
        measure: &Measured,
        landmarks: &Landmarks,
    ) -> Result<Vec<Row>, Failure> {
        Ok(match by {
            By::Part => part_rows(opened)?,
            By::Class => landmarks.classes.iter().map(Row::copy).collect(),
            By::Landmark => largest(landmarks.single.iter().map(Row::copy).collect(), self.limit),
            By::Key => largest(tally_rows(&measure.keys), self.limit),
            By::Text => largest(tally_rows(&measure.texts), self.limit),
        })
    }
}

impl Facts {
    /// The number of keys; each occurrence counts.
    fn keys(&self) -> u64 {
        self.measured.keys.values().map(|tally| tally.count).sum()
    }

    fn to_report(&self, name: &str) -> Value {
        let tables = self.tables.iter().map(|(by, rows)| (by.name().to_owned(), list(rows)));
        let members = [
            ("file", text(name)),
            ("bytes", number(self.size)),
            ("source_bytes", self.source.map_or(Value::Null, number)),
            ("json_bytes", number(self.measured.bytes)),
            ("values", number(self.measured.values)),
            ("keys", number(self.keys())),
            ("stored_nodes", number(self.stored_nodes)),
            ("distinct_keys", number(self.measured.keys.len() as u64)),
            ("distinct_texts", number(self.measured.texts.len() as u64)),
            ("tables", Value::Object(tables.collect())),
        ];
        report("stat", members)
    }

    fn print(&self, bars: Option<usize>, console: &mut Console) -> Result<(), Failure> {
        for (name, value) in self.lines() {
            let name = console.paint(STRONG, &format!("{name:<8}"));
            console.line(&format!("{name} {value}"))?;
        }
        for (by, rows) in &self.tables {
            let whole = if *by == By::Part { self.size } else { self.measured.bytes };
            print_table((*by, rows), whole, bars, console)?;
        }
        Ok(())
    }

    fn lines(&self) -> Vec<(&'static str, String)> {
        let Facts { size, ref measured, stored_nodes, .. } = *self;
        let (keys, values) = (self.keys(), measured.values);
        let share = percent(size, measured.bytes);
        let stored = format!("{} ({})", grouped(stored_nodes), percent(stored_nodes, values + keys));
        let source = self.source.map(|bytes| ("source", format!("{} bytes", grouped(bytes))));
        let facts = [
            ("size", format!("{} bytes, {share} of the JSON", grouped(size))),
            ("as JSON", format!("{} bytes", grouped(measured.bytes))),
            ("nodes", format!("{} values and {} keys, stored as {stored}", grouped(values), grouped(keys))),
            ("keys", format!("{} distinct", grouped(measured.keys.len() as u64))),
            ("texts", format!("{} distinct", grouped(measured.texts.len() as u64))),
        ];
        source.into_iter().chain(facts).collect()
    }
}

impl Row {
    fn copy(&self) -> Row {
        Row { name: self.name.clone(), ..*self }
    }
}

fn part_rows(opened: &Opened) -> Result<Vec<Row>, Failure> {
    let parts = opened.view().parts()?.into_iter().map(|part| {
        let bytes = part.span.end - part.span.start;
        Row {
            name: part.name.to_owned(),
            count: part.items.unwrap_or_default().into(),
            bytes,
            stored: Some(bytes),
        }
    });
    Ok(parts.collect())
}

fn tally_rows(tallies: &HashMap<String, Tally>) -> Vec<Row> {
    let rows = tallies.iter();
    rows.map(|(name, tally)| Row { name: name.clone(), count: tally.count, bytes: tally.bytes, stored: None })
        .collect()
}

/// The largest rows. Rows of equal size are sorted by name, so the order is deterministic.
fn largest(mut rows: Vec<Row>, limit: usize) -> Vec<Row> {
    rows.sort_by(|a, b| b.bytes.cmp(&a.bytes).then_with(|| a.name.cmp(&b.name)));
    rows.truncate(limit);
    rows
}

/// The sizes of the landmarks.
#[derive(Default)]
struct Landmarks {
    classes: Vec<Row>,
    single: Vec<Row>,
}

/// Extra rows of landmarks held in memory. All their keys together can be much longer than the
/// file.
const MORE_THAN_SHOWN: usize = 64;

/// The sizes of landmarks: all classes, and the `limit` largest landmarks with some others.
fn landmarks(opened: &Opened, hidden: &HiddenKeys, limit: usize) -> Result<Landmarks, Failure> {
    let document = opened.view();
    let mut found = Landmarks::default();
    for pattern in document.header().rule()?.patterns() {
        let name = format!("{} ({pattern})", word_of(pattern));
        found.classes.push(Row { name, count: 0, bytes: 0, stored: Some(0) });
    }
    // One measure for all landmarks, so shared data is counted once.
    let mut measure = Measure::within(search_budget(document.length()));
    let fault = Cell::new(None);
    for_each_landmark::<Failure>(document, |landmark, key, _| {
        let value = landmark.value()?;
        let before = measure.bytes;
        measure.push(WatchedView::new(value, &fault))?;
        fault.take().map_or(Ok(()), Err)?;
        let bytes = measure.bytes - before;
        let span = value.span()?;
        let stored = span.end - span.start;
        if let Some(class) = found.classes.get_mut(usize::from(landmark.class()?)) {
            class.count += 1;
            class.bytes += bytes;
            class.stored = class.stored.map(|sum| sum + stored);
        }
        let name = hidden.shown(landmark, key)?.to_owned();
        found.single.push(Row { name, count: 1, bytes, stored: Some(stored) });
        if found.single.len() >= limit.saturating_mul(2).saturating_add(MORE_THAN_SHOWN) {
            found.single = largest(std::mem::take(&mut found.single), limit);
        }
        Ok(())
    })?;
    Ok(found)
}

/// Maximum number of characters shown of a text.
const SHOWN: usize = 60;

fn print_table(
    (by, rows): (By, &[Row]),
    whole: u64,
    bars: Option<usize>,
    console: &mut Console,
) -> Result<(), Failure> {
    let most = rows.iter().map(|row| row.bytes).max().unwrap_or_default();
    let space = bars.map_or(String::new(), |length| " ".repeat(length + 1));
    let stored = if matches!(by, By::Class | By::Landmark) { "stored" } else { "" };
    let heading = format!("{:>12} {:>8} {space}{:>10} {stored:>10}  {}", "bytes", "", "count", by.name());
    let heading = console.paint(DIM, &heading);
    console.line("")?;
    console.line(&heading)?;
    for row in rows {
        let stored = match (by, row.stored) {
            (By::Class | By::Landmark, Some(stored)) => grouped(stored),
            _ => String::new(),
        };
        let mut name: String = row.name.chars().take(SHOWN).collect();
        if name.len() < row.name.len() && by == By::Text {
            name.push('…');
        } else {
            name.clone_from(&row.name);
        }
        let (bytes, share, count) = (grouped(row.bytes), percent(row.bytes, whole), grouped(row.count));
        let bar = bars.map(|length| format!("{} ", console.paint(GOOD, &bars::bar(row.bytes, most, length))));
        let bar = bar.unwrap_or_default();
        console.line(&format!("{bytes:>12} {share:>8} {bar}{count:>10} {stored:>10}  {}", visible(&name)))?;
    }
    Ok(())
}

fn list(rows: &[Row]) -> Value {
    let rows = rows.iter().map(|row| {
        object([
            ("name", text(&row.name)),
            ("count", number(row.count)),
            ("bytes", number(row.bytes)),
            ("stored", row.stored.map_or(Value::Null, number)),
        ])
    });
    Value::List(rows.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use coconut_codec::compile::{CompileOptions, compile};
    use coconut_shell::open::{Storage, open_bytes};

    #[test]
    fn no_more_names_are_held_than_may_be_shown() {
        // As long as the number of its thousandth is large; 7 and 1000 have no common factor.
        let entries: Vec<String> =
            (0..1000).map(|n| format!(r#""k{n}":"{}""#, "x".repeat(7 * n % 1000))).collect();
        let text = format!("{{{}}}", entries.join(","));
        let bytes = compile(text.as_bytes(), &CompileOptions::default()).unwrap().bytes;
        let opened = open_bytes(Storage::new(bytes), "test", false).unwrap();
        for limit in [0, 1, 10, 400, 2000, usize::MAX] {
            let found = landmarks(&opened, &HiddenKeys::default(), limit).unwrap();
            assert_eq!(found.classes[0].count, 1000);
            assert!(
                found.single.len() <= 2 * limit.min(1000) + MORE_THAN_SHOWN,
                "{} held",
                found.single.len()
            );
            let largest: Vec<_> = largest(found.single, limit).into_iter().map(|row| row.bytes).collect();
            let expected: Vec<_> = (0..1000u64).rev().map(|bytes| bytes + 2).take(limit).collect();
            assert_eq!(largest, expected, "the {limit} largest");
        }
    }
}
