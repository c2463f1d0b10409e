//! Atomic replacement of files.
//!
//! New content is written beside the file. When complete, it is renamed to the name of the file. A
//! full disk, a limit or a kill leaves the old file unchanged. To survive a power failure too,
//! write a compiled document with the module `durable`, which uses the same drafts.

mod draft;

pub(crate) use draft::{Draft, unused_beside};
#[cfg(feature = "verify")]
pub(crate) use draft::{busy, is_called, is_cleared, is_taken};

use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Replaces the content of the file at `path`, completely or not at all. Makes the file if there is
/// none. See [`Replacement`].
///
/// # Errors
///
/// Those of [`Replacement::new`], and those of writing and renaming.
pub fn replace(path: impl AsRef<Path>, content: &[u8]) -> io::Result<()> {
    let mut replacement = Replacement::new(path)?;
    replacement.write_all(content)?;
    replacement.finish()
}

/// New content for a file, which replaces the file when finished. If dropped before that, the old
/// file is unchanged.
///
/// A link is kept, and its target is replaced. The mode is kept, and so is the owner if this
/// process may change it. Another name of the file (a hard link) keeps the old content. The
/// directory must be writable. A process that is killed leaves nothing on Linux, if the file system
/// can have files without a name, and may leave `.coco-…` elsewhere.
#[derive(Debug)]
#[doc(hidden)]
pub struct Replacement {
    target: PathBuf,
    draft: Draft,
}

impl Replacement {
    /// Starts to replace the file at `path`.
    ///
    /// # Errors
    ///
    /// Those of the system, and [`InvalidInput`](io::ErrorKind::InvalidInput) if `path` is the name
    /// of anything except a file, which stays.
    /// [`PermissionDenied`](io::ErrorKind::PermissionDenied) if it is a link that another user
    /// created in a world-writable directory.
    pub fn new(path: impl AsRef<Path>) -> io::Result<Replacement> {
        let target = followed(path.as_ref())?;
        let old = match fs::metadata(&target) {
            Ok(old) if old.is_file() => Some(old),
            Ok(_) => return Err(io::Error::new(io::ErrorKind::InvalidInput, "this is not a file")),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        // Its name is random, so other writers do not search for it, and it needs no lock.
        let draft = Draft::unnamed(unused_beside(&target), old.as_ref())?;
        Ok(Replacement { target, draft })
    }

    /// Renames the content to the name of the file.
    pub fn finish(self) -> io::Result<()> {
        self.draft.rename(&self.target)
    }

    /// Does the same, and waits until the disk has the content and the name.
    pub fn finish_durably(self) -> io::Result<()> {
        self.draft.file().sync_all()?;
        self.draft.rename(&self.target)?;
        synchronise(folder_of(&self.target))
    }
}

impl Write for Replacement {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.draft.file().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.draft.file().flush()
    }
}

/// The file that a write to `path` replaces or creates. For a link, its final target. A link that a
/// write does not follow has no target.
#[doc(hidden)]
pub fn target_of(path: &Path) -> PathBuf {
    followed(path).unwrap_or_else(|_| path.to_owned())
}

/// As many links as Linux follows.
const LINKS: usize = 40;

/// The same, or an error if a write does not follow a link. The link may be a folder in the path,
/// or the file itself.
#[doc(hidden)]
pub fn followed(path: &Path) -> io::Result<PathBuf> {
    let mut target = path.to_owned();
    for _ in 0..LINKS {
        check_way(folder_of(&target))?;
        match fs::symlink_metadata(&target) {
            Ok(link) if link.is_symlink() => check_link(&target, &link)?,
            _ => return Ok(fs::canonicalize(&target).unwrap_or(target)),
        }
        match fs::read_link(&target) {
            Ok(next) => target = target.parent().unwrap_or(Path::new("")).join(next),
            Err(_) => return Ok(target),
        }
    }
    Ok(path.to_owned())
}

/// Refuses a path to a directory if [`check_link`] refuses a link in it.
fn check_way(folder: &Path) -> io::Result<()> {
    /// The names of a path, the last one first.
    fn names(path: &Path) -> Vec<OsString> {
        path.components().rev().map(|name| name.as_os_str().to_owned()).collect()
    }
    let mut real = PathBuf::new();
    let mut left = names(&std::path::absolute(folder)?);
    let mut links = 0;
    while let Some(name) = left.pop() {
        if name == ".." {
            real.pop();
            continue;
        }
        // An absolute name replaces all names before it.
        let step = real.join(&name);
        match fs::symlink_metadata(&step) {
            Ok(link) if link.is_symlink() && links < LINKS => {
                check_link(&step, &link)?;
                links += 1;
                left.extend(names(&fs::read_link(&step)?));
            }
            _ => real = step,
        }
    }
    Ok(())
}

/// Refuses a link that another user created in a world-writable directory such as `/tmp`. Linux
/// does the same if `fs.protected_symlinks` is set.
#[cfg(unix)]
fn check_link(path: &Path, link: &fs::Metadata) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt;
    const EVERYONE_MAY_ADD: u32 = 0o1002;
    let directory = fs::metadata(folder_of(path))?;
    let is_open_to_all = directory.mode() & EVERYONE_MAY_ADD == EVERYONE_MAY_ADD;
    if is_open_to_all && ![rustix::process::geteuid().as_raw(), directory.uid()].contains(&link.uid()) {
        let text = format!("this is a link of user {}, in a folder where everyone may add files", link.uid());
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, text));
    }
    Ok(())
}

/// Elsewhere links have no owners.
#[cfg(not(unix))]
fn check_link(_: &Path, _: &fs::Metadata) -> io::Result<()> {
    Ok(())
}

/// The directory of a file.
pub(crate) fn folder_of(target: &Path) -> &Path {
    match target.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Waits until the disk has the names in a directory.
#[cfg(unix)]
pub(crate) fn synchronise(folder: &Path) -> io::Result<()> {
    fs::File::open(folder)?.sync_all()
}

/// Elsewhere renaming is as durable as the file system makes it.
#[cfg(not(unix))]
pub(crate) fn synchronise(_folder: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::draft::create_beside;
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
    fn a_name_that_cannot_be_replaced_stays_and_nothing_is_left() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("a/inside")).unwrap();
        let error = replace(folder.path().join("a"), b"text").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
        assert_eq!(names(folder.path()), ["a"]);
        replace(folder.path().join("no/a"), b"text").unwrap_err();
        assert_eq!(names(folder.path()), ["a"]);
    }

    /// The system removes a file without a name when its process ends, whatever ended it.
    #[test]
    #[cfg(target_os = "linux")]
    fn an_unfinished_file_has_no_name() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        replace(&path, b"first").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let mut replacement = Replacement::new(&path).unwrap();
        replacement.write_all(b"second").unwrap();
        if !replacement.draft.is_unnamed() {
            coconut_testing::skip("file system with unnamed files");
            return;
        }
        assert_eq!(names(folder.path()), ["a"]);
        assert_eq!(fs::read(&path).unwrap(), b"first");
        replacement.finish().unwrap();
        assert_eq!(names(folder.path()), ["a"]);
        assert_eq!(fs::read(&path).unwrap(), b"second");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o7777, 0o640);
    }

    #[test]
    fn a_name_may_be_as_long_as_any() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a".repeat(250));
        replace(&path, b"text").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"text");
    }

    /// A draft never has wider permissions than the result.
    #[test]
    #[cfg(unix)]
    fn a_replacement_has_the_mode_of_the_file_from_the_beginning() {
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
    fn a_link_of_another_user_where_everyone_may_add_files_is_not_followed() {
        use std::os::unix::fs::{PermissionsExt, lchown, symlink};
        const STRANGER: u32 = 54_321;
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("a"), folder.path().join("tmp/b"));
        fs::create_dir(folder.path().join("tmp")).unwrap();
        fs::write(&path, "first").unwrap();
        symlink("../a", &link).unwrap();
        let set_mode = |mode| {
            let permissions = fs::Permissions::from_mode(mode);
            fs::set_permissions(folder.path().join("tmp"), permissions).unwrap();
        };
        set_mode(0o1777);
        replace(&link, b"own").unwrap();
        if lchown(&link, Some(STRANGER), None).is_err() {
            coconut_testing::skip("right to give files to another user");
            return;
        }
        let error = replace(&link, b"second").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::PermissionDenied);
        let text = "this is a link of user 54321, in a folder where everyone may add files";
        assert_eq!(error.to_string(), text);
        assert_eq!(target_of(&link), link);
        assert_eq!(fs::read(&path).unwrap(), b"own");
        set_mode(0o755);
        replace(&link, b"second").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
    }

    #[test]
    #[cfg(unix)]
    fn nor_is_such_a_link_on_the_way() {
        use std::os::unix::fs::{PermissionsExt, lchown, symlink};
        const STRANGER: u32 = 54_321;
        let folder = tempfile::tempdir().unwrap();
        let open = folder.path().join("tmp");
        fs::create_dir(&open).unwrap();
        fs::create_dir(folder.path().join("mine")).unwrap();
        fs::set_permissions(&open, fs::Permissions::from_mode(0o1777)).unwrap();
        symlink("../mine", open.join("l")).unwrap();
        // A link of our own that leads to it.
        symlink("tmp/l", folder.path().join("own")).unwrap();
        let ways =
            [open.join("l/a"), folder.path().join("own/a"), folder.path().join("mine/../own/../own/a")];
        for way in &ways {
            replace(way, b"own").unwrap();
        }
        if lchown(open.join("l"), Some(STRANGER), None).is_err() {
            coconut_testing::skip("right to give files to another user");
            return;
        }
        for way in &ways {
            let error = replace(way, b"second").unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::PermissionDenied, "{}", way.display());
        }
        assert_eq!(fs::read(folder.path().join("mine/a")).unwrap(), b"own");
        // A cycle of links is an error of the system, not an endless search.
        symlink("round", folder.path().join("round")).unwrap();
        assert!(replace(folder.path().join("round/a"), b"x").is_err());
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
        // The missing target of a link is created.
        fs::remove_file(&path).unwrap();
        replace(&link, b"third").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"third");
        assert_eq!(names(folder.path()), ["a", "b"]);
    }
}
