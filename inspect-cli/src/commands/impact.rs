//! `impact`: counts the dependents of resources, by distance and by type.

use super::deps::distance;
use clap::Args;
use coconut_report::answers::impact::{Affected, ImpactQuestion};
use coconut_report::failure::{Exit, Failure};
use coconut_report::resources::ResourceGraph;
use coconut_shell::console::Console;
use coconut_shell::open::{Documents, Opened};
use coconut_shell::sources::{Marks, Sources};
use std::path::PathBuf;

/// Count what depends on resources, directly or indirectly
///
/// Prints how many resources of each type a change of KEY may affect, and how many edges away they
/// are. A resource counts once, at its shortest distance from any KEY. `rdeps` shows the resources
/// themselves. Exits with 1 if nothing depends on them.
#[derive(Args, Debug)]
#[command(after_long_help = include_str!("../../tests/help/impact.trycmd"))]
pub struct Impact {
    /// A document, source or folder; `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// The resources that may change, named as for `rdeps`
    #[arg(required = true, value_name = "KEY")]
    keys: Vec<String>,

    /// Follow at most this many edges
    #[arg(long, value_name = "N", value_parser = clap::builder::ValueParser::new(distance))]
    depth: Option<u32>,

    /// Follow only edges of this kind (repeatable)
    #[arg(long, value_name = "KIND")]
    kind: Vec<String>,

    /// Guess that instances of a module use resources of their own instance
    ///
    /// A Terraform state does not record which instance of a module a resource depends on. Without
    /// this option, edges lead to all instances, and the numbers are an upper bound.
    #[arg(long)]
    same_instance: bool,

    /// Count resources of this type, but follow no edges from them (repeatable)
    #[arg(long, value_name = "TYPE")]
    stop_at: Vec<String>,
}

impl Impact {
    pub(super) fn run(&self, documents: &dyn Documents, console: &mut Console) -> Result<Exit, Failure> {
        let files = std::slice::from_ref(&self.file);
        Sources::of(documents, files)
            .each_opened(documents, console, Marks::Heading, |opened, console| self.show(opened, console))
    }

    fn show(&self, opened: &Opened, console: &mut Console) -> Result<Exit, Failure> {
        let graph = ResourceGraph::of(opened.view(), console.reveal, &self.kind)?;
        let affected = Affected::of(
            &graph,
            &ImpactQuestion {
                keys: &self.keys,
                depth: self.depth.unwrap_or(u32::MAX),
                same_instance: self.same_instance,
                stop_at: &self.stop_at,
            },
        )?;
        match console.json {
            true => affected.write_json(&opened.name, console)?,
            false => {
                let guess = affected.write_text(&mut console.text())?;
                guess.iter().for_each(|note| console.note(note));
            }
        }
        Ok(if affected.is_empty() { Exit::Negative } else { Exit::Good })
    }
}
