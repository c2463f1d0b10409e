//! Pcore streams: the serialization of Puppet, from which the format of Coconut descends (§24).
//!
//! A stream is msgpack or JSON with extensions. Counts come first, and all values follow in one
//! flat sequence. Two tables of back references are filled by rules that differ between the known
//! writers, and nothing in a stream names its writer. So each reader mis-reads some streams of the
//! others, and even some of its own. This crate knows the rules of each writer: see [`Dialect`].
//!
//! ```
//! use coconut_codec::event::ValueSink;
//! use coconut_format::Value;
//! use coconut_pcore::{Dialect, Stream, WriteOptions};
//!
//! // A hash of one entry: the text "since", and a point in time.
//! let bytes = b"\xd4\x11\x01\xa5since\xd5\x33\x00\x05";
//! let stream = Stream::read(bytes, None)?;
//!
//! let mut sink = ValueSink::new();
//! stream.push(&mut sink).expect("it is a document");
//! let value = sink.finish().expect("it has one value");
//! let since = value.get("since").and_then(|since| since.get("__pvalue"));
//! assert_eq!(since.and_then(Value::as_str), Some("1970-01-01T00:00:00.000000005 UTC"));
//!
//! let back = Stream::from_rich(&value, Dialect::Ruby54)?;
//! assert_eq!(back.to_bytes(&WriteOptions::new(Dialect::Ruby54))?, bytes);
//! # Ok::<(), coconut_pcore::PcoreError>(())
//! ```
//!
//! # Where things are
//!
//! | you have | you want | go to |
//! |---|---|---|
//! | the bytes of a file | its values | [`Stream::read`] |
//! | a stream | a document | [`Stream::push`] |
//! | a document | a stream | [`Stream::from_rich`], [`Stream::to_bytes`] |
//! | the bytes of a file | every token, with its slots | [`list_tokens`] |
//! | an XPP file | its diagnostics | [`ParseResult`] |
//!
//! The crate does no I/O. It resolves no types, compiles no regular expressions and loads no code.

#![forbid(unsafe_code)]

mod code;
mod dialect;
mod envelope;
mod error;
pub mod limits;
mod listing;
mod parse_result;
mod read;
mod rich;
mod tape;
mod write;

pub use code::Code;
pub use dialect::Dialect;
pub use envelope::{Encoding, Envelope};
pub use error::{PcoreError, PcoreErrorKind, Table};
pub use listing::{ListedToken, list_tokens};
pub use parse_result::{Diagnostic, DiagnosticSeverity, ParseResult};
pub use read::{Recognition, is_json_stream, recognise};
pub use rich::is_incomplete_timespan;
pub use tape::Stream;
pub use write::WriteOptions;
