//! The *meaning* of Coconut documents.
//!
//! This crate contains the envelope, the value model, names (tokens, URNs), landmark rules,
//! packages with their syntax trees, graphs, verification rules, and error kinds. It does no I/O,
//! has no msgpack code and no `unsafe`. The crate `coconut-codec` turns documents into bytes and
//! back. Section numbers (`§5.2`) are those of the specification in `spec/`.
//!
//! # Features
//!
//! All except `serde` are on by default. Envelopes, values, nodes, landmark rules and
//! error kinds need no feature.
//!
//! | feature | adds |
//! |---|---|
//! | `packages` | `il`, `location`, `names`, `package` |
//! | `graphs` | `graph`, `names`, `urn` |
//! | `verify` | `verify`, with `packages` and `graphs` |
//! | `serde` | a [`Value`] can be read and written in any format of serde |
//!
//! Two more features are for this repository alone. `tooling`, which other crates here switch on,
//! adds items that are hidden from this documentation. They are not covered by semantic versioning,
//! and may change with any minor release. `exhaustive`, for its programs, leaves `non_exhaustive`
//! out.

#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(
    not(feature = "tooling"),
    expect(unreachable_pub, reason = "the feature `tooling` exports the rest")
)]
#![cfg_attr(
    not(all(feature = "tooling", feature = "verify")),
    expect(dead_code, reason = "features that are off use the rest")
)]

#[cfg(feature = "tooling")]
#[doc(hidden)]
pub mod code;
#[cfg(not(feature = "tooling"))]
pub(crate) mod code;
pub mod envelope;
pub mod error;
pub mod explain;
#[cfg(feature = "graphs")]
pub mod graph;
#[cfg(feature = "tooling")]
#[doc(hidden)]
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
#[doc(hidden)]
pub mod numerals;
#[cfg(feature = "packages")]
pub mod package;
pub mod pointer;
#[cfg(feature = "tooling")]
#[doc(hidden)]
pub mod signature;
pub mod suggest;
#[cfg(feature = "tooling")]
#[doc(hidden)]
pub mod truncated;
#[cfg(not(feature = "tooling"))]
pub(crate) mod truncated;
#[cfg(feature = "graphs")]
pub mod urn;
pub mod value;
#[cfg(feature = "verify")]
pub mod verify;
#[cfg(feature = "tooling")]
#[doc(hidden)]
pub mod visible;
#[cfg(not(feature = "tooling"))]
pub(crate) mod visible;

pub use envelope::{Encoding, Envelope, EnvelopeView};
pub use error::{DecodeError, ErrorKind};
pub use node::{Kind, Node};
#[cfg(feature = "packages")]
pub use package::Package;
pub use value::{Integer, Value};
