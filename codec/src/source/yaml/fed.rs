//! What the parser is given of a text, so that it reads it rightly.
//!
//! A last line without an end gets one. YAML 1.2 lets the end of the text end a line (chapter 8.1.1.2, `b-chomped-last`), and
//! the YAML test suite says for block scalars that it is as good as a line end: cases JEF9 and L24T. The parser takes a last
//! line of blanks for two.

use super::Source;
use crate::source::error::SourceErrorKind;
use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, StrInput};
use std::borrow::Cow;
use std::ops::Range;

/// A text as the parser is given it.
pub(super) struct Fed<'t> {
    source: Source<'t>,
    text: Cow<'t, str>,
    /// How many characters the content has, if the parser is given one more behind them.
    length: Option<usize>,
}

impl<'t> Fed<'t> {
    pub(super) fn new(source: Source<'t>) -> Fed<'t> {
        let content = source.content;
        let is_ended = content.ends_with(['\n', '\r']);
        let text = if is_ended { Cow::Borrowed(content) } else { Cow::Owned([content, "\n"].concat()) };
        let length = (!is_ended).then(|| content.chars().count());
        Fed { source, text, length }
    }

    pub(super) fn events(&self) -> Events<'_, 't> {
        let passed = Passed { content: self.source.content, index: 0, byte: 0 };
        Events { fed: self, parser: Parser::new_from_str(&self.text), passed, is_root: false }
    }

    /// The place in the content of a place in what the parser was given.
    fn index(&self, given: usize) -> usize {
        self.length.map_or(given, |length| given.min(length))
    }
}

/// What follows white space and comments. A comment stands behind white space, or at the beginning.
fn after_comments(text: &str) -> &str {
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(is_white);
        if !rest.starts_with('#') {
            return rest;
        }
        rest = rest.trim_start_matches(|c| !matches!(c, '\n' | '\r'));
    }
}

/// What is wrong with a text, and the character where it is.
pub(super) type Wrong = (SourceErrorKind, usize);

/// The events of a text and the character indexes of their places.
pub(super) struct Events<'f, 't> {
    fed: &'f Fed<'t>,
    parser: Parser<'f, StrInput<'f>>,
    passed: Passed<'t>,
    /// Whether the document itself comes next.
    is_root: bool,
}

impl<'f, 't> Events<'f, 't> {
    pub(super) fn next(&mut self) -> Result<Option<(Event<'f>, Range<usize>)>, Wrong> {
        let Some(event) = self.parser.next_event() else { return Ok(None) };
        match event {
            Ok((event, span)) => {
                let place = self.fed.index(span.start.index())..self.fed.index(span.end.index());
                if let Event::Scalar(text, style, ..) = &event {
                    self.check_scalar(text, *style, &place)?;
                }
                self.is_root = matches!(event, Event::DocumentStart(_));
                Ok(Some((event, place)))
            }
            Err(error) => Err(syntax_error(self.fed, &error)),
        }
    }

    /// Refuses what the parser takes for a scalar and YAML does not: of the signs with which no plain scalar begins (chapter 7.3.3,
    /// `ns-plain-first`) it takes those of block scalars for text in brackets, and `?` before one of their signs.
    fn check_scalar(&mut self, text: &str, style: ScalarStyle, place: &Range<usize>) -> Result<(), Wrong> {
        match style {
            ScalarStyle::Plain => {
                let is_cut_short = text == "?" && self.passed.pass_to(place.end).starts_with([',', ']', '}']);
                match text.chars().next() {
                    Some(sign @ ('|' | '>')) => Err(wrong_beginning(sign, place.start)),
                    Some(sign) if is_cut_short => Err(wrong_beginning(sign, place.start)),
                    _ => Ok(()),
                }
            }
            // Only this one may do without indentation.
            ScalarStyle::Literal | ScalarStyle::Folded if self.is_root => match self.passed.marker(place) {
                None => Ok(()),
                Some(marker) => Err((SourceErrorKind::YamlDocuments, marker)),
            },
            _ => Ok(()),
        }
    }

    /// The place of the first quote of a scalar in quotes, of which the parser tells where its tag or anchor is.
    pub(super) fn quote(&mut self, at: usize) -> usize {
        let rest = self.passed.pass_to(at);
        let before = rest.len() - behind_properties(rest).len();
        at + rest[..before].chars().count()
    }
}

#[cold]
fn wrong_beginning(sign: char, at: usize) -> Wrong {
    let message = format!("text without quotes may not begin with `{sign}` here");
    (SourceErrorKind::Yaml { message: message.into() }, at)
}

/// What follows tags and anchors.
fn behind_properties(text: &str) -> &str {
    let mut rest = text;
    while rest.starts_with(['!', '&']) {
        rest = after_comments(rest.trim_start_matches(|c| !is_white(c)));
    }
    rest
}

fn is_white(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r')
}

/// The parser tells its errors apart by their texts only.
#[cold]
fn syntax_error(fed: &Fed<'_>, error: &ScanError) -> Wrong {
    let (source, at) = (fed.source, fed.index(error.marker().index()));
    let info = error.info();
    if info.contains("unknown anchor") {
        return (SourceErrorKind::YamlAnchor, at);
    }
    if info == "recursion limit exceeded" {
        return (SourceErrorKind::Depth { limit: u8::MAX.into() }, at);
    }
    let before = match source.content.char_indices().nth(at) {
        Some((end, _)) => &source.content[..end],
        None => source.content,
    };
    if info.contains("tab")
        && let Some(tab) = source.content[before.len()..].chars().position(|c| c == '\t')
    {
        return (SourceErrorKind::YamlTab, at + tab);
    }
    // A tab in the indentation may make the parser lose its way only at the text behind it.
    let line = before.rsplit(['\n', '\r']).next().unwrap_or("");
    let indentation: String = line.chars().take_while(|c| matches!(c, ' ' | '\t')).collect();
    if let Some(tab) = indentation.find('\t') {
        return (SourceErrorKind::YamlTab, at - line.chars().count() + tab);
    }
    (SourceErrorKind::Yaml { message: info.into() }, at)
}

/// How far in the content scalars have come: their places are ever further on.
struct Passed<'t> {
    content: &'t str,
    /// A character, and the byte where it begins.
    index: usize,
    byte: usize,
}

impl<'t> Passed<'t> {
    /// The content from the character `index` on; nothing, if that was passed before.
    fn pass_to(&mut self, index: usize) -> &'t str {
        let Some(count) = index.checked_sub(self.index) else { return "" };
        let rest = &self.content[self.byte..];
        let passed = rest.char_indices().nth(count).map_or(rest.len(), |(offset, _)| offset);
        (self.index, self.byte) = (index, self.byte + passed);
        &rest[passed..]
    }

    /// Where in a block scalar without indentation the next document begins: the parser does not end it there.
    fn marker(&mut self, place: &Range<usize>) -> Option<usize> {
        let mut rest = self.pass_to(place.start);
        // The place may begin with a tag or an anchor, on the line of the `---`.
        let mut is_line = matches!(self.content[..self.byte].chars().next_back(), None | Some('\n' | '\r'));
        let mut at = place.start;
        while at < place.end {
            let line = rest.split(['\n', '\r']).next().unwrap_or_default();
            let is_marker = |behind: &str| behind.is_empty() || behind.starts_with([' ', '\t']);
            if is_line && line.strip_prefix("---").is_some_and(is_marker) {
                return Some(at);
            }
            is_line = true;
            at += line.chars().count() + 1;
            rest = rest.get(line.len() + 1..)?;
        }
        None
    }
}

#[cfg(test)]
mod tests;
