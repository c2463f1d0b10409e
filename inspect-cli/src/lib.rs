//! The commands that show documents, and the shell that `coco-inspect` and `coco` share.
//!
//! `coco-inspect` has only these commands: it never writes a document. `coco` has them too, and
//! adds commands that make documents. It finds documents in more places ([`open::Documents`]);
//! everything else is shared.
//!
//! Each command has a file in `commands/`, whose documentation is its help. The other modules have
//! what several commands need: opening files, looking up keys, hiding secrets, and output for
//! people and for machines.

#![forbid(unsafe_code)]

pub mod code;
mod commands;
mod compare;
pub mod console;
pub mod failure;
pub mod folders;
mod glob;
pub mod help;
pub mod json;
mod limits;
mod measure;
mod name_filter;
pub mod open;
mod outline;
mod pager;
mod place;
mod query;
mod redact;
mod resources;
pub mod rules;
pub mod safe;
mod select;
pub mod shell;
pub mod sources;
pub mod streamed;
pub mod style;
mod wire;

pub(crate) use coconut_format::numerals as text;
pub use coconut_format::numerals::{grouped, hex, percent};
pub use commands::explain::explained_codes;
pub use commands::{Command, Picture};
pub use console::Console;
pub use failure::{Exit, Failure};
