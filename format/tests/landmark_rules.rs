//! §8.1 Landmark rules: any text, and any path against the plain meaning of a pattern.

use coconut_format::landmark::{LandmarkRule, RuleMatcher, Segment, Step};
use proptest::prelude::*;

/// One level of a walk.
#[derive(Clone, Debug)]
enum Level {
    Entry(&'static str),
    Item,
}

fn levels() -> impl Strategy<Value = Vec<Level>> {
    let level = prop_oneof![Just(Level::Entry("a")), Just(Level::Entry("b")), Just(Level::Item)];
    prop::collection::vec(level, 0..6)
}

/// Texts of patterns that are well formed, over the keys `a` and `b`.
fn patterns() -> impl Strategy<Value = String> {
    let segment = prop_oneof![Just("/a"), Just("/b"), Just("/*")];
    let group =
        prop::collection::vec(segment.clone(), 1..3).prop_map(|group| format!("({})*", group.concat()));
    let step = prop_oneof![3 => segment.prop_map(str::to_owned), 1 => group];
    prop::collection::vec(step, 0..5).prop_map(|steps| format!("{}[id]", steps.concat()))
}

/// What a path means, without any cleverness: every way to take each group is tried.
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
        (Segment::Entry(key) | Segment::OnlyEntry(key), Level::Entry(name)) => key == name,
        (_, Level::Item) => false,
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
    fn a_matcher_says_what_the_patterns_mean(
        texts in prop::collection::btree_set(patterns(), 1..4),
        levels in levels(),
    ) {
        let texts: Vec<String> = texts.into_iter().collect();
        let rule = LandmarkRule::parse(&texts, None, &[]).unwrap();
        let matcher = RuleMatcher::new(&rule);
        let state = levels.iter().fold(matcher.root(), |state, level| match level {
            Level::Entry(key) => matcher.enter_key(state, key),
            Level::Item => matcher.enter_item(state),
        });
        let first = rule.patterns().iter().position(|pattern| matches(pattern.path().steps(), &levels));
        prop_assert_eq!(matcher.landmark(state).map(usize::from), first);
    }
}
