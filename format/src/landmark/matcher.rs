//! Matches a landmark rule level by level, beside any walk over the document (§8.1).
//!
//! The paths of all patterns and edges form one tree of positions, with common prefixes merged. It
//! has at most 64 positions other than the root: one for each written segment. A group `(/a/b)*` is
//! a loop at a separate position:
//!
//! ```text
//!  /values/root_module(/child_modules/*)*/resources/*
//!
//!  0 ─values─ 1 ─root_module─ 2 ─ε─ 3 ─resources─ 5 ─any─ 6 landmark
//!                                  │▲
//!                     child_modules│└───any── 4
//!                                  └─────────▲
//! ```
//!
//! A value can be at several positions at once, so a [`State`] is a set of them, with one bit each.
//! The root is separate, because no path leads back to it.

use super::error::{LandmarkRuleError, LandmarkRuleErrorKind, RulePart};
use super::pattern::{Path, Segment, Step};
use super::{LandmarkRule, MAX_PATTERNS, MAX_SEGMENTS};

/// Determines for each value of a walk whether it is a landmark or an edge.
///
/// Costs one key comparison per position of the state: usually one or two, and none after the state
/// [is dead](State::is_dead).
///
/// ```
/// use coconut_format::landmark::{LandmarkRule, RuleMatcher};
///
/// let rule = LandmarkRule::parse(&["/resources/*[urn]"], None, &["parent=0/parent"])?;
/// let matcher = RuleMatcher::new(&rule);
///
/// // A writer that walks the document carries one `State` per level.
/// let resources = matcher.enter_key(matcher.root(), "resources");
/// let resource = matcher.enter_item(resources);
/// let parent = matcher.enter_key(resource, "parent");
/// assert_eq!(matcher.landmark(resource), Some(0));
/// assert_eq!(matcher.edges(parent), [0]);
///
/// // Nothing below `outputs` can be a landmark or an edge, so the walk need not look.
/// assert!(matcher.enter_key(resource, "outputs").is_dead());
/// # Ok::<(), coconut_format::landmark::LandmarkRuleError>(())
/// ```
#[derive(Clone, Debug)]
pub struct RuleMatcher {
    root: Position,
    /// All other positions, by their bit.
    positions: Vec<Position>,
    /// The groups that begin at the root.
    at_root: u64,
}

/// The state of a walk, for a [`RuleMatcher`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct State {
    is_root: bool,
    positions: u64,
}

#[derive(Clone, Debug, Default)]
struct Position {
    /// Segments with their targets. The state includes the positions that follow without a level.
    transitions: Vec<(Segment, u64)>,
    landmark: Option<u8>,
    /// Ascending.
    edges: Vec<u8>,
}

impl State {
    /// Whether nothing at or below this value can be a landmark or an edge.
    pub fn is_dead(self) -> bool {
        self.positions == 0 && !self.is_root
    }
}

impl RuleMatcher {
    /// Builds the matcher of a rule. Costs time and memory in proportion to the rule's text.
    pub fn new(rule: &LandmarkRule) -> RuleMatcher {
        let (mut builder, ends) = Builder::of_landmarks(rule);
        for (n, edge) in (0..).zip(rule.edges()) {
            let end = builder.lay(ends[usize::from(edge.class)], edge.path.steps());
            builder.positions[end].position.edges.push(n);
        }
        builder.close()
    }

    /// Builds the matcher of a rule without its edges.
    pub fn of_landmarks(rule: &LandmarkRule) -> RuleMatcher {
        Builder::of_landmarks(rule).0.close()
    }

    /// The state of the document's root.
    pub fn root(&self) -> State {
        State { is_root: true, positions: self.at_root }
    }

    /// The state of the entry `key` of the object in `state`, which also has other entries.
    pub fn enter_key(&self, state: State, key: &str) -> State {
        self.enter(state, |segment| match segment {
            Segment::Any => true,
            Segment::Entry(name) => name == key,
            Segment::OnlyEntry(_) => false,
        })
    }

    /// The state of the entry `key` of the object in `state`, which has no other entries.
    pub fn enter_only_key(&self, state: State, key: &str) -> State {
        self.enter(state, |segment| match segment {
            Segment::Any => true,
            Segment::Entry(name) | Segment::OnlyEntry(name) => name == key,
        })
    }

    /// The state of any item of the list in `state`.
    pub fn enter_item(&self, state: State) -> State {
        self.enter(state, |segment| matches!(segment, Segment::Any))
    }

    /// Whether a value below this one can be a landmark or an edge.
    pub fn leads_on(&self, state: State) -> bool {
        self.at(state).any(|position| !position.transitions.is_empty())
    }

    /// The class of the landmarks at `state`. The [`KeyRule`](super::KeyRule) decides whether this
    /// value is one.
    pub fn landmark(&self, state: State) -> Option<u8> {
        self.at(state).filter_map(|position| position.landmark).min()
    }

    /// The numbers of the edges at `state`, ascending. A string there leads to another landmark if
    /// it is a key.
    pub fn edges(&self, state: State) -> Vec<u8> {
        let mut numbers: Vec<u8> =
            self.at(state).flat_map(|position| position.edges.iter().copied()).collect();
        numbers.sort_unstable();
        numbers
    }

    fn enter(&self, state: State, matches: impl Fn(&Segment) -> bool) -> State {
        let mut next = 0;
        for position in self.at(state) {
            for (segment, targets) in &position.transitions {
                if matches(segment) {
                    next |= targets;
                }
            }
        }
        State { is_root: false, positions: next }
    }

    fn at(&self, state: State) -> impl Iterator<Item = &Position> {
        let mut left = state.positions;
        let others = std::iter::from_fn(move || {
            let position = self.positions.get(left.trailing_zeros() as usize)?;
            left &= left - 1;
            Some(position)
        });
        state.is_root.then_some(&self.root).into_iter().chain(others)
    }
}

/// Refuses a rule that is too large for a matcher.
pub(super) fn check(rule: &LandmarkRule) -> Result<(), LandmarkRuleError> {
    let mut segments = 0;
    let mut check = |number: usize, path: &Path, part: RulePart| {
        if number >= MAX_PATTERNS {
            return Err(LandmarkRuleErrorKind::TooMany { limit: MAX_PATTERNS }.at(0).within(part));
        }
        segments += path.steps().iter().map(written).sum::<usize>();
        match segments <= MAX_SEGMENTS {
            true => Ok(()),
            false => Err(LandmarkRuleErrorKind::TooManySegments.at(0).within(part)),
        }
    };
    for (number, pattern) in rule.patterns().iter().enumerate() {
        check(number, &pattern.path, RulePart::Pattern(number))?;
    }
    for (number, edge) in rule.edges().iter().enumerate() {
        check(number, &edge.path, RulePart::Edge(number))?;
    }
    Ok(())
}

/// The number of written segments of a step.
fn written(step: &Step) -> usize {
    match step {
        Step::One(_) => 1,
        Step::Repeat(segments) => segments.len(),
    }
}

/// Lays out positions. The root is number 0 here.
struct Builder {
    positions: Vec<Laid>,
    /// The last segment of each group: its start, and the position where the group loops. Separate
    /// from `targets`, because no path may share them: after `(/*)*`, a further `/*` must end
    /// elsewhere.
    returns: Vec<(usize, Segment, usize)>,
}

#[derive(Default)]
struct Laid {
    position: Position,
    /// The targets of its segments, before groups are followed.
    targets: Vec<(Segment, usize)>,
    /// Groups that begin here, each with the position where it loops.
    groups: Vec<(Vec<Segment>, usize)>,
}

impl Builder {
    /// Lays out the patterns of a rule, and returns the end of each.
    fn of_landmarks(rule: &LandmarkRule) -> (Builder, Vec<usize>) {
        let mut builder = Builder { positions: vec![Laid::default()], returns: Vec::new() };
        let mut ends = Vec::new();
        for (n, pattern) in (0..).zip(rule.patterns()) {
            let end = builder.lay(0, pattern.path.steps());
            builder.positions[end].position.landmark.get_or_insert(n);
            ends.push(end);
        }
        (builder, ends)
    }

    /// Lays out `steps` from position `from`, and returns their end.
    fn lay(&mut self, from: usize, steps: &[Step]) -> usize {
        steps.iter().fold(from, |at, step| match step {
            Step::One(segment) => self.follow(at, segment),
            Step::Repeat(segments) => self.group(at, segments),
        })
    }

    fn follow(&mut self, at: usize, segment: &Segment) -> usize {
        if let Some((_, target)) = self.positions[at].targets.iter().find(|(known, _)| known == segment) {
            return *target;
        }
        let target = self.add();
        self.positions[at].targets.push((segment.clone(), target));
        target
    }

    fn group(&mut self, at: usize, segments: &[Segment]) -> usize {
        if let Some((_, start)) = self.positions[at].groups.iter().find(|(known, _)| known == segments) {
            return *start;
        }
        let start = self.add();
        self.positions[at].groups.push((segments.to_vec(), start));
        let (last, others) = segments.split_last().expect("a group has a segment");
        let end = others.iter().fold(start, |at, segment| self.follow(at, segment));
        self.returns.push((end, last.clone(), start));
        start
    }

    fn add(&mut self) -> usize {
        self.positions.push(Laid::default());
        self.positions.len() - 1
    }

    /// The position, and those reached from it by zero rounds of groups, without the root.
    fn closure(&self, position: usize) -> u64 {
        let mut closure = 0;
        let mut left = vec![position];
        while let Some(position) = left.pop() {
            if let Some(bit) = position.checked_sub(1) {
                closure |= 1 << bit;
            }
            left.extend(self.positions[position].groups.iter().map(|(_, at)| at));
        }
        closure
    }

    fn close(mut self) -> RuleMatcher {
        for (from, segment, target) in std::mem::take(&mut self.returns) {
            self.positions[from].targets.push((segment, target));
        }
        let of_position = |laid: &Laid| {
            let to = |(segment, target): &(Segment, usize)| (segment.clone(), self.closure(*target));
            Position { transitions: laid.targets.iter().map(to).collect(), ..laid.position.clone() }
        };
        let mut positions = self.positions.iter().map(of_position);
        let root = positions.next().unwrap_or_default();
        RuleMatcher { root, positions: positions.collect(), at_root: self.closure(0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pattern and the edges that end at `path`. In it a list item is `#`, and `!` precedes the
    /// key of an only entry.
    #[track_caller]
    fn matched(patterns: &[&str], edges: &[&str], path: &str) -> (Option<u8>, Vec<u8>) {
        let matcher = RuleMatcher::new(&LandmarkRule::parse(patterns, None, edges).unwrap());
        let state =
            path.split('/').skip(1).fold(matcher.root(), |state, step| match step.strip_prefix('!') {
                Some(key) => matcher.enter_only_key(state, key),
                None if step == "#" => matcher.enter_item(state),
                None => matcher.enter_key(state, step),
            });
        (matcher.landmark(state), matcher.edges(state))
    }

    #[test]
    fn any_matches_entries_and_items_of_one_level() {
        let patterns = ["/a/*/b/*[id]"];
        assert_eq!(matched(&patterns, &[], "/a/x/b/#"), (Some(0), vec![]));
        assert_eq!(matched(&patterns, &[], "/a/#/b/y"), (Some(0), vec![]));
        assert_eq!(matched(&patterns, &[], "/a/x/y/b/#"), (None, vec![]));
        assert_eq!(matched(&patterns, &[], "/a/x/b"), (None, vec![]));
    }

    #[test]
    fn a_key_matches_no_item() {
        assert_eq!(matched(&["/a/0"], &[], "/a/0"), (Some(0), vec![]));
        assert_eq!(matched(&["/a/0"], &[], "/a/#"), (None, vec![]));
    }

    #[test]
    fn a_group_matches_zero_or_more_rounds() {
        let patterns = ["/root(/child_modules/*)*/resources/*[address]"];
        assert_eq!(matched(&patterns, &[], "/root/resources/#").0, Some(0));
        assert_eq!(matched(&patterns, &[], "/root/child_modules/#/resources/#").0, Some(0));
        assert_eq!(matched(&patterns, &[], "/root/child_modules/#/child_modules/#/resources/#").0, Some(0));
        assert_eq!(matched(&patterns, &[], "/root/child_modules/resources/#").0, None);
        assert_eq!(matched(&patterns, &[], "/root/resources/#/resources/#").0, None);
    }

    #[test]
    fn a_segment_after_a_group_is_not_a_round_of_it() {
        let patterns = ["/a(/*)*/*[id]"];
        assert_eq!(matched(&patterns, &[], "/a").0, None);
        assert_eq!(matched(&patterns, &[], "/a/b").0, Some(0));
        assert_eq!(matched(&patterns, &[], "/a/b/c").0, Some(0));
        let patterns = ["/r(/a/*)*/a/*"];
        assert_eq!(matched(&patterns, &[], "/r").0, None);
        assert_eq!(matched(&patterns, &[], "/r/a/x/a/y").0, Some(0));
    }

    #[test]
    fn one_group_serves_the_patterns_that_share_it() {
        let patterns = ["/r(/m/*)*/a/*", "/r(/m/*)*/b/*"];
        assert_eq!(matched(&patterns, &[], "/r/m/#/a/x").0, Some(0));
        assert_eq!(matched(&patterns, &[], "/r/b/x").0, Some(1));
    }

    #[test]
    fn edges_continue_the_path_of_their_class() {
        let edges = ["parent=0/parent", "ref=0(/*)*/{#ref}"];
        assert_eq!(matched(&["/v/*"], &edges, "/v/a/parent"), (None, vec![0]));
        assert_eq!(matched(&["/v/*"], &edges, "/v/a/!#ref"), (None, vec![1]));
        assert_eq!(matched(&["/v/*"], &edges, "/v/a/p/#/q/!#ref"), (None, vec![1]));
        assert_eq!(matched(&["/v/*"], &edges, "/v/!#ref"), (Some(0), vec![]));
    }

    #[test]
    fn an_only_entry_is_alone_in_its_object() {
        let edges = ["ref=0/{a}", "deep=0/{a}/b"];
        assert_eq!(matched(&["/v/*"], &edges, "/v/x/a"), (None, vec![]));
        assert_eq!(matched(&["/v/*"], &edges, "/v/x/!a"), (None, vec![0]));
        assert_eq!(matched(&["/v/*"], &edges, "/v/x/!a/b"), (None, vec![1]));
        assert_eq!(matched(&["/v/*"], &edges, "/v/x/a/b"), (None, vec![]));
    }

    #[test]
    fn all_edges_that_match_count() {
        let edges = ["any=0/*", "one=0/a", "same=0/*"];
        assert_eq!(matched(&["/v/*"], &edges, "/v/x/a"), (None, vec![0, 1, 2]));
        assert_eq!(matched(&["/v/*"], &edges, "/v/x/b"), (None, vec![0, 2]));
    }

    #[test]
    fn the_first_of_two_patterns_that_match_counts() {
        assert_eq!(matched(&["/a/*", "/*/b"], &[], "/a/b").0, Some(0));
        assert_eq!(matched(&["/*/b", "/a/*"], &[], "/a/b").0, Some(0));
        assert_eq!(matched(&["/*/b", "/a/*"], &[], "/a/c").0, Some(1));
    }

    #[test]
    fn a_rule_of_as_many_segments_as_are_allowed_has_a_position_for_each() {
        // The last position uses the last bit, and the root none of them.
        let long = format!("{}/*", "/a".repeat(63));
        let path = format!("{}/x", "/a".repeat(63));
        assert_eq!(matched(&[&long], &[], &path), (Some(0), vec![]));
        let rule = LandmarkRule::parse(&["[id]"], None, &[&format!("e=0{}", "(/*)*".repeat(64))]).unwrap();
        let matcher = RuleMatcher::new(&rule);
        let (root, inner) = (matcher.root(), matcher.enter_item(matcher.root()));
        assert_eq!((root.positions, inner.positions), (u64::MAX, u64::MAX));
        assert_eq!((matcher.landmark(root), matcher.landmark(inner)), (Some(0), None));
        assert_eq!((matcher.edges(root), matcher.edges(inner)), (vec![0], vec![0]));
    }

    #[test]
    fn a_state_dies_if_no_match_can_follow() {
        let matcher = RuleMatcher::new(&LandmarkRule::parse(&["/a/*"], None, &[]).unwrap());
        assert!(matcher.enter_key(matcher.root(), "b").is_dead());
        assert!(matcher.enter_item(matcher.root()).is_dead());
        assert!(!matcher.enter_key(matcher.root(), "a").is_dead());
    }
}
