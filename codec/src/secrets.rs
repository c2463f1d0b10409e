//! §15.8 Documents without their secrets.
//!
//! A document marks some of its values as secret: ciphertexts and plaintexts of Pulumi, sensitive
//! values of Terraform, `Secret` objects of Kubernetes, parameters with `NoEcho`, and others. The
//! specification lists the marks. A [`RedactedView`] shows such a document with the text
//! `"[secret]"` in place of each secret:
//!
//! ```
//! use coconut_codec::{CompileOptions, Document, compile};
//!
//! let source = br#"{"kind": "Secret", "metadata": {"name": "s"}, "data": {"password": "aHVudGVy"}}"#;
//! let file = Document::from_data(compile(source, &CompileOptions::default())?.bytes)?;
//!
//! let redacted = file.view().redacted()?;
//! assert!(redacted.has_secrets());
//! assert_eq!(
//!     redacted.to_json()?,
//!     r#"{"kind":"Secret","metadata":{"name":"s"},"data":{"password":"[secret]"}}"#
//! );
//! let name = redacted.pointer("/metadata/name")?.expect("it is there");
//! assert_eq!(name.to_value()?.as_str(), Some("s"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Units, costs, errors
//!
//! | call | reads | limit |
//! |---|---|---|
//! | [`DocumentView::redacted`] | the bytes of the file once; if they have marks, the document once more | visited values: 16 for each byte, at least 4 Mi (§9.13) |
//! | [`LandmarkView::redacted`] | the landmark and the containers around it | the same |
//! | `stream`, `to_json`, `to_value` | as those of a [`ValueView`](crate::ValueView) | as those of a [`ValueView`](crate::ValueView) |
//!
//! A step of the way to a secret takes some 300 bytes. There may be 2^20 steps, or two for each byte
//! of a larger file. Beyond these limits, and in a damaged file, no view is made: an error never
//! shows a secret as if it were none.
//!
//! A value that is repeated at a place without a mark is shown there. Ciphertext is not decrypted.

mod along;
#[cfg(feature = "tooling")]
mod among;
mod keys;
mod masks;
mod redaction;
mod restricted;
mod search;
mod sink;
mod view;
mod words;

pub use sink::SECRET;
pub use view::RedactedView;

#[cfg(feature = "tooling")]
pub use along::Along;
#[cfg(feature = "tooling")]
pub use among::{HiddenValues, marks_among};
#[cfg(feature = "tooling")]
pub use keys::{HiddenKeys, is_key_secret};
#[cfg(feature = "tooling")]
pub use masks::{Masks, TooLarge};
#[cfg(feature = "tooling")]
pub use redaction::Redaction;
#[cfg(feature = "tooling")]
pub use sink::RedactingSink;
#[cfg(feature = "tooling")]
pub use words::names_secrets;
