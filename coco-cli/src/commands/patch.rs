//! `coco patch`: applies a patch to a document.

use crate::destination::{Content, Destination, WriteOptions};
use crate::loading::Packages;
use clap::Args;
use coco_inspect::open::{Access, Documents, Opened};
use coco_inspect::{Console, Exit, Failure, code};
use coconut_codec::compile::{CompileOptions, compile};
use coconut_codec::event::push;
use coconut_codec::text::SourceFormat;
use coconut_codec::text::json::{JsonStyle, Printer};
use coconut_codec::text::yaml::YamlPrinter;
use coconut_diff::value::{PatchError, apply_merge_patch, apply_patch};
use coconut_format::Value;
use coconut_format::explain::ErrorClass;
use std::path::{Path, PathBuf};

/// Apply a patch to a document
///
/// PATCH is a list of operations (RFC 6902) or an object to merge (RFC 7396), as `coco diff --as
/// patch` and `--as merge-patch` make them. If an operation does not fit, nothing is written.
///
/// The result is compiled if OUT ends in `.coco`, YAML if it ends in `.yaml` or `.yml`, and else
/// JSON. If FILE is YAML of several documents, so is YAML that is made of it.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../../tests/commands/patch.md"))]
pub(crate) struct Patch {
    /// A document or a source
    file: PathBuf,
    /// The patch: a source or a document
    patch: PathBuf,
    /// Output file; `-` is standard output
    #[arg(short, long, value_name = "OUT", default_value = "-")]
    output: PathBuf,
    #[command(flatten)]
    write: WriteOptions,
    #[command(flatten)]
    documents: Packages,
}

impl Patch {
    pub(crate) fn run(self, console: &mut Console) -> Result<Exit, Failure> {
        let documents = &self.documents;
        let destination = Destination::of_argument(&self.output)?;
        let language = Language::of(&self.output);
        let content = if language == Language::Compiled { Content::Binary } else { Content::Text };
        destination.check(content, self.write)?;
        let opened = documents.open(&self.file, Access::Whole, console)?;
        let document = value_of(&opened)?;
        let is_stream = language == Language::Yaml && opened.is_stream();
        drop(opened);
        let patch = documents.open(&self.patch, Access::Whole, console)?;
        let changes = value_of(&patch)?;
        let patched = match &changes {
            Value::List(_) => {
                apply_patch(&document, &changes).map_err(|error| refused(&error).in_file(&patch.name))?
            }
            Value::Object(_) => apply_merge_patch(&document, &changes),
            _ => {
                let text = "a patch is a list of operations or an object";
                return Err(Failure::new(Exit::Decode, code::PATCH, text).in_file(&patch.name));
            }
        };
        destination.write_bytes(content, self.write, None, &printed(&patched, language, is_stream)?)?;
        Ok(Exit::Good)
    }
}

fn refused(error: &PatchError) -> Failure {
    match error.class() {
        ErrorClass::Limit => Failure::new(Exit::Limit, error.code(), error.to_string()),
        _ => Failure::negative(code::PATCH, error.to_string()),
    }
}

/// The language of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Language {
    Json,
    Yaml,
    Compiled,
}

impl Language {
    fn of(path: &Path) -> Language {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("coco") => Language::Compiled,
            Some("yaml" | "yml") => Language::Yaml,
            _ => Language::Json,
        }
    }
}

fn value_of(opened: &Opened) -> Result<Value, Failure> {
    opened.view().to_value().map_err(|error| Failure::from(error).in_file(&opened.name))
}

fn printed(value: &Value, language: Language, is_stream: bool) -> Result<Vec<u8>, Failure> {
    match language {
        Language::Json => {
            let mut printer = Printer::new(Vec::new(), JsonStyle::Pretty { indent: 2 }).with_final_newline();
            push(value, &mut printer)?;
            Ok(printer.finish()?)
        }
        Language::Yaml => {
            // One document alone would be read as that document, and none as null.
            let is_stream = is_stream && matches!(value, Value::List(items) if items.len() > 1);
            let mut printer = match is_stream {
                true => YamlPrinter::of_stream(Vec::new()),
                false => YamlPrinter::new(Vec::new()),
            };
            push(value, &mut printer)?;
            Ok(printer.finish()?)
        }
        Language::Compiled => {
            let mut printer = Printer::new(Vec::new(), JsonStyle::Minified);
            push(value, &mut printer)?;
            let text = printer.finish()?;
            let options = CompileOptions { format: Some(SourceFormat::Json), ..CompileOptions::default() };
            let compiled = compile(&text, &options);
            Ok(compiled.map_err(|error| Failure::compiling("the result", &text, &error, false))?.bytes)
        }
    }
}
