//! Pictures of graphs: boxes with names and groups, and arrows between them.
//!
//! [`graph`] makes a [`Picture`] of the resources of a document. It can be written for Graphviz
//! ([`dot`]), Mermaid ([`mermaid`]), D2 ([`d2`]) and GraphML ([`graphml`]), as an image ([`svg`]),
//! or as a page for a browser ([`page`]). A [`treemap`] shows the sizes of the parts of a document.
//! All of them are built in memory, and the same picture gives the same bytes. Text from a document
//! never becomes markup or code.
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
mod frames;
pub mod graph;
pub mod graphml;
mod label;
mod layout;
pub mod mermaid;
pub mod page;
mod route;
pub mod svg;
pub mod treemap;

use coconut_diff::Happened;

coconut_format::named! {
    /// The direction of arrows.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum Direction, ALL {
        /// From top to bottom.
        #[default]
        Tb = "tb", "From top to bottom";
        /// From left to right.
        Lr = "lr", "From left to right";
    }
    /// The name.
    pub fn name;
    /// The meaning, for a help.
    pub fn meaning;
}

/// The boxes in document order, and the arrows in the order of their first boxes.
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
    /// `n` and digits of a hash of the key; the same in every version of the document.
    pub id: String,
    /// The key of the resource, or the name of the type or module.
    pub key: String,
    /// The first line of the label, with the type on a second line if necessary.
    pub name: String,
    /// The type of the resource; empty for a collapsed module.
    pub type_name: String,
    /// The module; may be empty.
    pub group: String,
    /// The number of resources it stands for.
    pub count: u32,
    /// Whether it is emphasised.
    pub is_focus: bool,
    /// The changes of its resources.
    pub changes: Vec<Happened>,
}

impl Vertex {
    /// The change shared by all of its resources.
    pub fn change(&self) -> Option<Happened> {
        let first = *self.changes.first()?;
        let is_all = self.changes.len() == self.count as usize;
        (is_all && self.changes.iter().all(|&change| change == first)).then_some(first)
    }

    /// The numbers of changes of each kind, if its resources changed in different ways: `+1 ~2 -1`.
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

/// An arrow from a box to one of its dependencies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The number of the dependent box.
    pub from: usize,
    /// The number of the other box.
    pub to: usize,
    /// The kinds of its edges, with the number of edges of each kind.
    pub kinds: Vec<(String, u32)>,
}

/// The style of an arrow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stroke {
    /// A dependency.
    Solid,
    /// A parent.
    Dashed,
    /// A provider.
    Dotted,
    /// A box that is replaced together with the other.
    Bold,
}

impl Link {
    /// Dependencies have priority over all others, and parents over providers.
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

    /// The number of edges, if it stands for several of one kind.
    pub fn count(&self) -> Option<u32> {
        self.kinds.iter().map(|(_, count)| *count).max().filter(|&count| count > 1)
    }
}

/// All changes, in the order in which they are counted.
pub(crate) const ALL: [Happened; 6] = [
    Happened::Created,
    Happened::Changed,
    Happened::Replaced,
    Happened::Moved,
    Happened::Forgotten,
    Happened::Deleted,
];

/// A colour that is distinguishable from the others, on white and on black.
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
