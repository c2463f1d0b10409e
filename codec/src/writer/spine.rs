//! §8.1 Landmarks, found in a document by its rule.
//!
//! The *spine* is what must be written in place so that landmarks have an offset of their own: the containers
//! on the way from the root to a landmark. Everything beside the spine may be shared.

use crate::dag::{ContainerIndex, Dag, Handle, Kind};
use coconut_format::landmark::{KeyRule, LandmarkRule, State};

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

/// A landmark, in document order. Its position in [`Spine::landmarks`] is its ordinal.
pub(crate) struct Landmark {
    pub(crate) class: u8,
    /// Ordinal of the innermost landmark around it.
    pub(crate) parent: Option<u32>,
    /// Its own key, without those of its parents.
    pub(crate) key: String,
    pub(crate) value: Handle,
}

/// The landmarks of a document and the containers that lead to them.
pub(crate) struct Spine {
    places: Vec<Place>,
    root: Option<PlaceIndex>,
    root_is_landmark: bool,
    pub(crate) landmarks: Vec<Landmark>,
}

impl Spine {
    /// A document without landmarks.
    pub(crate) fn empty() -> Spine {
        Spine { places: Vec::new(), root: None, root_is_landmark: false, landmarks: Vec::new() }
    }

    /// Walks the parts of `dag` that `rule` can reach. Linear in their size; no recursion.
    pub(crate) fn find(dag: &Dag, rule: &LandmarkRule) -> Spine {
        Walk { dag, rule, spine: Spine::empty() }.run()
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
    spine: Spine,
}

/// A container whose children are still to be looked at.
struct Frame {
    place: PlaceIndex,
    state: State,
    /// Ordinal of the innermost landmark around the children.
    landmark: Option<u32>,
    next: u32,
}

impl Walk<'_> {
    fn run(mut self) -> Spine {
        let root = self.dag.root();
        let state = self.rule.start();
        let landmark = self.accept(state, root, None, None);
        self.spine.root_is_landmark = landmark.is_some();
        let Some(container) = root.container() else { return self.spine };
        if !state.is_alive() {
            return self.spine;
        }
        let place = self.open(container);
        self.spine.root = Some(place);
        let mut stack = vec![Frame { place, state, landmark, next: 0 }];
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
        let index = u32::try_from(self.spine.places.len()).expect("no more places than values of the document");
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
                Some(key) => self.rule.enter_key(frame.state, key),
                None => self.rule.enter_index(frame.state),
            };
            let landmark = self.accept(state, child, key, frame.landmark);
            let inner = child.container().filter(|_| state.is_alive()).map(|container| self.open(container));
            if landmark.is_some() || inner.is_some() {
                let place = &mut self.spine.places[frame.place.0 as usize];
                place.holds_landmarks |= landmark.is_some();
                place.entries.push(Entry { child: position, is_landmark: landmark.is_some(), place: inner });
            }
            if let Some(place) = inner {
                return Some(Frame { place, state, landmark: landmark.or(frame.landmark), next: 0 });
            }
        }
        None
    }

    /// Notes a landmark when `state` makes one of `value`, and gives its ordinal.
    fn accept(&mut self, state: State, value: Handle, key: Option<&str>, parent: Option<u32>) -> Option<u32> {
        let class = self.rule.accepts(state)?;
        let key = match self.rule.key_rule(class) {
            KeyRule::EntryKey => key?.to_owned(),
            rule => rule.key_of(&Fields { dag: self.dag, value })?,
        };
        let ordinal = u32::try_from(self.spine.landmarks.len()).ok()?;
        self.spine.landmarks.push(Landmark { class, parent, key, value });
        Some(ordinal)
    }
}

/// The fields of a value, as a key rule asks for them.
struct Fields<'a> {
    dag: &'a Dag,
    value: Handle,
}

impl coconut_format::landmark::Fields for Fields<'_> {
    fn string_field(&self, name: &str) -> Option<&str> {
        let container = self.value.container()?;
        match self.dag.kind(self.dag.get(container, name)?) {
            Kind::String(text) => Some(self.dag.text(text)),
            _ => None,
        }
    }
}
