//! `completions`: prints completion scripts for shells.

use crate::console::Console;
use crate::help;
use crate::tool::Tool;
use clap::Args;
use clap_complete::Shell;
use coconut_report::failure::{Exit, Failure};

/// Print a completion script for a shell
///
/// The right place for the script depends on the shell. For bash, it is a file in
/// ~/.local/share/bash-completion/completions/; for fish, a file in ~/.config/fish/completions/.
/// For zsh, it is a file in a folder of `$fpath`. Its name is `_` and the name of the tool.
#[derive(Args, Debug)]
pub struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    /// Prints the script.
    pub fn run<T: Tool>(&self, console: &mut Console) -> Result<Exit, Failure> {
        let mut command = help::command::<T>();
        let name = command.get_name().to_owned();
        // The generator panics if it cannot write, so it writes to memory.
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut command, name, &mut script);
        console.lines(&script)?;
        Ok(Exit::Good)
    }
}
