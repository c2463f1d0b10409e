//! §4 A document as a stream of events.
//!
//! Sources (JSON text, YAML text, a `serde::Serialize` value, a view over a compiled file) push events; sinks
//! (the [`Interner`](crate::write::interner::Interner) of compiled documents, the JSON printer) receive them. No tree stands
//! between the two, so the memory of a conversion is the memory of its sink.

mod value;

pub use value::{ValueSink, push};

use crate::limits;
use coconut_format::{Integer, code};
use std::fmt;
use std::ops::Range;

/// Receives one document, value by value, in document order.
///
/// The caller promises the grammar: within an object each value is preceded by one [`key`](Self::key), and
/// every `begin_…` has its `end_…`. A sink may assert this in debug builds; it need not check it otherwise.
pub trait EventSink {
    /// Which bytes of the source the next event is read from: of a list or object the bracket. Only text in JSON
    /// says so, for sinks that ask where things are.
    fn span(&mut self, _span: Range<usize>) {}
    /// `null`.
    fn null(&mut self) -> Result<(), SinkError>;
    /// `true` or `false`.
    fn bool(&mut self, value: bool) -> Result<(), SinkError>;
    /// A number without fraction or exponent.
    fn integer(&mut self, value: Integer) -> Result<(), SinkError>;
    /// Any other number. Refused when it is not finite.
    fn float(&mut self, value: f64) -> Result<(), SinkError>;
    /// A text.
    fn string(&mut self, value: &str) -> Result<(), SinkError>;
    /// Opens a list.
    fn begin_list(&mut self) -> Result<(), SinkError>;
    /// Closes the innermost list.
    fn end_list(&mut self) -> Result<(), SinkError>;
    /// Opens an object.
    fn begin_object(&mut self) -> Result<(), SinkError>;
    /// The key of the value that follows.
    fn key(&mut self, key: &str) -> Result<(), SinkError>;
    /// Closes the innermost object. A sink that detects duplicate keys reports them here.
    fn end_object(&mut self) -> Result<(), SinkError>;

    /// [`string`](Self::string), of a text that the source has a number for: within one document `number` always
    /// stands for this text, also among keys. A sink whose work depends on the text alone may remember it.
    fn numbered_string(&mut self, number: u32, text: &str) -> Result<(), SinkError> {
        let _ = number;
        self.string(text)
    }

    /// [`key`](Self::key), of such a text.
    fn numbered_key(&mut self, number: u32, text: &str) -> Result<(), SinkError> {
        let _ = number;
        self.key(text)
    }

    /// Announces a run of events that the source has a number for: within one document `number` always stands for
    /// the same events. A run begins where a key or a value may stand, and ends all lists and objects that begin in
    /// it or leaves those open that are open at its end; it ends none that began before it.
    ///
    /// A sink that has kept what the run came to returns `true`, and the source goes on behind it. After `false`
    /// the events follow, and then [`end_run`](Self::end_run).
    #[inline]
    fn begin_run(&mut self, number: u64) -> Result<bool, SinkError> {
        let _ = number;
        Ok(false)
    }

    /// The innermost run that has begun is over.
    #[inline]
    fn end_run(&mut self) {}
}

/// Why a sink refused an event. The source that pushed it knows the place and adds it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SinkError {
    /// Two keys of the object that was just closed are equal: their positions among its keys, from 0.
    DuplicateKey {
        /// The key that was met first.
        first: usize,
        /// The key that repeats it.
        second: usize,
    },
    /// NaN or an infinity.
    NonFinite,
    /// Nested deeper than the limit.
    Depth {
        /// The limit in levels.
        limit: u32,
    },
    /// A string or key longer than the limit.
    StringLength {
        /// Its length in bytes.
        length: usize,
        /// The limit in bytes.
        limit: usize,
    },
    /// More distinct values than the writer can number.
    TooMany {
        /// What there is too much of.
        what: &'static str,
    },
    /// The bytes could not be written. Holds the text of the I/O error.
    Output(String),
}

impl SinkError {
    /// Refuses a string that is longer than any of a compiled document (§9).
    #[inline]
    pub(crate) fn check_string(text: &str) -> Result<(), SinkError> {
        SinkError::check_length(text, limits::STRING_BYTES)
    }

    /// Refuses a key that is longer than any of a compiled document (§9).
    #[inline]
    pub(crate) fn check_key(key: &str) -> Result<(), SinkError> {
        SinkError::check_length(key, limits::KEY_BYTES)
    }

    #[inline]
    fn check_length(text: &str, limit: usize) -> Result<(), SinkError> {
        match text.len() > limit {
            true => Err(SinkError::StringLength { length: text.len(), limit }),
            false => Ok(()),
        }
    }

    /// The stable code, for machines and for `coco explain`.
    pub fn code(&self) -> &'static str {
        match self {
            SinkError::DuplicateKey { .. } | SinkError::NonFinite => code::SINK,
            SinkError::Depth { .. } => "LIM-DEPTH",
            SinkError::StringLength { .. } => "LIM-STRING",
            SinkError::TooMany { .. } => "LIM-COUNT",
            SinkError::Output(_) => code::OUTPUT,
        }
    }
}

impl fmt::Display for SinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SinkError::DuplicateKey { first, second } => {
                write!(f, "key {second} of the object repeats key {first}")
            }
            SinkError::NonFinite => write!(f, "a float that is not finite"),
            SinkError::Depth { limit } => write!(f, "nested deeper than {limit} levels"),
            SinkError::StringLength { length, limit } => {
                write!(f, "a string of {length} bytes, the limit is {limit}")
            }
            SinkError::TooMany { what } => write!(f, "too many {what}"),
            SinkError::Output(text) => write!(f, "cannot write: {text}"),
        }
    }
}

impl std::error::Error for SinkError {}
