//! Whether documents are undamaged, and whether they have the values of their source.

use crate::code;
use crate::compare::first_difference;
use crate::failure::{Exit, Failure};
use crate::json::{list, number, object, report, text};
use crate::safe::visible;
use crate::source::Source;
use crate::style::{BAD, GOOD, TextWriter};
use coconut_codec::compile::{CompileError, read_source};
use coconut_codec::event::ValueSink;
use coconut_codec::read::file::DocumentView;
use coconut_codec::read::stream::Budget;
use coconut_codec::secrets::Redaction;
use coconut_codec::text::{SourceError, SourceFormat};
use coconut_codec::write::document_digest;
use coconut_codec::write::interner::Interner;
use coconut_format::Value;

/// The checks of a compiled document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// None but those of every reader on opening.
    Fast,
    /// Checksums and values.
    Usual,
    /// Everything, with the index, claims and the digest.
    Deep,
}

/// The result for one file.
#[derive(Debug, Default)]
pub struct Verdict {
    /// The checks that were made, in order.
    checked: Vec<&'static str>,
    /// Checks that were not possible.
    notes: Vec<&'static str>,
    /// The reason why the file is not good.
    pub failure: Option<Failure>,
}

impl Verdict {
    /// Records that a source was compiled.
    pub fn compiled(&mut self) {
        self.checked.push("values");
        self.notes.push("not covered: a source has no checksums, and its rules are for `coco check`");
    }

    /// Records that a file in the text encoding was read, and whether it has a digest, which
    /// was compared.
    pub fn read_text(&mut self, has_digest: Result<bool, Failure>) -> Result<(), Failure> {
        // Opening the file has already shown that it is JSON.
        self.checked.extend(["frame", "values"]);
        match has_digest? {
            true => self.checked.push("digest"),
            false => self.notes.push("not covered: the envelope has no `digest`"),
        }
        Ok(())
    }

    /// Checks a compiled document.
    pub fn check(&mut self, document: DocumentView<'_>, depth: Depth) -> Result<(), Failure> {
        self.checked.push("frame");
        if depth == Depth::Deep {
            document.check_integrity()?;
            self.checked.extend(["checksums", "values", "forms", "tables", "claims", "digest"]);
        } else if depth == Depth::Usual {
            document.check_blocks()?;
            self.checked.push("checksums");
            document.check_values()?;
            self.checked.push("values");
            if has_index(document)? {
                self.notes.push("index not looked at; `--deep` compares it");
            }
        }
        Ok(())
    }

    /// Compares the values of the document with those of a text or of another document. The tool
    /// that created each does not matter.
    pub fn check_against(
        &mut self,
        ours: Source<'_>,
        other: &Other<'_>,
        reveal: bool,
    ) -> Result<(), Failure> {
        let of_source = |failure: Failure| failure.in_file(other.name());
        let theirs = other.digest(reveal).map_err(of_source)?;
        let document = ours.view;
        if digest_of(document)? == theirs {
            self.checked.push("source");
            return Ok(());
        }
        let message = format!("the document differs from {}", other.name());
        let failure = Failure::negative(code::SOURCE_DIFFERS, message);
        let is_too_much = |failure: &Failure| failure.exit() == Exit::Limit;
        let too_much = "it is too large when expanded to show where; `dump` prints it";
        let held = match values_held(ours) {
            Err(limit) if is_too_much(&limit) => return Err(failure.with_hint(too_much)),
            held => held?,
        };
        let theirs = match other.value(reveal).map_err(of_source) {
            Err(limit) if is_too_much(&limit) && matches!(other, Other::Document(_)) => {
                return Err(failure.with_hint(too_much));
            }
            theirs => theirs?,
        };
        let difference = first_difference(&theirs, &held);
        let difference = difference.expect("documents with different digests differ somewhere");
        // A secret of one document must be hidden in the other, too, even if it is not marked
        // there.
        let mut redactions =
            vec![Redaction::of_document(document, reveal)?, Redaction::of_source(document, &theirs, reveal)];
        if let Other::Document(other) = other {
            redactions
                .push(Redaction::of_document(other.view, reveal).map_err(Failure::from).map_err(of_source)?);
            redactions.push(Redaction::of_source(other.view, &held, reveal));
        }
        let pointer = &difference.pointer[..];
        let is_secret = redactions.iter().any(|redaction| {
            redaction.hides(pointer) || difference.is_of_values() && redaction.hides_part_of(pointer)
        });
        let (expected, found) = difference.sides(is_secret);
        let shown = redactions.iter().fold(pointer, |shown, redaction| redaction.cut(shown));
        Err(failure.at_path(shown).with_sides(expected, found))
    }

    /// The exit code for the file: damage is an answer, not a failure of the tool.
    fn exit(&self) -> Exit {
        match self.failure.as_ref().map_or(Exit::Good, Failure::exit) {
            Exit::Decode => Exit::Negative,
            other => other,
        }
    }

    /// Writes the result, and a line for each note.
    pub fn write_text(&self, name: &str, out: &mut TextWriter<'_>) -> Result<(), Failure> {
        let name = visible(name);
        match &self.failure {
            None => {
                let good = out.paint(GOOD, "ok");
                out.line(&format!("{name}: {good} ({})", self.checked.join(", ")))?;
            }
            Some(failure) => {
                let label = out.paint(BAD, &format!("error[{}]", failure.code()));
                out.line(&format!("{name}: {label}: {}", failure.to_lines()))?;
            }
        }
        self.notes.iter().try_for_each(|note| out.line(&format!("{name}: {note}")))
    }

    fn to_value(&self, name: &str) -> Value {
        object([
            ("file", text(name)),
            ("ok", Value::Bool(self.failure.is_none())),
            ("checked", list(&self.checked, |&checked| text(checked))),
            ("notes", list(&self.notes, |&note| text(note))),
            ("error", self.failure.as_ref().map_or(Value::Null, Failure::to_value)),
            ("exit", number(self.exit() as u64)),
        ])
    }
}

/// The exit code for these files, the worst of all: first an unreadable file, then a limit.
pub fn exit_of(verdicts: &[(String, Verdict)]) -> Exit {
    let rank = |exit: &Exit| match exit {
        Exit::Good => 0,
        Exit::Negative | Exit::Decode | Exit::Compile | Exit::Run => 1,
        Exit::Limit => 2,
        Exit::Usage => 3,
    };
    // Of equal ranks, the first.
    let exits = verdicts.iter().rev().map(|(_, verdict)| verdict.exit());
    exits.max_by_key(rank).unwrap_or(Exit::Good)
}

/// The report about these files. The schema is `schemas/verify.json`.
pub fn to_report(verdicts: &[(String, Verdict)]) -> Value {
    let is_good = Value::Bool(exit_of(verdicts) == Exit::Good);
    report("verify", [("ok", is_good), ("files", list(verdicts, |(name, verdict)| verdict.to_value(name)))])
}

/// Whether the document has tables computed from its values (§8.7).
fn has_index(document: DocumentView<'_>) -> Result<bool, Failure> {
    /// Parts 16 to 45; tables of later versions are equally unknown (§5.8).
    const TABLES: std::ops::Range<u8> = 16..64;
    Ok(document.parts()?.iter().any(|part| TABLES.contains(&part.number)))
}

/// The other side of a comparison.
pub enum Other<'o> {
    /// The name, bytes and format of source text.
    Text(&'o str, &'o [u8], SourceFormat),
    /// A document of either encoding. Only its values count.
    Document(Source<'o>),
}

impl Other<'_> {
    fn name(&self) -> &str {
        match self {
            Other::Text(name, ..) => name,
            Other::Document(source) => source.name,
        }
    }

    fn digest(&self, reveal: bool) -> Result<[u8; 32], Failure> {
        match *self {
            Other::Document(source) => digest_of(source.view),
            Other::Text(name, text, format) => {
                let (document, _) = read_source(text, format)
                    .map_err(|error| Failure::compiling(name, text, &error, reveal))?;
                Ok(document_digest(&document))
            }
        }
    }

    fn value(&self, reveal: bool) -> Result<Value, Failure> {
        match *self {
            Other::Document(source) => values_held(source),
            Other::Text(name, text, format) => value_of_source(text, format)
                .map_err(|error| Failure::compiling(name, text, &CompileError::Source(error), reveal)),
        }
    }
}

fn digest_of(document: DocumentView<'_>) -> Result<[u8; 32], Failure> {
    let mut builder = Interner::new().read_from(document.length());
    document.stream(&mut builder, Budget::default())?;
    Ok(document_digest(&builder.finish()?))
}

/// The values of a document, in memory for the comparison with its source.
fn values_held(source: Source<'_>) -> Result<Value, Failure> {
    let budget = budget_of_differences(source.size);
    value_of(|sink| Ok(source.view.stream(sink, budget)?))
}

/// The budget to hold the values of a document of `length` bytes in memory for the comparison.
/// Allows 16 values and 64 bytes of text for each byte, and more in small files. Never exceeds the
/// usual limit for values in memory. Real documents have one or two values for each byte, and up to
/// 30.
fn budget_of_differences(length: u64) -> Budget {
    let held = Budget::held(length);
    held.values(length.saturating_mul(16).max(1 << 20).min(held.values))
        .bytes(length.saturating_mul(64).max(64 << 20).min(held.bytes))
}

fn value_of(push: impl FnOnce(&mut ValueSink) -> Result<(), Failure>) -> Result<Value, Failure> {
    let mut sink = ValueSink::new();
    push(&mut sink)?;
    Ok(sink.finish().expect("a document that was read is whole"))
}

fn value_of_source(text: &[u8], format: SourceFormat) -> Result<Value, SourceError> {
    use coconut_codec::text::{json, yaml};
    let sink = if format == SourceFormat::Yaml {
        let mut sink = ValueSink::new();
        yaml::read(text, &mut sink, &yaml::YamlOptions::default()).map(|_| sink)?
    } else {
        json::read_documents(|options| {
            let mut sink = ValueSink::new();
            json::read(text, &mut sink, options).map(|_| sink)
        })?
    };
    Ok(sink.finish().expect("a document that was read is whole"))
}
