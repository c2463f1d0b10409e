//! The bytes of a document: where they go, and what sharing saves.

mod bars;

use crate::failure::Failure;
use crate::json::{list, number, object, optional_number, report, text};
use crate::measure::{Measure, Measured, Tally};
use crate::place::for_each_landmark;
use crate::select::word_of;
use crate::source::Source;
use crate::style::{DIM, GOOD, STRONG, TextWriter};
use coconut_codec::limits::search_budget;
use coconut_codec::read::file::DocumentView;
use coconut_codec::read::stream::Budget;
use coconut_codec::read::view::WatchedView;
use coconut_codec::secrets::{HiddenKeys, Redaction};
use coconut_format::Value;
use coconut_format::numerals::{grouped, percent};
use coconut_format::visible::visible;
use std::cell::Cell;
use std::collections::HashMap;

coconut_format::named! {
    /// The contents of the rows of a table.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum By, ALL {
        /// Parts of the file.
        Part = "part", "Parts of the file";
        /// Classes of landmarks.
        Class = "class", "Classes of landmarks";
        /// Single landmarks.
        Landmark = "landmark", "Single landmarks";
        /// Keys of objects, each with its value.
        Key = "key", "Keys of objects, each with its value";
        /// Strings that are not keys.
        Text = "text", "Strings that are not keys";
    }
    /// The name.
    pub fn name;
    /// The meaning, for a help.
    pub fn meaning;
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

/// The sizes of a document, of its values and of its parts.
pub struct Sizes<'d> {
    source: Source<'d>,
    measured: Measured,
    stored_nodes: u64,
    tables: Vec<(By, Vec<Row>)>,
}

impl<'d> Sizes<'d> {
    /// Measures the document, and makes these tables. Those of landmarks, keys and strings have at
    /// most `limit` rows.
    pub fn of(source: Source<'d>, tables: &[By], limit: usize, reveal: bool) -> Result<Sizes<'d>, Failure> {
        let document = source.view;
        let redaction = Redaction::of_document(document, reveal)?;
        let mut sink = redaction.sink(&[], Measure::within(search_budget(document.length())));
        document.stream(&mut sink, Budget::default())?;
        let measured = sink.into_inner().finish();
        let stored_nodes = document.tree()?.stored_nodes() as u64;
        let mut landmarks = match tables.contains(&By::Class) || tables.contains(&By::Landmark) {
            true => landmarks(document, &HiddenKeys::of(document, &redaction)?, limit)?,
            false => Landmarks::default(),
        };
        let mut rows = |by: &By| {
            let rows = match by {
                By::Part => part_rows(document)?,
                By::Class => std::mem::take(&mut landmarks.classes),
                By::Landmark => largest(std::mem::take(&mut landmarks.single), limit),
                By::Key => largest(tally_rows(&measured.keys), limit),
                By::Text => largest(tally_rows(&measured.texts), limit),
            };
            Ok((*by, rows))
        };
        let tables: Result<Vec<_>, Failure> = tables.iter().map(&mut rows).collect();
        Ok(Sizes { source, tables: tables?, measured, stored_nodes })
    }

    /// The number of keys; each occurrence counts.
    fn keys(&self) -> u64 {
        self.measured.keys.values().map(|tally| tally.count).sum()
    }

    /// The report. The schema is `schemas/stat.json`.
    pub fn to_report(&self) -> Value {
        let tables = self.tables.iter().map(|(by, rows)| (by.name().to_owned(), list(rows, Row::to_value)));
        let members = [
            ("file", text(self.source.name)),
            ("bytes", number(self.source.document_bytes())),
            ("source_bytes", optional_number(self.source_bytes())),
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

    /// Writes the facts and the tables, with bars of this length.
    pub fn write_text(&self, bars: Option<usize>, out: &mut TextWriter<'_>) -> Result<(), Failure> {
        for (name, value) in self.lines() {
            let name = out.paint(STRONG, &format!("{name:<8}"));
            out.line(&format!("{name} {value}"))?;
        }
        for (by, rows) in &self.tables {
            let whole = if *by == By::Part { self.source.document_bytes() } else { self.measured.bytes };
            write_table((*by, rows), whole, bars, out)?;
        }
        Ok(())
    }

    /// The size of the source, if it was opened.
    fn source_bytes(&self) -> Option<u64> {
        self.source.is_text.then_some(self.source.size)
    }

    fn lines(&self) -> Vec<(&'static str, String)> {
        let Sizes { ref measured, stored_nodes, .. } = *self;
        let (size, keys, values) = (self.source.document_bytes(), self.keys(), measured.values);
        let share = percent(size, measured.bytes);
        let stored = format!("{} ({})", grouped(stored_nodes), percent(stored_nodes, values + keys));
        let source = self.source_bytes().map(|bytes| ("source", format!("{} bytes", grouped(bytes))));
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
    fn to_value(&self) -> Value {
        object([
            ("name", text(&self.name)),
            ("count", number(self.count)),
            ("bytes", number(self.bytes)),
            ("stored", optional_number(self.stored)),
        ])
    }
}

fn part_rows(document: DocumentView<'_>) -> Result<Vec<Row>, Failure> {
    let parts = document.parts()?.into_iter().map(|part| {
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
fn landmarks(document: DocumentView<'_>, hidden: &HiddenKeys, limit: usize) -> Result<Landmarks, Failure> {
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

fn write_table(
    (by, rows): (By, &[Row]),
    whole: u64,
    bars: Option<usize>,
    out: &mut TextWriter<'_>,
) -> Result<(), Failure> {
    let most = rows.iter().map(|row| row.bytes).max().unwrap_or_default();
    let space = bars.map_or(String::new(), |length| " ".repeat(length + 1));
    let stored = if matches!(by, By::Class | By::Landmark) { "stored" } else { "" };
    let heading = format!("{:>12} {:>8} {space}{:>10} {stored:>10}  {}", "bytes", "", "count", by.name());
    out.line("")?;
    out.styled(DIM, &heading)?;
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
        let bar = bars.map(|length| format!("{} ", out.paint(GOOD, &bars::bar(row.bytes, most, length))));
        let bar = bar.unwrap_or_default();
        out.line(&format!("{bytes:>12} {share:>8} {bar}{count:>10} {stored:>10}  {}", visible(&name)))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use coconut_codec::compile::{CompileOptions, compile};
    use coconut_codec::read::file::DocumentFile;

    #[test]
    fn no_more_names_are_held_than_may_be_shown() {
        // As long as the number of its thousandth is large; 7 and 1000 have no common factor.
        let entries: Vec<String> =
            (0..1000).map(|n| format!(r#""k{n}":"{}""#, "x".repeat(7 * n % 1000))).collect();
        let text = format!("{{{}}}", entries.join(","));
        let bytes = compile(text.as_bytes(), &CompileOptions::default()).unwrap().bytes;
        let file = DocumentFile::from_data(bytes).unwrap();
        for limit in [0, 1, 10, 400, 2000, usize::MAX] {
            let found = landmarks(file.view(), &HiddenKeys::default(), limit).unwrap();
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
