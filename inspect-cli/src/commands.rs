//! The commands, one file each.

mod completions;
mod deps;
mod dump;
mod get;
mod git_setup;
mod info;
mod ls;
mod magic;
mod man;
mod rdeps;
mod schema;
mod stat;
mod verify;

use crate::console::Console;
use crate::failure::{Exit, Failure};
use clap::Subcommand;

/// What can be asked.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Info(info::Info),
    Ls(ls::Ls),
    Get(get::Get),
    Dump(dump::Dump),
    Stat(stat::Stat),
    Deps(deps::Deps),
    Rdeps(rdeps::Rdeps),
    Verify(verify::Verify),
    Schema(schema::Schema),
    GitSetup(git_setup::GitSetup),
    Magic(magic::Magic),
    Completions(completions::Completions),
    Man(man::Man),
}

/// Does what the command says.
pub(crate) fn run(command: Command, console: &mut Console) -> Result<Exit, Failure> {
    match command {
        Command::Info(info) => info.run(console),
        Command::Ls(ls) => ls.run(console),
        Command::Get(get) => get.run(console),
        Command::Dump(dump) => dump.run(console),
        Command::Stat(stat) => stat.run(console),
        Command::Deps(deps) => deps.run(console),
        Command::Rdeps(rdeps) => rdeps.run(console),
        Command::Verify(verify) => verify.run(console),
        Command::Schema(schema) => schema.run(console),
        Command::GitSetup(setup) => setup.run(console),
        Command::Magic(magic) => magic.run(console),
        Command::Completions(completions) => completions.run(console),
        Command::Man(man) => man.run(console),
    }
}

/// The examples of a command's help: a transcript that the tests run, without its fences.
fn examples(transcript: &str) -> String {
    let lines = transcript.lines().filter(|line| !line.starts_with("```"));
    let lines = lines.map(|line| if line.is_empty() { "\n".to_owned() } else { format!("  {line}\n") });
    format!("Examples:\n{}", lines.collect::<String>().trim_end())
}

/// A count with a comma after each thousand.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `part` of `whole` in percent, with one decimal.
fn percent(part: u64, whole: u64) -> String {
    match whole {
        0 => "-".to_owned(),
        whole => format!("{:.1} %", part as f64 * 100.0 / whole as f64),
    }
}

/// Bytes as hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    coconut_format::hex::Hex(bytes).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_grouped() {
        assert_eq!([0, 999, 1000, 13_591_718].map(grouped), ["0", "999", "1,000", "13,591,718"]);
    }

    #[test]
    fn examples_are_the_transcript_without_fences() {
        assert_eq!(examples("```console\n$ a\nb\n\n```\n"), "Examples:\n  $ a\n  b");
    }
}
