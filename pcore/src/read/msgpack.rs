//! §24.2 The lower level in msgpack.

use super::builder::{At, Builder, Facts, Observer, Parts};
use crate::code::Code;
use crate::dialect::Dialect;
use crate::error::{PcoreError, PcoreErrorKind};
use crate::limits;
use crate::rich::is_base64;
use crate::tape::{Entry, Tag, Time, text_of, text_tag};
use coconut_codec::foreign::{ForeignCursor, ForeignToken};
use coconut_format::{DecodeError, Integer};

/// The values of a stream, and its texts if they are not in the file.
pub(crate) struct Read {
    pub(crate) parts: Parts,
    pub(crate) data: Option<Vec<u8>>,
}

pub(super) fn read(
    file: &[u8],
    start: usize,
    dialect: Dialect,
    observer: &mut dyn Observer,
) -> Result<(Read, Facts), PcoreError> {
    let mut builder = Builder::new(dialect, file.len() - start, observer);
    let mut cursor = ForeignCursor::within(file, start, file.len());
    while !cursor.is_at_end() {
        let begin = cursor.position();
        let token = cursor.token().map_err(|error| of_msgpack(&error))?;
        let end = cursor.position();
        let at =
            At { span: begin..end, available: (file.len() - end) as u64, first_inner: builder.inner_slots() };
        match token {
            ForeignToken::Str(bytes) => {
                let entry = stretch(Tag::Str, bytes, end, begin)?;
                builder.text(entry, at, file)?;
            }
            ForeignToken::Bin(bytes) => {
                let entry = stretch(Tag::Bin, bytes, end, begin)?;
                builder.text(entry, at, file)?;
            }
            ForeignToken::Array(count) => plain(&mut builder, Tag::PlainArray, count, at, file)?,
            ForeignToken::Map(count) => plain(&mut builder, Tag::PlainMap, count, at, file)?,
            ForeignToken::Ext(number, payload) => {
                builder.extension(&at)?;
                extension(&mut builder, number, payload.len(), at, file)?;
            }
            scalar => {
                let entry = scalar_of(&mut builder, scalar);
                builder.scalar(entry, at, file)?;
            }
        }
    }
    let (parts, facts) = builder.finish(file.len(), file)?;
    Ok((Read { parts, data: None }, facts))
}

fn of_msgpack(error: &DecodeError) -> PcoreError {
    let offset = usize::try_from(error.offset()).unwrap_or(usize::MAX);
    PcoreErrorKind::Msgpack(error.kind()).at(offset)
}

/// A text that ends at `end`, as the last part of its token.
fn stretch(tag: Tag, bytes: &[u8], end: usize, token: usize) -> Result<Entry, PcoreError> {
    let at = u32::try_from(end - bytes.len()).ok();
    let entry = at.and_then(|at| Entry::text(tag, at, bytes.len()));
    entry
        .ok_or_else(|| PcoreErrorKind::Limit { what: "bytes of a text", limit: limits::TEXT_BYTES }.at(token))
}

fn scalar_of(builder: &mut Builder<'_>, token: ForeignToken<'_>) -> Entry {
    match token {
        ForeignToken::Bool(false) => Entry::bare(Tag::False),
        ForeignToken::Bool(true) => Entry::bare(Tag::True),
        ForeignToken::Unsigned(n) => builder.integer(Integer::from(n)),
        ForeignToken::Negative(n) => builder.integer(Integer::from(n)),
        ForeignToken::Float(value) => builder.float(value),
        ForeignToken::Float32(value) => Entry::new(Tag::Float32, value.to_bits().into()),
        _ => Entry::bare(Tag::Nil),
    }
}

fn plain(builder: &mut Builder<'_>, tag: Tag, count: u32, at: At, file: &[u8]) -> Result<(), PcoreError> {
    if builder.dialect.is_java() && !builder.is_in_plain() {
        let found = if tag == Tag::PlainArray { "an array of msgpack" } else { "a map of msgpack" };
        return Err(PcoreErrorKind::Plain { found }.at(at.span.start));
    }
    builder.container(tag, count.into(), at, file)
}

fn extension(
    builder: &mut Builder<'_>,
    number: i8,
    length: usize,
    at: At,
    file: &[u8],
) -> Result<(), PcoreError> {
    let token = at.span.start;
    let code = u64::try_from(number).ok().and_then(Code::of);
    let code = code.ok_or_else(|| PcoreErrorKind::Code { number: number.into() }.at(token))?;
    let dialect = builder.dialect;
    if !dialect.has(code) {
        return Err(PcoreErrorKind::OtherDialect { code, dialect }.at(token));
    }
    let end = at.span.end;
    let mut payload = Payload { cursor: ForeignCursor::within(file, end - length, end), code, token, end };
    match code {
        Code::InnerTabulation => {
            let index = payload.count("the number of a slot")?;
            payload.finish()?;
            builder.inner_reference(index, at, file)
        }
        Code::Tabulation => {
            let index = payload.count("the number of a slot")?;
            payload.finish()?;
            builder.reference(index, at, file)
        }
        Code::ArrayStart | Code::MapStart => {
            let count = payload.count("a count")?;
            payload.finish()?;
            let tag = if code == Code::ArrayStart { Tag::Array } else { Tag::Map };
            builder.container(tag, count, at, file)
        }
        Code::PcoreObjectStart => {
            let mut name = Vec::new();
            for number in 0..payload.count("the number of segments")? {
                if number > 0 {
                    name.extend_from_slice(b"::");
                }
                match payload.next("a segment")? {
                    ForeignToken::Str(bytes) => {
                        let entry = stretch(Tag::Str, bytes, payload.cursor.position(), token)?;
                        builder.remember(entry);
                        name.extend_from_slice(bytes);
                    }
                    ForeignToken::Unsigned(index) => {
                        name.extend_from_slice(builder.segment(index, &at, file)?);
                    }
                    other => return Err(payload.wrong("a segment", other)),
                }
                if name.len() > limits::NAME_BYTES {
                    let limit = limits::NAME_BYTES as u64;
                    return Err(
                        PcoreErrorKind::Limit { what: "bytes of the name of a type", limit }.at(token)
                    );
                }
            }
            let count = payload.count("a count")?;
            payload.finish()?;
            builder.object(&name, count, at, file)
        }
        Code::ObjectStart => {
            let count = payload.count("a count")?;
            payload.finish()?;
            let attributes = count.checked_sub(1);
            let attributes = attributes.ok_or_else(|| {
                PcoreErrorKind::Payload { code, expected: "a count above 0", found: "0" }.at(token)
            })?;
            builder.container(Tag::TypedObject, attributes, at, file)
        }
        Code::SensitiveStart => {
            payload.finish()?;
            builder.container(Tag::Sensitive, 1, at, file)
        }
        Code::Default => {
            payload.finish()?;
            builder.rich(code, Entry::bare(Tag::Default), at, file)
        }
        Code::Timestamp | Code::Timespan => {
            let seconds = payload.integer("seconds")?;
            let nanoseconds = payload.integer("nanoseconds")?;
            payload.finish()?;
            let nanoseconds = u32::try_from(nanoseconds).ok().filter(|&n| n < 1_000_000_000);
            let nanoseconds = nanoseconds.ok_or_else(|| PcoreErrorKind::Nanoseconds.at(token))?;
            let tag = if code == Code::Timestamp { Tag::Timestamp } else { Tag::Timespan };
            let entry = builder.time(tag, Time { seconds, nanoseconds });
            builder.rich(code, entry, at, file)
        }
        Code::Binary if dialect.has_sensitive_payloads() => {
            let value = payload.next("a value")?;
            let position = payload.cursor.position();
            let entry = match value {
                ForeignToken::Str(bytes) => stretch(Tag::Str, bytes, position, token)?,
                ForeignToken::Bin(bytes) => stretch(Tag::Bin, bytes, position, token)?,
                ForeignToken::Array(_) | ForeignToken::Map(_) | ForeignToken::Ext(..) => {
                    return Err(payload.wrong("a scalar", value));
                }
                scalar => scalar_of(builder, scalar),
            };
            payload.finish()?;
            let inner = At { span: position..position, ..at.clone() };
            builder.secret(entry, at, inner, file)
        }
        Code::Binary => {
            let bytes = match payload.next("bytes")? {
                ForeignToken::Bin(bytes) => bytes,
                other => return Err(payload.wrong("bytes", other)),
            };
            let entry = stretch(Tag::Binary, bytes, payload.cursor.position(), token)?;
            payload.finish()?;
            builder.rich(code, entry, at, file)
        }
        Code::Base64 => {
            let entry = payload.text(Tag::Base64)?;
            payload.finish()?;
            if !is_base64(text_of(entry, file)) {
                return Err(PcoreErrorKind::Base64.at(token));
            }
            builder.rich(code, entry, at, file)
        }
        _ => {
            let entry = payload.text(text_tag(code).unwrap_or(Tag::Comment))?;
            payload.finish()?;
            builder.rich(code, entry, at, file)
        }
    }
}

/// The payload of an extension: tokens that must fill it exactly.
struct Payload<'f> {
    cursor: ForeignCursor<'f>,
    code: Code,
    token: usize,
    end: usize,
}

impl<'f> Payload<'f> {
    fn next(&mut self, expected: &'static str) -> Result<ForeignToken<'f>, PcoreError> {
        if self.cursor.is_at_end() {
            let code = self.code;
            return Err(PcoreErrorKind::Payload { code, expected, found: "nothing" }.at(self.token));
        }
        self.cursor.token().map_err(|error| of_msgpack(&error))
    }

    fn wrong(&self, expected: &'static str, token: ForeignToken<'_>) -> PcoreError {
        let found = match token {
            ForeignToken::Nil => "nil",
            ForeignToken::Bool(_) => "a boolean",
            ForeignToken::Unsigned(_) => "an integer",
            ForeignToken::Negative(_) => "a negative integer",
            ForeignToken::Float(_) | ForeignToken::Float32(_) => "a float",
            ForeignToken::Str(_) => "a string",
            ForeignToken::Bin(_) => "bytes",
            ForeignToken::Array(_) => "an array",
            ForeignToken::Map(_) => "a map",
            ForeignToken::Ext(..) => "an extension",
        };
        PcoreErrorKind::Payload { code: self.code, expected, found }.at(self.token)
    }

    fn count(&mut self, expected: &'static str) -> Result<u64, PcoreError> {
        match self.next(expected)? {
            ForeignToken::Unsigned(n) => Ok(n),
            other => Err(self.wrong(expected, other)),
        }
    }

    fn integer(&mut self, expected: &'static str) -> Result<i64, PcoreError> {
        match self.next(expected)? {
            ForeignToken::Unsigned(n) if i64::try_from(n).is_ok() => Ok(n.cast_signed()),
            ForeignToken::Negative(n) => Ok(n),
            other => Err(self.wrong(expected, other)),
        }
    }

    fn text(&mut self, tag: Tag) -> Result<Entry, PcoreError> {
        match self.next("a string")? {
            ForeignToken::Str(bytes) => stretch(tag, bytes, self.cursor.position(), self.token),
            other => Err(self.wrong("a string", other)),
        }
    }

    fn finish(&self) -> Result<(), PcoreError> {
        match self.end - self.cursor.position() {
            0 => Ok(()),
            left => {
                let (code, count) = (self.code, left as u64);
                Err(PcoreErrorKind::Leftover { code, count }.at(self.cursor.position()))
            }
        }
    }
}
