//! The language of `query`: `jq`'s, over documents that are decoded only where a filter looks.
//!
//! The interpreter is the crate `jaq-core`. Here are the values that it works on, the functions
//! that need them, and the limits. A value is a place in a document until a filter asks for what is
//! in it ([`view`]), and a value of Rust afterwards ([`value`]).
//!
//! Secrets are replaced where a value of the document is first met ([`view::Source`]). So a filter
//! cannot compute with them, and each output is safe without another check.

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
