//! Restricted documents for the search for secrets: partial, and of limited size.

use coconut_codec::limits;
use coconut_codec::read::lookup::{LandmarkView, Step};
use coconut_codec::read::view::WatchedView;
use coconut_format::Integer;
use coconut_format::landmark::Trail;
use coconut_format::node::{Kind, Node};
use std::cell::Cell;

/// A document of which only the values on a path, and everything below its end, can be walked.
///
/// The marks of a secret may be outside the path, so all entries can be looked up by key. Items
/// keep their numbers: items outside the path appear as nulls.
#[derive(Clone, Copy)]
pub(super) enum OnlyAlong<'a> {
    Value(WatchedView<'a>, Rest<'a>),
    Beside,
}

/// The rest of a path.
#[derive(Clone, Copy, Default)]
pub(super) struct Rest<'a> {
    steps: &'a [Step<'a>],
    /// The landmarks on the path. The index may know their neighbours.
    landmarks: &'a [LandmarkView<'a>],
}

impl<'a> OnlyAlong<'a> {
    /// Restricts the document `root` to the path `steps` and everything below its end.
    pub(super) fn new(
        root: WatchedView<'a>,
        steps: &'a [Step<'a>],
        landmarks: &'a [LandmarkView<'a>],
    ) -> OnlyAlong<'a> {
        OnlyAlong::Value(root, Rest { steps, landmarks })
    }

    /// Whether the index shows that the next value on the path has no neighbour `key`. Reading this
    /// in the document can take all of it.
    fn is_known_to_lack(self, key: &str) -> bool {
        let OnlyAlong::Value(node, Rest { steps: [(Trail::Entry(_), next), ..], landmarks }) = self else {
            return false;
        };
        let is_next = |landmark: &&LandmarkView<'a>| {
            landmark.value().is_ok_and(|value| value.offset() == next.offset())
        };
        let landmark = landmarks.iter().find(is_next);
        landmark.is_some_and(|landmark| landmark.has_sibling(key, node.width()) == Ok(Some(false)))
    }

    fn node(self) -> Option<WatchedView<'a>> {
        match self {
            OnlyAlong::Value(node, _) => Some(node),
            OnlyAlong::Beside => None,
        }
    }

    /// The next step of the path, as a node.
    fn next(self) -> Option<(Trail<'a>, OnlyAlong<'a>)> {
        let OnlyAlong::Value(node, Rest { steps, landmarks }) = self else { return None };
        let ((trail, view), steps) = steps.split_first()?;
        Some((*trail, OnlyAlong::Value(node.beside(*view), Rest { steps, landmarks })))
    }

    /// The node, if everything below it can be walked.
    fn whole(self) -> Option<WatchedView<'a>> {
        match self {
            OnlyAlong::Value(node, Rest { steps: [], .. }) => Some(node),
            _ => None,
        }
    }
}

impl<'a> Node<'a> for OnlyAlong<'a> {
    fn kind(self) -> Kind {
        self.node().map_or(Kind::Null, Node::kind)
    }

    fn as_bool(self) -> Option<bool> {
        self.node()?.as_bool()
    }

    fn as_integer(self) -> Option<Integer> {
        self.node()?.as_integer()
    }

    fn as_float(self) -> Option<f64> {
        self.node()?.as_float()
    }

    fn as_str(self) -> Option<&'a str> {
        self.node()?.as_str()
    }

    fn get(self, key: &str) -> Option<Self> {
        match self.next() {
            Some((Trail::Entry(next), value)) if next == key => Some(value),
            Some(_) if self.is_known_to_lack(key) => None,
            _ => self.node()?.get(key).map(|value| OnlyAlong::Value(value, Rest::default())),
        }
    }

    fn entries(self) -> impl Iterator<Item = (&'a str, Self)> + 'a {
        let on_the_way = match self.next() {
            Some((Trail::Entry(key), value)) => Some((key, value)),
            _ => None,
        };
        let all = self.whole().into_iter().flat_map(Node::entries);
        on_the_way.into_iter().chain(all.map(|(key, value)| (key, OnlyAlong::Value(value, Rest::default()))))
    }

    fn items(self) -> impl Iterator<Item = Self> + 'a {
        let (before, on_the_way) = match self.next() {
            Some((Trail::Item(index), value)) => (index, Some(value)),
            _ => (0, None),
        };
        let all = self.whole().into_iter().flat_map(Node::items);
        let beside = std::iter::repeat_n(OnlyAlong::Beside, before);
        beside.chain(on_the_way).chain(all.map(|value| OnlyAlong::Value(value, Rest::default())))
    }

    fn width(self) -> usize {
        self.node().map_or(0, Node::width)
    }

    fn stored_once_as(self) -> Option<usize> {
        self.whole()?.stored_once_as()
    }
}

/// A document that ends after too many visited values. Shared data can expand to any size, and a
/// search may have to walk each of its occurrences.
///
/// Counts the visited values, and adds the cost of their keys and texts in values, because all of
/// these can be one long text. In a tree, also counts entries skipped on the path to a key; a view
/// that [counts](WatchedView::counting) does that itself.
#[derive(Clone, Copy)]
pub(super) struct Counted<'c, N> {
    node: N,
    looked_at: &'c Cell<u64>,
    most: u64,
}

impl<'c, N> Counted<'c, N> {
    /// Wraps the document `node`. If `looked_at` is more than `most` afterwards, the walk was cut.
    pub(super) fn new(node: N, looked_at: &'c Cell<u64>, most: u64) -> Counted<'c, N> {
        Counted { node, looked_at, most }
    }

    /// Counts another value, unless there were too many; `text` is the text read to reach it.
    fn count(&self, text: &str, node: N) -> Option<Counted<'c, N>> {
        self.spend(1, text);
        (self.looked_at.get() <= self.most).then_some(Counted {
            node,
            looked_at: self.looked_at,
            most: self.most,
        })
    }

    fn spend(&self, values: u64, text: &str) {
        let count = values.saturating_add(text.len() as u64 / limits::BYTES_PER_STEP);
        self.looked_at.set(self.looked_at.get().saturating_add(count));
    }
}

impl<'a, 'c: 'a, N: Node<'a> + 'a> Node<'a> for Counted<'c, N> {
    fn kind(self) -> Kind {
        self.node.kind()
    }

    fn as_bool(self) -> Option<bool> {
        self.node.as_bool()
    }

    fn as_integer(self) -> Option<Integer> {
        self.node.as_integer()
    }

    fn as_float(self) -> Option<f64> {
        self.node.as_float()
    }

    fn as_str(self) -> Option<&'a str> {
        let text = self.node.as_str()?;
        self.spend(0, text);
        Some(text)
    }

    fn get(self, key: &str) -> Option<Self> {
        self.spend(self.node.width() as u64 / ENTRIES_LIKE_A_VALUE, "");
        self.count("", self.node.get(key)?)
    }

    fn entries(self) -> impl Iterator<Item = (&'a str, Self)> + 'a {
        self.node.entries().map_while(move |(key, value)| Some((key, self.count(key, value)?)))
    }

    fn items(self) -> impl Iterator<Item = Self> + 'a {
        self.node.items().map_while(move |value| self.count("", value))
    }

    fn width(self) -> usize {
        self.node.width()
    }

    fn stored_once_as(self) -> Option<usize> {
        self.node.stored_once_as()
    }
}

/// Skipping this many entries of a tree on the path to a key costs as much as visiting a value.
const ENTRIES_LIKE_A_VALUE: u64 = 16;
