//! The walk over a tree under a landmark rule (§8.1), with parents before children.

use super::found::{FoundEdges, Landmark};
use super::{LandmarkRule, RuleMatcher, Segment, State, Step};
use crate::node::{Kind, Node};
use crate::pointer::Pointer;

/// Visits every value of a tree at or above a possible landmark or edge, in document order.
///
/// Takes memory for one place per level, however many entries the objects and lists have.
pub struct Walk<'r, 'a, N> {
    rule: &'r LandmarkRule,
    matcher: RuleMatcher,
    /// The root, until it is visited.
    root: Option<N>,
    /// The landmark at the root of a walk over a part.
    start: Option<Start>,
    open: Vec<Open<'a, N>>,
    /// The number of visited landmarks, which is the ordinal of the next.
    landmarks: u32,
    gate: Option<Box<Gate<'r, N>>>,
}

/// See [`Walk::entering`].
type Gate<'r, N> = dyn FnMut(N, State, Option<u32>) -> bool + 'r;

/// A visited value, with its meaning under the rule.
#[derive(Clone, Debug)]
pub struct Visited<'a, N> {
    /// The value.
    pub node: N,
    /// Its place in the value around it.
    pub trail: Trail<'a>,
    /// The number of values around it; 0 for the root.
    pub depth: usize,
    /// The pattern whose path ends here, with or without a key.
    pub class: Option<u8>,
    /// The landmark, if it is one.
    pub landmark: Option<Landmark<'a, N>>,
    /// The edges that end at it.
    pub edges: FoundEdges<'a>,
}

impl<N> Visited<'_, N> {
    /// Whether the first pattern ends here. In a graph of a known dialect, such a value is a
    /// resource or in the place of one. The other patterns are for values inside resources.
    pub fn is_resource(&self) -> bool {
        self.class == Some(0)
    }
}

/// The place of a value in the one around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trail<'a> {
    /// The root, in no other value.
    Root,
    /// The entry of an object with this key.
    Entry(&'a str),
    /// The item of a list with this index, from 0.
    Item(usize),
}

impl Trail<'_> {
    /// Extends the place of the value around it to that of the value.
    pub fn push_to(self, pointer: &mut Pointer) {
        match self {
            Trail::Root => {}
            Trail::Entry(key) => pointer.push_key(key),
            Trail::Item(index) => pointer.push_index(index),
        }
    }
}

/// A visited object or list, with its unvisited values.
struct Open<'a, N> {
    values: Box<dyn Iterator<Item = (Trail<'a>, N)> + 'a>,
    state: State,
    /// Whether it contains exactly one value.
    is_only: bool,
    /// The ordinal of the innermost landmark around the values.
    owner: Option<u32>,
}

/// The start of a walk over the value of a landmark.
#[derive(Clone, Copy)]
struct Start {
    state: State,
    ordinal: u32,
}

/// A value to be visited.
struct Found<'a, N> {
    node: N,
    trail: Trail<'a>,
    depth: usize,
    state: State,
    owner: Option<u32>,
}

impl<'r, 'a, N: Node<'a>> Walk<'r, 'a, N> {
    /// The walk over `root` under `rule`.
    pub fn new(rule: &'r LandmarkRule, root: N) -> Walk<'r, 'a, N> {
        let matcher = RuleMatcher::new(rule);
        Walk { rule, matcher, root: Some(root), start: None, open: Vec::new(), landmarks: 0, gate: None }
    }

    /// The part of the walk over a document that visits `value`, the value of the landmark with
    /// this ordinal, whose pattern has the number `class`. Depths and places count from there. Does
    /// not report the landmark itself again.
    ///
    /// A rule can treat the value differently because of the keys around it. Only the results of
    /// the pattern are found.
    pub fn of_landmark(rule: &'r LandmarkRule, value: N, class: u8, ordinal: u32) -> Walk<'r, 'a, N> {
        let matcher = RuleMatcher::new(rule);
        let steps = rule.patterns().get(usize::from(class)).map_or(&[][..], |pattern| pattern.path().steps());
        let state = steps.iter().fold(matcher.root(), |state, step| match step {
            Step::One(Segment::Entry(name) | Segment::OnlyEntry(name)) => matcher.enter_key(state, name),
            Step::One(Segment::Any) => matcher.enter_item(state),
            Step::Repeat(_) => state,
        });
        let start = Some(Start { state, ordinal });
        let landmarks = ordinal.saturating_add(1);
        Walk { rule, matcher, root: Some(value), start, open: Vec::new(), landmarks, gate: None }
    }

    /// The same walk, without the contents of objects and lists that `gate` refuses.
    ///
    /// The gate is called before each is entered. It receives the state there, and the ordinal of
    /// the innermost landmark around the contents. The findings in a value depend only on these
    /// three. So a tree with shared parts can be walked without repeating a finding.
    #[must_use]
    pub fn entering(self, gate: impl FnMut(N, State, Option<u32>) -> bool + 'r) -> Walk<'r, 'a, N> {
        Walk { gate: Some(Box::new(gate)), ..self }
    }

    /// The edges at `visited`, whose innermost landmark is `source`: one around it, or itself.
    fn edges(&self, visited: &Found<'a, N>, source: Option<u32>) -> FoundEdges<'a> {
        let numbers = self.matcher.edges(visited.state);
        // Few values end an edge; the text of the others need not be read.
        if numbers.is_empty() {
            return FoundEdges::default();
        }
        match (visited.node.as_str(), source) {
            (Some(text), Some(source)) => FoundEdges::new(self.rule, numbers, source, text),
            _ => FoundEdges::default(),
        }
    }

    fn landmark(&mut self, visited: &Found<'a, N>, class: u8) -> Option<Landmark<'a, N>> {
        let name = match visited.trail {
            Trail::Entry(name) => Some(name),
            _ => None,
        };
        let key = self.rule.patterns()[usize::from(class)].key.of(name, visited.node)?;
        self.landmarks += 1;
        Some(Landmark { class, parent: visited.owner, key, node: visited.node })
    }

    /// Enters `visited`, if it can contain a landmark or an edge.
    fn open(&mut self, visited: &Found<'a, N>, owner: Option<u32>) {
        let node = visited.node;
        if !self.matcher.leads_on(visited.state) {
            return;
        }
        if let Some(gate) = &mut self.gate
            && !gate(node, visited.state, owner)
        {
            return;
        }
        let values: Box<dyn Iterator<Item = (Trail<'a>, N)> + 'a> = match node.kind() {
            Kind::Object => Box::new(node.entries().map(|(key, value)| (Trail::Entry(key), value))),
            Kind::List => Box::new(node.numbered_items().map(|(index, item)| (Trail::Item(index), item))),
            _ => return,
        };
        self.open.push(Open { values, state: visited.state, is_only: node.width() == 1, owner });
    }

    /// The next value that can be or contain a landmark or an edge.
    fn find(&mut self) -> Option<Found<'a, N>> {
        if let Some(node) = self.root.take() {
            return Some(Found {
                node,
                trail: Trail::Root,
                depth: 0,
                state: self.start.map_or(self.matcher.root(), |start| start.state),
                owner: self.start.map(|start| start.ordinal),
            });
        }
        loop {
            let depth = self.open.len();
            let open = self.open.last_mut()?;
            let Some((trail, node)) = open.values.next() else {
                self.open.pop();
                continue;
            };
            let state = match trail {
                Trail::Entry(key) if open.is_only => self.matcher.enter_only_key(open.state, key),
                Trail::Entry(key) => self.matcher.enter_key(open.state, key),
                _ => self.matcher.enter_item(open.state),
            };
            if !state.is_dead() {
                return Some(Found { node, trail, depth, state, owner: open.owner });
            }
        }
    }
}

impl<'a, N: Node<'a>> Iterator for Walk<'_, 'a, N> {
    type Item = Visited<'a, N>;

    fn next(&mut self) -> Option<Visited<'a, N>> {
        let is_start = self.root.is_some() && self.start.is_some();
        let visited = self.find()?;
        let ordinal = self.landmarks;
        let class = self.matcher.landmark(visited.state).filter(|_| !is_start);
        let landmark = class.and_then(|class| self.landmark(&visited, class));
        let owner = landmark.as_ref().map_or(visited.owner, |_| Some(ordinal));
        let edges = self.edges(&visited, owner);
        self.open(&visited, owner);
        let Found { node, trail, depth, .. } = visited;
        Some(Visited { node, trail, depth, class, landmark, edges })
    }
}
