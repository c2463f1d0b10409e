//! The differences of two documents.

use crate::document::Document;
use crate::fault::Fault;
use coconut_diff::value::Moves;
use coconut_diff::{Diff, Options, Side, Strict, is_of_unknown_kind, is_same_document};
use coconut_report::Failure;
use coconut_report::diff::{Documents, Filter, Form, IgnoreRule, NamedDocument, Selection, Shape};
use wasm_bindgen::prelude::wasm_bindgen;

/// The question of a comparison. Its fields are set by JavaScript.
#[wasm_bindgen(getter_with_clone)]
#[derive(Default)]
pub struct Comparison {
    /// Globs of keys.
    pub keys: Vec<String>,
    /// Globs of types.
    pub types: Vec<String>,
    /// Paths in resources.
    pub paths: Vec<String>,
    /// Rules of differences that do not matter.
    pub ignore: Vec<String>,
    /// Whether every difference counts.
    pub exact: bool,
    /// Whether created and deleted resources have all of their entries.
    pub full: bool,
}

#[wasm_bindgen]
impl Comparison {
    /// All resources, as `coco diff` compares them.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Comparison {
        Comparison::default()
    }

    /// The report, as that of `coco diff --json`, or as text or Markdown if `form` is one of these.
    pub fn of(&self, old: &Document, new: &Document, form: &str) -> Result<String, Fault> {
        let form = match form {
            "text" => Form::Text,
            "markdown" => Form::Markdown,
            _ => Form::Json,
        };
        let mut out = Vec::new();
        old.whole(|| self.write(old, new, form, &mut out))?;
        Ok(String::from_utf8_lossy(&out).into_owned())
    }
}

impl Comparison {
    fn write(&self, old: &Document, new: &Document, form: Form, out: &mut Vec<u8>) -> Result<(), Failure> {
        let reveals = old.0.reveal && new.0.reveal;
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
        let documents = Documents {
            old: NamedDocument::new(&old.0.name, old.view()),
            new: NamedDocument::new(&new.0.name, new.view()),
            are_parts: false,
        };
        let of_old = |error| Failure::from(error).in_file(&old.0.name);
        let of_new = |error| Failure::from(error).in_file(&new.0.name);
        if !filter.selects_resources() && is_same_document(old.view(), new.view()) {
            old.view().check_blocks().map_err(of_old)?;
            return documents.write_equal(&mut filter, &shape, out).map(drop);
        }
        let [a, b] = Side::read_both(old.view(), new.view());
        let (a, b) = (a.map_err(of_old)?, b.map_err(of_new)?);
        let is_plain = is_of_unknown_kind(old.view()) && is_of_unknown_kind(new.view());
        let options = Options {
            is_exact: self.exact,
            moves: Moves::USUAL,
            lists: Vec::new(),
            is_full: self.full || !self.paths.is_empty(),
            reveals,
            strict: Strict { forms: is_plain, ..Strict::default() },
        };
        let mut found = Diff::of(&a, &b, &options).map_err(of_new)?;
        documents.write(&mut found, &mut filter, &shape, out, &mut |_| {}).map(drop)
    }
}
