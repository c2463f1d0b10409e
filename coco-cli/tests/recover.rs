//! Tests that `coco recover` writes each undamaged record, and lists the others.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn coco(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_coco"));
    command.current_dir(folder).args(arguments).env("COCONUT_CACHE_DIR", folder.join("cache"));
    command.output().unwrap()
}

/// A record whose text is nowhere else.
fn record(n: u64) -> Value {
    json!({"urn": format!("item-{n}"), "type": "shop:index:Item", "outputs": {"name": format!("unique {n} {:x}", n * n * 7919)}})
}

/// Compiles the document with the byte after `text` changed, and recovers it. Returns the result,
/// the report, and the folder.
#[track_caller]
fn recovered(document: &Value, text: &str) -> (Value, Value) {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("a.json"), document.to_string()).unwrap();
    assert!(coco(folder.path(), &["pack", "build", "a.json", "-q"]).status.success());
    let mut bytes = fs::read(at("a.coco")).unwrap();
    let place = bytes.windows(text.len()).position(|bytes| bytes == text.as_bytes()).unwrap();
    bytes[place] ^= 1;
    fs::write(at("a.coco"), bytes).unwrap();
    let output = coco(folder.path(), &["recover", "a.coco", "-o", "b.json", "--json"]);
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    let result = serde_json::from_slice(&fs::read(at("b.json")).unwrap()).unwrap();
    (result, serde_json::from_slice(&output.stdout).unwrap())
}

#[test]
fn records_of_a_list_after_damage_are_recovered() {
    let all: Vec<Value> = (0..3000).map(record).collect();
    let document = json!({"manifest": {"version": "1"}, "resources": all});
    let (result, report) = recovered(&document, "unique 1500 ");
    assert_eq!(report["landmarks"], 3000);
    let lost: Vec<u64> =
        report["lost"].as_array().unwrap().iter().map(|lost| lost["ordinal"].as_u64().unwrap()).collect();
    assert!(lost.contains(&1500) && lost.len() < 200, "{lost:?}");
    assert_eq!(report["gaps"], json!([]));
    let whole: Vec<&Value> =
        (0..).zip(&all).filter(|(n, _)| !lost.contains(n)).map(|(_, record)| record).collect();
    assert_eq!(result["resources"], json!(whole));
    assert_eq!(result["manifest"], document["manifest"]);
}

#[test]
fn entries_of_an_object_after_damage_are_recovered_under_their_names() {
    let all: serde_json::Map<String, Value> =
        (0..3000).map(|n| (format!("n{n}"), json!({"text": record(n)["outputs"]["name"]}))).collect();
    let document = json!({"resources": all, "zone": "the end"});
    let (result, report) = recovered(&document, "unique 1500 ");
    let lost = report["lost"].as_array().unwrap().len();
    let entries = result["resources"].as_object().unwrap();
    assert_eq!(entries.len(), 3000 - lost);
    assert!(entries.iter().all(|(name, value)| all[name] == *value));
    assert!(entries.contains_key("n3") && entries.contains_key("n2999") && !entries.contains_key("n1500"));
    // Nothing leads to the data after the object.
    assert_eq!(report["gaps"][0]["pointer"], "");
}
