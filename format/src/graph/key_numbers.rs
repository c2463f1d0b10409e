//! §15.6 Vertices with equal keys, and vertices with the key of a reference. Takes time linear in
//! own keys and references: nested full keys are never assembled.

use crate::landmark::OwnKeys;
use std::collections::HashMap;

/// A number for each full key.
pub(super) struct KeyNumbers<'k> {
    numbering: Numbering<'k>,
    /// The number of the key of each vertex.
    pub(super) of_vertices: Vec<u32>,
}

enum Numbering<'k> {
    /// Keys do not nest: no vertex is inside another whose key is a prefix of its own.
    Whole(HashMap<&'k str, u32>),
    Nested(KeyTree<'k>),
}

impl<'k> KeyNumbers<'k> {
    /// The numbers of the keys of `count` vertices.
    pub(super) fn of<K: OwnKeys>(keys: &'k K, count: u32) -> KeyNumbers<'k> {
        let own = |vertex| keys.own_key(vertex).unwrap_or_default();
        let nested = keys.join().filter(|_| (0..count).any(|vertex| keys.parent_of(vertex).is_some()));
        let Some(join) = nested else {
            let mut numbers = HashMap::with_capacity(count as usize);
            let number = |vertex| {
                let next = u32::try_from(numbers.len()).expect("there are no more keys than vertices");
                *numbers.entry(own(vertex)).or_insert(next)
            };
            let of_vertices = (0..count).map(number).collect();
            return KeyNumbers { numbering: Numbering::Whole(numbers), of_vertices };
        };
        let mut tree = KeyTree::default();
        let mut of_vertices: Vec<u32> = Vec::with_capacity(count as usize);
        for vertex in 0..count {
            let above = match keys.parent_of(vertex) {
                Some(parent) => tree.insert(of_vertices[parent as usize], join.as_bytes()),
                None => ROOT,
            };
            of_vertices.push(tree.insert(above, own(vertex).as_bytes()));
        }
        KeyNumbers { numbering: Numbering::Nested(tree), of_vertices }
    }

    /// The number of this key. If keys nest, a key without a vertex may also have a number.
    pub(super) fn number(&self, key: &str) -> Option<u32> {
        match &self.numbering {
            Numbering::Whole(numbers) => numbers.get(key).copied(),
            Numbering::Nested(tree) => tree.find(key.as_bytes()),
        }
    }

    /// All numbers are below this bound.
    pub(super) fn bound(&self) -> usize {
        match &self.numbering {
            Numbering::Whole(numbers) => numbers.len(),
            Numbering::Nested(tree) => tree.labels.len(),
        }
    }
}

/// Texts as paths from a root, with common prefixes merged. Places where texts end or diverge are
/// nodes.
///
/// ```text
///          ┌ [0]      `t.a[0]`, which costs the three bytes after `t.a`
/// t.a ─────┤
///          └ [1]
/// ```
struct KeyTree<'k> {
    /// The label of each node from the one above it. Only that of the root is empty.
    labels: Vec<&'k [u8]>,
    /// Nodes by their parent and the first byte of their label.
    below: HashMap<(u32, u8), u32>,
}

const ROOT: u32 = 0;

impl Default for KeyTree<'_> {
    fn default() -> Self {
        KeyTree { labels: vec![&[]], below: HashMap::new() }
    }
}

impl<'k> KeyTree<'k> {
    /// The node after `text` below `node`, created if it is missing. Nodes keep their numbers.
    fn insert(&mut self, mut node: u32, mut text: &'k [u8]) -> u32 {
        while let Some(&first) = text.first() {
            let Some(&next) = self.below.get(&(node, first)) else { return self.push(node, text) };
            let label = self.labels[next as usize];
            let common = label.iter().zip(text).take_while(|(one, other)| one == other).count();
            let (shared, rest) = label.split_at(common);
            text = &text[common..];
            node = match rest.first() {
                None => next,
                Some(&branch) => {
                    let between = self.push(node, shared);
                    self.labels[next as usize] = rest;
                    self.below.insert((between, branch), next);
                    between
                }
            };
        }
        node
    }

    fn push(&mut self, above: u32, label: &'k [u8]) -> u32 {
        let node = u32::try_from(self.labels.len()).expect("four nodes for a vertex at most");
        self.labels.push(label);
        self.below.insert((above, label[0]), node);
        node
    }

    fn find(&self, text: &[u8]) -> Option<u32> {
        let (mut node, mut rest) = (ROOT, text);
        while let Some(&first) = rest.first() {
            node = *self.below.get(&(node, first))?;
            rest = rest.strip_prefix(self.labels[node as usize])?;
        }
        Some(node)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Own keys, the vertices around them, and a join.
    struct Keys<'t>(&'t [(&'t str, Option<u32>)], Option<&'t str>);

    impl OwnKeys for Keys<'_> {
        fn own_key(&self, ordinal: u32) -> Option<&str> {
            Some(self.0.get(ordinal as usize)?.0)
        }

        fn parent_of(&self, ordinal: u32) -> Option<u32> {
            self.0[ordinal as usize].1
        }

        fn join(&self) -> Option<&str> {
            self.1
        }
    }

    /// Compares the numbers with the assembled keys.
    fn check(vertices: &[(&str, Option<u32>)], join: Option<&str>) {
        let keys = Keys(vertices, join);
        let count = u32::try_from(vertices.len()).unwrap();
        let numbers = KeyNumbers::of(&keys, count);
        let whole: Vec<_> = (0..count).map(|vertex| keys.whole_key(vertex)).collect();
        for (one, key) in whole.iter().enumerate() {
            assert_eq!(numbers.number(key), Some(numbers.of_vertices[one]), "{key:?} with {join:?}");
            assert!((numbers.of_vertices[one] as usize) < numbers.bound());
            for (other, other_key) in whole.iter().enumerate() {
                let is_same = numbers.of_vertices[one] == numbers.of_vertices[other];
                assert_eq!(is_same, key == other_key, "{key:?} and {other_key:?} with {join:?}");
            }
            for absent in [format!("{key}x"), format!("x{key}"), key.chars().rev().collect()] {
                let found = numbers.number(&absent);
                let is_there = found.is_some_and(|number| numbers.of_vertices.contains(&number));
                assert_eq!(is_there, whole.iter().any(|key| *key == absent), "{absent:?} with {join:?}");
            }
        }
    }

    #[test]
    fn vertices_have_one_number_if_their_full_keys_are_equal_however_those_are_made() {
        let vertices = [
            ("a", None),
            ("b", Some(0)),
            ("ab", None),
            ("", None),
            ("ab", Some(3)),
            ("", Some(2)),
            ("a[0]", None),
            ("[0]", Some(0)),
            ("[0]", Some(0)),
            ("[1]", Some(0)),
            ("", Some(3)),
            ("é", None),
            ("è", None),
            ("[", Some(0)),
            ("0]", Some(13)),
        ];
        for join in [None, Some(""), Some("."), Some("b")] {
            check(&vertices, join);
        }
    }

    #[test]
    fn all_short_keys_have_their_numbers() {
        // Parents and children: words of up to two letters out of two.
        let words = ["", "a", "b", "aa", "ab", "ba", "bb"];
        let mut vertices: Vec<(&str, Option<u32>)> = Vec::new();
        for parent in words {
            let at = u32::try_from(vertices.len()).unwrap();
            vertices.push((parent, None));
            vertices.extend(words.map(|child| (child, Some(at))));
        }
        for join in [None, Some(""), Some("a"), Some("ab")] {
            check(&vertices, join);
        }
    }
}
