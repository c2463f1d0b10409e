//! `cocojs check`: finds the errors of a program.

use crate::rendering::failures_of;
use clap::Args;
use cocojs::{Options, build};
use coconut_codec::text::json::{JsonStyle, Printer};
use coconut_report::{Exit, Failure};
use coconut_shell::Console;
use std::io;
use std::path::PathBuf;

/// Find the errors of a program
///
/// Reads a program as `cocojs build` does, and writes nothing.
///
/// Exits with 1 if the program has errors.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../../tests/help/check.trycmd"))]
pub(crate) struct Check {
    /// Folder of the program
    #[arg(default_value = ".", value_name = "DIR")]
    folder: PathBuf,
    /// A package that the program uses (repeatable)
    ///
    /// Other packages are found by name.
    #[arg(long, value_name = "PATH")]
    with: Vec<PathBuf>,
    /// Refuse packages found by name that `coco.lock` does not have
    #[arg(long)]
    locked: bool,
}

impl Check {
    pub(crate) fn run(self, console: &mut Console) -> Result<Exit, Failure> {
        let options = Options { packages: self.with, is_locked: self.locked, ..Options::default() };
        let mut nowhere = Printer::new(io::sink(), JsonStyle::Minified);
        match build(&self.folder, &options, &mut nowhere) {
            Ok(()) => Ok(Exit::Good),
            Err(faults) => Ok(console.report(&failures_of(&self.folder, &faults, console.reveal))),
        }
    }
}
