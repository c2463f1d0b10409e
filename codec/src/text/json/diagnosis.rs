//! Finds the fault at a place where the reader expected something else. Runs at most once per text.

use super::fault::{JsonFault, Shown};
use super::reader::{Frame, Within};
use super::string::{self, At};
use std::borrow::Cow;

/// Tokens that the grammar allows at the place of the fault.
#[derive(Clone, Copy)]
pub(super) enum RemoteRequest {
    /// A value, or the end of an empty list.
    Value,
    /// A key, or the end of an empty object.
    Key,
    /// The colon after a key.
    Colon,
    /// A comma, or the bracket that closes the innermost list or object.
    CommaOrClose,
    /// The end of the text.
    End,
}

/// A fault, its place, and the place that explains it.
pub(super) struct Finding {
    pub(super) fault: JsonFault,
    pub(super) at: usize,
    pub(super) related: Option<usize>,
}

/// Finds the fault at `at`, the first byte that is neither white space nor a `wanted` token.
///
/// `open` is the innermost open list or object.
pub(super) fn find(text: &str, at: usize, wanted: RemoteRequest, open: Option<&Frame>) -> Finding {
    let Some(found) = text[at..].chars().next() else {
        return find_at_end(at, open);
    };
    let place = Place { text, at, found, open };
    if let Some(fault) = place.foreign_syntax() {
        return place.here(fault);
    }
    match wanted {
        RemoteRequest::Value => place.instead_of_value(),
        RemoteRequest::Key => place.instead_of_key(),
        RemoteRequest::Colon => place.instead_of_colon(),
        RemoteRequest::CommaOrClose => place.instead_of_comma(),
        RemoteRequest::End => place.after_document(),
    }
}

fn find_at_end(at: usize, open: Option<&Frame>) -> Finding {
    match open {
        None => Finding { fault: JsonFault::Empty, at, related: None },
        Some(frame) => {
            let (open, close) = frame.brackets();
            Finding { fault: JsonFault::Unclosed { open, close }, at, related: Some(frame.start) }
        }
    }
}

struct Place<'t> {
    text: &'t str,
    at: usize,
    /// The character at `at`.
    found: char,
    open: Option<&'t Frame>,
}

impl Place<'_> {
    fn here(&self, fault: JsonFault) -> Finding {
        Finding { fault, at: self.at, related: None }
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    /// The text before this place, without the white space that the reader skipped.
    fn before(&self) -> &str {
        self.text[..self.at].trim_end_matches([' ', '\t', '\n', '\r'])
    }

    /// `fault` at the end of the text before this place.
    fn after_previous(&self, fault: JsonFault) -> Finding {
        Finding { fault, at: self.before().len(), related: None }
    }

    /// Syntax that is invalid everywhere in JSON outside strings.
    fn foreign_syntax(&self) -> Option<JsonFault> {
        let rest = self.rest();
        Some(match self.found {
            '#' => JsonFault::HashComment,
            '/' if rest.starts_with("//") => JsonFault::LineComment,
            '/' if rest.starts_with("/*") => JsonFault::BlockComment,
            '…' => JsonFault::Ellipsis,
            '.' if rest.starts_with("...") => JsonFault::Ellipsis,
            found @ ('\'' | '`' | '‘' | '’' | '“' | '”' | '„' | '«' | '»') => {
                JsonFault::QuotationMark { found }
            }
            found if (found.is_whitespace() || found == '\u{FEFF}' || found == '\u{200B}') => {
                JsonFault::Space { found: Shown(found) }
            }
            _ => return None,
        })
    }

    fn instead_of_value(&self) -> Finding {
        match (self.found, self.before().chars().next_back()) {
            (',' | '}' | ']', Some(':')) if self.open.is_some() => {
                self.after_previous(JsonFault::MissingValue)
            }
            ('}' | ']', Some(',')) if self.open.is_some() => self.trailing_comma(),
            ('}' | ']', _) => self.wrong_bracket(),
            (',', _) => self.here(JsonFault::ExtraComma),
            (':', _) if self.open.is_some() => self.here(JsonFault::ColonInList),
            ('+', _) => self.here(JsonFault::PlusSign),
            ('.', _) if self.rest()[1..].starts_with(|c: char| c.is_ascii_digit()) => {
                self.here(JsonFault::LeadingPoint)
            }
            (c, _) if is_word_start(c) => self.here(word_fault(self.rest())),
            _ => self.unexpected("a value"),
        }
    }

    fn instead_of_key(&self) -> Finding {
        match (self.found, self.before().chars().next_back()) {
            ('}' | ']', Some(',')) => self.trailing_comma(),
            ('}' | ']', _) => self.wrong_bracket(),
            (',', _) => self.here(JsonFault::ExtraComma),
            (':', _) => self.here(JsonFault::MissingKey),
            ('{' | '[' | '-' | '0'..='9', _) => self.here(JsonFault::KeyNotString),
            (c, _) if is_word_start(c) => {
                self.here(JsonFault::UnquotedKey { word: shown_word(word_at(self.rest())) })
            }
            _ => self.unexpected("a key in double quotes"),
        }
    }

    fn instead_of_colon(&self) -> Finding {
        match self.found {
            '=' => self.here(JsonFault::EqualsSign),
            _ if self.text_goes_on() => self.after_previous(JsonFault::QuoteInString),
            ',' | '}' | ']' | '{' | '[' | '"' | '-' => self.after_previous(JsonFault::MissingColon),
            c if c.is_alphanumeric() => self.after_previous(JsonFault::MissingColon),
            _ => self.unexpected("`:`"),
        }
    }

    fn instead_of_comma(&self) -> Finding {
        let in_list = matches!(self.open, Some(Frame { within: Within::List { .. }, .. }));
        match self.found {
            '}' | ']' => self.wrong_bracket(),
            ';' => self.here(JsonFault::Semicolon),
            ':' if in_list => self.here(JsonFault::ColonInList),
            ':' => self.here(JsonFault::SecondColon),
            _ if self.text_goes_on() => self.after_previous(JsonFault::QuoteInString),
            '"' | '{' | '[' | '-' | '+' | '.' => self.after_previous(JsonFault::MissingComma),
            c if is_word_start(c) || c.is_ascii_digit() => self.after_previous(JsonFault::MissingComma),
            _ if in_list => self.unexpected("`,` or `]`"),
            _ => self.unexpected("`,` or `}`"),
        }
    }

    fn after_document(&self) -> Finding {
        match self.found {
            found @ ('}' | ']') => self.here(JsonFault::StrayClose { found }),
            '{' | '[' | '"' => self.here(JsonFault::SecondDocument),
            c if is_word_start(c) || c.is_ascii_digit() || c == '-' => self.here(JsonFault::SecondDocument),
            found => self.here(JsonFault::TrailingText { found: Shown(found) }),
        }
    }

    /// Whether a word follows a closing quote without a gap, as in `"say "hi" now"`.
    fn text_goes_on(&self) -> bool {
        is_word_start(self.found) && self.text[..self.at].ends_with('"')
    }

    /// A comma, then a closing bracket. The comma is the first fault even if the bracket has the
    /// wrong kind.
    fn trailing_comma(&self) -> Finding {
        Finding { fault: JsonFault::TrailingComma, at: self.before().len() - 1, related: None }
    }

    fn wrong_bracket(&self) -> Finding {
        let found = self.found;
        match self.open {
            None => self.here(JsonFault::StrayClose { found }),
            Some(frame) => {
                let (_, close) = frame.brackets();
                Finding {
                    fault: JsonFault::WrongClose { found, close },
                    at: self.at,
                    related: Some(frame.start),
                }
            }
        }
    }

    fn unexpected(&self, expected: &'static str) -> Finding {
        self.here(JsonFault::Unexpected { found: Shown(self.found), expected })
    }
}

impl Frame {
    fn brackets(&self) -> (char, char) {
        match self.within {
            Within::Object { .. } => ('{', '}'),
            Within::List { .. } => ('[', ']'),
        }
    }
}

/// Returns the end of a number with a fraction or exponent, or its fault. Its first digit should be
/// at `first`.
pub(super) fn end_of_float(text: &str, first: usize) -> Result<usize, At> {
    let bytes = text.as_bytes();
    let digits_from = |at: usize| at + bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut at = digits_from(first);
    if at == first {
        return Err(without_digits(&text[first..], first));
    }
    if at > first + 1 && bytes[first] == b'0' {
        return Err((JsonFault::LeadingZero, first));
    }
    if bytes.get(at) == Some(&b'.') {
        let point = at;
        at = digits_from(point + 1);
        if at == point + 1 {
            return Err((JsonFault::TrailingPoint, at));
        }
    }
    if let Some(b'e' | b'E') = bytes.get(at) {
        let sign = usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        let exponent = at + 1 + sign;
        at = digits_from(exponent);
        if at == exponent {
            return Err((JsonFault::EmptyExponent, at));
        }
    }
    match text[at..].chars().next() {
        Some('_') => Err((JsonFault::DigitSeparator, at)),
        Some('x' | 'X' | 'o' | 'O' | 'b' | 'B') if text[first..at] == *"0" => {
            Err((JsonFault::NotDecimal, at))
        }
        Some(c) if is_word_start(c) || matches!(c, '.' | '+' | '-') => {
            Err((JsonFault::NumberTail { found: Shown(c) }, at))
        }
        _ => Ok(at),
    }
}

/// A minus without a digit after it.
fn without_digits(rest: &str, at: usize) -> At {
    match rest.chars().next() {
        Some('I' | 'i') if word_at(rest).to_lowercase().starts_with("inf") => {
            (JsonFault::NotFinite { found: shown_word(word_at(rest)) }, at - 1)
        }
        Some('.') => (JsonFault::LeadingPoint, at),
        _ => (JsonFault::LoneMinus, at),
    }
}

/// The fault of a word that appears in place of a value.
fn word_fault(rest: &str) -> JsonFault {
    let word = word_at(rest);
    let found = shown_word(word);
    let literal = |expected| JsonFault::Literal { found: shown_word(word), expected };
    match word.to_lowercase().as_str() {
        "true" => literal("true"),
        "false" => literal("false"),
        "null" | "none" | "nil" | "undefined" => literal("null"),
        "nan" | "inf" | "infinity" => JsonFault::NotFinite { found },
        _ => JsonFault::UnquotedString { word: found },
    }
}

/// The word at the start of `rest`: letters, digits and characters that join them in names.
fn word_at(rest: &str) -> &str {
    let end =
        rest.find(|c: char| !(is_word_start(c) || c.is_ascii_digit() || c == '-')).unwrap_or(rest.len());
    &rest[..end]
}

/// A word for messages: in backticks, cut if it is long.
fn shown_word(word: &str) -> Box<str> {
    const LONGEST: usize = 40;
    match word.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("`{}…`", &word[..end]).into(),
        None => format!("`{word}`").into(),
    }
}

fn is_word_start(c: char) -> bool {
    c.is_alphabetic() || c == '_' || c == '$'
}

/// Bytes that turn `true` into a longer word if they follow it.
pub(super) fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

/// The value of the string whose opening quote is at `open`. It was already read without a fault.
pub(super) fn string_at(text: &str, open: usize) -> Cow<'_, str> {
    let start = open + 1;
    let end = string::end_of_run(text.as_bytes(), start);
    let run = &text[start..end];
    if text.as_bytes().get(end) != Some(&b'\\') {
        return Cow::Borrowed(run);
    }
    let mut decoded = run.to_owned();
    // A fault would leave the part before it, which is still a good name for the key.
    let _ = string::read_escaped(text, end, &mut decoded);
    Cow::Owned(decoded)
}
