//! What lies where in the cache directory.

use super::fault::CacheFault;
use crate::bytes::private_dir::{Directory, Missing};
use std::path::{Path, PathBuf};

/// The layout's version. A cache of another one is left alone.
const VERSION: &str = "v1";

const TAG_NAME: &str = "CACHEDIR.TAG";

/// The first line is prescribed by the convention.
const TAG: &[u8] = b"Signature: 8a477f597d28d172789f06886806bc55\n\
    # This directory holds compiled documents that can be made again from their sources.\n\
    # It can be removed at any time.\n";

/// A directory of the cache.
///
/// ```text
/// v1/
/// ├── entries/ab/ab12…       Entries      documents, by what they were made from
/// ├── stamps/cd/cd34…     Stamps    sources as they were last digested, by their path
/// ├── new/812-3-5f0c…        New          what is being written, until it gets its name
/// └── quarantine/ab12…       Quarantine   entries that were proven bad
/// ```
///
/// The first two are sharded by the first two digits, so that no directory becomes long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bucket {
    Entries,
    Stamps,
    New,
    Quarantine,
}

impl Bucket {
    pub(super) const ALL: [Bucket; 4] = [Bucket::Entries, Bucket::Stamps, Bucket::New, Bucket::Quarantine];

    fn name(self) -> &'static str {
        match self {
            Bucket::Entries => "entries",
            Bucket::Stamps => "stamps",
            Bucket::New => "new",
            Bucket::Quarantine => "quarantine",
        }
    }

    pub(super) fn is_sharded(self) -> bool {
        matches!(self, Bucket::Entries | Bucket::Stamps)
    }

    /// The file called `name`, in the cache at `root`.
    pub(super) fn path(self, root: &Path, name: &str) -> PathBuf {
        let mut path = root.join(VERSION).join(self.name());
        if self.is_sharded() {
            path.push(&name[..2]);
        }
        path.push(name);
        path
    }
}

/// The cache directory, open and checked.
#[derive(Debug)]
pub(super) struct Layout {
    version: Directory,
    buckets: [Option<Directory>; Bucket::ALL.len()],
}

impl Layout {
    /// Opens the directory. `None` if it is not there and is not to be made.
    pub(super) fn open(path: &Path, missing: Missing) -> Result<Option<Layout>, CacheFault> {
        let Some(root) = Directory::open_root(path, missing)? else { return Ok(None) };
        let Some(version) = root.open(VERSION, missing)? else { return Ok(None) };
        let mut buckets = [const { None }; Bucket::ALL.len()];
        for bucket in Bucket::ALL {
            buckets[bucket as usize] = version.open(bucket.name(), missing)?;
        }
        let layout = Layout { version, buckets };
        if missing == Missing::Create {
            layout.tag(&root)?;
        }
        // One that is not complete is opened again by whoever needs more of it.
        Ok(Some(layout))
    }

    /// Marks the directory as a cache, by renaming like everything else.
    fn tag(&self, root: &Directory) -> Result<(), CacheFault> {
        match root.read(TAG_NAME)? {
            Some(_) => Ok(()),
            None => {
                let new = self.bucket(Bucket::New)?;
                super::publish::publish_into(new, root, TAG_NAME, &[TAG])
            }
        }
    }

    /// The directory of a bucket, which is there if the layout was made or was complete.
    pub(super) fn bucket(&self, bucket: Bucket) -> Result<&Directory, CacheFault> {
        self.buckets[bucket as usize].as_ref().ok_or_else(|| {
            let path = self.version.path().join(bucket.name());
            let missing = std::io::Error::from(std::io::ErrorKind::NotFound);
            CacheFault::Io(super::fault::IoFault::new("open", &path, &missing))
        })
    }

    /// The directory in which a file called `name` lies: a shard, or the bucket itself.
    pub(super) fn shard(
        &self,
        bucket: Bucket,
        name: &str,
        missing: Missing,
    ) -> Result<Option<Directory>, CacheFault> {
        match (&self.buckets[bucket as usize], missing) {
            (Some(directory), _) => directory.open(&name[..2], missing),
            (None, Missing::Leave) => Ok(None),
            (None, Missing::Create) => self.bucket(bucket).map(|_| None),
        }
    }

    /// Calls `each` with every directory of a bucket in which files lie. One that is refused does not keep the others:
    /// all faults come back at the end.
    pub(super) fn for_each_shard(
        &self,
        bucket: Bucket,
        mut each: impl FnMut(&Directory) -> Result<(), CacheFault>,
    ) -> Vec<CacheFault> {
        let Some(directory) = &self.buckets[bucket as usize] else { return Vec::new() };
        if !bucket.is_sharded() {
            return each(directory).err().into_iter().collect();
        }
        let names = match directory.names() {
            Ok(names) => names,
            Err(fault) => return vec![fault],
        };
        let shards = names.iter().filter(|name| name.len() == 2);
        let seen = shards.map(|name| match directory.open(name, Missing::Leave)? {
            Some(shard) => each(&shard),
            None => Ok(()),
        });
        seen.filter_map(Result::err).collect()
    }

    /// The directory of the file that is locked while the cache is pruned.
    pub(super) fn lock_directory(&self) -> &Directory {
        &self.version
    }
}
