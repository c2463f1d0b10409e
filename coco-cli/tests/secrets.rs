//! Tests that no command shows what a document marks as secret. Every command gets the same
//! question: two documents of each dialect with marks, in which only secrets have the word
//! `canary`.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;

const CANARY: &str = "canary";

/// Documents with secrets. `%C` is the text of a secret, `%S` a signed secret of Pulumi, `%Q` the
/// same as text in JSON, `%N` a number that differs, and `%U` the beginning of a URN.
const DOCUMENTS: [(&str, &str); 12] = [
    (
        "stack.json",
        r#"{"version": 3, "checkpoint": {"stack": "s", "config": {"a:k": {"secure": "%C"}}, "latest": {
            "manifest": {"time": "t", "magic": "m", "version": "v"}, "resources": [
            {"urn": "%Upulumi:pulumi:Stack::p", "custom": false, "type": "pulumi:pulumi:Stack",
                "outputs": {"o": %S}},
            {"urn": "%Ux:y:Z::db", "custom": true, "id": "%C-id", "type": "x:y:Z",
                "parent": "%Upulumi:pulumi:Stack::p", "inputs": {"n": %N, "p": %S, "j": "{\"p\": %Q}"},
                "outputs": {"q": "%C", "id": %S, "n": %N}, "additionalSecretOutputs": ["q"],
                "dependencies": ["%Upulumi:pulumi:Stack::p"]}]}}}"#,
    ),
    (
        "state.json",
        r#"{"version": 4, "terraform_version": "1.9", "serial": %N, "lineage": "l",
            "outputs": {"o": {"value": "%C", "type": "string", "sensitive": true}}, "resources": [
            {"mode": "managed", "type": "aws_db", "name": "db", "provider": "provider[\"p\"]", "instances": [
                {"schema_version": 0, "attributes": {"id": "i", "n": %N, "p": "%C", "l": [{"k": "%C"}]},
                "sensitive_attributes": [[{"type": "get_attr", "value": "p"}],
                    [{"type": "get_attr", "value": "l"},
                    {"type": "index", "value": {"type": "number", "value": 0}},
                    {"type": "get_attr", "value": "k"}]]}]}]}"#,
    ),
    (
        "old.json",
        r#"{"version": 3, "terraform_version": "0.11", "serial": %N, "modules": [{"path": ["root"],
            "outputs": {"o": {"sensitive": true, "type": "string", "value": "%C"}},
            "resources": {"a.b": {"type": "a", "primary": {"id": "x", "attributes": {"n": "%N"}}}}}]}"#,
    ),
    (
        "show.json",
        r#"{"format_version": "1.0", "terraform_version": "1.9", "values": {
            "outputs": {"o": {"sensitive": true, "type": "string", "value": "%C"}},
            "root_module": {"resources": [{"address": "a.b", "mode": "managed", "type": "a", "name": "b",
                "provider_name": "p", "values": {"n": %N, "p": "%C"}, "sensitive_values": {"p": true}}]}}}"#,
    ),
    (
        "plan.json",
        r#"{"format_version": "1.2", "terraform_version": "1.9", "variables": {"v": {"value": "%C"}},
            "planned_values": {"outputs": {"o": {"sensitive": true, "value": "%C"}}},
            "resource_changes": [{"address": "a.b", "mode": "managed", "type": "a", "name": "b",
                "provider_name": "p", "change": {"actions": ["update"], "before": {"n": 0, "p": "%C-before"},
                "after": {"n": %N, "p": "%C"}, "after_unknown": {}, "before_sensitive": {"p": true},
                "after_sensitive": {"p": true}}}],
            "output_changes": {"o": {"actions": ["update"], "before": "%C-before", "after": "%C",
                "after_unknown": false, "before_sensitive": true, "after_sensitive": true}},
            "configuration": {"root_module": {"variables": {"v": {"default": "%C", "sensitive": true}},
                "outputs": {"o": {"sensitive": true, "expression": {"constant_value": "%C"}}}}}}"#,
    ),
    (
        "secret.yaml",
        "apiVersion: v1\nkind: Secret\nmetadata:\n  name: s\n  labels: {n: '%N'}\n  annotations:\n    \
         kubectl.kubernetes.io/last-applied-configuration: '{\"data\": \"%C\"}'\ndata:\n  k: %C\nstringData:\n  \
         l: |\n    %C\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {n: '%N'}\n",
    ),
    (
        "template.yaml",
        "AWSTemplateFormatVersion: '2010-09-09'\nParameters:\n  P: {Type: String, NoEcho: true, Default: %C}\n\
         Resources:\n  R: {Type: 'A::B::C', Properties: {n: %N, x: !Ref P}}\n",
    ),
    (
        "program.yaml",
        "name: p\nruntime: yaml\nconfig:\n  c: {type: string, secret: true, default: %C}\nvariables:\n  v:\n    \
         fn::secret: %C\nresources:\n  r: {type: 'x:y:Z', properties: {n: %N, p: {'fn::secret': %C}}}\n",
    ),
    (
        "outputs.json",
        r#"{"o": {"sensitive": true, "type": "string", "value": "%C"},
            "n": {"sensitive": false, "type": "number", "value": %N}}"#,
    ),
    (
        "events.jsonl",
        "{\"sequence\":0,\"timestamp\":1,\"preludeEvent\":{\"config\":{}}}\n\
         {\"sequence\":1,\"timestamp\":1,\"resourcePreEvent\":{\"metadata\":{\"op\":\"update\",\"urn\":\"%Ux:y:Z::db\",\
         \"type\":\"x:y:Z\",\"old\":{\"type\":\"x:y:Z\",\"urn\":\"%Ux:y:Z::db\",\"inputs\":{\"n\":0,\"p\":%S}},\
         \"new\":{\"type\":\"x:y:Z\",\"urn\":\"%Ux:y:Z::db\",\"inputs\":{\"n\":%N,\"p\":%S}}}}}\n",
    ),
    (
        "snapshot.json",
        r#"{"package": "a/b", "refs": "\u0023ref", "resources": {"u::r": {"type": "x:y:Z", "id": "i",
            "properties": {"n": %N, "p": "%C"},
            "sensitive_attributes": [[{"type": "get_attr", "value": "p"}]]}},
            "origin": {"document": {"outputs": {"o": {"sensitive": true, "value": "%C"}}}}}"#,
    ),
    (
        "catalog.json",
        r#"{"name": "n", "catalog_uuid": "u", "classes": [], "resources": [
            {"type": "Class", "title": "db", "parameters": {"n": %N, "pw": "%C",
                "s": {"__ptype": "Sensitive", "__pvalue": {"k": ["%C"]}},
                "o": {"__pcore_type__": "Sensitive", "__pcore_value__": "%C"}},
            "sensitive_parameters": ["pw"]}], "edges": []}"#,
    ),
];

/// A line of each command in each of its forms. `A` and `B` are the two documents. A command that
/// makes a document writes it to `O`, with its secrets.
const LINES: &[&str] = &[
    "cache explain A",
    "cache warm A",
    "check A",
    "convert A --to cocogl -o O",
    "convert A --to pulumi-export --project p --stack s -o O",
    "convert A --to terraform-show -o O",
    "cycles A",
    "deps A a.b",
    "deps A db",
    "diff --events A",
    "diff --plan A",
    "diff A B",
    "diff A B --as json",
    "diff A B --as jsonl",
    "diff A B --as markdown",
    "diff A B --as merge-patch",
    "diff A B --as patch",
    "diff A B --exact",
    "diff A B /",
    "dump A",
    "dump A --as digests",
    "dump A --as jsonl",
    "dump A --as wire",
    "dump A --as yaml",
    "find ---- A",
    "find anary A",
    "get A /",
    "get A / --as yaml",
    "get A /checkpoint/config/a:k/secure --raw",
    "get A /checkpoint/latest/resources/1/id --raw",
    "get A /checkpoint/latest/resources/1/inputs/j --raw",
    "get A /o",
    "get A /outputs/o/value --raw",
    "get A a.b --all",
    "get A db --depth 3",
    "graph A --as d2",
    "graph A --as dot --names full",
    "graph A --as graphml",
    "graph A --as html --changed B",
    "graph A --as json",
    "graph A --as mermaid",
    "graph A --as svg",
    "graph raise A -o O",
    "impact A",
    "import auto A -o O",
    "info A",
    "leaves A",
    "ls A",
    "orphans A",
    "pack build A -o O",
    "pack eval A -o O",
    "pack repack A -o O",
    "pack unpack A -o O",
    "patch A B -o O",
    "path A db p",
    "plan A --against B",
    "query --each . A",
    "query .. A",
    "query ..|strings A -r",
    "query .|debug A",
    "query error A",
    "query tojson|error A",
    "rdeps A db",
    "recover A -o O",
    "roots A",
    "stat A --sizes --by key",
    "stat A --sizes --by landmark",
    "stat A --sizes --by text",
    "verify A",
    "verify A --against B",
];

/// Commands that show no document.
const OTHERS: [&str; 17] = [
    "compile",
    "completions",
    "deploy",
    "destroy",
    "env",
    "explain",
    "git-setup",
    "help",
    "history",
    "hub",
    "import-live",
    "magic",
    "man",
    "mcp",
    "refresh",
    "schema",
    "serve",
];

fn coco(folder: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_coco"));
    command.current_dir(folder).env("COCONUT_CACHE_DIR", folder.join("cache")).stdin(Stdio::null());
    command.args(words).output().unwrap()
}

/// Two versions of a document. Returns their names, as sources and compiled.
fn write_versions(folder: &Path, name: &str, template: &str) -> [[String; 2]; 2] {
    let (stem, ending) = name.split_once('.').unwrap();
    let names = [1, 2].map(|number| {
        let canary = format!("{CANARY}{number}");
        let mark = r#""4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270""#;
        let signed = format!(r#"{{{mark}, "plaintext": "{canary}"}}"#);
        let text = template
            .replace("%Q", &signed.replace('"', "\\\""))
            .replace("%S", &signed)
            .replace("%C", &canary)
            .replace("%N", &number.to_string())
            .replace("%U", "urn:pulumi:s::p::");
        let (source, compiled) = (format!("{stem}{number}.{ending}"), format!("{stem}{number}.coco"));
        fs::write(folder.join(&source), text).unwrap();
        let built = coco(folder, &["pack", "build", &source, "-q", "-o", &compiled]);
        assert!(built.status.success(), "{source}: {}", String::from_utf8_lossy(&built.stderr));
        [source, compiled]
    });
    let [[old, old_compiled], [new, new_compiled]] = names;
    [[old, new], [old_compiled, new_compiled]]
}

fn assert_shows_no_secret(output: &Output, line: &str) {
    for printed in [&output.stdout, &output.stderr] {
        let printed = String::from_utf8_lossy(printed);
        assert!(!printed.contains("panicked"), "`coco {line}`: {printed}");
        // As text, in hexadecimal, and as the numbers that a filter can make of it.
        for canary in [CANARY, "63616e617279", "63 61 6e 61 72 79"] {
            assert!(!printed.contains(canary), "`coco {line}` shows a secret:\n{printed}");
        }
    }
}

#[test]
fn no_command_shows_a_secret_of_any_dialect() {
    thread::scope(|scope| {
        for (number, (name, template)) in DOCUMENTS.into_iter().enumerate() {
            scope.spawn(move || {
                let folder = tempfile::tempdir().unwrap();
                let files = write_versions(folder.path(), name, template);
                for (place, line) in LINES.iter().enumerate() {
                    // Each line gets sources of some dialects and compiled documents of the others.
                    let [old, new] = &files[(number + place) % 2];
                    let out = format!("out-{place}.json");
                    let words = line.split(' ').map(|word| match word {
                        "A" => old.as_str(),
                        "B" => new.as_str(),
                        "O" => out.as_str(),
                        "----" => "",
                        word => word,
                    });
                    let mut words: Vec<&str> = words.collect();
                    assert_shows_no_secret(&coco(folder.path(), &words), &words.join(" "));
                    if folder.path().join(&out).exists() && !line.starts_with("pack unpack") {
                        let line = format!("dump {out} after {line} of {old}");
                        assert_shows_no_secret(&coco(folder.path(), &["dump", &out]), &line);
                    }
                    words.push("--json");
                    if !line.ends_with(" O") {
                        assert_shows_no_secret(&coco(folder.path(), &words), &words.join(" "));
                    }
                }
                let shown = coco(folder.path(), &["dump", &files[1][0], "--reveal"]);
                assert!(String::from_utf8_lossy(&shown.stdout).contains(CANARY), "{name} has secrets");
            });
        }
    });
}

/// Documents whose marks have no place of their own in other forms, or are beside the value.
const CONVERTED: [(&str, &str); 5] = [
    (
        "export.json",
        r#"{"version": 3, "deployment": {"manifest": {"time": "t", "magic": "m", "version": "v"}, "resources": [
            {"urn": "%Upulumi:pulumi:Stack::p-s", "custom": false, "type": "pulumi:pulumi:Stack",
                "outputs": {"o": {"a": "%C"}, "t": "%C", "n": %N}, "additionalSecretOutputs": ["o", "t"]},
            {"urn": "%Ux:y:Z::db", "custom": true, "id": "%C-id", "type": "x:y:Z",
                "parent": "%Upulumi:pulumi:Stack::p-s", "inputs": {"n": %N},
                "outputs": {"q": "%C", "l": [{"k": "%C"}], "m": {"a": "%C"}, "s": %S, "x": {"y": [%S]},
                    "j": "{\"p\": %Q}", "n": %N}, "additionalSecretOutputs": ["q", "l", "m", "id"]},
            {"urn": "%Ux:y:Z::db", "custom": true, "delete": true, "id": "old", "type": "x:y:Z",
                "outputs": {"q": "%C"}, "additionalSecretOutputs": ["q"]}]}}"#,
    ),
    (
        "state.json",
        r#"{"version": 4, "terraform_version": "1.9", "serial": %N, "lineage": "l",
            "outputs": {"o": {"value": {"a": "%C"}, "type": ["map", "string"], "sensitive": true}}, "resources": [
            {"module": "module.m", "mode": "managed", "type": "aws_db", "name": "db", "provider": "provider[\"p\"]",
                "instances": [{"index_key": 0, "schema_version": 0, "attributes": {"id": "%C-id", "n": %N, "p": "%C",
                    "m": {"k": "%C", "o": "x"}, "l": [{"k": "%C"}], "w": {"a": "%C", "b": ["%C"]}},
                "sensitive_attributes": [[{"type": "get_attr", "value": "p"}], [{"type": "get_attr", "value": "id"}],
                    [{"type": "get_attr", "value": "w"}],
                    [{"type": "get_attr", "value": "m"}, {"type": "index", "value": {"type": "string", "value": "k"}}],
                    [{"type": "get_attr", "value": "l"}, {"type": "index", "value": {"type": "number", "value": 0}},
                    {"type": "get_attr", "value": "k"}]]},
                {"index_key": 1, "schema_version": 0, "attributes": {"id": "%C", "p": "%C"},
                "sensitive_attributes": [[]]}]}]}"#,
    ),
    (
        "shown.json",
        r#"{"format_version": "1.0", "terraform_version": "1.9", "values": {
            "outputs": {"o": {"sensitive": true, "type": "string", "value": "%C"}},
            "root_module": {"resources": [{"address": "a.b", "mode": "managed", "type": "a", "name": "b",
                "provider_name": "p", "values": {"id": "%C", "n": %N, "p": "%C", "l": ["x", {"k": "%C"}]},
                "sensitive_values": {"id": true, "p": true, "l": [false, {"k": true}]}}]}}}"#,
    ),
    (
        "graph.json",
        r#"{"package": "a/b", "refs": "\u0023ref", "resources": {
            "%Ux:y:Z::a": {"type": "x:y:Z", "id": "%C-id", "properties": {"id": "%C-id", "n": %N, "p": "%C", "l": ["%C"]},
            "sensitive_attributes": [[{"type": "get_attr", "value": "p"}], [{"type": "get_attr", "value": "l"}],
                [{"type": "get_attr", "value": "id"}]]}}}"#,
    ),
    (
        "old.json",
        r#"{"version": 3, "terraform_version": "0.11", "serial": %N, "modules": [{"path": ["root"],
            "outputs": {"o": {"sensitive": true, "type": "map", "value": {"a": "%C"}}},
            "resources": {"a.b": {"type": "a", "primary": {"id": "x", "attributes": {"n": "%N"}}}}}]}"#,
    ),
];

/// Documents that no other form has as a graph of resources with URNs.
const UNRAISED: [&str; 5] = ["plan.json", "program.yaml", "outputs.json", "events.jsonl", "secret.yaml"];

/// Secrets in the inputs of resources.
const MANIFEST: (&str, &str) = (
    "manifest.json",
    r#"{"version": 3, "deployment": {"manifest": {"time": "t", "magic": "m", "version": "v"}, "resources": [
        {"urn": "%Ukubernetes:core/v1:Secret::s", "custom": true, "id": "s", "type": "kubernetes:core/v1:Secret",
            "inputs": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s", "labels": {"n": "%N"}},
                "data": {"k": "%C", "l": {"%C": true}}, "stringData": {"k": "%C", "n": %N}}},
        {"urn": "%Ux:y:Z::list", "custom": true, "id": "l", "type": "x:y:Z", "inputs": {"name": %S,
            "l": [{"kind": "Secret", "data": {"k": "%C"}}], "f": {"fn::secret": {"a": "%C"}}, "n": %N}}]}}"#,
);

/// The forms of graphs. The file for an import has no place for a mark.
const FORMS: [&str; 5] =
    ["cocogl", "pulumi-export", "pulumi-checkpoint", "terraform-state", "terraform-show"];

/// Every form is converted to every other, and on to every third.
#[test]
fn converted_documents_keep_the_marks_of_secrets() {
    thread::scope(|scope| {
        for (name, template) in DOCUMENTS.into_iter().take(4).chain(CONVERTED) {
            scope.spawn(move || {
                let folder = tempfile::tempdir().unwrap();
                let [_, [source, _]] = write_versions(folder.path(), name, template);
                let convert = |from: &str, form: &str, to: &str| {
                    let converted = coco(folder.path(), &["convert", from, "--to", form, "-o", to]);
                    assert_shows_no_secret(&converted, &format!("convert {from} --to {form}"));
                    if !converted.status.success() {
                        return false;
                    }
                    for words in [&["dump", to][..], &["get", to, ""], &["dump", to, "--as", "jsonl"]] {
                        let shown = coco(folder.path(), words);
                        assert!(shown.status.success(), "{words:?}");
                        assert_shows_no_secret(&shown, &words.join(" "));
                    }
                    true
                };
                let mut count = 0;
                for first in FORMS {
                    let made = format!("{first}.json");
                    if !convert(&source, first, &made) {
                        continue;
                    }
                    count += 1;
                    for second in FORMS {
                        convert(&made, second, &format!("{first}-{second}.json"));
                    }
                }
                assert!(count > 2, "{name} is converted to {count} forms");
            });
        }
    });
}

/// Every document, and each form of it, is raised, and its program evaluated.
#[test]
fn raised_programs_and_their_graphs_keep_the_marks_of_secrets() {
    thread::scope(|scope| {
        for (name, template) in DOCUMENTS.into_iter().chain(CONVERTED).chain([MANIFEST]) {
            scope.spawn(move || {
                let folder = tempfile::tempdir().unwrap();
                let [[source, _], _] = write_versions(folder.path(), name, template);
                let run = |line: &str| {
                    let words: Vec<&str> = line.split(' ').collect();
                    let output = coco(folder.path(), &words);
                    assert_shows_no_secret(&output, line);
                    output.status.code().unwrap()
                };
                let mut count = 0;
                for form in ["cocogl", "pulumi-export", "import", "source"] {
                    let graph = match form {
                        "source" => source.clone(),
                        form => format!("{form}.json"),
                    };
                    let made = match form {
                        "source" => 0,
                        "import" => run(&format!("import auto {source} -o {graph}")),
                        form => run(&format!("convert {source} --to {form} -o {graph}")),
                    };
                    fs::create_dir_all(folder.path().join(form)).unwrap();
                    let program = format!("{form}/program.json");
                    if made > 1 || run(&format!("graph raise {graph} -o {program}")) > 1 {
                        continue;
                    }
                    count += 1;
                    for look in ["dump", "dump --as wire", "dump --as yaml", "find anary", "query .. --each"]
                    {
                        run(&format!("{look} {program}"));
                    }
                    let stubs = fs::read_dir(folder.path().join(form)).unwrap();
                    let stubs =
                        stubs.map(|stub| format!(" --with {form}/{}", stub.unwrap().file_name().display()));
                    let stubs: String = stubs.filter(|stub| !stub.ends_with("program.json")).collect();
                    let again = format!("{form}-again.json");
                    let line = format!("pack eval {program}{stubs} -o {again}");
                    assert_eq!(run(&line), 0, "{name}: {line}");
                    assert_eq!(run(&format!("dump {again}")), 0);
                    run(&format!("plan {program}{stubs} --against {graph}"));
                    let line = format!("plan {again} --against {graph}");
                    let planned = coco(folder.path(), &line.split(' ').collect::<Vec<_>>());
                    let planned = String::from_utf8(planned.stdout).unwrap();
                    assert!(planned.contains(" 0 update, "), "{name}: {line}: {planned}");
                    let has =
                        |graph: &str| fs::read_to_string(folder.path().join(graph)).unwrap().contains(CANARY);
                    assert!(has(&again) || !has(&program), "{name}: {form}");
                }
                assert!(count > 0 || UNRAISED.contains(&name), "{name} is not raised");
            });
        }
    });
}

/// A new command must be asked, too.
#[test]
fn every_command_is_asked_for_secrets() {
    let folder = tempfile::tempdir().unwrap();
    let commands = |words: &[&str]| -> BTreeSet<String> {
        let help = coco(folder.path(), words);
        let help = String::from_utf8(help.stdout).unwrap();
        let names = help.lines().filter_map(|line| {
            let (name, about) = line.strip_prefix("  ")?.split_once("  ")?;
            let is_name = name.starts_with(|first: char| first.is_ascii_lowercase());
            let is_about = about.trim_start().starts_with(|first: char| first.is_ascii_uppercase());
            (is_name && is_about && name != "help").then(|| name.to_owned())
        });
        names.collect()
    };
    let asked: BTreeSet<&str> = LINES.iter().filter_map(|line| line.split(' ').next()).collect();
    let named = commands(&["--help"]);
    assert!(named.len() > 25, "{named:?}");
    for name in named.iter().filter(|name| !OTHERS.contains(&name.as_str())) {
        assert!(asked.contains(name.as_str()), "`coco {name}` is not asked");
    }
    for name in commands(&["pack", "--help"]) {
        assert!(LINES.iter().any(|line| line.starts_with(&format!("pack {name} "))), "`coco pack {name}`");
    }
}
