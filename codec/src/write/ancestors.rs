//! Containers on the path from the root to the landmarks of a document (§8.1).
//!
//! These *ancestors* of landmarks must be written in place, so that each landmark has an offset of
//! its own. Everything else may be shared.

use crate::write::interner::{ContainerIndex, Handle, Interned, InternedNode};
use coconut_format::landmark::{LandmarkRule, RuleMatcher, State};
use foldhash::fast::RandomState;
use hashbrown::HashSet;

/// Index into [`Ancestors::places`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PlaceIndex(u32);

/// One ancestor, at one position of the document.
pub(crate) struct Place {
    pub(crate) container: ContainerIndex,
    /// The children that are landmarks or ancestors, by position.
    pub(crate) entries: Vec<Entry>,
    /// Whether a child of this container is a landmark.
    pub(crate) holds_landmarks: bool,
}

/// A child of a [`Place`] that is a landmark, a place, or both.
#[derive(Clone, Copy)]
pub(crate) struct Entry {
    /// Position among the children.
    pub(crate) child: u32,
    pub(crate) is_landmark: bool,
    pub(crate) place: Option<PlaceIndex>,
}

/// The containers that lead to the landmarks of a document.
pub(crate) struct Ancestors {
    places: Vec<Place>,
    root: Option<PlaceIndex>,
    root_is_landmark: bool,
}

impl Ancestors {
    /// A document without landmarks.
    pub(crate) fn empty() -> Ancestors {
        Ancestors { places: Vec::new(), root: None, root_is_landmark: false }
    }

    /// Finds the ancestors of the landmarks that `rule` finds in `document`, without recursion.
    ///
    /// Linear in the size of `document` and in the sizes of the ancestors. A container without
    /// landmarks is walked once, however often the document repeats it.
    pub(crate) fn find(document: &Interned, rule: &LandmarkRule) -> Ancestors {
        if rule.is_empty() {
            return Ancestors::empty();
        }
        let mut walk = Walk::new(document, rule);
        walk.run();
        walk.ancestors
    }

    pub(crate) fn root(&self) -> Option<PlaceIndex> {
        self.root
    }

    pub(crate) fn root_is_landmark(&self) -> bool {
        self.root_is_landmark
    }

    pub(crate) fn place(&self, index: PlaceIndex) -> &Place {
        &self.places[index.0 as usize]
    }

    pub(crate) fn places(&self) -> &[Place] {
        &self.places
    }
}

struct Walk<'a> {
    document: &'a Interned,
    rule: &'a LandmarkRule,
    matcher: RuleMatcher,
    ancestors: Ancestors,
    /// Containers without landmarks, with the state of the rule in which they were walked.
    barren: HashSet<(ContainerIndex, State), RandomState>,
}

/// A container whose children are not all visited yet.
struct Frame {
    place: PlaceIndex,
    state: State,
    next: u32,
}

impl<'a> Walk<'a> {
    fn new(document: &'a Interned, rule: &'a LandmarkRule) -> Self {
        // Edges are below landmarks, where nothing needs to be in place.
        let matcher = RuleMatcher::new(&rule.without_edges());
        Walk { document, rule, matcher, ancestors: Ancestors::empty(), barren: HashSet::default() }
    }

    fn run(&mut self) {
        let root = self.document.root();
        let state = self.matcher.root();
        self.ancestors.root_is_landmark = self.is_landmark(state, root, None);
        let Some(container) = root.container() else { return };
        let place = self.open(container);
        self.ancestors.root = Some(place);
        let mut stack = vec![Frame { place, state, next: 0 }];
        while let Some(frame) = stack.last_mut() {
            match self.advance(frame) {
                Some(inner) => stack.push(inner),
                None => {
                    let walked = stack.pop().map(|frame| (frame.place, frame.state));
                    if let Some((place, state)) =
                        walked.filter(|&(place, _)| self.ancestors.place(place).entries.is_empty())
                    {
                        self.close_barren(place, state, stack.last());
                    }
                }
            }
        }
    }

    /// Removes a place that turned out to have no landmarks. It is the last one, since the places
    /// in it were already removed.
    fn close_barren(&mut self, place: PlaceIndex, state: State, around: Option<&Frame>) {
        debug_assert_eq!(place.0 as usize + 1, self.ancestors.places.len());
        self.barren.extend(self.ancestors.places.pop().map(|place| (place.container, state)));
        let Some(around) = around else {
            self.ancestors.root = None;
            return;
        };
        let entries = &mut self.ancestors.places[around.place.0 as usize].entries;
        entries.pop_if(|entry| !entry.is_landmark);
        if let Some(entry) = entries.last_mut().filter(|entry| entry.place == Some(place)) {
            entry.place = None;
        }
    }

    fn open(&mut self, container: ContainerIndex) -> PlaceIndex {
        let index =
            u32::try_from(self.ancestors.places.len()).expect("no more places than values of the document");
        self.ancestors.places.push(Place { container, entries: Vec::new(), holds_landmarks: false });
        PlaceIndex(index)
    }

    /// Moves to the next child that may be an ancestor, and records the landmarks before it.
    fn advance(&mut self, frame: &mut Frame) -> Option<Frame> {
        let container = self.ancestors.place(frame.place).container;
        let children = self.document.children(container);
        let keys = self.document.keys(container);
        while let Some(&child) = children.get(frame.next as usize) {
            let position = frame.next;
            frame.next += 1;
            let key = keys.map(|keys| self.document.text(keys[position as usize]));
            let state = match key {
                Some(key) => self.matcher.enter_key(frame.state, key),
                None => self.matcher.enter_item(frame.state),
            };
            if state.is_dead() {
                continue;
            }
            let is_landmark = self.is_landmark(state, child, key);
            let leads_on = self.matcher.leads_on(state);
            let inner = child.container().filter(|&inner| leads_on && !self.barren.contains(&(inner, state)));
            let place = inner.map(|container| self.open(container));
            if is_landmark || place.is_some() {
                let around = &mut self.ancestors.places[frame.place.0 as usize];
                around.holds_landmarks |= is_landmark;
                around.entries.push(Entry { child: position, is_landmark, place });
            }
            if let Some(place) = place {
                return Some(Frame { place, state, next: 0 });
            }
        }
        None
    }

    fn is_landmark(&self, state: State, handle: Handle, key: Option<&str>) -> bool {
        let class =
            self.matcher.landmark(state).and_then(|class| self.rule.patterns().get(usize::from(class)));
        class.is_some_and(|pattern| {
            pattern.key().of(key, InternedNode { document: self.document, handle }).is_some()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::json;
    use crate::write::interner::Interner;

    fn interned_of(text: &str) -> Interned {
        let mut interner = Interner::new();
        json::read(text.as_bytes(), &mut interner, &json::JsonOptions::default()).expect("the text is JSON");
        interner.finish().unwrap()
    }

    /// Each place with the positions of its entries: `L` for a landmark, `→` and a number for a
    /// place.
    fn ancestors_of(text: &str, patterns: &[&str]) -> (Option<u32>, Vec<String>) {
        let rule = LandmarkRule::parse(patterns, None, &[]).expect("the patterns are a rule");
        let ancestors = Ancestors::find(&interned_of(text), &rule);
        let described = |entry: &Entry| {
            let landmark = if entry.is_landmark { "L" } else { "" };
            let place = entry.place.map_or(String::new(), |place| format!("→{}", place.0));
            format!("{}{landmark}{place}", entry.child)
        };
        let place = |place: &Place| place.entries.iter().map(described).collect::<Vec<_>>().join(" ");
        (ancestors.root().map(|root| root.0), ancestors.places().iter().map(place).collect())
    }

    fn places(places: &[&str]) -> (Option<u32>, Vec<String>) {
        (Some(0), places.iter().map(|&place| place.to_owned()).collect())
    }

    #[test]
    fn the_way_to_a_landmark_is_in_place() {
        let text = r#"{"a": 1, "b": [{"x": 1}, {"y": [2]}, {"x": []}]}"#;
        assert_eq!(ancestors_of(text, &["/b/*/x"]), places(&["1→1", "0→2 2→3", "0L", "0L"]));
        assert_eq!(ancestors_of(text, &["/b", "/b/*/x"]), places(&["1L→1", "0→2 2→3", "0L", "0L"]));
    }

    #[test]
    fn what_leads_to_no_landmark_is_not() {
        // After the path to one, before it, and on it.
        let text = r#"{"a": {"a": []}, "b": [[1], {"x": 1}, [[[2]]]], "c": {"a": {"x": {"a": []}}}}"#;
        let expected = places(&["1→1 2→3", "1→2", "0L", "0→4", "0L"]);
        assert_eq!(ancestors_of(text, &["(/*)*/x"]), expected);
        assert_eq!(ancestors_of(text, &["(/*)*/y"]), (None, vec![]));
        assert_eq!(ancestors_of("[]", &["(/*)*/y"]), (None, vec![]));
        assert_eq!(ancestors_of("1", &["(/*)*/y"]), (None, vec![]));
        // A landmark that could contain others, but does not.
        assert_eq!(ancestors_of(r#"{"p": {"n": {}}, "q": []}"#, &["/*", "/*/*/*"]), places(&["0L 1L"]));
    }

    #[test]
    fn the_root_may_be_a_landmark() {
        let rule = LandmarkRule::parse(&["(/*)*[id]"], None, &[]).expect("the pattern is a rule");
        let of_root = |text: &str| {
            let ancestors = Ancestors::find(&interned_of(text), &rule);
            (ancestors.root_is_landmark(), ancestors.root().map(|root| root.0))
        };
        assert_eq!(of_root(r#"{"id": "r"}"#), (true, None), "there is no way to it");
        assert_eq!(of_root(r#"{"id": "r", "in": {"id": "i"}}"#), (true, Some(0)));
        assert_eq!(of_root(r#"{"id": 1, "in": {"id": "i"}}"#), (false, Some(0)));
        assert_eq!(of_root(r#"{"id": 1}"#), (false, None));
    }

    #[test]
    fn a_place_knows_whether_landmarks_are_in_it() {
        let rule = LandmarkRule::parse(&["/a", "/b/*/x"], None, &[]).expect("the patterns are a rule");
        let of_places = |text: &str| {
            let ancestors = Ancestors::find(&interned_of(text), &rule);
            ancestors.places().iter().map(|place| place.holds_landmarks).collect::<Vec<_>>()
        };
        assert_eq!(of_places(r#"{"b": [{"x": 1, "y": 2}]}"#), [false, false, true]);
        assert_eq!(
            of_places(r#"{"a": 1, "b": [{"x": 1}]}"#),
            [true, false, true],
            "one before the way to another"
        );
    }

    #[test]
    fn what_no_pattern_leads_into_is_not_walked() {
        let document = interned_of(r#"{"a": [1], "b": {"c": []}}"#);
        let rule = LandmarkRule::parse(&["/a", "/b/c/d"], None, &[]).expect("the patterns are a rule");
        let mut walk = Walk::new(&document, &rule);
        walk.run();
        assert_eq!((walk.barren.len(), walk.ancestors.places.len()), (2, 1), "/b and /b/c lead to nothing");
    }

    #[test]
    fn the_same_container_is_barren_for_one_pattern_and_not_for_another() {
        let text = r#"{"a": [{"x": 1}], "b": [{"x": 1}], "c": [{"x": 1}], "d": {"a": [{"x": 1}]}}"#;
        assert_eq!(ancestors_of(text, &["/a/*/y", "/b/*/x", "/c/*/y"]), places(&["1→1", "0→2", "0L"]));
    }

    #[test]
    fn what_is_shared_and_barren_is_walked_once() {
        let mut text = "[1]".to_owned();
        for _ in 0..12 {
            text = format!("[{text},{text}]");
        }
        let document = interned_of(&text);
        let rule = LandmarkRule::parse(&["(/*)*/x"], None, &[]).expect("the pattern is a rule");
        let mut walk = Walk::new(&document, &rule);
        walk.run();
        assert_eq!((walk.barren.len(), walk.ancestors.places.len()), (13, 0));
        // A container known to be barren is not visited again, although it has landmarks here.
        let document = interned_of(r#"[[{"x": 1}]]"#);
        let inner = document.root().container().and_then(|root| document.children(root)[0].container());
        let mut walk = Walk::new(&document, &rule);
        let state = walk.matcher.enter_item(walk.matcher.root());
        walk.barren.insert((inner.expect("a list in a list"), state));
        walk.run();
        assert_eq!((walk.ancestors.root(), walk.ancestors.places.len()), (None, 0));
    }
}
