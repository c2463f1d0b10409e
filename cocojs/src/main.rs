//! `cocojs`, which compiles programs to packages.

#![forbid(unsafe_code)]

mod command_line;
mod commands;
mod rendering;

use std::process::ExitCode;

fn main() -> ExitCode {
    coconut_shell::tool::main::<command_line::CommandLine>()
}
