//! The files below folders.

use coconut_codec::compile::COMPILED_EXTENSION;
use coconut_report::failure::Failure;
use std::fs;
use std::path::{Path, PathBuf};

/// File extensions of sources in folders.
pub const SOURCES: &[&str] = &["json", "jsonl", "ndjson", "yaml", "yml", "tfstate"];

/// Endings that may follow those of sources, for compressed ones.
const COMPRESSED: &[&str] = &["gz", "zst"];

/// The sources below `folder` by path; if `with_compiled`, also compiled documents. Skips hidden
/// folders and links to folders.
pub fn files_below(folder: &Path, with_compiled: bool) -> Result<Vec<PathBuf>, Failure> {
    let (mut found, mut pending) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(current) = pending.pop() {
        let failed = |error: std::io::Error| Failure::reading(&current, &error);
        for entry in fs::read_dir(&current).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            // The type of the entry itself, because a link to a folder could lead in circles.
            let is_folder = entry.file_type().map_err(failed)?.is_dir();
            let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
            let path = entry.path();
            if is_folder && !is_hidden {
                pending.push(path);
            } else if !is_folder && is_wanted(&path, with_compiled) && path.is_file() {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

fn is_wanted(path: &Path, with_compiled: bool) -> bool {
    let extension =
        |path: &Path| path.extension().and_then(|ending| Some(ending.to_str()?.to_ascii_lowercase()));
    let is_compressed = extension(path).is_some_and(|ending| COMPRESSED.contains(&ending.as_str()));
    let inner = match is_compressed {
        true => path.file_stem().map(Path::new).and_then(extension),
        false => extension(path),
    };
    let is = |known: &str| inner.as_deref() == Some(known);
    SOURCES.iter().any(|known| is(known)) || with_compiled && !is_compressed && is(COMPILED_EXTENSION)
}
