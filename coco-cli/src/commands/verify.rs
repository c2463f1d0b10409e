//! `coco pack verify`: what is wrong with documents that can be read.

mod files;
mod rendering;
mod subject;

use super::build::dialect_names;
use crate::command_line::examples;
use crate::document::Input;
use crate::failure::{Exit, Failure};
use crate::screen::{FORMAT_VERSION, Screen, on_one_line};
use clap::{Args, ValueEnum};
use coconut_format::landmark::Dialect;
use coconut_format::verify::Severity;
use serde::Serialize;
use std::path::PathBuf;
use subject::{Located, Place, Rules, Verification, Verified, read_package};

/// Verify packages and graphs
///
/// Holds each document to the rules of its model: packages to those for names, tokens, types and bodies, graphs to
/// those for keys, references, cycles and order. Compiled documents are checked first: every checksum, table and
/// digest. Of folders, all documents below them are verified. All findings are shown, each with its rule; `coco explain RULE` says why the rule is there.
#[derive(Debug, Args)]
#[command(after_long_help = examples(include_str!("../../tests/commands/pack-verify.md")))]
pub(crate) struct Verify {
    /// Sources, compiled documents, and folders of both; `-` is standard input
    #[arg(required = true, value_name = "PATH")]
    files: Vec<PathBuf>,
    /// A package that names may lead into; may be given several times
    #[arg(long, visible_alias = "package", value_name = "PATH")]
    with: Vec<PathBuf>,
    /// What sort of document these are, if it is not to be told from content and name
    #[arg(long, value_name = "NAME", value_parser = dialect_names())]
    dialect: Option<String>,
    /// What else is a reason to exit with 1, besides errors
    #[arg(long, value_name = "WHAT")]
    deny: Option<Denied>,
}

/// What is a reason to exit with 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Denied {
    Warnings,
}

/// How many findings there are of each severity.
#[derive(Clone, Copy, Debug, Default, Serialize)]
struct Counts {
    errors: usize,
    warnings: usize,
    notes: usize,
}

#[derive(Serialize)]
struct VerifyJson<'a> {
    format_version: u32,
    documents: Vec<VerifiedJson<'a>>,
    #[serde(flatten)]
    counts: Counts,
}

#[derive(Serialize)]
struct VerifiedJson<'a> {
    file: &'a str,
    /// `package`, `graph`, or `none` where no rules are known for the document.
    rules: &'static str,
    dialect: Option<&'a str>,
    findings: Vec<FindingJson<'a>>,
}

#[derive(Serialize)]
struct FindingJson<'a> {
    rule: &'a str,
    severity: &'a str,
    pointer: &'a str,
    /// Where the value begins in a source.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
    /// Where the value begins in a compiled document.
    #[serde(skip_serializing_if = "Option::is_none")]
    offset: Option<u64>,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    found: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<&'a str>,
    /// Where the program stands that the package was compiled from.
    #[serde(skip_serializing_if = "Option::is_none")]
    location: Option<LocationJson<'a>>,
}

#[derive(Serialize)]
struct LocationJson<'a> {
    file: Option<&'a str>,
    line: u32,
    column: u32,
}

impl Verify {
    pub(crate) fn run(self, screen: &Screen) -> Result<Exit, Failure> {
        let mut dependencies = Vec::new();
        for path in &self.with {
            dependencies.push(read_package(Input::read(path)?)?);
        }
        let verification = Verification {
            dialect: self.dialect.as_deref().and_then(Dialect::named),
            dependencies: dependencies.iter().collect(),
        };
        let (mut verified, mut failures) = (Vec::new(), Vec::new());
        for path in files::documents(&self.files)? {
            match Input::read(&path).and_then(|input| verification.verify(input)) {
                Ok(document) => verified.push(document),
                Err(failure) => {
                    if path.is_file() {
                        verified.extend(Verified::by_name(&path));
                    }
                    failures.push(failure);
                }
            }
        }
        let counts = Counts::of(&verified);
        match screen.is_json() {
            true => screen.print_json(&report(&verified, counts))?,
            false => show(screen, &verified, counts)?,
        }
        let is_denied = counts.errors > 0 || (self.deny == Some(Denied::Warnings) && counts.warnings > 0);
        Ok(match screen.report(&failures) {
            Exit::Good if is_denied => Exit::Negative,
            exit => exit,
        })
    }
}

impl Counts {
    fn of(verified: &[Verified]) -> Counts {
        let mut counts = Counts::default();
        for located in verified.iter().flat_map(|verified| &verified.findings) {
            match located.finding.severity() {
                Severity::Error => counts.errors += 1,
                Severity::Warning => counts.warnings += 1,
                Severity::Note => counts.notes += 1,
            }
        }
        counts
    }
}

fn report(verified: &[Verified], counts: Counts) -> VerifyJson<'_> {
    let documents = verified.iter().map(|document| VerifiedJson {
        file: &document.name,
        rules: document.rules.name(),
        dialect: document.dialect,
        findings: document.findings.iter().map(FindingJson::from).collect(),
    });
    VerifyJson { format_version: FORMAT_VERSION, documents: documents.collect(), counts }
}

impl<'a> From<&'a Located> for FindingJson<'a> {
    fn from(Located { finding, place }: &'a Located) -> Self {
        let (start, offset) = match place {
            Place::Text(stretch) => (Some(stretch.start), None),
            Place::Byte(offset) => (None, Some(*offset)),
            Place::Unknown => (None, None),
        };
        FindingJson {
            line: start.map(|start| start.line),
            column: start.map(|start| start.column),
            offset,
            rule: finding.rule.id,
            severity: finding.severity().name(),
            pointer: &finding.path,
            message: finding.rule.summary,
            expected: finding.expected.as_deref(),
            found: finding.found.as_deref(),
            hint: finding.hint.as_deref(),
            location: finding.location.as_ref().map(|location| LocationJson {
                file: location.file.as_deref(),
                line: location.start.line,
                column: location.start.column,
            }),
        }
    }
}

/// Shows the findings to a person. Of very many, the first ones are enough to begin with.
fn show(screen: &Screen, verified: &[Verified], counts: Counts) -> Result<(), Failure> {
    const SHOWN: usize = 50;
    for document in verified {
        if document.rules == Rules::None {
            let name = on_one_line(&document.name);
            screen.note(&format!("{name}: no rules are known for this document"));
        }
        for located in document.findings.iter().take(SHOWN) {
            screen.print(&rendering::render(document, located))?;
        }
        if let Some(left @ 1..) = document.findings.len().checked_sub(SHOWN) {
            screen.note(&format!("{}: {left} more findings; --json lists all of them", document.name));
        }
    }
    if screen.is_chatty() {
        let plural =
            |count: usize, noun: &str| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
        let (errors, warnings) = (plural(counts.errors, "error"), plural(counts.warnings, "warning"));
        let documents = plural(verified.len(), "document");
        screen.print(&format!(
            "{documents} verified: {errors}, {warnings}, {}\n",
            plural(counts.notes, "note")
        ))?;
    }
    Ok(())
}
