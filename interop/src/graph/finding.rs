//! What a conversion of a graph lost or assumed, and why there is none.

use crate::import::ImportError;
use coconut_codec::event::SinkError;
use std::fmt;

/// The code of something that the source does not say.
pub const ASSUMED: &str = "CNV-ASSUMED";
/// The code of a document that is no graph, or a malformed one.
pub const FORM: &str = "CNV-FORM";
/// The code of something that the target has no place for. Translations of schemas have it, too.
const LOST: &str = "CNV-LOST";

/// The codes of conversions of graphs that translations of schemas do not have.
pub const CODES: &[&str] = &[ASSUMED, FORM];

/// Something that a conversion could not take as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConversionFinding {
    /// What was found.
    pub kind: ConversionFindingKind,
    /// The resource, or empty for the document.
    pub subject: String,
    /// The JSON pointer of the place in the source.
    pub pointer: String,
}

/// The kind of a [`ConversionFinding`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConversionFindingKind {
    /// The target has no place for something.
    Lost {
        /// What it is.
        what: String,
    },
    /// The target has no place for the whole resource.
    LeftOut {
        /// What the resource is.
        what: &'static str,
    },
    /// The target needs something that the source does not say.
    Assumed {
        /// What is assumed.
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

/// Why a graph cannot be converted.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum GraphError {
    /// The sink refused an event.
    Sink(SinkError),
    /// The graph is too large.
    Import(ImportError),
    /// The document is no resource graph.
    NoGraph,
    /// The document has the form that it is to get.
    SameForm,
    /// The document is a graph, and no state of Terraform.
    NoState,
    /// A part of the document is not what its form demands.
    Malformed {
        /// The JSON pointer of the place.
        pointer: String,
        /// What has to be there.
        expected: &'static str,
        /// What is there.
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
            GraphError::NoGraph => write!(f, "the document is no resource graph"),
            GraphError::NoState => write!(f, "the document is no Terraform state, nor made from one"),
            GraphError::SameForm => write!(f, "the document is of this form already"),
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
