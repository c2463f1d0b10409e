//! Tests that results about resources are complete, or report what they may lack, and that every
//! printed name leads back to its item.

use crate::fixtures;
use crate::runs::{run, stdout_of};
use coconut_codec::compile::{CompileOptions, LandmarkChoice, compile};
use coconut_format::landmark::LandmarkRule;
use std::fs;
use std::path::{Path, PathBuf};

/// Modules and resources with and without `count` and `for_each`.
const STATE: &str = r#"{"version": 4, "terraform_version": "1.11.4", "resources": [
    {"module": "module.app[0]", "mode": "managed", "type": "aws_db", "name": "db",
     "instances": [{"attributes": {"id": "d0"}}]},
    {"module": "module.app[1]", "mode": "managed", "type": "aws_db", "name": "db",
     "instances": [{"attributes": {"id": "d1"}}]},
    {"mode": "managed", "type": "aws_subnet", "name": "a", "instances": [
        {"index_key": "x", "attributes": {"id": "sx"}, "dependencies": ["aws_vpc.main"]},
        {"index_key": "y", "attributes": {"id": "sy"}, "dependencies": ["aws_vpc.main"]}]},
    {"mode": "managed", "type": "aws_vpc", "name": "main", "instances": [{"attributes": {"id": "v"}}]},
    {"mode": "managed", "type": "aws_web", "name": "one", "instances": [
        {"attributes": {}, "dependencies": ["aws_subnet.a", "module.app.aws_db.db", "aws_gone.x"]}]}]}"#;

/// A directory for this `user` alone, with a source of this text in it.
fn directory_with(user: &str, text: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(user);
    fs::create_dir_all(&directory).expect("the target directory can be written");
    fs::write(directory.join("a.json"), text).expect("so can be what is in it");
    fs::write(directory.join("a.coco"), fixtures::compiled(text.as_bytes())).expect("and this");
    directory
}

#[test]
fn a_resource_and_its_instances_have_the_same_dependents() {
    let directory = directory_with("joined", STATE);
    for file in ["a.json", "a.coco"] {
        let list = |command: &str, key: &str| stdout_of(&directory, &[command, file, key, "--list"]);
        for key in ["aws_subnet.a", r#"aws_subnet.a["x"]"#, "module.app[0].aws_db.db", "module.app.aws_db.db"]
        {
            assert_eq!(list("rdeps", key), "aws_web.one\n", "{key}");
        }
        for key in ["aws_subnet.a", r#"aws_subnet.a["x"]"#] {
            assert_eq!(list("deps", key), "aws_vpc.main\n", "{key}");
        }
        let instances = "aws_subnet.a[\"x\"]\naws_subnet.a[\"y\"]\n";
        assert_eq!(list("rdeps", "aws_vpc.main"), format!("{instances}aws_web.one\n"));
        let tree = stdout_of(&directory, &["rdeps", file, "aws_vpc.main"]);
        assert!(tree.contains("\n└── aws_subnet.a (2 instances)\n    └── aws_web.one\n"), "{tree}");
    }
}

#[test]
fn references_without_a_target_are_reported() {
    let directory = directory_with("nowhere", STATE);
    let place = "    aws_gone.x, at /resources/4/instances/0/dependencies/2\n";
    let tree = stdout_of(&directory, &["deps", "a.coco", "aws_web.one"]);
    assert!(
        tree.ends_with(&format!("1 reference leads nowhere, so the answer may lack something:\n{place}")),
        "{tree}"
    );
    let tree = stdout_of(&directory, &["rdeps", "a.coco", "aws_vpc.main"]);
    assert!(tree.ends_with(place), "{tree}");
    // Those of other resources do not make this answer incomplete.
    let tree = stdout_of(&directory, &["deps", "a.coco", "aws_subnet.a"]);
    assert!(!tree.contains("nowhere"), "{tree}");
    // Lists and numbers are unchanged, and the note is separate.
    let output = run(&directory, &["deps", "a.coco", "aws_web.one", "--count"]);
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "4\n");
    assert!(String::from_utf8(output.stderr).unwrap().contains("aws_gone.x"));
    let report = stdout_of(&directory, &["deps", "a.coco", "aws_web.one", "--json"]);
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["dangling"]["count"], 1);
    assert_eq!(report["dangling"]["first"][0]["target"], "aws_gone.x");
    let info = stdout_of(&directory, &["info", "a.coco"]);
    assert!(info.contains("\nreferences   1 leads nowhere; `deps` and `rdeps` show it\n"), "{info}");
    let info = stdout_of(&directory, &["info", "a.coco", "--json"]);
    assert!(info.contains(r#""dangling":1,"#), "{info}");
}

#[test]
fn a_reference_without_a_target_in_a_secret_is_not_shown() {
    let secret = r##"{"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
        "plaintext": {"#ref": "canary"}}"##;
    let text = format!(
        r#"{{"package": "p", "vertices": {{"a": {{"type": "t", "properties": {{"x": {secret}}}}}}}}}"#
    );
    let directory = directory_with("nowhere-secret", &text);
    for arguments in [&["deps", "a.coco", "a"][..], &["rdeps", "a.coco", "a", "--json"]] {
        let printed = stdout_of(&directory, arguments);
        assert!(printed.contains("[secret]") && !printed.contains("canary"), "{printed}");
    }
}

/// Two resources with one key, each with a different dependency.
const TWICE: &str = r#"{"version": 3, "deployment": {"manifest": {}, "resources": [
    {"urn": "urn:pulumi:p::s::t:m:A::old", "type": "t:m:A"},
    {"urn": "urn:pulumi:p::s::t:m:A::new", "type": "t:m:A"},
    {"urn": "urn:pulumi:p::s::t:m:B::b", "type": "t:m:B", "id": "1",
     "dependencies": ["urn:pulumi:p::s::t:m:A::new"]},
    {"urn": "urn:pulumi:p::s::t:m:B::b", "type": "t:m:B", "id": "2", "delete": true,
     "dependencies": ["urn:pulumi:p::s::t:m:A::old"]}]}}"#;

#[test]
fn each_of_two_resources_with_one_key_can_be_asked_about() {
    let directory = directory_with("twice", TWICE);
    for (key, dependency) in [
        ("urn:pulumi:p::s::t:m:B::b#1", "new"),
        ("urn:pulumi:p::s::t:m:B::b#2", "old"),
        ("B::b#2", "old"),
        ("/deployment/resources/3", "old"),
    ] {
        let list = stdout_of(&directory, &["deps", "a.coco", key, "--list"]);
        assert_eq!(list, format!("urn:pulumi:p::s::t:m:A::{dependency}\n"), "{key}");
    }
    assert_eq!(stdout_of(&directory, &["get", "a.coco", "B::b#2.id"]), "\"2\"\n");
    assert_eq!(
        stdout_of(&directory, &["rdeps", "a.coco", "A::old", "--list"]),
        "urn:pulumi:p::s::t:m:B::b#2\n"
    );
    assert!(stdout_of(&directory, &["rdeps", "a.coco", "A::new"]).contains("└── B::b#1"));
}

/// Follows the advice of the error for an ambiguous name: every name and pointer that it lists.
#[test]
fn the_hints_for_an_ambiguous_key_lead_somewhere() {
    let directory = directory_with("hints", TWICE);
    for name in ["urn:pulumi:p::s::t:m:B::b", "B::b", "b"] {
        for command in ["get", "deps", "rdeps"] {
            let output = run(&directory, &[command, "a.coco", name, "--json"]);
            assert_eq!(output.status.code(), Some(1), "{command} {name}");
            let report: serde_json::Value = serde_json::from_slice(&output.stderr).unwrap();
            assert_eq!(report["errors"][0]["code"], "KEY-AMBIGUOUS");
            let candidates = report["errors"][0]["candidates"].as_array().unwrap();
            assert_eq!(candidates.len(), 2);
            for candidate in candidates {
                let (key, number) = (candidate["key"].as_str().unwrap(), &candidate["number"]);
                let pointer = candidate["pointer"].as_str().unwrap();
                let by_number = stdout_of(&directory, &[command, "a.coco", &format!("{key}#{number}")]);
                assert_eq!(stdout_of(&directory, &[command, "a.coco", pointer]), by_number, "{candidate}");
            }
        }
    }
    // If classes distinguish them, that leads to one, too.
    let rule = LandmarkRule::parse(&["/a/*", "/b/*"], None, &[]).expect("the rule is well formed");
    let options = CompileOptions { landmarks: LandmarkChoice::Rule(rule), ..CompileOptions::default() };
    let compiled = compile(br#"{"a": {"k": 1}, "b": {"k": 2}}"#, &options).expect("it is a document");
    fs::write(directory.join("classes.coco"), compiled.bytes).expect("the directory can be written");
    let said = String::from_utf8(run(&directory, &["get", "classes.coco", "k"]).stderr).unwrap();
    assert!(said.contains("choose one with `--class`, by its number, or by its pointer:"), "{said}");
    for (name, class) in [("k", "a"), ("k", "0"), ("k#1", "a"), ("/a/k", "0")] {
        assert_eq!(stdout_of(&directory, &["get", "classes.coco", name, "--class", class]), "1\n");
    }
    assert_eq!(run(&directory, &["get", "classes.coco", "k#1", "--class", "b"]).status.code(), Some(1));
}

#[test]
fn every_short_name_of_a_tree_is_a_key() {
    let directory = directory_with("short", TWICE);
    let tree = stdout_of(&directory, &["deps", "a.coco", "B::b#1"]);
    let name = tree.lines().nth(1).and_then(|line| line.split(' ').nth(1)).expect("a row");
    assert_eq!(name, "A::new");
    assert_eq!(stdout_of(&directory, &["rdeps", "a.coco", name, "--count"]), "1\n");
}

fn graph(count: usize) -> String {
    let vertices: Vec<String> = (1..=count)
        .map(|n| format!(r##""r{n}": {{"type": "t:m:T{}", "d": {{"#ref": "r0"}}}}"##, n % 2))
        .collect();
    format!(r#"{{"package": "p", "vertices": {{"r0": {{"type": "t:m:R"}}, {}}}}}"#, vertices.join(","))
}

#[test]
fn few_dependents_are_a_line_each_and_many_are_counted_by_type() {
    let directory = directory_with("few", &graph(27));
    assert_eq!(stdout_of(&directory, &["rdeps", "a.coco", "r0"]).lines().count(), 1 + 27 + 1);
    let directory = directory_with("many", &graph(2001));
    let summary = stdout_of(&directory, &["rdeps", "a.coco", "r0"]);
    let lines: Vec<&str> = summary.lines().collect();
    assert_eq!(lines[..4], ["r0", "2,001 resources depend on it", "    1,001 t:m:T1", "    1,000 t:m:T0"]);
    assert!(lines[4].starts_with("  = `--list` prints their keys"), "{summary}");
    let ask = |options: &[&str]| stdout_of(&directory, &[&["rdeps", "a.coco", "r0"][..], options].concat());
    assert_eq!(ask(&["--list"]).lines().count(), 2001);
    assert_eq!(ask(&["--type", "T0", "--count"]), "1000\n");
    assert_eq!(ask(&["--type", "t:*1", "--count"]), "1001\n");
    assert_eq!(ask(&["--type", "0", "--count"]), "0\n");
    assert_eq!(ask(&["--list", "--limit", "3"]), "r1\nr2\nr3\n");
    let tree = ask(&["--limit", "3"]);
    assert_eq!(tree.lines().filter(|line| line.contains("── ")).count(), 3, "{tree}");
    assert!(tree.contains("\n  = 3 of them are shown; `--list` prints the keys of all\n"), "{tree}");
}

/// A deployment that reads a map, and a service that selects it. Only names and labels show this.
const MANIFESTS: &str = r#"{"apiVersion": "v1", "kind": "List", "items": [
    {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings", "namespace": "shop"}},
    {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "shop"},
     "spec": {"selector": {"matchLabels": {"app": "web"}}, "template": {"metadata": {"labels": {"app": "web"}},
        "spec": {"containers": [{"name": "c", "image": "i", "envFrom": [
            {"configMapRef": {"name": "settings"}}, {"configMapRef": {"name": "lost"}}]}]}}}},
    {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web", "namespace": "shop"},
     "spec": {"selector": {"app": "web"}}}]}"#;

#[test]
fn edges_that_are_only_implied_are_inferred_and_called_so() {
    let directory = directory_with("inferred", MANIFESTS);
    for file in ["a.json", "a.coco"] {
        let list = |command: &str, key: &str| stdout_of(&directory, &[command, file, key, "--list"]);
        assert_eq!(list("deps", "Deployment/shop/web"), "ConfigMap/shop/settings\n");
        assert_eq!(list("deps", "/items/1"), "ConfigMap/shop/settings\n");
        assert_eq!(list("deps", "/items/1/spec/template"), "ConfigMap/shop/settings\n");
        let dependents = list("rdeps", "ConfigMap/shop/settings");
        assert_eq!(dependents, "Deployment/shop/web\nService/shop/web\n");
        let tree = stdout_of(&directory, &["deps", file, "Deployment/shop/web"]);
        assert!(tree.contains("── ConfigMap/shop/settings (config-map)\n"), "{tree}");
        assert!(tree.contains("\n1 reference leads nowhere, so the answer may lack something:\n"), "{tree}");
        let last = tree.lines().last();
        assert_eq!(last, Some("the edges are inferred (kubernetes-1); the document does not say them"));
        let report = stdout_of(&directory, &["rdeps", file, "ConfigMap/shop/settings", "--json"]);
        assert!(report.contains(r#""inferred_by":"kubernetes-1""#), "{report}");
        let refused = run(&directory, &["deps", file, "Deployment/shop/wbe"]);
        assert_eq!(refused.status.code(), Some(1));
    }
}

/// A state as Terraform 0.12 left it after an upgrade from version 3.
#[test]
fn dependencies_of_old_states_count_in_their_module() {
    let text = r#"{"version": 4, "terraform_version": "0.12.0", "serial": 0, "resources": [
        {"mode": "managed", "type": "t", "name": "bar", "instances": [{"attributes_flat": {}, "depends_on": ["t.foo"]}]},
        {"mode": "managed", "type": "t", "name": "foo", "instances": [
            {"index_key": 0, "attributes_flat": {}}, {"index_key": 1, "attributes_flat": {}}]},
        {"module": "module.m", "mode": "managed", "type": "t", "name": "foo", "instances": [{"attributes_flat": {}}]}]}"#;
    let directory = directory_with("old-state", text);
    let list = |command: &str, key: &str| stdout_of(&directory, &[command, "a.coco", key, "--list"]);
    assert_eq!(list("deps", "t.bar"), "t.foo[0]\nt.foo[1]\n");
    for key in ["t.foo", "t.foo[1]"] {
        assert_eq!(list("rdeps", key), "t.bar\n", "{key}");
    }
    assert_eq!(list("rdeps", "module.m.t.foo"), "");
    let last = stdout_of(&directory, &["deps", "a.coco", "t.bar"]);
    assert!(
        last.ends_with("the edges are inferred (terraform-state-1); the document does not say them\n"),
        "{last}"
    );
}

#[test]
fn get_accepts_the_output_of_ls() {
    for (user, text) in [("ls-state", STATE), ("ls-twice", TWICE), ("ls-manifests", MANIFESTS)] {
        let directory = directory_with(user, text);
        let keys = stdout_of(&directory, &["ls", "a.coco"]);
        assert!(keys.lines().count() > 2, "{keys}");
        for key in keys.lines() {
            stdout_of(&directory, &["get", "a.coco", key]);
        }
    }
    let directory = directory_with("ls-options", STATE);
    let ls = |options: &[&str]| stdout_of(&directory, &[&["ls", "a.coco"][..], options].concat());
    assert_eq!(ls(&["--type", "aws_vpc"]), "aws_vpc.main\n");
    assert_eq!(ls(&["AWS_VPC.{main,other}*", "-i"]), "aws_vpc.main\n");
    assert_eq!(ls(&["aws_subnet.a[*"]).lines().count(), 2);
    assert_eq!(ls(&["aws_[vw]*", "--count"]), "2\n");
    assert_eq!(ls(&["aws_vpc*", "--long"]), "resources aws_vpc.main  aws_vpc\n");
}

/// The hint of a failure, and the texts of the list below it.
fn hint_of(directory: &Path, arguments: &[&str]) -> (String, Vec<String>) {
    let output = run(directory, &[arguments, &["--json"]].concat());
    assert!(!output.status.success(), "{arguments:?}");
    let report: serde_json::Value = serde_json::from_slice(&output.stderr).expect("a report");
    let error = &report["errors"][0];
    let list = ["near", "classes"].iter().find_map(|name| error[name].as_array());
    let list = list.into_iter().flatten().filter_map(|item| item.as_str().map(str::to_owned));
    (error["hint"].as_str().unwrap_or_default().to_owned(), list.collect())
}

#[test]
fn every_hint_about_a_question_leads_somewhere() {
    let directory = fixtures::directory("hints-followed");
    let front = "urn:pulumi:prod::shop::aws:ec2/subnet:Subnet::front";
    let follow = |arguments: &[&str]| stdout_of(&directory, arguments);

    let (hint, near) =
        hint_of(&directory, &["get", "stack.coco", "urn:pulumi:prod::shop::aws:ec2/subnet:Subnet::fornt"]);
    assert_eq!((hint.as_str(), &near[..]), ("similar keys:", &[front.to_owned()][..]));
    follow(&["get", "stack.coco", &near[0]]);
    let (hint, near) = hint_of(&directory, &["deps", "stack.coco", "zzzz"]);
    assert_eq!((hint.as_str(), near.len()), ("`ls` lists all 6 keys", 0));
    assert_eq!(follow(&["ls", "stack.coco"]).lines().count(), 6);
    let (hint, _) = hint_of(&directory, &["deps", "stack.coco", "/version"]);
    assert_eq!(hint, "`ls` lists the landmarks");

    let (hint, near) = hint_of(&directory, &["get", "stack.coco", &format!("{front}/input")]);
    assert_eq!((hint.as_str(), &near[..]), ("similar keys:", &["inputs".to_owned()][..]));
    follow(&["get", "stack.coco", &format!("{front}/inputs")]);
    let (hint, near) = hint_of(&directory, &["get", "stack.coco", &format!("{front}/xyz")]);
    assert_eq!(hint, "it has, among others:");
    near.iter().for_each(|key| drop(follow(&["get", "stack.coco", &format!("{front}/{key}")])));
    let (hint, _) = hint_of(&directory, &["get", "small.coco", "a"]);
    assert_eq!(
        hint,
        "the document has no landmarks; name a value by its JSON pointer from the root, `/a/0/b`"
    );
    follow(&["get", "small.coco", "/a/0"]);
    let (hint, _) = hint_of(&directory, &["dump", "small.coco", "--path", "a"]);
    assert_eq!(hint, "a JSON pointer is empty or begins with `/`");
    follow(&["dump", "small.coco", "--path", "/a"]);

    let (hint, classes) = hint_of(&directory, &["ls", "greeter.coco", "--class", "none"]);
    assert_eq!((hint.as_str(), classes.len()), ("use the number, word or pattern of a class:", 4));
    for words in classes.iter().flat_map(|class| class.split(' ')) {
        follow(&["ls", "greeter.coco", "--class", words]);
    }
    let (hint, _) = hint_of(&directory, &["deps", "stack.coco", front, "--kind", "none"]);
    let kinds: Vec<&str> = hint.strip_prefix("the kinds are ").expect("a list").split(", ").collect();
    assert_eq!(kinds.len(), 7);
    kinds.iter().for_each(|kind| drop(follow(&["deps", "stack.coco", front, "--kind", kind])));

    let secret = "aws_db_instance.db/instances/0/attributes/users/0/key";
    // With `--json`, `--raw` has no effect, and the mask shows that it is a secret.
    let output = run(&directory, &["get", "state.coco", secret, "--raw"]);
    assert!(String::from_utf8_lossy(&output.stderr).ends_with("\n  = use `--reveal` to print it\n"));
    follow(&["get", "state.coco", secret, "--raw", "--reveal"]);
    let (hint, _) = hint_of(&directory, &["explain", "NONE"]);
    assert_eq!(hint, "`explain` lists all codes");
    assert!(follow(&["explain"]).contains("\nGRF-CYCLE "));
    let (hint, _) = hint_of(&directory, &["schema", "none"]);
    assert_eq!(hint, "`schema` lists them");
    follow(&["schema"]);
    let (hint, _) = hint_of(&directory, &["info", "cut.coco"]);
    assert!(hint.contains("`dump --as wire`"), "{hint}");
    follow(&["dump", "cut.coco", "--as", "wire"]);
}

#[test]
#[cfg(unix)]
fn a_name_of_a_file_stays_in_its_column_and_sends_nothing_to_the_terminal() {
    let directory = directory_with("columns", STATE);
    let name = "a\u{1b}[2J\tb\nc.json";
    fs::write(directory.join(name), STATE).expect("the directory can be written");
    let escaped = "a\\u{1b}[2J\\tb\\nc.json";
    let listed = stdout_of(&directory, &["ls", name, "a.json", "aws_vpc.main", "--color", "always"]);
    assert!(listed.contains(escaped) && !listed.contains(name), "{listed}");
    let shown = stdout_of(&directory, &["info", name, "a.json"]);
    assert!(shown.starts_with(&format!("==> {escaped} <==\n")), "{shown}");
}

#[test]
fn undamaged_parts_of_a_damaged_file_can_be_looked_up() {
    let item = |n: usize| {
        format!(
            r#"{{"urn":"item-{n}","type":"shop:index:Item","outputs":{{"name":"unique {n} {:x}"}}}}"#,
            n * n * 7919
        )
    };
    let items: Vec<String> = (0..3000).map(item).collect();
    let named: Vec<String> =
        (0..3000).map(|n| format!(r#""n{n}":{}"#, item(n).replace("urn", "id"))).collect();
    let documents = [
        (format!(r#"{{"manifest":{{"version":"1"}},"resources":[{}]}}"#, items.join(",")), "item-"),
        (format!(r#"{{"resources":{{{}}}}}"#, named.join(",")), "n"),
    ];
    for (text, prefix) in documents {
        let directory = directory_with("intact", &text);
        let mut bytes = fixtures::compiled(text.as_bytes());
        let place = bytes.windows(12).position(|bytes| bytes == b"unique 1500 ").expect("it is a value");
        bytes[place] ^= 1;
        fs::write(directory.join("broken.coco"), bytes).expect("the directory can be written");
        for number in [3usize, 2900] {
            let key = format!("{prefix}{number}/outputs/name");
            let printed = stdout_of(&directory, &["get", "broken.coco", &key, "--raw"]);
            assert_eq!(printed, format!("unique {number} {:x}\n", number * number * 7919));
        }
        let output = run(&directory, &["get", "broken.coco", &format!("{prefix}1500")]);
        assert_eq!(output.status.code(), Some(4));
        assert!(String::from_utf8(output.stderr).expect("a message").starts_with("error[SUM-MISMATCH]"));
    }
}
