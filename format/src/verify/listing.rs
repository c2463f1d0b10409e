//! §14.1 Lists of findings with a limit.

use super::Finding;
use super::package_rules::TREE_MORE;
use crate::graph::Dangling;
use crate::limits::{MOST_BYTES_OF_FINDINGS, MOST_FINDINGS};

/// An item of a list of findings.
pub trait Listed {
    /// The bytes of its texts.
    fn text_bytes(&self) -> usize;
}

impl Listed for Finding {
    fn text_bytes(&self) -> usize {
        self.path.len() + bytes_of([&self.expected, &self.found, &self.hint])
    }
}

impl Listed for Dangling<'_> {
    fn text_bytes(&self) -> usize {
        self.edge.target.len()
    }
}

pub(super) fn bytes_of(texts: [&Option<String>; 3]) -> usize {
    texts.into_iter().flatten().map(String::len).sum()
}

/// A list with a limit, and the number of items beyond it. A small file can violate a rule at each
/// of the many values that it expands to.
#[derive(Debug)]
pub struct Listing<T> {
    kept: Vec<T>,
    bytes: usize,
    left_out: usize,
}

impl<T> Default for Listing<T> {
    fn default() -> Self {
        Listing { kept: Vec::new(), bytes: 0, left_out: 0 }
    }
}

impl<T: Listed> Listing<T> {
    /// Adds the result of `make`. Beyond the limit, only counts it.
    pub fn add(&mut self, make: impl FnOnce() -> T) {
        if self.kept.len() < MOST_FINDINGS && self.bytes < MOST_BYTES_OF_FINDINGS {
            let item = make();
            self.bytes = self.bytes.saturating_add(item.text_bytes());
            if self.bytes < MOST_BYTES_OF_FINDINGS {
                self.kept.push(item);
                return;
            }
        }
        self.left_out += 1;
    }

    /// The items of the list.
    pub fn kept(&self) -> &[T] {
        &self.kept
    }

    /// Maps each item with `make`, and drops the items without a result.
    pub fn map<U: Listed>(self, mut make: impl FnMut(T) -> Option<U>) -> Listing<U> {
        let mut made = Listing { left_out: self.left_out, ..Listing::default() };
        for item in self.kept {
            match make(item) {
                Some(item) => made.add(|| item),
                None => made.left_out += 1,
            }
        }
        made
    }

    /// The items of the list.
    pub fn into_kept(self) -> Vec<T> {
        self.kept
    }

    /// The number of items beyond the limit.
    pub fn left_out(&self) -> usize {
        self.left_out
    }

    /// Counts more items beyond the limit.
    pub fn leave_out(&mut self, count: usize) {
        self.left_out += count;
    }

    /// Adds the items of another list, and its count of omitted ones.
    pub fn append(&mut self, other: Listing<T>) {
        self.extend(other.kept);
        self.left_out += other.left_out;
    }

    /// All items of the list. If some were omitted, `last` of a finding about that is appended.
    pub fn finish(mut self, last: impl FnOnce(Finding) -> T) -> Vec<T> {
        if self.left_out > 0 {
            let rest = format!("{} more", self.left_out);
            self.kept.push(last(Finding::new(&TREE_MORE, "").found(rest)));
        }
        self.kept
    }
}

impl<T: Listed> Extend<T> for Listing<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        items.into_iter().for_each(|item| self.add(|| item));
    }
}

/// The JSON pointers of findings, within the limit of a list.
#[derive(Debug, Default)]
pub(super) struct PointerRoom {
    bytes: usize,
}

impl PointerRoom {
    /// Whether there is room for this pointer. If so, the room is used up.
    pub(super) fn take(&mut self, pointer: &super::Pointer) -> bool {
        self.bytes = self.bytes.saturating_add(pointer.as_str().len());
        self.bytes < MOST_BYTES_OF_FINDINGS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(path: &str) -> Finding {
        Finding::new(&TREE_MORE, path)
    }

    #[test]
    fn a_list_ends_after_100_000_findings() {
        for count in [MOST_FINDINGS, MOST_FINDINGS + 1] {
            let mut listing = Listing::default();
            listing.extend((0..count).map(|_| finding("/a")));
            let findings = listing.finish(|last| last);
            let more = findings.last().and_then(|last| last.found.as_deref());
            assert_eq!((findings.len(), more), (count, (count > MOST_FINDINGS).then_some("1 more")));
        }
    }

    #[test]
    fn a_list_ends_after_64_mib_of_text_and_makes_no_more() {
        let mut listing = Listing::default();
        let mut made = 0;
        for _ in 0..100 {
            listing.add(|| {
                made += 1;
                finding("").found("x".repeat(1 << 20))
            });
        }
        let findings = listing.finish(|last| last);
        assert_eq!((made, findings.len()), (64, 63 + 1));
        assert_eq!(findings[63].found.as_deref(), Some("37 more"));
    }
}
