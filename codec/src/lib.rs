//! How Coconut documents are bytes.

pub mod dag;
pub mod event;
pub mod limits;
pub(crate) mod msgpack;
pub mod source;
pub mod file;
pub(crate) mod index;
pub mod lookup;
pub mod view;
pub(crate) mod wire;
pub mod writer;
