//! Builds the index of a document by walking it (§8): for files without index tables, and to verify
//! those of other files.

#[cfg(feature = "graphs")]
mod references;

use crate::index::{Index, TooMuch, bounded};
use crate::limits;
use crate::read::file::DocumentView;
#[cfg(feature = "verify")]
use crate::read::measure::Survey;
#[cfg(feature = "verify")]
use crate::read::tables::Tables;
use crate::read::view::ValueView;
use crate::read::view::node::WatchedView;
use crate::wire::directory::Part;
use coconut_format::error::{DecodeError, ErrorKind};
#[cfg(feature = "cache")]
use coconut_format::landmark::Dialect;
#[cfg(feature = "cache")]
use coconut_format::landmark::LandmarkRule;
use coconut_format::landmark::{Landmarks, Walk};
use coconut_format::node::Node;
#[cfg(feature = "graphs")]
pub(crate) use references::Extent;
use std::borrow::Cow;
use std::cell::Cell;
use std::collections::HashSet;

impl Index {
    /// Builds the index of the landmarks of a compiled document from its values alone.
    ///
    /// A shared value is walked once for each state in which it is met, because equal findings
    /// count once. If more than `most` visits are needed, the document is refused.
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
            // A template can repeat a text that all landmarks share.
            let key = visited.landmark.as_ref().map_or(0, |landmark| landmark.key.len() as u64);
            looked_at.set(looked_at.get().saturating_add(key / limits::BYTES_PER_STEP));
            if looked_at.get() > most {
                let kind = ErrorKind::Work { limit: most };
                root.watch::<()>(Err(kind.at(places.start as u64)))?;
            }
            // Finding the end of a value that is too deep would visit all of it, level by level.
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
    fn at(self, document: DocumentView<'_>) -> DecodeError {
        let TooMuch { what, count, limit } = self;
        ErrorKind::TooMany { what, count, limit }.at(document.element(Part::ROOT).start as u64)
    }
}

/// Refuses to walk a document that expands beyond the limit of a stream (§9.2).
#[cfg(feature = "verify")]
pub(crate) fn check_expansion(document: DocumentView<'_>) -> Result<(), DecodeError> {
    let survey = Survey::of(document, &Tables::read(document)?)?;
    survey.check(limits::STREAM_VALUES, limits::STREAM_BYTES, document.element(Part::ROOT).start)
}

/// Returns a dialect and the rule that it gives for a document: the `chosen` one, or the one that
/// the content shows.
#[cfg(feature = "cache")]
pub(crate) fn dialect_rule(
    document: DocumentView<'_>,
    chosen: Option<&'static Dialect>,
) -> Result<Option<(&'static Dialect, LandmarkRule)>, DecodeError> {
    let fault = Cell::new(None);
    let root = WatchedView::new(document.root(), &fault);
    let detected = chosen.or_else(|| Dialect::of(root)).map(|dialect| (dialect, dialect.rule(root)));
    match fault.take() {
        Some(error) => Err(error),
        None => Ok(detected),
    }
}

/// Returns the key that `rule` makes of a value. `looked_at` counts as in
/// [`WatchedView::counting`].
pub(crate) fn key_of(
    rule: &coconut_format::landmark::KeyRule,
    view: ValueView<'_>,
    looked_at: &Cell<u64>,
) -> Result<Option<String>, DecodeError> {
    let fault = Cell::new(None);
    let node = WatchedView::new(view, &fault).counting(looked_at);
    let key = rule.of(None, node).map(Cow::into_owned);
    match fault.take() {
        Some(error) => Err(error),
        None => Ok(key),
    }
}

#[cfg(test)]
mod tests;
