//! `coco check`: checks that documents are undamaged, and obey the rules of their model.

mod rendering;
mod subject;

use super::build::dialect_names;
use clap::{Args, ValueEnum};
use coconut_format::Value;
use coconut_format::landmark::Dialect;
use coconut_format::verify::Severity;
use coconut_report::json::{list, number, object, optional, report, text};
use coconut_report::{Exit, Failure};
use coconut_shell::Console;
use coconut_shell::folders::files_below;
pub(super) use rendering::program_lines;
use std::path::PathBuf;
use subject::read_packages;
use subject::{Located, Place, Rules, Verification, Verified};

/// Check that documents are undamaged and make sense
///
/// Compiled documents are checked for damage first: every checksum, table and digest. Then each
/// document is checked against the rules of its model. The rules for packages are about names,
/// tokens, types and bodies; those for graphs about keys, references, cycles and order. For a
/// folder, checks all documents below it. Shows all findings, each with its rule; `coco explain
/// RULE` gives the reason for the rule. Of an XPP file, shows what its parser found.
///
/// Exits with 1 if there is damage or an error is found.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../../tests/help/check.trycmd"))]
pub(crate) struct Check {
    /// Sources, documents or folders; `-` is standard input
    #[arg(required = true, value_name = "PATH")]
    files: Vec<PathBuf>,
    /// A package that names may refer to (repeatable)
    #[arg(long, visible_alias = "package", value_name = "PATH")]
    with: Vec<PathBuf>,
    /// Dialect of the documents (default: detected from content and name)
    #[arg(long, value_name = "NAME", value_parser = dialect_names(), hide_short_help = true)]
    dialect: Option<String>,
    /// Also exit with 1 for these findings (errors always do)
    #[arg(long, value_name = "WHAT")]
    deny: Option<Denied>,
}

/// Severities that make the exit code 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Denied {
    Warnings,
}

/// The number of findings of each severity.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    errors: usize,
    warnings: usize,
    notes: usize,
}

impl Check {
    pub(crate) fn run(self, console: &mut Console) -> Result<Exit, Failure> {
        let dependencies = read_packages(&self.with, console.reveal)?;
        let verification = Verification {
            reveal: console.reveal,
            dialect: self.dialect.as_deref().and_then(Dialect::named),
            dependencies: dependencies.iter().collect(),
        };
        let (mut verified, mut failures) = (Vec::new(), Vec::new());
        // Some unreadable documents have findings, too.
        let mut good = 0;
        for path in self.documents()? {
            match verification.verify(&path) {
                Ok(document) => {
                    good += 1;
                    console.warn_of_source(&document.name, &document.source);
                    verified.push(document);
                }
                Err(failure) => {
                    if path.is_file() {
                        verified.extend(Verified::by_name(&path));
                    }
                    failures.push(failure);
                }
            }
        }
        let counts = Counts::of(&verified);
        match console.json {
            true => console.print_json(&to_json(&verified, counts))?,
            false => show(console, &verified, counts, (good, failures.len()))?,
        }
        let is_denied = counts.errors > 0 || (self.deny == Some(Denied::Warnings) && counts.warnings > 0);
        Ok(match console.report(&failures) {
            Exit::Good if is_denied => Exit::Negative,
            exit => exit,
        })
    }
}

impl Check {
    /// The named files, and the documents below the named folders.
    fn documents(&self) -> Result<Vec<PathBuf>, Failure> {
        let mut documents = Vec::new();
        for argument in &self.files {
            match argument.is_dir() {
                true => documents.extend(files_below(argument, true)?),
                false => documents.push(argument.clone()),
            }
        }
        Ok(documents)
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

fn to_json(verified: &[Verified], counts: Counts) -> Value {
    let documents = list(verified, |document| {
        object([
            ("file", text(&document.name)),
            // `none` if no rules are known for the document.
            ("rules", text(document.rules.name())),
            ("dialect", optional(document.dialect)),
            ("findings", list(&document.findings, Located::to_json)),
        ])
    });
    let count = |count: usize| number(count as u64);
    let members = [
        ("documents", documents),
        ("errors", count(counts.errors)),
        ("warnings", count(counts.warnings)),
        ("notes", count(counts.notes)),
    ];
    report("check", members)
}

impl Located {
    /// Unknown members are left out.
    fn to_json(&self) -> Value {
        let Located { finding, place } = self;
        let (start, offset) = match place {
            Place::Text(stretch) => (Some(stretch.start), None),
            Place::Byte(offset) => (None, Some(*offset)),
            Place::Unknown => (None, None),
        };
        let line = |position: u32| number(u64::from(position));
        let location = finding.location.as_ref().map(|location| {
            object([
                ("file", optional(location.file.as_deref())),
                ("line", line(location.start.line)),
                ("column", line(location.start.column)),
            ])
        });
        let members = [
            ("rule", Some(text(finding.rule.id))),
            ("severity", Some(text(finding.severity().name()))),
            ("pointer", Some(text(&finding.path))),
            ("line", start.map(|start| line(start.line))),
            ("column", start.map(|start| line(start.column))),
            ("offset", offset.map(number)),
            ("message", Some(text(finding.message()))),
            ("expected", finding.expected.as_deref().map(text)),
            ("found", finding.found.as_deref().map(text)),
            ("hint", finding.hint.as_deref().map(text)),
            ("location", location),
        ];
        let known = members.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?)));
        Value::Object(known.collect())
    }
}

/// Shows the findings as text. If there are very many, only the first ones.
fn show(
    console: &mut Console,
    verified: &[Verified],
    counts: Counts,
    (good, failed): (usize, usize),
) -> Result<(), Failure> {
    const SHOWN: usize = 50;
    for document in verified {
        if document.rules == Rules::None {
            let name = &document.name;
            console.note(&format!("{name}: no rules are known for this document"));
        }
        for located in document.findings.iter().take(SHOWN) {
            console.print(&rendering::render(document, located, console.is_coloured()))?;
        }
        if let Some(left @ 1..) = document.findings.len().checked_sub(SHOWN) {
            console.note(&format!("{}: {left} more findings; --json lists all of them", document.name));
        }
    }
    if console.is_chatty() {
        let plural =
            |count: usize, noun: &str| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
        let (errors, warnings) = (plural(counts.errors, "error"), plural(counts.warnings, "warning"));
        let documents = plural(good, "document");
        let notes = plural(counts.notes, "note");
        let failed = if failed == 0 { String::new() } else { format!("; {failed} failed") };
        console.print(&format!("{documents} checked: {errors}, {warnings}, {notes}{failed}\n"))?;
    }
    Ok(())
}
