//! Where a JSON pointer leads in a JSON text.

use std::borrow::Cow;
use std::ops::Range;

/// The bytes of the value at `pointer` in `text`, which a reader has accepted. `None` if it leads nowhere.
///
/// Scans the text up to the end of the value.
pub(super) fn place_of(text: &[u8], pointer: &str) -> Option<Range<usize>> {
    let mut at = skip_space(text, text.strip_prefix(b"\xEF\xBB\xBF").map_or(0, |_| 3));
    for segment in pointer.split('/').skip(1) {
        let segment = segment.replace("~1", "/").replace("~0", "~");
        at = match text.get(at)? {
            b'{' => entry(text, at, &segment)?,
            b'[' => item(text, at, segment.parse().ok()?)?,
            _ => return None,
        };
    }
    Some(at..end_of_value(text, at))
}

/// Where the value under `key` begins, in the object at `at`.
fn entry(text: &[u8], at: usize, key: &str) -> Option<usize> {
    let mut at = skip_space(text, at + 1);
    while text.get(at) == Some(&b'"') {
        let end = end_of_value(text, at);
        let is_wanted = key_text(text.get(at..end)?)? == key;
        let colon = skip_space(text, end);
        let value = skip_space(text, colon + 1);
        if is_wanted {
            return Some(value);
        }
        let comma = skip_space(text, end_of_value(text, value));
        at = skip_space(text, comma + 1);
    }
    None
}

/// Where item `index` begins, in the list at `at`.
fn item(text: &[u8], at: usize, index: usize) -> Option<usize> {
    let mut at = skip_space(text, at + 1);
    for _ in 0..index {
        let comma = skip_space(text, end_of_value(text, at));
        if text.get(comma) != Some(&b',') {
            return None;
        }
        at = skip_space(text, comma + 1);
    }
    (text.get(at) != Some(&b']')).then_some(at)
}

/// The text of a key in quotes.
fn key_text(quoted: &[u8]) -> Option<Cow<'_, str>> {
    match quoted.contains(&b'\\') {
        true => serde_json::from_slice::<String>(quoted).ok().map(Cow::Owned),
        false => {
            let inner = quoted.get(1..quoted.len().checked_sub(1)?)?;
            std::str::from_utf8(inner).ok().map(Cow::Borrowed)
        }
    }
}

fn end_of_value(text: &[u8], start: usize) -> usize {
    let mut at = start;
    let mut depth = 0_usize;
    while let Some(&byte) = text.get(at) {
        at += 1;
        match byte {
            b'"' => at = end_of_string(text, at),
            b'{' | b'[' => {
                depth += 1;
                continue;
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            // White space and punctuation, and numbers and words byte by byte.
            _ if depth > 0 => continue,
            _ => {
                let rest = text.get(at..).unwrap_or_default();
                let is_end =
                    |byte: &u8| matches!(byte, b',' | b']' | b'}' | b':') || byte.is_ascii_whitespace();
                return at + rest.iter().position(is_end).unwrap_or(rest.len());
            }
        }
        if depth == 0 {
            return at;
        }
    }
    at
}

/// Where the string ends whose opening quote is before `at`.
fn end_of_string(text: &[u8], mut at: usize) -> usize {
    while let Some(&byte) = text.get(at) {
        at += 1;
        match byte {
            b'"' => break,
            b'\\' => at += 1,
            _ => {}
        }
    }
    at
}

fn skip_space(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    at + rest.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#" {"a": [1, {"b": "]\"}"}, [], -2.5e3 ], "c/d~": {"\u0065": null} , "": true}"#;

    #[track_caller]
    fn leads_to(pointer: &str, expected: &str) {
        assert_eq!(&TEXT[place_of(TEXT.as_bytes(), pointer).unwrap()], expected, "{pointer}");
    }

    #[test]
    fn every_value_has_its_place() {
        leads_to("", TEXT.trim());
        leads_to("/a", r#"[1, {"b": "]\"}"}, [], -2.5e3 ]"#);
        leads_to("/a/0", "1");
        leads_to("/a/1/b", r#""]\"}""#);
        leads_to("/a/2", "[]");
        leads_to("/a/3", "-2.5e3");
        leads_to("/c~1d~0/e", "null");
        leads_to("/", "true");
    }

    #[test]
    fn what_is_not_there_has_no_place() {
        for pointer in ["/b", "/a/4", "/a/2/0", "/a/x", "/a/0/0", "/c~1d~0/e/f"] {
            assert_eq!(place_of(TEXT.as_bytes(), pointer), None, "{pointer}");
        }
    }
}
