//! Losses and assumptions of a conversion, and the errors that prevent it.

use crate::import::ImportError;
use coconut_codec::event::SinkError;
use std::fmt;

/// The code of an assumed value, which the source does not contain.
pub const ASSUMED: &str = "CNV-ASSUMED";
/// The code of a document that is not a graph or is malformed.
pub const FORM: &str = "CNV-FORM";
/// The code of a part for which the target has no place. Schema translations use it, too.
const LOST: &str = "CNV-LOST";

/// The codes of graph conversions that schema translations do not use.
pub const CODES: &[&str] = &[ASSUMED, FORM];

/// A part that a conversion could not keep unchanged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConversionFinding {
    /// The kind of the finding.
    pub kind: ConversionFindingKind,
    /// The resource, or empty for the document.
    pub subject: String,
    /// The JSON pointer of the place in the source.
    pub pointer: String,
}

/// The kind of a [`ConversionFinding`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConversionFindingKind {
    /// The target has no place for this part.
    Lost {
        /// A description of the part.
        what: String,
    },
    /// The target has no place for the whole resource.
    LeftOut {
        /// A description of the resource.
        what: &'static str,
    },
    /// The target needs a value that the source does not contain.
    Assumed {
        /// A description of the assumption.
        what: String,
    },
}

impl ConversionFindingKind {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            ConversionFindingKind::Lost { .. } | ConversionFindingKind::LeftOut { .. } => LOST,
            ConversionFindingKind::Assumed { .. } => ASSUMED,
        }
    }
}

impl fmt::Display for ConversionFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let subject = &self.subject;
        match &self.kind {
            ConversionFindingKind::Lost { what } if subject.is_empty() => write!(f, "{what} is lost"),
            ConversionFindingKind::Lost { what } => write!(f, "{what} of `{subject}` is lost"),
            ConversionFindingKind::LeftOut { what } => write!(f, "`{subject}`, {what}, is left out"),
            ConversionFindingKind::Assumed { what } if subject.is_empty() => write!(f, "{what}"),
            ConversionFindingKind::Assumed { what } => write!(f, "`{subject}`: {what}"),
        }
    }
}

/// The findings of a conversion.
#[derive(Default)]
pub(super) struct Findings(pub(super) Vec<ConversionFinding>);

impl Findings {
    pub(super) fn lost(&mut self, what: impl Into<String>, subject: &str, pointer: impl Into<String>) {
        self.add(ConversionFindingKind::Lost { what: what.into() }, subject, pointer.into());
    }

    pub(super) fn left_out(&mut self, what: &'static str, subject: &str, pointer: impl Into<String>) {
        self.add(ConversionFindingKind::LeftOut { what }, subject, pointer.into());
    }

    pub(super) fn assumed(&mut self, what: impl Into<String>, subject: &str, pointer: impl Into<String>) {
        self.add(ConversionFindingKind::Assumed { what: what.into() }, subject, pointer.into());
    }

    fn add(&mut self, kind: ConversionFindingKind, subject: &str, pointer: String) {
        self.0.push(ConversionFinding { kind, subject: subject.to_owned(), pointer });
    }
}

/// The reasons why a graph cannot be converted.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum GraphError {
    /// The sink refused an event.
    Sink(SinkError),
    /// The graph is too large.
    Import(ImportError),
    /// The document is not a resource graph.
    NoGraph,
    /// The document already has the requested form.
    SameForm,
    /// The document is a graph, but not a Terraform state.
    NoState,
    /// A part of the document does not have the form required at its place.
    Malformed {
        /// The JSON pointer of the place.
        pointer: String,
        /// The expected value.
        expected: &'static str,
        /// The value found.
        found: &'static str,
    },
}

impl GraphError {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            GraphError::Sink(error) => error.code(),
            GraphError::Import(error) => error.code(),
            GraphError::NoGraph
            | GraphError::NoState
            | GraphError::SameForm
            | GraphError::Malformed { .. } => FORM,
        }
    }
}

impl fmt::Display for GraphError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GraphError::Sink(error) => error.fmt(f),
            GraphError::Import(error) => error.fmt(f),
            GraphError::NoGraph => write!(f, "the document is not a resource graph"),
            GraphError::NoState => {
                write!(f, "the document is neither a Terraform state nor converted from one")
            }
            GraphError::SameForm => write!(f, "the document already has this form"),
            GraphError::Malformed { pointer, expected, found } => {
                write!(f, "expected {expected} at `{pointer}`, found {found}")
            }
        }
    }
}

impl std::error::Error for GraphError {}

impl From<SinkError> for GraphError {
    fn from(error: SinkError) -> GraphError {
        GraphError::Sink(error)
    }
}

impl From<ImportError> for GraphError {
    fn from(error: ImportError) -> GraphError {
        GraphError::Import(error)
    }
}
