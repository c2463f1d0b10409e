//! §2 Envelope. The text before the payload: document type, base encoding and version.
//!
//! ```text
//! application/vnd.coconut+msgpack; document-type=cocopack; version=1\n
//! \n
//! <payload>
//! ```
//!
//! A writer uses only this form. A reader accepts names in any case, values in quotes, lines folded
//! before a blank or a `;`, and four forms of the blank line. [`EnvelopeView::parse`] lists what a
//! reader must refuse.
//!
//! ```
//! use coconut_format::envelope::{Encoding, Envelope, EnvelopeView};
//!
//! let envelope = Envelope::new("cocopack", Encoding::Msgpack)?;
//! let mut file = envelope.to_bytes();
//! assert_eq!(file, b"application/vnd.coconut+msgpack; document-type=cocopack; version=1\n\n");
//!
//! file.extend_from_slice(b"payload");
//! let view = EnvelopeView::parse(&file)?;
//! assert_eq!((view.document_type(), view.version()), ("cocopack", 1));
//! assert_eq!(&file[view.length()..], b"payload");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;

use crate::error::{DecodeError, ErrorKind};
use crate::limits::{ENVELOPE_LIMIT, PARAMETER_LIMIT};
use scanner::{Extent, Scanner, extent};

mod foreign;
mod scanner;
#[cfg(test)]
mod tests;

/// The version of the format that this crate reads and writes. Such a reader refuses all others.
pub const VERSION: u16 = 1;

const MEDIA_TYPE: &str = "application/vnd.coconut";

/// The base encoding of the payload: the suffix of the media type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// `+msgpack`: the compiled form.
    Msgpack,
    /// `+json`: source text in UTF-8, for people and for tools that cannot handle binary.
    Json,
}

impl Encoding {
    /// The suffix without its `+`.
    pub fn suffix(self) -> &'static str {
        match self {
            Encoding::Msgpack => "msgpack",
            Encoding::Json => "json",
        }
    }

    fn from_suffix(suffix: &str) -> Option<Encoding> {
        [Encoding::Msgpack, Encoding::Json].into_iter().find(|e| e.suffix().eq_ignore_ascii_case(suffix))
    }
}

/// The envelope at the start of a file, read in place. Unlike an [`Envelope`], it owns nothing, and
/// parsing it does not allocate.
#[derive(Clone, Copy)]
pub struct EnvelopeView<'a> {
    length: usize,
    encoding: Encoding,
    document_type: &'a str,
    version: u16,
    parameters: Scanner<'a>,
}

/// Prints a line of bounded length, without the parameters.
impl fmt::Debug for EnvelopeView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EnvelopeView")
            .field("length", &self.length)
            .field("encoding", &self.encoding)
            .field("version", &self.version)
            .finish_non_exhaustive()
    }
}

impl<'a> EnvelopeView<'a> {
    /// Reads the envelope at the start of `bytes`: the file, or at least its first
    /// [`ENVELOPE_LIMIT`] bytes.
    ///
    /// # Errors
    ///
    /// Each of these has its own kind:
    ///
    /// * an empty or zeroed file;
    /// * another kind of file: source text, compressed data, msgpack alone, another media type, or
    ///   an envelope after a byte order mark;
    /// * no blank line, or none within the limit;
    /// * bytes other than visible ASCII, blanks and line ends;
    /// * parameters that are malformed, given twice, or more than [`PARAMETER_LIMIT`];
    /// * a missing or invalid `document-type` or `version`;
    /// * a version other than [`VERSION`].
    ///
    /// Missing parts are reported at the start of the blank line.
    pub fn parse(bytes: &'a [u8]) -> Result<EnvelopeView<'a>, DecodeError> {
        EnvelopeView::parse_version(bytes).map_err(|error| first_fault(bytes).unwrap_or(error))
    }

    /// Reads the beginning of a document of this [`VERSION`].
    fn parse_version(bytes: &'a [u8]) -> Result<EnvelopeView<'a>, DecodeError> {
        if !foreign::begins_with_media_type(bytes, MEDIA_TYPE) {
            return Err(foreign::recognise(bytes));
        }
        let Extent { text, length } = extent(bytes)?;
        let mut scanner = Scanner { text, at: MEDIA_TYPE.len() };
        let encoding = scanner.encoding();
        let parameters = scanner;

        let mut document_type = None;
        let mut version = None;
        for count in 1.. {
            let Some(parameter) = scanner.parameter()? else { break };
            let offset = parameter.offset();
            if count > PARAMETER_LIMIT {
                let kind = ErrorKind::EnvelopeLimit {
                    what: "parameters of its envelope",
                    limit: PARAMETER_LIMIT as u64,
                };
                return Err(kind.at(offset));
            }
            // Quadratic, but without an allocation: at most 32 names of 4 KiB together.
            if let Some(first) = parameters.take(count - 1).find(|earlier| earlier.is(parameter.name)) {
                return Err(ErrorKind::DuplicateParameter { first: first.offset() }.at(offset));
            }
            if parameter.is("document-type") {
                document_type = Some(parameter.document_type()?);
            } else if parameter.is("version") {
                version = Some(parameter.version()?);
            }
        }

        let end = text.len() as u64;
        Ok(EnvelopeView {
            length,
            // The other values come first.
            encoding: encoding?,
            document_type: document_type.ok_or_else(|| ErrorKind::NoDocumentType.at(end))?,
            version: version.ok_or_else(|| ErrorKind::BadVersion.at(end))?,
            parameters,
        })
    }

    /// Recognises bytes that were treated as source text but certainly are not (§2.5). These are
    /// compressed data, zeros, msgpack, a document after a byte order mark or white space, or
    /// another media type. Returns `None` for bytes that may be text, even broken text, and for an
    /// envelope.
    ///
    /// `is_named_source` means that the file name or the caller declares source text. An empty file
    /// is then an empty text, and bytes that may be msgpack or a legacy encoding count as text.
    pub fn recognise_no_text(bytes: &[u8], is_named_source: bool) -> Option<DecodeError> {
        match foreign::begins_with_media_type(bytes, MEDIA_TYPE) {
            true => None,
            false => foreign::recognise_no_text(bytes, is_named_source),
        }
    }

    /// Bytes from the start of the file to the payload, the blank line included.
    pub fn length(&self) -> usize {
        self.length
    }

    /// The base encoding of the payload.
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// The document type as written; see [`is_document_type`](Self::is_document_type).
    pub fn document_type(&self) -> &'a str {
        self.document_type
    }

    /// Whether the document type is `name`, in any case.
    pub fn is_document_type(&self, name: &str) -> bool {
        self.document_type.eq_ignore_ascii_case(name)
    }

    /// The version of the format that a reader must know: [`VERSION`].
    pub fn version(&self) -> u16 {
        self.version
    }

    /// The parameters other than `document-type` and `version`, in the order of the file. A reader
    /// keeps and shows unknown ones.
    pub fn parameters(&self) -> impl Iterator<Item = ParameterView<'a>> + use<'a> {
        self.parameters.filter(|parameter| !parameter.is("document-type") && !parameter.is("version"))
    }

    /// The value of a parameter other than the two required ones.
    pub fn parameter(&self, name: &str) -> Option<Cow<'a, str>> {
        self.parameters().find(|parameter| parameter.is(name)).map(|parameter| parameter.value())
    }

    /// The same envelope, owned.
    ///
    /// # Errors
    ///
    /// [`InvalidEnvelope::TooLong`] if the canonical form is beyond the limit. It has a blank after
    /// each `;`, which the form in the file may lack.
    pub fn to_envelope(&self) -> Result<Envelope, InvalidEnvelope> {
        let mut envelope = Envelope::new(self.document_type, self.encoding)?;
        envelope.version = self.version;
        for parameter in self.parameters() {
            envelope = envelope.with_parameter(parameter.name, &parameter.value())?;
        }
        Ok(envelope)
    }
}

/// The fault of an envelope that comes before its encoding and other values (§2.1): one of the
/// grammar, or another version, which may differ in everything except the grammar (§5.13).
#[cold]
fn first_fault(bytes: &[u8]) -> Option<DecodeError> {
    foreign::begins_with_media_type(bytes, MEDIA_TYPE).then_some(())?;
    let mut scanner = Scanner { text: extent(bytes).ok()?.text, at: MEDIA_TYPE.len() };
    scanner.any_encoding();
    let mut version = None;
    for _ in 0..=PARAMETER_LIMIT {
        match scanner.parameter() {
            Err(fault) => return Some(fault),
            Ok(Some(parameter)) => {
                version = version.or_else(|| Some(parameter).filter(|parameter| parameter.is("version")));
            }
            Ok(None) => {
                let error: DecodeError = ParameterView::version(&version?).err()?;
                return (error.kind() != ErrorKind::BadVersion).then_some(error);
            }
        }
    }
    None
}

/// One parameter of an [`EnvelopeView`].
#[derive(Clone, Copy)]
pub struct ParameterView<'a> {
    name: &'a str,
    name_at: usize,
    /// The text, without quotes if it has them, with escapes as written.
    raw: &'a str,
    raw_at: usize,
    quoted: bool,
}

/// Prints a line of bounded length, without name and value.
impl fmt::Debug for ParameterView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name_at, value_at) = (self.name_at, self.raw_at);
        write!(f, "ParameterView {{ name_at: {name_at}, value_at: {value_at} }}")
    }
}

impl<'a> ParameterView<'a> {
    /// The name as written.
    pub fn name(&self) -> &'a str {
        self.name
    }

    /// Whether this is the parameter `name`, in any case.
    #[inline(never)]
    pub fn is(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }

    /// The value without quotes and escapes. Allocates only if there is an escape.
    pub fn value(&self) -> Cow<'a, str> {
        if !self.raw.as_bytes().contains(&b'\\') {
            return Cow::Borrowed(self.raw);
        }
        let mut value = String::with_capacity(self.raw.len());
        let mut characters = self.raw.chars();
        while let Some(character) = characters.next() {
            // The scanner has refused a value that ends in a lone backslash.
            value.extend(if character == '\\' { characters.next() } else { Some(character) });
        }
        Cow::Owned(value)
    }

    /// The byte offset of the name in the file.
    pub fn offset(&self) -> u64 {
        self.name_at as u64
    }

    /// The byte offset of the value in the file: of its opening quote, if it has one.
    pub fn value_offset(&self) -> u64 {
        (self.raw_at - usize::from(self.quoted)) as u64
    }

    // A document type or a number never needs an escape, so escapes are not read here.

    fn document_type(&self) -> Result<&'a str, DecodeError> {
        if is_document_type(self.raw) {
            Ok(self.raw)
        } else {
            Err(self.value_error(ErrorKind::NoDocumentType))
        }
    }

    fn version(&self) -> Result<u16, DecodeError> {
        let digits = self.raw.bytes().all(|byte| byte.is_ascii_digit());
        let version = self.raw.parse::<u16>().ok().filter(|_| digits);
        let found = version.ok_or_else(|| self.value_error(ErrorKind::BadVersion))?;
        match found.cmp(&VERSION) {
            Ordering::Less => Err(self.value_error(ErrorKind::OlderVersion { found: found.into() })),
            Ordering::Equal => Ok(found),
            Ordering::Greater => {
                let kind = ErrorKind::NewerVersion { found: found.into(), supported: VERSION.into() };
                Err(self.value_error(kind))
            }
        }
    }

    /// An error at the value: at its opening quote, if it has one.
    fn value_error(&self, kind: ErrorKind) -> DecodeError {
        kind.at(self.value_offset())
    }
}

/// An envelope to be written. Unlike an [`EnvelopeView`], it owns its strings and is not part of a
/// file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Envelope {
    encoding: Encoding,
    document_type: String,
    version: u16,
    parameters: Vec<(String, String)>,
}

impl Envelope {
    /// An envelope of this [`VERSION`] without other parameters.
    ///
    /// # Errors
    ///
    /// [`InvalidEnvelope::DocumentType`] unless the type is letters, digits, `.` and `-`;
    /// [`InvalidEnvelope::TooLong`].
    pub fn new(document_type: &str, encoding: Encoding) -> Result<Envelope, InvalidEnvelope> {
        if !is_document_type(document_type) {
            return Err(InvalidEnvelope::DocumentType);
        }
        let document_type = document_type.to_owned();
        Envelope { encoding, document_type, version: VERSION, parameters: Vec::new() }.within_limit()
    }

    /// The same envelope with one more parameter at its end.
    ///
    /// # Errors
    ///
    /// Everything that [`EnvelopeView::parse`] would not read back. That is a name that is not a
    /// token or is in use, a value with invalid characters, or too many parameters or bytes.
    pub fn with_parameter(mut self, name: &str, value: &str) -> Result<Envelope, InvalidEnvelope> {
        if name.is_empty() || !name.bytes().all(is_token_byte) {
            return Err(InvalidEnvelope::ParameterName);
        }
        if !value.bytes().all(|byte| is_visible(byte) || matches!(byte, b' ' | b'\t')) {
            return Err(InvalidEnvelope::ParameterValue);
        }
        let is_taken = |taken: &str| taken.eq_ignore_ascii_case(name);
        if ["document-type", "version"].into_iter().any(is_taken)
            || self.parameters().any(|(n, _)| is_taken(n))
        {
            return Err(InvalidEnvelope::DuplicateParameter);
        }
        if self.parameters.len() + 2 >= PARAMETER_LIMIT {
            return Err(InvalidEnvelope::TooManyParameters);
        }
        self.parameters.push((name.to_owned(), value.to_owned()));
        self.within_limit()
    }

    /// The base encoding of the payload.
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// The document type: `cocopack`, `cocogl`, `document`, or one that this version does not know.
    pub fn document_type(&self) -> &str {
        &self.document_type
    }

    /// The version of the format that a reader must know.
    pub fn version(&self) -> u16 {
        self.version
    }

    /// Name and value of the other parameters, in the order they are written.
    pub fn parameters(&self) -> impl Iterator<Item = (&str, &str)> {
        self.parameters.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// The canonical form, its blank line included. Never longer than [`ENVELOPE_LIMIT`].
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(80);
        self.write(&mut out);
        out
    }

    /// Appends the canonical form: one line, with quotes only around a value that is not a token.
    pub fn write(&self, out: &mut Vec<u8>) {
        let Envelope { encoding, document_type, version, parameters } = self;
        let suffix = encoding.suffix();
        let required = format!("{MEDIA_TYPE}+{suffix}; document-type={document_type}; version={version}");
        out.extend_from_slice(required.as_bytes());
        for (name, value) in parameters {
            out.extend_from_slice(b"; ");
            out.extend_from_slice(name.as_bytes());
            out.push(b'=');
            write_value(value, out);
        }
        out.extend_from_slice(b"\n\n");
    }

    fn within_limit(self) -> Result<Envelope, InvalidEnvelope> {
        if self.to_bytes().len() > ENVELOPE_LIMIT { Err(InvalidEnvelope::TooLong) } else { Ok(self) }
    }
}

/// The reasons why a caller's [`Envelope`] cannot be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum InvalidEnvelope {
    /// The document type is empty, or has a character other than letters, digits, `.` and `-`.
    DocumentType,
    /// The name is empty or not a token.
    ParameterName,
    /// The value has a character other than blanks and visible ASCII.
    ParameterValue,
    /// The envelope already has a parameter of this name.
    DuplicateParameter,
    /// More than [`PARAMETER_LIMIT`].
    TooManyParameters,
    /// More than [`ENVELOPE_LIMIT`] bytes.
    TooLong,
}

impl fmt::Display for InvalidEnvelope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InvalidEnvelope::DocumentType => f.write_str(
                "the document type is empty or has characters other than letters, digits, `.` and `-`",
            ),
            InvalidEnvelope::ParameterName => {
                f.write_str("the parameter name is empty or has invalid characters")
            }
            InvalidEnvelope::ParameterValue => {
                f.write_str("the parameter value has characters other than visible ASCII and blanks")
            }
            InvalidEnvelope::DuplicateParameter => f.write_str("the envelope already has this parameter"),
            InvalidEnvelope::TooManyParameters => {
                write!(f, "the envelope has more than {PARAMETER_LIMIT} parameters")
            }
            InvalidEnvelope::TooLong => write!(f, "the envelope has more than {ENVELOPE_LIMIT} bytes"),
        }
    }
}

impl std::error::Error for InvalidEnvelope {}

impl InvalidEnvelope {
    /// Returns the stable code, for machines.
    pub fn code(&self) -> &'static str {
        crate::code::BUILD_ENVELOPE
    }
}

crate::explained!(InvalidEnvelope);

fn write_value(value: &str, out: &mut Vec<u8>) {
    if !value.is_empty() && value.bytes().all(is_token_byte) {
        return out.extend_from_slice(value.as_bytes());
    }
    out.push(b'"');
    for byte in value.bytes() {
        if matches!(byte, b'"' | b'\\') {
            out.push(b'\\');
        }
        out.push(byte);
    }
    out.push(b'"');
}

fn is_document_type(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-'))
}

fn is_visible(byte: u8) -> bool {
    byte.is_ascii_graphic()
}

/// `token-char`: a token of RFC 9110, and the `:` and `/` of a digest.
#[inline]
fn is_token_byte(byte: u8) -> bool {
    IS_TOKEN_BYTE[usize::from(byte)]
}

/// A table, because compiled range tests took a tenth of the time of opening a file to check its
/// blocks.
static IS_TOKEN_BYTE: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0u8;
    while byte < 128 {
        table[byte as usize] = matches!(
            byte,
            b'!' | b'#'..=b'\'' | b'*' | b'+' | b'-'..=b':' | b'A'..=b'Z' | b'^'..=b'z' | b'|' | b'~'
        );
        byte += 1;
    }
    table
};
