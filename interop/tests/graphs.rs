//! Conversions of resource graphs to other forms.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use coconut_codec::event::ValueSink;
use coconut_codec::text::json::{JsonStyle, Printer};
use coconut_format::Value;
use coconut_format::landmark::Dialect;
use coconut_format::verify::verify_graph;
use coconut_interop::graph::{
    ConversionFinding, ConversionOptions, Form, GraphError, Mappings, Target, push_graph,
};
use coconut_testing::oracle;
use std::path::{Path, PathBuf};

#[path = "graphs/cases.rs"]
mod cases;
#[path = "graphs/corpus.rs"]
mod corpus;
#[path = "graphs/upstream.rs"]
mod upstream;

fn read(path: &Path) -> Value {
    let text = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    oracle::read(&text).unwrap()
}

fn converted_with(
    source: &Value,
    target: Target,
    options: &ConversionOptions<'_>,
) -> Result<(Value, Vec<ConversionFinding>), GraphError> {
    let mut sink = ValueSink::new();
    let findings = push_graph(source, target, options, &mut sink)?;
    Ok((sink.finish().unwrap(), findings))
}

fn converted(source: &Value, target: Target) -> Result<(Value, Vec<ConversionFinding>), GraphError> {
    converted_with(source, target, &ConversionOptions::default())
}

/// A document as indented JSON.
fn text(value: &Value) -> String {
    let mut bytes = Vec::new();
    let mut printer = Printer::new(&mut bytes, JsonStyle::Pretty { indent: 2 }).with_final_newline();
    coconut_codec::event::push(value, &mut printer).unwrap();
    printer.finish().unwrap();
    String::from_utf8(bytes).unwrap()
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let (mut found, mut pending) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = pending.pop() {
        for entry in folder.read_dir().unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { pending.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    found
}

/// The value at a JSON pointer.
fn resolve<'v>(document: &'v Value, pointer: &str) -> Option<&'v Value> {
    let mut keys = coconut_format::pointer::keys(pointer)?;
    keys.try_fold(document, |value, key| match value {
        Value::List(items) => items.get(key.parse::<usize>().ok()?),
        _ => value.get(&key),
    })
}

/// Copies of a resource that are waiting to be deleted share one URN. The keys of all are computed
/// in one pass. Comparing each copy with all others took minutes.
#[test]
fn many_copies_of_a_resource_have_keys_of_their_own() {
    const MANY: usize = 50_000;
    let copy = |id: usize| {
        format!(
            r#"{{"urn": "urn:pulumi:s::p::a:b:C::n", "type": "a:b:C", "custom": true, "id": "{id}", "delete": true}}"#
        )
    };
    let copies: Vec<String> = (0..MANY).map(copy).collect();
    let text = format!(
        r#"{{"version": 3, "deployment": {{"manifest": {{"time": "", "magic": "", "version": ""}}, "resources": [{}]}}}}"#,
        copies.join(",")
    );
    let (graph, findings) = converted(&oracle::read(text.as_bytes()).unwrap(), Target::CocoGl).unwrap();
    assert_eq!(findings.len(), 0, "{:?}", findings.first());
    let resources = resolve(&graph, "/resources").unwrap();
    let Value::Object(resources) = resources else { panic!("{resources:?}") };
    let keys: Vec<&str> = resources.iter().map(|(key, _)| &**key).collect();
    assert_eq!(keys.len(), MANY);
    assert_eq!(keys[..2], ["urn:pulumi:s::p::a:b:C::n", "urn:pulumi:s::p::a:b:C::n#delete-1"]);
}
