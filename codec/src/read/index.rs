//! Builds the index of a document by walking it (§8): for files without index tables, and to verify
//! existing tables.

#[cfg(feature = "graphs")]
mod landmarks;
#[cfg(feature = "graphs")]
mod references;
#[cfg(any(test, not(feature = "graphs")))]
mod scan;

#[cfg(feature = "graphs")]
pub(crate) use crate::index::Index as Made;
#[cfg(feature = "graphs")]
pub(crate) use references::Extent;
#[cfg(not(feature = "graphs"))]
pub(crate) use scan::Scan as Made;

#[cfg(feature = "verify")]
use crate::limits;
#[cfg(feature = "verify")]
use crate::read::file::DocumentView;
#[cfg(feature = "verify")]
use crate::read::measure::Survey;
#[cfg(feature = "verify")]
use crate::read::tables::Tables;
use crate::read::view::ValueView;
use crate::read::view::node::WatchedView;
#[cfg(feature = "verify")]
use crate::wire::directory::Part;
use coconut_format::error::DecodeError;
#[cfg(feature = "cache")]
use coconut_format::landmark::{Dialect, LandmarkRule};
use std::borrow::Cow;
use std::cell::Cell;

/// Refuses to walk a document that expands beyond the limit of a stream (§9.2).
#[cfg(feature = "verify")]
pub(crate) fn check_expansion(document: DocumentView<'_>) -> Result<(), DecodeError> {
    let survey = Survey::of(document, &Tables::read(document)?)?;
    survey.check(limits::STREAM_VALUES, limits::STREAM_BYTES, document.element(Part::ROOT).start)
}

/// Returns a dialect and its rule for a document: the `chosen` one, or the one detected from the
/// content.
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

/// Returns the key that `rule` makes from a value. `looked_at` counts as in
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
