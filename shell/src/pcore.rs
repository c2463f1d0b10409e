//! §24 Streams of Pcore as documents, for all commands that read.

use coconut_codec::compile::{CompileError, CompileOptions, compile_document};
use coconut_codec::write::interner::Interner;
use coconut_format::Value;
use coconut_format::numerals::grouped;
use coconut_pcore::{
    Diagnostic, Dialect, Envelope, ParseResult, PcoreError, PcoreErrorKind, Recognition, Stream,
    is_json_stream, recognise,
};
use coconut_report::failure::{Exit, Failure};
use coconut_report::json::{list, number, object, optional, text};

/// The facts about a stream, apart from its values.
#[derive(Clone, Debug)]
pub struct StreamFacts {
    dialect: Dialect,
    encoding: &'static str,
    parameters: Vec<(String, String)>,
    values: u64,
    all: u64,
    shared: u64,
    /// The syntax tree and the diagnostics of a parser, if it holds these.
    pub result: Option<ParseResult>,
}

/// Whether the bytes of a file are a stream of Pcore.
pub fn is_stream(bytes: &[u8]) -> bool {
    match recognise(bytes) {
        Recognition::Other => false,
        Recognition::Stream => true,
        Recognition::PerhapsJson => is_json_stream(bytes),
    }
}

/// Reads a stream.
pub fn read_stream<'a>(bytes: &'a [u8], name: &str, dialect: Option<Dialect>) -> Result<Stream<'a>, Failure> {
    Stream::read(bytes, dialect).map_err(|error| failure_of(&error).in_file(name))
}

/// The document of a stream, compiled.
pub fn compile_stream(stream: &Stream<'_>, name: &str, options: &CompileOptions) -> Result<Vec<u8>, Failure> {
    let mut interner = Interner::new();
    let pushed = stream.push(&mut interner);
    let document = pushed.and_then(|()| interner.finish());
    let document = document.map_err(|error| Failure::from(error).in_file(name))?;
    let compiled = compile_document(&document, options).map_err(|error| match error {
        CompileError::Write(error) => Failure::from(&error).in_file(name),
        other => Failure::new(Exit::Decode, other.code(), other.to_string()).in_file(name),
    })?;
    Ok(compiled.bytes)
}

/// The failure of a stream, with the place of the fault.
pub fn failure_of(error: &PcoreError) -> Failure {
    let exit = match error.kind() {
        PcoreErrorKind::Limit { .. } => Exit::Limit,
        _ => Exit::Decode,
    };
    let failure = Failure::new(exit, error.code(), error.kind().to_string());
    let failure = match error.path() {
        Some(path) => failure.at_path(path),
        None => failure.at_offset(error.offset()),
    };
    match error.kind() {
        PcoreErrorKind::Ambiguous { .. } => {
            failure.with_hint("name the writer: `coco import pcore FILE --dialect NAME -o OUT`")
        }
        _ => failure,
    }
}

impl StreamFacts {
    /// The facts of a stream.
    pub fn of(stream: &Stream<'_>) -> StreamFacts {
        let parameters = stream.envelope().map(Envelope::parameters).unwrap_or_default();
        StreamFacts {
            dialect: stream.dialect(),
            encoding: stream.encoding().name(),
            parameters: parameters.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect(),
            values: stream.values() as u64,
            all: stream.len() as u64,
            shared: stream.shared() as u64,
            result: ParseResult::of(stream),
        }
    }

    /// The lines of `info`: a heading, and a fact.
    pub fn rows(&self) -> Vec<(&'static str, String)> {
        let plural = |count: u64, noun: &str| {
            format!("{} {noun}{}", grouped(count), if count == 1 { "" } else { "s" })
        };
        let mut rows =
            vec![("stream", format!("Pcore in {}, as {} writes it", self.encoding, self.dialect.name()))];
        rows.push((
            "",
            format!(
                "{} of {}, {} shared",
                plural(self.values, "document"),
                plural(self.all, "value"),
                grouped(self.shared)
            ),
        ));
        for (name, value) in &self.parameters {
            rows.push(("parameter", format!("{name}={value}")));
        }
        let Some(result) = &self.result else { return rows };
        let tree = result.nodes.map_or("none".to_owned(), |nodes| plural(nodes, "node"));
        rows.push(("syntax tree", tree));
        for (name, count) in &result.definitions {
            rows.push(("", format!("{} {name}", grouped(*count))));
        }
        if let Some(file) = &result.file {
            let bytes =
                result.source_bytes.map_or(String::new(), |bytes| format!(", {}", plural(bytes, "byte")));
            rows.push(("parsed from", format!("{file}{bytes}")));
        }
        let count = |name: &str| {
            let of = result.diagnostics.iter().filter(|diagnostic| diagnostic.severity.name() == name);
            of.count() as u64
        };
        let (errors, warnings) = (count("error"), count("warning"));
        rows.push(("diagnostics", format!("{}, {}", plural(errors, "error"), plural(warnings, "warning"))));
        rows.extend(result.diagnostics.iter().map(|diagnostic| ("", described(diagnostic))));
        rows
    }

    /// The member `pcore` of `info --json`.
    pub fn to_value(&self) -> Value {
        let parameters = self.parameters.iter().map(|(name, value)| (name.clone(), text(value)));
        let result = self.result.as_ref().map(|result| {
            object([
                ("nodes", optional_number(result.nodes)),
                ("file", optional(result.file.as_deref())),
                ("source_bytes", optional_number(result.source_bytes)),
                (
                    "definitions",
                    Value::Object(
                        result
                            .definitions
                            .iter()
                            .map(|(name, count)| (name.clone(), number(*count)))
                            .collect(),
                    ),
                ),
                (
                    "diagnostics",
                    list(&result.diagnostics, |diagnostic| {
                        object([
                            ("severity", text(diagnostic.severity.name())),
                            ("issue_code", optional(diagnostic.issue_code.as_deref())),
                            ("message", text(&diagnostic.message)),
                            ("file", optional(diagnostic.file.as_deref())),
                            ("line", optional_number(diagnostic.line)),
                            ("column", optional_number(diagnostic.column)),
                        ])
                    }),
                ),
            ])
        });
        object([
            ("dialect", text(self.dialect.name())),
            ("encoding", text(self.encoding)),
            ("parameters", Value::Object(parameters.collect())),
            ("values", number(self.values)),
            ("all_values", number(self.all)),
            ("shared_values", number(self.shared)),
            ("parse_result", result.unwrap_or(Value::Null)),
        ])
    }
}

fn optional_number(count: Option<u64>) -> Value {
    count.map_or(Value::Null, number)
}

/// A diagnostic on one line: `error at site.pp:3:7: message (ISSUE)`.
fn described(diagnostic: &Diagnostic) -> String {
    let place = [diagnostic.line, diagnostic.column].into_iter().map_while(|place| place);
    let place: String = place.map(|place| format!(":{place}")).collect();
    let at = match &diagnostic.file {
        Some(file) => format!(" at {file}{place}"),
        None if place.is_empty() => String::new(),
        None => format!(" at line {}", place.trim_start_matches(':')),
    };
    let code = diagnostic.issue_code.as_ref().map_or(String::new(), |code| format!(" ({code})"));
    format!("{}{at}: {}{code}", diagnostic.severity.name(), diagnostic.message)
}
