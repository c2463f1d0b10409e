//! Paths from a resource to one of its dependencies.

mod ways;

use crate::failure::Failure;
use crate::json::{list, number, report, text};
use crate::relations::Direction;
use crate::resources::ResourceGraph;
use crate::safe::visible;
use crate::style::{DIM, STRONG, TextWriter};
use coconut_format::Value;
use coconut_format::truncated::Truncated;
use ways::Ways;

/// The shortest path between two resources, or several paths.
pub struct Paths<'g, 'a> {
    graph: &'g ResourceGraph<'a>,
    names: [&'g str; 2],
    ends: [Vec<u32>; 2],
    shortest: Option<Vec<u32>>,
    /// Several paths, if they were requested.
    all: Option<Ways>,
}

impl<'g, 'a> Paths<'g, 'a> {
    /// Follows dependencies between two keys. With `all`, finds up to this number of paths.
    pub fn of(
        graph: &'g ResourceGraph<'a>,
        names: [&'g str; 2],
        all: Option<usize>,
    ) -> Result<Paths<'g, 'a>, Failure> {
        let ends = [graph.start(names[0])?, graph.start(names[1])?];
        let [from, to] = &ends;
        let shortest = shortest(graph, from, to);
        let all = all.map(|most| match &shortest {
            Some(_) => ways::all(graph, from, to, most),
            None => Ways::default(),
        });
        Ok(Paths { graph, names, ends, shortest, all })
    }

    /// Whether there is a path.
    pub fn is_any(&self) -> bool {
        self.shortest.is_some()
    }

    /// Writes the paths, with an empty line between two. Returns a note if there is no path, or if
    /// there are more.
    pub fn write_text(&self, out: &mut TextWriter<'_>) -> Result<Option<String>, Failure> {
        let Some(shortest) = &self.shortest else { return Ok(Some(self.none())) };
        let Some(all) = &self.all else { return self.write_way(shortest, out).map(|()| None) };
        for (at, way) in all.ways.iter().enumerate() {
            if at > 0 {
                out.line("")?;
            }
            self.write_way(way, out)?;
        }
        let more = || format!("there are more than these {}; `--all=N` shows more", all.ways.len());
        Ok(all.is_cut.then(more))
    }

    fn none(&self) -> String {
        let [from, to] = self.names.map(Truncated);
        match shortest(self.graph, &self.ends[1], &self.ends[0]) {
            Some(_) => format!("`{from}` does not depend on `{to}`, but `{to}` depends on `{from}`"),
            None => format!("`{from}` does not depend on `{to}`, and `{to}` not on `{from}`"),
        }
    }

    fn write_way(&self, way: &[u32], out: &mut TextWriter<'_>) -> Result<(), Failure> {
        let Some((&first, rest)) = way.split_first() else { return Ok(()) };
        out.styled(STRONG, &self.graph.name(first)?)?;
        for (&vertex, &before) in rest.iter().zip(way) {
            let kinds = self.graph.kinds_between(before, vertex).join(", ");
            let kinds = out.paint(DIM, &format!(" ({kinds})"));
            out.line(&format!("→ {}{kinds}", visible(&self.graph.name(vertex)?)))?;
        }
        Ok(())
    }

    /// The report. The schema is `schemas/path.json`.
    pub fn to_report(&self, file: &str) -> Result<Value, Failure> {
        let shortest = self.shortest.as_deref();
        let length = shortest.map_or(Value::Null, |way| number(way.len().saturating_sub(1) as u64));
        let steps = self.steps(shortest.unwrap_or_default())?;
        let mut report = report("path", [("file", text(file)), ("length", length), ("path", steps)]);
        if let (Value::Object(members), Some(all)) = (&mut report, &self.all) {
            let ways: Result<Vec<Value>, Failure> = all.ways.iter().map(|way| self.steps(way)).collect();
            members.push(("paths".to_owned(), Value::List(ways?)));
            members.push(("truncated".to_owned(), Value::Bool(all.is_cut)));
        }
        Ok(report)
    }

    /// The resources of a path, each with the kinds of the edges that lead to it.
    fn steps(&self, way: &[u32]) -> Result<Value, Failure> {
        let mut before = None;
        let steps = way.iter().map(|&vertex| {
            let kinds = before.replace(vertex).map(|before| self.graph.kinds_between(before, vertex));
            Ok(self.graph.item(vertex, kinds.map(|kinds| ("kinds", list(kinds, text))))?)
        });
        Ok(Value::List(steps.collect::<Result<_, Failure>>()?))
    }
}

/// A shortest path from any of the first resources to any of the second.
fn shortest(graph: &ResourceGraph<'_>, from: &[u32], to: &[u32]) -> Option<Vec<u32>> {
    let reached = graph.reach(Direction::Dependencies, from, u32::MAX, |_| false);
    let ways = to.iter().filter_map(|&end| reached.way_to(end));
    ways.min_by_key(Vec::len)
}
