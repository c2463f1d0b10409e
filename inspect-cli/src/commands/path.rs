//! `path`: shows how one resource depends on another.

mod ways;

use super::deps::Direction;
use clap::Args;
use coconut_format::Value;
use coconut_format::truncated::Truncated;
use coconut_report::failure::{Exit, Failure};
use coconut_report::json::{list, number, report, text};
use coconut_report::resources::{ResourceGraph, item};
use coconut_shell::console::{Console, DIM, STRONG, visible};
use coconut_shell::open::{Documents, Opened};
use coconut_shell::sources::{Marks, Sources};
use std::path::PathBuf;
use ways::Ways;

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
        let (from, to) = (graph.start(&self.from)?, graph.start(&self.to)?);
        let found = shortest(&graph, &from, &to);
        let ways = match (self.all, &found) {
            (Some(most), Some(_)) => Some(ways::all(&graph, &from, &to, most)),
            _ => None,
        };
        if console.json {
            report_way(&graph, found.as_deref(), (self.all.is_some(), ways.as_ref()), &opened.name, console)?;
        } else if let Some(Ways { ways, is_cut }) = &ways {
            for (at, way) in ways.iter().enumerate() {
                if at > 0 {
                    console.line("")?;
                }
                print_way(&graph, way, console)?;
            }
            if *is_cut {
                console.note(&format!("there are more than these {}; `--all=N` shows more", ways.len()));
            }
        } else if let Some(way) = &found {
            print_way(&graph, way, console)?;
        } else {
            let back = shortest(&graph, &to, &from);
            let (from, to) = (Truncated(&self.from), Truncated(&self.to));
            console.note(&match back {
                Some(_) => format!("`{from}` does not depend on `{to}`, but `{to}` depends on `{from}`"),
                None => format!("`{from}` does not depend on `{to}`, and `{to}` not on `{from}`"),
            });
        }
        Ok(if found.is_some() { Exit::Good } else { Exit::Negative })
    }
}

/// A shortest path from any of the first resources to any of the second.
fn shortest(graph: &ResourceGraph<'_>, from: &[u32], to: &[u32]) -> Option<Vec<u32>> {
    let reached = graph.reach(Direction::Dependencies, from, u32::MAX, |_| false);
    let ways = to.iter().filter_map(|&end| reached.way_to(end));
    ways.min_by_key(Vec::len)
}

fn print_way(graph: &ResourceGraph<'_>, way: &[u32], console: &mut Console) -> Result<(), Failure> {
    let Some((first, rest)) = way.split_first() else { return Ok(()) };
    let first_line = console.paint(STRONG, &graph.name(*first)?);
    console.line(&first_line)?;
    for (&vertex, &before) in rest.iter().zip(way) {
        let kinds = graph.kinds_between(before, vertex).join(", ");
        let kinds = console.paint(DIM, &format!(" ({kinds})"));
        console.line(&format!("→ {}{kinds}", visible(&graph.name(vertex)?)))?;
    }
    Ok(())
}

/// The schema is `schemas/path.json`.
fn report_way(
    graph: &ResourceGraph<'_>,
    way: Option<&[u32]>,
    all: (bool, Option<&Ways>),
    file: &str,
    console: &mut Console,
) -> Result<(), Failure> {
    let length = way.map_or(Value::Null, |way| number(way.len().saturating_sub(1) as u64));
    let shortest = steps(graph, way.unwrap_or_default())?;
    let members = [("file", text(file)), ("length", length), ("path", shortest)];
    let mut report = report("path", members);
    if let (Value::Object(members), (true, ways)) = (&mut report, all) {
        let each = ways.map_or(&[][..], |ways| &ways.ways).iter().map(|way| steps(graph, way));
        members.push(("paths".to_owned(), Value::List(each.collect::<Result<_, _>>()?)));
        members.push(("truncated".to_owned(), Value::Bool(ways.is_some_and(|ways| ways.is_cut))));
    }
    console.print_json(&report)
}

/// The resources of a path, each with the kinds of the edges that lead to it.
fn steps(graph: &ResourceGraph<'_>, way: &[u32]) -> Result<Value, Failure> {
    let mut steps = Vec::new();
    let mut before = None;
    for &vertex in way {
        let mut step = item(graph, vertex)?;
        if let Some(before) = before.replace(vertex) {
            step.push(("kinds".to_owned(), list(graph.kinds_between(before, vertex), text)));
        }
        steps.push(Value::Object(step));
    }
    Ok(Value::List(steps))
}
