//! `coco`, the tool that makes things: it compiles documents, brings them back, and looks after their cache.
//!
//! The commands that show documents, and the shell around all commands, are those of `coco-inspect`. What it adds has a
//! file each in [`commands`]; how documents are found by the names of packages and through the cache is in [`loading`].

#![forbid(unsafe_code)]

mod command_line;
mod commands;
mod destination;
mod failure;
mod fleet;
mod identity;
mod loading;
mod numbers;

use std::process::ExitCode;

fn main() -> ExitCode {
    coco_inspect::shell::main::<command_line::CommandLine>()
}
