//! The sizes of a document's parts as a picture: nested rectangles, in proportion to the bytes.

use crate::page::Contents;
use coconut_format::numerals::{grouped, percent};
use coconut_format::visible::visible;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The size of the picture, of a heading, and of the margin inside a rectangle.
const WIDTH: f64 = 1200.0;
const HEIGHT: f64 = 760.0;
const HEADING: f64 = 18.0;
const SPACE: f64 = 3.0;

/// The maximum number of drawn children, with all others as one rectangle; and the maximum depth.
const MOST: usize = 60;
const LEVELS: usize = 3;

/// The minimum sizes of rectangles with text, and of rectangles with content.
const LEAST_TEXT: (f64, f64) = (34.0, 14.0);
const LEAST_INNER: (f64, f64) = (60.0, 44.0);

const STYLE: &str = "
    svg { background: #fff; font: 11px sans-serif; }
    rect { stroke: #fff; }
    text { fill: #1f2328; }
    .c0 { fill: #cfdaea; } .c1 { fill: #ecdccd; } .c2 { fill: #d1e4d6; } .c3 { fill: #e5d6e8; }
    .c4 { fill: #ead3d6; } .c5 { fill: #cde4e7; } .c6 { fill: #e2dfcb; } .c7 { fill: #dbdce0; }
    @media (prefers-color-scheme: dark) {
      svg { background: #0d1117; }
      rect { stroke: #0d1117; }
      text { fill: #e6edf3; }
      .c0 { fill: #2b3d5a; } .c1 { fill: #54402f; } .c2 { fill: #2c4934; } .c3 { fill: #4a324e; }
      .c4 { fill: #533037; } .c5 { fill: #25474b; } .c6 { fill: #454123; } .c7 { fill: #3a3d43; }
    }
  ";

/// An element with a size, and its parts.
#[derive(Debug, Default)]
struct Node {
    name: String,
    bytes: u64,
    children: Vec<Node>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Area {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
}

/// The treemap of a document as SVG: its parts, and inside them its modules, types and landmarks.
pub fn drawn(contents: &Contents) -> String {
    let root = tree(contents);
    let title = escaped(&format!("{}: {} bytes", contents.title, grouped(root.bytes)));
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" role=\"img\">\n  <title>{title}</title>\n  <style>{STYLE}</style>\n  <text x=\"4\" y=\"13\">{title}</text>\n"
    );
    let area = Area { x: 0.0, y: HEADING, width: WIDTH, height: HEIGHT - HEADING };
    draw_children(&mut out, &root, area, (LEVELS, None, root.bytes));
    out.push_str("</svg>\n");
    out
}

/// The parts, each with its landmarks by module and type.
fn tree(contents: &Contents) -> Node {
    let mut root = Node { name: contents.title.clone(), ..Node::default() };
    for (at, (name, bytes)) in contents.parts.iter().enumerate() {
        let mut groups: BTreeMap<&str, BTreeMap<&str, Vec<Node>>> = BTreeMap::new();
        let in_part = contents.items.iter().filter(|item| item.sizes.part == at && item.sizes.stored > 0);
        for item in in_part {
            let node = Node { name: item.name.clone(), bytes: item.sizes.stored, ..Node::default() };
            groups.entry(&item.group).or_default().entry(&item.type_name).or_default().push(node);
        }
        let groups = groups.into_iter().map(|(group, types)| {
            let types = types.into_iter().map(|(name, nodes)| joined(name, nodes));
            joined(if group.is_empty() { "(root)" } else { group }, types.collect())
        });
        let mut part = joined(name, groups.collect());
        let rest = bytes.saturating_sub(part.bytes);
        if rest > 0 && !part.children.is_empty() {
            part.children.push(Node { name: "around them".to_owned(), bytes: rest, children: Vec::new() });
        }
        part.bytes = part.bytes.max(*bytes);
        root.children.push(part);
    }
    root.children.retain(|part| part.bytes > 0);
    root.bytes = root.children.iter().map(|part| part.bytes).sum();
    root
}

/// A node with these children. A node with only one child becomes that child, prefixed with its
/// name.
fn joined(name: &str, mut children: Vec<Node>) -> Node {
    if children.len() == 1
        && let Some(only) = children.pop_if(|only| !only.children.is_empty())
    {
        return Node { name: name.to_owned(), ..only };
    }
    let bytes = children.iter().map(|child| child.bytes).sum();
    Node { name: name.to_owned(), bytes, children }
}

fn draw_children(
    out: &mut String,
    node: &Node,
    area: Area,
    (levels, colour, whole): (usize, Option<usize>, u64),
) {
    let mut children: Vec<&Node> = node.children.iter().collect();
    children.sort_by(|one, other| other.bytes.cmp(&one.bytes).then_with(|| one.name.cmp(&other.name)));
    let rest = children.split_off(children.len().min(MOST));
    let more = Node {
        name: format!("{} more", grouped(rest.len() as u64)),
        bytes: rest.iter().map(|child| child.bytes).sum(),
        children: Vec::new(),
    };
    children.extend((more.bytes > 0).then_some(&more));
    let sizes: Vec<f64> = children.iter().map(|child| child.bytes as f64).collect();
    for ((at, child), area) in children.iter().enumerate().zip(squarified(&sizes, area)) {
        let colour = colour.unwrap_or(at % 8);
        draw_one(out, child, area, (colour, whole));
        if levels > 1 && area.width >= LEAST_INNER.0 && area.height >= LEAST_INNER.1 {
            let inner = Area {
                x: area.x + SPACE,
                y: area.y + HEADING,
                width: area.width - 2.0 * SPACE,
                height: area.height - HEADING - SPACE,
            };
            draw_children(out, child, inner, (levels - 1, Some(colour), whole));
        }
    }
}

fn draw_one(out: &mut String, node: &Node, area: Area, (colour, whole): (usize, u64)) {
    let Area { x, y, width, height } = area;
    let told = format!("{}: {} bytes, {}", node.name, grouped(node.bytes), percent(node.bytes, whole));
    let _ = write!(
        out,
        "  <g><title>{}</title><rect class=\"c{colour}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"2\"/>",
        escaped(&told)
    );
    if width >= LEAST_TEXT.0 && height >= LEAST_TEXT.1 {
        let _ = write!(
            out,
            "<text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            x + 4.0,
            y + 12.0,
            escaped(&cut(&node.name, width))
        );
    }
    out.push_str("</g>\n");
}

/// A name shortened to this width.
fn cut(name: &str, width: f64) -> String {
    const CHARACTER: f64 = 6.4;
    let name = visible(name);
    let mut room = (width - 6.0) / CHARACTER;
    let mut shown = String::new();
    for c in name.chars() {
        room -= 1.0;
        if room < 0.0 {
            shown.pop();
            shown.push('…');
            break;
        }
        shown.push(c);
    }
    shown
}

fn escaped(text: &str) -> String {
    crate::graphml::escaped(text)
}

/// Areas in proportion to these sizes, the largest first, as square as possible (Bruls, Huizing and
/// van Wijk, 2000).
fn squarified(sizes: &[f64], area: Area) -> Vec<Area> {
    let total: f64 = sizes.iter().sum();
    let scale = if total > 0.0 { area.width * area.height / total } else { 0.0 };
    let (mut rest, mut areas, mut at) = (area, Vec::with_capacity(sizes.len()), 0);
    while at < sizes.len() {
        let side = rest.width.min(rest.height).max(f64::MIN_POSITIVE);
        let (mut sum, mut worst, mut end) = (0.0, f64::INFINITY, at);
        while let Some(size) = sizes.get(end) {
            let next = sum + size * scale;
            let ratio = |size: f64| {
                let long = size * scale * side / next;
                (long * side / next).max(next / (long * side))
            };
            let ratio = ratio(sizes[at]).max(ratio(*size));
            if ratio > worst {
                break;
            }
            (sum, worst, end) = (next, ratio, end + 1);
        }
        let thick = sum / side;
        let is_column = rest.width >= rest.height;
        let mut along = 0.0;
        for size in sizes.get(at..end).unwrap_or_default() {
            let long = if sum > 0.0 { size * scale * side / sum } else { 0.0 };
            areas.push(match is_column {
                true => Area { x: rest.x, y: rest.y + along, width: thick, height: long },
                false => Area { x: rest.x + along, y: rest.y, width: long, height: thick },
            });
            along += long;
        }
        match is_column {
            true => (rest.x, rest.width) = (rest.x + thick, rest.width - thick),
            false => (rest.y, rest.height) = (rest.y + thick, rest.height - thick),
        }
        // An empty size must not prevent progress.
        at = end.max(at + 1);
    }
    areas
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_are_in_proportion_and_fill_the_whole_without_overlap() {
        let whole = Area { x: 10.0, y: 20.0, width: 600.0, height: 400.0 };
        let sizes = [6.0, 6.0, 4.0, 3.0, 2.0, 2.0, 1.0];
        let areas = squarified(&sizes, whole);
        for (area, size) in areas.iter().zip(sizes) {
            assert!((area.width * area.height - size * 10_000.0).abs() < 1e-6, "{area:?}");
            assert!(area.x >= 10.0 && area.x + area.width <= 610.000_001, "{area:?}");
            assert!(area.y >= 20.0 && area.y + area.height <= 420.000_001, "{area:?}");
            // The example in the paper has no ratio above 4 : 1.
            assert!(area.width / area.height < 4.0 && area.height / area.width < 4.0, "{area:?}");
        }
        for (at, one) in areas.iter().enumerate() {
            for other in &areas[..at] {
                let (x, y) = (one.x.max(other.x), one.y.max(other.y));
                let right = (one.x + one.width).min(other.x + other.width);
                let bottom = (one.y + one.height).min(other.y + other.height);
                assert!(right - x < 1e-6 || bottom - y < 1e-6, "{one:?} {other:?}");
            }
        }
        assert_eq!(squarified(&[0.0, 0.0], whole).len(), 2);
        assert_eq!(squarified(&[], whole), []);
    }
}
