//! `cycles`: shows resources that depend on one another in a circle.

use clap::Args;
use coconut_report::answers::cycles::Cycles as Answer;
use coconut_report::failure::{Exit, Failure};
use coconut_report::resources::ResourceGraph;
use coconut_shell::console::Console;
use coconut_shell::open::{Documents, Opened};
use coconut_shell::sources::{Marks, Sources};
use std::path::PathBuf;

/// Find cycles of resources that depend on one another
///
/// Prints one cycle per line. In a group of resources that all depend on one another, this is the
/// shortest cycle through the first of them. Other cycles of the group are not shown, only its
/// size. A resource that refers to itself is a cycle of one. Exits with 1 if there are no cycles.
#[derive(Args, Debug)]
#[command(after_long_help = include_str!("../../tests/help/cycles.trycmd"))]
pub struct Cycles {
    /// Documents, sources or folders; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Follow only edges of this kind (repeatable)
    #[arg(long, value_name = "KIND")]
    kind: Vec<String>,

    /// Print only the number of cycles
    #[arg(long)]
    count: bool,
}

impl Cycles {
    pub(super) fn run(&self, documents: &dyn Documents, console: &mut Console) -> Result<Exit, Failure> {
        let exit = Sources::of(documents, &self.files).each_opened(
            documents,
            console,
            Marks::Column,
            |opened, console| self.show(opened, console),
        )?;
        if exit == Exit::Negative {
            console.note("no resource depends on itself");
        }
        Ok(exit)
    }

    fn show(&self, opened: &Opened, console: &mut Console) -> Result<Exit, Failure> {
        let graph = ResourceGraph::of(opened.view(), console.reveal, &self.kind)?;
        let answer = Answer::of(&graph);
        if console.json {
            answer.write_json(&opened.name, self.count, console)?;
        } else if self.count {
            console.line(&answer.found.len().to_string())?;
        } else {
            answer.write_text(&mut console.text())?;
        }
        Ok(if answer.found.is_empty() { Exit::Negative } else { Exit::Good })
    }
}
