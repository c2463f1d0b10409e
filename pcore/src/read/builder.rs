//! §24.4 The upper level: counts become nesting, and both tables are kept.

use crate::code::Code;
use crate::dialect::Dialect;
use crate::envelope::{Encoding, Envelope};
use crate::error::{PcoreError, PcoreErrorKind, Table};
use crate::limits;
use crate::rich::is_reserved;
use crate::tape::{Entry, ObjectHeader, Stream, Tag, Time, has_text, place, text_of};
use coconut_codec::limits::KEY_BYTES;
use coconut_format::Integer;
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

/// A token on its way, for listings.
pub(crate) struct Observed {
    /// The bytes of the token; of JSON, the offset where it begins.
    pub(crate) span: Range<usize>,
    pub(crate) level: usize,
    pub(crate) entry: Entry,
    /// The slots of the inner table that the token takes: of the segments of a name, and its own.
    pub(crate) inner: Range<u64>,
    /// The slot of the outer table that the value takes. For an object whose type follows, `None`:
    /// it takes the slot after its type.
    pub(crate) outer: Option<u64>,
    /// The slot that the token refers to.
    pub(crate) reference: Option<(Table, u64)>,
}

/// Sees every token of a stream.
pub(crate) trait Observer {
    /// Whether [`token`](Self::token) is of interest.
    fn is_listening(&self) -> bool {
        true
    }
    fn token(&mut self, token: Observed, parts: &Parts, data: &[u8]);
}

/// Sees nothing.
pub(crate) struct Ignored;

impl Observer for Ignored {
    fn is_listening(&self) -> bool {
        false
    }

    fn token(&mut self, _: Observed, _: &Parts, _: &[u8]) {}
}

/// Observations that decide whether another dialect would read the stream differently.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Facts {
    /// A scalar that takes an inner slot only in some dialects.
    inner_differs: bool,
    /// A secret, which takes an outer slot only in some dialects.
    outer_differs: bool,
    /// A reference after one of these.
    pub(crate) depends_on_dialect: bool,
}

/// The parts of a stream, while it is read.
#[derive(Default)]
pub(crate) struct Parts {
    pub(crate) tape: Vec<Entry>,
    pub(crate) values: Vec<u32>,
    pub(crate) wide: Vec<Integer>,
    pub(crate) floats: Vec<f64>,
    pub(crate) times: Vec<Time>,
    pub(crate) names: Vec<Box<str>>,
    pub(crate) headers: Vec<ObjectHeader>,
    shared: BTreeSet<u32>,
    is_tabulated: bool,
    is_plain: bool,
}

impl Parts {
    pub(crate) fn into_stream<'a>(
        self,
        dialect: Dialect,
        encoding: Encoding,
        envelope: Option<Envelope<'a>>,
        data: Cow<'a, [u8]>,
    ) -> Stream<'a> {
        Stream {
            dialect,
            encoding,
            envelope,
            data,
            tape: self.tape,
            values: self.values,
            wide: self.wide,
            floats: self.floats,
            times: self.times,
            names: self.names,
            headers: self.headers,
            shared: self.shared,
            is_tabulated: self.is_tabulated,
            is_plain: self.is_plain,
        }
    }
}

/// An open container.
struct Frame {
    at: u32,
    tag: Tag,
    /// The values that are still to come.
    left: u64,
    /// The first of its keys in `keys`.
    first_key: usize,
    /// Whether it is in a key of a hash.
    is_in_key: bool,
}

impl Frame {
    /// Whether the next value is a key.
    fn expects_key(&self) -> bool {
        matches!(self.tag, Tag::Map | Tag::PlainMap) && self.left.is_multiple_of(2)
    }
}

/// A token of the lower level with its place.
#[derive(Clone)]
pub(crate) struct At {
    pub(crate) span: Range<usize>,
    /// The bytes after it.
    pub(crate) available: u64,
    /// The slots of the inner table before it.
    pub(crate) first_inner: u64,
}

/// Receives the tokens of the lower level.
pub(crate) struct Builder<'o> {
    pub(crate) dialect: Dialect,
    pub(crate) parts: Parts,
    pub(crate) facts: Facts,
    observer: &'o mut dyn Observer,
    is_observed: bool,
    inner: Vec<Entry>,
    outer: Vec<u32>,
    frames: Vec<Frame>,
    /// The scalar keys of all open hashes.
    keys: Vec<u32>,
    /// The values that all open containers still need.
    owed: u64,
    /// The open containers of msgpack itself.
    plain: usize,
    has_extensions: bool,
    has_inner_references: bool,
    name_numbers: HashMap<Box<str>, u32>,
    header_numbers: HashMap<ObjectHeader, u32>,
    name_bytes: usize,
    /// The bytes of all names may reach the bytes of the stream.
    name_limit: usize,
}

impl<'o> Builder<'o> {
    pub(crate) fn new(dialect: Dialect, bytes: usize, observer: &'o mut dyn Observer) -> Builder<'o> {
        let is_observed = observer.is_listening();
        // Real streams have seven bytes for each value. A vector that grows beyond takes twice its
        // memory for a moment.
        let mut parts = Parts::default();
        parts.tape.reserve_exact(bytes / 6);
        Builder {
            dialect,
            parts,
            facts: Facts::default(),
            observer,
            is_observed,
            inner: Vec::new(),
            outer: Vec::new(),
            frames: Vec::new(),
            keys: Vec::new(),
            owed: 0,
            plain: 0,
            has_extensions: false,
            has_inner_references: false,
            name_numbers: HashMap::new(),
            header_numbers: HashMap::new(),
            name_bytes: 0,
            name_limit: limits::NAMES_BYTES.max(bytes),
        }
    }

    pub(crate) fn inner_slots(&self) -> u64 {
        self.inner.len() as u64
    }

    pub(crate) fn is_in_plain(&self) -> bool {
        self.plain > 0
    }

    /// An extension begins. It cannot be inside a container of msgpack.
    pub(crate) fn extension(&mut self, at: &At) -> Result<(), PcoreError> {
        self.has_extensions = true;
        match self.plain {
            0 => Ok(()),
            _ => {
                let found = "an extension in an array or a map of msgpack";
                Err(PcoreErrorKind::Plain { found }.at(at.span.start))
            }
        }
    }

    /// Gives an entry a slot of the inner table.
    pub(crate) fn remember(&mut self, entry: Entry) {
        if self.plain == 0 {
            self.inner.push(entry);
        }
    }

    /// A scalar without slots: a number, a boolean, `nil`.
    #[inline]
    pub(crate) fn scalar(&mut self, entry: Entry, at: At, data: &[u8]) -> Result<(), PcoreError> {
        self.place(entry, at, None, data)
    }

    /// A text or bytes without an extension.
    #[inline]
    pub(crate) fn text(&mut self, entry: Entry, at: At, data: &[u8]) -> Result<(), PcoreError> {
        self.remember(entry);
        self.place(entry, at, None, data)
    }

    /// A scalar of an extension.
    pub(crate) fn rich(&mut self, code: Code, entry: Entry, at: At, data: &[u8]) -> Result<(), PcoreError> {
        if matches!(code, Code::Default | Code::Timestamp | Code::Timespan | Code::Version) {
            self.facts.inner_differs = true;
        }
        if self.dialect.has_inner_slot(code) {
            self.remember(entry);
        }
        self.place(entry, at, None, data)
    }

    pub(crate) fn integer(&mut self, value: Integer) -> Entry {
        Entry::integer(value).unwrap_or_else(|| {
            self.parts.wide.push(value);
            Entry::new(Tag::Wide, self.parts.wide.len() as u64 - 1)
        })
    }

    pub(crate) fn float(&mut self, value: f64) -> Entry {
        self.parts.floats.push(value);
        Entry::new(Tag::Float, self.parts.floats.len() as u64 - 1)
    }

    pub(crate) fn time(&mut self, tag: Tag, time: Time) -> Entry {
        self.parts.times.push(time);
        Entry::new(tag, self.parts.times.len() as u64 - 1)
    }

    /// A container, by its count.
    pub(crate) fn container(&mut self, tag: Tag, count: u64, at: At, data: &[u8]) -> Result<(), PcoreError> {
        // A larger count is refused, because each value takes a byte.
        let entry = Entry::new(tag, count.min(1 << 40));
        if tag == Tag::TypedObject {
            self.remember(entry);
        }
        if tag == Tag::Sensitive {
            self.facts.outer_differs = true;
        }
        self.place(entry, at, None, data)
    }

    /// A secret whose value is in its payload.
    pub(crate) fn secret(&mut self, value: Entry, at: At, inner: At, data: &[u8]) -> Result<(), PcoreError> {
        // The value takes no bytes after the token.
        let at = At { available: at.available.saturating_add(1), ..at };
        self.container(Tag::SensitivePayload, 1, at, data)?;
        self.place(value, inner, None, data)
    }

    /// A segment of a name that refers to a text.
    pub(crate) fn segment<'d>(
        &mut self,
        index: u64,
        at: &At,
        data: &'d [u8],
    ) -> Result<&'d [u8], PcoreError> {
        self.facts.depends_on_dialect |= self.facts.inner_differs;
        let slot = usize::try_from(index).ok().and_then(|index| self.inner.get(index));
        let slot = slot.ok_or_else(|| self.missing(Table::Inner, index, at))?;
        match slot.tag() {
            Tag::Str => Ok(text_of(*slot, data)),
            _ => Err(PcoreErrorKind::Segment { index }.at(at.span.start)),
        }
    }

    /// An object, by the name of its type.
    pub(crate) fn object(&mut self, name: &[u8], count: u64, at: At, data: &[u8]) -> Result<(), PcoreError> {
        let fault = |fault| PcoreErrorKind::TypeName { fault }.at(at.span.start);
        let name = str::from_utf8(name).map_err(|_| fault("it is not UTF-8"))?;
        let is_segment = |segment: &str| {
            let mut letters = segment.chars();
            letters.next().is_some_and(|first| first.is_alphabetic() || first == '_')
                && letters.all(|letter| letter.is_alphanumeric() || letter == '_')
        };
        if name.is_empty() {
            return Err(fault("it has no segments"));
        }
        if !name.split("::").all(is_segment) {
            return Err(fault("its segments are not words"));
        }
        let count = u32::try_from(count).map_err(|_| {
            let available = at.available;
            PcoreErrorKind::Count { declared: count, available }.at(at.span.start)
        })?;
        let number = match self.name_numbers.get(name) {
            Some(&number) => number,
            None => {
                self.name_bytes += name.len();
                if self.name_bytes > self.name_limit {
                    let limit = self.name_limit as u64;
                    let what = "bytes of names of types";
                    return Err(PcoreErrorKind::Limit { what, limit }.at(at.span.start));
                }
                let number = place(self.parts.names.len());
                self.parts.names.push(name.into());
                self.name_numbers.insert(name.into(), number);
                number
            }
        };
        let header = ObjectHeader { name: number, count };
        let headers = &mut self.parts.headers;
        let number = *self.header_numbers.entry(header).or_insert_with(|| {
            headers.push(header);
            place(headers.len()) - 1
        });
        let entry = Entry::new(Tag::Object, number.into());
        self.remember(entry);
        self.place(entry, at, None, data)
    }

    /// A reference into the inner table: the token of that slot again.
    pub(crate) fn inner_reference(&mut self, index: u64, at: At, data: &[u8]) -> Result<(), PcoreError> {
        self.facts.depends_on_dialect |= self.facts.inner_differs;
        self.has_inner_references = true;
        let slot = usize::try_from(index).ok().and_then(|index| self.inner.get(index));
        let entry = *slot.ok_or_else(|| self.missing(Table::Inner, index, &at))?;
        // A container of msgpack is one token, and the whole of it is in the slot.
        if entry.tag() == Tag::Reference {
            return self.again(entry.low_bits(), at, (Table::Inner, index), data);
        }
        self.place(entry, at, Some((Table::Inner, index)), data)
    }

    /// A reference into the outer table.
    pub(crate) fn reference(&mut self, index: u64, at: At, data: &[u8]) -> Result<(), PcoreError> {
        self.facts.depends_on_dialect |= self.facts.outer_differs;
        let slot = usize::try_from(index).ok().and_then(|index| self.outer.get(index));
        let target = *slot.ok_or_else(|| self.missing(Table::Outer, index, &at))?;
        let is_in_key = self.frames.last().is_some_and(|frame| frame.is_in_key || frame.expects_key());
        if is_in_key && self.frames.iter().any(|frame| frame.at == target) {
            return Err(PcoreErrorKind::KeyCycle.at(at.span.start));
        }
        self.parts.shared.insert(target);
        let entry = Entry::new(Tag::Reference, target.into());
        self.place(entry, at, Some((Table::Outer, index)), data)
    }

    /// A container of msgpack again, which takes another slot of the outer table.
    fn again(&mut self, target: u32, at: At, reference: (Table, u64), data: &[u8]) -> Result<(), PcoreError> {
        self.parts.shared.insert(target);
        self.outer.push(target);
        self.place(Entry::new(Tag::Reference, target.into()), at, Some(reference), data)
    }

    fn missing(&self, table: Table, index: u64, at: &At) -> PcoreError {
        let slots = match table {
            Table::Inner => self.inner.len(),
            Table::Outer => self.outer.len(),
        };
        PcoreErrorKind::Reference { table, index, slots: slots as u64 }.at(at.span.start)
    }

    /// Appends a value, and closes the containers that it completes.
    #[inline]
    fn place(
        &mut self,
        entry: Entry,
        at: At,
        reference: Option<(Table, u64)>,
        data: &[u8],
    ) -> Result<(), PcoreError> {
        let here = place(self.parts.tape.len());
        let tag = entry.tag();
        let children = self.children(entry);
        if tag >= Tag::Array && tag != Tag::Reference {
            self.check(children, &at)?;
        }
        let is_key = match self.frames.last() {
            None => {
                self.parts.values.push(here);
                false
            }
            Some(frame) => frame.expects_key(),
        };
        if is_key && children == 0 {
            self.keys.push(here);
        }
        let takes_slot = self.plain == 0 && self.takes_outer_slot(entry);
        if self.is_observed {
            self.observer.token(
                Observed {
                    span: at.span.clone(),
                    level: self.frames.len(),
                    entry,
                    inner: at.first_inner..self.inner.len() as u64,
                    outer: takes_slot.then_some(self.outer.len() as u64),
                    reference,
                },
                &self.parts,
                data,
            );
        }
        if takes_slot {
            self.outer.push(here);
        }
        self.parts.tape.push(entry);
        if matches!(tag, Tag::Map | Tag::PlainMap) && children == 0 {
            self.parts.tape[here as usize] = entry.with_keys(true, false);
        }
        if children > 0 {
            let is_in_key = self.frames.last().is_some_and(|frame| frame.is_in_key || frame.expects_key());
            let first_key = self.keys.len();
            self.owed += children;
            self.plain += usize::from(is_plain(tag));
            self.frames.push(Frame { at: here, tag, left: children, first_key, is_in_key });
            return Ok(());
        }
        self.close_plain(tag, here);
        self.complete(here, &at, data)
    }

    fn children(&self, entry: Entry) -> u64 {
        match entry.tag() {
            Tag::Array | Tag::PlainArray => entry.count(),
            Tag::Map | Tag::PlainMap => entry.count() * 2,
            Tag::Object => self.parts.headers[entry.index()].count.into(),
            Tag::TypedObject => entry.number().saturating_add(1),
            Tag::Sensitive | Tag::SensitivePayload => 1,
            _ => 0,
        }
    }

    /// Whether a container with this number of values may begin.
    fn check(&self, children: u64, at: &At) -> Result<(), PcoreError> {
        if self.frames.len() >= limits::DEPTH {
            let limit = limits::DEPTH as u64;
            return Err(PcoreErrorKind::Limit { what: "levels of nesting", limit }.at(at.span.start));
        }
        // Each value takes at least a byte. Open containers, and this one, have begun already.
        let begun = self.frames.len() as u64;
        let owed = self.owed.saturating_add(children).saturating_sub(begun);
        match owed > at.available {
            true => {
                let declared = owed;
                Err(PcoreErrorKind::Count { declared, available: at.available }.at(at.span.start))
            }
            false => Ok(()),
        }
    }

    fn takes_outer_slot(&self, entry: Entry) -> bool {
        match entry.tag() {
            Tag::Array | Tag::Map | Tag::Object | Tag::SensitivePayload => true,
            Tag::Sensitive => self.dialect.counts_sensitive(),
            Tag::Default => false,
            _ => entry.code().is_some(),
        }
    }

    /// The outermost container of msgpack takes its slots when it is complete.
    fn close_plain(&mut self, tag: Tag, at: u32) {
        if is_plain(tag) && self.plain == 0 {
            self.inner.push(Entry::new(Tag::Reference, at.into()));
            self.outer.push(at);
        }
    }

    /// A value is complete, and so are perhaps the containers around it.
    fn complete(&mut self, mut value: u32, at: &At, data: &[u8]) -> Result<(), PcoreError> {
        while let Some(frame) = self.frames.last_mut() {
            if frame.tag == Tag::TypedObject && frame.left == self.parts.tape_count(frame.at) {
                // The type is complete. Only now the object takes its slot.
                let owner = frame.at;
                self.check_type(value, at)?;
                self.outer.push(owner);
            }
            let Some(frame) = self.frames.last_mut() else { break };
            frame.left -= 1;
            self.owed -= 1;
            if frame.left > 0 {
                break;
            }
            let (closed, tag, first_key) = (frame.at, frame.tag, frame.first_key);
            self.frames.pop();
            if matches!(tag, Tag::Map | Tag::PlainMap) {
                self.check_keys(closed, first_key, at, data)?;
            }
            self.plain -= usize::from(is_plain(tag));
            self.close_plain(tag, closed);
            if tag == Tag::SensitivePayload {
                self.inner.push(Entry::new(Tag::Reference, closed.into()));
            }
            value = closed;
        }
        Ok(())
    }

    fn check_type(&self, value: u32, at: &At) -> Result<(), PcoreError> {
        let mut entry = self.parts.tape[value as usize];
        if entry.tag() == Tag::Reference {
            entry = self.parts.tape[entry.low_bits() as usize];
        }
        let is_type = entry.tag() == Tag::Object && {
            let header = self.parts.headers[entry.index()];
            let name = &self.parts.names[header.name as usize];
            name.starts_with("Pcore::") && name.ends_with("Type")
        };
        if is_type { Ok(()) } else { Err(PcoreErrorKind::NotAType.at(at.span.start)) }
    }

    /// Fails if two scalar keys are equal. Keys that are containers are not compared.
    /// Also notes what kind of keys the hash has.
    fn check_keys(&mut self, hash: u32, first: usize, at: &At, data: &[u8]) -> Result<(), PcoreError> {
        let parts = &self.parts;
        let resolved = |&at: &u32| {
            let entry = parts.tape[at as usize];
            match entry.tag() {
                Tag::Reference => parts.tape[entry.low_bits() as usize],
                _ => entry,
            }
        };
        let keys = &mut self.keys[first..];
        let order = |a: &u32, b: &u32| {
            let (a, b) = (resolved(a), resolved(b));
            (a.tag() as u8).cmp(&(b.tag() as u8)).then_with(|| match a.tag() {
                tag if has_text(tag) => text_of(a, data).cmp(text_of(b, data)),
                Tag::Float => {
                    let value = |entry: Entry| parts.floats[entry.index()];
                    value(a).total_cmp(&value(b))
                }
                Tag::Wide => parts.wide[a.index()].cmp(&parts.wide[b.index()]),
                Tag::Timestamp | Tag::Timespan => {
                    let value = |entry: Entry| {
                        let time = parts.times[entry.index()];
                        (time.seconds, time.nanoseconds)
                    };
                    value(a).cmp(&value(b))
                }
                _ => a.number().cmp(&b.number()),
            })
        };
        let entry = parts.tape[hash as usize];
        let mut are_texts = keys.len() as u64 == entry.count();
        let mut has_reserved = false;
        for key in &*keys {
            let key = parts.tape[*key as usize];
            let text = Some(text_of(key, data)).filter(|_| key.tag() == Tag::Str);
            let text = text.filter(|text| text.len() <= KEY_BYTES && str::from_utf8(text).is_ok());
            are_texts &= text.is_some();
            has_reserved |= text.is_some_and(|text| is_reserved(text, entry.count()));
        }
        let entry = entry.with_keys(are_texts, has_reserved);
        let is_scalar = |key: &u32| (resolved(key).tag()) < Tag::Array;
        keys.sort_unstable_by(order);
        let mut pairs = keys.windows(2);
        let twice = pairs.any(|pair| is_scalar(&pair[0]) && order(&pair[0], &pair[1]).is_eq());
        self.keys.truncate(first);
        self.parts.tape[hash as usize] = entry;
        if twice { Err(PcoreErrorKind::DuplicateKey.at(at.span.start)) } else { Ok(()) }
    }

    /// The parts of a stream that has ended at `end`.
    pub(crate) fn finish(mut self, end: usize, data: &[u8]) -> Result<(Parts, Facts), PcoreError> {
        if !self.frames.is_empty() {
            // Open containers have begun, and only the outermost is in no other.
            let missing = (self.owed + 1).saturating_sub(self.frames.len() as u64);
            return Err(PcoreErrorKind::End { missing }.at(end));
        }
        if self.parts.values.is_empty() {
            return Err(PcoreErrorKind::Empty.at(end));
        }
        self.parts.is_plain = !self.has_extensions
            && self.parts.values.iter().any(|&at| is_plain(self.parts.tape[at as usize].tag()));
        self.parts.is_tabulated = self.has_inner_references || !has_equal_texts(&self.inner, data);
        if self.parts.tape.capacity() > self.parts.tape.len() / 8 * 9 {
            self.parts.tape.shrink_to_fit();
        }
        Ok((self.parts, self.facts))
    }
}

impl Parts {
    /// The number of values of an object with its type, which follows.
    fn tape_count(&self, at: u32) -> u64 {
        self.tape[at as usize].number().saturating_add(1)
    }
}

fn is_plain(tag: Tag) -> bool {
    matches!(tag, Tag::PlainArray | Tag::PlainMap)
}

/// Whether two slots have the same text. Then the writer did not make references.
fn has_equal_texts(inner: &[Entry], data: &[u8]) -> bool {
    let mut texts: Vec<&[u8]> =
        inner.iter().filter(|entry| entry.tag() == Tag::Str).map(|entry| text_of(*entry, data)).collect();
    texts.sort_unstable();
    texts.windows(2).any(|pair| pair[0] == pair[1])
}
