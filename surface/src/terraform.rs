//! Terraform provider schemas.

pub(crate) mod names;
pub(crate) mod read;
