//! §11 Names: errors and their places.

use crate::truncated::Truncated;
use crate::visible::is_deceptive;
use std::fmt;

/// The kind of error in a name, token or reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NameErrorKind {
    /// A name is missing.
    Missing,
    /// A character that cannot begin a name.
    Start,
    /// A character that cannot continue a name.
    Character,
    /// A token with more than the four parts package, module, member and class member.
    TooManyParts,
    /// A text of one part; a module token has two.
    TooFewParts,
    /// A type token that ends too early or continues with a wrong character.
    Delimiter(&'static str),
    /// Text after the end of a complete type token.
    LeftOver,
    /// A type token nested deeper than [`MAX_TYPE_DEPTH`](crate::limits::MAX_TYPE_DEPTH).
    TooDeep,
    /// A package reference with a dot but no `/`: a host without a package.
    BaseWithoutName,
    /// A text in none of the four forms of a version.
    Version,
    /// A number in a version that begins with a superfluous zero or needs more than 64 bits.
    VersionNumber,
}

impl NameErrorKind {
    /// The expected text, as a phrase that continues "expected".
    pub fn expected(self) -> &'static str {
        match self {
            NameErrorKind::Missing => "a name",
            NameErrorKind::Start => "a letter, `_` or `.`",
            NameErrorKind::Character => "a letter, a digit, `_` or `.`",
            NameErrorKind::TooManyParts => "the end of the token after four parts",
            NameErrorKind::TooFewParts => "`:` and a module name",
            NameErrorKind::Delimiter(delimiter) => delimiter,
            NameErrorKind::LeftOver => "the end of the type",
            NameErrorKind::TooDeep => "at most 64 nested types",
            NameErrorKind::BaseWithoutName => "`/` and a package name after the host",
            NameErrorKind::Version => {
                "`latest`, a version of three numbers, 7 or 40 hexadecimal digits, or a range such as `>=1.0.6`"
            }
            NameErrorKind::VersionNumber => "a number below 2^64 without leading zeros",
        }
    }
}

/// A text that is not a name of the required kind, with the byte of the fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameError {
    /// The kind of error.
    pub kind: NameErrorKind,
    /// The byte offset in the text; its length if something is missing at the end.
    pub at: usize,
    text: Box<str>,
}

impl NameError {
    #[cold]
    pub(super) fn new(kind: NameErrorKind, at: usize, text: &str) -> NameError {
        NameError { kind, at, text: text.into() }
    }

    /// The parsed text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Prints two lines: the text, and a caret below the invalid character with the expected text.
    ///
    /// Control characters are escaped, so that the caret is in the right column on any terminal.
    pub fn excerpt(&self) -> String {
        let mut shown = String::new();
        let mut column = None;
        for (offset, c) in self.text.char_indices() {
            if offset == self.at {
                column = Some(shown.chars().count());
            }
            if is_deceptive(c) { shown.extend(c.escape_default()) } else { shown.push(c) }
        }
        let column = column.unwrap_or_else(|| shown.chars().count());
        format!("{shown}\n{:column$}^ expected {}", "", self.kind.expected())
    }
}

impl fmt::Display for NameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = Truncated(&self.text).to_text();
        write!(f, "expected {} at byte {} of `{}`", self.kind.expected(), self.at, text.escape_debug())
    }
}

impl std::error::Error for NameError {}

impl NameError {
    /// Returns the stable code, for machines.
    pub fn code(&self) -> &'static str {
        crate::code::NAME_FORM
    }
}

crate::explained!(NameError);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_caret_counts_characters_and_not_bytes() {
        let error = NameError::new(NameErrorKind::Start, 3, "é:9");
        assert_eq!(error.excerpt(), "é:9\n  ^ expected a letter, `_` or `.`");
    }

    #[test]
    fn the_caret_is_after_the_text_if_something_is_missing() {
        let error = NameError::new(NameErrorKind::Missing, 2, "a:");
        assert_eq!(error.excerpt(), "a:\n  ^ expected a name");
        assert_eq!(error.to_string(), "expected a name at byte 2 of `a:`");
    }

    #[test]
    fn control_characters_do_not_move_the_caret() {
        let error = NameError::new(NameErrorKind::Character, 1, "a\nb");
        assert_eq!(error.excerpt(), "a\\nb\n ^ expected a letter, a digit, `_` or `.`");
    }
}
