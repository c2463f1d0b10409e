//! Documents from files: cases in this repository, and the corpus outside it.

use std::fs;
use std::path::{Path, PathBuf};

use coconut_codec::event::ValueSink;
use coconut_codec::text::SourceError;
use coconut_codec::text::json::{JsonOptions, read};
use coconut_format::Value;

/// The document in a JSON text.
pub(crate) fn parse(text: &[u8]) -> Result<Value, SourceError> {
    let mut sink = ValueSink::new();
    read(text, &mut sink, &JsonOptions::default())?;
    Ok(sink.finish().expect("a text that was read to its end is a document"))
}

/// The JSON files in a folder of cases, by name.
pub(crate) fn cases(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases").join(folder);
    let mut paths = files_below(&folder);
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    paths
}

/// Compares `text` with the file next to `case`, or writes the file if `COCONUT_BLESS` is set.
pub(crate) fn assert_is_text_of(case: &Path, text: &str) {
    let listed = case.with_extension("expected");
    if std::env::var_os("COCONUT_BLESS").is_some() {
        fs::write(&listed, text).unwrap();
    }
    assert_eq!(text, fs::read_to_string(&listed).unwrap(), "{}", case.display());
}

/// All files below a folder, sorted by path.
pub(crate) fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut pending = vec![folder.to_owned()];
    while let Some(path) = pending.pop() {
        if path.is_dir() {
            pending.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else {
            files.push(path);
        }
    }
    files.sort();
    files
}
