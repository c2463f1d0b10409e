//! Where in a document something went wrong: a JSON pointer that grows from its end.

use coconut_format::excerpt::Excerpt;
use std::fmt;
use std::sync::OnceLock;

/// A JSON pointer. Errors carry it outwards, and each level that they pass puts its own segment in front.
#[derive(Clone, Debug, Default)]
pub(super) struct Path {
    /// With their slashes, the innermost first: 512 keys of 64 KiB in front of one another would be copied 256 times.
    segments: Vec<String>,
    /// All of it, once somebody asks.
    pointer: OnceLock<String>,
}

impl Path {
    pub(super) fn as_str(&self) -> &str {
        self.pointer.get_or_init(|| self.segments.iter().rev().map(String::as_str).collect())
    }

    /// Puts the key of an object in front.
    pub(super) fn prepend_key(&mut self, key: &str) {
        self.prepend(format!("/{}", key.replace('~', "~0").replace('/', "~1")));
    }

    /// Puts the index of a list in front.
    pub(super) fn prepend_index(&mut self, index: usize) {
        self.prepend(format!("/{index}"));
    }

    fn prepend(&mut self, segment: String) {
        self.pointer.take();
        self.segments.push(segment);
    }
}

impl PartialEq for Path {
    fn eq(&self, other: &Self) -> bool {
        self.segments == other.segments
    }
}

impl Eq for Path {}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.as_str() {
            "" => f.write_str("the whole document"),
            pointer => write!(f, "`{}`", Excerpt(pointer)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_are_escaped_and_stand_from_the_outside_in() {
        let mut path = Path::default();
        assert_eq!(path.to_string(), "the whole document");
        path.prepend_index(3);
        assert_eq!(path.as_str(), "/3");
        path.prepend_key("a/b~c");
        assert_eq!(path.as_str(), "/a~1b~0c/3", "after it was asked for");
        assert_eq!(path.to_string(), "`/a~1b~0c/3`");
    }

    #[test]
    fn a_long_pointer_is_shown_in_part() {
        let mut path = Path::default();
        (0..512).for_each(|_| path.prepend_key(&"k".repeat(1 << 16)));
        assert_eq!(path.as_str().len(), 512 * ((1 << 16) + 1));
        assert_eq!(path.to_string(), format!("`/{}… (33554944 bytes)`", "k".repeat(1023)));
        let whole = path.clone();
        path.prepend_index(1);
        assert!(path.as_str().ends_with(whole.as_str()) && path != whole);
    }
}
