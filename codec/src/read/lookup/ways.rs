//! Paths from the root to landmarks (§8).

use super::LandmarkView;
use crate::bounded_debug::bounded_debug;
use crate::read::file::DocumentView;
use crate::read::view::{Content, Entries, Items, ValueView};
use crate::wire::directory::Part;
use coconut_format::error::{DecodeError, ErrorKind};
use coconut_format::landmark::Trail;

/// One level on the path from the root to a value: its place in the value around it, and the value.
pub type Step<'a> = (Trail<'a>, ValueView<'a>);

/// Finds the paths from the root to landmarks, in document order.
///
/// An index stores the offset of a landmark, but not its path. A path is found by stepping over the
/// values before the landmark, level by level. Nothing is stepped over twice, however many paths
/// are found.
pub struct Ways<'a> {
    root: ValueView<'a>,
    /// The path to the current position of the search.
    way: Vec<Step<'a>>,
    /// The unvisited rest of the root, and of each value on the path. Empty before the first
    /// landmark.
    levels: Vec<Level<'a>>,
}

bounded_debug!(Ways<'_>, |ways| levels: ways.levels.len());

impl<'a> Ways<'a> {
    /// Starts before the first landmark of `document`.
    pub fn from_root(document: DocumentView<'a>) -> Ways<'a> {
        Ways { root: document.root(), way: Vec::new(), levels: Vec::new() }
    }

    /// Returns the path to the value of `landmark`. The path to the root is empty.
    ///
    /// Fails if the landmark does not follow the previous one or is not in the document. A wrong
    /// index can cause both.
    pub fn next_to(&mut self, landmark: LandmarkView<'a>) -> Result<&[Step<'a>], DecodeError> {
        let target = landmark.value()?.offset();
        if self.levels.is_empty() {
            self.levels.push(Level::of(self.root, u64::MAX)?);
            if target == self.root.offset() {
                return Ok(&[]);
            }
        }
        while let Some(level) = self.levels.last_mut() {
            let around = level.child_around(target)?;
            self.way.truncate(self.levels.len() - 1);
            match around {
                Some((step, end)) => {
                    self.levels.push(Level::of(step.1, end)?);
                    self.way.push(step);
                    if step.1.offset() == target {
                        return Ok(&self.way);
                    }
                }
                None => {
                    self.levels.pop();
                }
            }
        }
        Err(ErrorKind::IndexRange { table: Part::LANDMARK_OFFSETS.0 }.at(landmark.offset()))
    }
}

/// The unvisited children of a value.
struct Level<'a> {
    children: Children<'a>,
    /// The next child, if it was read ahead.
    waiting: Option<Result<Step<'a>, DecodeError>>,
    /// The start of the value.
    start: u64,
    /// The start of the next value outside this one.
    end: u64,
}

/// Written by hand instead of as a chain of iterators: each of those generates code for every way
/// to iterate.
enum Children<'a> {
    Entries(Entries<'a>),
    /// The items, and the index of the next.
    Items(Items<'a>, usize),
    None,
}

impl<'a> Level<'a> {
    fn of(value: ValueView<'a>, end: u64) -> Result<Level<'a>, DecodeError> {
        let children = match value.content()? {
            Content::Object(object) => Children::Entries(object.iter()),
            Content::List(list) => Children::Items(list.items(), 0),
            _ => Children::None,
        };
        Ok(Level { children, waiting: None, start: value.offset(), end })
    }

    fn read(&mut self) -> Option<Result<Step<'a>, DecodeError>> {
        loop {
            let child = match &mut self.children {
                Children::Entries(entries) => entries.next()?.map(|(key, value)| (Trail::Entry(key), value)),
                Children::Items(items, next) => {
                    let index = *next;
                    *next = next.saturating_add(1);
                    items.next()?.map(|item| (Trail::Item(index), item))
                }
                Children::None => return None,
            };
            match &child {
                // Constants of a record are in the shape part, before the record itself.
                Ok((_, value)) if value.offset() < self.start => {}
                _ => return Some(child),
            }
        }
    }

    /// Returns the child that contains the byte `target`, and the start of the next value. Children
    /// before it are skipped.
    fn child_around(&mut self, target: u64) -> Result<Option<(Step<'a>, u64)>, DecodeError> {
        while let Some(child) = self.waiting.take().or_else(|| self.read()) {
            if matches!(&child, Ok((_, value)) if value.offset() > target) {
                self.waiting = Some(child);
                break;
            }
            let child = child?;
            self.waiting = self.read();
            let end = match &self.waiting {
                Some(Ok((_, next))) => next.offset(),
                // An unreadable value is reported when the search reaches it.
                Some(Err(error)) => error.offset(),
                None => self.end,
            };
            if target < end {
                return Ok(Some((child, end)));
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::{CompileOptions, compile};
    use crate::read::file::DocumentFile;

    #[test]
    fn ways_lead_forward_only() {
        let entries: Vec<String> = (0..50).map(|n| format!(r#""v{n}": {{"type": "t"}}"#)).collect();
        let text = format!(r#"{{"vertices": {{{}}}}}"#, entries.join(","));
        let bytes = compile(text.as_bytes(), &CompileOptions::default()).unwrap().bytes;
        let file = DocumentFile::from_data(&bytes[..]).unwrap();
        let landmark = |ordinal| file.view().landmark(ordinal).unwrap().unwrap();
        for (first, second) in [(9, 9), (9, 8), (9, 1), (9, 0), (40, 1)] {
            let mut ways = Ways::from_root(file.view());
            ways.next_to(landmark(first)).unwrap();
            let error = ways.next_to(landmark(second)).unwrap_err();
            let expected =
                ErrorKind::IndexRange { table: Part::LANDMARK_OFFSETS.0 }.at(landmark(second).offset());
            assert_eq!(error, expected, "{second} after {first}");
        }
    }
}
