//! D2.

use crate::Direction;
use crate::colour;
use crate::label::{lines, of_link};
use crate::{Picture, Stroke};
use std::fmt::Write as _;

/// The picture as shapes and connections.
pub fn drawn(picture: &Picture, direction: Direction) -> String {
    let mut out = format!("direction: {}\n", if direction == Direction::Lr { "right" } else { "down" });
    for vertex in &picture.vertices {
        let colour = vertex.change().map(|change| format!("style.stroke: \"{}\"", colour(change)));
        let width = vertex.is_focus.then(|| "style.stroke-width: 4".to_owned());
        let styles: Vec<String> = colour.into_iter().chain(width).collect();
        let styles = if styles.is_empty() { String::new() } else { format!(" {{{}}}", styles.join("; ")) };
        let _ = writeln!(out, "{}: {}{styles}", vertex.id, quoted(&lines(vertex)));
    }
    for link in &picture.links {
        let label = of_link(link).map_or(String::new(), |label| format!(": {}", quoted(&[label])));
        let style = match link.stroke() {
            Stroke::Solid => "",
            Stroke::Dashed => "style.stroke-dash: 5",
            Stroke::Dotted => "style.stroke-dash: 2",
            Stroke::Bold => "style.stroke-width: 4",
        };
        let _ = write!(out, "{} -> {}{label}", picture.id(link.from), picture.id(link.to));
        match (style, label.is_empty()) {
            ("", _) => {}
            (style, true) => {
                let _ = write!(out, ": {{{style}}}");
            }
            (style, false) => {
                let _ = write!(out, " {{{style}}}");
            }
        }
        out.push('\n');
    }
    out
}

/// Lines as a string in double quotes, in which a backslash escapes any character and `\n` ends a
/// line. `$` would begin a variable.
fn quoted(lines: &[String]) -> String {
    let line = |line: &String| line.replace('\\', "\\\\").replace('"', "\\\"").replace('$', "\\$");
    format!("\"{}\"", lines.iter().map(line).collect::<Vec<_>>().join("\\n"))
}
