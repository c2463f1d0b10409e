//! `verify`: checks whether documents are undamaged.

use clap::Args;
use coconut_codec::compile::LandmarkChoice;
use coconut_codec::compile::{CompileError, read_source};
use coconut_codec::event::ValueSink;
use coconut_codec::read::file::DocumentView;
use coconut_codec::read::stream::Budget;
use coconut_codec::secrets::Redaction;
use coconut_codec::text::{SourceError, SourceFormat};
use coconut_codec::write::document_digest;
use coconut_codec::write::interner::Interner;
use coconut_format::Value;
use coconut_report::code;
use coconut_report::compare::first_difference;
use coconut_report::failure::{Exit, Failure};
use coconut_report::json::{list, number, object, report, text};
use coconut_shell::console::{BAD, Console, GOOD};
use coconut_shell::open::{
    Opened, Storage, is_document, name_of, open_bytes, open_checked, open_source, read, source_format,
};
use coconut_shell::sources::{Source, expanded};
use std::path::{Path, PathBuf};

/// Check that files are undamaged
///
/// Without options, compares all checksums and reads all values. Exits with 1 if a file is damaged
/// or differs from its source. A source has no checksums, so it is only read and compiled.
///
/// Does not check whether the values make sense: names, references, types and cycles. `coco check`
/// checks both.
#[derive(Args, Debug)]
#[command(after_long_help = include_str!("../../tests/help/verify.trycmd"))]
pub struct Verify {
    /// Documents, sources or folders; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Check only what every reader checks on opening
    ///
    /// These are the envelope, header, trailer and directory.
    #[arg(long)]
    fast: bool,

    /// Check everything
    ///
    /// Also checks shortest forms, padding, the index against the document, claims, and the
    /// document digest.
    #[arg(long, conflicts_with = "fast")]
    deep: bool,

    /// Compare with a source or with another document
    ///
    /// A source is the JSON or YAML text that the document should denote. Of another document, the
    /// values are compared.
    #[arg(long, value_name = "SOURCE", conflicts_with = "fast")]
    against: Option<PathBuf>,
}

/// The result for one file.
#[derive(Default)]
struct Verdict {
    /// The checks that were made, in order.
    checked: Vec<&'static str>,
    /// Checks that were not possible.
    notes: Vec<&'static str>,
    failure: Option<Failure>,
}

impl Verify {
    pub(super) fn run(&self, console: &mut Console) -> Result<Exit, Failure> {
        let mut exit = Exit::Good;
        let mut rows = Vec::new();
        for Source { path, fault } in expanded(&self.files, Path::is_dir) {
            let name = name_of(&path);
            let verdict = match fault {
                None => self.verify(&path, console.reveal),
                fault => Verdict { failure: fault, ..Verdict::default() },
            };
            if let Some(failure) = &verdict.failure {
                exit = worse(exit, verdict_of(failure));
            }
            match console.json {
                true => rows.push(row(&name, &verdict)),
                false => print(&name, &verdict, console)?,
            }
        }
        if console.json {
            let is_good = Value::Bool(exit == Exit::Good);
            console.print_json(&report("verify", [("ok", is_good), ("files", Value::List(rows))]))?;
        }
        Ok(exit)
    }

    fn verify(&self, path: &Path, reveal: bool) -> Verdict {
        let mut verdict = Verdict::default();
        let failure = self.check(path, reveal, &mut verdict).err();
        verdict.failure = failure.map(|failure| failure.in_file(&name_of(path)));
        verdict
    }

    fn check(&self, path: &Path, reveal: bool, verdict: &mut Verdict) -> Result<(), Failure> {
        let (name, bytes) = (name_of(path), read(path)?);
        if !is_document(&name, &bytes) {
            // Whether it can be compiled does not depend on its landmarks.
            let opened = open_source(&bytes, &name, LandmarkChoice::None, reveal)?;
            verdict.checked.push("values");
            verdict.notes.push("not covered: a source has no checksums, and its rules are for `coco check`");
            return match &self.against {
                Some(source) => check_against(&opened, source, reveal, verdict),
                None => Ok(()),
            };
        }
        let opened = open_bytes(bytes, &name, reveal)?;
        verdict.checked.push("frame");
        if opened.is_text() {
            // Opening the file has already shown that it is JSON.
            verdict.checked.push("values");
            match opened.check_text()? {
                true => verdict.checked.push("digest"),
                false => verdict.notes.push("not covered: the envelope has no `digest`"),
            }
        } else if self.deep {
            opened.view().check_integrity()?;
            verdict.checked.extend(["checksums", "values", "forms", "tables", "claims", "digest"]);
        } else if !self.fast {
            opened.view().check_blocks()?;
            verdict.checked.push("checksums");
            opened.view().check_values()?;
            verdict.checked.push("values");
            if has_index(opened.view())? {
                verdict.notes.push("index not looked at; `--deep` compares it");
            }
        }
        match &self.against {
            Some(source) => check_against(&opened, source, reveal, verdict),
            None => Ok(()),
        }
    }
}

/// Whether the document has tables computed from its values (§8.7).
fn has_index(document: DocumentView<'_>) -> Result<bool, Failure> {
    /// Parts 16 to 45; tables of later versions are equally unknown (§5.8).
    const TABLES: std::ops::Range<u8> = 16..64;
    Ok(document.parts()?.iter().any(|part| TABLES.contains(&part.number)))
}

/// The other side of a comparison.
enum Other {
    /// Source text, which is read again to compare values.
    Text(String, Storage, SourceFormat),
    /// A document of either encoding. Only its values count.
    Document(Box<Opened>),
}

impl Other {
    fn read(path: &Path, reveal: bool) -> Result<Other, Failure> {
        let (name, bytes) = (name_of(path), read(path)?);
        if is_document(&name, &bytes) {
            return Ok(Other::Document(Box::new(open_checked(bytes, &name, reveal)?)));
        }
        let format = source_format(&name, &bytes, None)?;
        Ok(Other::Text(name, bytes, format))
    }

    fn digest(&self, reveal: bool) -> Result<[u8; 32], Failure> {
        match self {
            Other::Document(opened) => digest_of(opened.view()),
            Other::Text(name, text, format) => {
                let (document, _) = read_source(text, *format)
                    .map_err(|error| Failure::compiling(name, text, &error, reveal))?;
                Ok(document_digest(&document))
            }
        }
    }

    fn value(&self, reveal: bool) -> Result<Value, Failure> {
        match self {
            Other::Document(opened) => values_held(opened),
            Other::Text(name, text, format) => value_of_source(text, *format)
                .map_err(|error| Failure::compiling(name, text, &CompileError::Source(error), reveal)),
        }
    }
}

fn digest_of(document: DocumentView<'_>) -> Result<[u8; 32], Failure> {
    let mut builder = Interner::new().read_from(document.length());
    document.stream(&mut builder, Budget::default())?;
    Ok(document_digest(&builder.finish()?))
}

/// Compares the document with the text of `source`, or its values with those of the document there.
/// The tool that created each does not matter.
fn check_against(opened: &Opened, source: &Path, reveal: bool, verdict: &mut Verdict) -> Result<(), Failure> {
    let of_source = |failure: Failure| failure.in_file(&name_of(source));
    let other = Other::read(source, reveal).map_err(of_source)?;
    let theirs = other.digest(reveal).map_err(of_source)?;
    let document = opened.view();
    if digest_of(document)? == theirs {
        verdict.checked.push("source");
        return Ok(());
    }
    let message = format!("the document differs from {}", name_of(source));
    let failure = Failure::negative(code::SOURCE_DIFFERS, message);
    let is_too_much = |failure: &Failure| failure.exit() == Exit::Limit;
    let too_much = "it is too large when expanded to show where; `dump` prints it";
    let ours = match values_held(opened) {
        Err(limit) if is_too_much(&limit) => return Err(failure.with_hint(too_much)),
        ours => ours?,
    };
    let theirs = match other.value(reveal).map_err(of_source) {
        Err(limit) if is_too_much(&limit) && matches!(other, Other::Document(_)) => {
            return Err(failure.with_hint(too_much));
        }
        theirs => theirs?,
    };
    let difference = first_difference(&theirs, &ours);
    let difference = difference.expect("documents with different digests differ somewhere");
    // A secret of one document must be hidden in the other, too, even if it is not marked there.
    let mut redactions =
        vec![Redaction::of_document(document, reveal)?, Redaction::of_source(document, &theirs, reveal)];
    if let Other::Document(other) = &other {
        redactions
            .push(Redaction::of_document(other.view(), reveal).map_err(Failure::from).map_err(of_source)?);
        redactions.push(Redaction::of_source(other.view(), &ours, reveal));
    }
    let pointer = &difference.pointer[..];
    let is_secret = redactions.iter().any(|redaction| {
        redaction.hides(pointer) || difference.is_of_values() && redaction.hides_part_of(pointer)
    });
    let (expected, found) = difference.sides(is_secret);
    let shown = redactions.iter().fold(pointer, |shown, redaction| redaction.cut(shown));
    Err(failure.at_path(shown).with_sides(expected, found))
}

/// The values of a document, in memory for the comparison with its source.
fn values_held(opened: &Opened) -> Result<Value, Failure> {
    let budget = budget_of_differences(opened.size());
    value_of(|sink| Ok(opened.view().stream(sink, budget)?))
}

/// The budget to hold the values of a document of `length` bytes in memory for the comparison.
/// Allows 16 values and 64 bytes of text for each byte, and more in small files. Never exceeds the
/// usual limit for values in memory. Real documents have one or two values for each byte, and up to
/// 30.
fn budget_of_differences(length: u64) -> Budget {
    let held = Budget::held(length);
    Budget {
        values: length.saturating_mul(16).max(1 << 20).min(held.values),
        bytes: length.saturating_mul(64).max(64 << 20).min(held.bytes),
    }
}

fn value_of(push: impl FnOnce(&mut ValueSink) -> Result<(), Failure>) -> Result<Value, Failure> {
    let mut sink = ValueSink::new();
    push(&mut sink)?;
    Ok(sink.finish().expect("a document that was read is whole"))
}

fn value_of_source(text: &[u8], format: SourceFormat) -> Result<Value, SourceError> {
    use coconut_codec::text::{json, yaml};
    let sink = match format {
        SourceFormat::Json => json::read_documents(|options| {
            let mut sink = ValueSink::new();
            json::read(text, &mut sink, options).map(|_| sink)
        })?,
        SourceFormat::Yaml => {
            let mut sink = ValueSink::new();
            yaml::read(text, &mut sink, &yaml::YamlOptions::default()).map(|_| sink)?
        }
    };
    Ok(sink.finish().expect("a document that was read is whole"))
}

/// The exit code for a file with this failure: damage is an answer, not a failure of the tool.
fn verdict_of(failure: &Failure) -> Exit {
    match failure.exit() {
        Exit::Decode => Exit::Negative,
        other => other,
    }
}

/// The worse of two exit codes: first an unreadable file, then a limit.
fn worse(a: Exit, b: Exit) -> Exit {
    let rank = |exit| match exit {
        Exit::Good => 0,
        Exit::Negative | Exit::Decode | Exit::Compile | Exit::Run => 1,
        Exit::Limit => 2,
        Exit::Usage => 3,
    };
    if rank(b) > rank(a) { b } else { a }
}

fn print(name: &str, verdict: &Verdict, console: &mut Console) -> Result<(), Failure> {
    let name = coconut_shell::console::visible(name);
    match &verdict.failure {
        None => {
            let good = console.paint(GOOD, "ok");
            console.line(&format!("{name}: {good} ({})", verdict.checked.join(", ")))?;
        }
        Some(failure) => {
            let lines = failure.to_lines();
            let mut lines = lines.lines();
            let label = console.paint(BAD, &format!("error[{}]", failure.code()));
            console.line(&format!("{name}: {label}: {}", lines.next().unwrap_or_default()))?;
            lines.try_for_each(|line| console.line(line))?;
        }
    }
    for note in &verdict.notes {
        console.line(&format!("{name}: {note}"))?;
    }
    Ok(())
}

fn row(name: &str, verdict: &Verdict) -> Value {
    let texts = |texts: &[&'static str]| list(texts, |&checked| text(checked));
    let error = verdict.failure.as_ref().map(Failure::to_value);
    object([
        ("file", text(name)),
        ("ok", Value::Bool(verdict.failure.is_none())),
        ("checked", texts(&verdict.checked)),
        ("notes", texts(&verdict.notes)),
        ("error", error.unwrap_or(Value::Null)),
        ("exit", number(verdict.failure.as_ref().map_or(Exit::Good, verdict_of) as u64)),
    ])
}
