//! Reads places in files into Rust values.

use super::error::DeserializeError;
use super::limits::Limits;
use super::source::Source;
use super::walker::{Next, Walker};
use crate::read::file::DocumentView;
use crate::read::view::ValueView;
use serde::de::{Deserialize, DeserializeSeed};
use std::fmt;
use std::marker::PhantomData;

/// Reads a `T` at a place in a file, with the [`Limits`] for files of its size.
///
/// Strings are borrowed from the file if `T` requests that (`&'de str`, or `Cow` with
/// `#[serde(borrow)]`).
///
/// Costs one pass over the value. To read many values of one file, use a [`Reader`].
///
/// ```
/// use coconut_codec::serde::from_view;
/// use coconut_codec::{Document, to_vec};
///
/// // Texts are borrowed from the file.
/// let file = Document::from_data(to_vec(&["web", "db"])?)?;
/// let names: Vec<&str> = from_view(file.view().root())?;
/// assert_eq!(names, ["web", "db"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn from_view<'de, T: Deserialize<'de>>(view: ValueView<'de>) -> Result<T, DeserializeError> {
    Reader::new(view.document()).read(view)
}

/// Reads a `T` that owns its texts from the bytes of a file. To borrow them, use [`from_view`].
///
/// Opens the file and reads its root with [`from_view`]. To borrow strings from the file, or to
/// read a part of it, open it first. `to_vec` at the root of the crate is the inverse, and has an
/// example.
///
/// # Errors
///
/// Those of opening the file, and those of [`from_view`].
pub fn from_slice<T: serde::de::DeserializeOwned>(bytes: &[u8]) -> Result<T, DeserializeError> {
    let file = crate::read::file::DocumentFile::from_data(bytes)?;
    from_view(file.view().root())
}

/// Reads values from one file, and remembers the strings and shapes that they share.
///
/// It decodes the tables once that is cheaper than looking up their entries one by one. Memory
/// grows with them:
///
/// | per | bytes | while the table is read |
/// |---|---|---|
/// | string | 16 | 24 |
/// | shape | 40 | 48 |
/// | key of a shape | 64 | 192 |
/// | shared value | 8 | 8 |
///
/// Each shape, key and shared value takes at least a byte in the file.
pub struct Reader<'a> {
    source: Source<'a>,
    limits: Limits,
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

    /// Does the same for types that need a seed.
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
