//! Codes of failures that are about the question or the system, as far as the tools share them.
//!
//! They are stable, for machines. Those of documents are in [`ErrorKind`](crate::ErrorKind), those of rules in
//! [`verify`](crate::verify); what only one tool can fail at has its code there. `coco explain` has a text for each.

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $code:literal;)+) => {
        $($(#[$doc])* pub const $name: &str = $code;)+

        /// All of them.
        pub const CODES: &[&str] = &[$($name),+];
    };
}

codes! {
    /// The command line makes no sense.
    USAGE = "USAGE";
    /// A file cannot be read.
    FILE_READ = "FILE-READ";
    /// A file cannot be written.
    FILE_WRITE = "FILE-WRITE";
    /// Standard output cannot be written.
    OUTPUT = "OUTPUT";
    /// No landmark has the key.
    KEY_MISSING = "KEY-MISSING";
    /// Several landmarks have the key.
    KEY_AMBIGUOUS = "KEY-AMBIGUOUS";
    /// The JSON pointer leads nowhere.
    PATH_MISSING = "PATH-MISSING";
    /// The source is of a format that this build cannot read.
    SOURCE = "SOURCE";
    /// What prints or builds a document refuses a value of it.
    SINK = "SINK";
}
