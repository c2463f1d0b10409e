//! §24.5 The tables of a writer: a token that was written before becomes a reference.

use super::options::WriteOptions;
use crate::code::Code;
use crate::dialect::Dialect;
use crate::error::{PcoreError, PcoreErrorKind};
use crate::tape::{Entry, Stream, Tag, Time};
use coconut_format::Integer;
use std::collections::HashMap;

/// Tokens that are equal have equal keys.
#[derive(PartialEq, Eq, Hash)]
enum Key<'s> {
    /// The content of a text, with the kind of scalar.
    Text(u8, &'s [u8]),
    Header(&'s str, u32),
    TypedHeader(u64),
    Time(u8, Time),
    Default,
}

/// A part of the name of a type.
pub(super) enum Segment<'s> {
    Text(&'s str),
    Slot(u64),
}

/// The next token to write.
pub(super) enum Written<'s> {
    Inner(u64),
    Outer(u64),
    Object(Vec<Segment<'s>>, u32),
    /// Everything else is written from its entry.
    Entry(Entry),
}

pub(super) struct Tables<'s> {
    stream: &'s Stream<'s>,
    dialect: Dialect,
    is_tabulated: bool,
    inner: HashMap<Key<'s>, u64>,
    inner_slots: u64,
    outer_slots: u64,
    /// The slots of shared values.
    slots: HashMap<u32, u64>,
    /// Objects whose types are being written, each with the place at which its type ends.
    types: Vec<(u32, u32)>,
    at: u32,
    /// The end of a container of msgpack, in which nothing takes a slot.
    plain_until: u32,
}

impl<'s> Tables<'s> {
    pub(super) fn new(stream: &'s Stream<'s>, options: &WriteOptions) -> Tables<'s> {
        Tables {
            stream,
            dialect: options.dialect,
            is_tabulated: options.is_tabulated,
            inner: HashMap::new(),
            inner_slots: 0,
            outer_slots: 0,
            slots: HashMap::new(),
            types: Vec::new(),
            at: 0,
            plain_until: 0,
        }
    }

    /// The next entry, which takes no slots: the value in the payload of a secret.
    pub(super) fn skip(&mut self) -> Option<Entry> {
        let entry = self.stream.tape.get(self.at as usize).copied();
        self.at += 1;
        entry
    }

    /// The next token, or `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<Written<'s>>, PcoreError> {
        let here = self.at;
        let Some(entry) = self.skip() else { return Ok(None) };
        while let Some(&(owner, end)) = self.types.last()
            && end <= here
        {
            self.types.pop();
            self.take_outer(owner);
        }
        if here < self.plain_until {
            self.check_plain(entry)?;
            return Ok(Some(Written::Entry(entry)));
        }
        self.check(entry)?;
        if entry.tag() == Tag::Reference {
            let slot = self.slots.get(&(entry.low_bits())).copied();
            // A secret has no slot in some dialects.
            let fault = "a secret occurs twice as one value, which this dialect cannot express";
            return slot.map(|slot| Some(Written::Outer(slot))).ok_or_else(|| rich(fault));
        }
        let reference = self.inner_slot(entry);
        match entry.tag() {
            Tag::TypedObject => self.types.push((here, self.stream.end_of(here + 1))),
            Tag::PlainArray | Tag::PlainMap => {
                self.plain_until = self.stream.end_of(here);
                self.take_outer(here);
                self.inner_slots += 1;
            }
            Tag::Sensitive if !self.dialect.counts_sensitive() => {}
            Tag::Array | Tag::Map | Tag::Object | Tag::Sensitive => self.take_outer(here),
            Tag::SensitivePayload => {
                self.take_outer(here);
                self.inner_slots += 1;
            }
            Tag::Default => {}
            _ if entry.code().is_some() => self.take_outer(here),
            _ => {}
        }
        if let Some(slot) = reference {
            return Ok(Some(Written::Inner(slot)));
        }
        if entry.tag() != Tag::Object {
            return Ok(Some(Written::Entry(entry)));
        }
        let (name, count) = self.stream.header(entry);
        let segments = name.split("::").map(|segment| self.segment(segment)).collect();
        self.slot_of(Key::Header(name, count));
        Ok(Some(Written::Object(segments, count)))
    }

    fn take_outer(&mut self, at: u32) {
        if self.stream.shared.contains(&at) {
            self.slots.insert(at, self.outer_slots);
        }
        self.outer_slots += 1;
    }

    /// The slot of an equal token, if there is one. Otherwise the token takes a slot, except the
    /// header of an object, which takes its slot after those of its segments.
    fn inner_slot(&mut self, entry: Entry) -> Option<u64> {
        let stream = self.stream;
        let tag = entry.tag();
        let key = match tag {
            Tag::Str | Tag::Bin => Key::Text(tag as u8, stream.bytes(entry)),
            Tag::TypedObject => Key::TypedHeader(entry.number()),
            Tag::Object => {
                let (name, count) = stream.header(entry);
                return self.inner.get(&Key::Header(name, count)).copied();
            }
            _ => match entry.code().filter(|&code| self.dialect.has_inner_slot(code))? {
                Code::Timestamp | Code::Timespan => Key::Time(tag as u8, stream.times[entry.index()]),
                Code::Default => Key::Default,
                _ => Key::Text(tag as u8, stream.bytes(entry)),
            },
        };
        self.slot_of(key)
    }

    fn slot_of(&mut self, key: Key<'s>) -> Option<u64> {
        if self.is_tabulated {
            if let Some(&slot) = self.inner.get(&key) {
                return Some(slot);
            }
            self.inner.insert(key, self.inner_slots);
        }
        self.inner_slots += 1;
        None
    }

    fn segment(&mut self, text: &'s str) -> Segment<'s> {
        match self.slot_of(Key::Text(Tag::Str as u8, text.as_bytes())) {
            Some(slot) => Segment::Slot(slot),
            None => Segment::Text(text),
        }
    }

    /// Fails for a value that the dialect does not have.
    fn check(&self, entry: Entry) -> Result<(), PcoreError> {
        let (dialect, stream) = (self.dialect, self.stream);
        let other = |code| Err(PcoreErrorKind::OtherDialect { code, dialect }.at(0));
        match entry.tag() {
            Tag::Wide => check_integer(stream.wide[entry.index()]),
            Tag::PlainArray | Tag::PlainMap if dialect.is_java() => {
                Err(PcoreErrorKind::Plain { found: "a container of msgpack" }.at(0))
            }
            Tag::SensitivePayload if !dialect.has_sensitive_payloads() => other(Code::Binary),
            Tag::Sensitive if !dialect.has(Code::SensitiveStart) => other(Code::SensitiveStart),
            Tag::Binary if dialect.has_sensitive_payloads() => other(Code::Binary),
            _ => match entry.code() {
                Some(code) if !dialect.has(code) => other(code),
                _ => Ok(()),
            },
        }
    }

    /// Fails for a value that cannot be in a container of msgpack.
    fn check_plain(&self, entry: Entry) -> Result<(), PcoreError> {
        match entry.tag() {
            Tag::Wide => check_integer(self.stream.wide[entry.index()]),
            Tag::PlainArray | Tag::PlainMap => Ok(()),
            tag if tag <= Tag::Bin => Ok(()),
            _ => {
                let found = "an extension in an array or a map of msgpack";
                Err(PcoreErrorKind::Plain { found }.at(0))
            }
        }
    }
}

pub(super) fn rich(fault: &'static str) -> PcoreError {
    PcoreErrorKind::Rich { fault }.at(0)
}

/// Writers have integers of 64 bits with a sign.
fn check_integer(value: Integer) -> Result<(), PcoreError> {
    match value.as_i64() {
        Some(_) => Ok(()),
        None => Err(rich("an integer above 2^63 - 1 has no form in a stream")),
    }
}
