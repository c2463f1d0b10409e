//! What can be said to `coco`.

use crate::commands::{build, cache, completions, convert, explain, get, man, unpack, verify};
use crate::failure::{Exit, Failure};
use crate::screen::Screen;
use clap::builder::Styles;
use clap::builder::styling::{AnsiColor, Effects};
use clap::{Args, Parser, Subcommand, ValueEnum};

/// Makes, converts and verifies Coconut documents: compiled forms of JSON and YAML.
///
/// A compiled document answers `coco get` without being decoded, and always goes back to exactly the same
/// value. The source stays the truth; what is compiled can be deleted at any time.
#[derive(Debug, Parser)]
#[command(name = "coco", version, styles = STYLES, after_help = EXIT_CODES, max_term_width = 100)]
#[command(propagate_version = true, subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct CommandLine {
    #[command(flatten)]
    pub(crate) global: GlobalOptions,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What every command understands.
#[derive(Debug, Args)]
pub(crate) struct GlobalOptions {
    /// Print reports as one JSON document with a `format_version`; failures are one JSON object on standard error
    ///
    /// What is the result itself stays what it is: what `pack unpack` and `pack convert` bring back, completions, and
    /// manual pages.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Print no reports and no progress, only results and failures
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
    /// When to use colour; NO_COLOR and CLICOLOR_FORCE are respected
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", hide_possible_values = false)]
    pub(crate) color: Color,
}

/// When to use colour.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(crate) enum Color {
    /// On terminals
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Compile documents, bring them back, convert them
    #[command(subcommand)]
    Pack(PackCommand),
    Get(get::Get),
    /// Look at what is kept of sources that were compiled once
    #[command(subcommand)]
    Cache(cache::CacheCommand),
    Explain(explain::Explain),
    Completions(completions::Completions),
    Man(man::Man),
}

#[derive(Debug, Subcommand)]
pub(crate) enum PackCommand {
    Build(build::Build),
    Unpack(unpack::Unpack),
    Convert(convert::Convert),
    Verify(verify::Verify),
}

impl Command {
    /// Does what was asked for.
    pub(crate) fn run(self, screen: &Screen) -> Result<Exit, Failure> {
        match self {
            Command::Pack(PackCommand::Build(build)) => build.run(screen),
            Command::Pack(PackCommand::Unpack(unpack)) => unpack.run(screen),
            Command::Pack(PackCommand::Convert(convert)) => convert.run(screen),
            Command::Pack(PackCommand::Verify(verify)) => verify.run(screen),
            Command::Get(get) => get.run(screen),
            Command::Cache(cache) => cache.run(screen),
            Command::Explain(explain) => explain.run(screen),
            Command::Completions(completions) => completions.run(screen),
            Command::Man(man) => man.run(screen),
        }
    }
}

const EXIT_CODES: &str = "\
Exit codes:
  0  done, and the answer is good
  1  a negative answer: not found, ambiguous, out of date, findings, damage
  2  wrong usage, or a file cannot be read or written
  4  a source or a compiled document is not well formed
  7  a limit was hit
Of several failures, the first decides.";

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().effects(Effects::BOLD))
    .usage(AnsiColor::Green.on_default().effects(Effects::BOLD))
    .literal(AnsiColor::Cyan.on_default().effects(Effects::BOLD))
    .placeholder(AnsiColor::Cyan.on_default());

/// The examples of a command as its help shows them: a transcript that is also a test (`tests/commands`), without
/// the fences, and with `…` for what differs from run to run.
pub(crate) fn examples(transcript: &str) -> String {
    let mut text = String::from("Examples:\n");
    for line in transcript.lines().filter(|line| !line.starts_with("```")) {
        let line = line.replace("[..]", "…").replace("[EXE]", "");
        text.push_str(format!("  {line}").trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        CommandLine::command().debug_assert();
    }

    #[test]
    fn examples_are_shown_without_fences() {
        let transcript = "Compile:\n\n```\n$ coco pack build a.json\n1 document in [..] ms\n```\n";
        assert_eq!(
            examples(transcript),
            "Examples:\n  Compile:\n\n  $ coco pack build a.json\n  1 document in … ms\n"
        );
    }

    #[test]
    fn commands_of_the_readme_are_possible() {
        let lines = include_str!("../../README.md").lines();
        let commands: Vec<&str> = lines.filter(|line| line.starts_with("coco ")).collect();
        assert!(commands.len() >= 12, "{commands:?}");
        for command in commands {
            let words = command.split('#').next().unwrap_or_default().split_whitespace();
            let parsed = CommandLine::try_parse_from(words.map(|word| word.trim_matches('\'')));
            assert!(parsed.is_ok(), "{command}\n{}", parsed.unwrap_err());
        }
    }
}
