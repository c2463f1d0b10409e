//! §15.8 Texts that contain signed secrets, such as JSON or YAML in a string.

use super::special::{SECRET_SIGNATURE, SIGNATURE_KEY};
use std::collections::HashMap;

/// Longer texts are searched once, wherever they are used.
const WORTH_KNOWING: usize = 256;

/// Finds texts that contain the signature of a secret, and remembers long ones.
///
/// Neither of its words occurs by chance, so the texts need not be parsed, and texts in texts are
/// also found. A notation may escape their letters, to any depth.
#[derive(Debug, Default)]
pub(super) struct SignedTexts {
    /// By address and length.
    known: HashMap<(usize, usize), bool>,
}

impl SignedTexts {
    pub(super) fn holds_secret(&mut self, text: &str) -> bool {
        let find = || {
            let has = |text: &str| text.contains(SIGNATURE_KEY) && text.contains(SECRET_SIGNATURE);
            has(text) || without_escapes(text.as_bytes()).is_some_and(|text| has(&text))
        };
        match text.len() {
            length if length <= SIGNATURE_KEY.len() + SECRET_SIGNATURE.len() => false,
            length if length < WORTH_KNOWING => find(),
            length => *self.known.entry((text.as_ptr().addr(), length)).or_insert_with(find),
        }
    }
}

/// Whether the key of signatures is in these bytes, written with escapes of JSON or YAML.
#[doc(hidden)]
pub fn holds_escaped_signature(bytes: &[u8]) -> bool {
    without_escapes(bytes).is_some_and(|text| text.contains(SIGNATURE_KEY))
}

/// The text with its escaped characters decoded, also in texts in texts. `None` if none of them
/// belongs to the words, which consist of digits and letters up to `f`.
fn without_escapes(text: &[u8]) -> Option<String> {
    let mut rest = text;
    let mut out = Vec::new();
    let mut is_found = false;
    while let Some(at) = rest.iter().position(|&byte| byte == b'\\') {
        let (before, escape) = rest.split_at(at);
        let next = escape.iter().position(|&byte| byte != b'\\').unwrap_or(escape.len());
        let (slashes, after) = escape.split_at(next);
        let digits = match after.first() {
            Some(b'x') => 2,
            Some(b'u') => 4,
            Some(b'U') => 8,
            // A line that continues in the next one.
            Some(b'\n' | b'\r') => {
                out.extend_from_slice(before);
                is_found = true;
                rest = after.trim_ascii_start();
                continue;
            }
            _ => 0,
        };
        let number = after.get(1..=digits).and_then(|digits| std::str::from_utf8(digits).ok());
        let number = number.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        out.extend_from_slice(before);
        match number.filter(u8::is_ascii_hexdigit) {
            Some(character) => {
                out.push(character);
                is_found = true;
                rest = &after[1 + digits..];
            }
            None => {
                out.extend_from_slice(slashes);
                rest = after;
            }
        }
    }
    is_found.then(|| {
        out.extend_from_slice(rest);
        // Other characters belong to no word. A file that is not text would take long to convert.
        out.iter_mut().filter(|byte| !byte.is_ascii()).for_each(|byte| *byte = b' ');
        String::from_utf8(out).unwrap_or_default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_with_both_words_holds_a_secret() {
        let mut texts = SignedTexts::default();
        let json = format!(r#"{{"{SIGNATURE_KEY}":"{SECRET_SIGNATURE}","plaintext":"\"x\""}}"#);
        let yaml = format!("a:\n  {SIGNATURE_KEY}: {SECRET_SIGNATURE}\n  plaintext: x\n");
        let long = format!("{yaml}{}", "#".repeat(WORTH_KNOWING));
        let letters = |text: &str, escape: &str| {
            let escaped = text.bytes().map(|byte| match byte {
                b'4' | b'1' => format!("{escape}{byte:02x}"),
                _ => char::from(byte).to_string(),
            });
            escaped.collect::<String>()
        };
        for escape in [r"\u00", r"\\u00", r"\\\\u00", r"\x", r"\U000000"] {
            assert!(SignedTexts::default().holds_secret(&letters(&json, escape)), "{escape}");
        }
        assert!(SignedTexts::default().holds_secret(&yaml.replace("abf1", "ab\\\n   f1")));
        assert!(!SignedTexts::default().holds_secret(&letters(&"x4".repeat(99), r"\u00")));
        let asset = json.replace(SECRET_SIGNATURE, "c44067f5952c0a294b673a41bacd8c17");
        for (text, is_secret) in [(&json, true), (&yaml, true), (&long, true), (&asset, false)] {
            assert_eq!([0; 2].map(|_| texts.holds_secret(text)), [is_secret; 2], "{text}");
        }
    }
}
