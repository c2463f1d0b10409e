//! The language of `jq` over documents that are decoded only where a filter looks.
//!
//! ```
//! use coconut_codec::compile::{CompileOptions, compile};
//! use coconut_codec::read::file::DocumentFile;
//! use coconut_query::{Filter, Output, Run, Source, Style};
//! use std::rc::Rc;
//!
//! let text = br#"{"a": [{"b": 1}, {"b": 2}]}"#;
//! let file = DocumentFile::from_data(compile(text, &CompileOptions::default())?.bytes)?;
//! let source = Rc::new(Source::of(Rc::new(file), "a.json", false)?);
//!
//! let filter = Filter::compile("[.a[].b] | add", &[])?;
//! let run = Run {
//!     filter: &filter,
//!     source: Some(Rc::clone(&source)),
//!     reveal: false,
//!     notes: &|_| (),
//!     most_steps: 1_000_000,
//!     name: "a.json",
//! };
//! let (mut output, mut json) = (Output::new(Style::default()), Vec::new());
//! run.on(source.root()?, Vec::new(), |value| {
//!     output.add(value, &mut json)?;
//!     Ok(true)
//! })?;
//! assert_eq!(json, b"3\n");
//! # source.release();
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The interpreter is the crate `jaq-core`. Here are the values that it works on, the functions
//! that need them, and the limit of steps. A value is a place in a document until a filter asks for
//! what is in it (`view`), and a value of Rust afterwards (`value`). A [`Filter`] that only chooses
//! is run without the interpreter (`direct`), and a [`Plain`] path reads only its way.
//!
//! Secrets are replaced where a value of the document is first met ([`Source`]). So a filter
//! cannot compute with them, and each output is safe without another check.
//!
//! A [`Run`] passes the results of one input after the other to a receiver; [`Output`] prints them.
//! [`Wanted`] landmarks are the inputs where a filter runs for each of them.

#![forbid(unsafe_code)]

mod direct;
mod ended;
mod escapes;
mod filter;
mod landmarks;
mod language;
mod natives;
mod number;
mod operators;
mod output;
mod paths;
mod plain;
mod program;
mod question;
mod regex;
mod run;
mod selection;
mod steps;
#[cfg(test)]
mod suites;
mod value;
mod view;

pub use ended::Ended;
pub use filter::Filter;
pub use output::{Notation, Output, Style};
pub use plain::Plain;
pub use program::Note;
pub use question::FilterQuestion;
pub use run::Run;
pub use selection::{Chosen, Input, Wanted};
pub use value::Val;
pub use view::{Open, Source};
