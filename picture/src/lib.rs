//! Pictures of graphs: boxes with names and groups, and arrows between them.
//!
//! A [`Picture`] becomes text for Graphviz ([`dot`]), Mermaid ([`mermaid`]), D2 ([`d2`]) and
//! GraphML ([`graphml`]), an image ([`svg`]), or a page for a browser ([`page`]). A [`treemap`]
//! shows where the bytes of a document are. All of them are made in memory, and the same picture
//! gives the same bytes. No text of a document can become markup or code.
//!
//! ```
//! use coconut_picture::{Direction, Link, Picture, Vertex, dot};
//!
//! let vertex = |id: &str, name: &str| Vertex {
//!     id: id.to_owned(),
//!     key: name.to_owned(),
//!     name: name.to_owned(),
//!     count: 1,
//!     ..Vertex::default()
//! };
//! let picture = Picture {
//!     vertices: vec![vertex("n1", "web"), vertex("n2", "db")],
//!     links: vec![Link { from: 0, to: 1, kinds: vec![("depends-on".to_owned(), 1)] }],
//!     boxes: Vec::new(),
//! };
//! let text = dot::drawn(&picture, "shop", Direction::Lr);
//! assert!(text.contains("n1 -> n2;"));
//! ```

#![forbid(unsafe_code)]

pub mod d2;
pub mod dot;
pub mod graphml;
mod label;
mod layout;
pub mod mermaid;
pub mod page;
pub mod svg;
pub mod treemap;

use coconut_diff::Happened;

/// Where arrows lead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From top to bottom.
    Tb,
    /// From left to right.
    Lr,
}

/// The boxes in document order, and the arrows by the boxes that they start at.
#[derive(Clone, Debug, Default)]
pub struct Picture {
    /// The boxes, in document order.
    pub vertices: Vec<Vertex>,
    /// The arrows.
    pub links: Vec<Link>,
    /// For each layer, the box of each of its resources.
    pub boxes: Vec<Vec<usize>>,
}

impl Picture {
    /// The id of a box.
    pub fn id(&self, vertex: usize) -> &str {
        self.vertices.get(vertex).map_or("", |vertex| &vertex.id)
    }
}

/// A box.
#[derive(Clone, Debug, Default)]
pub struct Vertex {
    /// `n` and digits of a hash of the key: the same in every version of the document.
    pub id: String,
    /// The key of the resource, or the name of the type or module.
    pub key: String,
    /// The first line of the label, and perhaps the type on a second one.
    pub name: String,
    /// The type of the resource; empty for a collapsed module.
    pub type_name: String,
    /// The module; may be empty.
    pub group: String,
    /// How many resources it stands for.
    pub count: u32,
    /// Whether it is emphasised.
    pub is_focus: bool,
    /// The changes of its resources.
    pub changes: Vec<Happened>,
}

impl Vertex {
    /// The change that all of its resources have.
    pub fn change(&self) -> Option<Happened> {
        let first = *self.changes.first()?;
        let is_all = self.changes.len() == self.count as usize;
        (is_all && self.changes.iter().all(|&change| change == first)).then_some(first)
    }

    /// How its resources changed, if not all did in the same way: `+1 ~2 -1`.
    pub fn change_counts(&self) -> Option<String> {
        if self.changes.is_empty() || self.change().is_some() {
            return None;
        }
        let counts = ALL.map(|kind| (kind, self.changes.iter().filter(|&&change| change == kind).count()));
        let counts = counts.iter().filter(|(_, count)| *count > 0);
        let counts: Vec<String> = counts.map(|(kind, count)| format!("{}{count}", kind.sign())).collect();
        Some(counts.join(" "))
    }
}

/// An arrow from a box to one that it depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The number of the box that depends on the other.
    pub from: usize,
    /// The number of that other box.
    pub to: usize,
    /// The kinds of its edges, with the number of edges of each.
    pub kinds: Vec<(String, u32)>,
}

/// How an arrow is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stroke {
    /// A dependency.
    Solid,
    /// A parent.
    Dashed,
    /// A provider.
    Dotted,
    /// One that is replaced with the other.
    Bold,
}

impl Link {
    /// Dependencies are drawn before all others, and a parent before a provider.
    pub fn stroke(&self) -> Stroke {
        let has = |wanted: &str| self.kinds.iter().any(|(kind, _)| kind == wanted);
        let is_other = |(kind, _): &(String, u32)| !matches!(&**kind, "parent" | "provider");
        match () {
            () if has("replace_with") || has("replaceWith") => Stroke::Bold,
            () if self.kinds.iter().any(is_other) => Stroke::Solid,
            () if has("parent") => Stroke::Dashed,
            () => Stroke::Dotted,
        }
    }

    /// The number of edges, if it stands for several of a kind.
    pub fn count(&self) -> Option<u32> {
        self.kinds.iter().map(|(_, count)| *count).max().filter(|&count| count > 1)
    }
}

/// All changes, in the order of counts.
pub(crate) const ALL: [Happened; 6] = [
    Happened::Created,
    Happened::Changed,
    Happened::Replaced,
    Happened::Moved,
    Happened::Forgotten,
    Happened::Deleted,
];

/// A colour that can be told from the others, on white as on black.
pub(crate) fn colour(change: Happened) -> &'static str {
    match change {
        Happened::Created => "#1a7f37",
        Happened::Deleted => "#cf222e",
        Happened::Changed => "#bf8700",
        Happened::Replaced => "#8250df",
        Happened::Moved => "#0969da",
        Happened::Forgotten => "#6e7781",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependencies_are_drawn_before_all_others() {
        let link = |kinds: &[&str]| Link {
            from: 0,
            to: 1,
            kinds: kinds.iter().map(|&kind| (kind.to_owned(), 1)).collect(),
        };
        assert_eq!(link(&["parent"]).stroke(), Stroke::Dashed);
        assert_eq!(link(&["provider"]).stroke(), Stroke::Dotted);
        assert_eq!(link(&["provider", "parent"]).stroke(), Stroke::Dashed);
        assert_eq!(link(&["parent", "property"]).stroke(), Stroke::Solid);
    }
}
