//! Damage is one fact, whatever is asked. Each command that reads a whole document refuses each bad
//! vector as `dump` does, in every notation and with every kind of filter.

use crate::fixtures;
use crate::runs::run;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

/// A failure: its code, its offset and its exit code.
type Failure = (String, Option<u64>, i64);

/// Faults of tables. Each command compares those that it uses.
const OF_TABLES: [&str; 4] = ["IDX-", "PRT-LENGTH", "VAL-FORM", "LMK-"];

/// Answers that need an undamaged document.
const OF_QUESTIONS: [&str; 3] = ["NO-EDGES", "QUERY-ERROR", "KEY-"];

/// Writes the bad vectors. Returns their names.
fn bad_vectors(directory: &Path) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../spec/vectors/bad");
    let entries = fs::read_dir(folder).expect("the vectors are in the repository");
    let mut paths: Vec<PathBuf> =
        entries.map(|entry| entry.expect("the folder can be listed").path()).collect();
    paths.sort();
    let mut names = Vec::new();
    for path in paths.iter().filter(|path| path.extension().is_some_and(|ending| ending == "hex")) {
        let text = fs::read_to_string(path).expect("a vector is text");
        let code = text.lines().flat_map(|line| line.split('#').next()).flat_map(str::split_whitespace);
        let digits: Vec<u8> = code.flat_map(str::bytes).collect();
        let byte = |pair: &[u8]| {
            let pair = std::str::from_utf8(pair).expect("ASCII");
            u8::from_str_radix(pair, 16).expect("hexadecimal digits")
        };
        let bytes: Vec<u8> = digits.chunks(2).map(byte).collect();
        let name = format!("{}.coco", path.file_stem().expect("a file has a name").to_string_lossy());
        fs::write(directory.join(&name), bytes).expect("the directory can be written");
        names.push(name);
    }
    names
}

/// The failures of a run, by file.
fn failures(output: &Output) -> BTreeMap<String, Failure> {
    let mut failures = BTreeMap::new();
    for line in String::from_utf8_lossy(&output.stderr).lines() {
        let report: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        for error in report["errors"].as_array().expect("a report of failures lists them") {
            let text = |key: &str| error[key].as_str().unwrap_or_default().to_owned();
            let exit = error["exit"].as_i64().expect("a failure has an exit code");
            failures.insert(text("file"), (text("code"), error["offset"].as_u64(), exit));
        }
    }
    failures
}

fn begins_with(code: &str, all: &[&str]) -> bool {
    all.iter().any(|beginning| code.starts_with(beginning))
}

/// Whether a command fails for a file as `dump` does.
fn is_as_expected(name: &str, expected: Option<&Failure>, found: Option<&Failure>) -> bool {
    match (expected, found) {
        (None, None) => true,
        (None, Some((code, ..))) => {
            let is_of_index = name == "sum-block-index.coco";
            is_of_index || [&OF_TABLES[..], &OF_QUESTIONS, &["LIM-"]].iter().any(|of| begins_with(code, of))
        }
        // What is printed may be less than the document.
        (Some((code, ..)), None) => begins_with(code, &["IDX-", "LIM-NODES", "LIM-BYTES"]),
        (Some(one), Some(other)) if one.0.starts_with("LIM-") => {
            one.2 == other.2 || begins_with(&other.0, &OF_QUESTIONS)
        }
        (Some(one), Some(other)) => {
            one == other || [one, other].iter().all(|failure| begins_with(&failure.0, &OF_TABLES))
        }
    }
}

#[test]
fn every_command_that_reads_a_document_refuses_damaged_ones_as_dump_does() {
    let directory = fixtures::directory("bad-vectors");
    let names = bad_vectors(&directory);
    let of = |before: &[&str], after: &[&str]| {
        let files: Vec<&str> = names.iter().map(String::as_str).collect();
        run(&directory, &[before, &files, after].concat())
    };
    let dump = of(&["dump", "--json"], &[]);
    let expected = failures(&dump);
    assert!(names.len() > 900 && expected.len() > 600, "{} of {}", expected.len(), names.len());

    // A path, one that chooses, and one for the interpreter; then each of these kinds again.
    let filters = [".", ".[]?", "[.]", ".a?", ".[]? | select(type == \"object\")", "[..] | length", "tojson"];
    let forms: [&[&str]; 8] = [
        &[],
        &["--as", "yaml"],
        &["--as", "csv"],
        &["--table"],
        &["-S", "-c", "-e"],
        &["--reveal"],
        &["--each"],
        &["--stream"],
    ];
    let mut commands: Vec<Vec<&str>> = Vec::new();
    for (at, form) in forms.into_iter().enumerate() {
        for filter in
            filters.iter().skip(if at == 0 { 0 } else { at % 3 }).step_by(if at == 0 { 1 } else { 3 })
        {
            commands.push([&["query", "--json", "--max-steps", "20000"], form, &[*filter]].concat());
        }
    }
    commands.extend(
        [
            &["dump", "--as", "yaml"][..],
            &["dump", "--as", "jsonl"],
            &["dump", "--compact"],
            &["stat"],
            &["stat", "--sizes"],
            &["find", "--text", "x"],
            &["find", "--regex", "--keys", "--text", "x.*"],
            &["ls"],
            &["ls", "--long"],
            &["cycles"],
            &["roots"],
            &["leaves"],
            &["orphans"],
        ]
        .map(|command| [command, &["--json"]].concat()),
    );
    let mut wrong = Vec::new();
    for command in commands {
        let output = of(&command, &[]);
        let found = failures(&output);
        if output.status.success() {
            wrong.push(format!("{command:?} succeeds"));
        }
        for name in &names {
            let (expected, found) = (expected.get(name), found.get(name));
            if !is_as_expected(name, expected, found) {
                wrong.push(format!("{command:?} {name}: found {found:?}, expected {expected:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong[..wrong.len().min(60)].join("\n"));
}

/// `graph` and `diff` take one damaged document at a time.
#[test]
fn pictures_and_comparisons_refuse_damaged_documents_as_dump_does() {
    let directory = fixtures::directory("bad-vectors-alone");
    let names = bad_vectors(&directory);
    fs::write(directory.join("good.json"), "{}").expect("the directory can be written");
    let files: Vec<&str> = names.iter().map(String::as_str).collect();
    let expected = failures(&run(&directory, &[&["dump", "--json"], &files[..]].concat()));
    // Undamaged documents that cannot be compared with this one, and too large pictures.
    let of_others = ["USAGE", "GRAPH-SIZE"];
    let mut wrong = Vec::new();
    for before in [&["graph", "--json", "--as", "json"][..], &["diff", "--json", "good.json"]] {
        for name in &names {
            let output = run(&directory, &[before, &[name]].concat());
            let (expected, found) = (expected.get(name), failures(&output).into_values().next());
            let found = found.filter(|(code, ..)| expected.is_some() || !begins_with(code, &of_others));
            if !is_as_expected(name, expected, found.as_ref()) {
                wrong.push(format!("{before:?} {name}: found {found:?}, expected {expected:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong[..wrong.len().min(60)].join("\n"));
}

#[test]
fn the_message_of_damage_is_that_of_dump() {
    let directory = fixtures::directory("bad-vector-messages");
    let names = bad_vectors(&directory);
    let lines = |command: &[&str]| {
        let files: Vec<&str> =
            names.iter().map(String::as_str).filter(|name| !name.contains("limit")).collect();
        let output = run(&directory, &[command, &files].concat());
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        let is_of_values =
            |line: &&str| line.starts_with("error[") && !begins_with(&line["error[".len()..], &OF_TABLES);
        text.lines().filter(is_of_values).map(str::to_owned).collect::<Vec<_>>()
    };
    let expected = lines(&["dump"]);
    assert!(expected.len() > 500, "{}", expected.len());
    for command in [&["query", "."][..], &["query", "--as", "yaml", ".[]?"], &["query", "[.]"], &["stat"]] {
        let found = lines(command);
        let other: Vec<_> = expected.iter().zip(&found).filter(|(one, other)| one != other).collect();
        assert!(other.is_empty() && expected.len() == found.len(), "{command:?}: {:?}", other.first());
    }
}
