//! Displays text on one line, with escapes for everything that a terminal or a text layout would
//! act on. So a text of a document cannot imitate a message of a tool or hide a part of itself.

use std::fmt::{self, Write};

/// Prints a text on one line, with an escape for everything that would not be shown literally.
///
/// ```
/// use coconut_format::visible::Visible;
///
/// assert_eq!(Visible("a\nb\u{1b}[31m\u{202e}").to_string(), r"a\nb\u{1b}[31m\u{202e}");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Visible<'t>(pub &'t str);

impl fmt::Display for Visible<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            match c {
                '\n' => f.write_str("\\n")?,
                '\t' => f.write_str("\\t")?,
                '\r' => f.write_str("\\r")?,
                c if is_deceptive(c) => write!(f, "\\u{{{:x}}}", u32::from(c))?,
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

/// `text` on one line, with everything escaped that a terminal interprets or that hides or reorders
/// text ([`Visible`]).
pub fn visible(text: &str) -> String {
    Visible(text).to_string()
}

/// Whether a terminal or a text layout acts on the character, or does not show it.
///
/// These are the control characters, and the characters that Unicode lets a layout ignore
/// (`Default_Ignorable_Code_Point`): soft hyphens, marks of direction, fillers, tags. The Braille
/// pattern without dots is also included, since it looks like a blank. The first sixteen variation
/// selectors are excluded, since they only choose between two forms of the previous character.
pub fn is_deceptive(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}'..='\u{1160}' | '\u{17B4}'..='\u{17B5}'
            | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}' | '\u{2800}' | '\u{3164}' | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF0}'..='\u{FFFB}'
            | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E0FFF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_shown_as_it_is_becomes_an_escape() {
        let hidden = "\u{0}\u{7f}\u{85}\u{9b}\u{ad}\u{61c}\u{115f}\u{200b}\u{200e}\u{2028}\u{202e}\u{2066}\u{2800}\u{3164}\u{feff}\u{fff9}\u{e0001}\u{e0041}\u{e007f}\u{e0100}";
        for c in hidden.chars() {
            assert!(is_deceptive(c), "{c:?}");
            assert_eq!(Visible(&c.to_string()).to_string(), format!("\\u{{{:x}}}", u32::from(c)));
        }
        let shown = "aé ß漢\u{301}\u{1f965}\u{fe0f}\"\\'";
        assert_eq!(Visible(shown).to_string(), shown);
        assert_eq!(Visible("a\r\n\tb").to_string(), r"a\r\n\tb");
    }
}
