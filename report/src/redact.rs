//! §15.8 Hides secrets: values that a document marks as secret are shown as `"[secret]"`.

mod keys;
mod nodes;
mod words;

pub use keys::{Along, HiddenKeys, is_key_secret};
pub use words::names_secrets;

use crate::limits::SECRET_PLACES;
use coconut_codec::event::{EventSink, SinkError};
use coconut_codec::limits;
use coconut_codec::read::file::DocumentView;
use coconut_codec::read::lookup::{LandmarkView, Step};
use coconut_codec::read::tree::Tree;
use coconut_codec::read::view::WatchedView;
use coconut_format::error::{DecodeError, ErrorKind};
use coconut_format::graph::{PathSet, Place, secret_places_within, secret_words};
use coconut_format::landmark::{DIALECTS, Dialect, Trail};
use coconut_format::node::{Kind, Node};
use coconut_format::pointer::{push_index, push_key};
use coconut_format::{Integer, Value};
use nodes::{Counted, OnlyAlong};
use std::cell::Cell;
use std::collections::HashMap;
use words::{holds_a_word, words_in};

/// The replacement of a secret in every output.
pub const SECRET: &str = "[secret]";

/// The places of a document, or of one value of it, that must not be shown.
#[derive(Clone, Debug, Default)]
pub struct Redaction {
    places: PathSet,
}

impl Redaction {
    /// The secrets of the whole document; empty if they are to be revealed.
    ///
    /// Costs a walk over the document, unless its bytes contain none of the words that mark
    /// secrets.
    pub fn of_document(document: DocumentView<'_>, reveal: bool) -> Result<Redaction, DecodeError> {
        if reveal {
            return Ok(Redaction::default());
        }
        match marks_of(document)? {
            Marks::None => Ok(Redaction::default()),
            // Almost no part of the document is visited.
            Marks::Outside => Redaction::along(document, (&[], &[]), &[]),
            Marks::Anywhere(words) => Redaction::in_tree(document, &document.tree()?, &words),
        }
    }

    /// Does the same for a document that was already read.
    pub fn of_tree(
        document: DocumentView<'_>,
        tree: &Tree<'_>,
        reveal: bool,
    ) -> Result<Redaction, DecodeError> {
        if reveal {
            return Ok(Redaction::default());
        }
        match marks_of(document)? {
            Marks::None => Ok(Redaction::default()),
            Marks::Outside => Redaction::along(document, (&[], &[]), &[]),
            Marks::Anywhere(words) => Redaction::in_tree(document, tree, &words),
        }
    }

    fn in_tree(
        document: DocumentView<'_>,
        tree: &Tree<'_>,
        words: &[&str],
    ) -> Result<Redaction, DecodeError> {
        let looked_at = Cell::new(0);
        let limit = search_budget(document);
        let places = counted_places(document, tree.root(), &looked_at, limit, words)?;
        Ok(Redaction { places })
    }

    /// The secrets of the value at the end of a path from the root. Other secrets are omitted.
    pub fn of_value(
        document: DocumentView<'_>,
        way: &[Step<'_>],
        reveal: bool,
    ) -> Result<Redaction, DecodeError> {
        match reveal {
            true => Ok(Redaction::default()),
            false => Redaction::along(document, (way, &[]), &words_for(document, way)),
        }
    }

    /// The same for a value in a landmark, whose neighbours are not read if the index knows them.
    pub fn of_value_in<'a>(
        document: DocumentView<'a>,
        landmark: Option<LandmarkView<'a>>,
        way: &[Step<'a>],
        reveal: bool,
    ) -> Result<Redaction, DecodeError> {
        if reveal {
            return Ok(Redaction::default());
        }
        let (mut landmarks, mut next) = (Vec::new(), landmark);
        while let Some(landmark) = next {
            landmarks.push(landmark);
            next = landmark.parent()?;
        }
        Redaction::along(document, (way, &landmarks), &words_for(document, way))
    }

    /// The secrets of a source for a comparison with a document. If there are too many, the whole
    /// source is secret.
    pub fn of_source(document: DocumentView<'_>, source: &Value, reveal: bool) -> Redaction {
        if reveal {
            return Redaction::default();
        }
        let all = || {
            let mut all = PathSet::default();
            all.insert([]);
            all
        };
        let places = secret_places_within(source, &dialects_of(document, source), SECRET_PLACES, |_| true);
        Redaction { places: places.unwrap_or_else(all) }
    }

    fn along<'a>(
        document: DocumentView<'a>,
        (way, landmarks): (&[Step<'a>], &[LandmarkView<'a>]),
        words: &[&str],
    ) -> Result<Redaction, DecodeError> {
        let (fault, looked_at) = (Cell::new(None), Cell::new(0));
        let root = WatchedView::new(document.root(), &fault).counting(&looked_at);
        let root = OnlyAlong::new(root, way, landmarks);
        let places = counted_places(document, root, &looked_at, search_budget(document), words)?;
        match fault.take() {
            Some(error) => Err(error),
            None => Ok(Redaction { places }),
        }
    }

    /// Hides the values at the ends of these paths, too.
    pub fn hide(&mut self, ways: Vec<Vec<Trail<'_>>>) {
        ways.into_iter().for_each(|way| self.places.insert(way));
    }

    /// The secret places.
    pub fn places(&self) -> &PathSet {
        &self.places
    }

    /// Whether there is nothing to hide.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The JSON pointer of a path. The first `found` steps were not named by the caller, so keys of
    /// secrets among them are omitted.
    pub fn pointer(&self, way: &[Step<'_>], found: usize) -> String {
        let (mut pointer, mut around) = (String::new(), self.places.root());
        for (at, step) in way.iter().enumerate() {
            let place = keys::enter(&self.places, around, step);
            match step.0 {
                Trail::Root => {}
                Trail::Entry(_) if at < found && around == Place::Inside => push_key(&mut pointer, SECRET),
                Trail::Entry(key) => push_key(&mut pointer, key),
                Trail::Item(index) => push_index(&mut pointer, index),
            }
            around = place;
        }
        pointer
    }

    /// The JSON pointer of a value, cut at the secret that contains it.
    pub fn cut<'p>(&self, pointer: &'p str) -> &'p str {
        let ends = pointer.match_indices('/').map(|(at, _)| at).chain([pointer.len()]);
        ends.map(|end| &pointer[..end]).find(|above| self.hides(above)).unwrap_or(pointer)
    }

    /// Whether the value at this JSON pointer must not be shown.
    pub fn hides(&self, pointer: &str) -> bool {
        self.places.contains(pointer)
    }

    /// Whether the value at this JSON pointer must not be shown completely.
    pub fn hides_part_of(&self, pointer: &str) -> bool {
        self.places.touches(pointer)
    }

    /// Wraps `sink`, so that it does not receive the secrets of the value at the end of `way` from
    /// the root.
    pub fn sink<S: EventSink>(&self, way: &[Step<'_>], sink: S) -> RedactingSink<'_, S> {
        self.sink_at(keys::place_of(&self.places, way), sink)
    }

    /// The place at the end of a path from the root.
    pub fn place_of(&self, way: &[Step<'_>]) -> Place {
        keys::place_of(&self.places, way)
    }

    /// The places of landmarks, one after the other.
    pub fn of_landmarks(&self) -> Along<'_> {
        Along::new(&self.places)
    }

    /// Does the same as [`Self::sink`] for a value at this place.
    pub fn sink_at<S: EventSink>(&self, place: Place, sink: S) -> RedactingSink<'_, S> {
        let places = (!self.is_empty()).then_some(&self.places);
        RedactingSink {
            places,
            inner: sink,
            next: place,
            open: Vec::new(),
            hidden: 0,
            open_runs: Vec::new(),
            left_open: HashMap::new(),
        }
    }
}

/// The dialects that define the secrets: the one detected from the content, and the one in the
/// header, which readers do not compare with the content. Any dialect without its own marks
/// represents the rest, because Pulumi's secrets mark themselves.
fn dialects_of<'a, N: Node<'a>>(document: DocumentView<'_>, root: N) -> Vec<&'static Dialect> {
    let shown = Dialect::of(root).unwrap_or(&DIALECTS[0]);
    let named = document.header().dialect.as_deref().and_then(Dialect::named);
    let named = named.filter(|named| named.name != shown.name);
    std::iter::once(shown).chain(named).collect()
}

/// The maximum number of values visited to find the secrets of a document, or to measure it. A
/// shared value is visited once, or once for each occurrence if it contains secrets.
pub fn search_budget(document: DocumentView<'_>) -> u64 {
    limits::search_budget(document.length())
}

/// The secret places of the document `root`, which contains these of the words that mark secrets.
/// Visits at most `limit` values, counted in `looked_at`.
fn counted_places<'a, N: Node<'a> + 'a>(
    document: DocumentView<'_>,
    root: N,
    looked_at: &'a Cell<u64>,
    limit: u64,
    words: &[&str],
) -> Result<PathSet, DecodeError> {
    let at = document.root().offset();
    let most = SECRET_PLACES.max(2 * document.length() as u64);
    let counted = Counted::new(root, looked_at, limit);
    let places =
        secret_places_within(counted, &dialects_of(document, root), most, |word| words.contains(&word));
    match (looked_at.get(), places) {
        (count, _) if count > limit => Err(ErrorKind::Work { limit }.at(at)),
        (_, Some(places)) => Ok(places),
        (_, None) => {
            let (count, limit) = (most.saturating_add(1), most);
            Err(ErrorKind::TooMany { what: "steps to secrets", count, limit }.at(at))
        }
    }
}

/// The possible places of marks of secrets in a document.
enum Marks {
    None,
    /// The places listed in the tables.
    Outside,
    /// Any place. The words are in the document.
    Anywhere(Vec<&'static str>),
}

/// All words that mark secrets at any place.
fn all_words() -> Vec<&'static str> {
    secret_words().map(|(word, _)| word).collect()
}

/// The words to search in the value at the end of a path: all of them. Searching the bytes for them
/// would read the whole file, unless the value is the whole document.
fn words_for(document: DocumentView<'_>, way: &[Step<'_>]) -> Vec<&'static str> {
    match way.is_empty() {
        true => words_in(document.bytes()),
        false => all_words(),
    }
}

/// Searches the bytes of the document for these words, since strings are stored unchanged, and for
/// configuration entries.
fn marks_of(document: DocumentView<'_>) -> Result<Marks, DecodeError> {
    let words = words_in(document.bytes());
    if !words.is_empty() {
        return Ok(Marks::Anywhere(words));
    }
    let fault = Cell::new(None);
    let root = WatchedView::new(document.root(), &fault);
    let around = root.get("checkpoint").unwrap_or(root);
    let has_configuration =
        ["config", "configuration"].iter().any(|key| around.get(key).or(root.get(key)).is_some());
    let is_list = root.kind() == Kind::List;
    let is_known = Dialect::of(root).is_some() || document.header().dialect.is_some();
    if let Some(error) = fault.take() {
        return Err(error);
    }
    let has_words = holds_a_word(document.bytes(), &["sensitive", "additionalSecretOutputs", "NoEcho"]);
    Ok(match has_words || has_configuration {
        // The searches of these dialects visit all resources.
        true if is_known => Marks::Anywhere(words),
        true => Marks::Outside,
        // Only configuration contains secrets without one of the words.
        false if is_list && holds_a_word(document.bytes(), &["secret"]) => Marks::Outside,
        false => Marks::None,
    })
}

/// Passes events on, with [`SECRET`] for every value that must not be shown.
#[derive(Debug)]
pub struct RedactingSink<'p, S> {
    /// `None` if nothing is secret.
    places: Option<&'p PathSet>,
    inner: S,
    /// The place of the next value, in an object or at the start.
    next: Place,
    open: Vec<Open>,
    /// The number of open containers in the secret that is being skipped.
    hidden: u32,
    /// Runs that have not ended.
    open_runs: Vec<OpenRun>,
    /// The runs announced to `inner`, by number, with the number of containers that each leaves
    /// open.
    left_open: HashMap<u64, usize>,
}

/// A run that has not ended.
#[derive(Debug)]
enum OpenRun {
    /// Its events are passed on as if there were no run.
    Unannounced,
    /// Its number, and the number of containers open before it.
    Announced(u64, usize),
}

/// An open container.
#[derive(Debug)]
struct Open {
    place: Place,
    /// The number of the next item, in a list.
    item: Option<usize>,
}

impl<S> RedactingSink<'_, S> {
    /// The wrapped sink.
    pub fn into_inner(self) -> S {
        self.inner
    }
}

impl<S: EventSink> RedactingSink<'_, S> {
    /// The place of the current value.
    fn place(&mut self, places: &PathSet) -> Place {
        match self.open.last_mut() {
            Some(Open { place, item: Some(item) }) => {
                let index = *item;
                *item += 1;
                places.enter_item(*place, index)
            }
            _ => self.next,
        }
    }

    fn scalar(&mut self, push: impl FnOnce(&mut S) -> Result<(), SinkError>) -> Result<(), SinkError> {
        let Some(places) = self.places else { return push(&mut self.inner) };
        if self.hidden > 0 {
            return Ok(());
        }
        match self.place(places) {
            Place::Inside => self.inner.string(SECRET),
            _ => push(&mut self.inner),
        }
    }

    fn begin(
        &mut self,
        item: Option<usize>,
        push: impl FnOnce(&mut S) -> Result<(), SinkError>,
    ) -> Result<(), SinkError> {
        let Some(places) = self.places else { return push(&mut self.inner) };
        if self.hidden > 0 {
            self.hidden += 1;
            return Ok(());
        }
        match self.place(places) {
            Place::Inside => {
                self.hidden = 1;
                self.inner.string(SECRET)
            }
            place => {
                self.open.push(Open { place, item });
                push(&mut self.inner)
            }
        }
    }

    fn end(&mut self, push: impl FnOnce(&mut S) -> Result<(), SinkError>) -> Result<(), SinkError> {
        if self.hidden > 0 {
            self.hidden -= 1;
            return Ok(());
        }
        self.open.pop();
        push(&mut self.inner)
    }
}

impl<S: EventSink> EventSink for RedactingSink<'_, S> {
    fn null(&mut self) -> Result<(), SinkError> {
        self.scalar(S::null)
    }

    fn bool(&mut self, value: bool) -> Result<(), SinkError> {
        self.scalar(|inner| inner.bool(value))
    }

    fn integer(&mut self, value: Integer) -> Result<(), SinkError> {
        self.scalar(|inner| inner.integer(value))
    }

    fn float(&mut self, value: f64) -> Result<(), SinkError> {
        self.scalar(|inner| inner.float(value))
    }

    fn string(&mut self, value: &str) -> Result<(), SinkError> {
        self.scalar(|inner| inner.string(value))
    }

    fn begin_list(&mut self) -> Result<(), SinkError> {
        self.begin(Some(0), S::begin_list)
    }

    fn end_list(&mut self) -> Result<(), SinkError> {
        self.end(S::end_list)
    }

    fn begin_object(&mut self) -> Result<(), SinkError> {
        self.begin(None, S::begin_object)
    }

    fn key(&mut self, key: &str) -> Result<(), SinkError> {
        if self.hidden > 0 {
            return Ok(());
        }
        if let (Some(places), Some(open)) = (self.places, self.open.last()) {
            self.next = places.enter_key(open.place, key);
        }
        self.inner.key(key)
    }

    fn end_object(&mut self) -> Result<(), SinkError> {
        self.end(S::end_object)
    }

    fn begin_document(&mut self) {
        self.left_open.clear();
        self.inner.begin_document();
    }

    fn numbered_string(&mut self, number: u32, text: &str) -> Result<(), SinkError> {
        self.scalar(|inner| inner.numbered_string(number, text))
    }

    fn numbered_key(&mut self, number: u32, text: &str) -> Result<(), SinkError> {
        match self.places {
            None => self.inner.numbered_key(number, text),
            Some(_) => self.key(text),
        }
    }

    /// Shared data occurs in several places, some of which may be secret. A run is announced only
    /// if no container around it is on the path to a secret.
    fn begin_run(&mut self, number: u64) -> Result<bool, SinkError> {
        if self.places.is_none() {
            return self.inner.begin_run(number);
        }
        let is_outside = self.open.last().is_some_and(|open| open.place == Place::Outside);
        if self.hidden > 0 || !is_outside {
            self.open_runs.push(OpenRun::Unannounced);
            return Ok(false);
        }
        if self.inner.begin_run(number)? {
            let left_open = self.left_open.get(&number).copied().unwrap_or_default();
            let open = || Open { place: Place::Outside, item: None };
            self.next = Place::Outside;
            self.open.extend(std::iter::repeat_with(open).take(left_open));
            return Ok(true);
        }
        self.open_runs.push(OpenRun::Announced(number, self.open.len()));
        Ok(false)
    }

    fn end_run(&mut self) {
        if self.places.is_none() {
            return self.inner.end_run();
        }
        if let Some(OpenRun::Announced(number, before)) = self.open_runs.pop() {
            self.left_open.insert(number, self.open.len().saturating_sub(before));
            self.inner.end_run();
        }
    }
}

#[cfg(test)]
mod tests;
