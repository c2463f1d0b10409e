//! The origin of a version, and the result of adding it.

use crate::version::Version;

/// The origin of a new version, and the conditions under which it is stored.
#[derive(Clone, Debug, Default)]
pub struct Entry<'e> {
    /// The time, in milliseconds since 1970 UTC.
    pub time: i64,
    /// The way it comes: `file`, `http`, `git`, `restore`.
    pub source: &'e str,
    /// The ID of the lock under which it is written.
    pub lock_id: Option<&'e str>,
    /// The user. Under a lock, the user of the lock if this is `None`.
    pub who: Option<&'e str>,
    /// The operation. Under a lock, that of the lock if this is `None`.
    pub operation: Option<&'e str>,
    /// The version of the client. Under a lock, that of the lock if this is `None`.
    pub client: Option<&'e str>,
    /// The account of the server that writes.
    pub account: Option<&'e str>,
    /// The address of the client.
    pub address: Option<&'e str>,
    /// A label for the new version.
    pub label: Option<&'e str>,
    /// The SHA-256 that the newest text must have.
    pub if_newest: Option<[u8; 32]>,
    /// Set the rules of serial numbers and lineages aside.
    pub force: bool,
    /// Refuse the text without a lock.
    pub needs_lock: bool,
    /// Refuse a text that is not a state.
    pub is_state: bool,
}

/// The result of [`Pack::add`](crate::Pack::add).
#[derive(Clone, Debug)]
pub enum Added {
    /// A new version was stored.
    New(Version),
    /// The newest version has the same text, so nothing was stored.
    Same(Version),
}

impl Added {
    /// The newest version.
    pub fn version(&self) -> &Version {
        match self {
            Added::New(version) | Added::Same(version) => version,
        }
    }
}
