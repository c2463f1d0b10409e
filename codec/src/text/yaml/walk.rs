//! Converts the tree of a YAML text to events, with aliases expanded and merges applied.

use super::Source;
use super::tree::{Content, Tree};
use crate::event::{EventSink, SinkError};
use crate::pointer_trie::PointerTrie;
use crate::text::error::{SourceError, kind_of_refusal};
use coconut_format::pointer::{push_index, push_key};
use std::collections::HashMap;
use std::ops::Range;

/// Pushes the value of the text. Its expansion and depth were checked when the tree was built.
pub(super) fn push<S: EventSink>(
    source: Source<'_>,
    tree: &Tree<'_>,
    sink: &mut S,
) -> Result<(), Box<SourceError>> {
    let mut walk = Walk { tree, sink, open: Vec::new(), at: 0 };
    walk.document().map_err(|refusal| {
        let kind = kind_of_refusal(refusal)
            .unwrap_or_else(|_| unreachable!("the keys of each object were found to be distinct"));
        source.error(kind, walk.at, walk.pointer())
    })
}

struct Walk<'w, 't, S> {
    tree: &'w Tree<'t>,
    sink: &'w mut S,
    open: Vec<Rest>,
    /// Character index of the last pushed value or key.
    at: usize,
}

/// The remaining part of an open list or object.
enum Rest {
    List {
        /// The number of pushed items.
        count: usize,
        next: usize,
        end: usize,
    },
    Object {
        key: Option<usize>,
        next: usize,
        end: usize,
    },
    /// An object with the keys of others merged into it, as keys and values.
    Merged {
        key: Option<usize>,
        entries: std::vec::IntoIter<(usize, usize)>,
    },
}

impl<S: EventSink> Walk<'_, '_, S> {
    fn document(&mut self) -> Result<(), SinkError> {
        self.head(self.tree.root)?;
        while let Some(rest) = self.open.last_mut() {
            let value = match rest {
                Rest::List { count, next, end } => (*next < *end).then(|| {
                    let item = *next;
                    *next = self.tree.after(item);
                    *count += 1;
                    item
                }),
                Rest::Object { key, next, end } => (*next < *end).then(|| {
                    *key = Some(*next);
                    let value = *next + 1;
                    *next = self.tree.after(value);
                    value
                }),
                Rest::Merged { key, entries } => entries.next().map(|(entry, value)| {
                    *key = Some(entry);
                    value
                }),
            };
            let key = match rest {
                Rest::List { .. } => None,
                Rest::Object { key, .. } | Rest::Merged { key, .. } => *key,
            };
            match (value, key) {
                (None, _) => self.end()?,
                (Some(value), None) => self.head(value)?,
                (Some(value), Some(key)) => {
                    self.at = self.tree.nodes[key].at;
                    self.sink.key(self.tree.key(key))?;
                    self.head(value)?;
                }
            }
        }
        Ok(())
    }

    /// Pushes a scalar, or the beginning of a list or object.
    fn head(&mut self, node: usize) -> Result<(), SinkError> {
        let node = self.resolve(node);
        self.at = self.tree.nodes[node].at;
        match &self.tree.nodes[node].content {
            Content::Null => self.sink.null(),
            Content::Bool(value) => self.sink.bool(*value),
            Content::Integer(value) => self.sink.integer(*value),
            Content::Float(value) => self.sink.float(*value),
            Content::Text(text) => self.sink.string(text),
            Content::List { end } => {
                self.open.push(Rest::List { count: 0, next: node + 1, end: *end });
                self.sink.begin_list()
            }
            Content::Object { end, merges: false } => {
                self.open.push(Rest::Object { key: None, next: node + 1, end: *end });
                self.sink.begin_object()
            }
            Content::Object { merges: true, .. } => {
                let entries = merged_entries(self.tree, node).into_iter();
                self.open.push(Rest::Merged { key: None, entries });
                self.sink.begin_object()
            }
            Content::Alias { .. } | Content::Merge => {
                unreachable!("no value, and no target of an alias, is one of these")
            }
        }
    }

    fn end(&mut self) -> Result<(), SinkError> {
        match self.open.pop() {
            Some(Rest::List { .. }) => self.sink.end_list(),
            _ => self.sink.end_object(),
        }
    }

    fn resolve(&self, node: usize) -> usize {
        self.tree.resolve(node)
    }

    #[cold]
    fn pointer(&self) -> String {
        let mut pointer = String::new();
        for rest in &self.open {
            match rest {
                Rest::List { count, .. } => {
                    if let Some(index) = count.checked_sub(1) {
                        push_index(&mut pointer, index);
                    }
                }
                Rest::Object { key, .. } | Rest::Merged { key, .. } => {
                    if let Some(key) = key {
                        push_key(&mut pointer, self.tree.key(*key));
                    }
                }
            }
        }
        pointer
    }
}

/// The character indexes of the values that `wanted` names.
pub(super) fn find(tree: &Tree<'_>, wanted: &PointerTrie) -> Vec<Option<Range<usize>>> {
    let mut found = vec![None; wanted.count()];
    let mut pending = vec![(tree.root, PointerTrie::ROOT)];
    while let Some((node, place)) = pending.pop() {
        let node = tree.resolve(node);
        for &pointer in wanted.at(place) {
            found[pointer] = Some(tree.nodes[node].at..tree.nodes[node].end);
        }
        if wanted.is_leaf(place) {
            continue;
        }
        match tree.nodes[node].content {
            Content::List { end } => {
                // There is no node after the last item of the last list.
                let within = |item: usize| (item < end).then_some(item);
                let items = std::iter::successors(within(node + 1), |&item| within(tree.after(item)));
                pending.extend(
                    items.enumerate().filter_map(|(index, item)| Some((item, wanted.item(place, index)?))),
                );
            }
            Content::Object { .. } => {
                let entries = merged_entries(tree, node).into_iter();
                pending.extend(
                    entries.filter_map(|(key, value)| Some((value, wanted.entry(place, tree.key(key))?))),
                );
            }
            _ => {}
        }
    }
    found
}

/// The keys and values of an object after its merges. A merged object may itself contain merges.
///
/// Takes time in proportion to all visited keys, which the expansion limit covers.
fn merged_entries(tree: &Tree<'_>, object: usize) -> Vec<(usize, usize)> {
    let mut entries = Vec::new();
    // The object that owns each key. The first to claim a key owns it. An object claims its own
    // keys before the objects that it merges, and before the objects that are merged after it.
    let mut owners: HashMap<&str, usize> = HashMap::new();
    let mut objects = 0;
    let mut pending = vec![Pending::Object(object)];
    while let Some(work) = pending.pop() {
        match work {
            Pending::Object(node) => {
                objects += 1;
                let end = tree.after(node);
                let mut key = node + 1;
                while key < end {
                    if !matches!(tree.nodes[key].content, Content::Merge) {
                        owners.entry(tree.key(key)).or_insert(objects);
                    }
                    key = tree.after(key + 1);
                }
                pending.push(Pending::Entries { owner: objects, next: node + 1, end });
            }
            Pending::Entries { owner, next: key, end } if key < end => {
                let value = key + 1;
                pending.push(Pending::Entries { owner, next: tree.after(value), end });
                if !matches!(tree.nodes[key].content, Content::Merge) {
                    if owners.get(tree.key(key)) == Some(&owner) {
                        entries.push((key, value));
                    }
                } else if let Content::List { end } = tree.nodes[value].content {
                    pending.push(Pending::Objects { next: value + 1, end });
                } else {
                    pending.push(Pending::Object(tree.resolve(value)));
                }
            }
            Pending::Objects { next, end } if next < end => {
                pending.push(Pending::Objects { next: tree.after(next), end });
                pending.push(Pending::Object(tree.resolve(next)));
            }
            Pending::Entries { .. } | Pending::Objects { .. } => {}
        }
    }
    entries
}

/// A pending step of a merge.
enum Pending {
    /// An object whose keys have not been claimed yet.
    Object(usize),
    /// The entries of an object, from the key `next` on.
    Entries { owner: usize, next: usize, end: usize },
    /// The objects of a list, from the node `next` on.
    Objects { next: usize, end: usize },
}
