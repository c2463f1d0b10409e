//! The command line of `cocojs`.

use crate::commands::{build, check};
use clap::{Parser, Subcommand};
use coconut_report::{Exit, Failure};
use coconut_shell::Console;
use coconut_shell::completions::Completions;
use coconut_shell::console::GlobalOptions;
use coconut_shell::man::Man;
use coconut_shell::tool::Tool;

/// Compiles programs in a subset of TypeScript to Coconut packages.
///
/// A program is a folder with a manifest, `Coconut.yaml`, and modules. `coco pack eval` runs the
/// package.
#[derive(Debug, Parser)]
#[command(name = "cocojs", version)]
pub(crate) struct CommandLine {
    #[command(flatten)]
    global: GlobalOptions,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Build(build::Build),
    Check(check::Check),
    Completions(Completions),
    Man(Man),
}

impl Tool for CommandLine {
    fn global(&self) -> &GlobalOptions {
        &self.global
    }

    fn run(self, console: &mut Console) -> Result<Exit, Failure> {
        match self.command {
            Command::Build(build) => build.run(console),
            Command::Check(check) => check.run(console),
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
