//! Directories that are ours alone, and what may be done in them.
//!
//! A [`Directory`] is held open, and everything in it is reached by one name from there: whoever moves a
//! directory or puts a link in its place afterwards changes nothing for us.

#[cfg(not(unix))]
mod elsewhere;
#[cfg(unix)]
mod unix;

use std::fs::{File, Metadata};
use std::path::{Path, PathBuf};

#[cfg(not(unix))]
pub(crate) use elsewhere::Directory;
#[cfg(unix)]
pub(crate) use unix::Directory;

/// A file of ours that nobody else may write to, held open. Only the checks of a [`Directory`] make one.
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

    /// As it was when it was opened.
    pub(crate) fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    pub(crate) fn into_parts(self) -> (File, PathBuf, Metadata) {
        (self.file, self.path, self.metadata)
    }
}

/// What to do about a directory that is not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Missing {
    /// Make it.
    Create,
    /// Leave it so.
    Leave,
}
