//! `cycles`: shows resources that depend on one another in a circle.

use clap::Args;
use coconut_format::Value;
use coconut_format::error::DecodeError;
use coconut_format::graph::Adjacency as _;
use coconut_format::numerals::grouped;
use coconut_report::failure::{Exit, Failure};
use coconut_report::json::{number, text};
use coconut_report::resources::ResourceGraph;
use coconut_report::streamed::Report;
use coconut_shell::console::{Console, DIM, visible};
use coconut_shell::open::{Documents, Opened};
use coconut_shell::sources::{Marks, Sources};
use std::collections::HashMap;
use std::path::PathBuf;

/// Find cycles of resources that depend on one another
///
/// Prints one cycle per line. In a group of resources that all depend on one another, this is the
/// shortest cycle through the first of them. Other cycles of the group are not shown, only its
/// size. A resource that refers to itself is a cycle of one. Exits with 1 if there are no cycles.
#[derive(Args, Debug)]
#[command(after_long_help = include_str!("../../tests/help/cycles.trycmd"))]
pub struct Cycles {
    /// Documents, sources or folders; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Follow only edges of this kind (repeatable)
    #[arg(long, value_name = "KIND")]
    kind: Vec<String>,

    /// Print only the number of cycles
    #[arg(long)]
    count: bool,
}

/// A circle, and the number of resources in its group.
struct Circle {
    vertices: Vec<u32>,
    group: usize,
}

impl Cycles {
    pub(super) fn run(&self, documents: &dyn Documents, console: &mut Console) -> Result<Exit, Failure> {
        let exit = Sources::of(documents, &self.files).each_opened(
            documents,
            console,
            Marks::Column,
            |opened, console| self.show(opened, console),
        )?;
        if exit == Exit::Negative {
            console.note("no resource depends on itself");
        }
        Ok(exit)
    }

    fn show(&self, opened: &Opened, console: &mut Console) -> Result<Exit, Failure> {
        let graph = ResourceGraph::of(opened.view(), console.reveal, &self.kind)?;
        let circles = circles_of(&graph);
        if console.json {
            let mut report = Report::begin(console, "cycles", [("file", text(&opened.name))])?;
            if !self.count {
                report.begin_list("cycles")?;
                for circle in &circles {
                    let keys: Result<Vec<Value>, DecodeError> =
                        circle.vertices.iter().map(|&vertex| Ok(text(graph.name(vertex)?))).collect();
                    let members = [
                        ("keys".to_owned(), Value::List(keys?)),
                        ("group".to_owned(), number(circle.group as u64)),
                    ];
                    report.item(&Value::Object(members.into()))?;
                }
                report.end_list()?;
            }
            report.member("count", &number(circles.len() as u64))?;
            report.end()?;
        } else if self.count {
            console.line(&circles.len().to_string())?;
        } else {
            for circle in &circles {
                print_circle(&graph, circle, console)?;
            }
        }
        Ok(if circles.is_empty() { Exit::Negative } else { Exit::Good })
    }
}

/// The circles, by their first vertices.
fn circles_of(graph: &ResourceGraph<'_>) -> Vec<Circle> {
    let edges = graph.edges(super::deps::Direction::Dependencies);
    let components = edges.components();
    let mut sizes: HashMap<u32, usize> = HashMap::new();
    components.iter().for_each(|&first| *sizes.entry(first).or_default() += 1);
    let group = |vertices: &[u32]| {
        let first = vertices.first().and_then(|&first| components.get(first as usize));
        first.and_then(|first| sizes.get(first)).copied().unwrap_or_default()
    };
    let long = edges.cycles(&components).into_iter();
    let loops = graph.loops().iter().map(|&vertex| vec![vertex]);
    let mut circles: Vec<Circle> =
        long.chain(loops).map(|vertices| Circle { group: group(&vertices), vertices }).collect();
    circles.sort_by(|one, other| one.vertices.cmp(&other.vertices));
    circles
}

fn print_circle(graph: &ResourceGraph<'_>, circle: &Circle, console: &mut Console) -> Result<(), Failure> {
    let mut line = String::new();
    for &vertex in &circle.vertices {
        line.push_str(&visible(&graph.name(vertex)?));
        line.push_str(" → ");
    }
    let first = circle.vertices.first().map(|&first| graph.name(first)).transpose()?;
    line.push_str(&visible(&first.unwrap_or_default()));
    if circle.group > circle.vertices.len() {
        let note = format!("  ({} resources in circles with these)", grouped(circle.group as u64));
        line.push_str(&console.paint(DIM, &note));
    }
    console.line(&line)
}
