//! `coco hub`: runs `coco-hub`, a program of its own. `coco get` uses it for remote documents.

use crate::beside;
use clap::Args;
use coconut_report::{Exit, Failure, code};
use coconut_shell::Console;
use std::ffi::{OsStr, OsString};

/// The program with a client of HTTP, without the ending of the system.
const PROGRAM: &str = "coco-hub";

/// Documents with such names are read by that program.
const SCHEMES: [&str; 6] = ["oci://", "oci-layout:", "s3://", "gs://", "az://", "https://"];

/// Publish and fetch documents in OCI registries
///
/// Runs `coco-hub`, a program of its own, beside `coco` or on the PATH. `coco-hub --help` describes
/// its commands: push, pull, resolve, ls, copy, lock, check and get.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../../tests/help/hub.trycmd"))]
pub(crate) struct Hub {
    /// A command of `coco-hub`, and its arguments
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENT")]
    arguments: Vec<OsString>,
}

impl Hub {
    pub(crate) fn run(self, console: &Console) -> Result<Exit, Failure> {
        run(&self.arguments, console)
    }
}

/// Whether an argument names a remote document.
pub(crate) fn is_remote(argument: &OsStr) -> bool {
    argument.to_str().is_some_and(|argument| SCHEMES.iter().any(|scheme| argument.starts_with(scheme)))
}

/// Runs the command of this process, with all its options, in that program.
pub(crate) fn run_as_given() -> Result<Exit, Failure> {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    beside::run_with(&beside::find(PROGRAM, code::HUB_MISSING)?, &arguments)
}

fn run(arguments: &[OsString], console: &Console) -> Result<Exit, Failure> {
    beside::run(&beside::find(PROGRAM, code::HUB_MISSING)?, arguments, console)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_program_is_an_error_that_says_how_to_get_it() {
        let failure = beside::missing(PROGRAM, code::HUB_MISSING);
        assert_eq!((failure.code(), failure.exit()), ("HUB-MISSING", Exit::Usage));
        assert!(failure.to_lines().contains("cargo install coco-hub"), "{}", failure.to_lines());
    }

    #[test]
    fn remote_documents_are_known_by_their_schemes() {
        for remote in ["oci://hub.example/a:1", "oci-layout:a:1", "s3://b/c", "https://host/x.coco"] {
            assert!(is_remote(OsStr::new(remote)), "{remote}");
        }
        for local in ["a.json", "oci", "./oci:1", "http://host/x", "s3:b"] {
            assert!(!is_remote(OsStr::new(local)), "{local}");
        }
    }
}
