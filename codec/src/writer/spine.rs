//! §8.1 Landmarks, found in a document by its rule.
//!
//! The *spine* is what must be written in place so that landmarks have an offset of their own: the containers
//! on the way from the root to a landmark. Everything beside the spine may be shared.

use crate::dag::{ContainerIndex, Dag, DagNode, Handle};
use coconut_format::landmark::{LandmarkRule, RuleMatcher, State};

/// Index into [`Spine::places`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PlaceIndex(u32);

/// One container on the spine, at one position of the document.
pub(crate) struct Place {
    pub(crate) container: ContainerIndex,
    /// The children that are landmarks or on the spine, by position.
    pub(crate) entries: Vec<Entry>,
    /// Whether a child of this container is a landmark.
    pub(crate) holds_landmarks: bool,
}

/// A child of a [`Place`] that is a landmark, or a place, or both.
#[derive(Clone, Copy)]
pub(crate) struct Entry {
    /// Position among the children.
    pub(crate) child: u32,
    pub(crate) is_landmark: bool,
    pub(crate) place: Option<PlaceIndex>,
}

/// The containers that lead to the landmarks of a document.
pub(crate) struct Spine {
    places: Vec<Place>,
    root: Option<PlaceIndex>,
    root_is_landmark: bool,
}

impl Spine {
    /// A document without landmarks.
    pub(crate) fn empty() -> Spine {
        Spine { places: Vec::new(), root: None, root_is_landmark: false }
    }

    /// Walks the parts of `dag` in which `rule` can find landmarks. Linear in their size; no recursion.
    pub(crate) fn find(dag: &Dag, rule: &LandmarkRule) -> Spine {
        if rule.is_empty() {
            return Spine::empty();
        }
        // Edges lie below landmarks, where nothing must be in place.
        let patterns = LandmarkRule::new(rule.patterns().to_vec(), None, Vec::new());
        let patterns = patterns.expect("the patterns of a rule are a rule");
        Walk { dag, rule, matcher: RuleMatcher::new(&patterns), spine: Spine::empty() }.run()
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
    dag: &'a Dag,
    rule: &'a LandmarkRule,
    matcher: RuleMatcher,
    spine: Spine,
}

/// A container whose children are still to be looked at.
struct Frame {
    place: PlaceIndex,
    state: State,
    next: u32,
}

impl Walk<'_> {
    fn run(mut self) -> Spine {
        let root = self.dag.root();
        let state = self.matcher.root();
        self.spine.root_is_landmark = self.is_landmark(state, root, None);
        let Some(container) = root.container() else { return self.spine };
        let place = self.open(container);
        self.spine.root = Some(place);
        let mut stack = vec![Frame { place, state, next: 0 }];
        while let Some(frame) = stack.last_mut() {
            match self.advance(frame) {
                Some(inner) => stack.push(inner),
                None => {
                    stack.pop();
                }
            }
        }
        self.spine
    }

    fn open(&mut self, container: ContainerIndex) -> PlaceIndex {
        let index =
            u32::try_from(self.spine.places.len()).expect("no more places than values of the document");
        self.spine.places.push(Place { container, entries: Vec::new(), holds_landmarks: false });
        PlaceIndex(index)
    }

    /// Goes on to the next child that is itself on the spine, noting the landmarks passed.
    fn advance(&mut self, frame: &mut Frame) -> Option<Frame> {
        let container = self.spine.place(frame.place).container;
        let children = self.dag.children(container);
        let keys = self.dag.keys(container);
        while let Some(&child) = children.get(frame.next as usize) {
            let position = frame.next;
            frame.next += 1;
            let key = keys.map(|keys| self.dag.text(keys[position as usize]));
            let state = match key {
                Some(key) => self.matcher.enter_key(frame.state, key),
                None => self.matcher.enter_item(frame.state),
            };
            if state.is_dead() {
                continue;
            }
            let is_landmark = self.is_landmark(state, child, key);
            let leads_on = self.matcher.leads_on(state);
            let place = child.container().filter(|_| leads_on).map(|container| self.open(container));
            if is_landmark || place.is_some() {
                let around = &mut self.spine.places[frame.place.0 as usize];
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
        class.is_some_and(|pattern| pattern.key().of(key, DagNode { dag: self.dag, handle }).is_some())
    }
}
