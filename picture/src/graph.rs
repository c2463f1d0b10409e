//! Pictures of the resources of a document and the edges between them.
//!
//! ```
//! use coconut_codec::compile::{CompileOptions, compile};
//! use coconut_codec::read::file::DocumentFile;
//! use coconut_picture::graph::{Drawing, Graphs, Wanted};
//! use coconut_picture::{Direction, mermaid};
//! use coconut_report::source::Source;
//!
//! let text = br#"{"package": "net:*", "vertices": {
//!     "web": {"type": "t", "edges": {"db": {}}}, "db": {"type": "t"}}}"#;
//! let file = DocumentFile::from_data(compile(text, &CompileOptions::default())?.bytes)?;
//! let source = Source::new("net.coco", file.view());
//!
//! let graphs = Graphs::of(source, None, &[], false)?;
//! let drawing = graphs.draw(&Wanted::default())?;
//! assert_eq!(drawing.picture.vertices.len(), 2);
//! assert!(mermaid::drawn(&drawing.picture, Direction::Tb).starts_with("flowchart"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod boxes;
mod changes;
mod contents;
mod json;
mod landmarks;
mod reduce;
mod selection;
mod sizes;

pub use boxes::{Collapse, Layer, Names};
pub use changes::Changes;
pub use landmarks::landmarks_of;
pub use selection::{Chosen, Selection};

use crate::{Direction, Picture, d2, dot, graphml, mermaid, page, svg};
use coconut_format::numerals::grouped;
use coconut_report::resources::ResourceGraph;
use coconut_report::source::Source;
use coconut_report::{Exit, Failure, code};
use std::collections::HashSet;
use std::io::Write;

coconut_format::named! {
    /// The forms of a picture of a graph.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Form, ALL {
        /// Text for Graphviz.
        Dot = "dot", "Graphviz";
        /// Text for Mermaid.
        Mermaid = "mermaid", "Mermaid, for Markdown";
        /// Text for D2.
        D2 = "d2", "D2";
        /// GraphML.
        Graphml = "graphml", "GraphML, for yEd, Gephi and Cytoscape";
        /// An image.
        Svg = "svg", "An image for browsers, with the boxes in layers";
        /// A page.
        Html = "html", "A page to search and explore in a browser: one file that works offline";
    }
    /// The name.
    pub fn name;
    /// The meaning, for a help.
    pub fn meaning;
}

impl Form {
    /// The form with this name.
    pub fn named(name: &str) -> Option<Form> {
        Form::ALL.into_iter().find(|form| form.name() == name)
    }

    /// The default maximum number of boxes: as many as can be looked at, and in a page, as many as
    /// can be searched.
    pub fn most_boxes(self) -> usize {
        if self == Form::Html { page::MOST_BOXES } else { 2000 }
    }
}

/// The picture to draw.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// The part of the graph.
    pub selection: Selection,
    /// The resources that share a box.
    pub collapse: Collapse,
    /// The texts of the boxes.
    pub names: Names,
    /// Whether edges that follow from others are omitted.
    pub is_reduced: bool,
    /// With an older document, whether only changed resources are drawn.
    pub changed_only: bool,
}

/// The graph of a document, and that of an older one whose changes are drawn.
pub struct Graphs<'a> {
    source: Source<'a>,
    graph: ResourceGraph<'a>,
    older: Option<(Source<'a>, ResourceGraph<'a>)>,
    reveals: bool,
}

impl<'a> Graphs<'a> {
    /// Reads the graphs, with the edges of these kinds; of all kinds if there are none.
    pub fn of(
        source: Source<'a>,
        older: Option<Source<'a>>,
        kinds: &[String],
        reveals: bool,
    ) -> Result<Graphs<'a>, Failure> {
        let graph = ResourceGraph::of(source.view, reveals, kinds)?;
        let older = older.map(|older| {
            let old = ResourceGraph::of(older.view, reveals, kinds);
            old.map(|old| (older, old)).map_err(|failure| failure.in_file(older.name))
        });
        Ok(Graphs { source, graph, older: older.transpose()?, reveals })
    }

    /// The kind of inference that found the edges, unless the document contains them.
    pub fn inferred_by(&self) -> Option<&str> {
        self.graph.relations.inferred_by()
    }

    /// Draws a picture.
    ///
    /// # Errors
    ///
    /// `USAGE` if a selection has no meaning for this document, `KEY-MISSING` for a key that it
    /// does not have, `GRAPH-SIZE` if there are too many arrows to reduce.
    pub fn draw(&self, wanted: &Wanted) -> Result<Drawing<'_, 'a>, Failure> {
        let mut chosen = wanted.selection.shown(&self.graph)?;
        let (mut deleted, mut changes) = (Vec::new(), Changes::default());
        if let Some((older, old)) = &self.older {
            let new = (self.source.view, &self.graph);
            changes = Changes::between((older.view, old), new, self.reveals)?;
            deleted = self.compare(wanted, &changes, old, &mut chosen)?;
        }
        let mut layers = vec![Layer { graph: &self.graph, chosen }];
        layers.extend(self.older.as_ref().map(|(_, old)| Layer { graph: old, chosen: deleted }));
        if wanted.collapse == Collapse::Namespace && !boxes::has_namespaces(&layers)? {
            let failure = Failure::usage("no resource is in a Kubernetes namespace");
            return Err(failure.with_hint("use `--collapse module` or `--collapse type`"));
        }
        let mut picture = boxes::of(&layers, wanted.collapse, wanted.names)?;
        if wanted.is_reduced {
            picture.links = reduce::reduced(&picture)?;
        }
        Ok(Drawing { picture, graphs: self, layers, changes })
    }

    /// Records the changes of the selected resources. Returns the deleted ones to draw.
    fn compare(
        &self,
        wanted: &Wanted,
        changes: &Changes,
        old: &ResourceGraph<'_>,
        chosen: &mut Vec<Chosen>,
    ) -> Result<Vec<Chosen>, Failure> {
        let mut keys = HashSet::new();
        for one in chosen.iter_mut() {
            one.change = changes.new.get(&one.vertex).map(|noted| noted.happened);
            keys.insert(self.graph.name(one.vertex)?);
        }
        if wanted.changed_only {
            chosen.retain(|one| one.change.is_some());
        }
        let is_shown = |vertex| old.name(vertex).is_ok_and(|key| keys.contains(&key));
        wanted.selection.shown_of_deleted(old, &changes.deleted, is_shown)
    }
}

/// A picture, and what it was made from.
pub struct Drawing<'g, 'a> {
    /// The boxes and arrows.
    pub picture: Picture,
    graphs: &'g Graphs<'a>,
    layers: Vec<Layer<'g, 'a>>,
    changes: Changes,
}

impl Drawing<'_, '_> {
    /// Whether no resource is selected.
    pub fn is_empty(&self) -> bool {
        self.layers.iter().all(|layer| layer.chosen.is_empty())
    }

    /// The picture in a form.
    pub fn text(&self, form: Form, direction: Direction) -> Result<String, Failure> {
        let (picture, name) = (&self.picture, self.graphs.source.name);
        Ok(match form {
            Form::Dot => dot::drawn(picture, name, direction),
            Form::Mermaid => mermaid::drawn(picture, direction),
            Form::D2 => d2::drawn(picture, direction),
            Form::Graphml => graphml::drawn(picture),
            Form::Svg => svg::drawn(picture, name, direction),
            Form::Html => self.page(direction)?,
        })
    }

    /// Refuses a picture of more than `most` boxes.
    ///
    /// # Errors
    ///
    /// `GRAPH-SIZE`. The advice is the caller's, which knows the names of its options.
    pub fn check_size(&self, most: usize) -> Result<(), Failure> {
        let boxes = self.picture.vertices.len();
        if boxes <= most {
            return Ok(());
        }
        let (boxes, most) = (grouped(boxes as u64), grouped(most as u64));
        let message = format!("the picture would have {boxes} boxes, the limit is {most}");
        Err(Failure::new(Exit::Limit, code::GRAPH_SIZE, message))
    }

    /// A page for a browser: one file that works offline.
    pub fn page(&self, direction: Direction) -> Result<String, Failure> {
        let older = self.graphs.older.as_ref();
        let changes = older.map(|(older, _)| (older.name, &self.changes));
        contents::of_graph(self.graphs.source, &self.picture, &self.layers, changes, direction)
    }

    /// Writes the boxes and arrows as JSON.
    pub fn write_json(&self, out: &mut dyn Write) -> Result<(), Failure> {
        json::write(&self.picture, self.graphs.source.name, self.graphs.inferred_by(), out)
    }

    /// A picture without a box is a negative answer.
    pub fn exit(&self) -> Exit {
        if self.picture.vertices.is_empty() { Exit::Negative } else { Exit::Good }
    }
}
