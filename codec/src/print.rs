//! Prints documents and values as JSON text (§4), in one call.

use crate::event::SinkError;
use crate::read::file::{DocumentFile, DocumentView, Storage};
use crate::read::stream::{Budget, StreamError};
use crate::read::view::ValueView;
use crate::text::json::{JsonStyle, Printer};
use std::io;

/// Prints with a printer, and returns its output.
fn print<W: io::Write>(
    out: W,
    style: JsonStyle,
    stream: impl FnOnce(&mut Printer<W>) -> Result<(), StreamError>,
) -> Result<W, StreamError> {
    let mut printer = Printer::new(out, style);
    stream(&mut printer)?;
    printer.finish().map_err(|error| SinkError::Output(error.to_string()).into())
}

/// Prints into memory. The text of a printer is UTF-8.
fn text(
    style: JsonStyle,
    stream: impl FnOnce(&mut Printer<Vec<u8>>) -> Result<(), StreamError>,
) -> Result<String, StreamError> {
    let bytes = print(Vec::new(), style, stream)?;
    Ok(String::from_utf8(bytes).expect("a printer writes UTF-8"))
}

impl DocumentView<'_> {
    /// Returns the document as JSON text on one line: the source without white space.
    ///
    /// ```
    /// use coconut_codec::{CompileOptions, Document, compile};
    ///
    /// let compiled = compile(br#"{"a": [1, 2]}"#, &CompileOptions::default())?;
    /// let file = Document::from_data(compiled.bytes)?;
    /// assert_eq!(file.view().to_json()?, r#"{"a":[1,2]}"#);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// The text can be much longer than the file, because equal parts are stored once. See
    /// [`write_json`](Self::write_json) to write it elsewhere.
    ///
    /// # Errors
    ///
    /// Those of [`stream`](DocumentView::stream) with the default [`Budget`].
    pub fn to_json(&self) -> Result<String, StreamError> {
        text(JsonStyle::Minified, |printer| self.stream(printer, Budget::default()))
    }

    /// Writes the document as JSON text to `out`, in pieces of about 64 KiB. Does not end with a
    /// line break.
    ///
    /// # Errors
    ///
    /// Those of [`stream`](DocumentView::stream) with the default [`Budget`], before anything is
    /// written, and those of `out` ([`SinkError::Output`]).
    pub fn write_json<W: io::Write>(&self, out: W, style: JsonStyle) -> Result<W, StreamError> {
        print(out, style, |printer| self.stream(printer, Budget::default()))
    }
}

impl ValueView<'_> {
    /// Returns the value as JSON text on one line. See [`DocumentView::to_json`].
    pub fn to_json(&self) -> Result<String, StreamError> {
        text(JsonStyle::Minified, |printer| self.stream(printer, Budget::default()))
    }

    /// Writes the value as JSON text to `out`. See [`DocumentView::write_json`].
    pub fn write_json<W: io::Write>(&self, out: W, style: JsonStyle) -> Result<W, StreamError> {
        print(out, style, |printer| self.stream(printer, Budget::default()))
    }
}

#[cfg(feature = "secrets")]
impl crate::secrets::RedactedView<'_> {
    /// Returns the value as JSON text on one line, without its secrets. See
    /// [`DocumentView::to_json`].
    pub fn to_json(&self) -> Result<String, StreamError> {
        text(JsonStyle::Minified, |printer| self.stream(printer, Budget::default()))
    }

    /// Writes the value as JSON text to `out`, without its secrets. See
    /// [`DocumentView::write_json`].
    pub fn write_json<W: io::Write>(&self, out: W, style: JsonStyle) -> Result<W, StreamError> {
        print(out, style, |printer| self.stream(printer, Budget::default()))
    }
}

impl<D: Storage> DocumentFile<D> {
    /// Returns the document as JSON text on one line. See [`DocumentView::to_json`].
    pub fn to_json(&self) -> Result<String, StreamError> {
        self.view().to_json()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::{CompileOptions, compile};

    #[test]
    fn a_document_and_a_value_are_printed() {
        let text = r#"{"a":{"b":[1,2.0,"é"]},"c":null}"#;
        let bytes = compile(text.as_bytes(), &CompileOptions::default()).unwrap().bytes;
        let file = DocumentFile::from_data(bytes).unwrap();
        assert_eq!(file.to_json().unwrap(), text);
        assert_eq!(file.view().root().to_json().unwrap(), text);
        let value = file.view().root().pointer("/a").unwrap().unwrap();
        assert_eq!(value.to_json().unwrap(), r#"{"b":[1,2.0,"é"]}"#);
        let pretty = value.write_json(Vec::new(), JsonStyle::Pretty { indent: 1 }).unwrap();
        assert_eq!(String::from_utf8(pretty).unwrap(), "{\n \"b\": [\n  1,\n  2.0,\n  \"é\"\n ]\n}");
    }

    #[test]
    fn an_output_that_fails_is_an_error() {
        struct Full;
        impl io::Write for Full {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::Error::other("full"))
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let file =
            DocumentFile::from_data(compile(b"[]", &CompileOptions::default()).unwrap().bytes).unwrap();
        let error = file.view().write_json(Full, JsonStyle::Minified).err();
        let Some(StreamError::Sink(error)) = error else { panic!("the output fails") };
        assert_eq!(error, SinkError::Output("full".to_owned()));
    }
}
