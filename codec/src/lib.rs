//! How Coconut documents are bytes.

pub mod compile;
pub mod dag;
pub(crate) mod decode;
pub mod event;
pub mod file;
pub(crate) mod index;
pub mod integrity;
pub mod limits;
pub mod lookup;
pub(crate) mod msgpack;
pub mod parts;
pub mod source;
pub mod stream;
pub mod tree;
pub mod view;
pub(crate) mod wire;
pub mod writer;

pub use wire::header::{Header, Profile, SourceRecord};
