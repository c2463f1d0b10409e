//! Versions as documents: their values and differences, without secrets.

use crate::failure::OrFail;
use coconut_codec::compile::{CompileOptions, compile};
use coconut_codec::event::push;
use coconut_codec::read::file::{DocumentFile, DocumentView};
use coconut_codec::text::json::{JsonStyle, Printer};
use coconut_diff::{Diff, Options, Side};
use coconut_format::Value;
use coconut_history::{Pack, Version};
use coconut_report::Failure;
use coconut_report::diff::{Counted, Documents, Filter, NamedDocument, Selection, Shape};
use std::io::Write;

/// A version as a document, with its name for messages.
pub(crate) struct Opened {
    pub(crate) name: String,
    file: DocumentFile<Vec<u8>>,
    is_missing: bool,
}

impl Opened {
    /// Reads a version. Costs its text and one compilation.
    pub(crate) fn version(pack: &Pack, version: &Version) -> Result<Opened, Failure> {
        let name = format!("{}@{}", pack.file().display(), version.n);
        Ok(Opened { name, file: pack.document(version.n).or_fail()?, is_missing: false })
    }

    /// Compiles a text that is not in a pack.
    pub(crate) fn text(name: &str, text: &[u8]) -> Result<Opened, Failure> {
        let compiled = compile(text, &CompileOptions::default())
            .map_err(|error| Failure::compiling(name, text, &error, false))?;
        Ok(Opened {
            name: name.to_owned(),
            file: DocumentFile::from_data(compiled.bytes)?,
            is_missing: false,
        })
    }

    /// Stands for the version before the first.
    pub(crate) fn nothing() -> Result<Opened, Failure> {
        Ok(Opened { is_missing: true, ..Opened::text("nothing", b"null")? })
    }

    pub(crate) fn view(&self) -> DocumentView<'_> {
        self.file.view()
    }

    fn named(&self) -> NamedDocument<'_> {
        NamedDocument { name: &self.name, view: self.view(), is_missing: self.is_missing }
    }
}

/// Writes what changed between two documents. If there are keys, only the changes of these.
pub(crate) fn write_diff(
    old: &Opened,
    new: &Opened,
    keys: &[String],
    shape: &Shape,
    out: &mut dyn Write,
) -> Result<Counted, Failure> {
    let in_file = |opened: &Opened, error| Failure::from(error).in_file(&opened.name);
    let [a, b] = Side::read_both(old.view(), new.view());
    let (a, b) = (a.map_err(|error| in_file(old, error))?, b.map_err(|error| in_file(new, error))?);
    let options = Options { reveals: shape.reveals, is_full: shape.is_full, ..Options::default() };
    let mut found = Diff::of(&a, &b, &options).map_err(|error| in_file(new, error))?;
    let mut filter = Filter::new(Selection { keys, ..Selection::default() })?;
    let documents = Documents { old: old.named(), new: new.named(), are_parts: false };
    documents.write(&mut found, &mut filter, shape, out, &mut |_| {})
}

/// Whether any difference counts.
pub(crate) fn differs(counted: &Counted) -> bool {
    counted.is_any()
}

/// The whole document; its secrets only if they are to be shown.
pub(crate) fn value_of(view: DocumentView<'_>, reveal: bool) -> Result<Value, Failure> {
    Ok(match reveal {
        true => view.root().to_value()?,
        false => view.redacted()?.to_value()?,
    })
}

/// Writes a value as JSON with an indent of two.
pub(crate) fn write_value(value: &Value, out: &mut dyn Write) -> Result<(), Failure> {
    let mut printer = Printer::new(out, JsonStyle::Pretty { indent: 2 }).with_final_newline();
    push(value, &mut printer)?;
    printer.finish()?;
    Ok(())
}
