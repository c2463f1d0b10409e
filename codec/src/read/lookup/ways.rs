//! Paths from the root to landmarks (§8).

use super::LandmarkView;
use crate::bounded_debug::bounded_debug;
use crate::read::file::DocumentView;
use crate::read::view::{Content, ValueView};
use crate::wire::directory::Part;
use coconut_format::error::{DecodeError, ErrorKind};
use coconut_format::landmark::Trail;
use std::iter::Peekable;

/// One level on the path from the root to a value: its place in the value around it, and the value.
pub type Step<'a> = (Trail<'a>, ValueView<'a>);

/// Finds the paths from the root to landmarks, in document order.
///
/// An index stores where a landmark is, but not its path. A path is found by stepping over the
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
    children: Peekable<Box<dyn Iterator<Item = Result<Step<'a>, DecodeError>> + 'a>>,
    /// The start of the next value outside this one.
    end: u64,
}

impl<'a> Level<'a> {
    fn of(value: ValueView<'a>, end: u64) -> Result<Level<'a>, DecodeError> {
        let children: Box<dyn Iterator<Item = Result<Step<'a>, DecodeError>> + 'a> = match value.content()? {
            Content::Object(object) => {
                Box::new(object.iter().map(|entry| entry.map(|(key, value)| (Trail::Entry(key), value))))
            }
            Content::List(list) => {
                let items = list.items().enumerate();
                Box::new(items.map(|(index, item)| item.map(|item| (Trail::Item(index), item))))
            }
            _ => Box::new(std::iter::empty()),
        };
        // Constants of a record are in the shape part, before the record itself.
        let around = value.offset();
        let is_inside = move |child: &Result<Step<'a>, DecodeError>| match child {
            Ok((_, value)) => value.offset() >= around,
            Err(_) => true,
        };
        let children: Box<dyn Iterator<Item = _> + 'a> = Box::new(children.filter(is_inside));
        Ok(Level { children: children.peekable(), end })
    }

    /// Returns the child that contains the byte `target`, and the start of the next value. Children
    /// before it are skipped.
    fn child_around(&mut self, target: u64) -> Result<Option<(Step<'a>, u64)>, DecodeError> {
        let reached = |child: &Result<Step<'a>, DecodeError>| match child {
            Ok((_, value)) => value.offset() <= target,
            Err(_) => true,
        };
        while let Some(child) = self.children.next_if(reached) {
            let child = child?;
            let end = match self.children.peek() {
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
