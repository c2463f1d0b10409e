//! The private cache directory: compiled documents, kept where only this user can write.
//!
//! ```text
//! $XDG_CACHE_HOME/coconut/               0700; no link below it is followed
//! ├── hub-v1/                            documents of registries, by their digests
//! └── v1/                                one per version of the layout
//!     ├── CACHEDIR.TAG                   makes backup programs skip it
//!     ├── lock                           held only by prune and clean
//!     ├── entries/ab/ab12… (64 digits)   0400: a document and its seal, under its key
//!     ├── stamps/cd/cd34…                0400: the stamp of a source, under its path
//!     ├── new/812-3-5f0c…                0400: written by the process that holds its lock
//!     ├── new/ab12… (64 digits)          0600: locked by the process that makes this entry
//!     └── quarantine/ab12…               the last 16 bad entries
//! ```
//!
//! Everything in it can be rebuilt, so nothing is ever synchronised with the disk. A document that
//! must survive a power failure is written by [`durable`](crate::durable).
//!
//! A file gets its name by renaming when it is complete, and is never written again. So readers
//! need no lock, and the map of an entry does not change when the entry is replaced or removed.
//! File names are digests, so a package name cannot lead out of the cache.
//!
//! Owner, mode and kind of every directory and file are checked before any byte of it is used. A
//! [`CacheFault`] is never an error of the program that loads a document: it is a reason to use the
//! source.

mod bytes;
mod fault;
mod hub;
mod key;
mod layout;
mod listing;
mod location;
mod maker;
mod prune;
mod publish;
mod seal;
mod source_stamp;

pub use bytes::DocumentBytes;
pub use fault::{CacheFault, IoFault};
#[doc(hidden)]
pub use hub::{HubEntry, HubEntryKind, hub_cache, hub_layer, hub_lock, note_hub_use};
pub use key::EntryKey;
#[cfg(feature = "tooling")]
#[doc(hidden)]
pub use key::{EntryInputs, Identity, options_digest};
#[cfg(not(feature = "tooling"))]
pub(crate) use key::{EntryInputs, Identity, options_digest};
#[cfg(feature = "tooling")]
#[doc(hidden)]
pub use listing::{CachedSource, EntryFault, EntryReport, EntryResult, VerifyReport};
pub use location::LOCATION_VARIABLE;
pub use prune::{PruneLimits, PruneReport};
#[cfg(feature = "tooling")]
#[doc(hidden)]
pub use source_stamp::{FileFacts, RACY_WINDOW, SourceStamp};
#[cfg(not(feature = "tooling"))]
pub(crate) use source_stamp::{FileFacts, SourceStamp};

pub(crate) use fault::shown;
pub(crate) use maker::Maker;
pub(crate) use source_stamp::now;

use crate::bytes::private_dir::Missing;
use layout::{Bucket, Layout};
use seal::Seal;
use std::fs::{File, Metadata};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

/// A cache directory. It is opened at its first use, and created at its first write.
#[derive(Debug)]
pub struct Cache {
    location: Result<PathBuf, CacheFault>,
    layout: Mutex<Option<Arc<Layout>>>,
}

/// Maximum age of the recorded time of use before it is updated.
const USE_GRANULARITY: Duration = Duration::from_secs(24 * 60 * 60);

impl Cache {
    /// The cache in this directory, whose path must be absolute. Opens nothing yet.
    ///
    /// With a relative path, each use reports [`CacheFault::Relative`].
    pub fn new(path: impl Into<PathBuf>) -> Cache {
        let path = path.into();
        let location = match path.is_absolute() {
            true => Ok(path),
            false => Err(CacheFault::Relative { path }),
        };
        Cache { location, layout: Mutex::new(None) }
    }

    /// The user's cache: the first of the directory in [`LOCATION_VARIABLE`], `coconut` in
    /// `$XDG_CACHE_HOME`, and `.cache/coconut` in the home directory. Ignores relative paths, as
    /// XDG requires.
    pub fn for_user() -> Cache {
        let location = location::for_user(|name| std::env::var_os(name)).ok_or(CacheFault::NoLocation);
        Cache { location, layout: Mutex::new(None) }
    }

    /// The cache of a workspace.
    pub fn for_workspace(workspace: &Path) -> Cache {
        Cache::new(workspace.join(".coconut").join("cache"))
    }

    /// Its directory, which may not exist yet.
    pub fn path(&self) -> Option<&Path> {
        self.location.as_deref().ok()
    }

    /// The path of an entry, which may not exist.
    pub fn entry_path(&self, key: &EntryKey) -> Option<PathBuf> {
        Some(Bucket::Entries.path(self.path()?, &key.to_string()))
    }

    /// Checks whether the cache can be used. `Ok` if it does not exist yet.
    pub fn check(&self) -> Result<(), CacheFault> {
        self.layout(Missing::Leave).map(drop)
    }

    /// Creates the cache if it is missing, and checks whether it can be used.
    pub fn make(&self) -> Result<(), CacheFault> {
        self.layout(Missing::Create).map(drop)
    }

    /// The document under this key, if it exists and is sealed for these inputs.
    ///
    /// Costs a few system calls. Reads nothing of the document, and locks nothing.
    #[doc(hidden)]
    pub fn get(&self, inputs: &EntryInputs<'_>) -> Result<Option<DocumentBytes>, CacheFault> {
        let Some(layout) = self.layout(Missing::Leave)? else { return Ok(None) };
        let key = inputs.key();
        let name = key.to_string();
        let Some(shard) = layout.shard(Bucket::Entries, &name, Missing::Leave)? else { return Ok(None) };
        let Some(file) = shard.read(&name)? else { return Ok(None) };
        let seal = Seal::read(&file)?;
        seal.compare(&Seal::new(inputs, seal.length), file.path())?;
        note_use(file.file(), file.metadata());
        DocumentBytes::from_entry(file, seal.length).map(Some)
    }

    /// Stores a document under its key, and replaces the entry that is there.
    ///
    /// Other processes see either the old entry or the new one, even if this process is killed.
    #[doc(hidden)]
    pub fn put(&self, inputs: &EntryInputs<'_>, document: &[u8]) -> Result<(), CacheFault> {
        let seal = Seal::new(inputs, document.len() as u64).to_bytes();
        self.publish(Bucket::Entries, &inputs.key().to_string(), &[document, &seal])
    }

    /// Moves an entry that is proven bad to quarantine, where the last 16 are kept for diagnosis.
    /// Reports no failure: the next put replaces the entry anyway.
    pub fn quarantine(&self, key: &EntryKey) {
        if let Ok(Some(layout)) = self.layout(Missing::Leave) {
            // A failure does no harm: see above.
            let _ = prune::quarantine(&layout, &key.to_string());
        }
    }

    /// The stamp of the source at `path`, made when it was last hashed for `identity`.
    #[doc(hidden)]
    pub fn source_stamp(&self, path: &Path, identity: &Identity) -> Result<Option<SourceStamp>, CacheFault> {
        let Some(layout) = self.layout(Missing::Leave)? else { return Ok(None) };
        let name = key::stamp_name(path, identity);
        let Some(shard) = layout.shard(Bucket::Stamps, &name, Missing::Leave)? else { return Ok(None) };
        let Some(file) = shard.read(&name)? else { return Ok(None) };
        SourceStamp::read(&file).map(Some)
    }

    /// Records the stamp of a source, made when it was hashed.
    #[doc(hidden)]
    pub fn record(&self, path: &Path, identity: &Identity, stamp: &SourceStamp) -> Result<(), CacheFault> {
        let bytes = stamp.to_bytes_for(path, identity.text());
        self.publish(Bucket::Stamps, &key::stamp_name(path, identity), &[&bytes])
    }

    fn publish(&self, bucket: Bucket, name: &str, pieces: &[&[u8]]) -> Result<(), CacheFault> {
        let publish = |layout: &Layout| publish::publish(layout, bucket, name, pieces);
        let layout = self.layout(Missing::Create)?.expect("it was made if it was missing");
        match publish(&layout) {
            // Another program removed the open directory. A new one is as good.
            Err(CacheFault::Io(fault)) if fault.is_not_found() => {
                *self.lock_layout() = None;
                publish(&self.layout(Missing::Create)?.expect("it was made if it was missing"))
            }
            result => result,
        }
    }

    fn layout(&self, missing: Missing) -> Result<Option<Arc<Layout>>, CacheFault> {
        let path = self.location.as_ref().map_err(CacheFault::clone)?;
        let mut kept = self.lock_layout();
        if kept.is_some() {
            return Ok(kept.clone());
        }
        let layout = Layout::open(path, missing)?.map(Arc::new);
        // Another process may be about to create the rest, and this one would never see it.
        *kept = layout.clone().filter(|layout| layout.is_complete());
        Ok(layout)
    }

    fn lock_layout(&self) -> std::sync::MutexGuard<'_, Option<Arc<Layout>>> {
        // The content is replaced as a whole, so a panic elsewhere leaves nothing half done.
        self.layout.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The bytes of an entry: a document and its seal.
pub(crate) fn seal(inputs: &EntryInputs<'_>, document: &[u8]) -> Vec<u8> {
    [document, &Seal::new(inputs, document.len() as u64).to_bytes()].concat()
}

/// The document in the bytes of an entry, if it is sealed for these inputs. A fault names the entry
/// `path`. As with [`Cache::get`], nothing of the document is read.
pub(crate) fn unseal<'e>(
    inputs: &EntryInputs<'_>,
    entry: &'e [u8],
    path: &Path,
) -> Result<&'e [u8], CacheFault> {
    let (document, seal) = Seal::split(entry, path)?;
    seal.compare(&Seal::new(inputs, seal.length), path)?;
    Ok(document)
}

/// Sets the time of use of a file, for [`Cache::prune`]: at most once a day, and only if the file
/// system permits.
fn note_use(file: &File, metadata: &Metadata) {
    let now = SystemTime::now();
    let last = metadata.modified();
    if last.is_ok_and(|last| now.duration_since(last).is_ok_and(|age| age > USE_GRANULARITY)) {
        // If this fails, the file is merely removed earlier.
        let _ = file.set_modified(now);
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
