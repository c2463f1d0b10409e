//! `coco compile`: runs `cocojs`, a program of its own.

use crate::beside;
use clap::Args;
use coconut_report::{Exit, Failure, code};
use coconut_shell::Console;
use std::ffi::OsString;
use std::path::PathBuf;

/// The program that compiles, without the ending of the system.
const COMPILER: &str = "cocojs";

/// Compile a program to a package
///
/// Runs `cocojs build`, which compiles a subset of TypeScript. `cocojs` is a program of its own,
/// beside `coco` or on the PATH. `cocojs build --help` describes the program in DIR and the forms
/// of the package.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../../tests/help/compile.trycmd"))]
pub(crate) struct Compile {
    /// Folder of the program
    #[arg(default_value = ".", value_name = "DIR")]
    folder: PathBuf,
    /// Write the package to this file; `-` is standard output
    #[arg(short, long, value_name = "PACK")]
    output: PathBuf,
    /// Write the bytes of a compiler of 2017
    #[arg(long, value_name = "COMPILER")]
    compat: Option<String>,
    /// A package that the program uses (repeatable)
    #[arg(long, value_name = "PATH")]
    with: Vec<PathBuf>,
}

impl Compile {
    pub(crate) fn run(self, console: &Console) -> Result<Exit, Failure> {
        let compiler = beside::find(COMPILER, code::COMPILER_MISSING)?;
        beside::run(&compiler, &self.arguments(), console)
    }

    fn arguments(self) -> Vec<OsString> {
        let mut arguments: Vec<OsString> = vec!["build".into(), "-o".into(), self.output.into()];
        if let Some(compat) = self.compat {
            arguments.extend(["--compat".into(), compat.into()]);
        }
        for package in self.with {
            arguments.extend(["--with".into(), package.into()]);
        }
        arguments.extend(["--".into(), self.folder.into()]);
        arguments
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn a_missing_compiler_is_an_error_that_says_how_to_get_it() {
        let failure = beside::missing(COMPILER, code::COMPILER_MISSING);
        assert_eq!((failure.code(), failure.exit()), ("COMPILER-MISSING", Exit::Usage));
        assert!(failure.to_lines().contains("cargo install cocojs"), "{}", failure.to_lines());
    }
}
