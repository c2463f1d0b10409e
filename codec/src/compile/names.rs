//! §17.4 The file names of documents and of their sources.

use crate::text::SourceFormat;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// The extension of compiled documents.
pub const COMPILED_EXTENSION: &str = "coco";

/// Endings of the names of sources.
const ENDINGS: &[&str] = &["json", "jsonl", "ndjson", "yaml", "yml", "tfstate", "backup", "gz", "zst"];

/// Endings of names whose files contain one JSON document.
const JSON_ENDINGS: &[&str] = &["json", "tfstate", "backup"];

/// The path of the document that is compiled from the file at `source`, beside it.
///
/// Keeps the name of the source whole, so two sources never have the same result. Omits only
/// `.json`, unless another ending of a source precedes it.
///
/// ```
/// use coconut_codec::compile::compiled_path;
/// use std::path::Path;
///
/// for (source, document) in [
///     ("a/shop.checkpoint.json", "a/shop.checkpoint.coco"),
///     ("stack.yaml", "stack.yaml.coco"),
///     ("terraform.tfstate.backup", "terraform.tfstate.backup.coco"),
///     ("stack.yaml.json", "stack.yaml.json.coco"),
/// ] {
///     assert_eq!(compiled_path(Path::new(source)), Path::new(document));
/// }
/// ```
pub fn compiled_path(source: &Path) -> PathBuf {
    let name = source.file_name().unwrap_or_default();
    let stem = Path::new(name).file_stem().unwrap_or_default();
    if has_ending(name, &[COMPILED_EXTENSION]) {
        // It would be its own result, and callers refuse that.
        return source.to_owned();
    }
    let is_plain = has_ending(name, &["json"]) && !has_ending(stem, ENDINGS);
    let mut result = OsString::from(if is_plain { stem } else { name });
    result.push(".");
    result.push(COMPILED_EXTENSION);
    source.with_file_name(result)
}

/// The file name for the text of the document at `compiled` in this language. This is the name of
/// the source if the source was in this language.
pub fn source_name(compiled: &Path, format: SourceFormat) -> PathBuf {
    let name = compiled.file_name().unwrap_or_default();
    let stem_of = |name: &OsStr| Path::new(name).file_stem().unwrap_or_default().to_owned();
    let mut stem = stem_of(name);
    if has_ending(name, &[COMPILED_EXTENSION]) {
        if has_ending(&stem, &["gz", "zst"]) {
            stem = stem_of(&stem);
        }
        let endings = match format {
            SourceFormat::Json => JSON_ENDINGS,
            SourceFormat::Yaml => &["yaml", "yml"],
        };
        if has_ending(&stem, endings) {
            return stem.into();
        }
    }
    stem.push(".");
    stem.push(format.name());
    stem.into()
}

fn has_ending(name: &OsStr, endings: &[&str]) -> bool {
    let extension = Path::new(name).extension().and_then(OsStr::to_str);
    extension.is_some_and(|found| endings.iter().any(|ending| found.eq_ignore_ascii_case(ending)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    const SOURCES: &[&str] = &[
        "x.json",
        "x.yaml",
        "x.yml",
        "x.jsonl",
        "x.json.gz",
        "x.json.zst",
        "x.yaml.json",
        "x.json.json",
        "x.backup.json",
        "terraform.tfstate",
        "terraform.tfstate.backup",
        "terraform.tfstate.json",
        "terraform.json",
        "x.backup",
        "x.gz.json",
    ];

    #[test]
    fn no_two_sources_have_one_result() {
        let results: HashSet<PathBuf> =
            SOURCES.iter().map(|source| compiled_path(Path::new(source))).collect();
        assert_eq!(results.len(), SOURCES.len(), "{results:?}");
    }

    #[test]
    fn a_document_becomes_a_text_of_the_name_that_it_was_made_from() {
        let name =
            |compiled: &str, format| source_name(Path::new(compiled), format).to_str().unwrap().to_owned();
        for (compiled, as_json, as_yaml) in [
            ("a/x.coco", "x.json", "x.yaml"),
            ("x.yaml.coco", "x.yaml.json", "x.yaml"),
            ("x.yml.coco", "x.yml.json", "x.yml"),
            ("x.checkpoint.coco", "x.checkpoint.json", "x.checkpoint.yaml"),
            ("terraform.tfstate.coco", "terraform.tfstate", "terraform.tfstate.yaml"),
            ("terraform.tfstate.backup.coco", "terraform.tfstate.backup", "terraform.tfstate.backup.yaml"),
            ("x.jsonl.coco", "x.jsonl.json", "x.jsonl.yaml"),
            ("x.json.gz.coco", "x.json", "x.json.yaml"),
            ("x.yaml.json.coco", "x.yaml.json", "x.yaml.json.yaml"),
            ("x", "x.json", "x.yaml"),
            ("x.bin", "x.json", "x.yaml"),
        ] {
            assert_eq!(
                (name(compiled, SourceFormat::Json), name(compiled, SourceFormat::Yaml)),
                (as_json.into(), as_yaml.into()),
                "{compiled}"
            );
        }
    }
}
