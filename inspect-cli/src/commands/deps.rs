//! `deps`: shows the dependencies of a resource.

use crate::code;
use crate::console::{Console, DIM, STRONG, visible};
use crate::failure::{Exit, Failure};
use crate::json::{Report, number, object, text};
use crate::open::{Access, Documents, Opened};
use crate::redact::{HiddenKeys, Redaction};
use crate::select::{Classes, landmark_named};
use crate::shell::examples;
use clap::Args;
use coconut_codec::read::file::DocumentView;
use coconut_codec::read::lookup::{EdgeView, LandmarkView, SearchMeter};
use coconut_format::error::DecodeError;
use coconut_format::landmark::{EdgePattern, LandmarkRule};
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

/// Show what a resource depends on, as a tree
///
/// Each line shows the kind of the edge and the key that it leads to. A resource that was shown
/// before is not expanded again. A line more than 32 levels deep begins with the number of levels
/// that are left out.
#[derive(Args, Debug)]
#[command(after_long_help = examples(include_str!("../../tests/help/deps.trycmd")))]
pub struct Deps {
    #[command(flatten)]
    tree: Tree,
}

/// The start of the tree of edges, and its depth.
#[derive(Args, Debug)]
pub(super) struct Tree {
    /// A document or a source
    file: PathBuf,

    /// The key of the first landmark
    key: String,

    /// Only landmarks of this class: a number, a word or a pattern, as `info` shows them
    #[arg(long, value_name = "N|NAME")]
    class: Option<String>,

    /// Maximum number of edges to follow from the first key
    ///
    /// Shows everything up to this distance. A landmark is expanded where it is nearest to the
    /// first key; `(below)` means that it is expanded further down.
    #[arg(long, value_name = "N")]
    depth: Option<usize>,

    /// Only edges of this kind; can be given several times
    #[arg(long, value_name = "KIND")]
    kind: Vec<String>,
}

/// The direction in which edges are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    /// To the landmarks that a landmark refers to.
    Dependencies,
    /// To the landmarks that refer to it.
    Dependents,
}

impl Deps {
    pub(super) fn run<D: Documents>(&self, documents: &D, console: &mut Console) -> Result<Exit, Failure> {
        self.tree.run(Direction::Dependencies, documents, console)
    }
}

/// A followed edge. Small, because a file of some kilobytes can have four million.
struct Row {
    /// The number of edges from the first landmark to here.
    depth: u32,
    /// The landmark where this step started and the one where it ended, independent of the
    /// direction of the edge.
    from: u32,
    to: u32,
    /// The number of its pattern in the rule.
    kind: u8,
    /// Whether it is the last edge of `from`.
    is_last: bool,
    place: Place,
}

/// Where the edges of the landmark of a row are shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// After the row, if it has any within the depth.
    Here,
    /// Before the row.
    Above,
    /// After a later row, which is nearer to the first landmark.
    Below,
}

const _: () = assert!(size_of::<Row>() == 16);

impl Tree {
    pub(super) fn run<D: Documents>(
        &self,
        direction: Direction,
        documents: &D,
        console: &mut Console,
    ) -> Result<Exit, Failure> {
        let opened = documents.open(&self.file, Access::Whole, console)?;
        self.show(&opened, direction, console).map_err(|failure| failure.in_file(&opened.name))
    }

    fn show(&self, opened: &Opened, direction: Direction, console: &mut Console) -> Result<Exit, Failure> {
        let document = opened.view();
        let rule = document.header().rule()?;
        let kinds: HashSet<&str> = rule.edges().iter().map(EdgePattern::kind).collect();
        if kinds.is_empty() {
            let dialect = document.header().dialect.as_deref().unwrap_or("no dialect");
            return Err(Failure::negative(code::NO_EDGES, format!("a document of {dialect} has no edges")));
        }
        if let Some(unknown) = self.kind.iter().find(|kind| !kinds.contains(kind.as_str())) {
            let mut known: Vec<&str> = kinds.into_iter().collect();
            known.sort_unstable();
            let failure = Failure::usage(format!("no edge of this document is of kind `{unknown}`"));
            return Err(failure.with_hint(format!("the kinds are {}", known.join(", "))));
        }
        let classes = Classes::named(document, self.class.as_deref())?;
        let start = landmark_named(document, &self.key, classes)?;
        let rows = self.rows(start, direction)?;
        let hidden = HiddenKeys::of(document, &Redaction::of_document(document, console.reveal)?)?;
        match console.json {
            true => print_report(opened, start, direction, &rows, &hidden, console)?,
            false => print_tree(start, &rows, &hidden, console)?,
        }
        Ok(Exit::Good)
    }

    /// The edges followed from `start`, each before the edges that continue from it.
    fn rows(&self, start: LandmarkView<'_>, direction: Direction) -> Result<Vec<Row>, DecodeError> {
        let document = start.document();
        let first = start.ordinal()?;
        let distances = self.depth.map(|most| self.distances(start, direction, most)).transpose()?;
        let mut rows = Vec::new();
        let mut known = HashSet::from([first]);
        let mut met = 0;
        let mut pending = Vec::new();
        if self.depth != Some(0) {
            self.push_edges(start, direction, 1, (&mut pending, &mut met))?;
        }
        while let Some(mut row) = pending.pop() {
            let distance = distances.as_ref().and_then(|distances| distances.get(&row.to));
            row.place = match distance {
                _ if known.contains(&row.to) => Place::Above,
                Some(&distance) if distance < row.depth => Place::Below,
                _ => Place::Here,
            };
            if row.place == Place::Here {
                known.insert(row.to);
                if self.goes_beyond(row.depth)
                    && let Some(target) = document.landmark(row.to)?
                {
                    self.push_edges(target, direction, row.depth + 1, (&mut pending, &mut met))?;
                }
            }
            rows.push(row);
        }
        Ok(rows)
    }

    /// The number of edges from `start` to each landmark within the distance `most`.
    fn distances(
        &self,
        start: LandmarkView<'_>,
        direction: Direction,
        most: usize,
    ) -> Result<HashMap<u32, u32>, DecodeError> {
        let document = start.document();
        let first = start.ordinal()?;
        let mut distances = HashMap::from([(first, 0)]);
        let (mut near, mut edges, mut met) = (vec![first], Vec::new(), 0);
        for depth in (1..).take(most) {
            let mut far = Vec::new();
            for from in near.drain(..) {
                if let Some(from) = document.landmark(from)? {
                    self.push_edges(from, direction, depth, (&mut edges, &mut met))?;
                }
                for row in edges.drain(..) {
                    distances.entry(row.to).or_insert_with(|| {
                        far.push(row.to);
                        depth
                    });
                }
            }
            if far.is_empty() {
                break;
            }
            near = far;
        }
        Ok(distances)
    }

    /// Whether edges beyond the distance `depth` are followed.
    fn goes_beyond(&self, depth: u32) -> bool {
        self.depth.is_none_or(|most| (depth as usize) < most)
    }

    /// Pushes the edges of one landmark, the first one last. Counts all edges met, for the limit.
    fn push_edges(
        &self,
        from: LandmarkView<'_>,
        direction: Direction,
        depth: u32,
        (rows, met): (&mut Vec<Row>, &mut usize),
    ) -> Result<(), DecodeError> {
        let edges = match direction {
            Direction::Dependencies => from.dependencies()?,
            Direction::Dependents => from.dependents()?,
        };
        *met += edges.len();
        from.document().check_edges_met(*met)?;
        let from = from.ordinal()?;
        let is_wanted =
            |edge: &EdgeView<'_>| self.kind.is_empty() || self.kind.iter().any(|kind| kind == edge.kind);
        for (index, edge) in edges.into_iter().filter(is_wanted).rev().enumerate() {
            let (to, is_last) = (edge.landmark.ordinal()?, index == 0);
            rows.push(Row { depth, from, to, kind: edge.number, is_last, place: Place::Here });
        }
        Ok(())
    }
}

/// The landmark at one end of an edge, and the kind of the edge.
fn landmark_of<'a>(document: DocumentView<'a>, ordinal: u32) -> Result<LandmarkView<'a>, DecodeError> {
    Ok(document.landmark(ordinal)?.expect("the edges of a document lead to its landmarks"))
}

fn kind_of<'a>(document: DocumentView<'a>, row: &Row) -> &'a str {
    let edges = document.header().rule().map(LandmarkRule::edges).unwrap_or_default();
    edges.get(usize::from(row.kind)).map_or("", EdgePattern::kind)
}

/// Levels drawn at the start of a line.
const MOST_LEVELS: usize = 32;

fn print_tree(
    start: LandmarkView<'_>,
    rows: &[Row],
    hidden: &HiddenKeys,
    console: &mut Console,
) -> Result<(), Failure> {
    let document = start.document();
    // A key can be as long as the file, and very many edges can lead to it.
    let meter = SearchMeter::of(document);
    let first = console.paint(STRONG, &start.key_within(&meter)?);
    console.line(&first)?;
    // For each level, whether more edges of it follow.
    let mut goes_on: Vec<bool> = Vec::new();
    for row in rows {
        goes_on.truncate(row.depth as usize - 1);
        // A chain of a million edges must not give a line of a million columns.
        let left_out = goes_on.len().saturating_sub(MOST_LEVELS);
        let mut line = match left_out {
            0 => String::new(),
            levels => console.paint(DIM, &format!("({levels} levels) ")),
        };
        line.extend(goes_on.iter().skip(left_out).map(|&goes_on| if goes_on { "│   " } else { "    " }));
        line.push_str(if row.is_last { "└── " } else { "├── " });
        line.push_str(&console.paint(DIM, &format!("{}: ", kind_of(document, row))));
        let target = landmark_of(document, row.to)?;
        line.push_str(&visible(hidden.shown(target, &target.key_within(&meter)?)?));
        match row.place {
            Place::Here => {}
            Place::Above => line.push_str(&console.paint(DIM, " (above)")),
            Place::Below => line.push_str(&console.paint(DIM, " (below)")),
        }
        console.line(&line)?;
        goes_on.push(!row.is_last);
    }
    Ok(())
}

fn print_report(
    opened: &Opened,
    start: LandmarkView<'_>,
    direction: Direction,
    rows: &[Row],
    hidden: &HiddenKeys,
    console: &mut Console,
) -> Result<(), Failure> {
    let document = start.document();
    let meter = SearchMeter::of(document);
    let command = match direction {
        Direction::Dependencies => "deps",
        Direction::Dependents => "rdeps",
    };
    let key = start.key_within(&meter)?.into_owned();
    let mut report = Report::begin(console, command, [("file", text(&opened.name)), ("key", text(key))])?;
    report.begin_list("edges")?;
    for row in rows {
        // Reports the edge in its own direction, whichever way it was followed.
        let (from, to) = match direction {
            Direction::Dependencies => (row.from, row.to),
            Direction::Dependents => (row.to, row.from),
        };
        let (from, to) = (landmark_of(document, from)?, landmark_of(document, to)?);
        report.item(&object([
            ("from", text(hidden.shown(from, &from.key_within(&meter)?)?)),
            ("to", text(hidden.shown(to, &to.key_within(&meter)?)?)),
            ("kind", text(kind_of(document, row))),
            ("depth", number(u64::from(row.depth))),
        ]))?;
    }
    report.end_list()?;
    report.end()
}
