//! `coco man`: the manual pages.

use crate::command_line::{CommandLine, examples};
use crate::failure::{Exit, Failure};
use crate::screen::Screen;
use clap::{Args, CommandFactory};
use std::path::PathBuf;

/// Print the manual page, or write those of all commands
///
/// `coco man | man -l -` shows the page of `coco`; `coco man -o DIR` writes one file for each command, as
/// packagers want them.
#[derive(Debug, Args)]
#[command(after_long_help = examples(include_str!("../../tests/commands/man.md")))]
pub(crate) struct Man {
    /// Folder for the pages of all commands
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
}

impl Man {
    pub(crate) fn run(self, screen: &Screen) -> Result<Exit, Failure> {
        let command = CommandLine::command();
        match &self.output {
            None => {
                let mut page = Vec::new();
                clap_mangen::Man::new(command)
                    .render(&mut page)
                    .map_err(|error| Failure::printing(&error))?;
                screen.print(&String::from_utf8_lossy(&page))?;
            }
            Some(folder) => {
                let failed = |error| Failure::writing(folder, &error);
                std::fs::create_dir_all(folder).map_err(failed)?;
                clap_mangen::generate_to(command, folder).map_err(failed)?;
            }
        }
        Ok(Exit::Good)
    }
}
