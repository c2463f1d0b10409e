//! Pulumi package schemas.

pub(crate) mod names;
pub(crate) mod read;
pub(crate) mod write;
