//! Where a snapshot is written: a directory that is locked, and files in the making that are locked, too.
//!
//! All steps go by path, and a directory can be exchanged for another one at every moment. Then the lock of the one says
//! nothing about the other; so what is made has a lock of its own, and is looked at again before it gets its name.

use super::{DurableError, create_beside, failed, target_of, unused_beside};
use crate::bytes::input::is_on_network;
use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

const LOCK_INTERVAL: Duration = Duration::from_millis(20);

/// A directory that other writers are held off from, as far as it can be locked, and a file in it.
#[derive(Debug)]
pub(super) struct Place {
    target: PathBuf,
    directory: PathBuf,
    /// Absent where there are no locks.
    lock: Option<File>,
    /// Whether other writers see the lock: on another machine there may be ones that do not.
    is_alone: bool,
}

impl Place {
    /// Holds off other writers of snapshots. Where there are no locks the comparison is a moment older than the change, no
    /// more; but who holds one for long may be about to write, or may hang, or may only want us to wait.
    ///
    /// The links on the way to it are resolved once, so that all that follows is done in one directory: in the one that has
    /// the name when the lock is there.
    pub(super) fn lock(
        path: &Path,
        timeout: Duration,
        opened: &mut dyn FnMut(),
    ) -> Result<Place, DurableError> {
        let begun = Instant::now();
        loop {
            let (target, directory) = resolved(path);
            let Ok(file) = File::open(&directory) else {
                return Ok(Place { target, directory, lock: None, is_alone: false });
            };
            opened();
            let lock = lock(file, begun, timeout).map_err(failed("lock", &directory))?;
            let Some(file) = lock else {
                return Ok(Place { target, directory, lock: None, is_alone: false });
            };
            let is_alone = !is_on_network(&file);
            let place = Place { target, directory, lock: Some(file), is_alone };
            if resolved(path).0 == place.target && place.is_here() {
                return Ok(place);
            }
            if begun.elapsed() >= timeout {
                return Err(failed("lock", &place.directory)(timed_out(
                    "the directory was exchanged",
                    timeout,
                )));
            }
        }
    }

    /// The file that is written, without links on the way.
    pub(super) fn target(&self) -> &Path {
        &self.target
    }

    pub(super) fn directory(&self) -> &Path {
        &self.directory
    }

    /// Whether the path still leads to the directory that is locked.
    fn is_here(&self) -> bool {
        self.lock.as_ref().is_none_or(|lock| is_called(lock, &self.directory))
    }

    /// Refuses to go on in another directory than the one that is locked.
    pub(super) fn check(&self) -> io::Result<()> {
        match self.is_here() {
            true => Ok(()),
            false => Err(busy("the directory was exchanged for another one meanwhile")),
        }
    }

    /// Makes a file called `left_over`, without what a writer left there that was killed; or by a name that nothing has.
    pub(super) fn make(&self, left_over: &Path, replaced: Option<&Metadata>) -> io::Result<Making> {
        if self.is_alone && is_cleared(left_over) {
            // Who has another directory locked may be faster: that name is theirs then.
            match Making::new(left_over.to_owned(), replaced, true) {
                Err(error) if is_taken(&error) => {}
                made => return made,
            }
        }
        Making::new(unused_beside(&self.target), replaced, self.is_alone)
    }

    /// `left_over` if nothing has that name, or only had it, and another one otherwise.
    pub(super) fn cleared(&self, left_over: &Path) -> PathBuf {
        match self.is_alone && is_cleared(left_over) {
            true => left_over.to_owned(),
            false => unused_beside(&self.target),
        }
    }

    /// Waits until the disk has the names in the directory.
    #[cfg(unix)]
    pub(super) fn synchronise(&self) -> io::Result<()> {
        match &self.lock {
            Some(directory) => directory.sync_all(),
            None => File::open(&self.directory)?.sync_all(),
        }
    }

    /// Elsewhere renaming is as durable as the file system makes it.
    #[cfg(not(unix))]
    pub(super) fn synchronise(&self) -> io::Result<()> {
        Ok(())
    }
}

/// A file that has not its name yet, locked until it is closed. What is locked is removed by nobody but its maker.
#[derive(Debug)]
pub(super) struct Making {
    path: PathBuf,
    file: File,
    /// Whether others may remove it: not where names are random and locks may be none.
    is_watched: bool,
}

impl Making {
    fn new(path: PathBuf, replaced: Option<&Metadata>, is_watched: bool) -> io::Result<Making> {
        let file = match create_beside(&path, replaced) {
            Err(error) if !is_watched && !is_taken(&error) => {
                // It may be there without the mode that it is to have, and the next write would not find it.
                let _ = fs::remove_file(&path);
                return Err(error);
            }
            created => created?,
        };
        let making = Making { path, file, is_watched };
        if !is_watched {
            return Ok(making);
        }
        match making.file.try_lock() {
            // Where there are no locks, nothing is taken for a left-over.
            Ok(()) | Err(TryLockError::Error(_)) => making.check().map(|()| making),
            // It was taken for one before it was locked.
            Err(TryLockError::WouldBlock) => Err(gone()),
        }
    }

    pub(super) fn file(&self) -> &File {
        &self.file
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Makes sure that what has the name is this file.
    fn check(&self) -> io::Result<()> {
        match !self.is_watched || is_called(&self.file, &self.path) {
            true => Ok(()),
            false => Err(gone()),
        }
    }

    /// Gives it its name, in place of what has it.
    pub(super) fn rename(&self, name: &Path) -> io::Result<()> {
        self.check()?;
        fs::rename(&self.path, name)
    }

    /// Removes it, and nothing else. It has no other name; what stays is removed by the next write.
    pub(super) fn remove(&self) {
        if self.check().is_ok() {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Where `path` leads to now, and the directory of that, both without links on the way.
fn resolved(path: &Path) -> (PathBuf, PathBuf) {
    let target = target_of(path);
    let directory = match target.parent() {
        Some(directory) if !directory.as_os_str().is_empty() => directory,
        _ => Path::new("."),
    };
    match (fs::canonicalize(directory), target.file_name()) {
        (Ok(directory), Some(name)) => (directory.join(name), directory),
        _ => {
            let directory = directory.to_owned();
            (target, directory)
        }
    }
}

fn lock(directory: File, begun: Instant, timeout: Duration) -> io::Result<Option<File>> {
    loop {
        match directory.try_lock() {
            Ok(()) => return Ok(Some(directory)),
            Err(TryLockError::WouldBlock) if begun.elapsed() < timeout => sleep(LOCK_INTERVAL),
            Err(TryLockError::WouldBlock) => {
                return Err(timed_out("another process has held the directory", timeout));
            }
            Err(TryLockError::Error(_)) => return Ok(None),
        }
    }
}

/// Removes what a writer left that was killed: who writes holds its lock. Says whether the name is free. A link stays, and so
/// does what is locked or cannot be opened or removed: then the name is of no use, and in nobody's way.
fn is_cleared(left_over: &Path) -> bool {
    if fs::symlink_metadata(left_over).is_ok_and(|found| found.is_file())
        && let Ok(file) = open_left_over(left_over)
        && file.try_lock().is_ok()
        && is_called(&file, left_over)
    {
        // What comes of it is seen below.
        let _ = fs::remove_file(left_over);
    }
    fs::symlink_metadata(left_over).is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
}

/// Follows no link, and waits for nobody at the other end of a pipe.
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

/// Whether `path` is a name of `file`, which is open.
#[cfg(unix)]
fn is_called(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let (Ok(file), Ok(named)) = (file.metadata(), fs::symlink_metadata(path)) else { return false };
    file.nlink() > 0 && (file.dev(), file.ino()) == (named.dev(), named.ino())
}

/// Elsewhere all names are random, and what is open is not exchanged.
#[cfg(not(unix))]
fn is_called(_: &File, _: &Path) -> bool {
    true
}

fn is_taken(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::AlreadyExists | io::ErrorKind::ResourceBusy)
}

fn gone() -> io::Error {
    busy("what was written for it was removed or replaced meanwhile")
}

fn busy(text: &str) -> io::Error {
    io::Error::new(io::ErrorKind::ResourceBusy, text)
}

fn timed_out(what: &str, timeout: Duration) -> io::Error {
    let text = format!("{what} for {} s", timeout.as_secs());
    io::Error::new(io::ErrorKind::TimedOut, text)
}
