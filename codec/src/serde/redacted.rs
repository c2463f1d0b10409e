//! Documents without their secrets as Rust values, and in any format of serde.

use super::error::DeserializeError;
use super::read::from_slice;
use crate::read::stream::StreamError;
use crate::secrets::RedactedView;
use crate::write::interner::Interner;
use crate::write::{Writer, WriterOptions};
use serde::de::{DeserializeOwned, Error as _};
use serde::ser::{Error as _, Serialize, Serializer};

impl RedactedView<'_> {
    /// Reads a `T` from the value as it is shown. Each secret is the text `"[secret]"`, even if the
    /// type expects another kind of value.
    ///
    /// ```
    /// use coconut_codec::{CompileOptions, Document, compile};
    ///
    /// #[derive(serde::Deserialize)]
    /// struct Output {
    ///     value: String,
    ///     sensitive: bool,
    /// }
    ///
    /// let outputs = br#"{"token": {"value": "x", "type": "string", "sensitive": true}}"#;
    /// let file = Document::from_data(compile(outputs, &CompileOptions::default())?.bytes)?;
    /// let redacted = file.view().redacted()?;
    /// let token: Output = redacted.field("token")?.expect("it is there").read()?;
    /// assert_eq!((&*token.value, token.sensitive), ("[secret]", true));
    /// assert_eq!(serde_json::to_value(&redacted)?["token"]["value"], "[secret]");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// Costs a copy of the value as a compiled document in memory.
    ///
    /// # Errors
    ///
    /// Those of [`stream`](Self::stream), and those of [`from_slice`] for the copy.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, DeserializeError> {
        from_slice(&self.compiled().map_err(|error| match error {
            StreamError::Decode(error) => error.into(),
            StreamError::Sink(error) => DeserializeError::custom(error),
        })?)
    }

    /// The value as it is shown, as a document without landmarks.
    fn compiled(&self) -> Result<Vec<u8>, StreamError> {
        let mut interner = Interner::new();
        self.stream(&mut interner, crate::read::stream::Budget::default())?;
        let document = interner.finish()?;
        let written = Writer::new(WriterOptions::new("document")).to_bytes(&document);
        Ok(written.map_err(|error| crate::event::SinkError::Output(error.to_string()))?)
    }
}

/// Sends the value to any serializer, as it is shown: each secret is the text `"[secret]"`.
///
/// Costs a copy of the value as a compiled document in memory. Limits are those of a
/// [`ValueView`](crate::ValueView).
impl Serialize for RedactedView<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let bytes = self.compiled().map_err(S::Error::custom)?;
        let copy = crate::read::file::DocumentFile::from_data(&bytes[..]).map_err(S::Error::custom)?;
        copy.view().root().serialize(serializer)
    }
}
