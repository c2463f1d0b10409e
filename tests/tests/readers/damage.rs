//! Damaged files: each reader refuses them at the same levels as this implementation, with the same kind at the same
//! offset (§10). Half of them have checksums that fit again, so that what lies behind these is reached.

use super::files::{Folder, layouts};
use super::{repository, run};
use coconut_codec::compile::{CompileOptions, LandmarkChoice, compile};
use coconut_codec::file::{DocumentFile, DocumentView};
use coconut_codec::source::ValueSink;
use coconut_codec::stream::{Budget, StreamError};
use coconut_format::DecodeError;
use coconut_format::envelope::{Encoding, EnvelopeView};
use coconut_format::landmark::LandmarkRule;
use coconut_tests::checksums::{TRAILER, repair};
use coconut_tests::generate::{RANDOM_RULE, Random, random_document};
use coconut_tests::vectors::vectors;
use std::path::Path;

/// How many damaged files each reader is given; `COCONUT_DAMAGED` asks for another number.
const DAMAGED: usize = 4_000;

/// Bytes that mean something in msgpack, in an envelope or in a table.
const TELLING: [u8; 44] = [
    0x00, 0x01, 0x02, 0x05, 0x07, 0x08, 0x09, 0x0a, 0x0d, 0x1a, 0x20, 0x22, 0x2b, 0x2f, 0x3b, 0x3d, 0x41,
    0x5c, 0x7f, 0x80, 0x81, 0x90, 0x91, 0x92, 0xa0, 0xa1, 0xc0, 0xc1, 0xc2, 0xc3, 0xc4, 0xc7, 0xca, 0xcb,
    0xcc, 0xcf, 0xd0, 0xd3, 0xd4, 0xd9, 0xdc, 0xde, 0xe0, 0xff,
];

#[test]
fn the_python_reader_refuses_damaged_files_as_this_implementation_does() {
    assert_refuses_the_same("python3", "levels.py", "python");
}

#[test]
fn the_javascript_reader_refuses_damaged_files_as_this_implementation_does() {
    assert_refuses_the_same("node", "levels.mjs", "js");
}

fn assert_refuses_the_same(program: &str, script: &str, reader: &str) {
    let folder = Folder::new(&format!("damage-{program}"));
    let damaged = damaged_files();
    for (number, (_, bytes)) in damaged.iter().enumerate() {
        folder.write(&format!("{number:06}.coco"), bytes);
    }
    let script = repository().join("tests/tests/readers").join(script);
    let reader = repository().join("spec/readers").join(reader);
    let arguments: [&Path; 3] = [&script, &reader, folder.path()];
    let Some(output) = run(program, &arguments) else { return };
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} ends with {}:\n{errors}", output.status);
    let text = String::from_utf8(output.stdout).expect("the scripts print ASCII");
    assert_eq!(text.lines().count(), damaged.len(), "lines of {program}:\n{errors}");
    let mut faults = Vec::new();
    for ((name, bytes), line) in damaged.iter().zip(text.lines()) {
        let found: Vec<&str> = line.split('\t').skip(1).collect();
        let expected = levels(bytes);
        // Nothing says whether equal keys of a shape are told before or after what else is wrong with it.
        let is_free = expected[1].starts_with("VAL-DUPKEY") && found[1] != "accepted";
        if found != expected && !is_free {
            faults.push(format!("{name}: found {found:?}, expected {expected:?}"));
        }
    }
    assert!(faults.is_empty(), "{program} differs in {} files:\n{}", faults.len(), faults.join("\n"));
}

/// What is said at the levels open, decode and verify.
fn levels(bytes: &[u8]) -> [String; 3] {
    match EnvelopeView::parse(bytes) {
        Err(error) => return [(); 3].map(|()| said(&Err::<(), _>(error.clone()))),
        Ok(envelope) => assert_eq!(envelope.encoding(), Encoding::Msgpack, "damage left source text out"),
    }
    match DocumentFile::from_data(bytes) {
        Err(error) => [(); 3].map(|()| said(&Err::<(), _>(error.clone()))),
        Ok(file) => {
            let view = file.view();
            ["accepted".to_owned(), said(&decode(view)), said(&view.check_integrity())]
        }
    }
}

fn decode(view: DocumentView<'_>) -> Result<(), DecodeError> {
    match view.stream(&mut ValueSink::new(), Budget::default()) {
        Ok(()) => Ok(()),
        Err(StreamError::Decode(error)) => Err(error),
        Err(error) => panic!("{error}"),
    }
}

fn said<T>(result: &Result<T, DecodeError>) -> String {
    match result {
        Ok(_) => "accepted".to_owned(),
        Err(error) => format!("{} @ {}", error.kind().code(), error.offset()),
    }
}

/// Files with their names, the same in each run. No source text: its errors are placed with some freedom (§2.4).
fn damaged_files() -> Vec<(String, Vec<u8>)> {
    let wanted = std::env::var("COCONUT_DAMAGED").ok().and_then(|text| text.parse().ok()).unwrap_or(DAMAGED);
    let whole = whole_files();
    let mut random = Random::new(7);
    let mut damaged = Vec::new();
    while damaged.len() < wanted {
        let (name, bytes) = random.pick(&whole);
        let (what, changed) = damage(&mut random, bytes);
        let is_text = EnvelopeView::parse(&changed).is_ok_and(|view| view.encoding() == Encoding::Json);
        if !is_text {
            damaged.push((format!("{}, {name}{what}", damaged.len()), changed));
        }
    }
    damaged
}

/// The good vectors, and files that the writer makes of generated documents.
fn whole_files() -> Vec<(String, Vec<u8>)> {
    let vectors = vectors("good").into_iter().filter(|vector| vector.bytes.len() < 20_000);
    let mut files: Vec<_> = vectors.map(|vector| (vector.name, vector.bytes)).collect();
    let (patterns, join, edges) = RANDOM_RULE;
    let rule = LandmarkRule::parse(patterns, Some(join), edges).expect("the rule is well formed");
    for seed in 0..12 {
        let text = random_document(seed, 3);
        for (name, layout) in layouts() {
            let landmarks = LandmarkChoice::Rule(rule.clone());
            let options = CompileOptions { layout, landmarks, ..CompileOptions::default() };
            let bytes = compile(text.as_bytes(), &options).expect("a generated text compiles").bytes;
            files.push((format!("random {seed}, {name}"), bytes));
        }
    }
    files
}

/// One to three changes, of which the text says what they are.
fn damage(random: &mut Random, bytes: &[u8]) -> (String, Vec<u8>) {
    let mut bytes = bytes.to_vec();
    let mut what = String::new();
    for _ in 0..*random.pick(&[1, 1, 1, 2, 3]) {
        let at = place(random, bytes.len());
        let byte = *random.pick(&TELLING);
        match random.below(12) {
            0 => bytes[at] ^= 1 << random.below(8),
            1 => bytes[at] = bytes[at].wrapping_add(1),
            2 => bytes[at] = bytes[at].wrapping_sub(1),
            3 => bytes.insert(at, byte),
            4 => drop(bytes.remove(at)),
            5 => {
                let until = (at + 1 + random.below(40)).min(bytes.len());
                bytes.drain(at..until);
            }
            6 => {
                let again: Vec<u8> = bytes[at..].iter().take(1 + random.below(12)).copied().collect();
                let to = place(random, bytes.len());
                bytes.splice(to..to, again);
            }
            7 if random.below(4) == 0 => bytes.truncate(at.max(1)),
            _ => bytes[at] = byte,
        }
        what.push_str(&format!(", changed at {at}"));
        if bytes.len() <= TRAILER {
            return (what, bytes);
        }
    }
    if random.below(4) > 0 {
        repair(&mut bytes);
        what.push_str(", with new checksums");
    }
    (what, bytes)
}

/// A place in a file: one in four in the envelope, one in six in directory and trailer.
fn place(random: &mut Random, length: usize) -> usize {
    match random.below(12) {
        0..3 => random.below(length.min(80)),
        3..5 => length - 1 - random.below(length.min(160)),
        _ => random.below(length),
    }
}
