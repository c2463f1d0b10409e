//! From the bytes of a file to answers.
//!
//! A [`mod@file`] is opened; a [`view`] reads lazily where it points; a [`tree`] decodes all of it once;
//! a [`stream`] pushes all of it into a sink; a [`lookup`] finds one landmark of many.
//!
//! `wire::value` decodes one value. Whole documents are visited by one `walk`: its visitors `measure`,
//! stream and show [`regions`]. A [`tree`] has a decoder of its own, for speed. What the ids in values
//! refer to comes from `tables`, which are read whole, or is looked up one by one.

pub mod file;
pub mod graph;
pub(crate) mod index;
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
