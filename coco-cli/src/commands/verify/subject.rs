//! What is verified: a document in memory, and its text where there is one.

use crate::document::Input;
use crate::failure::Failure;
use coconut_codec::compile::CompileError;
use coconut_codec::event::EventSink;
use coconut_codec::source::json::{self, JsonOptions};
use coconut_codec::source::yaml::{self, YamlOptions};
use coconut_codec::source::{DistinctKeys, SourceFormat, ValueSink};
use coconut_codec::stream::Budget;
use coconut_format::Value;
use coconut_format::landmark::Dialect;
use coconut_format::package::Package;

/// A document that can be verified.
pub(super) struct Subject {
    pub(super) name: String,
    /// The text, if the document is a JSON source, for showing places in it.
    pub(super) text: Option<Vec<u8>>,
    pub(super) dialect: Option<&'static str>,
    pub(super) kind: SubjectKind,
}

/// Which rules hold.
pub(super) enum SubjectKind {
    Package(Package),
    Graph(Value, &'static Dialect),
    Other,
}

impl SubjectKind {
    pub(super) fn rules(&self) -> &'static str {
        match self {
            SubjectKind::Package(_) => "package",
            SubjectKind::Graph(..) => "graph",
            SubjectKind::Other => "none",
        }
    }
}

impl Subject {
    /// Reads the document completely. A compiled one is checked as far as that is possible without its source.
    pub(super) fn read(input: Input) -> Result<Subject, Failure> {
        let (name, value, text) = match input.is_coconut() {
            true => {
                let name = input.name.clone();
                (name, compiled_value(input)?, None)
            }
            false => {
                let format = input.source_format();
                let value = source_value(&input, format)?;
                let text = (format == SourceFormat::Json).then_some(input.bytes);
                (input.name, value, text)
            }
        };
        let dialect = Dialect::of(&value);
        let kind = match dialect {
            Some(dialect) if dialect.document_type == "cocopack" => match Package::from_value(value) {
                Ok(package) => SubjectKind::Package(package),
                Err(_) => SubjectKind::Other,
            },
            Some(dialect) if dialect.document_type == "cocogl" => SubjectKind::Graph(value, dialect),
            _ => SubjectKind::Other,
        };
        Ok(Subject { name, text, dialect: dialect.map(|dialect| dialect.name), kind })
    }
}

/// The value of a compiled document. That it is damaged is the answer to the question that was asked.
fn compiled_value(input: Input) -> Result<Value, Failure> {
    let document = input.into_compiled().map_err(Failure::into_answer)?;
    let file = document.open().map_err(Failure::into_answer)?;
    file.view().check_integrity().map_err(|error| document.undecodable(&error).into_answer())?;
    let mut sink = ValueSink::new();
    file.view()
        .stream(&mut sink, Budget::default())
        .map_err(|error| Failure::streaming(&document.name, &error))?;
    Ok(sink.finish().expect("a stream is one whole document"))
}

fn source_value(input: &Input, format: SourceFormat) -> Result<Value, Failure> {
    let mut sink = DistinctKeys::new(ValueSink::new());
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
