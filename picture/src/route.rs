//! Ways of arrows around the boxes that are between their ends.
//!
//! An arrow crosses a row of boxes in the gap that is nearest to its straight line, and bends only
//! between rows. So it never runs behind a box. Where rows have a common gap that is near enough,
//! it crosses them without a bend.

use crate::Direction;
use crate::layout::Area;

/// The space between an arrow and the box beside it, in a row and outside of it.
const MARGIN: f64 = 6.0;
const OUTSIDE: f64 = 12.0;

/// The maximum width of a gap whose arrows are in its middle.
const NARROW: f64 = 24.0;

/// The maximum distance of a straight arrow from its shortest way.
const ASIDE: f64 = 120.0;

/// The rows of a layout, in the order of their places.
pub(crate) struct Rows {
    rows: Vec<Row>,
}

/// Boxes that begin at one line.
pub(crate) struct Row {
    start: f64,
    end: f64,
    /// The ends of each box, in order.
    boxes: Vec<(f64, f64)>,
}

/// A crossing of a row: the place along it, and where the row begins and ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Crossing {
    pub(crate) along: f64,
    pub(crate) start: f64,
    pub(crate) end: f64,
}

impl Rows {
    pub(crate) fn of(areas: &[Area], direction: Direction) -> Rows {
        let is_down = direction == Direction::Tb;
        let mut boxes: Vec<((f64, f64), (f64, f64))> =
            areas.iter().map(|area| sides(area, is_down)).collect();
        boxes.sort_by(|(one, along), (other, after)| {
            one.0.total_cmp(&other.0).then(along.0.total_cmp(&after.0))
        });
        let mut rows: Vec<Row> = Vec::new();
        for ((start, end), along) in boxes {
            match rows.last_mut().filter(|row| row.start.total_cmp(&start).is_eq()) {
                Some(row) => {
                    row.end = row.end.max(end);
                    row.boxes.push(along);
                }
                None => rows.push(Row { start, end, boxes: vec![along] }),
            }
        }
        Rows { rows }
    }

    /// The rows that are whole between two places.
    pub(crate) fn between(&self, leaves: f64, arrives: f64) -> impl Iterator<Item = &Row> {
        let first = self.rows.partition_point(|row| row.start < leaves);
        let rows = self.rows.iter().skip(first).take_while(move |row| row.start < arrives);
        rows.filter(move |row| row.end <= arrives)
    }
}

/// Places along a row that are free for an arrow.
#[derive(Clone, Copy)]
struct Gap {
    start: f64,
    end: f64,
}

impl Gap {
    /// The place for an arrow: the wanted one if it is free, else the middle of a narrow gap, or
    /// the nearest place of a wide one.
    fn place(self, wanted: f64) -> f64 {
        match () {
            () if self.start <= wanted && wanted <= self.end => wanted,
            () if self.end - self.start <= NARROW => f64::midpoint(self.start, self.end),
            () => wanted.clamp(self.start, self.end),
        }
    }

    fn common(self, other: Gap) -> Option<Gap> {
        let (start, end) = (self.start.max(other.start), self.end.min(other.end));
        (start <= end).then_some(Gap { start, end })
    }
}

/// The ways across these rows, from a place to a place: along the rows, and across them. An arrow
/// stays straight for as many rows as have a common gap.
pub(crate) fn crossings(rows: &[&Row], start: (f64, f64), target: (f64, f64)) -> Vec<Crossing> {
    let mut crossings = Vec::with_capacity(rows.len());
    let mut here = start;
    let mut rest = rows;
    while let Some(first) = rest.first() {
        let straight = |across: f64| here.0 + (target.0 - here.0) * (across - here.1) / (target.1 - here.1);
        let mut gap = first.gap_near(straight(first.middle()));
        let mut count = 1;
        for row in &rest[1..] {
            let wanted = straight(row.middle());
            let near = row.gap_near(wanted.clamp(gap.start, gap.end)).common(gap);
            let Some(near) = near.filter(|near| (near.place(wanted) - wanted).abs() <= ASIDE) else { break };
            (gap, count) = (near, count + 1);
        }
        let (run, after) = rest.split_at(count);
        let (begins, ends) = (run[0].start, run[count - 1].end);
        let along = gap.place(straight(f64::midpoint(begins, ends)));
        crossings.extend(run.iter().map(|row| Crossing { along, start: row.start, end: row.end }));
        (here, rest) = ((along, ends), after);
    }
    crossings
}

impl Row {
    fn middle(&self) -> f64 {
        f64::midpoint(self.start, self.end)
    }

    /// The gap with the nearest place that is not in a box.
    fn gap_near(&self, along: f64) -> Gap {
        let after = self.boxes.partition_point(|&(_, end)| end + MARGIN <= along);
        let gap = |after: usize| {
            let before = after.checked_sub(1).and_then(|before| self.boxes.get(before));
            match (before, self.boxes.get(after)) {
                (None, None) => Gap { start: f64::NEG_INFINITY, end: f64::INFINITY },
                (None, Some(&(start, _))) => Gap { start: f64::NEG_INFINITY, end: start - OUTSIDE },
                (Some(&(_, end)), None) => Gap { start: end + OUTSIDE, end: f64::INFINITY },
                // Boxes that are too near leave only the middle.
                (Some(&(_, end)), Some(&(start, _))) if end + MARGIN > start - MARGIN => {
                    Gap { start: f64::midpoint(end, start), end: f64::midpoint(end, start) }
                }
                (Some(&(_, end)), Some(&(start, _))) => Gap { start: end + MARGIN, end: start - MARGIN },
            }
        };
        let (left, right) = (gap(after), gap((after + 1).min(self.boxes.len())));
        match (left.place(along) - along).abs() <= (right.place(along) - along).abs() {
            true => left,
            false => right,
        }
    }
}

/// The ends of a box across the rows, and along them.
pub(crate) fn sides(area: &Area, is_down: bool) -> ((f64, f64), (f64, f64)) {
    let (x, y) = ((area.x, area.x + area.width), (area.y, area.y + area.height));
    if is_down { (y, x) } else { (x, y) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(x: f64, y: f64) -> Area {
        Area { x, y, width: 100.0, height: 30.0 }
    }

    fn crossed(areas: &[Area], from: usize, to: usize, direction: Direction) -> Vec<Crossing> {
        let rows = Rows::of(areas, direction);
        let is_down = direction == Direction::Tb;
        let ((_, leaves), from) = sides(&areas[from], is_down);
        let ((arrives, _), to) = sides(&areas[to], is_down);
        let between: Vec<&Row> = rows.between(leaves, arrives).collect();
        let middle = |(start, end)| f64::midpoint(start, end);
        crossings(&between, (middle(from), leaves), (middle(to), arrives))
    }

    fn places(areas: &[Area], from: usize, to: usize) -> Vec<f64> {
        crossed(areas, from, to, Direction::Tb).iter().map(|crossing| crossing.along).collect()
    }

    #[test]
    fn an_arrow_crosses_a_row_in_the_nearest_gap() {
        let areas = [area(0.0, 0.0), area(0.0, 80.0), area(122.0, 80.0), area(0.0, 160.0), area(40.0, 240.0)];
        // Straight down, the way would be behind the box below. Its left end is farther away.
        assert_eq!(places(&areas, 0, 3), [111.0]);
        // Both rows have a common gap, from 112 to 116.
        assert_eq!(places(&areas, 0, 4), [114.0, 114.0]);
        assert_eq!(places(&areas, 0, 1), [0.0; 0]);
        assert_eq!(places(&areas, 3, 0), [0.0; 0]);
    }

    #[test]
    fn an_arrow_bends_once_where_rows_have_no_common_gap_that_is_near() {
        let areas = [area(0.0, 0.0), area(-20.0, 80.0), area(400.0, 160.0), area(500.0, 240.0)];
        // Free from 92 on, and up to 388: one way is near enough for both rows.
        assert_eq!(places(&areas, 0, 3), [300.0, 300.0]);
        let wall = Area { width: 900.0, ..area(92.0, 160.0) };
        let areas = [area(0.0, 0.0), area(-20.0, 80.0), wall, area(0.0, 240.0)];
        assert_eq!(places(&areas, 0, 3), [92.0, 71.0]);
    }

    #[test]
    fn a_row_is_crossed_where_the_way_is_free() {
        let areas = [area(300.0, 0.0), area(0.0, 80.0), area(300.0, 160.0)];
        let crossings = crossed(&areas, 0, 2, Direction::Tb);
        assert_eq!(crossings, [Crossing { along: 350.0, start: 80.0, end: 110.0 }]);
        let turned: Vec<Area> =
            areas.iter().map(|area| Area { x: area.y, y: area.x, width: 30.0, height: 100.0 }).collect();
        assert_eq!(crossed(&turned, 0, 2, Direction::Lr), crossings);
    }
}
