//! The states of a server: their names, files and open packs.

use coconut_history::{HistoryError, Pack};
use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The ending of the file of a state.
const ENDING: &str = ".cocohist";

/// The most segments of a name.
const SEGMENTS: usize = 8;

/// The longest segment of a name.
const SEGMENT: usize = 64;

/// The most packs that stay open.
const OPEN: usize = 256;

/// A pack that requests share. One of them uses it at a time.
pub(super) type Shared = Arc<Mutex<Option<Pack>>>;

/// The states in a folder.
pub(super) struct States {
    root: PathBuf,
    open: Mutex<HashMap<String, Shared>>,
}

/// The reason why a state cannot be used.
#[derive(Debug)]
pub(super) enum StateError {
    /// There is none.
    Missing,
    /// Another state differs only in the case of letters.
    OtherCase(String),
    /// The pack.
    Pack(HistoryError),
    /// The folder.
    Folder(io::Error),
}

impl From<HistoryError> for StateError {
    fn from(error: HistoryError) -> StateError {
        StateError::Pack(error)
    }
}

impl States {
    pub(super) fn new(root: &Path) -> States {
        States { root: root.to_owned(), open: Mutex::default() }
    }

    /// The file of a state; `None` if no state can have the name.
    pub(super) fn file(&self, name: &str) -> Option<PathBuf> {
        is_name(name).then(|| self.root.join(format!("{name}{ENDING}")))
    }

    /// Runs `task` with the pack of a state. Blocks, while other requests use it.
    pub(super) fn with<T>(
        &self,
        name: &str,
        create: bool,
        task: impl FnOnce(&mut Pack) -> Result<T, HistoryError>,
    ) -> Result<T, StateError> {
        let file = self.file(name).ok_or(StateError::Missing)?;
        if !file.exists() {
            // `serve rm` may have removed it. A pack that is still open has the old versions.
            locked(&self.open).remove(name);
            if !create {
                return Err(StateError::Missing);
            }
            self.prepare(name, &file)?;
        }
        let shared = self.shared(name);
        let mut pack = locked(&shared);
        let opened = match pack.as_mut() {
            Some(opened) => opened,
            None => pack.insert(if create { Pack::create(&file)? } else { Pack::open(&file)? }),
        };
        let result = task(opened);
        // After a fault, the next request opens the file again.
        let is_fault = |error: &HistoryError| {
            use coconut_history::HistoryErrorKind as Kind;
            matches!(
                error.kind(),
                Kind::Replaced | Kind::Damaged { .. } | Kind::Io(_) | Kind::Store(_) | Kind::Full
            )
        };
        if result.as_ref().is_err_and(is_fault) {
            *pack = None;
        }
        Ok(result?)
    }

    /// All states, in alphabetical order.
    pub(super) fn names(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        let mut pending = vec![(self.root.clone(), String::new())];
        while let Some((folder, prefix)) = pending.pop() {
            for entry in fs::read_dir(&folder)? {
                let entry = entry?;
                let Ok(name) = entry.file_name().into_string() else { continue };
                let kind = entry.file_type()?;
                if kind.is_dir() && prefix.split('/').count() < SEGMENTS {
                    pending.push((entry.path(), format!("{prefix}{name}/")));
                } else if let (true, Some(name)) = (kind.is_file(), name.strip_suffix(ENDING)) {
                    let name = format!("{prefix}{name}");
                    if is_name(&name) {
                        names.push(name);
                    }
                }
            }
        }
        names.sort();
        Ok(names)
    }

    /// Ends the logs of all packs.
    pub(super) fn close(&self) {
        for (_, shared) in locked(&self.open).drain() {
            if let Some(pack) = locked(&shared).take() {
                // A pack with a log is whole, too.
                let _ = pack.checkpoint();
            }
        }
    }

    fn shared(&self, name: &str) -> Shared {
        let mut open = locked(&self.open);
        if open.len() >= OPEN && !open.contains_key(name) {
            open.retain(|_, shared| Arc::strong_count(shared) > 1);
        }
        Arc::clone(open.entry(name.to_owned()).or_default())
    }

    /// Creates the folders of a new state, unless a name differs only in the case of its letters:
    /// some file systems treat them as one.
    fn prepare(&self, name: &str, file: &Path) -> Result<(), StateError> {
        let mut folder = self.root.clone();
        let segments: Vec<&str> = name.split('/').collect();
        for (position, segment) in segments.iter().enumerate() {
            let is_last = position + 1 == segments.len();
            let wanted = if is_last { format!("{segment}{ENDING}") } else { (*segment).to_owned() };
            let entries = match fs::read_dir(&folder) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => break,
                entries => entries.map_err(StateError::Folder)?,
            };
            for entry in entries {
                let found = entry.map_err(StateError::Folder)?.file_name();
                let found = found.to_string_lossy();
                if found != wanted && found.eq_ignore_ascii_case(&wanted) {
                    return Err(StateError::OtherCase(found.into_owned()));
                }
            }
            folder.push(segment);
        }
        let folder = file.parent().unwrap_or(&self.root);
        fs::create_dir_all(folder).map_err(StateError::Folder)
    }
}

/// Whether a state can have this name.
pub(super) fn is_name(name: &str) -> bool {
    let is_segment = |segment: &str| {
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
        (1..=SEGMENT).contains(&segment.len())
            && segment.bytes().all(allowed)
            && !segment.starts_with('.')
            && segment != "-"
            && segment != "lock"
            && !segment.ends_with(ENDING)
    };
    name.split('/').count() <= SEGMENTS && name.split('/').all(is_segment)
}

/// The value of a mutex. A panic of another request has left it usable: packs change in
/// transactions.
pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_to_no_other_folder() {
        for name in ["prod", "team/shop", "a.b-c_d/1", &"x".repeat(64), "a/b/c/d/e/f/g/h"] {
            assert!(is_name(name), "{name}");
        }
        let long = "x".repeat(65);
        for name in [
            "",
            "/",
            "a/",
            "/a",
            "a//b",
            ".",
            "..",
            "../a",
            "a/../b",
            ".git",
            "a b",
            "a%2fb",
            "a\\b",
            "é",
            "a\0",
            "x.cocohist",
            "a/lock",
            "-",
            "a:b",
            "~",
            &long,
            "a/b/c/d/e/f/g/h/i",
        ] {
            assert!(!is_name(name), "{name:?}");
        }
    }

    #[test]
    fn a_name_in_another_case_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let states = States::new(folder.path());
        let count =
            |name: &str, create| states.with(name, create, |pack| pack.versions()).map(|found| found.len());
        assert!(matches!(count("team/shop", false), Err(StateError::Missing)));
        assert!(matches!(count("team/shop", true), Ok(0)));
        assert!(
            matches!(count("team/Shop", true), Err(StateError::OtherCase(name)) if name == "shop.cocohist")
        );
        assert!(matches!(count("Team/other", true), Err(StateError::OtherCase(name)) if name == "team"));
        assert_eq!(states.names().unwrap(), ["team/shop"]);
    }
}
