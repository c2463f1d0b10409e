//! Pictures of graphs.

use crate::error::Fault;
use crate::opened::Opened;
use coconut_picture::Direction;
use coconut_picture::graph::{Collapse, Form, Graphs, Selection, Wanted};
use coconut_report::{Exit, Failure};

/// The part of a graph to draw.
pub(crate) struct Part<'p> {
    pub(crate) focus: Option<String>,
    pub(crate) depth: Option<u32>,
    pub(crate) types: Vec<String>,
    pub(crate) collapse: &'p str,
}

/// The text of a picture.
pub(crate) fn drawn(
    opened: &Opened,
    older: Option<&Opened>,
    form: &str,
    part: &Part<'_>,
) -> Result<String, Fault> {
    let collapse = Collapse::ALL.into_iter().find(|one| one.name() == part.collapse);
    let collapse =
        collapse.ok_or_else(|| unknown("collapse", part.collapse, Collapse::ALL.map(Collapse::name)))?;
    let form = Form::named(form).ok_or_else(|| unknown("form", form, Form::ALL.map(Form::name)))?;
    let selection = Selection {
        focus: part.focus.iter().cloned().collect(),
        depth: part.depth,
        types: part.types.clone(),
        ..Selection::default()
    };
    let wanted = Wanted { selection, collapse, ..Wanted::default() };
    opened.whole(|| {
        let graphs = Graphs::of(opened.source(), older.map(Opened::source), &[], opened.reveal)?;
        let drawing = graphs.draw(&wanted)?;
        let hint = "select a part with `focus` or `types`, or use `collapse`";
        drawing.check_size(form.most_boxes()).map_err(|failure| failure.with_hint(hint))?;
        drawing.text(form, Direction::default())
    })
}

fn unknown<const N: usize>(argument: &str, found: &str, known: [&str; N]) -> Failure {
    Failure::usage(format!("unknown {argument} `{found}`")).with_hint(format!("use {}", known.join(", ")))
}

/// The page in a frame of a notebook. `None` for a document without resources.
///
/// The frame has an origin of its own, so the page cannot reach the notebook.
pub(crate) fn frame(opened: &Opened, older: Option<&Opened>) -> Result<Option<String>, Fault> {
    let part = Part { focus: None, depth: None, types: Vec::new(), collapse: "none" };
    let page = match drawn(opened, older, "html", &part) {
        Ok(page) => page,
        // The answer has a text for people, too.
        Err(Fault::Failed(failure)) if failure.exit() != Exit::Decode => return Ok(None),
        Err(fault) => return Err(fault),
    };
    let escaped = page.replace('&', "&amp;").replace('"', "&quot;");
    Ok(Some(format!(
        "<iframe sandbox=\"allow-scripts\" style=\"width: 100%; height: 32em; border: 0\" srcdoc=\"{escaped}\"></iframe>"
    )))
}
