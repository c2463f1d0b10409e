//! The command line of `coco-deploy`.

use crate::commands::{deploy, destroy, env, import_live, refresh};
use clap::{Parser, Subcommand};
use coconut_report::{Exit, Failure};
use coconut_shell::Console;
use coconut_shell::completions::Completions;
use coconut_shell::console::GlobalOptions;
use coconut_shell::man::Man;
use coconut_shell::tool::Tool;

/// Makes the resources of an environment as a package wants them.
///
/// An environment is `NAME.coco` in `.coconut/env` of this folder or the nearest one around it, or
/// any other path. Its files name every resource that exists, also after a crash. An operation
/// whose outcome is not known is unresolved, and is never repeated silently.
#[derive(Debug, Parser)]
#[command(name = "coco-deploy", version)]
pub(crate) struct CommandLine {
    #[command(flatten)]
    global: GlobalOptions,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    #[command(subcommand)]
    Env(env::Env),
    Deploy(deploy::Deploy),
    Destroy(destroy::Destroy),
    Refresh(refresh::Refresh),
    ImportLive(import_live::ImportLive),
    Completions(Completions),
    Man(Man),
}

impl Tool for CommandLine {
    fn global(&self) -> &GlobalOptions {
        &self.global
    }

    fn run(self, console: &mut Console) -> Result<Exit, Failure> {
        match self.command {
            Command::Env(env) => env.run(console),
            Command::Deploy(deploy) => deploy.run(console),
            Command::Destroy(destroy) => destroy.run(console),
            Command::Refresh(refresh) => refresh.run(console),
            Command::ImportLive(import) => import.run(console),
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
