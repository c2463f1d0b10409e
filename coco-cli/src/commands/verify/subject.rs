//! The documents to verify: a source, or a compiled document in place.

use coco_inspect::Failure;
use coco_inspect::open::{Opened, Storage, is_document, name_of, open_checked, read, source_format};
use coconut_codec::compile::CompileError;
use coconut_codec::event::ValueSink;
use coconut_codec::read::verify::{dialect_of, verify_document_as};
use coconut_codec::text::json::{self, JsonOptions};
use coconut_codec::text::yaml::{self, YamlOptions};
use coconut_codec::text::{RefuseDuplicateKeys, SourceFormat, Stretch, locate};
use coconut_format::landmark::Dialect;
use coconut_format::package::Package;
use coconut_format::verify::file_rules::{is_package_name, verify_file_name};
use coconut_format::verify::{Finding, verify_as_package, verify_graph};
use coconut_format::{DecodeError, Value};
use std::path::Path;

/// A document and all findings in it.
pub(super) struct Verified {
    pub(super) name: String,
    /// The text of a source, to show places in it.
    pub(super) text: Vec<u8>,
    pub(super) dialect: Option<&'static str>,
    pub(super) rules: Rules,
    pub(super) findings: Vec<Located>,
}

impl Verified {
    /// Findings from the name of an unreadable file alone: the name may be why it is empty.
    pub(super) fn by_name(path: &Path) -> Option<Verified> {
        let name = path.display().to_string();
        let findings = vec![misnamed(&name)?];
        Some(Verified { name, text: Vec::new(), dialect: None, rules: Rules::Package, findings })
    }
}

/// A finding, and where it is in the file.
pub(super) struct Located {
    pub(super) finding: Finding,
    pub(super) place: Place,
}

/// Where a value is in its file.
pub(super) enum Place {
    Text(Stretch),
    /// The byte at which it begins in a compiled document.
    Byte(u64),
    /// No known place, or a document that was compiled only to verify it.
    Unknown,
}

/// The set of rules that apply.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Rules {
    Package,
    Graph,
    None,
}

impl Rules {
    fn of(dialect: Option<&Dialect>) -> Rules {
        match dialect.map(|dialect| dialect.document_type) {
            Some("cocopack") => Rules::Package,
            Some("cocogl") => Rules::Graph,
            Some(_) | None => Rules::None,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Rules::Package => "package",
            Rules::Graph => "graph",
            Rules::None => "none",
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
        let mut verified = match is_document(&name, &bytes) {
            true => self.verify_compiled(&checked_document(bytes, &name, self.reveal)?),
            false => self.verify_source(name, bytes),
        }?;
        if verified.rules == Rules::Package {
            verified.findings.extend(misnamed(&verified.name));
        }
        Ok(verified)
    }

    fn verify_source(&self, name: String, text: Storage) -> Result<Verified, Failure> {
        let (value, format) = source_value(&name, &text, self.reveal)?;
        let dialect = self.dialect_among(Dialect::of(&value), &name);
        let rules = Rules::of(dialect);
        let findings = match (dialect, rules) {
            (Some(dialect), Rules::Graph) => verify_graph(&value, dialect),
            (Some(_), Rules::Package) => verify_as_package(value, &self.dependencies),
            _ => Vec::new(),
        };
        let pointers: Vec<&str> = findings.iter().map(|finding| finding.path.as_str()).collect();
        let stretches = locate(&text, format, &pointers)
            .map_err(|error| Failure::compiling(&name, &text, &CompileError::Source(error), self.reveal))?;
        let places = stretches.into_iter().map(|stretch| stretch.map_or(Place::Unknown, Place::Text));
        let findings = findings.into_iter().zip(places).map(|(finding, place)| Located { finding, place });
        let findings = findings.collect();
        Ok(Verified {
            name,
            text: text.to_vec(),
            dialect: dialect.map(|dialect| dialect.name),
            rules,
            findings,
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
        })
    }

    /// The dialect of a document: the given one, else the detected one, else that of packages if
    /// the name is a package's. A project without modules has no detectable dialect.
    fn dialect_among(&self, shown: Option<&'static Dialect>, name: &str) -> Option<&'static Dialect> {
        let named = || is_package_name(file_name(name)).then(|| Dialect::named("package")).flatten();
        self.dialect.or(shown).or_else(named)
    }
}

/// The finding for the wrong name of a package's file.
fn misnamed(name: &str) -> Option<Located> {
    verify_file_name(file_name(name)).map(|finding| Located { finding, place: Place::Unknown })
}

fn file_name(name: &str) -> &str {
    Path::new(name).file_name().and_then(|name| name.to_str()).unwrap_or_default()
}

/// Reads a package that other documents refer to.
pub(in crate::commands) fn read_package(path: &Path, reveal: bool) -> Result<Package, Failure> {
    let (name, bytes) = (name_of(path), read(path)?);
    let value = match is_document(&name, &bytes) {
        true => {
            let document = checked_document(bytes, &name, reveal)?;
            document.view().to_value().map_err(|error| Failure::from(error).in_file(&name))?
        }
        false => source_value(&name, &bytes, reveal)?.0,
    };
    let no_package = || Failure::usage("--with needs a package").in_file(&name);
    match Dialect::of(&value) {
        Some(dialect) if dialect.document_type == "cocopack" => {
            Package::from_value(value).map_err(|_| no_package())
        }
        _ => Err(no_package()),
    }
}

/// A compiled document that is whole. Damage is a finding here and not a failure of the tool.
fn checked_document(bytes: Storage, name: &str, reveal: bool) -> Result<Opened, Failure> {
    let document = open_checked(bytes, name, reveal).map_err(Failure::into_answer)?;
    document.view().check_integrity().map_err(|error| damage(error, name))?;
    Ok(document)
}

fn damage(error: DecodeError, name: &str) -> Failure {
    Failure::from(error).in_file(name).into_answer()
}

fn source_value(name: &str, text: &[u8], reveal: bool) -> Result<(Value, SourceFormat), Failure> {
    let format = source_format(name, text, None).map_err(|error| Failure::from(error).in_file(name))?;
    let mut sink = RefuseDuplicateKeys::new(ValueSink::new());
    let read = match format {
        SourceFormat::Json => json::read(text, &mut sink, &JsonOptions::default()),
        SourceFormat::Yaml => yaml::read(text, &mut sink, &YamlOptions::default()),
    };
    read.map_err(|error| Failure::compiling(name, text, &CompileError::Source(error), reveal))?;
    let value = sink.into_inner().finish().expect("a reader that succeeds has seen one whole document");
    Ok((value, format))
}
