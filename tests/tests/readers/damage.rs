//! Damaged files: each reader refuses them at the same levels as this implementation, with the same
//! kind at the same offset (§10). Half of them have matching checksums again, to reach the checks
//! after these.

use super::files::{Folder, tunings};
use super::{GO, JAVASCRIPT, PYTHON, Reader};
use coconut_codec::compile::{CompileOptions, LandmarkChoice, compile_tuned};
use coconut_codec::event::ValueSink;
use coconut_codec::read::file::DocumentFile;
use coconut_codec::text::{EnvelopedError, EnvelopedSource};
use coconut_format::DecodeError;
use coconut_format::envelope::{Encoding, EnvelopeView};
use coconut_format::landmark::LandmarkRule;
use coconut_tests::checksums::{TRAILER, repair};
use coconut_tests::generate::{RANDOM_RULE, Random, random_document};
use coconut_tests::vectors::vectors;
use std::str::FromStr;

/// The number of damaged files for each reader; `COCONUT_DAMAGED` sets another number, and
/// `COCONUT_DAMAGED_SEED` selects other files.
const DAMAGED: usize = 4_000;

/// Bytes with a meaning in msgpack, in an envelope or in a table.
const TELLING: [u8; 44] = [
    0x00, 0x01, 0x02, 0x05, 0x07, 0x08, 0x09, 0x0a, 0x0d, 0x1a, 0x20, 0x22, 0x2b, 0x2f, 0x3b, 0x3d, 0x41,
    0x5c, 0x7f, 0x80, 0x81, 0x90, 0x91, 0x92, 0xa0, 0xa1, 0xc0, 0xc1, 0xc2, 0xc3, 0xc4, 0xc7, 0xca, 0xcb,
    0xcc, 0xcf, 0xd0, 0xd3, 0xd4, 0xd9, 0xdc, 0xde, 0xe0, 0xff,
];

#[test]
fn the_python_reader_refuses_damaged_files_as_this_implementation_does() {
    assert_refuses_the_same(&PYTHON);
}

#[test]
fn the_javascript_reader_refuses_damaged_files_as_this_implementation_does() {
    assert_refuses_the_same(&JAVASCRIPT);
}

#[test]
fn the_go_reader_refuses_damaged_files_as_this_implementation_does() {
    assert_refuses_the_same(&GO);
}

fn assert_refuses_the_same(reader: &Reader) {
    let program = reader.program;
    let folder = Folder::new(&format!("damage-{program}"));
    let damaged = damaged_files();
    for (number, (_, bytes)) in damaged.iter().enumerate() {
        folder.write(&format!("{number:06}.coco"), bytes);
    }
    let Some(output) = (reader.levels)(folder.path()) else { return };
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} ends with {}:\n{errors}", output.status);
    let text = String::from_utf8(output.stdout).expect("the scripts print ASCII");
    assert_eq!(text.lines().count(), damaged.len(), "lines of {program}:\n{errors}");
    let mut faults = Vec::new();
    for ((name, bytes), line) in damaged.iter().zip(text.lines()) {
        let found: Vec<&str> = line.split('\t').skip(1).map(without_place_of_syntax).collect();
        let expected = levels(bytes);
        let is_free = |found: &str, expected: &str| {
            [found, expected].contains(&"SRC-JSON") && ![found, expected].contains(&"accepted")
        };
        let is_same = |(found, expected): (&&str, &String)| found == expected || is_free(found, expected);
        if !found.iter().zip(&expected).all(is_same) || found.len() != expected.len() {
            faults.push(format!("{name}: found {found:?}, expected {expected:?}"));
        }
    }
    assert!(faults.is_empty(), "{program} differs in {} files:\n{}", faults.len(), faults.join("\n"));
}

/// The results at the levels open, decode and verify.
pub(super) fn levels(bytes: &[u8]) -> [String; 3] {
    match EnvelopedSource::open(bytes) {
        Err(error) => return [(); 3].map(|()| said(&Err::<(), _>(error.clone()))),
        Ok(source) if source.envelope().encoding() == Encoding::Json => return levels_of_source(&source),
        Ok(_) => {}
    }
    match DocumentFile::from_data(bytes) {
        Err(error) => [(); 3].map(|()| said(&Err::<(), _>(error.clone()))),
        Ok(file) => {
            let view = file.view();
            ["accepted".to_owned(), said(&view.check_values()), said(&view.check_integrity())]
        }
    }
}

/// The place where a text stops being JSON can be reported in several ways, and before or after
/// another fault (§2.4).
fn without_place_of_syntax(said: &str) -> &str {
    if said.starts_with("SRC-JSON @ ") { "SRC-JSON" } else { said }
}

fn levels_of_source(source: &EnvelopedSource<'_>) -> [String; 3] {
    let decoded = source.read(ValueSink::new()).map(drop);
    let verified = decoded.clone().and_then(|()| Ok(source.check_digest().map(drop)?));
    let said = |result: Result<(), EnvelopedError>| match result {
        Ok(()) => "accepted".to_owned(),
        Err(error) => without_place_of_syntax(&format!("{} @ {}", error.code(), error.offset())).to_owned(),
    };
    ["accepted".to_owned(), said(decoded), said(verified)]
}

fn said<T>(result: &Result<T, DecodeError>) -> String {
    match result {
        Ok(_) => "accepted".to_owned(),
        Err(error) => format!("{} @ {}", error.kind().code(), error.offset()),
    }
}

/// Files with their names, the same in each run. One in eight is source text (§2.4).
fn damaged_files() -> Vec<(String, Vec<u8>)> {
    let wanted = wanted(DAMAGED);
    let (texts, files): (Vec<_>, Vec<_>) = whole_files().into_iter().partition(|(_, bytes)| is_source(bytes));
    let mut random = Random::new(number_of("COCONUT_DAMAGED_SEED").unwrap_or(7));
    let mut damaged = Vec::new();
    while damaged.len() < wanted {
        let is_text = random.below(8) == 0;
        let (name, bytes) = random.pick(if is_text { &texts } else { &files });
        let (what, changed) = damage(&mut random, bytes);
        damaged.push((format!("{}, {name}{what}", damaged.len()), changed));
    }
    damaged
}

/// The number of damaged files set by `COCONUT_DAMAGED`, otherwise `usual`.
pub(crate) fn wanted(usual: usize) -> usize {
    number_of("COCONUT_DAMAGED").unwrap_or(usual)
}

fn number_of<T: FromStr>(variable: &str) -> Option<T> {
    std::env::var(variable).ok()?.parse().ok()
}

fn is_source(bytes: &[u8]) -> bool {
    EnvelopeView::parse(bytes).is_ok_and(|view| view.encoding() == Encoding::Json)
}

/// The good vectors, and compiled generated documents.
fn whole_files() -> Vec<(String, Vec<u8>)> {
    let vectors = vectors("good").into_iter().filter(|vector| vector.bytes.len() < 20_000);
    let mut files: Vec<_> = vectors.map(|vector| (vector.name, vector.bytes)).collect();
    let (patterns, join, edges) = RANDOM_RULE;
    let rule = LandmarkRule::parse(patterns, Some(join), edges).expect("the rule is well formed");
    for seed in 0..12 {
        let text = random_document(seed, 3);
        for (name, tuning) in tunings() {
            let landmarks = LandmarkChoice::Rule(rule.clone());
            let options = CompileOptions { landmarks, ..CompileOptions::default() };
            let bytes = compile_tuned(text.as_bytes(), &options, tuning).expect("a generated text compiles");
            files.push((format!("random {seed}, {name}"), bytes));
        }
    }
    files
}

/// One to three changes, which the text describes.
pub(crate) fn damage(random: &mut Random, bytes: &[u8]) -> (String, Vec<u8>) {
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
