//! Image layouts: directories with manifests and blobs, for copies without a network.
//!
//! ```text
//! DIRECTORY/oci-layout              the version of the layout
//! DIRECTORY/index.json              the tags, as annotations of manifests
//! DIRECTORY/blobs/sha256/0123…      manifests and blobs, by their digests
//! ```
//!
//! A file is written beside its place and renamed, the index after what it leads to, and the
//! version last. So a layout is complete at any time, and a tag leads to a whole artifact.

use crate::digest::Digest;
use crate::error::{HubError, HubErrorKind};
use crate::limits;
use crate::manifest::{Annotations, Content, Descriptor, Index, REF_NAME, Received, to_bytes};
use crate::network::Progress;
use crate::reference::Wanted;
use coconut_codec::bytes::replace::{Replacement, replace};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

const MARK: &str = "oci-layout";
const INDEX_NAME: &str = "index.json";
const VERSION: &str = "1.0.0";

/// The number of bytes that are copied at once.
const PIECE: usize = 256 << 10;

/// A directory with an image layout.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout<'p> {
    pub(crate) directory: &'p Path,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Mark {
    image_layout_version: String,
}

impl Layout<'_> {
    fn fail(&self, kind: HubErrorKind) -> HubError {
        HubError::new(format!("{}{}", crate::reference::LAYOUT_SCHEME, self.directory.display()), kind)
    }

    fn blob_path(&self, digest: Digest) -> PathBuf {
        self.directory.join("blobs").join("sha256").join(digest.digits())
    }

    /// Reads the index. `None` if the directory has none yet.
    fn index(&self) -> Result<Option<Index>, HubError> {
        let mark = self.directory.join(MARK);
        let text = match read_small(&mark) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(HubError::io("read", &mark, error)),
        };
        let wrong = |what: String| self.fail(HubErrorKind::Layout { what });
        let mark: Mark = serde_json::from_slice(&text).map_err(|error| wrong(format!("{MARK}: {error}")))?;
        if mark.image_layout_version != VERSION {
            return Err(wrong(format!("it has the version `{}`", mark.image_layout_version)));
        }
        let path = self.directory.join(INDEX_NAME);
        let text = read_small(&path).map_err(|error| HubError::io("read", &path, error))?;
        let index = serde_json::from_slice(&text).map_err(|error| wrong(format!("{INDEX_NAME}: {error}")))?;
        Ok(Some(index))
    }

    fn existing(&self) -> Result<Index, HubError> {
        let missing = || self.fail(HubErrorKind::Layout { what: format!("it has no file `{MARK}`") });
        self.index()?.ok_or_else(missing)
    }

    pub(crate) fn manifest(&self, wanted: Wanted<'_>) -> Result<Received, HubError> {
        let absent = || self.fail(HubErrorKind::Absent { what: format!("manifest `{wanted}`") });
        let index = self.existing()?;
        let digest = match wanted {
            Wanted::Digest(digest) => digest,
            Wanted::Tag(tag) => {
                let named =
                    |entry: &&Descriptor| entry.annotations.get(REF_NAME).is_some_and(|name| name == tag);
                index.manifests.iter().find(named).ok_or_else(absent)?.digest
            }
        };
        let path = self.blob_path(digest);
        let bytes = match read_small(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(absent()),
            Err(error) => return Err(HubError::io("read", &path, error)),
        };
        let found = Digest::of(&bytes);
        if found != digest {
            let kind = HubErrorKind::Digest { expected: digest, found: found.to_string() };
            return Err(HubError::new(path.display(), kind));
        }
        Received::read(&path.display().to_string(), bytes)
    }

    pub(crate) fn blob(
        &self,
        blob: &Descriptor,
        sink: &mut dyn Write,
        progress: &Progress,
    ) -> Result<(), HubError> {
        let path = self.blob_path(blob.digest);
        let mut file = self.open_blob(blob)?;
        let (mut hasher, mut piece, mut count) = (Sha256::new(), vec![0; PIECE], 0);
        loop {
            let read = file.read(&mut piece).map_err(|error| HubError::io("read", &path, error))?;
            if read == 0 {
                break;
            }
            let read = &piece[..read];
            count += read.len() as u64;
            if count > blob.size {
                break;
            }
            hasher.update(read);
            sink.write_all(read).map_err(|error| HubError::io("write", &path, error))?;
            progress.moved(read.len());
        }
        if count != blob.size {
            let kind = HubErrorKind::Size { expected: blob.size, found: count };
            return Err(HubError::new(path.display(), kind));
        }
        let found = Digest::from(<[u8; 32]>::from(hasher.finalize()));
        match found == blob.digest {
            true => Ok(()),
            false => {
                let kind = HubErrorKind::Digest { expected: blob.digest, found: found.to_string() };
                Err(HubError::new(path.display(), kind))
            }
        }
    }

    /// Opens a blob whose size is the announced one.
    pub(crate) fn open_blob(&self, blob: &Descriptor) -> Result<File, HubError> {
        let path = self.blob_path(blob.digest);
        let opened = open(&path).and_then(|file| Ok((file.metadata()?, file)));
        match opened {
            Ok((metadata, file)) if metadata.is_file() && metadata.len() == blob.size => Ok(file),
            Ok((metadata, _)) => {
                let kind = HubErrorKind::Size { expected: blob.size, found: metadata.len() };
                Err(HubError::new(path.display(), kind))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(self.fail(HubErrorKind::Absent { what: format!("layer {}", blob.digest) }))
            }
            Err(error) => Err(HubError::io("read", &path, error)),
        }
    }

    /// Whether the blob is there and undamaged. Reads all of it, which costs less than a transfer.
    pub(crate) fn has_blob(&self, blob: &Descriptor) -> bool {
        self.blob(blob, &mut io::sink(), &Progress::default()).is_ok()
    }

    /// Writes a blob or a manifest, unless it is there.
    pub(crate) fn put_blob(&self, digest: Digest, bytes: &[u8]) -> Result<(), HubError> {
        let path = self.new_blob_path(digest)?;
        if read_up_to(&path, bytes.len() as u64).is_ok_and(|found| found == bytes) {
            return Ok(());
        }
        replace(&path, bytes).map_err(|error| HubError::io("write", &path, error))
    }

    /// Writes a blob that `fill` writes, completely or not at all.
    pub(crate) fn put_blob_from(
        &self,
        blob: &Descriptor,
        fill: impl FnOnce(&mut dyn Write) -> Result<(), HubError>,
    ) -> Result<(), HubError> {
        let path = self.new_blob_path(blob.digest)?;
        let fail = |error| HubError::io("write", &path, error);
        let mut file = Replacement::new(&path).map_err(fail)?;
        fill(&mut file)?;
        file.finish().map_err(fail)
    }

    /// The path of a blob, in a directory that exists.
    fn new_blob_path(&self, digest: Digest) -> Result<PathBuf, HubError> {
        let path = self.blob_path(digest);
        let folder = path.parent().unwrap_or(self.directory);
        fs::create_dir_all(folder).map_err(|error| HubError::io("create", folder, error))?;
        Ok(path)
    }

    /// Writes a manifest, and the tag that leads to it. Another manifest loses the tag.
    pub(crate) fn put_manifest(&self, name: Wanted<'_>, received: &Received) -> Result<(), HubError> {
        let mut index = match self.index()? {
            Some(index) => index,
            None => Index { artifact_type: None, ..Index::of(Vec::new(), Annotations::new()) },
        };
        self.put_blob(received.digest, &received.bytes)?;
        let mut entry = received.descriptor();
        match name {
            Wanted::Tag(tag) => {
                for other in &mut index.manifests {
                    if other.annotations.get(REF_NAME).is_some_and(|name| name == tag) {
                        other.annotations.remove(REF_NAME);
                    }
                }
                entry.annotations.insert(REF_NAME.to_owned(), tag.to_owned());
            }
            // The parts of an index are found through it. Referrers are found in the list alone.
            Wanted::Digest(_) => {
                let is_referrer =
                    matches!(&received.content, Content::Manifest(manifest) if manifest.subject.is_some());
                if !is_referrer {
                    return Ok(());
                }
            }
        }
        let is_same = |known: &Descriptor| {
            known.digest == entry.digest
                && known
                    .annotations
                    .get(REF_NAME)
                    .is_none_or(|name| Some(name) == entry.annotations.get(REF_NAME))
        };
        index.manifests.retain(|known| !is_same(known));
        index.manifests.push(entry);
        let (path, text) = (self.directory.join(INDEX_NAME), to_bytes(&index));
        replace(&path, &text).map_err(|error| HubError::io("write", &path, error))?;
        let mark = self.directory.join(MARK);
        if mark.exists() {
            return Ok(());
        }
        // Only now it is a layout.
        let text = to_bytes(&Mark { image_layout_version: VERSION.to_owned() });
        replace(&mark, &text).map_err(|error| HubError::io("write", &mark, error))
    }

    pub(crate) fn tags(&self) -> Result<Vec<String>, HubError> {
        let index = self.existing()?;
        let names = index.manifests.iter().filter_map(|entry| entry.annotations.get(REF_NAME));
        Ok(names.cloned().collect())
    }

    /// The manifests about this one.
    pub(crate) fn referrers(&self, subject: Digest) -> Result<Vec<Descriptor>, HubError> {
        let mut found = Vec::new();
        for entry in self.existing()?.manifests {
            let Ok(received) = self.manifest(Wanted::Digest(entry.digest)) else { continue };
            if let Content::Manifest(manifest) = received.content
                && manifest.subject.is_some_and(|known| known.digest == subject)
            {
                found.push(entry);
            }
        }
        Ok(found)
    }
}

/// Reads a file as large as a manifest may be.
fn read_small(path: &Path) -> io::Result<Vec<u8>> {
    read_up_to(path, limits::MANIFEST_BYTES)
}

fn read_up_to(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > limit {
        true => Err(io::ErrorKind::FileTooLarge.into()),
        false => Ok(bytes),
    }
}

/// Opens a regular file: a pipe would keep the process waiting for its other end.
fn open(path: &Path) -> io::Result<File> {
    match fs::metadata(path)?.is_file() {
        true => File::open(path),
        false => Err(io::Error::new(io::ErrorKind::InvalidInput, "this is not a regular file")),
    }
}
