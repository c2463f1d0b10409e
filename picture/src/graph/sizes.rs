//! The bytes of items: in the compiled document, and as JSON.

use crate::page::{Item, Sizes};
use coconut_codec::limits::search_budget;
use coconut_codec::read::view::{ValueView, WatchedView};
use coconut_format::error::DecodeError;
use coconut_report::Failure;
use coconut_report::measure::Measure;
use coconut_report::source::Source;
use std::cell::Cell;
use std::ops::Range;

/// Measures values of one document.
#[derive(Debug)]
pub(super) struct Measuring<'o> {
    source: Source<'o>,
    measure: Measure,
}

impl<'o> Measuring<'o> {
    /// Begins with no value measured.
    pub(super) fn of(source: Source<'o>) -> Measuring<'o> {
        Measuring { source, measure: Measure::within(search_budget(source.view.length())) }
    }

    /// The sizes of a value. Shared values are measured once.
    pub(super) fn sizes_of(&mut self, value: ValueView<'_>) -> Result<Sizes, Failure> {
        let fault = Cell::new(None);
        let before = self.measure.bytes;
        self.measure.push(WatchedView::new(value, &fault))?;
        fault.take().map_or(Ok(()), Err::<(), DecodeError>)?;
        Ok(Sizes { json: self.measure.bytes - before, stored: 0, spans: vec![value.span()?], part: 0 })
    }

    /// Records the size of each item in the file. Returns the parts of the file with their sizes;
    /// bytes outside all parts are one more.
    pub(super) fn finish(self, items: &mut [Item]) -> Result<Vec<(String, u64)>, Failure> {
        let parts = self.source.view.parts()?;
        for item in items.iter_mut() {
            let start = item.sizes.spans.first().map_or(0, |span| span.start);
            let part = parts.iter().position(|part| part.span.contains(&start));
            item.sizes.part = part.unwrap_or(parts.len());
        }
        share_out(items);
        let mut named: Vec<(String, u64)> = parts
            .iter()
            .map(|part| (title_of(part.name).to_owned(), part.span.end - part.span.start))
            .collect();
        let known: u64 = named.iter().map(|(_, bytes)| bytes).sum();
        let rest = self.source.document_bytes().saturating_sub(known);
        named.push(("header and frame".to_owned(), rest));
        Ok(named)
    }
}

/// The name of a part in a picture.
fn title_of(part: &str) -> &str {
    match part {
        "strings" => "strings: each text once",
        "shapes" => "shapes: keys of objects",
        "shared" => "shared values",
        "root" => "values",
        other => other,
    }
}

/// Counts each byte for the innermost item that contains it. Items may be nested, and several may
/// be one shared value.
fn share_out(items: &mut [Item]) {
    let mut spans: Vec<(Range<u64>, usize)> = Vec::new();
    for (at, item) in items.iter_mut().enumerate() {
        spans.extend(std::mem::take(&mut item.sizes.spans).into_iter().map(|span| (span, at)));
    }
    spans.sort_by_key(|(span, at)| (span.start, u64::MAX - span.end, *at));
    let mut open: Vec<(u64, usize)> = Vec::new();
    let mut counted = 0;
    let mut count = |until: u64, item: usize| {
        if let Some(item) = items.get_mut(item) {
            item.sizes.stored += until.saturating_sub(counted);
        }
        counted = counted.max(until);
    };
    for (span, item) in spans {
        while let Some((end, around)) = open.pop_if(|(end, _)| *end <= span.start) {
            count(end, around);
        }
        // Bytes outside all items are skipped.
        count(span.start, open.last().map_or(usize::MAX, |(_, around)| *around));
        open.push((span.end, item));
    }
    while let Some((end, item)) = open.pop() {
        count(end, item);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_byte_counts_for_the_innermost_item() {
        let item = |spans: &[(u64, u64)]| Item {
            sizes: Sizes {
                spans: spans.iter().map(|&(start, end)| start..end).collect(),
                ..Sizes::default()
            },
            ..Item::default()
        };
        let mut items = [
            item(&[(10, 100)]),
            item(&[(20, 30)]),
            item(&[(30, 50)]),
            item(&[(200, 210), (5, 10)]),
            item(&[(200, 210)]),
        ];
        share_out(&mut items);
        let stored: Vec<u64> = items.iter().map(|item| item.sizes.stored).collect();
        assert_eq!(stored, [60, 10, 20, 5, 10]);
    }
}
