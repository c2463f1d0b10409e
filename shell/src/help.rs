//! The help of a tool. It is built only on request or for an error: parsing creates the arguments
//! of one command, and no texts.

use crate::tool::Tool;
use clap::Command;
use clap::builder::Styles;
use clap::builder::styling::{AnsiColor, Effects, Style};

/// The commands of both tools in the order of the help, in groups. A tool shows those it has.
pub const GROUPS: [(&str, &[&str]); 6] = [
    ("Everyday", &["get", "ls", "deps", "diff", "query"]),
    (
        "Look",
        &[
            "info", "find", "rdeps", "path", "impact", "cycles", "roots", "leaves", "orphans", "graph",
            "dump", "stat",
        ],
    ),
    ("Compare", &["plan", "patch"]),
    ("Make", &["pack", "import", "convert"]),
    ("Keep", &["check", "verify", "recover", "cache", "git-setup"]),
    ("About", &["explain", "schema", "magic", "completions", "man", "help"]),
];

const AFTER_HELP: &str = "\
Exit codes:
  0  done, and the answer is good
  1  a negative answer: not found, ambiguous, out of date, findings, damage
  2  wrong usage, or a file cannot be read or written
  3  a filter cannot be compiled
  4  a source or a document is not well formed
  5  a filter failed
  7  a limit was hit
Of several failures, the first decides.

With --json, each report is one line of JSON on standard output with a `format_version`, and errors and warnings are \
lines on standard error. Long lists are streamed: on an error the output is incomplete and the exit code is not 0. \
Does not affect commands whose output is a document or a text: `dump`, `pack unpack`, `pack repack`, `schema`, \
`magic`, `completions`, `man`.

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
const SHORT_EXAMPLES: usize = 4;

/// The maximum width of an example in `-h`.
const SHORT_EXAMPLE_WIDTH: usize = 78;

/// The command line of a tool, without help.
pub fn bare<T: Tool>() -> Command {
    T::command().propagate_version(true).subcommand_required(true).arg_required_else_help(true)
}

/// The command line of a tool. Examples in the help of shared commands show the name of this tool.
pub fn command<T: Tool>() -> Command {
    with_help(bare::<T>())
}

/// Builds all commands of the tool, and adds their examples and the listing of the commands.
pub fn with_help(tool: Command) -> Command {
    let mut tool = tool.styles(STYLES).max_term_width(100).after_help(AFTER_HELP);
    tool.build();
    let name = tool.get_name().to_owned();
    let tool = tool.mut_subcommands(|command| command_with_help(command, &name));
    let listing = listing(&tool);
    tool.help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{listing}{HEADER}Options:{HEADER:#}\n{{options}}{{after-help}}"
    ))
}

/// The commands in groups, each with the first line of its help.
fn listing(tool: &Command) -> String {
    let is_shown = |name: &&&str| tool.find_subcommand(name).is_some_and(|command| !command.is_hide_set());
    let mut listing = String::new();
    for (group, names) in GROUPS {
        let names: Vec<_> = names.iter().filter(is_shown).collect();
        if names.is_empty() {
            continue;
        }
        listing.push_str(&format!("{HEADER}{group}:{HEADER:#}\n"));
        for name in names {
            let about = tool.find_subcommand(name).and_then(Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            listing.push_str(&format!("  {LITERAL}{name:11}{LITERAL:#}  {about}\n"));
        }
        listing.push('\n');
    }
    listing
}

fn command_with_help(command: Command, tool: &str) -> Command {
    if command.get_name() == "help" {
        return command;
    }
    let order = GROUPS.iter().flat_map(|(_, names)| *names).position(|name| *name == command.get_name());
    // Facts that a plain list of arguments would not show.
    let command = match command.get_name() {
        "get" | "deps" | "rdeps" => with_usage(command, tool, "<FILE>... <KEY>"),
        "query" => with_usage(command, tool, "<FILTER> [FILE]..."),
        "find" => with_usage(command, tool, "<TEXT>... <FILE>..."),
        "ls" => with_usage(command, tool, "<FILE>... [[--] GLOB]"),
        _ => command,
    };
    let command = command.display_order(order.unwrap_or(usize::MAX)).mut_args(|argument| {
        let is_minor =
            argument.get_help_heading().is_some_and(|heading| ONLY_IN_LONG_HELP.contains(&heading));
        let is_minor = is_minor || argument.get_id() == "version";
        let is_hidden = argument.is_hide_short_help_set() || is_minor;
        argument.hide_short_help(is_hidden)
    });
    let command = match command.has_subcommands() {
        true => command.mut_subcommands(|below| command_with_help(below, tool)),
        false => command,
    };
    let Some(transcript) = command.get_after_long_help() else { return command };
    let transcript = transcript.to_string().replace("$ coco-inspect ", &format!("$ {tool} "));
    command
        .help_template(TEMPLATE)
        .before_help(short_examples(&transcript))
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

/// The first commands of a transcript, without their output, as shown by `-h`.
fn short_examples(transcript: &str) -> String {
    let mut text = format!("\n\n{HEADER}Examples:{HEADER:#}");
    let commands = transcript.lines().filter_map(|line| line.strip_prefix("$ "));
    let short = commands.filter(|command| command.chars().count() + 2 <= SHORT_EXAMPLE_WIDTH);
    for command in short.take(SHORT_EXAMPLES) {
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
