//! Which characters a YAML text may have (YAML 1.2 §5.1): the parser takes them all.
//!
//! | | in quotes | elsewhere, comments included |
//! |---|---|---|
//! | below U+0020, but for tab, LF and CR | no | no |
//! | U+007F to U+009F, but for U+0085; U+FFFE, U+FFFF | yes, as in JSON | no |
//! | all others | yes | yes |

use super::Source;
use crate::text::error::{SourceError, SourceErrorKind};

/// Refuses the first character that may stand nowhere. It is looked for before anything is parsed, since some of these
/// mean something to the parser.
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

/// Goes through a text beside its parser, and refuses outside of quotes what may stand only there.
pub(super) struct Unquoted<'t> {
    source: Source<'t>,
    /// What comes next; `None` if nothing in the text is in question.
    rest: Option<std::str::Chars<'t>>,
    /// Index of the first character of the rest.
    at: usize,
}

impl<'t> Unquoted<'t> {
    pub(super) fn new(source: Source<'t>) -> Unquoted<'t> {
        let is_in_question = source.content.chars().any(belongs_in_quotes);
        Unquoted { source, rest: is_in_question.then(|| source.content.chars()), at: 0 }
    }

    /// Passes by a scalar in quotes, of which the first character has the index `start`. Looks for its end itself: that
    /// of the parser is behind comments that follow.
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

    /// Checks what is left.
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
