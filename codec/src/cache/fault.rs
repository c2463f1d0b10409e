//! The reasons why the cache, or something in it, is not used.

use crate::bytes::private_dir::{DirectoryFault, PrivateFile};
use crate::codes::codes;
use coconut_format::visible::Visible;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// The reasons why the cache, or something in it, is not used.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CacheFault {
    /// Its location is unknown: the variables are unset or relative.
    NoLocation,
    /// The path of the directory is relative. Its meaning would depend on the working directory.
    Relative {
        /// The given path.
        path: PathBuf,
    },
    /// This platform has no owners and modes to compare.
    Platform,
    /// The directory is on a network file system, where renaming, times and maps guarantee less.
    Network {
        /// The directory.
        path: PathBuf,
    },
    /// A file, a directory, or a link on the way to it belongs to another user.
    Owner {
        /// The path.
        path: PathBuf,
        /// Its owner.
        owner: u32,
        /// The user of this process.
        expected: u32,
    },
    /// Other users may write to it.
    Mode {
        /// The path.
        path: PathBuf,
        /// Its permissions.
        mode: u32,
    },
    /// A symbolic link has the name of a file or directory.
    Symlink {
        /// The link.
        path: PathBuf,
    },
    /// Something else has the name of a file or directory.
    WrongKind {
        /// The path.
        path: PathBuf,
        /// The expected kind.
        expected: &'static str,
    },
    /// A file has another name (a hard link), which the cache never makes.
    Links {
        /// The file.
        path: PathBuf,
    },
    /// A file is incomplete, or was not written by a cache.
    Seal {
        /// The file.
        path: PathBuf,
        /// The fault of its seal.
        what: &'static str,
    },
    /// An entry is sealed for inputs that do not match its name.
    Swapped {
        /// The entry.
        path: PathBuf,
        /// The input that differs.
        what: &'static str,
    },
    /// Another process has been pruning for longer than the timeout.
    Locked {
        /// The lock.
        path: PathBuf,
    },
    /// A system call failed.
    Io(IoFault),
}

/// A system call that failed, as a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IoFault {
    /// The operation: `open`, `write`, `rename`…
    pub operation: &'static str,
    /// The path.
    pub path: PathBuf,
    /// The kind of failure.
    pub kind: io::ErrorKind,
    /// The error number of the operating system.
    pub errno: Option<i32>,
}

impl CacheFault {
    codes! {
        /// The codes of all faults.
        CODES;
        /// The stable code of the reason.
        code;
        CacheFault::NoLocation => "CACHE-HOME",
        CacheFault::Relative { .. } => "CACHE-RELATIVE",
        CacheFault::Platform => "CACHE-PLATFORM",
        CacheFault::Network { .. } => "CACHE-NETWORK",
        CacheFault::Owner { .. } => "CACHE-OWNER",
        CacheFault::Mode { .. } => "CACHE-MODE",
        CacheFault::Symlink { .. } => "CACHE-SYMLINK",
        CacheFault::WrongKind { .. } => "CACHE-KIND",
        CacheFault::Links { .. } => "CACHE-LINKS",
        CacheFault::Seal { .. } => "CACHE-SEAL",
        CacheFault::Swapped { .. } => "CACHE-SWAPPED",
        CacheFault::Locked { .. } => "CACHE-LOCKED",
        CacheFault::Io(_) => "CACHE-IO";
    }

    /// Whether the file itself is bad. A file that merely could not be read may be good later.
    pub fn is_proof(&self) -> bool {
        matches!(
            self,
            CacheFault::Seal { .. }
                | CacheFault::Swapped { .. }
                | CacheFault::Links { .. }
                | CacheFault::WrongKind { .. }
        )
    }

    /// Whether the fault is about one file, so that other files may be good.
    pub fn is_about_entry(&self) -> bool {
        self.is_proof() || matches!(self, CacheFault::Symlink { .. } | CacheFault::Io(_))
    }

    /// Whether it is the same fault, at the same file or another. On a full disk, each file causes
    /// one.
    pub fn repeats(&self, other: &CacheFault) -> bool {
        match (self, other) {
            (CacheFault::Io(one), CacheFault::Io(other)) => {
                (one.kind, one.errno) == (other.kind, other.errno)
            }
            _ => self == other,
        }
    }

    /// Refuses a file with another name.
    pub(super) fn check_names(file: &PrivateFile) -> Result<(), CacheFault> {
        match file.has_other_names() {
            true => Err(CacheFault::Links { path: file.path().to_owned() }),
            false => Ok(()),
        }
    }

    /// Converts the error of `result`.
    pub(crate) fn io<T>(
        operation: &'static str,
        path: &Path,
        result: Result<T, impl Into<io::Error>>,
    ) -> Result<T, CacheFault> {
        result.map_err(|error| CacheFault::Io(IoFault::new(operation, path, &error.into())))
    }
}

impl From<DirectoryFault> for CacheFault {
    fn from(fault: DirectoryFault) -> CacheFault {
        match fault {
            #[cfg(not(unix))]
            DirectoryFault::Platform => CacheFault::Platform,
            DirectoryFault::Network { path } => CacheFault::Network { path },
            DirectoryFault::Owner { path, owner, expected } => CacheFault::Owner { path, owner, expected },
            DirectoryFault::Mode { path, mode } => CacheFault::Mode { path, mode },
            DirectoryFault::Symlink { path } => CacheFault::Symlink { path },
            DirectoryFault::WrongKind { path, expected } => CacheFault::WrongKind { path, expected },
            DirectoryFault::Io { operation, path, error } => {
                CacheFault::Io(IoFault::new(operation, &path, &error))
            }
        }
    }
}

impl IoFault {
    /// The failure of `operation` on `path`.
    pub fn new(operation: &'static str, path: &Path, error: &io::Error) -> IoFault {
        IoFault { operation, path: path.to_owned(), kind: error.kind(), errno: error.raw_os_error() }
    }

    /// Whether the path does not exist.
    pub fn is_not_found(&self) -> bool {
        self.kind == io::ErrorKind::NotFound
    }
}

impl fmt::Display for CacheFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CacheFault::NoLocation => {
                write!(f, "COCONUT_CACHE_DIR, XDG_CACHE_HOME and HOME have no absolute path for the cache")
            }
            CacheFault::Relative { path } => {
                write!(f, "the cache directory {} is a relative path, expected an absolute one", shown(path))
            }
            CacheFault::Platform => write!(f, "the cache is not available on this platform"),
            CacheFault::Network { path } => {
                write!(f, "{} is on a network file system; set COCONUT_CACHE_DIR to a local one", shown(path))
            }
            CacheFault::Owner { path, owner, expected } => {
                write!(f, "{} belongs to user {owner}, expected {expected}", shown(path))
            }
            CacheFault::Mode { path, mode } => {
                let path = shown(path);
                write!(f, "other users may write to {path} (mode {mode:04o}); run `chmod go-w {path}`")
            }
            CacheFault::Symlink { path } => write!(f, "{} is a symbolic link", shown(path)),
            CacheFault::WrongKind { path, expected } => write!(f, "{} is not a {expected}", shown(path)),
            CacheFault::Links { path } => {
                write!(f, "{} has another name, so something else may write to it", shown(path))
            }
            CacheFault::Seal { path, what } => write!(f, "{}: {what}", shown(path)),
            CacheFault::Swapped { path, what } => {
                write!(f, "{} is sealed for another {what}", shown(path))
            }
            CacheFault::Locked { path } => write!(f, "another process holds {}", shown(path)),
            CacheFault::Io(fault) => fault.fmt(f),
        }
    }
}

impl fmt::Display for IoFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let IoFault { operation, path, kind, errno } = self;
        write!(f, "cannot {operation} {}: ", shown(path))?;
        match errno {
            Some(errno) => io::Error::from_raw_os_error(*errno).fmt(f),
            // The error for a directory, a pipe or a device.
            None if *kind == io::ErrorKind::InvalidInput => write!(f, "it is not a regular file"),
            // The errors of compressed sources.
            None if *kind == io::ErrorKind::InvalidData => {
                write!(f, "its compressed data are damaged or truncated")
            }
            None if *kind == io::ErrorKind::FileTooLarge => write!(f, "its text is larger than the limit"),
            None => kind.fmt(f),
        }
    }
}

/// A path for a message, on one line ([`Visible`]).
pub(crate) fn shown(path: &Path) -> impl fmt::Display {
    Visible(&path.to_string_lossy()).to_string()
}

coconut_format::explained!(CacheFault);

impl std::error::Error for CacheFault {}
impl std::error::Error for IoFault {}

impl IoFault {
    /// Returns the stable code, for machines.
    pub fn code(&self) -> &'static str {
        "CACHE-IO"
    }
}

coconut_format::explained!(IoFault);
