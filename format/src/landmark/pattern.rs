//! Paths of landmark rules (§8.1): their text, parsed strictly and written in its canonical form.

use std::fmt;

use super::error::{LandmarkRuleError, LandmarkRuleErrorKind};
use super::escaped::{Escaped, has_meaning, is_special};
use super::key::{KeyField, KeyRule, Piece, TemplatePart};
use super::reading::Reading;

/// A path down from a value, level by level.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Path {
    steps: Vec<Step>,
}

/// One part of a [`Path`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// One level down.
    One(Segment),
    /// These levels, zero or more times. Never empty.
    Repeat(Vec<Segment>),
}

/// The match of one level of a [`Path`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Segment {
    /// `*`: any entry of an object, any item of a list.
    Any,
    /// The entry of an object with this key.
    Entry(String),
    /// `{text}`: the same entry, in an object without other entries. Only in edges.
    OnlyEntry(String),
}

impl Path {
    /// The path with these steps. It must obey the same rules as a [`Path`] parsed from text.
    pub(super) fn new(steps: Vec<Step>) -> Path {
        Path { steps }
    }

    /// The steps from the outside in.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Whether the path has a [`Segment::OnlyEntry`].
    pub(super) fn has_only_entry(&self) -> bool {
        self.steps.iter().any(|step| match step {
            Step::One(segment) => matches!(segment, Segment::OnlyEntry(_)),
            Step::Repeat(segments) => segments.iter().any(|segment| matches!(segment, Segment::OnlyEntry(_))),
        })
    }

    /// Gives the entry of a last [`Segment::OnlyEntry`] another key.
    pub(super) fn rename_only_entry(&mut self, key: &str) {
        if let Some(Step::One(Segment::OnlyEntry(old))) = self.steps.last_mut() {
            key.clone_into(old);
        }
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for step in &self.steps {
            match step {
                Step::One(segment) => write!(f, "{segment}")?,
                Step::Repeat(segments) => {
                    f.write_str("(")?;
                    segments.iter().try_for_each(|segment| write!(f, "{segment}"))?;
                    f.write_str(")*")?;
                }
            }
        }
        Ok(())
    }
}

impl fmt::Display for Segment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Segment::Any => f.write_str("/*"),
            Segment::Entry(key) => write!(f, "/{}", Escaped(key)),
            Segment::OnlyEntry(key) => write!(f, "/{{{}}}", Escaped(key)),
        }
    }
}

/// Reads the text of a pattern or an edge from left to right.
pub(super) struct Parser<'t> {
    text: &'t str,
    position: usize,
}

impl<'t> Parser<'t> {
    pub(super) fn new(text: &'t str) -> Parser<'t> {
        Parser { text, position: 0 }
    }

    /// `Path`: as many steps as possible.
    pub(super) fn path(&mut self) -> Result<Path, LandmarkRuleError> {
        let mut steps = Vec::new();
        loop {
            match self.peek() {
                Some('/') => steps.push(Step::One(self.segment()?)),
                Some('(') => steps.push(Step::Repeat(self.group()?)),
                _ => return Ok(Path { steps }),
            }
        }
    }

    /// `"(" Segment { Segment } ")*"`.
    fn group(&mut self) -> Result<Vec<Segment>, LandmarkRuleError> {
        self.expect("(", "`(`")?;
        let mut segments = vec![self.segment()?];
        while self.peek() == Some('/') {
            segments.push(self.segment()?);
        }
        self.expect(")*", "`)*`")?;
        Ok(segments)
    }

    fn segment(&mut self) -> Result<Segment, LandmarkRuleError> {
        self.expect("/", "`/`")?;
        match self.peek() {
            Some('*') => {
                self.bump('*');
                Ok(Segment::Any)
            }
            Some('{') => {
                self.bump('{');
                let key = self.text()?;
                self.expect("}", "`}`")?;
                Ok(Segment::OnlyEntry(key))
            }
            _ => Ok(Segment::Entry(self.text()?)),
        }
    }

    /// `[ "[" Key "]" ]`.
    pub(super) fn key(&mut self) -> Result<KeyRule, LandmarkRuleError> {
        if self.peek() != Some('[') {
            return Ok(KeyRule::Name);
        }
        self.bump('[');
        let start = self.position;
        let mut parts = Vec::new();
        loop {
            match self.peek() {
                Some(']') => break,
                Some('(') => parts.push(self.optional()?),
                // Only a field has a path, and then it is the whole key.
                Some('/') if matches!(parts[..], [TemplatePart::Always(Piece::Text(_))]) => {
                    self.position = start;
                    let field = self.field("a field name")?;
                    self.expect("]", "`]`")?;
                    return Ok(KeyRule::Field(field));
                }
                _ => parts.push(TemplatePart::Always(self.piece()?)),
            }
        }
        self.expect("]", "`]`")?;
        match <[TemplatePart; 1]>::try_from(parts) {
            Ok([TemplatePart::Always(Piece::Text(field))]) => Ok(KeyRule::Field(KeyField::named(field))),
            Ok([TemplatePart::Always(Piece::Field(_))]) => Err(LandmarkRuleErrorKind::NotCanonical.at(start)),
            Ok(parts) => self.template(parts.into(), start),
            Err(parts) if parts.is_empty() => Err(self.expected("a field name", start)),
            Err(parts) => self.template(parts, start),
        }
    }

    /// `Field`: texts with `/` between them.
    fn field(&mut self, expected: &'static str) -> Result<KeyField, LandmarkRuleError> {
        let mut steps = vec![self.some_text(expected)?];
        while self.peek() == Some('/') {
            self.bump('/');
            steps.push(self.some_text(expected)?);
        }
        Ok(KeyField::new(steps))
    }

    /// Builds a template. One without fields would give every landmark the same key.
    fn template(&self, parts: Vec<TemplatePart>, start: usize) -> Result<KeyRule, LandmarkRuleError> {
        let is_text = |piece: &Piece| matches!(piece, Piece::Text(_));
        let has_field = parts.iter().any(|part| match part {
            TemplatePart::Always(piece) => !is_text(piece),
            TemplatePart::Optional(pieces) | TemplatePart::Once(pieces) => !pieces.iter().all(is_text),
        });
        match has_field {
            true => Ok(KeyRule::Template(parts)),
            false => Err(self.expected("a field in the template", start)),
        }
    }

    /// `"(" Piece { Piece } [ "|once" ] ")"` of a template.
    fn optional(&mut self) -> Result<TemplatePart, LandmarkRuleError> {
        self.expect("(", "`(`")?;
        let mut pieces = vec![self.piece()?];
        loop {
            match self.peek() {
                Some(')') => {
                    self.bump(')');
                    return Ok(TemplatePart::Optional(pieces));
                }
                Some('|') => {
                    self.expect("|once)", "`|once)`")?;
                    return Ok(TemplatePart::Once(pieces));
                }
                _ => pieces.push(self.piece()?),
            }
        }
    }

    fn piece(&mut self) -> Result<Piece, LandmarkRuleError> {
        if self.peek() != Some('{') {
            return Ok(Piece::Text(self.some_text("text or `{`")?));
        }
        self.bump('{');
        let field = self.field("a field name")?;
        let piece = match self.peek() {
            Some('=') => {
                self.bump('=');
                Piece::Equal { field, text: self.some_text("text to compare with")? }
            }
            Some('|') if self.rest().starts_with("|modules") => {
                self.expect("|modules", "`|modules`")?;
                Piece::Modules(field)
            }
            Some('|') => {
                self.expect("|json", "`|json` or `|modules`")?;
                Piece::Json(field)
            }
            _ => Piece::Field(field),
        };
        self.expect("}", "`}`")?;
        Ok(piece)
    }

    /// `Kind "="` of an edge.
    pub(super) fn edge_kind(&mut self) -> Result<String, LandmarkRuleError> {
        let rest = self.rest();
        let is_of_kind = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || *byte == b'-';
        let kind = &rest[..rest.bytes().take_while(is_of_kind).count()];
        if !kind.starts_with(|c: char| c.is_ascii_lowercase()) {
            return Err(self.expected("an edge kind", self.position));
        }
        self.position += kind.len();
        self.expect("=", "`=`")?;
        Ok(kind.to_owned())
    }

    /// `Class` of an edge: a decimal number of one or two digits without leading zeros.
    pub(super) fn class(&mut self) -> Result<u8, LandmarkRuleError> {
        let length = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        let digits = &self.rest()[..length];
        match digits.parse::<u8>() {
            Ok(class) if digits == "0" || length <= 2 && !digits.starts_with('0') => {
                self.position += length;
                Ok(class)
            }
            _ => Err(self.expected("the number of a pattern", self.position)),
        }
    }

    /// `[ "<" Reading ]` of an edge.
    pub(super) fn reading(&mut self) -> Result<Reading, LandmarkRuleError> {
        if self.peek() != Some('<') {
            return Ok(Reading::Whole);
        }
        self.bump('<');
        match self.peek() {
            Some('<') => {
                self.bump('<');
                self.some_text("a separator").map(Reading::BeforeFirst)
            }
            Some('{') => {
                self.bump('{');
                Ok(Reading::Names)
            }
            Some('[') => {
                self.bump('[');
                Ok(Reading::Instances)
            }
            _ => self.some_text("a separator, `<`, `{` or `[`").map(Reading::BeforeLast),
        }
    }

    /// Checks that the whole text was read.
    pub(super) fn end(&self) -> Result<(), LandmarkRuleError> {
        match self.peek() {
            None => Ok(()),
            Some(special) if is_special(special) => {
                Err(LandmarkRuleErrorKind::Unescaped(special).at(self.position))
            }
            Some(_) => Err(self.expected("`/`", self.position)),
        }
    }

    /// Nonempty `Text`.
    fn some_text(&mut self, expected: &'static str) -> Result<String, LandmarkRuleError> {
        let start = self.position;
        match self.text()? {
            text if text.is_empty() => Err(self.expected(expected, start)),
            text => Ok(text),
        }
    }

    /// `Text`: everything up to a `/` or a special character, unescaped. It may be empty, as JSON
    /// keys may.
    fn text(&mut self) -> Result<String, LandmarkRuleError> {
        let mut text = self.plain_run().to_owned();
        while self.peek() == Some('~') {
            let escaped = self.rest().chars().nth(1);
            text.push(match escaped {
                Some('0') => '~',
                Some('1') => '/',
                Some(special) if is_special(special) => special,
                _ => return Err(LandmarkRuleErrorKind::Escape.at(self.position)),
            });
            self.position += 2;
            text.push_str(self.plain_run());
        }
        Ok(text)
    }

    /// Skips plain characters.
    #[inline(never)]
    fn plain_run(&mut self) -> &'t str {
        let rest = self.rest();
        let length = rest.as_bytes().iter().position(|&byte| has_meaning(byte)).unwrap_or(rest.len());
        self.position += length;
        &rest[..length]
    }

    fn expect(&mut self, token: &str, expected: &'static str) -> Result<(), LandmarkRuleError> {
        match self.rest().starts_with(token) {
            true => {
                self.position += token.len();
                Ok(())
            }
            false => Err(self.expected(expected, self.position)),
        }
    }

    fn expected(&self, expected: &'static str, position: usize) -> LandmarkRuleError {
        let found = self.text[position..].chars().next();
        LandmarkRuleErrorKind::Expected { expected, found }.at(position)
    }

    #[inline(never)]
    fn rest(&self) -> &'t str {
        &self.text[self.position..]
    }

    #[inline(never)]
    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Skips `c`, which was just peeked.
    fn bump(&mut self, c: char) {
        self.position += c.len_utf8();
    }
}

#[cfg(test)]
mod tests {
    use super::super::{EdgePattern, Pattern};
    use super::*;

    #[track_caller]
    fn refused(text: &str, kind: LandmarkRuleErrorKind, position: usize) {
        let error = Pattern::parse(text).unwrap_err();
        assert_eq!((error.kind(), error.position()), (kind, position), "{text}");
    }

    fn expected(expected: &'static str, found: impl Into<Option<char>>) -> LandmarkRuleErrorKind {
        LandmarkRuleErrorKind::Expected { expected, found: found.into() }
    }

    #[test]
    fn escapes_make_characters_with_a_meaning_literal() {
        let pattern = Pattern::parse("/~*/~[x~]/a~1b~0/~{~}~=~|~<~(~)").unwrap();
        let keys: Vec<&str> = pattern
            .path()
            .steps()
            .iter()
            .map(|step| match step {
                Step::One(Segment::Entry(key)) => key.as_str(),
                other => panic!("{other:?} is no entry"),
            })
            .collect();
        assert_eq!(keys, ["*", "[x]", "a/b~", "{}=|<()"]);
        assert_eq!(pattern.to_string(), "/~*/~[x~]/a~1b~0/~{~}~=~|~<~(~)");
    }

    #[test]
    fn an_empty_segment_is_the_empty_key() {
        let pattern = Pattern::parse("/").unwrap();
        assert_eq!(pattern.path().steps(), [Step::One(Segment::Entry(String::new()))]);
        assert_eq!(pattern.to_string(), "/");
    }

    #[test]
    fn refuses_text_that_the_grammar_does_not_have() {
        refused("a", expected("`/`", 'a'), 0);
        refused("/a*", LandmarkRuleErrorKind::Unescaped('*'), 2);
        refused("/*a", expected("`/`", 'a'), 2);
        refused("/a~2", LandmarkRuleErrorKind::Escape, 2);
        refused("/a~", LandmarkRuleErrorKind::Escape, 2);
        refused("(/a)", expected("`)*`", ')'), 3);
        refused("()*/a", expected("`/`", ')'), 1);
        refused("((/a)*)*/b", expected("`/`", '('), 1);
        refused("/a[id", expected("text or `{`", None), 5);
        refused("/a[id]/b", expected("`/`", '/'), 6);
        refused("/a[]", expected("a field name", ']'), 3);
        refused("/a[{id}]", LandmarkRuleErrorKind::NotCanonical, 3);
        refused("/a[{id|text}]", expected("`|json` or `|modules`", '|'), 6);
        refused("/a[({id}|twice)]", expected("`|once)`", '|'), 8);
        refused("/a/{b}", LandmarkRuleErrorKind::OnlyEntry, 0);
        refused("(/{a})*/b", LandmarkRuleErrorKind::OnlyEntry, 0);
        refused("/a[{}]", expected("a field name", '}'), 4);
        refused("/a[{b=}]", expected("text to compare with", '}'), 6);
    }

    #[test]
    fn refuses_edges_without_kind_class_or_path() {
        let refused = |text: &str| {
            let error = EdgePattern::parse(text).unwrap_err();
            (error.kind(), error.position())
        };
        assert_eq!(refused("=0/a"), (expected("an edge kind", '='), 0));
        assert_eq!(refused("p=/a"), (expected("the number of a pattern", '/'), 2));
        assert_eq!(refused("p=00/a"), (expected("the number of a pattern", '0'), 2));
        assert!(EdgePattern::parse("p=99/a").is_ok());
        for digits in ["100", "255", "256", "1000"] {
            assert_eq!(
                refused(&format!("p={digits}/a")),
                (expected("the number of a pattern", digits.chars().next()), 2)
            );
        }
        assert_eq!(refused("p=0"), (LandmarkRuleErrorKind::NoPath, 3));
        assert_eq!(refused("p=0/a<"), (expected("a separator, `<`, `{` or `[`", None), 6));
    }
}
