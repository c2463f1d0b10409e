//! Resources at the ends of a graph: roots, leaves and orphans.

use super::stopped;
use crate::failure::Failure;
use crate::json::{number, text};
use crate::name_filter::NameFilter;
use crate::relations::Direction;
use crate::resources::ResourceGraph;
use crate::streamed::{Report, collected};
use crate::style::TextWriter;
use coconut_format::Value;
use std::io::Write;

coconut_format::named! {
    /// An end of a graph.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum End {
        /// Resources that have dependencies, but no dependents.
        Roots = "roots";
        /// Resources that have dependents, but no dependencies.
        Leaves = "leaves";
        /// Resources without edges.
        Orphans = "orphans";
    }
    /// The word for them.
    pub fn name;
}

/// The resources at an end of a graph.
pub struct Ends<'g, 'a> {
    graph: &'g ResourceGraph<'a>,
    end: End,
    /// The resources as vertices of the graph.
    pub found: Vec<u32>,
    limit: usize,
}

impl<'g, 'a> Ends<'g, 'a> {
    /// Finds the resources of these types, or of all; at most `limit` of them are shown.
    pub fn of(
        graph: &'g ResourceGraph<'a>,
        end: End,
        types: &[String],
        limit: Option<usize>,
    ) -> Result<Ends<'g, 'a>, Failure> {
        let types = NameFilter::of_types(types)?;
        let has = |vertex, direction| graph.edges(direction).of(vertex).next().is_some();
        let mut found = Vec::new();
        for vertex in 0..graph.vertices() {
            let is_end = has(vertex, Direction::Dependencies) == (end == End::Roots)
                && has(vertex, Direction::Dependents) == (end == End::Leaves);
            if is_end && (types.is_all() || types.has(&graph.resource_type(vertex)?)) {
                found.push(vertex);
            }
        }
        Ok(Ends { graph, end, limit: limit.unwrap_or(found.len()), found })
    }

    /// Writes a key on each line. Returns a note if some are left out.
    pub fn write_text(&self, out: &mut TextWriter<'_>) -> Result<Option<String>, Failure> {
        for &vertex in self.found.iter().take(self.limit) {
            out.plain(&self.graph.name(vertex)?)?;
        }
        Ok(stopped(self.limit, self.found.len()))
    }

    /// The report that `write_json` writes, as data.
    pub fn to_report(&self, file: &str) -> Result<Value, Failure> {
        collected(|out| self.write_json(file, false, out))
    }

    /// Writes a report with the resources, or with their number. The schema is `schemas/ends.json`.
    pub fn write_json(&self, file: &str, only_count: bool, out: &mut dyn Write) -> Result<(), Failure> {
        let mut report = Report::begin(out, self.end.name(), [("file", text(file))])?;
        if !only_count {
            let shown = self.found.iter().take(self.limit);
            report.list("resources", shown.map(|&vertex| Ok(self.graph.item(vertex, [])?)))?;
        }
        report.member("count", &number(self.found.len() as u64))?;
        report.member("truncated", &Value::Bool(self.limit < self.found.len() && !only_count))?;
        report.end()
    }
}
