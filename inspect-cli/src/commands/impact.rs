//! `impact`: counts the dependents of resources, by distance and by type.

use super::deps::{Direction, GUESS, NOT_RECORDED, distance};
use clap::Args;
use coconut_format::Value;
use coconut_format::error::DecodeError;
use coconut_format::numerals::grouped;
use coconut_report::failure::{Exit, Failure};
use coconut_report::json::{number, object, text};
use coconut_report::name_filter::NameFilter;
use coconut_report::relations::Follow;
use coconut_report::resources::{ResourceGraph, item};
use coconut_report::streamed::Report;
use coconut_shell::console::{Console, DIM, STRONG, visible};
use coconut_shell::open::{Documents, Opened};
use coconut_shell::sources::{Marks, Sources};
use std::cell::Cell;
use std::collections::BTreeMap;
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

/// The number of distances with a separate column.
const MOST_COLUMNS: usize = 8;

/// The affected resources.
struct Affected {
    /// The resources in the order of their distance, with the distance and the number of the type.
    resources: Vec<(u32, u32, usize)>,
    types: Vec<OfType>,
    farthest: u32,
    /// Whether some of them may not belong to the answer: see [`Follow`].
    is_upper_bound: bool,
}

/// The resources of a type.
struct OfType {
    name: String,
    count: u64,
    nearest: u32,
    farthest: u32,
    /// The numbers of resources 1, 2, … edges away; the last number is that of all others.
    by_column: [u64; MOST_COLUMNS],
}

impl OfType {
    fn new(name: &str) -> OfType {
        OfType { name: name.to_owned(), count: 0, nearest: 0, farthest: 0, by_column: [0; MOST_COLUMNS] }
    }

    /// Adds a resource at this distance, which is at least that of the previous ones.
    fn add(&mut self, distance: u32) {
        self.count += 1;
        self.nearest = if self.count == 1 { distance } else { self.nearest };
        self.farthest = distance;
        self.by_column[(distance as usize).clamp(1, MOST_COLUMNS) - 1] += 1;
    }
}

impl Impact {
    pub(super) fn run(&self, documents: &dyn Documents, console: &mut Console) -> Result<Exit, Failure> {
        let files = std::slice::from_ref(&self.file);
        Sources::of(documents, files)
            .each_opened(documents, console, Marks::Heading, |opened, console| self.show(opened, console))
    }

    fn show(&self, opened: &Opened, console: &mut Console) -> Result<Exit, Failure> {
        let graph = ResourceGraph::of(opened.view(), console.reveal, &self.kind)?;
        let mut start = Vec::new();
        for key in &self.keys {
            start.extend(graph.start(key)?);
        }
        start.sort_unstable();
        start.dedup();
        let affected = self.affected(&graph, &start)?;
        match console.json {
            true => report(&graph, &start, &affected, &opened.name, console)?,
            false => {
                print(&graph, &start, &affected, console)?;
                if self.same_instance && graph.relations.has_instances() {
                    console.note(GUESS);
                }
            }
        }
        Ok(if affected.resources.is_empty() { Exit::Negative } else { Exit::Good })
    }

    fn affected(&self, graph: &ResourceGraph<'_>, start: &[u32]) -> Result<Affected, Failure> {
        let stop = NameFilter::of_types(&self.stop_at)?;
        let mut fault = None;
        let has_stop_type = |vertex| match graph.resource_type(vertex) {
            Ok(name) => stop.has(&name),
            // The type is read again for the result, which fails then.
            Err(_) => true,
        };
        let depth = self.depth.unwrap_or(u32::MAX);
        let follow_fault = Cell::new(None);
        let reach = |follow: Follow| {
            let is_followed = |vertex, edge| {
                let is_followed = graph.is_followed(follow, vertex, edge, Direction::Dependents);
                is_followed.unwrap_or_else(|error| {
                    follow_fault.set(Some(error));
                    false
                })
            };
            let is_closed = |vertex| !stop.is_all() && has_stop_type(vertex);
            graph.reach_by(Direction::Dependents, start, depth, is_closed, is_followed)
        };
        let follow = Follow::guessing(self.same_instance);
        let reached = reach(follow);
        let is_upper_bound = graph.relations.has_instances()
            && reach(follow.without_unrecorded()).order.len() < reached.order.len();
        if let Some(error) = follow_fault.take() {
            return Err(error.into());
        }
        let (mut numbers, mut types) = (BTreeMap::new(), Vec::<OfType>::new());
        let mut resources = Vec::with_capacity(reached.order.len());
        for (vertex, distance) in reached.order {
            let name = match graph.resource_type(vertex) {
                Ok(name) => name,
                Err(error) => {
                    fault = Some(error);
                    break;
                }
            };
            let number = *numbers.entry(name).or_insert_with_key(|name| {
                types.push(OfType::new(name));
                types.len() - 1
            });
            types[number].add(distance);
            resources.push((vertex, distance, number));
        }
        match fault {
            Some(error) => Err(error.into()),
            None => {
                let farthest = resources.last().map_or(0, |(_, distance, _)| *distance);
                Ok(Affected { resources, types, farthest, is_upper_bound })
            }
        }
    }
}

impl Affected {
    /// The types, the most frequent first.
    fn sorted(&self) -> Vec<&OfType> {
        let mut types: Vec<&OfType> = self.types.iter().collect();
        types.sort_by(|one, other| other.count.cmp(&one.count).then_with(|| one.name.cmp(&other.name)));
        types
    }

    /// The number at each distance, from 1.
    fn by_distance(&self) -> Vec<u64> {
        let mut counts = vec![0; self.farthest as usize];
        self.resources.iter().for_each(|(_, distance, _)| counts[*distance as usize - 1] += 1);
        counts
    }
}

fn names(graph: &ResourceGraph<'_>, vertices: &[u32]) -> Result<Vec<String>, DecodeError> {
    vertices.iter().map(|&vertex| graph.name(vertex)).collect()
}

/// A row for each type, a column for each distance.
fn print(
    graph: &ResourceGraph<'_>,
    start: &[u32],
    affected: &Affected,
    console: &mut Console,
) -> Result<(), Failure> {
    let names = console.paint(STRONG, &names(graph, start)?.join(", "));
    console.line(&names)?;
    if affected.resources.is_empty() {
        let line = console.paint(DIM, "nothing depends on it");
        return console.line(&line);
    }
    let mut total = OfType::new("all");
    affected.resources.iter().for_each(|(_, distance, _)| total.add(*distance));
    let columns = (affected.farthest as usize).min(MOST_COLUMNS);
    let is_folded = affected.farthest as usize > columns;
    let headings: Vec<String> = (1..=columns)
        .map(|at| if at == columns && is_folded { format!("{at}+") } else { at.to_string() })
        .collect();
    let cell = |count: u64| if count == 0 { String::new() } else { grouped(count) };
    let widths: Vec<usize> = headings
        .iter()
        .zip(total.by_column)
        .map(|(heading, count)| cell(count).len().max(heading.len()))
        .collect();
    let width = grouped(total.count).len().max("all".len());
    let line = |count: &str, cells: &[String], name: &str| {
        let cells = cells.iter().zip(&widths).map(|(cell, width)| format!("  {cell:>width$}"));
        format!("{count:>width$} {}  {name}", cells.collect::<String>())
    };
    let heading = console.paint(DIM, &line("all", &headings, "edges away"));
    console.line(&heading)?;
    for of_type in affected.sorted().into_iter().chain([&total]) {
        let cells: Vec<String> = of_type.by_column[..columns].iter().map(|&count| cell(count)).collect();
        console.line(&line(&grouped(of_type.count), &cells, &visible(&of_type.name)))?;
    }
    if affected.is_upper_bound {
        let line = console.paint(DIM, &format!("at most {}; {NOT_RECORDED}", grouped(total.count)));
        console.line(&line)?;
    }
    Ok(())
}

/// The schema is `schemas/impact.json`.
fn report(
    graph: &ResourceGraph<'_>,
    start: &[u32],
    affected: &Affected,
    file: &str,
    console: &mut Console,
) -> Result<(), Failure> {
    let start = names(graph, start)?.into_iter().map(text).collect();
    let mut report = Report::begin(console, "impact", [("file", text(file)), ("start", Value::List(start))])?;
    report.begin_list("resources")?;
    for &(vertex, distance, _) in &affected.resources {
        let mut members = item(graph, vertex)?;
        members.push(("depth".to_owned(), number(u64::from(distance))));
        report.item(&Value::Object(members))?;
    }
    report.end_list()?;
    report.begin_list("types")?;
    for of_type in affected.sorted() {
        report.item(&object([
            ("type", text(&*of_type.name)),
            ("count", number(of_type.count)),
            ("nearest", number(u64::from(of_type.nearest))),
            ("farthest", number(u64::from(of_type.farthest))),
        ]))?;
    }
    report.end_list()?;
    let by_distance = affected.by_distance().into_iter().map(number).collect();
    report.member("depths", &Value::List(by_distance))?;
    report.member("count", &number(affected.resources.len() as u64))?;
    report.member("at_most", &Value::Bool(affected.is_upper_bound))?;
    report.end()
}
