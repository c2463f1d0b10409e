//! Pictures of graphs.

use crate::document::Document;
use crate::fault::Fault;
use coconut_picture::Direction;
use coconut_picture::graph::{Collapse, Form, Graphs, Selection, Wanted};
use coconut_report::Failure;
use wasm_bindgen::prelude::wasm_bindgen;

/// The part of a graph to draw. Its fields are set by JavaScript.
#[wasm_bindgen(getter_with_clone)]
#[derive(Default)]
pub struct Drawing {
    /// Keys of resources, around which the picture is.
    pub focus: Vec<String>,
    /// The number of edges from them.
    pub depth: Option<u32>,
    /// Globs of types.
    pub types: Vec<String>,
    /// The groups that are one box each, or empty for none.
    pub collapse: String,
}

#[wasm_bindgen]
impl Drawing {
    /// All of a graph.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Drawing {
        Drawing::default()
    }

    /// The text of a picture.
    pub fn of(&self, document: &Document, form: &str) -> Result<String, Fault> {
        self.text(document, None, form)
    }

    /// The text of a picture in which changes since an older document are marked.
    #[wasm_bindgen(js_name = ofChanged)]
    pub fn of_changed(&self, document: &Document, older: &Document, form: &str) -> Result<String, Fault> {
        self.text(document, Some(older), form)
    }
}

impl Drawing {
    fn text(&self, document: &Document, older: Option<&Document>, form: &str) -> Result<String, Fault> {
        let collapse = match Collapse::ALL.into_iter().find(|one| one.name() == self.collapse) {
            Some(collapse) => collapse,
            None if self.collapse.is_empty() => Collapse::None,
            None => return Err(unknown("collapse", &self.collapse, Collapse::ALL.map(Collapse::name)).into()),
        };
        let form = Form::named(form).ok_or_else(|| unknown("form", form, Form::ALL.map(Form::name)))?;
        let (focus, types) = (self.focus.clone(), self.types.clone());
        let selection = Selection { focus, depth: self.depth, types, ..Selection::default() };
        let wanted = Wanted { selection, collapse, ..Wanted::default() };
        document.whole(|| {
            let reveal = document.0.reveal;
            let graphs = Graphs::of(document.source(), older.map(Document::source), &[], reveal)?;
            let drawing = graphs.draw(&wanted)?;
            let hint = "select a part with `focus` or `types`, or use `collapse`";
            drawing.check_size(form.most_boxes()).map_err(|failure| failure.with_hint(hint))?;
            drawing.text(form, Direction::default())
        })
    }
}

fn unknown<const N: usize>(argument: &str, found: &str, known: [&str; N]) -> Failure {
    Failure::usage(format!("unknown {argument} `{found}`")).with_hint(format!("use {}", known.join(", ")))
}
