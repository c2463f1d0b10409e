//! §24.10 Errors: a kind, and the place of the fault.

use crate::code::Code;
use crate::dialect::Dialect;
use coconut_format::ErrorKind;
use std::fmt;

/// A fault of a stream, or of rich data that should become one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PcoreError {
    kind: Box<PcoreErrorKind>,
    offset: u64,
    path: Option<Box<str>>,
}

impl PcoreError {
    /// The kind of the fault.
    pub fn kind(&self) -> &PcoreErrorKind {
        &self.kind
    }

    /// The offset of the token in the file, in bytes from its start. For JSON, of its first
    /// character. 0 for a fault of rich data.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// The JSON pointer of the value, for faults of rich data.
    pub fn path(&self) -> Option<&str> {
        self.path.as_deref()
    }

    /// The stable code.
    pub fn code(&self) -> &'static str {
        self.kind.code()
    }

    /// The same fault at a value of rich data.
    #[must_use]
    pub(crate) fn at_path(mut self, path: &str) -> PcoreError {
        self.path.get_or_insert_with(|| path.into());
        self
    }
}

impl fmt::Display for PcoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.path {
            Some(path) => write!(f, "{}, at `{path}`", self.kind),
            None => write!(f, "{}, at byte {}", self.kind, self.offset),
        }
    }
}

impl std::error::Error for PcoreError {}

/// A table of a stream (§24.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    /// The table of texts, scalars and headers.
    Inner,
    /// The table of values.
    Outer,
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Table::Inner => "inner",
            Table::Outer => "outer",
        })
    }
}

/// The kind of a [`PcoreError`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PcoreErrorKind {
    /// The bytes are not msgpack. The kind is that of documents.
    Msgpack(ErrorKind),
    /// The text is not JSON.
    Json {
        /// The reason.
        message: Box<str>,
    },
    /// The envelope is not one of Pcore.
    Envelope {
        /// The reason.
        fault: &'static str,
    },
    /// There is no value.
    Empty,
    /// The stream ends within a value.
    End {
        /// The number of missing values.
        missing: u64,
    },
    /// An extension with a reserved number.
    Code {
        /// The number.
        number: i64,
    },
    /// An extension that the dialect does not have.
    OtherDialect {
        /// The extension.
        code: Code,
        /// The dialect.
        dialect: Dialect,
    },
    /// The payload of an extension is not what the code requires.
    Payload {
        /// The extension.
        code: Code,
        /// The required item.
        expected: &'static str,
        /// The item that was found.
        found: &'static str,
    },
    /// Bytes or items after the end of a payload.
    Leftover {
        /// The extension.
        code: Code,
        /// The number of bytes, or of items of JSON.
        count: u64,
    },
    /// A count that needs more bytes than there are.
    Count {
        /// The number of values that are still to come.
        declared: u64,
        /// The number of bytes left.
        available: u64,
    },
    /// A reference to a slot that does not exist.
    Reference {
        /// The table.
        table: Table,
        /// The number of the slot.
        index: u64,
        /// The number of slots so far.
        slots: u64,
    },
    /// A segment of a name that refers to something other than a text.
    Segment {
        /// The number of the slot.
        index: u64,
    },
    /// The name of a type is not a name, or is not UTF-8.
    TypeName {
        /// The reason.
        fault: &'static str,
    },
    /// An object whose type is not an object type.
    NotAType,
    /// A key of a hash that contains the hash.
    KeyCycle,
    /// Two equal keys of a hash.
    DuplicateKey,
    /// Nanoseconds outside of 0 to 999,999,999.
    Nanoseconds,
    /// A text that is not strict Base64.
    Base64,
    /// A container of msgpack where the dialect has none, or an extension in one.
    Plain {
        /// The thing that was found.
        found: &'static str,
    },
    /// A limit is exceeded.
    Limit {
        /// The counted items, in the plural.
        what: &'static str,
        /// The limit.
        limit: u64,
    },
    /// The dialects give different values, and nothing in the stream decides.
    Ambiguous {
        /// Two dialects, each with its reading of the first value that differs.
        readings: Box<[(Dialect, String); 2]>,
    },
    /// Rich data that no stream can hold.
    Rich {
        /// The reason.
        fault: &'static str,
    },
}

impl PcoreErrorKind {
    /// The error at an offset of the file.
    pub(crate) fn at(self, offset: usize) -> PcoreError {
        PcoreError { kind: Box::new(self), offset: offset as u64, path: None }
    }

    /// All codes of streams. Faults of msgpack have those of documents.
    pub const CODES: &[&str] = &[
        "PCO-JSON",
        "PCO-ENVELOPE",
        "PCO-EMPTY",
        "PCO-END",
        "PCO-CODE",
        "PCO-DIALECT",
        "PCO-PAYLOAD",
        "PCO-LEFTOVER",
        "PCO-COUNT",
        "PCO-REFERENCE",
        "PCO-SEGMENT",
        "PCO-NAME",
        "PCO-TYPE",
        "PCO-KEYCYCLE",
        "PCO-DUPKEY",
        "PCO-TIME",
        "PCO-BASE64",
        "PCO-PLAIN",
        "PCO-LIMIT",
        "PCO-AMBIGUOUS",
        "PCO-RICH",
    ];

    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            PcoreErrorKind::Msgpack(kind) => kind.code(),
            PcoreErrorKind::Json { .. } => "PCO-JSON",
            PcoreErrorKind::Envelope { .. } => "PCO-ENVELOPE",
            PcoreErrorKind::Empty => "PCO-EMPTY",
            PcoreErrorKind::End { .. } => "PCO-END",
            PcoreErrorKind::Code { .. } => "PCO-CODE",
            PcoreErrorKind::OtherDialect { .. } => "PCO-DIALECT",
            PcoreErrorKind::Payload { .. } => "PCO-PAYLOAD",
            PcoreErrorKind::Leftover { .. } => "PCO-LEFTOVER",
            PcoreErrorKind::Count { .. } => "PCO-COUNT",
            PcoreErrorKind::Reference { .. } => "PCO-REFERENCE",
            PcoreErrorKind::Segment { .. } => "PCO-SEGMENT",
            PcoreErrorKind::TypeName { .. } => "PCO-NAME",
            PcoreErrorKind::NotAType => "PCO-TYPE",
            PcoreErrorKind::KeyCycle => "PCO-KEYCYCLE",
            PcoreErrorKind::DuplicateKey => "PCO-DUPKEY",
            PcoreErrorKind::Nanoseconds => "PCO-TIME",
            PcoreErrorKind::Base64 => "PCO-BASE64",
            PcoreErrorKind::Plain { .. } => "PCO-PLAIN",
            PcoreErrorKind::Limit { .. } => "PCO-LIMIT",
            PcoreErrorKind::Ambiguous { .. } => "PCO-AMBIGUOUS",
            PcoreErrorKind::Rich { .. } => "PCO-RICH",
        }
    }
}

impl fmt::Display for PcoreErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PcoreErrorKind::Msgpack(kind) => write!(f, "{kind}"),
            PcoreErrorKind::Json { message } => write!(f, "not JSON: {message}"),
            PcoreErrorKind::Envelope { fault } => write!(f, "not an envelope of Pcore: {fault}"),
            PcoreErrorKind::Empty => write!(f, "a stream without a value"),
            PcoreErrorKind::End { missing } => write!(f, "the stream ends, but {missing} values are missing"),
            PcoreErrorKind::Code { number } => write!(f, "extension {number} is reserved"),
            PcoreErrorKind::OtherDialect { code, dialect } => {
                write!(f, "{} has no extension {:#04x} ({})", dialect.name(), code.number(), code.name())
            }
            PcoreErrorKind::Payload { code, expected, found } => {
                write!(f, "payload of {}: expected {expected}, found {found}", code.name())
            }
            PcoreErrorKind::Leftover { code, count } => {
                write!(f, "{count} bytes or items after the payload of {}", code.name())
            }
            PcoreErrorKind::Count { declared, available } => {
                write!(f, "{declared} values are to come, but only {available} bytes are left")
            }
            PcoreErrorKind::Reference { table, index, slots } => {
                write!(f, "reference to slot {index} of the {table} table, which has {slots}")
            }
            PcoreErrorKind::Segment { index } => {
                write!(f, "a type is named by slot {index} of the inner table, which is not a text")
            }
            PcoreErrorKind::TypeName { fault } => write!(f, "invalid name of a type: {fault}"),
            PcoreErrorKind::NotAType => write!(f, "expected the type of an object, found another value"),
            PcoreErrorKind::KeyCycle => write!(f, "a key of a hash refers to a value that contains the key"),
            PcoreErrorKind::DuplicateKey => write!(f, "duplicate key in a hash"),
            PcoreErrorKind::Nanoseconds => write!(f, "nanoseconds must be from 0 to 999999999"),
            PcoreErrorKind::Base64 => write!(f, "not strict Base64"),
            PcoreErrorKind::Plain { found } => write!(f, "{found} is not possible here"),
            PcoreErrorKind::Limit { what, limit } => write!(f, "more than {limit} {what}"),
            PcoreErrorKind::Ambiguous { readings } => {
                let [(one, first), (two, second)] = &**readings;
                write!(f, "the stream is {first} in {}, and {second} in {}", one.name(), two.name())
            }
            PcoreErrorKind::Rich { fault } => f.write_str(fault),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_distinct() {
        let mut codes = PcoreErrorKind::CODES.to_vec();
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), PcoreErrorKind::CODES.len());
    }
}
