//! §24.8 Rules for parse results in streams of Pcore. The findings are those of the parser.

use super::rules;

rules! {
    /// The rules for parse results, in the order of the registry.
    STREAM_RULES:

    XPP_ERROR = "XPP-ERROR", Error, [], "§24.8",
        "the parser found no error in the source",
        "the parser found an error in the source: {found}",
        "An XPP file has the diagnostics of its parser beside the syntax tree, or instead of it. Correct the source, and make the file again.";
    XPP_WARNING = "XPP-WARNING", Warning, [], "§24.8",
        "the parser has no warning about the source",
        "the parser warns of the source: {found}",
        "The source is probably not what its author meant, or will have no meaning in a later release. Correct it, and make the file again.";
}
