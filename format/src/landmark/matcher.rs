//! Matches a landmark rule level by level, beside any walk over the document (§8.1).
//!
//! The paths of all patterns and edges make one tree of at most 64 positions, in which equal
//! beginnings are one. A group `(/a/b)*` is a loop at a position of its own:
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
//! A value is at several positions at once, so a [`State`] is a set of them: one bit each.

use super::error::{LandmarkRuleError, LandmarkRuleErrorKind, RulePart};
use super::pattern::{Path, Segment, Step};
use super::{LandmarkRule, MAX_PATTERNS, MAX_POSITIONS, Pattern};

/// Tells for each value of a walk whether it is a landmark or an edge.
///
/// Costs one key comparison per position of the state: usually one or two, and none after the state
/// [is dead](State::is_dead).
#[derive(Clone, Debug)]
pub struct RuleMatcher {
    positions: Vec<Position>,
}

/// The state of a walk, for a [`RuleMatcher`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct State(u64);

#[derive(Clone, Debug, Default)]
struct Position {
    /// Segments and where each leads. The state includes the positions that follow without a level.
    transitions: Vec<(Segment, u64)>,
    /// Groups that begin here, each with the position where it loops.
    groups: Vec<(Vec<Segment>, usize)>,
    landmark: Option<u8>,
    /// Ascending.
    edges: Vec<u8>,
}

impl State {
    /// Whether nothing at or below this value can be a landmark or an edge.
    pub fn is_dead(self) -> bool {
        self.0 == 0
    }
}

impl RuleMatcher {
    /// The matcher of a rule. Costs time and memory in proportion to the rule's text.
    pub fn new(rule: &LandmarkRule) -> RuleMatcher {
        build(rule).expect("a `LandmarkRule` was checked when it was made")
    }

    /// The state of the document's root.
    pub fn root(&self) -> State {
        State(self.closure(0))
    }

    /// The state of the entry `key` of the object in `state`, which has other entries too.
    pub fn enter_key(&self, state: State, key: &str) -> State {
        self.enter(state, |segment| match segment {
            Segment::Any => true,
            Segment::Entry(name) => name == key,
            Segment::OnlyEntry(_) => false,
        })
    }

    /// The state of the entry `key` of the object in `state`, which has no other.
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

    /// The class of the landmarks at `state`. The [`Key`](super::Key) decides whether this value is
    /// one.
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
        State(next)
    }

    fn at(&self, state: State) -> impl Iterator<Item = &Position> {
        let mut left = state.0;
        std::iter::from_fn(move || {
            let position = self.positions.get(left.trailing_zeros() as usize)?;
            left &= left - 1;
            Some(position)
        })
    }

    /// The position, and those that a group of no rounds leads to from it.
    fn closure(&self, position: usize) -> u64 {
        let mut closure = 0;
        let mut left = vec![position];
        while let Some(position) = left.pop() {
            closure |= 1 << position;
            left.extend(self.positions[position].groups.iter().map(|(_, at)| at));
        }
        closure
    }
}

/// Refuses a rule that is too large for a matcher.
pub(super) fn check(rule: &LandmarkRule) -> Result<(), LandmarkRuleError> {
    // Every file that is opened comes by here. Nearly every rule is within the limits even if no
    // beginnings are equal, which shows without building anything.
    let edges_and_patterns =
        rule.edges().iter().map(|edge| &edge.path).chain(rule.patterns().iter().map(Pattern::path));
    let positions: usize = edges_and_patterns.map(most_positions).sum();
    let few = rule.patterns().len() <= MAX_PATTERNS && rule.edges().len() <= MAX_PATTERNS;
    match few && positions < MAX_POSITIONS {
        true => Ok(()),
        false => build(rule).map(drop),
    }
}

/// How many positions a path adds if no other begins alike.
fn most_positions(path: &Path) -> usize {
    let of_step = |step: &Step| match step {
        Step::One(_) => 1,
        // One to loop at, and one after each segment except the last.
        Step::Repeat(segments) => segments.len(),
    };
    path.steps().iter().map(of_step).sum()
}

fn build(rule: &LandmarkRule) -> Result<RuleMatcher, LandmarkRuleError> {
    let mut builder =
        Builder { positions: vec![Position::default()], targets: vec![Vec::new()], returns: Vec::new() };
    let mut ends = Vec::new();
    for (n, pattern) in (0..).zip(rule.patterns()) {
        let part = RulePart::Pattern(n.into());
        let end = builder.lay(0, pattern.path.steps(), part)?;
        within_limit(n, part)?;
        builder.positions[end].landmark.get_or_insert(n);
        ends.push(end);
    }
    for (n, edge) in (0..).zip(rule.edges()) {
        let part = RulePart::Edge(n.into());
        let end = builder.lay(ends[usize::from(edge.class)], edge.path.steps(), part)?;
        within_limit(n, part)?;
        builder.positions[end].edges.push(n);
    }
    Ok(builder.close())
}

fn within_limit(number: u8, part: RulePart) -> Result<(), LandmarkRuleError> {
    match usize::from(number) < MAX_PATTERNS {
        true => Ok(()),
        false => Err(LandmarkRuleErrorKind::TooMany { limit: MAX_PATTERNS }.at(0).within(part)),
    }
}

struct Builder {
    positions: Vec<Position>,
    /// For each position, where its segments lead, before groups are followed.
    targets: Vec<Vec<(Segment, usize)>>,
    /// The last segment of each group: where it starts, and where the group loops. Kept apart from
    /// `targets`, because no path may share them: after `(/*)*`, a further `/*` must end elsewhere.
    returns: Vec<(usize, Segment, usize)>,
}

impl Builder {
    /// Lays `steps` from position `from`, and returns their end.
    fn lay(&mut self, from: usize, steps: &[Step], part: RulePart) -> Result<usize, LandmarkRuleError> {
        steps.iter().try_fold(from, |at, step| match step {
            Step::One(segment) => self.follow(at, segment, part),
            Step::Repeat(segments) => self.group(at, segments, part),
        })
    }

    fn follow(&mut self, at: usize, segment: &Segment, part: RulePart) -> Result<usize, LandmarkRuleError> {
        if let Some((_, target)) = self.targets[at].iter().find(|(known, _)| known == segment) {
            return Ok(*target);
        }
        let target = self.add(part)?;
        self.targets[at].push((segment.clone(), target));
        Ok(target)
    }

    fn group(&mut self, at: usize, segments: &[Segment], part: RulePart) -> Result<usize, LandmarkRuleError> {
        if let Some((_, start)) = self.positions[at].groups.iter().find(|(known, _)| known == segments) {
            return Ok(*start);
        }
        let start = self.add(part)?;
        self.positions[at].groups.push((segments.to_vec(), start));
        let (last, others) = segments.split_last().expect("a group has a segment");
        let end = others.iter().try_fold(start, |at, segment| self.follow(at, segment, part))?;
        self.returns.push((end, last.clone(), start));
        Ok(start)
    }

    fn add(&mut self, part: RulePart) -> Result<usize, LandmarkRuleError> {
        if self.positions.len() == MAX_POSITIONS {
            return Err(LandmarkRuleErrorKind::TooManyPositions.at(0).within(part));
        }
        self.positions.push(Position::default());
        self.targets.push(Vec::new());
        Ok(self.positions.len() - 1)
    }

    fn close(mut self) -> RuleMatcher {
        for (from, segment, target) in self.returns {
            self.targets[from].push((segment, target));
        }
        let mut matcher = RuleMatcher { positions: self.positions };
        for (position, targets) in self.targets.into_iter().enumerate() {
            matcher.positions[position].transitions =
                targets.into_iter().map(|(segment, target)| (segment, matcher.closure(target))).collect();
        }
        matcher
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
    fn a_state_dies_if_no_match_can_follow() {
        let matcher = RuleMatcher::new(&LandmarkRule::parse(&["/a/*"], None, &[]).unwrap());
        assert!(matcher.enter_key(matcher.root(), "b").is_dead());
        assert!(matcher.enter_item(matcher.root()).is_dead());
        assert!(!matcher.enter_key(matcher.root(), "a").is_dead());
    }
}
