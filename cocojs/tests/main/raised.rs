//! A graph that is raised to sources, compiled and evaluated is the same graph.

use cocojs::{Options, build};
use coconut_codec::event::{ValueSink, push};
use coconut_codec::text::json::{self, JsonOptions, JsonStyle, Printer};
use coconut_eval::{Evaluator, PackageList, ProgramText, RaiseFindingKind, Raised};
use coconut_format::{Package, Value};
use coconut_testing::golden;
use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Some documents of the corpus are not JSON.
fn try_read(path: &Path) -> Option<Value> {
    let mut sink = ValueSink::new();
    json::read(&fs::read(path).ok()?, &mut sink, &JsonOptions::default()).ok()?;
    sink.finish()
}

fn write(path: &Path, bytes: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

/// The graph of the program to which a graph was raised.
fn graph_of(raised: &Raised<ProgramText>) -> Result<Value, String> {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in raised.program().files() {
        write(&folder.path().join(path), text.as_bytes());
    }
    let mut packages = PackageList::new();
    let mut files = Vec::new();
    for stub in raised.stubs() {
        let file = folder.path().join("stubs").join(stub.name().unwrap()).join("Cocopack.json");
        let mut printer = Printer::new(Vec::new(), JsonStyle::Minified);
        push(&stub.to_value(), &mut printer).unwrap();
        write(&file, &printer.finish().unwrap());
        files.push(file);
        packages.add(stub.clone());
    }
    let mut sink = ValueSink::new();
    build(folder.path(), &Options { packages: files, ..Options::default() }, &mut sink)
        .map_err(|faults| faults.iter().take(5).map(|fault| format!("{fault}\n")).collect::<String>())?;
    packages.add(Package::from_value(sink.finish().unwrap()).unwrap());
    let mut options = coconut_eval::Options::default();
    raised.scheme().clone_into(&mut options.scheme);
    raised.environment().clone_into(&mut options.environment);
    let outcome = Evaluator::new(&packages).evaluate(raised.program().package(), &options);
    outcome.map(|outcome| outcome.graph()).map_err(|error| format!("{error}\n{:?}", error.trace()))
}

/// A resource of a graph: its type, its relations and its properties.
#[derive(Debug, PartialEq)]
struct Resource {
    ty: String,
    parent: Option<String>,
    dependencies: HashSet<String>,
    properties: Value,
}

/// The resources of a document by URN.
fn resources(graph: &Value) -> BTreeMap<String, Resource> {
    let places: [&[&str]; 4] = [
        &["latest", "resources"],
        &["resources"],
        &["deployment", "resources"],
        &["checkpoint", "latest", "resources"],
    ];
    let found = places.iter().find_map(|place| place.iter().try_fold(graph, |value, key| value.get(key)));
    let all: Vec<(String, &Value)> = match found {
        Some(Value::Object(entries)) => entries.iter().map(|(urn, value)| (urn.clone(), value)).collect(),
        Some(Value::List(items)) => items
            .iter()
            .map(|item| (item.get("urn").and_then(Value::as_str).unwrap().to_owned(), item))
            .collect(),
        _ => Vec::new(),
    };
    let urn = |value: &Value| value.as_str().or_else(|| value.get("#ref")?.as_str()).map(str::to_owned);
    let resource = |value: &Value| {
        let mut properties = BTreeMap::new();
        for section in ["defaults", "inputs", "properties"] {
            for (key, value) in value.get(section).and_then(Value::as_object).unwrap_or_default() {
                properties.insert(key.clone(), normal(value));
            }
        }
        let properties = properties.into_iter().filter(|(_, value)| *value != Value::Null).collect();
        let list = value.get("dependencies").and_then(Value::as_list).unwrap_or_default();
        Resource {
            ty: value.get("type").and_then(Value::as_str).unwrap_or_default().to_owned(),
            parent: value.get("parent").and_then(urn).filter(|urn| !urn.is_empty()),
            dependencies: list.iter().filter_map(urn).collect(),
            properties: Value::Object(properties),
        }
    };
    all.into_iter().map(|(urn, value)| (urn, resource(value))).collect()
}

/// A value without nulls in objects, and with its keys in order. A number has one form.
fn normal(value: &Value) -> Value {
    match value {
        Value::List(items) => Value::List(items.iter().map(normal).collect()),
        Value::Object(entries) => {
            let present = entries.iter().filter(|(_, value)| *value != Value::Null);
            let mut entries: Vec<_> = present.map(|(key, value)| (key.clone(), normal(value))).collect();
            entries.sort_by(|one, other| one.0.cmp(&other.0));
            Value::Object(entries)
        }
        Value::Integer(integer) => Value::Float(integer.as_f64()),
        other => other.clone(),
    }
}

/// The resources of a graph that have no findings, which are all the same again.
fn keeps(case: &str, graph: &Value, is_exact: bool) -> usize {
    let raised = Raised::text_of(graph).unwrap_or_else(|error| panic!("{case}: {error}"));
    if is_exact {
        assert_eq!(raised.findings(), [], "{case}");
    }
    let found = graph_of(&raised).unwrap_or_else(|error| panic!("{case}: {error}"));
    let (mut expected, mut found) = (resources(graph), resources(&found));
    for finding in raised.findings() {
        match finding.kind {
            RaiseFindingKind::Dependencies => {
                for all in [&mut expected, &mut found] {
                    if let Some(resource) = all.get_mut(&finding.urn) {
                        (resource.parent, resource.dependencies) = (None, HashSet::new());
                    }
                }
            }
            _ => {
                expected.remove(&finding.urn);
                found.remove(&finding.urn);
            }
        }
    }
    for (urn, resource) in &expected {
        let mut made = found.remove(urn).unwrap_or_else(|| panic!("{case}: {urn} is missing"));
        made.dependencies.retain(|urn| resource.dependencies.contains(urn));
        assert_eq!(made, *resource, "{case}: {urn}");
    }
    assert!(found.is_empty(), "{case}: {:?}", found.keys());
    expected.len()
}

#[test]
fn the_checkpoint_of_the_shop_is_its_program() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/shop.checkpoint.json");
    assert_eq!(keeps("shop", &try_read(&path).unwrap(), true), 42);
}

#[test]
fn the_page_shows_the_program_of_its_graph() {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/write.md")).unwrap();
    let block = |start: &str| {
        let (_, rest) = page.split_once(start).unwrap();
        rest.split_once("```\n").unwrap().0.to_owned()
    };
    let graph = block("`snapshots/live.json`:\n\n```json\n");
    let mut sink = ValueSink::new();
    json::read(graph.as_bytes(), &mut sink, &JsonOptions::default()).unwrap();
    let raised = Raised::text_of(&sink.finish().unwrap()).unwrap();
    let main = raised.program().files().find(|(path, _)| *path == "index.ts").unwrap().1;
    assert_eq!(main, block("`index.ts` in the folder:\n\n```typescript\n"));
}

#[test]
fn graphs_of_2017_are_their_programs() {
    let Some(golden) = golden() else { return };
    let mut count = 0;
    for case in fs::read_dir(golden.join("programs")).unwrap() {
        for file in fs::read_dir(case.unwrap().path()).unwrap() {
            let path = file.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if name.starts_with("cocogl-") || name == "checkpoint.json" {
                keeps(&path.display().to_string(), &try_read(&path).unwrap(), true);
                count += 1;
            }
        }
    }
    assert!(count >= 10, "{count}");
}

#[test]
fn current_checkpoints_are_their_programs_except_for_the_findings() {
    let Some(corpus) = std::env::var_os("COCONUT_CORPUS").map(PathBuf::from) else {
        return coconut_testing::skipped::skip("documents of today (COCONUT_CORPUS)");
    };
    let index = fs::read_to_string(corpus.join("INDEX.tsv")).unwrap();
    let rows = index.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let wanted = rows.filter(|row| matches!(row.get(1), Some(&"pulumi-deployment" | &"graph" | &"state")));
    let (mut documents, mut exact) = (0, 0);
    for path in wanted.map(|row| corpus.join(row[0])) {
        let Some(graph) = try_read(&path) else { continue };
        if Raised::text_of(&graph).is_ok() {
            exact += keeps(&path.display().to_string(), &graph, false);
            documents += 1;
        }
    }
    assert!(documents >= 50 && exact >= 300, "{documents} documents, {exact} resources");
}
