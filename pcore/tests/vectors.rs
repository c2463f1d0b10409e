//! The vectors of §24: streams byte by byte, with their documents or faults.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use coconut_codec::event::ValueSink;
use coconut_codec::text::json::{JsonStyle, Printer};
use coconut_format::Value;
use coconut_pcore::{Dialect, PcoreError, Stream, WriteOptions, list_tokens};
use std::collections::BTreeSet;

struct Vector {
    name: String,
    dialect: Option<Dialect>,
    bytes: Vec<u8>,
    result: String,
}

fn vectors() -> Vec<Vector> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../spec/vectors/pcore.tsv");
    let table = std::fs::read_to_string(path).unwrap();
    let rows = table.lines().skip(1).map(|line| {
        let [name, _section, dialect, stream, result] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("five columns: {line}");
        };
        let bytes = match stream.strip_prefix('"') {
            Some(text) => text.as_bytes().to_vec(),
            None => (0..stream.len() / 2)
                .map(|at| u8::from_str_radix(&stream[2 * at..2 * at + 2], 16).unwrap())
                .collect(),
        };
        let dialect = (dialect != "-").then(|| Dialect::named(dialect).expect(dialect));
        Vector { name: name.to_owned(), dialect, bytes, result: result.to_owned() }
    });
    rows.collect()
}

fn printed(stream: &Stream<'_>) -> String {
    let mut printer = Printer::new(Vec::new(), JsonStyle::Minified);
    stream.push(&mut printer).unwrap();
    String::from_utf8(printer.finish().unwrap()).unwrap()
}

fn value_of(stream: &Stream<'_>) -> Value {
    let mut sink = ValueSink::new();
    stream.push(&mut sink).unwrap();
    sink.finish().unwrap()
}

fn fault(error: &PcoreError) -> String {
    format!("{} @ {}", error.code(), error.offset())
}

#[test]
fn every_vector_has_its_document_or_its_fault() {
    let vectors = vectors();
    let mut wrong = Vec::new();
    for vector in &vectors {
        let found = match Stream::read(&vector.bytes, vector.dialect) {
            Ok(stream) => printed(&stream),
            Err(error) => fault(&error),
        };
        if found != vector.result {
            wrong.push(format!("{}: {found}\n    should be {}", vector.name, vector.result));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(vectors.len() > 85, "{}", vectors.len());
}

#[test]
fn documents_of_vectors_become_the_same_streams() {
    for Vector { name, dialect, bytes, .. } in &vectors() {
        let Ok(stream) = Stream::read(bytes, *dialect) else { continue };
        let document = value_of(&stream);
        let rich = Stream::from_rich(&document, stream.dialect()).unwrap();
        // Rich data as msgpack has no other form than rich data.
        if !stream.is_plain() {
            assert_eq!(value_of(&rich), document, "{name}");
        }
        let again = rich.to_bytes(&WriteOptions { encoding: stream.encoding(), ..WriteOptions::of(&rich) });
        let again = again.unwrap();
        let read = Stream::read(&again, Some(stream.dialect())).unwrap();
        assert_eq!(value_of(&read), value_of(&rich), "{name}");
    }
}

#[test]
fn every_cut_of_every_vector_is_refused_or_shorter() {
    for Vector { name, bytes, .. } in &vectors() {
        for end in 0..bytes.len().min(200) {
            for dialect in Dialect::ALL.map(Some).into_iter().chain([None]) {
                let Ok(stream) = Stream::read(&bytes[..end], dialect) else { continue };
                assert!(stream.len() <= end, "{name} cut to {end}");
                value_of(&stream);
            }
        }
    }
}

/// The tokens of a listing account for every byte of a stream of msgpack, up to the fault.
#[test]
fn listings_have_every_byte() {
    for Vector { name, dialect, bytes, .. } in &vectors() {
        let (mut end, mut places) = (0, BTreeSet::new());
        let fault = list_tokens(bytes, *dialect, &mut |token| {
            places.insert(token.value);
            if bytes.first() != Some(&b'[') && token.span.start != token.span.end {
                assert_eq!(token.span.start, end, "{name}");
                end = token.span.end;
            }
        });
        assert_eq!(places.last().copied().map_or(0, |last| last as usize + 1), places.len(), "{name}");
        if fault.is_none() && bytes.first() != Some(&b'[') {
            assert_eq!(end, bytes.len() as u64, "{name}");
        }
    }
}

#[test]
fn messages_name_the_fault_and_its_place() {
    let message = |bytes: &[u8], dialect| Stream::read(bytes, dialect).unwrap_err().to_string();
    assert_eq!(
        message(b"\xc7\x05\x10\xce\x7f\xff\xff\xff", None),
        "2147483647 values are to come, but only 0 bytes are left, at byte 0"
    );
    assert_eq!(
        message(b"\xd4\x10\x04\xd5\x33\x00\x05\xa1a\xa1b\xd4\x00\x01", None),
        "the stream is the text of value 3 again in ruby-5.4, and the text of value 2 again in java-0.1, at byte 11"
    );
}
