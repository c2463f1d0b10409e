//! `rdeps`: shows the dependents of a resource.

use super::deps::Tree;
use clap::Args;
use coconut_report::failure::{Exit, Failure};
use coconut_report::relations::Direction;
use coconut_shell::console::Console;
use coconut_shell::open::Documents;

/// Show what depends on a resource, as a tree
///
/// Shows the resources that a change may break, and that must be deleted before this one.
#[derive(Args, Debug)]
#[command(after_long_help = include_str!("../../tests/help/rdeps.trycmd"))]
pub struct Rdeps {
    #[command(flatten)]
    tree: Tree,
}

impl Rdeps {
    pub(super) fn run(&self, documents: &dyn Documents, console: &mut Console) -> Result<Exit, Failure> {
        self.tree.run(Direction::Dependents, documents, console)
    }
}
