//! Findings of a translation: the parts it had to change or omit.

use coconut_codec::event::SinkError;
use std::fmt;

/// The code of a name that had to change.
pub const NAME: &str = "CNV-NAME";
/// The code of a part for which the target has no place.
pub const LOST: &str = "CNV-LOST";
/// The code of a schema that would become too large.
const SIZE: &str = "CNV-SIZE";

/// All codes of translations.
pub const CODES: &[&str] = &[NAME, LOST, SIZE];

/// A part that a translation could not keep unchanged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TranslationFinding {
    /// The kind of the finding.
    pub kind: TranslationFindingKind,
    /// The token of the definition in the source.
    pub token: String,
    /// The member, if the finding is about one.
    pub member: Option<String>,
    /// The JSON pointer of the definition in the source.
    pub pointer: String,
}

/// The kind of a [`TranslationFinding`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TranslationFindingKind {
    /// A name is not legal in the target, or is already used by another definition.
    Name {
        /// The name in the target.
        new: String,
    },
    /// The target has no place for this part.
    Lost {
        /// A description of the part.
        what: &'static str,
    },
}

impl TranslationFindingKind {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            TranslationFindingKind::Name { .. } => NAME,
            TranslationFindingKind::Lost { .. } => LOST,
        }
    }
}

impl fmt::Display for TranslationFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match &self.member {
            Some(member) => format!("`{member}` of `{}`", self.token),
            None => format!("`{}`", self.token),
        };
        match &self.kind {
            TranslationFindingKind::Name { new } => write!(f, "{name} is named `{new}`"),
            TranslationFindingKind::Lost { what } => write!(f, "{what} of {name} is lost"),
        }
    }
}

/// The reason why a schema cannot be translated.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConvertError {
    /// The sink refused an event.
    Sink(SinkError),
    /// The document would have more definitions than a package may have. Shared types are written
    /// again for each use.
    TooLarge {
        /// The limit.
        limit: usize,
    },
    /// The types would have more parts than those of a package may have. Named types are expanded
    /// at each use.
    TooManyParts {
        /// The limit.
        limit: usize,
    },
}

impl ConvertError {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            ConvertError::Sink(error) => error.code(),
            ConvertError::TooLarge { .. } | ConvertError::TooManyParts { .. } => SIZE,
        }
    }
}

impl fmt::Display for ConvertError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConvertError::Sink(error) => error.fmt(f),
            ConvertError::TooLarge { limit } => {
                write!(f, "the package would have more than {limit} classes and members")
            }
            ConvertError::TooManyParts { limit } => {
                write!(f, "the types of the package would have more than {limit} parts")
            }
        }
    }
}

impl std::error::Error for ConvertError {}

impl From<SinkError> for ConvertError {
    fn from(error: SinkError) -> ConvertError {
        ConvertError::Sink(error)
    }
}
