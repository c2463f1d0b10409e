//! SVG: a picture that needs no other program.

use crate::Direction;
use crate::frames::{self, Framed};
use crate::graphml::escaped;
use crate::label::{line, of_link};
use crate::layout::Area;
use crate::route::Crossing;
use crate::{Link, Picture, Stroke};
use coconut_diff::Happened;
use std::fmt::Write as _;

/// Light and dark colours, following the preference of the viewer.
const STYLE: &str = "
    svg { background: #fff; font: 12px sans-serif; }
    rect { fill: #f6f8fa; stroke: #57606a; }
    text { fill: #1f2328; text-anchor: middle; }
    path { fill: none; stroke: #8c959f; }
    marker path { fill: #8c959f; stroke: none; }
    .frame rect { fill: #57606a; fill-opacity: .04; stroke: #d0d7de; }
    .frame text { fill: #57606a; text-anchor: start; }
    .focus rect { stroke-width: 3; }
    .created rect { stroke: #1a7f37; }
    .deleted rect { stroke: #cf222e; stroke-dasharray: 5 3; }
    .changed rect { stroke: #bf8700; }
    .replaced rect { stroke: #8250df; }
    .moved rect { stroke: #0969da; }
    .dashed { stroke-dasharray: 6 3; }
    .dotted { stroke-dasharray: 2 3; }
    .bold { stroke-width: 2.5; }
    @media (prefers-color-scheme: dark) {
      svg { background: #0d1117; }
      rect { fill: #161b22; stroke: #8b949e; }
      text { fill: #e6edf3; }
      .frame rect { fill: #8b949e; fill-opacity: .07; stroke: #3d444d; }
      .frame text { fill: #9198a1; }
    }
  ";

/// The line on which the first text of a box stands, below its top.
const BASELINE: f64 = 18.0;

/// The picture with its layout. The title of a box is its key.
pub fn drawn(picture: &Picture, title: &str, direction: Direction) -> String {
    let framed = frames::of(picture, direction);
    let Framed { width, height, .. } = framed;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"img\">\n  <title>{}</title>\n  <style>{STYLE}</style>\n  <defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0 8 4 0 8z\"/></marker></defs>\n",
        escaped(&line(title))
    );
    for frame in &framed.frames {
        let Area { x, y, width, height } = frame.area;
        let _ = write!(
            out,
            "  <g class=\"frame\"><rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"8\"/>"
        );
        if let Some(title) = &frame.title {
            let (x, baseline) = (frame.head.x, frame.head.y + BASELINE);
            let _ = write!(out, "<text x=\"{x}\" y=\"{baseline}\">{}</text>", escaped(title));
        }
        out.push_str("</g>\n");
    }
    for link in picture.links.iter().filter(|link| !framed.shows(link)) {
        let ends = (&framed.areas[link.from], &framed.areas[link.to]);
        draw_link(&mut out, link, ends, &framed.way(link.from, link.to), direction);
    }
    for ((vertex, area), lines) in picture.vertices.iter().zip(&framed.areas).zip(&framed.labels) {
        let mut classes = vec!["box"];
        classes.extend(vertex.is_focus.then_some("focus"));
        classes.extend(vertex.change().map(Happened::name));
        let Area { x, y, width, height } = area;
        let _ = write!(
            out,
            "  <g id=\"{}\" class=\"{}\"><title>{}</title><rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"5\"/>",
            vertex.id,
            classes.join(" "),
            escaped(&line(&vertex.key))
        );
        let mut baseline = y + BASELINE;
        for line in lines {
            let _ = write!(out, "<text x=\"{}\" y=\"{baseline}\">{}</text>", x + width / 2.0, escaped(line));
            baseline += 17.0;
        }
        out.push_str("</g>\n");
    }
    out.push_str("</svg>\n");
    out
}

/// A curve from one box to the other, which leaves and arrives in the direction of the picture, and
/// crosses rows of boxes in their gaps.
fn draw_link(
    out: &mut String,
    link: &Link,
    (from, to): (&Area, &Area),
    crossings: &[Crossing],
    direction: Direction,
) {
    let class = match link.stroke() {
        Stroke::Solid => "solid",
        Stroke::Dashed => "dashed",
        Stroke::Dotted => "dotted",
        Stroke::Bold => "bold",
    };
    let middle = |area: &Area| (area.x + area.width / 2.0, area.y + area.height / 2.0);
    let ((x1, y1), (x2, y2)) = (middle(from), middle(to));
    let (start, end) = match direction {
        Direction::Tb => ((x1, from.y + from.height), (x2, to.y)),
        Direction::Lr => ((y1, from.x + from.width), (y2, to.x)),
    };
    // A place along the rows, and one across them.
    let point = |along: f64, across: f64| match direction {
        Direction::Tb => format!("{along} {across}"),
        Direction::Lr => format!("{across} {along}"),
    };
    let mut curve = format!("M{}", point(start.0, start.1));
    let mut here = start;
    for crossing in crossings {
        bend(&mut curve, here, (crossing.along, crossing.start), 0.0, point);
        here = (crossing.along, crossing.end);
        let _ = write!(curve, "L{}", point(here.0, here.1));
    }
    // An arrow against the direction, or between neighbours, leaves its box before it turns.
    bend(&mut curve, here, end, if crossings.is_empty() { 24.0 } else { 0.0 }, point);
    let _ = writeln!(out, "  <path class=\"{class}\" d=\"{curve}\" marker-end=\"url(#arrow)\"/>");
    if let Some(count) = of_link(link) {
        let (x, y) = (f64::midpoint(x1, x2), f64::midpoint(y1, y2));
        let _ = writeln!(out, "  <text x=\"{x}\" y=\"{y}\">{}</text>", escaped(&count));
    }
}

/// Adds a curve that leaves and arrives across the rows.
fn bend(
    curve: &mut String,
    from: (f64, f64),
    to: (f64, f64),
    least: f64,
    point: impl Fn(f64, f64) -> String,
) {
    let bend = ((to.1 - from.1) / 2.0).max(least);
    let (first, second) = (point(from.0, from.1 + bend), point(to.0, to.1 - bend));
    let _ = write!(curve, "C{first} {second} {}", point(to.0, to.1));
}
