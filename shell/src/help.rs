//! The help of a tool. It is built only on request or for an error: parsing creates the arguments
//! of one command, and no texts.

use crate::effects;
use clap::builder::Styles;
use clap::builder::styling::{AnsiColor, Effects, Style};
use clap::{Arg, Command, CommandFactory};

/// The commands of both tools in the order of the help, in groups. A tool shows those it has.
pub const GROUPS: [(&str, &[&str]); 8] = [
    ("Everyday", &["get", "ls", "deps", "diff", "query"]),
    (
        "Look",
        &[
            "info", "find", "rdeps", "path", "impact", "cycles", "roots", "leaves", "orphans", "graph",
            "dump", "stat", "show", "log",
        ],
    ),
    ("Compare", &["plan", "patch"]),
    ("Make", &["pack", "compile", "build", "import", "convert"]),
    (
        "Keep",
        &[
            "check",
            "verify",
            "recover",
            "cache",
            "git-setup",
            "history",
            "serve",
            "mcp",
            "add",
            "label",
            "export",
            "prune",
            "restore",
            "backup",
        ],
    ),
    ("Deploy", &["env", "deploy", "destroy", "refresh", "import-live"]),
    ("Share", &["hub", "push", "pull", "resolve", "copy", "lock", "attach"]),
    ("About", &["explain", "schema", "magic", "completions", "man", "help"]),
];

/// Examples in `-h` of a tool itself, which shows those of its commands.
const EXAMPLES: [&str; 5] = [
    "ls stack.json                   # the keys that can be looked up",
    "get stack.json Vpc::main        # one value",
    "deps stack.json Vpc::main       # its dependencies",
    "diff old.tfstate new.tfstate    # what changed",
    "build shop -o shop.coco         # a package from the program in a folder",
];

/// The same for the tool of histories, whose commands with the same names take packs.
const EXAMPLES_OF_HISTORY: [&str; 4] = [
    "add shop.cocohist terraform.tfstate   # a new version",
    "log shop.cocohist aws_db.main         # every change of one resource",
    "diff shop.cocohist@~3                 # what changed since",
    "serve --root states                   # a server for Terraform and OpenTofu",
];

/// The same for the tool of registries.
const EXAMPLES_OF_HUB: [&str; 4] = [
    "push aws.coco oci://hub.example/acme/aws:1.0.0        # publish a package",
    "pull oci://hub.example/acme/aws:1.0.0 -o aws.coco     # fetch and verify it",
    "lock aws=oci://hub.example/acme/aws:1.0.0             # use exactly this one",
    "get oci://hub.example/acme/aws:1.0.0 aws:ec2:Vpc      # read one value of it",
];

/// The same for the tool of deployments.
const EXAMPLES_OF_DEPLOY: [&str; 4] = [
    "env new dev --package shop.coco       # an environment for a package",
    "deploy dev -n                         # the steps, without doing them",
    "deploy dev --yes                      # make it so",
    "refresh dev -n                        # what differs from what exists",
];

/// The names of these tools.
const TOOL_OF_HISTORY: &str = "coco-history";
const TOOL_OF_HUB: &str = "coco-hub";
const TOOL_OF_DEPLOY: &str = "coco-deploy";

const AFTER_HELP: &str = "\
Exit codes:
  0  done, and the answer is good
  1  a negative answer: not found, ambiguous, out of date, findings, damage
  2  wrong usage, or a file cannot be read or written
  3  a filter cannot be compiled
  4  a source or a document is not well formed
  5  a filter or a step of a deployment failed
  7  a limit was hit
Of several failures, the first decides.

With --json, each report is one line of JSON on standard output with a `format_version`, and errors and warnings are \
lines on standard error. Long lists are streamed: on an error the output is incomplete and the exit code is not 0. \
Commands refuse options that have no effect on them.

Values that a document marks as secret are shown as `[secret]` unless --reveal is given.";

const HEADER: Style = AnsiColor::Green.on_default().effects(Effects::BOLD);
const LITERAL: Style = AnsiColor::Cyan.on_default().effects(Effects::BOLD);
const STYLES: Styles =
    Styles::styled().header(HEADER).usage(HEADER).literal(LITERAL).placeholder(AnsiColor::Cyan.on_default());

/// The help of one command. `-h` shows the examples before the arguments, `--help` after them.
const TEMPLATE: &str = "{about-with-newline}\n{usage-heading} {usage}{before-help}{all-args}{after-help}";

/// Headings of options that only `--help` shows.
const ONLY_IN_LONG_HELP: [&str; 2] = ["Loading", "Output"];

/// The maximum number of examples in `-h` of one command.
const SHORT_EXAMPLES: usize = 3;

/// The maximum width of the help.
const MAX_WIDTH: usize = 80;

/// The column in which names of commands begin in `-h` of a tool.
const NAMES_COLUMN: usize = 11;

/// The maximum width of an example in `-h`.
const SHORT_EXAMPLE_WIDTH: usize = 78;

/// The command line of a tool, without help.
pub fn bare<T: CommandFactory>() -> Command {
    T::command().propagate_version(true).subcommand_required(true).arg_required_else_help(true)
}

/// The command line of a tool. Examples in the help of shared commands show the name of this tool.
pub fn command<T: CommandFactory>() -> Command {
    with_help(bare::<T>())
}

/// Builds all commands of the tool, and adds their examples and the listing of the commands.
pub fn with_help(tool: Command) -> Command {
    let mut tool = tool.styles(STYLES).max_term_width(MAX_WIDTH);
    tool.build();
    let name = tool.get_name().to_owned();
    let tool = tool.mut_subcommands(|command| {
        let order =
            GROUPS.iter().flat_map(|(_, names)| *names).position(|known| *known == command.get_name());
        let command = with_usage_of(command, &name).display_order(order.unwrap_or(usize::MAX));
        command_with_help(command, &name, "")
    });
    let (short, long) = (short_listing(&tool), listing(&tool));
    let more = format!("`{name} --help` describes all commands, and `{name} COMMAND -h` one of them.");
    tool.mut_args(with_minor_arguments_hidden)
        .before_help(short)
        .before_long_help(long)
        .after_help(more)
        .after_long_help(AFTER_HELP)
        .help_template(format!(
            "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{{before-help}}{HEADER}Options:{HEADER:#}\n{{options}}{{after-help}}"
        ))
}

/// The commands in groups, each with its names that the tool has.
fn groups(tool: &Command) -> impl Iterator<Item = (&'static str, Vec<&'static str>)> {
    let is_shown = |name: &&str| tool.find_subcommand(name).is_some_and(|command| !command.is_hide_set());
    let shown = move |names: &[&'static str]| names.iter().copied().filter(is_shown).collect::<Vec<_>>();
    GROUPS.iter().map(move |(group, names)| (*group, shown(names))).filter(|(_, names)| !names.is_empty())
}

/// The commands in groups, each with the first line of its help.
fn listing(tool: &Command) -> String {
    let groups =
        groups(tool).map(|(group, names)| format!("{HEADER}{group}:{HEADER:#}{}", described(tool, &names)));
    groups.collect::<Vec<_>>().join("\n\n")
}

/// Examples, the commands of the first group with the first lines of their help, and the names of
/// all others.
fn short_listing(tool: &Command) -> String {
    let mut listing = format!("{HEADER}Examples:{HEADER:#}");
    let is_known = |example: &&&str| {
        example.split(' ').next().is_some_and(|command| tool.find_subcommand(command).is_some())
    };
    let examples: &[&str] = match tool.get_name() {
        TOOL_OF_HISTORY => &EXAMPLES_OF_HISTORY,
        TOOL_OF_HUB => &EXAMPLES_OF_HUB,
        TOOL_OF_DEPLOY => &EXAMPLES_OF_DEPLOY,
        _ => &EXAMPLES,
    };
    for example in examples.iter().filter(is_known) {
        listing.push_str(&format!("\n  {} {example}", tool.get_name()));
    }
    for (number, (group, names)) in groups(tool).enumerate() {
        match number {
            0 => listing.push_str(&format!("\n\n{HEADER}{group}:{HEADER:#}{}\n", described(tool, &names))),
            _ => {
                let names = wrapped(&names.join(", "), MAX_WIDTH - NAMES_COLUMN)
                    .join(&format!("\n{:NAMES_COLUMN$}", ""));
                let blanks = NAMES_COLUMN - 1 - group.len();
                listing.push_str(&format!("{HEADER}\n{group}:{HEADER:#}{:blanks$}{names}", ""));
            }
        }
    }
    listing
}

/// The words of a text in lines of at most this width. The library that prints help counts columns
/// from a line end only if the same style goes on after it.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut().filter(|line| line.len() + 1 + word.len() <= width) {
            Some(line) => line.extend([" ", word]),
            None => lines.push(word.to_owned()),
        }
    }
    lines
}

/// A line for each of these commands.
fn described(tool: &Command, names: &[&str]) -> String {
    let about =
        |name: &&str| tool.find_subcommand(name).and_then(Command::get_about).map(ToString::to_string);
    let line =
        |name: &&str| format!("\n  {LITERAL}{name:11}{LITERAL:#}  {}", about(name).unwrap_or_default());
    names.iter().map(line).collect()
}

/// Usage that a list of arguments alone would not show.
fn with_usage_of(command: Command, tool: &str) -> Command {
    match command.get_name() {
        _ if tool == TOOL_OF_HISTORY => command,
        "get" | "deps" | "rdeps" => with_usage(command, tool, "<FILE>... <KEY>"),
        "query" => with_usage(command, tool, "<FILTER> [FILE]..."),
        "find" => with_usage(command, tool, "<TEXT>... <FILE>..."),
        "ls" => with_usage(command, tool, "<FILE>... [[--] GLOB]"),
        _ => command,
    }
}

/// Hides options in `-h` that every command has.
fn with_minor_arguments_hidden(argument: Arg) -> Arg {
    let is_minor = argument.get_help_heading().is_some_and(|heading| ONLY_IN_LONG_HELP.contains(&heading));
    let is_hidden = argument.is_hide_short_help_set() || is_minor || argument.get_id() == "version";
    argument.hide_short_help(is_hidden)
}

/// Adds examples, and hides options that have no effect. `outer` has the words before the name of
/// the command.
fn command_with_help(command: Command, tool: &str, outer: &str) -> Command {
    if command.get_name() == "help" {
        return command.display_order(usize::MAX);
    }
    let words = format!("{outer}{}", command.get_name());
    let command = command.mut_args(|argument| {
        let has_effect = effects::has_effect(argument.get_id().as_str(), &words);
        let is_hidden = argument.is_hide_set() || !has_effect;
        with_minor_arguments_hidden(argument).hide(is_hidden)
    });
    let command = match command.has_subcommands() {
        true => command.mut_subcommands(|below| command_with_help(below, tool, &format!("{words} "))),
        false => command,
    };
    let Some(transcript) = command.get_after_long_help() else { return command };
    let transcript = transcript.to_string().replace("$ coco-inspect ", &format!("$ {tool} "));
    command
        .help_template(TEMPLATE)
        .before_help(short_examples(&transcript, &format!("{tool} {words} ")))
        .before_long_help("")
        .after_long_help(examples(&transcript))
}

fn with_usage(command: Command, tool: &str, arguments: &str) -> Command {
    let usage = format!("{tool} {} [OPTIONS] {arguments}", command.get_name());
    command.override_usage(usage)
}

/// The examples of a command as shown in its help. The source is a transcript that the tests run.
/// Removes its fences and shows variable parts as `…`.
fn examples(transcript: &str) -> String {
    let mut text = String::from("Examples:\n");
    for line in transcript.lines().filter(|line| !line.starts_with("```")) {
        let line = line.replace("[..]", "…").replace("[EXE]", "");
        text.push_str(format!("  {line}").trim_end());
        text.push('\n');
    }
    text.truncate(text.trim_end().len());
    text
}

/// The first commands of a transcript, without their output, as shown by `-h`. Commands that begin
/// with `own` are preferred.
fn short_examples(transcript: &str, own: &str) -> String {
    let commands = transcript.lines().filter_map(|line| line.strip_prefix("$ "));
    let short = commands.filter(|command| command.chars().count() + 2 <= SHORT_EXAMPLE_WIDTH);
    let (of_this, of_others): (Vec<_>, Vec<_>) =
        short.partition(|command| format!("{command} ").starts_with(own));
    let mut text = format!("\n\n{HEADER}Examples:{HEADER:#}");
    for command in if of_this.is_empty() { of_others } else { of_this }.iter().take(SHORT_EXAMPLES) {
        text.push_str(&format!("\n  {command}"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_are_shown_without_fences() {
        let transcript = "Compile:\n\n```\n$ coco pack build a.json\n1 document in [..] ms\n\n```\n";
        assert_eq!(
            examples(transcript),
            "Examples:\n  Compile:\n\n  $ coco pack build a.json\n  1 document in … ms"
        );
    }
}
