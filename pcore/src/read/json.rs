//! §24.2 The lower level in JSON: one list for the whole stream.
//!
//! A list in it is an extension: its code, its payload, and then perhaps values that belong to the
//! stream. The brackets around these only group them, and a writer may close them too early. So
//! only the order of the values counts.

use super::builder::{At, Builder, Facts, Observer};
use super::msgpack::Read;
use crate::code::Code;
use crate::dialect::Dialect;
use crate::error::{PcoreError, PcoreErrorKind};
use crate::limits;
use crate::rich::is_base64;
use crate::tape::{Entry, Tag, Time, text_tag};
use coconut_codec::event::{EventSink, SinkError};
use coconut_codec::text::json::{self, JsonOptions};
use coconut_format::Integer;
use std::ops::Range;

pub(super) fn read(
    file: &[u8],
    start: usize,
    dialect: Dialect,
    observer: &mut dyn Observer,
) -> Result<(Read, Facts), PcoreError> {
    let text = &file[start..];
    let mut tokens = Tokens {
        builder: Builder::new(dialect, text.len(), observer),
        data: Vec::new(),
        start,
        end: file.len(),
        span: 0..0,
        lists: Vec::new(),
        is_begun: false,
        fault: None,
    };
    // A list of a stream contains those of its extensions, which close early or late.
    let options = JsonOptions::default().depth(2 * coconut_codec::limits::DEPTH);
    let read = json::read(text, &mut tokens, &options);
    if let Some(fault) = tokens.fault {
        return Err(fault);
    }
    read.map_err(|error| {
        let message = error.kind().to_string().into();
        PcoreErrorKind::Json { message }.at(start + usize::try_from(error.at().offset).unwrap_or(usize::MAX))
    })?;
    let Tokens { builder, data, .. } = tokens;
    let (parts, facts) = builder.finish(file.len(), &data)?;
    Ok((Read { parts, data: Some(data) }, facts))
}

/// The items of a payload that were read so far.
#[derive(Default)]
struct Payload {
    at: usize,
    first_inner: u64,
    code: Option<Code>,
    /// Segments of a name that are still to come.
    segments: Option<u64>,
    name: Vec<u8>,
    number: Option<i64>,
    is_complete: bool,
}

impl Payload {
    /// The fault of an item after a payload that no values follow.
    fn leftover(&self) -> Option<PcoreError> {
        let code = self.code?;
        let is_start =
            matches!(code, Code::ArrayStart | Code::MapStart | Code::PcoreObjectStart | Code::ObjectStart);
        (!is_start).then(|| PcoreErrorKind::Leftover { code, count: 1 }.at(self.at))
    }
}

/// Receives the events of a text.
struct Tokens<'o> {
    builder: Builder<'o>,
    /// The bytes of all texts.
    data: Vec<u8>,
    start: usize,
    end: usize,
    span: Range<usize>,
    lists: Vec<Payload>,
    is_begun: bool,
    fault: Option<PcoreError>,
}

/// An item of a list.
#[derive(Clone, Copy)]
enum Item<'t> {
    Null,
    Bool(bool),
    Integer(Integer),
    Float(f64),
    Text(&'t str),
}

impl Item<'_> {
    fn name(self) -> &'static str {
        match self {
            Item::Null => "null",
            Item::Bool(_) => "a boolean",
            Item::Integer(number) if number.as_u64().is_none() => "a negative integer",
            Item::Integer(_) => "an integer",
            Item::Float(_) => "a float",
            Item::Text(_) => "a string",
        }
    }
}

impl Tokens<'_> {
    fn at(&self) -> At {
        let span = self.start + self.span.start..self.start + self.span.end;
        let available = self.end.saturating_sub(span.end) as u64;
        At { span, available, first_inner: self.builder.inner_slots() }
    }

    /// Stores a fault, so that the reader stops.
    fn check(&mut self, result: Result<(), PcoreError>) -> Result<(), SinkError> {
        result.map_err(|fault| {
            self.fault = Some(fault);
            SinkError::Failed
        })
    }

    fn item(&mut self, item: Item<'_>) -> Result<(), SinkError> {
        let result = match self.lists.last() {
            None => self.outside(),
            Some(payload) if payload.is_complete => match payload.leftover() {
                Some(fault) => Err(fault),
                None => self.value(item),
            },
            Some(_) => self.payload(item),
        };
        self.check(result)
    }

    fn outside(&self) -> Result<(), PcoreError> {
        let message = "a stream is a list".into();
        Err(PcoreErrorKind::Json { message }.at(self.start + self.span.start))
    }

    fn stretch(&mut self, tag: Tag, text: &str) -> Result<Entry, PcoreError> {
        let at = u32::try_from(self.data.len()).ok();
        let entry = at.and_then(|at| Entry::text(tag, at, text.len()));
        let limit = PcoreErrorKind::Limit { what: "bytes of a text", limit: limits::TEXT_BYTES };
        let entry = entry.ok_or_else(|| limit.at(self.start + self.span.start))?;
        self.data.extend_from_slice(text.as_bytes());
        Ok(entry)
    }

    /// A value of the stream.
    fn value(&mut self, item: Item<'_>) -> Result<(), PcoreError> {
        let at = self.at();
        let entry = match item {
            Item::Text(text) => {
                let entry = self.stretch(Tag::Str, text)?;
                return self.builder.text(entry, at, &self.data);
            }
            Item::Null => Entry::bare(Tag::Nil),
            Item::Bool(false) => Entry::bare(Tag::False),
            Item::Bool(true) => Entry::bare(Tag::True),
            Item::Integer(number) => self.builder.integer(number),
            Item::Float(number) => self.builder.float(number),
        };
        self.builder.scalar(entry, at, &self.data)
    }

    /// An item of a payload.
    fn payload(&mut self, item: Item<'_>) -> Result<(), PcoreError> {
        let here = self.at();
        let dialect = self.builder.dialect;
        let Some(payload) = self.lists.last_mut() else { return Ok(()) };
        let token = payload.at;
        let Some(code) = payload.code else {
            let Item::Integer(number) = item else {
                let message = format!("expected the number of an extension, found {}", item.name());
                return Err(PcoreErrorKind::Json { message: message.into() }.at(token));
            };
            let code = number.as_u64().and_then(Code::of);
            let reserved = PcoreErrorKind::Code { number: number.as_i64().unwrap_or(i64::MAX) };
            let code = code.ok_or_else(|| reserved.at(token))?;
            if !dialect.has(code) {
                return Err(PcoreErrorKind::OtherDialect { code, dialect }.at(token));
            }
            payload.code = Some(code);
            return match code {
                Code::SensitiveStart => {
                    self.complete(|builder, at, data| builder.container(Tag::Sensitive, 1, at, data))
                }
                Code::Default => {
                    self.complete(|builder, at, data| builder.rich(code, Entry::bare(Tag::Default), at, data))
                }
                // Its value follows in the list.
                Code::Binary if dialect.has_sensitive_payloads() => Ok(()),
                _ => Ok(()),
            };
        };
        let wrong = |expected| PcoreErrorKind::Payload { code, expected, found: item.name() }.at(token);
        let natural = |expected| match item {
            Item::Integer(number) => number.as_u64().ok_or_else(|| wrong(expected)),
            _ => Err(wrong(expected)),
        };
        match code {
            Code::InnerTabulation => {
                let index = natural("the number of a slot")?;
                self.complete(|builder, at, data| builder.inner_reference(index, at, data))
            }
            Code::Tabulation => {
                let index = natural("the number of a slot")?;
                self.complete(|builder, at, data| builder.reference(index, at, data))
            }
            Code::ArrayStart | Code::MapStart => {
                let count = natural("a count")?;
                let tag = if code == Code::ArrayStart { Tag::Array } else { Tag::Map };
                self.complete(|builder, at, data| builder.container(tag, count, at, data))
            }
            Code::ObjectStart => {
                let count = natural("a count")?.checked_sub(1);
                let fault = PcoreErrorKind::Payload { code, expected: "a count above 0", found: "0" };
                let count = count.ok_or_else(|| fault.at(token))?;
                self.complete(|builder, at, data| builder.container(Tag::TypedObject, count, at, data))
            }
            Code::PcoreObjectStart => self.object(item, token),
            Code::Timestamp | Code::Timespan => {
                let Item::Integer(number) = item else { return Err(wrong("an integer")) };
                let number = number.as_i64().ok_or_else(|| wrong("an integer of 64 bits"))?;
                let Some(seconds) = payload.number else {
                    payload.number = Some(number);
                    return Ok(());
                };
                let nanoseconds = u32::try_from(number).ok().filter(|&n| n < 1_000_000_000);
                let nanoseconds = nanoseconds.ok_or_else(|| PcoreErrorKind::Nanoseconds.at(token))?;
                let tag = if code == Code::Timestamp { Tag::Timestamp } else { Tag::Timespan };
                let entry = self.builder.time(tag, Time { seconds, nanoseconds });
                self.complete(|builder, at, data| builder.rich(code, entry, at, data))
            }
            Code::Binary if dialect.has_sensitive_payloads() => {
                let entry = match item {
                    Item::Text(text) => self.stretch(Tag::Str, text)?,
                    Item::Null => Entry::bare(Tag::Nil),
                    Item::Bool(false) => Entry::bare(Tag::False),
                    Item::Bool(true) => Entry::bare(Tag::True),
                    Item::Integer(number) => self.builder.integer(number),
                    Item::Float(number) => self.builder.float(number),
                };
                self.complete(|builder, at, data| builder.secret(entry, at, here, data))
            }
            // JSON has no bytes.
            Code::Binary => Err(wrong("bytes")),
            _ => {
                let Item::Text(text) = item else { return Err(wrong("a string")) };
                if code == Code::Base64 && !is_base64(text.as_bytes()) {
                    return Err(PcoreErrorKind::Base64.at(token));
                }
                let tag =
                    if code == Code::Base64 { Tag::Base64 } else { text_tag(code).unwrap_or(Tag::Comment) };
                let entry = self.stretch(tag, text)?;
                self.complete(|builder, at, data| builder.rich(code, entry, at, data))
            }
        }
    }

    /// An item of the header of an object: the number of segments, the segments, the count.
    fn object(&mut self, item: Item<'_>, token: usize) -> Result<(), PcoreError> {
        let code = Code::PcoreObjectStart;
        let at = self.at();
        let wrong = |expected| PcoreErrorKind::Payload { code, expected, found: item.name() }.at(token);
        let Some(payload) = self.lists.last() else { return Ok(()) };
        match payload.segments {
            None => {
                let Item::Integer(number) = item else { return Err(wrong("the number of segments")) };
                let number = number.as_u64().ok_or_else(|| wrong("the number of segments"))?;
                if let Some(payload) = self.lists.last_mut() {
                    payload.segments = Some(number);
                }
            }
            Some(0) => {
                let Item::Integer(count) = item else { return Err(wrong("a count")) };
                let count = count.as_u64().ok_or_else(|| wrong("a count"))?;
                let name = payload.name.clone();
                return self.complete(|builder, at, data| builder.object(&name, count, at, data));
            }
            Some(left) => {
                let segment = match item {
                    Item::Text(text) => {
                        let entry = self.stretch(Tag::Str, text)?;
                        self.builder.remember(entry);
                        text.as_bytes()
                    }
                    Item::Integer(index) => {
                        let index = index.as_u64().ok_or_else(|| wrong("a segment"))?;
                        self.builder.segment(index, &at, &self.data)?
                    }
                    _ => return Err(wrong("a segment")),
                };
                let Some(payload) = self.lists.last_mut() else { return Ok(()) };
                if !payload.name.is_empty() {
                    payload.name.extend_from_slice(b"::");
                }
                payload.name.extend_from_slice(segment);
                payload.segments = Some(left - 1);
                if payload.name.len() > limits::NAME_BYTES {
                    let limit = limits::NAME_BYTES as u64;
                    return Err(
                        PcoreErrorKind::Limit { what: "bytes of the name of a type", limit }.at(token)
                    );
                }
            }
        }
        Ok(())
    }

    /// A payload is complete: passes its token on.
    fn complete(
        &mut self,
        pass: impl FnOnce(&mut Builder<'_>, At, &[u8]) -> Result<(), PcoreError>,
    ) -> Result<(), PcoreError> {
        let Some(payload) = self.lists.last_mut() else { return Ok(()) };
        payload.is_complete = true;
        let (begin, first_inner) = (payload.at, payload.first_inner);
        let at = self.at();
        let at = At { span: begin..at.span.end, first_inner, ..at };
        self.builder.extension(&at)?;
        pass(&mut self.builder, at, &self.data)
    }

    fn begin(&mut self) -> Result<(), PcoreError> {
        let at = self.start + self.span.start;
        match self.lists.last() {
            None if self.is_begun => self.outside()?,
            None => {
                self.is_begun = true;
                self.lists.push(Payload { is_complete: true, ..Payload::default() });
                return Ok(());
            }
            // A list may hold a payload and then values, but no extension is in a payload.
            Some(payload) if !payload.is_complete => {
                let code = payload.code.unwrap_or(Code::ArrayStart);
                let (expected, found) = ("an item of the payload", "a list");
                return Err(PcoreErrorKind::Payload { code, expected, found }.at(payload.at));
            }
            Some(payload) => payload.leftover().map_or(Ok(()), Err)?,
        }
        let first_inner = self.builder.inner_slots();
        self.lists.push(Payload { at, first_inner, ..Payload::default() });
        Ok(())
    }

    fn end(&mut self) -> Result<(), PcoreError> {
        let Some(payload) = self.lists.pop() else { return Ok(()) };
        if payload.is_complete {
            return Ok(());
        }
        let (expected, found) = ("more items", "the end of the list");
        Err(match payload.code {
            Some(code) => PcoreErrorKind::Payload { code, expected, found }.at(payload.at),
            None => {
                let message = "an extension begins with its number".into();
                PcoreErrorKind::Json { message }.at(payload.at)
            }
        })
    }
}

impl EventSink for Tokens<'_> {
    fn span(&mut self, span: Range<usize>) {
        self.span = span;
    }

    fn null(&mut self) -> Result<(), SinkError> {
        self.item(Item::Null)
    }

    fn bool(&mut self, value: bool) -> Result<(), SinkError> {
        self.item(Item::Bool(value))
    }

    fn integer(&mut self, value: Integer) -> Result<(), SinkError> {
        self.item(Item::Integer(value))
    }

    fn float(&mut self, value: f64) -> Result<(), SinkError> {
        self.item(Item::Float(value))
    }

    fn string(&mut self, value: &str) -> Result<(), SinkError> {
        self.item(Item::Text(value))
    }

    fn begin_list(&mut self) -> Result<(), SinkError> {
        let begun = self.begin();
        self.check(begun)
    }

    fn end_list(&mut self) -> Result<(), SinkError> {
        let ended = self.end();
        self.check(ended)
    }

    fn begin_object(&mut self) -> Result<(), SinkError> {
        let message = "a stream has no objects".into();
        let fault = PcoreErrorKind::Json { message }.at(self.start + self.span.start);
        self.check(Err(fault))
    }

    fn key(&mut self, _: &str) -> Result<(), SinkError> {
        Ok(())
    }

    fn end_object(&mut self) -> Result<(), SinkError> {
        Ok(())
    }
}
