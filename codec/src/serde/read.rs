//! Places in files into Rust values.

use super::error::DeserializeError;
use super::source::Source;
use super::walker::{Next, Walker};
use crate::limits;
use crate::read::file::DocumentView;
use crate::read::stream::Budget;
use crate::read::view::ValueView;
use serde::de::{Deserialize, DeserializeSeed};
use std::fmt;
use std::marker::PhantomData;

/// Reads a `T` at a place in a file, with the [`Limits`] that files of its size have. Strings are borrowed from the file where `T`
/// asks for that (`&'de str`, or `Cow` with `#[serde(borrow)]`).
///
/// Costs one pass over the value. Who reads many values of one file keeps a [`Reader`] instead.
pub fn from_view<'de, T: Deserialize<'de>>(view: ValueView<'de>) -> Result<T, DeserializeError> {
    Reader::new(view.document()).read(view)
}

/// Reads values of one file, and remembers what they share: its strings and shapes, from the moment where
/// decoding them once is cheaper than looking them up one by one.
///
/// Memory grows to 16 bytes a string, 40 a shape, 64 a key of one, and 8 a shared value; while they are read, to 8 more a string and a shape,
/// and three times as much for the keys. No shape, key or shared value has less than a byte in the file.
pub struct Reader<'a> {
    source: Source<'a>,
    limits: Limits,
}

/// How much one read may take. It is checked while reading.
///
/// The default is [`held`](Self::held) for a small file; a [`Reader`] and [`from_view`] take what that says for theirs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Levels of nesting. Reading into Rust types recurses once a level, so the limit guards the stack: the default
    /// of 128 is that of `serde_json`.
    pub depth: u32,
    /// Values that are read. Sharing lets a small file expand to very many. Those that are ignored count by themselves, each with one
    /// more for 32 of its bytes in the file: at most 256 Mi ([`limits::IGNORED_VALUES`]), or this number if it is larger. One of those that are
    /// read is also what a type may keep something of while it is ignored: an item of a list or tuple that is asked for
    /// (`LinkedList<IgnoredAny>`), the value of an entry of a map that is, and a key without its value (`HashMap<String, IgnoredAny>`): any of
    /// a map, but for one that is ignored itself, and of a struct those that are not asked for as names of its fields.
    pub values: u64,
    /// Bytes of strings and keys, those that are borrowed from the file and those of which nothing is kept among them.
    pub bytes: u64,
}

impl Limits {
    /// For values of a file of `length` bytes: 128 levels, and as many values and bytes of text as
    /// [`Budget::held`](crate::read::stream::Budget::held) has for values in memory: 64 Mi and 1 GiB, or, if that is more, a
    /// value and 16 bytes of text for each byte of the file.
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

impl<'a> Reader<'a> {
    /// A reader of values of `document`. Reads nothing yet.
    pub fn new(document: DocumentView<'a>) -> Self {
        Reader { source: Source::new(document), limits: Limits::of(document) }
    }

    /// The same reader with other limits.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Reader { limits, ..self }
    }

    /// Reads a `T` at `view`.
    pub fn read<T: Deserialize<'a>>(&self, view: ValueView<'a>) -> Result<T, DeserializeError> {
        self.read_seed(PhantomData, view)
    }

    /// The same for types that need something at hand to be read.
    pub fn read_seed<S: DeserializeSeed<'a>>(
        &self,
        seed: S,
        view: ValueView<'a>,
    ) -> Result<S::Value, DeserializeError> {
        if !self.source.is_of(view.document()) {
            return Reader::new(view.document()).with_limits(self.limits).read_seed(seed, view);
        }
        let (mut walker, form) = Walker::new(&self.source, view, self.limits);
        let at = walker.position();
        let result = seed.deserialize(Next { walker: &mut walker, form: &form });
        walker.finish(result).map_err(|error| error.at(at))
    }
}

impl fmt::Debug for Reader<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader").field("limits", &self.limits).finish_non_exhaustive()
    }
}
