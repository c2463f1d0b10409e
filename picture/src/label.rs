//! The texts of boxes: shortened, and without characters that could act as commands.

use crate::{Link, Vertex};
use coconut_format::numerals::grouped;
use coconut_format::visible::visible;

/// The maximum number of characters in a line of a label.
const LINE: usize = 120;

/// The lines of a box: its name, and the number of resources it stands for.
pub(crate) fn lines(vertex: &Vertex) -> Vec<String> {
    let mut lines: Vec<String> = match vertex.name.split_once('\n') {
        // Only the line end before the type is added here. Other line ends belong to the name.
        Some(_) if vertex.name.ends_with(&format!("\n{}", vertex.type_name)) => {
            let length = vertex.name.len() - vertex.type_name.len() - 1;
            vec![line(&vertex.name[..length]), line(&vertex.type_name)]
        }
        _ => vec![line(&vertex.name)],
    };
    if let (Some(change), Some(first)) = (vertex.change(), lines.first_mut()) {
        *first = format!("{} {first}", change.sign());
    }
    let changes = vertex.change_counts();
    if vertex.count > 1 {
        let count = format!("{} resources", grouped(vertex.count.into()));
        lines.push(changes.map_or(count.clone(), |changes| format!("{count}, {changes}")));
    }
    lines
}

/// The text of an arrow: the number of edges that it stands for.
pub(crate) fn of_link(link: &Link) -> Option<String> {
    link.count().map(|count| grouped(count.into()))
}

/// A text on one line, without control characters, shortened if it is long.
pub(crate) fn line(text: &str) -> String {
    match text.char_indices().nth(LINE) {
        Some((end, _)) => format!("{}…", visible(&text[..end])),
        None => visible(text),
    }
}
