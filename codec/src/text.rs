//! Source forms: JSON and YAML text in, JSON text out.
//!
//! A reader pushes the values of a text into an [`EventSink`](crate::event::EventSink) and keeps no
//! tree. It refuses values that the value model cannot represent without loss. The error shows the
//! place of the fault and how to fix it:
//!
//! ```
//! use coconut_codec::event::ValueSink;
//! use coconut_codec::text::json;
//!
//! let mut sink = ValueSink::new();
//! json::read(br#"{"ports": [80, 443]}"#, &mut sink, &json::JsonOptions::default())?;
//! let value = sink.finish().expect("the reader saw one whole document");
//! assert_eq!(value.get("ports").and_then(|ports| ports.as_list()).map(<[_]>::len), Some(2));
//!
//! let broken = b"{\n  \"a\": 1\n  \"b\": 2\n}";
//! let options = json::JsonOptions::default();
//! let error = json::read(broken, &mut ValueSink::new(), &options).unwrap_err();
//! assert_eq!((error.code(), error.at().line, error.at().column), ("SRC-JSON", 2, 9));
//! # Ok::<(), coconut_codec::text::SourceError>(())
//! ```

mod detect;
mod duplicates;
mod enveloped;
mod error;
pub mod json;
mod lint;
mod locate;
mod number;
mod render;
#[cfg(test)]
mod tests;
mod utf8;
#[cfg(feature = "yaml")]
pub mod yaml;

pub use detect::{SourceFormat, YamlTags, detect};
pub use duplicates::RefuseDuplicateKeys;
pub use enveloped::{EnvelopedError, EnvelopedSource};
pub use error::{SourceError, SourceErrorKind, TextPosition};
pub use lint::{Lint, LintKind};
#[cfg(feature = "tooling")]
#[doc(hidden)]
pub use locate::{Stretch, locate};
