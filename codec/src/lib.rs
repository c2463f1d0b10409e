//! How Coconut documents are bytes.

pub mod dag;
pub mod event;
pub mod limits;
pub(crate) mod msgpack;
pub mod source;
pub(crate) mod wire;
pub mod writer;
