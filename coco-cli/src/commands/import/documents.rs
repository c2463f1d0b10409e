//! The documents of a text of several, of which some are refused.

use coconut_codec::compile::{CompileError, CompileOptions, compile};
use coconut_codec::text::{SourceErrorKind, SourceFormat};
use std::ops::Range;

/// The maximum number of refused documents whose errors are given. Each costs a pass over the text.
const GIVEN: usize = 20;

/// A text without the documents that are refused.
pub(super) struct Kept {
    /// The text, in which each refused document is null, or empty in JSON, where those at the end
    /// are cut off. Every other byte is in its place.
    pub(super) text: Vec<u8>,
    /// The errors of the first refused documents, with places in the whole text.
    pub(super) errors: Vec<CompileError>,
    /// The number of all refused documents.
    pub(super) refused: usize,
}

/// Keeps the good documents of a text that is refused as a whole. `None` if there is none, or if no
/// single document is at fault.
pub(super) fn kept_of(text: &[u8], format: SourceFormat, options: &CompileOptions) -> Option<Kept> {
    let documents = match format {
        SourceFormat::Yaml => yaml_documents(text)?,
        SourceFormat::Json => json_lines(text),
    };
    let is_written = |place: &Range<usize>| !text[place.clone()].trim_ascii().is_empty();
    let is_refused = |place: &Range<usize>| {
        is_written(place) && compile(&text[place.clone()], options).is_err_and(|error| !is_empty(&error))
    };
    let (refused, good): (Vec<_>, Vec<_>) = documents.into_iter().partition(is_refused);
    if refused.is_empty() || !good.iter().any(is_written) {
        return None;
    }
    let without = |places: &mut dyn Iterator<Item = &Range<usize>>| {
        let mut rest = text.to_vec();
        places.for_each(|place| empty(&mut rest[place.clone()], format));
        rest
    };
    let mut errors = Vec::new();
    for wanted in refused.iter().take(GIVEN) {
        let mut others = refused.iter().filter(|place| *place != wanted).chain(&good);
        errors.push(compile(&without(&mut others), options).err()?);
    }
    let mut text = without(&mut refused.iter());
    // Nothing after the last good line of JSON is needed to keep the others in their places.
    if format == SourceFormat::Json {
        let end = good.iter().filter(|place| is_written(place)).map(|place| place.end).max();
        text.truncate(end.unwrap_or_default());
    }
    Some(Kept { text, errors, refused: refused.len() })
}

/// Whether a text has only comments. They are not a fault in a text of several documents.
fn is_empty(error: &CompileError) -> bool {
    error.code() == SourceErrorKind::YamlEmpty.code()
}

/// Divides a text at its markers: a line that begins with `---` is one wherever it is. `None` for a
/// text with directives, whose documents cannot be read alone.
fn yaml_documents(text: &[u8]) -> Option<Vec<Range<usize>>> {
    let (mut documents, mut start, mut at) = (Vec::new(), 0, 0);
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        if line.starts_with(b"%") || line.starts_with(b"...") {
            return None;
        }
        let rest = line.strip_prefix(b"---");
        if rest.is_some_and(|rest| rest.first().is_none_or(u8::is_ascii_whitespace)) && at > start {
            documents.push(start..at);
            start = at;
        }
        at += line.len();
    }
    documents.push(start..text.len());
    Some(documents)
}

fn json_lines(text: &[u8]) -> Vec<Range<usize>> {
    let mut end = 0;
    let lines = text.split_inclusive(|byte| *byte == b'\n').map(|line| {
        end += line.len();
        end - line.len()..end
    });
    lines.collect()
}

/// Replaces a document by null, or in JSON by an empty one: all lines must be objects, or all must
/// be lists. Its lines and its marker remain.
fn empty(document: &mut [u8], format: SourceFormat) {
    let marker = if format == SourceFormat::Yaml && document.starts_with(b"---") { 3 } else { 0 };
    let rest = &mut document[marker..];
    let Some(first) = rest.iter().position(|byte| !byte.is_ascii_whitespace()) else { return };
    let end = rest.trim_ascii_end().len();
    let replacement: &[u8] = match (format, rest[first]) {
        (SourceFormat::Yaml, _) if is_comment(rest) => b"",
        (SourceFormat::Yaml, _) => b"~",
        (SourceFormat::Json, b'[') => b"[]",
        (SourceFormat::Json, _) => b"{}",
    };
    rest.iter_mut().filter(|byte| !matches!(byte, b'\n' | b'\r')).for_each(|byte| *byte = b' ');
    // A single character is no JSON document, and leads to the error of the whole text.
    let length = replacement.len().min(end - first);
    rest[first..first + length].copy_from_slice(&replacement[..length]);
}

/// Whether a YAML text has only comments. Before the first marker, it is no document.
fn is_comment(text: &[u8]) -> bool {
    let mut lines = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_start);
    lines.all(|line| line.is_empty() || line.starts_with(b"#"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(text: &str, format: SourceFormat) -> Option<(String, Vec<String>, usize)> {
        let options = CompileOptions { format: Some(format), ..CompileOptions::default() };
        let kept = kept_of(text.as_bytes(), format, &options)?;
        let place = |error: &CompileError| match error {
            CompileError::Source(error) => format!("{} {}", error.at().line, error.path()),
            error => error.to_string(),
        };
        let errors = kept.errors.iter().map(place).collect();
        Some((String::from_utf8(kept.text).unwrap(), errors, kept.refused))
    }

    #[test]
    fn refused_documents_are_null_and_all_else_is_in_its_place() {
        let text = "a: 1\n---\nb: [1,\n--- \n c: 2\n---\n# nothing\n---\nd: \"x\n";
        let expected = "a: 1\n---\n~     \n--- \n c: 2\n---\n# nothing\n---\n~    \n";
        let (rest, errors, refused) = kept(text, SourceFormat::Yaml).unwrap();
        assert_eq!((&*rest, errors.len(), refused), (expected, 2, 2));
        assert!(errors.iter().all(|error| !error.starts_with("1 ")), "{errors:?}");
        let (rest, ..) = kept("a: [\n---\nb: 1\n", SourceFormat::Yaml).unwrap();
        assert_eq!(rest, "~   \n---\nb: 1\n");
        let (_, errors, _) = kept("# first\n---\na: {b: \n---\nb: 1\n", SourceFormat::Yaml).unwrap();
        assert_eq!(errors, ["4 /a/b"]);
    }

    #[test]
    fn lines_before_a_cut_are_kept() {
        let (rest, errors, refused) = kept("{\"a\": 1}\n{}\n{\"a\": ", SourceFormat::Json).unwrap();
        assert_eq!((&*rest, refused), ("{\"a\": 1}\n{}\n", 1));
        assert_eq!(errors, ["3 /2/a"]);
    }

    #[test]
    fn a_text_without_a_good_document_is_refused_as_a_whole() {
        for text in ["a: [\n", "a: [\n---\nb: ]\n", "%TAG ! x\n---\na: [\n---\nb: 1\n"] {
            assert_eq!(kept(text, SourceFormat::Yaml), None, "{text}");
        }
        assert_eq!(kept("{\"a\":\n\n", SourceFormat::Json), None);
    }
}
