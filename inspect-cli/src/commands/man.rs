//! `coco-inspect man`: the manual page.

use crate::cli::Cli;
use crate::console::Console;
use crate::failure::{Exit, Failure};
use clap::{Args, CommandFactory as _};

/// Print the manual page, of the tool or of one command, in roff
#[derive(Args, Debug)]
#[command(after_long_help = super::examples(include_str!("../../tests/help/man.trycmd")))]
pub(crate) struct Man {
    /// A command
    command: Option<String>,
}

impl Man {
    pub(super) fn run(&self, console: &mut Console) -> Result<Exit, Failure> {
        let mut cli = Cli::command();
        cli.build();
        let page = match &self.command {
            None => cli,
            Some(name) => {
                let known = cli.find_subcommand(name).cloned();
                known.ok_or_else(|| Failure::usage(format!("no command `{name}`")))?
            }
        };
        clap_mangen::Man::new(page).render(console)?;
        Ok(Exit::Good)
    }
}
