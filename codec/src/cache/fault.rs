//! Why the cache, or something in it, is not used.

use crate::codes::codes;
use std::fmt::{self, Write};
use std::io;
use std::path::{Path, PathBuf};

/// Why the cache, or something in it, is not used. Never an error of the program: the source is used instead.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CacheFault {
    /// No absolute path says where it is: the variables are unset or relative.
    NoLocation,
    /// This platform has no owners and modes that could be compared.
    Platform,
    /// The directory is on a file system of another machine, where renaming, times and maps mean less.
    Network {
        /// The directory.
        path: PathBuf,
    },
    /// A file, a directory, or a link on the way to it belongs to another user.
    Owner {
        /// What belongs to the other user.
        path: PathBuf,
        /// Its owner.
        owner: u32,
        /// Who we are.
        expected: u32,
    },
    /// Others may write to it.
    Mode {
        /// What others may write to.
        path: PathBuf,
        /// Its permissions.
        mode: u32,
    },
    /// A symbolic link stands in place of a file or directory.
    Symlink {
        /// The link.
        path: PathBuf,
    },
    /// Something else stands in place of a file or directory.
    WrongKind {
        /// What stands there.
        path: PathBuf,
        /// What should stand there.
        expected: &'static str,
    },
    /// A file is not complete, or not one of ours.
    Seal {
        /// The file.
        path: PathBuf,
        /// What is wrong with its seal.
        what: &'static str,
    },
    /// An entry is sealed for other inputs than its name says.
    Swapped {
        /// The entry.
        path: PathBuf,
        /// Which input differs.
        what: &'static str,
    },
    /// Somebody else has been pruning for longer than we wait.
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
    /// What was to be done: `open`, `write`, `rename`…
    pub operation: &'static str,
    /// To what.
    pub path: PathBuf,
    /// What kind of failure it was.
    pub kind: io::ErrorKind,
    /// The number that the operating system gave.
    pub errno: Option<i32>,
}

impl CacheFault {
    codes! {
        /// The codes of all faults.
        CODES;
        /// The stable code of the reason.
        code;
        CacheFault::NoLocation => "CACHE-HOME",
        CacheFault::Platform => "CACHE-PLATFORM",
        CacheFault::Network { .. } => "CACHE-NETWORK",
        CacheFault::Owner { .. } => "CACHE-OWNER",
        CacheFault::Mode { .. } => "CACHE-MODE",
        CacheFault::Symlink { .. } => "CACHE-SYMLINK",
        CacheFault::WrongKind { .. } => "CACHE-KIND",
        CacheFault::Seal { .. } => "CACHE-SEAL",
        CacheFault::Swapped { .. } => "CACHE-SWAPPED",
        CacheFault::Locked { .. } => "CACHE-LOCKED",
        CacheFault::Io(_) => "CACHE-IO";
    }

    /// Whether the thing itself is bad, so that it need not be looked at again. What only could not be read now
    /// may be good tomorrow.
    pub fn is_proof(&self) -> bool {
        matches!(self, CacheFault::Seal { .. } | CacheFault::Swapped { .. } | CacheFault::WrongKind { .. })
    }

    /// Whether it is about one file, so that others may be good.
    pub fn is_about_entry(&self) -> bool {
        self.is_proof() || matches!(self, CacheFault::Symlink { .. } | CacheFault::Io(_))
    }

    /// Whether it is the same trouble, met at the same file or at another one: on a full disk, each is another one.
    pub fn repeats(&self, other: &CacheFault) -> bool {
        match (self, other) {
            (CacheFault::Io(one), CacheFault::Io(other)) => {
                (one.kind, one.errno) == (other.kind, other.errno)
            }
            _ => self == other,
        }
    }

    /// `result` with the failure as a value.
    pub(crate) fn io<T>(
        operation: &'static str,
        path: &Path,
        result: Result<T, impl Into<io::Error>>,
    ) -> Result<T, CacheFault> {
        result.map_err(|error| CacheFault::Io(IoFault::new(operation, path, &error.into())))
    }
}

impl IoFault {
    /// What `error` says about `path`.
    pub fn new(operation: &'static str, path: &Path, error: &io::Error) -> IoFault {
        IoFault { operation, path: path.to_owned(), kind: error.kind(), errno: error.raw_os_error() }
    }

    /// Whether something that was expected is not there.
    pub fn is_not_found(&self) -> bool {
        self.kind == io::ErrorKind::NotFound
    }
}

impl fmt::Display for CacheFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CacheFault::NoLocation => {
                write!(
                    f,
                    "no absolute path in COCONUT_CACHE_DIR, XDG_CACHE_HOME or HOME says where the cache is"
                )
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
                write!(f, "others may write to {path} (mode {mode:04o}); run `chmod go-w {path}`")
            }
            CacheFault::Symlink { path } => write!(f, "{} is a symbolic link", shown(path)),
            CacheFault::WrongKind { path, expected } => write!(f, "{} is no {expected}", shown(path)),
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
            // What is said of a directory, a pipe or a device in place of a file.
            None if *kind == io::ErrorKind::InvalidInput => write!(f, "it is no regular file"),
            None => kind.fmt(f),
        }
    }
}

/// A path for a message: on one line, with everything as an escape that a terminal would act on.
pub(crate) fn shown(path: &Path) -> impl fmt::Display {
    struct Shown(String);
    impl fmt::Display for Shown {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            self.0.chars().try_for_each(|c| match c.is_control() {
                true => c.escape_default().fmt(f),
                false => f.write_char(c),
            })
        }
    }
    Shown(path.to_string_lossy().into_owned())
}

impl std::error::Error for CacheFault {}
impl std::error::Error for IoFault {}
