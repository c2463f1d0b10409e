//! §14.1 JSON pointers (RFC 6901). The places of values in a document.

use std::borrow::Cow;
use std::fmt::{self, Write as _};

/// A key as written in a pointer: `~0` for `~`, and `~1` for `/`.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Escaped<'k>(pub &'k str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|c| match escape(c) {
            Some(escaped) => f.write_str(escaped),
            None => f.write_char(c),
        })
    }
}

/// The escape of a character, if it must be escaped in a key.
pub(crate) fn escape(c: char) -> Option<&'static str> {
    match c {
        '~' => Some("~0"),
        '/' => Some("~1"),
        _ => None,
    }
}

/// The key that a segment of a pointer names. A `~` before anything except `0` and `1` denotes
/// itself.
#[doc(hidden)]
pub fn unescape(segment: &str) -> Cow<'_, str> {
    match segment.as_bytes().contains(&b'~') {
        true => Cow::Owned(segment.replace("~1", "/").replace("~0", "~")),
        false => Cow::Borrowed(segment),
    }
}

/// Whether each `~` of a pointer precedes `0` or `1`, as RFC 6901 requires.
pub fn is_well_escaped(pointer: &str) -> bool {
    pointer.split('~').skip(1).all(|after| after.starts_with(['0', '1']))
}

/// The keys of a pointer from the outside in, or `None` for a text that is not a pointer: a pointer
/// is empty or begins with `/`.
pub fn keys(pointer: &str) -> Option<impl Iterator<Item = Cow<'_, str>>> {
    let mut segments = pointer.split('/');
    (segments.next() == Some("")).then(|| segments.map(unescape))
}

/// Appends the key of an object to a pointer.
#[doc(hidden)]
pub fn push_key(pointer: &mut String, key: &str) {
    pointer.push('/');
    for c in key.chars() {
        match escape(c) {
            Some(escaped) => pointer.push_str(escaped),
            None => pointer.push(c),
        }
    }
}

/// Appends the index of a list to a pointer.
#[doc(hidden)]
pub fn push_index(pointer: &mut String, index: impl fmt::Display) {
    write!(pointer, "/{index}").expect("a string takes everything");
}

/// A JSON pointer under construction: the path of a walk, one segment per level.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pointer {
    text: String,
    /// The start of each segment in `text`, so that `pop` need not search for an escaped slash.
    starts: Vec<usize>,
}

impl Pointer {
    /// The pointer of the whole document.
    pub fn root() -> Pointer {
        Pointer::default()
    }

    /// Goes down to the entry `key` of an object.
    pub fn push_key(&mut self, key: &str) {
        self.starts.push(self.text.len());
        push_key(&mut self.text, key);
    }

    /// Goes down to the item `index` of a list.
    pub fn push_index(&mut self, index: usize) {
        self.starts.push(self.text.len());
        push_index(&mut self.text, index);
    }

    /// Goes back up one level, except at the root.
    pub fn pop(&mut self) {
        if let Some(start) = self.starts.pop() {
            self.text.truncate(start);
        }
    }

    /// The number of segments.
    pub fn depth(&self) -> usize {
        self.starts.len()
    }

    /// Goes back up to `depth` segments.
    pub fn truncate(&mut self, depth: usize) {
        while self.depth() > depth {
            self.pop();
        }
    }

    /// The pointer as text.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl From<&Pointer> for String {
    fn from(pointer: &Pointer) -> String {
        pointer.text.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slash_and_tilde_are_escaped() {
        let mut pointer = Pointer::root();
        pointer.push_key("modules");
        pointer.push_key("a/b~c");
        pointer.push_index(7);
        assert_eq!(pointer.to_string(), "/modules/a~1b~0c/7");
        assert_eq!((pointer.as_str(), pointer.depth()), ("/modules/a~1b~0c/7", 3));
        pointer.pop();
        pointer.pop();
        assert_eq!(pointer.as_str(), "/modules");
        pointer.push_key("");
        assert_eq!(pointer.as_str(), "/modules/");
        pointer.truncate(0);
        pointer.pop();
        assert_eq!(pointer, Pointer::root());
    }

    #[test]
    fn escapes_are_read_once_and_from_left_to_right() {
        for (segment, key) in
            [("", ""), ("a", "a"), ("a~1b", "a/b"), ("~01", "~1"), ("~0~1", "~/"), ("~~1~2~", "~/~2~")]
        {
            assert_eq!(unescape(segment), key, "{segment}");
        }
        assert!(matches!(unescape("plain"), Cow::Borrowed("plain")));
    }

    #[test]
    fn a_pointer_is_empty_or_begins_with_a_slash() {
        let all = |pointer| keys(pointer).map(|keys| keys.map(Cow::into_owned).collect::<Vec<_>>());
        assert_eq!(all(""), Some(vec![]));
        assert_eq!(all("/"), Some(vec![String::new()]));
        assert_eq!(all("/a~1b//0"), Some(vec!["a/b".to_owned(), String::new(), "0".to_owned()]));
        assert_eq!((all("a"), all("a/b"), all(" /a")), (None, None, None));
    }

    #[test]
    fn escaped_keys_read_back() {
        for key in ["", "~", "/", "~1", "~0/~", "é/~x"] {
            assert_eq!(unescape(&Escaped(key).to_string()), key);
        }
    }
}
