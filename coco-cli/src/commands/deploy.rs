//! `coco env`, `deploy`, `destroy`, `refresh` and `import-live`: run `coco-deploy`, a program of
//! its own.

use crate::beside;
use clap::Args;
use coconut_report::{Exit, Failure, code};
use coconut_shell::Console;
use std::ffi::OsString;

/// The program with clients of providers, without the ending of the system.
const PROGRAM: &str = "coco-deploy";

/// The arguments of a command of that program.
#[derive(Debug, Args)]
pub(crate) struct Deployment {
    /// The arguments; `coco-deploy COMMAND --help` describes them
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENT")]
    arguments: Vec<OsString>,
}

impl Deployment {
    /// Runs this command of that program.
    pub(crate) fn run(self, command: &str, console: &Console) -> Result<Exit, Failure> {
        let arguments: Vec<OsString> = [OsString::from(command)].into_iter().chain(self.arguments).collect();
        beside::run(&beside::find(PROGRAM, code::DEPLOY_MISSING)?, &arguments, console)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_program_is_an_error_that_says_how_to_get_it() {
        let failure = beside::missing(PROGRAM, code::DEPLOY_MISSING);
        assert_eq!((failure.code(), failure.exit()), ("DEPLOY-MISSING", Exit::Usage));
        assert!(failure.to_lines().contains("cargo install coco-deploy"), "{}", failure.to_lines());
    }
}
