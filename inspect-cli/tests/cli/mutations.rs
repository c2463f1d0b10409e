//! A changed value is never passed over in silence: `diff` of a document and the same document with
//! one other value exits with 1, or prints that a note of tools differs.

use crate::runs::run;
use coconut_testing::corpus;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// The lines for values that do not count (C1 and C13 of §16.3).
const NOTES: [&str; 3] =
    ["metadata or order only", "of tools outside of resources", "order or notes of tools"];

/// Larger documents are not changed.
const MOST_BYTES: u64 = 60_000;

/// A sequence of numbers that is the same in each run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }
}

fn scalars(value: &Value, pointer: &str, found: &mut Vec<String>) {
    let escaped = |key: &str| key.replace('~', "~0").replace('/', "~1");
    match value {
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                scalars(item, &format!("{pointer}/{at}"), found);
            }
        }
        Value::Object(entries) => {
            for (key, value) in entries {
                scalars(value, &format!("{pointer}/{}", escaped(key)), found);
            }
        }
        _ => found.push(pointer.to_owned()),
    }
}

/// Another value of the same kind. There is only one null.
fn other(value: &Value) -> Value {
    match value {
        Value::Bool(flag) => Value::Bool(!flag),
        Value::Number(number) => match number.as_i64() {
            Some(integer) => Value::from(integer / 2 + 7),
            None => Value::from(number.as_f64().map_or(0.5, |float| float / 2.0 + 7.25)),
        },
        Value::String(text) => Value::from(format!("{text}x")),
        _ => Value::from("x"),
    }
}

/// Changes `count` values of a document, one after the other. Returns the number of values tried.
fn change(path: &Path, count: usize, numbers: &mut Numbers, silent: &mut Vec<String>) -> usize {
    let Some(document) = fs::read(path).ok().and_then(|text| serde_json::from_slice::<Value>(&text).ok())
    else {
        return 0;
    };
    let mut places = Vec::new();
    scalars(&document, "", &mut places);
    // The places of a package in its sources have no meaning (§20.3).
    places.retain(|place| !place.is_empty() && !place.contains("/loc/"));
    if places.is_empty() {
        return 0;
    }
    let folder = tempfile::tempdir().expect("there is room for files");
    let write = |name: &str, value: &Value| {
        fs::write(folder.path().join(name), value.to_string()).expect("there is room for files");
    };
    write("old.json", &document);
    for _ in 0..count {
        let place = &places[numbers.below(places.len())];
        let mut changed = document.clone();
        let value = changed.pointer_mut(place).expect("it is a place of the document");
        *value = other(value);
        write("new.json", &changed);
        let output = run(folder.path(), &["diff", "old.json", "new.json"]);
        let printed = String::from_utf8_lossy(&output.stdout);
        // A file that is no longer valid is refused.
        if output.status.success() && !NOTES.iter().any(|note| printed.contains(note)) {
            silent.push(format!("{}: {place}: {printed}", path.display()));
        }
    }
    count
}

fn documents(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder)
        .expect("it is a folder")
        .map(|entry| entry.expect("it can be read").path())
        .collect();
    entries.sort();
    for path in entries {
        let is_json = path.extension().is_some_and(|end| end == "json" || end == "tfstate");
        match path.metadata().expect("it is there") {
            metadata if metadata.is_dir() => documents(&path, found),
            metadata if is_json && metadata.len() <= MOST_BYTES => found.push(path),
            _ => {}
        }
    }
}

#[test]
fn a_changed_value_of_a_document_of_each_dialect_is_seen() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut found, mut silent, mut numbers) = (Vec::new(), Vec::new(), Numbers(1));
    for folder in ["tests/fixtures", "../tests/cases/dialects"] {
        documents(&root.join(folder), &mut found);
    }
    let count: usize = found.iter().map(|path| change(path, 12, &mut numbers, &mut silent)).sum();
    assert!(silent.is_empty(), "{} of {count}: {silent:#?}", silent.len());
    assert!(count > 600, "{count} values");
}

#[test]
fn a_changed_value_of_a_real_document_is_seen() {
    let Some(folder) = corpus() else { return };
    let (mut found, mut silent, mut numbers) = (Vec::new(), Vec::new(), Numbers(2));
    documents(&folder, &mut found);
    let count: usize = found.iter().step_by(4).map(|path| change(path, 2, &mut numbers, &mut silent)).sum();
    assert!(silent.is_empty(), "{} of {count}: {silent:#?}", silent.len());
    assert!(count > 200, "{count} values");
}
