//! `coco completions`: what a shell needs to complete command lines.

use crate::command_line::{CommandLine, examples};
use crate::failure::{Exit, Failure};
use crate::screen::Screen;
use clap::{Args, CommandFactory};
use clap_complete::Shell;

/// Print completions for a shell
///
/// Where the script belongs is the shell's affair: for bash a file in
/// ~/.local/share/bash-completion/completions/, for fish one in ~/.config/fish/completions/, for zsh `_coco` in a
/// folder of `$fpath`.
#[derive(Debug, Args)]
#[command(after_long_help = examples(include_str!("../../tests/commands/completions.md")))]
pub(crate) struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(self, screen: &Screen) -> Result<Exit, Failure> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut CommandLine::command(), "coco", &mut script);
        screen.print(&String::from_utf8_lossy(&script))?;
        Ok(Exit::Good)
    }
}
