//! §10 Errors. The possible faults of a compiled document, each kind with its stable code.
//!
//! One list below generates the enum, the codes, the registry rows and the walk over all kinds. A
//! [`DecodeError`] adds the place: its only constructor takes the byte offset in the file.

use crate::truncated::Truncated;
use std::fmt;

crate::kinds! {
    /// The kinds of faults in the bytes of a document (§10). The code of each kind never changes
    /// its meaning.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum ErrorKind(code, message);

    // Envelope, §2.
    /// No bytes at all, as after an interrupted write.
    Empty => "ENV-EMPTY", "the file is empty (an interrupted write?)";
    /// Only zero bytes at the start, as after a torn write on some file systems.
    Zeroed => "ENV-ZERO", "the file begins with zero bytes (a torn write?)";
    /// The envelope does not end in a blank line.
    NoBlankLine => "ENV-NOBLANK", "no blank line after the envelope";
    /// The envelope has too many bytes or parameters, or the header too many bytes.
    EnvelopeLimit { what: &'static str, limit: u64 } => "LIM-HEADER", "the file begins with more than {limit} {what}";
    /// The file begins like a msgpack array.
    BareMsgpack => "ENV-RAW", "this is msgpack without an envelope";
    /// The file begins like JSON or YAML.
    SourceText => "ENV-TEXT", "this is source text, not a compiled document; compile it with `coco pack build`";
    /// The file begins with the magic of a compression format.
    Compressed { format: &'static str } => "ENV-COMPRESSED", "this is {format} data; decompress it first";
    /// A byte order mark of UTF-8 or UTF-16 before the envelope.
    ByteOrderMark => "ENV-BOM", "a byte order mark precedes the envelope";
    /// None of the above, and not an envelope. The offset is that of the first byte that differs.
    NotAnEnvelope => "ENV-START", "the file does not begin with `application/vnd.coconut`";
    /// Another media type, for instance an XPP file.
    ForeignMediaType { known: &'static str } => "ENV-FOREIGN", "this is {known}, not a Coconut document";
    /// A base encoding other than `+msgpack` or `+json`.
    UnknownEncoding => "ENV-ENCODING", "unknown base encoding; known are `+msgpack` and `+json`";
    /// The `document-type` parameter is missing, empty, or has a character that is not allowed.
    NoDocumentType => "ENV-NOTYPE", "`document-type` is missing or not letters, digits, `.` and `-`";
    /// A parameter is given twice. The offset is that of the second.
    DuplicateParameter { first: u64 } => "ENV-DUPPARAM", "the parameter was already given at byte {first}";
    /// The `version` parameter is missing, empty, or not a small number.
    BadVersion => "ENV-VERSION", "`version` is missing or not a number from 0 to 65535";
    /// Written for a later major version of the format.
    NewerVersion { found: u64, supported: u64 } => "ENV-NEWER", "needs a reader of version {found}, this one reads up to {supported}; upgrade, or use the source";
    /// Written before version 1, when the format could still change.
    OlderVersion { found: u64 } => "ENV-OLDER", "version {found} is from before the format was frozen; compile the source again";
    /// A byte that is not allowed in an envelope.
    BadCharacter { byte: u8 } => "ENV-CHAR", "byte {byte:#04x} is not allowed in an envelope";
    /// A parameter without `=`, an unterminated quote, or an empty name.
    ParameterSyntax => "ENV-SYNTAX", "expected `; name=value`";
    /// The signature shows that line endings were converted, or the eighth bit was lost.
    TextConversion { damage: &'static str } => "ENV-EOL", "the file went through text conversion ({damage}); add `*.coco -text` to .gitattributes and get it again";
    /// The bytes after the envelope are not the signature.
    BadSignature => "ENV-SIGNATURE", "the signature `89 43 43 0D 0A 1A 0A 00` is missing";

    // msgpack, §3.
    /// The byte 0xC1, which msgpack never uses.
    ReservedByte => "MSG-RESERVED", "byte 0xc1 is reserved in msgpack";
    /// A value extends beyond the available bytes.
    Short { needed: u64, available: u64 } => "MSG-SHORT", "needs {needed} bytes, has {available}";
    /// A count too large for the remaining bytes.
    Count { declared: u64, available: u64 } => "MSG-COUNT", "declares {declared} items, but only {available} bytes remain";
    /// A value of a kind not allowed at its place.
    Type { expected: &'static str, found: &'static str } => "MSG-TYPE", "expected {expected}, found {found}";
    /// Bytes after the end of a value that should fill its span.
    TrailingBytes { count: u64 } => "MSG-TRAILING", "{count} bytes after the end";
    /// Not the shortest form of a number or length.
    NotCanonical => "MSG-NONCANON", "not the shortest form";
    /// An extension type or width that the format does not use.
    Extension { code: i8, length: u64 } => "MSG-EXT", "unexpected msgpack extension type {code} ({length} bytes)";
    /// A string that is not UTF-8. The offset is that of the bad byte.
    Utf8 => "STR-UTF8", "not valid UTF-8";
    /// NaN or an infinity.
    NonFinite => "NUM-NONFINITE", "a float that is not finite";
    /// An integer in a form that belongs to another range.
    IntegerForm => "NUM-FORM", "integer extension of type 2 used for a number that is not negative";

    // Payload, §5.
    /// The payload is not an array of the specified elements.
    PayloadForm { expected: &'static str } => "PAY-FORM", "malformed payload: expected {expected}";
    /// A header key is missing or has a value of the wrong kind.
    HeaderField { key: &'static str } => "HDR-FIELD", "header field `{key}` is missing or invalid";
    /// Envelope and header disagree.
    HeaderMismatch { key: &'static str } => "HDR-MISMATCH", "envelope and header disagree about `{key}`";
    /// A required feature that this reader does not know.
    RequiredFeature => "HDR-REQUIRES", "the document requires a feature that this reader does not know";
    /// The file does not end with the trailer.
    Trailer { end: FileEnd } => "TRL-MAGIC", "no trailer at the end of the file: {end}";
    /// The length recorded in the trailer differs from that of the file.
    Length { declared: u64, actual: u64 } => "TRL-LENGTH", "the trailer records {declared} bytes, the file has {actual}";
    /// A field of the trailer has an invalid value.
    TrailerField { fault: &'static str } => "TRL-FIELD", "invalid trailer: {fault}";
    /// The trailer declares a frame that this version cannot read.
    NewerFrame => "TRL-NEWER", "the frame of this file needs a newer reader; upgrade, or use the source";
    /// A part is outside the payload, or overlaps another part.
    PartRange { part: u8 } => "PRT-RANGE", "part {part} is outside the payload or overlaps another part";
    /// A part is listed twice.
    PartTwice { part: u8 } => "PRT-TWICE", "part {part} is listed twice";
    /// A required part is missing.
    PartMissing { part: u8 } => "PRT-MISSING", "part {part} is missing";
    /// A critical part that this reader does not know.
    PartCritical { part: u8 } => "PRT-CRITICAL", "part {part} is critical and unknown to this reader";
    /// The directory declares an entry of a part that this version cannot read.
    PartNewer { part: u8 } => "PRT-NEWER", "part {part} needs a newer reader; upgrade, or use the source";
    /// The length of a part does not match its content.
    PartLength { part: u8, expected: u64, found: u64 } => "PRT-LENGTH", "part {part} should have {expected} bytes, has {found}";
    /// A part that should start at a multiple of 8 does not, or padding is not zero.
    Padding => "PRT-PADDING", "padding must be zero and bring the next table to a multiple of 8";

    // Checksums, §7.
    /// A block whose CRC-32 differs from the recorded one. The offset is that of the block's first
    /// byte.
    Checksum { expected: u32, found: u32 } => "SUM-MISMATCH", "checksum of the block is {found:#010x}, should be {expected:#010x}";

    // Value layer, §4 and §6.
    /// A string id beyond the table.
    StringRange { id: u64, count: u64 } => "STR-RANGE", "string id {id} out of range (the table has {count})";
    /// A shape id beyond the table, or not below the shape that names it.
    ShapeRange { id: u64, count: u64 } => "SHP-RANGE", "shape id {id} out of range (must be below {count})";
    /// A malformed shape entry.
    ShapeForm => "SHP-FORM", "malformed shape: expected a list of keys and slots";
    /// A record whose number of values differs from that of its shape.
    ShapeArity { expected: u64, found: u64 } => "SHP-ARITY", "the shape has {expected} values, the record {found}";
    /// A shared id beyond the table, or not below the entry that names it.
    SharedRange { id: u64, count: u64 } => "SHR-RANGE", "shared value id {id} out of range (must be below {count})";
    /// A value in a form not allowed at its place.
    ValueForm { rule: FormRule } => "VAL-FORM", "malformed value: {rule}";
    /// A duplicate key in an object.
    DuplicateKey => "VAL-DUPKEY", "duplicate key in object";

    // Index, §8.
    /// An entry of an index table that points outside the document.
    IndexRange { table: u8 } => "IDX-RANGE", "entry in index table {table} points outside the document";
    /// An index that does not match its document.
    IndexDiffers { table: u8 } => "IDX-DIFFERS", "index table {table} does not match the document";
    /// A landmark rule in known forms that contradicts itself.
    LandmarkRule => "LMK-RULE", "malformed landmark rule";
    /// A landmark rule in a form that this version does not know.
    NewerRule => "LMK-NEWER", "not a landmark rule of this version; a newer reader may know it";
    /// The document digest in the header does not match the document.
    DigestDiffers => "DIG-DIFFERS", "the digest does not match the document";

    // Limits, §9.
    /// Nested deeper than allowed.
    Depth { limit: u64 } => "LIM-DEPTH", "nested deeper than {limit} levels";
    /// Expands to more values than allowed.
    Nodes { count: u64, limit: u64 } => "LIM-NODES", "expands to {count} values, the limit is {limit}";
    /// Expands to more bytes than allowed.
    Bytes { count: u64, limit: u64 } => "LIM-BYTES", "expands to {count} bytes, the limit is {limit}";
    /// A search or a walk that takes more steps than allowed.
    Work { limit: u64 } => "LIM-WORK", "gave up after {limit} steps";
    /// A string longer than allowed.
    StringLength { length: u64, limit: u64 } => "LIM-STRING", "a string of {length} bytes, the limit is {limit}";
    /// More of something than allowed.
    TooMany { what: &'static str, count: u64, limit: u64 } => "LIM-COUNT", "{count} {what}, the limit is {limit}";
}

impl ErrorKind {
    /// Whether the file is not damaged but needs a newer reader.
    pub fn is_newer(self) -> bool {
        matches!(
            self,
            ErrorKind::NewerVersion { .. }
                | ErrorKind::NewerFrame
                | ErrorKind::PartNewer { .. }
                | ErrorKind::PartCritical { .. }
                | ErrorKind::RequiredFeature
                | ErrorKind::NewerRule
        )
    }

    /// Returns the error of this kind at a place. `offset` is the byte in the whole file, envelope
    /// included.
    #[cold]
    pub fn at(self, offset: u64) -> DecodeError {
        DecodeError { fault: Box::new(Fault { kind: self, offset, path: None }) }
    }
}

/// A rule about the form of a value at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FormRule {
    /// §4.5 An array is a record, a list or an object, and an object has a value for each key.
    Array,
    /// §5.6 A shared value is neither a scalar nor a reference.
    Shared,
    /// §6.1 A constant, shared by all records of a shape, is neither a list nor an object.
    Constant,
    /// §8.2 Each landmark has a place of its own.
    Landmark,
}

impl fmt::Display for FormRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FormRule::Array => {
                "an array must begin with a shape id, with nil, or with false before keys and values"
            }
            FormRule::Shared => "a shared value must be a list or an object in full",
            FormRule::Constant => "a constant must be a scalar",
            FormRule::Landmark => "a landmark must not be in a record or a shared value",
        })
    }
}

/// The end of a file that does not end with its trailer (§5.10).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum FileEnd {
    /// The file ends before the end of the trailer.
    Cut,
    /// This many bytes follow the trailer.
    Followed(u64),
    /// This many bytes of zeros follow the trailer.
    FollowedByZeros(u64),
    /// The file ends with this many bytes of zeros, with no trailer before them.
    Zeros(u64),
}

impl fmt::Display for FileEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FileEnd::Cut => f.write_str("the file is cut short"),
            FileEnd::Followed(1) => f.write_str("1 byte follows it"),
            FileEnd::Followed(count) => write!(f, "{count} bytes follow it"),
            FileEnd::FollowedByZeros(count) => write!(f, "{count} bytes of zeros follow it"),
            FileEnd::Zeros(count) => {
                write!(f, "the last {count} bytes are zeros, which were never written")
            }
        }
    }
}

/// An error: its kind, its place in the file, and its place in the document.
///
/// The offset counts from the first byte of the file, so you can find it directly in a hex dump.
#[derive(Clone, PartialEq, Eq)]
pub struct DecodeError {
    /// Boxed, so that it takes one word instead of eight: a result of reading is as large as its
    /// error.
    fault: Box<Fault>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Fault {
    kind: ErrorKind,
    offset: u64,
    /// The JSON pointer of the value, if the walk knows it.
    path: Option<Box<str>>,
}

impl DecodeError {
    /// The kind of the error.
    pub fn kind(&self) -> ErrorKind {
        self.fault.kind
    }

    /// The stable code of the kind, for machines.
    pub fn code(&self) -> &'static str {
        self.fault.kind.code()
    }

    /// The offset in the file, in bytes from its start.
    pub fn offset(&self) -> u64 {
        self.fault.offset
    }

    /// The JSON pointer of the value, if the walk that failed knew it.
    pub fn path(&self) -> Option<&str> {
        self.fault.path.as_deref()
    }

    /// The same error below the place `pointer` in the document. The error's own path is appended
    /// to it.
    #[must_use]
    pub fn below(mut self, pointer: &str) -> DecodeError {
        let inner = self.path().unwrap_or("");
        let path = format!("{pointer}{inner}");
        self.fault.path = Some(path.into_boxed_str());
        self
    }
}

crate::explained!(DecodeError, ErrorKind);

impl fmt::Debug for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Fault { kind, offset, path } = &*self.fault;
        let mut shown = f.debug_struct("DecodeError");
        shown.field("kind", kind).field("offset", offset).field("path", path).finish()
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Fault { kind, offset, path } = &*self.fault;
        write!(f, "{}: {kind} at byte {offset}", kind.code())?;
        match path {
            Some(path) => write!(f, ", in `{}`", Truncated(path)),
            None => Ok(()),
        }
    }
}

impl std::error::Error for DecodeError {}
impl std::error::Error for ErrorKind {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_distinct() {
        let mut codes = ErrorKind::CODES.to_vec();
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), ErrorKind::CODES.len());
    }

    #[test]
    fn a_message_has_code_text_offset_and_path() {
        let error = ErrorKind::Short { needed: 9, available: 4 }.at(77).below("/b").below("/a");
        assert_eq!(error.to_string(), "MSG-SHORT: needs 9 bytes, has 4 at byte 77, in `/a/b`");
        let long = ErrorKind::Utf8.at(7).below(&format!("/{}", "k".repeat(1 << 20)));
        let shown = format!("/{}… (1048577 bytes)", "k".repeat(1023));
        assert_eq!(long.to_string(), format!("STR-UTF8: not valid UTF-8 at byte 7, in `{shown}`"));
    }

    #[test]
    fn the_fields_of_a_kind_are_in_its_message() {
        let message = |kind: ErrorKind| kind.at(7).to_string();
        let form = |rule| message(ErrorKind::ValueForm { rule });
        assert_eq!(
            form(FormRule::Constant),
            "VAL-FORM: malformed value: a constant must be a scalar at byte 7"
        );
        let rules = [FormRule::Array, FormRule::Shared, FormRule::Constant, FormRule::Landmark];
        for (rule, subject) in
            rules.into_iter().zip(["an array", "a shared value", "a constant", "a landmark"])
        {
            assert_eq!(rule.to_string().split_once(" must ").map(|(subject, _)| subject), Some(subject));
        }
        let trailer = |end| message(ErrorKind::Trailer { end });
        let expected = |end| format!("TRL-MAGIC: no trailer at the end of the file: {end} at byte 7");
        assert_eq!(trailer(FileEnd::Cut), expected("the file is cut short"));
        assert_eq!(trailer(FileEnd::FollowedByZeros(40)), expected("40 bytes of zeros follow it"));
        let zeros = expected("the last 40 bytes are zeros, which were never written");
        assert_eq!(trailer(FileEnd::Zeros(40)), zeros);
        assert_eq!(trailer(FileEnd::Followed(1)), expected("1 byte follows it"));
        assert_eq!(trailer(FileEnd::Followed(2)), expected("2 bytes follow it"));
    }

    #[test]
    fn the_debug_form_of_an_error_shows_its_parts() {
        let error = ErrorKind::Utf8.at(7).below("/a");
        assert_eq!(format!("{error:?}"), r#"DecodeError { kind: Utf8, offset: 7, path: Some("/a") }"#);
    }
}
