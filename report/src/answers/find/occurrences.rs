//! Visits the places of matching texts, in document order.

use crate::failure::Failure;
use crate::place::pointer_of;
use crate::select::word_of;
use coconut_codec::limits;
use coconut_codec::read::file::DocumentView;
use coconut_codec::read::lookup::Ways;
use coconut_codec::read::tree::{TextScope, TextSearch, Tree, TreeContent, TreeEntries, TreeList, TreeValue};
use coconut_codec::secrets::{SECRET, is_key_secret};
use coconut_diff::value::Unit;
use coconut_format::error::{DecodeError, ErrorKind};
use coconut_format::graph::{PathSet, Place};
use coconut_format::landmark::{LandmarkRule, RuleMatcher, State, Trail};
use coconut_format::pointer::{push_index, push_key};
use coconut_format::suggest::COMPARED;
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::ControlFlow;

/// Whether a place is a key or a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The text is the key of an entry.
    Key,
    /// The text is a value.
    Value,
}

/// A place with a matching text.
pub struct Occurrence<'o, 'a> {
    /// The JSON pointer from the root: of the value, or of that under the key.
    pub pointer: &'o str,
    /// Whether the text is a key.
    pub part: Part,
    /// The matching text.
    pub text: &'a str,
}

/// The walk over all values that contain a match.
pub struct Occurrences<'a, F> {
    document: DocumentView<'a>,
    tree: &'a Tree<'a>,
    search: &'a TextSearch<'a, 'a, F>,
    scope: TextScope,
    secrets: &'a PathSet,
    /// `None` if the document has no readable rule.
    rule: Option<&'a LandmarkRule>,
}

/// An entered container.
struct Open<'a> {
    children: Children<'a>,
    /// Its place in the landmark rule.
    state: Option<State>,
    is_only: bool,
    place: Place,
    /// The length of its pointer, and the number of landmarks around its children.
    pointer: usize,
    landmarks: usize,
}

/// The unvisited children of a container.
enum Children<'a> {
    Root(Option<TreeValue<'a, 'a>>),
    Entries(TreeEntries<'a, 'a>),
    Items(TreeList<'a, 'a>, usize),
}

impl<'a> Iterator for Children<'a> {
    type Item = (Trail<'a>, TreeValue<'a, 'a>);

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Children::Root(root) => Some((Trail::Root, root.take()?)),
            Children::Entries(entries) => entries.next().map(|(key, value)| (Trail::Entry(key), value)),
            Children::Items(list, next) => {
                let index = *next;
                *next += 1;
                Some((Trail::Item(index), list.get(index)?))
            }
        }
    }
}

impl<'a, F: Fn(&str) -> bool> Occurrences<'a, F> {
    /// A walk over a tree, the matches of a search in it, and the secrets to skip.
    pub fn new(
        document: DocumentView<'a>,
        tree: &'a Tree<'a>,
        search: &'a TextSearch<'a, 'a, F>,
        scope: TextScope,
        secrets: &'a PathSet,
    ) -> Occurrences<'a, F> {
        let rule = document.header().rule().ok().filter(|rule| !rule.is_empty());
        Occurrences { document, tree, search, scope, secrets, rule }
    }

    /// Calls `visit` with each place, until it breaks. Skips secrets.
    ///
    /// Shared values may occur very often. The number of visited values is limited as in other
    /// searches (§9).
    pub fn each(
        &self,
        mut visit: impl FnMut(&mut Landmarks<'a>, &Occurrence<'_, 'a>) -> Result<ControlFlow<()>, Failure>,
    ) -> Result<(), Failure> {
        let limit = limits::search_budget(self.document.length());
        let matcher = self.rule.map(RuleMatcher::new);
        let mut landmarks =
            Landmarks { document: self.document, rule: self.rule, around: Vec::new(), same: HashMap::new() };
        let mut pointer = String::new();
        let mut open = vec![Open {
            children: Children::Root(Some(self.tree.root())),
            state: None,
            is_only: false,
            place: self.secrets.root(),
            pointer: 0,
            landmarks: 0,
        }];
        let mut visited = 0;
        while let Some(around) = open.last_mut() {
            let Some((trail, value)) = around.children.next() else {
                open.pop();
                continue;
            };
            visited += 1;
            if visited > limit {
                return Err(ErrorKind::Work { limit }.at(self.document.root().offset()).into());
            }
            let key = match trail {
                Trail::Entry(key) if self.scope.keys && self.search.matches(key) => Some(key),
                _ => None,
            };
            let holds = self.search.holds(value);
            if key.is_none() && !holds {
                continue;
            }
            pointer.truncate(around.pointer);
            landmarks.around.truncate(around.landmarks);
            let (state, place) = self.enter(trail, around, matcher.as_ref(), &mut pointer);
            let class = matcher.as_ref().zip(state).and_then(|(matcher, state)| matcher.landmark(state));
            if let Some(class) = class {
                landmarks.enter(class, trail, value, (self.secrets, place, around.place), pointer.len());
            }
            let texts =
                [(Part::Key, key), (Part::Value, value.as_str().filter(|_| holds && place != Place::Inside))];
            for (part, text) in texts {
                let Some(text) = text else { continue };
                let occurrence = Occurrence { pointer: &pointer, part, text };
                if visit(&mut landmarks, &occurrence)?.is_break() {
                    return Ok(());
                }
            }
            if holds && place != Place::Inside {
                let leads_on = state.filter(|state| !state.is_dead());
                open.extend(opened(value, leads_on, place, pointer.len(), landmarks.around.len()));
            }
        }
        Ok(())
    }

    /// The places of a child in the rule and among the secrets. Extends the pointer.
    fn enter(
        &self,
        trail: Trail<'a>,
        around: &Open<'a>,
        matcher: Option<&RuleMatcher>,
        pointer: &mut String,
    ) -> (Option<State>, Place) {
        let state = matcher.zip(around.state);
        match trail {
            Trail::Root => (matcher.map(RuleMatcher::root), around.place),
            Trail::Entry(key) => {
                push_key(pointer, key);
                let state = state.map(|(matcher, state)| match around.is_only {
                    true => matcher.enter_only_key(state, key),
                    false => matcher.enter_key(state, key),
                });
                (state, self.secrets.enter_key(around.place, key))
            }
            Trail::Item(index) => {
                push_index(pointer, index);
                let state = state.map(|(matcher, state)| matcher.enter_item(state));
                (state, self.secrets.enter_item(around.place, index))
            }
        }
    }
}

/// The container `value`, opened.
fn opened<'a>(
    value: TreeValue<'a, 'a>,
    state: Option<State>,
    place: Place,
    pointer: usize,
    landmarks: usize,
) -> Option<Open<'a>> {
    let (children, width) = match value.content() {
        TreeContent::Object(object) => (Children::Entries(object.iter()), object.len()),
        TreeContent::List(list) => (Children::Items(list, 0), list.len()),
        _ => return None,
    };
    Some(Open { children, state, is_only: width == 1, place, pointer, landmarks })
}

/// The landmarks around a place.
pub struct Landmarks<'a> {
    document: DocumentView<'a>,
    rule: Option<&'a LandmarkRule>,
    around: Vec<Around<'a>>,
    /// For keys of several landmarks, the pointers of these; none if there are too many.
    same: HashMap<String, Vec<String>>,
}

struct Around<'a> {
    /// The full key, in the form that may be shown.
    key: String,
    class: u8,
    value: TreeValue<'a, 'a>,
    is_hidden: bool,
    /// The length of its pointer.
    pointer: usize,
    /// Its number among the landmarks with its key, once needed.
    number: Option<Option<u32>>,
}

/// Landmarks of one key whose numbers are known.
const MOST_SAME: usize = 1000;

impl<'a> Landmarks<'a> {
    /// Adds the landmark of a pattern, if the value is one.
    fn enter(
        &mut self,
        class: u8,
        trail: Trail<'a>,
        value: TreeValue<'a, 'a>,
        (secrets, place, around): (&PathSet, Place, Place),
        pointer: usize,
    ) {
        let Some(rule) = self.rule else { return };
        let Some(pattern) = rule.patterns().get(usize::from(class)) else { return };
        let name = match trail {
            Trail::Entry(name) => Some(name),
            _ => None,
        };
        let Some(own) = pattern.key().of(name, value) else { return };
        let outer = self.around.last().filter(|_| rule.join().is_some());
        let is_hidden = is_key_secret(secrets, pattern.key(), place, around)
            || outer.is_some_and(|outer| outer.is_hidden);
        let key = match (is_hidden, outer, rule.join()) {
            (true, ..) => SECRET.to_owned(),
            (false, Some(outer), Some(join)) => format!("{}{join}{own}", outer.key),
            (false, ..) => own.into_owned(),
        };
        self.around.push(Around { key, class, value, is_hidden, pointer, number: None });
    }

    /// The innermost landmark around the place with this pointer: its key, and its number if
    /// several have the key.
    pub fn innermost(&mut self, pointer: &str) -> Result<Option<(&str, Option<u32>)>, DecodeError> {
        let Some(last) = self.around.last_mut() else { return Ok(None) };
        let own_number = match last.number {
            Some(known) => known,
            None if last.is_hidden || last.key.len() > COMPARED => None,
            None => number_among(self.document, &mut self.same, &last.key, &pointer[..last.pointer])?,
        };
        last.number = Some(own_number);
        Ok(Some((&last.key, own_number)))
    }

    /// Whether a landmark around the place has a requested key and a requested type. The type is
    /// that of a resource, or the word of its class for others.
    pub fn any(&self, is_key: impl Fn(&str) -> bool, is_type: impl Fn(&str) -> bool) -> bool {
        let word = |class: u8| {
            let pattern = self.rule.and_then(|rule| rule.patterns().get(usize::from(class)));
            pattern.map(word_of).unwrap_or_default()
        };
        let has_type = |around: &Around<'a>| {
            let (key, class, node) = (Cow::Borrowed(""), around.class, around.value);
            match (Unit { key, class, container: 0, node, instance_of: None }).resource_type() {
                Some(name) => is_type(name),
                None => is_type(&word(class)),
            }
        };
        self.around.iter().any(|around| is_key(&around.key)) && self.around.iter().any(has_type)
    }

    /// The pointer from the innermost landmark.
    pub fn within<'p>(&self, pointer: &'p str) -> &'p str {
        &pointer[self.around.last().map_or(0, |last| last.pointer)..]
    }
}

/// The number of the landmark at `pointer` among those with its key, from 1.
fn number_among(
    document: DocumentView<'_>,
    same: &mut HashMap<String, Vec<String>>,
    key: &str,
    pointer: &str,
) -> Result<Option<u32>, DecodeError> {
    if !same.contains_key(key) {
        let landmarks = document.get_all(key)?;
        if landmarks.len() < 2 {
            return Ok(None);
        }
        let (mut ways, mut pointers) = (Ways::from_root(document), Vec::new());
        if landmarks.len() <= MOST_SAME {
            for landmark in landmarks {
                pointers.push(pointer_of(ways.next_to(landmark)?));
            }
        }
        same.insert(key.to_owned(), pointers);
    }
    let found = same.get(key).and_then(|same| same.iter().position(|other| other == pointer));
    Ok(found.and_then(|at| u32::try_from(at + 1).ok()))
}
