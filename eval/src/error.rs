//! §19.9 Reasons why an evaluation fails.

use crate::limits::Limit;
use crate::packages::SourceError;
use coconut_format::location::Location;
use coconut_format::truncated::Truncated;
use std::error::Error;
use std::fmt;

/// The error of an evaluation without a result.
#[derive(Debug)]
pub struct EvalError {
    kind: EvalErrorKind,
    trace: Vec<Frame>,
    log: String,
}

/// The kind of an [`EvalError`].
#[derive(Debug)]
#[non_exhaustive]
pub enum EvalErrorKind {
    /// The package has no default module.
    NoDefaultModule,
    /// The default module has no function `.main`.
    NoMain,
    /// The arguments do not match the parameters of `.main`.
    Arguments(String),
    /// A configuration token does not name a variable of a module or class.
    Configuration {
        /// The token.
        token: String,
        /// The reason why it cannot be set.
        reason: String,
    },
    /// An exception that the program did not handle.
    Thrown(String),
    /// A limit is exceeded.
    Limit {
        /// The limit.
        limit: Limit,
        /// Its value.
        value: u64,
    },
    /// A package that cannot be read.
    Package {
        /// The name of the package.
        name: String,
        /// The reason.
        error: SourceError,
    },
    /// Two resources have the same URN.
    DuplicateUrn(String),
    /// The resource type, name or property cannot be in a graph.
    Resource(String),
}

/// A call that had not returned yet.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Frame {
    /// The token of the function.
    pub function: String,
    /// The place in the source.
    pub location: Option<Location>,
}

impl EvalErrorKind {
    /// All codes of [`EvalError::code`].
    pub const CODES: &[&str] = &[
        "EVL-ENTRY",
        "EVL-ARGUMENT",
        "EVL-CONFIG",
        "EVL-THROWN",
        "EVL-LIMIT",
        "EVL-PACKAGE",
        "EVL-URN",
        "EVL-RESOURCE",
    ];
}

impl EvalError {
    pub(crate) fn new(kind: EvalErrorKind, trace: Vec<Frame>, log: String) -> EvalError {
        EvalError { kind, trace, log }
    }

    /// The output of the program until then.
    pub fn log(&self) -> &str {
        &self.log
    }

    /// The kind.
    pub fn kind(&self) -> &EvalErrorKind {
        &self.kind
    }

    /// The calls that had not returned yet, innermost first. If there are too many, only the first
    /// and the last.
    pub fn trace(&self) -> &[Frame] {
        &self.trace
    }

    /// The stable code.
    pub fn code(&self) -> &'static str {
        match &self.kind {
            EvalErrorKind::NoDefaultModule | EvalErrorKind::NoMain => "EVL-ENTRY",
            EvalErrorKind::Arguments(_) => "EVL-ARGUMENT",
            EvalErrorKind::Configuration { .. } => "EVL-CONFIG",
            EvalErrorKind::Thrown(_) => "EVL-THROWN",
            EvalErrorKind::Limit { .. } => "EVL-LIMIT",
            EvalErrorKind::Package { .. } => "EVL-PACKAGE",
            EvalErrorKind::DuplicateUrn(_) => "EVL-URN",
            EvalErrorKind::Resource(_) => "EVL-RESOURCE",
        }
    }
}

impl fmt::Display for EvalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            EvalErrorKind::NoDefaultModule => f.write_str(
                "the package has no default module: no alias `.default` and no module of this name",
            ),
            EvalErrorKind::NoMain => f.write_str("the default module has no function `.main`"),
            EvalErrorKind::Arguments(reason) => f.write_str(reason),
            EvalErrorKind::Configuration { token, reason } => {
                write!(f, "configuration `{}`: {reason}", Truncated(token))
            }
            EvalErrorKind::Thrown(text) => write!(f, "unhandled exception: {text}"),
            EvalErrorKind::Limit { limit, value } => write!(f, "more than {value} {limit}"),
            EvalErrorKind::Package { name, error } => write!(f, "package `{name}` cannot be read: {error}"),
            EvalErrorKind::DuplicateUrn(urn) => write!(f, "two resources have the URN `{}`", Truncated(urn)),
            EvalErrorKind::Resource(reason) => f.write_str(reason),
        }
    }
}

impl Error for EvalError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.kind {
            // The message already contains the text of the cause.
            EvalErrorKind::Package { error, .. } => error.source(),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_urn_is_quoted_up_to_1024_characters() {
        let error =
            EvalError::new(EvalErrorKind::DuplicateUrn("u".repeat(1 << 20)), Vec::new(), String::new());
        let expected = format!("two resources have the URN `{}… (1048576 bytes)`", "u".repeat(1024));
        assert_eq!(error.to_string(), expected);
    }
}
