//! Errors between Rust values and documents.

use super::path::Path;
use crate::bounded_debug::bounded_debug;
use crate::event::SinkError;
use crate::limits::SERDE_DEPTH;
use coconut_format::error::DecodeError;
use coconut_format::explain::{ErrorClass, explanation};
use coconut_format::truncated::{SHOWN_CHARACTERS, Truncated};
use std::fmt::{self, Display, Write as _};

/// The reason why a value could not become a document, and its place.
#[derive(Clone, PartialEq, Eq)]
pub struct SerializeError(Box<(SerializeErrorKind, Path)>);

/// Values that a document cannot represent.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SerializeErrorKind {
    /// A map key that is not text and cannot be converted to text.
    Key {
        /// Its kind in one or two words, for instance `float`.
        found: &'static str,
    },
    /// An integer outside −2^63 … 2^64−1.
    IntegerRange,
    /// NaN or an infinity.
    NonFinite,
    /// The sink refused an event: a duplicate key, nesting or a string beyond the limits, output
    /// that failed.
    Sink(SinkError),
    /// The type's own `Serialize` failed with this message.
    Custom(String),
}

impl SerializeError {
    /// The kind of the error.
    pub fn kind(&self) -> &SerializeErrorKind {
        &self.0.0
    }

    /// The stable code, for machines.
    pub fn code(&self) -> &'static str {
        self.kind().code()
    }

    /// Returns the party at fault.
    pub fn class(&self) -> ErrorClass {
        ErrorClass::of(self.code())
    }

    /// Returns the remedy, as an imperative without a full stop.
    pub fn hint(&self) -> Option<&'static str> {
        self.kind().hint()
    }

    /// Returns the meaning of the code and the remedy, in some paragraphs.
    pub fn explanation(&self) -> Option<&'static str> {
        explanation(self.code())
    }

    /// The JSON pointer of the value in the new document. For a key, that of its object.
    ///
    /// A pointer of more than 1,024 characters is cut, and its length in bytes is added.
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

impl SerializeErrorKind {
    /// The stable code, for machines.
    pub fn code(&self) -> &'static str {
        match self {
            SerializeErrorKind::Sink(error) => error.code(),
            _ => coconut_format::code::SINK,
        }
    }

    /// Returns the party at fault.
    pub fn class(&self) -> ErrorClass {
        ErrorClass::of(self.code())
    }

    /// Returns the remedy, as an imperative without a full stop.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            SerializeErrorKind::Sink(SinkError::Depth { limit: SERDE_DEPTH }) => Some(
                "nest less, or write with `compile_serialize`, and read with a `Reader` with a larger `Limits::depth`",
            ),
            _ => self.class().hint(),
        }
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

coconut_format::explained!(DeserializeError);

/// Includes the text of the sink's refusal, so [`source`](std::error::Error::source) does not
/// return it again.
impl Display for SerializeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, path) = &*self.0;
        write!(f, "{kind}, in {path}")
    }
}

impl std::error::Error for SerializeError {}
impl std::error::Error for SerializeErrorKind {}

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

/// The reason why a value could not be read from a document, and its place.
#[derive(Clone, PartialEq, Eq)]
pub struct DeserializeError(Box<Inner>);

bounded_debug!(SerializeError, |error| kind: error.kind(), path: error.path());
bounded_debug!(DeserializeError, |error| kind: error.kind(), offset: error.offset(), path: error.path());

#[derive(Clone, PartialEq, Eq)]
struct Inner {
    kind: DeserializeErrorKind,
    /// Start of the innermost value that was being read.
    offset: Option<u64>,
    /// `None` for an error that is repeated.
    path: Option<Path>,
}

/// The party at fault: the file, or a document whose content does not match the type.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DeserializeErrorKind {
    /// The file is damaged, or exceeds a limit.
    Decode(DecodeError),
    /// The document does not fit the type: expected and found, in serde's words or the type's own.
    ///
    /// A message of more than 1,024 characters is cut, and its length in bytes is added.
    Mismatch(String),
}

impl DeserializeError {
    /// The party at fault.
    pub fn kind(&self) -> &DeserializeErrorKind {
        &self.0.kind
    }

    /// The stable code, for machines: that of the damage or limit, or `VALUE-TYPE`.
    pub fn code(&self) -> &'static str {
        match self.kind() {
            DeserializeErrorKind::Decode(error) => error.code(),
            DeserializeErrorKind::Mismatch(_) => coconut_format::code::VALUE_TYPE,
        }
    }

    /// Byte offset in the file.
    ///
    /// | error | offset |
    /// |---|---|
    /// | damage | the wrong byte |
    /// | a value that does not fit the type | the start of the value |
    /// | an unknown field or variant, or another key that does not fit | the start of the key |
    /// | a value or key that only a shape has | the next value that has bytes |
    /// | a value in a type that serde buffers | the start of the whole buffered value |
    ///
    /// Serde buffers the values of flattened, untagged, and internally or adjacently tagged types.
    ///
    /// `None` only if the error did not come from reading a file. For instance, a type may create
    /// its own error around the reading of a view (`T::deserialize(view)`).
    pub fn offset(&self) -> Option<u64> {
        match &self.0.kind {
            DeserializeErrorKind::Decode(error) => Some(error.offset()),
            DeserializeErrorKind::Mismatch(_) => self.0.offset,
        }
    }

    /// The JSON pointer, relative to the value that reading began with.
    ///
    /// A pointer of more than 1,024 characters is cut, and its length in bytes is added.
    ///
    /// Also empty if it is unknown: a type discarded an error inside a partly read value
    /// (`T::deserialize(d).ok()`), and the error is repeated as the result.
    /// [`offset`](Self::offset) is still that of its own value.
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

    /// Returns `ended`, the error that ended the reading, or this error if it is the same, since
    /// this one may include the path.
    #[cold]
    pub(super) fn unless_ended_by(self, ended: Self) -> Self {
        let is_same =
            self.kind() == ended.kind() && self.offset().is_none_or(|at| ended.offset() == Some(at));
        if is_same { self } else { ended }
    }

    /// The same error, to repeat it for values that are unrelated to it.
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
        // Reading may have begun anywhere, so an empty path carries no information.
        if let (DeserializeErrorKind::Mismatch(_), Some(offset)) = (kind, offset) {
            write!(f, " at byte {offset}")?;
        }
        match path {
            Some(path) if !path.as_str().is_empty() => write!(f, ", in {path}"),
            _ => Ok(()),
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
        // If formatting a message fails, its beginning is still better than nothing.
        _ = write!(shown, "{message}");
        DeserializeError::new(DeserializeErrorKind::Mismatch(shown.into_text()))
    }
}

/// A message under construction. Keeps only as much as a [`Truncated`] shows, since it may quote
/// many megabytes.
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
