//! The bad inputs of `tests/cases/bad-inputs.tsv`, described in [`coconut_tests::bad_inputs`],
//! through the library. `tools.rs` tests them through the tools.

use coconut_codec::compile::{CompileOptions, compile};
use coconut_codec::loader::{Loaded, Loader};
use coconut_codec::read::file::DocumentFile;
use coconut_codec::text::{SourceError, SourceErrorKind, json, yaml};
use coconut_codec::write::interner::Interner;
use coconut_format::ErrorKind;
use coconut_tests::bad_inputs::{Case, Reader, SOURCE, cases, prepared};
use coconut_tests::vectors::vectors;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Codes that no short input produces, each with the test that produces it.
const ELSEWHERE: [(&str, &str); 3] = [
    ("SRC-YAML-AHEAD", "codec/src/text/yaml/patched_input/tests.rs: has_a_limit_where_a_key_is_allowed"),
    ("SRC-OUTPUT", "tests/tests/bad_inputs.rs: a_receiver_that_cannot_write_is_named"),
    ("LIM-WORK", "tests/tests/limits.rs: a_rule_that_makes_something_new_of_all_it_meets_is_refused"),
];

/// The verdict of the reader on the bytes.
fn said(bytes: &[u8], reader: &Reader) -> String {
    let of_source = |result: Result<(), SourceError>| match result {
        Ok(()) => "accepted".to_owned(),
        Err(error) => format!("{} @ {}:{}", error.code(), error.at().line, error.at().column),
    };
    match reader {
        Reader::Json => {
            of_source(json::read(bytes, &mut Interner::new(), &json::JsonOptions::default()).map(drop))
        }
        Reader::Yaml => {
            of_source(yaml::read(bytes, &mut Interner::new(), &yaml::YamlOptions::default()).map(drop))
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
fn every_bad_input_is_reported_by_its_name() {
    let mut faults = Vec::new();
    for Case { name, recipe, expected, .. } in cases() {
        let (bytes, reader) = prepared(&recipe);
        let found = said(&bytes, &reader);
        if found != expected {
            faults.push(format!("{name}: expected {expected}, found {found}"));
        }
    }
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

/// A bad compiled form is refused, and the good source next to it is used. A compiled form of
/// another source is not used instead of a source.
#[test]
fn a_loader_gives_the_value_of_the_source_or_its_error_with_a_reason() {
    let digest = |loaded: &Loaded| loaded.document.view().check_integrity().expect("it is whole").digest;
    let compiled =
        |source: &str| compile(source.as_bytes(), &CompileOptions::default()).expect("it is good").bytes;
    let good = DocumentFile::from_data(compiled(SOURCE)).expect("it is good").header().digest;
    let mut faults = Vec::new();
    for case in cases() {
        let (bytes, reader) = prepared(&case.recipe);
        let folder = tempfile::tempdir().expect("a folder can be made");
        let write = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("it is in a folder")).expect("a folder can be made");
            fs::write(&path, bytes).expect("a file can be written");
            path
        };
        let found = match reader {
            Reader::Compiled => {
                let source = write("p.json", SOURCE.as_bytes());
                write(".coconut/bin/p.coco", &bytes);
                let loaded = Loader::builder().build().load_file(&source).expect("the source is good");
                assert_eq!(digest(&loaded), good, "{}: the source says something else", case.name);
                let codes: Vec<_> = loaded.fallbacks.iter().map(|fallback| fallback.reason.code()).collect();
                assert_eq!(loaded.origin.name() == "source", !codes.is_empty(), "{}", case.name);
                if codes.is_empty() { "used".to_owned() } else { codes.join(" ") }
            }
            Reader::Json | Reader::Yaml => {
                let source = write(&format!("p.{}", reader.extension()), &bytes);
                // The name of the source without a final `.json`.
                let name = if reader.extension() == "json" { "p" } else { "p.yaml" };
                write(&format!(".coconut/bin/{name}.coco"), &compiled(SOURCE));
                let (found, fallbacks) = match Loader::builder().build().load_file(&source) {
                    Ok(loaded) => {
                        assert_ne!(digest(&loaded), good, "{}: it is not the other source", case.name);
                        ("used", loaded.fallbacks)
                    }
                    Err(error) => {
                        assert_eq!(error.kind.code(), case.code(), "{}", case.name);
                        ("refused", error.fallbacks)
                    }
                };
                let codes: Vec<_> = fallbacks.iter().map(|fallback| fallback.reason.code()).collect();
                assert_eq!(codes, ["LOAD-STALE"], "{}", case.name);
                found.to_owned()
            }
        };
        if found != case.load {
            faults.push(format!("{}\t{found}", case.name));
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
    shown.extend(cases().iter().map(|case| case.code().to_owned()));
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
    for (_, test) in ELSEWHERE {
        let (file, name) = test.split_once(": ").expect("a file and a test");
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(file);
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert!(text.contains(&format!("fn {name}()")), "{file} has no test {name}");
    }
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
    // More than a printer buffers before it writes.
    let text = format!("[{}1]", "\"text\",".repeat(40_000));
    let error = json::read(text.as_bytes(), &mut printer, &json::JsonOptions::default())
        .expect_err("nowhere to write");
    assert_eq!(error.code(), "SRC-OUTPUT");
}
