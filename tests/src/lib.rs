//! What only the whole can promise, and the documents to promise it on.
//!
//! The tests are in `tests/tests/`; this library holds what they share with the benchmarks and the
//! fuzz targets: generators of documents with fixed seeds, files put together by hand, the table of
//! bad inputs, the vectors of the specification, the properties that hold for any bytes, and a
//! watch for what must take a moment.

#![forbid(unsafe_code)]

pub mod bad_inputs;
pub mod counter;
pub mod fuzz_bodies;
pub mod generate;
pub mod quick;
pub mod vectors;

/// Whether a test should do all that it can. `.ci/deep` sets `COCONUT_DEEP`; a short form runs
/// without it.
pub fn is_deep() -> bool {
    std::env::var_os("COCONUT_DEEP").is_some()
}

pub use coconut_testing::{checksums, corpus, crafted, missing, skip};
