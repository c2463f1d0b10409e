//! Reads values as Rust types (§4), with one call each.

use super::{Content, Entries, Items, ListView, ObjectView, ValueView};
#[cfg(feature = "whole")]
use crate::event::ValueSink;
#[cfg(feature = "whole")]
use crate::read::stream::{Budget, StreamError};
use coconut_format::Integer;
#[cfg(feature = "whole")]
use coconut_format::Value;
use coconut_format::error::DecodeError;

/// Each call reads one level of the value. `None` means that the value has another kind. An error
/// means that the file is damaged.
///
/// ```
/// use coconut_codec::{CompileOptions, Document, compile};
///
/// let source = br#"{"name": "web", "port": 80, "load": 0.5, "tags": ["a", "b"]}"#;
/// let file = Document::from_data(compile(source, &CompileOptions::default())?.bytes)?;
/// let object = file.view().root().as_object()?.expect("it is an object");
/// let fields = object.get_many(["name", "port", "load"])?;
/// let [name, port, load] = fields.map(|value| value.expect("it exists"));
/// assert_eq!((name.as_str()?, port.as_u64()?), (Some("web"), Some(80)));
/// assert_eq!(load.as_f64()?, Some(0.5));
/// let mut tags = Vec::new();
/// for tag in object.get("tags")?.expect("it exists").as_list()?.expect("it is a list") {
///     tags.extend(tag?.as_str()?);
/// }
/// assert_eq!(tags, ["a", "b"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
impl<'a> ValueView<'a> {
    /// Returns whether this is `null`.
    pub fn is_null(&self) -> Result<bool, DecodeError> {
        Ok(matches!(self.content()?, Content::Null))
    }

    /// Returns the boolean.
    pub fn as_bool(&self) -> Result<Option<bool>, DecodeError> {
        match self.content()? {
            Content::Bool(value) => Ok(Some(value)),
            _ => Ok(None),
        }
    }

    /// Returns the integer, from −2^63 to 2^64−1.
    pub fn as_integer(&self) -> Result<Option<Integer>, DecodeError> {
        match self.content()? {
            Content::Integer(value) => Ok(Some(value)),
            _ => Ok(None),
        }
    }

    /// Returns the integer, unless it is negative.
    ///
    /// ```
    /// use coconut_codec::{CompileOptions, Document, compile};
    ///
    /// let source = br#"{"vertices":{"web":{"port":80,"tags":["a","b"]},"db":{"port":5432}}}"#;
    /// let file = Document::from_data(compile(source, &CompileOptions::default())?.bytes)?;
    /// assert_eq!(file.value("web/port")?.expect("it exists").as_u64()?, Some(80));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn as_u64(&self) -> Result<Option<u64>, DecodeError> {
        Ok(self.as_integer()?.and_then(Integer::as_u64))
    }

    /// Returns the integer, unless it is 2^63 or more.
    pub fn as_i64(&self) -> Result<Option<i64>, DecodeError> {
        Ok(self.as_integer()?.and_then(Integer::as_i64))
    }

    /// Returns the number as a float. An integer of more than 53 bits is rounded.
    pub fn as_f64(&self) -> Result<Option<f64>, DecodeError> {
        match self.content()? {
            Content::Float(value) => Ok(Some(value)),
            Content::Integer(value) => Ok(Some(value.as_f64())),
            _ => Ok(None),
        }
    }

    /// Returns the text, borrowed from the file.
    ///
    /// ```
    /// use coconut_codec::{CompileOptions, Document, compile};
    ///
    /// let source = br#"{"vertices":{"web":{"port":80,"tags":["a","b"]},"db":{"port":5432}}}"#;
    /// let file = Document::from_data(compile(source, &CompileOptions::default())?.bytes)?;
    /// let tag = file.value("web/tags/0")?.expect("it exists");
    /// assert_eq!((tag.as_str()?, tag.as_u64()?), (Some("a"), None));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn as_str(&self) -> Result<Option<&'a str>, DecodeError> {
        self.text()
    }

    /// Returns the list.
    ///
    /// ```
    /// use coconut_codec::{CompileOptions, Document, compile};
    ///
    /// let source = br#"{"vertices":{"web":{"port":80,"tags":["a","b"]},"db":{"port":5432}}}"#;
    /// let file = Document::from_data(compile(source, &CompileOptions::default())?.bytes)?;
    /// let tags = file.value("web/tags")?.expect("it exists").as_list()?.expect("it is a list");
    /// assert_eq!(tags.len(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn as_list(&self) -> Result<Option<ListView<'a>>, DecodeError> {
        match self.content()? {
            Content::List(list) => Ok(Some(list)),
            _ => Ok(None),
        }
    }

    /// Returns the object.
    ///
    /// ```
    /// use coconut_codec::{CompileOptions, Document, compile};
    ///
    /// let source = br#"{"vertices":{"web":{"port":80,"tags":["a","b"]},"db":{"port":5432}}}"#;
    /// let file = Document::from_data(compile(source, &CompileOptions::default())?.bytes)?;
    /// let web = file.require("web")?.value()?.as_object()?.expect("it is an object");
    /// assert_eq!(web.len(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn as_object(&self) -> Result<Option<ObjectView<'a>>, DecodeError> {
        match self.content()? {
            Content::Object(object) => Ok(Some(object)),
            _ => Ok(None),
        }
    }

    /// Copies the value into owned values, within the [budget](Budget::held) for values in memory
    /// without sharing.
    ///
    /// Costs as much as [`stream`](ValueView::stream), plus an allocation per string, list and
    /// object.
    ///
    /// ```
    /// use coconut_codec::{CompileOptions, Document, compile};
    ///
    /// let source = br#"{"vertices":{"web":{"port":80,"tags":["a","b"]},"db":{"port":5432}}}"#;
    /// let file = Document::from_data(compile(source, &CompileOptions::default())?.bytes)?;
    /// let port = file.value("db/port")?.expect("it exists");
    /// assert_eq!(port.to_value()?, 5432u64.into());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if the value cannot be read, or if it expands beyond the budget.
    #[cfg(feature = "whole")]
    pub fn to_value(&self) -> Result<Value, DecodeError> {
        let mut sink = ValueSink::new();
        match self.stream(&mut sink, Budget::held(self.document().data.len() as u64)) {
            Ok(()) => Ok(sink.finish().expect("a stream is one whole value")),
            Err(StreamError::Decode(error)) => Err(error),
            Err(StreamError::Sink(_)) => unreachable!("a sink of values takes whatever a file can hold"),
        }
    }
}

impl<'a> IntoIterator for ListView<'a> {
    type Item = Result<ValueView<'a>, DecodeError>;
    type IntoIter = Items<'a>;

    fn into_iter(self) -> Items<'a> {
        self.items()
    }
}

impl<'a> IntoIterator for &ListView<'a> {
    type Item = Result<ValueView<'a>, DecodeError>;
    type IntoIter = Items<'a>;

    fn into_iter(self) -> Items<'a> {
        self.items()
    }
}

impl<'a> IntoIterator for ObjectView<'a> {
    type Item = Result<(&'a str, ValueView<'a>), DecodeError>;
    type IntoIter = Entries<'a>;

    fn into_iter(self) -> Entries<'a> {
        self.iter()
    }
}

impl<'a> IntoIterator for &ObjectView<'a> {
    type Item = Result<(&'a str, ValueView<'a>), DecodeError>;
    type IntoIter = Entries<'a>;

    fn into_iter(self) -> Entries<'a> {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    use crate::compile::{CompileOptions, compile};
    use crate::read::file::DocumentFile;
    use coconut_format::Value;

    const TEXT: &[u8] = br#"{"null": null, "bool": true, "small": 7, "negative": -1,
        "large": 18446744073709551615, "float": 0.5, "text": "x", "list": [1], "object": {"a": 1}}"#;

    #[test]
    fn each_type_is_read_from_values_of_its_kind_only() {
        let file = DocumentFile::from_data(compile(TEXT, &CompileOptions::default()).unwrap().bytes).unwrap();
        let object = file.view().root().as_object().unwrap().unwrap();
        let mut found = Vec::new();
        for entry in object {
            let (key, value) = entry.unwrap();
            found.push((
                key,
                value.is_null().unwrap(),
                value.as_bool().unwrap(),
                (value.as_u64().unwrap(), value.as_i64().unwrap(), value.as_f64().unwrap()),
                value.as_str().unwrap(),
                value.as_list().unwrap().map(|list| list.len()),
                value.as_object().unwrap().map(|object| object.len()),
            ));
        }
        let none = (None, None, None);
        let large = (Some(u64::MAX), None, Some(18446744073709551615.0));
        let expected = [
            ("null", true, None, none, None, None, None),
            ("bool", false, Some(true), none, None, None, None),
            ("small", false, None, (Some(7), Some(7), Some(7.0)), None, None, None),
            ("negative", false, None, (None, Some(-1), Some(-1.0)), None, None, None),
            ("large", false, None, large, None, None, None),
            ("float", false, None, (None, None, Some(0.5)), None, None, None),
            ("text", false, None, none, Some("x"), None, None),
            ("list", false, None, none, None, Some(1), None),
            ("object", false, None, none, None, None, Some(1)),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_value_is_copied_whole() {
        let file = DocumentFile::from_data(compile(TEXT, &CompileOptions::default()).unwrap().bytes).unwrap();
        let view = file.view();
        assert_eq!(view.root().to_value().unwrap(), view.to_value().unwrap());
        let object = view.root().pointer("/object").unwrap().unwrap().to_value().unwrap();
        assert_eq!(object, Value::Object(vec![("a".to_owned(), Value::Integer(1u64.into()))]));
    }
}
