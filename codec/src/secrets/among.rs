//! §15.8 The secrets of some resources of a document.

use super::restricted::Part;
use super::search::{Search, dialects_of};
use super::words::all_words;
use crate::read::file::DocumentView;
use crate::read::tree::{Tree, TreeValue};
use coconut_format::error::DecodeError;
use coconut_format::graph::{PathSet, Place, unknown_places};
use coconut_format::landmark::{Dialect, LandmarkRule, RuleMatcher, State, Trail};
use coconut_format::node::Node;
use std::cell::Cell;

/// The secret places, unless they may be shown, and the places whose values are not known yet. Both
/// are those outside all resources, and those in the resources at the ends of `ways`. `hidden`
/// contains the others, as far as that is known without reading their keys.
///
/// Costs a walk over these parts of the tree, within the budget of a search.
pub fn marks_among(
    document: DocumentView<'_>,
    tree: &Tree<'_>,
    (ways, hidden): (&PathSet, &HiddenValues),
    reveals: bool,
) -> Result<(PathSet, PathSet), DecodeError> {
    let rule = &document.header().rule().cloned().unwrap_or_default();
    let (search, matcher) = (Search::new(document), RuleMatcher::new(rule));
    let document_part = Document { rule, matcher: &matcher, ways, hidden };
    let part = Among { place: ways.root(), state: Some(matcher.root()), document: document_part };
    let root = (tree.root(), part);
    let secrets = match reveals {
        true => PathSet::default(),
        false => search.secrets(root, &dialects_of(document, tree.root()), &Cell::new(0), &all_words())?,
    };
    // Other dialects mark such values in place.
    let is_marked =
        |dialect: &&Dialect| dialect.name.starts_with("terraform-plan") || dialect.name == "coconut-import";
    let dialect = document.header().dialect.as_deref().and_then(Dialect::named).filter(is_marked);
    let unknown = match dialect {
        Some(dialect) => search.walk(root, &Cell::new(0), |root| unknown_places(root, dialect))?,
        None => PathSet::default(),
    };
    Ok((secrets, unknown))
}

/// The value of a tree.
type Value<'w> = TreeValue<'w, 'w>;

/// The values outside all resources, and the resources at the ends of paths.
#[derive(Clone, Copy)]
struct Among<'w> {
    /// On one of the paths.
    place: Place,
    /// Under the rule, unless no value at or below this one can be a resource.
    state: Option<State>,
    document: Document<'w>,
}

/// The resources of a document, and those of them that are walked.
#[derive(Clone, Copy)]
struct Document<'w> {
    rule: &'w LandmarkRule,
    matcher: &'w RuleMatcher,
    ways: &'w PathSet,
    /// Resources outside the given paths, as far as that is known without reading their keys.
    hidden: &'w HiddenValues,
}

impl<'w> Part<'w, Value<'w>> for Among<'w> {
    fn enter(self, trail: Trail<'w>, value: Value<'w>) -> Option<Among<'w>> {
        let Document { rule, matcher, ways, hidden } = self.document;
        if self.state.is_some() && hidden.has(value) {
            return None;
        }
        let (key, place) = match trail {
            Trail::Entry(key) => (Some(key), ways.enter_key(self.place, key)),
            Trail::Item(index) => (None, ways.enter_item(self.place, index)),
            Trail::Root => (None, self.place),
        };
        let state = self.state.map(|state| match key {
            Some(key) => matcher.enter_key(state, key),
            None => matcher.enter_item(state),
        });
        let state = state.filter(|state| !state.is_dead() && place != Place::Inside);
        let class = state.and_then(|state| matcher.landmark(state));
        let is_resource = class
            .and_then(|class| rule.patterns().get(usize::from(class)))
            .is_some_and(|pattern| pattern.key().is_of(key, value));
        (!is_resource || place != Place::Outside).then_some(Among { place, state, ..self })
    }

    fn get(self, node: Value<'w>, key: &str) -> Option<(Value<'w>, Among<'w>)> {
        if self.state.is_some() {
            // There are few entries on the path to resources, and their keys are on it.
            let (key, value) = Node::entries(node).find(|(name, _)| *name == key)?;
            return Some((value, self.enter(Trail::Entry(key), value)?));
        }
        Some((Node::get(node, key)?, self))
    }

    /// Most items of the lists on the path to resources are skipped.
    fn leaves_out(self, item: Value<'w>) -> bool {
        self.state.is_some() && self.document.hidden.has(item)
    }

    /// The contents of a value on the path to resources depend on its position.
    fn is_whole(self) -> bool {
        self.state.is_none()
    }
}

/// Containers that only one place has, by their numbers.
#[derive(Debug, Default)]
pub struct HiddenValues(Vec<u64>);

impl HiddenValues {
    /// Adds a value, if it is a container that only one place has.
    pub fn insert(&mut self, value: TreeValue<'_, '_>) {
        if let Some(number) = value.number_in_root() {
            if self.0.len() <= number / 64 {
                self.0.resize(number / 64 + 1, 0);
            }
            self.0[number / 64] |= 1 << (number % 64);
        }
    }

    /// Removes a value.
    pub fn remove(&mut self, value: TreeValue<'_, '_>) {
        let word = value.number_in_root().and_then(|number| Some((number, self.0.get_mut(number / 64)?)));
        if let Some((number, word)) = word {
            *word &= !(1 << (number % 64));
        }
    }

    #[inline]
    fn has(&self, value: TreeValue<'_, '_>) -> bool {
        let number = value.number_in_root();
        number
            .is_some_and(|number| self.0.get(number / 64).is_some_and(|word| word >> (number % 64) & 1 == 1))
    }
}
