//! The command line of `coco-hub`.

use crate::commands::{attach, check, copy, get, lock, ls, pull, push, resolve};
use clap::{Parser, Subcommand};
use coconut_report::{Exit, Failure};
use coconut_shell::Console;
use coconut_shell::completions::Completions;
use coconut_shell::console::GlobalOptions;
use coconut_shell::man::Man;
use coconut_shell::tool::Tool;

/// Publishes, fetches and locks documents in OCI registries.
///
/// A reference is `oci://HOST[:PORT]/REPOSITORY:TAG` for a registry, or `oci-layout:DIR:TAG` for a
/// directory. `@sha256:…` after the tag, or instead of it, requires this manifest. Credentials are
/// those of `docker login` and `podman login`, and of their credential helpers.
#[derive(Debug, Parser)]
#[command(name = "coco-hub", version)]
pub(crate) struct CommandLine {
    #[command(flatten)]
    global: GlobalOptions,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Push(push::Push),
    Pull(pull::Pull),
    Resolve(resolve::Resolve),
    Ls(ls::Ls),
    Copy(copy::Copy),
    Lock(lock::Lock),
    Check(check::Check),
    Attach(attach::Attach),
    Get(Box<get::Get>),
    Completions(Completions),
    Man(Man),
}

impl Tool for CommandLine {
    fn global(&self) -> &GlobalOptions {
        &self.global
    }

    fn run(self, console: &mut Console) -> Result<Exit, Failure> {
        match self.command {
            Command::Push(push) => push.run(console),
            Command::Pull(pull) => pull.run(console),
            Command::Resolve(resolve) => resolve.run(console),
            Command::Ls(ls) => ls.run(console),
            Command::Copy(copy) => copy.run(console),
            Command::Lock(lock) => lock.run(console),
            Command::Check(check) => check.run(console),
            Command::Attach(attach) => attach.run(console),
            Command::Get(get) => get::run(*get, console),
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
