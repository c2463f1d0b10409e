//! §4 Rust values as documents, and documents as Rust values, through serde.
//!
//! [`to_events`] pushes any `Serialize` value into a sink, for instance the [`Builder`](crate::dag::Builder) of a
//! file; [`from_view`] makes any `Deserialize` value of a place in a file, borrowing strings from it where the
//! type allows; and a [`ValueView`](crate::view::ValueView) is itself `Serialize`, so that it can be printed in
//! any format that serde knows.
//!
//! ```
//! use coconut_codec::dag::Dag;
//! use coconut_codec::file::DocumentFile;
//! use coconut_codec::serde::from_view;
//! use coconut_codec::writer::{Writer, WriterOptions};
//!
//! #[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize)]
//! struct Resource<'a> {
//!     #[serde(rename = "type")]
//!     kind: &'a str,
//!     replicas: Option<u32>,
//! }
//!
//! let resources = [Resource { kind: "bucket", replicas: None }, Resource { kind: "service", replicas: Some(3) }];
//! let bytes = Writer::new(WriterOptions::new("document")).to_bytes(&Dag::from_serialize(&resources)?)?;
//!
//! let file = DocumentFile::from_data(bytes)?;
//! let read: Vec<Resource<'_>> = from_view(file.view().root())?;
//! assert_eq!(read, resources);
//! assert_eq!(serde_json::to_string(&file.view().root())?, serde_json::to_string(&resources)?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What serde's data model becomes
//!
//! As in `serde_json`, so that one type has one form in both; where the two differ the row says so.
//!
//! | Rust | document |
//! |---|---|
//! | `bool`, integers, `str` | themselves |
//! | integer outside −2^63 … 2^64−1 | error (`serde_json` prints it) |
//! | `f64` | float: 1.0 stays different from 1 |
//! | NaN, ±∞ | error (`serde_json` writes `null`) |
//! | `f32` | the float whose decimal is the shortest of the `f32`: `0.1f32` is 0.1, and reads back as `0.1f32` |
//! | `char` | string |
//! | bytes | list of integers |
//! | `None`, `()`, unit struct | null |
//! | `Some(x)`, newtype struct | as `x`; `Some(None)` reads back as `None` |
//! | sequence, tuple, tuple struct | list |
//! | map, struct | object, in the order that serde sends |
//! | unit variant | string: its name |
//! | newtype variant | object of one entry, name → value |
//! | tuple variant | object of one entry, name → list |
//! | struct variant | object of one entry, name → object |
//!
//! Keys of maps:
//!
//! | Rust | key |
//! |---|---|
//! | `str`, `char`, unit variant | text |
//! | integer, `bool` | its decimal, `true` or `false`; read back where the type asks for an integer or `bool` |
//! | newtype struct, `Some(x)` | as what is in it |
//! | float, `None`, any other | error (`serde_json` writes floats) |
//! | a key twice in one map | error, when the sink refuses it, as the builder of files does |
//!
//! Reading asks the file what a value is, whatever the type expects, and takes these liberties: an `f32` or `f64`
//! may be read from an integer, bytes from a string, a struct from a list of its fields, and a value of any kind
//! may be ignored, which decodes nothing of it.
//!
//! A type may pass over the error of a scalar, or of a list or object that was read to its end, and go on with the next value. An error
//! in the middle of one ends the reading: each open list and object gives it once more, and nothing else, and it is the result, whatever the
//! type makes of it: that of [`from_view`] and a [`Reader`]. In `T::deserialize(view)` the reading ends within the type, which then may still
//! pass over the error, or make another, which has no offset. Who wants to know whether a value is a `T` and go on if not reads it into something that holds any value first, as
//! `#[serde(untagged)]` does.

mod access;
mod emit;
mod error;
mod events;
mod key;
mod path;
mod read;
mod recent;
mod short;
mod source;
mod variant;
mod walker;

pub use error::{DeserializeError, DeserializeErrorKind, SerializeError, SerializeErrorKind};
pub use events::to_events;
pub use read::{Limits, Reader, from_view};

#[cfg(test)]
mod tests;
