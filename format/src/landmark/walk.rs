//! §8.1 The walk over a tree under a landmark rule: one value after the other, parents before children.

use super::found::{FoundEdge, Landmark};
use super::{LandmarkRule, RuleMatcher, State};
use crate::node::{Kind, Node};
use crate::verify::Pointer;

/// Visits every value of a tree at or above a possible landmark or edge, in document order.
///
/// Needs memory for the values that are still to be visited: the entries of one object or list per level.
#[derive(Debug)]
pub struct Walk<'r, 'a, N> {
    rule: &'r LandmarkRule,
    matcher: RuleMatcher,
    pending: Vec<Pending<'a, N>>,
    /// How many landmarks were visited, which is the ordinal of the next.
    landmarks: u32,
}

/// A value on the way, with what the rule makes of it.
#[derive(Clone, Debug)]
pub struct Visited<'a, N> {
    /// The value.
    pub node: N,
    /// How it lies in the value around it.
    pub trail: Trail<'a>,
    /// How many values are around it; 0 for the root.
    pub depth: usize,
    /// The pattern whose path ends here, whether the value has a key or not.
    pub class: Option<u8>,
    /// The landmark that it is.
    pub landmark: Option<Landmark<'a, N>>,
    /// The edges that it is the end of.
    pub edges: Vec<FoundEdge<'a>>,
}

/// How a value lies in the one around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trail<'a> {
    /// In nothing: it is the root.
    Root,
    /// As the entry of an object with this key.
    Entry(&'a str),
    /// As the item of a list with this index, from 0.
    Item(usize),
}

impl Trail<'_> {
    /// Goes down to the value, from the place of the value around it.
    pub fn push_to(self, pointer: &mut Pointer) {
        match self {
            Trail::Root => {}
            Trail::Entry(key) => pointer.push_key(key),
            Trail::Item(index) => pointer.push_index(index),
        }
    }
}

#[derive(Debug)]
struct Pending<'a, N> {
    node: N,
    trail: Trail<'a>,
    depth: usize,
    state: State,
    /// The ordinal of the innermost landmark around it.
    owner: Option<u32>,
}

impl<'r, 'a, N: Node<'a>> Walk<'r, 'a, N> {
    /// The walk over `root` under `rule`.
    pub fn new(rule: &'r LandmarkRule, root: N) -> Walk<'r, 'a, N> {
        let matcher = RuleMatcher::new(rule);
        let state = matcher.root();
        let root = Pending { node: root, trail: Trail::Root, depth: 0, state, owner: None };
        Walk { rule, matcher, pending: vec![root], landmarks: 0 }
    }

    /// The edges at `visited`, whose innermost landmark is `source`: one around it, or itself.
    fn edges(&self, visited: &Pending<'a, N>, source: Option<u32>) -> Vec<FoundEdge<'a>> {
        let numbers = self.matcher.edges(visited.state);
        let (Some(text), Some(source)) = (visited.node.as_str(), source) else { return Vec::new() };
        let edge = |number: u8| {
            let target = self.rule.edges[usize::from(number)].target(text);
            FoundEdge { source, number, target }
        };
        numbers.into_iter().map(edge).collect()
    }

    fn landmark(&mut self, visited: &Pending<'a, N>, class: u8) -> Option<Landmark<'a, N>> {
        let name = match visited.trail {
            Trail::Entry(name) => Some(name),
            _ => None,
        };
        let key = self.rule.patterns[usize::from(class)].key.of(name, visited.node)?;
        self.landmarks += 1;
        Some(Landmark { class, parent: visited.owner, key, node: visited.node })
    }

    /// Puts the values inside `visited` before everything else that is pending.
    fn push_inside(&mut self, visited: &Pending<'a, N>, owner: Option<u32>) {
        let first = self.pending.len();
        let (node, depth) = (visited.node, visited.depth + 1);
        let is_only = node.width() == 1;
        match node.kind() {
            Kind::Object => self.pending.extend(node.entries().filter_map(|(key, node)| {
                let state = match is_only {
                    true => self.matcher.enter_only_key(visited.state, key),
                    false => self.matcher.enter_key(visited.state, key),
                };
                let pending = Pending { node, trail: Trail::Entry(key), depth, state, owner };
                (!state.is_dead()).then_some(pending)
            })),
            Kind::List => {
                let state = self.matcher.enter_item(visited.state);
                if !state.is_dead() {
                    self.pending.extend((0..).zip(node.items()).map(|(index, node)| Pending {
                        node,
                        trail: Trail::Item(index),
                        depth,
                        state,
                        owner,
                    }));
                }
            }
            _ => {}
        }
        // The last one in `pending` is visited first.
        self.pending[first..].reverse();
    }
}

impl<'a, N: Node<'a>> Iterator for Walk<'_, 'a, N> {
    type Item = Visited<'a, N>;

    fn next(&mut self) -> Option<Visited<'a, N>> {
        let visited = self.pending.pop()?;
        let ordinal = self.landmarks;
        let class = self.matcher.landmark(visited.state);
        let landmark = class.and_then(|class| self.landmark(&visited, class));
        let owner = landmark.as_ref().map_or(visited.owner, |_| Some(ordinal));
        let edges = self.edges(&visited, owner);
        self.push_inside(&visited, owner);
        let Pending { node, trail, depth, .. } = visited;
        Some(Visited { node, trail, depth, class, landmark, edges })
    }
}
