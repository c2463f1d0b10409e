//! Ways of arrows around the boxes that are between their ends.
//!
//! An arrow crosses a row of boxes in the gap that is nearest to its straight line, and bends only
//! between rows. So it never runs behind a box.

use crate::Direction;
use crate::layout::Area;

/// The space between an arrow and the box beside it, in a row and outside of it.
const MARGIN: f64 = 6.0;
const OUTSIDE: f64 = 12.0;

/// The rows of a layout, in the order of their places.
pub(crate) struct Rows {
    rows: Vec<Row>,
    is_down: bool,
}

/// Boxes that begin at one line.
struct Row {
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
        Rows { rows, is_down }
    }

    /// The rows that an arrow between two boxes crosses, in its order. There are none for an arrow
    /// against the direction of the picture.
    pub(crate) fn between(&self, from: &Area, to: &Area) -> Vec<Crossing> {
        let ((_, leaves), along_from) = sides(from, self.is_down);
        let ((arrives, _), along_to) = sides(to, self.is_down);
        let target = f64::midpoint(along_to.0, along_to.1);
        let (mut along, mut across) = (f64::midpoint(along_from.0, along_from.1), leaves);
        let first = self.rows.partition_point(|row| row.start < leaves);
        let rows = self.rows.iter().skip(first).take_while(|row| row.start < arrives);
        let mut crossings = Vec::new();
        for row in rows.filter(|row| row.end <= arrives) {
            let middle = f64::midpoint(row.start, row.end);
            let straight = along + (target - along) * (middle - across) / (arrives - across);
            (along, across) = (row.gap_near(straight), row.end);
            crossings.push(Crossing { along, start: row.start, end: row.end });
        }
        crossings
    }
}

impl Row {
    /// The nearest place that is not in a box.
    fn gap_near(&self, along: f64) -> f64 {
        let after = self.boxes.partition_point(|&(_, end)| end + MARGIN <= along);
        let Some(&(start, end)) = self.boxes.get(after).filter(|&&(start, _)| start - MARGIN < along) else {
            return along;
        };
        let before = after.checked_sub(1).and_then(|before| self.boxes.get(before));
        let left = before.map_or(start - OUTSIDE, |&(_, end)| f64::midpoint(end, start));
        let right = self.boxes.get(after + 1).map_or(end + OUTSIDE, |&(start, _)| f64::midpoint(end, start));
        if along - left <= right - along { left } else { right }
    }
}

/// The ends of a box across the rows, and along them.
fn sides(area: &Area, is_down: bool) -> ((f64, f64), (f64, f64)) {
    let (x, y) = ((area.x, area.x + area.width), (area.y, area.y + area.height));
    if is_down { (y, x) } else { (x, y) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(x: f64, y: f64) -> Area {
        Area { x, y, width: 100.0, height: 30.0 }
    }

    #[test]
    fn an_arrow_crosses_a_row_in_the_nearest_gap() {
        let areas = [area(0.0, 0.0), area(0.0, 80.0), area(122.0, 80.0), area(0.0, 160.0), area(40.0, 240.0)];
        let rows = Rows::of(&areas, Direction::Tb);
        let crossed = |from: usize, to: usize| -> Vec<f64> {
            rows.between(&areas[from], &areas[to]).iter().map(|crossing| crossing.along).collect()
        };
        // Straight down, the way would be behind the box below. Its left end is farther away.
        assert_eq!(crossed(0, 3), [111.0]);
        assert_eq!(crossed(0, 4), [111.0, 112.0]);
        assert_eq!(crossed(0, 1), [0.0; 0]);
        assert_eq!(crossed(3, 0), [0.0; 0]);
    }

    #[test]
    fn a_row_is_crossed_where_the_way_is_free() {
        let areas = [area(300.0, 0.0), area(0.0, 80.0), area(300.0, 160.0)];
        let rows = Rows::of(&areas, Direction::Tb);
        let crossings = rows.between(&areas[0], &areas[2]);
        assert_eq!(crossings, [Crossing { along: 350.0, start: 80.0, end: 110.0 }]);
        let turned: Vec<Area> =
            areas.iter().map(|area| Area { x: area.y, y: area.x, width: 30.0, height: 100.0 }).collect();
        assert_eq!(Rows::of(&turned, Direction::Lr).between(&turned[0], &turned[2]), crossings);
    }
}
