//! The reasons why a pack cannot be opened, read or written.

use coconut_codec::DecodeError;
use coconut_codec::compile::CompileError;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// A failure of a pack, with the file.
#[derive(Debug)]
pub struct HistoryError {
    kind: HistoryErrorKind,
    file: PathBuf,
}

/// The kind of a failure. [`HistoryErrorKind::code`] is stable.
#[derive(Debug)]
#[non_exhaustive]
pub enum HistoryErrorKind {
    /// The serial number of a new version is not larger than that of the newest one.
    Stale {
        /// The serial number of the newest version.
        stored: u64,
        /// The serial number of the refused text.
        coming: u64,
    },
    /// A new version is of another lineage than the newest one.
    Lineage {
        /// The lineage of the newest version.
        stored: String,
        /// The lineage of the refused text.
        coming: String,
    },
    /// Another one holds the lock.
    Locked {
        /// The ID of the lock.
        id: String,
        /// All of its information, as it was sent.
        info: String,
    },
    /// A write under a lock that is not held any more: it was freed by force.
    LockLost,
    /// A write without a lock, where one is required.
    LockRequired,
    /// An unlock without an ID, where one is required.
    BlindUnlock {
        /// All information of the lock, as it was sent.
        info: String,
    },
    /// The newest version is not the one that the caller expects.
    Changed {
        /// The SHA-256 of the newest text, in hexadecimal; empty if there is none.
        newest: String,
    },
    /// A later version of the tool has written the pack.
    Newer {
        /// The schema of the pack.
        found: i64,
    },
    /// The chain of digests is broken, or does not contain the expected one.
    Chain {
        /// The first version that does not fit, if one does not.
        version: Option<u64>,
    },
    /// Parts of the pack cannot be read. The other versions can.
    Damaged {
        /// The versions that cannot be read.
        versions: Vec<u64>,
        /// The damage.
        what: String,
    },
    /// The file is not a history pack.
    NotAPack,
    /// The disk is full, or a quota is used up.
    Full,
    /// Another process writes, and did not finish in time.
    Busy,
    /// The pack is on a file system that several hosts may share.
    NetworkFileSystem(&'static str),
    /// No version, or more than one, has this name.
    Revision {
        /// The name.
        name: String,
        /// The reason.
        reason: &'static str,
    },
    /// The text of this version was removed by `prune`.
    Pruned(u64),
    /// The file was replaced or deleted since it was opened.
    Replaced,
    /// A rule of retention that would keep nothing.
    KeepsNothing,
    /// A text is longer than a pack accepts.
    TooLong {
        /// Its length in bytes.
        length: u64,
    },
    /// The text is not a document.
    Document(CompileError),
    /// The text is not a state: a member is missing.
    NotAState(&'static str),
    /// A document that was compiled here cannot be read.
    Decode(DecodeError),
    /// The file cannot be read or written.
    Io(io::Error),
    /// Any other failure of SQLite.
    Store(rusqlite::Error),
}

impl HistoryErrorKind {
    /// All codes of packs.
    pub const CODES: [&str; 14] = [
        "HIST-STALE",
        "HIST-LINEAGE",
        "HIST-LOCKED",
        "HIST-CHANGED",
        "HIST-NEWER",
        "HIST-CHAIN",
        "HIST-DAMAGED",
        "HIST-PACK",
        "HIST-FULL",
        "HIST-BUSY",
        "HIST-NETFS",
        "HIST-REV",
        "HIST-TEXT",
        "HIST-STATE",
    ];

    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            HistoryErrorKind::Stale { .. } => "HIST-STALE",
            HistoryErrorKind::Lineage { .. } => "HIST-LINEAGE",
            HistoryErrorKind::Locked { .. }
            | HistoryErrorKind::LockLost
            | HistoryErrorKind::LockRequired
            | HistoryErrorKind::BlindUnlock { .. } => "HIST-LOCKED",
            HistoryErrorKind::Changed { .. } => "HIST-CHANGED",
            HistoryErrorKind::Newer { .. } => "HIST-NEWER",
            HistoryErrorKind::Chain { .. } => "HIST-CHAIN",
            HistoryErrorKind::Damaged { .. } => "HIST-DAMAGED",
            HistoryErrorKind::NotAPack => "HIST-PACK",
            HistoryErrorKind::Full => "HIST-FULL",
            HistoryErrorKind::Busy => "HIST-BUSY",
            HistoryErrorKind::NetworkFileSystem(_) => "HIST-NETFS",
            HistoryErrorKind::Revision { .. } | HistoryErrorKind::Pruned(_) => "HIST-REV",
            HistoryErrorKind::KeepsNothing => "USAGE",
            HistoryErrorKind::TooLong { .. } => "HIST-TEXT",
            HistoryErrorKind::Document(error) => error.code(),
            HistoryErrorKind::NotAState(_) => "HIST-STATE",
            HistoryErrorKind::Decode(error) => error.kind().code(),
            HistoryErrorKind::Replaced | HistoryErrorKind::Io(_) | HistoryErrorKind::Store(_) => "FILE-READ",
        }
    }

    /// Advice, if there is any.
    pub fn hint(&self) -> Option<&'static str> {
        Some(match self {
            HistoryErrorKind::Stale { .. } => "read the newest version first; `--force` stores it anyway",
            HistoryErrorKind::Lineage { .. } => {
                "it is the state of something else; `--force` stores it anyway"
            }
            HistoryErrorKind::Locked { .. } => "wait, or free the lock if its holder is gone",
            HistoryErrorKind::LockLost => {
                "the lock was freed by force; compare with the newest version first"
            }
            HistoryErrorKind::Changed { .. } => "read the newest version, and try again",
            HistoryErrorKind::Newer { .. } => "the pack is not damaged; upgrade the tool",
            HistoryErrorKind::Damaged { .. } => {
                "restore a backup; `export` writes the versions that are whole"
            }
            HistoryErrorKind::Full => "nothing was changed; make room, or remove old versions by `prune`",
            HistoryErrorKind::Busy => "nothing was changed; try again",
            HistoryErrorKind::NetworkFileSystem(_) => {
                "locks and memory shared by processes do not work there; use a local disk"
            }
            HistoryErrorKind::Revision { .. } | HistoryErrorKind::Pruned(_) => "`ls` lists all versions",
            HistoryErrorKind::Replaced => "open the pack again",
            HistoryErrorKind::KeepsNothing => "keep at least one: `--keep-last 1`",
            HistoryErrorKind::Document(error) => return error.hint(),
            _ => return None,
        })
    }
}

impl fmt::Display for HistoryErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HistoryErrorKind::Stale { stored, coming } => {
                write!(f, "the text has serial {coming}, and the newest version has {stored}")
            }
            HistoryErrorKind::Lineage { stored, coming } => {
                write!(f, "the text has lineage `{coming}`, and the newest version has `{stored}`")
            }
            HistoryErrorKind::Locked { id, .. } => write!(f, "the lock `{id}` is held"),
            HistoryErrorKind::LockLost => f.write_str("the lock of this write is not held any more"),
            HistoryErrorKind::LockRequired => f.write_str("a write needs a lock"),
            HistoryErrorKind::BlindUnlock { .. } => f.write_str("an unlock needs the ID of the lock"),
            HistoryErrorKind::Changed { newest } if newest.is_empty() => {
                f.write_str("there is no version yet")
            }
            HistoryErrorKind::Changed { newest } => {
                write!(f, "another version is the newest: its SHA-256 is {newest}")
            }
            HistoryErrorKind::Newer { found } => {
                write!(f, "the pack has schema {found}, and this tool knows {}", crate::limits::SCHEMA)
            }
            HistoryErrorKind::Chain { version: Some(version) } => {
                write!(f, "the chain of digests is broken at version {version}")
            }
            HistoryErrorKind::Chain { version: None } => {
                f.write_str("the chain of digests does not contain the expected one")
            }
            HistoryErrorKind::Damaged { versions, what } if versions.is_empty() => {
                write!(f, "the pack is damaged: {what}")
            }
            HistoryErrorKind::Damaged { versions, what } => {
                let names: Vec<String> = versions.iter().map(u64::to_string).collect();
                write!(f, "the pack is damaged: {what}; affected versions: {}", names.join(", "))
            }
            HistoryErrorKind::NotAPack => f.write_str("the file is not a history pack"),
            HistoryErrorKind::Full => f.write_str("there is no room on the disk"),
            HistoryErrorKind::Busy => f.write_str("another process writes to the pack"),
            HistoryErrorKind::NetworkFileSystem(name) => {
                write!(f, "the pack is on a network file system ({name})")
            }
            HistoryErrorKind::Revision { name, reason } => write!(f, "`{name}`: {reason}"),
            HistoryErrorKind::Pruned(version) => {
                write!(f, "the text of version {version} was removed")
            }
            HistoryErrorKind::Replaced => f.write_str("the pack was replaced or deleted while it was open"),
            HistoryErrorKind::KeepsNothing => f.write_str("these rules would keep no version"),
            HistoryErrorKind::TooLong { length } => {
                write!(f, "the text has {length} bytes, the limit is {}", crate::limits::TEXT)
            }
            HistoryErrorKind::Document(error) => error.fmt(f),
            HistoryErrorKind::NotAState(member) => {
                write!(f, "the text is not a state: `{member}` is missing or of another type")
            }
            HistoryErrorKind::Decode(error) => error.fmt(f),
            HistoryErrorKind::Io(error) => error.fmt(f),
            HistoryErrorKind::Store(error) => error.fmt(f),
        }
    }
}

impl HistoryError {
    pub(crate) fn new(kind: HistoryErrorKind, file: &Path) -> HistoryError {
        HistoryError { kind, file: file.to_owned() }
    }

    /// The kind.
    pub fn kind(&self) -> &HistoryErrorKind {
        &self.kind
    }

    /// The pack.
    pub fn file(&self) -> &Path {
        &self.file
    }
}

impl fmt::Display for HistoryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.file.display(), self.kind)
    }
}

impl std::error::Error for HistoryError {}

impl From<rusqlite::Error> for HistoryErrorKind {
    fn from(error: rusqlite::Error) -> HistoryErrorKind {
        use rusqlite::ErrorCode;
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => HistoryErrorKind::Full,
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => HistoryErrorKind::Busy,
            Some(ErrorCode::NotADatabase) => HistoryErrorKind::NotAPack,
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::TooBig) => damaged(error),
            // A column of another type, or a missing row: the tables are not consistent.
            None if !matches!(error, rusqlite::Error::InvalidPath(_)) => damaged(error),
            _ => HistoryErrorKind::Store(error),
        }
    }
}

fn damaged(error: impl fmt::Display) -> HistoryErrorKind {
    HistoryErrorKind::Damaged { versions: Vec::new(), what: error.to_string() }
}

impl From<io::Error> for HistoryErrorKind {
    fn from(error: io::Error) -> HistoryErrorKind {
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
                HistoryErrorKind::Full
            }
            _ => HistoryErrorKind::Io(error),
        }
    }
}

impl From<CompileError> for HistoryErrorKind {
    fn from(error: CompileError) -> HistoryErrorKind {
        HistoryErrorKind::Document(error)
    }
}

impl From<DecodeError> for HistoryErrorKind {
    fn from(error: DecodeError) -> HistoryErrorKind {
        HistoryErrorKind::Decode(error)
    }
}
