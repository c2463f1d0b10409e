//! §15.8 Searches the bytes of documents and texts for words that mark secrets.

use coconut_format::graph::{SIGNATURE_KEY, holds_escaped_signature, secret_words};

/// Keys of an instance in a state of Terraform with data of its provider. The first alone is a
/// common word.
pub(super) const PRIVATE: [&str; 2] = ["private", "schema_version"];

/// Whether a file contains a word that marks secrets in a document of any dialect. Used for files
/// that cannot be read. In a text, the word may be written with escapes.
pub fn names_secrets(bytes: &[u8]) -> bool {
    let names = |text: &[u8]| {
        holds_a_word(text, &["additionalSecretOutputs", "secure", "sensitive", "NoEcho"])
            || PRIVATE.iter().all(|word| holds(text, word.as_bytes()))
            || secret_words().any(|(word, is_whole)| match is_whole {
                true => names_kind(text, word.as_bytes()),
                false => holds(text, word.as_bytes()),
            })
    };
    names(bytes) || (bytes.contains(&b'\\') && names(&without_escapes(bytes)))
}

/// Whether a text has an entry `kind` with this value, in JSON or YAML.
fn names_kind(text: &[u8], word: &[u8]) -> bool {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let mut windows = text.windows(word.len()).enumerate().filter(|(_, window)| *window == word);
    windows.any(|(at, _)| {
        let before = text[..at].trim_ascii_end();
        let before =
            before.strip_suffix(b"\"").or(before.strip_suffix(b"'")).unwrap_or(before).trim_ascii_end();
        let Some(before) = before.strip_suffix(b":") else { return false };
        let before = before.trim_ascii_end();
        let before = before.strip_suffix(b"\"").or(before.strip_suffix(b"'")).unwrap_or(before);
        before.ends_with(b"kind") && !text.get(at + word.len()).is_some_and(is_name)
    })
}

/// All words that mark secrets at any place.
pub(super) fn all_words() -> Vec<&'static str> {
    secret_words().map(|(word, _)| word).collect()
}

/// The words in a compiled document that mark secrets at any place.
pub(super) fn words_in(bytes: &[u8]) -> Vec<&'static str> {
    let is_there = |&(word, is_whole): &(&'static str, bool)| match is_whole {
        true => holds_a_string(bytes, word),
        false => holds(bytes, word.as_bytes()),
    };
    let mut words: Vec<&'static str> = secret_words().filter(is_there).map(|(word, _)| word).collect();
    // A text that contains JSON or YAML may have it with escapes.
    if !words.contains(&SIGNATURE_KEY) && holds(bytes, b"\\") && holds_escaped_signature(bytes) {
        words.push(SIGNATURE_KEY);
    }
    words.dedup();
    words
}

/// Whether a compiled document contains this short text as a whole string. Its length is in the
/// byte before it, in each form of msgpack.
pub(super) fn holds_a_string(bytes: &[u8], text: &str) -> bool {
    let Ok(length) = u8::try_from(text.len()) else { return true };
    [0xa0 | length, length].into_iter().any(|marker| {
        let string: Vec<u8> = [marker].into_iter().chain(text.bytes()).collect();
        holds(bytes, &string)
    })
}

/// Whether one of these words occurs unchanged in `bytes`.
pub(super) fn holds_a_word(bytes: &[u8], words: &[&str]) -> bool {
    words.iter().any(|word| holds(bytes, word.as_bytes()))
}

/// Whether `word` occurs in `bytes`.
fn holds(bytes: &[u8], word: &[u8]) -> bool {
    memchr::memmem::find(bytes, word).is_some()
}

/// `text` with the escapes of JSON and YAML for ASCII characters replaced. An escaped backslash is
/// not recognised, so text after it may be replaced, too.
fn without_escapes(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.iter().position(|&byte| byte == b'\\') {
        let (before, escape) = rest.split_at(at);
        out.extend_from_slice(before);
        rest = match escape {
            [_, b'x', digits @ ..] => character(digits, 2, &mut out),
            [_, b'u', digits @ ..] => character(digits, 4, &mut out),
            [_, b'U', digits @ ..] => character(digits, 8, &mut out),
            [_, b'\r', b'\n', next @ ..] | [_, b'\r' | b'\n', next @ ..] => Some(unindented(next)),
            _ => None,
        }
        .unwrap_or_else(|| {
            out.push(b'\\');
            &escape[1..]
        });
    }
    out.extend_from_slice(rest);
    out
}

/// Appends the character whose number has `count` digits, if it is ASCII. Returns the rest.
fn character<'t>(digits: &'t [u8], count: usize, out: &mut Vec<u8>) -> Option<&'t [u8]> {
    let (digits, rest) = digits.split_at_checked(count)?;
    let digits = std::str::from_utf8(digits).ok().filter(|digits| !digits.starts_with('+'))?;
    let number = u8::from_str_radix(digits, 16).ok().filter(u8::is_ascii)?;
    out.push(number);
    Some(rest)
}

/// A line without the blanks at its start.
fn unindented(line: &[u8]) -> &[u8] {
    let blanks = line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    &line[blanks..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_found_at_any_place() {
        let texts: Vec<Vec<u8>> = (0..3u32.pow(8))
            .map(|n| (0..8).map(|place| b"abc"[(n / 3u32.pow(place) % 3) as usize]).collect())
            .collect();
        for word in [&b""[..], b"a", b"ab", b"aab", b"aba", b"abcab", b"cbcbcb", b"aaaaaaaa", b"abcabcabc"] {
            for text in &texts {
                let expected = word.is_empty() || text.windows(word.len()).any(|window| window == word);
                assert_eq!(holds(text, word), expected, "{word:?} in {text:?}");
            }
        }
    }

    #[test]
    fn escapes_are_read_as_their_characters() {
        for (text, read) in [
            (r"\u0041\u004a\u004A", "AJJ"),
            (r"\x41\U00000041", "AA"),
            ("a\\\n \t b\\\r\nc\\\rd", "abcd"),
            (r"\\u0041", r"\A"),
            (r"\u00e9 \U00010041 \u004 \u+041 \x4g \n \", r"\u00e9 \U00010041 \u004 \u+041 \x4g \n \"),
            (r"\u004", r"\u004"),
        ] {
            assert_eq!(String::from_utf8_lossy(&without_escapes(text.as_bytes())), read, "{text}");
        }
    }

    #[test]
    fn a_word_that_marks_secrets_is_found_however_it_is_written() {
        for text in [
            r#""4dabf18193072939515e22adb298388d""#,
            r#""4\u0064abf18193072939515e22adb298388d""#,
            r#""4\x64abf18193072939515e22adb298388d""#,
            "\"4dabf18\\\n   193072939515e22adb298388d\"",
            r#""s\u0065cure""#,
            "kind: Secret\n",
            "{\"kind\" : \"S\\u0065cret\"}",
            "'kind': 'Secret'",
            "x: {fn::secret: y}",
        ] {
            assert!(names_secrets(text.as_bytes()), "{text}");
        }
        for text in
            ["kind: SecretStore\n", "type: Secret", "kind: ConfigMap # Secret", "\"kinds\": \"Secret\""]
        {
            assert!(!names_secrets(text.as_bytes()), "{text}");
        }
        assert!(!names_secrets(br#""4\u0065abf18193072939515e22adb298388d", "s\\ecure""#));
    }
}
