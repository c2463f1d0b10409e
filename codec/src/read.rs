//! From the bytes of a file to answers.
//!
//! Open a [`mod@file`] first. A [`view`] reads lazily in place. A [`tree`] decodes everything once,
//! and a [`stream`] emits everything into a sink. A [`lookup`] finds one landmark of many.
//!
//! `wire::value` decodes one value. One `walk` visits whole documents. Its visitors measure them
//! (`measure`), stream them and show their `regions`. A [`tree`] has its own decoder, for speed.
//! The targets of ids in values come from `tables`, which are read whole, or are looked up one by
//! one.

mod canonical;
mod compared;
pub mod file;
pub mod graph;
pub(crate) mod index;
#[cfg(feature = "verify")]
pub mod integrity;
pub mod lookup;
pub(crate) mod measure;
pub mod package;
#[cfg(feature = "tooling")]
pub mod parts;
#[cfg(feature = "tooling")]
pub mod regions;
pub(crate) mod short;
pub mod stream;
pub(crate) mod tables;
pub mod tree;
#[cfg(feature = "verify")]
pub mod verify;
pub mod view;
pub(crate) mod walk;
