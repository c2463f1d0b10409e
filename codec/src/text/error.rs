//! §10 Faults of a source text, with the stable code of each kind, and their places.

use super::json::JsonFault;
use crate::event::SinkError;
use coconut_format::explain::{ErrorClass, explanation};
use coconut_format::truncated::Truncated;
use std::fmt;

coconut_format::kinds! {
    /// The kinds of faults of a source text (§10). The code of each kind never changes its meaning.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub enum SourceErrorKind(code, message, hint), shown by InMessage::in_message;

    // The text itself.
    /// Bytes that are not UTF-8. The place is that of the first such byte.
    Utf8 { fault: &'static str } => "SRC-UTF8", "not valid UTF-8: {fault}", "save the file as UTF-8";
    /// The text breaks the grammar of JSON.
    Json { fault: JsonFault } => "SRC-JSON", "{fault}", "";
    /// Nested deeper than the limit. The place is that of the first bracket beyond the limit.
    Depth { limit: u32 } => "SRC-DEPTH", "nested deeper than {limit} levels", "reduce the nesting; documents cannot nest deeper";
    /// A key appears twice in one object. The place is that of the second, the related place that
    /// of the first.
    DuplicateKey { key: Box<str> } => "SRC-DUPKEY", "duplicate key {key:?} in object", "rename or delete one of the two";

    // YAML.
    /// The text breaks the grammar of YAML.
    Yaml { message: Box<str> } => "SRC-YAML", "not YAML: {message}", "check the indentation, and put quotes around text that contains `: ` or ` #` or begins with a sign such as @ % & * ! { [ or |";
    /// A value without a blank between it and its colon, where the reader requires one. The place
    /// is that of the colon.
    YamlColon => "SRC-YAML-COLON", "no blank after this colon", "write a blank after the `:`";
    /// An escape in double quotes that does not denote a character. The place is that of its
    /// backslash.
    YamlEscape { escape: Box<str> } => "SRC-YAML-ESCAPE", "the escape {escape} does not denote a character", "write the character itself, or `\\U` and its eight digits; YAML has no surrogate pairs: if all of the text is JSON, call the file `.json`";
    /// The `%YAML` directive names a major version other than 1.
    YamlVersion { version: Box<str> } => "SRC-YAML-VERSION", "YAML {version} is not supported, only YAML 1", "write `%YAML 1.2`, or delete the line, if the text has that version";
    /// A tab where YAML requires blanks.
    YamlTab => "SRC-YAML-TAB", "YAML allows only blanks here, found a tab", "indent with blanks";
    /// A character that YAML never allows, or allows only in quotes. The place is that of the first
    /// one.
    YamlCharacter { character: Box<str> } => "SRC-YAML-CHAR", "the character {character} is not allowed here in YAML", "delete it, or write it in double quotes as an escape such as \\x01 or \\u0001";
    /// No document at all.
    YamlEmpty => "SRC-YAML-EMPTY", "the text contains no document", "write at least `null` or `{}`";
    /// A document that begins after an unindented text in block style. The place is that of its
    /// beginning.
    YamlDocuments => "SRC-YAML-MULTI", "a document follows a text in block style that is not indented", "indent the lines of the text after `|` or `>`";
    /// A tag beyond the core schema, on a key or where such tags are refused.
    YamlTag { tag: Box<str> } => "SRC-YAML-TAG", "a tag that cannot be kept: `{tag}`", "delete the tag: keys, and texts read with `--yaml-tags core`, can only have !!str !!int !!float !!bool !!null !!map and !!seq";
    /// A value that does not match its tag.
    YamlTagMismatch { tag: &'static str } => "SRC-YAML-TAGGED", "the value is not a valid {tag} of the core schema", "delete the tag, or correct the value";
    /// A list, object or alias as key, or no key at all.
    YamlKey { found: &'static str } => "SRC-YAML-KEY", "a key must be a scalar, found {found}", "use a text as key; put text with `{{ }}` in quotes, and render templates before";
    /// An alias within the value that it names.
    YamlCycle => "SRC-YAML-CYCLE", "the alias is inside its own anchor", "break the cycle: a document is a tree";
    /// An alias without its anchor.
    YamlAnchor => "SRC-YAML-ANCHOR", "no anchor of this name precedes the alias", "define the anchor first, or put quotes around a text that begins with `*`";
    /// `<<` with a value that cannot be merged.
    YamlMerge { found: &'static str } => "SRC-YAML-MERGE", "`<<` takes an object, or a list of objects, found {found}", "name the anchor of an object, or put `<<` in quotes if it is an ordinary key";
    /// Aliases that would expand to more than allowed.
    YamlExpansion { limit: u64 } => "SRC-YAML-EXPAND", "the aliases up to here expand to more than {limit} bytes", "write out what the aliases repeat, or repeat less";

    /// A list or object in brackets that may be a key and has too many tokens. The place is its
    /// start.
    YamlAhead { limit: u32 } => "SRC-YAML-AHEAD", "a list or object in brackets that may be a key is longer than {limit} tokens", "write it after a key on the same line, write it in block style, or, if all of the text is JSON, call the file `.json`";

    // Numbers, §4.1.
    /// A number that is neither an integer of the model nor a float64.
    NumberRange { expected: &'static str } => "NUM-RANGE", "the number is out of range, expected {expected}", "write it as a string, if its digits matter";
    /// A fraction or exponent that a float64 would change.
    NumberPrecision { nearest: Box<str> } => "NUM-PRECISION", "a float64 cannot represent this number, the nearest is {nearest}", "write the nearest float64, or a string if all digits matter";
    /// NaN or an infinity.
    NonFinite => "NUM-NONFINITE", "a float that is not finite", "use null or a string";

    // Refused by the sink.
    /// A string or key longer than the limit.
    StringLength { length: u64, limit: u64 } => "LIM-STRING", "a string of {length} bytes, the limit is {limit}", "keep the text in a file of its own";
    /// More distinct values than the sink can number.
    TooMany { what: &'static str } => "LIM-COUNT", "too many {what}", "split the document";
    /// The sink could not write its bytes.
    Output { text: Box<str> } => "SRC-OUTPUT", "cannot write: {text}", "";
}

/// A field of a [`SourceErrorKind`] in the form that its message shows.
trait InMessage {
    type Shown<'f>: fmt::Display + fmt::Debug
    where
        Self: 'f;

    fn in_message(&self) -> Self::Shown<'_>;
}

/// A text of the document.
impl InMessage for Box<str> {
    type Shown<'f> = Truncated<'f>;

    fn in_message(&self) -> Truncated<'_> {
        Truncated(self)
    }
}

/// Implements it for types that are always short.
macro_rules! shown_whole {
    ($( $type:ty ),+) => { $(
        impl InMessage for $type {
            type Shown<'f> = &'f $type;

            fn in_message(&self) -> &$type {
                self
            }
        }
    )+ };
}
shown_whole!(u32, u64, &'static str, JsonFault);

/// A place in a source text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TextPosition {
    /// Bytes from the start of the text, a byte order mark included.
    pub offset: u64,
    /// From 1. A line ends with LF, CR LF or CR. Stays at the maximum if there are more lines.
    pub line: u32,
    /// From 1, in Unicode scalar values, as editors count. A byte order mark has no column.
    pub column: u32,
}

impl TextPosition {
    /// The place of the byte at `offset`, which may be the end of the text. Scans the text up to
    /// there.
    pub fn of(text: &[u8], offset: usize) -> TextPosition {
        PositionSweep::new(text).at(offset)
    }

    /// The same place if `lines` precede the text. The last of them has its line end.
    fn after(self, lines: &[u8]) -> TextPosition {
        let start = TextPosition::of(lines, lines.len());
        TextPosition {
            offset: self.offset.saturating_add(start.offset),
            line: self.line.saturating_add(start.line.saturating_sub(1)),
            column: self.column,
        }
    }
}

/// Converts ascending offsets into positions, in one pass over the text.
pub(super) struct PositionSweep<'t> {
    text: &'t [u8],
    offset: usize,
    line: u32,
    column: u32,
}

impl<'t> PositionSweep<'t> {
    /// A sweep from the start of `text`.
    pub(super) fn new(text: &'t [u8]) -> PositionSweep<'t> {
        let offset = if text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
        PositionSweep { text, offset, line: 1, column: 1 }
    }

    /// The place of the byte at `offset`, which must not be less than in the previous call.
    pub(super) fn at(&mut self, offset: usize) -> TextPosition {
        let offset = offset.min(self.text.len());
        while self.offset < offset {
            let byte = self.text[self.offset];
            self.offset += 1;
            // The CR of a CR LF counts as one column; the LF then ends the line.
            if byte == b'\n' || (byte == b'\r' && self.text.get(self.offset) != Some(&b'\n')) {
                self.line = self.line.saturating_add(1);
                self.column = 1;
            } else if !is_continuation(byte) {
                self.column = self.column.saturating_add(1);
            }
        }
        TextPosition { offset: offset as u64, line: self.line, column: self.column }
    }
}

/// U+FEFF in UTF-8.
pub(super) const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Second and later bytes of a UTF-8 sequence.
fn is_continuation(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}

/// A fault of a source text: its kind, its place, and the value around it.
///
/// Lines and columns are counted when the error is created, so a reader keeps only offsets.
/// [`render`](Self::render) shows the place in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceError {
    kind: SourceErrorKind,
    at: TextPosition,
    related: Option<TextPosition>,
    path: Box<str>,
}

impl SourceError {
    /// `kind` at the byte `offset` of `text`, in the document as a whole.
    #[cold]
    pub(super) fn new(kind: SourceErrorKind, text: &[u8], offset: usize) -> SourceError {
        SourceError { kind, at: TextPosition::of(text, offset), related: None, path: "".into() }
    }

    /// The same error with a second place that explains it.
    #[must_use]
    pub(super) fn related_to(mut self, text: &[u8], offset: usize) -> SourceError {
        self.related = Some(TextPosition::of(text, offset));
        self
    }

    /// The same error in the value that a JSON pointer names.
    #[must_use]
    pub(super) fn within(mut self, pointer: String) -> SourceError {
        self.path = pointer.into_boxed_str();
        self
    }

    /// The same error in a file that begins with these `lines`. The last of them has its line end.
    #[must_use]
    pub(super) fn after(self, lines: &[u8]) -> SourceError {
        let SourceError { kind, at, related, path } = self;
        SourceError { kind, at: at.after(lines), related: related.map(|at| at.after(lines)), path }
    }

    /// The kind of the fault.
    pub fn kind(&self) -> &SourceErrorKind {
        &self.kind
    }

    /// The stable code of the kind.
    pub fn code(&self) -> &'static str {
        self.kind.code()
    }

    /// The exact place: the first wrong character, or the place where something is missing.
    pub fn at(&self) -> TextPosition {
        self.at
    }

    /// A second place that explains the first: the earlier of two equal keys, or the unclosed
    /// bracket.
    pub fn related(&self) -> Option<TextPosition> {
        self.related
    }

    /// JSON pointer of the innermost value that was being read. Empty for the document itself.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns the party at fault.
    pub fn class(&self) -> ErrorClass {
        ErrorClass::of(self.code())
    }

    /// Returns the meaning of the code and the remedy, in some paragraphs.
    pub fn explanation(&self) -> Option<&'static str> {
        explanation(self.code())
    }

    /// Advice on how to fix it, if there is any.
    pub fn hint(&self) -> Option<&'static str> {
        let hint = match &self.kind {
            SourceErrorKind::Json { fault } => fault.hint(),
            kind => kind.hint(),
        };
        Some(hint).filter(|hint| !hint.is_empty())
    }
}

impl fmt::Display for SourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TextPosition { line, column, .. } = self.at;
        write!(f, "{}: {} at line {line}, column {column}", self.code(), self.kind)?;
        if let Some(TextPosition { line, column, .. }) = self.related {
            write!(f, " (see line {line}, column {column})")?;
        }
        if !self.path.is_empty() {
            write!(f, ", in {:?}", Truncated(&self.path))?;
        }
        Ok(())
    }
}

impl std::error::Error for SourceError {}
impl std::error::Error for SourceErrorKind {}
impl std::error::Error for JsonFault {}

/// The kind for the refusal of a sink.
///
/// For a duplicate key, `Err` returns the positions of both among the keys of their object. Only
/// the reader knows the offsets of the keys.
pub(super) fn kind_of_refusal(refusal: SinkError) -> Result<SourceErrorKind, (usize, usize)> {
    Ok(match refusal {
        SinkError::DuplicateKey { first, second, .. } => return Err((first, second)),
        SinkError::NonFinite => SourceErrorKind::NonFinite,
        SinkError::Depth { limit } => SourceErrorKind::Depth { limit },
        SinkError::StringLength { length, limit } => {
            SourceErrorKind::StringLength { length: length as u64, limit: limit as u64 }
        }
        SinkError::TooMany { what } => SourceErrorKind::TooMany { what },
        SinkError::Memory { .. } => SourceErrorKind::TooMany { what: "bytes of distinct values" },
        // The readers send events in order, and stop after an error.
        SinkError::Order { .. } | SinkError::Failed => {
            SourceErrorKind::Output { text: refusal.to_string().into() }
        }
        SinkError::Output(text) => SourceErrorKind::Output { text: text.into() },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_distinct() {
        let mut codes = SourceErrorKind::CODES.to_vec();
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), SourceErrorKind::CODES.len());
    }

    fn line_and_column(text: &[u8], offset: usize) -> (u32, u32) {
        let position = TextPosition::of(text, offset);
        assert_eq!(position.offset, offset as u64);
        (position.line, position.column)
    }

    #[test]
    fn positions_count_scalar_values_from_one() {
        let text = "é😀x".as_bytes();
        assert_eq!(line_and_column(text, 0), (1, 1));
        assert_eq!(line_and_column(text, 2), (1, 2));
        assert_eq!(line_and_column(text, 6), (1, 3));
        assert_eq!(line_and_column(text, 7), (1, 4));
    }

    #[test]
    fn each_of_the_three_line_ends_ends_one_line() {
        let text = b"a\nb\r\nc\rd";
        assert_eq!(line_and_column(text, 2), (2, 1));
        assert_eq!(line_and_column(text, 3), (2, 2));
        assert_eq!(line_and_column(text, 4), (2, 3), "between CR and LF the line has not ended");
        assert_eq!(line_and_column(text, 5), (3, 1));
        assert_eq!(line_and_column(text, 7), (4, 1));
    }

    #[test]
    fn one_sweep_finds_what_single_scans_find() {
        let text = "\u{feff}é\r\na\n\n😀\rb".as_bytes();
        let mut sweep = PositionSweep::new(text);
        for offset in 0..=text.len() {
            assert_eq!(sweep.at(offset), TextPosition::of(text, offset));
        }
    }

    #[test]
    fn a_byte_order_mark_counts_as_bytes_but_has_no_column() {
        assert_eq!(line_and_column(b"\xEF\xBB\xBFab", 4), (1, 2));
    }

    #[test]
    fn the_message_names_code_place_and_path() {
        let error = SourceError::new(SourceErrorKind::Depth { limit: 3 }, b"[[[[", 3).within("/0/0/0".into());
        assert_eq!(
            error.to_string(),
            r#"SRC-DEPTH: nested deeper than 3 levels at line 1, column 4, in "/0/0/0""#
        );
    }

    #[test]
    fn the_message_shows_the_beginning_of_long_keys_and_paths() {
        let long = "k".repeat(1 << 20);
        let kind = SourceErrorKind::DuplicateKey { key: long.as_str().into() };
        let error = SourceError::new(kind, b"{}", 1).within(format!("/{long}"));
        let (key, path) = ("k".repeat(1024), "k".repeat(1023));
        let message = format!("duplicate key \"{key}\"… (1048576 bytes) in object");
        assert_eq!(
            error.to_string(),
            format!("SRC-DUPKEY: {message} at line 1, column 2, in \"/{path}\"… (1048577 bytes)")
        );
        let rendered = error.render("a.json", b"{}");
        let lines: Vec<&str> = rendered.lines().collect();
        assert_eq!(lines[0], format!("SRC-DUPKEY: {message}"));
        assert_eq!(lines[1], format!(" --> a.json:1:2, in /{path}… (1048577 bytes)"));
    }
}
