//! The module of the package `coconut-format` for JavaScript.
//!
//! Text goes in and out: answers are JSON, which an engine parses faster than it could build them
//! one call at a time. `js/connect.js` has the interface for people. An error is thrown as the text
//! of a JSON object with `code` and `message`.
//!
//! | file | of JavaScript |
//! |---|---|
//! | `document` | `Document`: keys, values, edges, all of it |
//! | `answers` | `info`, `verify`, `deps`, `rdeps`, `impact`, `find`, `query` |
//! | `compare` | `diff` |
//! | `drawing` | `graph` |
//! | `fault` | failures |
//!
//! Without the feature `answers`, only `document` is compiled, and it opens only compiled
//! documents.

#![forbid(unsafe_code)]

#[cfg(feature = "answers")]
mod answers;
#[cfg(feature = "answers")]
mod compare;
mod document;
#[cfg(feature = "answers")]
mod drawing;
mod fault;

#[cfg(feature = "answers")]
pub use compare::Comparison;
pub use document::Document;
#[cfg(feature = "answers")]
pub use drawing::Drawing;
pub use fault::Fault;
