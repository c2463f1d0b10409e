//! The command line of `coco-history`.

use crate::commands::{add, backup, diff, export, get, import, label, log, ls, prune, restore, show, verify};
use crate::serve;
use clap::{Parser, Subcommand};
use coconut_report::{Exit, Failure};
use coconut_shell::Console;
use coconut_shell::completions::Completions;
use coconut_shell::console::GlobalOptions;
use coconut_shell::man::Man;
use coconut_shell::tool::Tool;

/// Keeps every version of a document in one file, and shows what changed when.
///
/// A history pack is one file with all versions of a document. A version is named `PACK@REV`, where
/// REV is a number, a label, `~2` (two before the newest), a date `2026-11-01`, the first six or
/// more digits of a SHA-256, or `serial:47`. Without it, the newest is meant.
#[derive(Debug, Parser)]
#[command(name = "coco-history", version)]
pub(crate) struct CommandLine {
    #[command(flatten)]
    global: GlobalOptions,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Add(add::Add),
    Ls(ls::Ls),
    Get(get::Get),
    Show(show::Show),
    Diff(diff::Diff),
    Log(log::Log),
    Label(label::Label),
    Verify(verify::Verify),
    Export(export::Export),
    #[command(subcommand)]
    Import(import::Import),
    Prune(prune::Prune),
    Restore(restore::Restore),
    Backup(backup::Backup),
    Serve(serve::Serve),
    Completions(Completions),
    Man(Man),
}

impl Tool for CommandLine {
    fn global(&self) -> &GlobalOptions {
        &self.global
    }

    fn run(self, console: &mut Console) -> Result<Exit, Failure> {
        match self.command {
            Command::Add(add) => add.run(console),
            Command::Ls(ls) => ls.run(console),
            Command::Get(get) => get.run(console),
            Command::Show(show) => show.run(console),
            Command::Diff(diff) => diff.run(console),
            Command::Log(log) => log.run(console),
            Command::Label(label) => label.run(console),
            Command::Verify(verify) => verify.run(console),
            Command::Export(export) => export.run(console),
            Command::Import(import) => import.run(console),
            Command::Prune(prune) => prune.run(console),
            Command::Restore(restore) => restore.run(console),
            Command::Backup(backup) => backup.run(console),
            Command::Serve(serve) => serve.run(console),
            Command::Completions(completions) => completions.run::<CommandLine>(console),
            Command::Man(man) => man.run::<CommandLine>(console),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coconut_shell::help;

    #[test]
    fn the_command_line_is_consistent() {
        help::command::<CommandLine>().debug_assert();
    }
}
