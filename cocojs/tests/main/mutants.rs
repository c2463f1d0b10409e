//! Mutated programs: each is refused with a place, or becomes a package that verifies. None panics.

use cocojs::{Options, Target, build};
use coconut_codec::event::ValueSink;
use coconut_format::verify::{Severity, verify_as_package};
use std::fs;
use std::path::Path;

/// A reproducible sequence of numbers.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % end.max(1)
    }
}

/// Words, blanks, and other characters one by one.
fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_word = |character: char| character.is_alphanumeric() || character == '_';
        let end = match is_word(first) {
            true => rest.find(|character| !is_word(character)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        let (word, after) = rest.split_at(end);
        words.push(word);
        rest = after;
    }
    words
}

const ODD: [&str; 24] = [
    "?.",
    "??",
    "...",
    "#x",
    "@d ",
    "=>",
    "async ",
    "await ",
    "yield ",
    "class ",
    "enum ",
    "{",
    "}",
    "(",
    ")",
    "`",
    "${",
    "super",
    "this",
    "new ",
    "static ",
    "export default ",
    "\u{2028}",
    "𝄞",
];

fn mutated(numbers: &mut Numbers, sources: &[String]) -> String {
    let mut text = words(&sources[numbers.below(sources.len())]);
    let other = words(&sources[numbers.below(sources.len())]);
    // A part of the program, so that errors are close to each other.
    let start = numbers.below(text.len());
    text = text[start..text.len().min(start + 400)].to_vec();
    for _ in 0..=numbers.below(5) {
        let at = numbers.below(text.len());
        match numbers.below(5) {
            0 => drop(text.drain(at..text.len().min(at + 3))),
            1 => text.insert(at, other[numbers.below(other.len())]),
            2 => text.insert(at, ODD[numbers.below(ODD.len())]),
            3 => {
                let to = numbers.below(text.len());
                text.swap(at, to);
            }
            _ => {
                let copy = text[at..text.len().min(at + 20)].to_vec();
                text.splice(at..at, copy);
            }
        }
    }
    text.concat()
}

#[test]
fn mutated_programs_are_refused_with_a_place_or_verify() {
    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let mut paths: Vec<_> = fs::read_dir(programs).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let is_program = |path: &&std::path::PathBuf| path.extension().is_some_and(|ending| ending == "ts");
    let sources: Vec<String> =
        paths.iter().filter(is_program).map(|path| fs::read_to_string(path).unwrap()).collect();
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("Coconut.yaml"), "name: mutant\n").unwrap();
    let mut numbers = Numbers(1);
    let count = if std::env::var_os("COCONUT_DEEP").is_some() { 20_000 } else { 500 };
    for _ in 0..count {
        let text = mutated(&mut numbers, &sources);
        fs::write(folder.path().join("index.ts"), &text).unwrap();
        for target in [Target::Current, Target::Lumi2017] {
            let mut sink = ValueSink::new();
            let options = Options { target, ..Options::default() };
            match build(folder.path(), &options, &mut sink) {
                Err(faults) => {
                    assert!(faults.iter().all(|fault| fault.position.is_some()), "{faults:?}\n{text}");
                }
                Ok(()) if target == Target::Current => {
                    let mut findings = verify_as_package(sink.finish().unwrap(), &[]);
                    findings.retain(|finding| finding.severity() == Severity::Error);
                    assert!(findings.is_empty(), "{findings:?}\n{text}");
                }
                Ok(()) => {}
            }
        }
    }
}
