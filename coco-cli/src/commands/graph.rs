//! `coco graph`: draws graphs, and converts them to programs.

mod raise;

use crate::loading::Packages;
use clap::{Args, Subcommand};
use coco_inspect::Picture;
use coconut_report::{Exit, Failure};
use coconut_shell::Console;

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct Graphs {
    #[command(subcommand)]
    command: Option<GraphCommand>,

    #[command(flatten)]
    picture: Picture<Packages>,
}

#[derive(Debug, Subcommand)]
#[command(defer = true)]
enum GraphCommand {
    Raise(raise::Raise),
}

impl Graphs {
    pub(crate) fn run(self, console: &mut Console) -> Result<Exit, Failure> {
        match self.command {
            Some(GraphCommand::Raise(raise)) => raise.run(console),
            None => self.picture.run(console),
        }
    }
}
