//! §10 Texts of a document as shown in errors: truncated, since a key can have 32 MB.

use std::borrow::Cow;
use std::fmt;

/// Maximum number of characters of a key, a path or another text shown in an error.
pub const SHOWN_CHARACTERS: usize = 1024;

/// A text of a document as shown in an error: the whole text, or its first [`SHOWN_CHARACTERS`] and
/// its length in bytes.
///
/// ```
/// use coconut_format::truncated::Truncated;
///
/// assert_eq!(Truncated("a key").to_string(), "a key");
/// let long = "k".repeat(1 << 20);
/// assert_eq!(Truncated(&long).to_string(), format!("{}… (1048576 bytes)", "k".repeat(1024)));
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Truncated<'t>(pub &'t str);

impl<'t> Truncated<'t> {
    /// The shown text, and whether it was truncated.
    fn start(self) -> (&'t str, bool) {
        match self.0.char_indices().nth(SHOWN_CHARACTERS) {
            Some((end, _)) => (&self.0[..end], true),
            None => (self.0, false),
        }
    }

    /// The printed text.
    pub fn to_text(self) -> Cow<'t, str> {
        match self.start() {
            (whole, false) => Cow::Borrowed(whole),
            _ => Cow::Owned(self.to_string()),
        }
    }

    fn end(self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "… ({} bytes)", self.0.len())
    }
}

impl fmt::Display for Truncated<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (start, is_cut) = self.start();
        f.write_str(start)?;
        if is_cut { self.end(f) } else { Ok(()) }
    }
}

impl fmt::Debug for Truncated<'_> {
    /// Prints quotation marks and escapes. The note about a truncation follows them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (start, is_cut) = self.start();
        fmt::Debug::fmt(start, f)?;
        if is_cut { self.end(f) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_shown_up_to_1024_characters() {
        let whole = "é".repeat(SHOWN_CHARACTERS);
        assert_eq!((Truncated(&whole).to_string(), &*Truncated(&whole).to_text()), (whole.clone(), &*whole));
        let longer = format!("{whole}x");
        let shown = format!("{whole}… (2049 bytes)");
        assert_eq!(
            (Truncated(&longer).to_string(), &*Truncated(&longer).to_text()),
            (shown.clone(), &*shown)
        );
        assert_eq!(format!("{:?}", Truncated("a\"\n")), r#""a\"\n""#);
        assert_eq!(format!("{:?}", Truncated(&longer)), format!("\"{whole}\"… (2049 bytes)"));
    }

    #[test]
    fn a_text_that_is_shown_whole_is_not_copied() {
        let whole = "é".repeat(SHOWN_CHARACTERS);
        assert!(matches!(Truncated(&whole).to_text(), Cow::Borrowed(text) if text == whole));
    }
}
