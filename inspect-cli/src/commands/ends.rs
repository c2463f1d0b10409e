//! `roots`, `leaves`, `orphans`: list the resources at the ends of a graph.

use super::deps::Direction;
use clap::Args;
use coconut_format::Value;
use coconut_format::graph::Adjacency as _;
use coconut_format::numerals::grouped;
use coconut_report::failure::{Exit, Failure};
use coconut_report::json::{number, text};
use coconut_report::name_filter::NameFilter;
use coconut_report::resources::{ResourceGraph, item};
use coconut_report::streamed::Report;
use coconut_shell::console::{Console, visible};
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

/// The name of the command, and whether a resource has dependencies and dependents.
#[derive(Clone, Copy)]
struct Wanted {
    command: &'static str,
    has_dependencies: bool,
    has_dependents: bool,
}

impl Roots {
    pub(super) fn run(&self, documents: &dyn Documents, console: &mut Console) -> Result<Exit, Failure> {
        let wanted = Wanted { command: "roots", has_dependencies: true, has_dependents: false };
        self.ends.run(wanted, documents, console)
    }
}

impl Leaves {
    pub(super) fn run(&self, documents: &dyn Documents, console: &mut Console) -> Result<Exit, Failure> {
        let wanted = Wanted { command: "leaves", has_dependencies: false, has_dependents: true };
        self.ends.run(wanted, documents, console)
    }
}

impl Orphans {
    pub(super) fn run(&self, documents: &dyn Documents, console: &mut Console) -> Result<Exit, Failure> {
        let wanted = Wanted { command: "orphans", has_dependencies: false, has_dependents: false };
        self.ends.run(wanted, documents, console)
    }
}

impl Ends {
    fn run(&self, wanted: Wanted, documents: &dyn Documents, console: &mut Console) -> Result<Exit, Failure> {
        let exit = Sources::of(documents, &self.files).each_opened(
            documents,
            console,
            Marks::Column,
            |opened, console| self.list(wanted, opened, console),
        )?;
        if exit == Exit::Negative {
            console.note(&format!("there are no {}", wanted.command));
        }
        Ok(exit)
    }

    fn list(&self, wanted: Wanted, opened: &Opened, console: &mut Console) -> Result<Exit, Failure> {
        let graph = ResourceGraph::of(opened.view(), console.reveal, &self.kind)?;
        let found = self.found(wanted, &graph)?;
        let most = self.limit.unwrap_or(found.len());
        if console.json {
            let mut report = Report::begin(console, wanted.command, [("file", text(&opened.name))])?;
            if !self.count {
                report.begin_list("resources")?;
                for &vertex in found.iter().take(most) {
                    report.item(&Value::Object(item(&graph, vertex)?))?;
                }
                report.end_list()?;
            }
            report.member("count", &number(found.len() as u64))?;
            report.member("truncated", &Value::Bool(most < found.len() && !self.count))?;
            report.end()?;
        } else if self.count {
            console.line(&found.len().to_string())?;
        } else {
            for &vertex in found.iter().take(most) {
                console.line(&visible(&graph.name(vertex)?))?;
            }
            if most < found.len() {
                let (shown, all) = (grouped(most as u64), grouped(found.len() as u64));
                console.note(&format!("stopped after {shown} of {all}"));
            }
        }
        Ok(if found.is_empty() { Exit::Negative } else { Exit::Good })
    }

    fn found(&self, wanted: Wanted, graph: &ResourceGraph<'_>) -> Result<Vec<u32>, Failure> {
        let types = NameFilter::of_types(&self.types)?;
        let has = |vertex, direction| graph.edges(direction).degree(vertex) > 0;
        let mut found = Vec::new();
        for vertex in 0..graph.vertices() {
            let is_end = has(vertex, Direction::Dependencies) == wanted.has_dependencies
                && has(vertex, Direction::Dependents) == wanted.has_dependents;
            if is_end && (types.is_all() || types.has(&graph.resource_type(vertex)?)) {
                found.push(vertex);
            }
        }
        Ok(found)
    }
}
