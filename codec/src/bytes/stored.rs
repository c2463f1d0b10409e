//! The bytes of an open file, whatever its storage.

use super::paged::PagedFile;
use crate::bounded_debug::bounded_debug;
use std::ops::Range;

/// All bytes of a file: in memory or mapped, or on disk until they are requested.
///
/// Its bytes are not verified; [`Blocks`](super::checksum::Blocks) verifies them.
#[derive(Clone, Copy)]
pub enum Bytes<'a> {
    Whole(&'a [u8]),
    Paged(&'a PagedFile),
}

bounded_debug!(Bytes<'_>, |bytes| length: bytes.len());

impl<'a> Bytes<'a> {
    /// The number of bytes.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        match self {
            Bytes::Whole(bytes) => bytes.len(),
            Bytes::Paged(file) => file.len(),
        }
    }

    /// The bytes in `range`. `None` if the range is outside the file, or cannot be read.
    #[inline]
    pub(crate) fn get(&self, range: Range<usize>) -> Option<&'a [u8]> {
        match self {
            Bytes::Whole(bytes) => bytes.get(range),
            Bytes::Paged(file) => file.get(range),
        }
    }

    /// The `N` bytes from `start`.
    #[inline]
    pub(crate) fn array<const N: usize>(&self, start: usize) -> Option<&'a [u8; N]> {
        self.get(start..start.checked_add(N)?)?.first_chunk()
    }

    /// The first bytes, at most `limit`.
    pub(crate) fn head(&self, limit: usize) -> &'a [u8] {
        self.get(0..limit.min(self.len())).unwrap_or_default()
    }
}
