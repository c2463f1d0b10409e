//! Tests `path`, `impact`, `cycles`, `roots`, `leaves` and `orphans` against all distances of small
//! graphs, and on a long chain.

use crate::fixtures::compiled;
use crate::runs::{run, stdout_of};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// A directory for this `user` alone, with the graph of these edges in it.
fn directory_with(user: &str, count: usize, edges: &[(usize, usize)]) -> PathBuf {
    let mut targets = vec![Vec::new(); count];
    edges.iter().for_each(|&(source, target)| targets[source].push(target));
    let vertex = |(n, targets): (usize, &Vec<usize>)| {
        let properties: Vec<String> =
            targets.iter().enumerate().map(|(at, to)| format!(r##""p{at}":{{"#ref":"r{to}"}}"##)).collect();
        format!(r#""r{n}":{{"type":"t{}","properties":{{{}}}}}"#, n % 3, properties.join(","))
    };
    let vertices: Vec<String> = targets.iter().enumerate().map(vertex).collect();
    let text = format!(r#"{{"package":"p","vertices":{{{}}}}}"#, vertices.join(","));
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(user);
    fs::create_dir_all(&directory).expect("the target directory can be written");
    fs::write(directory.join("graph.coco"), compiled(text.as_bytes())).expect("so can be what is in it");
    directory
}

fn report(directory: &Path, arguments: &[&str]) -> Value {
    let output = run(directory, &[arguments, &["--json"][..]].concat());
    assert!(matches!(output.status.code(), Some(0 | 1)), "{arguments:?}");
    serde_json::from_slice(&output.stdout).expect("the report is JSON")
}

const FAR: usize = usize::MAX / 2;

/// The number of edges from each vertex to each, at least one.
fn distances(count: usize, edges: &[(usize, usize)]) -> Vec<Vec<usize>> {
    let mut distances = vec![vec![FAR; count]; count];
    edges.iter().for_each(|&(source, target)| distances[source][target] = 1);
    for through in 0..count {
        let second = distances[through].clone();
        for known in &mut distances {
            let first = known[through];
            known.iter_mut().zip(&second).for_each(|(known, second)| *known = (*known).min(first + second));
        }
    }
    distances
}

/// Some pairs, the same each time.
fn random_edges(seed: u64, count: usize, edges: usize) -> Vec<(usize, usize)> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).expect("31 bits") % count
    };
    (0..edges).map(|_| (next(), next())).filter(|(source, target)| source != target).collect()
}

#[test]
fn answers_agree_with_the_distances_of_small_graphs() {
    for (seed, count, edges) in [(1, 12, 8), (2, 12, 14), (3, 12, 24), (4, 6, 0)] {
        let edges = random_edges(seed, count, edges);
        let directory = directory_with(&format!("questions-{seed}"), count, &edges);
        let distances = distances(count, &edges);
        for (source, target) in [(0, 1), (3, 2), (5, 0), (4, 5), (1, 4), (2, 3)] {
            let (from, to) = (format!("r{source}"), format!("r{target}"));
            let found = report(&directory, &["path", "graph.coco", &from, &to]);
            match distances[source][target] {
                FAR.. => assert_eq!(found["length"], Value::Null, "{seed}: {from} to {to}"),
                length => {
                    assert_eq!(found["length"], length, "{seed}: {from} to {to}");
                    let path = found["path"].as_array().expect("it is a list");
                    assert_eq!(path.len(), length + 1);
                    assert_eq!((&path[0]["key"], &path[length]["key"]), (&from.into(), &to.into()));
                }
            }
        }
        for target in 0..count {
            let away: Vec<usize> = distances.iter().map(|from| from[target]).collect();
            let affected = (0..count).filter(|&other| other != target && away[other] < FAR).count();
            let found = report(&directory, &["impact", "graph.coco", &format!("r{target}")]);
            assert_eq!(found["count"], affected, "{seed}: r{target}");
            for resource in found["resources"].as_array().expect("it is a list") {
                let key = resource["key"].as_str().expect("it is a text");
                let other: usize = key[1..].parse().expect("it is a number");
                assert_eq!(resource["depth"], away[other], "{seed}: {key} of r{target}");
            }
        }
        ends_and_cycles_agree(&directory, &edges, &distances);
    }
}

fn ends_and_cycles_agree(directory: &Path, edges: &[(usize, usize)], distances: &[Vec<usize>]) {
    let count = distances.len();
    for (command, has_dependencies, has_dependents) in
        [("roots", true, false), ("leaves", false, true), ("orphans", false, false)]
    {
        let is_end = |&vertex: &usize| {
            edges.iter().any(|edge| edge.0 == vertex) == has_dependencies
                && edges.iter().any(|edge| edge.1 == vertex) == has_dependents
        };
        let expected: Vec<String> = (0..count).filter(is_end).map(|vertex| format!("r{vertex}")).collect();
        let found = report(directory, &[command, "graph.coco"]);
        let found = found["resources"].as_array().expect("it is a list");
        let keys: Vec<&str> = found.iter().map(|found| found["key"].as_str().expect("a text")).collect();
        assert_eq!(keys, expected, "{command}");
    }
    let found = report(directory, &["cycles", "graph.coco"]);
    let in_circles = (0..count).filter(|&vertex| distances[vertex][vertex] < FAR).count();
    let mut in_groups = 0;
    for circle in found["cycles"].as_array().expect("it is a list") {
        in_groups += usize::try_from(circle["group"].as_u64().expect("a number")).expect("it is small");
        let keys = circle["keys"].as_array().expect("it is a list");
        for (key, next) in keys.iter().zip(keys.iter().skip(1).chain(&keys[..1])) {
            let number = |key: &Value| key.as_str().expect("a text")[1..].parse::<usize>().expect("a number");
            assert!(edges.contains(&(number(key), number(next))), "{key} to {next}");
        }
    }
    assert_eq!(in_groups, in_circles);
}

#[test]
fn a_long_chain_is_followed_without_recursion() {
    const LENGTH: usize = 20_000;
    let edges: Vec<(usize, usize)> = (1..LENGTH).map(|n| (n - 1, n)).collect();
    let directory = directory_with("questions-chain", LENGTH, &edges);
    let last = format!("r{}", LENGTH - 1);
    let found = report(&directory, &["path", "graph.coco", "r0", &last]);
    assert_eq!(found["length"], LENGTH - 1);
    let found = report(&directory, &["impact", "graph.coco", &last]);
    assert_eq!(
        (&found["count"], &found["types"][0]["farthest"]),
        (&(LENGTH - 1).into(), &(LENGTH - 1).into())
    );
    let table = stdout_of(&directory, &["impact", "graph.coco", &last]);
    let expected = [
        &*last,
        "   all   1  2  3  4  5  6  7      8+  edges away",
        " 6,667   1        1        1   6,664  t0",
        " 6,666         1        1      6,664  t1",
        " 6,666      1        1         6,664  t2",
        "19,999   1  1  1  1  1  1  1  19,992  all",
    ];
    assert_eq!(table.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn edges_can_be_of_some_kinds_and_types_can_stop_the_search() {
    let directory = crate::fixtures::directory("questions-kinds");
    let stack = "Stack::shop-prod";
    let all = report(&directory, &["impact", "stack.coco", stack]);
    let parents = report(&directory, &["impact", "stack.coco", stack, "--kind", "parent"]);
    let stopped = report(&directory, &["impact", "stack.coco", stack, "--stop-at", "Vpc"]);
    assert!(all["count"].as_u64() >= parents["count"].as_u64());
    assert!(all["count"].as_u64() >= stopped["count"].as_u64());
    for arguments in [
        &["impact", "stack.coco", stack, "--kind", "nothing"][..],
        &["cycles", "stack.coco", "--kind", "nothing"],
        &["path", "stack.coco", stack],
    ] {
        assert_eq!(run(&directory, arguments).status.code(), Some(2), "{arguments:?}");
    }
    for command in ["cycles", "roots", "leaves", "orphans"] {
        let output = run(&directory, &[command, "greeter.coco"]);
        assert_eq!(output.status.code(), Some(1));
        assert!(String::from_utf8_lossy(&output.stderr).contains("NO-EDGES"), "{command}");
    }
}

/// A name to which `Fn::Sub` gives a value is no resource there, whatever resources there are.
#[test]
fn names_that_a_template_gives_values_are_no_edges() {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("given-names");
    fs::create_dir_all(&directory).expect("the target directory can be written");
    let template = r#"AWSTemplateFormatVersion: "2010-09-09"
Resources:
  Db: {Type: "AWS::RDS::DBInstance"}
  Net: {Type: "AWS::CloudFormation::Stack"}
  W:
    Type: AWS::EC2::Instance
    Properties:
      B: !Sub ["${Db}-${X}", {Db: shadow, X: !Ref Net}]
  V:
    Type: AWS::EC2::Instance
    Properties:
      B: !Sub ["${Db}", {Db: shadow}]
      C: [!Sub "${Db.Arn}"]
  U:
    Type: AWS::EC2::Instance
    Properties:
      B: !Sub ["${Net} ${Db}", {Net: !Sub ["${Net.Id}", {"Net.Id": x}]}]
"#;
    fs::write(directory.join("t.yaml"), template).expect("so can be what is in it");
    for (key, deps) in [("W", "Net"), ("V", "Db"), ("U", "Db")] {
        assert_eq!(stdout_of(&directory, &["deps", "t.yaml", key, "--list"]).trim(), deps, "{key}");
    }
    assert_eq!(stdout_of(&directory, &["rdeps", "t.yaml", "Db", "--list"]), "V\nU\n");
    assert_eq!(stdout_of(&directory, &["rdeps", "t.yaml", "Net", "--list"]).trim(), "W");
    let filter = r#"[landmark("W") | deps], [landmark("Db") | rdeps]"#;
    assert_eq!(stdout_of(&directory, &["query", "-c", filter, "t.yaml"]), "[\"Net\"]\n[\"V\",\"U\"]\n");
    let graph = report(&directory, &["graph", "t.yaml"]);
    assert_eq!(graph["edges"].as_array().map(Vec::len), Some(3), "{graph}");
}

/// An alias is not a key, but the answer to one names the resources that claim it.
#[test]
fn an_alias_leads_to_the_resources_that_list_it() {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("aliases");
    fs::create_dir_all(&directory).expect("the target directory can be written");
    let urn = |name: &str| format!("urn:pulumi:s::p::t:m:T::{name}");
    let resource = |name: &str, aliases: &[&str]| {
        let aliases: Vec<String> = aliases.iter().map(|name| urn(name)).collect();
        json!({"urn": urn(name), "type": "t:m:T", "custom": true, "aliases": aliases})
    };
    let resources = [resource("a", &["old", "older"]), resource("b", &["old"]), resource("c", &[])];
    let document = json!({"version": 3, "deployment": {"manifest": {}, "resources": resources}});
    fs::write(directory.join("a.json"), document.to_string()).expect("so can be what is in it");
    let asked = |name: &str| {
        let output = run(&directory, &["get", "--json", "a.json", &urn(name)]);
        assert_eq!(output.status.code(), Some(1), "{name}");
        let failure: Value = serde_json::from_slice(&output.stderr).expect("a failure is JSON");
        let failure = &failure["errors"][0];
        (failure["code"].clone(), failure["hint"].clone(), failure["near"].clone())
    };
    let both = json!([urn("a"), urn("b")]);
    assert_eq!(asked("old"), (json!("KEY-MISSING"), json!("it is an alias of 2 resources:"), both));
    let one = json!([urn("a")]);
    assert_eq!(asked("older"), (json!("KEY-MISSING"), json!("it is an alias of this resource:"), one));
    assert_ne!(asked("oldest").1, json!("it is an alias of this resource:"));
}

/// A comparison has no edges to such names.
#[test]
fn names_that_a_template_gives_values_are_no_added_edges() {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("given-names-diff");
    fs::create_dir_all(&directory).expect("the target directory can be written");
    let template = |of_w: &str| {
        let resources = r#""Db": {"Type": "AWS::RDS::DBInstance"}, "Net": {"Type": "AWS::EC2::VPC"}"#;
        let w = format!(r#""W": {{"Type": "AWS::EC2::Instance", "Properties": {{"B": {of_w}}}}}"#);
        format!(r#"{{"AWSTemplateFormatVersion": "2010-09-09", "Resources": {{{resources}, {w}}}}}"#)
    };
    let new = r#"{"Fn::Sub": ["${Db}-${Net}", {"Db": "own"}]}"#;
    for (name, of_w) in [("old.json", r#""b""#), ("new.json", new)] {
        fs::write(directory.join(name), template(of_w)).expect("so can be what is in it");
    }
    let output = run(&directory, &["diff", "--json", "old.json", "new.json"]);
    let report: Value = serde_json::from_slice(&output.stdout).expect("a report is JSON");
    let added = report.pointer("/resources/0/edges/added").expect("W has changed edges");
    assert_eq!(added, &json!([{"kind": "sub", "key": "Net"}]), "{report}");
}
