//! §8.1 Landmark rules: arbitrary texts, and arbitrary paths compared with a naive implementation
//! of patterns.

use coconut_format::landmark::{LandmarkRule, RuleMatcher, Segment, Step};
use proptest::prelude::*;

/// One level of a walk.
#[derive(Clone, Debug)]
enum Level {
    Entry(&'static str),
    OnlyEntry(&'static str),
    Item,
}

fn levels() -> impl Strategy<Value = Vec<Level>> {
    let key = prop_oneof![Just("a"), Just("b")];
    let level =
        prop_oneof![key.clone().prop_map(Level::Entry), key.prop_map(Level::OnlyEntry), Just(Level::Item)];
    prop::collection::vec(level, 0..6)
}

/// Texts of paths of edges, over the keys `a` and `b`.
fn paths() -> impl Strategy<Value = String> {
    let segment = prop_oneof![Just("/a"), Just("/b"), Just("/*"), Just("/{a}")];
    let group =
        prop::collection::vec(segment.clone(), 1..3).prop_map(|group| format!("({})*", group.concat()));
    let step = prop_oneof![3 => segment.prop_map(str::to_owned), 1 => group];
    prop::collection::vec(step, 1..5).prop_map(|steps| steps.concat())
}

/// The naive meaning of a path: tries every way to match each group.
fn matches(steps: &[Step], levels: &[Level]) -> bool {
    let Some((step, rest)) = steps.split_first() else { return levels.is_empty() };
    match step {
        Step::One(segment) => {
            levels.split_first().is_some_and(|(level, below)| fits(segment, level) && matches(rest, below))
        }
        Step::Repeat(group) => {
            let round = levels.split_at_checked(group.len());
            matches(rest, levels)
                || round.is_some_and(|(round, below)| {
                    group.iter().zip(round).all(|(segment, level)| fits(segment, level))
                        && matches(steps, below)
                })
        }
    }
}

fn fits(segment: &Segment, level: &Level) -> bool {
    match (segment, level) {
        (Segment::Any, _) => true,
        (Segment::Entry(key), Level::Entry(name) | Level::OnlyEntry(name)) => key == name,
        (Segment::OnlyEntry(key), Level::OnlyEntry(name)) => key == name,
        (Segment::OnlyEntry(_), Level::Entry(_)) | (_, Level::Item) => false,
    }
}

proptest! {
    #[test]
    fn a_text_that_is_read_is_written_back(text in "[a~/*()\\[\\]{}=|<01é]{0,12}|e=0[a/*({}<~0)]{0,10}") {
        if let Ok(rule) = LandmarkRule::parse(&[text.as_str()], None, &[]) {
            prop_assert_eq!(rule.patterns()[0].to_string(), text.clone());
        }
        if let Ok(rule) = LandmarkRule::parse(&["/x"], None, &[text.as_str()]) {
            prop_assert_eq!(rule.edges()[0].to_string(), text);
        }
    }

    #[test]
    fn a_matcher_says_what_the_paths_mean(paths in prop::collection::vec(paths(), 1..4), levels in levels()) {
        // The same paths as patterns, if allowed there, and as edges of the root.
        let patterns: Vec<String> =
            paths.iter().filter(|path| !path.contains('{')).map(|path| format!("{path}[id]")).collect();
        let edges: Vec<String> = paths.iter().map(|path| format!("e=0{path}")).collect();
        let of_root = RuleMatcher::new(&LandmarkRule::parse(&["[id]"], None, &edges.iter().map(String::as_str).collect::<Vec<_>>()).unwrap());
        let matcher = RuleMatcher::new(&LandmarkRule::parse(&patterns, None, &[]).unwrap());
        let walk = |matcher: &RuleMatcher| levels.iter().fold(matcher.root(), |state, level| match level {
            Level::Entry(key) => matcher.enter_key(state, key),
            Level::OnlyEntry(key) => matcher.enter_only_key(state, key),
            Level::Item => matcher.enter_item(state),
        });
        let is_match = |text: &str| {
            let rule = LandmarkRule::parse(&["[id]"], None, &[format!("e=0{text}").as_str()]).unwrap();
            matches(rule.edges()[0].path().steps(), &levels)
        };
        let expected: Vec<u8> = (0..).zip(&paths).filter(|(_, path)| is_match(path)).map(|(n, _)| n).collect();
        prop_assert_eq!(of_root.edges(walk(&of_root)), expected);
        let first = patterns.iter().position(|pattern| is_match(pattern.strip_suffix("[id]").unwrap()));
        prop_assert_eq!(matcher.landmark(walk(&matcher)).map(usize::from), first);
    }
}
