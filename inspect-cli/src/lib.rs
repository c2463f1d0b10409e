//! The commands that show documents, and the shell that the tools `coco-inspect` and `coco` share.
//!
//! `coco-inspect` is these commands and no more: it never writes a document. `coco` offers them too, and adds those
//! that make things. It finds documents in more places ([`open::Documents`]); all else is one implementation.
//!
//! Each command has a file below `commands/`, whose documentation is its help. The other modules hold what several
//! commands need: opening files, looking up keys, keeping secrets, and writing for people and for machines.

#![forbid(unsafe_code)]

pub mod code;
mod commands;
mod compare;
pub mod console;
pub mod failure;
mod glob;
pub mod json;
mod limits;
mod measure;
pub mod open;
mod place;
mod redact;
mod select;
pub mod shell;
mod text;
mod wire;

pub use commands::Command;
pub use commands::explain::explained_codes;
pub use console::Console;
pub use failure::{Exit, Failure};
pub use text::{grouped, hex, percent};
