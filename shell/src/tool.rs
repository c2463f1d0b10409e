//! Command line and exit of a tool.

use crate::console::{Console, GlobalOptions, visible};
use crate::{effects, help};
use clap::Parser;
use clap::error::{ContextKind, ContextValue};
use coconut_format::suggest::near_keys;
use coconut_report::failure::{Exit, Failure};
use std::ffi::OsString;
use std::process::ExitCode;

/// A command line tool.
pub trait Tool: Parser + Send {
    /// The options of every command.
    fn global(&self) -> &GlobalOptions;

    /// Runs the command.
    fn run(self, console: &mut Console) -> Result<Exit, Failure>;
}

/// Parses the command line, runs the command, and reports the result.
pub fn main<T: Tool>() -> ExitCode {
    // Without these, a truncated mapped file or a file size limit ends the process without a
    // message.
    let _ = coconut_codec::bytes::map::install_sigbus_message();
    let _ = coconut_codec::bytes::map::install_file_limit_error();
    let tool = match parsed_apart::<T>() {
        Ok(tool) => tool,
        Err(error) => {
            let error = with_similar_commands(error, &help::command::<T>());
            return exit_code(Console::new(&GlobalOptions::of_arguments()).report_usage(&error));
        }
    };
    let mut console = Console::new(tool.global());
    let result = tool.run(&mut console);
    let flushed = console.flush_output();
    console.end_paging();
    if console.is_closed() {
        // The reader has closed the output.
        return ExitCode::SUCCESS;
    }
    match result.and_then(|exit| flushed.map(|()| exit)) {
        Ok(exit) => exit_code(exit),
        Err(failure) => exit_code(console.report(&[failure])),
    }
}

fn exit_code(exit: Exit) -> ExitCode {
    ExitCode::from(exit as u8)
}

/// Names the commands that an unknown one may mean, with the words before them: `pack build`.
fn with_similar_commands(mut error: clap::Error, tool: &clap::Command) -> clap::Error {
    if let Some(ContextValue::String(unknown)) = error.get(ContextKind::InvalidSubcommand) {
        let similar = similar_commands(unknown, tool);
        error.remove(ContextKind::SuggestedSubcommand);
        if !similar.is_empty() {
            error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(similar));
        }
    }
    error
}

/// The commands of the tool whose last word is similar to `name`, with all their words. In short
/// words, two letters are often exchanged.
pub fn similar_commands(name: &str, tool: &clap::Command) -> Vec<String> {
    const SIMILAR: usize = 3;
    let all = commands_below(tool, "");
    let last = |command: &str| command.rsplit(' ').next().unwrap_or(command).to_owned();
    let letters = |word: &str| {
        let mut letters: Vec<char> = word.to_lowercase().chars().collect();
        letters.sort_unstable();
        letters
    };
    let near = near_keys(name, all.iter().map(|command| last(command)));
    let is_near = |word: String| letters(&word) == letters(name) || near.contains(&word);
    all.into_iter().filter(|command| is_near(last(command))).take(SIMILAR).collect()
}

/// All commands, each with the words before it, outer ones first.
fn commands_below(command: &clap::Command, before: &str) -> Vec<String> {
    let is_shown = |below: &&clap::Command| below.get_name() != "help" && !below.is_hide_set();
    let below = command.get_subcommands().filter(is_shown);
    let with_inner = below.flat_map(|below| {
        let name = format!("{before}{}", below.get_name());
        let inner = commands_below(below, &format!("{name} "));
        std::iter::once(name).chain(inner)
    });
    with_inner.collect()
}

/// Parses the command line on a separate stack. The generated parser reserves stack for every
/// command, and the stack of the process may be small. Without a thread, it is parsed here.
fn parsed_apart<T: Tool>() -> Result<T, clap::Error> {
    const STACK: usize = 1 << 20;
    let apart = std::thread::scope(|scope| {
        let parser = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, parsed::<T>);
        parser.ok().and_then(|parser| parser.join().ok())
    });
    apart.unwrap_or_else(parsed::<T>)
}

/// The command line, or the text to print instead, which alone needs the texts and arguments of all
/// commands. An error quotes arguments, which may contain anything. So the error is that of the
/// arguments in their escaped form.
fn parsed<T: Tool>() -> Result<T, clap::Error> {
    let parse = |mut tool: clap::Command, arguments: Vec<OsString>| {
        let matches = tool.try_get_matches_from_mut(arguments)?;
        effects::check(&tool, &matches)?;
        T::from_arg_matches(&matches)
    };
    if let Ok(tool) = parse(help::bare::<T>(), std::env::args_os().collect()) {
        return Ok(tool);
    }
    parse(help::command::<T>(), std::env::args_os().collect()).map_err(|error| {
        let shown = std::env::args_os().map(|argument| visible(&argument.to_string_lossy()).into());
        let of_shown = parse(help::command::<T>(), shown.collect()).err().filter(clap::Error::use_stderr);
        // Help is not an error. If only the unescaped text was wrong, the error does not quote it.
        of_shown.filter(|_| error.use_stderr()).unwrap_or(error)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similar_commands_are_named_with_all_their_words() {
        let below = clap::Command::new("pack").subcommands(["build", "verify"].map(clap::Command::new));
        let tool = clap::Command::new("tool").subcommands([below, clap::Command::new("verify")]);
        assert_eq!(similar_commands("buidl", &tool), ["pack build"]);
        assert_eq!(similar_commands("verfy", &tool), ["pack verify", "verify"]);
        assert_eq!(similar_commands("pakc", &tool), ["pack"]);
        assert_eq!(similar_commands("zzz", &tool), [""; 0]);
    }
}
