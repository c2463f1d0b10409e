//! The documents to verify: a source, or a compiled document in place.

use coconut_codec::SourceFinding;
use coconut_codec::compile::{CompileError, CompileOptions, compile};
use coconut_codec::read::file::{DocumentFile, DocumentView};
use coconut_codec::read::stream::Budget;
use coconut_codec::read::verify::{dialect_of, verify_document_as};
use coconut_codec::text::{SourceFormat, Stretch, locate};
use coconut_format::DecodeError;
use coconut_format::landmark::Dialect;
use coconut_format::location::{Location, Position};
use coconut_format::package::Package;
use coconut_format::verify::{Finding, Rule};
use coconut_format::verify::{is_package_name, verify_file_name};
use coconut_pcore::{DiagnosticSeverity, ParseResult};
use coconut_report::Failure;
use coconut_shell::open::{Opened, Storage, is_document, name_of, open_checked, read, source_format};
use coconut_shell::pcore::{is_stream, read_stream};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A document and all findings in it.
pub(super) struct Verified {
    pub(super) name: String,
    /// The text of a source, to show places in it.
    pub(super) text: Vec<u8>,
    pub(super) dialect: Option<&'static str>,
    pub(super) rules: Rules,
    pub(super) findings: Vec<Located>,
    /// Findings about the text of a source.
    pub(super) source: Vec<SourceFinding>,
}

impl Verified {
    /// Findings from the name of an unreadable file alone: the name may be why it is empty.
    pub(super) fn by_name(path: &Path) -> Option<Verified> {
        let name = path.display().to_string();
        let findings = vec![misnamed(&name)?];
        Some(Verified {
            name,
            text: Vec::new(),
            dialect: None,
            rules: Rules::Package,
            findings,
            source: Vec::new(),
        })
    }
}

/// A finding, and its place in the file.
pub(super) struct Located {
    pub(super) finding: Finding,
    pub(super) place: Place,
}

/// The place of a value in its file.
pub(super) enum Place {
    Text(Stretch),
    /// The byte at which it begins in a compiled document.
    Byte(u64),
    /// No known place, or a document that was compiled only to verify it.
    Unknown,
}

coconut_format::named! {
    /// The set of rules that apply.
    #[derive(Clone, Copy, PartialEq, Eq)]
    pub(super) enum Rules {
        Package = "package";
        Graph = "graph";
        /// The findings of a parser, in a stream of Pcore.
        Stream = "stream";
        None = "none";
    }
    pub(super) fn name;
}

impl Rules {
    fn of(dialect: Option<&Dialect>) -> Rules {
        match dialect.map(|dialect| dialect.document_type) {
            Some("cocopack") => Rules::Package,
            Some("cocogl") => Rules::Graph,
            Some(_) | None => Rules::None,
        }
    }
}

/// Settings of a run.
pub(super) struct Verification<'p> {
    /// Whether errors may show the text of a source that names secrets.
    pub(super) reveal: bool,
    /// The dialect of all documents, if it was given.
    pub(super) dialect: Option<&'static Dialect>,
    /// Packages that names may refer to.
    pub(super) dependencies: Vec<&'p Package>,
}

impl Verification<'_> {
    /// Verifies a document. A compiled one is first checked as far as possible without its source.
    pub(super) fn verify(&self, path: &Path) -> Result<Verified, Failure> {
        let (name, bytes) = (name_of(path), read(path)?);
        if !is_document(&name, &bytes) && is_stream(&bytes) {
            return verify_stream(name, &bytes);
        }
        let mut verified = match is_document(&name, &bytes) {
            true => self.verify_compiled(&checked_document(bytes, &name, self.reveal)?),
            false => self.verify_source(name, bytes),
        }?;
        if verified.rules == Rules::Package {
            verified.findings.extend(misnamed(&verified.name));
        }
        Ok(verified)
    }

    /// A source is compiled in memory. So only documents with rules for packages become a tree.
    fn verify_source(&self, name: String, text: Storage) -> Result<Verified, Failure> {
        let (file, format) = compiled(&name, &text, self.reveal)?;
        let refused = |error: DecodeError| Failure::from(error).in_file(&name);
        let dialect = self.dialect_among(dialect_of(file.view()).map_err(refused)?, &name);
        let found = match dialect {
            Some(dialect) => verify_document_as(file.view(), dialect, &self.dependencies).map_err(refused)?,
            None => Vec::new(),
        };
        let source = file.view().header().source.as_ref();
        let source = source.map(|record| record.findings.clone()).unwrap_or_default();
        drop(file);
        let pointers: Vec<&str> = found.iter().map(|located| &*located.finding.path).collect();
        let stretches = locate(&text, format, &pointers)
            .map_err(|error| Failure::compiling(&name, &text, &CompileError::Source(error), self.reveal))?;
        let places = stretches.into_iter().map(|stretch| stretch.map_or(Place::Unknown, Place::Text));
        let findings = found.into_iter().zip(places);
        let findings = findings.map(|(located, place)| Located { finding: located.finding, place }).collect();
        Ok(Verified {
            name,
            text: text.to_vec(),
            dialect: dialect.map(|dialect| dialect.name),
            rules: Rules::of(dialect),
            findings,
            source,
        })
    }

    fn verify_compiled(&self, document: &Opened) -> Result<Verified, Failure> {
        let view = document.view();
        let dialect = dialect_of(view).map_err(|error| damage(error, &document.name))?;
        let dialect = self.dialect_among(dialect, &document.name);
        let found = match dialect {
            Some(dialect) => verify_document_as(view, dialect, &self.dependencies)
                .map_err(|error| damage(error, &document.name))?,
            None => Vec::new(),
        };
        let place = |offset| match document.is_text() {
            true => Place::Unknown,
            false => Place::Byte(offset),
        };
        let findings = found
            .into_iter()
            .map(|located| Located { finding: located.finding, place: place(located.offset) });
        Ok(Verified {
            findings: findings.collect(),
            text: Vec::new(),
            dialect: dialect.map(|dialect| dialect.name),
            rules: Rules::of(dialect),
            name: document.name.clone(),
            source: Vec::new(),
        })
    }

    /// The dialect of a document: the given one, otherwise the detected one, otherwise that of
    /// packages if the name is a package's. A project without modules has no detectable dialect.
    fn dialect_among(&self, shown: Option<&'static Dialect>, name: &str) -> Option<&'static Dialect> {
        let named = || is_package_name(file_name(name)).then(|| Dialect::named("package")).flatten();
        self.dialect.or(shown).or_else(named)
    }
}

/// The findings that a parser stored in a stream. Reading the stream checks all of it.
fn verify_stream(name: String, bytes: &[u8]) -> Result<Verified, Failure> {
    let stream = read_stream(bytes, &name, None)?;
    let result = ParseResult::of(&stream);
    let findings = result.iter().flat_map(|result| &result.diagnostics).filter_map(|diagnostic| {
        let rule = Rule::by_id(match diagnostic.severity {
            DiagnosticSeverity::Error => "XPP-ERROR",
            DiagnosticSeverity::Warning => "XPP-WARNING",
        })?;
        let code = diagnostic.issue_code.as_ref().map_or(String::new(), |code| format!(" ({code})"));
        let mut finding = Finding::new(rule, "");
        finding.found = Some(format!("{}{code}", diagnostic.message));
        let number = |number: Option<u64>| number.and_then(|number| u32::try_from(number).ok());
        finding.location = number(diagnostic.line).map(|line| Location {
            file: diagnostic.file.as_deref().map(Arc::from),
            start: Position { line, column: number(diagnostic.column).unwrap_or(1) },
            end: None,
        });
        Some(Located { finding, place: Place::Unknown })
    });
    Ok(Verified {
        findings: findings.collect(),
        name,
        text: Vec::new(),
        dialect: None,
        rules: Rules::Stream,
        source: Vec::new(),
    })
}

/// The finding for the wrong name of a package's file.
fn misnamed(name: &str) -> Option<Located> {
    verify_file_name(file_name(name)).map(|finding| Located { finding, place: Place::Unknown })
}

fn file_name(name: &str) -> &str {
    Path::new(name).file_name().and_then(|name| name.to_str()).unwrap_or_default()
}

/// Reads the packages that other documents refer to. Their values share one budget.
pub(super) fn read_packages(paths: &[PathBuf], reveal: bool) -> Result<Vec<Package>, Failure> {
    let (mut length, mut used) = (0, Budget { values: 0, bytes: 0 });
    let mut within = |view: DocumentView<'_>| {
        length += view.bytes().len() as u64;
        let Budget { values, bytes } = Budget::owned(length);
        let most = Budget { values: values - used.values, bytes: bytes - used.bytes };
        let mut left = most;
        let value = view.to_value_within(&mut left)?;
        used.values += most.values - left.values;
        used.bytes += most.bytes - left.bytes;
        Ok::<_, DecodeError>(value)
    };
    let mut packages = Vec::with_capacity(paths.len());
    for path in paths {
        let (name, bytes) = (name_of(path), read(path)?);
        let value = match is_document(&name, &bytes) {
            true => within(checked_document(bytes, &name, reveal)?.view()),
            false => within(compiled(&name, &bytes, reveal)?.0.view()),
        };
        let value = value.map_err(|error| Failure::from(error).in_file(&name))?;
        let no_package = || Failure::usage("--with needs a package").in_file(&name);
        packages.push(match Dialect::of(&value) {
            Some(dialect) if dialect.document_type == "cocopack" => {
                Package::from_value(value).map_err(|_| no_package())?
            }
            _ => return Err(no_package()),
        });
    }
    Ok(packages)
}

/// An undamaged compiled document. Damage is a finding here, not a failure of the tool.
fn checked_document(bytes: Storage, name: &str, reveal: bool) -> Result<Opened, Failure> {
    let document = open_checked(bytes, name, reveal).map_err(Failure::into_answer)?;
    document.view().check_integrity().map_err(|error| damage(error, name))?;
    Ok(document)
}

fn damage(error: DecodeError, name: &str) -> Failure {
    Failure::from(error).in_file(name).into_answer()
}

/// A source that was compiled in memory, and its format.
fn compiled(name: &str, text: &[u8], reveal: bool) -> Result<(DocumentFile<Vec<u8>>, SourceFormat), Failure> {
    let format = source_format(name, text, None).map_err(|error| Failure::from(error).in_file(name))?;
    let compiled = compile(text, &CompileOptions { format: Some(format), ..CompileOptions::default() })
        .map_err(|error| Failure::compiling(name, text, &error, reveal))?;
    let file = DocumentFile::from_data(compiled.bytes).expect("what was just written can be read");
    Ok((file, format))
}
