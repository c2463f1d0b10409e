//! An unfinished file with a temporary name, beside the file that it replaces.

use super::folder_of;
use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::path::{Path, PathBuf};

/// A file that does not have its final name yet. If dropped before that, it is removed.
///
/// A draft with a predictable name is locked until it is closed. Only its creator removes it while
/// it is locked.
#[derive(Debug)]
pub(crate) struct Draft {
    path: PathBuf,
    file: File,
    /// Whether other writers may remove it. They cannot predict random names, and remove drafts
    /// only where files can be locked.
    is_watched: bool,
    has_path: bool,
}

impl Draft {
    pub(crate) fn new(path: PathBuf, replaced: Option<&Metadata>, is_watched: bool) -> io::Result<Draft> {
        let file = match create_beside(&path, replaced) {
            Err(error) if !is_watched && !is_taken(&error) => {
                // It may exist without its mode, and the next write would not find it.
                let _ = fs::remove_file(&path);
                return Err(error);
            }
            created => created?,
        };
        match is_watched.then(|| file.try_lock()) {
            // Another writer treated it as a left-over before it was locked.
            Some(Err(TryLockError::WouldBlock)) => Err(gone()),
            // Without locks, nothing counts as a left-over.
            None | Some(Ok(()) | Err(TryLockError::Error(_))) => {
                let draft = Draft { path, file, is_watched, has_path: true };
                draft.check().map(|()| draft)
            }
        }
    }

    /// A draft that gets this random name only when it is complete, if the file system can have
    /// files without a name. The system removes it if this process is killed.
    pub(super) fn unnamed(path: PathBuf, replaced: Option<&Metadata>) -> io::Result<Draft> {
        match create_unnamed(folder_of(&path), replaced) {
            Some(file) => Ok(Draft { path, file, is_watched: false, has_path: false }),
            None => Draft::new(path, replaced, false),
        }
    }

    #[cfg(test)]
    pub(super) fn is_unnamed(&self) -> bool {
        !self.has_path
    }

    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Makes sure that the path still leads to this file.
    fn check(&self) -> io::Result<()> {
        match !self.is_watched || is_called(&self.file, &self.path) {
            true => Ok(()),
            false => Err(gone()),
        }
    }

    /// Gives it its final name, and replaces the file of that name.
    pub(crate) fn rename(mut self, name: &Path) -> io::Result<()> {
        self.check()?;
        if !self.has_path {
            name_file(&self.file, &self.path)?;
            self.has_path = true;
        }
        fs::rename(&self.path, name)?;
        self.has_path = false;
        Ok(())
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if self.has_path && self.check().is_ok() {
            // It has only this name. If this fails, the next write removes it, or its random name
            // does no harm.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Creates a file that is to replace another one. It has the mode of the other one from the
/// beginning, so the draft never has wider permissions than the result. It also gets the owner of
/// the other one, if this process may change it.
pub(super) fn create_beside(path: &Path, replaced: Option<&Metadata>) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    open_as(path, options, replaced)
}

/// Opens a new file, with the mode and the owner of the file that it replaces.
fn open_as(path: &Path, options: OpenOptions, replaced: Option<&Metadata>) -> io::Result<File> {
    let Some(replaced) = replaced else { return options.open(path) };
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, OpenOptionsExt, fchown};
        let mut private = options;
        let file = private.mode(0o600).open(path)?;
        let made = file.metadata()?;
        if (made.uid(), made.gid()) != (replaced.uid(), replaced.gid()) {
            // Only the administrator may do this. Otherwise the file belongs to its writer, as for
            // any other program.
            let _ = fchown(&file, Some(replaced.uid()), Some(replaced.gid()));
        }
        file.set_permissions(replaced.permissions())?;
        Ok(file)
    }
    #[cfg(not(unix))]
    {
        let file = options.open(path)?;
        file.set_permissions(replaced.permissions())?;
        Ok(file)
    }
}

/// A new file without a name in this folder. `None` if the system or the file system has no such
/// files, or could not name one later.
#[cfg(target_os = "linux")]
fn create_unnamed(folder: &Path, replaced: Option<&Metadata>) -> Option<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let mut options = OpenOptions::new();
    options.write(true).custom_flags(libc::O_TMPFILE);
    let file = open_as(folder, options, replaced).ok()?;
    fs::metadata(link_of(&file)).is_ok().then_some(file)
}

/// The system's link to an open file.
#[cfg(target_os = "linux")]
fn link_of(file: &File) -> PathBuf {
    use std::os::fd::AsRawFd;
    PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()))
}

#[cfg(target_os = "linux")]
fn name_file(file: &File, path: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};
    Ok(linkat(CWD, link_of(file), CWD, path, AtFlags::SYMLINK_FOLLOW)?)
}

#[cfg(not(target_os = "linux"))]
fn create_unnamed(_: &Path, _: Option<&Metadata>) -> Option<File> {
    None
}

#[cfg(not(target_os = "linux"))]
fn name_file(_: &File, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// A random name beside `target`. Its length does not depend on that of `target`.
pub(crate) fn unused_beside(target: &Path) -> PathBuf {
    target.with_file_name(format!(".coco-{:016x}", RandomState::new().hash_one(target)))
}

/// Removes the draft of a killed writer: a live writer holds the lock of its draft. Returns whether
/// the name is free now. Keeps links, locked files, and files that cannot be opened or removed.
/// Such a name cannot be used.
pub(crate) fn is_cleared(left_over: &Path) -> bool {
    if fs::symlink_metadata(left_over).is_ok_and(|found| found.is_file())
        && let Ok(file) = open_left_over(left_over)
        && file.try_lock().is_ok()
        && is_called(&file, left_over)
    {
        // The check below shows the result.
        let _ = fs::remove_file(left_over);
    }
    fs::symlink_metadata(left_over).is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
}

/// Follows no link, and does not wait for the other end of a pipe.
fn open_left_over(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_CLOEXEC);
    }
    options.open(path)
}

/// Whether `path` is a name of the open `file`.
#[cfg(unix)]
pub(crate) fn is_called(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let (Ok(file), Ok(named)) = (file.metadata(), fs::symlink_metadata(path)) else { return false };
    file.nlink() > 0 && (file.dev(), file.ino()) == (named.dev(), named.ino())
}

/// On other systems all names are random, and an open file cannot be replaced.
#[cfg(not(unix))]
pub(crate) fn is_called(_: &File, _: &Path) -> bool {
    true
}

/// Whether another file has the name.
pub(crate) fn is_taken(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::AlreadyExists | io::ErrorKind::ResourceBusy)
}

fn gone() -> io::Error {
    busy("what was written for it was removed or replaced meanwhile")
}

pub(crate) fn busy(text: &str) -> io::Error {
    io::Error::new(io::ErrorKind::ResourceBusy, text)
}
