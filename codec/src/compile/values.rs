//! Compiles Rust values, with their landmarks found as in a source text.

use super::{CompileError, CompileOptions, Compiled, writer_options};
use crate::event::push;
#[cfg(feature = "serde")]
use crate::limits;
#[cfg(feature = "serde")]
use crate::serde::to_events;
use crate::text::SourceFormat;
use crate::write::interner::{Interned, Interner};
use crate::write::{Writer, WriterOptions};
use coconut_format::Value;

/// Compiles a document in memory: an [`Interned`] that an [`Interner`] made from events.
///
/// The document type and the landmarks are those that [`compile`](super::compile) finds in a text
/// of this content. The file does not record a source. [`Compiled::format`] is JSON, since the
/// values are JSON values. Use it to write from an iterator:
///
/// ```
/// use coconut_codec::compile::{CompileOptions, compile_document};
/// use coconut_codec::event::EventSink;
/// use coconut_codec::write::interner::Interner;
/// use coconut_codec::Document;
///
/// let mut interner = Interner::new();
/// interner.begin_list()?;
/// for number in 0..1000u64 {
///     interner.begin_object()?;
///     interner.key("name")?;
///     interner.string(&format!("row {number}"))?;
///     interner.key("number")?;
///     interner.integer(number.into())?;
///     interner.end_object()?;
/// }
/// interner.end_list()?;
/// let compiled = compile_document(&interner.finish()?, &CompileOptions::default())?;
///
/// let file = Document::from_data(compiled.bytes)?;
/// assert_eq!(file.value("row 7/number")?.expect("it exists").as_u64()?, Some(7));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// `coconut_codec::serde::to_events` sends rows of serde types.
///
/// The whole document is in memory until its file is written, so memory grows with the rows: about
/// 300 bytes for a row of distinct values. All rows together decide which strings and shapes a file
/// shares. [`Interner::within`] sets a limit; exceeding it is [`SinkError::Memory`]. For more rows
/// than fit, write several documents.
///
/// [`SinkError::Memory`]: crate::event::SinkError::Memory
///
/// # Errors
///
/// [`CompileError::Write`] if the document exceeds a limit of files.
pub fn compile_document(document: &Interned, options: &CompileOptions) -> Result<Compiled, CompileError> {
    let writer_options = writer_options(document, options, None);
    let (bytes, landmarks) = Writer::new(writer_options.clone()).write(document)?;
    let WriterOptions { document_type, dialect, .. } = writer_options;
    let format = SourceFormat::Json;
    Ok(Compiled { bytes, document_type, dialect, format, landmarks, lints: Vec::new() })
}

/// Compiles an owned value, like [`compile_document`].
///
/// ```
/// use coconut_codec::{CompileOptions, Document, Value, compile_value};
///
/// let value = Value::Object(vec![("port".to_owned(), Value::from(80u64))]);
/// let compiled = compile_value(&value, &CompileOptions::default())?;
/// assert_eq!(Document::from_data(compiled.bytes)?.view().to_value()?, value);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`CompileError::Values`] for duplicate keys, non-finite floats, and nesting beyond the limit.
/// [`CompileError::Write`] if the document exceeds a limit of files.
pub fn compile_value(value: &Value, options: &CompileOptions) -> Result<Compiled, CompileError> {
    let mut interner = Interner::new();
    push(value, &mut interner)?;
    compile_document(&interner.finish()?, options)
}

/// Compiles any `Serialize` value, like [`compile_document`]. [`to_vec`] does the same with the
/// default options, and returns only the bytes.
///
/// # Errors
///
/// [`CompileError::Serialize`] if the value cannot be a document; see [`serde`](crate::serde).
/// [`CompileError::Write`] if the document exceeds a limit of files.
#[cfg(feature = "serde")]
pub fn compile_serialize<T>(value: &T, options: &CompileOptions) -> Result<Compiled, CompileError>
where
    T: serde::Serialize + ?Sized,
{
    let document = Interned::from_serialize(value).map_err(CompileError::Serialize)?;
    compile_document(&document, options)
}

/// Returns the bytes of a file with this value. Its landmarks are found as in a source text.
///
/// [`from_slice`](crate::serde::from_slice) is the inverse.
///
/// ```
/// use coconut_codec::{Document, from_slice, to_vec};
///
/// #[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize)]
/// struct Service {
///     name: String,
///     port: u16,
/// }
///
/// let service = |number: u16| Service { name: format!("web-{number}"), port: 8000 + number };
/// let services: Vec<Service> = (0..100).map(service).collect();
/// let bytes = to_vec(&services)?;
/// assert_eq!(from_slice::<Vec<Service>>(&bytes)?, services);
///
/// // The names are keys of landmarks, so one service is found without the others.
/// let file = Document::from_data(bytes)?;
/// assert_eq!(file.value("web-7/port")?.expect("it exists").as_u64()?, Some(8007));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// Those of [`compile_serialize`]. Nesting beyond 128 levels is also an error, since
/// [`from_slice`](crate::from_slice) would refuse it. [`compile_serialize`] accepts 512 levels; to
/// read them, give a [`Reader`](crate::serde::Reader) other limits.
#[cfg(feature = "serde")]
pub fn to_vec<T: serde::Serialize + ?Sized>(value: &T) -> Result<Vec<u8>, CompileError> {
    let mut interner = Interner::with_depth_limit(limits::SERDE_DEPTH);
    to_events(value, &mut interner).map_err(CompileError::Serialize)?;
    compile_document(&interner.finish()?, &CompileOptions::default()).map(|compiled| compiled.bytes)
}
