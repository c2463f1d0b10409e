//! Which files are verified.

use coco_inspect::Failure;
use std::fs;
use std::path::{Path, PathBuf};

/// Extensions of the files in folders that are taken for documents.
const EXTENSIONS: &[&str] = &["coco", "json", "yaml", "yml", "tfstate"];

/// The files that `arguments` name, and those below the folders that they name, by path.
pub(super) fn documents(arguments: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut documents = Vec::new();
    for argument in arguments {
        match argument.is_dir() {
            true => documents.extend(below(argument)?),
            false => documents.push(argument.clone()),
        }
    }
    Ok(documents)
}

fn below(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let (mut found, mut pending) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(current) = pending.pop() {
        let failed = |error: std::io::Error| Failure::reading(&current, &error);
        for entry in fs::read_dir(&current).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            // The type of the entry itself: a link to a folder could lead in circles.
            let is_folder = entry.file_type().map_err(failed)?.is_dir();
            let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
            let path = entry.path();
            if is_folder && !is_hidden {
                pending.push(path);
            } else if !is_folder && has_known_extension(&path) && path.is_file() {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

fn has_known_extension(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|found| EXTENSIONS.iter().any(|known| found.eq_ignore_ascii_case(known)))
}
