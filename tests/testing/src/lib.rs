//! Helpers shared by the tests of all packages. They do not use the codec, because its own tests
//! use them, too.

#![forbid(unsafe_code)]

pub mod checksums;
mod corpus;
pub mod crafted;
pub mod oracle;
pub mod skipped;

pub use corpus::{corpus, golden, testdata};
pub use skipped::{missing, skip};
