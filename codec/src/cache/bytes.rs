//! The bytes of a loaded document.

use super::fault::CacheFault;
use crate::bounded_debug::bounded_debug;
use crate::bytes::map::{MappedFile, SharedBytes};
use crate::bytes::private_dir::PrivateFile;
use std::io::{Read, Seek, SeekFrom};

/// Entries of this size and larger are mapped. For smaller ones, reading is faster than page
/// faults.
const MAP_FROM: u64 = 64 << 10;

/// The bytes of a loaded document. `Clone` is cheap, and the last clone frees them.
///
/// They outlive the loader and the cache, and do not change when the entry is replaced or removed.
/// Entries of 64 KiB and more are mapped, so that processes share their pages.
#[derive(Clone)]
pub struct DocumentBytes {
    bytes: SharedBytes,
    /// The end of the document and start of the seal.
    length: usize,
}

bounded_debug!(DocumentBytes, |document| length: document.length);

impl DocumentBytes {
    /// The document before the seal of an entry, `length` bytes.
    pub(super) fn from_entry(entry: PrivateFile, length: u64) -> Result<DocumentBytes, CacheFault> {
        let path = entry.path().to_owned();
        let bytes = match length < MAP_FROM {
            true => {
                let mut bytes = Vec::new();
                let mut file = entry.file();
                CacheFault::io("read", &path, file.seek(SeekFrom::Start(0)))?;
                CacheFault::io("read", &path, file.take(length).read_to_end(&mut bytes))?;
                SharedBytes::from(bytes)
            }
            false => SharedBytes::from(CacheFault::io("map", &path, MappedFile::from_private(entry))?),
        };
        let available = bytes.as_ref().len();
        let length = usize::try_from(length).map_or(available, |length| length.min(available));
        Ok(DocumentBytes { bytes, length })
    }
}

/// Copies once, into shared memory.
impl From<Vec<u8>> for DocumentBytes {
    fn from(bytes: Vec<u8>) -> Self {
        DocumentBytes { length: bytes.len(), bytes: SharedBytes::from(bytes) }
    }
}

impl AsRef<[u8]> for DocumentBytes {
    fn as_ref(&self) -> &[u8] {
        &self.bytes.as_ref()[..self.length]
    }
}
