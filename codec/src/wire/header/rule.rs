//! §1 The landmark rule of a header (§8.1): text until it is used.
//!
//! A document whose rule this version does not understand can still be decoded.

use crate::limits;
use coconut_format::error::{DecodeError, ErrorKind};
#[cfg(not(feature = "graphs"))]
use coconut_format::landmark::PACKAGE_DIALECT;
use coconut_format::landmark::{Dialect, LandmarkRule, RulePart};
use std::sync::OnceLock;

/// The landmark rule of a header, parsed on first use.
#[derive(Clone, Debug)]
pub struct HeaderRule {
    parsed: OnceLock<Result<LandmarkRule, DecodeError>>,
    /// The texts of a rule that is not parsed yet. `None` for a rule that was passed in parsed
    /// form.
    texts: Option<Box<Texts>>,
}

/// The texts of a rule, each with its offset in the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Texts {
    pub(super) patterns: Vec<(String, u64)>,
    pub(super) join: Option<String>,
    pub(super) edges: Vec<(String, u64)>,
}

impl HeaderRule {
    /// The rule of packages (registry `dialects.tsv`, row `package`).
    #[cfg(feature = "graphs")]
    pub(super) fn of_package() -> HeaderRule {
        Dialect::named("package").expect("the dialect is in the table").table_rule().into()
    }

    /// The rule of packages.
    #[cfg(not(feature = "graphs"))]
    pub(super) fn of_package() -> HeaderRule {
        let Dialect { patterns, join, .. } = PACKAGE_DIALECT;
        let patterns = patterns.iter().map(|&text| (text.to_owned(), 0)).collect();
        HeaderRule::of(Texts { patterns, join: join.map(str::to_owned), edges: Vec::new() }, None)
    }

    /// The rule of these texts. Nearly all rules are those of their dialects, which are already
    /// parsed. The table of dialects is a tenth of a program that only looks keys up, so without
    /// the feature `graphs` rules are recognised by their texts.
    pub(super) fn of(texts: Texts, dialect: Option<&str>) -> HeaderRule {
        #[cfg(not(feature = "graphs"))]
        let _ = dialect;
        #[cfg(feature = "graphs")]
        if let Some(dialect) = dialect.and_then(Dialect::named)
            && texts.are(dialect)
        {
            return dialect.table_rule().into();
        }
        HeaderRule { parsed: OnceLock::new(), texts: Some(Box::new(texts)) }
    }

    /// Returns the rule, parsed.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NewerRule`], [`ErrorKind::LandmarkRule`] or [`ErrorKind::TooMany`] at the first
    /// text that this version does not know, that is malformed, or that exceeds a limit.
    #[inline]
    pub fn get(&self) -> Result<&LandmarkRule, DecodeError> {
        match self.parsed.get() {
            Some(Ok(rule)) => Ok(rule),
            _ => self.parse(),
        }
    }

    #[inline(never)]
    fn parse(&self) -> Result<&LandmarkRule, DecodeError> {
        #[cfg(feature = "graphs")]
        let parse_texts = Texts::parse;
        #[cfg(not(feature = "graphs"))]
        let parse_texts = super::known_rules::parse;
        let parse = || self.texts.as_deref().map_or_else(|| Ok(LandmarkRule::default()), parse_texts);
        self.parsed.get_or_init(parse).as_ref().map_err(Clone::clone)
    }

    /// Whether the rule has no patterns, so that it cannot find landmarks.
    pub fn is_empty(&self) -> bool {
        match (&self.texts, self.parsed.get()) {
            (Some(texts), _) => texts.patterns.is_empty(),
            (None, Some(Ok(rule))) => rule.is_empty(),
            (None, _) => true,
        }
    }

    /// The texts of the patterns.
    pub fn pattern_texts(&self) -> Vec<String> {
        match (&self.texts, self.parsed.get()) {
            (Some(texts), _) => texts.patterns.iter().map(|(text, _)| text.clone()).collect(),
            (None, Some(Ok(rule))) => rule.patterns().iter().map(ToString::to_string).collect(),
            (None, _) => Vec::new(),
        }
    }

    /// The join.
    pub fn join(&self) -> Option<&str> {
        match (&self.texts, self.parsed.get()) {
            (Some(texts), _) => texts.join.as_deref(),
            (None, Some(Ok(rule))) => rule.join(),
            (None, _) => None,
        }
    }

    /// The texts of the edges.
    pub fn edge_texts(&self) -> Vec<String> {
        match (&self.texts, self.parsed.get()) {
            (Some(texts), _) => texts.edges.iter().map(|(text, _)| text.clone()).collect(),
            (None, Some(Ok(rule))) => rule.edges().iter().map(ToString::to_string).collect(),
            (None, _) => Vec::new(),
        }
    }
}

/// Rules are equal if their texts are equal.
impl PartialEq for HeaderRule {
    fn eq(&self, other: &HeaderRule) -> bool {
        self.pattern_texts() == other.pattern_texts()
            && self.join() == other.join()
            && self.edge_texts() == other.edge_texts()
    }
}

impl Eq for HeaderRule {}

impl PartialEq<LandmarkRule> for HeaderRule {
    fn eq(&self, other: &LandmarkRule) -> bool {
        self.get().is_ok_and(|rule| rule == other)
    }
}

impl From<LandmarkRule> for HeaderRule {
    fn from(rule: LandmarkRule) -> HeaderRule {
        HeaderRule { parsed: OnceLock::from(Ok(rule)), texts: None }
    }
}

impl Texts {
    /// Whether these are the texts of the dialect's own rule.
    #[cfg(feature = "graphs")]
    fn are(&self, dialect: &Dialect) -> bool {
        let same = |texts: &[(String, u64)], others: &[&str]| {
            texts.iter().map(|(text, _)| text.as_str()).eq(others.iter().copied())
        };
        same(&self.patterns, dialect.patterns)
            && same(&self.edges, dialect.edges)
            && self.join.as_deref() == dialect.join
    }

    /// Whether these are the same texts, ignoring their offsets.
    #[cfg(any(test, not(feature = "graphs")))]
    pub(super) fn is_same(&self, other: &Texts) -> bool {
        let same = |texts: &[(String, u64)], others: &[(String, u64)]| {
            texts.len() == others.len()
                && texts.iter().zip(others).all(|((text, _), (other, _))| text == other)
        };
        same(&self.patterns, &other.patterns) && same(&self.edges, &other.edges) && self.join == other.join
    }

    pub(super) fn parse(&self) -> Result<LandmarkRule, DecodeError> {
        let (patterns, edges) = (texts_of(&self.patterns), texts_of(&self.edges));
        let rule = LandmarkRule::parse(&patterns, self.join.as_deref(), &edges).map_err(|error| {
            let kind = if error.kind().is_newer() { ErrorKind::NewerRule } else { ErrorKind::LandmarkRule };
            let placed = match error.part() {
                RulePart::Pattern(number) => self.patterns.get(number),
                RulePart::Edge(number) => self.edges.get(number),
                _ => None,
            };
            kind.at(placed.map_or(0, |(_, at)| *at))
        })?;
        for (pattern, (_, at)) in rule.patterns().iter().zip(&self.patterns) {
            let (count, limit) = (pattern.key().pieces() as u64, limits::TEMPLATE_PIECES as u64);
            if count > limit {
                return Err(ErrorKind::TooMany { what: "pieces of a template", count, limit }.at(*at));
            }
        }
        Ok(rule)
    }
}

fn texts_of(placed: &[(String, u64)]) -> Vec<&str> {
    placed.iter().map(|(text, _)| text.as_str()).collect()
}
