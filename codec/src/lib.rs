//! Coconut documents as bytes.
//!
//! In a compiled document, a token or a URN is found without decoding the rest. Checksums prove
//! that the document is complete. It converts back to exactly the JSON value that it was compiled
//! from:
//!
//! ```
//! use coconut_codec::{CompileOptions, Document, compile};
//!
//! let source = br#"{"vertices":{"web":{"port":80},"db":{"port":5432}}}"#;
//! let compiled = compile(source, &CompileOptions::default())?;
//!
//! let file = Document::from_data(compiled.bytes)?;
//! let web = file.require("web")?.value()?;
//! assert_eq!(web.field("port")?.map(|port| port.as_u64()), Some(Ok(Some(80))));
//! assert_eq!(file.to_json()?.as_bytes(), source);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Where things are
//!
//! | you have | you want | go to |
//! |---|---|---|
//! | source text | a file | [`mod@compile`] |
//! | your own types | a file, or back | `to_vec`, `from_slice`, [`mod@serde`] |
//! | a value in memory, built step by step | a file | [`write::interner`], then [`mod@write`] |
//! | the name of a package | its document, from the cache | [`loader`], [`cache`] |
//! | a file | one landmark | [`Document`], [`read::lookup`], then [`read::view`] |
//! | a file | all of it, fast | [`read::tree`] |
//! | a package or a graph | its members or its resources | [`read::package`], [`read::graph`] |
//! | a package or a graph | its faults | [`read::verify`] |
//! | a file | text, or another tree | [`read::stream`], [`text`] |
//! | a file | all of it but its secrets | [`secrets`] |
//! | a file from elsewhere | to know that it is whole | [`read::integrity`] |
//! | the bytes of a document | a durable file with a backup | [`durable`] |
//! | any content | a file, replaced as a whole | [`bytes::replace`] |
//!
//! A file is opened in one of three ways: [`Document::open`] reads it into memory,
//! [`Document::open_paged`] reads the pages that a lookup needs, and [`bytes::map`] maps it.
//!
//! # Errors
//!
//! Every function has an error type of its own, which says what can go wrong there. All of them
//! convert to [`enum@Error`] with `?`. All have a stable `code()`, a `class()` (whose fault it is),
//! a `hint()` and an `explanation()`.
//!
//! # Features
//!
//! None of them is needed to open files, look values up and read them. All are on by default.
//!
//! | feature | adds |
//! |---|---|
//! | `write` | [`mod@write`]: documents from values, with `graphs` |
//! | `text` | [`text`]: JSON, both ways, with `whole`; with `write` also [`mod@compile`] |
//! | `verify` | [`read::integrity`], [`read::verify`], [`durable`]; with the three after `map` |
//! | `map` | [`bytes::map`] |
//! | `whole` | all of a document: [`read::tree`], [`read::stream`], [`ValueView::to_value`] |
//! | `graphs` | [`read::graph`], and the edges between landmarks |
//! | `packages` | [`read::package`] |
//! | `secrets` | [`secrets`]: documents without their secrets, with `graphs` and `whole` |
//! | `serde` | types of Rust, both ways, with `whole` |
//! | `yaml` | sources in YAML, with `text` |
//! | `compressed` | sources in gzip and zstd |
//! | `cache` | packages by name, through a private cache; with the first four |
//!
//! Without them, a program that opens files and gets values by key compiles in 16 s of processor
//! time. It is 321 kB larger than an empty one. In a file without an index it finds the same
//! landmarks, but reads the keys of all of them at each lookup. With `graphs` it keeps them.
//!
//! Two more features are for this repository alone. `tooling`, which other crates here switch on,
//! adds items that are hidden from this documentation. They are not covered by semantic versioning,
//! and may change with any minor release. `exhaustive`, for its programs, leaves `non_exhaustive`
//! out.
//!
// If a feature is off, doc links to its modules do not resolve.
#![cfg_attr(not(feature = "write"), doc = "[`mod@write`]: #features\n[`write::interner`]: #features")]
#![cfg_attr(not(feature = "text"), doc = "[`text`]: #features")]
#![cfg_attr(not(all(feature = "text", feature = "write")), doc = "[`mod@compile`]: #features")]
#![cfg_attr(not(feature = "verify"), doc = "[`read::integrity`]: #features\n[`read::verify`]: #features")]
#![cfg_attr(not(feature = "verify"), doc = "[`durable`]: #features")]
#![cfg_attr(not(feature = "map"), doc = "[`bytes::map`]: #features")]
#![cfg_attr(not(feature = "whole"), doc = "[`read::tree`]: #features\n[`read::stream`]: #features")]
#![cfg_attr(not(feature = "whole"), doc = "[`ValueView::to_value`]: #features")]
#![cfg_attr(not(feature = "graphs"), doc = "[`read::graph`]: #features")]
#![cfg_attr(not(feature = "packages"), doc = "[`read::package`]: #features")]
#![cfg_attr(not(any(feature = "verify", feature = "write")), doc = "[`bytes::replace`]: #features")]
#![cfg_attr(not(feature = "secrets"), doc = "[`secrets`]: #features")]
#![cfg_attr(not(feature = "serde"), doc = "[`mod@serde`]: #features")]
#![cfg_attr(not(feature = "cache"), doc = "[`loader`]: #features\n[`cache`]: #features")]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(
    not(feature = "tooling"),
    expect(unreachable_pub, dead_code, reason = "the feature `tooling` exports and uses the rest")
)]

pub(crate) mod bounded_debug;
pub mod bytes;
#[cfg(feature = "cache")]
pub mod cache;
#[cfg(feature = "cache")]
mod codes;
#[cfg(all(feature = "text", feature = "write"))]
pub mod compile;
#[cfg(test)]
mod crafted;
#[cfg(feature = "verify")]
pub mod durable;
mod error;
pub mod event;
#[cfg(feature = "graphs")]
pub(crate) mod index;
pub mod limits;
#[cfg(feature = "cache")]
pub mod loader;
pub(crate) mod msgpack;
#[cfg(any(feature = "text", feature = "verify"))]
pub(crate) mod pointer_trie;
#[cfg(feature = "text")]
mod print;
pub mod read;
mod replay;
#[cfg(feature = "secrets")]
pub mod secrets;
#[cfg(feature = "serde")]
pub mod serde;
#[cfg(any(feature = "whole", feature = "write"))]
mod setters;
#[cfg(feature = "text")]
pub mod text;
pub(crate) mod wire;
#[cfg(feature = "write")]
pub mod write;

#[cfg(feature = "serde")]
pub use self::serde::{DeserializeError, SerializeError, from_slice};
pub use bytes::paged::PagedFile;
pub use coconut_format as format;
pub use coconut_format::{DecodeError, ErrorKind, Integer, Value};
#[cfg(all(feature = "serde", feature = "text", feature = "write"))]
pub use compile::to_vec;
#[cfg(all(feature = "text", feature = "write"))]
pub use compile::{CompileError, CompileOptions, Compiled, compile, compile_value};
pub use error::Error;
#[cfg(feature = "cache")]
pub use loader::{LoadError, Loader};
#[cfg(feature = "tooling")]
#[doc(hidden)]
pub use msgpack::foreign;
pub use read::file::{DocumentFile as Document, DocumentView, OpenError};
#[cfg(feature = "graphs")]
pub use read::graph::GraphView;
pub use read::lookup::{IndexedDocument, LandmarkView, Lookup, LookupError};
#[cfg(feature = "packages")]
pub use read::package::PackView;
#[cfg(feature = "whole")]
pub use read::stream::StreamError;
#[cfg(feature = "whole")]
pub use read::tree::{DecodedDocument, Tree};
pub use read::view::{Content, ListView, ObjectView, ValueView};
#[cfg(feature = "secrets")]
pub use secrets::RedactedView;
pub use wire::header::{Header, HeaderRule, Profile, SourceFinding, SourceRecord};
#[cfg(feature = "write")]
pub use write::{Writer, WriterOptions};
