//! The parts of its source document that a Coconut 2017 graph keeps.
//!
//! `/origin/form` is the form of that document, and `/origin/document` is the document without its
//! resources. `x-origin` holds the parts of a resource that its key cannot express.

use super::form::Form;
use crate::output::Output;
use coconut_codec::event::SinkError;
use coconut_format::node::{Kind, Node};

pub(super) const ORIGIN: &str = "origin";
pub(super) const X_ORIGIN: &str = "x-origin";

/// Pushes the entry `origin`, with the document that `document` pushes.
pub(super) fn push<E: From<SinkError>>(
    form: Form,
    out: &mut Output<'_>,
    document: impl FnOnce(&mut Output<'_>) -> Result<(), E>,
) -> Result<(), E> {
    out.key(ORIGIN)?;
    out.begin()?;
    out.text("form", form.name())?;
    out.key("document")?;
    document(out)?;
    Ok(out.end()?)
}

/// The form and the remaining parts of the source document of a Coconut 2017 graph.
pub(super) fn of<'a, N: Node<'a>>(root: N) -> Option<(Form, N)> {
    const FORMS: [Form; 5] = [
        Form::PulumiExport,
        Form::PulumiCheckpoint,
        Form::PulumiEnvironment,
        Form::PulumiDeployment,
        Form::TerraformState,
    ];
    let origin = root.get(ORIGIN)?;
    let name = origin.get("form")?.as_str()?;
    let document = origin.get("document").filter(|document| document.kind() == Kind::Object)?;
    Some((FORMS.into_iter().find(|form| form.name() == name)?, document))
}
