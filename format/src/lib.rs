//! What Coconut documents *mean*.
//!
//! This crate holds the envelope, the value model, names (tokens, URNs), landmark rules, packages
//! with their syntax trees, graphs, verification rules, and error kinds. It does no I/O, knows no
//! msgpack and has no `unsafe`. The crate `coconut-codec` turns documents into bytes and back.
//! Section numbers (`§5.2`) are those of the specification in `spec/`.

#![forbid(unsafe_code)]

pub mod api;
pub mod code;
pub mod diff;
pub mod envelope;
pub mod error;
pub mod explain;
pub mod graph;
pub mod hex;
pub mod il;
mod kinds;
pub mod landmark;
pub mod limits;
pub mod location;
pub mod names;
pub mod node;
pub mod package;
pub mod pointer;
pub mod signature;
pub mod suggest;
pub mod truncated;
pub mod urn;
pub mod value;
pub mod verify;
pub mod visible;

pub use envelope::{Encoding, Envelope, EnvelopeView};
pub use error::{DecodeError, ErrorKind};
pub use node::{Kind, Node};
pub use package::Package;
pub use value::{Integer, Value};
