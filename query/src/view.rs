//! Views of filters: containers of a document that are opened level by level, without secrets.

use super::number::Number;
use super::steps::{self, Fault};
use super::value::{Entries, Opened, Val};
use coconut_codec::read::file::{DocumentFile, DocumentView};
use coconut_codec::read::view::{Content, ListView, ObjectView, ValuePlace, ValueView};
use coconut_codec::secrets::{Redaction, SECRET};
use coconut_format::error::DecodeError;
use coconut_format::graph::Place;
use coconut_report::failure::Failure;
use std::cell::{OnceCell, RefCell};
use std::fmt;
use std::rc::Rc;

/// An open document that keeps its bytes.
pub trait Open {
    /// The document.
    fn view(&self) -> DocumentView<'_>;
}

impl<B: AsRef<[u8]>> Open for DocumentFile<B> {
    fn view(&self) -> DocumentView<'_> {
        DocumentFile::view(self)
    }
}

/// A document read by filters, shared by all views of it.
pub struct Source {
    opened: Rc<dyn Open>,
    name: String,
    redaction: Redaction,
    /// The text in place of a secret.
    secret: Rc<String>,
    /// Large containers that were opened for one entry, the last one first. The next entry of the
    /// same container then costs a step, not a walk over the entries before it.
    large: RefCell<Vec<(u64, Val)>>,
    /// The tables that only questions about landmarks need.
    pub(crate) landmarks: OnceCell<super::landmarks::Table>,
}

/// Large containers that are kept open.
const KEPT: usize = 8;

/// The number of entries that makes a container large. Below it, a walk costs no more than keeping
/// them.
const LARGE: usize = 32;

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.name.fmt(f)
    }
}

impl Source {
    /// A document with this name, without its secrets unless `reveal`.
    pub fn of(opened: Rc<dyn Open>, name: &str, reveal: bool) -> Result<Source, DecodeError> {
        let redaction = Redaction::of_document(opened.view(), reveal)?;
        Ok(Source::new(opened, name, redaction))
    }

    /// A document, and the places of it that must not be shown.
    pub(crate) fn new(opened: Rc<dyn Open>, name: &str, redaction: Redaction) -> Source {
        let secret = Rc::new(SECRET.to_owned());
        Source {
            opened,
            name: name.to_owned(),
            redaction,
            secret,
            large: RefCell::default(),
            landmarks: OnceCell::new(),
        }
    }

    /// The name of the document.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Drops the kept containers, which refer to the document themselves.
    pub fn release(&self) {
        self.large.take();
    }

    pub(crate) fn document(&self) -> DocumentView<'_> {
        self.opened.view()
    }

    pub(crate) fn redaction(&self) -> &Redaction {
        &self.redaction
    }

    /// The root of the document.
    pub fn root(self: &Rc<Source>) -> Result<Val, DecodeError> {
        self.met(self.document().root(), self.redaction.places().root())
    }

    /// The items of a root that is a list of documents, or only the root.
    pub fn documents(self: &Rc<Source>) -> Result<Rc<Vec<Val>>, Failure> {
        // No filter has read them yet, so they are no steps of one.
        steps::begin(u64::MAX);
        let root = self.root()?;
        let opened = root.clone().opened();
        steps::check()?;
        Ok(match opened {
            Opened::List(items) => items,
            Opened::Object(_) | Opened::Other(_) => Rc::new(vec![root]),
        })
    }

    /// The value of a view at this place of the redaction. A damaged one ends the run.
    pub(crate) fn value(self: &Rc<Source>, view: ValueView<'_>, place: Place) -> Val {
        self.met(view, place).unwrap_or_else(|error| {
            steps::raise(Fault::Document(error));
            Val::Null
        })
    }

    /// The value of a view at this place of the redaction.
    pub(crate) fn met(self: &Rc<Source>, view: ValueView<'_>, place: Place) -> Result<Val, DecodeError> {
        if place == Place::Inside {
            return Ok(Val::String(Rc::clone(&self.secret)));
        }
        let (is_list, length) = match view.content()? {
            Content::Null => return Ok(Val::Null),
            Content::Bool(value) => return Ok(Val::Bool(value)),
            Content::Integer(integer) => return Ok(Val::Number(integer.into())),
            Content::Float(float) => return Ok(Val::Number(Number::Float(float))),
            // The run ends, so the value is not used.
            Content::String(text) if steps::are_exceeded_by_text(text.len()) => return Ok(Val::Null),
            Content::String(text) => return Ok(Val::text(text)),
            Content::List(list) => (true, list.len()),
            Content::Object(object) => (false, object.len()),
        };
        let length = u32::try_from(length).unwrap_or(u32::MAX);
        Ok(Val::View(View { source: Rc::clone(self), at: view.place(), place, is_list, length }))
    }
}

/// A list or object of a document, not yet read.
#[derive(Clone)]
pub struct View {
    source: Rc<Source>,
    at: ValuePlace,
    /// Its position relative to the secrets. Never inside one.
    place: Place,
    is_list: bool,
    length: u32,
}

impl fmt::Debug for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "view at byte {}", self.view().offset())
    }
}

impl View {
    pub(crate) fn is_list(&self) -> bool {
        self.is_list
    }

    /// The number of items or entries.
    pub(crate) fn length(&self) -> usize {
        self.length as usize
    }

    /// The document that contains it.
    pub(crate) fn source(&self) -> &Rc<Source> {
        &self.source
    }

    pub(crate) fn view(&self) -> ValueView<'_> {
        self.source.document().value_at(self.at)
    }

    /// Whether both are the same bytes of one document.
    pub(crate) fn is_same(&self, other: &View) -> bool {
        self.at == other.at && Rc::ptr_eq(&self.source, &other.source)
    }

    /// Decodes one level. Decodes nothing once the run must end, because values that occur at many
    /// places could be compared and printed without end.
    pub(crate) fn opened(&self) -> Opened {
        if steps::are_exceeded(1) {
            return Opened::Other(Val::Null);
        }
        let content = self.view().content();
        let opened = content.and_then(|content| match content {
            Content::List(list) => self.items(list).map(|items| Opened::List(Rc::new(items))),
            Content::Object(object) => self.entries(object).map(|all| Opened::Object(Rc::new(all))),
            _ => Ok(Opened::Other(Val::Null)),
        });
        opened.unwrap_or_else(|error| {
            steps::raise(Fault::Document(error));
            Opened::Other(Val::Null)
        })
    }

    fn items(&self, list: ListView<'_>) -> Result<Vec<Val>, DecodeError> {
        steps::are_exceeded(list.len() as u64);
        let places = self.source.redaction.places();
        let items = list.items().enumerate();
        let item = |(index, item): (usize, Result<_, _>)| {
            self.source.met(item?, places.enter_item(self.place, index))
        };
        items.map(item).collect()
    }

    fn entries(&self, object: ObjectView<'_>) -> Result<Entries, DecodeError> {
        steps::are_exceeded(object.len() as u64);
        let places = self.source.redaction.places();
        let mut entries = Entries::with_hasher(Default::default());
        for entry in object.iter() {
            let (key, value) = entry?;
            if steps::are_exceeded_by_text(key.len()) {
                break;
            }
            let value = self.source.met(value, places.enter_key(self.place, key))?;
            entries.entry(key.into()).or_insert(value);
        }
        Ok(entries)
    }

    /// The entry under `key`. `None` if it does not exist, or if this is a list.
    pub(crate) fn entry(&self, key: &str) -> Option<Val> {
        if self.length() >= LARGE {
            return match self.kept() {
                Val::Object(entries) => entries.get(key).cloned(),
                _ => None,
            };
        }
        let place = self.source.redaction.places().enter_key(self.place, key);
        let found = self.view().field(key).transpose()?;
        let value = found.and_then(|value| self.source.met(value, place));
        Some(self.or_fault(value))
    }

    /// The item at `index`.
    pub(crate) fn item(&self, index: usize) -> Option<Val> {
        if index >= LARGE {
            return match self.kept() {
                Val::List(items) => items.get(index).cloned(),
                _ => None,
            };
        }
        let found = self.view().content().and_then(|content| match content {
            Content::List(list) => list.get(index),
            _ => Ok(None),
        });
        let place = self.source.redaction.places().enter_item(self.place, index);
        let value = found.transpose()?.and_then(|value| self.source.met(value, place));
        Some(self.or_fault(value))
    }

    fn or_fault(&self, value: Result<Val, DecodeError>) -> Val {
        value.unwrap_or_else(|error| {
            steps::raise(Fault::Document(error));
            Val::Null
        })
    }

    /// The container with one level decoded. Kept for the next entry.
    fn kept(&self) -> Val {
        let offset = self.view().offset();
        let known =
            self.source.large.borrow().iter().find(|(at, _)| *at == offset).map(|(_, all)| all.clone());
        if let Some(known) = known {
            return known;
        }
        let opened = match self.opened() {
            Opened::List(items) => Val::List(items),
            Opened::Object(entries) => Val::Object(entries),
            Opened::Other(other) => other,
        };
        let mut large = self.source.large.borrow_mut();
        large.truncate(KEPT - 1);
        large.insert(0, (offset, opened.clone()));
        opened
    }
}
