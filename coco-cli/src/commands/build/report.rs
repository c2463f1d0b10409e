//! The report of a build, as a table and as JSON.

use crate::numbers::{size, time};
use coconut_codec::text::Lint;
use coconut_format::Value;
use coconut_format::numerals::percent;
use coconut_report::Failure;
use coconut_report::json::{list, number, object, optional, report, text};
use coconut_shell::Console;
use coconut_shell::console::visible;
use std::path::PathBuf;
use std::time::Duration;

/// One compiled document.
#[derive(Debug)]
pub(super) struct BuiltDocument {
    pub(super) source: String,
    pub(super) output: String,
    pub(super) document_type: String,
    pub(super) dialect: Option<String>,
    pub(super) profile: &'static str,
    pub(super) landmarks: u64,
    pub(super) source_bytes: u64,
    pub(super) bytes: u64,
    pub(super) warnings: Vec<Lint>,
}

impl BuiltDocument {
    fn to_json(&self) -> Value {
        let warning = |lint: &Lint| {
            object([
                ("code", text(lint.kind.code())),
                ("message", text(lint.kind.to_string())),
                ("line", number(u64::from(lint.at.line))),
                ("column", number(u64::from(lint.at.column))),
            ])
        };
        object([
            ("source", text(&self.source)),
            ("output", text(&self.output)),
            ("document_type", text(&self.document_type)),
            ("dialect", optional(self.dialect.as_deref())),
            ("profile", text(self.profile)),
            ("landmarks", number(self.landmarks)),
            ("source_bytes", number(self.source_bytes)),
            ("bytes", number(self.bytes)),
            ("warnings", list(&self.warnings, warning)),
        ])
    }
}

/// All documents built and all failures.
pub(super) struct BuildReport {
    documents: Vec<BuiltDocument>,
    passed_over: Vec<String>,
    pub(super) failures: Vec<Failure>,
}

impl BuildReport {
    /// Adds the results, the skipped files, and the failures from before the work began.
    pub(super) fn new(
        results: Vec<Result<Vec<BuiltDocument>, Failure>>,
        passed_over: Vec<PathBuf>,
        mut failures: Vec<Failure>,
    ) -> BuildReport {
        let mut documents = Vec::new();
        for result in results {
            match result {
                Ok(built) => documents.extend(built),
                Err(failure) => failures.push(failure),
            }
        }
        let passed_over = passed_over.iter().map(|path| path.to_string_lossy().into_owned()).collect();
        BuildReport { documents, passed_over, failures }
    }

    pub(super) fn warnings(&self, console: &mut Console) {
        if console.json {
            return;
        }
        for document in &self.documents {
            for lint in &document.warnings {
                let (line, column) = (lint.at.line, lint.at.column);
                let (what, file) = (visible(&lint.kind.to_string()), visible(&document.source));
                console.warn(Some(lint.kind.code()), &format!("{what}\n --> {file}:{line}:{column}"));
            }
        }
    }

    /// Warns of each document in which no value matches the patterns of the command line.
    pub(super) fn warn_without_landmarks(&self, console: &mut Console) {
        for document in self.documents.iter().filter(|document| document.landmarks == 0) {
            let message = "no value matches the patterns of --landmarks";
            console.warn(None, &format!("{message}\n --> {}", visible(&document.source)));
        }
    }

    pub(super) fn print(
        &self,
        console: &mut Console,
        is_check: bool,
        elapsed: Duration,
    ) -> Result<(), Failure> {
        if console.json {
            let members = [
                ("documents", list(&self.documents, BuiltDocument::to_json)),
                ("passed_over", list(&self.passed_over, text)),
                ("failed", number(self.failures.len() as u64)),
                ("source_bytes", number(self.source_bytes())),
                ("bytes", number(self.bytes())),
            ];
            return console.print_json(&report("pack-build", members));
        }
        if !console.is_chatty() {
            return Ok(());
        }
        for path in &self.passed_over {
            console.note(&format!("{path} is already compiled"));
        }
        let mut text = if self.documents.is_empty() { String::new() } else { self.table() };
        text.push_str(&self.summary(is_check, elapsed));
        console.print(&text)
    }

    fn source_bytes(&self) -> u64 {
        self.documents.iter().map(|document| document.source_bytes).sum()
    }

    fn bytes(&self) -> u64 {
        self.documents.iter().map(|document| document.bytes).sum()
    }

    fn table(&self) -> String {
        let mut rows =
            vec![["DOCUMENT", "TYPE", "LANDMARKS", "SOURCE", "COMPILED", " RATIO"].map(str::to_owned)];
        for document in &self.documents {
            rows.push([
                visible(&document.output),
                document.document_type.clone(),
                document.landmarks.to_string(),
                size(document.source_bytes),
                size(document.bytes),
                percent(document.bytes, document.source_bytes),
            ]);
        }
        aligned(&rows)
    }

    fn summary(&self, is_check: bool, elapsed: Duration) -> String {
        let count = self.documents.len();
        let noun = if count == 1 { "document" } else { "documents" };
        let verb = if is_check { "up to date" } else { "compiled" };
        let (before, after) = (self.source_bytes(), self.bytes());
        let mut text = format!("{count} {noun} {verb}");
        if count > 0 {
            let (from, to, share) = (size(before), size(after), percent(after, before));
            text.push_str(&format!(", {from} to {to} ({share}), in {}", time(elapsed)));
        }
        if !self.failures.is_empty() {
            let what = if is_check { "not up to date" } else { "failed" };
            text.push_str(&format!("; {} {what}", self.failures.len()));
        }
        text.push('\n');
        text
    }
}

/// Aligns the columns: the first two are text, aligned left; the others are numbers, aligned right.
fn aligned<const N: usize>(rows: &[[String; N]]) -> String {
    const TEXT_COLUMNS: usize = 2;
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; N] = std::array::from_fn(width);
    let mut text = String::new();
    for row in rows {
        let cells =
            row.iter().zip(widths).enumerate().map(|(column, (cell, width))| match column < TEXT_COLUMNS {
                true => format!("{cell:width$}"),
                false => format!("{cell:>width$}"),
            });
        text.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
        text.push('\n');
    }
    text
}
