//! JSON text to events, without recursion and without a tree.

use super::diagnosis::{self, Finding, RemoteRequest};
use super::fault::JsonFault;
use super::string;
use crate::event::{EventSink, SinkError};
use crate::text::error::{BYTE_ORDER_MARK, SourceError, SourceErrorKind, kind_of_refusal};
use crate::text::lint::{Lint, LintKind};
use crate::text::number::{self, Number};
use crate::text::{TextPosition, utf8};
use coconut_format::pointer::{push_index, push_key};
use std::collections::HashMap;
use std::ops::Range;

/// Limits and options of [`read`] beyond the grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct JsonOptions {
    /// Maximum number of open lists and objects. A scalar document has depth 0.
    pub depth: u32,
    /// Whether to skip a byte order mark at the start, as in a file. In a part of a file it is
    /// refused.
    pub byte_order_mark: bool,
    /// §17.2 Whether to read a list of documents, each on its own lines: JSON Lines. All must be
    /// objects, or all must be lists. The sink then receives a list, whatever their number.
    ///
    /// If the second one is incomplete, the text is not such a list. The error is then the same as
    /// without this option.
    pub several: bool,
}

crate::setters::setters! {
    JsonOptions: depth: u32, byte_order_mark: bool, several: bool
}

impl Default for JsonOptions {
    /// 512 levels: four times the limit of serde_json, far more than any known document has. Skips
    /// a byte order mark. One document.
    fn default() -> Self {
        JsonOptions { depth: 512, byte_order_mark: true, several: false }
    }
}

/// §17.2 Calls `read` with the default options, and again if the text contains several documents.
///
/// The sink of the first call has then received the first document, so `read` must begin with a new
/// one.
///
/// ```
/// use coconut_codec::event::ValueSink;
/// use coconut_codec::text::json;
///
/// let lines = b"{\"sequence\": 1}\n{\"sequence\": 2}\n";
/// let value = json::read_documents(|options| {
///     let mut sink = ValueSink::new();
///     json::read(lines, &mut sink, options)?;
///     Ok(sink.finish().expect("the reader saw whole documents"))
/// })?;
/// assert_eq!(value.as_list().map(<[_]>::len), Some(2));
/// # Ok::<(), coconut_codec::text::SourceError>(())
/// ```
#[doc(hidden)]
pub fn read_documents<T>(
    mut read: impl FnMut(&JsonOptions) -> Result<T, SourceError>,
) -> Result<T, SourceError> {
    match read(&JsonOptions::default()) {
        Err(error) if matches!(error.kind(), SourceErrorKind::Json { fault: JsonFault::SecondDocument }) => {
            read(&JsonOptions { several: true, ..JsonOptions::default() })
        }
        result => result,
    }
}

/// Pushes the one document in `text` into `sink`, in document order. Returns findings about valid
/// but suspicious text.
///
/// Strings without escapes are passed on as slices of `text`; those with escapes go through one
/// buffer. Memory: that buffer, one entry per open list or object, and one word per key of the open
/// objects.
///
/// The sink decides whether duplicate keys are refused, and reports them when an object ends. Wrap
/// a sink that does not check for them in
/// [`RefuseDuplicateKeys`](crate::text::RefuseDuplicateKeys). If the text has another fault, an
/// earlier duplicate key in an open object is reported instead, whatever the sink.
///
/// # Errors
///
/// The first place where the text is not UTF-8, is not JSON, is nested deeper than `options.depth`,
/// or contains a number that would change (§4.1). Also each refusal of the sink. The sink has then
/// received only a part of the document.
pub fn read<S: EventSink>(
    text: &[u8],
    sink: &mut S,
    options: &JsonOptions,
) -> Result<Vec<Lint>, SourceError> {
    let valid = utf8::check(text)?;
    let mut lints = Vec::new();
    let mut start = 0;
    if options.byte_order_mark && text.starts_with(BYTE_ORDER_MARK) {
        start = BYTE_ORDER_MARK.len();
        lints.push(Lint { kind: LintKind::ByteOrderMark, at: TextPosition::of(text, 0) });
    }
    let mut reader = Reader {
        text: valid,
        bytes: text,
        at: start,
        sink,
        open: Vec::new(),
        key_offsets: Vec::new(),
        buffer: String::new(),
        depth: options.depth,
    };
    if options.several {
        return reader.documents().map(|()| lints).map_err(|error| reader.fault_of_several(*error));
    }
    match reader.document() {
        Ok(()) => Ok(lints),
        Err(error) => Err(reader.first_fault(*error)),
    }
}

/// Boxed, so that the results of the hot functions stay small.
type Step<T> = Result<T, Box<SourceError>>;

struct Reader<'t, 's, S> {
    text: &'t str,
    /// The bytes of `text`.
    bytes: &'t [u8],
    at: usize,
    sink: &'s mut S,
    open: Vec<Frame>,
    /// Offsets of the keys of all open objects, innermost last.
    key_offsets: Vec<usize>,
    /// The decoded form of a string with escapes.
    buffer: String,
    depth: u32,
}

/// An open list or object.
pub(super) struct Frame {
    /// Offset of its bracket.
    pub(super) start: usize,
    pub(super) within: Within,
}

#[derive(Clone, Copy)]
pub(super) enum Within {
    /// Index in `key_offsets` of its first key.
    Object { first_key: usize },
    /// The index of the current item.
    List { index: usize },
}

/// State after a value or an opening bracket.
enum Next {
    /// The reader is at the first byte of a value.
    Value,
    /// The innermost list or object, or a scalar, has just ended.
    AfterValue,
}

impl<'t, S: EventSink> Reader<'t, '_, S> {
    fn document(&mut self) -> Step<()> {
        self.skip_space();
        let mut next = self.value()?;
        loop {
            next = match next {
                Next::Value => self.value()?,
                Next::AfterValue if self.open.is_empty() => return self.end(),
                Next::AfterValue => self.after_value()?,
            };
        }
    }

    /// Reads documents on separate lines, as the items of a list.
    fn documents(&mut self) -> Step<()> {
        self.skip_space();
        self.check_depth()?;
        let (start, bracket) = (self.at, self.bytes.get(self.at).copied());
        self.sink.span(start..start);
        let pushed = self.sink.begin_list();
        self.accepted(pushed, start)?;
        self.open.push(Frame { start, within: Within::List { index: 0 } });
        loop {
            let mut next = self.value()?;
            while self.open.len() > 1 {
                next = match next {
                    Next::Value => self.value()?,
                    Next::AfterValue => self.after_value()?,
                };
            }
            let end = self.at;
            self.skip_space();
            if self.at == self.bytes.len() {
                break;
            }
            let is_line = self.bytes[end..self.at].iter().any(|byte| matches!(byte, b'\n' | b'\r'));
            if !is_line || self.bytes.get(self.at).copied() != bracket {
                return Err(self.diagnose(RemoteRequest::End));
            }
            if let Some(Frame { within: Within::List { index }, start }) = self.open.first_mut() {
                *index += 1;
                *start = self.at;
            }
        }
        self.sink.span(self.at..self.at);
        let pushed = self.sink.end_list();
        self.accepted(pushed, self.at)?;
        self.open.clear();
        Ok(())
    }

    /// Reads a scalar or an opening bracket.
    #[inline]
    fn value(&mut self) -> Step<Next> {
        let start = self.at;
        match self.bytes.get(start) {
            Some(b'"') => {
                let text = self.string()?;
                self.sink.span(start..self.at);
                let pushed = match text {
                    Text::Plain(text) => self.sink.string(text),
                    Text::Decoded => self.sink.string(&self.buffer),
                };
                self.accepted(pushed, start)?;
            }
            Some(b'{') => return self.begin_object(),
            Some(b'[') => return self.begin_list(),
            Some(b'0'..=b'9' | b'-') => self.number()?,
            Some(b't') if self.word(b"true") => {
                self.sink.span(start..self.at);
                let pushed = self.sink.bool(true);
                self.accepted(pushed, start)?;
            }
            Some(b'f') if self.word(b"false") => {
                self.sink.span(start..self.at);
                let pushed = self.sink.bool(false);
                self.accepted(pushed, start)?;
            }
            Some(b'n') if self.word(b"null") => {
                self.sink.span(start..self.at);
                let pushed = self.sink.null();
                self.accepted(pushed, start)?;
            }
            _ => return Err(self.diagnose(RemoteRequest::Value)),
        }
        Ok(Next::AfterValue)
    }

    /// Reads from the end of a value inside a list or object to the next value, or to the end of
    /// that list or object.
    #[inline]
    fn after_value(&mut self) -> Step<Next> {
        self.skip_space();
        let frame = self.open.last_mut().expect("the caller saw an open list or object");
        match (self.bytes.get(self.at), &mut frame.within) {
            (Some(b','), Within::Object { .. }) => {
                self.at += 1;
                self.skip_space();
                self.key()
            }
            (Some(b','), Within::List { index }) => {
                *index += 1;
                self.at += 1;
                self.skip_space();
                Ok(Next::Value)
            }
            (Some(b'}'), Within::Object { .. }) => self.end_object(),
            (Some(b']'), Within::List { .. }) => self.end_list(),
            _ => Err(self.diagnose(RemoteRequest::CommaOrClose)),
        }
    }

    fn begin_object(&mut self) -> Step<Next> {
        self.check_depth()?;
        self.sink.span(self.at..self.at + 1);
        let pushed = self.sink.begin_object();
        self.accepted(pushed, self.at)?;
        self.enter(Within::Object { first_key: self.key_offsets.len() });
        if self.bytes.get(self.at) == Some(&b'}') { self.end_object() } else { self.key() }
    }

    fn begin_list(&mut self) -> Step<Next> {
        self.check_depth()?;
        self.sink.span(self.at..self.at + 1);
        let pushed = self.sink.begin_list();
        self.accepted(pushed, self.at)?;
        self.enter(Within::List { index: 0 });
        if self.bytes.get(self.at) == Some(&b']') { self.end_list() } else { Ok(Next::Value) }
    }

    #[inline]
    fn check_depth(&self) -> Step<()> {
        if self.open.len() < self.depth as usize {
            return Ok(());
        }
        Err(Box::new(self.error(SourceErrorKind::Depth { limit: self.depth }, self.at)))
    }

    /// Skips an opening bracket and the white space after it.
    #[inline]
    fn enter(&mut self, within: Within) {
        self.open.push(Frame { start: self.at, within });
        self.at += 1;
        self.skip_space();
    }

    #[inline]
    fn end_list(&mut self) -> Step<Next> {
        self.sink.span(self.at..self.at + 1);
        let pushed = self.sink.end_list();
        self.accepted(pushed, self.at)?;
        self.open.pop();
        self.at += 1;
        Ok(Next::AfterValue)
    }

    #[inline]
    fn end_object(&mut self) -> Step<Next> {
        self.sink.span(self.at..self.at + 1);
        let pushed = self.sink.end_object();
        self.accepted(pushed, self.at)?;
        if let Some(Frame { within: Within::Object { first_key }, .. }) = self.open.pop() {
            self.key_offsets.truncate(first_key);
        }
        self.at += 1;
        Ok(Next::AfterValue)
    }

    /// Reads a key, its colon, and the white space before the value.
    #[inline]
    fn key(&mut self) -> Step<Next> {
        let start = self.at;
        if self.bytes.get(start) != Some(&b'"') {
            return Err(self.diagnose(RemoteRequest::Key));
        }
        let text = self.string()?;
        self.sink.span(start..self.at);
        let pushed = match text {
            Text::Plain(text) => self.sink.key(text),
            Text::Decoded => self.sink.key(&self.buffer),
        };
        self.key_offsets.push(start);
        self.accepted(pushed, start)?;
        self.skip_space();
        if self.bytes.get(self.at) != Some(&b':') {
            return Err(self.diagnose(RemoteRequest::Colon));
        }
        self.at += 1;
        self.skip_space();
        Ok(Next::Value)
    }

    /// Reads the string whose opening quote is here, and its closing quote.
    #[inline]
    fn string(&mut self) -> Step<Text<'t>> {
        let open = self.at;
        let start = open + 1;
        let end = string::end_of_run(self.bytes, start);
        if self.bytes.get(end) == Some(&b'"') {
            self.at = end + 1;
            return Ok(Text::Plain(&self.text[start..end]));
        }
        self.buffer.clear();
        self.buffer.push_str(&self.text[start..end]);
        match string::read_escaped(self.text, end, &mut self.buffer) {
            Ok(quote) => {
                self.at = quote + 1;
                Ok(Text::Decoded)
            }
            Err((fault, at)) => {
                let error = self.error(SourceErrorKind::Json { fault }, at);
                Err(Box::new(error.related_to(self.bytes, open)))
            }
        }
    }

    #[inline]
    fn number(&mut self) -> Step<()> {
        let start = self.at;
        let negative = self.bytes[start] == b'-';
        let first = start + usize::from(negative);
        let mut at = first;
        let mut magnitude = 0u64;
        while let Some(digit @ b'0'..=b'9') = self.bytes.get(at) {
            // Nineteen digits always fit; a longer number is read again below.
            magnitude = magnitude.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'));
            at += 1;
        }
        let digits = at - first;
        if digits == 0 || (digits > 1 && self.bytes[first] == b'0') || self.goes_on(at) {
            return self.unusual_number(negative, first);
        }
        self.at = at;
        let number = if digits <= 19 {
            number::signed(negative, magnitude)
        } else {
            number::integer(negative, &self.text[first..at])
        };
        self.push_number(number, start)
    }

    /// Whether a number continues after its integer part, validly or not.
    #[inline]
    fn goes_on(&self, at: usize) -> bool {
        matches!(self.bytes.get(at), Some(b'.' | b'_' | b'+' | b'-' | b'a'..=b'z' | b'A'..=b'Z' | 0x80..))
    }

    /// Reads a number with a fraction or exponent, or finds its fault. `first` is its first digit.
    fn unusual_number(&mut self, negative: bool, first: usize) -> Step<()> {
        let start = first - usize::from(negative);
        match diagnosis::end_of_float(self.text, first) {
            Ok(end) => {
                self.at = end;
                let number = number::float(&self.text[start..end]).map(Number::Float);
                self.push_number(number, start)
            }
            Err((fault, at)) => Err(Box::new(self.error(SourceErrorKind::Json { fault }, at))),
        }
    }

    #[inline]
    fn push_number(&mut self, number: Result<Number, SourceErrorKind>, start: usize) -> Step<()> {
        self.sink.span(start..self.at);
        let pushed = match number {
            Ok(Number::Integer(value)) => self.sink.integer(value),
            Ok(Number::Float(value)) => self.sink.float(value),
            Err(kind) => return Err(Box::new(self.error(kind, start))),
        };
        self.accepted(pushed, start)
    }

    /// Skips `word` if it begins and ends here.
    #[inline]
    fn word(&mut self, word: &[u8]) -> bool {
        let found = self.bytes[self.at..].starts_with(word)
            && !matches!(self.bytes.get(self.at + word.len()), Some(byte) if diagnosis::is_word_byte(*byte));
        if found {
            self.at += word.len();
        }
        found
    }

    #[inline]
    fn skip_space(&mut self) {
        if self.bytes.get(self.at).is_some_and(|&byte| byte <= b' ') {
            self.skip_long_space();
        }
    }

    /// Most white space is indentation: a line end and a run of blanks, skipped eight at a time.
    fn skip_long_space(&mut self) {
        const BLANKS: [u8; 8] = [b' '; 8];
        loop {
            match self.bytes.get(self.at) {
                Some(b' ') => {
                    while self.bytes[self.at..].starts_with(&BLANKS) {
                        self.at += BLANKS.len();
                    }
                    while self.bytes.get(self.at) == Some(&b' ') {
                        self.at += 1;
                    }
                }
                Some(b'\n' | b'\r' | b'\t') => self.at += 1,
                _ => return,
            }
        }
    }

    fn end(&mut self) -> Step<()> {
        self.skip_space();
        if self.at == self.bytes.len() { Ok(()) } else { Err(self.diagnose(RemoteRequest::End)) }
    }

    #[inline]
    fn accepted(&self, pushed: Result<(), SinkError>, at: usize) -> Step<()> {
        match pushed {
            Ok(()) => Ok(()),
            Err(refusal) => Err(self.refused(refusal, at)),
        }
    }
}

/// A string of the text.
enum Text<'t> {
    /// It has no escapes.
    Plain(&'t str),
    /// It had escapes; its value is in the reader's buffer.
    Decoded,
}

/// The cold side: errors with their places.
impl<S> Reader<'_, '_, S> {
    #[cold]
    fn error(&self, kind: SourceErrorKind, at: usize) -> SourceError {
        SourceError::new(kind, self.bytes, at).within(self.pointer(self.open.len()))
    }

    /// The fault at the current place, where `wanted` was expected.
    #[cold]
    fn diagnose(&self, wanted: RemoteRequest) -> Box<SourceError> {
        let Finding { fault, at, related } = diagnosis::find(self.text, self.at, wanted, self.open.last());
        // If a key is missing, the previous value is not the one to name.
        let levels = self.open.len() - usize::from(matches!(wanted, RemoteRequest::Key));
        let error = SourceError::new(SourceErrorKind::Json { fault }, self.bytes, at);
        let error = error.within(self.pointer(levels));
        Box::new(match related {
            Some(offset) => error.related_to(self.bytes, offset),
            None => error,
        })
    }

    #[cold]
    fn refused(&self, refusal: SinkError, at: usize) -> Box<SourceError> {
        let (first, second) = match kind_of_refusal(refusal) {
            Ok(kind) => return Box::new(self.error(kind, at)),
            Err(positions) => positions,
        };
        let first_key = match self.open.last().map(|frame| frame.within) {
            Some(Within::Object { first_key }) => first_key,
            _ => self.key_offsets.len(),
        };
        let offset = |position: usize| self.key_offsets.get(first_key + position).copied().unwrap_or(at);
        Box::new(self.duplicate_key(self.open.len().saturating_sub(1), offset(first), offset(second)))
    }

    /// The fault of a text that was read as several documents. If there are not two complete
    /// documents, the second one is the fault.
    #[cold]
    fn fault_of_several(&self, found: SourceError) -> SourceError {
        match self.open.first() {
            Some(&Frame { start, within: Within::List { index: 1 } })
                if self.open.len() > 1 && matches!(found.kind(), SourceErrorKind::Json { .. }) =>
            {
                let fault = JsonFault::SecondDocument;
                SourceError::new(SourceErrorKind::Json { fault }, self.bytes, start)
            }
            Some(Frame { within: Within::List { index: 0 }, .. }) if self.open.len() == 1 => {
                found.within(String::new())
            }
            _ => self.first_fault(found),
        }
    }

    /// Two equal keys, with their places, of the object at level `levels`.
    fn duplicate_key(&self, levels: usize, first: usize, second: usize) -> SourceError {
        let key = diagnosis::string_at(self.text, second);
        let mut pointer = self.pointer(levels);
        push_key(&mut pointer, &key);
        let kind = SourceErrorKind::DuplicateKey { key: key.into() };
        SourceError::new(kind, self.bytes, second).within(pointer).related_to(self.bytes, first)
    }

    /// `found`, or the first duplicate key before it. Keys are compared when their object ends, so
    /// the keys of open objects are still unchecked.
    #[cold]
    fn first_fault(&self, found: SourceError) -> SourceError {
        let mut keys = HashMap::new();
        for (level, range) in self.key_ranges() {
            keys.clear();
            for &second in &self.key_offsets[range] {
                if second as u64 >= found.at().offset {
                    return found;
                }
                if let Some(first) = keys.insert(diagnosis::string_at(self.text, second), second) {
                    return self.duplicate_key(level, first, second);
                }
            }
        }
        found
    }

    /// The open objects by their levels, and the ranges of their keys.
    fn key_ranges(&self) -> impl DoubleEndedIterator<Item = (usize, Range<usize>)> {
        let mut end = self.key_offsets.len();
        let mut ranges = Vec::new();
        for (level, frame) in self.open.iter().enumerate().rev() {
            if let Within::Object { first_key } = frame.within {
                ranges.push((level, first_key..end));
                end = first_key;
            }
        }
        ranges.into_iter().rev()
    }

    /// The JSON pointer of the current entry of the `levels` outermost lists and objects.
    fn pointer(&self, levels: usize) -> String {
        let mut pointer = String::new();
        for (level, frame) in self.open.iter().enumerate().take(levels) {
            match frame.within {
                Within::List { index } => push_index(&mut pointer, index),
                Within::Object { first_key } => {
                    // Its keys end at the first key of the next inner object.
                    let inner = self.open[level + 1..].iter().find_map(|frame| match frame.within {
                        Within::Object { first_key } => Some(first_key),
                        Within::List { .. } => None,
                    });
                    let keys = &self.key_offsets[first_key..inner.unwrap_or(self.key_offsets.len())];
                    if let Some(&offset) = keys.last() {
                        push_key(&mut pointer, &diagnosis::string_at(self.text, offset));
                    }
                }
            }
        }
        pointer
    }
}
