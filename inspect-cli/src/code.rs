//! Codes of failures that are about the question or the system. Those of documents are in `spec/registry/errors.tsv`.
//!
//! They are stable, for machines. `coco explain` has a text for each, and its tests read this list.

/// The command line makes no sense.
pub(crate) const USAGE: &str = "USAGE";
/// A file cannot be read.
pub(crate) const FILE_READ: &str = "FILE-READ";
/// A file cannot be written.
pub(crate) const FILE_WRITE: &str = "FILE-WRITE";
/// Standard output cannot be written.
pub(crate) const OUTPUT: &str = "OUTPUT";
/// Git cannot be run, or refuses.
pub(crate) const GIT: &str = "GIT";
/// No landmark has the key.
pub(crate) const KEY_MISSING: &str = "KEY-MISSING";
/// Several landmarks have the key.
pub(crate) const KEY_AMBIGUOUS: &str = "KEY-AMBIGUOUS";
/// The JSON pointer leads nowhere.
pub(crate) const PATH_MISSING: &str = "PATH-MISSING";
/// The document is of a sort that has no edges.
pub(crate) const NO_EDGES: &str = "NO-EDGES";
/// What is to be printed raw is no string.
pub(crate) const NOT_A_STRING: &str = "NOT-A-STRING";
/// The document is not what its source makes.
pub(crate) const SOURCE_DIFFERS: &str = "SOURCE-DIFFERS";
/// The source is refused for another reason than its text.
pub(crate) const SOURCE: &str = "SOURCE";
/// What prints a document refuses a value of it.
pub(crate) const SINK: &str = "SINK";
