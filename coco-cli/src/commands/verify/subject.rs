//! What is verified: a source, or a compiled document where it lies.

use crate::document::{Document, Input};
use crate::failure::Failure;
use coconut_codec::compile::CompileError;
use coconut_codec::event::EventSink;
use coconut_codec::event::ValueSink;
use coconut_codec::read::verify::{dialect_of, verify_document_as};
use coconut_codec::text::json::{self, JsonOptions};
use coconut_codec::text::yaml::{self, YamlOptions};
use coconut_codec::text::{RefuseDuplicateKeys, SourceFormat, Stretch, locate};
use coconut_format::Value;
use coconut_format::landmark::Dialect;
use coconut_format::package::Package;
use coconut_format::verify::file_rules::{is_package_name, verify_file_name};
use coconut_format::verify::{Finding, verify_as_package, verify_graph};
use std::path::Path;

/// A document and everything that is wrong with it.
pub(super) struct Verified {
    pub(super) name: String,
    /// The text of a source, for showing places in it.
    pub(super) text: Vec<u8>,
    pub(super) dialect: Option<&'static str>,
    pub(super) rules: Rules,
    pub(super) findings: Vec<Located>,
}

impl Verified {
    /// What the name alone of a file tells that could not be read: it may be why it is empty.
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
    /// Nowhere in particular, or in a document that was compiled only to verify it.
    Unknown,
}

/// Which rules hold.
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
            Some(_) => Rules::Graph,
            None => Rules::None,
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

/// How documents are verified.
pub(super) struct Verification<'p> {
    /// The dialect that all are meant to be of.
    pub(super) dialect: Option<&'static Dialect>,
    /// Packages that names may lead into.
    pub(super) dependencies: Vec<&'p Package>,
}

impl Verification<'_> {
    /// Verifies a document. A compiled one is first checked as far as that is possible without its source.
    pub(super) fn verify(&self, input: Input) -> Result<Verified, Failure> {
        let mut verified = match input.is_coconut() {
            true => self.verify_compiled(checked_document(input)?),
            false => self.verify_source(input),
        }?;
        if verified.rules == Rules::Package {
            verified.findings.extend(misnamed(&verified.name));
        }
        Ok(verified)
    }

    fn verify_source(&self, input: Input) -> Result<Verified, Failure> {
        let format = input.source_format(None)?;
        let value = source_value(&input, format)?;
        let dialect = self.dialect_among(Dialect::of(&value), &input.name);
        let rules = Rules::of(dialect);
        let findings = match (dialect, rules) {
            (Some(dialect), Rules::Graph) => verify_graph(&value, dialect),
            (Some(_), Rules::Package) => verify_as_package(value, &self.dependencies),
            _ => Vec::new(),
        };
        let Input { name, bytes: text } = input;
        let pointers: Vec<&str> = findings.iter().map(|finding| finding.path.as_str()).collect();
        let stretches = locate(&text, format, &pointers)
            .map_err(|error| Failure::compiling(&name, &text, &CompileError::Source(error)))?;
        let places = stretches.into_iter().map(|stretch| stretch.map_or(Place::Unknown, Place::Text));
        let findings = findings.into_iter().zip(places).map(|(finding, place)| Located { finding, place });
        let findings = findings.collect();
        Ok(Verified { name, text, dialect: dialect.map(|dialect| dialect.name), rules, findings })
    }

    fn verify_compiled(&self, document: Document) -> Result<Verified, Failure> {
        let file = document.open().map_err(Failure::into_answer)?;
        let undecodable = |error| document.undecodable(&error).into_answer();
        let dialect = self.dialect_among(dialect_of(file.view()).map_err(undecodable)?, &document.name);
        let found = match dialect {
            Some(dialect) => {
                verify_document_as(file.view(), dialect, &self.dependencies).map_err(undecodable)?
            }
            None => Vec::new(),
        };
        let place = |offset| match document.was_compiled {
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

    /// The dialect of a document: the one that was asked for, the one that it shows, or that of packages if its name is
    /// one for those. A project without modules shows nothing.
    fn dialect_among(&self, shown: Option<&'static Dialect>, name: &str) -> Option<&'static Dialect> {
        let named = || is_package_name(file_name(name)).then(|| Dialect::named("package")).flatten();
        self.dialect.or(shown).or_else(named)
    }
}

/// What is wrong with the name of a package's file.
fn misnamed(name: &str) -> Option<Located> {
    verify_file_name(file_name(name)).map(|finding| Located { finding, place: Place::Unknown })
}

fn file_name(name: &str) -> &str {
    Path::new(name).file_name().and_then(|name| name.to_str()).unwrap_or_default()
}

/// A package that others lead into.
pub(super) fn read_package(input: Input) -> Result<Package, Failure> {
    let name = input.name.clone();
    let value = match input.is_coconut() {
        true => compiled_value(&checked_document(input)?)?,
        false => source_value(&input, input.source_format(None)?)?,
    };
    let no_package = || Failure::usage("--with needs a package, which this is not").in_file(&name);
    match Dialect::of(&value) {
        Some(dialect) if dialect.document_type == "cocopack" => {
            Package::from_value(value).map_err(|_| no_package())
        }
        _ => Err(no_package()),
    }
}

/// A compiled document that is whole. That it is damaged is the answer to the question that was asked.
fn checked_document(input: Input) -> Result<Document, Failure> {
    let document = input.into_compiled().map_err(Failure::into_answer)?;
    let file = document.open().map_err(Failure::into_answer)?;
    file.view().check_integrity().map_err(|error| document.undecodable(&error).into_answer())?;
    Ok(document)
}

fn compiled_value(document: &Document) -> Result<Value, Failure> {
    let file = document.open().map_err(Failure::into_answer)?;
    file.view().to_value().map_err(|error| document.undecodable(&error))
}

fn source_value(input: &Input, format: SourceFormat) -> Result<Value, Failure> {
    let mut sink = RefuseDuplicateKeys::new(ValueSink::new());
    read(&input.bytes, format, &mut sink)
        .map_err(|error| Failure::compiling(&input.name, &input.bytes, &error))?;
    Ok(sink.into_inner().finish().expect("a reader that succeeds has seen one whole document"))
}

fn read(text: &[u8], format: SourceFormat, sink: &mut impl EventSink) -> Result<(), CompileError> {
    match format {
        SourceFormat::Json => json::read(text, sink, &JsonOptions::default())?,
        SourceFormat::Yaml => yaml::read(text, sink, &YamlOptions::default())?,
    };
    Ok(())
}
