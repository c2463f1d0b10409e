//! Circles of resources that depend on one another.

use crate::failure::Failure;
use crate::json::{list, number, object, text};
use crate::relations::Direction;
use crate::resources::ResourceGraph;
use crate::safe::visible;
use crate::streamed::{Report, collected};
use crate::style::{DIM, TextWriter};
use coconut_format::Value;
use coconut_format::error::DecodeError;
use coconut_format::graph::Adjacency as _;
use coconut_format::numerals::grouped;
use std::collections::HashMap;
use std::io::Write;

/// The shortest circle through the first resource of each group whose resources all depend on one
/// another, and each resource that depends on itself.
pub struct Cycles<'g, 'a> {
    graph: &'g ResourceGraph<'a>,
    /// The circles, by their first vertices.
    pub found: Vec<Circle>,
}

/// A circle.
#[derive(Clone, Debug)]
pub struct Circle {
    /// Its resources as vertices of the graph.
    pub vertices: Vec<u32>,
    /// The number of resources in its group.
    pub group: usize,
}

impl<'g, 'a> Cycles<'g, 'a> {
    /// Finds the circles.
    pub fn of(graph: &'g ResourceGraph<'a>) -> Cycles<'g, 'a> {
        let edges = graph.edges(Direction::Dependencies);
        let components = edges.components();
        let mut sizes: HashMap<u32, usize> = HashMap::new();
        components.iter().for_each(|&first| *sizes.entry(first).or_default() += 1);
        let group = |vertices: &[u32]| {
            let first = vertices.first().and_then(|&first| components.get(first as usize));
            first.and_then(|first| sizes.get(first)).copied().unwrap_or_default()
        };
        let long = edges.cycles(&components).into_iter();
        let loops = graph.loops().iter().map(|&vertex| vec![vertex]);
        let mut found: Vec<Circle> =
            long.chain(loops).map(|vertices| Circle { group: group(&vertices), vertices }).collect();
        found.sort_by(|one, other| one.vertices.cmp(&other.vertices));
        Cycles { graph, found }
    }

    fn names(&self, circle: &Circle) -> Result<Vec<String>, DecodeError> {
        circle.vertices.iter().map(|&vertex| self.graph.name(vertex)).collect()
    }

    /// Writes a circle on each line.
    pub fn write_text(&self, out: &mut TextWriter<'_>) -> Result<(), Failure> {
        for circle in &self.found {
            let names = self.names(circle)?;
            let names: Vec<String> = names.iter().chain(names.first()).map(|name| visible(name)).collect();
            let mut line = names.join(" → ");
            if circle.group > circle.vertices.len() {
                let note = format!("  ({} resources in circles with these)", grouped(circle.group as u64));
                line.push_str(&out.paint(DIM, &note));
            }
            out.line(&line)?;
        }
        Ok(())
    }

    /// The report that `write_json` writes, as data.
    pub fn to_report(&self, file: &str) -> Result<Value, Failure> {
        collected(|out| self.write_json(file, false, out))
    }

    /// Writes a report with the circles, or with their number. The schema is `schemas/cycles.json`.
    pub fn write_json(&self, file: &str, only_count: bool, out: &mut dyn Write) -> Result<(), Failure> {
        let mut report = Report::begin(out, "cycles", [("file", text(file))])?;
        if !only_count {
            report.begin_list("cycles")?;
            for circle in &self.found {
                let keys = list(self.names(circle)?, text);
                report.item(&object([("keys", keys), ("group", number(circle.group as u64))]))?;
            }
            report.end_list()?;
        }
        report.member("count", &number(self.found.len() as u64))?;
        report.end()
    }
}
