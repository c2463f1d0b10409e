//! The texts of boxes: cut, and without characters that a program may obey.

use crate::{Link, Vertex};
use coconut_format::numerals::grouped;
use coconut_format::visible::visible;

/// Characters of a line of a label.
const LINE: usize = 120;

/// The lines of a box: what it is called, and how many resources it stands for.
pub(crate) fn lines(vertex: &Vertex) -> Vec<String> {
    let mut lines: Vec<String> = match vertex.name.split_once('\n') {
        // Only the line end before the type is ours. Names have their own.
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

/// What an arrow says: the number of edges that it stands for.
pub(crate) fn of_link(link: &Link) -> Option<String> {
    link.count().map(|count| grouped(count.into()))
}

/// A text on one line, without control characters, cut if it is long.
pub(crate) fn line(text: &str) -> String {
    match text.char_indices().nth(LINE) {
        Some((end, _)) => format!("{}…", visible(&text[..end])),
        None => visible(text),
    }
}
