//! Why a file could not be opened.

use coconut_format::error::DecodeError;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// The reason why a file could not be opened, and its path.
#[derive(Debug)]
pub struct OpenError {
    /// The path as it was given.
    pub path: PathBuf,
    /// The reason.
    pub source: OpenErrorKind,
}

/// The kind of failure: the system's or the content's.
#[derive(Debug)]
pub enum OpenErrorKind {
    /// The file cannot be read.
    Io(io::Error),
    /// The content is not a document, or is damaged.
    Decode(DecodeError),
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match &self.source {
            OpenErrorKind::Io(error) => write!(f, "cannot read `{path}`: {error}"),
            OpenErrorKind::Decode(error) => write!(f, "cannot open `{path}`: {error}"),
        }
    }
}

impl std::error::Error for OpenError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.source {
            OpenErrorKind::Io(error) => Some(error),
            OpenErrorKind::Decode(error) => Some(error),
        }
    }
}

impl OpenError {
    pub(crate) fn new(path: &Path, source: OpenErrorKind) -> OpenError {
        OpenError { path: path.to_owned(), source }
    }
}
