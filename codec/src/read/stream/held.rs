//! §9.15 Values held in memory, with nothing shared.

use super::{Budget, StreamError};
use crate::event::ValueSink;
use crate::limits;
use crate::read::file::DocumentView;
use coconut_format::Value;
use coconut_format::error::DecodeError;

impl Budget {
    /// For values of a file of `length` bytes that are put together in memory with nothing shared: 64 Mi values and 1 GiB
    /// of text, or, if that is more, a value and 16 bytes of text for each byte of the file.
    pub fn held(length: u64) -> Budget {
        Budget {
            values: limits::TREE_VALUES.max(length),
            bytes: limits::HELD_BYTES.max(length.saturating_mul(limits::HELD_PER_BYTE)),
        }
    }
}

impl DocumentView<'_> {
    /// The document as owned values, with the budget that files of its size have for [values held in memory](Budget::held).
    ///
    /// Costs what [`stream`](Self::stream) does, and an allocation per string, list and object: every text is copied as often as it
    /// stands in the document.
    ///
    /// # Errors
    ///
    /// What keeps the document from being read, and what expands to more than the budget, before anything is copied.
    pub fn to_value(&self) -> Result<Value, DecodeError> {
        let mut sink = ValueSink::new();
        match self.stream(&mut sink, Budget::held(self.data.len() as u64)) {
            Ok(()) => Ok(sink.finish().expect("a stream is one whole document")),
            Err(StreamError::Decode(error)) => Err(error),
            Err(StreamError::Sink(_)) => unreachable!("a sink of values takes whatever a file can hold"),
        }
    }
}
