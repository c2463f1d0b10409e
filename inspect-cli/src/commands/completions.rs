//! `coco-inspect completions`: what shells complete.

use crate::cli::Cli;
use crate::console::Console;
use crate::failure::{Exit, Failure};
use clap::{Args, CommandFactory as _};
use clap_complete::Shell;

/// Print a completion script for a shell
#[derive(Args, Debug)]
#[command(after_long_help = super::examples(include_str!("../../tests/help/completions.trycmd")))]
pub(crate) struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    pub(super) fn run(&self, console: &mut Console) -> Result<Exit, Failure> {
        clap_complete::generate(self.shell, &mut Cli::command(), "coco-inspect", console);
        Ok(Exit::Good)
    }
}
