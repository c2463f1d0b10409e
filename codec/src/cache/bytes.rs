//! The bytes of a loaded document.

use super::fault::CacheFault;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

/// The bytes of a loaded document: `Clone` is cheap, and the last clone frees them.
///
/// They need neither the loader nor the cache they came from, and stay what they are when the entry is replaced
/// or removed.
#[derive(Clone, Debug)]
pub struct DocumentBytes {
    storage: Arc<Vec<u8>>,
}

impl DocumentBytes {
    /// The document in front of the seal of an entry, `length` bytes.
    pub(super) fn of_entry(mut file: File, length: u64, path: &Path) -> Result<DocumentBytes, CacheFault> {
        let mut bytes = Vec::new();
        CacheFault::io("read", path, file.seek(SeekFrom::Start(0)))?;
        CacheFault::io("read", path, file.take(length).read_to_end(&mut bytes))?;
        Ok(DocumentBytes::from(bytes))
    }
}

impl From<Vec<u8>> for DocumentBytes {
    fn from(bytes: Vec<u8>) -> Self {
        DocumentBytes { storage: Arc::new(bytes) }
    }
}

impl AsRef<[u8]> for DocumentBytes {
    fn as_ref(&self) -> &[u8] {
        &self.storage
    }
}
