//! The changes between two documents, as text, JSON, lines of JSON, and Markdown.
//!
//! ```
//! use coconut_codec::compile::{CompileOptions, compile};
//! use coconut_codec::read::file::DocumentFile;
//! use coconut_diff::{Diff, Options, Side};
//! use coconut_report::diff::{Documents, Filter, NamedDocument, Selection, Shape};
//!
//! let old = br#"{"package": "net:*", "vertices": {"a": {"type": "t", "size": 1}}}"#;
//! let new = br#"{"package": "net:*", "vertices": {"a": {"type": "t", "size": 2}}}"#;
//! let old = DocumentFile::from_data(compile(old, &CompileOptions::default())?.bytes)?;
//! let new = DocumentFile::from_data(compile(new, &CompileOptions::default())?.bytes)?;
//!
//! let (a, b) = (Side::read(old.view())?, Side::read(new.view())?);
//! let mut found = Diff::of(&a, &b, &Options::default())?;
//! let (mut filter, shape) = (Filter::new(Selection::default())?, Shape::default());
//! let named = NamedDocument::new;
//! let (old, new) = (named("old", old.view()), named("new", new.view()));
//! let documents = Documents { old, new, are_parts: false };
//! let mut text = Vec::new();
//! let counted = documents.write(&mut found, &mut filter, &shape, &mut text, &mut |_| {})?;
//! assert!(counted.is_any());
//! assert!(String::from_utf8(text)?.contains("~ size = 1 → 2"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod comparison;
mod filter;
mod ignore;
mod json;
mod lines;
mod markdown;
mod others;
mod output;
mod shape;
mod shown;
mod surface;
mod text;

pub use comparison::Comparison;
pub use filter::{Filter, Selection, Sort};
pub use ignore::IgnoreRule;
pub use lines::{Line, Lines};
pub use others::Others;
pub use output::Counted;
pub use shape::{Form, NamedDocument, Shape};
pub use shown::too_large;
pub use surface::{Surfaces, Told, has_one};

use crate::failure::Failure;
use crate::streamed::collected;
use coconut_diff::{Change, Diff, Options, ResourceChange, Side};
use coconut_format::Value;
use output::{Answer, Output};
use std::io::Write;

/// The changes between two documents as data: the report of `coco diff --json`, whose schema is
/// `schemas/diff.json`. A [`Value`] is `Serialize` with the feature `serde` of `coconut-codec`.
/// Secrets are masked, unless the options reveal them.
///
/// Reads both documents once, and holds the report as text and as a value. To write the report of
/// large documents while they are compared, use [`Documents::write`].
///
/// ```
/// use coconut_codec::{CompileOptions, Document, compile};
/// use coconut_diff::Options;
/// use coconut_report::diff::{NamedDocument, report};
///
/// let old = br#"{"package": "net:*", "vertices": {"a": {"type": "t", "size": 1}}}"#;
/// let new = br#"{"package": "net:*", "vertices": {"a": {"type": "t", "size": 2}}}"#;
/// let old = Document::from_data(compile(old, &CompileOptions::default())?.bytes)?;
/// let new = Document::from_data(compile(new, &CompileOptions::default())?.bytes)?;
/// let (old, new) = (NamedDocument::new("old", old.view()), NamedDocument::new("new", new.view()));
/// let report = report(old, new, &Options::default())?;
/// let summary = report.get("summary").and_then(|summary| summary.get("changed"));
/// assert_eq!(summary, Some(&coconut_codec::Value::Integer(1u64.into())));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn report(old: NamedDocument<'_>, new: NamedDocument<'_>, options: &Options) -> Result<Value, Failure> {
    let a = Side::read(old.view).map_err(|error| Failure::from(error).in_file(old.name))?;
    let b = Side::read(new.view).map_err(|error| Failure::from(error).in_file(new.name))?;
    let mut found = Diff::of(&a, &b, options)?;
    let mut filter = Filter::new(Selection::default())?;
    let shape =
        Shape { form: Form::Json, max_changes: usize::MAX, reveals: options.reveals, ..Shape::default() };
    let documents = Documents { old, new, are_parts: false };
    collected(|out| documents.write(&mut found, &mut filter, &shape, out, &mut |_| {}).map(drop))
}

/// The two documents of an answer.
#[derive(Clone, Copy, Debug)]
pub struct Documents<'d> {
    /// The old one.
    pub old: NamedDocument<'d>,
    /// The new one.
    pub new: NamedDocument<'d>,
    /// Whether only one value of each is compared.
    pub are_parts: bool,
}

impl Documents<'_> {
    /// Writes the changes that the filter selects, and counts them. `seen` gets each resource that
    /// is written.
    pub fn write(
        &self,
        found: &mut Diff<'_>,
        filter: &mut Filter,
        shape: &Shape,
        out: &mut dyn Write,
        seen: &mut dyn FnMut(&ResourceChange<'_>),
    ) -> Result<Counted, Failure> {
        let masks = found.masks();
        filter.masks = Some(masks.clone());
        let mut output = Output::begin(&self.answer(shape), out)?;
        output.different_forms(!found.has_one_form() && !self.are_parts)?;
        let mut front = found.front().map_err(|error| Failure::from(error).in_file(self.new.name))?;
        leave_nothing_out(&mut front, (self.old.is_missing, self.new.is_missing));
        output.front(filter.front(front), &masks)?;
        let summary = found.for_each(&mut |resource| match filter.resource(resource) {
            Some(resource) => {
                seen(&resource);
                output.resource(&resource, &masks)
            }
            None => Ok(()),
        })?;
        output.end(filter, Some(summary))
    }

    /// Writes the answer for equal documents.
    pub fn write_equal(
        &self,
        filter: &mut Filter,
        shape: &Shape,
        out: &mut dyn Write,
    ) -> Result<Counted, Failure> {
        Output::begin(&self.answer(shape), out)?.end(filter, None)
    }

    fn answer<'a>(&'a self, shape: &'a Shape) -> Answer<'a> {
        Answer { old: self.old, new: self.new, shape }
    }
}

/// A missing document is neither removed nor changed.
fn leave_nothing_out(changes: &mut Vec<Change<'_>>, (old, new): (bool, bool)) {
    if !old && !new {
        return;
    }
    changes.retain_mut(|change| {
        let difference = &mut change.difference;
        if !difference.pointer.is_empty() {
            return true;
        }
        if old {
            difference.forget_old();
        }
        if new {
            difference.forget_new();
        }
        difference.has_old() || difference.has_new()
    });
}
