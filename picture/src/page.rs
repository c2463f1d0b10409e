//! A page for a browser: the graph, a list, sizes and changes, in one file that needs no network
//! access.
//!
//! The page contains all of its data as JSON: texts once, and numbers in columns. The layout is
//! computed here, so the same document gives the same bytes. The policy of the page permits only
//! its script and its style, by their digests. Text from a document can never become part of them.

mod data;
mod text;
mod views;

use crate::{Direction, Link};
use coconut_diff::Happened;
use coconut_format::numerals::grouped;
use sha2::{Digest as _, Sha256};
use std::collections::HashSet;
use std::ops::Range;
use text::{base64, in_html};

/// The default maximum number of boxes in a page.
pub const MOST_BOXES: usize = 100_000;

const SKELETON: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/page.css");

/// The script, in the order of the dependencies between its parts.
const SCRIPT: [&str; 9] = [
    include_str!("page/data.js"),
    include_str!("page/dom.js"),
    include_str!("page/routes.js"),
    include_str!("page/canvas.js"),
    include_str!("page/graph.js"),
    include_str!("page/list.js"),
    include_str!("page/sizes.js"),
    include_str!("page/details.js"),
    include_str!("page/main.js"),
];

/// The number of list items for browsers without scripts.
const MOST_WITHOUT_SCRIPT: usize = 1000;

/// A resource or landmark.
#[derive(Clone, Debug, Default)]
pub struct Item {
    /// The key, in the form that may be shown.
    pub key: String,
    /// A short name.
    pub name: String,
    /// The type; may be empty.
    pub type_name: String,
    /// The module; may be empty.
    pub group: String,
    /// The number of resources it stands for.
    pub count: u32,
    /// Whether it is emphasised.
    pub is_focus: bool,
    /// The change shared by all of its resources.
    pub change: Option<Happened>,
    /// Its size in bytes.
    pub sizes: Sizes,
}

/// The size of an item in bytes.
#[derive(Clone, Debug, Default)]
pub struct Sizes {
    /// The size as minified JSON, with shared values repeated.
    pub json: u64,
    /// The size in the file, without the data to which it refers.
    pub stored: u64,
    /// The ranges of these bytes; several if the item stands for several resources.
    pub spans: Vec<Range<u64>>,
    /// The part that contains them.
    pub part: usize,
}

impl Sizes {
    /// Adds the bytes of another resource for which the item stands.
    pub fn add(&mut self, other: &Sizes) {
        self.json += other.json;
        self.spans.extend(other.spans.iter().cloned());
    }
}

/// The changes of an item, for the table of changes.
#[derive(Clone, Debug)]
pub struct Change {
    /// The number of the item.
    pub item: usize,
    /// The previous key.
    pub moved_from: Option<String>,
    /// The action and the place of each listed difference.
    pub places: Vec<(&'static str, String)>,
    /// The number of differences.
    pub count: usize,
}

/// All data shown by a page.
#[derive(Clone, Debug, Default)]
pub struct Contents {
    /// The name of the file.
    pub title: String,
    /// Facts about the file, each with its name.
    pub facts: Vec<(&'static str, String)>,
    /// The resources or landmarks, in document order.
    pub items: Vec<Item>,
    /// The parts of the compiled document, with their bytes.
    pub parts: Vec<(String, u64)>,
    /// The arrows between items.
    pub links: Vec<Link>,
    /// The name of the other document, if the page shows changes.
    pub changed_since: Option<String>,
    /// The changes, in the order of their items.
    pub changes: Vec<Change>,
    /// Whether there is a graph to draw.
    pub has_graph: bool,
}

impl Contents {
    /// Removes the ends of edges that are not items, because their keys may be secret.
    pub fn hide_other_keys(&mut self) {
        let keys: HashSet<&str> = self.items.iter().map(|item| item.key.as_str()).collect();
        for (_, place) in self.changes.iter_mut().flat_map(|change| &mut change.places) {
            let end = place.split_once(" → ").filter(|_| !place.starts_with('/'));
            if let Some((kind, _)) = end.filter(|(_, key)| !keys.contains(key)) {
                *place = format!("{kind} →");
            }
        }
    }

    /// The page of a document without a graph.
    pub fn page(&self) -> String {
        self.drawn(Direction::Tb)
    }

    /// The page as HTML.
    pub fn drawn(&self, direction: Direction) -> String {
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

    /// The content for browsers that run no scripts.
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

/// A text with each `{{name}}` replaced. Inserted text is not searched again.
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
