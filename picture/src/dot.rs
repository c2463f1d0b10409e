//! The language of Graphviz.

use crate::Direction;
use crate::colour;
use crate::label::{line, lines, of_link};
use crate::{Picture, Stroke};
use std::fmt::Write as _;

/// The picture as a directed graph.
pub fn drawn(picture: &Picture, title: &str, direction: Direction) -> String {
    let rank = if direction == Direction::Lr { "LR" } else { "TB" };
    let mut out = format!(
        "digraph {} {{\n  rankdir={rank};\n  node [shape=box, style=rounded, fontname=\"sans-serif\"];\n",
        quoted(&[line(title)])
    );
    for vertex in &picture.vertices {
        let mut more = if vertex.is_focus { ", penwidth=3" } else { "" }.to_owned();
        if let Some(change) = vertex.change() {
            let _ = write!(more, ", color=\"{}\", class=\"{}\"", colour(change), change.name());
        }
        let (label, key) = (quoted(&lines(vertex)), quoted(&[line(&vertex.key)]));
        let _ = writeln!(out, "  {} [label={label}, tooltip={key}{more}];", vertex.id);
    }
    for link in &picture.links {
        let mut attributes: Vec<String> = match link.stroke() {
            Stroke::Solid => None,
            Stroke::Dashed => Some("style=dashed"),
            Stroke::Dotted => Some("style=dotted"),
            Stroke::Bold => Some("style=bold"),
        }
        .map(str::to_owned)
        .into_iter()
        .collect();
        attributes.extend(of_link(link).map(|label| format!("label={}", quoted(&[label]))));
        let _ = write!(out, "  {} -> {}", picture.id(link.from), picture.id(link.to));
        if !attributes.is_empty() {
            let _ = write!(out, " [{}]", attributes.join(", "));
        }
        out.push_str(";\n");
    }
    out.push_str("}\n");
    out
}

/// Lines as a string. Quotes, backslashes (which begin escapes) and ampersands (which begin
/// entities) are escaped.
fn quoted(lines: &[String]) -> String {
    let line = |line: &String| line.replace('\\', "\\\\").replace('"', "\\\"").replace('&', "&amp;");
    format!("\"{}\"", lines.iter().map(line).collect::<Vec<_>>().join("\\n"))
}
