//! Resource graphs in other forms.

use super::{Shown, Translated, pushed, same_form};
use coconut_codec::write::interner::{Interned, Interner};
use coconut_interop::graph::{
    ConversionFinding, ConversionOptions, Form, GraphError, Mappings, Target, push_graph,
};
use coconut_report::{Exit, Failure};
use coconut_shell::Console;
use coconut_shell::open::{Access, Opened, open};
use std::path::PathBuf;

impl From<&ConversionFinding> for Shown {
    fn from(finding: &ConversionFinding) -> Shown {
        Shown {
            code: finding.kind.code(),
            message: finding.to_string(),
            token: finding.subject.clone(),
            member: None,
            file: None,
            pointer: finding.pointer.clone(),
        }
    }
}

/// The graph of a document in another form.
pub(super) fn translated(
    opened: &Opened,
    target: Target,
    options: &ConversionOptions<'_>,
) -> Result<(Interned, Translated), Failure> {
    let in_file = |failure: Failure| failure.in_file(&opened.name);
    let tree = opened.view().tree().map_err(|error| in_file(error.into()))?;
    let from = Form::of(tree.root()).map_or("", Form::name);
    let push = |sink: &mut Interner| {
        push_graph(tree.root(), target, options, sink).map_err(|error| in_file(failure_of(error, target)))
    };
    let (document, findings) = pushed(push)?;
    Ok((document, Translated { from, findings: findings.iter().map(Shown::from).collect() }))
}

fn failure_of(error: GraphError, target: Target) -> Failure {
    let (code, message) = (error.code(), error.to_string());
    match error {
        GraphError::Sink(error) => Failure::from(error),
        GraphError::Import(_) => Failure::new(Exit::Limit, code, message),
        GraphError::SameForm => same_form(target.name()),
        GraphError::NoGraph => Failure::new(Exit::Decode, code, message).with_hint(
            "graphs are CocoGL documents, exports and checkpoints of Pulumi, and states of Terraform; \
             `coco import` makes one of plans, manifests and catalogs",
        ),
        GraphError::NoState => Failure::new(Exit::Decode, code, message)
            .with_hint("--to terraform-state makes a state of other graphs"),
        _ => Failure::new(Exit::Decode, code, message),
    }
}

/// The mappings of bridged providers.
pub(super) fn mappings(files: &[PathBuf], console: &mut Console) -> Result<Mappings, Failure> {
    let mut mappings = Mappings::default();
    for file in files {
        let opened = open(file, Access::Whole, console)?;
        let tree = opened.view().tree().map_err(|error| Failure::from(error).in_file(&opened.name))?;
        if mappings.add(&tree.to_value()) == 0 {
            let message = "the mapping has no tokens under `resources`";
            let failure = Failure::new(Exit::Decode, coconut_interop::graph::FORM, message);
            return Err(failure.in_file(&opened.name).with_hint(
                "a bridged provider gives its mapping: pulumi package get-mapping terraform PROVIDER",
            ));
        }
    }
    Ok(mappings)
}
