//! Texts in HTML and in JSON that is part of HTML.

use coconut_format::visible::is_deceptive;
use coconut_format::visible::visible;
use std::fmt::Write as _;

/// A text between tags or in an attribute with double quotes.
pub(super) fn in_html(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in visible(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
    out
}

/// Appends a JSON string. It contains no characters that HTML interprets or that hide or reorder
/// text.
pub(super) fn push_string(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '<' | '>' | '&' => push_escape(out, c),
            c if is_deceptive(c) => push_escape(out, c),
            c => out.push(c),
        }
    }
    out.push('"');
}

fn push_escape(out: &mut String, c: char) {
    for unit in c.encode_utf16(&mut [0; 2]) {
        let _ = write!(out, "\\u{unit:04x}");
    }
}

/// Base64 in the form used by page policies.
pub(super) fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let byte = |at: usize| u32::from(three.get(at).copied().unwrap_or_default());
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for at in 0..4 {
            let digit = (bits >> (18 - 6 * at) & 63) as usize;
            out.push(if at > three.len() { '=' } else { char::from(DIGITS[digit]) });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_has_its_padding() {
        for (text, expected) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")]
        {
            assert_eq!(base64(text.as_bytes()), expected);
        }
    }

    #[test]
    fn a_string_has_nothing_that_html_reads() {
        let text = "</script><!--&\"\\\u{202e}\u{2028}\n\u{e0041}ü";
        let mut out = String::new();
        push_string(&mut out, text);
        let expected = r#""\u003c/script\u003e\u003c!--\u0026\"\\\u202e\u2028\u000a\udb40\udc41ü""#;
        assert_eq!(out, expected);
        assert_eq!(serde_json::from_str::<String>(&out).unwrap(), text);
        assert_eq!(in_html("<a \"b\">\u{202e}&"), "&lt;a &quot;b&quot;&gt;\\u{202e}&amp;");
    }
}
