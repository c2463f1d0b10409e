//! `coco graph`: what is done with graphs as graphs.

mod raise;

use clap::Subcommand;
use coco_inspect::{Console, Exit, Failure};

#[derive(Debug, Subcommand)]
pub(crate) enum GraphCommand {
    Raise(raise::Raise),
}

impl GraphCommand {
    pub(crate) fn run(self, console: &mut Console) -> Result<Exit, Failure> {
        match self {
            GraphCommand::Raise(raise) => raise.run(console),
        }
    }
}
