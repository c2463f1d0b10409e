//! `coco`, the tool that makes things: it compiles documents, brings them back, and looks values up.
//!
//! Parse, run, report. What can be called is in [`command_line`], what each command does in a file of
//! [`commands`], and how failures become messages and exit codes in [`failure`].

#![forbid(unsafe_code)]

mod command_line;
mod commands;
mod destination;
mod document;
mod failure;
mod fleet;
mod identity;
mod loading;
mod numbers;
mod screen;

use clap::Parser;
use command_line::CommandLine;
use failure::Exit;
use screen::Screen;
use std::process::ExitCode;

fn main() -> ExitCode {
    // Without it an entry of the cache that is truncated under us still ends the process, only less politely.
    let _ = coconut_codec::bytes::map::install_sigbus_message();
    // Without it a write beyond the limit of file sizes still ends the process, and leaves its temporary file.
    let _ = coconut_codec::bytes::map::install_file_limit_error();
    let (screen, exit) = match CommandLine::try_parse() {
        Ok(line) => {
            let screen = Screen::new(&line.global);
            let result = line.command.run(&screen);
            let exit = result.unwrap_or_else(|failure| screen.report(&[failure]));
            (screen, exit)
        }
        Err(error) => {
            // The wish for JSON stands somewhere in a line that could not be parsed.
            let screen = Screen::of_arguments(std::env::args_os().skip(1));
            let exit = screen.report_usage(&error);
            (screen, exit)
        }
    };
    match screen.flush() {
        Ok(()) => exit.code(),
        Err(_) => Exit::Usage.code(),
    }
}
