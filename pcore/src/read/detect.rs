//! §24.3 Which dialect a stream is of.

use super::builder::{Ignored, Observed, Observer, Parts};
use super::source::Source;
use crate::code::Code;
use crate::dialect::Dialect;
use crate::error::{PcoreError, PcoreErrorKind};
use crate::tape::{Entry, Stream, Tag, has_text, place};
use crate::write::WriteOptions;

/// Reads a stream in the dialect that it is of.
pub(super) fn read<'a>(source: &Source<'a>) -> Result<Stream<'a>, PcoreError> {
    let first = source.read(Dialect::Ruby54, &mut Ignored);
    let ruby = match first {
        Ok((stream, facts)) if !facts.depends_on_dialect => return Ok(stream),
        Ok((stream, _)) => Ok(stream),
        Err(error) => Err(error),
    };
    let java = source.read(Dialect::Java01, &mut Ignored).map(|(stream, _)| stream);
    match (ruby, java) {
        (Ok(ruby), Ok(java)) => decide(source, ruby, java),
        (Ok(stream), Err(_)) => Ok(stream),
        // Only 4.8 has a secret in the payload of 0x37. It has neither 0x14 nor 0x39, so its
        // streams cannot be mistaken for those of pcore-java.
        (Err(error), java) => match source.read(Dialect::Ruby48, &mut Ignored) {
            Ok((stream, _)) if java.is_err() => Ok(stream),
            _ => java.map_err(|_| error),
        },
    }
}

/// Decides between two readings: equal ones are one, and a writer would write its own stream as it
/// is.
fn decide<'a>(source: &Source<'a>, ruby: Stream<'a>, java: Stream<'a>) -> Result<Stream<'a>, PcoreError> {
    let Some(place) = first_difference(&ruby, &java) else { return Ok(ruby) };
    let stream = &source.file[source.start..];
    let is_regular = |read: &Stream<'_>| {
        let options = WriteOptions::of(read);
        read.to_bytes(&options).is_ok_and(|bytes| bytes == stream)
    };
    match (is_regular(&ruby), is_regular(&java)) {
        (true, false) => Ok(ruby),
        (false, true) => Ok(java),
        _ => {
            let described = |read: &Stream<'_>| describe(read, place);
            let readings = [(Dialect::Ruby54, described(&ruby)), (Dialect::Java01, described(&java))];
            let mut finder = Finder { place: place as usize, seen: 0, offset: 0 };
            source.read(Dialect::Ruby54, &mut finder)?;
            Err(PcoreErrorKind::Ambiguous { readings: Box::new(readings) }.at(finder.offset))
        }
    }
}

/// The place of the first value that two readings of the same tokens do not share.
fn first_difference(a: &Stream<'_>, b: &Stream<'_>) -> Option<u32> {
    let is_same = |(a_entry, b_entry): (&Entry, &Entry)| {
        a_entry.tag() == b_entry.tag()
            && match a_entry.tag() {
                tag if has_text(tag) => a.bytes(*a_entry) == b.bytes(*b_entry),
                Tag::Object => a.header(*a_entry) == b.header(*b_entry),
                Tag::Float => a.floats[a_entry.index()].to_bits() == b.floats[b_entry.index()].to_bits(),
                Tag::Wide => a.wide[a_entry.index()] == b.wide[b_entry.index()],
                Tag::Timestamp | Tag::Timespan => a.times[a_entry.index()] == b.times[b_entry.index()],
                _ => a_entry == b_entry,
            }
    };
    let differs = a.tape.iter().zip(&b.tape).position(|pair| !is_same(pair));
    let shorter = a.tape.len().min(b.tape.len());
    let length = (a.tape.len() != b.tape.len()).then_some(shorter.saturating_sub(1));
    differs.or(length).map(place)
}

/// Names a value without its content, which may be secret.
fn describe(stream: &Stream<'_>, place: u32) -> String {
    let entry = stream.entry(place);
    let text = |what: &str, entry: Entry| format!("{what} of {} bytes", stream.bytes(entry).len());
    match entry.tag() {
        Tag::Reference => {
            let target = stream.resolved(place);
            format!("value {target} again ({})", describe(stream, target))
        }
        Tag::Array | Tag::PlainArray => format!("an array of {} items", entry.count()),
        Tag::Map | Tag::PlainMap => format!("a hash of {} entries", entry.count()),
        Tag::Object => format!("an object of type {}", stream.header(entry).0),
        Tag::Str => match stream.tape.iter().position(|other| *other == entry) {
            Some(first) if first < place as usize => format!("the text of value {first} again"),
            _ => text("a text", entry),
        },
        tag if has_text(tag) => text(entry.code().map_or("bytes", Code::name), entry),
        _ => entry.code().map_or("another value", Code::name).to_owned(),
    }
}

/// Finds the offset of a value.
struct Finder {
    place: usize,
    seen: usize,
    offset: usize,
}

impl Observer for Finder {
    fn token(&mut self, token: Observed, _: &Parts, _: &[u8]) {
        if self.seen == self.place {
            self.offset = token.span.start;
        }
        self.seen += 1;
    }
}
