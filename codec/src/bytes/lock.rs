//! Waits for the lock of a file, for a limited time: a process that hangs may hold it.

use std::fs::{File, TryLockError};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The first wait. Each further one is twice as long, up to the last.
const FIRST: Duration = Duration::from_millis(1);
const LAST: Duration = Duration::from_millis(20);

/// Locks `file`, and tries again until `timeout` has passed since `begun`.
pub(crate) fn lock_within(file: &File, begun: Instant, timeout: Duration) -> Result<(), TryLockError> {
    let mut interval = FIRST;
    loop {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) if begun.elapsed() < timeout => sleep(interval),
            locked => return locked,
        }
        interval = (interval * 2).min(LAST);
    }
}
