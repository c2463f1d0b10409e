//! §8.6 Edges: the landmarks that each landmark refers to, and those that refer to it.
//!
//! ```text
//! starts   (n + 1) × u32    the edges of ordinal i are those from starts[i] to starts[i + 1]
//!       or    2n × u32    those from starts[2i] to starts[2i + 1]
//! targets  e × u32          the other end
//! kinds    e × u8           number of the edge pattern
//! ```

use super::ids::Ordinal;
use super::table::Table;
use coconut_format::error::{DecodeError, ErrorKind};
use std::borrow::Cow;
use std::ops::Range;

/// The other end of an edge, and the number of the edge pattern.
pub(crate) type End = (Ordinal, u8);

/// The edges of all landmarks in one direction. Landmarks with equal edges share a row: between
/// two resources of n instances each, there are n² edges in a row of n.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rows {
    /// The number of the row of each landmark. Rows are numbered by their first landmarks.
    pub(crate) row_of: Vec<u32>,
    /// The place of each row in `edges`.
    pub(crate) places: Vec<Range<usize>>,
    /// Distinct rows, one after the other. Each is sorted and distinct.
    pub(crate) edges: Vec<End>,
}

impl Rows {
    /// No edges between `landmarks` landmarks.
    pub(crate) fn none(landmarks: usize) -> Rows {
        Rows { row_of: vec![0; landmarks], ..Rows::default() }
    }

    /// The edges of landmark `ordinal`.
    pub(crate) fn of(&self, ordinal: Ordinal) -> &[End] {
        self.edges.get(self.place_of(self.row_of.get(ordinal.index()))).unwrap_or_default()
    }

    fn place_of(&self, row: Option<&u32>) -> Range<usize> {
        row.and_then(|&row| self.places.get(row as usize)).cloned().unwrap_or_default()
    }

    /// Starts, targets and kinds: of distinct rows, or of one row for each landmark. In the latter
    /// there are at most `most` edges and those of one landmark.
    pub(crate) fn tables(&self, is_shared: bool, most: usize) -> [Vec<u8>; 3] {
        let (mut starts, mut targets, mut kinds) = (Vec::new(), Vec::new(), Vec::new());
        let mut add = |edges: &[End]| {
            targets.extend(edges.iter().flat_map(|(to, _)| to.0.to_le_bytes()));
            kinds.extend(edges.iter().map(|(_, kind)| *kind));
            kinds.len()
        };
        let mut put = |at| starts.extend_from_slice(&u32::try_from(at).unwrap_or(u32::MAX).to_le_bytes());
        let places = self.row_of.iter().map(|row| self.place_of(Some(row)));
        if is_shared {
            places.for_each(|place| [place.start, place.end].into_iter().for_each(&mut put));
            add(&self.edges);
        } else {
            let mut end = 0;
            put(end);
            for place in places {
                if end <= most {
                    end = add(self.edges.get(place).unwrap_or_default());
                }
                put(end);
            }
        }
        [starts, targets, kinds]
    }

    /// Whether the tables with shared rows have half the length or less.
    pub(crate) fn are_shorter_shared(&self) -> bool {
        let landmarks = self.row_of.len();
        let all = self.row_of.iter().map(|row| self.place_of(Some(row)).len());
        let all = all.fold(0, usize::saturating_add);
        let length =
            |starts: usize, edges: usize| starts.saturating_mul(4).saturating_add(edges.saturating_mul(5));
        let shared = length(landmarks.saturating_mul(2), self.edges.len());
        shared.saturating_mul(2) <= length(landmarks.saturating_add(1), all)
    }
}

/// The edges of an open file in one direction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EdgeTables<'a> {
    pub(crate) starts: Table<'a>,
    pub(crate) targets: Table<'a>,
    pub(crate) kinds: Table<'a>,
    /// Whether landmarks may share rows: `starts` has two entries for each.
    pub(crate) is_shared: bool,
}

impl EdgeTables<'_> {
    /// The number of edges.
    pub(crate) fn count(&self) -> usize {
        self.targets.len(4)
    }

    /// The range of the edges of landmark `ordinal`.
    #[inline]
    pub(crate) fn of(&self, ordinal: Ordinal) -> Result<Range<usize>, DecodeError> {
        let index = first_start(ordinal, self.is_shared);
        let first = index.saturating_mul(4);
        let pair = self.starts.stretch(first..first.saturating_add(8))?;
        let number = |entry: Option<&[u8; 4]>| entry.map_or(u32::MAX, |entry| u32::from_le_bytes(*entry));
        let (start, end) = (number(pair.first_chunk()) as usize, number(pair.last_chunk()) as usize);
        match start <= end && end <= self.targets.len(4) {
            true => Ok(start..end),
            false => Err(self.bad_start(index, start, end)),
        }
    }

    /// The error in the edges from entry `index`, which would range from `start` to `end`.
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
/// targets and not above its end. Every target is a landmark.
#[derive(Clone, Debug)]
pub(crate) struct CheckedEdges<'a> {
    starts: Cow<'a, [u8]>,
    targets: Cow<'a, [u8]>,
    is_shared: bool,
}

/// The entry of `starts` at which the edges of a landmark begin. The next one is their end.
#[inline]
fn first_start(ordinal: Ordinal, is_shared: bool) -> usize {
    ordinal.index().saturating_mul(if is_shared { 2 } else { 1 })
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
            // With shared rows, an even entry is not the end of a row.
            if start < last && !(self.is_shared && index.is_multiple_of(2)) {
                let at = if self.is_shared { at.saturating_sub(4) } else { at };
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
        Ok(CheckedEdges { starts: starts.into(), targets: targets.into(), is_shared: self.is_shared })
    }
}

impl CheckedEdges<'_> {
    pub(crate) fn of(rows: &Rows) -> CheckedEdges<'static> {
        let [starts, targets, _] = rows.tables(true, 0);
        CheckedEdges { starts: starts.into(), targets: targets.into(), is_shared: true }
    }

    /// The range of the edges of landmark `ordinal`. Those of another with equal edges may be the
    /// same.
    #[inline]
    pub(crate) fn range(&self, ordinal: Ordinal) -> Range<u32> {
        let index = first_start(ordinal, self.is_shared);
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
        ask(&EdgeTables { starts, targets, kinds, is_shared: false })
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

    /// The four entries of starts are those of two landmarks with rows of their own places.
    #[test]
    fn shared_rows_are_checked_each_for_itself() {
        let (_, targets, kinds) = GOOD;
        let ask_shared = |starts: [u32; 4]| {
            ask((starts, targets, kinds), |tables| {
                let tables = EdgeTables { is_shared: true, ..*tables };
                let ranges = tables.checked(3).map(|all| [0, 1].map(|ordinal| all.range(Ordinal(ordinal))));
                ([0, 1].map(|ordinal| tables.of(Ordinal(ordinal))), ranges)
            })
        };
        let (of, checked) = ask_shared([1, 3, 0, 2]);
        assert_eq!((of, checked), ([Ok(1..3), Ok(0..2)], Ok([1..3, 0..2])), "they may overlap");
        let differs = |at: usize| ErrorKind::IndexDiffers { table: Part::DEPENDENCY_STARTS.0 }.at(at as u64);
        let (of, checked) = ask_shared([0, 1, 2, 1]);
        assert_eq!((of, checked), ([Ok(0..1), Err(differs(STARTS + 8))], Err(differs(STARTS + 8))));
        let (of, checked) = ask_shared([4, 1, 0, 4]);
        let at = |entry: usize| Err(outside(Part::DEPENDENCY_STARTS, STARTS + 4 * entry));
        assert_eq!(of, [at(0), at(3)]);
        assert_eq!(checked, Err(outside(Part::DEPENDENCY_STARTS, STARTS)));
    }

    #[test]
    fn an_invalid_target_or_kind_is_reported_at_its_offset() {
        let target = outside(Part::DEPENDENCY_TARGETS, TARGETS + 4);
        assert_eq!(edges_of_good(1..3, 2, 2), Err(target.clone()));
        assert_eq!(ask(GOOD, |tables| tables.checked(2).map(drop)), Err(target));
        let kind = outside(Part::DEPENDENCY_KINDS, KINDS + 1);
        assert_eq!(edges_of_good(1..3, 3, 1), Err(kind.clone()));
    }

    /// Three landmarks: an edge from the first to the last, and two from the last.
    fn rows() -> Rows {
        let edges = [(2, 1), (0, 0), (1, 0)].map(|(to, kind)| (Ordinal(to), kind)).to_vec();
        Rows { row_of: vec![0, 1, 2], places: vec![0..1, 1..1, 1..3], edges }
    }

    fn numbers(bytes: &[u8]) -> Vec<u32> {
        bytes.chunks(4).map(|bytes| u32::from_le_bytes(bytes.try_into().unwrap())).collect()
    }

    #[test]
    fn rows_are_compressed() {
        let [starts, targets, kinds] = rows().tables(false, usize::MAX);
        assert_eq!(numbers(&starts), [0, 1, 1, 3]);
        assert_eq!(numbers(&targets), [2, 0, 1]);
        assert_eq!(kinds, [1, 0, 0]);
        assert!(!rows().are_shorter_shared());
        let [starts, targets, kinds] = rows().tables(false, 0);
        assert_eq!((numbers(&starts), targets.len(), kinds.len()), (vec![0, 1, 1, 1], 4, 1));
    }

    #[test]
    fn shared_rows_are_stored_once() {
        let rows = Rows { row_of: vec![0, 2, 0, 1], ..rows() };
        let [starts, targets, kinds] = rows.tables(true, 0);
        assert_eq!(numbers(&starts), [0, 1, 1, 3, 0, 1, 1, 1]);
        assert_eq!((numbers(&targets), kinds), (vec![2, 0, 1], vec![1, 0, 0]));
        // Twice 80 bytes and 3 edges of 5 bytes, against 44 bytes and 29 or 30 edges.
        let edges = [0, 1, 2].map(|to| (Ordinal(to), 0)).to_vec();
        let rows = Rows { row_of: Vec::new(), places: vec![0..3, 1..3], edges };
        let are_shorter = |row_of| Rows { row_of, ..rows.clone() }.are_shorter_shared();
        assert!(!are_shorter([[0; 9].as_slice(), &[1]].concat()));
        assert!(are_shorter(vec![0; 10]));
    }

    #[test]
    fn checked_edges_give_the_row_of_each_landmark() {
        let all = CheckedEdges::of(&rows());
        assert_eq!([0, 1, 2].map(|ordinal| all.range(Ordinal(ordinal))), [0..1, 1..1, 1..3]);
        assert_eq!(
            [0, 1, 2, 3].map(|edge| all.target(edge)),
            [Some(2), Some(0), Some(1), None].map(|target| target.map(Ordinal))
        );
        assert_eq!(CheckedEdges::of(&Rows::none(3)).range(Ordinal(2)), 0..0);
    }
}
