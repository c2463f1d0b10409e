//! `coco-history`: histories of documents, and a server that keeps states.

#![forbid(unsafe_code)]

mod command_line;
mod commands;
mod failure;
mod named;
mod serve;
mod shown;

use std::process::ExitCode;

fn main() -> ExitCode {
    coconut_shell::tool::main::<command_line::CommandLine>()
}
