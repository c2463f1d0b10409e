//! §8.2–§8.4 Landmark tables: the offset and class of each landmark, and the tree they form.

use super::directory::Part;
use super::ids::Ordinal;
use super::table::{Table, offset_width, put_offset};
use coconut_format::error::{DecodeError, ErrorKind};
use std::ops::Range;

/// Minimum number of landmarks for which a writer makes an index.
pub(crate) const INDEX_FROM: usize = 16;

/// In the tree: no parent.
pub(crate) const NO_PARENT: Ordinal = Ordinal(u32::MAX);

/// The landmark tables of an open file.
#[derive(Clone, Debug)]
pub(crate) struct LandmarkTables<'a> {
    /// The root part, which contains the landmarks.
    pub(crate) root: Range<usize>,
    pub(crate) offsets: Table<'a>,
    pub(crate) classes: Option<Table<'a>>,
    pub(crate) tree: Option<Table<'a>>,
    pub(crate) wide: bool,
}

impl LandmarkTables<'_> {
    /// The number of landmarks.
    pub(crate) fn count(&self) -> u32 {
        u32::try_from(self.offsets.len(offset_width(self.wide))).unwrap_or(u32::MAX)
    }

    /// §8.2 The start of landmark `ordinal`.
    #[inline]
    pub(crate) fn offset(&self, ordinal: Ordinal) -> Result<usize, DecodeError> {
        let offset = self.offsets.offset(ordinal.index(), self.wide)?;
        match self.root.contains(&offset) {
            true => Ok(offset),
            false => {
                let at = self.place_of_offset(ordinal);
                Err(ErrorKind::IndexRange { table: Part::LANDMARK_OFFSETS.0 }.at(at))
            }
        }
    }

    /// Offset of the entry with the start of landmark `ordinal`, for errors.
    pub(crate) fn place_of_offset(&self, ordinal: Ordinal) -> u64 {
        self.offsets.place_of(ordinal.index(), offset_width(self.wide))
    }

    /// The ordinal of the landmark that begins at `offset`. Landmarks are in document order, so
    /// they are sorted by offset, and in most files their sizes are similar. So interpolation is
    /// close, and a lookup touches one or two blocks of the table instead of five.
    pub(crate) fn ordinal_at(&self, offset: usize) -> Result<Option<Ordinal>, DecodeError> {
        const GUESSES: u32 = 6;
        let (mut low, mut high) = (0, self.count());
        let (mut from, mut to) = (self.root.start, self.root.end);
        let mut guesses = 0u32;
        while low < high && (from..to).contains(&offset) {
            let middle = match guesses < GUESSES {
                true => {
                    let [part, whole] = [offset, to].map(|end| end.abs_diff(from) as u128);
                    let share = part.saturating_mul(u128::from(high.abs_diff(low))).checked_div(whole);
                    let share = share.and_then(|share| u32::try_from(share).ok()).unwrap_or(0);
                    low.saturating_add(share).min(high.saturating_sub(1))
                }
                false => low.midpoint(high),
            };
            guesses = guesses.saturating_add(1);
            let found = self.offset(Ordinal(middle))?;
            match found.cmp(&offset) {
                std::cmp::Ordering::Less => (low, from) = (middle.saturating_add(1), found.saturating_add(1)),
                std::cmp::Ordering::Equal => return Ok(Some(Ordinal(middle))),
                std::cmp::Ordering::Greater => (high, to) = (middle, found),
            }
        }
        Ok(None)
    }

    /// §8.3 The class of landmark `ordinal`: the number of its pattern. The rule has `classes`
    /// patterns.
    pub(crate) fn class(&self, ordinal: Ordinal, patterns: usize) -> Result<u8, DecodeError> {
        match &self.classes {
            Some(classes) => match classes.entry(ordinal.index())? {
                [class] if usize::from(class) < patterns => Ok(class),
                _ => {
                    let at = classes.place_of(ordinal.index(), 1);
                    Err(ErrorKind::IndexRange { table: Part::LANDMARK_CLASSES.0 }.at(at))
                }
            },
            None => Ok(0),
        }
    }

    /// §8.4 The parent of landmark `ordinal`, always a lower ordinal.
    pub(crate) fn parent(&self, ordinal: Ordinal) -> Result<Option<Ordinal>, DecodeError> {
        let (parent, _) = self.family(ordinal)?;
        Ok((parent != NO_PARENT).then_some(parent))
    }

    /// §8.4 The first ordinal after `ordinal` that is not inside it.
    pub(crate) fn end(&self, ordinal: Ordinal) -> Result<Ordinal, DecodeError> {
        self.family(ordinal).map(|(_, end)| end)
    }

    /// Parent, or [`NO_PARENT`], and end, checked so that a walk over either ends.
    fn family(&self, ordinal: Ordinal) -> Result<(Ordinal, Ordinal), DecodeError> {
        let (parent, end) = self.tree_entry(ordinal)?;
        if (parent == NO_PARENT || parent < ordinal) && end > ordinal {
            return Ok((parent, end));
        }
        Err(self.bad_tree(ErrorKind::IndexDiffers { table: Part::LANDMARK_TREE.0 }, ordinal))
    }

    /// The tree entry of a landmark, if it refers to landmarks.
    fn tree_entry(&self, ordinal: Ordinal) -> Result<(Ordinal, Ordinal), DecodeError> {
        let Some(tree) = &self.tree else { return Ok((NO_PARENT, ordinal.next())) };
        let [p0, p1, p2, p3, e0, e1, e2, e3] = tree.entry::<8>(ordinal.index())?;
        let parent = Ordinal(u32::from_le_bytes([p0, p1, p2, p3]));
        let end = Ordinal(u32::from_le_bytes([e0, e1, e2, e3]));
        if (parent == NO_PARENT || parent.0 < self.count()) && end.0 <= self.count() {
            return Ok((parent, end));
        }
        Err(self.bad_tree(ErrorKind::IndexRange { table: Part::LANDMARK_TREE.0 }, ordinal))
    }

    /// The error that these tables describe this landmark wrongly.
    #[cold]
    pub(crate) fn differs(&self, ordinal: Ordinal) -> DecodeError {
        let (table, width) = match &self.tree {
            Some(tree) => (tree, 8),
            None => (&self.offsets, offset_width(self.wide)),
        };
        ErrorKind::IndexDiffers { table: table.part().0 }.at(table.place_of(ordinal.index(), width))
    }

    fn bad_tree(&self, kind: ErrorKind, ordinal: Ordinal) -> DecodeError {
        kind.at(self.tree.as_ref().map_or(0, |tree| tree.place_of(ordinal.index(), 8)))
    }
}

/// The writer's data about each landmark.
pub(crate) struct LandmarkRow {
    pub(crate) offset: u64,
    pub(crate) class: u8,
    pub(crate) parent: Option<Ordinal>,
}

/// The table of §8.2.
pub(crate) fn offsets_table(rows: &[LandmarkRow], wide: bool) -> Vec<u8> {
    let mut out = Vec::with_capacity(rows.len().saturating_mul(offset_width(wide)));
    rows.iter().for_each(|row| put_offset(&mut out, row.offset, wide));
    out
}

/// The table of §8.3.
pub(crate) fn classes_table(rows: &[LandmarkRow]) -> Vec<u8> {
    rows.iter().map(|row| row.class).collect()
}

/// Whether the table of §8.3 is needed: not all classes are 0.
pub(crate) fn has_classes(rows: &[LandmarkRow]) -> bool {
    rows.iter().any(|row| row.class != 0)
}

/// Whether the table of §8.4 is needed: some landmark has a parent.
pub(crate) fn has_tree(rows: &[LandmarkRow]) -> bool {
    rows.iter().any(|row| row.parent.is_some())
}

/// The table of §8.4.
pub(crate) fn tree_table(rows: &[LandmarkRow]) -> Vec<u8> {
    let count = Ordinal(u32::try_from(rows.len()).unwrap_or(u32::MAX));
    let mut ends = vec![count; rows.len()];
    // The landmarks around the current one, outermost first. A landmark that leaves the stack ends
    // there.
    let mut around: Vec<Ordinal> = Vec::new();
    for (ordinal, row) in (0..).map(Ordinal).zip(rows) {
        while around.last().copied() != row.parent {
            let Some(ended) = around.pop() else { break };
            if let Some(end) = ends.get_mut(ended.index()) {
                *end = ordinal;
            }
        }
        around.push(ordinal);
    }
    let pairs = rows.iter().zip(ends).map(|(row, end)| (row.parent.unwrap_or(NO_PARENT), end));
    pairs.flat_map(|(parent, end)| [parent.0.to_le_bytes(), end.0.to_le_bytes()]).flatten().collect()
}

/// Returns the first ordinal after `ordinal` that is not inside it. Costs a step for each landmark
/// inside it and each level.
pub(crate) fn end_by_parents(parents: &[Option<Ordinal>], ordinal: Ordinal) -> Ordinal {
    let is_outside = |other: &Ordinal| {
        let mut around = Some(*other);
        while let Some(at) = around.filter(|&at| at > ordinal) {
            around = parents.get(at.index()).copied().flatten();
        }
        around != Some(ordinal)
    };
    let count = u32::try_from(parents.len()).unwrap_or(u32::MAX);
    (ordinal.next().0..count).map(Ordinal).find(is_outside).unwrap_or(Ordinal(count))
}

#[cfg(test)]
mod tests {
    use super::super::directory::Entry;
    use super::*;
    use crate::bytes::Bytes;

    const ROOT: Range<usize> = 100..200;
    /// Offset of the first table in the file of [`ask`].
    const OFFSETS: usize = 8;

    /// Five landmarks. The first two contain others.
    fn rows() -> Vec<LandmarkRow> {
        let parents = [None, Some(Ordinal(0)), Some(Ordinal(1)), Some(Ordinal(0)), None];
        let row = |(parent, n): (Option<Ordinal>, u8)| LandmarkRow {
            offset: 100 + 24 * u64::from(n),
            class: n % 3,
            parent,
        };
        parents.into_iter().zip(0..).map(row).collect()
    }

    /// Puts the tables of [`rows`] into a file, changes it, and queries them. The tree and the
    /// classes each begin at the end of the previous table.
    fn ask<T>(
        wide: bool,
        has_tree: bool,
        change: impl FnOnce(&mut Vec<u8>),
        ask: impl FnOnce(&LandmarkTables<'_>) -> T,
    ) -> T {
        let rows = rows();
        let (offsets, tree) = (offsets_table(&rows, wide), tree_table(&rows));
        let mut data = [&[0; OFFSETS][..], &offsets, &tree, &classes_table(&rows)].concat();
        change(&mut data);
        let entry = |part, start, end| Entry { part, flags: 0, stride: 0, start, end };
        let tree_at = OFFSETS + offsets.len();
        let classes_at = tree_at + tree.len();
        let offsets = entry(Part::LANDMARK_OFFSETS, OFFSETS, tree_at);
        let tree = entry(Part::LANDMARK_TREE, tree_at, classes_at);
        let classes = entry(Part::LANDMARK_CLASSES, classes_at, data.len());
        let table = |entry| Table::new(Bytes::Whole(&data), None, entry);
        ask(&LandmarkTables {
            root: ROOT,
            offsets: table(&offsets),
            classes: has_tree.then(|| table(&classes)),
            tree: has_tree.then(|| table(&tree)),
            wide,
        })
    }

    fn put(at: usize, number: u32) -> impl FnOnce(&mut Vec<u8>) {
        move |data| data[at..at + 4].copy_from_slice(&number.to_le_bytes())
    }

    #[test]
    fn each_landmark_has_its_offset_class_and_family() {
        for wide in [false, true] {
            let all = ask(
                wide,
                true,
                |_| (),
                |tables| {
                    assert_eq!(tables.count(), 5);
                    [0, 1, 2, 3, 4].map(Ordinal).map(|n| {
                        let family = (tables.parent(n).unwrap(), tables.end(n).unwrap());
                        (tables.offset(n).unwrap(), tables.class(n, 3).unwrap(), family)
                    })
                },
            );
            let expected = [
                (100, 0, (None, Ordinal(4))),
                (124, 1, (Some(Ordinal(0)), Ordinal(3))),
                (148, 2, (Some(Ordinal(1)), Ordinal(3))),
                (172, 0, (Some(Ordinal(0)), Ordinal(4))),
                (196, 1, (None, Ordinal(5))),
            ];
            assert_eq!(all, expected);
            let flat = ask(
                wide,
                false,
                |_| (),
                |tables| [0, 4].map(Ordinal).map(|n| (tables.class(n, 3), tables.parent(n), tables.end(n))),
            );
            assert_eq!(flat, [(Ok(0), Ok(None), Ok(Ordinal(1))), (Ok(0), Ok(None), Ok(Ordinal(5)))]);
        }
    }

    #[test]
    fn an_ordinal_is_found_only_by_the_offset_of_its_landmark() {
        let find = |offset| ask(false, true, |_| (), |tables| tables.ordinal_at(offset));
        for (ordinal, offset) in (0..5).map(Ordinal).zip((100..).step_by(24)) {
            assert_eq!(find(offset), Ok(Some(ordinal)));
            assert_eq!((find(offset - 1), find(offset + 1)), (Ok(None), Ok(None)));
        }
    }

    #[test]
    fn a_class_without_a_pattern_is_reported_at_its_offset() {
        // After the offsets and the tree of five landmarks.
        let at = OFFSETS + 5 * 4 + 5 * 8 + 2;
        let class =
            |class: u8| ask(false, true, |data| data[at] = class, |tables| tables.class(Ordinal(2), 3));
        let outside = ErrorKind::IndexRange { table: Part::LANDMARK_CLASSES.0 }.at(at as u64);
        assert_eq!([0, 2, 3, 255].map(class), [Ok(0), Ok(2), Err(outside.clone()), Err(outside)]);
    }

    #[test]
    fn an_offset_outside_the_root_is_reported_at_its_offset() {
        for (wide, width) in [(false, 4), (true, 8)] {
            for outside in [99, 200] {
                let at = OFFSETS + 3 * width;
                let expected = ErrorKind::IndexRange { table: Part::LANDMARK_OFFSETS.0 }.at(at as u64);
                assert_eq!(
                    ask(wide, true, put(at, outside), |tables| tables.offset(Ordinal(3))),
                    Err(expected)
                );
            }
        }
    }

    #[test]
    fn an_invalid_parent_or_end_is_reported_at_its_offset() {
        // The entry of landmark 3.
        let at = OFFSETS + 5 * 4 + 3 * 8;
        let family = |at: usize, number: u32| {
            ask(false, true, put(at, number), |tables| (tables.parent(Ordinal(3)), tables.end(Ordinal(3))))
        };
        let (table, place) = (Part::LANDMARK_TREE.0, at as u64);
        let outside = ErrorKind::IndexRange { table }.at(place);
        let differs = ErrorKind::IndexDiffers { table }.at(place);
        let beyond = (Err(outside.clone()), Err(outside));
        // A parent that is not before the landmark, or an end that is not after it, could make a
        // walk endless.
        let endless = (Err(differs.clone()), Err(differs));
        assert_eq!(family(at, 2), (Ok(Some(Ordinal(2))), Ok(Ordinal(4))));
        assert_eq!(family(at, 3), endless);
        assert_eq!(family(at, 4), endless);
        assert_eq!(family(at, 5), beyond);
        assert_eq!(family(at, NO_PARENT.0), (Ok(None), Ok(Ordinal(4))));
        assert_eq!(family(at + 4, 5), (Ok(Some(Ordinal(0))), Ok(Ordinal(5))));
        assert_eq!(family(at + 4, 3), endless);
        assert_eq!(family(at + 4, 6), beyond);
    }

    #[test]
    fn a_difference_is_reported_in_the_tree_or_else_in_the_offsets() {
        let differs = |wide, has_tree| ask(wide, has_tree, |_| (), |tables| tables.differs(Ordinal(3)));
        let at = |part: Part, at: usize| ErrorKind::IndexDiffers { table: part.0 }.at(at as u64);
        assert_eq!(differs(false, true), at(Part::LANDMARK_TREE, OFFSETS + 5 * 4 + 3 * 8));
        assert_eq!(differs(false, false), at(Part::LANDMARK_OFFSETS, OFFSETS + 3 * 4));
        assert_eq!(differs(true, false), at(Part::LANDMARK_OFFSETS, OFFSETS + 3 * 8));
    }

    #[test]
    fn the_tree_gives_parents_and_ends() {
        let table = tree_table(&rows());
        let numbers: Vec<u32> =
            table.chunks(4).map(|bytes| u32::from_le_bytes(bytes.try_into().unwrap())).collect();
        assert_eq!(numbers, [u32::MAX, 4, 0, 3, 1, 3, 0, 4, u32::MAX, 5]);
    }

    #[test]
    fn a_flat_document_of_one_class_needs_neither_tree_nor_classes() {
        let row = |class, parent| LandmarkRow { offset: 0, class, parent };
        let facts = |rows: &[LandmarkRow]| (has_classes(rows), has_tree(rows));
        assert_eq!(facts(&[row(0, None), row(0, None)]), (false, false));
        assert_eq!(facts(&[row(0, None), row(1, None)]), (true, false));
        assert_eq!(facts(&[row(0, None), row(0, Some(Ordinal(0)))]), (false, true));
        let flat = [u32::MAX, 1, u32::MAX, 2].map(u32::to_le_bytes).concat();
        assert_eq!(tree_table(&[row(0, None), row(0, None)]), flat);
    }

    #[test]
    fn a_landmark_ends_at_the_next_one_that_is_not_inside() {
        let parents = [None, Some(0), Some(1), Some(1), Some(0), None].map(|parent| parent.map(Ordinal));
        let ends = [0, 1, 2, 3, 4, 5].map(|ordinal| end_by_parents(&parents, Ordinal(ordinal)).0);
        assert_eq!(ends, [5, 4, 3, 4, 5, 6]);
    }
}
