//! Tests `find`: each place once, under the name that `get` accepts, and no part of a secret.

use crate::fixtures;
use crate::runs::{run, stdout_of};
use coconut_codec::Profile;
use coconut_codec::compile::{CompileOptions, compile};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// A directory for this `user` alone, with this text compiled in each profile.
fn directory_with(user: &str, text: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(user);
    fs::create_dir_all(&directory).expect("the target directory can be written");
    fs::write(directory.join("a.json"), text).expect("so can be what is in it");
    for profile in Profile::ALL {
        let options = CompileOptions { profile, ..CompileOptions::default() };
        let bytes = compile(text.as_bytes(), &options).expect("it is a document").bytes;
        fs::write(directory.join(format!("{}.coco", profile.name())), bytes)
            .expect("so can be what is in it");
    }
    directory
}

fn places(directory: &Path, arguments: &[&str]) -> Vec<Value> {
    let report = stdout_of(directory, &[&["find", "--json"][..], arguments].concat());
    let report: Value = serde_json::from_str(&report).expect("the report is JSON");
    report["places"].as_array().expect("it is a list").clone()
}

/// The pointers of strings and of keys that contain `text`.
fn expected(value: &Value, text: &str, pointer: &str, places: &mut Vec<(String, &'static str)>) {
    match value {
        Value::String(found) if found.contains(text) => places.push((pointer.to_owned(), "value")),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .for_each(|(index, item)| expected(item, text, &format!("{pointer}/{index}"), places)),
        Value::Object(entries) => {
            for (key, value) in entries {
                let pointer = format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1"));
                if key.contains(text) {
                    places.push((pointer.clone(), "key"));
                }
                expected(value, text, &pointer, places);
            }
        }
        _ => {}
    }
}

#[test]
fn each_place_is_found_once_and_in_order() {
    let directory = fixtures::directory("find");
    for (file, source) in
        [("stack.coco", "stack.json"), ("state.coco", "state.json"), ("catalog.coco", "catalog.json")]
    {
        let document: Value = serde_json::from_slice(&fs::read(directory.join(source)).unwrap()).unwrap();
        for text in ["", "a", "vpc", "urn", "db", "item-3", "prod::", "~", "/", "no such text"] {
            let mut all = Vec::new();
            expected(&document, text, "", &mut all);
            if all.is_empty() {
                let output = run(&directory, &["find", text, file, "--reveal"]);
                assert_eq!(output.status.code(), Some(1), "{text} in {file}");
                continue;
            }
            let found = places(&directory, &[text, file, "--reveal"]);
            let found: Vec<(String, &str)> = found
                .iter()
                .map(|place| {
                    (
                        place["path"].as_str().unwrap().to_owned(),
                        if place["in"] == "key" { "key" } else { "value" },
                    )
                })
                .collect();
            assert_eq!(found, all, "{text} in {file}");
            let count = stdout_of(&directory, &["find", text, file, "--reveal", "--count"]);
            assert_eq!(count, format!("{}\n", all.len()), "{text} in {file}");
        }
    }
}

#[test]
fn the_name_of_a_place_leads_get_to_its_text() {
    let directory = fixtures::directory("find-names");
    let mut taken = 0;
    for (file, text) in
        [("stack.coco", "a"), ("state.coco", "a"), ("greeter.coco", "e"), ("catalog.coco", "item-1")]
    {
        for place in places(&directory, &[text, file, "--values"]) {
            let pointer = place["pointer"].as_str().unwrap();
            let name = match (place["key"].as_str(), place["number"].as_u64()) {
                (Some(key), Some(number)) => format!("{key}#{number}{pointer}"),
                (Some(key), None) => format!("{key}{pointer}"),
                (None, _) => pointer.to_owned(),
            };
            // A landmark that is a text itself is found by its pointer.
            let got = stdout_of(&directory, &["get", file, &name, "--raw"]);
            assert_eq!(got.trim_end_matches('\n'), place["text"].as_str().unwrap(), "{name} in {file}");
            taken += 1;
            if taken % 20 == 0 {
                break;
            }
        }
    }
    assert!(taken > 50, "{taken} places");
}

#[test]
fn landmarks_of_one_key_have_their_numbers() {
    let resource =
        |n: usize| format!(r#"{{"urn":"urn:pulumi:s::p::t::same","type":"t","outputs":{{"n":"text {n}"}}}}"#);
    let resources: Vec<String> = (1..4).map(resource).collect();
    let text =
        format!(r#"{{"version":3,"checkpoint":{{"latest":{{"resources":[{}]}}}}}}"#, resources.join(","));
    let directory = directory_with("find-numbers", &text);
    for file in ["full.coco", "transport.coco", "plain.coco", "a.json"] {
        let found = stdout_of(&directory, &["find", "text [23]", "--regex", file]);
        let expected = "urn:pulumi:s::p::t::same#2/outputs/n  \"text 2\"\nurn:pulumi:s::p::t::same#3/outputs/n  \"text 3\"\n";
        assert_eq!(found, expected, "{file}");
    }
}

#[test]
fn a_shared_value_is_found_wherever_it_is_used() {
    let mut value = r#"{"text":"needle in a shared value","other":["hay","hay"]}"#.to_owned();
    for _ in 0..10 {
        value = format!("[{value},{value}]");
    }
    let directory = directory_with("find-shared", &value);
    for file in ["full.coco", "transport.coco", "plain.coco"] {
        assert_eq!(stdout_of(&directory, &["find", "needle", file, "--count"]), "1024\n", "{file}");
        let found = stdout_of(&directory, &["find", "needle", file, "--limit", "2"]);
        let zeros = "/0".repeat(9);
        let text = "/text  \"needle in a shared value\"";
        assert_eq!(found, format!("{zeros}/0{text}\n{zeros}/1{text}\n"), "{file}");
    }
}

#[test]
fn secrets_are_found_only_if_they_are_revealed() {
    let directory = fixtures::directory("find-secrets");
    let document = r#"{"version":3,"checkpoint":{"latest":{"resources":[{"urn":"urn:pulumi:s::p::t::a","type":"t",
        "outputs":{"open":"shared text","p":{"4dabf18193072939515e22adb298388d":
        "1b47061264138c4ac30d75fd1eb44270","plaintext":"hidden text"},
        "q":{"4dabf18193072939515e22adb298388d":"1b47061264138c4ac30d75fd1eb44270","plaintext":"shared text"}}}]}}}"#;
    fs::write(directory.join("a.json"), document).unwrap();
    let output = run(&directory, &["find", "hidden", "a.json"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.is_empty());
    assert_eq!(stdout_of(&directory, &["find", "shared text", "a.json", "--count"]), "1\n");
    assert_eq!(stdout_of(&directory, &["find", "shared text", "a.json", "--count", "--reveal"]), "2\n");
    let hidden = stdout_of(&directory, &["find", "hidden", "a.json", "--reveal"]);
    assert_eq!(hidden, "urn:pulumi:s::p::t::a/outputs/p/plaintext  \"hidden text\"\n");
    // Keys in secrets are not found either; they are keys of landmarks here.
    for file in ["secret-keys.coco", "secret-resource.coco", "secret-ways.coco", "small-secret.coco"] {
        assert_eq!(run(&directory, &["find", "anary", file]).status.code(), Some(1), "{file}");
        assert!(stdout_of(&directory, &["find", "anary", file, "--reveal"]).contains("canary"), "{file}");
    }
}

#[test]
fn of_a_long_text_the_part_around_the_match_is_shown() {
    let long = format!("{}needle{}", "é".repeat(1000), "ü".repeat(1000));
    let directory =
        directory_with("find-long", &format!(r#"{{"a":"{long}","b":"needle\n{}"}}"#, "x".repeat(50)));
    let found = stdout_of(&directory, &["find", "needle", "full.coco"]);
    let shown = format!("…{}needle{}…", "é".repeat(40), "ü".repeat(74));
    assert_eq!(found, format!("/a  \"{shown}\"\n/b  \"needle\\n{}\"\n", "x".repeat(50)));
    assert_eq!(places(&directory, &["needle", "full.coco"])[0]["text"], long);
}

#[test]
fn texts_and_files_are_distinguished() {
    let directory = fixtures::directory("find-arguments");
    let count = |arguments: &[&str]| stdout_of(&directory, &[&["find", "--count"][..], arguments].concat());
    let one = count(&["subnet-01", "stack.coco"]);
    assert_eq!(one, count(&["stack.coco", "subnet-01"]));
    assert_eq!(one, count(&["-e", "subnet-01", "stack.coco"]));
    let two = count(&["subnet-01", "vpc-01", "stack.coco"]);
    assert_eq!(two, count(&["-e", "subnet-01", "-e", "vpc-01", "stack.coco"]));
    assert_ne!(one, two);
    let several = count(&["vpc-01", "stack.coco", "stack.json"]);
    assert_eq!(several.lines().count(), 2, "{several}");
    // An argument with the name of a file is a file, so that a mistake does not become a second
    // text.
    let output = run(&directory, &["find", "vpc-01", "stak.json", "stack.coco"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("stak.json"));
    for wrong in [&["find", "vpc-01"][..], &["find", "--regex", "(", "stack.coco"], &["find"]] {
        assert_eq!(run(&directory, wrong).status.code(), Some(2), "{wrong:?}");
    }
}
