//! §8.6 Edges: the landmarks that each landmark refers to, and those that refer to it.
//!
//! ```text
//! starts   (n + 1) × u32    the edges of ordinal i are those from starts[i] to starts[i + 1]
//! targets  e × u32          the other end
//! kinds    e × u8           number of the edge pattern
//! ```

use super::ids::Ordinal;
use super::table::Table;
use coconut_format::error::{DecodeError, ErrorKind};
use std::borrow::Cow;
use std::ops::Range;

/// An edge from a landmark to another: ordinals, and the number of the edge pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Edge {
    pub(crate) from: Ordinal,
    pub(crate) to: Ordinal,
    pub(crate) kind: u8,
}

/// The edges of an open file in one direction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EdgeTables<'a> {
    pub(crate) starts: Table<'a>,
    pub(crate) targets: Table<'a>,
    pub(crate) kinds: Table<'a>,
}

impl EdgeTables<'_> {
    /// The number of edges.
    pub(crate) fn count(&self) -> usize {
        self.targets.len(4)
    }

    /// The range of the edges of landmark `ordinal`.
    #[inline]
    pub(crate) fn of(&self, ordinal: Ordinal) -> Result<Range<usize>, DecodeError> {
        let index = ordinal.index();
        let first = index.saturating_mul(4);
        let pair = self.starts.stretch(first..first.saturating_add(8))?;
        let number = |entry: Option<&[u8; 4]>| entry.map_or(u32::MAX, |entry| u32::from_le_bytes(*entry));
        let (start, end) = (number(pair.first_chunk()) as usize, number(pair.last_chunk()) as usize);
        match start <= end && end <= self.targets.len(4) {
            true => Ok(start..end),
            false => Err(self.bad_start(index, start, end)),
        }
    }

    /// The error in the edges of landmark `index`, which would range from `start` to `end`.
    #[cold]
    fn bad_start(&self, index: usize, start: usize, end: usize) -> DecodeError {
        let table = self.starts.part().0;
        for (entry, edge) in [(index, start), (index.saturating_add(1), end)] {
            if edge > self.targets.len(4) {
                return ErrorKind::IndexRange { table }.at(self.starts.place_of(entry, 4));
            }
        }
        ErrorKind::IndexDiffers { table }.at(self.starts.place_of(index, 4))
    }

    /// The other end and the kind of each of these edges. The document has `landmarks` landmarks
    /// and `kinds` edge patterns.
    ///
    /// Reads all edges of a landmark at once, because they are adjacent. Finding each one in its
    /// tables took half of the instructions of a walk over all edges.
    #[inline]
    pub(crate) fn edges(
        &self,
        range: Range<usize>,
        landmarks: u32,
        kinds: usize,
    ) -> Result<impl Iterator<Item = Result<(Ordinal, u8), DecodeError>>, DecodeError> {
        let targets = self.targets.stretch(range.start.saturating_mul(4)..range.end.saturating_mul(4))?;
        let pairs = numbers(targets).iter().zip(self.kinds.stretch(range.clone())?).zip(range);
        Ok(pairs.map(move |((target, &kind), index)| {
            let target = u32::from_le_bytes(*target);
            if target >= landmarks {
                return Err(bad_entry(&self.targets, index, 4));
            }
            if usize::from(kind) >= kinds {
                return Err(bad_entry(&self.kinds, index, 1));
            }
            Ok((Ordinal(target), kind))
        }))
    }
}

/// The error for entry `index`, which does not lead to a landmark.
#[cold]
fn bad_entry(table: &Table<'_>, index: usize, width: usize) -> DecodeError {
    ErrorKind::IndexRange { table: table.part().0 }.at(table.place_of(index, width))
}

/// The targets of all edges of a document, checked, for readers that follow many of them.
///
/// Borrowed from the tables of a file, or built for a file without them. Every start is within the
/// targets and not below the previous one. Every target is a landmark.
#[derive(Clone, Debug)]
pub(crate) struct CheckedEdges<'a> {
    starts: Cow<'a, [u8]>,
    targets: Cow<'a, [u8]>,
}

impl<'a> EdgeTables<'a> {
    /// The edges with their checksums and ranges checked. Costs a pass over the tables at about the
    /// speed of memory.
    pub(crate) fn checked(&self, landmarks: u32) -> Result<CheckedEdges<'a>, DecodeError> {
        // Opening the file has refused more edges than the limit (§9).
        let (starts, targets) = (self.starts.whole()?, self.targets.whole()?);
        let edges = targets.len() / 4;
        let mut last = 0;
        for (index, start) in numbers(starts).iter().enumerate() {
            let start = u32::from_le_bytes(*start);
            let table = self.starts.part().0;
            let at = self.starts.place_of(index, 4);
            if start as usize > edges {
                return Err(ErrorKind::IndexRange { table }.at(at));
            }
            if start < last {
                return Err(ErrorKind::IndexDiffers { table }.at(at));
            }
            last = start;
        }
        if let Some(index) =
            numbers(targets).iter().position(|target| u32::from_le_bytes(*target) >= landmarks)
        {
            let kind = ErrorKind::IndexRange { table: self.targets.part().0 };
            return Err(kind.at(self.targets.place_of(index, 4)));
        }
        Ok(CheckedEdges { starts: starts.into(), targets: targets.into() })
    }
}

impl CheckedEdges<'_> {
    /// Sorted and distinct `edges` between `landmarks` landmarks.
    pub(crate) fn of(edges: &[Edge], landmarks: usize) -> CheckedEdges<'static> {
        let [starts, targets, _] = tables(edges, landmarks);
        CheckedEdges { starts: starts.into(), targets: targets.into() }
    }

    /// The range of the edges of landmark `ordinal`.
    #[inline]
    pub(crate) fn range(&self, ordinal: Ordinal) -> Range<u32> {
        let index = ordinal.index();
        let start =
            |index: usize| numbers(&self.starts).get(index).map_or(0, |start| u32::from_le_bytes(*start));
        start(index)..start(index.saturating_add(1))
    }

    /// The other end of an edge in a range.
    #[inline]
    pub(crate) fn target(&self, edge: u32) -> Option<Ordinal> {
        numbers(&self.targets).get(edge as usize).map(|target| Ordinal(u32::from_le_bytes(*target)))
    }
}

/// A table as numbers, still in the byte order of the file.
#[inline]
fn numbers(table: &[u8]) -> &[[u8; 4]] {
    table.as_chunks().0
}

/// Starts, targets and kinds of sorted and distinct `edges` between `landmarks` landmarks.
pub(crate) fn tables(edges: &[Edge], landmarks: usize) -> [Vec<u8>; 3] {
    let mut starts = Vec::with_capacity(landmarks.saturating_add(1).saturating_mul(4));
    let mut next = 0usize;
    for ordinal in 0..=landmarks {
        starts.extend_from_slice(&u32::try_from(next).unwrap_or(u32::MAX).to_le_bytes());
        while edges.get(next).is_some_and(|edge| edge.from.index() == ordinal) {
            next = next.saturating_add(1);
        }
    }
    let targets = edges.iter().flat_map(|edge| edge.to.0.to_le_bytes()).collect();
    let kinds = edges.iter().map(|edge| edge.kind).collect();
    [starts, targets, kinds]
}

/// The same edges, seen from their targets and sorted.
pub(crate) fn reversed(edges: &[Edge]) -> Vec<Edge> {
    let mut reversed: Vec<Edge> =
        edges.iter().map(|edge| Edge { from: edge.to, to: edge.from, kind: edge.kind }).collect();
    reversed.sort_unstable();
    reversed
}

#[cfg(test)]
mod tests {
    use super::super::directory::{Entry, Part};
    use super::*;
    use crate::bytes::Bytes;

    /// Offsets of the tables in the file of [`ask`].
    const STARTS: usize = 8;
    const TARGETS: usize = 24;
    const KINDS: usize = 36;

    /// The edges of three landmarks: from the first to both others, and from the last to the
    /// second.
    const GOOD: ([u32; 4], [u32; 3], [u8; 3]) = ([0, 2, 2, 3], [1, 2, 1], [0, 1, 1]);

    /// Puts tables into a file and queries them.
    fn ask<T>(
        (starts, targets, kinds): ([u32; 4], [u32; 3], [u8; 3]),
        ask: impl FnOnce(&EdgeTables<'_>) -> T,
    ) -> T {
        let starts = starts.map(u32::to_le_bytes).concat();
        let targets = targets.map(u32::to_le_bytes).concat();
        let data = [&[0; STARTS][..], &starts, &targets, &kinds].concat();
        let entry = |part, start, end| Entry { part, flags: 0, stride: 0, start, end };
        let [starts, targets, kinds] = [
            entry(Part::DEPENDENCY_STARTS, STARTS, TARGETS),
            entry(Part::DEPENDENCY_TARGETS, TARGETS, KINDS),
            entry(Part::DEPENDENCY_KINDS, KINDS, data.len()),
        ];
        let [starts, targets, kinds] =
            [&starts, &targets, &kinds].map(|entry| Table::new(Bytes::Whole(&data), None, entry));
        ask(&EdgeTables { starts, targets, kinds })
    }

    fn edges_of_good(
        range: Range<usize>,
        landmarks: u32,
        kinds: usize,
    ) -> Result<Vec<(Ordinal, u8)>, DecodeError> {
        ask(GOOD, |tables| tables.edges(range, landmarks, kinds)?.collect())
    }

    fn outside(part: Part, at: usize) -> DecodeError {
        ErrorKind::IndexRange { table: part.0 }.at(at as u64)
    }

    #[test]
    fn the_edges_of_a_landmark_are_those_from_its_start_to_the_next() {
        let of = |ordinal| ask(GOOD, |tables| tables.of(Ordinal(ordinal)));
        assert_eq!([0, 1, 2].map(of), [Ok(0..2), Ok(2..2), Ok(2..3)]);
        assert_eq!(of(3), Err(outside(Part::DEPENDENCY_STARTS, TARGETS)), "there is no landmark 3");
        assert_eq!(edges_of_good(0..3, 3, 2), Ok(vec![(Ordinal(1), 0), (Ordinal(2), 1), (Ordinal(1), 1)]));
        assert_eq!(edges_of_good(1..2, 3, 2), Ok(vec![(Ordinal(2), 1)]));
        let beyond = Err(outside(Part::DEPENDENCY_TARGETS, KINDS));
        assert_eq!(edges_of_good(2..4, 3, 2), beyond, "there is no edge 3");
        let checked = ask(GOOD, |tables| {
            let edges = tables.checked(3).unwrap();
            ([0, 1, 2].map(|ordinal| edges.range(Ordinal(ordinal))), [0, 1, 2].map(|edge| edges.target(edge)))
        });
        assert_eq!(checked, ([0..2, 2..2, 2..3], [1, 2, 1].map(|target| Some(Ordinal(target)))));
    }

    #[test]
    fn a_start_after_the_last_edge_is_reported_at_its_offset() {
        let (_, targets, kinds) = GOOD;
        let bad = ([0, 4, 2, 3], targets, kinds);
        let expected = outside(Part::DEPENDENCY_STARTS, STARTS + 4);
        assert_eq!(ask(bad, |tables| tables.of(Ordinal(0))), Err(expected.clone()), "as an end");
        assert_eq!(ask(bad, |tables| tables.of(Ordinal(1))), Err(expected.clone()), "as a start");
        assert_eq!(ask(bad, |tables| tables.checked(3).map(drop)), Err(expected));
    }

    #[test]
    fn a_start_below_the_one_before_it_differs() {
        let (_, targets, kinds) = GOOD;
        let bad = ([0, 2, 1, 3], targets, kinds);
        let differs = |at: usize| ErrorKind::IndexDiffers { table: Part::DEPENDENCY_STARTS.0 }.at(at as u64);
        assert_eq!(
            ask(bad, |tables| tables.of(Ordinal(1))),
            Err(differs(STARTS + 4)),
            "at the start of the row"
        );
        let last = ([0, 3, 2, 3], targets, kinds);
        assert_eq!(
            ask(last, |tables| tables.of(Ordinal(1))),
            Err(differs(STARTS + 4)),
            "behind the last edge is none"
        );
        let error = ask(bad, |tables| tables.checked(3).map(drop));
        assert_eq!(error, Err(differs(STARTS + 8)), "where it goes back");
    }

    #[test]
    fn an_invalid_target_or_kind_is_reported_at_its_offset() {
        let target = outside(Part::DEPENDENCY_TARGETS, TARGETS + 4);
        assert_eq!(edges_of_good(1..3, 2, 2), Err(target.clone()));
        assert_eq!(ask(GOOD, |tables| tables.checked(2).map(drop)), Err(target));
        let kind = outside(Part::DEPENDENCY_KINDS, KINDS + 1);
        assert_eq!(edges_of_good(1..3, 3, 1), Err(kind.clone()));
    }

    #[test]
    fn rows_are_compressed() {
        let edge = |from, to, kind| Edge { from: Ordinal(from), to: Ordinal(to), kind };
        let edges = [edge(0, 2, 1), edge(2, 0, 0), edge(2, 1, 0)];
        let [starts, targets, kinds] = tables(&edges, 3);
        let numbers = |bytes: &[u8]| -> Vec<u32> {
            bytes.chunks(4).map(|bytes| u32::from_le_bytes(bytes.try_into().unwrap())).collect()
        };
        assert_eq!(numbers(&starts), [0, 1, 1, 3]);
        assert_eq!(numbers(&targets), [2, 0, 1]);
        assert_eq!(kinds, [1, 0, 0]);
        assert_eq!(reversed(&edges), [edge(0, 2, 0), edge(1, 2, 0), edge(2, 0, 1)]);
    }

    #[test]
    fn checked_edges_give_the_row_of_each_landmark() {
        let edge = |from, to, kind| Edge { from: Ordinal(from), to: Ordinal(to), kind };
        let all = CheckedEdges::of(&[edge(0, 2, 1), edge(2, 0, 0), edge(2, 1, 0)], 3);
        assert_eq!([0, 1, 2].map(|ordinal| all.range(Ordinal(ordinal))), [0..1, 1..1, 1..3]);
        assert_eq!(
            [0, 1, 2, 3].map(|edge| all.target(edge)),
            [Some(2), Some(0), Some(1), None].map(|target| target.map(Ordinal))
        );
    }
}
