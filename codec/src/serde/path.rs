//! Where in a document something went wrong: a JSON pointer that grows from its end.

use std::fmt;

/// A JSON pointer. Errors carry it outwards, and each level that they pass puts its own segment in front.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Path(String);

impl Path {
    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    /// Puts the key of an object in front.
    pub(super) fn prepend_key(&mut self, key: &str) {
        let escaped = key.replace('~', "~0").replace('/', "~1");
        self.0 = format!("/{escaped}{}", self.0);
    }

    /// Puts the index of a list in front.
    pub(super) fn prepend_index(&mut self, index: usize) {
        self.0 = format!("/{index}{}", self.0);
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.as_str() {
            "" => f.write_str("the whole document"),
            pointer => write!(f, "`{pointer}`"),
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
        path.prepend_key("a/b~c");
        assert_eq!(path.as_str(), "/a~1b~0c/3");
        assert_eq!(path.to_string(), "`/a~1b~0c/3`");
    }
}
