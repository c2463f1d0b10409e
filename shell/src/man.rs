//! `man`: prints the manual pages.

use crate::console::Console;
use crate::help;
use crate::tool::{self, Tool};
use clap::{Args, Command};
use coconut_codec::bytes::replace::replace;
use coconut_format::truncated::Truncated;
use coconut_report::failure::{Exit, Failure};
use std::fs;
use std::path::{Path, PathBuf};

/// Print a manual page, or write the pages of all commands
///
/// `man | man -l -` shows the page of the tool. `man -o DIR` writes one file for each command, for
/// packagers.
#[derive(Args, Debug)]
pub struct Man {
    /// A command, such as `get`, or `pack build` as two words
    command: Vec<String>,

    /// Folder for the pages of all commands
    #[arg(short, long, value_name = "DIR", conflicts_with = "command")]
    output: Option<PathBuf>,
}

impl Man {
    /// Prints or writes them.
    pub fn run<T: Tool>(&self, console: &mut Console) -> Result<Exit, Failure> {
        let has_help = self.output.is_none();
        let tool = help::with_help(help::bare::<T>().disable_help_subcommand(!has_help));
        if let Some(folder) = &self.output {
            write_pages(&tool, folder)?;
            return Ok(Exit::Good);
        }
        let mut page = &tool;
        for name in &self.command {
            let known = page.find_subcommand(name);
            page = known.ok_or_else(|| {
                let near = tool::similar_commands(name, &tool);
                let failure = Failure::usage(format!("no command `{}`", Truncated(name)));
                failure.similar_to(near, "`--help` lists the commands")
            })?;
        }
        let mut text = Vec::new();
        clap_mangen::Man::new(page.clone()).render(&mut text)?;
        console.lines(&text)?;
        Ok(Exit::Good)
    }
}

/// Writes the page of `command` and of each of its subcommands. Replaces a page as a whole.
fn write_pages(command: &Command, folder: &Path) -> Result<(), Failure> {
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        write_pages(below, folder)?;
    }
    let manual = clap_mangen::Man::new(command.clone());
    let mut page = Vec::new();
    let path = folder.join(manual.get_filename());
    let written = manual.render(&mut page).and_then(|()| fs::create_dir_all(folder));
    written.and_then(|()| replace(&path, &page)).map_err(|error| Failure::writing(&path, &error))
}
