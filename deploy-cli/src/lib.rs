//! The commands of `coco-deploy` as a library, for programs with providers of their own.
//!
//! A program with a provider in Rust passes it to [`main`]:
//!
//! ```no_run
//! use coconut_deploy::Providers;
//! use std::process::ExitCode;
//!
//! fn main() -> ExitCode {
//!     coco_deploy::main(Providers::new())
//! }
//! ```
//!
//! `examples/files.rs` is such a program: its resources are files in a folder.

#![forbid(unsafe_code)]

mod command_line;
mod commands;
mod failure;
mod interrupt;
mod passphrase;
mod place;
mod program;
mod providers;
mod settings;
mod shown;

use coconut_deploy::Providers;
use std::process::ExitCode;

/// Parses the command line of this process, runs the command, and reports the result. `native` are
/// providers that are part of the program.
pub fn main(native: Providers) -> ExitCode {
    providers::set_native(native);
    coconut_shell::tool::main::<command_line::CommandLine>()
}
