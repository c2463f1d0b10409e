//! A decoded stream: one entry of eight bytes for each value, in the order of the stream.
//!
//! ```text
//!  63          37 36          5 4   0
//! |  length (27) |  place (32) | tag |   texts and bytes, in `Stream::data`
//! |        number or count (59)| tag |   everything else
//! ```
//!
//! The children of a container follow it. Shared values are on the tape once, and other
//! occurrences refer to the place of the first.

use crate::code::Code;
use crate::dialect::Dialect;
use crate::envelope::{Encoding, Envelope};
use coconut_format::Integer;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// An entry of the tape.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Entry(u64);

/// A kind of entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum Tag {
    Nil,
    False,
    True,
    /// A small integer.
    Integer,
    /// An index into `wide`.
    Wide,
    /// An index into `floats`.
    Float,
    /// The bits of a float of 32 bits.
    Float32,
    Str,
    /// A byte string of msgpack, without an extension.
    Bin,
    /// A text of an extension, by its code: see [`Entry::code`].
    Comment,
    Regexp,
    TypeReference,
    Symbol,
    Version,
    VersionRange,
    Uri,
    Binary,
    Base64,
    /// An index into `times`.
    Timestamp,
    Timespan,
    Default,
    Array,
    Map,
    /// Containers of msgpack itself.
    PlainArray,
    PlainMap,
    /// An index into `headers`.
    Object,
    /// The number of attributes. The type is the first child.
    TypedObject,
    Sensitive,
    /// A secret in the payload of 0x37.
    SensitivePayload,
    /// The place of a value on the tape.
    Reference,
}

const TAG_BITS: u32 = 5;
const PLACE_BITS: u32 = 32;
/// The bits of a count, below the two flags of a hash.
const COUNT: u64 = (1 << 56) - 1;
const TEXT_KEYS: u64 = 1 << 57;
const RESERVED_KEY: u64 = 1 << 58;

impl Entry {
    pub(crate) fn new(tag: Tag, number: u64) -> Entry {
        Entry((number << TAG_BITS) | u64::from(tag as u8))
    }

    pub(crate) fn bare(tag: Tag) -> Entry {
        Entry::new(tag, 0)
    }

    /// A stretch of the data. `None` if it is longer than the limit.
    pub(crate) fn text(tag: Tag, at: u32, length: usize) -> Option<Entry> {
        let length = u64::try_from(length).ok().filter(|&length| length <= crate::limits::TEXT_BYTES)?;
        Some(Entry::new(tag, (length << PLACE_BITS) | u64::from(at)))
    }

    /// An integer, if it fits.
    pub(crate) fn integer(value: Integer) -> Option<Entry> {
        let value = value.as_i64()?;
        let shifted = value << TAG_BITS;
        (shifted >> TAG_BITS == value).then(|| Entry(shifted.cast_unsigned() | u64::from(Tag::Integer as u8)))
    }

    pub(crate) fn tag(self) -> Tag {
        const TAGS: [Tag; 30] = [
            Tag::Nil,
            Tag::False,
            Tag::True,
            Tag::Integer,
            Tag::Wide,
            Tag::Float,
            Tag::Float32,
            Tag::Str,
            Tag::Bin,
            Tag::Comment,
            Tag::Regexp,
            Tag::TypeReference,
            Tag::Symbol,
            Tag::Version,
            Tag::VersionRange,
            Tag::Uri,
            Tag::Binary,
            Tag::Base64,
            Tag::Timestamp,
            Tag::Timespan,
            Tag::Default,
            Tag::Array,
            Tag::Map,
            Tag::PlainArray,
            Tag::PlainMap,
            Tag::Object,
            Tag::TypedObject,
            Tag::Sensitive,
            Tag::SensitivePayload,
            Tag::Reference,
        ];
        TAGS[(self.0 & ((1 << TAG_BITS) - 1)) as usize]
    }

    /// The number, count, index or place.
    pub(crate) fn number(self) -> u64 {
        self.0 >> TAG_BITS
    }

    /// The number of items or entries of a container.
    pub(crate) fn count(self) -> u64 {
        self.number() & COUNT
    }

    /// The same hash, with whether all of its keys are texts that can be keys of JSON, and whether
    /// one of them has a meaning in rich data.
    pub(crate) fn with_keys(self, are_texts: bool, has_reserved: bool) -> Entry {
        let flags = (u64::from(are_texts) * TEXT_KEYS) | (u64::from(has_reserved) * RESERVED_KEY);
        Entry::new(self.tag(), self.count() | flags)
    }

    /// Whether a hash can be an object of JSON. In rich data as msgpack, all keys have their
    /// meaning already.
    pub(crate) fn has_text_keys(self, is_plain: bool) -> bool {
        self.number() & TEXT_KEYS != 0 && (is_plain || self.number() & RESERVED_KEY == 0)
    }

    /// The number as an index.
    pub(crate) fn index(self) -> usize {
        usize::try_from(self.number()).unwrap_or(usize::MAX)
    }

    /// The place of a reference, or the bits of a float of 32 bits.
    pub(crate) fn low_bits(self) -> u32 {
        u32::try_from(self.number() & u64::from(u32::MAX)).unwrap_or_default()
    }

    /// The count as a number of things in memory.
    pub(crate) fn items(self) -> usize {
        usize::try_from(self.count()).unwrap_or(usize::MAX)
    }

    pub(crate) fn small_integer(self) -> i64 {
        self.0.cast_signed() >> TAG_BITS
    }

    /// The code of the extension of a scalar. `None` for values without one, and for containers.
    pub(crate) fn code(self) -> Option<Code> {
        Some(match self.tag() {
            Tag::Comment => Code::Comment,
            Tag::Regexp => Code::Regexp,
            Tag::TypeReference => Code::TypeReference,
            Tag::Symbol => Code::Symbol,
            Tag::Version => Code::Version,
            Tag::VersionRange => Code::VersionRange,
            Tag::Uri => Code::Uri,
            Tag::Binary => Code::Binary,
            Tag::Base64 => Code::Base64,
            Tag::Timestamp => Code::Timestamp,
            Tag::Timespan => Code::Timespan,
            Tag::Default => Code::Default,
            _ => return None,
        })
    }
}

/// The tag of a scalar with a text in its payload.
pub(crate) fn text_tag(code: Code) -> Option<Tag> {
    Some(match code {
        Code::Comment => Tag::Comment,
        Code::Regexp => Tag::Regexp,
        Code::TypeReference => Tag::TypeReference,
        Code::Symbol => Tag::Symbol,
        Code::Version => Tag::Version,
        Code::VersionRange => Tag::VersionRange,
        Code::Uri => Tag::Uri,
        _ => return None,
    })
}

/// The bytes of a text in the data.
pub(crate) fn text_of(entry: Entry, data: &[u8]) -> &[u8] {
    let at = entry.low_bits() as usize;
    let length = usize::try_from(entry.number() >> PLACE_BITS).unwrap_or(usize::MAX);
    data.get(at..at.saturating_add(length)).unwrap_or_default()
}

/// Whether an entry has a text or bytes.
pub(crate) fn has_text(tag: Tag) -> bool {
    (Tag::Str..=Tag::Base64).contains(&tag)
}

/// A number of entries as a place. The limit of a stream keeps it in 32 bits.
pub(crate) fn place(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// The first part of an object: its type and the number of its attributes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ObjectHeader {
    /// An index into `names`.
    pub(crate) name: u32,
    pub(crate) count: u32,
}

/// A point in time or a duration, in seconds and nanoseconds, rounded down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Time {
    pub(crate) seconds: i64,
    /// Less than 10^9.
    pub(crate) nanoseconds: u32,
}

/// §24.4 A stream of Pcore, decoded.
///
/// Texts are borrowed from the bytes of a msgpack stream. Memory: 8 bytes for each value, and 8 for
/// each slot of the inner table while the stream is read. The syntax tree of a manifest takes about
/// 1.3 times the bytes of its stream.
pub struct Stream<'a> {
    pub(crate) dialect: Dialect,
    pub(crate) encoding: Encoding,
    pub(crate) envelope: Option<Envelope<'a>>,
    /// The bytes of all texts.
    pub(crate) data: Cow<'a, [u8]>,
    pub(crate) tape: Vec<Entry>,
    /// The places of the values that are not in others.
    pub(crate) values: Vec<u32>,
    pub(crate) wide: Vec<Integer>,
    pub(crate) floats: Vec<f64>,
    pub(crate) times: Vec<Time>,
    pub(crate) names: Vec<Box<str>>,
    pub(crate) headers: Vec<ObjectHeader>,
    /// The places of the values that references lead to.
    pub(crate) shared: BTreeSet<u32>,
    /// Whether repeated texts are references (§24.5).
    pub(crate) is_tabulated: bool,
    /// Whether the stream has no extensions: rich data as msgpack (§24.8).
    pub(crate) is_plain: bool,
}

impl Stream<'_> {
    /// The dialect in which it was read.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// The lower level.
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// The envelope, if there is one.
    pub fn envelope(&self) -> Option<&Envelope<'_>> {
        self.envelope.as_ref()
    }

    /// Whether it is rich data as msgpack, without extensions (§24.8).
    pub fn is_plain(&self) -> bool {
        self.is_plain
    }

    /// The number of values that are not in others.
    pub fn values(&self) -> usize {
        self.values.len()
    }

    /// The number of all values, references included.
    pub fn len(&self) -> usize {
        self.tape.len()
    }

    /// Whether there is no value.
    pub fn is_empty(&self) -> bool {
        self.tape.is_empty()
    }

    /// The number of values that references lead to.
    pub fn shared(&self) -> usize {
        self.shared.len()
    }

    /// The bytes in memory, except those of a borrowed stream.
    pub fn memory(&self) -> usize {
        let owned = if let Cow::Owned(data) = &self.data { data.capacity() } else { 0 };
        owned
            .saturating_add(self.tape.capacity().saturating_mul(size_of::<Entry>()))
            .saturating_add(self.values.capacity().saturating_mul(4))
            .saturating_add(self.wide.capacity().saturating_mul(size_of::<Integer>()))
            .saturating_add(self.floats.capacity().saturating_mul(8))
            .saturating_add(self.times.capacity().saturating_mul(size_of::<Time>()))
            .saturating_add(self.headers.capacity().saturating_mul(size_of::<ObjectHeader>()))
    }

    pub(crate) fn entry(&self, at: u32) -> Entry {
        self.tape[at as usize]
    }

    /// The bytes of a text.
    pub(crate) fn bytes(&self, entry: Entry) -> &[u8] {
        text_of(entry, &self.data)
    }

    pub(crate) fn header(&self, entry: Entry) -> (&str, u32) {
        let header = self.headers[entry.index()];
        (&self.names[header.name as usize], header.count)
    }

    /// The number of values on the tape that belong to an entry directly.
    pub(crate) fn children(&self, entry: Entry) -> u64 {
        match entry.tag() {
            Tag::Array | Tag::PlainArray => entry.count(),
            Tag::Map | Tag::PlainMap => entry.count() * 2,
            Tag::Object => self.header(entry).1.into(),
            Tag::TypedObject => entry.number().saturating_add(1),
            Tag::Sensitive | Tag::SensitivePayload => 1,
            _ => 0,
        }
    }

    /// The place after the value at `at`.
    pub(crate) fn end_of(&self, at: u32) -> u32 {
        let (mut next, mut left) = (at, 1_u64);
        while left > 0 {
            left = left - 1 + self.children(self.entry(next));
            next += 1;
        }
        next
    }

    /// The place of the value itself, if `at` is a reference to it.
    pub(crate) fn resolved(&self, at: u32) -> u32 {
        match self.entry(at).tag() {
            Tag::Reference => self.entry(at).low_bits(),
            _ => at,
        }
    }
}

impl std::fmt::Debug for Stream<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stream")
            .field("dialect", &self.dialect.name())
            .field("values", &self.values())
            .field("length", &self.len())
            .finish_non_exhaustive()
    }
}
