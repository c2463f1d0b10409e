//! Files, replaced as a whole.
//!
//! What is written lies beside the file until it is complete, and then takes its name: a disk that is full, a limit and a
//! kill leave what was there. A compiled document that must survive a loss of power, too, is a [`snapshot`](crate::snapshot).

use crate::snapshot::target_of;
use std::fs::{self, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Makes `content` that of the file at `path`, in place of what it may have: completely, or not at all.
///
/// A link stays, and what it leads to is replaced; the mode stays, too. A process that is killed may leave `NAME.new-…`.
pub fn replace(path: impl AsRef<Path>, content: &[u8]) -> io::Result<()> {
    let target = target_of(path.as_ref());
    let mut temporary = target.clone().into_os_string();
    temporary.push(format!(".new-{:016x}", RandomState::new().hash_one(content.len())));
    let temporary = PathBuf::from(temporary);
    let written = write_and_rename(&target, &temporary, content);
    if written.is_err() {
        // It has no other name. Where that fails, too, it is in nobody's way.
        let _ = fs::remove_file(&temporary);
    }
    written
}

fn write_and_rename(target: &Path, temporary: &Path, content: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).open(temporary)?;
    file.write_all(content)?;
    if let Ok(old) = fs::metadata(target) {
        file.set_permissions(old.permissions())?;
    }
    fs::rename(temporary, target)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsString;

    fn names(folder: &Path) -> Vec<OsString> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_made_and_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        for content in ["first", "second and longer", ""] {
            replace(&path, content.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), content);
        }
        assert_eq!(names(folder.path()), ["a"]);
    }

    #[test]
    fn what_cannot_be_replaced_stays_and_nothing_is_left() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("a/inside")).unwrap();
        replace(folder.path().join("a"), b"text").unwrap_err();
        assert_eq!(names(folder.path()), ["a"]);
        replace(folder.path().join("no/a"), b"text").unwrap_err();
        assert_eq!(names(folder.path()), ["a"]);
    }

    #[test]
    #[cfg(unix)]
    fn links_and_modes_stay() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("a"), folder.path().join("b"));
        fs::write(&path, "first").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o751)).unwrap();
        symlink("a", &link).unwrap();
        replace(&link, b"second").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o7777, 0o751);
        assert_eq!(fs::read_link(&link).unwrap(), Path::new("a"));
        // What a link leads to is made where it is not there yet.
        fs::remove_file(&path).unwrap();
        replace(&link, b"third").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"third");
        assert_eq!(names(folder.path()), ["a", "b"]);
    }
}
