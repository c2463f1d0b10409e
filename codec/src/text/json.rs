//! JSON text, both directions: [`read`] pushes the values of a text, a [`Printer`] writes those
//! that it receives.
//!
//! The grammar is that of RFC 8259 and nothing more: no comments, no trailing commas. A text is one
//! document, or with [`read_documents`] several, each on lines of its own.
//!
//! A byte order mark at the start is skipped, with a lint. Integers stay apart from floats, and a
//! number that would change its value is refused (§4.1). Text → events → text keeps the document
//! exactly, but neither spelling (`1E2`, `\u0061`) nor white space.

mod diagnosis;
mod fault;
mod printer;
#[cfg(test)]
pub(super) mod properties;
mod reader;
mod string;
#[cfg(test)]
mod tests;

pub use fault::{JsonFault, Shown};
pub use printer::{JsonStyle, Printer};
pub use reader::{JsonOptions, read, read_documents};
