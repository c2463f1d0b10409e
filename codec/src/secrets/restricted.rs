//! §15.8 A document in the form walked by the search for secrets: a part of it, which ends after
//! too many visited values.

use crate::limits;
use crate::read::lookup::{LandmarkView, Step};
use crate::read::view::WatchedView;
use coconut_format::Integer;
use coconut_format::landmark::Trail;
use coconut_format::node::{Kind, Node};
use std::cell::Cell;

/// A value of a document, only a part of which is walked. Values outside the part appear as nulls,
/// so that items keep their numbers.
///
/// Shared data can expand to any size, and a search may have to walk each of its occurrences. So
/// the document ends after too many visited values. The cost of keys and texts is added to their
/// number, because all of them can be one long text. In a tree, entries skipped on the path to a
/// key are counted, too; a view that [counts](WatchedView::counting) does that itself.
#[derive(Clone, Copy)]
pub(super) struct Restricted<'a, N, P> {
    /// The value, and its walked part. `None` outside the part.
    inside: Option<(N, P)>,
    visited: &'a Cell<u64>,
    most: u64,
}

/// The part of a value that a search walks.
pub(super) trait Part<'a, N: Node<'a>>: Copy + 'a {
    /// The part of the value at this step, or `None` if the walk skips it.
    fn enter(self, trail: Trail<'a>, value: N) -> Option<Self>;

    /// The entry `key` of `node`, at any place: the marks of a secret may be outside the part.
    fn get(self, node: N, key: &str) -> Option<(N, Self)>;

    /// The only step that the walk takes from `node`, if it is on a path.
    fn only(self, node: N) -> Option<(Trail<'a>, N, Self)> {
        let _ = node;
        None
    }

    /// Whether an item is skipped, as far as that is known without its content.
    fn leaves_out(self, item: N) -> bool {
        let _ = item;
        false
    }

    /// Whether the whole value is walked, so that it is the same wherever it is stored.
    fn is_whole(self) -> bool {
        true
    }
}

/// All of a document.
#[derive(Clone, Copy)]
pub(super) struct Whole;

impl<'a, N: Node<'a>> Part<'a, N> for Whole {
    fn enter(self, _: Trail<'a>, _: N) -> Option<Whole> {
        Some(Whole)
    }

    fn get(self, node: N, key: &str) -> Option<(N, Whole)> {
        Some((node.get(key)?, Whole))
    }
}

/// The values on a path, and everything below its end.
#[derive(Clone, Copy, Default)]
pub(super) struct Along<'a> {
    steps: &'a [Step<'a>],
    /// The landmarks on the path. The index may know their neighbours.
    landmarks: &'a [LandmarkView<'a>],
}

impl<'a> Along<'a> {
    pub(super) fn new(steps: &'a [Step<'a>], landmarks: &'a [LandmarkView<'a>]) -> Along<'a> {
        Along { steps, landmarks }
    }

    /// Whether the index shows that the next value on the path has no neighbour `key`. Reading this
    /// in the document can take all of it.
    fn is_known_to_lack(self, node: WatchedView<'a>, key: &str) -> bool {
        let [(Trail::Entry(_), next), ..] = self.steps else { return false };
        let is_next = |landmark: &&LandmarkView<'a>| {
            landmark.value().is_ok_and(|value| value.offset() == next.offset())
        };
        let landmark = self.landmarks.iter().find(is_next);
        landmark.is_some_and(|landmark| landmark.has_sibling(key, node.width()) == Ok(Some(false)))
    }
}

impl<'a> Part<'a, WatchedView<'a>> for Along<'a> {
    fn enter(self, _: Trail<'a>, _: WatchedView<'a>) -> Option<Along<'a>> {
        Some(Along::default())
    }

    fn get(self, node: WatchedView<'a>, key: &str) -> Option<(WatchedView<'a>, Along<'a>)> {
        match self.only(node) {
            Some((Trail::Entry(next), value, rest)) if next == key => Some((value, rest)),
            Some(_) if self.is_known_to_lack(node, key) => None,
            _ => Some((node.get(key)?, Along::default())),
        }
    }

    fn only(self, node: WatchedView<'a>) -> Option<(Trail<'a>, WatchedView<'a>, Along<'a>)> {
        let ((trail, view), steps) = self.steps.split_first()?;
        Some((*trail, node.beside(*view), Along { steps, ..self }))
    }

    fn is_whole(self) -> bool {
        self.steps.is_empty()
    }
}

/// Skipping this many entries of a tree on the path to a key costs as much as visiting a value.
const ENTRIES_LIKE_A_VALUE: u64 = 16;

impl<'a, N: Node<'a>, P: Part<'a, N>> Restricted<'a, N, P> {
    /// Restricts the document `root`. If `visited` exceeds `most` afterwards, the walk was cut.
    pub(super) fn new(root: N, part: P, visited: &'a Cell<u64>, most: u64) -> Restricted<'a, N, P> {
        Restricted { inside: Some((root, part)), visited, most }
    }

    fn node(self) -> Option<N> {
        self.inside.map(|(node, _)| node)
    }

    fn spend(self, values: u64, text: &str) {
        let count = values.saturating_add(text.len() as u64 / limits::BYTES_PER_STEP);
        self.visited.set(self.visited.get().saturating_add(count));
    }

    /// Counts another value, unless there were too many.
    fn counted(self, trail: Trail<'a>, inside: Option<(N, P)>) -> Option<Restricted<'a, N, P>> {
        let key = if let Trail::Entry(key) = trail { key } else { "" };
        self.spend(1, key);
        (self.visited.get() <= self.most).then_some(Restricted { inside, ..self })
    }

    fn enter(self, trail: Trail<'a>, value: N) -> Option<Restricted<'a, N, P>> {
        let (_, part) = self.inside?;
        self.counted(trail, part.enter(trail, value).map(|part| (value, part)))
    }

    /// The only value that a walk visits from here, with its step; and the node if it visits all.
    fn only(self) -> (Option<Entered<'a, N, P>>, Option<N>) {
        let Some((node, part)) = self.inside else { return (None, None) };
        match part.only(node) {
            Some((trail, value, part)) => {
                (self.counted(trail, Some((value, part))).map(|value| (trail, value)), None)
            }
            None => (None, Some(node)),
        }
    }
}

/// A step, and the value that it leads to.
type Entered<'a, N, P> = (Trail<'a>, Restricted<'a, N, P>);

impl<'a, N: Node<'a>, P: Part<'a, N>> Node<'a> for Restricted<'a, N, P> {
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
        let text = self.node()?.as_str()?;
        self.spend(0, text);
        Some(text)
    }

    fn get(self, key: &str) -> Option<Self> {
        let (node, part) = self.inside?;
        self.spend(node.width() as u64 / ENTRIES_LIKE_A_VALUE, "");
        self.counted(Trail::Root, Some(part.get(node, key)?))
    }

    fn entries(self) -> impl Iterator<Item = (&'a str, Self)> + 'a {
        let (only, all) = self.only();
        let only = only.and_then(|(trail, value)| match trail {
            Trail::Entry(key) => Some((key, value)),
            _ => None,
        });
        let all = all.into_iter().flat_map(Node::entries);
        only.into_iter()
            .chain(all.map_while(move |(key, value)| Some((key, self.enter(Trail::Entry(key), value)?))))
    }

    fn items(self) -> impl Iterator<Item = Self> + 'a {
        let (only, all) = self.only();
        let (before, only) = match only {
            Some((Trail::Item(index), value)) => (index, Some(value)),
            _ => (0, None),
        };
        let beside = std::iter::repeat_with(move || self.counted(Trail::Root, None)).take(before);
        let all = all.into_iter().flat_map(Node::items).enumerate();
        let all = all.map(move |(index, value)| self.enter(Trail::Item(index), value));
        beside.chain(only.map(Some)).chain(all).map_while(|item| item)
    }

    fn numbered_items(self) -> impl Iterator<Item = (usize, Self)> + 'a {
        let (only, all) = self.only();
        let only = only.and_then(|(trail, value)| match trail {
            Trail::Item(index) => Some((index, value)),
            _ => None,
        });
        let all = all.into_iter().flat_map(Node::items).enumerate();
        let seen = all.filter(move |(_, item)| self.inside.is_some_and(|(_, part)| !part.leaves_out(*item)));
        let seen =
            seen.map_while(move |(index, value)| Some((index, self.enter(Trail::Item(index), value)?)));
        only.into_iter().chain(seen.filter(|(_, item)| item.inside.is_some()))
    }

    fn width(self) -> usize {
        self.node().map_or(0, Node::width)
    }

    fn stored_once_as(self) -> Option<usize> {
        self.inside.filter(|(_, part)| part.is_whole())?.0.stored_once_as()
    }
}
