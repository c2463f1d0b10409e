//! What can go wrong between Rust values and documents.

use super::path::Path;
use crate::event::SinkError;
use coconut_format::error::DecodeError;
use coconut_format::truncated::{SHOWN_CHARACTERS, Truncated};
use std::fmt::{self, Display, Write as _};

/// Why a value could not become a document, and where in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SerializeError(Box<(SerializeErrorKind, Path)>);

/// What a document cannot hold.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SerializeErrorKind {
    /// A map key that is not text and has no text: what it is.
    Key {
        /// One or two words, for instance `float`.
        found: &'static str,
    },
    /// An integer outside −2^63 … 2^64−1.
    IntegerRange,
    /// NaN or an infinity.
    NonFinite,
    /// The sink refused an event: a key twice, nesting or a string beyond the limits, output that failed.
    Sink(SinkError),
    /// The type's own `Serialize` gave up, with this message.
    Custom(String),
}

impl SerializeError {
    /// What is wrong.
    pub fn kind(&self) -> &SerializeErrorKind {
        &self.0.0
    }

    /// The JSON pointer of the value in the document that was being made. For a key, that of its object. Of a longer one the first
    /// 1,024 characters, and how many bytes it has.
    pub fn path(&self) -> &str {
        self.0.1.as_str()
    }

    pub(super) fn below_key(mut self, key: &str) -> Self {
        self.0.1.prepend_key(key);
        self
    }

    pub(super) fn below_index(mut self, index: usize) -> Self {
        self.0.1.prepend_index(index);
        self
    }
}

impl Display for SerializeErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SerializeErrorKind::Key { found } => {
                write!(f, "expected a key that is a string, integer, bool or char, found {found}")
            }
            SerializeErrorKind::IntegerRange => {
                write!(f, "expected an integer from -2^63 to 2^64-1, found one outside")
            }
            SerializeErrorKind::NonFinite => write!(f, "expected a finite float, found NaN or an infinity"),
            SerializeErrorKind::Sink(error) => error.fmt(f),
            SerializeErrorKind::Custom(message) => Truncated(message).fmt(f),
        }
    }
}

impl Display for SerializeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, path) = &*self.0;
        write!(f, "{kind}, in {path}")
    }
}

impl std::error::Error for SerializeError {}

impl From<SerializeErrorKind> for SerializeError {
    #[cold]
    fn from(kind: SerializeErrorKind) -> Self {
        SerializeError(Box::new((kind, Path::default())))
    }
}

impl From<SinkError> for SerializeError {
    fn from(error: SinkError) -> Self {
        match error {
            SinkError::NonFinite => SerializeErrorKind::NonFinite.into(),
            error => SerializeErrorKind::Sink(error).into(),
        }
    }
}

impl serde::ser::Error for SerializeError {
    fn custom<T: Display>(message: T) -> Self {
        SerializeErrorKind::Custom(message.to_string()).into()
    }
}

/// Why a value could not be read from a document, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeserializeError(Box<Inner>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Inner {
    kind: DeserializeErrorKind,
    /// Where the innermost value that was being read begins.
    offset: Option<u64>,
    /// `None` for an error that comes again.
    path: Option<Path>,
}

/// Whose fault it is: the file's, or that of a document of other content than the type expects.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DeserializeErrorKind {
    /// The file is damaged, or exceeds a limit.
    Decode(DecodeError),
    /// The document does not fit the type: expected and found, in serde's words or the type's own. Of a longer message the first 1,024
    /// characters, and how many bytes it has.
    Mismatch(String),
}

impl DeserializeError {
    /// Whose fault it is.
    pub fn kind(&self) -> &DeserializeErrorKind {
        &self.0.kind
    }

    /// Where in the file: for damage, the byte that is wrong; otherwise where the value begins that does not fit. Of the name of a field or
    /// variant that the type does not know, or another key that does not fit, it is where that stands, and not the value that belongs
    /// to it. A value that a shape implies, and a key that stands in one, have no byte of their own there; their offset is that of the next
    /// value that has.
    /// serde reads the values of flattened, untagged, and internally or adjacently tagged types into a buffer first: what does not fit in one
    /// has the offset of the whole value that was buffered.
    /// `None` only for an error that did not come from reading a file, as one that a type makes itself around the reading of a view
    /// (`T::deserialize(view)`).
    pub fn offset(&self) -> Option<u64> {
        match &self.0.kind {
            DeserializeErrorKind::Decode(error) => Some(error.offset()),
            DeserializeErrorKind::Mismatch(_) => self.0.offset,
        }
    }

    /// The JSON pointer from the value that reading began with. Of a longer one the first 1,024 characters, and how many bytes it has.
    ///
    /// Empty also where it is not known, of an error that left the middle of a value, was passed over by a type (`T::deserialize(d).ok()`), and
    /// comes again as the result: [`offset`](Self::offset) still is that of its own value.
    pub fn path(&self) -> &str {
        self.0.path.as_ref().map_or("", Path::as_str)
    }

    fn new(kind: DeserializeErrorKind) -> Self {
        DeserializeError(Box::new(Inner { kind, offset: None, path: Some(Path::default()) }))
    }

    /// The same error with a place, if it has none yet.
    pub(super) fn at(mut self, position: usize) -> Self {
        self.0.offset.get_or_insert(position as u64);
        self
    }

    /// The same error with the place `to`, if it has the place `from`.
    pub(super) fn moved(mut self, from: usize, to: usize) -> Self {
        if self.0.offset == Some(from as u64) {
            self.0.offset = Some(to as u64);
        }
        self
    }

    /// `ended`, which ended the reading: this error, which may know its path, if it is the same.
    #[cold]
    pub(super) fn unless_ended_by(self, ended: Self) -> Self {
        let is_same =
            self.kind() == ended.kind() && self.offset().is_none_or(|at| ended.offset() == Some(at));
        if is_same { self } else { ended }
    }

    /// The same error as it comes again, from values that it has nothing to do with.
    pub(super) fn without_path(&self) -> Self {
        let Inner { kind, offset, .. } = &*self.0;
        DeserializeError(Box::new(Inner { kind: kind.clone(), offset: *offset, path: None }))
    }

    pub(super) fn below_key(mut self, key: &str) -> Self {
        if let Some(path) = &mut self.0.path {
            path.prepend_key(key);
        }
        self
    }

    pub(super) fn below_index(mut self, index: usize) -> Self {
        if let Some(path) = &mut self.0.path {
            path.prepend_index(index);
        }
        self
    }
}

impl Display for DeserializeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { kind, offset, path } = &*self.0;
        match kind {
            DeserializeErrorKind::Decode(error) => write!(f, "{error}")?,
            DeserializeErrorKind::Mismatch(message) => f.write_str(message)?,
        }
        if let (DeserializeErrorKind::Mismatch(_), Some(offset)) = (kind, offset) {
            write!(f, " at byte {offset}")?;
        }
        match path {
            Some(path) => write!(f, ", in {path}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for DeserializeError {}

impl From<DecodeError> for DeserializeError {
    #[cold]
    fn from(error: DecodeError) -> Self {
        DeserializeError::new(DeserializeErrorKind::Decode(error))
    }
}

impl serde::de::Error for DeserializeError {
    #[cold]
    fn custom<T: Display>(message: T) -> Self {
        let mut shown = Shown::default();
        // Of a message that cannot be written, its beginning says more than nothing.
        _ = write!(shown, "{message}");
        DeserializeError::new(DeserializeErrorKind::Mismatch(shown.into_text()))
    }
}

/// A message that is being written, of which no more is kept than an [`Truncated`] of it shows: what it quotes may have many megabytes.
#[derive(Default)]
struct Shown {
    text: String,
    characters: usize,
    /// Bytes of the whole message.
    bytes: usize,
}

impl Shown {
    fn into_text(self) -> String {
        match self.text.len() < self.bytes {
            true => format!("{}… ({} bytes)", self.text, self.bytes),
            false => self.text,
        }
    }
}

impl fmt::Write for Shown {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        self.bytes = self.bytes.saturating_add(piece.len());
        let room = SHOWN_CHARACTERS - self.characters;
        let start = piece.char_indices().nth(room).map_or(piece, |(end, _)| &piece[..end]);
        self.text.push_str(start);
        self.characters += start.chars().count();
        Ok(())
    }
}
