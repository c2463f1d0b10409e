//! `path`: shows how one resource depends on another.

use clap::Args;
use coconut_report::answers::path::Paths;
use coconut_report::failure::{Exit, Failure};
use coconut_report::resources::ResourceGraph;
use coconut_shell::console::Console;
use coconut_shell::open::{Documents, Opened};
use coconut_shell::sources::{Marks, Sources};
use std::path::PathBuf;

/// Show the shortest path from a resource to one of its dependencies
///
/// Follows dependencies from FROM to TO, which are keys as for `deps`. Each line has the next
/// resource, and the kinds of edges that lead to it from the line above. If several paths are
/// equally short, the first in document order is shown. --all shows more paths, the shortest first,
/// with an empty line between them. No path visits a resource twice. Exits with 1 if there is no
/// path.
#[derive(Args, Debug)]
#[command(after_long_help = include_str!("../../tests/help/path.trycmd"))]
pub struct Path {
    /// A document, source or folder; `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// The resource to start from
    from: String,

    /// The dependency to reach
    to: String,

    /// Follow only edges of this kind (repeatable)
    #[arg(long, value_name = "KIND")]
    kind: Vec<String>,

    /// Show more than one path: at most N (100 without N)
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "100")]
    all: Option<usize>,
}

impl Path {
    pub(super) fn run(&self, documents: &dyn Documents, console: &mut Console) -> Result<Exit, Failure> {
        let files = std::slice::from_ref(&self.file);
        Sources::of(documents, files)
            .each_opened(documents, console, Marks::Heading, |opened, console| self.show(opened, console))
    }

    fn show(&self, opened: &Opened, console: &mut Console) -> Result<Exit, Failure> {
        let graph = ResourceGraph::of(opened.view(), console.reveal, &self.kind)?;
        let answer = Paths::of(&graph, [&self.from, &self.to], self.all)?;
        match console.json {
            true => console.print_json(&answer.to_report(&opened.name)?)?,
            false => {
                let note = answer.write_text(&mut console.text())?;
                note.iter().for_each(|note| console.note(note));
            }
        }
        Ok(if answer.is_any() { Exit::Good } else { Exit::Negative })
    }
}
