//! Making the cache smaller: by age, by size, or altogether.
//!
//! Only this takes a lock, so that two processes do not both count what the other removes. Readers never wait: a
//! file that is open or mapped stays what it is without its name.

use super::Cache;
use super::fault::CacheFault;
use super::key::EntryKey;
use super::layout::{Bucket, Layout};
use super::publish::sweep;
use crate::bytes::private_dir::{Directory, Missing};
use std::fs::{File, TryLockError};
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime};

/// How long another process may hold the lock before we leave the work to it.
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);
const LOCK_INTERVAL: Duration = Duration::from_millis(20);

/// How many bad entries are kept for whoever wants to know what happened.
const QUARANTINE: usize = 16;

const LOCK: &str = "lock";

/// What to keep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PruneLimits {
    /// Remove what was not used for so long. Uses are noted to the day.
    pub older_than: Option<Duration>,
    /// Remove what was not used for longest until the entries take no more bytes than this.
    pub max_bytes: Option<u64>,
}

/// How many faults a report has room for: where more cannot be removed, it is for one reason.
const FAULTS: usize = 100;

/// What was removed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PruneReport {
    /// Entries, stamps and leftovers that were removed.
    pub removed: u64,
    /// Their bytes.
    pub removed_bytes: u64,
    /// Entries that remain.
    pub kept: u64,
    /// Their bytes.
    pub kept_bytes: u64,
    /// How many files and directories could not be removed or looked at.
    pub failed: u64,
    /// Why, of the first hundred.
    pub faults: Vec<CacheFault>,
}

impl Cache {
    /// Removes what the limits do not let stay, and what killed processes left. Costs a look at every entry, and
    /// some fifty bytes of memory for each.
    ///
    /// What cannot be removed does not keep the rest from it, and is in the report.
    pub fn prune(&self, limits: PruneLimits) -> Result<PruneReport, CacheFault> {
        let Some(layout) = self.layout(Missing::Leave)? else { return Ok(PruneReport::default()) };
        let _lock = lock(&layout)?;
        let mut removal = Removal::new(&layout);
        removal.sweep();
        let is_old = |time: SystemTime| {
            let age = SystemTime::now().duration_since(time).unwrap_or_default();
            limits.older_than.is_some_and(|limit| age > limit)
        };
        removal.remove_if(Bucket::Stamps, |file| is_old(file.time));
        let mut entries = removal.files(Bucket::Entries);
        entries.sort_unstable_by_key(|entry| entry.time);
        let mut bytes: u64 = entries.iter().map(|entry| entry.bytes).sum();
        for entry in &entries {
            if is_old(entry.time) || limits.max_bytes.is_some_and(|limit| bytes > limit) {
                bytes -= entry.bytes;
                removal.remove(Bucket::Entries, entry);
            } else {
                removal.report.kept += 1;
                removal.report.kept_bytes += entry.bytes;
            }
        }
        Ok(removal.report)
    }

    /// Removes everything that this layout has written, and nothing else. Documents that are loaded stay loaded.
    ///
    /// What cannot be removed does not keep the rest from it, as with [`prune`](Cache::prune).
    pub fn clean(&self) -> Result<PruneReport, CacheFault> {
        let Some(layout) = self.layout(Missing::Leave)? else { return Ok(PruneReport::default()) };
        let _lock = lock(&layout)?;
        let mut removal = Removal::new(&layout);
        removal.sweep();
        for bucket in [Bucket::Stamps, Bucket::Entries, Bucket::Quarantine] {
            removal.remove_if(bucket, |_| true);
        }
        Ok(removal.report)
    }
}

/// Moves an entry out of use.
pub(super) fn quarantine(layout: &Layout, name: &str) -> Result<(), CacheFault> {
    let Some(shard) = layout.shard(Bucket::Entries, name, Missing::Leave)? else { return Ok(()) };
    let quarantine = layout.bucket(Bucket::Quarantine)?;
    // What cannot be kept is not used either: a directory that nobody writes to keeps its place.
    shard.rename(name, quarantine, name).or_else(|_| shard.remove(name).map(drop))?;
    let (mut kept, faults) = files(layout, Bucket::Quarantine);
    faults.into_iter().next().map_or(Ok(()), Err)?;
    kept.sort_unstable_by_key(|file| file.time);
    let excess = kept.len().saturating_sub(QUARANTINE);
    // What cannot be removed does not keep the rest.
    let removed = kept[..excess].iter().map(|file| quarantine.remove(&file.key.to_string()).map(drop));
    removed.fold(Ok(()), Result::and)
}

/// Waits for the lock, but not for ever: it may be held by a process that hangs.
fn lock(layout: &Layout) -> Result<File, CacheFault> {
    let directory = layout.lock_directory();
    let path = directory.path().join(LOCK);
    let file = directory.open_lock(LOCK)?;
    let begun = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if begun.elapsed() < LOCK_TIMEOUT => sleep(LOCK_INTERVAL),
            Err(TryLockError::WouldBlock) => return Err(CacheFault::Locked { path }),
            Err(TryLockError::Error(error)) => return CacheFault::io("lock", &path, Err(error)),
        }
    }
}

/// A file of ours, as far as it matters here.
struct Kept {
    key: EntryKey,
    bytes: u64,
    time: SystemTime,
}

/// The files of a bucket, as far as it can be looked at, and what could not be.
fn files(layout: &Layout, bucket: Bucket) -> (Vec<Kept>, Vec<CacheFault>) {
    let mut files = Vec::new();
    let faults = layout.for_each_shard(bucket, |shard| {
        for key in shard.names()?.iter().filter_map(|name| EntryKey::parse(name)) {
            files.extend(look_at(shard, key));
        }
        Ok(())
    });
    (files, faults)
}

/// What cannot be opened has no size and no age, and goes first.
fn look_at(shard: &Directory, key: EntryKey) -> Option<Kept> {
    let metadata = match shard.read(&key.to_string()) {
        Ok(None) => return None,
        Ok(Some(file)) => Some(file.into_parts().2),
        Err(_) => None,
    };
    let bytes = metadata.as_ref().map_or(0, std::fs::Metadata::len);
    let time = metadata.and_then(|metadata| metadata.modified().ok()).unwrap_or(SystemTime::UNIX_EPOCH);
    Some(Kept { key, bytes, time })
}

/// What is removed, and what could not be.
struct Removal<'l> {
    layout: &'l Layout,
    report: PruneReport,
}

impl<'l> Removal<'l> {
    fn new(layout: &'l Layout) -> Self {
        Removal { layout, report: PruneReport::default() }
    }

    fn note(&mut self, fault: CacheFault) {
        self.report.failed += 1;
        if self.report.faults.len() < FAULTS {
            self.report.faults.push(fault);
        }
    }

    /// Removes what processes left that were killed.
    fn sweep(&mut self) {
        if let Ok(new) = self.layout.bucket(Bucket::New) {
            match sweep(new) {
                Ok(removed) => self.report.removed += removed,
                Err(fault) => self.note(fault),
            }
        }
    }

    fn files(&mut self, bucket: Bucket) -> Vec<Kept> {
        let (files, faults) = files(self.layout, bucket);
        faults.into_iter().for_each(|fault| self.note(fault));
        files
    }

    fn remove_if(&mut self, bucket: Bucket, condition: impl Fn(&Kept) -> bool) {
        for file in self.files(bucket).iter().filter(|file| condition(file)) {
            self.remove(bucket, file);
        }
    }

    fn remove(&mut self, bucket: Bucket, file: &Kept) {
        match remove(self.layout, bucket, &file.key.to_string()) {
            Ok(true) => {
                self.report.removed += 1;
                self.report.removed_bytes += file.bytes;
            }
            Ok(false) => {}
            Err(fault) => self.note(fault),
        }
    }
}

/// Says whether the name was there.
fn remove(layout: &Layout, bucket: Bucket, name: &str) -> Result<bool, CacheFault> {
    match bucket.is_sharded() {
        true => match layout.shard(bucket, name, Missing::Leave)? {
            Some(shard) => shard.remove(name),
            None => Ok(false),
        },
        false => layout.bucket(bucket)?.remove(name),
    }
}
