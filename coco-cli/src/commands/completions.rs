//! `coco completions`: what a shell needs to complete command lines.

use crate::command_line::CommandLine;
use crate::failure::{Exit, Failure};
use crate::screen::Screen;
use clap::{Args, CommandFactory};
use clap_complete::Shell;

/// Print completions for a shell
///
/// For bash: `coco completions bash > ~/.local/share/bash-completion/completions/coco`; for fish:
/// `coco completions fish > ~/.config/fish/completions/coco.fish`; for zsh, into a folder of `$fpath`, as `_coco`.
#[derive(Debug, Args)]
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
