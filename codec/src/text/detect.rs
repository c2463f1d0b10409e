//! Detects whether a text is JSON or YAML, and names the treatments of YAML tags.

use super::error::BYTE_ORDER_MARK;
use super::json::{self, JsonOptions, JsonStyle, Printer};

coconut_format::named! {
    /// The language of a source text.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
    pub enum SourceFormat {
        /// RFC 8259, read by [`json`](super::json).
        Json = "json";
        /// YAML 1.2, read by `text::yaml` (feature `yaml`).
        Yaml = "yaml";
    }
    /// The name in headers and options: `json` or `yaml`.
    pub fn name;
}

impl SourceFormat {
    /// The format of a file name that ends in `json`, `jsonl`, `ndjson`, `yaml` or `yml`. After
    /// these may come `gz` or `zst`.
    pub fn of_name(name: &str) -> Option<SourceFormat> {
        let (mut stem, mut ending) = name.rsplit_once('.')?;
        let is = |ending: &str, known: &[&str]| known.iter().any(|known| ending.eq_ignore_ascii_case(known));
        if is(ending, &["gz", "zst"]) {
            (stem, ending) = stem.rsplit_once('.')?;
        }
        match stem.is_empty() {
            false if is(ending, &["json", "jsonl", "ndjson"]) => Some(SourceFormat::Json),
            false if is(ending, &["yaml", "yml"]) => Some(SourceFormat::Yaml),
            _ => None,
        }
    }

    /// Guesses the format from the text. An empty text counts as JSON.
    ///
    /// Almost all JSON is also YAML, so a text that begins like JSON counts as JSON. Its errors are
    /// then reported in terms of JSON, and the meaning of its numbers and strings need not be
    /// guessed. Inspects only the first characters, unless the document is a single scalar.
    pub fn of_text(text: &[u8]) -> SourceFormat {
        let mut content = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text).trim_ascii_start();
        let mut text = text;
        let (first, second) = loop {
            let Some((&first, rest)) = content.split_first() else {
                return SourceFormat::Json;
            };
            let second = rest.trim_ascii_start();
            match (first, second.first()) {
                // The innermost list decides.
                (b'[', Some(b'{' | b'[')) => (content, text) = (second, second),
                _ => break (first, second),
            }
        };
        let looks_like_json = match first {
            // `{name: x}` and `{{template}}` are not JSON; a comment there is common in
            // hand-written JSON.
            b'{' => matches!(second.first(), None | Some(b'"' | b'}' | b'/' | b'.')),
            // `[a, b]` and `[x: 1]` are YAML, `[true]` may be either.
            b'[' => match second.first() {
                None | Some(b'"' | b']' | b'/' | b'.' | b'0'..=b'9') => true,
                Some(b'-' | b't' | b'f' | b'n') => is_json(text),
                _ => false,
            },
            b'"' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n' => is_json(text),
            b'/' => second.starts_with(b"/") || second.starts_with(b"*"),
            _ => false,
        };
        if looks_like_json { SourceFormat::Json } else { SourceFormat::Yaml }
    }
}

coconut_format::named! {
    /// The treatment of YAML tags other than those of the core schema (§17.1).
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    #[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
    pub enum YamlTags {
        /// A value with such a tag is kept in an object with the tag as its key. Documents whose
        /// root has a key `Resources` or `AWSTemplateFormatVersion` are templates of
        /// CloudFormation.
        #[default]
        Detect = "detect";
        /// The same, but every document is a template.
        CloudFormation = "cloudformation";
        /// They are refused.
        Core = "core";
    }
    /// The name in options: `detect`, `cloudformation` or `core`.
    pub fn name;
}

/// The format of a file: by its name, or by its text if the name is not conclusive.
pub fn detect(name: &str, text: &[u8]) -> SourceFormat {
    SourceFormat::of_name(name).unwrap_or_else(|| SourceFormat::of_text(text))
}

/// Reads the text and discards the result.
fn is_json(text: &[u8]) -> bool {
    let mut nowhere = Printer::new(std::io::sink(), JsonStyle::Minified);
    json::read(text, &mut nowhere, &JsonOptions::default()).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_decides_where_it_can() {
        assert_eq!(detect("a/Pack.json", b"a: 1"), SourceFormat::Json);
        assert_eq!(detect("Pack.YAML", b"{\"a\": 1}"), SourceFormat::Yaml);
        assert_eq!(detect("x.yml", b""), SourceFormat::Yaml);
        assert_eq!(detect("terraform.tfstate", b"{\"a\": 1}"), SourceFormat::Json);
        assert_eq!(detect("-", b"a: 1"), SourceFormat::Yaml);
    }

    #[test]
    fn texts_that_look_like_json() {
        for text in [
            "",
            " \n",
            "{}",
            "{\n \"a\"",
            "\u{feff}{\"a\": 1}",
            "[",
            "[1",
            "[[\"a\"",
            "[ {\"a\": 1 \"b\"}]",
            "17",
            "\"a\"",
            "true",
            "[true]",
            "// comment\n{}",
            "{ // comment\n}",
            "[...]",
        ] {
            assert_eq!(SourceFormat::of_text(text.as_bytes()), SourceFormat::Json, "{text:?}");
        }
    }

    #[test]
    fn texts_that_look_like_yaml() {
        for text in [
            "a: 1",
            "- 1",
            "---\n{}",
            "# c\n{}",
            "\"a\": 1",
            "{a: 1}",
            "{{template}}",
            "[a, b]",
            "[[a]]",
            "1: x",
            "true: 1",
            "[true: 1]",
            "%YAML 1.2",
            "nothing",
            "/usr: 1",
        ] {
            assert_eq!(SourceFormat::of_text(text.as_bytes()), SourceFormat::Yaml, "{text:?}");
        }
    }
}
