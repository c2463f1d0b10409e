//! From the bytes of a file to answers.
//!
//! A [`mod@file`] is opened; a [`view`] reads lazily where it points; a [`tree`] decodes all of it once;
//! a [`stream`] pushes all of it into a sink; a [`lookup`] finds one landmark of many.

pub mod file;
pub mod graph;
pub mod integrity;
pub mod lookup;
pub(crate) mod measure;
pub mod package;
pub mod parts;
pub mod regions;
pub(crate) mod short;
pub mod stream;
pub(crate) mod tables;
pub mod tree;
pub mod verify;
pub mod view;
pub(crate) mod walk;
