//! Documents of registries in the cache: their places, their sizes, and their removal. The client
//! of registries writes them.
//!
//! ```text
//! hub-v1/
//! ├── layers/ab/ab12….coco    documents, verified, by their SHA-256
//! ├── manifests/ab/ab12…      manifests
//! ├── parts/ab12…/0000002c    pieces of documents that are read in place
//! └── locks/ab12…             locked while the document is fetched
//!     └── ab12…-parts         locked while the document is read in place
//! ```

use super::fault::CacheFault;
use super::publish::is_old;
use crate::bytes::private_dir::{Directory, Missing};
use std::fs::{self, File, Metadata, TryLockError};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The name of the directory. A change of its layout is a new version in it.
const HUB: &str = "hub-v1";

const LAYERS: &str = "layers";
const MANIFESTS: &str = "manifests";
const PARTS: &str = "parts";
const LOCKS: &str = "locks";

/// The ending of a document.
const ENDING: &str = ".coco";

/// Files in the making begin with this, where a file cannot be made without a name.
const DRAFT: &str = ".coco-";

/// The number of digits of a SHA-256.
const DIGITS: usize = 64;

/// The directory of documents from registries, in the directory of the cache.
pub fn hub_cache(cache: &Path) -> PathBuf {
    cache.join(HUB)
}

/// The place of a document in that directory, by the 64 digits of its SHA-256.
pub fn hub_layer(hub: &Path, digits: &str) -> PathBuf {
    hub.join(LAYERS).join(digits.get(..2).unwrap_or_default()).join(format!("{digits}{ENDING}"))
}

/// The lock of a document that is fetched or, with `is_in_place`, read in place. A file that is
/// locked keeps [`Cache::prune`](super::Cache::prune) from removing what it is about.
pub fn hub_lock(hub: &Path, digits: &str, is_in_place: bool) -> PathBuf {
    hub.join(LOCKS).join(lock_name(digits, is_in_place))
}

/// Notes that a file in the directory was used, for [`Cache::prune`](super::Cache::prune).
pub fn note_hub_use(path: &Path) {
    // Without the note, it is merely removed earlier.
    if let Ok(file) = File::open(path)
        && let Ok(metadata) = file.metadata()
    {
        super::note_use(&file, &metadata);
    }
}

fn lock_name(digits: &str, is_in_place: bool) -> String {
    format!("{digits}{}", if is_in_place { "-parts" } else { "" })
}

/// The kind of something that came from a registry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum HubEntryKind {
    /// A whole document.
    Document,
    /// Pieces of a document.
    Parts,
    /// A manifest.
    Manifest,
}

/// Something that came from a registry.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct HubEntry {
    /// The 64 digits of the SHA-256 of the whole document, or of the manifest.
    pub digits: String,
    /// Its kind.
    pub kind: HubEntryKind,
    /// The path of its file, or of the directory with the pieces.
    pub path: PathBuf,
    /// Its bytes.
    pub bytes: u64,
    /// The day of its last use.
    pub used: Option<SystemTime>,
}

impl HubEntry {
    /// The time by which it is removed: one without a time is removed first.
    pub(super) fn time(&self) -> SystemTime {
        self.used.unwrap_or(SystemTime::UNIX_EPOCH)
    }
}

/// The result of removing an entry.
pub(super) enum HubRemoval {
    Removed,
    /// A process fetches the document, or reads it in place.
    InUse,
    /// It was gone.
    Absent,
}

/// The directory, opened and checked.
pub(super) struct HubCache {
    root: Directory,
}

impl HubCache {
    /// Opens it in the directory of the cache. `None` if there is none.
    pub(super) fn open(cache: &Path) -> Result<Option<HubCache>, CacheFault> {
        let Some(cache) = Directory::open_root(cache, Missing::Leave)? else { return Ok(None) };
        Ok(cache.open(HUB, Missing::Leave)?.map(|root| HubCache { root }))
    }

    /// All entries, sorted by path, and the faults of directories that cannot be read.
    pub(super) fn entries(&self) -> (Vec<HubEntry>, Vec<CacheFault>) {
        let (mut entries, mut faults) = (Vec::new(), Vec::new());
        for (name, kind) in [
            (LAYERS, HubEntryKind::Document),
            (MANIFESTS, HubEntryKind::Manifest),
            (PARTS, HubEntryKind::Parts),
        ] {
            let found = self.root.open(name, Missing::Leave).map_err(CacheFault::from);
            match found.and_then(|directory| directory.map(|directory| list(&directory, kind)).transpose()) {
                Ok(found) => entries.extend(found.unwrap_or_default()),
                Err(fault) => faults.push(fault),
            }
        }
        entries.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        (entries, faults)
    }

    /// Removes an entry, unless it is in use.
    pub(super) fn remove(&self, entry: &HubEntry) -> Result<HubRemoval, CacheFault> {
        let lock = lock_name(&entry.digits, entry.kind == HubEntryKind::Parts);
        let held = match entry.kind {
            HubEntryKind::Manifest => None,
            HubEntryKind::Document | HubEntryKind::Parts => match self.hold(&lock)? {
                Hold::InUse => return Ok(HubRemoval::InUse),
                Hold::Held(file) => file,
            },
        };
        let removed = match entry.kind {
            HubEntryKind::Parts => self.remove_in(&[PARTS], &entry.digits)?,
            HubEntryKind::Manifest => self.remove_in(&[MANIFESTS, &entry.digits[..2]], &entry.digits)?,
            HubEntryKind::Document => {
                self.remove_in(&[LAYERS, &entry.digits[..2]], &format!("{}{ENDING}", entry.digits))?
            }
        };
        if held.is_some() {
            self.remove_in(&[LOCKS], &lock)?;
        }
        Ok(if removed { HubRemoval::Removed } else { HubRemoval::Absent })
    }

    fn remove_in(&self, way: &[&str], name: &str) -> Result<bool, CacheFault> {
        let mut directory = None;
        for step in way {
            let next = directory.as_ref().unwrap_or(&self.root).open(step, Missing::Leave)?;
            let Some(next) = next else { return Ok(false) };
            directory = Some(next);
        }
        Ok(directory.as_ref().unwrap_or(&self.root).remove(name)?)
    }

    /// Holds a lock, so that no process begins to use what is removed meanwhile.
    fn hold(&self, name: &str) -> Result<Hold, CacheFault> {
        let Some(locks) = self.root.open(LOCKS, Missing::Create)? else { return Ok(Hold::Held(None)) };
        let file = locks.open_lock(name)?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => Ok(Hold::InUse),
            // On a file system without locks, no document counts as in use.
            Ok(()) | Err(TryLockError::Error(_)) => Ok(Hold::Held(Some(file))),
        }
    }

    /// Removes the locks that no process holds, and the files that killed processes left. Returns
    /// the number of these files.
    pub(super) fn sweep(&self) -> Result<u64, CacheFault> {
        if let Some(locks) = self.root.open(LOCKS, Missing::Leave)? {
            for name in locks.names()? {
                // A process that has opened it but not locked it yet only fetches once more.
                if let Hold::Held(Some(_held)) = self.hold(&name)? {
                    let _ = locks.remove(&name);
                }
            }
        }
        let mut removed = 0;
        for bucket in [LAYERS, MANIFESTS] {
            let Some(directory) = self.root.open(bucket, Missing::Leave)? else { continue };
            for shard in directory.names()?.iter().filter(|name| name.len() == 2) {
                let Some(shard) = directory.open(shard, Missing::Leave)? else { continue };
                for name in shard.names()?.iter().filter(|name| name.starts_with(DRAFT)) {
                    let is_left = metadata(&shard, name).is_some_and(|metadata| is_old(&metadata));
                    if is_left && shard.remove(name).unwrap_or(false) {
                        removed += 1;
                    }
                }
            }
        }
        Ok(removed)
    }
}

enum Hold {
    Held(Option<File>),
    InUse,
}

/// The entries of one kind.
fn list(directory: &Directory, kind: HubEntryKind) -> Result<Vec<HubEntry>, CacheFault> {
    let mut entries = Vec::new();
    for name in directory.names()? {
        match kind {
            HubEntryKind::Parts if is_digest(&name) => {
                let Some(parts) = directory.open(&name, Missing::Leave)? else { continue };
                let pieces = parts.names()?;
                let found: Vec<Metadata> =
                    pieces.iter().filter_map(|piece| metadata(&parts, piece)).collect();
                let used = found.iter().filter_map(|piece| piece.modified().ok()).max();
                let bytes = found.iter().map(Metadata::len).sum();
                entries.push(HubEntry { digits: name, kind, path: parts.path().to_owned(), bytes, used });
            }
            HubEntryKind::Document | HubEntryKind::Manifest if name.len() == 2 => {
                let Some(shard) = directory.open(&name, Missing::Leave)? else { continue };
                for file in shard.names()? {
                    let digits = match kind {
                        HubEntryKind::Document => file.strip_suffix(ENDING).unwrap_or_default(),
                        _ => &file,
                    };
                    // It may have been removed since.
                    let Some(metadata) = metadata(&shard, &file).filter(|_| is_digest(digits)) else {
                        continue;
                    };
                    let (digits, path) = (digits.to_owned(), shard.path().join(&file));
                    let (bytes, used) = (metadata.len(), metadata.modified().ok());
                    entries.push(HubEntry { digits, kind, path, bytes, used });
                }
            }
            _ => {}
        }
    }
    Ok(entries)
}

/// Facts of a file. Nothing of its content is read, so its mode does not matter.
fn metadata(directory: &Directory, name: &str) -> Option<Metadata> {
    fs::symlink_metadata(directory.path().join(name)).ok()
}

fn is_digest(name: &str) -> bool {
    name.len() == DIGITS && name.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}
