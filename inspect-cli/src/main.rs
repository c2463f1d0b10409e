//! `coco-inspect` shows compiled documents: what is in them, one value of them, and whether they are whole.
//!
//! It never writes a document; `coco` does. Each subcommand has a file below `commands/`, whose documentation is
//! its help. What several of them need stands beside them: opening files, looking up keys, keeping secrets, and
//! writing for people and for machines.

#![forbid(unsafe_code)]

mod cli;
mod code;
mod commands;
mod compare;
mod console;
mod failure;
mod glob;
mod json;
mod limits;
mod measure;
mod open;
mod place;
mod redact;
mod select;
mod wire;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = match cli::Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return console::report_usage(&error, std::env::args_os().skip(1)),
    };
    let mut console = console::Console::new(&cli.global);
    // Without it a file that is truncated under us still ends the process, only less politely.
    let _ = coconut_codec::bytes::map::install_sigbus_message();
    let _ = coconut_codec::bytes::map::install_file_limit_error();
    let result = commands::run(cli.command, &mut console);
    let flushed = console.flush_output();
    if console.is_closed() {
        // Who read the output has seen enough.
        return ExitCode::SUCCESS;
    }
    match result.and_then(|exit| flushed.map(|()| exit)) {
        Ok(exit) => exit.into(),
        Err(failure) => {
            console.report(&failure);
            failure.exit().into()
        }
    }
}
