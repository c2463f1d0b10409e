//! Patches a text for the parser, so that it is read correctly and in bounded memory.
//!
//! There are two small changes that keep the place of each value known:
//!
//! * A last line without a line end gets one. YAML 1.2 allows the end of the text to end a line
//!   (chapter 8.1.1.2, `b-chomped-last`). The YAML test suite confirms this for block scalars:
//!   cases JEF9 and L24T. The parser alone would treat a last line of blanks as two lines.
//! * If a document begins with a bracket, the bracket is moved to the line of its `---`, where a
//!   key is impossible. Elsewhere the parser would buffer the whole document before the first
//!   event, to see whether a `:` follows.

use super::Source;
use crate::limits;
use crate::text::error::SourceErrorKind;
use saphyr_parser::input::SkipTabs;
use saphyr_parser::{Event, Input, Parser, ScalarStyle, ScanError, StrInput};
use std::borrow::Cow;
use std::cell::Cell;
use std::ops::Range;

/// The beginning of a document after which the parser does not expect a key.
const BEGINNING: &str = "--- ";

/// A text with the patches for the parser.
pub(super) struct PatchedInput<'t> {
    source: Source<'t>,
    text: Cow<'t, str>,
    /// Number of omitted characters at the start of the content, before its first bracket.
    left_out: usize,
    /// Number of characters that replace them.
    put_in: usize,
    /// Number of characters of the content, if a line end is added after them.
    length: Option<usize>,
    /// Tokens that were read for the requested event.
    ahead: Cell<u32>,
}

impl<'t> PatchedInput<'t> {
    pub(super) fn new(source: Source<'t>) -> PatchedInput<'t> {
        let content = source.content;
        let bracket = first_bracket(content);
        let is_ended = content.ends_with(['\n', '\r']);
        let text = match bracket {
            None if is_ended => Cow::Borrowed(content),
            _ => {
                let beginning = if bracket.is_some() { BEGINNING } else { "" };
                let end = if is_ended { "" } else { "\n" };
                Cow::Owned([beginning, &content[bracket.unwrap_or(0)..], end].concat())
            }
        };
        let left_out = content[..bracket.unwrap_or(0)].chars().count();
        let put_in = if bracket.is_some() { BEGINNING.len() } else { 0 };
        let length = (!is_ended).then(|| content.chars().count());
        PatchedInput { source, text, left_out, put_in, length, ahead: Cell::new(0) }
    }

    pub(super) fn events(&self) -> Events<'_, 't> {
        let input = Watched { text: StrInput::new(&self.text), ahead: &self.ahead };
        let passed = Passed { content: self.source.content, index: 0, byte: 0 };
        Events { input: self, parser: Parser::new(input), passed, is_root: false, end: 0 }
    }

    /// Converts a place in the patched text to the place in the content.
    fn index(&self, given: usize) -> usize {
        let index = given.saturating_sub(self.put_in) + self.left_out;
        self.length.map_or(index, |length| index.min(length))
    }
}

/// The offset of the bracket that begins a document. Only white space, comments and `---` may
/// precede it.
fn first_bracket(content: &str) -> Option<usize> {
    let before = after_comments(content);
    let is_line =
        matches!(content[..content.len() - before.len()].chars().next_back(), None | Some('\n' | '\r'));
    let rest = match before.strip_prefix("---") {
        Some(rest) if is_line && rest.starts_with(is_white) => after_comments(rest),
        _ => before,
    };
    // The parser does not see the omitted characters, and must not miss a byte order mark.
    if content[..content.len() - rest.len()].contains('\u{feff}') {
        return None;
    }
    // A template (`{{ }}`) is most often a key, and should be reported as one. Other valid texts do
    // not begin like this.
    let is_bracket = rest.starts_with(['[', '{']) && !rest.starts_with("{{");
    is_bracket.then(|| content.len() - rest.len())
}

/// The text after white space and comments. A comment begins after white space, or at the start.
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

/// A fault of a text, and the index of its character.
pub(super) type Wrong = (SourceErrorKind, usize);

/// The events of a text and the character indexes of their places.
pub(super) struct Events<'f, 't> {
    input: &'f PatchedInput<'t>,
    parser: Parser<'f, Watched<'f>>,
    passed: Passed<'t>,
    /// Whether the document itself comes next.
    is_root: bool,
    /// The end of the last event, in the patched text.
    end: usize,
}

impl<'f, 't> Events<'f, 't> {
    pub(super) fn next(&mut self) -> Result<Option<(Event<'f>, Range<usize>)>, Wrong> {
        self.input.ahead.set(0);
        let Some(event) = self.parser.next_event() else { return Ok(None) };
        if self.input.ahead.get() > limits::YAML_AHEAD {
            return Err(self.too_far());
        }
        match event {
            Ok((event, span)) => {
                self.end = span.end.index();
                let place = self.input.index(span.start.index())..self.input.index(span.end.index());
                if let Event::Scalar(text, style, ..) = &event {
                    self.check_scalar(text, *style, &place)?;
                }
                self.is_root = matches!(event, Event::DocumentStart(_));
                Ok(Some((event, place)))
            }
            Err(error) => Err(syntax_error(self.input, &error)),
        }
    }

    /// The error for too many tokens, at the first of them. The parser's place would be useless.
    #[cold]
    fn too_far(&self) -> Wrong {
        let rest =
            self.input.text.char_indices().nth(self.end).map_or("", |(offset, _)| &self.input.text[offset..]);
        let passed = &rest[..rest.len() - after_signs(rest).len()];
        let at = self.input.index(self.end + passed.chars().count());
        // Directives are not tokens of the document, but the scanner counts them in the same way.
        if rest.trim_start().starts_with('%') {
            let message = format!("more than {} directives before the document", limits::YAML_AHEAD);
            return (SourceErrorKind::Yaml { message: message.into() }, at);
        }
        (SourceErrorKind::YamlAhead { limit: limits::YAML_AHEAD }, at)
    }

    /// Refuses a scalar that the parser accepts although YAML does not allow it.
    ///
    /// Some signs cannot begin a plain scalar (chapter 7.3.3, `ns-plain-first`). In brackets, the
    /// parser treats block scalar signs as text, and also `?` before a comma or closing bracket.
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
            // Only the document itself may be unindented.
            ScalarStyle::Literal | ScalarStyle::Folded if self.is_root => match self.passed.marker(place) {
                None => Ok(()),
                Some(marker) => Err((SourceErrorKind::YamlDocuments, marker)),
            },
            _ => Ok(()),
        }
    }

    /// The place of the first quote of a quoted scalar. The parser reports only the place of its
    /// tag or anchor.
    pub(super) fn quote(&mut self, at: usize) -> usize {
        let rest = self.passed.pass_to(at);
        let before = rest.len() - after_properties(rest).len();
        at + rest[..before].chars().count()
    }

    /// The text of the scalar that begins at `at`. Borrowed from the source if it is identical
    /// there, so that short texts take no extra memory.
    pub(super) fn text_of(&mut self, text: Cow<'_, str>, style: ScalarStyle, at: usize) -> Cow<'t, str> {
        if text.is_empty() {
            return Cow::Borrowed("");
        }
        let rest = self.passed.pass_to(at);
        let written = match style {
            ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => rest.get(1..).unwrap_or_default(),
            // The place may be that of a tag or an anchor. Text follows it, since the scalar is not
            // empty.
            ScalarStyle::Plain => after_properties(rest),
            ScalarStyle::Literal | ScalarStyle::Folded => rest,
        };
        if written.starts_with(&*text) {
            return Cow::Borrowed(&written[..text.len()]);
        }
        let mut text = text.into_owned();
        text.shrink_to_fit();
        Cow::Owned(text)
    }
}

#[cold]
fn wrong_beginning(sign: char, at: usize) -> Wrong {
    let message = format!("text without quotes may not begin with `{sign}` here");
    (SourceErrorKind::Yaml { message: message.into() }, at)
}

/// The text after tags and anchors.
fn after_properties(text: &str) -> &str {
    let mut rest = text;
    while rest.starts_with(['!', '&']) {
        rest = after_comments(rest.trim_start_matches(|c| !is_white(c)));
    }
    rest
}

/// The text after the signs between an event and the next value.
fn after_signs(text: &str) -> &str {
    let mut rest = after_comments(text);
    while let Some(after) = rest.strip_prefix([',', ':', '-', '?']) {
        rest = after_comments(after);
    }
    rest
}

fn is_white(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r')
}

/// The errors of the parser differ only in their texts.
#[cold]
fn syntax_error(input: &PatchedInput<'_>, error: &ScanError) -> Wrong {
    let (source, at) = (input.source, input.index(error.marker().index()));
    let info = error.info();
    if info.contains("unknown anchor") {
        return (SourceErrorKind::YamlAnchor, at);
    }
    if info.starts_with("':' may not precede") {
        return (SourceErrorKind::YamlColon, at);
    }
    if info.starts_with("':' must be followed") {
        // The place is after the tabs.
        let colon = source.content.chars().take(at).enumerate().filter(|(_, c)| *c == ':').last();
        return (SourceErrorKind::YamlColon, colon.map_or(at, |(colon, _)| colon));
    }
    if info.contains("invalid Unicode character escape")
        && let Some((escape, inside)) = first_bad_escape(source.content, at)
    {
        return (SourceErrorKind::YamlEscape { escape: escape.into() }, at + inside);
    }
    if input.put_in > 0 && info == "mapping values are not allowed in this context" {
        // The bracket at the beginning belongs to a key, although the patch tells the parser that
        // there is none.
        let is_list = source.content.chars().nth(input.left_out) == Some('[');
        let found = if is_list { "a list" } else { "an object" };
        return (SourceErrorKind::YamlKey { found }, input.left_out);
    }
    if info == "mapping values are not allowed in this context" && is_long_key(source.content, at) {
        let message = "a key of more than 1,024 characters; write `? ` before it, and `: ` with its value on \
                       the next line";
        return (SourceErrorKind::Yaml { message: message.into() }, at);
    }
    if info == "recursion limit exceeded" {
        return (SourceErrorKind::Depth { limit: u8::MAX.into() }, at);
    }
    let before = match source.content.char_indices().nth(at) {
        Some((end, _)) => &source.content[..end],
        None => source.content,
    };
    if info.contains("tab")
        && !info.contains("block indentation")
        && let Some(tab) = tab_after(&source.content[before.len()..], info.contains("plain scalar"))
    {
        return (SourceErrorKind::YamlTab, at + tab);
    }
    // The parser may refuse a tab in the indentation only at the text after it, or be confused
    // until then.
    let line = before.rsplit(['\n', '\r']).next().unwrap_or("");
    let indentation: String = line.chars().take_while(|c| matches!(c, ' ' | '\t')).collect();
    if let Some(tab) = indentation.find('\t') {
        return (SourceErrorKind::YamlTab, at - line.chars().count() + tab);
    }
    (SourceErrorKind::Yaml { message: info.into() }, at)
}

/// Whether the line has more text before the colon at `at` than a key without `?` may have.
fn is_long_key(text: &str, at: usize) -> bool {
    const LONGEST: usize = 1024;
    let before = text.char_indices().nth(at).map_or(text, |(end, _)| &text[..end]);
    let line = before.rsplit(['\n', '\r']).next().unwrap_or("");
    line.trim_start_matches([' ', '-', '\t']).chars().count() > LONGEST
}

/// The place of the tab that the parser refuses at the start of `rest`, or for a scalar that begins
/// there: the first tab that indents a line. With `skips_blank`, tabs in blank lines are allowed.
fn tab_after(rest: &str, skips_blank: bool) -> Option<usize> {
    let (mut is_indentation, mut tab) = (true, None);
    for (index, c) in rest.chars().enumerate() {
        match c {
            '\n' | '\r' if skips_blank => (is_indentation, tab) = (true, None),
            '\n' | '\r' => is_indentation = true,
            '\t' if is_indentation => tab = tab.or(Some(index)),
            ' ' | '\t' => {}
            _ if tab.is_some() => break,
            _ => is_indentation = false,
        }
    }
    tab
}

/// The first numeric escape that does not denote a character, in the double-quoted scalar at `at`.
/// Also returns the number of characters before it.
#[cold]
fn first_bad_escape(content: &str, at: usize) -> Option<(&str, usize)> {
    let scalar = content.char_indices().nth(at).map(|(start, _)| &content[start..])?;
    let mut chars = scalar.char_indices().enumerate();
    while let Some((index, (start, c))) = chars.next() {
        if c != '\\' {
            continue;
        }
        let digits = match chars.next()?.1.1 {
            'x' => 2,
            'u' => 4,
            'U' => 8,
            _ => continue,
        };
        let escape = scalar.get(start..start + 2 + digits)?;
        if u32::from_str_radix(&escape[2..], 16).is_ok_and(|code| char::from_u32(code).is_none()) {
            return Some((escape, index));
        }
    }
    None
}

/// Position of the scalars in the content. It only moves forward.
struct Passed<'t> {
    content: &'t str,
    /// Index of a character, and its byte offset.
    index: usize,
    byte: usize,
}

impl<'t> Passed<'t> {
    /// The content from the character `index` on; empty if the position is already after it.
    fn pass_to(&mut self, index: usize) -> &'t str {
        let Some(count) = index.checked_sub(self.index) else { return "" };
        let rest = &self.content[self.byte..];
        let passed = rest.char_indices().nth(count).map_or(rest.len(), |(offset, _)| offset);
        (self.index, self.byte) = (index, self.byte + passed);
        &rest[passed..]
    }

    /// The start of the next document in an unindented block scalar. The parser does not end the
    /// scalar there.
    fn marker(&mut self, place: &Range<usize>) -> Option<usize> {
        let mut rest = self.pass_to(place.start);
        // The place may begin with a tag or an anchor, on the line of the `---`.
        let mut is_line = matches!(self.content[..self.byte].chars().next_back(), None | Some('\n' | '\r'));
        let mut at = place.start;
        while at < place.end {
            let line = rest.split(['\n', '\r']).next().unwrap_or_default();
            let is_marker = |after: &str| after.is_empty() || after.starts_with([' ', '\t']);
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

/// The input of the parser. It ends if the parser reads too far ahead.
struct Watched<'f> {
    text: StrInput<'f>,
    ahead: &'f Cell<u32>,
}

/// Implements functions that forward to the text.
macro_rules! of_text {
    ($( fn $name:ident(&self $(, $argument:ident: $type:ty)?) -> $result:ty; )+) => { $(
        #[inline]
        fn $name(&self $(, $argument: $type)?) -> $result {
            self.text.$name($($argument)?)
        }
    )+ };
}

impl Input for Watched<'_> {
    #[inline]
    fn lookahead(&mut self, count: usize) {
        if self.ahead.get() > limits::YAML_AHEAD {
            self.text = StrInput::new("");
        }
        self.text.lookahead(count);
    }

    /// Counts tokens. The scanner checks for a byte order mark once per token, and at no other
    /// time.
    #[inline]
    fn next_char_is(&self, c: char) -> bool {
        if c == '\u{FEFF}' {
            self.ahead.set(self.ahead.get().saturating_add(1));
        }
        self.text.next_char_is(c)
    }

    #[inline]
    fn raw_read_ch(&mut self) -> char {
        self.text.raw_read_ch()
    }

    #[inline]
    fn raw_read_non_breakz_ch(&mut self) -> Option<char> {
        self.text.raw_read_non_breakz_ch()
    }

    #[inline]
    fn skip(&mut self) {
        self.text.skip();
    }

    #[inline]
    fn skip_n(&mut self, count: usize) {
        self.text.skip_n(count);
    }

    #[inline]
    fn skip_ws_to_eol(&mut self, skip_tabs: SkipTabs) -> (usize, Result<SkipTabs, &'static str>) {
        self.text.skip_ws_to_eol(skip_tabs)
    }

    #[inline]
    fn skip_while_non_breakz(&mut self) -> usize {
        self.text.skip_while_non_breakz()
    }

    #[inline]
    fn skip_while_blank(&mut self) -> usize {
        self.text.skip_while_blank()
    }

    #[inline]
    fn fetch_while_is_alpha(&mut self, out: &mut String) -> usize {
        self.text.fetch_while_is_alpha(out)
    }

    #[inline]
    fn fetch_while_is_yaml_non_space(&mut self, out: &mut String) -> usize {
        self.text.fetch_while_is_yaml_non_space(out)
    }

    of_text! {
        fn buflen(&self) -> usize;
        fn bufmaxlen(&self) -> usize;
        fn buf_is_empty(&self) -> bool;
        fn peek(&self) -> char;
        fn peek_nth(&self, n: usize) -> char;
        fn peek_opt(&self) -> Option<char>;
        fn next_is_document_indicator(&self) -> bool;
        fn next_is_document_start(&self) -> bool;
        fn next_is_document_end(&self) -> bool;
        fn next_can_be_plain_scalar(&self, in_flow: bool) -> bool;
        fn next_is_blank_or_break(&self) -> bool;
        fn next_is_blank_or_breakz(&self) -> bool;
        fn next_is_blank(&self) -> bool;
        fn next_is_break(&self) -> bool;
        fn next_is_breakz(&self) -> bool;
        fn next_is_z(&self) -> bool;
        fn next_is_flow(&self) -> bool;
        fn next_is_digit(&self) -> bool;
        fn next_is_alpha(&self) -> bool;
    }
}

#[cfg(test)]
mod tests;
