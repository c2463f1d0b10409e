//! The command line.

use crate::commands::Command;
use clap::{Args, Parser, ValueEnum};

/// Shows compiled Coconut documents, and never changes them
///
/// FILE is a compiled document, `-` for standard input. Files in the text encoding (`+json`) are read too.
///
/// Exit codes: 0 good; 1 a negative answer (nothing found, a file is damaged); 2 wrong usage, or a file that
/// cannot be read; 4 a file that cannot be decoded; 7 a limit was hit.
#[derive(Debug, Parser)]
#[command(name = "coco-inspect", version, arg_required_else_help = true, disable_help_subcommand = true)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: GlobalOptions,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Options of every command.
#[derive(Args, Clone, Debug)]
pub(crate) struct GlobalOptions {
    /// Write reports as one JSON object with a `format_version`; errors and warnings too. See `coco-inspect schema`
    ///
    /// What is the answer itself stays what it is: the document that `dump` prints, a schema, completions, manual pages, and
    /// rules for other programs.
    ///
    /// Long lists are written as they are read: where an error comes in the middle, with an exit status of its own, the object
    /// is cut off.
    #[arg(long, global = true, help_heading = "Output")]
    pub(crate) json: bool,

    /// Show values that the document marks as secret
    #[arg(long, global = true, help_heading = "Output")]
    pub(crate) reveal: bool,

    /// When to use colour; `auto` also obeys NO_COLOR and CLICOLOR_FORCE
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", help_heading = "Output")]
    pub(crate) color: ColorChoice,
}

/// When to use colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorChoice {
    /// On a terminal.
    Auto,
    /// Whatever the output is.
    Always,
    /// Not at all.
    Never,
}

impl From<ColorChoice> for anstream::ColorChoice {
    fn from(choice: ColorChoice) -> Self {
        match choice {
            ColorChoice::Auto => anstream::ColorChoice::Auto,
            ColorChoice::Always => anstream::ColorChoice::Always,
            ColorChoice::Never => anstream::ColorChoice::Never,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_command_has_an_example_in_its_help() {
        for command in Cli::command().get_subcommands_mut() {
            let help = command.render_long_help().to_string();
            let example = format!("$ coco-inspect {}", command.get_name());
            assert!(help.contains(&example), "{} has no example", command.get_name());
        }
    }

    #[test]
    fn commands_of_the_readme_are_possible() {
        let lines = include_str!("../../README.md").lines();
        let commands: Vec<&str> = lines
            .filter(|line| line.starts_with("coco "))
            .filter_map(|line| line.get(line.find("coco-inspect ")?..))
            .collect();
        assert!(commands.len() >= 7, "{commands:?}");
        for command in commands {
            let words = command.split('#').next().unwrap_or_default().split_whitespace();
            let parsed = Cli::try_parse_from(words.map(|word| word.trim_matches('\'')));
            assert!(parsed.is_ok(), "{command}\n{}", parsed.unwrap_err());
        }
    }
}
