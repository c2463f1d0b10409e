//! §15.8 Keeping secrets: values that a document marks as secret are shown as `"[secret]"`.

use crate::place::Step;
use coconut_codec::event::{EventSink, SinkError};
use coconut_codec::file::DocumentView;
use coconut_codec::view::WatchedView;
use coconut_format::Integer;
use coconut_format::error::DecodeError;
use coconut_format::graph::{PathSet, Place, SIGNATURE_KEY, secret_places};
use coconut_format::landmark::{DIALECTS, Dialect, Trail};
use coconut_format::node::{Kind, Node};
use std::cell::Cell;

/// What stands for a secret in every output.
pub(crate) const SECRET: &str = "[secret]";

/// The places of a document, or of one value of it, that must not be shown.
#[derive(Clone, Debug, Default)]
pub(crate) struct Redaction {
    places: PathSet,
}

impl Redaction {
    /// The secrets of the whole document; none when they are to be revealed.
    ///
    /// Costs a walk over the document, unless none of the words occurs in its bytes that mark secrets.
    pub(crate) fn of_document(document: DocumentView<'_>, reveal: bool) -> Result<Redaction, DecodeError> {
        match reveal || !may_hold_secrets(document)? {
            true => Ok(Redaction::default()),
            false => Redaction::along(document, &[]),
        }
    }

    /// The secrets of the value at the end of a way from the root; those of other values are left out.
    pub(crate) fn of_value(
        document: DocumentView<'_>,
        way: &[Step<'_>],
        reveal: bool,
    ) -> Result<Redaction, DecodeError> {
        match reveal {
            true => Ok(Redaction::default()),
            false => Redaction::along(document, way),
        }
    }

    fn along(document: DocumentView<'_>, way: &[Step<'_>]) -> Result<Redaction, DecodeError> {
        let fault = Cell::new(None);
        let root = OnlyAlong::Value(WatchedView::new(document.root(), &fault), way);
        let dialect = dialect_of(document, root);
        let places = secret_places(root, dialect);
        match fault.take() {
            Some(error) => Err(error),
            None => Ok(Redaction { places }),
        }
    }

    /// Whether nothing has to be kept back.
    pub(crate) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Whether the value at this JSON pointer must not be shown.
    pub(crate) fn hides(&self, pointer: &str) -> bool {
        self.places.contains(pointer)
    }

    /// `sink`, which will not see the secrets of the value that `way` leads to from the root.
    pub(crate) fn sink<S: EventSink>(&self, way: &[Step<'_>], sink: S) -> RedactingSink<'_, S> {
        let place = way.iter().fold(self.places.root(), |place, (trail, _)| match trail {
            Trail::Root => place,
            Trail::Entry(key) => self.places.enter_key(place, key),
            Trail::Item(index) => self.places.enter_item(place, *index),
        });
        let places = (!self.is_empty()).then_some(&self.places);
        RedactingSink { places, inner: sink, next: place, open: Vec::new(), hidden: 0 }
    }
}

/// The dialect that says what is secret: that of the header, or what the content shows, where the header names an
/// automatic rule. Any dialect without marks of its own stands for the rest: Pulumi's secrets mark themselves.
fn dialect_of<'a, N: Node<'a>>(document: DocumentView<'_>, root: N) -> &'static Dialect {
    let named = document.header().dialect.as_deref().and_then(Dialect::named);
    named.or_else(|| Dialect::of(root)).unwrap_or(&DIALECTS[0])
}

/// Whether a word occurs in the file that marks secrets in documents of its dialect. Strings stand in the file as
/// they are.
fn may_hold_secrets(document: DocumentView<'_>) -> Result<bool, DecodeError> {
    let fault = Cell::new(None);
    let dialect = dialect_of(document, WatchedView::new(document.root(), &fault));
    if let Some(error) = fault.take() {
        return Err(error);
    }
    let words: &[&str] = match dialect.name.starts_with("terraform-") {
        true => &["sensitive"],
        false => &[SIGNATURE_KEY, "additionalSecretOutputs", "secure"],
    };
    Ok(holds_a_word(document.bytes(), words))
}

/// Whether a word occurs in a file that marks secrets in a document of any dialect: what can be said of one that
/// cannot be read.
pub(crate) fn names_secrets(bytes: &[u8]) -> bool {
    holds_a_word(bytes, &[SIGNATURE_KEY, "additionalSecretOutputs", "secure", "sensitive"])
}

fn holds_a_word(bytes: &[u8], words: &[&str]) -> bool {
    words.iter().any(|word| bytes.windows(word.len()).any(|window| window == word.as_bytes()))
}

/// A document of which only the values on a way, and what lies below its end, can be walked.
///
/// The marks of a secret may lie beside the way, so all entries can be asked for by their keys. Items keep their
/// numbers: those beside the way are there as nulls.
#[derive(Clone, Copy)]
enum OnlyAlong<'a> {
    Value(WatchedView<'a>, &'a [Step<'a>]),
    Beside,
}

impl<'a> OnlyAlong<'a> {
    fn node(self) -> Option<WatchedView<'a>> {
        match self {
            OnlyAlong::Value(node, _) => Some(node),
            OnlyAlong::Beside => None,
        }
    }

    /// The next step of the way, as a node.
    fn next(self) -> Option<(Trail<'a>, OnlyAlong<'a>)> {
        let OnlyAlong::Value(node, way) = self else { return None };
        let ((trail, view), rest) = way.split_first()?;
        Some((*trail, OnlyAlong::Value(node.beside(*view), rest)))
    }

    /// The node, if everything below it is part of the document that can be walked.
    fn whole(self) -> Option<WatchedView<'a>> {
        match self {
            OnlyAlong::Value(node, []) => Some(node),
            _ => None,
        }
    }
}

impl<'a> Node<'a> for OnlyAlong<'a> {
    fn kind(self) -> Kind {
        self.node().map_or(Kind::Null, Node::kind)
    }

    fn as_bool(self) -> Option<bool> {
        self.node()?.as_bool()
    }

    fn as_integer(self) -> Option<Integer> {
        self.node()?.as_integer()
    }

    fn as_float(self) -> Option<f64> {
        self.node()?.as_float()
    }

    fn as_str(self) -> Option<&'a str> {
        self.node()?.as_str()
    }

    fn get(self, key: &str) -> Option<Self> {
        match self.next() {
            Some((Trail::Entry(next), value)) if next == key => Some(value),
            _ => self.node()?.get(key).map(|value| OnlyAlong::Value(value, &[])),
        }
    }

    fn entries(self) -> impl Iterator<Item = (&'a str, Self)> + 'a {
        let on_the_way = match self.next() {
            Some((Trail::Entry(key), value)) => Some((key, value)),
            _ => None,
        };
        let all = self.whole().into_iter().flat_map(Node::entries);
        on_the_way.into_iter().chain(all.map(|(key, value)| (key, OnlyAlong::Value(value, &[]))))
    }

    fn items(self) -> impl Iterator<Item = Self> + 'a {
        let (before, on_the_way) = match self.next() {
            Some((Trail::Item(index), value)) => (index, Some(value)),
            _ => (0, None),
        };
        let all = self.whole().into_iter().flat_map(Node::items);
        let beside = std::iter::repeat_n(OnlyAlong::Beside, before);
        beside.chain(on_the_way).chain(all.map(|value| OnlyAlong::Value(value, &[])))
    }

    fn width(self) -> usize {
        self.node().map_or(0, Node::width)
    }
}

/// Passes events on, with [`SECRET`] for every value that must not be shown.
#[derive(Debug)]
pub(crate) struct RedactingSink<'p, S> {
    /// `None` when nothing is secret.
    places: Option<&'p PathSet>,
    inner: S,
    /// The place of the next value, in an object or at the start.
    next: Place,
    open: Vec<Open>,
    /// How many containers are open in the secret that is being left out.
    hidden: u32,
}

/// An open container.
#[derive(Debug)]
struct Open {
    place: Place,
    /// The number of the next item, in a list.
    item: Option<usize>,
}

impl<S> RedactingSink<'_, S> {
    /// The sink behind it.
    pub(crate) fn into_inner(self) -> S {
        self.inner
    }
}

impl<S: EventSink> RedactingSink<'_, S> {
    /// The place of the value that comes now.
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
}
