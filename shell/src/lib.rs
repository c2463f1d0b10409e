//! The shell that `coco-inspect` and `coco` share: everything around their commands.
//!
//! ```no_run
//! use clap::Parser;
//! use coconut_report::{Exit, Failure};
//! use coconut_shell::console::{Console, GlobalOptions};
//! use coconut_shell::open::{Access, Documents, Files};
//! use coconut_shell::tool::{self, Tool};
//!
//! /// Prints the kind of a document
//! #[derive(Debug, Parser)]
//! struct Kind {
//!     #[command(flatten)]
//!     global: GlobalOptions,
//!     #[command(flatten)]
//!     files: Files,
//!     file: std::path::PathBuf,
//! }
//!
//! impl Tool for Kind {
//!     fn global(&self) -> &GlobalOptions {
//!         &self.global
//!     }
//!
//!     fn run(self, console: &mut Console) -> Result<Exit, Failure> {
//!         let opened = self.files.open(&self.file, Access::Outline, console)?;
//!         console.line(opened.view().header().document_type.as_str())?;
//!         Ok(Exit::Good)
//!     }
//! }
//!
//! fn main() -> std::process::ExitCode {
//!     tool::main::<Kind>()
//! }
//! ```
//!
//! * [`tool`] parses the command line, runs the command and exits; [`help`] makes the help.
//!   Options that have no effect on a command are refused.
//! * [`completions`] and [`man`] are commands that print what a package of the tool installs.
//! * [`choice`] reads options whose values are enums of the libraries.
//! * [`console`] is the output, with the options that every command follows and a pager.
//! * [`open`] opens documents and sources; [`rules`] has a team's own rules for sources.
//! * [`sources`] runs a command for several files; [`folders`] finds those in folders.

#![forbid(unsafe_code)]

pub mod choice;
pub mod completions;
pub mod console;
mod effects;
pub mod folders;
pub mod help;
pub mod man;
pub mod open;
mod pager;
pub mod pcore;
pub mod rules;
pub mod sources;
pub mod tool;

pub use console::Console;
pub use pager::Paging;
