//! §15.8 Texts that hold signed secrets, as JSON or YAML in a string does.

use super::special::{SECRET, SIGNATURE_KEY};
use std::collections::HashMap;

/// Longer texts are searched once, wherever they are used.
const WORTH_KNOWING: usize = 256;

/// Finds texts with the signature of a secret and remembers long ones.
///
/// Neither of its words occurs by chance, and no notation escapes them. So the texts need not be
/// parsed, and texts in texts are found, too.
#[derive(Debug, Default)]
pub(super) struct SignedTexts {
    /// By address and length.
    known: HashMap<(usize, usize), bool>,
}

impl SignedTexts {
    pub(super) fn holds_secret(&mut self, text: &str) -> bool {
        let find = || text.contains(SIGNATURE_KEY) && text.contains(SECRET);
        match text.len() {
            length if length <= SIGNATURE_KEY.len() + SECRET.len() => false,
            length if length < WORTH_KNOWING => find(),
            length => *self.known.entry((text.as_ptr().addr(), length)).or_insert_with(find),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_with_both_words_holds_a_secret() {
        let mut texts = SignedTexts::default();
        let json = format!(r#"{{"{SIGNATURE_KEY}":"{SECRET}","plaintext":"\"x\""}}"#);
        let yaml = format!("a:\n  {SIGNATURE_KEY}: {SECRET}\n  plaintext: x\n");
        let long = format!("{yaml}{}", "#".repeat(WORTH_KNOWING));
        let asset = json.replace(SECRET, "c44067f5952c0a294b673a41bacd8c17");
        for (text, is_secret) in [(&json, true), (&yaml, true), (&long, true), (&asset, false)] {
            assert_eq!([0; 2].map(|_| texts.holds_secret(text)), [is_secret; 2], "{text}");
        }
    }
}
