//! Writes the files of the cache. A file gets its name when it is complete.
//!
//! Each file is written under a unique name in `new/` by a process that holds its lock, and
//! renamed. A killed process holds no lock, so the next writer removes its files. This also works
//! between containers that share the directory but not the process ids.
//!
//! This differs from [`bytes::replace`](crate::bytes::replace): each step resolves one name in an
//! open [`Directory`], because a path could lead elsewhere after the checks of that directory.

use super::fault::{CacheFault, IoFault};
use super::key::EntryKey;
use super::layout::{Bucket, Layout};
use crate::bytes::private_dir::{Directory, Missing};
use std::fs::{File, Metadata, TryLockError};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

/// The age of a left-over in `new/`, where files cannot be locked.
const LEFT_OVER_AGE: Duration = Duration::from_secs(60 * 60);

/// Maximum number of names to try if another process removes each file before it is locked.
const ATTEMPTS: u32 = 8;

/// Writes a file from these pieces and gives it its name.
pub(super) fn publish(
    layout: &Layout,
    bucket: Bucket,
    name: &str,
    pieces: &[&[u8]],
) -> Result<(), CacheFault> {
    let new = layout.bucket(Bucket::New)?;
    sweep(new)?;
    let shard = layout.shard(bucket, name, Missing::Create)?;
    let shard = shard.expect("it was made if it was missing");
    publish_into(new, &shard, name, pieces)
}

/// Writes a file in `new` and moves it to `target`.
pub(super) fn publish_into(
    new: &Directory,
    target: &Directory,
    name: &str,
    pieces: &[&[u8]],
) -> Result<(), CacheFault> {
    let (temporary, mut file) = create_locked(new)?;
    let path = new.path().join(&temporary);
    let written = pieces
        .iter()
        .try_for_each(|piece| CacheFault::io("write", &path, file.write_all(piece)))
        .and_then(|()| Ok(new.rename(&temporary, target, name)?));
    if written.is_err() {
        // If this fails, the next put removes it, after the lock is released.
        let _ = new.remove(&temporary);
    }
    written
}

/// Creates a file in `new`, locked until it is closed.
fn create_locked(new: &Directory) -> Result<(String, File), CacheFault> {
    for _ in 0..ATTEMPTS {
        let name = unused_name();
        let file = new.create(&name)?;
        match file.try_lock() {
            Ok(()) if new.is_linked(&file)? => return Ok((name, file)),
            // A process that saw it before it was locked removes it, or has removed it.
            Ok(()) | Err(TryLockError::WouldBlock) => {}
            // Nothing can be locked here, so no recent file is removed.
            Err(TryLockError::Error(_)) => return Ok((name, file)),
        }
    }
    let busy = io::Error::from(io::ErrorKind::ResourceBusy);
    Err(CacheFault::Io(IoFault::new("create", new.path(), &busy)))
}

/// A name that no process has used: the process id, a counter, and 64 random bits, because ids may
/// be equal elsewhere.
fn unused_name() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let random = RandomState::new().hash_one(count);
    format!("{}-{count}-{random:016x}", std::process::id())
}

/// Whether `unused_name` can produce this name. It never produces a date or capitals.
fn is_ours(name: &str) -> bool {
    /// The number of digits of the random bits, with leading zeros.
    const DIGITS: usize = 16;
    let parts: Vec<&str> = name.splitn(4, '-').collect();
    let [process, count, random] = parts[..] else { return false };
    process.parse::<u32>().is_ok_and(|number| number.to_string() == process)
        && count.parse::<u64>().is_ok_and(|number| number.to_string() == count)
        && random.len() == DIGITS
        && random.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Removes the files that killed processes left, and their locks of entries. Returns their number.
pub(super) fn sweep(new: &Directory) -> Result<u64, CacheFault> {
    let mut removed = 0;
    let is_swept = |name: &&String| is_ours(name) || EntryKey::parse(name).is_some();
    for name in new.names()?.iter().filter(is_swept) {
        // A file that cannot be opened or removed is in use, or is retried later.
        let Ok(Some(file)) = new.read(name) else { continue };
        let is_left_over = match file.file().try_lock() {
            Ok(()) => true,
            Err(TryLockError::WouldBlock) => false,
            Err(TryLockError::Error(_)) => is_old(file.metadata()),
        };
        if is_left_over && new.remove(name).unwrap_or(false) {
            removed += 1;
        }
    }
    Ok(removed)
}

/// Whether a file is left over, as far as its age tells.
pub(super) fn is_old(metadata: &Metadata) -> bool {
    metadata
        .modified()
        .is_ok_and(|time| SystemTime::now().duration_since(time).is_ok_and(|age| age > LEFT_OVER_AGE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_ours_are_those_that_are_made() {
        for _ in 0..20 {
            let name = unused_name();
            assert!(is_ours(&name), "{name}");
        }
        for name in ["0-0-0000000000000000", "4294967295-18446744073709551615-0123456789abcdef"] {
            assert!(is_ours(name), "{name}");
        }
        for name in [
            "2024-01-15",
            "1-2-ABCDEF",
            "7-face-1",
            "1-2-3",
            "1-2-0123456789ABCDEF",
            "1-2-0123456789abcde",
            "1-2-0123456789abcdef0",
            "1-2-0123456789abcdef-",
            "1-2-0123456789abcdef-3",
            "01-2-0123456789abcdef",
            "1-02-0123456789abcdef",
            "+1-2-0123456789abcdef",
            "-1-2-0123456789abcdef",
            "1--0123456789abcdef",
            "4294967296-2-0123456789abcdef",
            "1-18446744073709551616-0123456789abcdef",
            "",
        ] {
            assert!(!is_ours(name), "{name}");
        }
    }
}
