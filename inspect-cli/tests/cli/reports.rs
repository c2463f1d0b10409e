//! Tests that the output of `--json` matches its schema.

use crate::fixtures;
use crate::runs::{run, stdout_of};
use crate::schema_check::check;
use coconut_codec::Profile;
use coconut_codec::compile::{CompileOptions, LandmarkChoice, compile};
use serde_json::Value;
use std::path::Path;

fn schema(directory: &Path, name: &str) -> Value {
    serde_json::from_str(&stdout_of(directory, &["schema", name])).expect("a schema is JSON")
}

#[test]
fn every_report_has_the_form_of_its_schema() {
    let directory = fixtures::directory("reports");
    let front = "urn:pulumi:prod::shop::aws:ec2/subnet:Subnet::front";
    let runs: &[(&str, &[&str])] = &[
        ("info", &["info", "stack.coco"]),
        ("info", &["info", "catalog.coco"]),
        ("info", &["info", "text.coco"]),
        ("ls", &["ls", "greeter.coco"]),
        ("ls", &["ls", "greeter.coco", "--count"]),
        ("ls", &["ls", "catalog.coco", "--limit", "3"]),
        ("get", &["get", "stack.coco", front]),
        ("get", &["get", "stack.coco", "/checkpoint/stack"]),
        ("diff", &["diff", "stack.coco", "stack-new.coco", "--full", "--fail-on", "none"]),
        ("diff-api", &["diff", "cloud.coco", "cloud-new.coco", "--api", "--fail-on", "none"]),
        ("schema", &["schema"]),
        ("explain", &["explain"]),
        ("explain", &["explain", "SRC-JSON"]),
        ("info", &["info", "stack.json"]),
        ("get", &["get", "greeter.yaml", "greeter/name", "--stats"]),
        ("stat", &["stat", "catalog.coco", "--sizes"]),
        ("find", &["find", "vpc", "stack.coco"]),
        ("find", &["find", "vpc", "stack.coco", "--limit", "1"]),
        ("find", &["find", "vpc", "stack.coco", "--count"]),
        ("deps", &["deps", "stack.coco", front]),
        ("deps", &["rdeps", "stack.coco", front]),
        ("path", &["path", "stack.coco", front, "Stack::shop-prod"]),
        ("query", &["query", "--each", "{key: $key, n: 1.5}", "stack.coco"]),
        ("impact", &["impact", "stack.coco", "Stack::shop-prod"]),
        ("graph", &["graph", "stack.coco"]),
        ("ends", &["roots", "stack.coco"]),
        ("ends", &["leaves", "stack.coco", "--limit", "1"]),
        ("ends", &["leaves", "catalog.coco", "--count"]),
        ("dump-wire", &["dump", "catalog.coco", "--as", "wire"]),
        ("dump-wire", &["dump", "broken.coco", "--as", "wire"]),
        ("dump-wire", &["dump", "stack.coco", "--as", "wire"]),
    ];
    for (name, arguments) in runs {
        let report = stdout_of(&directory, &[arguments, &["--json"][..]].concat());
        let report: Value =
            serde_json::from_str(&report).unwrap_or_else(|error| panic!("{arguments:?}: {error}"));
        check(&schema(&directory, name), &report, &arguments.join(" "));
    }
}

#[test]
fn warnings_have_the_form_of_their_schema() {
    let directory = fixtures::directory("warnings");
    let deep = ["[".repeat(200), "]".repeat(200)].concat();
    std::fs::write(directory.join("deep.coco"), fixtures::compiled(deep.as_bytes())).unwrap();
    let output = run(&directory, &["dump", "deep.coco", "--json"]);
    assert_eq!(output.status.code(), Some(0));
    let warning: Value = serde_json::from_slice(&output.stderr).expect("a warning is a line of JSON");
    check(&schema(&directory, "warning"), &warning, "dump");
    assert_eq!(warning["warning"]["message"], "the document has 200 levels, many JSON readers stop at 128");
}

#[test]
fn verdicts_have_the_form_of_their_schema_whether_good_or_bad() {
    let directory = fixtures::directory("verdicts");
    let output = run(&directory, &["verify", "stack.coco", "broken.coco", "cut.coco", "text.coco", "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let report: Value = serde_json::from_slice(&output.stdout).expect("the report is JSON");
    check(&schema(&directory, "verify"), &report, "verify");
    let verdicts: Vec<bool> =
        report["files"].as_array().unwrap().iter().map(|file| file["ok"].as_bool().unwrap()).collect();
    assert_eq!(verdicts, [true, false, false, true]);
    assert_eq!(report["files"][1]["error"]["code"], "SUM-MISMATCH");
}

#[test]
fn every_line_of_json_lines_has_the_form_of_its_schema() {
    let directory = fixtures::directory("lines");
    let schema = schema(&directory, "dump-jsonl");
    let lines = stdout_of(&directory, &["dump", "catalog.coco", "--as", "jsonl"]);
    assert_eq!(lines.lines().count(), 400);
    for line in lines.lines() {
        check(&schema, &serde_json::from_str(line).expect("a line is JSON"), "a line");
    }
}

#[test]
fn every_failure_has_the_form_of_its_schema_and_its_exit_code() {
    let directory = fixtures::directory("failures");
    let runs: &[(i32, &str, &[&str])] = &[
        (1, "KEY-MISSING", &["get", "stack.coco", "nothing"]),
        (1, "KEY-AMBIGUOUS", &["get", "stack.coco", "urn:pulumi:prod::shop::aws:rds/instance:Instance::db"]),
        (1, "PATH-MISSING", &["dump", "stack.coco", "--path", "/a"]),
        (1, "NO-EDGES", &["deps", "greeter.coco", "greeter"]),
        (2, "FILE-READ", &["info", "nowhere.coco"]),
        (2, "USAGE", &["dump", "stack.coco", "--path", "a"]),
        (2, "USAGE", &["ls", "stack.coco", "--class", "nothing"]),
        (2, "USAGE", &["deps", "stack.coco", "x", "--kind", "nothing"]),
        (2, "USAGE", &["deps", "stack.coco", "x", "--depth", "far"]),
        (2, "USAGE", &["get", "stack.coco"]),
        (2, "USAGE", &["nothing"]),
        (2, "USAGE", &["verify", "--fast", "--deep", "stack.coco"]),
        (2, "USAGE", &["dump", "stack.json", "--bytes", "1..2"]),
        (1, "CODE-MISSING", &["explain", "nothing"]),
        (4, "ENV-EOL", &["ls", "converted.coco"]),
        (4, "TRL-MAGIC", &["ls", "cut.coco"]),
        (4, "SUM-MISMATCH", &["dump", "broken.coco"]),
    ];
    let schema = schema(&directory, "error");
    for (exit, code, arguments) in runs {
        let output = run(&directory, &[arguments, &["--json"][..]].concat());
        assert_eq!(output.status.code(), Some(*exit), "{arguments:?}");
        let report: Value = serde_json::from_slice(&output.stderr).unwrap_or_else(|error| {
            panic!("{arguments:?}: {error}, {}", String::from_utf8_lossy(&output.stderr))
        });
        check(&schema, &report, &arguments.join(" "));
        assert_eq!(report["errors"][0]["code"], *code, "{arguments:?}");
        assert_eq!(report["errors"][0]["exit"], *exit, "{arguments:?}");
    }
}

#[test]
fn every_command_ends_with_the_exit_code_of_the_fault() {
    let directory = fixtures::directory("exits");
    let long = format!(
        "application/vnd.coconut+msgpack; document-type=document; version=1; x={}\n\n",
        "x".repeat(4096)
    );
    let deep =
        format!("application/vnd.coconut+json; document-type=document; version=1\n\n{}", "[".repeat(600));
    std::fs::write(directory.join("long.coco"), long).unwrap();
    std::fs::write(directory.join("deep.coco"), deep).unwrap();
    // A damaged file, the exit code of a command that shows the document, and that of a command
    // that checks it.
    let files = [
        ("stack.coco", 0, 0),
        ("cut.coco", 4, 1),
        ("converted.coco", 4, 1),
        ("stack.json", 0, 0),
        ("text-of-stack.coco", 4, 1),
        ("long.coco", 7, 7),
        ("deep.coco", 7, 7),
        ("nowhere.coco", 2, 2),
        ("folder", 4, 1),
        ("no-documents", 2, 2),
    ];
    std::fs::copy(directory.join("stack.json"), directory.join("text-of-stack.coco")).unwrap();
    for folder in ["folder", "no-documents"] {
        std::fs::create_dir(directory.join(folder)).unwrap();
    }
    for file in ["stack.coco", "cut.coco", "state.json"] {
        std::fs::copy(directory.join(file), directory.join("folder").join(file)).unwrap();
    }
    let key = "urn:pulumi:prod::shop::pulumi:pulumi:Stack::shop-prod";
    let mut wrong = Vec::new();
    for (file, shown, verified) in files {
        let runs: [(&[&str], i32); 9] = [
            (&["info"], shown),
            (&["ls"], shown),
            (&["get", key], shown),
            (&["dump"], shown),
            (&["stat"], shown),
            (&["deps", key], shown),
            (&["rdeps", key], shown),
            (&["verify"], verified),
            (&["verify", "--deep"], verified),
        ];
        for (words, exit) in runs {
            let (command, rest) = words.split_first().expect("a command");
            let arguments = match *command {
                "verify" => [&[*command], rest, &[file]].concat(),
                _ => [&[*command, file], rest].concat(),
            };
            let output = run(&directory, &arguments);
            if output.status.code() != Some(exit) {
                let said = String::from_utf8_lossy(&output.stderr).into_owned();
                wrong.push(format!("{arguments:?}: {:?}, not {exit}: {said}", output.status.code()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn json_is_written_whatever_notation_is_asked_for() {
    let directory = fixtures::directory("notations");
    let key = "greeter:index:greet/access";
    let json_of = |arguments: &[&str]| -> Value {
        let text = stdout_of(&directory, &[arguments, &["--json"]].concat());
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{arguments:?}: {error}"))
    };
    let report = json_of(&["get", "greeter.coco", key]);
    assert_eq!(report["matches"][0]["value"], "public");
    for notation in [&["--raw"][..], &["--as", "yaml"]] {
        assert_eq!(json_of(&[&["get", "greeter.coco", key], notation].concat()), report);
    }
    let document = json_of(&["dump", "greeter.coco"]);
    assert_eq!(json_of(&["dump", "greeter.coco", "--as", "yaml"]), document);
}

#[test]
fn of_a_text_that_was_changed_nothing_is_shown() {
    let directory = fixtures::directory("changed-texts");
    let digest = "3bfc269594ef649228e9a74bab00f042efc91d5acc6fbee31a382e80d42388fe";
    for (text, is_changed) in [("{\"a\": [2]}\n", true), ("2", false)] {
        let digest = if is_changed {
            digest
        } else {
            "D4735E3A265E16EEE03F59718B9B5D03019C07D8B6C51F90DA3A666EEC13AB35"
        };
        let envelope = "application/vnd.coconut+json; document-type=document; version=1; digest=sha-256:";
        std::fs::write(directory.join("text.coco"), format!("{envelope}{digest}\n\n{text}")).unwrap();
        for (arguments, exit) in [
            (&["dump", "text.coco"][..], 4),
            (&["get", "text.coco", ""], 4),
            (&["ls", "text.coco"], 4),
            (&["stat", "text.coco"], 4),
            (&["verify", "text.coco"], 1),
            (&["info", "text.coco"], 0),
        ] {
            let output = run(&directory, arguments);
            let exit = if is_changed { exit } else { 0 };
            assert_eq!(output.status.code(), Some(exit), "{arguments:?} of {text}");
            let printed = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
            assert_eq!(printed.contains("DIG-DIFFERS"), exit > 0, "{arguments:?}: {printed}");
        }
    }
}

#[test]
fn a_digest_of_another_form_is_distinguished_from_that_of_another_text() {
    let directory = fixtures::directory("forms-of-digests");
    let envelope = "application/vnd.coconut+json; document-type=document; version=1; digest=";
    let zeros = format!("sha-256:{:064}", 0);
    for (digest, code) in [("sha-256:00", "ENV-SYNTAX"), (&*zeros, "DIG-DIFFERS")] {
        std::fs::write(directory.join("text.coco"), format!("{envelope}{digest}\n\n[1]")).unwrap();
        let output = run(&directory, &["get", "text.coco", "", "--json"]);
        assert_eq!(output.status.code(), Some(4), "{digest}");
        let report: Value = serde_json::from_slice(&output.stderr).unwrap();
        assert_eq!(report["errors"][0]["code"], code, "{digest}");
        assert_eq!(report["errors"][0]["offset"], envelope.len(), "{digest}");
    }
}

#[test]
fn a_document_that_differs_from_its_source_is_reported_with_the_place() {
    let directory = fixtures::directory("against");
    let text = String::from_utf8(fixtures::source("stack.json")).unwrap();
    let write = |name: &str, text: &str| std::fs::write(directory.join(name), text).unwrap();
    write("changed.json", &text.replace("vpc-01\"}", "vpc-02\"}"));
    write("same.yaml", &text);
    let same = stdout_of(&directory, &["verify", "stack.coco", "--against", "same.yaml"]);
    assert_eq!(same, "stack.coco: ok (frame, checksums, values, source)\n");
    let output = run(&directory, &["verify", "stack.coco", "--against", "changed.json", "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let error = &report["files"][0]["error"];
    assert_eq!(error["pointer"], "/checkpoint/latest/resources/3/inputs/vpcId");
    assert_eq!(error["expected"], "string \"vpc-02\"");
    assert_eq!(error["found"], "string \"vpc-01\"");
    write("other.json", &text.replace("canary-of-pulumi", "canary-of-others"));
    let output = run(&directory, &["verify", "stack.coco", "--against", "other.json"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(!String::from_utf8_lossy(&output.stdout).contains("canary"));
}

/// Compares the text after the envelope of the text encoding, and not the envelope as YAML.
#[test]
fn a_document_is_compared_with_another_by_its_values() {
    let directory = fixtures::directory("against-documents");
    let write = |name: &str, bytes: &[u8]| std::fs::write(directory.join(name), bytes).unwrap();
    let text = std::fs::read(directory.join("text.coco")).unwrap();
    let plain = CompileOptions {
        profile: Profile::Plain,
        landmarks: LandmarkChoice::None,
        ..CompileOptions::default()
    };
    write("plain.coco", &compile(&fixtures::source("stack.json"), &plain).unwrap().bytes);
    for (file, other) in [
        ("stack.coco", "text.coco"),
        ("text.coco", "stack.coco"),
        ("stack.coco", "plain.coco"),
        ("plain.coco", "text.coco"),
    ] {
        let said = stdout_of(&directory, &["verify", file, "--against", other]);
        assert!(said.starts_with(&format!("{file}: ok (")) && said.contains(", source)"), "{said}");
    }
    let changed = String::from_utf8(text.clone()).unwrap().replace("vpc-01\"}", "vpc-02\"}");
    write("changed.coco", changed.as_bytes());
    for (file, other, expected, found) in [
        ("stack.coco", "changed.coco", "vpc-02", "vpc-01"),
        ("changed.coco", "plain.coco", "vpc-01", "vpc-02"),
    ] {
        let output = run(&directory, &["verify", file, "--against", other, "--json"]);
        assert_eq!(output.status.code(), Some(1));
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let error = &report["files"][0]["error"];
        assert_eq!(error["code"], "SOURCE-DIFFERS");
        assert_eq!(error["pointer"], "/checkpoint/latest/resources/3/inputs/vpcId");
        assert_eq!(error["expected"], format!("string \"{expected}\""));
        assert_eq!(error["found"], format!("string \"{found}\""));
    }
    // A wrong digest, line end or mark is reported for the right file, and without its text.
    let zeros = "0".repeat(64);
    let stated = String::from_utf8(text.clone()).unwrap().replacen(
        "version=1",
        &format!("version=1; digest=sha-256:{zeros}"),
        1,
    );
    write("digest.coco", stated.as_bytes());
    write("mark.coco", &[b"\xef\xbb\xbf", &text[..]].concat());
    write("blank.coco", &[b"\n ", &text[..]].concat());
    write("packed.json.xz", b"\xfd7zXZ\0\0\x04");
    let secret =
        r#""4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", "plaintext": canary"#;
    let envelope = "application/vnd.coconut+json; document-type=document; version=1";
    write("small.coco", format!("{envelope}\n\n{{{secret}}}").as_bytes());
    for (other, code) in [
        ("digest.coco", "DIG-DIFFERS"),
        ("mark.coco", "ENV-BOM"),
        ("blank.coco", "ENV-START"),
        ("packed.json.xz", "ENV-COMPRESSED"),
        ("cut.coco", "TRL-MAGIC"),
        ("small.coco", "SRC-JSON"),
    ] {
        let output = run(&directory, &["verify", "stack.coco", "--against", other, "--json"]);
        assert_eq!(output.status.code(), Some(1), "{other}");
        let printed = String::from_utf8(output.stdout).unwrap();
        let report: Value = serde_json::from_str(&printed).unwrap();
        let error = &report["files"][0]["error"];
        assert_eq!((&error["code"], &error["file"]), (&code.into(), &other.into()), "{error}");
        assert!(!printed.contains("canary"), "{printed}");
    }
}
