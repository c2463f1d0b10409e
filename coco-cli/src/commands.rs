//! One file per command. The docs of its arguments are its help. Its examples are a transcript that
//! runs as a test.

pub(crate) mod build;
pub(crate) mod cache;
pub(crate) mod check;
pub(crate) mod compile;
pub(crate) mod deploy;
pub(crate) mod eval;
pub(crate) mod graph;
pub(crate) mod history;
pub(crate) mod hub;
pub(crate) mod import;
pub(crate) mod mcp;
pub(crate) mod patch;
pub(crate) mod plan;
pub(crate) mod recover;
pub(crate) mod renamed;
pub(crate) mod repack;
mod running;
pub(crate) mod translate;
pub(crate) mod unpack;
