//! Conversions between the resource graphs of different systems.
//!
//! ```text
//! Pulumi's export, checkpoint  ⇄  Coconut 2017 graph  ⇄  Terraform's state
//!                       \              |              /    \
//!                        the intermediate graph            `terraform show -json`
//!                                      |
//!                            Pulumi's import file
//! ```
//!
//! A Coconut 2017 graph keeps everything from its source document, so converting back restores that
//! document. A conversion between two other systems keeps only the parts that both have. Each loss
//! and each assumption is a [`ConversionFinding`] with its place. Values keep the names of their
//! system: only the bridge of each provider knows which Terraform attribute is which Pulumi
//! property.
//!
//! A result keeps the secrets of its source marked.

mod cocogl_to_origin;
mod finding;
mod flatmap;
mod form;
mod mapping;
mod model;
mod old_state;
mod origin;
mod pulumi_to_cocogl;
mod pulumi_to_pulumi;
mod read_cocogl;
mod read_pulumi;
mod read_terraform;
mod show_to_state;
mod state_parts;
mod terraform_to_cocogl;
mod terraform_to_show;
mod to_pulumi;
mod to_pulumi_import;
mod to_terraform;
mod values;

pub use finding::{ASSUMED, CODES, ConversionFinding, ConversionFindingKind, FORM, GraphError};
pub use form::{Form, Target};
pub use mapping::Mappings;

use crate::output::Output;
use cocogl_to_origin::Between;
use coconut_codec::event::EventSink;
use coconut_format::Value;
use coconut_format::node::Node;
use finding::Findings;
use mapping::Types;
use model::Model;

/// Settings of a conversion.
#[derive(Clone, Copy, Debug, Default)]
pub struct ConversionOptions<'o> {
    /// The stack of the result, if it has one. Overrides the stack named in the source.
    pub stack: Option<&'o str>,
    /// The project of the result. Overrides the project named in the source.
    pub project: Option<&'o str>,
    /// Maps Pulumi types to Terraform types.
    pub mappings: Option<&'o Mappings>,
}

/// Converts the graph in a document and pushes the result. Returns the losses and assumptions.
///
/// # Errors
///
/// Fails if the document is not a graph, is malformed or already has this form, and if the sink
/// fails.
pub fn push_graph<'a, N: Node<'a>>(
    root: N,
    target: Target,
    options: &ConversionOptions<'_>,
    sink: &mut dyn EventSink,
) -> Result<Vec<ConversionFinding>, GraphError> {
    let form = Form::of(root).ok_or(GraphError::NoGraph)?;
    let mut findings = Findings::default();
    let between = match form {
        _ if target.is(form) && !needs_upgrade(root, form) => return Err(GraphError::SameForm),
        Form::OldTerraformState => Some(old_state::upgraded(root, &mut findings)?),
        Form::TerraformShow => Some(show_to_state::state(root, target, &mut findings)?),
        Form::CocoGl => cocogl_to_origin::restored(root)?,
        Form::TerraformState if leaves_terraform(target) && flatmap::is_in(root) => {
            Some(Between { form, document: state_parts::owned(root), places: None })
        }
        _ => None,
    };
    let out = &mut Output::new(sink);
    let Some(mut between) = between else {
        push_own(root, form, target, options, &mut findings, out)?;
        return Ok(findings.0);
    };
    let mut own = Findings::default();
    if between.form == Form::TerraformState && leaves_terraform(target) {
        flatmap::expand_all(&mut between.document, &mut own);
        if target == Target::PulumiImport {
            // It has no values.
            own = Findings::default();
        }
    }
    let document: &Value = &between.document;
    match target.is(between.form) {
        true => out.value(document)?,
        false => push_own(document, between.form, target, options, &mut own, out)?,
    }
    for mut finding in own.0 {
        finding.pointer = between.place(&finding.pointer);
        findings.0.push(finding);
    }
    Ok(findings.0)
}

/// Whether the values of a state are converted to those of another system.
fn leaves_terraform(target: Target) -> bool {
    matches!(target, Target::PulumiExport | Target::PulumiCheckpoint | Target::PulumiImport)
}

/// Whether a document is of an older version of its form.
fn needs_upgrade<'a, N: Node<'a>>(root: N, form: Form) -> bool {
    form.is_pulumi() && pulumi_to_pulumi::version(root, form) < 3
}

/// Pushes the graph of a document that is neither a converted Coconut 2017 graph nor an old state.
fn push_own<'a, N: Node<'a>>(
    root: N,
    form: Form,
    target: Target,
    options: &ConversionOptions<'_>,
    findings: &mut Findings,
    out: &mut Output<'_>,
) -> Result<(), GraphError> {
    let none = Mappings::default();
    let types = &mut Types::new(options.mappings.unwrap_or(&none));
    match target {
        Target::CocoGl if form.is_pulumi() => pulumi_to_cocogl::push(root, form, out),
        Target::CocoGl => terraform_to_cocogl::push(root, findings, out),
        Target::PulumiExport | Target::PulumiCheckpoint if form.is_pulumi() => {
            pulumi_to_pulumi::push(root, form, target, options, findings, out)
        }
        Target::PulumiExport | Target::PulumiCheckpoint => {
            let model = model(root, form, findings)?;
            Ok(to_pulumi::push(&model, target, options, types, findings, out)?)
        }
        Target::PulumiImport => {
            // A list of names does not lose the parts that only other forms have a place for.
            let model = model(root, form, &mut Findings::default())?;
            Ok(to_pulumi_import::push(&model, types, findings, out)?)
        }
        Target::TerraformShow if form == Form::TerraformState => terraform_to_show::push(root, findings, out),
        // A document of another system is converted to a state first.
        Target::TerraformShow => Err(GraphError::NoState),
        Target::TerraformState => {
            let model = model(root, form, findings)?;
            Ok(to_terraform::push(&model, types, findings, out)?)
        }
    }
}

/// The intermediate graph between two systems.
fn model<'a, N: Node<'a>>(root: N, form: Form, findings: &mut Findings) -> Result<Model<'a, N>, GraphError> {
    match form {
        Form::CocoGl => read_cocogl::read(root, findings),
        Form::TerraformState | Form::OldTerraformState | Form::TerraformShow => {
            read_terraform::read(root, findings)
        }
        _ => read_pulumi::read(root, form, findings),
    }
}
