//! §15.8 Views that hide secrets.

use super::redaction::Redaction;
use super::sink::SECRET;
use crate::bounded_debug::bounded_debug;
use crate::event::{EventSink, ValueSink};
use crate::read::file::DocumentView;
use crate::read::lookup::{LandmarkView, Ways};
use crate::read::stream::{Budget, StreamError};
use crate::read::view::{Content, ValueView};
use coconut_format::Value;
use coconut_format::error::DecodeError;
use coconut_format::graph::Place;
use coconut_format::pointer;
use std::sync::Arc;

/// A value of a document, with [`SECRET`] in place of each secret.
///
/// Unlike a [`ValueView`], it never returns the text of a secret, nor the keys of an object in one.
/// It owns the places of the secrets, which its copies share. [`DocumentView::redacted`] and
/// [`LandmarkView::redacted`] return one.
#[derive(Clone)]
pub struct RedactedView<'a> {
    value: ValueView<'a>,
    place: Place,
    redaction: Arc<Redaction>,
}

bounded_debug!(RedactedView<'_>, |view| value: view.value);

impl<'a> DocumentView<'a> {
    /// Returns the document without its secrets.
    ///
    /// Costs a pass over the bytes. If these contain marks of secrets, the document is read once
    /// more, into memory. See [`secrets`](crate::secrets#units-costs-errors).
    ///
    /// # Errors
    ///
    /// * Damage, because a damaged mark could reveal its secret.
    /// * [`ErrorKind::Work`](crate::ErrorKind::Work) and
    ///   [`ErrorKind::TooMany`](crate::ErrorKind::TooMany) beyond the limits.
    pub fn redacted(&self) -> Result<RedactedView<'a>, DecodeError> {
        let redaction = Redaction::of_document(*self, false)?;
        Ok(RedactedView {
            value: self.root(),
            place: redaction.places.root(),
            redaction: Arc::new(redaction),
        })
    }
}

impl<'a> LandmarkView<'a> {
    /// Returns the value of the landmark without its secrets.
    ///
    /// Searches only the value and the marks next to the path to it. Without an index, or if the
    /// index does not determine that path, it also skips over the values before the landmark.
    ///
    /// ```
    /// use coconut_codec::{CompileOptions, Document, compile};
    ///
    /// let state = r#"{"version": 4, "terraform_version": "1", "resources": [{
    ///     "mode": "managed", "type": "db", "name": "main", "instances": [{
    ///         "attributes": {"name": "shop", "password": "x"},
    ///         "sensitive_attributes": [[{"type": "get_attr", "value": "password"}]]}]}]}"#;
    /// let compiled = compile(state.as_bytes(), &CompileOptions::default())?;
    /// let file = Document::from_data(compiled.bytes)?;
    ///
    /// let database = file.require("db.main")?.redacted()?;
    /// let attributes = database.pointer("/instances/0/attributes")?.expect("it has them");
    /// assert_eq!(attributes.to_value()?.to_string(), r#"{"name":"shop","password":"[secret]"}"#);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The same as for [`DocumentView::redacted`].
    pub fn redacted(&self) -> Result<RedactedView<'a>, DecodeError> {
        let document = self.document();
        let way = match self.indexed_way()? {
            Some(way) => way,
            None => Ways::from_root(document).next_to(*self)?.to_vec(),
        };
        let redaction = Redaction::of_value_in(document, Some(*self), &way, false)?;
        let place = redaction.place_of(&way);
        Ok(RedactedView { value: self.value()?, place, redaction: Arc::new(redaction) })
    }
}

impl<'a> RedactedView<'a> {
    /// Whether the value is a secret, or inside one. It is then shown as [`SECRET`].
    pub fn is_secret(&self) -> bool {
        self.place == Place::Inside
    }

    /// Whether the value is a secret or contains one.
    pub fn has_secrets(&self) -> bool {
        self.place != Place::Outside && !self.redaction.is_empty()
    }

    /// Returns the value with its secrets, or `None` if it contains any.
    pub fn revealed(&self) -> Option<ValueView<'a>> {
        (!self.has_secrets()).then_some(self.value)
    }

    /// Returns the value under `key`. `None` if there is no such key, or if this is not an object.
    /// A secret is shown as a text, so it has no keys.
    pub fn field(&self, key: &str) -> Result<Option<RedactedView<'a>>, DecodeError> {
        match self.shown()? {
            Some(Content::Object(object)) => Ok(object.get(key)?.map(|value| self.entry(key, value))),
            _ => Ok(None),
        }
    }

    /// Returns the value at a JSON pointer relative to this value, as [`ValueView::pointer`] does.
    /// Secrets have no children.
    pub fn pointer(&self, pointer: &str) -> Result<Option<RedactedView<'a>>, DecodeError> {
        let Some(keys) = pointer::keys(pointer) else { return Ok(None) };
        let mut here = self.clone();
        for key in keys {
            let next = match here.shown()? {
                Some(Content::Object(object)) => object.get(&key)?.map(|value| here.entry(&key, value)),
                Some(Content::List(list)) => list.named(&key)?.map(|(index, value)| {
                    let place = here.redaction.places.enter_item(here.place, index);
                    RedactedView { value, place, ..here.clone() }
                }),
                _ => None,
            };
            match next {
                Some(next) => here = next,
                None => return Ok(None),
            }
        }
        Ok(Some(here))
    }

    fn entry(&self, key: &str, value: ValueView<'a>) -> RedactedView<'a> {
        RedactedView { value, place: self.redaction.places.enter_key(self.place, key), ..self.clone() }
    }

    fn shown(&self) -> Result<Option<Content<'a>>, DecodeError> {
        if self.is_secret() { Ok(None) } else { self.value.content().map(Some) }
    }

    /// Emits the value into `sink`, with [`SECRET`] for each secret.
    ///
    /// The costs and errors are those of [`DocumentView::stream`] for a root, and of
    /// [`ValueView::stream`] for any other value.
    pub fn stream<S: EventSink>(&self, sink: &mut S, budget: Budget) -> Result<(), StreamError> {
        if self.is_secret() {
            return Ok(sink.string(SECRET)?);
        }
        let mut sink = self.redaction.sink_at(self.place, sink);
        match self.value.is_root() {
            true => self.value.document().stream(&mut sink, budget),
            false => self.value.stream(&mut sink, budget),
        }
    }

    /// Copies the value into owned values, with [`SECRET`] for each secret.
    ///
    /// # Errors
    ///
    /// Those of [`stream`](Self::stream), with the budget for held values of the file's size.
    pub fn to_value(&self) -> Result<Value, StreamError> {
        let mut sink = ValueSink::new();
        self.stream(&mut sink, Budget::held(self.value.document().length() as u64))?;
        Ok(sink.finish().expect("a stream is one document"))
    }
}

#[cfg(test)]
mod tests {
    use crate::compile::{CompileOptions, compile};
    use crate::read::file::DocumentFile;

    #[test]
    fn a_secret_has_nothing_in_it() {
        let text = r#"{"kind":"Secret","data":{"a":{"b":["x"]}},"spec":[{"c":1}]}"#;
        let bytes = compile(text.as_bytes(), &CompileOptions::default()).unwrap().bytes;
        let file = DocumentFile::from_data(bytes).unwrap();
        let view = file.view().redacted().unwrap();
        assert_eq!(view.to_json().unwrap(), r#"{"kind":"Secret","data":{"a":"[secret]"},"spec":[{"c":1}]}"#);
        let secret = view.pointer("/data/a").unwrap().unwrap();
        assert!(secret.is_secret() && secret.revealed().is_none());
        assert_eq!(secret.to_json().unwrap(), r#""[secret]""#);
        assert!(secret.field("b").unwrap().is_none() && view.pointer("/data/a/b").unwrap().is_none());
        let open = view.pointer("/spec/0").unwrap().unwrap();
        assert!(!open.has_secrets() && open.revealed().is_some());
        assert_eq!(open.field("c").unwrap().unwrap().to_json().unwrap(), "1");
        assert!(view.revealed().is_none() && !format!("{view:?}{secret:?}").contains('x'));
    }
}
