//! `coco patch`: applies a patch to a document.

use crate::destination::{Destination, WriteOptions};
use crate::form::{Form, FormOptions, Layout, Maker, note_dropped, rewritten};
use crate::loading::Packages;
use clap::Args;
use coconut_codec::compile::CompileOptions;
use coconut_diff::value::{PatchError, apply_merge_patch, apply_patch};
use coconut_format::Value;
use coconut_format::explain::ErrorClass;
use coconut_report::{Exit, Failure, code};
use coconut_shell::Console;
use coconut_shell::open::{Access, Documents, Opened};
use std::path::PathBuf;

/// Apply a patch to a document
///
/// PATCH is a list of operations (RFC 6902) or an object to merge (RFC 7396), as `coco diff --as
/// patch` and `--as merge-patch` print them. If an operation cannot be applied, nothing is written.
///
/// If FILE is a stream of several YAML documents, a result in YAML is a stream, too.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../../tests/help/patch.trycmd"))]
pub(crate) struct Patch {
    /// A document or a source
    file: PathBuf,
    /// The patch: a source or a document
    patch: PathBuf,
    /// Output file; `-` is standard output
    #[arg(short, long, value_name = "OUT", default_value = "-")]
    output: PathBuf,
    #[command(flatten)]
    form: FormOptions,
    #[command(flatten)]
    write: WriteOptions,
    #[command(flatten)]
    documents: Packages,
}

impl Patch {
    pub(crate) fn run(self, console: &mut Console) -> Result<Exit, Failure> {
        let documents = &self.documents;
        let destination = Destination::of_argument(&self.output)?;
        let form = Maker::of_every("coco patch").form(&destination, self.form.form)?;
        destination.check(form.content(), self.write)?;
        let opened = documents.open(&self.file, Access::Whole, console)?;
        let document = value_of(&opened)?;
        let kept = opened.view().kept().map_err(|error| Failure::from(error).in_file(&opened.name))?;
        let name = opened.name.clone();
        let layout = Layout { is_stream: opened.is_stream(), ..Layout::default() };
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
        let options = CompileOptions::default();
        let bytes = match form {
            Form::Compiled => {
                let is_same = patched == document;
                note_dropped(&name, &kept, is_same, console);
                rewritten(&patched, &options, if is_same { kept } else { kept.of_changed() })?
            }
            Form::Text(_) => form.of_value(&patched, layout, &options)?,
        };
        destination.write_bytes(form.content(), self.write, None, &bytes)?;
        Ok(Exit::Good)
    }
}

fn refused(error: &PatchError) -> Failure {
    match error.class() {
        ErrorClass::Limit => Failure::new(Exit::Limit, error.code(), error.to_string()),
        _ => Failure::negative(code::PATCH, error.to_string()),
    }
}

fn value_of(opened: &Opened) -> Result<Value, Failure> {
    opened.view().to_value().map_err(|error| Failure::from(error).in_file(&opened.name))
}
