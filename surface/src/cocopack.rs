//! Coconut packages.

pub(crate) mod read;
pub(crate) mod write;
