//! One file for each command.

pub(crate) mod build;
pub(crate) mod check;
