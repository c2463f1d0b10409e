//! The layout of boxes, computed without an external program: in layers, each below all of its
//! dependents.
//!
//! 1. A layer for each box: one below the deepest box that leads to it. Boxes in a circle have the
//!    layer of the first of them.
//! 2. An order in each layer: four sweeps put each box near the middle of its neighbours. Equal
//!    boxes stay in document order, so the same picture has the same layout.
//! 3. Coordinates: each layer is centred, and one that is too wide is split into several rows. A
//!    picture that is much too high is split into several columns. Boxes without arrows come last.

use crate::Direction;
use coconut_format::graph::{Adjacency as _, Edge, Edges};

/// The place of a box: its top left corner and its size.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Area {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

/// The places of all boxes, and the size of the picture.
pub(crate) struct Layout {
    pub(crate) areas: Vec<Area>,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

/// Size of a character, of a line, and of the space around boxes.
const CHARACTER: f64 = 7.3;
const LINE: f64 = 17.0;
const MARGIN: f64 = 12.0;
pub(crate) const GAP: f64 = 22.0;
const LAYER_GAP: f64 = 56.0;

/// The maximum length of a row, in units of the square root of the number of boxes.
const ROW: f64 = 320.0;

/// A picture with at least this many rows is split into columns, if it is this many times as long
/// as wide.
const MANY_ROWS: usize = 12;
const TOO_LONG: f64 = 3.0;

/// The aspect ratio of the columns together: screens are wide.
const WIDE: f64 = 1.6;

/// The number of times the boxes are sorted by their neighbours.
const SWEEPS: usize = 4;

/// Computes the layout of boxes with these sizes.
pub(crate) fn placed(mut areas: Vec<Area>, edges: &Edges, direction: Direction) -> Layout {
    let is_down = direction == Direction::Tb;
    let rows = rows(&areas, edges, is_down);
    let longest = rows.iter().map(|row| row.length).fold(GAP, f64::max);
    let whole = rows.iter().map(|row| row.thickness + row.gap).sum::<f64>();
    // A chain would be one long column.
    let is_long = rows.len() >= MANY_ROWS && whole > TOO_LONG * longest;
    let columns =
        if is_long { (whole / longest * if is_down { WIDE } else { 1.0 / WIDE }).sqrt() } else { 1.0 };
    let most = GAP + whole / columns.ceil();
    let (mut along, mut across, mut deepest) = (0.0, GAP, GAP);
    for row in &rows {
        if is_long && across > GAP && across + row.thickness > most {
            (along, across) = (along + longest + 2.0 * LAYER_GAP, GAP);
        }
        let mut start = along + GAP + ((longest - row.length) / 2.0).floor();
        for &vertex in &row.boxes {
            let area = &mut areas[vertex];
            (area.x, area.y) = if is_down { (start, across) } else { (across, start) };
            start += if is_down { area.width } else { area.height } + GAP;
        }
        deepest = deepest.max(across + row.thickness + GAP);
        across += row.thickness + row.gap;
    }
    let along = along + longest;
    let (width, height) = if is_down { (along, deepest) } else { (deepest, along) };
    Layout { areas, width, height }
}

/// A row of boxes.
struct Row {
    boxes: Vec<usize>,
    /// The length of all boxes with the space between them, and the size of the thickest one.
    length: f64,
    thickness: f64,
    /// The space before the next row.
    gap: f64,
}

/// The layers split into rows of limited length.
fn rows(areas: &[Area], edges: &Edges, is_down: bool) -> Vec<Row> {
    // Sizes along a row, and across it.
    let extent = |vertex: usize| match (is_down, areas[vertex]) {
        (true, Area { width, height, .. }) => (width, height),
        (false, Area { width, height, .. }) => (height, width),
    };
    #[expect(clippy::cast_precision_loss, reason = "a document has fewer boxes than 2^24")]
    let most = ROW * (areas.len() as f64).sqrt().max(3.0);
    let mut rows: Vec<Row> = Vec::new();
    for layer in ordered(edges) {
        for boxes in cut(&layer, most, |vertex| extent(vertex).0) {
            let length = boxes.iter().map(|&vertex| extent(vertex).0 + GAP).sum::<f64>() + GAP;
            let thickness = boxes.iter().map(|&vertex| extent(vertex).1).fold(0.0, f64::max);
            rows.push(Row { boxes, length, thickness, gap: GAP });
        }
        if let Some(last) = rows.last_mut() {
            last.gap = LAYER_GAP;
        }
    }
    rows
}

/// The size of a box with these lines.
pub(crate) fn size_of(lines: &[String]) -> Area {
    let longest = lines.iter().map(|line| line.chars().count()).max().unwrap_or_default();
    let count = u32::try_from(lines.len()).unwrap_or(u32::MAX);
    let characters = u32::try_from(longest).unwrap_or(u32::MAX);
    let width = (CHARACTER * f64::from(characters) + 2.0 * MARGIN).ceil();
    Area { x: 0.0, y: 0.0, width, height: LINE * f64::from(count) + MARGIN }
}

/// Splits a layer into as many rows as needed for a length of about `most`. Neighbours are in
/// different rows, so that each box stays near the middle of its neighbours.
fn cut(layer: &[usize], most: f64, length: impl Fn(usize) -> f64) -> Vec<Vec<usize>> {
    let whole: f64 = layer.iter().map(|&vertex| length(vertex) + GAP).sum();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is small and positive")]
    let count = ((whole / most).ceil() as usize).clamp(1, layer.len().max(1));
    let mut rows = vec![Vec::with_capacity(layer.len() / count + 1); count];
    layer.iter().enumerate().for_each(|(at, &vertex)| rows[at % count].push(vertex));
    rows
}

fn number(at: usize) -> u32 {
    u32::try_from(at).expect("a document has fewer resources than 2^24")
}

/// The boxes of each layer, from the dependents to the dependencies, in their order.
fn ordered(edges: &Edges) -> Vec<Vec<usize>> {
    let boxes = edges.vertices() as usize;
    let layer_of = layers(edges);
    let count = layer_of.iter().map(|&layer| layer as usize + 1).max().unwrap_or_default();
    let mut layers = vec![Vec::new(); count];
    layer_of.iter().enumerate().for_each(|(vertex, &layer)| layers[layer as usize].push(vertex));
    let reversed = edges.reversed();
    let has_arrows = |vertex: usize| [edges, &reversed].iter().any(|edges| edges.degree(number(vertex)) > 0);
    let alone: Vec<usize> = (0..boxes).filter(|&vertex| !has_arrows(vertex)).collect();
    if let Some(first) = layers.first_mut().filter(|_| (1..boxes).contains(&alone.len())) {
        first.retain(|&vertex| has_arrows(vertex));
        layers.push(alone);
    }
    let count = layers.len();
    let mut place = vec![0.0; boxes];
    layers.iter().for_each(|layer| note_places(layer, &mut place));
    for sweep in 0..SWEEPS {
        let (toward, is_down) = if sweep % 2 == 0 { (&reversed, true) } else { (edges, false) };
        for step in 0..count {
            let layer = &mut layers[if is_down { step } else { count - 1 - step }];
            let middle = |&vertex: &usize| {
                let (mut sum, mut near) = (0.0, 0u32);
                for edge in toward.of(number(vertex)) {
                    sum += place[edge.target as usize];
                    near += 1;
                }
                if near == 0 { place[vertex] } else { sum / f64::from(near) }
            };
            let mut middles: Vec<(f64, usize)> =
                layer.iter().map(|vertex| (middle(vertex), *vertex)).collect();
            middles.sort_by(|one, other| one.0.total_cmp(&other.0));
            *layer = middles.into_iter().map(|(_, vertex)| vertex).collect();
            note_places(layer, &mut place);
        }
    }
    layers
}

/// Records the positions of the boxes in a layer, from 0 to 1.
fn note_places(layer: &[usize], place: &mut [f64]) {
    #[expect(clippy::cast_precision_loss, reason = "a document has fewer boxes than 2^24")]
    layer.iter().enumerate().for_each(|(at, &vertex)| place[vertex] = (at as f64 + 0.5) / layer.len() as f64);
}

/// The layer of each box.
fn layers(edges: &Edges) -> Vec<u32> {
    let components = edges.components();
    let condensed: Vec<Edge> = (0..edges.vertices())
        .flat_map(|vertex| edges.of(vertex))
        .map(|edge| (components[edge.source as usize], components[edge.target as usize]))
        .filter(|(source, target)| source != target)
        .map(|(source, target)| Edge { source, target, number: 0 })
        .collect();
    let condensed = Edges::new(edges.vertices(), &condensed);
    let mut layer = vec![0u32; components.len()];
    // Each box after all of its dependencies; reversed, each after all of its dependents.
    for &vertex in condensed.topological_order().unwrap_or_default().iter().rev() {
        for edge in condensed.of(vertex) {
            let target = edge.target as usize;
            layer[target] = layer[target].max(layer[vertex as usize] + 1);
        }
    }
    components.iter().map(|&first| layer[first as usize]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The layout of this number of boxes, with arrows between these.
    fn of(count: usize, pairs: &[(usize, usize)], direction: Direction) -> Layout {
        let sizes = (0..count).map(|at| size_of(&[format!("box {at}")])).collect();
        let edges: Vec<Edge> = pairs
            .iter()
            .map(|&(from, to)| Edge { source: number(from), target: number(to), number: 0 })
            .collect();
        placed(sizes, &Edges::new(number(count), &edges), direction)
    }

    fn overlap(one: &Area, other: &Area) -> bool {
        one.x < other.x + other.width
            && other.x < one.x + one.width
            && one.y < other.y + other.height
            && other.y < one.y + one.height
    }

    #[test]
    fn a_box_is_below_all_that_depend_on_it_and_none_overlap() {
        let pairs: Vec<(usize, usize)> =
            (1..60).flat_map(|n| [(n, n / 2), (n, n / 3)]).filter(|(a, b)| a != b).collect();
        for direction in [Direction::Tb, Direction::Lr] {
            let layout = of(60, &pairs, direction);
            for &(from, to) in &pairs {
                let (from, to) = (layout.areas[from], layout.areas[to]);
                assert!(if direction == Direction::Tb { from.y < to.y } else { from.x < to.x });
            }
            for (at, one) in layout.areas.iter().enumerate() {
                assert!(one.x >= 0.0 && one.x + one.width <= layout.width && one.y >= 0.0);
                assert!(one.y + one.height <= layout.height);
                assert!(layout.areas[..at].iter().all(|other| !overlap(one, other)));
            }
            assert_eq!(of(60, &pairs, direction).areas, layout.areas);
        }
    }

    #[test]
    fn boxes_without_arrows_come_last() {
        let layout = of(4, &[(1, 3)], Direction::Tb);
        let y = |at: usize| layout.areas[at].y;
        assert!(y(1) < y(3) && y(3) < y(0) && y(0) == y(2));
        let layout = of(2, &[(0, 1)], Direction::Tb);
        let last = layout.areas[1];
        assert_eq!(layout.height, last.y + last.height + GAP, "no place for boxes that are not there");
    }

    #[test]
    fn stars_and_chains_are_wrapped_and_a_circle_has_one_layer() {
        let star: Vec<(usize, usize)> = (1..2000).map(|n| (n, 0)).collect();
        let layout = of(2000, &star, Direction::Tb);
        assert!(layout.width < 20_000.0 && layout.height < 20_000.0, "{} × {}", layout.width, layout.height);
        let layout = of(3, &[(0, 1), (1, 2), (2, 0)], Direction::Tb);
        assert!(layout.areas.iter().all(|area| area.y == layout.areas[0].y));
        let chain: Vec<(usize, usize)> = (1..500).map(|n| (n, n - 1)).collect();
        for direction in [Direction::Tb, Direction::Lr] {
            let layout = of(500, &chain, direction);
            assert!(layout.width < 8000.0 && layout.height < 8000.0, "{} × {}", layout.width, layout.height);
            for (at, one) in layout.areas.iter().enumerate() {
                assert!(one.x + one.width <= layout.width && one.y + one.height <= layout.height);
                assert!(layout.areas[..at].iter().all(|other| !overlap(one, other)));
            }
        }
        let empty = of(0, &[], Direction::Lr);
        assert!(empty.width > 0.0 && empty.height > 0.0 && empty.areas.is_empty());
    }
}
