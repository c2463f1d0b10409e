//! Codes for failures of the request or the system that the tools share.
//!
//! They are stable, for machines. Codes of documents are in [`ErrorKind`](crate::ErrorKind), codes
//! of rules in `verify`. A failure specific to one tool has its code in that tool. `coco explain`
//! has a text for each code.

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $code:literal;)+) => {
        $($(#[$doc])* pub const $name: &str = $code;)+

        /// All of them.
        pub const CODES: &[&str] = &[$($name),+];
    };
}

codes! {
    /// The command line is invalid.
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
    /// The JSON pointer has no target.
    PATH_MISSING = "PATH-MISSING";
    /// This build cannot read the format of the source.
    SOURCE = "SOURCE";
    /// A printer or builder refuses a value of the document.
    SINK = "SINK";
    /// The document does not match the type that a program reads it into.
    VALUE_TYPE = "VALUE-TYPE";
    /// A text is not a name, a token, an address or a package reference.
    NAME_FORM = "NAME-FORM";
    /// A text is not a URN.
    URN_FORM = "URN-FORM";
    /// A text is not a landmark rule.
    RULE_FORM = "RULE-FORM";
    /// A patch cannot be applied.
    PATCH_FORM = "PATCH-FORM";
    /// A node of a package cannot be built.
    BUILD_NODE = "BUILD-NODE";
    /// A snapshot cannot be built.
    BUILD_GRAPH = "BUILD-GRAPH";
    /// An envelope cannot be written.
    BUILD_ENVELOPE = "BUILD-ENVELOPE";
    /// A program is not TypeScript.
    PROGRAM_SYNTAX = "JS-SYNTAX";
    /// The language of packages has no such construct.
    PROGRAM_REFUSED = "JS-REFUSED";
    /// A program is nested too deeply.
    PROGRAM_DEPTH = "JS-DEPTH";
    /// A file of a program cannot be read, or is not UTF-8.
    PROGRAM_READ = "JS-READ";
    /// There is no manifest, or it is not the manifest of a package.
    PROGRAM_MANIFEST = "JS-MANIFEST";
    /// An import names a module or package that does not exist.
    PROGRAM_MODULE = "JS-MODULE";
    /// A name is not declared.
    PROGRAM_NAME = "JS-NAME";
    /// A module does not export a name.
    PROGRAM_EXPORT = "JS-EXPORT";
    /// A class has no such member.
    PROGRAM_MEMBER = "JS-MEMBER";
    /// An object of a program lacks a property that its type requires.
    PROGRAM_PROPERTY = "JS-PROPERTY";
    /// A function is called with too few or too many arguments.
    PROGRAM_ARGUMENTS = "JS-ARGUMENTS";
    /// A constant is assigned to.
    PROGRAM_CONSTANT = "JS-CONST";
    /// A name is declared twice.
    PROGRAM_DUPLICATE = "JS-DUPLICATE";
}
