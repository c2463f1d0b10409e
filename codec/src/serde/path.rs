//! Place of an error in a document: a JSON pointer that grows from its end.

use coconut_format::pointer::Escaped;
use coconut_format::truncated::SHOWN_CHARACTERS;
use std::fmt::{self, Write as _};
use std::sync::OnceLock;

/// A JSON pointer, kept only up to the length that is shown. Each level that an error passes on its
/// way out prepends its own segment.
#[derive(Clone, Debug, Default)]
pub(super) struct Path {
    /// Segments with their slashes, the innermost first. In one string, 512 keys of 64 KiB would be
    /// copied 256 times.
    segments: Vec<String>,
    /// Bytes of the whole pointer.
    bytes: usize,
    /// The pointer or its beginning, computed on the first request.
    pointer: OnceLock<String>,
}

impl Path {
    /// The pointer. If it has more than [`SHOWN_CHARACTERS`] characters, it is cut there and
    /// followed by its length in bytes.
    pub(super) fn as_str(&self) -> &str {
        self.pointer.get_or_init(|| {
            let characters = self.segments.iter().rev().flat_map(|segment| segment.chars());
            let mut pointer: String = characters.take(SHOWN_CHARACTERS).collect();
            if pointer.len() < self.bytes {
                write!(pointer, "… ({} bytes)", self.bytes).expect("a string takes all");
            }
            pointer
        })
    }

    /// Prepends the key of an object.
    pub(super) fn prepend_key(&mut self, key: &str) {
        let kept =
            key.char_indices().nth(SHOWN_CHARACTERS).and_then(|(end, _)| key.get(..end)).unwrap_or(key);
        let segment = format!("/{}", Escaped(kept));
        let escapes = key.bytes().filter(|byte| matches!(byte, b'~' | b'/')).count();
        self.prepend(segment, 1 + key.len() + escapes);
    }

    /// Prepends the index of a list.
    pub(super) fn prepend_index(&mut self, index: usize) {
        let segment = format!("/{index}");
        let bytes = segment.len();
        self.prepend(segment, bytes);
    }

    fn prepend(&mut self, segment: String, bytes: usize) {
        self.pointer.take();
        self.segments.push(segment);
        self.bytes = self.bytes.saturating_add(bytes);
    }
}

impl PartialEq for Path {
    fn eq(&self, other: &Self) -> bool {
        (&self.segments, self.bytes) == (&other.segments, other.bytes)
    }
}

impl Eq for Path {}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.as_str() {
            "" => f.write_str("the whole document"),
            pointer => write!(f, "`{pointer}`"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_are_escaped_and_go_from_the_outside_in() {
        let mut path = Path::default();
        assert_eq!(path.to_string(), "the whole document");
        path.prepend_index(3);
        assert_eq!(path.as_str(), "/3");
        path.prepend_key("a/b~c");
        assert_eq!(path.as_str(), "/a~1b~0c/3", "after a request");
        assert_eq!(path.to_string(), "`/a~1b~0c/3`");
    }

    #[test]
    fn a_long_pointer_is_kept_and_shown_in_part() {
        let mut path = Path::default();
        (0..512).for_each(|_| path.prepend_key(&"k".repeat(1 << 16)));
        assert!(path.segments.iter().all(|segment| segment.len() == 1025));
        let shown = format!("/{}… (33554944 bytes)", "k".repeat(1023));
        assert_eq!((path.as_str(), path.to_string()), (&*shown, format!("`{shown}`")));
        let whole = path.clone();
        path.prepend_index(1);
        let shown = format!("/1/{}… (33554946 bytes)", "k".repeat(1021));
        assert_eq!(path.as_str(), shown);
        assert_ne!(path, whole);
    }

    #[test]
    fn a_pointer_of_1024_characters_is_whole() {
        let mut path = Path::default();
        path.prepend_key(&format!("{}~", "é".repeat(1021)));
        let whole = format!("/{}~0", "é".repeat(1021));
        assert_eq!(path.as_str(), whole);
        path.prepend_key("");
        assert_eq!(path.as_str(), format!("//{}~… (2046 bytes)", "é".repeat(1021)));
    }
}
