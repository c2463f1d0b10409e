//! Limits of reading into types.

use crate::limits;
use crate::read::file::DocumentView;
use crate::read::stream::Budget;

/// Limits of one read, checked while reading.
///
/// The default is [`held`](Self::held) for a small file. A [`Reader`] and [`from_view`] use the
/// size of their file.
///
/// [`Reader`]: super::Reader
/// [`from_view`]: super::from_view
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Limits {
    /// Levels of nesting. Reading into Rust types recurses once per level, so the limit protects
    /// the stack. The default is 128, as in `serde_json`.
    pub depth: u32,
    /// Maximum number of values read. With sharing, a small file can expand to a very large number.
    ///
    /// Ignored values have their own limit: 256 Mi ([`limits::IGNORED_VALUES`]), or this number if
    /// it is larger. Each 32 bytes of an ignored value in the file count as one more.
    ///
    /// Ignored values from which the type may keep something count here:
    ///
    /// * the items of a list or tuple, as in `LinkedList<IgnoredAny>`;
    /// * the values of the entries of a map;
    /// * keys without their values, as in `HashMap<String, IgnoredAny>`. Ignored keys and names of
    ///   struct fields do not count.
    pub values: u64,
    /// Bytes of strings and keys, including those borrowed from the file or not kept at all.
    pub bytes: u64,
}

crate::setters::setters! {
    Limits: depth: u32, values: u64, bytes: u64
}

impl Limits {
    /// The limits for values of a file of `length` bytes: 128 levels, and the values and bytes of
    /// [`Budget::held`](crate::read::stream::Budget::held).
    ///
    /// These are 64 Mi values and 256 MiB of text. A larger file may have one value and 16 bytes of
    /// text for each of its bytes.
    pub fn held(length: u64) -> Limits {
        let Budget { values, bytes } = Budget::held(length);
        Limits { depth: limits::SERDE_DEPTH, values, bytes }
    }

    pub(super) fn of(document: DocumentView<'_>) -> Limits {
        Limits::held(document.data.len() as u64)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Limits::held(0)
    }
}
