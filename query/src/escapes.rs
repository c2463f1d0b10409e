//! Escapes of characters beyond 16 bits in the strings of a filter.

use std::borrow::Cow;

/// `text` with each pair of escapes for one character (`\ud83d\ude00`) replaced by that character.
/// The parser of the language does not support pairs.
pub(super) fn joined(text: &str) -> Cow<'_, str> {
    let (mut joined, mut rest) = (String::new(), text);
    while let Some(at) = rest.find('\\') {
        let escape = &rest[at..];
        let (read, character) = match pair(escape) {
            Some(character) => (PAIR, Some(character)),
            // Also skips the next character, which may be another backslash.
            None => (1 + escape[1..].chars().next().map_or(0, char::len_utf8), None),
        };
        joined.push_str(&rest[..at]);
        match character {
            Some(character) => joined.push(character),
            None => joined.push_str(&escape[..read]),
        }
        rest = &escape[read..];
    }
    match joined.is_empty() {
        true => Cow::Borrowed(text),
        false => Cow::Owned(joined + rest),
    }
}

/// The length of a pair of escapes in bytes.
const PAIR: usize = 12;

/// The character of the pair of escapes at the start of `text`.
fn pair(text: &str) -> Option<char> {
    let unit = |text: &str| {
        let digits =
            text.strip_prefix("\\u").filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()))?;
        u16::from_str_radix(digits, 16).ok()
    };
    let units = [unit(text.get(..PAIR / 2)?)?, unit(text.get(PAIR / 2..PAIR)?)?];
    let character = char::decode_utf16(units).next()?.ok()?;
    (character.len_utf16() == 2).then_some(character)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pairs_are_joined() {
        for (text, expected) in [
            (r#""\u00e9\ud83d\ude00!""#, r#""\u00e9😀!""#),
            (r#""\uD83D\uDE00\uD83D\uDE01""#, r#""😀😁""#),
            (r#""\\ud83d\ude00""#, r#""\\ud83d\ude00""#),
            (r#""\\\ud83d\ude00""#, r#""\\😀""#),
            (r#""\ud83d""#, r#""\ud83d""#),
            (r#""\ude00\ud83d""#, r#""\ude00\ud83d""#),
            (r#""\u0041\u0042""#, r#""\u0041\u0042""#),
            (r#""\ud83d\u+e00""#, r#""\ud83d\u+e00""#),
            (r#""\(1)é\n""#, r#""\(1)é\n""#),
            ("\\", "\\"),
            ("\\é", "\\é"),
            ("", ""),
        ] {
            assert_eq!(joined(text), expected, "{text}");
        }
    }
}
