//! `graph`: draws the resources of a document and the edges between them.

mod changes;
pub(super) mod page;
pub(super) mod picture;
mod reduce;
mod selection;

use crate::code;
use crate::console::Console;
use crate::failure::{Exit, Failure};
use crate::json::{number, object, optional, text};
use crate::open::{Access, Documents, Opened};
use crate::resources::ResourceGraph;
use crate::sources::{Marks, Sources};
use crate::streamed::Report;
use crate::text::grouped;
use changes::Changes;
use clap::{Args, ValueEnum};
use coconut_diff::Happened;
use coconut_format::Value;
use coconut_picture::{Picture, d2, dot, graphml, mermaid, svg};
use picture::{Collapse, Layer, Names};
use selection::{Chosen, Selection};
use std::collections::HashSet;
use std::path::PathBuf;

/// Draw resources and the edges between them
///
/// Prints a page for a browser, an SVG image, or text for a drawing program: Graphviz (`dot`),
/// Mermaid, D2, GraphML or JSON. The page (`--as html`) is one file that works offline. It shows a
/// graph to search and explore, a list, a map of the bytes, and the differences with --changed.
/// Arrows lead from a resource to its dependencies. A resource and its instances are one box. The
/// same document always gives the same text, and the id of a box depends only on its key, so
/// versions of a picture can be compared.
///
/// Pictures with very many boxes are hard to read. --focus, --between, --type and --kind select a
/// part, --collapse draws one box for each type or module, and --reduce omits arrows that follow
/// from others. By default, the number of boxes is limited.
#[derive(Args, Debug)]
#[command(after_long_help = include_str!("../../tests/help/graph.trycmd"))]
pub struct Graph {
    /// A document or source; `-` is standard input
    #[arg(value_name = "FILE", required = true)]
    file: Option<PathBuf>,

    /// Output format
    #[arg(long = "as", value_name = "LANGUAGE", default_value = "dot")]
    language: Language,

    #[command(flatten)]
    selection: Selection,

    /// Draw one box for each group of resources
    #[arg(long, value_name = "WHAT", default_value = "none")]
    collapse: Collapse,

    /// Colour the changes since an older document
    ///
    /// Deleted resources are drawn, too.
    #[arg(long, value_name = "OTHER")]
    changed: Option<PathBuf>,

    /// With --changed, draw only what changed
    #[arg(long, requires = "changed", hide_short_help = true)]
    changed_only: bool,

    /// Omit edges that follow from others
    ///
    /// An edge is omitted if a longer path with edges of the same kind connects its resources.
    #[arg(long)]
    reduce: bool,

    /// Labels of the boxes
    #[arg(long, value_name = "WHAT", default_value = "short")]
    names: Names,

    /// The direction of the arrows
    #[arg(long, value_name = "WHERE", default_value = "tb")]
    direction: Direction,

    /// Maximum number of boxes (default: 2,000, or 100,000 in a page)
    ///
    /// Larger pictures are refused.
    #[arg(long, value_name = "N", hide_short_help = true)]
    max_nodes: Option<usize>,
}

/// The languages of pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Language {
    /// Graphviz
    Dot,
    /// Mermaid, for Markdown
    Mermaid,
    /// D2
    D2,
    /// GraphML, for yEd, Gephi and Cytoscape
    Graphml,
    /// Nodes and edges; `schema graph` describes them
    Json,
    /// An image for browsers, with the boxes in layers
    Svg,
    /// A page to search and explore in a browser: one file that works offline
    Html,
}

/// The default maximum number of boxes in a picture.
const MOST_BOXES: usize = 2000;

/// The direction of arrows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Direction {
    /// From top to bottom
    Tb,
    /// From left to right
    Lr,
}

impl From<Direction> for coconut_picture::Direction {
    fn from(direction: Direction) -> coconut_picture::Direction {
        match direction {
            Direction::Tb => coconut_picture::Direction::Tb,
            Direction::Lr => coconut_picture::Direction::Lr,
        }
    }
}

impl Graph {
    pub(super) fn run(&self, documents: &dyn Documents, console: &mut Console) -> Result<Exit, Failure> {
        let Some(file) = &self.file else { return Err(Failure::usage("expected a file")) };
        let mut sources = Sources::of(documents, std::slice::from_ref(file));
        // Several texts in these two languages can be in one stream.
        if !console.json && !matches!(self.language, Language::Dot | Language::Json) {
            sources = sources.one("a picture in this language")?;
        }
        sources.each(console, Marks::Inside, |file, console| {
            let opened = documents.open(file, Access::Whole, console)?;
            let older = self.changed.as_deref().map(|older| documents.open(older, Access::Whole, console));
            self.draw(&opened, older.transpose()?.as_ref(), console)
                .map_err(|failure| failure.in_file(&opened.name))
        })
    }

    fn draw(&self, opened: &Opened, older: Option<&Opened>, console: &mut Console) -> Result<Exit, Failure> {
        let graph = ResourceGraph::of(opened.view(), console.reveal, self.selection.kinds())?;
        let old = older.map(|older| {
            let old = ResourceGraph::of(older.view(), console.reveal, self.selection.kinds());
            old.map_err(|failure| failure.in_file(&older.name))
        });
        let old = old.transpose()?;
        let mut chosen = self.selection.shown(&graph)?;
        let (mut deleted, mut changes) = (Vec::new(), Changes::default());
        if let (Some(old), Some(older)) = (&old, older) {
            changes = Changes::between((older.view(), old), (opened.view(), &graph), console.reveal)?;
            deleted = self.compare(&changes, old, &graph, &mut chosen)?;
        }
        let mut layers = vec![Layer { graph: &graph, chosen }];
        layers.extend(old.as_ref().map(|old| Layer { graph: old, chosen: deleted }));
        if self.collapse == Collapse::Namespace && !picture::has_namespaces(&layers)? {
            let failure = Failure::usage("no resource is in a Kubernetes namespace");
            return Err(failure.with_hint("use `--collapse module` or `--collapse type`"));
        }
        if layers.iter().all(|layer| layer.chosen.is_empty())
            && let Some(wanted) = self.selection.types_wanted()
        {
            console.note(&format!("no resource of the picture has {wanted}"));
        }
        let mut picture = picture::of(&layers, self.collapse, self.names)?;
        if self.reduce {
            picture.links = reduce::reduced(&picture)?;
        }
        self.check_size(&picture)?;
        let name = &opened.name;
        let drawn = match (self.language, console.json) {
            (Language::Json, _) | (_, true) => {
                report(&picture, name, graph.relations.inferred_by(), console)?;
                return Ok(exit_of(&picture));
            }
            (Language::Dot, _) => dot::drawn(&picture, name, self.direction.into()),
            (Language::Mermaid, _) => mermaid::drawn(&picture, self.direction.into()),
            (Language::D2, _) => d2::drawn(&picture, self.direction.into()),
            (Language::Graphml, _) => graphml::drawn(&picture),
            (Language::Svg, _) => svg::drawn(&picture, name, self.direction.into()),
            (Language::Html, _) => {
                let changes = older.map(|older| (older.name.as_str(), &changes));
                page::of_graph(opened, &picture, &layers, changes, self.direction.into())?
            }
        };
        console.lines(drawn.as_bytes())?;
        if let Some(by) = graph.relations.inferred_by() {
            console.note(&format!("the edges are inferred ({by}); the document does not say them"));
        }
        Ok(exit_of(&picture))
    }

    /// Records the changes of the selected resources. Returns the deleted ones to draw.
    fn compare(
        &self,
        changes: &Changes,
        old: &ResourceGraph<'_>,
        new: &ResourceGraph<'_>,
        chosen: &mut Vec<Chosen>,
    ) -> Result<Vec<Chosen>, Failure> {
        let mut keys = HashSet::new();
        for one in chosen.iter_mut() {
            one.change = changes.new.get(&one.vertex).map(|noted| noted.happened);
            keys.insert(new.name(one.vertex)?);
        }
        if self.changed_only {
            chosen.retain(|one| one.change.is_some());
        }
        let is_shown = |vertex| old.name(vertex).is_ok_and(|key| keys.contains(&key));
        self.selection.shown_of_deleted(old, &changes.deleted, is_shown)
    }

    fn check_size(&self, picture: &Picture) -> Result<(), Failure> {
        let boxes = picture.vertices.len();
        let usual =
            if self.language == Language::Html { coconut_picture::page::MOST_BOXES } else { MOST_BOXES };
        let most = self.max_nodes.unwrap_or(usual);
        if boxes <= most {
            return Ok(());
        }
        let (boxes, most) = (grouped(boxes as u64), grouped(most as u64));
        let message = format!("the picture would have {boxes} boxes, the limit is {most}");
        let hint =
            "select a part with --focus or --type, use --collapse type, --as html, or raise --max-nodes";
        Err(Failure::new(Exit::Limit, code::GRAPH_SIZE, message).with_hint(hint))
    }
}

/// A picture without a box is a negative answer.
fn exit_of(picture: &Picture) -> Exit {
    if picture.vertices.is_empty() { Exit::Negative } else { Exit::Good }
}

/// The schema is `schemas/graph.json`.
fn report(
    picture: &Picture,
    file: &str,
    inferred_by: Option<&str>,
    console: &mut Console,
) -> Result<(), Failure> {
    let mut report = Report::begin(console, "graph", [("file", text(file))])?;
    report.begin_list("nodes")?;
    for vertex in &picture.vertices {
        report.item(&object([
            ("id", text(&*vertex.id)),
            ("key", text(&*vertex.key)),
            ("name", text(&*vertex.name)),
            ("type", text(&*vertex.type_name)),
            ("group", text(&*vertex.group)),
            ("count", number(u64::from(vertex.count))),
            ("focus", Value::Bool(vertex.is_focus)),
            ("change", optional(vertex.change().map(Happened::name))),
        ]))?;
    }
    report.end_list()?;
    report.begin_list("edges")?;
    for link in &picture.links {
        for (kind, count) in &link.kinds {
            report.item(&object([
                ("from", text(picture.id(link.from))),
                ("to", text(picture.id(link.to))),
                ("kind", text(&**kind)),
                ("count", number(u64::from(*count))),
            ]))?;
        }
    }
    report.end_list()?;
    report.member("inferred_by", &optional(inferred_by))?;
    report.end()
}
