//! The commands that show documents, for `coco-inspect` and `coco`.
//!
//! `coco-inspect` has only these commands: it never writes a document. `coco` has them too, and
//! adds commands that create documents. It finds documents in more places
//! ([`coconut_shell::open::Documents`]); everything else is shared.
//!
//! Each command has a file in `commands/`, whose documentation is its help. The commands are thin:
//! the answers are made by libraries, and the shell is `coconut-shell`.

#![forbid(unsafe_code)]

mod commands;

pub use commands::explain::explained_codes;
pub use commands::{Command, Picture, Value};
