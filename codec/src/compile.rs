//! Compiles source text into documents: the main task, in one call.
//!
//! ```
//! use coconut_codec::compile::{CompileOptions, compile};
//! use coconut_codec::read::file::DocumentFile;
//! use coconut_codec::read::lookup::Lookup;
//! use coconut_codec::read::view::Content;
//!
//! let source = br#"{"resources": {"a": {"type": "t"}, "b": {"type": "u"}}, "package": "p"}"#;
//! let compiled = compile(source, &CompileOptions::default())?;
//! let file = DocumentFile::from_data(&compiled.bytes[..])?;
//! let Lookup::Found(b) = file.view().get_unique("b")? else { panic!("it is there once") };
//! let kind = b.value()?.pointer("/type")?.expect("it has a type");
//! assert!(matches!(kind.content()?, Content::String("u")));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod document_rule;
mod names;
mod strip_locations;
mod values;

pub use document_rule::DocumentRule;
#[cfg(feature = "tooling")]
#[doc(hidden)]
pub use names::source_name;
pub use names::{COMPILED_EXTENSION, compiled_path};
pub use values::{compile_document, compile_value};
#[cfg(feature = "serde")]
pub use values::{compile_serialize, to_vec};

use crate::bounded_debug::bounded_debug;
use crate::event::{SinkError, ValueSink, push};
use crate::text::json::JsonOptions;
use crate::text::{
    EnvelopedSource, Lint, LintKind, SourceError, SourceErrorKind, SourceFormat, YamlTags, json,
};
use crate::wire::header::{Profile, SourceFinding, SourceRecord};
use crate::write::interner::{Interned, InternedNode, Interner, Kind};
use crate::write::{WriteError, Writer, WriterOptions};
use coconut_format::Value;
use coconut_format::explain::{ErrorClass, explanation};
use coconut_format::landmark::{AUTOMATIC_RULE, Dialect, LandmarkRule, automatic_rule, detect};
use sha2::{Digest, Sha256};
use std::cell::LazyCell;
use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;
use strip_locations::StripLocations;

/// Options for compiling a source. The defaults are detected from the text.
///
/// ```
/// use coconut_codec::{CompileOptions, Document, compile};
///
/// let options = CompileOptions::default().document_type("inventory").digests(true);
/// let file = Document::from_data(compile(br#"[{"name": "a"}]"#, &options)?.bytes)?;
/// assert_eq!(file.view().header().document_type, "inventory");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct CompileOptions {
    /// The source format (default: detected from the text).
    pub format: Option<SourceFormat>,
    /// The document type (default: detected from the content).
    pub document_type: Option<String>,
    /// The landmark rule.
    pub landmarks: LandmarkChoice,
    /// The encoding of values.
    pub profile: Profile,
    /// Whether the file contains the digests of its landmarks: see
    /// [`WriterOptions::digests`](crate::write::WriterOptions::digests).
    pub digests: bool,
    /// Leaves out the `loc` of every node of a package. The document is then smaller, but no longer
    /// equal to its source.
    pub strip_locations: bool,
    /// The known YAML tags other than those of the core schema (default: detected from the
    /// documents).
    pub yaml_tags: YamlTags,
}

crate::setters::setters! {
    CompileOptions: landmarks: LandmarkChoice, profile: Profile, digests: bool, strip_locations: bool,
    yaml_tags: YamlTags; format: SourceFormat, document_type: String
}

/// Source of the landmark rule of a document.
#[derive(Clone, Debug, Default)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum LandmarkChoice {
    /// The dialect detected from the content, otherwise the automatic rule.
    #[default]
    Detect,
    /// This dialect, regardless of the content.
    Dialect(&'static Dialect),
    /// The automatic rule.
    Automatic,
    /// This rule.
    Rule(LandmarkRule),
    /// The first of these that matches the document, otherwise as with `Detect`.
    ByDocument(Arc<[DocumentRule]>),
    /// No landmarks.
    None,
}

/// A compiled document.
#[derive(Clone)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Compiled {
    /// The file.
    pub bytes: Vec<u8>,
    /// The document type.
    pub document_type: String,
    /// The dialect or automatic rule that was used.
    pub dialect: Option<String>,
    /// The format of the source.
    pub format: SourceFormat,
    /// Number of landmarks.
    pub landmarks: u64,
    /// Findings about a source that is valid but probably unintended.
    pub lints: Vec<Lint>,
}

bounded_debug!(
    Compiled,
    |compiled| bytes: compiled.bytes.len(),
    format: compiled.format,
    landmarks: compiled.landmarks,
    lints: compiled.lints.len(),
);

/// The reason why a source could not be compiled.
#[derive(Debug)]
#[non_exhaustive]
pub enum CompileError {
    /// The text is not a document.
    Source(SourceError),
    /// The document cannot be written.
    Write(WriteError),
    /// The values cannot be a document.
    Values(SinkError),
    /// The Rust value cannot be a document.
    #[cfg(feature = "serde")]
    Serialize(crate::serde::SerializeError),
    /// This build cannot read texts of this format.
    Unsupported(SourceFormat),
}

impl CompileError {
    /// Returns the stable code, for machines.
    pub fn code(&self) -> &'static str {
        match self {
            CompileError::Source(error) => error.code(),
            CompileError::Write(error) => error.code(),
            CompileError::Values(error) => error.code(),
            #[cfg(feature = "serde")]
            CompileError::Serialize(error) => error.code(),
            CompileError::Unsupported(_) => coconut_format::code::SOURCE,
        }
    }

    /// Returns the party at fault.
    pub fn class(&self) -> ErrorClass {
        ErrorClass::of(self.code())
    }

    /// Returns the remedy, as an imperative without a full stop.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            #[cfg(feature = "serde")]
            CompileError::Serialize(error) => error.hint(),
            _ => self.class().hint(),
        }
    }

    /// Returns the meaning of the code and the remedy, in some paragraphs.
    pub fn explanation(&self) -> Option<&'static str> {
        explanation(self.code())
    }

    /// The error in the text, if that is the reason.
    #[cfg(feature = "cache")]
    pub(crate) fn of_source(&self) -> Option<&SourceError> {
        match self {
            CompileError::Source(error) => Some(error),
            _ => None,
        }
    }
}

/// Shows the inner error's message, so [`source`](std::error::Error::source) does not return it
/// again.
impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CompileError::Source(error) => error.fmt(f),
            CompileError::Write(error) => error.fmt(f),
            CompileError::Values(error) => error.fmt(f),
            #[cfg(feature = "serde")]
            CompileError::Serialize(error) => error.fmt(f),
            CompileError::Unsupported(format) => write!(f, "this build cannot read {}", format.name()),
        }
    }
}

impl std::error::Error for CompileError {}

impl From<SourceError> for CompileError {
    fn from(error: SourceError) -> Self {
        CompileError::Source(error)
    }
}

impl From<SinkError> for CompileError {
    fn from(error: SinkError) -> Self {
        CompileError::Values(error)
    }
}

impl From<WriteError> for CompileError {
    fn from(error: WriteError) -> Self {
        CompileError::Write(error)
    }
}

/// Compiles a source text.
///
/// Costs one pass over the text and the writer's passes over its distinct parts. Never builds a
/// tree. Memory holds the distinct parts and the file.
pub fn compile(text: &[u8], options: &CompileOptions) -> Result<Compiled, CompileError> {
    let format = options.format.unwrap_or_else(|| SourceFormat::of_text(text));
    let (document, lints) = read(text, format, options)?;
    write(&document, lints, text, format, options)
}

/// Compiles the text of a file in encoding `+json` (§2.4), whose envelope has the document type.
///
/// Costs as much as [`compile`]. Does not check the digest in the envelope: see
/// [`EnvelopedSource::check_digest`].
///
/// # Errors
///
/// Those of [`compile`]. Offsets, lines and columns are those of the file.
pub fn compile_enveloped(
    source: &EnvelopedSource<'_>,
    options: &CompileOptions,
) -> Result<Compiled, CompileError> {
    let text = source.text();
    let mut interner = Interner::new().for_text(text.len()).read_from(text.len());
    let lints = match options.strip_locations {
        true => source.push(&mut StripLocations::new(&mut interner))?,
        false => source.push(&mut interner)?,
    };
    let document_type = Some(source.envelope().document_type().to_owned());
    let options = CompileOptions { document_type, ..options.clone() };
    write(&interner.finish()?, lints, text, SourceFormat::Json, &options)
}

/// Writes a document that was read from `text`.
fn write(
    document: &Interned,
    lints: Vec<Lint>,
    text: &[u8],
    format: SourceFormat,
    options: &CompileOptions,
) -> Result<Compiled, CompileError> {
    let writer_options = writer_options(document, options, Some(source_record(text, format, &lints)));
    let (bytes, landmarks) = Writer::new(writer_options.clone()).write(document)?;
    let WriterOptions { document_type, dialect, .. } = writer_options;
    Ok(Compiled { bytes, document_type, dialect, format, landmarks, lints })
}

/// Returns the record of a source for the header.
fn source_record(text: &[u8], format: SourceFormat, lints: &[Lint]) -> SourceRecord {
    SourceRecord {
        format: format.name().to_owned(),
        bytes: text.len() as u64,
        sha_256: Sha256::digest(text).into(),
        findings: findings(lints),
    }
}

/// The findings in the order of their first places, one for each kind.
fn findings(lints: &[Lint]) -> Vec<SourceFinding> {
    let mut findings: Vec<SourceFinding> = Vec::new();
    for lint in lints {
        let code = lint.kind.code();
        match findings.iter_mut().find(|finding| finding.code == code) {
            Some(finding) => finding.count += 1,
            None => findings.push(SourceFinding {
                code: code.to_owned(),
                count: 1,
                line: lint.at.line.into(),
                column: lint.at.column.into(),
            }),
        }
    }
    findings
}

/// Compiles a source text into a file with another layout.
#[cfg(any(test, feature = "tooling"))]
#[doc(hidden)]
pub fn compile_tuned(
    text: &[u8],
    options: &CompileOptions,
    tuning: crate::write::Tuning,
) -> Result<Vec<u8>, CompileError> {
    let format = options.format.unwrap_or_else(|| SourceFormat::of_text(text));
    let (document, lints) = read(text, format, options)?;
    let source = source_record(text, format, &lints);
    let writer = Writer::new(writer_options(&document, options, Some(source))).tuned(tuning);
    Ok(writer.to_bytes(&document)?)
}

/// Reads a source text into memory.
#[doc(hidden)]
pub fn read_source(text: &[u8], format: SourceFormat) -> Result<(Interned, Vec<Lint>), CompileError> {
    read(text, format, &CompileOptions::default())
}

/// Reads a text. §17.2 Several documents become the items of a list.
fn read(
    text: &[u8],
    format: SourceFormat,
    options: &CompileOptions,
) -> Result<(Interned, Vec<Lint>), CompileError> {
    let interner = || Interner::new().for_text(text.len()).read_from(text.len());
    let strips_locations = options.strip_locations;
    match format {
        SourceFormat::Json => {
            let read = json::read_documents(|options| {
                let mut interner = interner();
                let lints = match strips_locations {
                    true => json::read(text, &mut StripLocations::new(&mut interner), options)?,
                    false => json::read(text, &mut interner, options)?,
                };
                Ok((interner, lints))
            });
            let (interner, lints) = match read {
                Err(error) => read_last_keys(text, interner(), error)?,
                Ok(read) => read,
            };
            Ok((interner.finish()?, lints))
        }
        #[cfg(feature = "yaml")]
        SourceFormat::Yaml => {
            use crate::text::yaml::{self, YamlOptions};
            let options = YamlOptions { tags: options.yaml_tags, ..YamlOptions::default() };
            let mut interner = interner();
            let lints = match strips_locations {
                true => yaml::read(text, &mut StripLocations::new(&mut interner), &options)?,
                false => yaml::read(text, &mut interner, &options)?,
            };
            Ok((interner.finish()?, lints))
        }
        #[cfg(not(feature = "yaml"))]
        SourceFormat::Yaml => Err(CompileError::Unsupported(format)),
    }
}

/// §17.2 In a state of Terraform, the last value of a repeated key counts. Any other text keeps its
/// error.
#[cold]
fn read_last_keys(
    text: &[u8],
    mut interner: Interner,
    error: SourceError,
) -> Result<(Interner, Vec<Lint>), SourceError> {
    let (SourceErrorKind::DuplicateKey { .. }, Some(first)) = (error.kind(), error.related()) else {
        return Err(error);
    };
    // A tree takes more memory than the text, so it is built only for what may be a state.
    if !text.windows(VERSION.len()).any(|word| word == VERSION) {
        return Err(error);
    }
    let mut sink = ValueSink::new();
    let is_read = json::read(text, &mut sink, &JsonOptions::default()).is_ok();
    let document = sink.finish().filter(|_| is_read).map(with_last_keys);
    let is_state = |document: &Value| {
        Dialect::of(document).is_some_and(|dialect| dialect.name.starts_with("terraform-state-"))
    };
    match document.filter(is_state).map(|document| push(&document, &mut interner)) {
        Some(Ok(())) => {
            let lint = |at| Lint { kind: LintKind::RepeatedKey, at };
            Ok((interner, vec![lint(first), lint(error.at())]))
        }
        _ => Err(error),
    }
}

/// A key of every state.
const VERSION: &[u8] = b"\"terraform_version\"";

/// A value without the earlier entries of repeated keys. Recursion is bounded by the levels of a
/// source.
fn with_last_keys(value: Value) -> Value {
    match value {
        Value::List(items) => Value::List(items.into_iter().map(with_last_keys).collect()),
        Value::Object(entries) => {
            let mut seen = HashSet::new();
            let mut kept: Vec<(String, Value)> = entries
                .into_iter()
                .rev()
                .filter(|(key, _)| seen.insert(key.clone()))
                .map(|(key, value)| (key, with_last_keys(value)))
                .collect();
            kept.reverse();
            Value::Object(kept)
        }
        scalar => scalar,
    }
}

/// The options for the writer. Detects those that `options` leaves open from the content of
/// `document`.
#[doc(hidden)]
pub fn writer_options(
    document: &Interned,
    options: &CompileOptions,
    source: Option<SourceRecord>,
) -> WriterOptions {
    let root = InternedNode { document, handle: document.root() };
    // Only the automatic rule needs sizes, and only for documents without a detected dialect.
    let sizes = LazyCell::new(|| JsonSizes::of(document));
    let size = |node: InternedNode<'_>| sizes.size(document, node);
    let automatic = |rule: LandmarkRule| {
        let name = (!rule.is_empty()).then(|| AUTOMATIC_RULE.to_owned());
        ("document", name, rule)
    };
    let (detected, dialect, rule) = match options.landmarks.for_root(root) {
        LandmarkChoice::Detect | LandmarkChoice::ByDocument(_) => {
            let detection = detect(root, size);
            match detection.dialect {
                // For packages the document type already implies it.
                Some(dialect) if dialect.document_type == "cocopack" => ("cocopack", None, detection.rule),
                Some(dialect) => (detection.document_type, Some(dialect.name.to_owned()), detection.rule),
                None => automatic(detection.rule),
            }
        }
        LandmarkChoice::Dialect(dialect) => {
            (dialect.document_type, Some(dialect.name.to_owned()), dialect.rule(root))
        }
        LandmarkChoice::Automatic => automatic(automatic_rule(root, size)),
        LandmarkChoice::Rule(rule) => ("document", None, rule),
        LandmarkChoice::None => ("document", None, LandmarkRule::default()),
    };
    let document_type = options.document_type.clone().unwrap_or_else(|| detected.to_owned());
    WriterOptions {
        profile: options.profile,
        rule,
        dialect,
        source,
        digests: options.digests,
        ..WriterOptions::new(&document_type)
    }
}

/// Bytes of each container as minified JSON, for the automatic rule.
struct JsonSizes(Vec<u64>);

impl JsonSizes {
    fn of(document: &Interned) -> JsonSizes {
        let mut sizes = JsonSizes(Vec::with_capacity(document.container_count()));
        for index in document.containers() {
            let children = document.children(index);
            let keys = document.keys(index).unwrap_or_default();
            // Quotes, colon and comma for each key; a comma for each item.
            let keys: u64 = keys.iter().map(|&key| document.text_length(key) as u64 + 3).sum();
            let values =
                children.iter().map(|&handle| sizes.size(document, InternedNode { document, handle }));
            let values = values.fold(0, u64::saturating_add);
            sizes.0.push(values.saturating_add(keys).saturating_add(children.len() as u64 + 1));
        }
        sizes
    }

    fn size(&self, document: &Interned, node: InternedNode<'_>) -> u64 {
        match document.kind(node.handle) {
            Kind::Null | Kind::Bool(true) => 4,
            Kind::Bool(false) => 5,
            Kind::Integer(number) => number.to_string().len() as u64,
            Kind::Float(_) => 8,
            Kind::String(text) => document.text_length(text) as u64 + 2,
            Kind::Container(index) => self.0[index.0 as usize],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::file::DocumentFile;

    /// The document, and the lines of its findings.
    fn compiled(text: &str) -> Result<(String, Vec<u32>), &'static str> {
        let compiled = compile(text.as_bytes(), &CompileOptions::default()).map_err(|error| error.code())?;
        assert!(compiled.lints.iter().all(|lint| lint.kind.code() == "W-DUPKEY"));
        let file = DocumentFile::from_data(&compiled.bytes[..]).unwrap();
        let source = file.view().header().source.clone().unwrap();
        assert_eq!(source.findings.first().map_or(0, |finding| finding.count), compiled.lints.len() as u64);
        let value = file.view().to_value().unwrap();
        let mut printer = json::Printer::new(Vec::new(), json::JsonStyle::Minified);
        push(&value, &mut printer).unwrap();
        let lines = compiled.lints.iter().map(|lint| lint.at.line).collect();
        Ok((String::from_utf8(printer.finish().unwrap()).unwrap(), lines))
    }

    #[test]
    fn the_last_value_of_a_repeated_key_counts_in_a_state() {
        let state = |resources: &str| {
            format!(r#"{{"version":4,"terraform_version":"1.0.0","serial":1,"resources":[{resources}]}}"#)
        };
        let resource = |middle: &str, instances: &str| {
            format!(r#"{{"mode":"managed","type":"t","name":"a",{middle}"instances":[{instances}]}}"#)
        };
        let repeated = state(&resource(
            "\n\"name\":\"b\",",
            "\n{\"attributes\":{\"x\":1},\n\"attributes\":{\"y\":{\"z\":1,\"z\":2}}}",
        ));
        let once = r#"{"mode":"managed","type":"t","name":"b","instances":[{"attributes":{"y":{"z":2}}}]}"#;
        let found = compiled(&repeated).unwrap();
        assert_eq!(found, (state(once), vec![1, 2]));
        let of_version_3 =
            r#"{"version":3,"terraform_version":"0.11","serial":1,"serial":2,"modules":[{"resources":{}}]}"#;
        assert_eq!(compiled(of_version_3).unwrap().0, of_version_3.replace(r#""serial":1,"#, ""));
        for refused in [r#"{"a":1,"a":2}"#, r#"{"terraform_version":"1","terraform_version":"2"}"#] {
            assert_eq!(compiled(refused), Err("SRC-DUPKEY"));
        }
        let fault = state(&resource("", r#"{"attributes":{"x":1,"x":1e999}}"#));
        assert_eq!(compiled(&fault), Err("SRC-DUPKEY"));
    }
}
