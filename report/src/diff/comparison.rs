//! The comparison of two open documents, from a question to its answer.

use super::Documents;
use super::filter::{Filter, Selection};
use super::ignore::IgnoreRule;
use super::output::Counted;
use super::shape::{Form, NamedDocument, Shape};
use crate::failure::Failure;
use coconut_diff::value::Moves;
use coconut_diff::{Diff, Options, Side, Strict, is_of_unknown_kind, is_same_document};
use std::io::Write;

/// A question about two documents, as the options of `coco diff` ask it.
///
/// ```
/// use coconut_codec::{CompileOptions, Document, compile};
/// use coconut_report::diff::{Comparison, Form, NamedDocument};
///
/// let old = br#"{"package": "net:*", "vertices": {"a": {"type": "t", "size": 1}}}"#;
/// let new = br#"{"package": "net:*", "vertices": {"a": {"type": "t", "size": 2}}}"#;
/// let old = Document::from_data(compile(old, &CompileOptions::default())?.bytes)?;
/// let new = Document::from_data(compile(new, &CompileOptions::default())?.bytes)?;
/// let (old, new) = (NamedDocument::new("old", old.view()), NamedDocument::new("new", new.view()));
///
/// let mut text = Vec::new();
/// let counted = Comparison::default().write(old, new, Form::Text, false, &mut text)?;
/// assert_eq!(counted.summary.changed, 1);
/// assert!(String::from_utf8(text)?.contains("~ size = 1 → 2"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Comparison {
    /// Globs of keys of resources.
    pub keys: Vec<String>,
    /// Globs of types.
    pub types: Vec<String>,
    /// Paths in resources.
    pub paths: Vec<String>,
    /// Rules of differences that do not matter, such as `*::/tags`.
    pub ignore: Vec<String>,
    /// Whether every difference counts.
    pub exact: bool,
    /// Whether created and deleted resources have all of their entries.
    pub full: bool,
}

impl Comparison {
    /// Writes the answer, and counts the changes in it. A report in JSON is never cut.
    ///
    /// Costs one pass over both documents, or over one if their bytes are equal.
    ///
    /// # Errors
    ///
    /// `USAGE` for a rule, glob or path that cannot be read, and the errors of damaged documents,
    /// which name the file.
    pub fn write(
        &self,
        old: NamedDocument<'_>,
        new: NamedDocument<'_>,
        form: Form,
        reveals: bool,
        out: &mut dyn Write,
    ) -> Result<Counted, Failure> {
        let rules = self.ignore.iter().map(|rule| IgnoreRule::parse(rule)).collect::<Result<_, Failure>>()?;
        let mut filter = Filter::new(Selection {
            keys: &self.keys,
            types: &self.types,
            paths: &self.paths,
            rules,
            is_full: self.full,
            ..Selection::default()
        })?;
        let usual = Shape::default();
        let max_changes = if form == Form::Json { usize::MAX } else { usual.max_changes };
        let shape = Shape { form, is_full: self.full, reveals, max_changes, ..usual };
        let documents = Documents { old, new, are_parts: false };
        let of_old = |error| Failure::from(error).in_file(old.name);
        let of_new = |error| Failure::from(error).in_file(new.name);
        if !filter.selects_resources() && is_same_document(old.view, new.view) {
            old.view.check_blocks().map_err(of_old)?;
            return documents.write_equal(&mut filter, &shape, out);
        }
        let [a, b] = Side::read_both(old.view, new.view);
        let (a, b) = (a.map_err(of_old)?, b.map_err(of_new)?);
        let is_plain = is_of_unknown_kind(old.view) && is_of_unknown_kind(new.view);
        let options = Options {
            is_exact: self.exact,
            moves: Moves::USUAL,
            lists: Vec::new(),
            is_full: self.full || !self.paths.is_empty(),
            reveals,
            strict: Strict { forms: is_plain, ..Strict::default() },
        };
        let mut found = Diff::of(&a, &b, &options).map_err(of_new)?;
        documents.write(&mut found, &mut filter, &shape, out, &mut |_| {})
    }
}
