//! Small documents of each system, with all of their edges.

use super::*;
use coconut_codec::event::ValueSink;
use coconut_codec::text::{json, yaml};
use coconut_format::Value;
use std::collections::BTreeSet;

mod cloudformation;
mod compose;
mod kubernetes;
mod plan;
mod puppet;
mod state;

/// A YAML value. Several documents become a list.
pub(super) fn yaml(text: &str) -> Value {
    let documents: Vec<Value> = text.split("\n---\n").map(yaml_document).collect();
    match documents.len() {
        1 => documents.into_iter().next().unwrap(),
        _ => Value::List(documents),
    }
}

fn yaml_document(text: &str) -> Value {
    if text.trim().is_empty() {
        return Value::Null;
    }
    let mut sink = ValueSink::default();
    yaml::read(text.as_bytes(), &mut sink, &yaml::YamlOptions::default()).unwrap();
    sink.finish().unwrap()
}

pub(super) fn json(text: &str) -> Value {
    let mut sink = ValueSink::default();
    json::read(text.as_bytes(), &mut sink, &json::JsonOptions::default()).unwrap();
    sink.finish().unwrap()
}

pub(super) fn inferred(document: &Value) -> Import<'_, &Value> {
    infer(document).expect("its edges are only implied").unwrap()
}

/// All edges as texts: `from kind to`.
pub(super) fn edges<'a, N: Node<'a>>(import: &Import<'a, N>) -> BTreeSet<String> {
    let key = |number: u32| &import.resources()[number as usize].key;
    let text = |edge: &Edge| format!("{} {} {}", key(edge.from), edge.kind.name(), key(edge.to));
    let texts: BTreeSet<String> = import.edges().iter().map(text).collect();
    assert_eq!(texts.len(), import.edges().len(), "an edge is there twice");
    texts
}

/// The texts of the lines.
pub(super) fn lines(text: &str) -> BTreeSet<String> {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

/// The missing references as texts: `from kind name at`.
pub(super) fn missing<'a, N: Node<'a>>(import: &Import<'a, N>) -> Vec<String> {
    let key = |number: u32| &import.resources()[number as usize].key;
    let text = |missing: &Missing| {
        format!("{} {} {} {}", key(missing.from), missing.kind.name(), missing.name, missing.at)
    };
    import.missing().iter().map(text).collect()
}

/// The findings as texts: `code subject at`.
pub(super) fn findings<'a, N: Node<'a>>(import: &Import<'a, N>) -> Vec<String> {
    let text =
        |finding: &ImportFinding| format!("{} {} {}", finding.kind.code(), finding.subject, finding.at);
    import.findings().iter().map(text).collect()
}

/// The value at a pointer.
fn value_at<'v>(root: &'v Value, pointer: &str) -> Option<&'v Value> {
    coconut_format::pointer::keys(pointer)?.try_fold(root, |node, key| match node {
        Value::List(items) => items.get(key.parse::<usize>().ok()?),
        node => node.get(&key),
    })
}

/// Checks that the value at each pointer is that of the resource, that each reference is at its
/// place, and that edges and dependents agree.
pub(super) fn check(root: &Value, import: &Import<'_, &Value>) {
    for resource in import.resources() {
        let found = value_at(root, &resource.pointer).expect("the pointer leads somewhere");
        assert!(std::ptr::eq(found, resource.value), "{}", resource.pointer);
        let urn = coconut_format::urn::Urn::parse(&resource.urn).unwrap();
        assert_eq!(urn.type_token(), resource.resource_type, "{}", resource.urn);
    }
    for missing in import.missing() {
        assert!(value_at(root, &missing.at).is_some(), "{}", missing.at);
    }
    let dependents = import.dependents();
    let mut backward: Vec<Edge> = (0..)
        .zip(import.resources())
        .flat_map(|(number, _)| dependents.of_resource(number).to_vec())
        .collect();
    backward.sort_unstable();
    assert_eq!(backward, import.edges());
    let forward: Vec<Edge> =
        (0..).zip(import.resources()).flat_map(|(number, _)| import.dependencies(number).to_vec()).collect();
    assert_eq!(forward, import.edges());
}

/// The document of an import, as a value.
pub(super) fn document<'a, N: Node<'a>>(import: &Import<'a, N>) -> Value {
    let mut sink = ValueSink::default();
    let source = SourceRecord { path: "a.yaml".into(), sha_256: "00".into() };
    import.push(&[source], &mut sink).unwrap();
    sink.finish().unwrap()
}

#[test]
fn the_kinds_of_edges_are_those_of_the_dialect() {
    let edges: Vec<String> =
        EdgeKind::ALL.iter().map(|kind| format!("{0}=0/edges/{0}/*", kind.name())).collect();
    let dialect = coconut_format::landmark::Dialect::named("coconut-import").unwrap();
    assert_eq!(dialect.edges, edges);
}

#[test]
fn a_document_of_an_import_has_its_edges_in_its_index_and_breaks_no_rule() {
    let value = yaml(include_str!("../../tests/fixtures/shop.yaml"));
    let import = inferred(&value);
    let document = document(&import);
    let dialect = coconut_format::landmark::Dialect::of(&document).unwrap();
    assert_eq!(dialect.name, "coconut-import");
    assert_eq!(coconut_format::verify::verify_graph(&document, dialect), []);
    let graph = coconut_format::graph::Graph::new(&document, dialect);
    let mut found = BTreeSet::new();
    for resource in graph.resources() {
        for (kind, dependency) in graph.dependencies(resource) {
            found.insert(format!("{} {kind} {}", resource.key(), dependency.key()));
        }
    }
    let urn = |number: u32| &import.resources()[number as usize].urn;
    let edge = |edge: &Edge| format!("{} {} {}", urn(edge.from), edge.kind.name(), urn(edge.to));
    assert_eq!(found, import.edges().iter().map(edge).collect());
}

#[test]
fn a_document_with_its_own_edges_is_not_imported() {
    for text in [
        "null",
        "[]",
        "[1]",
        "{}",
        r#"{"version": 4, "terraform_version": "1.0.0", "resources": []}"#,
        r#"{"resources": [{"urn": "u", "type": "t"}], "manifest": {}}"#,
        r#"{"name": "aws", "resources": {"a": {"type": "object"}}}"#,
        r#"{"services": {"a": {}}, "resources": {}}"#,
        r#"{"apiVersion": "v1", "kind": "Kustomization"}"#,
    ] {
        assert_eq!(system_of(&json(text)).filter(|_| infer(&json(text)).is_some()), None, "{text}");
    }
}

#[test]
fn a_source_of_another_system_is_refused_with_its_number() {
    let (pod, compose) = (yaml("apiVersion: v1\nkind: Pod\nmetadata: {name: a}"), yaml("services: {a: {}}"));
    let sources = [Source { name: "a", root: &pod }, Source { name: "b", root: &compose }];
    let refused = import(System::Kubernetes, &sources, &Options::default()).unwrap_err();
    assert_eq!(refused, ImportError::OtherSystem { source: 1, expected: System::Kubernetes });
}

#[test]
fn every_finding_has_a_code_of_the_list() {
    let findings = ImportFindingKind::ALL.map(ImportFindingKind::code);
    assert_eq!(CODES[3..], findings);
}
