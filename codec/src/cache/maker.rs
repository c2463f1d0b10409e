//! One maker at a time for each entry, among all processes.
//!
//! ```text
//! new/ab12… (64 digits)     empty, and locked by the process that makes the entry ab12…
//! ```
//!
//! The lock only saves work. Entries are correct without it:
//!
//! * A process that has ended holds no locks, so other processes do not wait for it. The next
//!   writer removes its file.
//! * The wait for a process that hangs is limited.
//! * Where files cannot be locked, each process builds the entry itself.

use super::Cache;
use super::key::EntryKey;
use super::layout::{Bucket, Layout};
use crate::bytes::lock::lock_within;
use crate::bytes::private_dir::Missing;
use std::fs::{File, TryLockError};
use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Maximum number of attempts to lock a new file after a writer has removed one that was not locked
/// yet.
const ATTEMPTS: u32 = 8;

/// Held while this process builds an entry. Others wait until it is dropped.
pub(crate) struct Maker {
    layout: Arc<Layout>,
    name: String,
    /// Holds the lock until it is closed.
    file: File,
}

impl Cache {
    /// Waits at most `patience` for another process that builds the entry `key`.
    ///
    /// `None` if another process has just built it or tried to, if the wait takes longer, or if
    /// nothing can be locked. The caller then builds the entry itself, unless it exists now.
    pub(crate) fn maker(&self, key: &EntryKey, patience: Duration) -> Option<Maker> {
        // The put that follows encounters and reports any fault of the cache.
        let layout = self.layout(Missing::Create).ok()??;
        let (name, begun) = (key.to_string(), Instant::now());
        for _ in 0..ATTEMPTS {
            let new = layout.bucket(Bucket::New).ok()?;
            let file = new.open_lock(&name).ok()?;
            match lock_within(&file, begun, patience) {
                Ok(()) if new.is_linked(&file).ok()? => return Some(Maker { layout, name, file }),
                Ok(()) if is_done(&file) => return None,
                // It was removed before it was locked.
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return None,
                Err(TryLockError::Error(_)) => {
                    // If this fails, a later put removes it.
                    let _ = new.remove(&name);
                    return None;
                }
            }
        }
        None
    }
}

/// Lets the next process continue. Waiting processes get the lock of a file without a name. Its one
/// byte marks the work as done.
impl Drop for Maker {
    fn drop(&mut self) {
        // If the byte or the removal fails, a waiting process builds the entry once more.
        let _ = self.file.write_all(b"1");
        if let Ok(new) = self.layout.bucket(Bucket::New) {
            let _ = new.remove(&self.name);
        }
    }
}

fn is_done(file: &File) -> bool {
    file.metadata().is_ok_and(|metadata| metadata.len() > 0)
}
