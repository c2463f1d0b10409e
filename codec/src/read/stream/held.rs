//! Budgets for values held in memory without sharing (§21.2).

use super::{Budget, StreamError};
use crate::event::ValueSink;
use crate::limits;
use crate::read::file::DocumentView;
use crate::read::measure::Survey;
use crate::read::tables::Tables;
use coconut_format::Value;
use coconut_format::error::DecodeError;

impl Budget {
    /// Returns the budget for values of a file of `length` bytes, held in memory without sharing.
    /// The budget is 64 Mi values and 256 MiB of text. For larger files it is one value and 16
    /// bytes of text per byte of the file.
    pub fn held(length: u64) -> Budget {
        Budget {
            values: limits::TREE_VALUES.max(length),
            bytes: limits::HELD_BYTES.max(length.saturating_mul(limits::HELD_PER_BYTE)),
        }
    }

    /// Returns the budget for trees of owned values from files of `length` bytes in total. Such a
    /// tree takes about 50 bytes per value. So the budget is 64 values per byte, but at least 4 Mi
    /// and at most 64 Mi. The bytes of text are those of [`held`](Self::held).
    pub fn owned(length: u64) -> Budget {
        let values = length.saturating_mul(limits::OWNED_PER_BYTE).max(limits::OWNED_VALUES);
        Budget { values: values.min(limits::TREE_VALUES), ..Budget::held(length) }
    }
}

impl DocumentView<'_> {
    /// Returns the document as owned values, within the budget for [trees](Budget::owned).
    ///
    /// Costs as much as [`stream`](Self::stream), plus an allocation per string, list and object. A
    /// text is copied each time it occurs in the document.
    ///
    /// # Errors
    ///
    /// Fails if the document cannot be read, or if it expands beyond the budget. Both are detected
    /// before anything is copied.
    pub fn to_value(&self) -> Result<Value, DecodeError> {
        self.to_value_within(&mut Budget::owned(self.data.len() as u64))
    }

    /// Returns the same for several documents that share a budget: subtracts the expanded size of
    /// this one from `left`.
    ///
    /// # Errors
    ///
    /// Those of [`to_value`](Self::to_value).
    pub fn to_value_within(&self, left: &mut Budget) -> Result<Value, DecodeError> {
        let size = Survey::of(*self, &Tables::read(*self)?)?.root;
        size.check(left.values, left.bytes, self.frame.root.start)?;
        let mut sink = ValueSink::new();
        match self.stream(&mut sink, *left) {
            Ok(()) => {
                *left = Budget { values: left.values - size.values, bytes: left.bytes - size.text };
                Ok(sink.finish().expect("a stream is one whole document"))
            }
            Err(StreamError::Decode(error)) => Err(error),
            Err(StreamError::Sink(_)) => unreachable!("a sink of values takes whatever a file can hold"),
        }
    }
}
