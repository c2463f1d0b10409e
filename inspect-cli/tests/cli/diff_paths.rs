//! Tests that `diff --path` sees the places inside what came or went as a whole.

use crate::fixtures;
use crate::runs::run;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The scalars and empty containers of a value, by their places.
fn leaves(value: &Value, place: &str, found: &mut BTreeMap<String, String>) {
    match value {
        Value::Object(entries) if !entries.is_empty() => {
            entries.iter().for_each(|(key, value)| leaves(value, &format!("{place}/{key}"), found));
        }
        scalar => {
            found.insert(place.to_owned(), scalar.to_string());
        }
    }
}

fn exit(directory: &Path, path: &str, files: [&str; 2]) -> (i32, String) {
    let output = run(directory, &["diff", "--path", path, files[0], files[1]]);
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    (output.status.code().expect("it ends by itself"), text)
}

/// Every place whose value differs is found under its own path, and no other place is.
#[test]
fn a_place_differs_if_its_value_does() {
    let directory = fixtures::directory("diff-places");
    let values = [
        json!({"a": {"b": {"c": 1, "d": {}}, "x": "t"}, "z": 1}),
        json!({"a": {"b": null, "x": {"t": {"u": 2}}}, "z": 1}),
        json!({"a": {}, "z": 1}),
        json!({"a": "text", "y": {"b": {"c": 1}}, "z": 1}),
        json!({"z": 1}),
        json!({"z": 1, "a": {"b": {"c": 2, "d": {"e": 1}}}}),
    ];
    let name = |n: usize| format!("v{n}.json");
    for (n, value) in values.iter().enumerate() {
        fs::write(directory.join(name(n)), value.to_string()).expect("the directory can be written");
    }
    for (a, old) in values.iter().enumerate() {
        for (b, new) in values.iter().enumerate() {
            let (mut of_old, mut of_new) = (BTreeMap::new(), BTreeMap::new());
            leaves(old, "", &mut of_old);
            leaves(new, "", &mut of_new);
            for place in of_old.keys().chain(of_new.keys()) {
                let is_same = of_old.get(place) == of_new.get(place);
                let steps = place.split('/').count() - 1;
                let last = place.rsplit('/').next().expect("a place has a step");
                for path in [place.clone(), "/*".repeat(steps), format!("/**/{last}")] {
                    let found = exit(&directory, &path, [&name(a), &name(b)]);
                    if !is_same {
                        assert_eq!(found.0, 1, "{path} of {old} and {new}: {}", found.1);
                    } else if path == *place {
                        assert_eq!(found.0, 0, "{path} of {old} and {new}: {}", found.1);
                    }
                }
            }
        }
    }
}

fn pulumi(resources: &[Value]) -> String {
    json!({"version": 3, "checkpoint": {"stack": "s", "latest": {
        "manifest": {"time": "t", "magic": "m", "version": "v"}, "resources": resources}}})
    .to_string()
}

#[test]
fn a_place_in_a_created_or_deleted_resource_or_item_is_found() {
    let directory = fixtures::directory("diff-wholes");
    let write = |name: &str, text: String| fs::write(directory.join(name), text).expect("it can be written");
    let resource = |name: &str, inputs: Value| json!({"urn": format!("urn:pulumi:s::p::t:m:T::{name}"), "type": "t:m:T", "inputs": inputs, "outputs": {}});
    let secret = json!({"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", "plaintext": "{\"hidden\": 1}"});
    let rules = json!([{"port": 22, "cidr": "10/8"}]);
    write("none.json", pulumi(&[]));
    write("plain.json", pulumi(&[resource("a", json!({"x": 1}))]));
    write("tags.json", pulumi(&[resource("a", json!({"x": 1, "tags": {"Team": "x"}}))]));
    write("rules.json", pulumi(&[resource("a", json!({"x": 1, "rules": rules}))]));
    write("both.json", pulumi(&[resource("a", json!({"x": 1})), resource("b", json!({"rules": rules}))]));
    write("secret.json", pulumi(&[resource("a", json!({"x": 1, "p": secret}))]));
    let tf = |instances: Value| {
        json!({"version": 4, "terraform_version": "1.5.0", "serial": 1, "lineage": "x", "outputs": {}, "resources": [
            {"mode": "managed", "type": "t", "name": "n", "provider": "p", "instances": instances}]})
        .to_string()
    };
    let instance =
        |key: u8| json!({"index_key": key, "schema_version": 0, "attributes": {"port": 22, "l": [{"v": 1}]}});
    write("one.tfstate", tf(json!([instance(0)])));
    write("two.tfstate", tf(json!([instance(0), instance(1)])));
    write("gone.tfstate", tf(json!([])));
    for (old, new, paths, others) in [
        (
            "plain.json",
            "tags.json",
            &["/inputs/tags", "/inputs/tags/Team", "/inputs/tags/*", "/**/Team", "/inputs/*/Team"][..],
            &["/inputs/tags/Other", "/inputs/Team"][..],
        ),
        (
            "plain.json",
            "rules.json",
            &["/inputs/rules/*/port", "/inputs/rules/0/cidr", "/**/port"],
            &["/inputs/rules/1/port"],
        ),
        (
            "plain.json",
            "both.json",
            &["/**/port", "/inputs/rules", "/type", "/inputs/*/0/port"],
            &["/**/x", "/outputs/y"],
        ),
        ("none.json", "both.json", &["/**/port", "/**/x", "/urn"], &["/**/y"]),
        // Whether a secret has this entry is not shown.
        (
            "plain.json",
            "secret.json",
            &["/inputs/p/plaintext", "/inputs/p/plaintext/other", "/**/hidden", "/inputs/*"],
            &["/inputs/p/hidden", "/inputs/q"],
        ),
        ("one.tfstate", "two.tfstate", &["/**/port", "/instances/*/attributes/l/*/v"], &["/**/w"]),
        ("gone.tfstate", "one.tfstate", &["/**/port", "/instances/*/attributes/port"], &["/**/w"]),
    ] {
        for files in [[old, new], [new, old]] {
            for (path, expected) in
                paths.iter().map(|path| (path, 1)).chain(others.iter().map(|path| (path, 0)))
            {
                let found = exit(&directory, path, files);
                assert_eq!(found.0, expected, "{path} of {files:?}: {}", found.1);
                assert!(
                    !found.1.contains("hidden") || path.contains("hidden"),
                    "{path} of {files:?}: {}",
                    found.1
                );
            }
        }
    }
}

#[test]
fn states_that_are_not_an_old_and_a_new_one_are_named() {
    let directory = fixtures::directory("other-states");
    let state = |name: &str, lineage: &str, serial: u8| {
        let state = json!({"version": 4, "terraform_version": "1.5.0", "serial": serial, "lineage": lineage,
            "outputs": {}, "resources": []});
        fs::write(directory.join(name), state.to_string()).expect("it can be written");
    };
    state("a3.tfstate", "a", 3);
    state("a7.tfstate", "a", 7);
    state("b9.tfstate", "b", 9);
    for (old, new, warning) in [
        ("a3.tfstate", "a7.tfstate", ""),
        ("a7.tfstate", "a3.tfstate", "the serial goes backwards, from 7 to 3"),
        ("a3.tfstate", "b9.tfstate", "the states have different lineages"),
        ("b9.tfstate", "b9.tfstate", ""),
    ] {
        let output = run(&directory, &["diff", old, new]);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{old} {new}: {stderr}");
        assert_eq!(stderr.is_empty(), warning.is_empty(), "{old} {new}: {stderr}");
        assert!(stderr.contains(warning), "{old} {new}: {stderr}");
    }
}
