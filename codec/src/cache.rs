//! The private cache directory: documents that were compiled once, kept where nobody else can write.
//!
//! ```text
//! $XDG_CACHE_HOME/coconut/               0700, ours; no link below it is followed
//! ├── CACHEDIR.TAG                       tells backup programs to leave it out
//! └── v1/                                one per layout: versions of this library that differ do not meet
//!     ├── lock                           held by prune and clean, and by nobody else
//!     ├── entries/ab/ab12… (64 digits)   0400: a document and its seal, under its key
//!     ├── stamps/cd/cd34…             0400: a source as it was last digested, under its path
//!     ├── new/812-3-5f0c…                0400: being written by the process that holds its lock
//!     └── quarantine/ab12…               what was proven bad, the last 16
//! ```
//!
//! Everything in it can be made again, so nothing is ever synchronised with the disk; what must survive a power
//! failure is a [snapshot](crate::durable). A file is complete when it gets its name, by renaming, and is never
//! written again: readers need no lock, and a map of an entry stays what it is when the entry is replaced or
//! removed. File names are digests, so no name of a package can lead anywhere.
//!
//! Owner, mode and kind of every directory and file are compared before a byte of it is used. Nothing here is
//! ever an error of the program that wanted a document: a [`CacheFault`] is a reason to use the source.

mod bytes;
mod fault;
mod key;
mod layout;
mod listing;
mod location;
mod prune;
mod publish;
mod seal;
mod source_stamp;

pub use bytes::DocumentBytes;
pub use fault::{CacheFault, IoFault};
pub use key::{EntryInputs, EntryKey, Identity, InputKind, options_digest};
pub use listing::{EntryFault, EntryReport, EntryResult, VerifyReport};
pub use location::LOCATION_VARIABLE;
pub use prune::{PruneLimits, PruneReport};
pub use source_stamp::{FileFacts, RACY_WINDOW, SourceStamp};

pub(crate) use fault::shown;
pub(crate) use source_stamp::now;

use crate::bytes::private_dir::{Missing, PrivateFile};
use layout::{Bucket, Layout};
use seal::Seal;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

/// A cache directory. Opened when first used, made when first written to.
#[derive(Debug)]
pub struct Cache {
    location: Result<PathBuf, CacheFault>,
    layout: Mutex<Option<Arc<Layout>>>,
}

/// How long an entry is used before its time of use is written down again.
const USE_GRANULARITY: Duration = Duration::from_secs(24 * 60 * 60);

impl Cache {
    /// The cache in this directory, which must be absolute.
    pub fn new(path: impl Into<PathBuf>) -> Cache {
        let path = path.into();
        let location = match path.is_absolute() {
            true => Ok(path),
            false => Err(CacheFault::NoLocation),
        };
        Cache { location, layout: Mutex::new(None) }
    }

    /// The user's cache: what [`LOCATION_VARIABLE`] names, or else `coconut` in `$XDG_CACHE_HOME`, or else
    /// `.cache/coconut` in the home directory. Paths that are not absolute are passed over, as XDG wants it.
    pub fn for_user() -> Cache {
        let location = location::for_user(|name| std::env::var_os(name)).ok_or(CacheFault::NoLocation);
        Cache { location, layout: Mutex::new(None) }
    }

    /// A cache of its own for a workspace.
    pub fn for_workspace(workspace: &Path) -> Cache {
        Cache::new(workspace.join(".coconut").join("cache"))
    }

    /// Where it is, whether or not it exists.
    pub fn path(&self) -> Option<&Path> {
        self.location.as_deref().ok()
    }

    /// The file that an entry has or would have.
    pub fn entry_path(&self, key: &EntryKey) -> Option<PathBuf> {
        Some(Bucket::Entries.path(self.path()?, &key.to_string()))
    }

    /// Whether the cache could be used: `Ok` also when it does not exist yet.
    pub fn check(&self) -> Result<(), CacheFault> {
        self.layout(Missing::Leave).map(drop)
    }

    /// The document under this key, if it is there and sealed for these inputs.
    ///
    /// Costs a few system calls; nothing of the document is read. Locks nothing.
    pub fn get(&self, inputs: &EntryInputs<'_>) -> Result<Option<DocumentBytes>, CacheFault> {
        let Some(layout) = self.layout(Missing::Leave)? else { return Ok(None) };
        let key = inputs.key();
        let name = key.to_string();
        let Some(shard) = layout.shard(Bucket::Entries, &name, Missing::Leave)? else { return Ok(None) };
        let Some(file) = shard.read(&name)? else { return Ok(None) };
        let seal = Seal::read(&file)?;
        seal.compare(&Seal::new(inputs, seal.length), file.path())?;
        note_use(&file);
        DocumentBytes::from_entry(file, seal.length).map(Some)
    }

    /// Keeps a document under its key, in place of what may be there.
    ///
    /// Other processes see the old entry or the new one, and nothing between, even when this one is killed.
    pub fn put(&self, inputs: &EntryInputs<'_>, document: &[u8]) -> Result<(), CacheFault> {
        let seal = Seal::new(inputs, document.len() as u64).to_bytes();
        self.publish(Bucket::Entries, &inputs.key().to_string(), &[document, &seal])
    }

    /// Takes an entry that was proven bad out of use. Keeps it for whoever wants to know what happened, with the
    /// fifteen before it. Says nothing when that fails: the entry is replaced by the next put anyway.
    pub fn quarantine(&self, key: &EntryKey) {
        if let Ok(Some(layout)) = self.layout(Missing::Leave) {
            // There is no one to tell, and no harm: see above.
            let _ = prune::quarantine(&layout, &key.to_string());
        }
    }

    /// The source at `path` as it was last digested on behalf of `identity`.
    pub fn source_stamp(&self, path: &Path, identity: &Identity) -> Result<Option<SourceStamp>, CacheFault> {
        let Some(layout) = self.layout(Missing::Leave)? else { return Ok(None) };
        let name = key::stamp_name(path, identity);
        let Some(shard) = layout.shard(Bucket::Stamps, &name, Missing::Leave)? else { return Ok(None) };
        let Some(file) = shard.read(&name)? else { return Ok(None) };
        SourceStamp::read(&file).map(Some)
    }

    /// Writes down what a source was when it was digested.
    pub fn record(&self, path: &Path, identity: &Identity, stamp: &SourceStamp) -> Result<(), CacheFault> {
        self.publish(Bucket::Stamps, &key::stamp_name(path, identity), &[&stamp.to_bytes()])
    }

    fn publish(&self, bucket: Bucket, name: &str, pieces: &[&[u8]]) -> Result<(), CacheFault> {
        let publish = |layout: &Layout| publish::publish(layout, bucket, name, pieces);
        let layout = self.layout(Missing::Create)?.expect("it was made if it was missing");
        match publish(&layout) {
            // Somebody removed the directory that we hold open. A new one is as good.
            Err(CacheFault::Io(fault)) if fault.is_not_found() => {
                *self.lock_layout() = None;
                publish(&self.layout(Missing::Create)?.expect("it was made if it was missing"))
            }
            result => result,
        }
    }

    fn layout(&self, missing: Missing) -> Result<Option<Arc<Layout>>, CacheFault> {
        let path = self.location.as_ref().map_err(CacheFault::clone)?;
        let mut layout = self.lock_layout();
        if layout.is_none() {
            *layout = Layout::open(path, missing)?.map(Arc::new);
        }
        Ok(layout.clone())
    }

    fn lock_layout(&self) -> std::sync::MutexGuard<'_, Option<Arc<Layout>>> {
        // What it holds is replaced as a whole, so a panic elsewhere leaves nothing half done.
        self.layout.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The bytes of an entry as it lies in a cache: a document and its seal.
pub(crate) fn seal(inputs: &EntryInputs<'_>, document: &[u8]) -> Vec<u8> {
    [document, &Seal::new(inputs, document.len() as u64).to_bytes()].concat()
}

/// The document in the bytes of an entry, if it is sealed for these inputs. `path` is what the entry is called in
/// a fault. As with [`Cache::get`], nothing of the document is looked at.
pub(crate) fn unseal<'e>(
    inputs: &EntryInputs<'_>,
    entry: &'e [u8],
    path: &Path,
) -> Result<&'e [u8], CacheFault> {
    let (document, seal) = Seal::split(entry, path)?;
    seal.compare(&Seal::new(inputs, seal.length), path)?;
    Ok(document)
}

/// Sets the time of an entry, by which [`Cache::prune`] knows what is in use; at most once a day, and only if the
/// file system lets us.
fn note_use(file: &PrivateFile) {
    let now = SystemTime::now();
    let last = file.metadata().modified();
    if last.is_ok_and(|last| now.duration_since(last).is_ok_and(|age| age > USE_GRANULARITY)) {
        // Without it the entry is pruned earlier, which is all.
        let _ = file.file().set_modified(now);
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
