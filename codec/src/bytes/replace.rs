//! Files, replaced as a whole.
//!
//! What is written lies beside the file until it is complete, and then takes its name: a disk that is full, a limit and a
//! kill leave what was there. A compiled document that must survive a loss of power, too, is a [`snapshot`](crate::durable).

use crate::durable::{create_beside, target_of, unused_beside};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Makes `content` that of the file at `path`, in place of what it may have: completely, or not at all.
///
/// A link stays, and what it leads to is replaced. The mode stays, too, and so does the owner where the system lets this process
/// give files away; another name of the file (a hard link) keeps the old content. Needs a directory that can be written to. A
/// process that is killed may leave `.coco-…` there.
///
/// # Errors
///
/// What the system says, and [`InvalidInput`](io::ErrorKind::InvalidInput) where something else than a file has the name, which
/// stays.
pub fn replace(path: impl AsRef<Path>, content: &[u8]) -> io::Result<()> {
    let target = target_of(path.as_ref());
    let old = match fs::metadata(&target) {
        Ok(old) if old.is_file() => Some(old),
        Ok(_) => return Err(io::Error::new(io::ErrorKind::InvalidInput, "this is no file")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    let temporary = unused_beside(&target);
    let written = write_and_rename(&target, &temporary, old.as_ref(), content);
    if written.is_err() {
        // It has no other name. Where that fails, too, it is in nobody's way.
        let _ = fs::remove_file(&temporary);
    }
    written
}

fn write_and_rename(
    target: &Path,
    temporary: &PathBuf,
    old: Option<&fs::Metadata>,
    content: &[u8],
) -> io::Result<()> {
    let mut file = create_beside(temporary, old)?;
    file.write_all(content)?;
    drop(file);
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
        let error = replace(folder.path().join("a"), b"text").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
        assert_eq!(names(folder.path()), ["a"]);
        replace(folder.path().join("no/a"), b"text").unwrap_err();
        assert_eq!(names(folder.path()), ["a"]);
    }

    #[test]
    fn a_name_may_be_as_long_as_any() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a".repeat(250));
        replace(&path, b"text").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"text");
    }

    /// Nobody reads in the making what he may not read in the end.
    #[test]
    #[cfg(unix)]
    fn what_replaces_a_file_has_its_mode_from_the_beginning() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, "first").unwrap();
        for mode in [0o600, 0o640, 0o400] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            let made = create_beside(&folder.path().join("b"), fs::metadata(&path).ok().as_ref()).unwrap();
            assert_eq!(made.metadata().unwrap().permissions().mode() & 0o7777, mode);
            fs::remove_file(folder.path().join("b")).unwrap();
        }
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
