//! Lists of changes: whole for scripts, and by resources in all modules.

use crate::runs::run;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// The usual maximum of a list for people, and some more.
const MANY: usize = 10_050;

fn write(folder: &Path, name: &str, document: &Value) {
    fs::write(folder.join(name), document.to_string()).expect("there is room for files");
}

#[test]
fn a_list_for_a_script_is_whole_or_warns() {
    let folder = tempfile::tempdir().expect("there is room for files");
    for (name, size) in [("old.json", 1), ("new.json", 2)] {
        let resource = |n: usize| {
            json!({"mode": "managed", "type": "t", "name": format!("r{n}"), "provider": "p",
                "instances": [{"schema_version": 0, "attributes": {"size": size}}]})
        };
        let resources: Vec<Value> = (0..MANY).map(resource).collect();
        let state = json!({"version": 4, "terraform_version": "1.9.0", "serial": 1, "lineage": "l", "outputs": {},
            "resources": resources});
        write(folder.path(), name, &state);
    }
    let diff = |options: &[&str]| {
        let output = run(folder.path(), &[&["diff", "old.json", "new.json"], options].concat());
        let text = |bytes| String::from_utf8(bytes).expect("what the tool prints is UTF-8");
        (text(output.stdout), text(output.stderr))
    };
    let (names, warnings) = diff(&["--name-only"]);
    assert_eq!((names.lines().count(), &*warnings), (MANY, ""));
    for form in [&["--json"][..], &["--as", "json"]] {
        let (report, warnings) = diff(form);
        let report: Value = serde_json::from_str(&report).expect("a report is JSON");
        assert_eq!(report["resources"].as_array().map(Vec::len), Some(MANY));
        assert_eq!((&report["summary"]["not_shown"], &*warnings), (&json!(0), ""));
    }
    let (lines, warnings) = diff(&["--as", "jsonl"]);
    assert_eq!((lines.lines().count(), &*warnings), (MANY + 1, ""));
    let (text, _) = diff(&[]);
    assert!(text.contains("50 changes not shown"), "{}", text.lines().last().unwrap_or_default());
    for form in [&["--name-only"][..], &["--as", "jsonl"], &["--json"]] {
        let (list, warnings) = diff(&[form, &["--max-changes", "5"]].concat());
        let said = format!("{} changes are not listed (--max-changes)", MANY - 5);
        assert!(warnings.contains(&said), "{form:?}: {warnings}\n{list}");
    }
}

#[test]
fn resources_of_old_modules_are_compared_one_by_one() {
    let folder = tempfile::tempdir().expect("there is room for files");
    let resource = |id: &str| json!({"type": "t", "primary": {"id": id, "attributes": {"id": id}}});
    let state = |root: Value, inner: Value| {
        json!({"version": 3, "terraform_version": "0.11.0", "serial": 1, "lineage": "l", "modules": [
            {"path": ["root"], "outputs": {}, "resources": root, "depends_on": []},
            {"path": ["root", "m"], "outputs": {}, "resources": inner, "depends_on": []}]})
    };
    let a = || json!({"t.a": resource("1")});
    write(folder.path(), "both.json", &state(a(), json!({"t.a": resource("2")})));
    write(folder.path(), "root.json", &state(a(), json!({})));
    write(folder.path(), "inner.json", &state(json!({}), json!({"t.a": resource("2")})));
    let inner = json!({"t.a": resource("3"), "t.b": resource("4")});
    write(folder.path(), "more.json", &state(a(), inner));
    for (new, expected) in [
        ("root.json", "- module.m.t.a\n"),
        ("inner.json", "- t.a\n"),
        ("more.json", "-/+ module.m.t.a\n+ module.m.t.b\n"),
    ] {
        let output = run(folder.path(), &["diff", "both.json", new, "--name-only"]);
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected, "{new}");
    }
}
