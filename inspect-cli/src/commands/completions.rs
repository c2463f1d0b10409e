//! `completions`: what shells complete.

use crate::console::Console;
use crate::failure::{Exit, Failure};
use crate::shell::{self, Tool, examples};
use clap::Args;
use clap_complete::Shell;

/// Print a completion script for a shell
///
/// Each shell has its own place for it: for bash a file in ~/.local/share/bash-completion/completions/, for fish one in
/// ~/.config/fish/completions/, for zsh a file with the name of the tool after `_` in a folder of `$fpath`.
#[derive(Args, Debug)]
#[command(after_long_help = examples(include_str!("../../tests/help/completions.trycmd")))]
pub struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    pub(super) fn run<T: Tool>(&self, console: &mut Console) -> Result<Exit, Failure> {
        let mut command = shell::command::<T>();
        let name = command.get_name().to_owned();
        clap_complete::generate(self.shell, &mut command, name, console);
        Ok(Exit::Good)
    }
}
