//! A sink with the helpers of both writers.

use coconut_codec::event::{EventSink, SinkError, push};
use coconut_format::Value;

/// A sink with helpers.
pub(crate) struct Output<'s>(pub(crate) &'s mut dyn EventSink);

impl Output<'_> {
    /// An object under a key.
    pub(crate) fn object(
        &mut self,
        key: &str,
        content: impl FnOnce(&mut Self) -> Result<(), SinkError>,
    ) -> Result<(), SinkError> {
        self.0.key(key)?;
        self.item(content)
    }

    /// An object.
    pub(crate) fn item(
        &mut self,
        content: impl FnOnce(&mut Self) -> Result<(), SinkError>,
    ) -> Result<(), SinkError> {
        self.0.begin_object()?;
        content(self)?;
        self.0.end_object()
    }

    pub(crate) fn text(&mut self, key: &str, text: &str) -> Result<(), SinkError> {
        self.0.key(key)?;
        self.0.string(text)
    }

    pub(crate) fn optional(&mut self, key: &str, text: Option<&str>) -> Result<(), SinkError> {
        text.filter(|text| !text.is_empty()).map_or(Ok(()), |text| self.text(key, text))
    }

    /// The key with `true`, if the condition holds.
    pub(crate) fn flag(&mut self, key: &str, is_set: bool) -> Result<(), SinkError> {
        if is_set {
            self.0.key(key)?;
            self.0.bool(true)?;
        }
        Ok(())
    }

    pub(crate) fn value(&mut self, key: &str, value: &Value) -> Result<(), SinkError> {
        self.0.key(key)?;
        push(value, self.0)
    }

    /// A list of texts under a key, unless it is empty.
    pub(crate) fn texts<'t>(
        &mut self,
        key: &str,
        texts: impl IntoIterator<Item = &'t str>,
    ) -> Result<(), SinkError> {
        let mut texts = texts.into_iter().peekable();
        if texts.peek().is_none() {
            return Ok(());
        }
        self.0.key(key)?;
        self.0.begin_list()?;
        for text in texts {
            self.0.string(text)?;
        }
        self.0.end_list()
    }

    /// A node of one kind that contains a text: an identifier, a token.
    pub(crate) fn node(&mut self, key: &str, kind: &str, field: &str, text: &str) -> Result<(), SinkError> {
        self.object(key, |out| {
            out.text("kind", kind)?;
            out.text(field, text)
        })
    }
}
