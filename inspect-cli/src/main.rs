//! `coco-inspect` shows documents and never writes one. Its code is in the library of this package.

#![forbid(unsafe_code)]

use clap::{Parser, Subcommand};
use coco_inspect::{Command, Picture};
use coconut_report::{Exit, Failure};
use coconut_shell::Console;
use coconut_shell::console::GlobalOptions;
use coconut_shell::open::Files;
use coconut_shell::tool::{self, Tool};
use std::process::ExitCode;

/// Shows Coconut documents without changing them
///
/// FILE is a compiled document, a document in the text encoding (`+json`), or a JSON or YAML
/// source, which is compiled in memory. `-` is standard input, and a folder means the documents and
/// sources in it. Of several files, each result names its file.
#[derive(Debug, Parser)]
#[command(name = "coco-inspect", version)]
struct Cli {
    #[command(flatten)]
    global: GlobalOptions,
    #[command(subcommand)]
    command: Show,
}

#[derive(Debug, Subcommand)]
#[command(defer = true)]
enum Show {
    #[command(flatten)]
    Command(Command<Files>),
    Graph(Picture<Files>),
}

impl Tool for Cli {
    fn global(&self) -> &GlobalOptions {
        &self.global
    }

    fn run(self, console: &mut Console) -> Result<Exit, Failure> {
        match self.command {
            Show::Command(command) => command.run::<Cli>(console),
            Show::Graph(picture) => picture.run(console),
        }
    }
}

fn main() -> ExitCode {
    tool::main::<Cli>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use coconut_shell::help;

    #[test]
    fn the_command_line_is_well_formed() {
        help::command::<Cli>().debug_assert();
    }

    #[test]
    fn short_help_fits_a_small_terminal_and_begins_with_examples() {
        let mut tool = help::command::<Cli>();
        let mut helps = vec![tool.render_help().to_string()];
        let commands = tool.get_subcommands_mut().filter(|command| command.get_name() != "help");
        helps.extend(commands.map(|command| command.render_help().to_string()));
        for help in helps {
            let columns = help.lines().map(|line| line.chars().count()).max();
            assert!(help.lines().count() <= 40 && columns <= Some(80), "{columns:?} columns: {help}");
            assert!(help.find("\nExamples:\n") < help.find("\nOptions:\n"), "{help}");
            assert!(help.contains("\nExamples:\n") && !help.contains("--paging "), "{help}");
        }
    }

    #[test]
    fn every_command_has_an_example_in_its_help() {
        let mut tool = help::command::<Cli>();
        for command in tool.get_subcommands_mut().filter(|command| command.get_name() != "help") {
            let help = command.render_long_help().to_string();
            let example = format!("$ coco-inspect {}", command.get_name());
            assert!(help.contains(&example), "{} has no example", command.get_name());
        }
    }
}
