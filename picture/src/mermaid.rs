//! Mermaid, which many Markdown viewers can draw.

use crate::Direction;
use crate::colour;
use crate::label::{lines, of_link};
use crate::{Picture, Stroke};
use std::fmt::Write as _;

/// The picture as a flowchart.
pub fn drawn(picture: &Picture, direction: Direction) -> String {
    let mut out = format!("flowchart {}\n", if direction == Direction::Lr { "LR" } else { "TB" });
    for vertex in &picture.vertices {
        let _ = writeln!(out, "  {}[{}]", vertex.id, quoted(&lines(vertex)));
    }
    for link in &picture.links {
        let arrow = match link.stroke() {
            Stroke::Solid => "-->",
            Stroke::Dashed | Stroke::Dotted => "-.->",
            Stroke::Bold => "==>",
        };
        let label = of_link(link).map_or(String::new(), |label| format!("|{}|", quoted(&[label])));
        let _ = writeln!(out, "  {} {arrow}{label} {}", picture.id(link.from), picture.id(link.to));
    }
    for vertex in &picture.vertices {
        let colour = vertex.change().map(|change| format!("stroke:{}", colour(change)));
        let width = vertex.is_focus.then(|| "stroke-width:3px".to_owned());
        let styles: Vec<String> = colour.into_iter().chain(width).collect();
        if !styles.is_empty() {
            let _ = writeln!(out, "  style {} {}", vertex.id, styles.join(","));
        }
    }
    out
}

/// Lines as a string. All characters with a meaning in Markdown, HTML or Mermaid are written as
/// numbers. No line begins with such a character, so a number and a dot at the start do not begin a
/// list.
fn quoted(lines: &[String]) -> String {
    let mut text = String::from("\"");
    for (at, line) in lines.iter().enumerate() {
        text.push_str(if at > 0 { "<br/>" } else { "" });
        for c in line.chars() {
            match c {
                '"' => text.push_str("#quot;"),
                c if c.is_ascii_punctuation()
                    && !matches!(c, ':' | '.' | '/' | ',' | '-' | '_' | '=' | '(' | ')') =>
                {
                    let _ = write!(text, "#{};", u32::from(c));
                }
                c => text.push(c),
            }
        }
    }
    text.push('"');
    text
}
