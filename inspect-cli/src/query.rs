//! The language of `query`: that of `jq`, over documents that are decoded only where a filter reads
//! them.
//!
//! The interpreter is the crate `jaq-core`. This module contains its values, the functions that
//! need them, and the limits. A value is a place in a document until a filter reads its contents
//! ([`view`]), and a Rust value afterwards ([`value`]).
//!
//! Secrets are replaced when a filter first reads a value of the document ([`view::Source`]). So a
//! filter cannot compute with them, and each output is safe without another check.

pub(crate) mod direct;
mod escapes;
pub(crate) mod landmarks;
mod language;
mod natives;
pub(crate) mod number;
mod operators;
pub(crate) mod output;
mod paths;
pub(crate) mod plain;
pub(crate) mod program;
pub(crate) mod run;
pub(crate) mod steps;
#[cfg(test)]
mod suites;
pub(crate) mod value;
pub(crate) mod view;
pub(crate) mod worker;
