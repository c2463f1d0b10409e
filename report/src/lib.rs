//! Answers about documents, and failures, as data, text and JSON.
//!
//! ```
//! use coconut_codec::compile::{CompileOptions, compile};
//! use coconut_codec::read::file::DocumentFile;
//! use coconut_report::relations::Direction;
//! use coconut_report::resources::ResourceGraph;
//! use coconut_report::{Failure, json};
//!
//! let state = br#"{"version": 4, "resources": [
//!   {"mode": "managed", "type": "t", "name": "net", "instances": [{"attributes": {}}]},
//!   {"mode": "managed", "type": "t", "name": "web",
//!    "instances": [{"attributes": {}, "dependencies": ["t.net"]}]}]}"#;
//! let file = DocumentFile::from_data(compile(state, &CompileOptions::default())?.bytes)?;
//! let graph = ResourceGraph::of(file.view(), false, &[])?;
//! let reached = graph.reach(Direction::Dependents, &graph.start("t.net")?, u32::MAX, |_| false);
//! let names = reached.order.iter().map(|&(vertex, _)| graph.name(vertex));
//! assert_eq!(names.collect::<Result<Vec<_>, _>>()?, ["t.web"]);
//!
//! // An answer that is a failure has a code, a text for people and JSON.
//! let failure = graph.start("t.nat").expect_err("there is no such key");
//! assert_eq!(failure.code(), "KEY-MISSING");
//! assert!(failure.to_lines().ends_with("t.net"));
//! let _ = json::to_line(&failure.to_value());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! * Answers: [`answers`] has one for each question that a command asks about a document, and
//!   [`diff`] that about two. A [`source`] is the document in question.
//! * Their parts: [`select`] finds the value with a name; [`resources`] and [`relations`] follow
//!   edges; [`measure`] counts; [`compare`] finds the first difference; [`outline`] shortens.
//! * Choices: [`glob`] and [`name_filter`] choose by keys and types, [`place`] leads to places.
//! * Safety: [`safe`] escapes for terminals. Every answer hides secrets, unless it is asked to
//!   reveal them.
//! * Forms: [`json`] and [`streamed`] for machines, [`style`] for people; [`failure`] and [`code`]
//!   for both.

#![forbid(unsafe_code)]

pub mod answers;
pub mod code;
pub mod coloured;
pub mod compare;
pub mod diff;
pub mod failure;
pub mod glob;
pub mod json;
pub mod limits;
pub mod measure;
pub mod name_filter;
pub mod outline;
pub mod place;
pub mod recognised;
pub mod relations;
pub mod resources;
pub mod safe;
pub mod select;
pub mod source;
pub mod streamed;
pub mod style;

pub(crate) use coconut_format::numerals as text;
pub use failure::{Exit, Failure};
