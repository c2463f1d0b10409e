//! §16.1 In an exact comparison every difference counts, whatever the change at one place of a
//! document. In a comparison by meaning each is at least mentioned.

use crate::differences::{differences, file};
use coconut_codec::compile::{CompileOptions, compile};
use coconut_codec::event::{ValueSink, push};
use coconut_codec::read::file::DocumentFile;
use coconut_codec::text::SourceFormat;
use coconut_codec::text::json::{self, JsonOptions, JsonStyle, Printer};
use coconut_diff::Options;
use coconut_format::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Small documents of each dialect, and the old ones of the vectors.
fn documents() -> Vec<(String, Vec<u8>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = Vec::new();
    let folders = ["cases/dialects", "cases/snapshots", "../spec/vectors/diff", "../examples"];
    let mut folders: Vec<PathBuf> = folders.iter().map(|folder| root.join(folder)).collect();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("the folder is part of the repository") {
            let path = entry.expect("the folder can be read").path();
            match path.is_dir() {
                true => folders.push(path),
                false => paths.push(path),
            }
        }
    }
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    let others = ["expected.json", "new.json", "schema.json", "patch.json", "merge-patch.json"];
    paths.retain(|path| path.file_name().is_none_or(|name| !others.iter().any(|other| name == *other)));
    paths.sort();
    let read = |path: &PathBuf| fs::read(path).expect("the file can be read");
    paths.iter().map(|path| (path.display().to_string(), read(path))).collect()
}

fn value_of(text: &[u8]) -> Value {
    let mut sink = ValueSink::new();
    json::read(text, &mut sink, &JsonOptions::default()).expect("it is JSON");
    sink.finish().expect("it is JSON")
}

fn text_of(value: &Value) -> Vec<u8> {
    let mut printer = Printer::new(Vec::new(), JsonStyle::Minified);
    push(value, &mut printer).expect("it is printed to memory");
    printer.finish().expect("it is printed to memory")
}

/// Calls `each` with the value at a place, counted in the order of the document.
fn at(value: &mut Value, left: &mut usize, each: &mut dyn FnMut(&mut Value)) -> bool {
    if *left == 0 {
        each(value);
        return true;
    }
    *left -= 1;
    match value {
        Value::List(items) => items.iter_mut().any(|item| at(item, left, each)),
        Value::Object(entries) => entries.iter_mut().any(|(_, below)| at(below, left, each)),
        _ => false,
    }
}

/// The possible replacements of a place: other values, and parts that are removed, repeated or
/// swapped.
const WAYS: [fn(&mut Value); 8] = [
    |value| *value = Value::Null,
    |value| *value = Value::List(Vec::new()),
    |value| *value = Value::Object(Vec::new()),
    |value| *value = Value::String("other".to_owned()),
    |value| match value {
        Value::List(items) => items.reverse(),
        Value::Object(entries) => entries.reverse(),
        Value::String(text) => text.push('x'),
        Value::Bool(truth) => *truth = !*truth,
        Value::Integer(_) => *value = Value::Float(0.5),
        Value::Float(_) | Value::Null => *value = Value::Integer(7u64.into()),
    },
    |value| match value {
        Value::List(items) => drop(items.pop()),
        Value::Object(entries) => drop(entries.pop()),
        other => *other = Value::List(vec![other.clone()]),
    },
    |value| match value {
        Value::List(items) if !items.is_empty() => items.push(items[0].clone()),
        Value::Object(entries) => entries.push(("another".to_owned(), Value::Null)),
        other => *other = Value::Object(vec![("value".to_owned(), other.clone())]),
    },
    |value| match value {
        Value::List(items) => items.insert(0, Value::String("[1]".to_owned())),
        Value::Object(entries) if !entries.is_empty() => entries[0].0.push('x'),
        other => *other = Value::Bool(true),
    },
];

/// A document, and the same with a change at one place.
struct Changed<'c> {
    old: &'c DocumentFile<Vec<u8>>,
    new: &'c DocumentFile<Vec<u8>>,
    /// The file, the place and the number of the change.
    name: String,
    /// Whether only the order of keys differs, or an item is repeated, or a null is added.
    is_slight: bool,
}

/// In [`WAYS`]: an item is repeated, or a null is added.
const REPEATED: usize = 6;

/// The same value with the keys of each object in alphabetical order.
fn with_sorted_keys(mut value: Value) -> Value {
    match &mut value {
        Value::List(items) => items.iter_mut().for_each(|item| *item = with_sorted_keys(item.clone())),
        Value::Object(entries) => {
            entries.iter_mut().for_each(|(_, below)| *below = with_sorted_keys(below.clone()));
            entries.sort_by(|(one, _), (other, _)| one.cmp(other));
        }
        _ => {}
    }
    value
}

/// Calls `each` with every combination of a document and a change, in steps of a size that is a
/// prime number. So each change occurs with each place of some document. Returns the number of
/// calls.
fn for_each_change(step: usize, each: &mut dyn FnMut(&Changed<'_>)) -> usize {
    let options = CompileOptions { format: Some(SourceFormat::Json), ..CompileOptions::default() };
    let (mut count, mut dialects) = (0, BTreeSet::new());
    let step = if std::env::var_os("COCONUT_DEEP").is_some() { 1 } else { step };
    let mut next = 0;
    for (path, text) in documents() {
        let (value, old) = (value_of(&text), file(&text, &options));
        dialects.extend(old.header().dialect.clone());
        for place in 0.. {
            let mut is_there = true;
            for (number, way) in WAYS.iter().enumerate() {
                next += 1;
                let mut other = value.clone();
                is_there = at(&mut other, &mut place.clone(), &mut |value| way(value));
                if !is_there {
                    break;
                }
                if next % step != 0 || other == value {
                    continue;
                }
                let Ok(compiled) = compile(&text_of(&other), &options) else { continue };
                let new = DocumentFile::from_data(compiled.bytes).expect("it was just written");
                let is_slight =
                    number == REPEATED || with_sorted_keys(other) == with_sorted_keys(value.clone());
                let name = format!("{path}: place {place}, way {number}");
                each(&Changed { old: &old, new: &new, name, is_slight });
                count += 1;
            }
            if !is_there {
                break;
            }
        }
    }
    assert!(count > 1_000, "{count} changes");
    assert!(dialects.len() >= 25, "{dialects:?}");
    count
}

#[test]
fn every_difference_counts_in_an_exact_comparison() {
    let exact = Options { is_exact: true, ..Options::default() };
    let mut wrong = Vec::new();
    let count = for_each_change(29, &mut |changed| {
        for (a, b, direction) in [(changed.old, changed.new, "to"), (changed.new, changed.old, "from")] {
            let found = differences(a, b, &exact).expect("they can be compared");
            if found["differs"] != true {
                wrong.push(format!("{}, {direction}: {found}", changed.name));
            }
        }
    });
    assert!(wrong.is_empty(), "{} of {count}\n{}", wrong.len(), wrong[..wrong.len().min(40)].join("\n"));
}

#[test]
fn no_difference_is_passed_over_in_silence_in_a_comparison_by_meaning() {
    let mut wrong = Vec::new();
    let count = for_each_change(23, &mut |changed| {
        // Rows D3, E1 and N1.
        if changed.is_slight {
            return;
        }
        for (a, b, direction) in [(changed.old, changed.new, "to"), (changed.new, changed.old, "from")] {
            let found = differences(a, b, &Options::default()).expect("they can be compared");
            let is_empty = |name: &str| found[name].as_array().is_some_and(Vec::is_empty);
            if ["front", "resources", "edges", "changes"].into_iter().all(is_empty) {
                let dialects = (&a.header().dialect, &b.header().dialect);
                wrong.push(format!("{}, {direction}: {dialects:?}", changed.name));
            }
        }
    });
    assert!(wrong.is_empty(), "{} of {count}\n{}", wrong.len(), wrong[..wrong.len().min(40)].join("\n"));
}

/// The object without each of its entries, and with each of its objects without one of theirs.
fn without_one_entry(entries: &[(String, Value)], depth: u32) -> Vec<Vec<(String, Value)>> {
    let mut all = Vec::new();
    for (at, (key, below)) in entries.iter().enumerate() {
        let mut others = entries.to_vec();
        others.remove(at);
        all.push(others);
        if let Value::Object(below) = below
            && depth > 0
        {
            for below in without_one_entry(below, depth - 1) {
                let mut changed = entries.to_vec();
                changed[at] = (key.clone(), Value::Object(below));
                all.push(changed);
            }
        }
    }
    all
}

#[test]
fn an_entry_near_the_root_that_comes_or_goes_is_mentioned() {
    let options = CompileOptions { format: Some(SourceFormat::Json), ..CompileOptions::default() };
    let (mut count, mut wrong) = (0, Vec::new());
    for (path, text) in documents() {
        let (value, old) = (value_of(&text), file(&text, &options));
        let Value::Object(entries) = value else { continue };
        for other in without_one_entry(&entries, 1) {
            let Ok(compiled) = compile(&text_of(&Value::Object(other)), &options) else { continue };
            let new = DocumentFile::from_data(compiled.bytes).expect("it was just written");
            count += 1;
            for (a, b) in [(&old, &new), (&new, &old)] {
                let found = differences(a, b, &Options::default()).expect("they can be compared");
                let is_empty = |name: &str| found[name].as_array().is_some_and(Vec::is_empty);
                if ["front", "resources", "edges", "changes"].into_iter().all(is_empty) {
                    wrong.push(format!("{path}: {:?} and {:?}", a.header().dialect, b.header().dialect));
                }
            }
        }
    }
    assert!(count > 500, "{count} changes");
    assert!(wrong.is_empty(), "{} of {count}\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn repeats_orders_and_forms_count_in_an_exact_comparison() {
    let exact = Options { is_exact: true, ..Options::default() };
    let options = CompileOptions { format: Some(SourceFormat::Json), ..CompileOptions::default() };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases/exact");
    let mut count = 0;
    for entry in fs::read_dir(&root).expect("the folder is part of the repository") {
        let folder = entry.expect("the folder can be read").path();
        let read = |name: &str| file(&fs::read(folder.join(name)).expect("a case has two files"), &options);
        let (old, new) = (read("old.json"), read("new.json"));
        for (a, b) in [(&old, &new), (&new, &old)] {
            let found = differences(a, b, &exact).expect("they can be compared");
            assert_eq!(found["differs"], true, "{}: {found}", folder.display());
        }
        count += 1;
    }
    assert!(count >= 6, "{count} cases");
}
