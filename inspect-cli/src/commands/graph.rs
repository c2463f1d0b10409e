//! `graph`: draws the resources of a document and the edges between them.

mod selection;

use clap::{Args, ValueEnum};
use coconut_picture::Direction;
use coconut_picture::graph::{Collapse, Drawing, Form, Graphs, Names, Wanted};
use coconut_report::answers::deps::inferred_note;
use coconut_report::failure::{Exit, Failure};
use coconut_shell::choice::choice;
use coconut_shell::console::Console;
use coconut_shell::open::{Access, Documents, Opened};
use coconut_shell::sources::{Marks, Sources};
use selection::Selection;
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
    #[arg(long, value_name = "WHAT", default_value = "none", value_parser = choice(&Collapse::ALL, Collapse::name, Collapse::meaning))]
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
    #[arg(long, value_name = "WHAT", default_value = "short", value_parser = choice(&Names::ALL, Names::name, Names::meaning))]
    names: Names,

    /// The direction of the arrows
    #[arg(long, value_name = "WHERE", default_value = "tb", value_parser = choice(&Direction::ALL, Direction::name, Direction::meaning))]
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

impl Language {
    /// The form of a picture, unless it is JSON.
    fn form(self) -> Option<Form> {
        Some(match self {
            Language::Dot => Form::Dot,
            Language::Mermaid => Form::Mermaid,
            Language::D2 => Form::D2,
            Language::Graphml => Form::Graphml,
            Language::Svg => Form::Svg,
            Language::Html => Form::Html,
            Language::Json => return None,
        })
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
            let older = older.transpose()?;
            for opened in older.iter().chain([&opened]) {
                opened.check_whole().map_err(|error| Failure::from(error).in_file(&opened.name))?;
            }
            self.draw(&opened, older.as_ref(), console).map_err(|failure| failure.in_file(&opened.name))
        })
    }

    fn draw(&self, opened: &Opened, older: Option<&Opened>, console: &mut Console) -> Result<Exit, Failure> {
        let older = older.map(Opened::source);
        let graphs = Graphs::of(opened.source(), older, self.selection.kinds(), console.reveal)?;
        let wanted = self.wanted();
        let drawing = graphs.draw(&wanted)?;
        if drawing.is_empty()
            && let Some(types) = wanted.selection.types_wanted()
        {
            console.note(&format!("no resource of the picture has {types}"));
        }
        let form = self.language.form();
        self.check_size(&drawing, form)?;
        let Some(form) = form.filter(|_| !console.json) else {
            drawing.write_json(console)?;
            return Ok(drawing.exit());
        };
        let drawn = drawing.text(form, self.direction)?;
        console.lines(drawn.as_bytes())?;
        if let Some(by) = graphs.inferred_by() {
            console.note(&inferred_note(by));
        }
        Ok(drawing.exit())
    }

    fn wanted(&self) -> Wanted {
        Wanted {
            selection: self.selection.to_part(),
            collapse: self.collapse,
            names: self.names,
            is_reduced: self.reduce,
            changed_only: self.changed_only,
        }
    }

    fn check_size(&self, drawing: &Drawing<'_, '_>, form: Option<Form>) -> Result<(), Failure> {
        let most = self.max_nodes.unwrap_or(form.unwrap_or(Form::Dot).most_boxes());
        let hint = match form {
            Some(Form::Html) => {
                "select a part with --focus or --type, use --collapse type, or raise --max-nodes"
            }
            _ => "select a part with --focus or --type, use --collapse type, --as html, or raise --max-nodes",
        };
        drawing.check_size(most).map_err(|failure| failure.with_hint(hint))
    }
}
