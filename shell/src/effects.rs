//! Global options, and the commands on which they have an effect.
//!
//! `--color` and `--quiet` keep a promise that every command can keep: the colour of messages, and
//! output without notes. The other options ask for something that a command must have: a report, a
//! secret, or long output. A command without it refuses the option, because its user expects
//! something that does not happen.

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{ArgMatches, Command, Error};

/// The commands on which an option has an effect.
enum Commands {
    Only(&'static [&'static str]),
    AllExcept(&'static [&'static str]),
}

/// The options that some commands refuse.
const OPTIONS: [(&str, Commands); 3] = [
    // Where the result is a document, errors and warnings are JSON. These have none to speak of.
    ("json", Commands::AllExcept(&["mcp", "magic", "completions", "man"])),
    // These read no document. All others hide secrets in values, or in excerpts of a faulty source.
    (
        "reveal",
        Commands::AllExcept(&[
            "cache dir",
            "cache ls",
            "cache verify",
            "cache prune",
            "cache clean",
            "git-setup",
            "mcp",
            "pull",
            "resolve",
            "copy",
            "lock",
            "attach",
            "explain",
            "schema",
            "magic",
            "completions",
            "man",
        ]),
    ),
    ("paging", Commands::Only(&PAGED)),
];

/// The commands whose output is often longer than a screen, as `Command::is_long` has them.
const PAGED: [&str; 28] = [
    "info",
    "ls",
    "get",
    "dump",
    "find",
    "query",
    "stat",
    "deps",
    "rdeps",
    "diff",
    "path",
    "impact",
    "cycles",
    "roots",
    "leaves",
    "orphans",
    "explain",
    "schema",
    "show",
    "log",
    "history",
    "serve",
    "hub",
    // Their program decides.
    "env",
    "deploy",
    "destroy",
    "refresh",
    "import-live",
];

impl Commands {
    fn contains(&self, command: &str) -> bool {
        match self {
            Commands::Only(commands) => commands.contains(&command),
            Commands::AllExcept(commands) => !commands.contains(&command),
        }
    }

    /// The commands of the tool, as a hint shows them.
    fn described(&self, tool: &Command) -> String {
        let (prefix, commands) = match self {
            Commands::Only(commands) => ("", commands),
            Commands::AllExcept(commands) => ("all commands except ", commands),
        };
        let is_known = |command: &&&str| {
            command.split(' ').try_fold(tool, |tool, word| tool.find_subcommand(word)).is_some()
        };
        let names: Vec<String> = commands.iter().filter(is_known).map(|name| format!("`{name}`")).collect();
        format!("{prefix}{}", names.join(", "))
    }
}

/// Whether a global option has an effect on a command, which is given by all its words. A command
/// that only has subcommands accepts what any of them accepts.
pub(crate) fn has_effect(option: &str, command: &str) -> bool {
    let commands = OPTIONS.iter().find(|(name, _)| *name == option).map(|(_, commands)| commands);
    let is_group = ["pack", "cache"].contains(&command) && option != "paging";
    is_group || commands.is_none_or(|commands| commands.contains(command))
}

/// Refuses a global option that has no effect on the command that is given.
pub(crate) fn check(tool: &Command, matches: &ArgMatches) -> Result<(), Error> {
    let (mut matches, mut words) = (matches, Vec::new());
    while let Some((word, below)) = matches.subcommand() {
        words.push(word);
        matches = below;
    }
    let command = words.join(" ");
    for (option, commands) in OPTIONS {
        let is_given = matches.value_source(option) == Some(ValueSource::CommandLine);
        if is_given && !commands.contains(&command) {
            let message = format!(
                "`--{option}` has no effect on `{} {command}`\n  = it works with {}",
                tool.get_name(),
                commands.described(tool)
            );
            return Err(Error::raw(ErrorKind::ArgumentConflict, message));
        }
    }
    Ok(())
}
