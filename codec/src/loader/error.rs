//! The reasons why nothing could be loaded.

use super::fallback::{Fallback, FallbackReason};
use super::lock_fault::LockFault;
use super::near_miss::NearMiss;
use crate::bounded_debug::bounded_debug;
use crate::cache::{IoFault, shown};
use crate::codes::codes;
use crate::compile::CompileError;
use crate::text::SourceError;
use coconut_format::error::DecodeError;
use coconut_format::names::NameError;
use coconut_format::truncated::Truncated;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// The reason why nothing could be loaded, and why no compiled form was used before.
pub struct LoadError {
    /// The error.
    pub kind: Box<LoadErrorKind>,
    /// The compiled forms that were tried and not used, with the reasons.
    pub fallbacks: Vec<Fallback>,
}

bounded_debug!(LoadError, |error| kind: error.kind, fallbacks: error.fallbacks.len());

/// The error that stopped a load.
#[non_exhaustive]
pub enum LoadErrorKind {
    /// A part of the reference would escape the searched directory.
    Reference {
        /// The part.
        part: String,
    },
    /// The text is not a reference to a package.
    Name(NameError),
    /// The package was not found in any of the places.
    NotFound {
        /// The package.
        package: String,
        /// The searched directories.
        searched: Vec<PathBuf>,
        /// Files that were probably intended.
        near: Vec<NearMiss>,
        /// The directory around which a workspace was sought in vain, so that it was not searched.
        outside: Option<PathBuf>,
    },
    /// The source cannot be read.
    Read(IoFault),
    /// The source is not a document.
    Source {
        /// The source.
        path: PathBuf,
        /// Its text, to show the place of the error.
        text: Vec<u8>,
        /// Its fault.
        error: Box<CompileError>,
    },
    /// The source is another package, or another version.
    WrongPackage {
        /// The source.
        path: PathBuf,
        /// The difference.
        reason: FallbackReason,
    },
    /// There is no source, and the compiled form cannot be used without it.
    SourceAbsent {
        /// The source as the caller named it, or the compiled form of the package.
        path: PathBuf,
    },
    /// Only compiled forms may be used, and there is no good one.
    BinaryRequired,
    /// The package is one of a registry, and cannot be used as the lock file demands.
    Locked {
        /// The package.
        package: String,
        /// The lock file.
        lock: PathBuf,
        /// The reason.
        fault: LockFault,
    },
    /// Reading a document failed, and there is no other form of it.
    Decode {
        /// Its origin.
        path: PathBuf,
        /// Its fault.
        error: DecodeError,
    },
}

// Not derived: one kind holds the text of the source.
bounded_debug!(LoadErrorKind, |kind| code: kind.code(), message: kind.to_string().chars().take(160).collect::<String>());

impl LoadErrorKind {
    codes! {
        /// The codes of all errors, except fallback reasons and errors in the content of a
        /// document.
        CODES;
        /// The stable code, for machines.
        code;
        LoadErrorKind::Reference { .. } | LoadErrorKind::Name(_) => "LOAD-REFERENCE",
        LoadErrorKind::NotFound { .. } => "LOAD-NOTFOUND",
        LoadErrorKind::Source { error, .. } if error.of_source().is_none() => "LOAD-COMPILE",
        LoadErrorKind::BinaryRequired => "LOAD-REQUIRED",
        LoadErrorKind::Locked { .. } => "LOAD-LOCKED";
        LoadErrorKind::Source { error, .. } => error.of_source().map_or("LOAD-COMPILE", SourceError::code),
        LoadErrorKind::Read(_) => "LOAD-READ",
        LoadErrorKind::SourceAbsent { .. } => "LOAD-NOSOURCE",
        LoadErrorKind::WrongPackage { reason, .. } => reason.code(),
        LoadErrorKind::Decode { error, .. } => error.kind().code()
    }

    /// The error, after these attempts.
    pub(super) fn after(self, fallbacks: Vec<Fallback>) -> LoadError {
        LoadError { kind: Box::new(self), fallbacks }
    }

    pub(super) fn reading(path: &Path, error: &io::Error) -> LoadErrorKind {
        LoadErrorKind::Read(IoFault::new("read", path, error))
    }
}

impl LoadError {
    /// Returns the stable code, for machines.
    pub fn code(&self) -> &'static str {
        self.kind.code()
    }
}

coconut_format::explained!(LoadError, LoadErrorKind);

/// Shows the reason and the fallbacks, each on a line, so [`source`](std::error::Error::source)
/// does not return the reason again.
impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)?;
        self.fallbacks.iter().try_for_each(|fallback| write!(f, "\n  {fallback}"))
    }
}

impl fmt::Display for LoadErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LoadErrorKind::Reference { part } => {
                write!(
                    f,
                    "`{}` cannot be part of a package reference",
                    Truncated(part).to_text().escape_debug()
                )
            }
            LoadErrorKind::Name(error) => write!(f, "not a reference to a package: {error}"),
            LoadErrorKind::NotFound { package, searched, near, outside } => {
                let places = if searched.len() == 1 { "place" } else { "places" };
                write!(f, "no package `{package}` in {} {places}", searched.len())?;
                searched.iter().try_for_each(|path| write!(f, "\n  searched {}", shown(path)))?;
                near.iter().try_for_each(|near| write!(f, "\n  {near}"))?;
                match outside {
                    Some(start) => {
                        write!(f, "\n  no workspace (a folder with `.coconut`) at or above {}", shown(start))
                    }
                    None => Ok(()),
                }
            }
            LoadErrorKind::Read(fault) => fault.fmt(f),
            LoadErrorKind::Source { path, error, .. } => write!(f, "{}: {error}", shown(path)),
            LoadErrorKind::WrongPackage { path, reason } => write!(f, "{}: {reason}", shown(path)),
            LoadErrorKind::SourceAbsent { path } => write!(f, "{}: source file not found", shown(path)),
            LoadErrorKind::BinaryRequired => write!(f, "compiled forms are required, but none can be used"),
            LoadErrorKind::Locked { package, lock, fault } => {
                write!(f, "{}: package `{package}`: {fault}", shown(lock))
            }
            LoadErrorKind::Decode { path, error } => write!(f, "{}: {error}", shown(path)),
        }
    }
}

impl std::error::Error for LoadError {}
impl std::error::Error for LoadErrorKind {}

/// The reason why [`Loader::read`](super::Loader::read) failed.
#[derive(Debug)]
#[non_exhaustive]
pub enum ReadError<E> {
    /// Nothing could be loaded.
    Load(LoadError),
    /// The caller's function failed with this error, and the document is not damaged.
    Get(E),
}

/// Shows the inner error's message, so [`source`](std::error::Error::source) does not return it
/// again.
impl<E: fmt::Display> fmt::Display for ReadError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadError::Load(error) => error.fmt(f),
            ReadError::Get(error) => error.fmt(f),
        }
    }
}

impl<E: std::error::Error> std::error::Error for ReadError<E> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ReadError::Load(_) => None,
            ReadError::Get(error) => error.source(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_place_is_no_places() {
        let not_found = |searched: &[&str]| LoadErrorKind::NotFound {
            package: "p".to_owned(),
            searched: searched.iter().map(PathBuf::from).collect(),
            near: Vec::new(),
            outside: None,
        };
        assert_eq!(not_found(&["a"]).to_string(), "no package `p` in 1 place\n  searched a");
        assert_eq!(
            not_found(&["a", "b"]).to_string(),
            "no package `p` in 2 places\n  searched a\n  searched b"
        );
        assert_eq!(not_found(&[]).to_string(), "no package `p` in 0 places");
    }
}
