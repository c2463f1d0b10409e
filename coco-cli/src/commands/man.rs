//! `coco man`: the manual pages.

use crate::command_line::{CommandLine, examples};
use crate::destination::{Content, Destination, WriteOptions};
use crate::failure::{Exit, Failure};
use crate::screen::Screen;
use clap::{Args, Command, CommandFactory};
use std::path::{Path, PathBuf};

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
                let mut command = command.disable_help_subcommand(true);
                command.build();
                write_pages(&command, folder)?;
            }
        }
        Ok(Exit::Good)
    }
}

/// Writes the page of `command` and of each command below it: whole ones only.
fn write_pages(command: &Command, folder: &Path) -> Result<(), Failure> {
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        write_pages(below, folder)?;
    }
    let manual = clap_mangen::Man::new(command.clone());
    let mut page = Vec::new();
    let path = folder.join(manual.get_filename());
    manual.render(&mut page).map_err(|error| Failure::writing(&path, &error))?;
    Destination::File(path).write_bytes(Content::Text, WriteOptions::default(), None, &page)
}
