//! Text of a landmark rule (§8.1), with its special characters escaped.

use crate::pointer;
use std::fmt::{self, Write as _};

/// The characters with a meaning in the grammar. A `~` before one makes it literal.
const SPECIAL: &str = "*()[]{}=|<";

/// Whether a byte ends plain text: a special character, an escape, or the slash of a segment.
pub(super) fn has_meaning(byte: u8) -> bool {
    const MEANINGS: [bool; 256] = {
        let mut meanings = [false; 256];
        meanings[b'~' as usize] = true;
        meanings[b'/' as usize] = true;
        let mut rest = SPECIAL.as_bytes();
        while let [first, others @ ..] = rest {
            meanings[*first as usize] = true;
            rest = others;
        }
        meanings
    };
    MEANINGS[usize::from(byte)]
}

pub(super) fn is_special(character: char) -> bool {
    u8::try_from(character).is_ok_and(|byte| SPECIAL.as_bytes().contains(&byte))
}

/// Text as written in a rule, with `~` before special characters.
pub(super) struct Escaped<'a>(pub(super) &'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            match pointer::escape(c) {
                Some(escaped) => f.write_str(escaped)?,
                None if is_special(c) => write!(f, "~{c}")?,
                None => f.write_char(c)?,
            }
        }
        Ok(())
    }
}
