//! JSON text, both directions: [`read`] pushes the values of a text, a [`Printer`] writes those
//! that it receives.
//!
//! The grammar is exactly that of RFC 8259: no comments, no trailing commas. A text is one document
//! or, with [`read_documents`], several, each on its own lines.
//!
//! A byte order mark at the start is skipped, with a lint. Integers are distinct from floats, and a
//! number whose value would change is refused (§4.1). Text → events → text keeps the document
//! exactly, but not the spelling (`1E2`, `\u0061`) or white space.

mod diagnosis;
mod fault;
mod printer;
mod reader;
mod string;
#[cfg(test)]
pub(super) mod tests;

pub use fault::{JsonFault, Shown};
pub use printer::{JsonStyle, Printer};
pub use reader::{JsonOptions, read, read_documents};
