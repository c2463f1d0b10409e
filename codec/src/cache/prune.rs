//! Makes the cache smaller: by age, by size, or completely.
//!
//! Only pruning takes a lock, so that two processes do not count the same removals. Readers never
//! wait: an open or mapped file stays valid without its name.

use super::Cache;
use super::fault::CacheFault;
use super::hub::{HubCache, HubEntry, HubEntryKind, HubRemoval};
use super::key::EntryKey;
use super::layout::{Bucket, Layout};
use super::publish::sweep;
use crate::bytes::lock::lock_within;
use crate::bytes::private_dir::{Directory, Missing};
use std::fs::{File, TryLockError};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

/// The time to wait for a process that holds the lock.
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);

/// Number of bad entries kept for diagnosis.
const QUARANTINE: usize = 16;

const LOCK: &str = "lock";

/// The limits of pruning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct PruneLimits {
    /// Remove entries not used for this long. Uses are recorded to the day.
    pub older_than: Option<Duration>,
    /// Remove the least recently used entries until the rest has at most this many bytes.
    pub max_bytes: Option<u64>,
}

crate::setters::setters! {
    PruneLimits: ; older_than: Duration, max_bytes: u64
}

/// Maximum number of faults in a report. If more files cannot be removed, the reason is usually the
/// same.
const FAULTS: usize = 100;

/// The result of pruning or cleaning.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct PruneReport {
    /// Number of removed entries, stamps and left-overs.
    pub removed: u64,
    /// Their bytes.
    pub removed_bytes: u64,
    /// Number of remaining entries.
    pub kept: u64,
    /// Their bytes.
    pub kept_bytes: u64,
    /// Number of files and directories that could not be removed or inspected.
    pub failed: u64,
    /// The first hundred reasons.
    pub faults: Vec<CacheFault>,
}

impl Cache {
    /// Removes entries and documents of registries beyond the limits, and the left-overs of killed
    /// processes. Keeps documents that a process fetches or reads in place. Inspects every
    /// entry, and needs about fifty bytes of memory for each.
    ///
    /// Files that cannot be removed are reported and skipped.
    pub fn prune(&self, limits: PruneLimits) -> Result<PruneReport, CacheFault> {
        let (hub, layout) = self.to_remove_from()?;
        let Some(layout) = layout else { return Ok(PruneReport::default()) };
        let _lock = lock(&layout)?;
        let mut removal = Removal::new(&layout, hub.as_ref());
        removal.sweep();
        let is_old = |time: SystemTime| {
            let age = SystemTime::now().duration_since(time).unwrap_or_default();
            limits.older_than.is_some_and(|limit| age > limit)
        };
        removal.remove_if(Bucket::Stamps, |file| is_old(file.time));
        let of_sources = removal.files(Bucket::Entries).into_iter().map(Entry::OfSource);
        let mut entries: Vec<Entry> = of_sources.collect();
        for entry in removal.hub_entries() {
            match entry.kind {
                // One that is needed again costs a request; its document is found by its digest.
                HubEntryKind::Manifest if is_old(entry.time()) => removal.remove_entry(&Entry::OfHub(entry)),
                HubEntryKind::Manifest => {}
                HubEntryKind::Document | HubEntryKind::Parts => entries.push(Entry::OfHub(entry)),
            }
        }
        entries.sort_by_key(Entry::time);
        let mut bytes: u64 = entries.iter().map(Entry::bytes).sum();
        for entry in &entries {
            if is_old(entry.time()) || limits.max_bytes.is_some_and(|limit| bytes > limit) {
                bytes -= entry.bytes();
                removal.remove_entry(entry);
            } else {
                removal.keep(entry.bytes());
            }
        }
        Ok(removal.report)
    }

    /// Removes everything that this layout has written, the documents of registries, and nothing
    /// else. Loaded documents stay valid. Keeps those that a process fetches or reads in place.
    ///
    /// Files that cannot be removed are reported and skipped, as by [`prune`](Cache::prune).
    pub fn clean(&self) -> Result<PruneReport, CacheFault> {
        let (hub, layout) = self.to_remove_from()?;
        let Some(layout) = layout else { return Ok(PruneReport::default()) };
        let _lock = lock(&layout)?;
        let mut removal = Removal::new(&layout, hub.as_ref());
        removal.sweep();
        for bucket in [Bucket::Stamps, Bucket::Entries, Bucket::Quarantine] {
            removal.remove_if(bucket, |_| true);
        }
        for entry in removal.hub_entries() {
            removal.remove_entry(&Entry::OfHub(entry));
        }
        Ok(removal.report)
    }

    /// The documents of registries, and the layout, which has the lock. Neither is made if both are
    /// missing.
    fn to_remove_from(&self) -> Result<(Option<HubCache>, Option<Arc<Layout>>), CacheFault> {
        let hub = self.path().map_or(Ok(None), HubCache::open)?;
        let missing = if hub.is_some() { Missing::Create } else { Missing::Leave };
        Ok((hub, self.layout(missing)?))
    }

    /// The documents and manifests of registries, sorted by path.
    #[doc(hidden)]
    pub fn hub_entries(&self) -> Result<Vec<HubEntry>, CacheFault> {
        let Some(hub) = self.path().map_or(Ok(None), HubCache::open)? else { return Ok(Vec::new()) };
        let (entries, faults) = hub.entries();
        faults.into_iter().next().map_or(Ok(entries), Err)
    }
}

/// Moves an entry to quarantine.
pub(super) fn quarantine(layout: &Layout, name: &str) -> Result<(), CacheFault> {
    let Some(shard) = layout.shard(Bucket::Entries, name, Missing::Leave)? else { return Ok(()) };
    let quarantine = layout.bucket(Bucket::Quarantine)?;
    // An entry that cannot be kept is removed. A read-only directory cannot be moved.
    shard.rename(name, quarantine, name).or_else(|_| shard.remove(name).map(drop))?;
    let (mut kept, faults) = files(layout, Bucket::Quarantine);
    faults.into_iter().next().map_or(Ok(()), Err)?;
    kept.sort_unstable_by_key(|file| file.time);
    let excess = kept.len().saturating_sub(QUARANTINE);
    // A file that cannot be removed does not stop the others.
    let removed = kept[..excess].iter().map(|file| quarantine.remove(&file.key.to_string()).map(drop));
    Ok(removed.fold(Ok(()), Result::and)?)
}

/// Waits for the lock for a limited time: a process that hangs may hold it.
fn lock(layout: &Layout) -> Result<File, CacheFault> {
    let directory = layout.lock_directory();
    let path = directory.path().join(LOCK);
    let file = directory.open_lock(LOCK)?;
    match lock_within(&file, Instant::now(), LOCK_TIMEOUT) {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(CacheFault::Locked { path }),
        Err(TryLockError::Error(error)) => CacheFault::io("lock", &path, Err(error)),
    }
}

/// A file of the cache.
struct Kept {
    key: EntryKey,
    bytes: u64,
    time: SystemTime,
}

/// The files of a bucket, and the faults of directories that cannot be read.
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

/// A file that cannot be opened has no size and no age, and is removed first.
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

/// A document of the cache.
enum Entry {
    OfSource(Kept),
    OfHub(HubEntry),
}

impl Entry {
    fn time(&self) -> SystemTime {
        match self {
            Entry::OfSource(file) => file.time,
            Entry::OfHub(entry) => entry.time(),
        }
    }

    fn bytes(&self) -> u64 {
        match self {
            Entry::OfSource(file) => file.bytes,
            Entry::OfHub(entry) => entry.bytes,
        }
    }
}

/// Removes files and counts them.
struct Removal<'l> {
    layout: &'l Layout,
    hub: Option<&'l HubCache>,
    report: PruneReport,
}

impl<'l> Removal<'l> {
    fn new(layout: &'l Layout, hub: Option<&'l HubCache>) -> Self {
        Removal { layout, hub, report: PruneReport::default() }
    }

    fn keep(&mut self, bytes: u64) {
        self.report.kept += 1;
        self.report.kept_bytes += bytes;
    }

    fn note(&mut self, fault: CacheFault) {
        self.report.failed += 1;
        if self.report.faults.len() < FAULTS {
            self.report.faults.push(fault);
        }
    }

    /// Removes the files that killed processes left.
    fn sweep(&mut self) {
        if let Ok(new) = self.layout.bucket(Bucket::New) {
            match sweep(new) {
                Ok(removed) => self.report.removed += removed,
                Err(fault) => self.note(fault),
            }
        }
        match self.hub.map_or(Ok(0), HubCache::sweep) {
            Ok(removed) => self.report.removed += removed,
            Err(fault) => self.note(fault),
        }
    }

    fn hub_entries(&mut self) -> Vec<HubEntry> {
        let (entries, faults) = self.hub.map(HubCache::entries).unwrap_or_default();
        faults.into_iter().for_each(|fault| self.note(fault));
        entries
    }

    fn remove_entry(&mut self, entry: &Entry) {
        let entry = match entry {
            Entry::OfSource(file) => return self.remove(Bucket::Entries, file),
            Entry::OfHub(entry) => entry,
        };
        match self.hub.map_or(Ok(HubRemoval::Absent), |hub| hub.remove(entry)) {
            Ok(HubRemoval::Removed) => self.count(entry.bytes),
            Ok(HubRemoval::InUse) => self.keep(entry.bytes),
            Ok(HubRemoval::Absent) => {}
            Err(fault) => self.note(fault),
        }
    }

    fn count(&mut self, bytes: u64) {
        self.report.removed += 1;
        self.report.removed_bytes += bytes;
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
            Ok(true) => self.count(file.bytes),
            Ok(false) => {}
            Err(fault) => self.note(fault),
        }
    }
}

/// Returns whether the name existed.
fn remove(layout: &Layout, bucket: Bucket, name: &str) -> Result<bool, CacheFault> {
    match bucket.is_sharded() {
        true => match layout.shard(bucket, name, Missing::Leave)? {
            Some(shard) => Ok(shard.remove(name)?),
            None => Ok(false),
        },
        false => Ok(layout.bucket(bucket)?.remove(name)?),
    }
}
