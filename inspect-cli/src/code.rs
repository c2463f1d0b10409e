//! Codes of failures that are about the question or the system. Those of documents are in `spec/registry/errors.tsv`.
//!
//! They are stable, for machines. Those that `coco` has, too, are in the format crate. `coco explain` has a text for each, and its
//! tests read this list.

pub(crate) use coconut_format::code::{
    FILE_READ, FILE_WRITE, KEY_AMBIGUOUS, KEY_MISSING, OUTPUT, PATH_MISSING, SOURCE, USAGE,
};

/// Git cannot be run, or refuses.
pub(crate) const GIT: &str = "GIT";
/// The document is of a sort that has no edges.
pub(crate) const NO_EDGES: &str = "NO-EDGES";
/// What is to be printed raw is no string.
pub(crate) const NOT_A_STRING: &str = "NOT-A-STRING";
/// The document is not what its source makes.
pub(crate) const SOURCE_DIFFERS: &str = "SOURCE-DIFFERS";
