//! §8.1 Landmark rule. The values of a document that can be looked up, their keys, and the edges
//! from one to another.
//!
//! The header of every document contains its rule, as text. From it, a reader without any knowledge
//! of packages, states or plans rebuilds the same index. A rule has three parts:
//!
//! * *patterns*, each the path of a class of landmarks and the source of their keys;
//! * a *join* text, for nested landmarks: their full key is the parent's full key, the join and the
//!   own key;
//! * *edges*, each the places below a landmark that hold the key of another landmark.
//!
//! ```text
//! Pattern = Path [ "[" Key "]" ]
//! Edge    = Kind "=" Class Path [ "<" Reading ]
//! Kind    = [a-z][a-z0-9-]*                              Class = number of a pattern
//! Path    = { Step }
//! Step    = Segment | "(" Segment { Segment } ")*"       the group: zero or more times
//! Segment = "/" ( "*" | Text | "{" Text "}" )            any entry or item
//!                                                        | the entry Text | the only entry, Text
//! Reading = Text | "<" Text                              before the last Text | before the first
//!         | "{" | "["                                    each ${name} | without instance keys
//! Key     = Field | Template                             the string field | see below
//! Field   = Text { "/" Text }                            the entry at this path
//! Text    = characters, or none in a Segment;
//!           ~0 for "~", ~1 for "/", and "~" before each of  * ( ) [ ] { } = | <
//! ```
//!
//! `/resources/*` makes every entry of the object `resources` a landmark; its key is the entry's
//! key. `/resources/*[urn]` uses the string field `urn` of each entry or list item instead.
//! `[name]` is the root itself. The class of a landmark is the number of its pattern. Its parent is
//! the innermost landmark around it. If several patterns match one value, the first in the rule
//! counts, even if it gives no key. All matching edges count.
//!
//! A template is a text with fields in it, for documents that spread a name over several fields.
//! `{field|json}` is a string or integer as JSON text, so that `0` and `"0"` are different keys.
//! `{field=text}` is the text, if the field has this value. `(…)` is empty if a field in it is
//! missing. A Terraform resource is `({module}.)({mode=data}.){type}.{name}`.
//!
//! ```
//! use coconut_format::landmark::LandmarkRule;
//!
//! let rule = LandmarkRule::parse(&["/resources/*[urn]"], None, &["parent=0/parent"])?;
//! assert_eq!(rule.patterns()[0].to_string(), "/resources/*[urn]");
//! assert_eq!((rule.edges()[0].kind(), rule.edges()[0].class()), ("parent", 0));
//!
//! let error = LandmarkRule::parse(&["/resources/*[urn"], None, &[] as &[&str]).unwrap_err();
//! assert_eq!((error.code(), error.position()), ("RULE-FORM", 16));
//! # Ok::<(), coconut_format::landmark::LandmarkRuleError>(())
//! ```

mod automatic;
mod dialect;
mod error;
mod escaped;
mod found;
mod key;
mod matcher;
mod own_keys;
mod pattern;
mod reading;
mod walk;

use crate::limits::{MAX_PATTERNS, MAX_SEGMENTS};
#[cfg(feature = "tooling")]
#[doc(hidden)]
pub use automatic::{AUTOMATIC_RULE, automatic_rule};
pub use dialect::{CycleRule, DIALECTS, Dialect};
#[cfg(feature = "tooling")]
#[doc(hidden)]
pub use dialect::{Detection, PACKAGE_DIALECT, detect};
pub use error::{LandmarkRuleError, LandmarkRuleErrorKind, RulePart};
#[cfg(feature = "tooling")]
#[doc(hidden)]
pub use found::{FoundEdge, FoundEdges, Landmark, Landmarks};
#[cfg(not(feature = "tooling"))]
pub(crate) use key::KeyRule;
#[cfg(feature = "tooling")]
#[doc(hidden)]
pub use key::{KeyField, KeyRule, Piece, TemplatePart};
#[cfg(feature = "tooling")]
#[doc(hidden)]
pub use matcher::{RuleMatcher, State};
#[cfg(not(feature = "tooling"))]
pub(crate) use matcher::{RuleMatcher, State};
#[cfg(feature = "tooling")]
#[doc(hidden)]
pub use own_keys::{EachKey, OwnKeys};
#[cfg(feature = "tooling")]
#[doc(hidden)]
pub use pattern::{Path, Segment, Step};
#[cfg(not(feature = "tooling"))]
pub(crate) use pattern::{Path, Segment, Step};
#[cfg(not(feature = "tooling"))]
pub(crate) use reading::Reading;
#[cfg(feature = "graphs")]
pub(crate) use reading::string_length;
#[cfg(feature = "tooling")]
#[doc(hidden)]
pub use reading::{Reading, References};
#[cfg(feature = "tooling")]
#[doc(hidden)]
pub use reading::{instance_key, without_instances};
#[cfg(feature = "tooling")]
#[doc(hidden)]
pub use walk::{Trail, Visited, Walk};
#[cfg(all(feature = "verify", not(feature = "tooling")))]
pub(crate) use walk::{Visited, Walk};
#[cfg(all(feature = "graphs", not(feature = "tooling")))]
pub(crate) use {
    found::{FoundEdge, Landmark, Landmarks},
    own_keys::OwnKeys,
    reading::without_instances,
    walk::Trail,
};

use std::fmt;
use std::sync::Arc;

/// A parsed landmark rule: within the limits, and equal to its text. Clones share one rule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LandmarkRule(Arc<Parts>);

#[derive(Debug, Default, PartialEq, Eq)]
struct Parts {
    patterns: Vec<Pattern>,
    join: Option<String>,
    edges: Vec<EdgePattern>,
}

impl LandmarkRule {
    /// Parses a rule.
    ///
    /// Fails at the first text that is malformed or not canonical, and beyond [`MAX_PATTERNS`] and
    /// [`MAX_SEGMENTS`].
    pub fn parse<S: AsRef<str>>(
        patterns: &[S],
        join: Option<&str>,
        edges: &[S],
    ) -> Result<LandmarkRule, LandmarkRuleError> {
        let patterns: Vec<&str> = patterns.iter().map(AsRef::as_ref).collect();
        let edges: Vec<&str> = edges.iter().map(AsRef::as_ref).collect();
        LandmarkRule::parse_texts(&patterns, join, &edges)
    }

    fn parse_texts(
        patterns: &[&str],
        join: Option<&str>,
        edges: &[&str],
    ) -> Result<LandmarkRule, LandmarkRuleError> {
        let count = patterns.len();
        let patterns = parse_all(patterns, Pattern::parse, RulePart::Pattern)?;
        let parse_edge = |text: &str| {
            let edge = EdgePattern::parse(text)?;
            check_class(edge.class, count)?;
            Ok(edge)
        };
        let edges = parse_all(edges, parse_edge, RulePart::Edge)?;
        LandmarkRule::within_limits(patterns, join.map(str::to_owned), edges)
    }

    /// The rule with these parts. Fails where [`LandmarkRule::parse`] would, at position 0 of the
    /// part.
    pub fn new(
        patterns: Vec<Pattern>,
        join: Option<String>,
        edges: Vec<EdgePattern>,
    ) -> Result<LandmarkRule, LandmarkRuleError> {
        for (n, edge) in edges.iter().enumerate() {
            check_class(edge.class, patterns.len()).map_err(|error| error.within(RulePart::Edge(n)))?;
        }
        LandmarkRule::within_limits(patterns, join, edges)
    }

    fn within_limits(
        patterns: Vec<Pattern>,
        join: Option<String>,
        edges: Vec<EdgePattern>,
    ) -> Result<LandmarkRule, LandmarkRuleError> {
        let rule = LandmarkRule(Arc::new(Parts { patterns, join, edges }));
        matcher::check(&rule)?;
        Ok(rule)
    }

    /// The patterns. The position of each is the class of its landmarks.
    pub fn patterns(&self) -> &[Pattern] {
        &self.0.patterns
    }

    /// The text between the parent's full key and a nested landmark's own key.
    ///
    /// `None` means that a nested landmark's own key is its full key.
    pub fn join(&self) -> Option<&str> {
        self.0.join.as_deref()
    }

    /// The edge positions. The position of each in this list is the edge's number.
    pub fn edges(&self) -> &[EdgePattern] {
        &self.0.edges
    }

    /// The same rule without edges: a walk for landmarks need not visit places that only edges
    /// reach.
    #[must_use]
    pub fn without_edges(&self) -> LandmarkRule {
        let Parts { patterns, join, .. } = &*self.0;
        LandmarkRule(Arc::new(Parts { patterns: patterns.clone(), join: join.clone(), edges: Vec::new() }))
    }

    /// The same rule for documents that write references as `{tag: key}`.
    fn with_tag(&self, tag: &str) -> LandmarkRule {
        let Parts { patterns, join, edges } = &*self.0;
        let edges = edges.iter().map(|edge| edge.clone().with_tag(tag)).collect();
        LandmarkRule(Arc::new(Parts { patterns: patterns.clone(), join: join.clone(), edges }))
    }

    /// Whether this rule cannot have landmarks.
    pub fn is_empty(&self) -> bool {
        self.0.patterns.is_empty()
    }
}

/// Parses these texts. The form of all of them is checked before any limit. If there are too many,
/// the first one beyond the limit is kept, and none after it.
fn parse_all<T>(
    texts: &[&str],
    mut parse: impl FnMut(&str) -> Result<T, LandmarkRuleError>,
    part: fn(usize) -> RulePart,
) -> Result<Vec<T>, LandmarkRuleError> {
    let mut kept = Vec::new();
    for (n, text) in texts.iter().enumerate() {
        let parsed = parse(text).map_err(|error| error.within(part(n)))?;
        if kept.len() <= MAX_PATTERNS {
            kept.push(parsed);
        }
    }
    Ok(kept)
}

/// Refuses an edge whose class has no pattern.
fn check_class(class: u8, patterns: usize) -> Result<(), LandmarkRuleError> {
    if usize::from(class) < patterns {
        return Ok(());
    }
    Err(LandmarkRuleErrorKind::UnknownClass { class }.at(0))
}

/// A class of landmarks: the values at `path`, and the source of their keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    path: Path,
    key: KeyRule,
}

impl Pattern {
    /// The landmarks at `path`, with keys by the rule `key`.
    ///
    /// Fails if the key is an entry's name and the path can end at a value that is not an entry.
    /// Fails if the path has an only-entry segment, which belongs to edges.
    #[doc(hidden)]
    pub fn new(path: Path, key: KeyRule) -> Result<Pattern, LandmarkRuleError> {
        if key == KeyRule::Name && !matches!(path.steps().last(), Some(Step::One(_))) {
            return Err(LandmarkRuleErrorKind::NoName.at(0));
        }
        if path.has_only_entry() {
            return Err(LandmarkRuleErrorKind::OnlyEntry.at(0));
        }
        Ok(Pattern { path, key })
    }

    /// Parses a pattern.
    pub fn parse(text: &str) -> Result<Pattern, LandmarkRuleError> {
        let mut parser = pattern::Parser::new(text);
        let path = parser.path()?;
        let key = parser.key()?;
        parser.end()?;
        Pattern::new(path, key)
    }

    /// The path of the landmarks.
    #[doc(hidden)]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The source of their keys.
    #[doc(hidden)]
    pub fn key(&self) -> &KeyRule {
        &self.key
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.path, self.key)
    }
}

/// Places where edges start: strings that hold the full key of the landmark that the edge leads to.
///
/// The edge starts at the innermost landmark around its place. A string that is not the key of a
/// landmark is ordinary data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EdgePattern {
    kind: String,
    class: u8,
    path: Path,
    reading: Reading,
}

impl EdgePattern {
    /// Parses an edge, for instance `provider=0/provider<::`.
    pub fn parse(text: &str) -> Result<EdgePattern, LandmarkRuleError> {
        let mut parser = pattern::Parser::new(text);
        let kind = parser.edge_kind()?;
        let class = parser.class()?;
        let path = parser.path()?;
        let reading = parser.reading()?;
        parser.end()?;
        if path.steps().is_empty() {
            return Err(LandmarkRuleErrorKind::NoPath.at(text.len()));
        }
        Ok(EdgePattern { kind, class, path, reading })
    }

    /// The meaning of the edge, for instance `parent`. Several patterns of a rule may make edges of
    /// one kind.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// The pattern whose path this one continues.
    pub fn class(&self) -> u8 {
        self.class
    }

    /// The path from the landmark pattern's path to the string.
    #[doc(hidden)]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The reading of the string at this place as references.
    #[doc(hidden)]
    pub fn reading(&self) -> &Reading {
        &self.reading
    }

    /// The same edge for documents that write references as `{tag: key}`.
    #[must_use]
    fn with_tag(mut self, tag: &str) -> EdgePattern {
        self.path.rename_only_entry(tag);
        self
    }
}

impl fmt::Display for EdgePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}{}{}", self.kind, self.class, self.path, self.reading)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_its_text() {
        let patterns =
            ["[name]", "/modules/*", "/a~1b/~*/*[urn]", "/r(/child_modules/*)*/resources/*[address]"];
        let edges = [
            "parent=2/parent",
            "provider=2/provider<::",
            "ref=1(/*)*/{#ref}",
            "att=1/a<<~<.",
            "sub=1/b<{",
            "dependency=1/c<[",
        ];
        let rule = LandmarkRule::parse(&patterns[..], Some(":"), &edges[..]).unwrap();
        assert_eq!(rule.patterns().iter().map(Pattern::to_string).collect::<Vec<_>>(), patterns);
        assert_eq!(rule.edges().iter().map(EdgePattern::to_string).collect::<Vec<_>>(), edges);
        assert_eq!(rule.join(), Some(":"));
    }

    #[test]
    fn the_text_after_a_path_says_how_a_string_is_read() {
        let reading = |text| EdgePattern::parse(text).unwrap().reading;
        assert_eq!(reading("a=0/b"), Reading::Whole);
        assert_eq!(reading("a=0/b<::"), Reading::BeforeLast("::".into()));
        assert_eq!(reading("a=0/b<~<"), Reading::BeforeLast("<".into()));
        assert_eq!(reading("a=0/b<<."), Reading::BeforeFirst(".".into()));
        assert_eq!(reading("a=0/b<{"), Reading::Names);
        assert_eq!(reading("a=0/b<~{"), Reading::BeforeLast("{".into()));
        assert_eq!(reading("a=0/b<["), Reading::Instances);
        let refused = |text| EdgePattern::parse(text).unwrap_err().position();
        let texts = ["a=0/b<", "a=0/b<<", "a=0/b<{}", "a=0/b<[x", "a=0/b<<<", "a=0/b<.<", "a=0/b</"];
        assert_eq!(texts.map(refused), [6, 7, 7, 7, 7, 7, 6]);
    }

    #[test]
    fn refuses_an_edge_of_a_pattern_that_is_not_there() {
        let error = LandmarkRule::parse(&["/a/*"], None, &["e=1/b"]).unwrap_err();
        assert_eq!(error.kind(), LandmarkRuleErrorKind::UnknownClass { class: 1 });
        // The first invalid text is named, whatever its fault.
        let error = LandmarkRule::parse(&["/a"], None, &["e=1/b", "=0/b"]).unwrap_err();
        assert_eq!(error.kind(), LandmarkRuleErrorKind::UnknownClass { class: 1 });
        assert_eq!(error.part(), RulePart::Edge(0));
        assert_eq!(error.part(), RulePart::Edge(0));
    }

    #[test]
    fn refuses_a_pattern_without_name_or_key() {
        for text in ["", "/a(/b)*"] {
            assert_eq!(Pattern::parse(text).unwrap_err().kind(), LandmarkRuleErrorKind::NoName, "{text}");
        }
    }

    #[test]
    fn refuses_more_patterns_than_a_class_can_number() {
        let patterns: Vec<String> = (0..33).map(|n| format!("/a{n}")).collect();
        let error = LandmarkRule::parse(&patterns, None, &[]).unwrap_err();
        assert_eq!(error.kind(), LandmarkRuleErrorKind::TooMany { limit: MAX_PATTERNS });
    }

    #[test]
    fn of_many_texts_forms_come_first_then_classes_then_limits() {
        let patterns: Vec<String> = (0..40).map(|n| format!("/a{n}")).collect();
        let edges = |last: &str| -> Vec<String> {
            (0..39).map(|_| "e=39/b".to_owned()).chain([last.to_owned()]).collect()
        };
        let refused = |patterns: &[String], edges: &[String]| {
            let error = LandmarkRule::parse(patterns, None, edges).unwrap_err();
            (error.kind(), error.part())
        };
        let too_many = LandmarkRuleErrorKind::TooMany { limit: MAX_PATTERNS };
        assert_eq!(refused(&patterns, &edges("e=39/b")), (too_many, RulePart::Pattern(32)));
        let unknown = LandmarkRuleErrorKind::UnknownClass { class: 40 };
        assert_eq!(refused(&patterns, &edges("e=40/b")), (unknown, RulePart::Edge(39)));
        assert_eq!(refused(&patterns, &edges("e=40")), (LandmarkRuleErrorKind::NoPath, RulePart::Edge(39)));
        let malformed = [&patterns[..], &["x".to_owned()]].concat();
        assert_eq!(refused(&malformed, &edges("e=40")).1, RulePart::Pattern(40));
        let few = ["/a".to_owned()];
        let many: Vec<String> = (0..33).map(|n| format!("e=0/b{n}")).collect();
        assert_eq!(refused(&few, &many), (too_many, RulePart::Edge(32)));
    }

    #[test]
    fn refuses_the_text_with_which_more_segments_are_written_than_a_state_can_hold() {
        let long = |letter: &str, count: usize| format!("/{letter}").repeat(count);
        let refused = |patterns: &[String], edges: &[String]| {
            let rule = LandmarkRule::parse(patterns, None, edges);
            rule.err().map(|error| (error.kind(), error.part()))
        };
        let too_many = |part| Some((LandmarkRuleErrorKind::TooManySegments, part));
        assert_eq!(refused(&[long("a", 64)], &[]), None);
        assert_eq!(refused(&[long("a", 32), long("b", 32)], &[]), None);
        assert_eq!(refused(&[long("a", 65)], &[]), too_many(RulePart::Pattern(0)));
        // Common prefixes still count each time, and so do the segments of groups.
        assert_eq!(refused(&[long("a", 32), long("a", 33)], &[]), too_many(RulePart::Pattern(1)));
        let group = format!("({})*/c", long("a", 31));
        assert_eq!(refused(&[group.clone(), group.clone()], &[]), None);
        assert_eq!(refused(&[group.clone(), group, "/a".into()], &[]), too_many(RulePart::Pattern(2)));
        // For an edge, only its own path counts.
        let edges = [format!("e=0{}", long("b", 2)), "e=0/c".into()];
        assert_eq!(refused(&[long("a", 61)], &edges), None);
        assert_eq!(refused(&[long("a", 62)], &edges), too_many(RulePart::Edge(1)));
    }
}
