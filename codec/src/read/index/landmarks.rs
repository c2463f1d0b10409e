//! The landmarks of a document and their keys (§8.1), found by walking it.

use crate::index::{Index, TooMuch, bounded};
use crate::limits;
use crate::read::file::DocumentView;
use crate::read::view::node::WatchedView;
use crate::wire::directory::Part;
use coconut_format::error::{DecodeError, ErrorKind};
use coconut_format::landmark::{Landmarks, Walk};
use coconut_format::node::Node;
use std::cell::Cell;
use std::collections::HashSet;

impl Index {
    /// Builds the index of the landmarks of a compiled document from its values alone.
    ///
    /// Walks a shared value once for each state in which it occurs, because equal findings count
    /// once. Refuses the document if more than `most` visits are needed.
    pub(crate) fn landmarks_of(document: DocumentView<'_>, most: u64) -> Result<Index, DecodeError> {
        let rule = &document.header().rule()?.without_edges();
        if rule.is_empty() {
            return Ok(Index::default());
        }
        let (fault, looked_at) = (Cell::new(None), Cell::new(0));
        let root = WatchedView::new(document.root(), &fault).counting(&looked_at);
        let places = document.element(Part::ROOT);
        let mut passed = HashSet::new();
        let is_new = |node: WatchedView<'_>, state, _: Option<u32>| {
            let Some(same) = root.watch(node.view.same_everywhere()) else { return false };
            // At most one entry is stored per byte of the file.
            let is_full = passed.len() >= document.data.len();
            same.is_none_or(|same| is_full || passed.insert((same, state)))
        };
        let walk = Walk::new(rule, root).entering(is_new).map_while(|visited| {
            // A template can repeat a text shared by all landmarks.
            let key = visited.landmark.as_ref().map_or(0, |landmark| landmark.key.len() as u64);
            looked_at.set(looked_at.get().saturating_add(key / limits::BYTES_PER_STEP));
            if looked_at.get() > most {
                let kind = ErrorKind::Work { limit: most };
                root.watch::<()>(Err(kind.at(places.start as u64)))?;
            }
            // Finding the end of a value that is too deep would require visiting all of it, level
            // by level.
            if visited.depth >= limits::DEPTH as usize && visited.node.kind().is_container() {
                let limit = limits::DEPTH.into();
                root.watch::<()>(Err(ErrorKind::Depth { limit }.at(visited.node.view.offset())))?;
            }
            // Places are distinct, so there are no more landmarks than bytes.
            if let Some(landmark) = &visited.landmark {
                landmark.node.place(&places)?;
            }
            Some(visited)
        });
        let offset_of = |node: WatchedView<'_>| node.place(&places).unwrap_or_default();
        let index = Index::of_landmarks(&Landmarks::of_walk(rule, bounded(walk)), offset_of);
        match fault.take() {
            Some(error) => Err(error),
            None => index.map_err(|too_much| too_much.at(document)),
        }
    }
}

impl TooMuch {
    /// Returns the error at the root of the document.
    pub(super) fn at(self, document: DocumentView<'_>) -> DecodeError {
        let TooMuch { what, count, limit } = self;
        ErrorKind::TooMany { what, count, limit }.at(document.element(Part::ROOT).start as u64)
    }
}
