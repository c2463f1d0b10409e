//! The directory of a durable write, which is locked.
//!
//! All steps use paths, and another process can replace the directory at any moment. The lock then
//! does not cover the new directory. So a draft has its own lock, and is checked again before it
//! gets its name.

use super::{DurableError, failed};
use crate::bytes::input::is_on_network;
use crate::bytes::lock::lock_within;
use crate::bytes::replace::{
    Draft, busy, folder_of, followed, is_called, is_cleared, is_taken, synchronise, unused_beside,
};
use std::fs::{self, File, Metadata, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A directory that is locked against other writers where that is possible, and a file in it.
#[derive(Debug)]
pub(super) struct Place {
    target: PathBuf,
    directory: PathBuf,
    /// Absent if the system has no locks.
    lock: Option<File>,
    /// Whether all other writers see the lock. Writers on other machines may not.
    is_alone: bool,
}

impl Place {
    /// Locks the directory of `path` against other durable writes.
    ///
    /// Without locks, the check of the old file is a moment older than the change. A process that
    /// holds the lock for long may be about to write or may hang, so this gives up after `timeout`.
    ///
    /// Resolves links in the path once, so all later steps use one directory: the one with this
    /// name when the lock is acquired.
    pub(super) fn lock(
        path: &Path,
        timeout: Duration,
        opened: &mut dyn FnMut(),
    ) -> Result<Place, DurableError> {
        let begun = Instant::now();
        loop {
            let (target, directory) = resolved(path).map_err(failed("resolve", path))?;
            let Ok(file) = File::open(&directory) else {
                return Ok(Place { target, directory, lock: None, is_alone: false });
            };
            opened();
            match lock_within(&file, begun, timeout) {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    let error = timed_out("another process has held the directory", timeout);
                    return Err(failed("lock", &directory)(error));
                }
                Err(TryLockError::Error(_)) => {
                    return Ok(Place { target, directory, lock: None, is_alone: false });
                }
            }
            let is_alone = !is_on_network(&file);
            let place = Place { target, directory, lock: Some(file), is_alone };
            if resolved(path).is_ok_and(|(target, _)| target == place.target) && place.is_here() {
                return Ok(place);
            }
            if begun.elapsed() >= timeout {
                let error = timed_out("the directory was exchanged", timeout);
                return Err(failed("lock", &place.directory)(error));
            }
        }
    }

    /// The file that is written, with links in its path resolved.
    pub(super) fn target(&self) -> &Path {
        &self.target
    }

    pub(super) fn directory(&self) -> &Path {
        &self.directory
    }

    /// Whether the path still leads to the locked directory.
    fn is_here(&self) -> bool {
        self.lock.as_ref().is_none_or(|lock| is_called(lock, &self.directory))
    }

    /// Refuses to continue in another directory than the locked one.
    pub(super) fn check(&self) -> io::Result<()> {
        match self.is_here() {
            true => Ok(()),
            false => Err(busy("the directory was exchanged for another one meanwhile")),
        }
    }

    /// Creates a draft named `left_over`, replacing that of a killed writer, or a draft with a
    /// random name.
    pub(super) fn draft(&self, left_over: &Path, replaced: Option<&Metadata>) -> io::Result<Draft> {
        if self.is_alone && is_cleared(left_over) {
            // A writer that has locked another directory may be faster. It then owns the name.
            match Draft::new(left_over.to_owned(), replaced, true) {
                Err(error) if is_taken(&error) => {}
                made => return made,
            }
        }
        Draft::new(unused_beside(&self.target), replaced, self.is_alone)
    }

    /// Returns `left_over` if the name is free now, and otherwise a random name.
    pub(super) fn cleared(&self, left_over: &Path) -> PathBuf {
        match self.is_alone && is_cleared(left_over) {
            true => left_over.to_owned(),
            false => unused_beside(&self.target),
        }
    }

    /// Waits until the disk has the names in the directory.
    pub(super) fn synchronise(&self) -> io::Result<()> {
        match &self.lock {
            Some(directory) => directory.sync_all(),
            None => synchronise(&self.directory),
        }
    }
}

/// The current target of `path`, and its directory, both with links resolved.
fn resolved(path: &Path) -> io::Result<(PathBuf, PathBuf)> {
    let target = followed(path)?;
    let directory = folder_of(&target).to_owned();
    Ok(match (fs::canonicalize(&directory), target.file_name()) {
        (Ok(directory), Some(name)) => (directory.join(name), directory),
        _ => (target, directory),
    })
}

fn timed_out(what: &str, timeout: Duration) -> io::Error {
    let text = format!("{what} for {} s", timeout.as_secs());
    io::Error::new(io::ErrorKind::TimedOut, text)
}
