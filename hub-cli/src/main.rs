//! `coco-hub`: documents in OCI registries and image layouts.

#![forbid(unsafe_code)]

mod command_line;
mod commands;
mod failure;

use std::process::ExitCode;

fn main() -> ExitCode {
    coconut_shell::tool::main::<command_line::CommandLine>()
}
