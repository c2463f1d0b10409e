//! `coco`, the tool that creates documents: it compiles and unpacks them, and manages their cache.
//!
//! The commands that show documents, and the shell around all commands, come from `coco-inspect`.
//! Each command of `coco` itself has a file in [`commands`]. [`loading`] finds documents by the
//! names of packages and through the cache.

#![forbid(unsafe_code)]

mod beside;
mod command_line;
mod commands;
mod destination;
mod failure;
mod fleet;
mod form;
mod identity;
mod loading;
mod numbers;

use std::process::ExitCode;

fn main() -> ExitCode {
    coconut_shell::tool::main::<command_line::CommandLine>()
}
