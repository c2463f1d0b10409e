//! What was built, as a table and as JSON.

use crate::failure::Failure;
use crate::numbers::{ratio, size, time};
use crate::screen::{FORMAT_VERSION, Screen, escaped};
use coconut_codec::text::Lint;
use serde::Serialize;
use std::path::PathBuf;
use std::time::Duration;

/// One document that was compiled.
#[derive(Debug, Serialize)]
pub(super) struct BuiltDocument {
    pub(super) source: String,
    pub(super) output: String,
    pub(super) document_type: String,
    pub(super) dialect: Option<String>,
    pub(super) profile: &'static str,
    pub(super) landmarks: u64,
    pub(super) source_bytes: u64,
    pub(super) bytes: u64,
    pub(super) warnings: Vec<SourceWarning>,
}

/// Something odd in a source.
#[derive(Debug, Serialize)]
pub(super) struct SourceWarning {
    code: &'static str,
    message: String,
    line: u32,
    column: u32,
}

impl From<&Lint> for SourceWarning {
    fn from(lint: &Lint) -> Self {
        let (line, column) = (lint.at.line, lint.at.column);
        SourceWarning { code: lint.kind.code(), message: lint.kind.to_string(), line, column }
    }
}

/// All that was built and all that failed.
pub(super) struct BuildReport {
    documents: Vec<BuiltDocument>,
    passed_over: Vec<String>,
    pub(super) failures: Vec<Failure>,
}

#[derive(Serialize)]
struct BuildJson<'a> {
    format_version: u32,
    documents: &'a [BuiltDocument],
    /// Files that were compiled already.
    passed_over: &'a [String],
    failed: usize,
    source_bytes: u64,
    bytes: u64,
}

impl BuildReport {
    /// The results, the files that were compiled already, and what failed before the work began.
    pub(super) fn new(
        results: Vec<Result<BuiltDocument, Failure>>,
        passed_over: Vec<PathBuf>,
        mut failures: Vec<Failure>,
    ) -> BuildReport {
        let mut documents = Vec::new();
        for result in results {
            match result {
                Ok(document) => documents.push(document),
                Err(failure) => failures.push(failure),
            }
        }
        let passed_over = passed_over.iter().map(|path| path.to_string_lossy().into_owned()).collect();
        BuildReport { documents, passed_over, failures }
    }

    pub(super) fn warnings(&self, screen: &Screen) {
        for document in &self.documents {
            for SourceWarning { code, message, line, column } in &document.warnings {
                screen.warn(code, &format!("{message}\n --> {}:{line}:{column}", document.source));
            }
        }
    }

    pub(super) fn print(&self, screen: &Screen, is_check: bool, elapsed: Duration) -> Result<(), Failure> {
        if screen.is_json() {
            return screen.print_json(&BuildJson {
                format_version: FORMAT_VERSION,
                documents: &self.documents,
                passed_over: &self.passed_over,
                failed: self.failures.len(),
                source_bytes: self.source_bytes(),
                bytes: self.bytes(),
            });
        }
        if !screen.is_chatty() {
            return Ok(());
        }
        for path in &self.passed_over {
            screen.note(&format!("{path} is compiled already"));
        }
        let mut text = if self.documents.is_empty() { String::new() } else { self.table() };
        text.push_str(&self.summary(is_check, elapsed));
        screen.print(&text)
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
                escaped(&document.output).replace('\n', "\\n"),
                document.document_type.clone(),
                document.landmarks.to_string(),
                size(document.source_bytes),
                size(document.bytes),
                ratio(document.bytes, document.source_bytes),
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
            let (from, to, ratio) = (size(before), size(after), ratio(after, before));
            text.push_str(&format!(", {from} to {to} ({ratio}), in {}", time(elapsed)));
        }
        if !self.failures.is_empty() {
            let what = if is_check { "not up to date" } else { "failed" };
            text.push_str(&format!("; {} {what}", self.failures.len()));
        }
        text.push('\n');
        text
    }
}

/// Columns side by side: the first two to the left, as they are text, the numbers to the right.
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
