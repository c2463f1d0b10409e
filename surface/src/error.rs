//! §20.2 The reasons why a document has no model.

use crate::dialect::Dialect;
use crate::rules::{API_EMPTY, ApiRule};
use coconut_format::explain::{ErrorClass, explanation};
use std::fmt;

/// The reason why a document has no model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ApiError {
    /// It is neither a package nor a schema.
    NoSchema,
    /// It has the form of a schema, but is empty.
    Empty(Dialect),
    /// Types nest deeper than [`MAX_TYPE_DEPTH`](coconut_format::limits::MAX_TYPE_DEPTH).
    TooDeep {
        /// The definition that contains them.
        token: String,
    },
    /// It has more members or types than can be numbered.
    TooLarge,
}

impl ApiError {
    /// The rule that the document breaks, if there is one.
    pub fn rule(&self) -> Option<&'static ApiRule> {
        match self {
            ApiError::NoSchema | ApiError::Empty(_) => Some(&API_EMPTY),
            ApiError::TooDeep { .. } | ApiError::TooLarge => None,
        }
    }

    /// Returns the stable code for machines: the id of the rule or of the limit.
    pub fn code(&self) -> &'static str {
        match self {
            ApiError::NoSchema | ApiError::Empty(_) => API_EMPTY.id,
            ApiError::TooDeep { .. } => "LIM-DEPTH",
            ApiError::TooLarge => "LIM-COUNT",
        }
    }

    /// Returns the party at fault.
    pub fn class(&self) -> ErrorClass {
        ErrorClass::of(self.code())
    }

    /// Returns the meaning of the code and the remedy, in some paragraphs.
    pub fn explanation(&self) -> Option<&'static str> {
        match self.rule() {
            Some(rule) => Some(rule.explanation),
            None => explanation(self.code()),
        }
    }

    /// The remedy.
    pub fn hint(&self) -> &'static str {
        match self {
            ApiError::NoSchema => {
                "packages are `cocopack` documents, Pulumi package schemas, output of `terraform providers schema -json`, resource types of the CloudFormation registry, and OpenAPI documents and resource definitions of Kubernetes"
            }
            ApiError::Empty(_) => {
                "the dump of a provider that could not be started is empty, too: create it again"
            }
            ApiError::TooDeep { .. } | ApiError::TooLarge => "compare parts of the schema",
        }
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ApiError::NoSchema => f.write_str("the document is neither a package nor a schema"),
            ApiError::Empty(dialect) => write!(f, "{} defines nothing", dialect.described()),
            ApiError::TooDeep { token } => {
                write!(f, "types of `{token}` nest more than {} deep", coconut_format::limits::MAX_TYPE_DEPTH)
            }
            ApiError::TooLarge => f.write_str("the schema has more than 4,294,967,295 members or types"),
        }
    }
}

impl std::error::Error for ApiError {}
