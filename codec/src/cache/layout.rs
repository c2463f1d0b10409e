//! The layout of the cache directory.

use super::fault::CacheFault;
use crate::bytes::private_dir::{Directory, Missing};
use std::path::{Path, PathBuf};

/// The version of the layout. Caches of other versions are not touched.
const VERSION: &str = "v1";

const TAG_NAME: &str = "CACHEDIR.TAG";

/// The convention prescribes the first line.
const TAG: &[u8] = b"Signature: 8a477f597d28d172789f06886806bc55\n\
    # This directory holds compiled documents that can be made again from their sources.\n\
    # It can be removed at any time.\n";

coconut_format::named! {
    /// A directory of the cache.
    ///
    /// ```text
    /// v1/
    /// ├── entries/ab/ab12…       Entries      documents, by the digest of their inputs
    /// ├── stamps/cd/cd34…        Stamps       stamps of sources, by the digest of their path
    /// ├── new/812-3-5f0c…        New          files in the making, until they get their names
    /// │   └── ab12…                           locks of entries in the making
    /// └── quarantine/ab12…       Quarantine   bad entries
    /// ```
    ///
    /// The first two are sharded by the first two digits, so that no directory becomes large.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(super) enum Bucket, ALL {
        Entries = "entries";
        Stamps = "stamps";
        New = "new";
        Quarantine = "quarantine";
    }
    fn name;
}

impl Bucket {
    pub(super) fn is_sharded(self) -> bool {
        matches!(self, Bucket::Entries | Bucket::Stamps)
    }

    /// The path of the file `name`, in the cache at `root`.
    pub(super) fn path(self, root: &Path, name: &str) -> PathBuf {
        let mut path = root.join(VERSION).join(self.name());
        if self.is_sharded() {
            path.push(&name[..2]);
        }
        path.push(name);
        path
    }
}

/// The cache directory, opened and checked.
#[derive(Debug)]
pub(super) struct Layout {
    version: Directory,
    buckets: [Option<Directory>; Bucket::ALL.len()],
}

impl Layout {
    /// Opens the directory. `None` if it does not exist and is not to be created.
    pub(super) fn open(path: &Path, missing: Missing) -> Result<Option<Layout>, CacheFault> {
        let Some(root) = Directory::open_root(path, missing)? else { return Ok(None) };
        let Some(version) = root.open(VERSION, missing)? else { return Ok(None) };
        let mut buckets = [const { None }; Bucket::ALL.len()];
        for bucket in Bucket::ALL {
            buckets[bucket as usize] = version.open(bucket.name(), missing)?;
        }
        let layout = Layout { version, buckets };
        if missing == Missing::Create {
            layout.tag()?;
        }
        Ok(Some(layout))
    }

    /// Whether every bucket existed. A caller that needs more opens it again.
    pub(super) fn is_complete(&self) -> bool {
        self.buckets.iter().all(Option::is_some)
    }

    /// Marks the directory as a cache, by renaming like every write. Does not mark its parent,
    /// which may contain other files of the user.
    fn tag(&self) -> Result<(), CacheFault> {
        match self.version.read(TAG_NAME)? {
            Some(_) => Ok(()),
            None => {
                let new = self.bucket(Bucket::New)?;
                super::publish::publish_into(new, &self.version, TAG_NAME, &[TAG])
            }
        }
    }

    /// The directory of a bucket. It exists if the layout was created or was complete.
    pub(super) fn bucket(&self, bucket: Bucket) -> Result<&Directory, CacheFault> {
        self.buckets[bucket as usize].as_ref().ok_or_else(|| {
            let path = self.version.path().join(bucket.name());
            let missing = std::io::Error::from(std::io::ErrorKind::NotFound);
            CacheFault::Io(super::fault::IoFault::new("open", &path, &missing))
        })
    }

    /// The directory of the file `name`: a shard, or the bucket itself.
    pub(super) fn shard(
        &self,
        bucket: Bucket,
        name: &str,
        missing: Missing,
    ) -> Result<Option<Directory>, CacheFault> {
        match (&self.buckets[bucket as usize], missing) {
            (Some(directory), _) => Ok(directory.open(&name[..2], missing)?),
            (None, Missing::Leave) => Ok(None),
            (None, Missing::Create) => self.bucket(bucket).map(|_| None),
        }
    }

    /// Calls `each` with every directory of a bucket that holds files. A refused one does not stop
    /// the others: all faults are returned at the end.
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
            Err(fault) => return vec![fault.into()],
        };
        let shards = names.iter().filter(|name| name.len() == 2);
        let seen = shards.map(|name| match directory.open(name, Missing::Leave)? {
            Some(shard) => each(&shard),
            None => Ok(()),
        });
        seen.filter_map(Result::err).collect()
    }

    /// The directory of the lock file of pruning.
    pub(super) fn lock_directory(&self) -> &Directory {
        &self.version
    }
}
