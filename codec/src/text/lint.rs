//! Findings about a source text that is valid but probably unintended.

use super::error::TextPosition;
use std::fmt;

coconut_format::kinds! {
    /// The suspicious features of a text that was read without errors. The codes are stable.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum LintKind(code, message);

    /// The text begins with U+FEFF.
    ByteOrderMark => "W-BOM", "the text begins with a byte order mark, which many readers refuse";
    /// A plain YAML scalar that is a boolean in YAML 1.1 and a string in YAML 1.2.
    YamlBoolean => "W-YAML-BOOL", "this is a string, not a boolean; quote it, or write `true` or `false`";
    /// A plain YAML float that looks like a version: it ends in a zero that the number loses.
    YamlVersion => "W-YAML-VERSION", "this is a number and loses its last zero; quote it if it is a version";
    /// A plain YAML scalar of digits that is a number for older readers and a string in YAML 1.2.
    YamlNumber => "W-YAML-NUMBER", "this is a string, though YAML 1.1 reads it as a number; quote it to be clear";
    /// A YAML tag that is kept as the key of an object.
    YamlTag => "W-YAML-TAG", "this tag is not a tag of YAML; the value is kept in an object whose key is the tag";
    /// A key that occurs twice in an object of a state.
    RepeatedKey => "W-DUPKEY", "this key is repeated in its object; as in Terraform, only the last value counts";
}

impl LintKind {
    const ALL: [LintKind; LintKind::CODES.len()] = [
        LintKind::ByteOrderMark,
        LintKind::YamlBoolean,
        LintKind::YamlVersion,
        LintKind::YamlNumber,
        LintKind::YamlTag,
        LintKind::RepeatedKey,
    ];

    /// The kind with this code.
    pub fn of_code(code: &str) -> Option<LintKind> {
        LintKind::ALL.into_iter().find(|kind| kind.code() == code)
    }
}

/// One finding about a text that was read successfully.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Lint {
    /// The kind of the finding.
    pub kind: LintKind,
    /// Its start.
    pub at: TextPosition,
}

impl fmt::Display for Lint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TextPosition { line, column, .. } = self.at;
        write!(f, "{}: {} at line {line}, column {column}", self.kind.code(), self.kind)
    }
}
