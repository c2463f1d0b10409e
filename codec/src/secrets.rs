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
//! let source = br#"{"kind": "Secret", "metadata": {"name": "s"}, "data": {"password": "eA=="}}"#;
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
//! | call | reads |
//! |---|---|
//! | [`DocumentView::redacted`] | the bytes once; if they have marks, the document once more |
//! | [`LandmarkView::redacted`] | the landmark and the containers around it |
//! | `stream`, `to_json`, `to_value` | the same as those of a [`ValueView`] |
//!
//! | limit | |
//! |---|---|
//! | visited values | 16 for each byte of the file, at least 4 Mi (§21.1) |
//! | steps on the paths to secrets | 2 for each byte, at least 1 Mi; a step takes about 300 bytes |
//! | expanded values | as for a [`ValueView`] |
//!
//! Beyond these limits, and in a damaged file, there is no view but an error.
//!
//! [`DocumentView::redacted`]: crate::DocumentView::redacted
//! [`LandmarkView::redacted`]: crate::LandmarkView::redacted
//! [`ValueView`]: crate::ValueView
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
#[doc(hidden)]
pub use along::Along;
#[cfg(feature = "tooling")]
#[doc(hidden)]
pub use among::{HiddenValues, marks_among};
#[cfg(feature = "tooling")]
#[doc(hidden)]
pub use keys::{HiddenKeys, is_key_secret};
#[cfg(feature = "tooling")]
#[doc(hidden)]
pub use masks::{Masks, TooLarge};
#[cfg(feature = "tooling")]
#[doc(hidden)]
pub use redaction::Redaction;
#[cfg(feature = "tooling")]
#[doc(hidden)]
pub use sink::RedactingSink;
#[cfg(feature = "tooling")]
#[doc(hidden)]
pub use words::names_secrets;
