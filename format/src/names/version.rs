//! §11.3 Versions. The part of a package reference after `#`.
//!
//! ```text
//! VersionSpec = "latest" | Version | Commit | Range
//! Version     = number "." number "." number [ "-" Labels ] [ "+" Labels ]  (semantic versioning)
//! Commit      = 7 or 40 hexadecimal digits
//! Range       = All *( "||" All )     All = Comparator *( " " Comparator )
//! Comparator  = ( "=" | "==" | "!" | "!=" | "<" | "<=" | ">" | ">=" ) Version
//! ```
//!
//! `^1.0.6` and `~1.0.6` are not ranges, although early documents use them.

use std::cmp::Ordering;
use std::fmt;

use super::{NameError, NameErrorKind};

/// The requested version of a package.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum VersionSpec {
    /// The newest version.
    Latest,
    /// Exactly this version.
    Exact(SemanticVersion),
    /// A commit, by its short or full hash, in the original case.
    Commit(Box<str>),
    /// Any version that a condition admits.
    Range(VersionRange),
}

impl VersionSpec {
    /// Checks the whole text.
    ///
    /// # Errors
    ///
    /// The place where none of the four forms continues; byte 0 if none begins.
    pub fn parse(text: &str) -> Result<VersionSpec, NameError> {
        if text == "latest" {
            return Ok(VersionSpec::Latest);
        }
        if matches!(text.len(), 7 | 40) && text.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Ok(VersionSpec::Commit(text.into()));
        }
        if text.starts_with(|c: char| c.is_ascii_digit()) {
            return SemanticVersion::parse(text).map(VersionSpec::Exact);
        }
        VersionRange::parse(text).map(VersionSpec::Range)
    }
}

impl fmt::Display for VersionSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            VersionSpec::Latest => f.write_str("latest"),
            VersionSpec::Exact(version) => version.fmt(f),
            VersionSpec::Commit(hash) => f.write_str(hash),
            VersionSpec::Range(range) => range.fmt(f),
        }
    }
}

/// A version of three numbers, with optional labels.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SemanticVersion {
    /// Incremented for incompatible changes.
    pub major: u64,
    /// Incremented for additions.
    pub minor: u64,
    /// Incremented for corrections.
    pub patch: u64,
    /// The labels after `-`, which make it older than the same numbers without labels.
    pub pre_release: Option<Box<str>>,
    /// The labels after `+`, which comparisons ignore.
    pub build: Option<Box<str>>,
}

impl SemanticVersion {
    /// Checks the whole text.
    ///
    /// # Errors
    /// The first place where the text is not a version.
    pub fn parse(text: &str) -> Result<SemanticVersion, NameError> {
        let (text_without_build, build) = match text.split_once('+') {
            Some((before, labels)) => (before, Some(labels)),
            None => (text, None),
        };
        let (numbers, pre_release) = match text_without_build.split_once('-') {
            Some((before, labels)) => (before, Some(labels)),
            None => (text_without_build, None),
        };
        let mut parsed = [0; 3];
        let mut at = 0;
        let mut parts = numbers.split('.');
        for slot in &mut parsed {
            let part =
                parts.next().ok_or_else(|| NameError::new(NameErrorKind::Version, numbers.len(), text))?;
            *slot = number(part).map_err(|kind| NameError::new(kind, at, text))?;
            at += part.len() + 1;
        }
        if parts.next().is_some() {
            return Err(NameError::new(NameErrorKind::Version, at - 1, text));
        }
        if let Some(labels) = pre_release {
            check_labels(labels, numbers.len() + 1, LabelRule::NumbersAreCanonical, text)?;
        }
        if let Some(labels) = build {
            check_labels(labels, text_without_build.len() + 1, LabelRule::AnyDigits, text)?;
        }
        let [major, minor, patch] = parsed;
        Ok(SemanticVersion {
            major,
            minor,
            patch,
            pre_release: pre_release.map(Into::into),
            build: build.map(Into::into),
        })
    }

    /// Compares two versions. Ignores build labels, so equal results do not imply `==`.
    pub fn precedence(&self, other: &SemanticVersion) -> Ordering {
        let numbers = |v: &SemanticVersion| (v.major, v.minor, v.patch);
        numbers(self).cmp(&numbers(other)).then_with(|| match (&self.pre_release, &other.pre_release) {
            (None, None) => Ordering::Equal,
            (None, Some(_)) => Ordering::Greater,
            (Some(_), None) => Ordering::Less,
            (Some(a), Some(b)) => compare_labels(a, b),
        })
    }
}

impl fmt::Display for SemanticVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)?;
        if let Some(labels) = &self.pre_release {
            write!(f, "-{labels}")?;
        }
        match &self.build {
            Some(labels) => write!(f, "+{labels}"),
            None => Ok(()),
        }
    }
}

fn number(text: &str) -> Result<u64, NameErrorKind> {
    if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) {
        return Err(NameErrorKind::Version);
    }
    if text.len() > 1 && text.starts_with('0') {
        return Err(NameErrorKind::VersionNumber);
    }
    text.parse().map_err(|_| NameErrorKind::VersionNumber)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum LabelRule {
    NumbersAreCanonical,
    AnyDigits,
}

/// Checks labels joined by dots, which begin at byte `start` of `text`.
fn check_labels(labels: &str, start: usize, rule: LabelRule, text: &str) -> Result<(), NameError> {
    let mut at = start;
    for label in labels.split('.') {
        let is_label = !label.is_empty() && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
        if !is_label {
            return Err(NameError::new(NameErrorKind::Version, at, text));
        }
        let has_leading_zero = label.len() > 1 && label.starts_with('0');
        let is_number = label.bytes().all(|b| b.is_ascii_digit());
        if rule == LabelRule::NumbersAreCanonical && has_leading_zero && is_number {
            return Err(NameError::new(NameErrorKind::VersionNumber, at, text));
        }
        at += label.len() + 1;
    }
    Ok(())
}

/// The order of pre-release labels: numbers below words, numbers by value, words bytewise, fewer
/// before more.
fn compare_labels(a: &str, b: &str) -> Ordering {
    let mut left = a.split('.');
    let mut right = b.split('.');
    loop {
        let order = match (left.next(), right.next()) {
            (None, None) => return Ordering::Equal,
            (None, Some(_)) => Ordering::Less,
            (Some(_), None) => Ordering::Greater,
            (Some(x), Some(y)) => match (is_numeric(x), is_numeric(y)) {
                // Without leading zeros, the longer number is the greater one, whatever its size.
                (true, true) => x.len().cmp(&y.len()).then_with(|| x.cmp(y)),
                (true, false) => Ordering::Less,
                (false, true) => Ordering::Greater,
                (false, false) => x.cmp(y),
            },
        };
        if order != Ordering::Equal {
            return order;
        }
    }
}

fn is_numeric(label: &str) -> bool {
    label.bytes().all(|b| b.is_ascii_digit())
}

/// A condition on versions: alternatives, each of which is a list of comparisons that must all
/// hold.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct VersionRange {
    /// The original text. White space in it is insignificant, but kept.
    text: Box<str>,
    alternatives: Vec<Vec<Comparator>>,
}

/// One comparison of a range.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Comparator {
    /// The operator.
    pub comparison: Comparison,
    /// The version on the right-hand side.
    pub version: SemanticVersion,
}

/// The operator of a [`Comparator`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// `=` or `==`.
    Equal,
    /// `!` or `!=`.
    NotEqual,
    /// `<`.
    Less,
    /// `<=`.
    LessOrEqual,
    /// `>`.
    Greater,
    /// `>=`.
    GreaterOrEqual,
}

/// The spellings of the operators, longer ones first, because they begin with shorter ones.
const OPERATORS: [(&str, Comparison); 8] = [
    ("==", Comparison::Equal),
    ("!=", Comparison::NotEqual),
    ("<=", Comparison::LessOrEqual),
    (">=", Comparison::GreaterOrEqual),
    ("=", Comparison::Equal),
    ("!", Comparison::NotEqual),
    ("<", Comparison::Less),
    (">", Comparison::Greater),
];

impl VersionRange {
    /// Checks the whole text.
    ///
    /// # Errors
    ///
    /// The first invalid comparison.
    pub fn parse(text: &str) -> Result<VersionRange, NameError> {
        let mut alternatives = Vec::new();
        let mut start = 0;
        for alternative in text.split("||") {
            alternatives.push(parse_comparators(text, start, start + alternative.len())?);
            start += alternative.len() + "||".len();
        }
        Ok(VersionRange { text: text.into(), alternatives })
    }

    /// The alternatives; within each, all comparisons must hold.
    #[doc(hidden)]
    pub fn alternatives(&self) -> &[Vec<Comparator>] {
        &self.alternatives
    }

    /// Whether the range admits `version`.
    pub fn admits(&self, version: &SemanticVersion) -> bool {
        self.alternatives.iter().any(|all| all.iter().all(|comparator| comparator.admits(version)))
    }
}

impl fmt::Display for VersionRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Comparator {
    /// Whether the comparison holds for `version`.
    pub fn admits(&self, version: &SemanticVersion) -> bool {
        let order = version.precedence(&self.version);
        match self.comparison {
            Comparison::Equal => order.is_eq(),
            Comparison::NotEqual => order.is_ne(),
            Comparison::Less => order.is_lt(),
            Comparison::LessOrEqual => order.is_le(),
            Comparison::Greater => order.is_gt(),
            Comparison::GreaterOrEqual => order.is_ge(),
        }
    }
}

/// The comparisons in `text[at..end]`, at least one.
fn parse_comparators(text: &str, mut at: usize, end: usize) -> Result<Vec<Comparator>, NameError> {
    let mut comparators = Vec::new();
    loop {
        at = skip_spaces(text, at, end);
        if at == end && !comparators.is_empty() {
            return Ok(comparators);
        }
        let operator = OPERATORS.iter().find(|(spelling, _)| text[at..end].starts_with(spelling));
        let &(spelling, comparison) =
            operator.ok_or_else(|| NameError::new(NameErrorKind::Version, at, text))?;
        at = skip_spaces(text, at + spelling.len(), end);
        let length = text[at..end].find([' ', '<', '>', '=', '!']).unwrap_or(end - at);
        let version = SemanticVersion::parse(&text[at..at + length]);
        let version = version.map_err(|e| NameError::new(e.kind, at + e.at, text))?;
        comparators.push(Comparator { comparison, version });
        at += length;
    }
}

fn skip_spaces(text: &str, at: usize, end: usize) -> usize {
    let rest = &text[at..end];
    at + (rest.len() - rest.trim_start_matches(' ').len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(text: &str) -> SemanticVersion {
        SemanticVersion::parse(text).expect(text)
    }

    fn fault(text: &str) -> (NameErrorKind, usize) {
        let error = VersionSpec::parse(text).expect_err("should be refused");
        (error.kind, error.at)
    }

    #[test]
    fn tells_the_four_forms_apart() {
        assert_eq!(VersionSpec::parse("latest"), Ok(VersionSpec::Latest));
        assert_eq!(VersionSpec::parse("6F99088"), Ok(VersionSpec::Commit("6F99088".into())));
        assert_eq!(VersionSpec::parse("1234567"), Ok(VersionSpec::Commit("1234567".into())));
        assert_eq!(VersionSpec::parse("1.0.6"), Ok(VersionSpec::Exact(version("1.0.6"))));
        assert!(matches!(VersionSpec::parse(">=1.0.6"), Ok(VersionSpec::Range(_))));
    }

    #[test]
    fn prints_as_it_was_read() {
        for text in ["1.0.6-rc.1+build.007", "<2.0.0 || >=3.0.0", "> 1.0.0 <2.0.0", "!=1.0.0"] {
            assert_eq!(VersionSpec::parse(text).expect(text).to_string(), text);
        }
    }

    #[test]
    fn versions_have_exactly_three_numbers() {
        assert_eq!(fault("1.0"), (NameErrorKind::Version, 3));
        assert_eq!(fault("1.0.0.0"), (NameErrorKind::Version, 5));
        assert_eq!(fault("1..0"), (NameErrorKind::Version, 2));
        assert_eq!(fault("1.0.x"), (NameErrorKind::Version, 4));
        assert_eq!(fault("1.01.0"), (NameErrorKind::VersionNumber, 2));
        assert_eq!(fault("1.0.18446744073709551616"), (NameErrorKind::VersionNumber, 4));
        assert_eq!(fault("1.0.0-"), (NameErrorKind::Version, 6));
        assert_eq!(fault("1.0.0-a.01"), (NameErrorKind::VersionNumber, 8));
    }

    #[test]
    fn carets_and_tildes_are_not_ranges() {
        assert_eq!(fault("^1.0.7"), (NameErrorKind::Version, 0));
        assert_eq!(fault("~1.0.7"), (NameErrorKind::Version, 0));
    }

    #[test]
    fn a_range_reports_the_invalid_comparison() {
        assert_eq!(fault(">=1.0.0 || "), (NameErrorKind::Version, 11));
        assert_eq!(fault(">=1.0.0 ?"), (NameErrorKind::Version, 8));
        assert_eq!(fault("<1.0.0 >=2.0"), (NameErrorKind::Version, 12));
    }

    #[test]
    fn a_range_admits_the_versions_of_each_alternative() {
        let range = VersionRange::parse(">=1.0.0 <2.0.0 || >=3.0.0").expect("a range");
        for (text, admitted) in
            [("0.9.9", false), ("1.0.0", true), ("2.0.0-rc", true), ("2.0.0", false), ("3.1.0", true)]
        {
            assert_eq!(range.admits(&version(text)), admitted, "{text}");
        }
    }

    #[test]
    fn precedence_is_that_of_semantic_versioning() {
        let ascending = [
            "1.0.0-alpha",
            "1.0.0-alpha.1",
            "1.0.0-alpha.beta",
            "1.0.0-beta.2",
            "1.0.0-beta.11",
            "1.0.0-rc.1",
            "1.0.0",
            "1.0.1",
        ];
        for pair in ascending.windows(2) {
            assert_eq!(version(pair[0]).precedence(&version(pair[1])), Ordering::Less, "{pair:?}");
        }
        assert_eq!(version("1.0.0+a").precedence(&version("1.0.0+b")), Ordering::Equal);
    }
}
