//! How Coconut documents are bytes.

pub mod event;
pub mod source;
