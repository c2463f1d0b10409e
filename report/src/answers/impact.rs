//! Numbers of resources that a change may affect, by distance and by type.

use super::deps::{GUESS, NOT_RECORDED};
use crate::failure::Failure;
use crate::json::{list, number, object, text};
use crate::name_filter::NameFilter;
use crate::relations::Follow;
use crate::resources::ResourceGraph;
use crate::streamed::{Report, collected};
use crate::style::{DIM, STRONG, TextWriter};
use coconut_format::Value;
use coconut_format::error::DecodeError;
use coconut_format::numerals::grouped;
use std::collections::BTreeMap;
use std::io::Write;

/// The resources that may change, and the edges to follow from them.
#[derive(Clone, Copy, Debug)]
pub struct ImpactQuestion<'q> {
    /// Keys of the resources that may change.
    pub keys: &'q [String],
    /// Follow at most this many edges.
    pub depth: u32,
    /// Guess that instances of a module use resources of their own instance.
    pub same_instance: bool,
    /// Follow no edges from resources of these types.
    pub stop_at: &'q [String],
}

/// The number of distances with a separate column.
const MOST_COLUMNS: usize = 8;

/// The affected resources.
pub struct Affected<'g, 'a> {
    graph: &'g ResourceGraph<'a>,
    start: Vec<u32>,
    /// The resources in the order of their distance, with the distance and the number of the type.
    resources: Vec<(u32, u32, usize)>,
    types: Vec<OfType>,
    farthest: u32,
    /// Whether some of them may not belong to the answer: see [`Follow`].
    is_upper_bound: bool,
    /// Whether the answer contains a guess.
    is_guess: bool,
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

impl<'g, 'a> Affected<'g, 'a> {
    /// Finds everything that depends on the resources.
    pub fn of(
        graph: &'g ResourceGraph<'a>,
        question: &ImpactQuestion<'_>,
    ) -> Result<Affected<'g, 'a>, Failure> {
        let mut start = Vec::new();
        for key in question.keys {
            start.extend(graph.start(key)?);
        }
        start.sort_unstable();
        start.dedup();
        let stop = NameFilter::of_types(question.stop_at)?;
        let has_stop_type = |vertex| match graph.resource_type(vertex) {
            Ok(name) => stop.has(&name),
            // The type is read again for the result, which fails then.
            Err(_) => true,
        };
        let reach = |follow: Follow| {
            let is_closed = |vertex| !stop.is_all() && has_stop_type(vertex);
            graph.reach_dependents(follow, &start, question.depth, is_closed)
        };
        let follow = Follow::guessing(question.same_instance);
        let reached = reach(follow)?;
        let has_instances = graph.relations.has_instances();
        let is_upper_bound =
            has_instances && reach(follow.without_unrecorded())?.order.len() < reached.order.len();
        let (mut numbers, mut types) = (BTreeMap::new(), Vec::<OfType>::new());
        let mut resources = Vec::with_capacity(reached.order.len());
        for (vertex, distance) in reached.order {
            let number = *numbers.entry(graph.resource_type(vertex)?).or_insert_with_key(|name| {
                types.push(OfType::new(name));
                types.len() - 1
            });
            types[number].add(distance);
            resources.push((vertex, distance, number));
        }
        let farthest = resources.last().map_or(0, |(_, distance, _)| *distance);
        let is_guess = question.same_instance && has_instances;
        Ok(Affected { graph, start, resources, types, farthest, is_upper_bound, is_guess })
    }

    /// Whether nothing depends on the resources.
    pub fn is_empty(&self) -> bool {
        self.resources.is_empty()
    }

    fn names(&self) -> Result<Vec<String>, DecodeError> {
        self.start.iter().map(|&vertex| self.graph.name(vertex)).collect()
    }

    /// The types, the most frequent first.
    fn sorted(&self) -> Vec<&OfType> {
        let mut types: Vec<&OfType> = self.types.iter().collect();
        types.sort_by(|one, other| other.count.cmp(&one.count).then_with(|| one.name.cmp(&other.name)));
        types
    }

    /// Writes a row for each type, with a column for each distance. Returns a note about a guess.
    pub fn write_text(&self, out: &mut TextWriter<'_>) -> Result<Option<&'static str>, Failure> {
        let guess = self.is_guess.then_some(GUESS);
        out.styled(STRONG, &self.names()?.join(", "))?;
        if self.is_empty() {
            out.styled(DIM, "nothing depends on it")?;
            return Ok(guess);
        }
        let mut total = OfType::new("all");
        self.resources.iter().for_each(|(_, distance, _)| total.add(*distance));
        let columns = (self.farthest as usize).min(MOST_COLUMNS);
        let is_folded = self.farthest as usize > columns;
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
        out.styled(DIM, &line("all", &headings, "edges away"))?;
        for of_type in self.sorted().into_iter().chain([&total]) {
            let cells: Vec<String> = of_type.by_column[..columns].iter().map(|&count| cell(count)).collect();
            out.plain(&line(&grouped(of_type.count), &cells, &of_type.name))?;
        }
        if self.is_upper_bound {
            out.styled(DIM, &format!("at most {}; {NOT_RECORDED}", grouped(total.count)))?;
        }
        Ok(guess)
    }

    /// The report that `write_json` writes, as data.
    pub fn to_report(&self, file: &str) -> Result<Value, Failure> {
        collected(|out| self.write_json(file, out))
    }

    /// Writes a report. The schema is `schemas/impact.json`.
    pub fn write_json(&self, file: &str, out: &mut dyn Write) -> Result<(), Failure> {
        let members = [("file", text(file)), ("start", list(self.names()?, text))];
        let mut report = Report::begin(out, "impact", members)?;
        report.begin_list("resources")?;
        let mut by_distance = vec![0_u64; self.farthest as usize];
        for &(vertex, distance, _) in &self.resources {
            by_distance[distance as usize - 1] += 1;
            report.item(&self.graph.item(vertex, [("depth", number(u64::from(distance)))])?)?;
        }
        report.end_list()?;
        let of_type = |of_type: &OfType| {
            object([
                ("type", text(&*of_type.name)),
                ("count", number(of_type.count)),
                ("nearest", number(u64::from(of_type.nearest))),
                ("farthest", number(u64::from(of_type.farthest))),
            ])
        };
        report.member("types", &list(self.sorted(), of_type))?;
        report.member("depths", &list(by_distance, number))?;
        report.member("count", &number(self.resources.len() as u64))?;
        report.member("at_most", &Value::Bool(self.is_upper_bound))?;
        report.end()
    }
}
