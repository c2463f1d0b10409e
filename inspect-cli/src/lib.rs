//! The commands that show documents, and the shell shared by `coco-inspect` and `coco`.
//!
//! `coco-inspect` has only these commands: it never writes a document. `coco` has them too, and
//! adds commands that create documents. It finds documents in more places ([`open::Documents`]);
//! everything else is shared.
//!
//! Each command has a file in `commands/`, whose documentation is its help. The other modules are
//! shared by several commands: opening files, looking up keys, hiding secrets, and output for users
//! and for machines.

#![forbid(unsafe_code)]

mod commands;
mod wire;

pub(crate) use coconut_format::numerals as text;
pub use coconut_format::numerals::{grouped, hex, percent};
pub use coconut_report::{Exit, Failure};
pub use coconut_report::{
    code, compare, failure, glob, json, limits, measure, name_filter, outline, place, redact, relations,
    resources, safe, select, streamed, style,
};
pub use coconut_shell::{Console, console, folders, help, open, rules, sources, tool as shell};
pub use commands::explain::explained_codes;
pub use commands::{Command, Picture};
