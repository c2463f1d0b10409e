//! §16 Differences: the vectors of `spec/vectors/diff`, and properties that hold for all documents.

use coconut_codec::Profile;
use coconut_codec::compile::{CompileOptions, compile, compile_tuned};
use coconut_codec::event::{ValueSink, push};
use coconut_codec::read::file::DocumentFile;
use coconut_codec::text::SourceFormat;
use coconut_codec::text::json::{self, JsonOptions, JsonStyle, Printer};
use coconut_codec::write::Tuning;
use coconut_diff::value::{
    ListKind, ListMode, Moves, PlaceFacts, PlacePattern, Sameness, Schema, Strictness, TooMuchWork,
    apply_patch, merge_patch, operations,
};
use coconut_diff::{Diff, Options, ResourceChange, Side};
use coconut_format::DecodeError;
use coconut_tests::corpus;
use serde_json::Value;
use serde_json::json as value;
use std::fs;
use std::path::{Path, PathBuf};

/// A document in memory.
pub(crate) fn file(text: &[u8], options: &CompileOptions) -> DocumentFile<Vec<u8>> {
    tuned_file(text, options, Tuning::default())
}

fn tuned_file(text: &[u8], options: &CompileOptions, tuning: Tuning) -> DocumentFile<Vec<u8>> {
    let bytes = compile_tuned(text, options, tuning).expect("it is a document");
    DocumentFile::from_data(bytes).expect("it was just written")
}

fn json_options() -> CompileOptions {
    CompileOptions { format: Some(SourceFormat::Json), ..CompileOptions::default() }
}

/// The differences, in the form of `expected.json`.
pub(crate) fn differences(
    old: &DocumentFile<Vec<u8>>,
    new: &DocumentFile<Vec<u8>>,
    options: &Options,
) -> Result<Value, DecodeError> {
    differences_of([Side::read(old.view())?, Side::read(new.view())?], options)
}

/// The same for documents that are read together.
fn differences_together(
    old: &DocumentFile<Vec<u8>>,
    new: &DocumentFile<Vec<u8>>,
    options: &Options,
) -> Result<Value, DecodeError> {
    let [old, new] = Side::read_both(old.view(), new.view());
    differences_of([old?, new?], options)
}

fn differences_of([old, new]: [Side<'_>; 2], options: &Options) -> Result<Value, DecodeError> {
    differences_by(&[old, new], options, None)
}

fn differences_by<'t>(
    [old, new]: &'t [Side<'t>; 2],
    options: &Options,
    schema: Option<&'t dyn Schema>,
) -> Result<Value, DecodeError> {
    let mut diff = Diff::of(old, new, options)?;
    if let Some(schema) = schema {
        diff.describe(schema)?;
    }
    let row = |change: &coconut_diff::Change<'_>| {
        let difference = &change.difference;
        value!([difference.action.name(), difference.class.name(), difference.pointer])
    };
    let sorted = |mut rows: Vec<Value>| {
        rows.sort_by_key(Value::to_string);
        Value::Array(rows)
    };
    let front = diff.front()?;
    let mut counts = front.iter().any(|change| change.counts);
    let hidden_of = |key: &str, changes: &[coconut_diff::Change<'_>]| -> Vec<Value> {
        let hidden = changes.iter().filter(|change| change.difference.is_secret);
        hidden.map(|change| value!([key, change.difference.pointer])).collect()
    };
    let (mut hidden, mut ambiguous) = (hidden_of("", &front), Vec::new());
    let front = sorted(front.iter().map(row).collect());
    let (mut resources, mut changes, mut edges) = (Vec::new(), Vec::new(), Vec::new());
    diff.for_each(&mut |resource: ResourceChange<'_>| {
        counts |= resource.counts();
        let mut words = vec![resource.happened.name().to_owned(), resource.key.to_string()];
        words.extend(resource.old_key.as_deref().map(str::to_owned));
        resources.push(value!(words));
        hidden.extend(hidden_of(&resource.key, &resource.changes));
        ambiguous.extend(resource.is_ambiguous.then(|| value!(&*resource.key)));
        let rows: Vec<Value> = resource.changes.iter().map(row).collect();
        if !rows.is_empty() {
            changes.push(value!([&*resource.key, sorted(rows)]));
        }
        for (sign, listed) in [("-", &resource.edges_removed), ("+", &resource.edges_added)] {
            edges.extend(listed.iter().map(|(kind, target)| value!([sign, &*resource.key, kind, target])));
        }
        Ok::<(), DecodeError>(())
    })?;
    let mut found = value!({"differs": counts, "front": front, "resources": resources, "changes": changes, "edges": edges});
    for (name, rows) in [("ambiguous", ambiguous), ("hidden", hidden)] {
        if !rows.is_empty() {
            found[name] = sorted(rows);
        }
    }
    Ok(found)
}

/// A line of `vectors/diff.tsv`.
struct Vector {
    folder: PathBuf,
    /// The rows of §16 that it covers.
    rows: Vec<String>,
    /// The options of its comparison.
    options: Vec<String>,
}

fn vectors() -> Vec<Vector> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../spec/vectors");
    let table = fs::read_to_string(root.join("diff.tsv")).expect("the table is part of the repository");
    let vector = |line: &str| {
        let columns: Vec<&str> = line.split('\t').collect();
        let [name, rows, options] = columns[..] else { panic!("three columns: {line}") };
        Vector {
            folder: root.join("diff").join(name),
            rows: rows.split_whitespace().map(str::to_owned).collect(),
            options: options.split(", ").filter(|option| !option.is_empty()).map(str::to_owned).collect(),
        }
    };
    table.lines().skip(1).map(vector).collect()
}

impl Vector {
    fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.folder.join(name)).expect("a vector has three files")
    }

    fn options(&self) -> Options {
        let mut options = Options::default();
        for option in &self.options {
            match option.as_str() {
                "exact" => options.is_exact = true,
                "values" => options.strict.forms = true,
                "full" => options.is_full = true,
                "unknown" => options.strict.unknowns = true,
                "secrets" => options.strict.secrets = true,
                "plan" => options.moves = Moves { by_alias: true, as_planned: true, ..Moves::NONE },
                "no-moves" => options.moves = Moves::NONE,
                "digest" => options.moves.by_digest = Some(true),
                other => {
                    let list = other.strip_prefix("list ").and_then(|list| list.split_once('='));
                    let (place, mode) = list.expect("an option of §16.6");
                    let place = PlacePattern::parse(place).expect("a place");
                    options.lists.push((place, ListMode::parse(mode).expect("a mode")));
                }
            }
        }
        options
    }

    /// The declarations of a schema given by the caller, if the vector has one.
    fn schema(&self) -> Option<Declared> {
        let text = fs::read(self.folder.join("schema.json")).ok()?;
        Some(Declared(serde_json::from_slice(&text).expect("it is JSON")))
    }
}

/// A schema: by type and place, `set`, `list` or `secret`.
#[derive(Debug)]
struct Declared(Value);

impl Schema for Declared {
    fn has_type(&self, token: &str) -> bool {
        self.0.get(token).is_some()
    }

    fn has_secrets(&self) -> bool {
        self.0.to_string().contains("\"secret\"")
    }

    fn at(&self, token: &str, place: &str) -> Option<PlaceFacts> {
        let mut facts = PlaceFacts::default();
        match self.0.get(token)?.get(place)?.as_str()? {
            "set" => facts.list = Some(ListKind::Set),
            "list" => facts.list = Some(ListKind::Ordered),
            "secret" => facts.is_secret = true,
            other => panic!("{other} is not declared in vectors"),
        }
        Some(facts)
    }
}

#[test]
fn vectors_have_the_expected_differences() {
    let mut wrong = Vec::new();
    for vector in vectors() {
        let side = |name: &str| file(&vector.read(name), &json_options());
        let (old, new) = (side("old.json"), side("new.json"));
        let sides = [&old, &new].map(|file| Side::read(file.view()).expect("it is whole"));
        let schema = vector.schema();
        let schema = schema.as_ref().map(|schema| schema as &dyn Schema);
        let found = differences_by(&sides, &vector.options(), schema).expect("they can be compared");
        let path = vector.folder.join("expected.json");
        if std::env::var_os("COCONUT_BLESS").is_some() {
            let text = serde_json::to_string_pretty(&found).expect("it is JSON");
            fs::write(&path, text + "\n").expect("the vectors can be written");
        }
        let expected: Value = serde_json::from_slice(&vector.read("expected.json")).expect("it is JSON");
        if found != expected {
            wrong.push(format!("{}: {found}\nshould be {expected}", vector.folder.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn value_of(text: &[u8]) -> coconut_format::Value {
    let mut sink = ValueSink::new();
    json::read(text, &mut sink, &JsonOptions::default()).expect("it is JSON");
    sink.finish().expect("it is JSON")
}

#[test]
fn vectors_have_the_expected_patches() {
    for vector in vectors().iter().filter(|vector| vector.rows.iter().any(|row| row.starts_with('T'))) {
        let expected = |name: &str| fs::read(vector.folder.join(name)).ok().map(|text| value_of(&text));
        let (old, new) = (value_of(&vector.read("old.json")), value_of(&vector.read("new.json")));
        let place = vector.folder.display();
        let mut sameness = Sameness::new(Strictness::VALUES, 1 << 20);
        let found = operations(&old, &new, &mut sameness).expect("there is little to compare");
        let text = |text: &str| coconut_format::Value::String(text.to_owned());
        let written = found.iter().map(|operation| {
            let word = match (operation.old, operation.new) {
                (None, _) => "add",
                (_, None) => "remove",
                _ => "replace",
            };
            let mut entries =
                vec![("op".to_owned(), text(word)), ("path".to_owned(), text(&operation.path.to_string()))];
            entries.extend(operation.new.map(|new| ("value".to_owned(), new.clone())));
            coconut_format::Value::Object(entries)
        });
        let patch = coconut_format::Value::List(written.collect());
        assert_eq!(Some(&patch), expected("patch.json").as_ref(), "{place}");
        assert!(sameness.is_same(&apply_patch(&old, &patch).expect("it fits"), &new) == Ok(true), "{place}");
        let mut copy = |_: &str, value: &coconut_format::Value| Ok::<_, TooMuchWork>(value.clone());
        let merge = merge_patch(&old, &new, &mut sameness, &mut copy).expect("there is little to compare");
        let merge = merge.ok().filter(|_| new.as_object().is_some());
        assert_eq!(merge, expected("merge-patch.json"), "{place}");
    }
}

#[test]
fn each_row_of_the_tables_has_a_vector() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../spec");
    let text = fs::read_to_string(root.join("model/16-diff.md")).expect("the text is part of the repository");
    let is_row = |cell: &str| {
        let mut letters = cell.chars();
        letters.next().is_some_and(|letter| letter.is_ascii_uppercase())
            && !letters.as_str().is_empty()
            && letters.all(|letter| letter.is_ascii_digit())
    };
    let cells = text.lines().filter(|line| line.starts_with("| ")).flat_map(|line| line.split('|').take(3));
    let mut rows: Vec<&str> = cells.map(str::trim).filter(|cell| is_row(cell)).collect();
    let count = rows.len();
    rows.sort_unstable();
    rows.dedup();
    assert_eq!(rows.len(), count, "the name of a row is used twice");
    assert!(count > 90, "{count} rows");
    let vectors = vectors();
    let without: Vec<&&str> = rows
        .iter()
        .filter(|row| !vectors.iter().any(|vector| vector.rows.iter().any(|of| of == **row)))
        .collect();
    assert!(without.is_empty(), "rows without a vector: {without:?}");
    for vector in &vectors {
        let place = vector.folder.display();
        assert!(!vector.rows.is_empty(), "{place} names no row");
        for row in &vector.rows {
            assert!(rows.contains(&&**row), "{place} names the row {row}, which is in no table");
        }
    }
    let folders = fs::read_dir(root.join("vectors/diff")).expect("the vectors are part of the repository");
    let mut folders: Vec<PathBuf> =
        folders.map(|entry| entry.expect("the folder can be read").path()).collect();
    let mut listed: Vec<PathBuf> = vectors.into_iter().map(|vector| vector.folder).collect();
    folders.sort();
    assert!(listed.is_sorted(), "the lines of diff.tsv are in the order of the folders");
    listed.sort();
    let name = |path: &PathBuf| path.file_name().map(std::ffi::OsStr::to_owned);
    let names = |paths: &[PathBuf]| paths.iter().map(name).collect::<Vec<_>>();
    assert_eq!(names(&listed), names(&folders), "diff.tsv has a line for each folder");
}

/// Pairs of documents that differ: the vectors, both ways.
fn pairs() -> Vec<(Vec<u8>, Vec<u8>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../spec/vectors/diff");
    let mut found = Vec::new();
    for entry in fs::read_dir(&root).expect("the vectors are part of the repository") {
        let folder = entry.expect("the folder can be read").path();
        let read = |name: &str| fs::read(folder.join(name)).expect("a vector has three files");
        found.push((read("old.json"), read("new.json")));
        found.push((read("new.json"), read("old.json")));
    }
    found
}

#[test]
fn the_answer_depends_neither_on_the_profile_nor_on_sharing() {
    for (old, new) in pairs() {
        let usual =
            differences(&file(&old, &json_options()), &file(&new, &json_options()), &Options::default());
        let usual = usual.expect("they can be compared");
        let mut unshared = Tuning::default();
        unshared.shared_values = false;
        let others = [
            (CompileOptions { profile: Profile::Plain, ..json_options() }, Tuning::default()),
            (CompileOptions { profile: Profile::Transport, ..json_options() }, Tuning::default()),
            (json_options(), unshared),
            (CompileOptions { digests: true, ..json_options() }, Tuning::default()),
        ];
        for (options, tuning) in others {
            let old_file = tuned_file(&old, &options, tuning);
            let found = differences(&old_file, &file(&new, &json_options()), &Options::default());
            assert_eq!(found.expect("they can be compared"), usual, "{}", String::from_utf8_lossy(&old));
        }
    }
}

#[test]
fn a_document_does_not_differ_from_itself() {
    let options = Options { is_exact: true, is_full: true, ..Options::default() };
    for (text, _) in pairs() {
        let document = file(&text, &json_options());
        let found = differences(&document, &document, &options).expect("they can be compared");
        let nothing = value!({"differs": false, "front": [], "resources": [], "changes": [], "edges": []});
        assert_eq!(found, nothing, "{}", String::from_utf8_lossy(&text));
    }
}

/// All places of a document, in its order.
fn visit(value: &mut coconut_format::Value, each: &mut dyn FnMut(&mut coconut_format::Value)) {
    each(value);
    match value {
        coconut_format::Value::List(items) => items.iter_mut().for_each(|item| visit(item, each)),
        coconut_format::Value::Object(entries) => {
            entries.iter_mut().for_each(|(_, value)| visit(value, each));
        }
        _ => {}
    }
}

/// The same document with a few changes: other scalars, and items that were removed, moved or
/// repeated.
fn changed(value: &coconut_format::Value, seed: u64, one_in: u64) -> coconut_format::Value {
    let (mut value, mut state) = (value.clone(), seed.wrapping_mul(2).wrapping_add(1));
    let mut random = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % one_in
    };
    visit(&mut value, &mut |value| match (random(), value) {
        (0, coconut_format::Value::List(items)) if !items.is_empty() => drop(items.remove(0)),
        (1, coconut_format::Value::List(items)) if !items.is_empty() => items.push(items[0].clone()),
        (2, coconut_format::Value::List(items)) => items.reverse(),
        (0, coconut_format::Value::Object(entries)) => entries.reverse(),
        (1, coconut_format::Value::Object(entries)) => drop(entries.pop()),
        (0, coconut_format::Value::String(text)) => text.push('x'),
        (0, scalar @ coconut_format::Value::Integer(_)) => *scalar = coconut_format::Value::Float(0.5),
        _ => {}
    });
    value
}

fn text_of(value: &coconut_format::Value) -> Vec<u8> {
    let mut printer = Printer::new(Vec::new(), JsonStyle::Minified);
    push(value, &mut printer).expect("it is printed to memory");
    printer.finish().expect("it is printed to memory")
}

/// Compares the results for two texts, read together and separately. The new one is written in one
/// of three ways.
fn assert_together_is_the_same(old: &[u8], new: &[u8], way: u64, place: &str) {
    let mut indexed = Tuning::default();
    indexed.index_from = 1;
    let (mut unshared, mut plain_ids) = (indexed.clone(), indexed.clone());
    (unshared.shared_values, plain_ids.frequent_first) = (false, false);
    let full = Options { is_exact: true, is_full: true, reveals: true, ..Options::default() };
    let options = json_options();
    let tuning = match way % 3 {
        0 => indexed.clone(),
        1 => unshared,
        _ => plain_ids,
    };
    let (old, new) = (compile_tuned(old, &options, indexed), compile_tuned(new, &options, tuning));
    let (Ok(old), Ok(new)) = (old, new) else { return };
    let [a, b] = [old, new].map(|bytes| DocumentFile::from_data(bytes).expect("it was just written"));
    for (a, b, options) in [(&a, &b, &Options::default()), (&b, &a, &full)] {
        let alone = differences(a, b, options);
        assert_eq!(differences_together(a, b, options), alone, "{place}");
    }
}

#[test]
fn documents_that_are_read_together_differ_in_the_same_way() {
    for (n, (old, new)) in pairs().into_iter().enumerate() {
        for way in 0..3 {
            assert_together_is_the_same(&old, &new, way, &format!("pair {n}"));
            assert_together_is_the_same(&old, &old, way, &format!("document {n}"));
        }
    }
    let Some(sources) = small_sources(1 << 15) else { return };
    let mut count = 0;
    for (path, text) in sources {
        let mut sink = ValueSink::new();
        if json::read(&text, &mut sink, &JsonOptions::default()).is_err() {
            continue;
        }
        let Some(value) = sink.finish() else { continue };
        for one_in in [30, 1000] {
            let other = text_of(&changed(&value, count, one_in));
            assert_together_is_the_same(&text, &other, count, &path.display().to_string());
            count += 1;
        }
    }
    assert!(count > 20, "{count} documents");
}

/// The JSON files of the corpus up to this size in bytes, if the corpus is present.
fn small_sources(most: usize) -> Option<Vec<(PathBuf, Vec<u8>)>> {
    let mut paths = Vec::new();
    files(&corpus()?, &mut paths);
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    let read = |path: PathBuf| {
        let text = fs::read(&path).expect("the corpus can be read");
        (text.len() <= most).then_some((path, text))
    };
    Some(paths.into_iter().filter_map(read).collect())
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the corpus can be listed") {
        let path = entry.expect("the corpus can be listed").path();
        match path.is_dir() {
            true => files(&path, found),
            false => found.push(path),
        }
    }
}

/// Entries of all objects in reverse order.
fn shuffled(value: &mut coconut_format::Value) {
    match value {
        coconut_format::Value::List(items) => items.iter_mut().for_each(shuffled),
        coconut_format::Value::Object(entries) => {
            entries.iter_mut().for_each(|(_, value)| shuffled(value));
            entries.reverse();
        }
        _ => {}
    }
}

/// A text with all entries in reverse order.
fn with_shuffled_keys(text: &[u8]) -> Option<Vec<u8>> {
    let mut sink = ValueSink::new();
    json::read(text, &mut sink, &JsonOptions::default()).ok()?;
    let mut value = sink.finish()?;
    shuffled(&mut value);
    let mut printer = Printer::new(Vec::new(), JsonStyle::Minified);
    push(&value, &mut printer).ok()?;
    printer.finish().ok()
}

#[test]
fn the_corpus_does_not_differ_from_itself_nor_from_itself_with_shuffled_keys() {
    let Some(sources) = small_sources(1 << 17) else { return };
    let mut count = 0;
    for (path, text) in sources {
        let Some(shuffled) = with_shuffled_keys(&text) else { continue };
        let Ok(compiled) = compile(&text, &json_options()) else { continue };
        let document = DocumentFile::from_data(compiled.bytes).expect("it was just written");
        let found = differences(&document, &document, &Options::default()).expect("they can be compared");
        assert_eq!(found["resources"], value!([]), "{}", path.display());
        let Ok(compiled) = compile(&shuffled, &json_options()) else { continue };
        let other = DocumentFile::from_data(compiled.bytes).expect("it was just written");
        let found = differences(&document, &other, &Options::default()).expect("they can be compared");
        // The dialect of a few documents depends on their first entry.
        if document.header().dialect == other.header().dialect {
            assert_eq!(found["differs"], value!(false), "{}: {found}", path.display());
        }
        count += 1;
    }
    assert!(count > 20, "{count} documents");
}
