//! The commands that show documents, one file each.

mod cycles;
pub(crate) mod deps;
mod diff;
mod dump;
mod ends;
pub(crate) mod explain;
mod find;
mod get;
mod git_setup;
pub(crate) mod graph;
mod impact;
mod info;
mod ls;
mod magic;
mod path;
mod query;
mod rdeps;
mod schema;
mod stat;
mod verify;

use clap::{Args, Subcommand};
use coconut_report::failure::{Exit, Failure};
use coconut_shell::completions::Completions;
use coconut_shell::console::Console;
use coconut_shell::man::Man;
use coconut_shell::open::Documents;
use coconut_shell::tool::Tool;
use std::ffi::OsStr;

/// The commands of both tools. `D` defines how documents are found.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
#[expect(missing_docs, reason = "each command is described where it is")]
pub enum Command<D: Args> {
    Info(With<D, info::Info>),
    Ls(With<D, ls::Ls>),
    Get(With<D, get::Get>),
    Dump(With<D, dump::Dump>),
    Find(With<D, find::Find>),
    Query(Box<With<D, query::Query>>),
    Stat(With<D, stat::Stat>),
    Deps(With<D, deps::Deps>),
    Rdeps(With<D, rdeps::Rdeps>),
    Diff(Box<With<D, diff::Diff>>),
    Path(With<D, path::Path>),
    Impact(With<D, impact::Impact>),
    Cycles(With<D, cycles::Cycles>),
    Roots(With<D, ends::Roots>),
    Leaves(With<D, ends::Leaves>),
    Orphans(With<D, ends::Orphans>),
    Verify(verify::Verify),
    Explain(explain::Explain),
    Schema(schema::Schema),
    GitSetup(git_setup::GitSetup),
    Magic(magic::Magic),
    #[command(after_long_help = include_str!("../tests/help/completions.trycmd"))]
    Completions(Completions),
    #[command(after_long_help = include_str!("../tests/help/man.trycmd"))]
    Man(Man),
}

#[derive(Args, Debug)]
pub struct With<D: Args, C: Args> {
    #[command(flatten)]
    documents: D,
    #[command(flatten)]
    command: C,
}

/// The command `graph`. It is not in [`Command`], because `coco graph` has subcommands, too.
pub type Picture<D> = With<D, graph::Graph>;

impl<D: Args + Documents> Picture<D> {
    /// Draws the graph.
    pub fn run(self, console: &mut Console) -> Result<Exit, Failure> {
        self.command.run(&self.documents, console)
    }
}

/// The command `get`, for a tool that has few others.
pub type Value<D> = With<D, get::Get>;

impl<D: Args + Documents> Value<D> {
    /// Shows the value. `end` gets the arguments about documents and the result.
    pub fn run(
        self,
        console: &mut Console,
        end: impl FnOnce(&D, Result<Exit, Failure>) -> Result<Exit, Failure>,
    ) -> Result<Exit, Failure> {
        console.page_output();
        let result = self.command.run(&self.documents, console);
        end(&self.documents, result)
    }
}

impl<D: Args + Documents> Command<D> {
    /// Whether the output is often longer than a screen.
    fn is_long(&self) -> bool {
        !matches!(
            self,
            Command::Verify(_)
                | Command::GitSetup(_)
                | Command::Magic(_)
                | Command::Completions(_)
                | Command::Man(_)
        )
    }

    /// Whether this is `get`, and a file of it has such a name.
    pub fn reads(&self, is_such: impl Fn(&OsStr) -> bool) -> bool {
        matches!(self, Command::Get(With { command, .. }) if command.reads(is_such))
    }

    /// Runs the command as part of the tool `T`.
    pub fn run<T: Tool>(self, console: &mut Console) -> Result<Exit, Failure> {
        if self.is_long() {
            console.page_output();
        }
        match self {
            Command::Info(With { documents, command }) => command.run(&documents, console),
            Command::Ls(With { documents, command }) => command.run(&documents, console),
            Command::Get(With { documents, command }) => command.run(&documents, console),
            Command::Dump(With { documents, command }) => command.run(&documents, console),
            Command::Find(With { documents, command }) => command.run(&documents, console),
            Command::Query(with) => with.command.run(&with.documents, console),
            Command::Stat(With { documents, command }) => command.run(&documents, console),
            Command::Deps(With { documents, command }) => command.run(&documents, console),
            Command::Rdeps(With { documents, command }) => command.run(&documents, console),
            Command::Diff(with) => with.command.run(&with.documents, console),
            Command::Path(With { documents, command }) => command.run(&documents, console),
            Command::Impact(With { documents, command }) => command.run(&documents, console),
            Command::Cycles(With { documents, command }) => command.run(&documents, console),
            Command::Roots(With { documents, command }) => command.run(&documents, console),
            Command::Leaves(With { documents, command }) => command.run(&documents, console),
            Command::Orphans(With { documents, command }) => command.run(&documents, console),
            Command::Verify(verify) => verify.run(console),
            Command::Explain(explain) => explain.run(console),
            Command::Schema(schema) => schema.run(console),
            Command::GitSetup(setup) => setup.run(console),
            Command::Magic(magic) => magic.run(console),
            Command::Completions(completions) => completions.run::<T>(console),
            Command::Man(man) => man.run::<T>(console),
        }
    }
}
