//! The work of a search, and its limit (§9).

use crate::limits;
use crate::read::file::DocumentView;
use coconut_format::error::{DecodeError, ErrorKind};
use std::cell::Cell;

/// The work done to find keys, and its limit (§9).
#[derive(Debug)]
pub struct SearchMeter {
    pub(super) looked_at: Cell<u64>,
    pub(super) most: u64,
    /// The start of the root, used as the offset of the error.
    pub(super) root: u64,
}

impl SearchMeter {
    /// Starts at zero, with the limit for this document.
    #[inline]
    pub fn of(document: DocumentView<'_>) -> SearchMeter {
        let (most, root) = (limits::search_budget(document.data.len()), document.frame.root.start as u64);
        SearchMeter { looked_at: Cell::new(0), most, root }
    }

    /// Returns the counter of visited entries.
    pub(super) fn looked_at(&self) -> &Cell<u64> {
        &self.looked_at
    }

    /// Counts a landmark found in the tables and read up to its key.
    #[inline]
    pub(super) fn find_landmark(&self) {
        self.looked_at.set(self.looked_at.get().saturating_add(limits::STEPS_PER_LANDMARK));
    }

    #[inline]
    pub(super) fn step_over(&self, bytes: usize) {
        self.looked_at.set(self.looked_at.get().saturating_add(bytes as u64 / limits::BYTES_PER_STEP));
    }

    /// Refuses work beyond the limit.
    #[inline]
    pub(super) fn check(&self) -> Result<(), DecodeError> {
        match self.looked_at.get() > self.most {
            true => Err(ErrorKind::Work { limit: self.most }.at(self.root)),
            false => Ok(()),
        }
    }
}
