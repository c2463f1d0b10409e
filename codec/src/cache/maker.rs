//! One maker at a time for each entry, among all processes.
//!
//! ```text
//! new/ab12… (64 digits)     empty, and locked by the process that makes the entry ab12…
//! ```
//!
//! The lock only saves work. Entries are right without it, so nobody depends on it:
//!
//! * A process that ends has no locks, so nobody waits for it. The next writer sweeps its file.
//! * A process that hangs is waited for only so long.
//! * Where files cannot be locked, each process makes the entry by itself.

use super::Cache;
use super::key::EntryKey;
use super::layout::{Bucket, Layout};
use crate::bytes::lock::lock_within;
use crate::bytes::private_dir::Missing;
use std::fs::{File, TryLockError};
use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How often to lock a new file after a writer has swept one that was not locked yet.
const ATTEMPTS: u32 = 8;

/// This process makes an entry, and others wait for it until this is dropped.
pub(crate) struct Maker {
    layout: Arc<Layout>,
    name: String,
    /// Has the lock until it is closed.
    file: File,
}

impl Cache {
    /// Waits at most `patience` for another process that makes the entry `key`.
    ///
    /// `None` if another has just made it or tried to, if it takes longer, and where nothing can be
    /// locked. Then the caller makes the entry by itself, unless it is there now.
    pub(crate) fn maker(&self, key: &EntryKey, patience: Duration) -> Option<Maker> {
        // Whatever is wrong with the cache, the put that follows meets it and reports it.
        let layout = self.layout(Missing::Create).ok()??;
        let (name, begun) = (key.to_string(), Instant::now());
        for _ in 0..ATTEMPTS {
            let new = layout.bucket(Bucket::New).ok()?;
            let file = new.open_lock(&name).ok()?;
            match lock_within(&file, begun, patience) {
                Ok(()) if new.is_linked(&file).ok()? => return Some(Maker { layout, name, file }),
                Ok(()) if is_done(&file) => return None,
                // It was swept before it was locked.
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return None,
                Err(TryLockError::Error(_)) => {
                    // If this fails, a later put sweeps it.
                    let _ = new.remove(&name);
                    return None;
                }
            }
        }
        None
    }
}

/// Lets the next process have its turn. Those that wait get the lock of a file without a name,
/// whose one byte says that the work is done.
impl Drop for Maker {
    fn drop(&mut self) {
        // If the byte or the removal fails, a process that waits makes the entry once more.
        let _ = self.file.write_all(b"1");
        if let Ok(new) = self.layout.bucket(Bucket::New) {
            let _ = new.remove(&self.name);
        }
    }
}

fn is_done(file: &File) -> bool {
    file.metadata().is_ok_and(|metadata| metadata.len() > 0)
}
