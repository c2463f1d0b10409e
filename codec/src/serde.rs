//! Converts between Rust values and documents through serde (§4).
//!
//! * `to_vec`, at the root of the crate, makes the bytes of a file from any `Serialize` value. It
//!   finds landmarks as in a text: objects in a list of at least 16, each with a `name`, can be
//!   looked up by name.
//! * [`from_slice`] and [`from_view`] make any `Deserialize` value from a place in a file. They
//!   borrow strings from the file if the type allows it.
//! * [`to_events`] pushes any `Serialize` value into a sink, so that a file can be written from an
//!   iterator.
//! * A [`ValueView`](crate::read::view::ValueView) is itself `Serialize`, so it can be printed in
//!   any format of serde.
//!
//! ```
//! use coconut_codec::serde::from_view;
//! use coconut_codec::{Document, to_vec};
//!
//! #[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize)]
//! struct Resource<'a> {
//!     name: &'a str,
//!     #[serde(rename = "type")]
//!     kind: &'a str,
//!     replicas: Option<u32>,
//! }
//!
//! let names: Vec<String> = (0..100).map(|number| format!("web-{number}")).collect();
//! let resource = |name| Resource { name, kind: "service", replicas: Some(3) };
//! let resources: Vec<Resource<'_>> = names.iter().map(|name| resource(name)).collect();
//!
//! let file = Document::from_data(to_vec(&resources)?)?;
//! let all: Vec<Resource<'_>> = from_view(file.root())?;
//! assert_eq!(all, resources);
//! let one: Resource<'_> = from_view(file.require("web-7")?.value()?)?;
//! assert_eq!(one, resources[7]);
//! assert_eq!(serde_json::to_string(&file.root())?, serde_json::to_string(&resources)?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The data model of serde
//!
//! The same as in `serde_json`, so that a type has one form in both. Rows note the differences.
//!
//! | Rust | document |
//! |---|---|
//! | `bool`, integers, `str` | themselves |
//! | integer outside −2^63 … 2^64−1 | error (`serde_json` prints it) |
//! | `f64` | float: 1.0 stays different from 1 |
//! | NaN, ±∞ | error (`serde_json` writes `null`) |
//! | `f32` | the float with the shortest decimal of the `f32`: `0.1f32` is 0.1, and reads back |
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
//! | integer, `bool` | its decimal, `true` or `false`; read back if the type requests one |
//! | newtype struct, `Some(x)` | as its content |
//! | float, `None`, any other | error (`serde_json` writes floats) |
//! | a key twice in one map | error, if the sink refuses it, as the interner does |
//!
//! The file determines the kind of a value, whatever the type expects, with these exceptions:
//!
//! * An `f32` or `f64` may be read from an integer.
//! * Bytes may be read from a string.
//! * A struct may be read from a list of its fields.
//! * A value of any kind may be ignored; it is then not decoded.
//!
//! # Errors that a type ignores
//!
//! A `Deserialize` impl may ignore an error in a scalar, or in a fully read list or object, and
//! continue with the next value.
//!
//! An error inside a partly read list or object is final. Every enclosing container repeats it once
//! and returns nothing else. [`from_view`] and a [`Reader`] return it even if the type discards it.
//! With `T::deserialize(view)`, reading ends within the type, so the type may still discard the
//! error or return another one without an offset.
//!
//! To try `T` and fall back, deserialize into a buffering type first, as `#[serde(untagged)]` does.

mod access;
mod emit;
mod error;
mod events;
mod key;
mod limits;
mod path;
mod read;
mod recent;
#[cfg(all(feature = "secrets", feature = "write"))]
mod redacted;
mod short;
mod source;
mod variant;
mod walker;

pub use error::{DeserializeError, DeserializeErrorKind, SerializeError, SerializeErrorKind};
pub use events::to_events;
pub use limits::Limits;
pub use read::{Reader, from_slice, from_view};

#[cfg(test)]
mod tests;
