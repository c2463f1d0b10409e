//! Values held in memory without sharing (§9.15).

use super::{Budget, StreamError};
use crate::event::ValueSink;
use crate::limits;
use crate::read::file::DocumentView;
use coconut_format::Value;
use coconut_format::error::DecodeError;

impl Budget {
    /// Returns the budget for values of a file of `length` bytes, held in memory without sharing.
    /// It is 64 Mi values and 1 GiB of text. In larger files it is one value and 16 bytes of text
    /// per byte of the file.
    pub fn held(length: u64) -> Budget {
        Budget {
            values: limits::TREE_VALUES.max(length),
            bytes: limits::HELD_BYTES.max(length.saturating_mul(limits::HELD_PER_BYTE)),
        }
    }
}

impl DocumentView<'_> {
    /// Returns the document as owned values, within the budget for [values held in
    /// memory](Budget::held).
    ///
    /// Costs as much as [`stream`](Self::stream), and an allocation per string, list and object. A
    /// text is copied each time it occurs in the document.
    ///
    /// # Errors
    ///
    /// Fails if the document cannot be read, or if it expands beyond the budget. Both are detected
    /// before anything is copied.
    pub fn to_value(&self) -> Result<Value, DecodeError> {
        let mut sink = ValueSink::new();
        match self.stream(&mut sink, Budget::held(self.data.len() as u64)) {
            Ok(()) => Ok(sink.finish().expect("a stream is one whole document")),
            Err(StreamError::Decode(error)) => Err(error),
            Err(StreamError::Sink(_)) => unreachable!("a sink of values takes whatever a file can hold"),
        }
    }
}
