//! Tests of all packages together, and the documents for them.
//!
//! The tests are in `tests/tests/`. The benchmarks and the fuzz targets share this library:
//! generators of documents with fixed seeds, crafted files, the table of bad inputs, the vectors of
//! the specification, and the properties that hold for any bytes.

#![forbid(unsafe_code)]

pub mod bad_inputs;
pub mod counter;
pub mod fuzz_bodies;
pub mod generate;
pub mod vectors;

/// Whether a test should run its long form. `.ci/deep` sets `COCONUT_DEEP`; a short form runs
/// without it.
pub fn is_deep() -> bool {
    std::env::var_os("COCONUT_DEEP").is_some()
}

pub use coconut_testing::{checksums, corpus, crafted, missing, skip};

/// The code of the page about servers.
#[cfg(doctest)]
#[doc = include_str!("../../docs/server.md")]
mod server_page {}

/// The code of the page about running packages.
#[cfg(doctest)]
#[doc = include_str!("../../docs/embed.md")]
mod embed_page {}
