//! A page for a browser: the graph, a list, sizes and changes in one file that needs no network.
//!
//! Everything that the page shows is in it as JSON: texts once, and numbers in columns. The places
//! of boxes are computed here, so the same document gives the same bytes. The script and the style
//! are the only ones that the policy of the page permits, by their digests; nothing that a document
//! says can become part of them.

mod data;
mod sizes;
mod text;
mod views;

use super::Direction;
use super::changes::{Changes, Noted};
use super::picture::{Layer, Link, Picture, Vertex};
use crate::failure::Failure;
use crate::open::Opened;
use crate::text::grouped;
use coconut_diff::Happened;
use coconut_format::error::DecodeError;
use sha2::{Digest as _, Sha256};
use std::collections::HashSet;
use text::{base64, in_html};

pub(in crate::commands) use sizes::{Measuring, Sizes};

/// Boxes of a page, unless the caller says how many.
pub(in crate::commands) const MOST_BOXES: usize = 100_000;

const SKELETON: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/page.css");

/// The script, in the order in which its parts need each other.
const SCRIPT: [&str; 8] = [
    include_str!("page/data.js"),
    include_str!("page/dom.js"),
    include_str!("page/canvas.js"),
    include_str!("page/graph.js"),
    include_str!("page/list.js"),
    include_str!("page/sizes.js"),
    include_str!("page/details.js"),
    include_str!("page/main.js"),
];

/// Items of the list for browsers that run no script.
const MOST_WITHOUT_SCRIPT: usize = 1000;

/// A resource or landmark.
#[derive(Clone, Debug, Default)]
pub(in crate::commands) struct Item {
    /// The key, as it may be shown.
    pub(in crate::commands) key: String,
    /// A short name.
    pub(in crate::commands) name: String,
    pub(in crate::commands) type_name: String,
    pub(in crate::commands) group: String,
    /// How many resources it stands for.
    pub(in crate::commands) count: u32,
    pub(in crate::commands) is_focus: bool,
    pub(in crate::commands) change: Option<Happened>,
    pub(in crate::commands) sizes: Sizes,
}

/// What happened to an item, for the table of changes.
struct Change {
    item: usize,
    moved_from: Option<String>,
    places: Vec<(&'static str, String)>,
    count: usize,
}

/// All that a page shows.
#[derive(Default)]
pub(in crate::commands) struct Contents {
    /// The name of the file.
    pub(in crate::commands) title: String,
    /// Facts about the file, each with its name.
    pub(in crate::commands) facts: Vec<(&'static str, String)>,
    pub(in crate::commands) items: Vec<Item>,
    /// The parts of the compiled document, with their bytes.
    pub(in crate::commands) parts: Vec<(String, u64)>,
    links: Vec<Link>,
    /// The name of the other document, if the page shows changes.
    changed_since: Option<String>,
    changes: Vec<Change>,
    /// Whether there is a graph to draw.
    has_graph: bool,
}

/// The page of a graph.
pub(super) fn of_graph(
    opened: &Opened,
    picture: &Picture,
    layers: &[Layer<'_, '_>],
    changes: Option<(&str, &Changes)>,
    direction: Direction,
) -> Result<String, Failure> {
    let mut contents = Contents::of(opened);
    contents.has_graph = true;
    contents.items = picture.vertices.iter().map(item_of).collect();
    let mut measuring = Measuring::of(opened);
    if let (Some(layer), Some(boxes)) = (layers.first(), picture.boxes.first()) {
        for (one, &at) in layer.chosen.iter().zip(boxes) {
            let value = layer.graph.relations.value(layer.graph.node(one.vertex))?;
            if let Some(item) = contents.items.get_mut(at) {
                item.sizes.add(&measuring.sizes_of(value)?);
            }
        }
        if let Some(by) = layer.graph.relations.inferred_by() {
            contents.facts.push(("edges", format!("inferred ({by}); the document does not say them")));
        }
        if let Some((since, changes)) = changes {
            contents.changed_since = Some(since.to_owned());
            contents.changes = changes_of(layers, &picture.boxes, changes)?;
        }
    }
    contents.parts = measuring.finish(&mut contents.items)?;
    contents.links.clone_from(&picture.links);
    contents.hide_other_keys();
    Ok(contents.drawn(direction))
}

fn item_of(vertex: &Vertex) -> Item {
    Item {
        key: vertex.key.clone(),
        name: vertex.name.clone(),
        type_name: vertex.type_name.clone(),
        group: vertex.group.clone(),
        count: vertex.count,
        is_focus: vertex.is_focus,
        change: vertex.change(),
        sizes: Sizes::default(),
    }
}

/// The changes of the boxes that a picture has, in their order.
fn changes_of(
    layers: &[Layer<'_, '_>],
    boxes: &[Vec<usize>],
    changes: &Changes,
) -> Result<Vec<Change>, DecodeError> {
    let mut found = Vec::new();
    let (Some(new), Some(of_new)) = (layers.first(), boxes.first()) else { return Ok(found) };
    let old = layers.get(1).zip(boxes.get(1));
    for (one, &item) in new.chosen.iter().zip(of_new) {
        let Some(Noted { moved_from, places, count, .. }) = changes.new.get(&one.vertex) else { continue };
        let moved_from = match (moved_from, old) {
            (Some(vertex), Some((old, _))) => Some(old.graph.name(*vertex)?),
            _ => None,
        };
        found.push(Change { item, moved_from, places: places.clone(), count: *count });
    }
    let gone = old.map_or(&[][..], |(_, boxes)| boxes);
    let change = |&item: &usize| Change { item, moved_from: None, places: Vec::new(), count: 0 };
    found.extend(gone.iter().map(change));
    Ok(found)
}

impl Contents {
    /// A page about this file, without items.
    pub(in crate::commands) fn of(opened: &Opened) -> Contents {
        let view = opened.view();
        let header = view.header();
        let mut facts = vec![("type", header.document_type.to_string())];
        facts.extend(header.dialect.as_deref().map(|dialect| ("dialect", dialect.to_owned())));
        facts.push(("size", format!("{} bytes", grouped(opened.size()))));
        if opened.document_bytes() != opened.size() {
            facts.push(("compiled", format!("{} bytes", grouped(opened.document_bytes()))));
        }
        let title = opened.name.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
        Contents { title, facts, ..Contents::default() }
    }

    /// Leaves out the ends of edges that are no items: the page may not know whether they are
    /// secret.
    fn hide_other_keys(&mut self) {
        let keys: HashSet<&str> = self.items.iter().map(|item| item.key.as_str()).collect();
        for (_, place) in self.changes.iter_mut().flat_map(|change| &mut change.places) {
            let end = place.split_once(" → ").filter(|_| !place.starts_with('/'));
            if let Some((kind, _)) = end.filter(|(_, key)| !keys.contains(key)) {
                *place = format!("{kind} →");
            }
        }
    }

    /// The page of a document without a graph.
    pub(in crate::commands) fn page(&self) -> String {
        self.drawn(Direction::Tb)
    }

    fn drawn(&self, direction: Direction) -> String {
        let script = format!("(() => {{\n\"use strict\";\n{}}})();\n", SCRIPT.concat());
        let policy = format!(
            "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; img-src data:; base-uri 'none'; form-action 'none'",
            base64(&Sha256::digest(&script)),
            base64(&Sha256::digest(STYLE)),
        );
        let title = in_html(&self.title);
        let (data, list) = (data::drawn(self, direction), self.list());
        let pieces = [
            ("policy", policy.as_str()),
            ("title", &title),
            ("style", STYLE),
            ("list", &list),
            ("data", &data),
            ("script", &script),
        ];
        filled(SKELETON, &pieces)
    }

    /// What a browser shows that runs no script.
    fn list(&self) -> String {
        let mut list = String::from("<ul>\n");
        for item in self.items.iter().take(MOST_WITHOUT_SCRIPT) {
            let type_name = if item.type_name == item.key { "" } else { &item.type_name };
            list.push_str(&format!(
                "<li>{} <small>{}</small></li>\n",
                in_html(&item.key),
                in_html(type_name)
            ));
        }
        list.push_str("</ul>\n");
        let more = self.items.len().saturating_sub(MOST_WITHOUT_SCRIPT);
        if more > 0 {
            list.push_str(&format!("<p>and {} more</p>\n", grouped(more as u64)));
        }
        list
    }
}

/// A text with each `{{name}}` replaced. What is inserted is not searched again.
fn filled(skeleton: &str, pieces: &[(&str, &str)]) -> String {
    let length: usize = pieces.iter().map(|(_, piece)| piece.len()).sum();
    let mut out = String::with_capacity(skeleton.len() + length);
    let mut rest = skeleton;
    while let Some((before, after)) = rest.split_once("{{") {
        out.push_str(before);
        let (name, after) = after.split_once("}}").unwrap_or((after, ""));
        let piece = pieces.iter().find(|(known, _)| *known == name);
        out.push_str(piece.map_or("", |(_, piece)| piece));
        rest = after;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_is_not_searched_for_others() {
        assert_eq!(filled("<{{a}}|{{b}}>", &[("a", "{{b}}"), ("b", "x")]), "<{{b}}|x>");
    }

    #[test]
    fn neither_the_script_nor_the_style_can_end_early() {
        for text in SCRIPT.iter().chain([&STYLE]) {
            let text = text.to_lowercase();
            assert!(!text.contains("</script") && !text.contains("<!--") && !text.contains("</style"));
            // Nothing is loaded, and no text becomes markup or code.
            for word in [
                "innerhtml",
                "outerhtml",
                "insertadjacent",
                "document.write",
                "eval(",
                "http",
                "@import",
                "url(",
            ] {
                assert!(!text.contains(word), "{word}");
            }
        }
    }
}
