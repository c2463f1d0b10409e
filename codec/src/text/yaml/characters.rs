//! Characters that a YAML text may have (YAML 1.2 §5.1). The parser accepts all characters.
//!
//! | | in quotes | elsewhere, comments included |
//! |---|---|---|
//! | below U+0020, except tab, LF and CR | no | no |
//! | U+007F to U+009F, except U+0085; U+FFFE, U+FFFF | yes, as in JSON | no |
//! | all others | yes | yes |

use super::Source;
use crate::text::error::{SourceError, SourceErrorKind};

/// Refuses the first character that is never allowed. Runs before parsing, since some of these
/// characters have a meaning for the parser.
pub(super) fn check_everywhere(source: Source<'_>) -> Result<(), Box<SourceError>> {
    let is_wrong = |byte: &u8| *byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r');
    match source.content.bytes().position(|byte| is_wrong(&byte)) {
        None => Ok(()),
        Some(at) => {
            let characters = source.content[..at].chars().count();
            Err(refusal(source, char::from(source.content.as_bytes()[at]), characters))
        }
    }
}

#[cold]
fn refusal(source: Source<'_>, character: char, at: usize) -> Box<SourceError> {
    let character = format!("U+{:04X}", u32::from(character)).into();
    source.error(SourceErrorKind::YamlCharacter { character }, at, String::new())
}

/// Walks a text in step with its parser. Refuses characters outside quotes that are allowed only in
/// quotes.
pub(super) struct Unquoted<'t> {
    source: Source<'t>,
    /// The rest of the text; `None` if it has no such characters.
    rest: Option<std::str::Chars<'t>>,
    /// Index of the first character of the rest.
    at: usize,
}

impl<'t> Unquoted<'t> {
    pub(super) fn new(source: Source<'t>) -> Unquoted<'t> {
        let is_in_question = source.content.chars().any(belongs_in_quotes);
        Unquoted { source, rest: is_in_question.then(|| source.content.chars()), at: 0 }
    }

    /// Skips a scalar in quotes whose first character has the index `start`.
    ///
    /// Searches for its end itself, since the end reported by the parser is after any following
    /// comments.
    pub(super) fn pass_quoted(&mut self, start: usize) -> Result<(), Box<SourceError>> {
        self.check_to(start)?;
        let Some(quote) = self.next() else { return Ok(()) };
        while let Some(character) = self.next() {
            let is_doubled = || self.rest.as_ref().is_some_and(|rest| rest.clone().next() == Some(quote));
            let is_escape = match quote {
                '\'' => character == quote && is_doubled(),
                _ => character == '\\',
            };
            if is_escape {
                self.next();
            } else if character == quote {
                break;
            }
        }
        Ok(())
    }

    fn next(&mut self) -> Option<char> {
        let character = self.rest.as_mut()?.next()?;
        self.at += 1;
        Some(character)
    }

    /// Checks the rest.
    pub(super) fn finish(mut self) -> Result<(), Box<SourceError>> {
        self.check_to(usize::MAX)
    }

    fn check_to(&mut self, end: usize) -> Result<(), Box<SourceError>> {
        while self.at < end {
            let at = self.at;
            match self.next() {
                Some(character) if belongs_in_quotes(character) => {
                    return Err(refusal(self.source, character, at));
                }
                Some(_) => {}
                None => return Ok(()),
            }
        }
        Ok(())
    }
}

fn belongs_in_quotes(character: char) -> bool {
    matches!(character, '\u{7F}'..='\u{84}' | '\u{86}'..='\u{9F}' | '\u{FFFE}' | '\u{FFFF}')
}
