//! The *meaning* of Coconut documents.
//!
//! This crate contains the envelope, the value model, names (tokens, URNs), landmark rules,
//! packages with their syntax trees, graphs, verification rules, and error kinds. It does no I/O,
//! has no msgpack code and no `unsafe`. The crate `coconut-codec` turns documents into bytes and
//! back. Section numbers (`§5.2`) are those of the specification in `spec/`.
//!
//! # Features
//!
//! All except `serde` and `tooling` are on by default. Envelopes, values, nodes, landmark rules and
//! error kinds need no feature.
//!
//! | feature | adds |
//! |---|---|
//! | `packages` | `il`, `location`, `names`, `package` |
//! | `graphs` | `graph`, `names`, `urn` |
//! | `verify` | `verify`, with `packages` and `graphs` |
//! | `serde` | a [`Value`] can be read and written in any format of serde |
//!
//! The feature `tooling` adds items for `coconut-codec` and the tools of this repository. Semantic
//! versioning does not cover it: it may change with any release.

#![forbid(unsafe_code)]
#![cfg_attr(
    not(feature = "tooling"),
    expect(unreachable_pub, reason = "the feature `tooling` exports the rest")
)]
#![cfg_attr(
    not(all(feature = "tooling", feature = "verify")),
    expect(dead_code, reason = "features that are off use the rest")
)]

#[cfg(feature = "tooling")]
pub mod code;
#[cfg(not(feature = "tooling"))]
pub(crate) mod code;
pub mod envelope;
pub mod error;
pub mod explain;
#[cfg(feature = "graphs")]
pub mod graph;
#[cfg(feature = "tooling")]
pub mod hex;
#[cfg(feature = "packages")]
pub mod il;
mod kinds;
pub mod landmark;
pub mod limits;
#[cfg(feature = "packages")]
pub mod location;
mod named;
#[cfg(any(feature = "graphs", feature = "packages"))]
pub mod names;
pub mod node;
#[cfg(feature = "tooling")]
pub mod numerals;
#[cfg(feature = "packages")]
pub mod package;
pub mod pointer;
#[cfg(feature = "tooling")]
pub mod signature;
pub mod suggest;
#[cfg(feature = "tooling")]
pub mod truncated;
#[cfg(not(feature = "tooling"))]
pub(crate) mod truncated;
#[cfg(feature = "graphs")]
pub mod urn;
pub mod value;
#[cfg(feature = "verify")]
pub mod verify;
#[cfg(feature = "tooling")]
pub mod visible;
#[cfg(not(feature = "tooling"))]
pub(crate) mod visible;

pub use envelope::{Encoding, Envelope, EnvelopeView};
pub use error::{DecodeError, ErrorKind};
pub use node::{Kind, Node};
#[cfg(feature = "packages")]
pub use package::Package;
pub use value::{Integer, Value};
