//! What only the whole can promise, and the documents to promise it on.
//!
//! The tests are in `tests/tests/`; this library holds what they share with the benchmarks: generators of
//! documents with fixed seeds.

#![forbid(unsafe_code)]

pub mod generate;
