//! `Document`: an open document.

use crate::fault::{Fault, printed, text_of};
use coconut_codec::event::EventSink;
use coconut_codec::read::file::{DocumentFile, DocumentView};
use coconut_codec::read::lookup::{LandmarkView, Ways};
use coconut_codec::read::stream::{Budget, StreamError};
use coconut_codec::read::view::{Content, ValueView};
use coconut_codec::secrets::{HiddenKeys, Redaction};
use coconut_codec::text::json::{JsonStyle, Printer};
use coconut_format::error::DecodeError;
use coconut_format::graph::Place;
use coconut_format::{Integer, pointer};
use std::cell::{Cell, OnceCell};
use std::rc::Rc;
use wasm_bindgen::prelude::wasm_bindgen;

/// An open document, and what is known of its secrets.
pub(crate) struct Opened {
    /// The name for messages.
    pub(crate) name: String,
    pub(crate) file: DocumentFile<Vec<u8>>,
    /// Whether secrets may be shown.
    pub(crate) reveal: bool,
    /// The size of the source, if it is one.
    #[cfg_attr(not(feature = "answers"), expect(dead_code, reason = "only answers report it"))]
    pub(crate) source_size: Option<u64>,
    /// Whether secrets were searched in a landmark.
    was_searched: Cell<bool>,
    redaction: OnceCell<Result<Redaction, DecodeError>>,
    hidden: OnceCell<Result<HiddenKeys, DecodeError>>,
}

impl Opened {
    fn view(&self) -> DocumentView<'_> {
        self.file.view()
    }

    /// The places of all secrets, which are searched once.
    pub(crate) fn redaction(&self) -> Result<&Redaction, DecodeError> {
        let search = || Redaction::of_document(self.view(), self.reveal);
        self.redaction.get_or_init(search).as_ref().map_err(Clone::clone)
    }

    /// The keys that must not be shown.
    fn hidden_keys(&self) -> Result<&HiddenKeys, DecodeError> {
        let search = || HiddenKeys::of(self.view(), self.redaction()?);
        self.hidden.get_or_init(search).as_ref().map_err(Clone::clone)
    }
}

/// A document. Everything that it returns is JSON text without secrets, unless it was opened to
/// reveal them.
#[wasm_bindgen]
pub struct Document(pub(crate) Rc<Opened>);

#[wasm_bindgen]
impl Document {
    /// Opens a compiled document, or compiles a source where the feature `answers` is on.
    #[wasm_bindgen(constructor)]
    pub fn new(name: &str, bytes: Vec<u8>, reveal: bool) -> Result<Document, Fault> {
        let size = bytes.len() as u64;
        let (bytes, is_source) = document_of(name, bytes, reveal)?;
        let file = DocumentFile::from_data(bytes).map_err(|error| in_file(error.into(), name))?;
        Ok(Document(Rc::new(Opened {
            name: name.to_owned(),
            file,
            reveal,
            source_size: is_source.then_some(size),
            was_searched: Cell::new(false),
            redaction: OnceCell::new(),
            hidden: OnceCell::new(),
        })))
    }

    /// The document type, `cocopack`, `cocogl` or another.
    #[wasm_bindgen(js_name = documentType)]
    pub fn document_type(&self) -> String {
        self.view().header().document_type.clone()
    }

    /// The dialect, if the document has one.
    pub fn dialect(&self) -> Option<String> {
        self.view().header().dialect.clone()
    }

    /// The bytes of the compiled form, with all of its secrets.
    #[wasm_bindgen(js_name = toBytes)]
    pub fn to_bytes(&self) -> Vec<u8> {
        self.0.file.data().clone()
    }

    /// The number of landmarks.
    pub fn length(&self) -> Result<u32, Fault> {
        Ok(self.view().landmark_count()?)
    }

    /// Whether a landmark has this key.
    pub fn has(&self, key: &str) -> Result<bool, Fault> {
        Ok(!self.view().get_all(key)?.is_empty())
    }

    /// The keys of all landmarks in document order, as a list.
    pub fn keys(&self) -> Result<String, Fault> {
        self.list(|sink| {
            let hidden = self.0.hidden_keys()?;
            let mut keys = self.view().keys()?;
            while let Some((landmark, key)) = keys.read_next()? {
                sink.string(hidden.shown(landmark, key)?)?;
            }
            Ok(())
        })
    }

    /// All landmarks in document order, as a list of objects.
    pub fn landmarks(&self) -> Result<String, Fault> {
        self.list(|sink| {
            for ordinal in 0..self.view().landmark_count()? {
                if let Some(landmark) = self.view().landmark(ordinal)? {
                    self.put_landmark(landmark, sink)?;
                }
            }
            Ok(())
        })
    }

    /// The landmarks directly inside the one with this number, as a list of objects.
    pub fn children(&self, ordinal: u32) -> Result<String, Fault> {
        self.list(|sink| {
            let children = self.view().landmark(ordinal)?.map(|landmark| landmark.children());
            for child in children.transpose()?.unwrap_or_default() {
                self.put_landmark(child, sink)?;
            }
            Ok(())
        })
    }

    /// The values of all landmarks with this key, as a list.
    #[wasm_bindgen(js_name = getAll)]
    pub fn get_all(&self, key: &str) -> Result<String, Fault> {
        self.list(|sink| {
            for landmark in self.view().get_all(key)? {
                self.put_value(landmark, sink)?;
            }
            Ok(())
        })
    }

    /// The value of the landmark with this number, in a list, which is empty if there is none.
    pub fn value(&self, ordinal: u32) -> Result<String, Fault> {
        self.list(|sink| match self.view().landmark(ordinal)? {
            Some(landmark) => self.put_value(landmark, sink),
            None => Ok(()),
        })
    }

    /// The value at a JSON pointer, in a list, which is empty if there is none.
    pub fn pointer(&self, pointer: &str) -> Result<String, Fault> {
        self.list(|sink| {
            let redaction = self.0.redaction()?;
            if let Some((value, place)) = self.at(redaction, pointer)? {
                value.stream(&mut redaction.sink_at(place, sink), self.budget())?;
            }
            Ok(())
        })
    }

    /// The keys and kinds of the direct edges of landmarks with this key: pairs in a list.
    pub fn edges(&self, key: &str, is_up: bool) -> Result<String, Fault> {
        self.list(|sink| {
            let hidden = self.0.hidden_keys()?;
            for landmark in self.view().get_all(key)? {
                let edges = if is_up { landmark.dependents()? } else { landmark.dependencies()? };
                for edge in edges {
                    let other = edge.landmark;
                    sink.begin_list()?;
                    sink.string(hidden.shown(other, &other.key()?)?)?;
                    sink.string(edge.kind)?;
                    sink.end_list()?;
                }
            }
            Ok(())
        })
    }

    /// The whole document, on one line or with this many spaces for each level.
    #[wasm_bindgen(js_name = toJson)]
    pub fn to_json(&self, indent: Option<u8>) -> Result<String, Fault> {
        let style = indent.map_or(JsonStyle::Minified, |indent| JsonStyle::Pretty { indent });
        let mut printer = Printer::new(Vec::new(), style);
        let redaction = self.0.redaction()?;
        let mut sink = redaction.sink_at(redaction.places().root(), &mut printer);
        self.view().stream(&mut sink, Budget::default()).map_err(|error| self.failed(error))?;
        Ok(text_of(printer))
    }
}

impl Document {
    pub(crate) fn view(&self) -> DocumentView<'_> {
        self.0.view()
    }

    pub(crate) fn failed(&self, error: impl Into<StreamError>) -> Fault {
        in_file(error.into(), &self.0.name)
    }

    fn budget(&self) -> Budget {
        Budget::held(self.view().length() as u64)
    }

    fn list(
        &self,
        write: impl FnOnce(&mut Printer<Vec<u8>>) -> Result<(), StreamError>,
    ) -> Result<String, Fault> {
        let mut fault = None;
        let text = printed(|sink| {
            sink.begin_list()?;
            if let Err(error) = write(sink) {
                fault = Some(error);
            }
            Ok(())
        });
        match fault {
            Some(error) => Err(self.failed(error)),
            None => Ok(text + "]"),
        }
    }

    fn put_landmark(
        &self,
        landmark: LandmarkView<'_>,
        sink: &mut Printer<Vec<u8>>,
    ) -> Result<(), StreamError> {
        let hidden = self.0.hidden_keys()?;
        sink.begin_object()?;
        for (name, key) in [("key", landmark.key()?), ("ownKey", landmark.own_key()?)] {
            sink.key(name)?;
            sink.string(hidden.shown(landmark, &key)?)?;
        }
        let parent = landmark.parent()?.map(|parent| parent.ordinal()).transpose()?;
        let numbers = [("class", Some(landmark.class()?.into())), ("parent", parent)];
        for (name, number) in numbers.into_iter().chain([("ordinal", Some(landmark.ordinal()?))]) {
            sink.key(name)?;
            match number {
                Some(number) => sink.integer(Integer::from(u64::from(number)))?,
                None => sink.null()?,
            }
        }
        sink.end_object()?;
        Ok(())
    }

    /// The value of a landmark, without the secrets in it.
    fn put_value(&self, landmark: LandmarkView<'_>, sink: &mut Printer<Vec<u8>>) -> Result<(), StreamError> {
        let (view, document) = (landmark.value()?, self.view());
        // From the second lookup on, one search for all secrets costs less than one for each.
        let is_clear = self.0.reveal
            || self.0.was_searched.replace(true) && self.0.redaction().is_ok_and(Redaction::is_empty);
        if is_clear {
            return view.stream(sink, self.budget());
        }
        let way = match landmark.indexed_way()? {
            Some(way) => way,
            None => Ways::from_root(document).next_to(landmark)?.to_vec(),
        };
        let redaction = Redaction::of_value_in(document, Some(landmark), &way, false)?;
        view.stream(&mut redaction.sink_at(redaction.place_of(&way), sink), self.budget())
    }

    /// The value at a JSON pointer. Secrets have no children.
    fn at(
        &self,
        redaction: &Redaction,
        pointer: &str,
    ) -> Result<Option<(ValueView<'_>, Place)>, DecodeError> {
        let places = redaction.places();
        let Some(keys) = pointer::keys(pointer) else { return Ok(None) };
        let mut here = (self.view().root(), places.root());
        for key in keys {
            let (view, place) = here;
            let next = match place {
                Place::Inside => None,
                _ => match view.content()? {
                    Content::Object(object) => {
                        object.get(&key)?.map(|value| (value, places.enter_key(place, &key)))
                    }
                    Content::List(list) => {
                        list.named(&key)?.map(|(index, item)| (item, places.enter_item(place, index)))
                    }
                    _ => None,
                },
            };
            match next {
                Some(next) => here = next,
                None => return Ok(None),
            }
        }
        Ok(Some(here))
    }
}

#[cfg(feature = "answers")]
fn in_file(error: StreamError, name: &str) -> Fault {
    coconut_report::Failure::from(error).in_file(name).into()
}

#[cfg(not(feature = "answers"))]
fn in_file(error: StreamError, _: &str) -> Fault {
    error.into()
}

/// The bytes of the document, and whether it was compiled now.
#[cfg(feature = "answers")]
fn document_of(name: &str, bytes: Vec<u8>, reveal: bool) -> Result<(Vec<u8>, bool), Fault> {
    use coconut_codec::bytes::expand::{Compression, expanded};
    use coconut_report::Failure;
    use coconut_report::recognised::compiled;
    use std::path::Path;
    let text = match Compression::of(&bytes) {
        None => bytes,
        Some(_) => {
            let text = expanded(&bytes).map_err(|error| Failure::reading(Path::new(name), &error))?;
            text.into_owned()
        }
    };
    Ok(match compiled(name, &text, reveal)? {
        Some(compiled) => (compiled, true),
        None => (text, false),
    })
}

#[cfg(not(feature = "answers"))]
fn document_of(_: &str, bytes: Vec<u8>, _: bool) -> Result<(Vec<u8>, bool), Fault> {
    Ok((bytes, false))
}
