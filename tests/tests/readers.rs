//! Files written by this implementation and read by the readers in other languages. They find the
//! same documents, landmarks and edges.
//!
//! Each reader runs once over all files. Without its interpreter or compiler the test is skipped.
//! The readers' own tests show that a reader with one wrong number of the format fails on its
//! vectors (`spec/readers/python/tests/test_vectors.py`, `spec/readers/js/test/vectors.test.js`,
//! `spec/readers/go/mutation_test.go`).

pub(crate) mod damage;
mod files;
mod size;

use coconut_codec::event::ValueSink;
use coconut_codec::read::file::{DocumentFile, DocumentView};
use coconut_codec::read::lookup::{EdgeView, LandmarkView};
use coconut_codec::read::stream::Budget;
use coconut_codec::text::json;
use coconut_format::{DecodeError, Value};
use files::{Files, Given};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A reader in another language, and the programs that call it.
struct Reader {
    /// The program that runs or compiles the reader.
    program: &'static str,
    /// Prints the results of lookups, for all files of a folder.
    found: fn(&Path) -> Option<Output>,
    /// Prints the levels at which files are refused, for all files of a folder.
    levels: fn(&Path) -> Option<Output>,
}

const PYTHON: Reader = Reader {
    program: "python3",
    found: |folder| run_script("python3", "dump.py", "python", folder),
    levels: |folder| run_script("python3", "levels.py", "python", folder),
};

const JAVASCRIPT: Reader = Reader {
    program: "node",
    found: |folder| run_script("node", "dump.mjs", "js", folder),
    levels: |folder| run_script("node", "levels.mjs", "js", folder),
};

const GO: Reader = Reader {
    program: "go",
    found: |folder| run_go("found", folder),
    levels: |folder| run_go("levels", folder),
};

/// Runs a program. Without it, the test is skipped.
fn run(program: &str, arguments: &[&Path]) -> Option<Output> {
    let output = Command::new(program).args(arguments).output().ok();
    if output.is_none() {
        coconut_tests::skip(program);
    }
    output
}

fn run_script(program: &str, script: &str, reader: &str, folder: &Path) -> Option<Output> {
    let script = repository().join("tests/tests/readers").join(script);
    let reader = repository().join("spec/readers").join(reader);
    run(program, &[&script, &reader, folder])
}

/// Runs the command of the Go reader, which is built once.
fn run_go(level: &str, folder: &Path) -> Option<Output> {
    static BUILT: OnceLock<Option<PathBuf>> = OnceLock::new();
    let built = BUILT.get_or_init(|| {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("coconut-go");
        let mut build = Command::new("go");
        build.arg("build").arg("-o").arg(&path).arg("./cmd/coconut-go");
        let output = build.current_dir(repository().join("spec/readers/go")).output().ok()?;
        assert!(output.status.success(), "go build:\n{}", String::from_utf8_lossy(&output.stderr));
        Some(path)
    });
    let Some(path) = built else {
        coconut_tests::skip("go");
        return None;
    };
    Some(Command::new(path).arg(level).arg(folder).output().expect("what was built runs"))
}

fn assert_finds_the_same(reader: &Reader) {
    let program = reader.program;
    let files = Files::write(program);
    let Some(output) = (reader.found)(files.folder()) else { return };
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} ends with {}:\n{errors}", output.status);
    let lines: Vec<&[u8]> =
        output.stdout.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).collect();
    assert_eq!(lines.len(), files.given().len(), "lines of {program}:\n{errors}");
    let mut faults = Vec::new();
    for (given, line) in files.given().iter().zip(lines) {
        let (found, expected) = (parsed(line), expected(given));
        if let Some(place) = first_difference(&found, &expected) {
            faults.push(format!("{}: {place}", given.name));
        }
    }
    assert!(faults.is_empty(), "{program} differs in {} files:\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn the_python_reader_reads_files_of_this_implementation() {
    assert_finds_the_same(&PYTHON);
}

#[test]
fn the_javascript_reader_reads_files_of_this_implementation() {
    assert_finds_the_same(&JAVASCRIPT);
}

#[test]
fn the_go_reader_reads_files_of_this_implementation() {
    assert_finds_the_same(&GO);
}

#[test]
fn the_vectors_are_those_of_their_script() {
    let script = repository().join("spec/vectors/make.py");
    let Some(output) = run("python3", &[&script, Path::new("--check")]) else { return };
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
}

fn parsed(text: &[u8]) -> Value {
    let mut sink = ValueSink::new();
    let lines =
        json::read(text, &mut sink, &json::JsonOptions { depth: 600, ..json::JsonOptions::default() });
    lines.unwrap_or_else(|error| panic!("{error} in {}", String::from_utf8_lossy(text)));
    sink.finish().expect("one document")
}

/// The expected output of a reader for a file.
fn expected(given: &Given) -> Value {
    let file = DocumentFile::from_data(&given.bytes[..]).expect("a written file opens");
    let view = file.view();
    let digest = view.check_integrity().expect("a written file is good").digest;
    let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    let landmarks = view.landmark_count().expect("a written file has good tables");
    let found = given.keys.iter().map(|key| Value::List(found(view, key).expect("lookups of a good file")));
    object([
        ("file", Value::String(given.stem.clone())),
        ("digest", Value::String(digest)),
        ("landmarks", number(landmarks)),
        ("found", Value::List(found.collect())),
    ])
}

fn found(view: DocumentView<'_>, key: &str) -> Result<Vec<Value>, DecodeError> {
    view.get_all(key)?.into_iter().map(landmark).collect()
}

fn landmark(landmark: LandmarkView<'_>) -> Result<Value, DecodeError> {
    let ordinal = |landmark: LandmarkView<'_>| landmark.ordinal().map(number);
    let edge =
        |edge: EdgeView<'_>| Ok(Value::List(vec![ordinal(edge.landmark)?, number(edge.number.into())]));
    let edges =
        |edges: Vec<EdgeView<'_>>| edges.into_iter().map(edge).collect::<Result<_, _>>().map(Value::List);
    let children = landmark.children()?.into_iter().map(ordinal).collect::<Result<_, _>>()?;
    let mut sink = ValueSink::new();
    landmark.value()?.stream(&mut sink, Budget::default()).expect("a written value is good");
    Ok(object([
        ("ordinal", ordinal(landmark)?),
        ("key", Value::String(landmark.key()?.into_owned())),
        ("own", Value::String(landmark.own_key()?.into_owned())),
        ("class", number(landmark.class()?.into())),
        ("parent", landmark.parent()?.map_or(Ok(Value::Null), ordinal)?),
        ("children", Value::List(children)),
        ("dependencies", edges(landmark.dependencies()?)?),
        ("dependents", edges(landmark.dependents()?)?),
        ("value", sink.finish().expect("one value")),
    ]))
}

fn number(number: u32) -> Value {
    Value::Integer(u64::from(number).into())
}

fn object<const N: usize>(entries: [(&str, Value); N]) -> Value {
    Value::Object(entries.map(|(key, value)| (key.to_owned(), value)).into())
}

/// The first difference of two values.
fn first_difference(found: &Value, expected: &Value) -> Option<String> {
    match (found, expected) {
        (Value::Object(found), Value::Object(expected)) if found.len() == expected.len() => found
            .iter()
            .zip(expected)
            .find_map(|((key, value), (expected_key, expected))| match key == expected_key {
                true => first_difference(value, expected).map(|difference| format!("/{key}{difference}")),
                false => Some(format!(": key {key:?}, expected {expected_key:?}")),
            }),
        (Value::List(found), Value::List(expected)) if found.len() == expected.len() => {
            let mut pairs = found.iter().zip(expected).enumerate();
            pairs.find_map(|(index, (value, expected))| {
                first_difference(value, expected).map(|difference| format!("/{index}{difference}"))
            })
        }
        // Two zeros are equal, but not the same.
        (Value::Float(found), Value::Float(expected)) if found.to_bits() == expected.to_bits() => None,
        (Value::Float(_), Value::Float(_)) => Some(format!(": {found:?}, expected {expected:?}")),
        _ if found == expected => None,
        _ => Some(format!(": {found:?}, expected {expected:?}")),
    }
}
