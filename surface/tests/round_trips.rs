//! Conversions of schemas to packages and back, without losses.

use coconut_codec::event::ValueSink;
use coconut_format::verify::verify_as_package;
use coconut_format::{Kind, Node, Value};
use coconut_surface::write::{LOST, PackageOptions, TranslationFinding, push_package, push_pulumi_schema};
use coconut_surface::{self as surface, Dialect, Level, Renames};
use coconut_testing::{corpus, oracle, testdata};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn as_package(schema: &Value) -> (Value, Vec<TranslationFinding>) {
    let package = surface::read_whole(schema).expect("it is a schema");
    let mut sink = ValueSink::new();
    let findings = push_package(&package, PackageOptions::default(), &mut sink).expect("it is small");
    (sink.finish().expect("it is whole"), findings)
}

fn as_pulumi_schema(package: &Value) -> (Value, Vec<TranslationFinding>) {
    let package = surface::read_whole(package).expect("it is a package");
    let mut sink = ValueSink::new();
    let findings = push_pulumi_schema(&package, &mut sink).expect("it is small");
    (sink.finish().expect("it is whole"), findings)
}

/// The changes from one document to another, as lines.
fn changes(old: &Value, new: &Value) -> Vec<String> {
    let [old, new] = [old, new].map(|document| surface::read(document).expect("it is a schema"));
    let (old, new) = match old.dialect == new.dialect {
        true => (old, new),
        false => (old.restored(), new.restored()),
    };
    let found = surface::compare(&old, &new, &Renames::default(), Level::Exact);
    found.changes.iter().map(ToString::to_string).collect()
}

/// A schema in one normal form for all equivalent spellings: docs/convert.md lists the permitted
/// differences.
fn canonical(value: &Value) -> Value {
    match value {
        Value::List(items) => Value::List(items.iter().map(canonical).collect()),
        Value::Object(entries) => {
            let has_members = value.get("properties").is_some();
            let has_values = value.get("additionalProperties").is_some();
            let mut sorted: BTreeMap<&str, Value> =
                entries.iter().map(|(key, value)| (&**key, canonical(value))).collect();
            for key in ["required", "requiredInputs", "defaults"] {
                if let Some(Value::List(names)) = sorted.get_mut(key) {
                    names.sort_by_key(ToString::to_string);
                }
            }
            if let Some(Value::String(reference)) = sorted.get_mut("$ref")
                && let Some((section, token)) =
                    reference.clone().split_once("s/").filter(|_| reference.starts_with("#/"))
            {
                *reference = format!("{section}s/{}", token.replace("%2F", "/").replace("%2f", "/"));
            }
            sorted.retain(|key, value| match value {
                Value::Bool(truth) => *truth || *key == "default",
                Value::String(text) if *key == "type" && (has_members || !has_values) => text != "object",
                Value::String(text) => !text.is_empty() || *key == "default",
                Value::List(items) => !items.is_empty() || *key == "default",
                Value::Object(entries) => !entries.is_empty() || *key == "default" || !is_left_out(key),
                _ => true,
            });
            Value::Object(sorted.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
        }
        other => other.clone(),
    }
}

/// Whether an object without information may be omitted.
fn is_left_out(key: &str) -> bool {
    matches!(
        key,
        "resources"
            | "functions"
            | "types"
            | "properties"
            | "inputProperties"
            | "config"
            | "variables"
            | "methods"
    )
}

/// The first places where two values differ.
fn differences(old: &Value, new: &Value, at: &str, found: &mut Vec<String>) {
    if found.len() > 8 || old == new {
        return;
    }
    match (old, new) {
        (Value::Object(of_old), Value::Object(of_new)) => {
            for (key, value) in of_old {
                match new.get(key) {
                    Some(other) => differences(value, other, &format!("{at}/{key}"), found),
                    None => found.push(format!("{at}/{key} is gone: {value}")),
                }
            }
            let added = of_new.iter().filter(|(key, _)| old.get(key).is_none());
            found.extend(added.map(|(key, value)| format!("{at}/{key} is new: {value}")));
        }
        _ => found.push(format!("{at}: {old} is {new}")),
    }
}

/// The differences after conversion to a package and back.
fn faults_of_pulumi(schema: &Value) -> Vec<String> {
    let (package, lost) = as_package(schema);
    let (back, more) = as_pulumi_schema(&package);
    let lost = lost.iter().filter(|one| one.kind.code() == LOST).chain(&more);
    let mut found: Vec<String> = lost.map(ToString::to_string).collect();
    found.extend([changes(schema, &back), changes(&back, schema)].concat());
    differences(&canonical(schema), &canonical(&back), "", &mut found);
    found.truncate(8);
    found
}

fn cases() -> Vec<(String, Value)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/package/sources");
    let mut paths: Vec<PathBuf> =
        folder.read_dir().expect("it is there").map(|entry| entry.expect("it is there").path()).collect();
    paths.sort();
    let read = |path: &PathBuf| oracle::read(&std::fs::read(path).expect("it is there")).expect("it is JSON");
    let mut all: Vec<(String, Value)> =
        paths.iter().map(|path| (path.display().to_string(), read(path))).collect();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/tests/api/cases");
    for name in ["terraform", "pulumi", "cloudformation", "kubernetes-crd", "kubernetes-openapi"] {
        let document = read(&folder.join(format!("{name}.json")));
        for key in ["old", "new"] {
            all.push((format!("{name} {key}"), document.get(key).expect("it is there").clone()));
        }
    }
    all
}

#[test]
fn a_schema_and_its_package_have_no_changes() {
    for (name, schema) in cases() {
        let (package, _) = as_package(&schema);
        assert_eq!(verify_as_package(package.clone(), &[]), [], "{name}");
        assert_eq!(changes(&schema, &package).first(), None, "{name}");
        assert_eq!(changes(&package, &schema).first(), None, "{name}");
    }
}

#[test]
fn a_pulumi_schema_comes_back_whole() {
    for (name, schema) in cases() {
        if Dialect::of(&schema) == Some(Dialect::Pulumi) {
            assert_eq!(faults_of_pulumi(&schema), [""; 0], "{name}");
        }
    }
}

/// Parts of schemas that compilers of Pulumi accept, although few schemas have them.
#[test]
fn unusual_parts_of_a_pulumi_schema_come_back() {
    let schema = oracle::read(
        br##"{"name": "example", "version": "1.0.0",
        "types": {
            "example::Kind": {"type": "string", "enum": [{"name": "A", "value": "a"}, {"name": "B", "value": "a"},
                {"value": "b"}, {"name": "C", "value": "b"}]},
            "example:index:Options": {"type": "object", "properties": {"a": {"type": "string"}},
                "required": ["a", "a"]},
            "example:index:Twice": {"type": "object", "properties": {"a": {"type": "string"}},
                "required": ["a", "missing"]}},
        "resources": {
            "example::Foo": {"properties": {"o": {"$ref": "#/types/example::Kind"},
                    "gone": {"$ref": "#/types/example:index:Gone"}, "other": {"$ref": "#/resources/example::Lost"},
                    "list": {"type": "array", "items": {"$ref": "#/types/example::AlsoGone"}},
                    "self": {"$ref": "#/resources/example::Foo"}},
                "inputProperties": {"gone": {"type": "object",
                    "additionalProperties": {"$ref": "#/types/example:index:Gone"}}},
                "requiredInputs": ["gone", "gone"],
                "methods": {"getKubeconfig": "example::Foo/getKubeconfig"}},
            "example:a/b:Bar": {"aliases": [{"type": "example::Foo"}]}},
        "functions": {
            "example::Foo/getKubeconfig": {"inputs": {"type": "object", "properties": {
                    "__self__": {"$ref": "#/resources/example::Lost"}, "p": {"type": "string"}},
                    "required": ["__self__"]},
                "outputs": {"properties": {"k": {"type": "string"}}, "required": ["k"]}},
            "example::parse": {"multiArgumentInputs": ["b", "a"], "inputs": {"properties": {
                    "a": {"type": "string"}, "b": {"type": "string"}}, "required": ["b"]},
                "outputs": {"properties": {"result": {"type": "integer"}, "x": {"$ref": "#/types/example::Kind"}},
                    "required": ["result"]}},
            "example:index:one": {"multiArgumentInputs": ["args"], "inputs": {"properties": {
                    "args": {"$ref": "#/types/example:index:Options"}}},
                "outputs": {"properties": {"args": {"type": "boolean"}}}},
            "example:index:typed": {"multiArgumentInputs": ["a"], "inputs": {"properties": {"a": {"type": "string"}}},
                "outputs": {"type": "string"}},
            "example:index:part": {"multiArgumentInputs": ["a"], "inputs": {"properties": {
                "a": {"type": "string"}, "b": {"type": "string"}}}, "outputs": {"properties": {"c": {"type": "string"}}}}}}"##,
    );
    assert_eq!(faults_of_pulumi(&schema.expect("it is JSON")), [""; 0]);
}

/// All documents below a folder that have a surface.
fn schemas_below(folder: Option<PathBuf>) -> Vec<(String, Value)> {
    let mut pending: Vec<PathBuf> = folder.into_iter().collect();
    let mut found = Vec::new();
    while let Some(path) = pending.pop() {
        if path.is_dir() {
            let entries = path.read_dir().expect("it can be listed");
            pending.extend(entries.map(|entry| entry.expect("it can be listed").path()));
        } else if let Ok(schema) = oracle::read(&std::fs::read(&path).expect("it is there"))
            && surface::read(&schema).is_ok()
        {
            found.push((path.display().to_string(), schema));
        }
    }
    found
}

#[test]
fn every_schema_of_the_corpus_and_its_package_have_no_changes() {
    let mut all = schemas_below(testdata("2-interchange/provider-to-pulumi-schema"));
    all.extend(schemas_below(testdata("2-interchange/crd")));
    if let Some(corpus) = corpus() {
        let index = std::fs::read_to_string(corpus.join("INDEX.tsv")).expect("it is there");
        for row in index.lines().skip(1) {
            let mut cells = row.split('\t');
            let (file, kind) = (cells.next().expect("it is there"), cells.next().expect("it is there"));
            if !["pulumi-schema", "schema", "cfn-resource-schema", "tf-provider-schema"].contains(&kind) {
                continue;
            }
            let document = oracle::read(&std::fs::read(corpus.join(file)).expect("it is there"));
            let Ok(document) = document else { continue };
            if document.kind() == Kind::Object && surface::read(&document).is_ok() {
                all.push((file.to_owned(), document));
            }
        }
    }
    let mut faults = Vec::new();
    for (name, schema) in all {
        if Dialect::of(&schema) == Some(Dialect::Pulumi) {
            faults.extend(faults_of_pulumi(&schema).iter().map(|fault| format!("{name}: {fault}")));
        }
        let (package, _) = as_package(&schema);
        let found = [changes(&schema, &package), changes(&package, &schema)].concat();
        faults.extend(found.first().map(|first| format!("{name}: {} changes, {first}", found.len())));
    }
    assert!(faults.is_empty(), "{faults:#?}");
}
