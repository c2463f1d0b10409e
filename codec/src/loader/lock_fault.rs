//! Faults of the lock file of packages from registries.

use std::fmt;

/// The reason why a package of a lock file cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LockFault {
    /// The lock file cannot be read.
    Invalid {
        /// The fault.
        what: String,
    },
    /// The document is not in the cache.
    Missing {
        /// The reference.
        reference: String,
    },
    /// The lock file has another version than the requested one.
    Version {
        /// The requested version.
        wanted: String,
        /// The version in the lock file.
        locked: String,
    },
    /// Only packages of the lock file may be used, and it does not have this one.
    Unknown,
}

impl fmt::Display for LockFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LockFault::Invalid { what } => write!(f, "the lock file is not valid: {what}"),
            LockFault::Missing { reference } => {
                write!(f, "{reference} is not in the cache; run `coco hub pull --locked`")
            }
            LockFault::Version { wanted, locked } => {
                write!(f, "the version {locked} is locked, and {wanted} is required; run `coco hub lock`")
            }
            LockFault::Unknown => write!(f, "it is not in the lock file; run `coco hub lock`"),
        }
    }
}
