//! Tests `graph`: the drawn items, that ids are stable, and that no key can end a string of a
//! picture.

use crate::fixtures::compiled;
use crate::runs::{run, stdout_of};
use crate::schema_check::check;
use serde_json::{Value, json};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A directory for this `user` alone, with the graph of these keys, types and dependencies in it.
pub(crate) fn directory_with(user: &str, resources: &[(&str, &str, &[&str])]) -> PathBuf {
    let mut vertices = serde_json::Map::new();
    for (key, type_name, targets) in resources {
        let properties: serde_json::Map<String, Value> =
            targets.iter().enumerate().map(|(at, to)| (format!("p{at}"), json!({"#ref": to}))).collect();
        vertices.insert((*key).to_owned(), json!({"type": type_name, "properties": properties}));
    }
    let text = json!({"package": "p", "vertices": vertices}).to_string();
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(user);
    fs::create_dir_all(&directory).expect("the target directory can be written");
    fs::write(directory.join("graph.coco"), compiled(text.as_bytes())).expect("so can be what is in it");
    directory
}

fn picture(directory: &Path, arguments: &[&str]) -> Value {
    let drawn = stdout_of(directory, &[&["graph", "graph.coco", "--as", "json"][..], arguments].concat());
    serde_json::from_str(&drawn).expect("the picture is JSON")
}

fn keys(picture: &Value) -> Vec<&str> {
    let nodes = picture["nodes"].as_array().expect("it is a list");
    nodes.iter().map(|node| node["key"].as_str().expect("it is a text")).collect()
}

/// The arrows, by the keys of their ends.
fn arrows(picture: &Value) -> Vec<(String, String)> {
    let nodes = picture["nodes"].as_array().expect("it is a list");
    let key = |id: &Value| {
        let node = nodes.iter().find(|node| node["id"] == *id).expect("each end is a box");
        node["key"].as_str().expect("it is a text").to_owned()
    };
    let edges = picture["edges"].as_array().expect("it is a list");
    edges.iter().map(|edge| (key(&edge["from"]), key(&edge["to"]))).collect()
}

fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(from, to)| ((*from).to_owned(), (*to).to_owned())).collect()
}

const SHOP: &[(&str, &str, &[&str])] = &[
    ("vpc", "net", &[]),
    ("subnet", "net", &["vpc"]),
    ("role", "iam", &[]),
    ("db", "data", &["subnet", "vpc"]),
    ("web", "app", &["db", "role", "subnet"]),
    ("alone", "data", &[]),
];

#[test]
fn a_part_of_a_graph_is_selected() {
    let directory = directory_with("pictures-parts", SHOP);
    let ask = |arguments: &[&str]| -> Vec<String> {
        keys(&picture(&directory, arguments)).into_iter().map(str::to_owned).collect()
    };
    assert_eq!(ask(&[]), ["vpc", "subnet", "role", "db", "web", "alone"]);
    assert_eq!(ask(&["--focus", "db"]), ["vpc", "subnet", "db", "web"]);
    assert_eq!(ask(&["--focus", "vpc", "--depth", "1"]), ["vpc", "subnet", "db"]);
    assert_eq!(ask(&["--focus", "subnet", "--up", "0"]), ["vpc", "subnet"]);
    assert_eq!(ask(&["--focus", "subnet", "--down", "0", "--up", "1"]), ["subnet", "db", "web"]);
    assert_eq!(ask(&["--focus", "alone", "--focus", "role"]), ["role", "web", "alone"]);
    assert_eq!(ask(&["--between", "web", "vpc"]), ["vpc", "subnet", "db", "web"]);
    assert_eq!(ask(&["--between", "vpc", "db"]), ["vpc", "subnet", "db"]);
    assert_eq!(ask(&["--type", "net", "--type", "d*"]), ["vpc", "subnet", "db", "alone"]);
    let focused = picture(&directory, &["--focus", "db", "--depth", "0"]);
    assert_eq!((&focused["nodes"][0]["focus"], &focused["edges"]), (&json!(true), &json!([])));
    let nothing = run(&directory, &["graph", "graph.coco", "--between", "alone", "vpc"]);
    assert_eq!(nothing.status.code(), Some(1));
    let refused = run(&directory, &["graph", "graph.coco", "--max-nodes", "5"]);
    assert_eq!(refused.status.code(), Some(7));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("GRAPH-SIZE"));
}

#[test]
fn boxes_are_joined_and_arrows_left_out() {
    let directory = directory_with("pictures-joined", SHOP);
    let reduced = picture(&directory, &["--reduce"]);
    let expected = [("subnet", "vpc"), ("db", "subnet"), ("web", "role"), ("web", "db")];
    assert_eq!(arrows(&reduced), pairs(&expected));
    let joined = picture(&directory, &["--collapse", "type"]);
    assert_eq!(keys(&joined), ["net", "iam", "data", "app"]);
    let counts: Vec<&Value> = joined["nodes"].as_array().unwrap().iter().map(|node| &node["count"]).collect();
    assert_eq!(counts, [2, 1, 2, 1]);
    assert_eq!(arrows(&joined), pairs(&[("data", "net"), ("app", "net"), ("app", "iam"), ("app", "data")]));
    assert_eq!(joined["edges"][0]["count"], 2);
    check(
        &serde_json::from_str(&stdout_of(&directory, &["schema", "graph"])).unwrap(),
        &joined,
        "a collapsed graph",
    );
}

#[test]
fn changes_are_coloured() {
    let directory = directory_with("pictures-old", SHOP);
    let new: &[(&str, &str, &[&str])] = &[
        ("vpc", "net", &[]),
        ("subnet", "net", &["vpc"]),
        ("role", "iam", &["vpc"]),
        ("web", "app", &["role", "subnet"]),
        ("queue", "data", &["subnet"]),
        ("alone", "data", &[]),
    ];
    let newer = directory_with("pictures-new", new);
    fs::rename(newer.join("graph.coco"), directory.join("new.coco")).expect("both are in one folder");
    let ask = |arguments: &[&str]| -> Value {
        let all = [&["graph", "new.coco", "--as", "json", "--changed", "graph.coco"][..], arguments].concat();
        serde_json::from_str(&stdout_of(&directory, &all)).expect("the picture is JSON")
    };
    let changes = |picture: &Value| -> Vec<(String, String)> {
        let nodes = picture["nodes"].as_array().expect("it is a list");
        let changed = nodes.iter().filter(|node| !node["change"].is_null());
        changed
            .map(|node| {
                (node["key"].as_str().unwrap().to_owned(), node["change"].as_str().unwrap().to_owned())
            })
            .collect()
    };
    let expected = [("role", "changed"), ("web", "changed"), ("queue", "created"), ("db", "deleted")];
    let all = ask(&[]);
    assert_eq!(changes(&all), pairs(&expected));
    assert_eq!(keys(&all), ["vpc", "subnet", "role", "web", "queue", "alone", "db"]);
    // The deleted one keeps its arrows to existing ones.
    assert_eq!(arrows(&all)[5..], pairs(&[("db", "vpc"), ("db", "subnet")]));
    assert_eq!(keys(&ask(&["--changed-only"])), ["role", "web", "queue", "db"]);
    assert_eq!(keys(&ask(&["--focus", "role"])), ["vpc", "role", "web", "db"]);
    let dot = stdout_of(&directory, &["graph", "new.coco", "--changed", "graph.coco", "--collapse", "type"]);
    assert!(dot.contains("[label=\"data\\n3 resources, +1 -1\""), "{dot}");
    let mermaid = stdout_of(&directory, &["graph", "new.coco", "--changed", "graph.coco", "--as", "mermaid"]);
    assert!(mermaid.contains("[\"- db\"]") && mermaid.contains(" stroke:#cf222e\n"), "{mermaid}");
    let same = stdout_of(&directory, &["graph", "new.coco", "--changed", "new.coco"]);
    assert_eq!(same, stdout_of(&directory, &["graph", "new.coco"]));
}

#[test]
fn the_id_of_a_box_does_not_depend_on_the_others() {
    let all = picture(&directory_with("pictures-ids", SHOP), &[]);
    let directory = directory_with("pictures-fewer", &[("web", "app", &["vpc"]), ("vpc", "net", &[])]);
    let fewer = picture(&directory, &[]);
    for node in fewer["nodes"].as_array().unwrap() {
        let same = all["nodes"].as_array().unwrap().iter().find(|other| other["key"] == node["key"]).unwrap();
        assert_eq!(same["id"], node["id"]);
    }
    for language in ["dot", "mermaid", "d2", "graphml", "json", "svg"] {
        let drawn = || stdout_of(&directory, &["graph", "graph.coco", "--as", language]);
        assert_eq!(drawn(), drawn(), "{language}");
    }
}

/// Keys with everything that ends a string, a line or a tag in some language.
pub(crate) const HOSTILE: [&str; 19] = [
    "\"",
    "\\",
    "\\\"",
    "a\\",
    "'",
    "''",
    "</script>",
    "]]>",
    "-->",
    "a\nb",
    "a\rb\t",
    "\u{0}\u{1b}[31m",
    "#quot;",
    "&quot;&amp;",
    "\"]; n1 -> n2; x[\"",
    "${x}",
    "`%% comment`",
    "\u{202e}abc\u{2028}",
    "end",
];

#[test]
fn no_key_ends_a_string_of_a_picture() {
    let long = "x\"".repeat(30_000);
    let resources: Vec<(&str, &str, &[&str])> =
        HOSTILE.iter().map(|&key| (key, key, &["\""][..])).chain([(&*long, "t", &[][..])]).collect();
    let directory = directory_with("pictures-hostile", &resources);
    let (boxes, links) = (HOSTILE.len() + 1, HOSTILE.len() - 1);
    for names in ["short", "type", "full"] {
        let draw = |language: &str| {
            let arguments = ["graph", "graph.coco", "--as", language, "--names", names];
            let drawn = stdout_of(&directory, &arguments);
            assert!(!drawn.contains(|c: char| c.is_control() && c != '\n'), "{language}");
            drawn
        };
        // Each box and each arrow is one line of a fixed form.
        let dot = draw("dot");
        let strings = dot_without_strings(&dot);
        assert_eq!(strings.matches(" [label=S, tooltip=S];\n").count(), boxes, "{strings}");
        assert_eq!(strings.matches(" -> ").count(), links, "{strings}");
        assert_eq!(strings.lines().count(), 4 + boxes + links, "{strings}");
        let mermaid = draw("mermaid");
        assert_eq!(mermaid.matches('"').count(), 2 * boxes, "{mermaid}");
        assert_eq!(mermaid.lines().count(), 1 + boxes + links);
        assert!(!mermaid.replace("<br/>", "").contains(['<', '`', '\\']), "{mermaid}");
        let d2 = draw("d2");
        let strings = dot_without_strings(&d2);
        assert_eq!(strings.lines().filter(|line| line.ends_with(": S")).count(), boxes, "{strings}");
        assert_eq!(strings.lines().count(), 1 + boxes + links);
        let graphml = draw("graphml");
        assert_eq!(graphml.matches("<node ").count(), boxes);
        assert_eq!(graphml.matches("</node>").count(), boxes);
        assert_eq!(graphml.matches('<').count(), graphml.matches('>').count());
        let svg = draw("svg");
        assert_eq!((svg.matches("<g ").count(), svg.matches("</g>").count()), (boxes, boxes), "{svg}");
        assert_eq!(svg.matches("<path class=").count(), links);
        assert_eq!(svg.matches("<text ").count(), svg.matches("</text>").count());
        assert!(!svg.contains("</script>"));
        with_graphviz(&dot, boxes, links);
    }
}

/// A text with `S` for each string between double quotes, where a backslash precedes a character
/// that is part of it.
fn dot_without_strings(text: &str) -> String {
    let (mut rest, mut out) = (text.chars(), String::new());
    while let Some(c) = rest.next() {
        if c != '"' {
            out.push(c);
            continue;
        }
        out.push('S');
        while let Some(c) = rest.next().filter(|&c| c != '"') {
            assert_ne!(c, '\n', "a string goes over the end of a line");
            if c == '\\' {
                rest.next();
            }
        }
    }
    out
}

/// Graphviz's reading of the text, if Graphviz is installed.
fn with_graphviz(dot: &str, boxes: usize, links: usize) {
    let mut command = Command::new("dot");
    command.arg("-Tplain").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let Ok(mut child) = command.spawn() else { return coconut_testing::skip("dot") };
    child.stdin.take().expect("it is a pipe").write_all(dot.as_bytes()).expect("it reads all");
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let laid_out = String::from_utf8_lossy(&output.stdout);
    let count = |begin: &str| laid_out.lines().filter(|line| line.starts_with(begin)).count();
    assert_eq!((count("node n"), count("edge n")), (boxes, links), "{laid_out}");
}

#[test]
fn a_secret_key_is_neither_shown_nor_hashed() {
    let directory = crate::fixtures::directory("pictures-secret");
    for language in ["dot", "mermaid", "d2", "graphml", "json", "svg"] {
        let drawn = stdout_of(&directory, &["graph", "secret-resource.coco", "--as", language]);
        assert!(!drawn.contains("canary"), "{language}");
        // The first 12 digits of the SHA-256 of the key.
        assert!(!drawn.contains("n0371c8b39274"), "{language}");
        let revealed =
            stdout_of(&directory, &["graph", "secret-resource.coco", "--as", language, "--reveal"]);
        assert!(revealed.contains("canary"), "{language}");
    }
}
