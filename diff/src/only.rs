//! A document without most of its resources, for the search for secrets.

use crate::side::Node as Value;
use coconut_codec::limits::BYTES_PER_STEP;
use coconut_format::Integer;
use coconut_format::graph::{PathSet, Place};
use coconut_format::landmark::{LandmarkRule, RuleMatcher, State};
use coconut_format::node::{Kind, Node};
use std::cell::Cell;

/// A value of the document. Resources outside the given paths appear as nulls, so that items keep
/// their numbers. After too many visited values, the document ends.
#[derive(Clone, Copy)]
pub(super) enum Only<'w> {
    Value {
        value: Value<'w>,
        /// On one of the paths.
        place: Place,
        /// Under the rule, unless no value at or below this one can be a resource.
        state: Option<State>,
        document: Document<'w>,
    },
    Hidden,
}

/// Values that are still closed, by their numbers.
#[derive(Debug, Default)]
pub(super) struct HiddenValues(Vec<u64>);

impl HiddenValues {
    pub(super) fn insert(&mut self, value: Value<'_>) {
        if let Some(number) = value.number_of_closed() {
            if self.0.len() <= number / 64 {
                self.0.resize(number / 64 + 1, 0);
            }
            self.0[number / 64] |= 1 << (number % 64);
        }
    }

    pub(super) fn remove(&mut self, value: Value<'_>) {
        let word = value.number_of_closed().and_then(|number| Some((number, self.0.get_mut(number / 64)?)));
        if let Some((number, word)) = word {
            *word &= !(1 << (number % 64));
        }
    }

    #[inline]
    fn has(&self, value: Value<'_>) -> bool {
        let number = value.number_of_closed();
        number
            .is_some_and(|number| self.0.get(number / 64).is_some_and(|word| word >> (number % 64) & 1 == 1))
    }
}

#[derive(Clone, Copy)]
pub(super) struct Document<'w> {
    rule: &'w LandmarkRule,
    matcher: &'w RuleMatcher,
    ways: &'w PathSet,
    /// Resources outside the given paths, as far as that is known without reading their keys.
    hidden: &'w HiddenValues,
    looked_at: &'w Cell<u64>,
    most: u64,
}

impl<'w> Only<'w> {
    /// `looked_at` counts visited values. If it is more than `most` afterwards, the walk was cut.
    pub(super) fn new(
        root: Value<'w>,
        rule: &'w LandmarkRule,
        matcher: &'w RuleMatcher,
        (ways, hidden): (&'w PathSet, &'w HiddenValues),
        (looked_at, most): (&'w Cell<u64>, u64),
    ) -> Only<'w> {
        let document = Document { rule, matcher, ways, hidden, looked_at, most };
        Only::Value { value: root, place: ways.root(), state: Some(matcher.root()), document }
    }

    fn value(self) -> Option<Value<'w>> {
        match self {
            Only::Value { value, .. } => Some(value),
            Only::Hidden => None,
        }
    }

    /// The child at `key` or `index`. `None` after too many values.
    fn enter(self, key: Option<&'w str>, index: usize, below: Value<'w>) -> Option<Only<'w>> {
        let Only::Value { place, state, document, .. } = self else { return None };
        let Document { rule, matcher, ways, hidden, looked_at, most } = document;
        let text = key.map_or(0, str::len) as u64;
        looked_at.set(looked_at.get().saturating_add(1 + text / BYTES_PER_STEP));
        if looked_at.get() > most {
            return None;
        }
        if state.is_some() && hidden.has(below) {
            return Some(Only::Hidden);
        }
        let place = match key {
            Some(key) => ways.enter_key(place, key),
            None => ways.enter_item(place, index),
        };
        let state = state.map(|state| match key {
            Some(key) => matcher.enter_key(state, key),
            None => matcher.enter_item(state),
        });
        let state = state.filter(|state| !state.is_dead() && place != Place::Inside);
        let class = state.and_then(|state| matcher.landmark(state));
        let is_resource = class
            .and_then(|class| rule.patterns().get(usize::from(class)))
            .is_some_and(|pattern| pattern.key().is_of(key, below));
        match is_resource && place == Place::Outside {
            true => Some(Only::Hidden),
            false => Some(Only::Value { value: below, place, state, document }),
        }
    }
}

impl<'w> Node<'w> for Only<'w> {
    fn kind(self) -> Kind {
        self.value().map_or(Kind::Null, Node::kind)
    }

    fn as_bool(self) -> Option<bool> {
        self.value()?.as_bool()
    }

    fn as_integer(self) -> Option<Integer> {
        self.value()?.as_integer()
    }

    fn as_float(self) -> Option<f64> {
        self.value()?.as_float()
    }

    fn as_str(self) -> Option<&'w str> {
        Node::as_str(self.value()?)
    }

    fn get(self, key: &str) -> Option<Self> {
        let Only::Value { value, place, state, document } = self else { return None };
        if state.is_some() {
            // There are few entries on the path to resources, and their keys are on it.
            let (key, below) = value.entries().find(|(name, _)| *name == key)?;
            return self.enter(Some(key), 0, below);
        }
        let below = Node::get(value, key)?;
        document.looked_at.set(document.looked_at.get().saturating_add(1));
        Some(Only::Value { value: below, place, state, document })
    }

    fn entries(self) -> impl Iterator<Item = (&'w str, Self)> + 'w {
        let entries = self.value().into_iter().flat_map(Node::entries);
        entries.map_while(move |(key, below)| Some((key, self.enter(Some(key), 0, below)?)))
    }

    fn items(self) -> impl Iterator<Item = Self> + 'w {
        let items = self.value().into_iter().flat_map(Node::items).enumerate();
        items.map_while(move |(index, below)| self.enter(None, index, below))
    }

    fn numbered_items(self) -> impl Iterator<Item = (usize, Self)> + 'w {
        let hidden = match self {
            // Most items of the lists on the path to resources are hidden.
            Only::Value { state: Some(_), document, .. } => Some(document.hidden),
            Only::Value { .. } | Only::Hidden => None,
        };
        let items = self.value().into_iter().flat_map(Node::items).enumerate();
        let seen = items.filter(move |(_, below)| !hidden.is_some_and(|hidden| hidden.has(*below)));
        let items = seen.map_while(move |(index, below)| Some((index, self.enter(None, index, below)?)));
        items.filter(|(_, item)| !matches!(item, Only::Hidden))
    }

    fn width(self) -> usize {
        self.value().map_or(0, Node::width)
    }

    fn stored_once_as(self) -> Option<usize> {
        match self {
            // The contents depend on the position.
            Only::Value { state: Some(_), .. } | Only::Hidden => None,
            Only::Value { value, .. } => value.stored_once_as(),
        }
    }
}
