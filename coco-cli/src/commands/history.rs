//! `coco history` and `coco serve`: run `coco-history`, a program of its own.

use crate::beside;
use clap::Args;
use coconut_report::{Exit, Failure, code};
use coconut_shell::Console;
use std::ffi::OsString;

/// The program with SQLite and a server, without the ending of the system.
const PROGRAM: &str = "coco-history";

/// Keep every version of a document in one file
///
/// Runs `coco-history`, a program of its own, beside `coco` or on the PATH. `coco-history --help`
/// describes its commands: add, ls, log, diff, get, show, export, import, label, restore, prune,
/// verify and backup.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../../tests/help/history.trycmd"))]
pub(crate) struct History {
    /// A command of `coco-history`, and its arguments
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENT")]
    arguments: Vec<OsString>,
}

/// Keep states for Terraform and OpenTofu
///
/// Runs `coco-history serve`, beside `coco` or on the PATH. `coco-history serve --help` describes
/// its options.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../../tests/help/serve.trycmd"))]
pub(crate) struct Serve {
    /// The arguments of `coco-history serve`
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENT")]
    arguments: Vec<OsString>,
}

impl History {
    pub(crate) fn run(self, console: &Console) -> Result<Exit, Failure> {
        run(&self.arguments, console)
    }
}

impl Serve {
    pub(crate) fn run(self, console: &Console) -> Result<Exit, Failure> {
        let arguments: Vec<OsString> = [OsString::from("serve")].into_iter().chain(self.arguments).collect();
        run(&arguments, console)
    }
}

fn run(arguments: &[OsString], console: &Console) -> Result<Exit, Failure> {
    beside::run(&beside::find(PROGRAM, code::HISTORY_MISSING)?, arguments, console)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_program_is_an_error_that_says_how_to_get_it() {
        let failure = beside::missing(PROGRAM, code::HISTORY_MISSING);
        assert_eq!((failure.code(), failure.exit()), ("HISTORY-MISSING", Exit::Usage));
        assert!(failure.to_lines().contains("cargo install coco-history"), "{}", failure.to_lines());
    }
}
