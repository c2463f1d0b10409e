//! Documents and manifests of registries, kept by their digests.
//!
//! ```text
//! CACHE/hub-v1/layers/ab/ab12….coco    documents, verified
//! CACHE/hub-v1/manifests/ab/ab12…      manifests
//! CACHE/hub-v1/parts/ab12…/0000002c    pieces of documents that are not here as a whole
//! CACHE/hub-v1/locks/ab12…             locks of documents that are being fetched
//! CACHE/hub-v1/locks/ab12…-parts       locks of documents that are being read in place
//! ```
//!
//! Only this user may write to it. A document enters it after all its checks, and only under its
//! digest: it never becomes the compiled form of a source.

use crate::digest::Digest;
use crate::error::HubError;
use crate::manifest::Descriptor;
use coconut_codec::bytes::replace::replace;
use coconut_codec::cache::{Cache, hub_cache, hub_layer, hub_lock, note_hub_use};
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// The cache of documents by digest.
#[derive(Clone, Debug)]
pub struct LayerCache {
    root: PathBuf,
}

/// A lock. It is free again when this is dropped, and when the process ends.
#[derive(Debug)]
pub(crate) struct Held(#[expect(dead_code, reason = "the open file is the lock")] File);

impl LayerCache {
    /// The user's cache. `None` without a home directory.
    pub fn for_user() -> Option<LayerCache> {
        Some(LayerCache { root: hub_cache(Cache::for_user().path()?) })
    }

    /// The cache in this directory.
    pub fn new(directory: &Path) -> LayerCache {
        LayerCache { root: hub_cache(directory) }
    }

    /// The path of a document, which may not exist.
    pub fn layer_path(&self, digest: Digest) -> PathBuf {
        hub_layer(&self.root, &digest.digits())
    }

    fn manifest_path(&self, digest: Digest) -> PathBuf {
        let digits = digest.digits();
        self.root.join("manifests").join(&digits[..2]).join(digits)
    }

    /// A document, if it is there and has its digest. A damaged one is removed.
    pub fn layer(&self, digest: Digest) -> Result<Option<Vec<u8>>, HubError> {
        read_checked(&self.layer_path(digest), digest)
    }

    /// A manifest, if it is there and has its digest.
    pub fn manifest(&self, digest: Digest) -> Result<Option<Vec<u8>>, HubError> {
        read_checked(&self.manifest_path(digest), digest)
    }

    pub(crate) fn put_layer(&self, digest: Digest, bytes: &[u8]) -> Result<(), HubError> {
        write(&self.layer_path(digest), bytes)
    }

    pub(crate) fn put_manifest(&self, digest: Digest, bytes: &[u8]) -> Result<(), HubError> {
        let path = self.manifest_path(digest);
        if path.exists() { Ok(()) } else { write(&path, bytes) }
    }

    fn parts(&self, digest: Digest) -> PathBuf {
        self.root.join("parts").join(digest.digits())
    }

    /// A piece of a layer, if it is here and complete. Nothing proves its content.
    pub(crate) fn part(&self, layer: &Descriptor, at: usize, length: usize) -> Option<Vec<u8>> {
        let path = self.parts(layer.digest).join(format!("{at:08x}"));
        let bytes = fs::read(&path).ok()?;
        note_hub_use(&path);
        let begin = (at as u64).checked_mul(length as u64)?;
        let expected = layer.size.checked_sub(begin)?.min(length as u64);
        (bytes.len() as u64 == expected).then_some(bytes)
    }

    pub(crate) fn put_part(&self, layer: &Descriptor, at: usize, piece: &[u8]) -> Result<(), HubError> {
        write(&self.parts(layer.digest).join(format!("{at:08x}")), piece)
    }

    /// Removes all pieces of a layer.
    pub(crate) fn remove_parts(&self, digest: Digest) {
        // They are used only if they have the right checksums.
        let _ = fs::remove_dir_all(self.parts(digest));
    }

    /// Waits until no other process fetches this document.
    pub(crate) fn lock(&self, digest: Digest) -> Result<Held, HubError> {
        self.held(digest, false, File::lock)
    }

    /// Keeps others from removing the pieces of a layer, for as long as they are in use.
    pub(crate) fn use_parts(&self, digest: Digest) -> Result<Held, HubError> {
        self.held(digest, true, File::lock_shared)
    }

    fn held(
        &self,
        digest: Digest,
        is_in_place: bool,
        lock: impl FnOnce(&File) -> io::Result<()>,
    ) -> Result<Held, HubError> {
        let path = hub_lock(&self.root, &digest.digits(), is_in_place);
        make(path.parent().unwrap_or(&self.root))?;
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(&path);
        let locked = file.and_then(|file| lock(&file).map(|()| file));
        locked.map(Held).map_err(|error| HubError::io("lock", &path, error))
    }
}

fn read_checked(path: &Path, digest: Digest) -> Result<Option<Vec<u8>>, HubError> {
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(HubError::io("read", path, error)),
    };
    if Digest::of(&bytes) == digest {
        note_hub_use(path);
        return Ok(Some(bytes));
    }
    fs::remove_file(path).map_err(|error| HubError::io("remove", path, error))?;
    Ok(None)
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), HubError> {
    if let Some(folder) = path.parent() {
        make(folder)?;
    }
    replace(path, bytes).map_err(|error| HubError::io("write", path, error))
}

/// Makes a directory for this user alone.
fn make(folder: &Path) -> Result<(), HubError> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(|error| HubError::io("create", folder, error))
}
