//! Directories that only this user can write to.
//!
//! A [`Directory`] is held open, and each file in it is opened by one name relative to it. If
//! another program moves the directory later, or puts a link in its place, that changes nothing
//! here.

#[cfg(not(unix))]
mod elsewhere;
#[cfg(unix)]
mod unix;

use std::fs::{File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

#[cfg(not(unix))]
pub(crate) use elsewhere::Directory;
#[cfg(unix)]
pub(crate) use unix::Directory;

/// An open file that only this user may write to. Only the checks of a [`Directory`] make one.
#[derive(Debug)]
pub(crate) struct PrivateFile {
    file: File,
    path: PathBuf,
    metadata: Metadata,
}

impl PrivateFile {
    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The metadata from when it was opened.
    pub(crate) fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// Whether the file has another name. A program that finds the other name may use the file as
    /// its own, and the checks of this directory do not cover that name.
    pub(crate) fn has_other_names(&self) -> bool {
        #[cfg(unix)]
        {
            std::os::unix::fs::MetadataExt::nlink(&self.metadata) > 1
        }
        #[cfg(not(unix))]
        false
    }

    pub(crate) fn into_parts(self) -> (File, PathBuf, Metadata) {
        (self.file, self.path, self.metadata)
    }
}

/// The handling of a missing directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Missing {
    /// Create it.
    Create,
    /// Leave it so.
    Leave,
}

/// The reason why a directory, or a file in it, is not used.
#[derive(Debug)]
#[cfg_attr(not(unix), expect(dead_code, reason = "only `Platform` occurs there"))]
pub(crate) enum DirectoryFault {
    /// This platform has no file owners and modes to compare.
    #[cfg(not(unix))]
    Platform,
    /// The directory is on a network file system.
    Network { path: PathBuf },
    /// A file, a directory, or a link in the path belongs to another user.
    Owner { path: PathBuf, owner: u32, expected: u32 },
    /// Other users may write to it.
    Mode { path: PathBuf, mode: u32 },
    /// A symbolic link has the name of a file or directory.
    Symlink { path: PathBuf },
    /// Something else has the name of a file or directory.
    WrongKind { path: PathBuf, expected: &'static str },
    /// A system call failed.
    Io { operation: &'static str, path: PathBuf, error: io::Error },
}

#[cfg(unix)]
impl DirectoryFault {
    /// Adds the operation and the path to the error of `result`.
    pub(super) fn io<T>(
        operation: &'static str,
        path: &Path,
        result: Result<T, impl Into<io::Error>>,
    ) -> Result<T, DirectoryFault> {
        result.map_err(|error| DirectoryFault::Io { operation, path: path.to_owned(), error: error.into() })
    }
}
