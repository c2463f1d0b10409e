//! §14.1 Sets of JSON pointers (RFC 6901), for walks that find all their places in one pass.

use coconut_format::pointer;
use hashbrown::HashMap;

/// Pointers as a trie of their segments. A walk descends in it in step with the document.
#[derive(Clone, Debug)]
pub(crate) struct PointerTrie {
    count: usize,
    nodes: Vec<PointerNode>,
}

/// A place on the path of some pointer.
#[derive(Clone, Debug, Default)]
struct PointerNode {
    inner: HashMap<Box<str>, usize>,
    /// Numbers of the pointers that end here.
    ends: Vec<usize>,
}

impl PointerTrie {
    /// The node of the whole document.
    pub(crate) const ROOT: usize = 0;

    /// The trie of these pointers, numbered in this order.
    ///
    /// A pointer is empty or begins with `/`. Other texts, and pointers without a target, are never
    /// found.
    pub(crate) fn new<S: AsRef<str>>(pointers: &[S]) -> PointerTrie {
        let mut nodes = vec![PointerNode::default()];
        for (number, pointer) in pointers.iter().enumerate() {
            let Some(keys) = pointer::keys(pointer.as_ref()) else { continue };
            let mut at = PointerTrie::ROOT;
            for key in keys {
                let next = nodes.len();
                at = *nodes[at].inner.entry(key.into()).or_insert(next);
                if at == next {
                    nodes.push(PointerNode::default());
                }
            }
            nodes[at].ends.push(number);
        }
        PointerTrie { count: pointers.len(), nodes }
    }

    /// Number of pointers.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// The numbers of the pointers that lead here.
    pub(crate) fn at(&self, place: usize) -> &[usize] {
        &self.nodes[place].ends
    }

    /// Whether all pointers that lead here end here.
    pub(crate) fn is_leaf(&self, place: usize) -> bool {
        self.nodes[place].inner.is_empty()
    }

    /// The place of the entry `key` of the object at a place, if some pointer leads there.
    pub(crate) fn entry(&self, place: usize, key: &str) -> Option<usize> {
        self.nodes[place].inner.get(key).copied()
    }

    /// The place of item `index` of the list at a place, if some pointer leads there.
    pub(crate) fn item(&self, place: usize, index: usize) -> Option<usize> {
        self.entry(place, itoa::Buffer::new().format(index))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_share_their_beginnings() {
        let tree = PointerTrie::new(&["/a/0", "/a", "", "/a/0", "/x~1y~0"]);
        let a = tree.entry(PointerTrie::ROOT, "a").unwrap();
        let item = tree.item(a, 0).unwrap();
        assert_eq!(
            (tree.at(PointerTrie::ROOT), tree.at(a), tree.at(item)),
            (&[2][..], &[1][..], &[0, 3][..])
        );
        assert!(tree.is_leaf(item) && !tree.is_leaf(a));
        assert!(tree.entry(PointerTrie::ROOT, "x/y~").is_some());
        assert_eq!((tree.item(a, 1), tree.entry(PointerTrie::ROOT, "0")), (None, None));
    }

    #[test]
    fn what_is_no_pointer_leads_nowhere() {
        let tree = PointerTrie::new(&["a", "x/a", "/a"]);
        let a = tree.entry(PointerTrie::ROOT, "a").unwrap();
        assert_eq!((tree.count(), tree.at(PointerTrie::ROOT), tree.at(a)), (3, &[][..], &[2][..]));
    }
}
