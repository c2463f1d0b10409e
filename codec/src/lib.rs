//! How Coconut documents are bytes.
//!
//! A compiled document answers "this token, this URN" from a memory map, proves that it is whole, and goes back
//! to exactly the JSON value that it was made from:
//!
//! ```
//! use coconut_codec::compile::{CompileOptions, compile};
//! use coconut_codec::file::DocumentFile;
//! use coconut_codec::lookup::Lookup;
//! use coconut_codec::source::json::{JsonStyle, Printer};
//! use coconut_codec::stream::Budget;
//!
//! let source = br#"{"vertices":{"web":{"port":80},"db":{"port":5432}}}"#;
//! let compiled = compile(source, &CompileOptions::default())?;
//!
//! let file = DocumentFile::from_data(&compiled.bytes[..])?;
//! let Lookup::Found(web) = file.view().get_unique("web")? else { panic!("it is there once") };
//! assert_eq!(web.key()?, "web");
//!
//! let mut printer = Printer::new(Vec::new(), JsonStyle::Minified);
//! file.view().stream(&mut printer, Budget::default())?;
//! assert_eq!(printer.finish()?, source);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Where things are
//!
//! | you have | you want | go to |
//! |---|---|---|
//! | source text | a file | [`compile`] |
//! | your own types | a file, or back | `serde` (feature `serde`) |
//! | a value in memory, built step by step | a file | [`dag`], then [`writer`] |
//! | the name of a package | its document, compiled once and kept | `loader`, `cache` (feature `cache`) |
//! | a file | one landmark | [`mod@file`], [`lookup`], then [`view`] |
//! | a file | all of it, fast | [`tree`] |
//! | a package, a graph | its members, its resources | [`pack_view`], [`graph_view`] |
//! | a package, a graph | what is wrong with it | [`verify`] |
//! | a file | text, or another tree | [`stream`], [`source`] |
//! | a file from somewhere | to know that it is whole | [`integrity`] |
//! | a file | to know where its bytes are | [`parts`], [`anatomy`] |
//! | bytes of a file | on the disk, and the last good ones kept | [`snapshot`] |
//! | any content | in a file, as a whole or not at all | [`output`] |
//!
//! How a file is opened is a choice of three: `DocumentFile::open` reads it into memory, [`paged`] reads what a lookup
//! needs, [`map`] maps it.
//!
//! The structures of a file have one home each under `wire`, named after the specification in `spec/`; section
//! numbers (`§5.2`) lead from one to the other. All reading goes through one cursor, which owns position,
//! bounds and checksums.
//!
//! # Features
//!
//! `cache`, `serde` and `yaml` are on by default. Who only opens files and looks things up needs none of them.

pub mod anatomy;
pub(crate) mod bytes;
#[cfg(feature = "cache")]
pub mod cache;
#[cfg(feature = "cache")]
mod codes;
pub mod compile;
#[cfg(test)]
mod crafted;
pub mod dag;
pub(crate) mod decode;
pub mod event;
pub mod file;
mod forms;
pub mod graph_view;
pub(crate) mod index;
pub mod input;
pub mod integrity;
pub mod limits;
#[cfg(feature = "cache")]
pub mod loader;
pub mod lookup;
pub mod map;
pub(crate) mod msgpack;
pub mod output;
pub mod pack_view;
pub mod paged;
pub mod parts;
pub(crate) mod pointers;
#[cfg(feature = "serde")]
pub mod serde;
pub mod snapshot;
pub mod source;
pub mod stream;
pub mod tree;
pub mod verify;
pub mod view;
pub(crate) mod watched;
pub(crate) mod wire;
pub mod writer;

pub use wire::header::{Header, Profile, SourceRecord};
