//! What the tests of all packages share, without the codec: its own tests use it, too.

#![forbid(unsafe_code)]

pub mod checksums;
mod corpus;
pub mod crafted;
pub mod oracle;
pub mod skipped;

pub use corpus::{corpus, golden, testdata};
pub use skipped::{missing, skip};
