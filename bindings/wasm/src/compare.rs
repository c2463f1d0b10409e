//! The differences of two documents.

use crate::document::Document;
use crate::fault::Fault;
use coconut_report::diff::{self, Form, NamedDocument};
use wasm_bindgen::prelude::wasm_bindgen;

/// The question of a comparison. Its fields are set by JavaScript.
#[wasm_bindgen(getter_with_clone)]
#[derive(Clone, Default)]
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
        let Comparison { keys, types, paths, ignore, exact, full } = self.clone();
        let wanted = diff::Comparison { keys, types, paths, ignore, exact, full };
        let reveals = old.0.reveal && new.0.reveal;
        let mut out = Vec::new();
        let (a, b) =
            (NamedDocument::new(&old.0.name, old.view()), NamedDocument::new(&new.0.name, new.view()));
        old.whole(|| wanted.write(a, b, form, reveals, &mut out).map(drop))?;
        Ok(String::from_utf8_lossy(&out).into_owned())
    }
}
