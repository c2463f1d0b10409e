//! The bad inputs of `tests/cases/bad-inputs.tsv`: what is done to which bytes, and what every reader must say.
//!
//! A row is `name`, `recipe`, `expected`. A recipe is a list of words, applied from the left:
//!
//! | word | makes |
//! |---|---|
//! | `vector:NAME` | the bytes of a good vector |
//! | `text:TEXT` | a text, with `\n`, `\r`, `\t`, `\\`, `\s` for a blank and `\xHH` |
//! | `repeat:N` | all so far, N times |
//! | `append:TEXT`, `prepend:TEXT` | so far with a text behind or before |
//! | `cut:N` | the first N bytes; the last −N fall away with a negative N |
//! | `crlf`, `lf`, `seven-bit` | a text conversion: LF to CR LF, CR LF to LF, no high bits |
//! | `zero:N` | the first N bytes zero; 0 for all |
//! | `flip:N` | the lowest bit of byte N changed; from the end with a negative N |
//! | `repair` | all checksums anew |
//! | `json`, `yaml` | last: the bytes are a source text |
//!
//! Expected is `CODE @ OFFSET` of a compiled file, as the full check reports it; `CODE @ LINE:COLUMN` of a source; or
//! `accepted`.

use coconut_codec::dag::Builder;
use coconut_codec::file::DocumentFile;
use coconut_codec::source::{SourceError, SourceErrorKind, json, yaml};
use coconut_format::ErrorKind;
use coconut_tests::checksums::repair;
use coconut_tests::vectors::vectors;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Codes that no short input has, and the test elsewhere that has them.
const ELSEWHERE: [(&str, &str); 3] = [
    ("LIM-BYTES", "limits.rs: repeated_strings_count_against_the_budget_of_bytes"),
    ("SRC-YAML-AHEAD", "yaml/fed/tests.rs of the codec: has_a_limit_where_a_key_may_stand"),
    ("SRC-OUTPUT", "bad_inputs.rs: a_receiver_that_cannot_write_is_named"),
];

struct Case {
    name: String,
    recipe: String,
    expected: String,
}

fn cases() -> Vec<Case> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases/bad-inputs.tsv");
    let text = fs::read_to_string(path).expect("the cases are in the repository");
    let rows = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).skip(1);
    rows.map(|row| {
        let cells: Vec<&str> = row.split('\t').collect();
        let &[name, recipe, expected] = &cells[..] else { panic!("three cells: {row}") };
        Case { name: name.to_owned(), recipe: recipe.to_owned(), expected: expected.to_owned() }
    })
    .collect()
}

/// A text of a recipe, unescaped.
fn unescaped(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        let (&escape, after) = rest.split_first().expect("a backslash has a letter behind it");
        rest = after;
        match escape {
            b'n' => out.push(b'\n'),
            b'r' => out.push(b'\r'),
            b't' => out.push(b'\t'),
            b's' => out.push(b' '),
            b'x' => {
                let (digits, after) = rest.split_at(2);
                rest = after;
                let digits = std::str::from_utf8(digits).expect("two digits");
                out.push(u8::from_str_radix(digits, 16).expect("two digits"));
            }
            other => out.push(other),
        }
    }
    out
}

/// The index of byte `at`, counted from the end when it is negative.
fn place(at: &str, length: usize) -> usize {
    let at: isize = at.parse().expect("a number");
    if at < 0 { length.checked_add_signed(at).expect("within the bytes") } else { at.unsigned_abs() }
}

enum Reader {
    Compiled,
    Json,
    Yaml,
}

/// What a recipe makes, and who reads it.
fn prepared(recipe: &str) -> (Vec<u8>, Reader) {
    let mut bytes = Vec::new();
    let mut reader = Reader::Compiled;
    for word in recipe.split(' ') {
        let (verb, rest) = word.split_once(':').unwrap_or((word, ""));
        match verb {
            "vector" => {
                let all = vectors("good");
                bytes = all.into_iter().find(|vector| vector.name == rest).expect("a good vector").bytes;
            }
            "text" => bytes = unescaped(rest),
            "repeat" => bytes = bytes.repeat(rest.parse().expect("a number")),
            "append" => bytes.extend(unescaped(rest)),
            "prepend" => bytes = [unescaped(rest), bytes].concat(),
            "cut" => bytes.truncate(place(rest, bytes.len())),
            "crlf" => {
                bytes = bytes
                    .iter()
                    .flat_map(|&byte| if byte == b'\n' { vec![b'\r', byte] } else { vec![byte] })
                    .collect();
            }
            "lf" => {
                let before_lf = |at: usize| bytes.get(at..at + 2) == Some(b"\r\n");
                bytes = (0..bytes.len()).filter(|&at| !before_lf(at)).map(|at| bytes[at]).collect();
            }
            "seven-bit" => bytes.iter_mut().for_each(|byte| *byte &= 0x7f),
            "zero" => {
                let count = place(rest, bytes.len());
                let count = if count == 0 { bytes.len() } else { count };
                bytes[..count].fill(0);
            }
            "flip" => {
                let at = place(rest, bytes.len());
                bytes[at] ^= 1;
            }
            "repair" => repair(&mut bytes),
            "json" => reader = Reader::Json,
            "yaml" => reader = Reader::Yaml,
            _ => panic!("no such word: {word}"),
        }
    }
    (bytes, reader)
}

/// What the reader says of the bytes.
fn said(bytes: &[u8], reader: &Reader) -> String {
    let of_source = |result: Result<(), SourceError>| match result {
        Ok(()) => "accepted".to_owned(),
        Err(error) => format!("{} @ {}:{}", error.code(), error.at().line, error.at().column),
    };
    match reader {
        Reader::Json => {
            of_source(json::read(bytes, &mut Builder::new(), &json::JsonOptions::default()).map(drop))
        }
        Reader::Yaml => {
            of_source(yaml::read(bytes, &mut Builder::new(), &yaml::YamlOptions::default()).map(drop))
        }
        Reader::Compiled => {
            match DocumentFile::from_data(bytes).and_then(|file| file.view().check_integrity().map(drop)) {
                Ok(()) => "accepted".to_owned(),
                Err(error) => format!("{} @ {}", error.kind().code(), error.offset()),
            }
        }
    }
}

#[test]
fn every_bad_input_is_called_what_it_is() {
    let mut faults = Vec::new();
    for Case { name, recipe, expected } in cases() {
        let (bytes, reader) = prepared(&recipe);
        let found = said(&bytes, &reader);
        if found != expected {
            faults.push(format!("{name}: expected {expected}, found {found}"));
        }
    }
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn names_of_cases_are_distinct() {
    let names: Vec<String> = cases().into_iter().map(|case| case.name).collect();
    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
}

#[test]
fn every_code_of_the_reader_and_of_sources_has_a_case() {
    let mut shown: BTreeSet<String> = BTreeSet::new();
    let code_of = |said: &str| said.split(" @ ").next().unwrap_or_default().to_owned();
    shown.extend(cases().iter().map(|case| code_of(&case.expected)));
    for vector in vectors("bad") {
        for level in ["open", "decode", "verify", "get"] {
            shown.extend(vector.all(level).map(|(_, said)| code_of(said)));
        }
    }
    let codes = ErrorKind::CODES.iter().chain(SourceErrorKind::CODES);
    let missing: Vec<_> = codes
        .filter(|&&code| !shown.contains(code) && ELSEWHERE.iter().all(|(other, _)| *other != code))
        .collect();
    assert!(missing.is_empty(), "no case shows {missing:?}");
    let shown_here: Vec<_> = ELSEWHERE.iter().filter(|(code, _)| shown.contains(*code)).collect();
    assert!(shown_here.is_empty(), "these have cases and need no exception: {shown_here:?}");
}

#[test]
fn a_receiver_that_cannot_write_is_named() {
    struct Full;
    impl std::io::Write for Full {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::StorageFull.into())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut printer = json::Printer::new(Full, json::JsonStyle::Minified);
    // More than a printer collects before it writes.
    let text = format!("[{}1]", "\"text\",".repeat(40_000));
    let error = json::read(text.as_bytes(), &mut printer, &json::JsonOptions::default())
        .expect_err("nowhere to write");
    assert_eq!(error.code(), "SRC-OUTPUT");
}
