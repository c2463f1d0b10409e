//! Views as infallible nodes (§8.1), for the rules of the document layer.

use crate::limits;
use crate::read::view::{Content, Same, ValueView};
use coconut_format::Integer;
use coconut_format::error::{DecodeError, ErrorKind, FormRule};
use coconut_format::node::{Kind, Node};
use std::cell::Cell;
use std::fmt;
use std::ops::Range;

/// A view for the rules of `format`, which cannot return errors. The first error is kept in `fault`
/// and ends the walk, because an unreadable value has no entries.
#[derive(Clone, Copy)]
pub struct WatchedView<'a> {
    pub(crate) view: ValueView<'a>,
    fault: &'a Cell<Option<DecodeError>>,
    /// Counts the entries and items visited, if the caller requested it.
    looked_at: Option<&'a Cell<u64>>,
    /// Whether the value is an entry of a record, so no key precedes it.
    in_record: bool,
}

impl fmt::Debug for WatchedView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WatchedView").field("view", &self.view).finish_non_exhaustive()
    }
}

impl<'a> WatchedView<'a> {
    /// Returns the value as a node. After a walk, the caller must inspect `fault`.
    pub fn new(view: ValueView<'a>, fault: &'a Cell<Option<DecodeError>>) -> Self {
        WatchedView { view, fault, looked_at: None, in_record: false }
    }

    /// Like `self`, but adds every visited entry and item to `looked_at`, including skipped entries
    /// and those before a requested key. Skipped bytes and read texts add steps in proportion to
    /// the time they take.
    pub fn counting(self, looked_at: &'a Cell<u64>) -> Self {
        WatchedView { looked_at: Some(looked_at), ..self }
    }

    /// Returns another value that reports to the same fault.
    pub fn beside(self, view: ValueView<'a>) -> Self {
        WatchedView { view, ..self }
    }

    /// Returns the offset of a landmark (§8.2). A landmark in a record or in a shared value has no
    /// place of its own. For that, returns `None` and records a fault.
    pub(crate) fn place(self, root: &Range<usize>) -> Option<u64> {
        self.watch(self.view.landmark_offset(self.in_record, root))
    }

    pub(crate) fn watch<T>(self, result: Result<T, DecodeError>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                let first = self.fault.take();
                self.fault.set(Some(first.unwrap_or(error)));
                None
            }
        }
    }

    fn content(self) -> Option<Content<'a>> {
        self.watch(self.view.content())
    }

    fn count(self, values: u64, bytes: usize) {
        if let Some(looked_at) = self.looked_at {
            let count = values.saturating_add(bytes as u64 / limits::BYTES_PER_STEP);
            looked_at.set(looked_at.get().saturating_add(count));
        }
    }

    /// Counts a visited item or entry and the `bytes` skipped to reach it, and records its error.
    fn next<T>(self, result: Result<T, DecodeError>, bytes: usize) -> Option<T> {
        self.count(1, bytes);
        self.watch(result)
    }
}

impl ValueView<'_> {
    /// Returns the offset of a landmark (§8.2), which must have a place of its own.
    pub(crate) fn landmark_offset(self, in_record: bool, root: &Range<usize>) -> Result<u64, DecodeError> {
        let offset = self.entry();
        match in_record || !root.contains(&offset) {
            true => Err(ErrorKind::ValueForm { rule: FormRule::Landmark }.at(offset as u64)),
            false => Ok(offset as u64),
        }
    }
}

impl<'a> Node<'a> for WatchedView<'a> {
    fn kind(self) -> Kind {
        self.watch(self.view.kind()).unwrap_or(Kind::Null)
    }

    fn as_bool(self) -> Option<bool> {
        match self.content()? {
            Content::Bool(value) => Some(value),
            _ => None,
        }
    }

    fn as_integer(self) -> Option<Integer> {
        match self.content()? {
            Content::Integer(value) => Some(value),
            _ => None,
        }
    }

    fn as_float(self) -> Option<f64> {
        match self.content()? {
            Content::Float(value) => Some(value),
            _ => None,
        }
    }

    fn as_str(self) -> Option<&'a str> {
        match self.content()? {
            Content::String(text) => {
                self.count(0, text.len());
                Some(text)
            }
            _ => None,
        }
    }

    fn get(self, key: &str) -> Option<Self> {
        match self.content()? {
            Content::Object(object) => {
                let found = match self.looked_at {
                    Some(looked_at) => object.get_counting(key, looked_at),
                    None => object.get(key),
                };
                Some(WatchedView { view: self.watch(found)??, ..self })
            }
            _ => None,
        }
    }

    fn entries(self) -> impl Iterator<Item = (&'a str, Self)> + 'a {
        let object = match self.content() {
            Some(Content::Object(object)) => Some(object),
            _ => None,
        };
        let in_record = object.is_some_and(|object| object.is_record());
        let mut entries = object.map(|object| object.iter());
        std::iter::from_fn(move || {
            let entries = entries.as_mut()?;
            let before = entries.reached();
            let entry = entries.next()?;
            let key = entry.as_ref().map_or(0, |(key, _)| key.len());
            self.next(entry, key.saturating_add(entries.reached().saturating_sub(before)))
        })
        .map(move |(key, view)| (key, WatchedView { view, in_record, ..self }))
    }

    fn items(self) -> impl Iterator<Item = Self> + 'a {
        let mut items = match self.content() {
            Some(Content::List(list)) => Some(list.items()),
            _ => None,
        };
        std::iter::from_fn(move || {
            let items = items.as_mut()?;
            let before = items.reached();
            let item = items.next()?;
            self.next(item, items.reached().saturating_sub(before))
        })
        .map(move |view| WatchedView { view, in_record: false, ..self })
    }

    fn width(self) -> usize {
        match self.content() {
            Some(Content::Object(object)) => object.len(),
            Some(Content::List(list)) => list.len(),
            _ => 0,
        }
    }

    fn stored_once_as(self) -> Option<usize> {
        let number = |index: usize| index.checked_mul(2);
        match self.watch(self.view.same_everywhere())?? {
            Same::Shared(id) => number(id.index()),
            Same::Shape(id) => number(id.index())?.checked_add(1),
        }
    }
}

/// Returns the value that `find` selects at or below `view`, or the first read error.
pub(crate) fn find_value<'a>(
    view: ValueView<'a>,
    find: impl for<'w> FnOnce(WatchedView<'w>) -> Option<WatchedView<'w>>,
) -> Result<Option<ValueView<'a>>, DecodeError> {
    let fault = Cell::new(None);
    let found = find(WatchedView::new(view, &fault)).map(|node| node.view.in_document(view.document()));
    match fault.take() {
        Some(error) => Err(error),
        None => Ok(found),
    }
}
