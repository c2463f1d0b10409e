//! The reasons why a file could not be opened.

use coconut_format::error::DecodeError;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// The reason why a file could not be opened, and its path.
#[derive(Debug)]
pub struct OpenError {
    /// The given path.
    pub path: PathBuf,
    /// The reason.
    pub source: OpenErrorKind,
}

/// The kind of failure: of the system or of the content.
#[derive(Debug)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum OpenErrorKind {
    /// The file cannot be read.
    Io(io::Error),
    /// The content is not a document, or is damaged.
    Decode(DecodeError),
}

coconut_format::explained!(OpenError, OpenErrorKind);

/// Shows the path and the reason, so [`source`](std::error::Error::source) does not return the
/// reason again.
impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match &self.source {
            OpenErrorKind::Io(error) => write!(f, "cannot read `{path}`: {error}"),
            OpenErrorKind::Decode(error) => write!(f, "cannot open `{path}`: {error}"),
        }
    }
}

/// Shows the inner error's message, so [`source`](std::error::Error::source) does not return it
/// again.
impl fmt::Display for OpenErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpenErrorKind::Io(error) => error.fmt(f),
            OpenErrorKind::Decode(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for OpenErrorKind {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            OpenErrorKind::Io(error) => error.source(),
            OpenErrorKind::Decode(_) => None,
        }
    }
}

impl std::error::Error for OpenError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.source()
    }
}

impl OpenErrorKind {
    /// Returns the stable code, for machines.
    pub fn code(&self) -> &'static str {
        match self {
            OpenErrorKind::Io(_) => coconut_format::code::FILE_READ,
            OpenErrorKind::Decode(error) => error.code(),
        }
    }
}

impl OpenError {
    /// Returns the stable code, for machines.
    pub fn code(&self) -> &'static str {
        self.source.code()
    }

    pub(crate) fn new(path: &Path, source: OpenErrorKind) -> OpenError {
        OpenError { path: path.to_owned(), source }
    }
}
