//! The place of an environment, by its name or its path.

use coconut_report::{Exit, Failure, code};
use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The folder of environments, below that of a project.
const FOLDER: &str = ".coconut/env";

/// The ending of snapshots.
const ENDING: &str = "coco";

/// The place of an environment.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// The snapshot. The other files are beside it.
    pub(crate) snapshot: PathBuf,
}

impl Place {
    /// The environment of this name or path, which need not exist.
    pub(crate) fn of(argument: &str) -> Result<Place, Failure> {
        let path = Path::new(argument);
        if path.components().count() > 1 || path.extension() == Some(OsStr::new(ENDING)) {
            return Ok(Place { snapshot: path.with_extension(ENDING) });
        }
        let is_known = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        if argument.is_empty() || argument.starts_with('.') || !argument.chars().all(is_known) {
            let message = format!("`{argument}` cannot be the name of an environment");
            return Err(Failure::usage(message).with_hint("use letters, digits, `-`, `_` and `.`"));
        }
        Ok(Place { snapshot: folder().join(format!("{argument}.{ENDING}")) })
    }

    /// The environment of this name or path.
    pub(crate) fn existing(argument: &str) -> Result<Place, Failure> {
        let place = Place::of(argument)?;
        if place.exists() {
            return Ok(place);
        }
        let message = format!("there is no environment `{argument}`");
        let failure =
            Failure::new(Exit::Usage, code::DEPLOY_ENV, message).in_file(&place.snapshot.to_string_lossy());
        Err(failure.with_hint(format!("`coco env new {argument}` makes one")))
    }

    pub(crate) fn exists(&self) -> bool {
        self.snapshot.exists() || self.file("journal").exists()
    }

    /// The file with another ending.
    pub(crate) fn file(&self, ending: &str) -> PathBuf {
        self.snapshot.with_extension(ending)
    }

    pub(crate) fn name(&self) -> String {
        self.snapshot.file_stem().unwrap_or_default().to_string_lossy().into_owned()
    }
}

/// The nearest folder of environments, or the one that the current folder would have.
pub(crate) fn folder() -> PathBuf {
    let current = env::current_dir().unwrap_or_default();
    let found = current.ancestors().map(|folder| folder.join(FOLDER)).find(|folder| folder.is_dir());
    found.unwrap_or_else(|| PathBuf::from(FOLDER))
}

/// The environments of a folder, by their names.
pub(crate) fn all(folder: &Path) -> Result<Vec<Place>, Failure> {
    let listed = match folder.read_dir() {
        Ok(listed) => listed,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(Failure::reading(folder, &error)),
    };
    let mut snapshots = Vec::new();
    for entry in listed {
        let path = entry.map_err(|error| Failure::reading(folder, &error))?.path();
        let is_one = |ending: &str| path.extension() == Some(OsStr::new(ending));
        if is_one(ENDING) || is_one("journal") {
            snapshots.push(path.with_extension(ENDING));
        }
    }
    snapshots.sort();
    snapshots.dedup();
    Ok(snapshots.into_iter().map(|snapshot| Place { snapshot }).collect())
}
