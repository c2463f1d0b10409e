//! A document as a stream of events (§4).
//!
//! Sources push events: JSON text, YAML text, a `serde::Serialize` value, a view over a compiled
//! file. Sinks receive them: the `Interner` of compiled documents (`write::interner`), the
//! printers. There is no tree between them, so a conversion needs only the memory of its sink.

mod value;

pub use value::{ValueSink, push};

use crate::limits;
use coconut_format::truncated::Truncated;
use coconut_format::{Integer, code};
use std::fmt;
use std::ops::Range;

/// Receives one document, value by value, in document order.
///
/// The caller must follow the grammar: within an object one [`key`](Self::key) precedes each value,
/// and every `begin_…` has its `end_…`. After an error it sends nothing more.
///
/// The sinks that build a document, `Interner` and [`ValueSink`], check this and refuse any other
/// order with [`SinkError::Order`]. Other sinks need not.
///
/// Ten methods are required. The others have defaults that suit most sinks.
pub trait EventSink {
    /// The position in the source of the next event; for a list or object, of its bracket.
    ///
    /// Only JSON text calls it. For sinks that need the places of values.
    fn span(&mut self, _span: Range<usize>) {}
    /// `null`.
    fn null(&mut self) -> Result<(), SinkError>;
    /// `true` or `false`.
    fn bool(&mut self, value: bool) -> Result<(), SinkError>;
    /// A number without fraction or exponent.
    fn integer(&mut self, value: Integer) -> Result<(), SinkError>;
    /// Any other number. Refused if it is not finite.
    fn float(&mut self, value: f64) -> Result<(), SinkError>;
    /// A string.
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

    /// Announces that the following numbers of texts and runs belong to another document. A sink
    /// must discard everything it has kept by number. May precede any value.
    #[inline]
    fn begin_document(&mut self) {}

    /// Like [`string`](Self::string), with the source's number for the text.
    ///
    /// Within one document the number always denotes the same text, also among keys. A sink whose
    /// output depends on the text alone may cache it.
    fn numbered_string(&mut self, number: u32, text: &str) -> Result<(), SinkError> {
        let _ = number;
        self.string(text)
    }

    /// Like [`key`](Self::key), with the source's number for the text, as in
    /// [`numbered_string`](Self::numbered_string).
    fn numbered_key(&mut self, number: u32, text: &str) -> Result<(), SinkError> {
        let _ = number;
        self.key(text)
    }

    /// Announces a run of events with a number of the source.
    ///
    /// Within one document the number always denotes the same events. A run begins at a key or a
    /// value. It may leave lists and objects open that began in it, but does not close any that
    /// began before it.
    ///
    /// A sink that has kept the output of the run returns `true`, and the source continues after
    /// the run. After `false` the events follow, and then [`end_run`](Self::end_run).
    #[inline]
    fn begin_run(&mut self, number: u64) -> Result<bool, SinkError> {
        let _ = number;
        Ok(false)
    }

    /// Ends the innermost run.
    #[inline]
    fn end_run(&mut self) {}
}

/// Passes all events on, so that a sink can be wrapped and used afterwards.
impl<S: EventSink + ?Sized> EventSink for &mut S {
    fn span(&mut self, span: Range<usize>) {
        (**self).span(span);
    }

    fn null(&mut self) -> Result<(), SinkError> {
        (**self).null()
    }

    fn bool(&mut self, value: bool) -> Result<(), SinkError> {
        (**self).bool(value)
    }

    fn integer(&mut self, value: Integer) -> Result<(), SinkError> {
        (**self).integer(value)
    }

    fn float(&mut self, value: f64) -> Result<(), SinkError> {
        (**self).float(value)
    }

    fn string(&mut self, value: &str) -> Result<(), SinkError> {
        (**self).string(value)
    }

    fn begin_list(&mut self) -> Result<(), SinkError> {
        (**self).begin_list()
    }

    fn end_list(&mut self) -> Result<(), SinkError> {
        (**self).end_list()
    }

    fn begin_object(&mut self) -> Result<(), SinkError> {
        (**self).begin_object()
    }

    fn key(&mut self, key: &str) -> Result<(), SinkError> {
        (**self).key(key)
    }

    fn end_object(&mut self) -> Result<(), SinkError> {
        (**self).end_object()
    }

    fn begin_document(&mut self) {
        (**self).begin_document();
    }

    fn numbered_string(&mut self, number: u32, text: &str) -> Result<(), SinkError> {
        (**self).numbered_string(number, text)
    }

    fn numbered_key(&mut self, number: u32, text: &str) -> Result<(), SinkError> {
        (**self).numbered_key(number, text)
    }

    fn begin_run(&mut self, number: u64) -> Result<bool, SinkError> {
        (**self).begin_run(number)
    }

    fn end_run(&mut self) {
        (**self).end_run();
    }
}

/// The reason why a sink refused an event. The source of the event adds the place.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SinkError {
    /// Two keys of the object that was just closed are equal. Their positions count from 0.
    DuplicateKey {
        /// The key.
        key: Box<str>,
        /// The earlier of the two.
        first: usize,
        /// The later of the two.
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
        /// The kind of value, in the plural.
        what: &'static str,
    },
    /// The distinct values take more memory than the caller allows (`Interner::within`).
    Memory {
        /// The limit in bytes.
        limit: usize,
    },
    /// The bytes could not be written. Holds the text of the I/O error.
    Output(String),
    /// The event cannot follow the events before it: a fault of the sender.
    Order {
        /// The events that can follow.
        expected: &'static str,
    },
    /// The sink refused an earlier event of this document, so it takes no further ones.
    Failed,
}

impl SinkError {
    /// Refuses a string that is longer than a compiled document allows (§9.5).
    #[inline]
    pub(crate) fn check_string(text: &str) -> Result<(), SinkError> {
        SinkError::check_length(text, limits::STRING_BYTES)
    }

    /// Refuses a key that is longer than a compiled document allows (§9.6).
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
            SinkError::DuplicateKey { .. }
            | SinkError::NonFinite
            | SinkError::Order { .. }
            | SinkError::Failed => code::SINK,
            SinkError::Depth { .. } => "LIM-DEPTH",
            SinkError::StringLength { .. } => "LIM-STRING",
            SinkError::TooMany { .. } | SinkError::Memory { .. } => "LIM-COUNT",
            SinkError::Output(_) => code::OUTPUT,
        }
    }
}

impl fmt::Display for SinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SinkError::DuplicateKey { key, first, second } => {
                let key = Truncated(key);
                write!(f, "entry {second} of the object repeats the key `{key}` of entry {first}")
            }
            SinkError::NonFinite => write!(f, "a float that is not finite"),
            SinkError::Depth { limit } => write!(f, "nested deeper than {limit} levels"),
            SinkError::StringLength { length, limit } => {
                write!(f, "a string of {length} bytes, the limit is {limit}")
            }
            SinkError::TooMany { what } => write!(f, "too many {what}"),
            SinkError::Memory { limit } => {
                write!(f, "distinct values of more than {limit} bytes in memory; write several documents")
            }
            SinkError::Output(text) => write!(f, "cannot write: {text}"),
            SinkError::Order { expected } => write!(f, "event in the wrong order, expected {expected}"),
            SinkError::Failed => write!(f, "an earlier event of the document was refused"),
        }
    }
}

coconut_format::explained!(SinkError);

impl std::error::Error for SinkError {}
