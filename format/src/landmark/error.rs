//! Errors in the text of a landmark rule, and their places.

use std::fmt;

/// The kinds of faults in a landmark rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LandmarkRuleErrorKind {
    /// A text that the grammar does not allow here.
    Expected {
        /// The allowed texts.
        expected: &'static str,
        /// The text found; `None` at the end of the rule.
        found: Option<char>,
    },
    /// A character with a meaning in the grammar, which must be escaped.
    Unescaped(char),
    /// `~` before a character that needs no escape.
    Escape,
    /// A key in braces that can be written as a plain field.
    NotCanonical,
    /// A landmark whose key is an entry's name, at a path that does not end in an entry.
    NoName,
    /// An edge at the landmark itself.
    NoPath,
    /// `{text}` in a pattern. It belongs to edges.
    OnlyEntry,
    /// An edge that continues a pattern missing from the rule.
    UnknownClass {
        /// The number in the edge.
        class: u8,
    },
    /// More patterns, or more edges, than can be numbered.
    TooMany {
        /// The limit.
        limit: usize,
    },
    /// The total length of all paths exceeds the limit.
    TooManySegments,
}

impl LandmarkRuleErrorKind {
    /// Whether a later version of the format may have rules of this form (§8.1).
    pub fn is_newer(self) -> bool {
        !matches!(self, Self::NotCanonical | Self::NoName | Self::UnknownClass { .. })
    }

    /// An error of this kind at a byte of its text.
    #[cold]
    pub(super) fn at(self, position: usize) -> LandmarkRuleError {
        LandmarkRuleError { kind: self, part: RulePart::Text, position }
    }
}

impl fmt::Display for LandmarkRuleErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Expected { expected, found: Some(found) } => {
                write!(f, "expected {expected}, found `{found}`")
            }
            Self::Expected { expected, found: None } => write!(f, "expected {expected}, found the end"),
            Self::Unescaped(special) => write!(f, "`{special}` must be escaped with `~` to be literal"),
            Self::Escape => f.write_str("`~` must precede `0`, `1` or one of `*()[]{}=|<`"),
            Self::NotCanonical => f.write_str("a single field is written without braces"),
            Self::NoName => f.write_str("the path does not end in an entry, so the pattern needs a `[key]`"),
            Self::NoPath => f.write_str("an edge needs a path below the landmark"),
            Self::OnlyEntry => f.write_str("`{text}` is only allowed in the path of an edge"),
            Self::UnknownClass { class } => write!(f, "there is no pattern {class}"),
            Self::TooMany { limit } => write!(f, "more than {limit}"),
            Self::TooManySegments => {
                write!(f, "the paths have more than {} segments together", super::MAX_SEGMENTS)
            }
        }
    }
}

/// The text of a rule that contains an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum RulePart {
    /// A text that was parsed on its own.
    Text,
    /// The pattern with this number.
    Pattern(usize),
    /// The edge with this number.
    Edge(usize),
}

/// A fault in a landmark rule, and its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LandmarkRuleError {
    kind: LandmarkRuleErrorKind,
    part: RulePart,
    position: usize,
}

impl LandmarkRuleError {
    /// The kind of fault.
    pub fn kind(&self) -> LandmarkRuleErrorKind {
        self.kind
    }

    /// The part of the rule that contains it.
    pub fn part(&self) -> RulePart {
        self.part
    }

    /// The byte in that text; 0 for the whole text.
    pub fn position(&self) -> usize {
        self.position
    }

    /// The same error, in this part of a rule.
    pub(super) fn within(self, part: RulePart) -> LandmarkRuleError {
        LandmarkRuleError { part, ..self }
    }
}

impl fmt::Display for LandmarkRuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.part {
            RulePart::Text => write!(f, "{} at byte {}", self.kind, self.position),
            RulePart::Pattern(n) => write!(f, "pattern {n}: {} at byte {}", self.kind, self.position),
            RulePart::Edge(n) => write!(f, "edge {n}: {} at byte {}", self.kind, self.position),
        }
    }
}

impl std::error::Error for LandmarkRuleError {}
impl std::error::Error for LandmarkRuleErrorKind {}

impl LandmarkRuleError {
    /// Returns the stable code, for machines.
    pub fn code(&self) -> &'static str {
        crate::code::RULE_FORM
    }
}

crate::explained!(LandmarkRuleError);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_has_the_part_both_sides_and_the_place() {
        let kind = LandmarkRuleErrorKind::Expected { expected: "`)*`", found: Some('a') };
        assert_eq!(
            kind.at(7).within(RulePart::Edge(2)).to_string(),
            "edge 2: expected `)*`, found `a` at byte 7"
        );
    }
}
