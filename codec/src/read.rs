//! From the bytes of a file to answers.
//!
//! A [`mod@file`] is opened; a [`view`] reads lazily where it points; a [`tree`] decodes all of it once;
//! a [`stream`] pushes all of it into a sink; a [`lookup`] finds one landmark of many.

pub(crate) mod decode;
pub mod file;
pub mod graph;
pub(crate) mod index;
pub mod integrity;
pub mod lookup;
pub mod package;
pub mod parts;
pub mod regions;
pub mod stream;
pub mod tree;
pub mod verify;
pub mod view;
