//! `roots`, `leaves`, `orphans`: list the resources at the ends of a graph.

use clap::Args;
use coconut_report::answers::ends::{End, Ends as Answer};
use coconut_report::failure::{Exit, Failure};
use coconut_report::resources::ResourceGraph;
use coconut_shell::console::Console;
use coconut_shell::open::{Documents, Opened};
use coconut_shell::sources::{Marks, Sources};
use std::path::PathBuf;

/// List resources that have dependencies, but no dependents
///
/// Resources without any edges are listed by `orphans`. Exits with 1 if there are none to list.
#[derive(Args, Debug)]
#[command(after_long_help = include_str!("../../tests/help/roots.trycmd"))]
pub struct Roots {
    #[command(flatten)]
    ends: Ends,
}

/// List resources that have dependents, but no dependencies
///
/// Resources without any edges are listed by `orphans`. Exits with 1 if there are none to list.
#[derive(Args, Debug)]
#[command(after_long_help = include_str!("../../tests/help/leaves.trycmd"))]
pub struct Leaves {
    #[command(flatten)]
    ends: Ends,
}

/// List resources that have no dependencies and no dependents
///
/// Exits with 1 if there are none to list.
#[derive(Args, Debug)]
#[command(after_long_help = include_str!("../../tests/help/orphans.trycmd"))]
pub struct Orphans {
    #[command(flatten)]
    ends: Ends,
}

#[derive(Args, Debug)]
struct Ends {
    /// Documents, sources or folders; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Count only edges of this kind (repeatable)
    #[arg(long, value_name = "KIND")]
    kind: Vec<String>,

    /// Only resources of this type (repeatable)
    ///
    /// The whole type, its last part, or a pattern with `*` and `?`.
    #[arg(long = "type", value_name = "TYPE")]
    types: Vec<String>,

    /// Print only the number of resources
    #[arg(long)]
    count: bool,

    /// List at most this many resources
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
}

impl Roots {
    pub(super) fn run(&self, documents: &dyn Documents, console: &mut Console) -> Result<Exit, Failure> {
        self.ends.run(End::Roots, documents, console)
    }
}

impl Leaves {
    pub(super) fn run(&self, documents: &dyn Documents, console: &mut Console) -> Result<Exit, Failure> {
        self.ends.run(End::Leaves, documents, console)
    }
}

impl Orphans {
    pub(super) fn run(&self, documents: &dyn Documents, console: &mut Console) -> Result<Exit, Failure> {
        self.ends.run(End::Orphans, documents, console)
    }
}

impl Ends {
    fn run(&self, end: End, documents: &dyn Documents, console: &mut Console) -> Result<Exit, Failure> {
        let sources = Sources::of(documents, &self.files);
        let exit = sources.each_opened(documents, console, Marks::Column, |opened, console| {
            self.list(end, opened, console)
        })?;
        if exit == Exit::Negative {
            console.note(&format!("there are no {}", end.name()));
        }
        Ok(exit)
    }

    fn list(&self, end: End, opened: &Opened, console: &mut Console) -> Result<Exit, Failure> {
        let graph = ResourceGraph::of(opened.view(), console.reveal, &self.kind)?;
        let answer = Answer::of(&graph, end, &self.types, self.limit)?;
        if console.json {
            answer.write_json(&opened.name, self.count, console)?;
        } else if self.count {
            console.line(&answer.found.len().to_string())?;
        } else {
            let cut = answer.write_text(&mut console.text())?;
            cut.iter().for_each(|note| console.note(note));
        }
        Ok(if answer.found.is_empty() { Exit::Negative } else { Exit::Good })
    }
}
