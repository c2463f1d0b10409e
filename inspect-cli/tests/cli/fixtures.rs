//! Documents for the tests of both tools, compiled from text at run time. The repository has no
//! compiled file.

use coconut_codec::compile::{CompileOptions, LandmarkChoice, compile};
use coconut_format::envelope::{Encoding, Envelope};
use coconut_format::landmark::LandmarkRule;
use std::fs;
use std::path::{Path, PathBuf};

/// The URN of a database, and its type.
pub(crate) const DB: &str = "urn:pulumi:prod::shop::aws:rds/instance:Instance::db";
const DB_TYPE: &str = "aws:rds/instance:Instance";

/// A directory below the target directory with all fixtures, for this `user` alone.
pub(crate) fn directory(user: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(user);
    if directory.exists() {
        fs::remove_dir_all(&directory).expect("the directory of an earlier run can be removed");
    }
    fs::create_dir_all(&directory).expect("the target directory can be written");
    let write = |name: &str, bytes: &[u8]| {
        fs::write(directory.join(name), bytes).expect("the target directory can be written");
    };
    for name in [
        "stack.json",
        "stack-new.json",
        "moved.json",
        "moved-new.json",
        "instances.json",
        "instances-new.json",
        "state.json",
        "greeter.yaml",
        "cloud.json",
        "cloud-new.json",
        "null.json",
        "plain.json",
        "plain-new.json",
    ] {
        let text = source(name);
        let stem = name.split('.').next().unwrap_or(name);
        write(name, &text);
        write(&format!("{stem}.coco"), &compiled(&text));
    }

    for name in [
        "plan.json",
        "plan-actions.json",
        "plan-without-before.json",
        "plan-cloud.json",
        "plan-cloud-new.json",
        "plan-deferred.json",
        "plan-failed.json",
        "plan-forget.json",
        "plan-moves.json",
        "plan-unseen.json",
        "modules.tfstate",
        "described-1.tfstate",
        "described-2.tfstate",
        "described-cloudformation.json",
        "described-pulumi.json",
        "described-stack-1.json",
        "described-stack-2.json",
        "described-template-1.json",
        "described-template-2.json",
        "described-terraform.json",
        "hidden-flat-1.tfstate",
        "hidden-flat-2.tfstate",
        "hidden-flat-3.tfstate",
        "hidden-flat-4.tfstate",
        "hidden-pulumi.json",
        "hidden-stack-1.json",
        "hidden-stack-2.json",
        "hidden-stack-3.json",
        "hidden-stack-4.json",
        "unordered-template-1.json",
        "unordered-template-2.json",
        "unordered-cloudformation.json",
        "events.jsonl",
        "events-import.jsonl",
        "preview.json",
        "manifest.yaml",
        "manifest-new.yaml",
        "definition.yaml",
        "definition-new.yaml",
    ] {
        write(name, &source(name));
    }

    let catalog = catalog();
    write("catalog.json", catalog.as_bytes());
    let catalog = compiled(catalog.as_bytes());
    write("catalog.coco", &catalog);
    let mut broken = catalog.clone();
    broken[catalog.len() / 2] ^= 0x20;
    write("broken.coco", &broken);
    write("cut.coco", &catalog[..catalog.len() - 100]);
    write("longer.coco", &[&catalog[..], b"\n"].concat());
    write("converted.coco", &with_unix_line_ends(&catalog));

    let small = compiled(br#"{"a": ["text", 1.5, true]}"#);
    write("small.coco", &small);
    write("small-cut.coco", &small[..small.len() - 100]);
    write("small-secret.coco", &compiled(br#"{"vertices": {"v": {"p": {"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", "plaintext": "canary"}}}}"#));

    // Landmarks in secrets: a resource, and entries of an object, enough of them for an automatic
    // rule.
    let entries: Vec<String> = (0..20).map(|n| format!(r#""canary-{n}": {{"n": {n}}}"#)).collect();
    let secret = r#""4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270""#;
    let text = format!(r#"{{"s": {{{secret}, "plaintext": {{{}}}}}}}"#, entries.join(","));
    write("secret-keys.coco", &compiled(text.as_bytes()));
    let resources = format!(
        r#"{{{secret}, "open": {{"urn": "{DB}", "type": "{DB_TYPE}"}}, "plaintext": {{"urn": "urn:pulumi:a::b::c::canary",
        "type": "c", "parent": "{DB}"}}}}"#
    );
    let text = format!(r#"{{"version": 3, "checkpoint": {{"latest": {{"resources": {resources}}}}}}}"#);
    write("secret-resource.coco", &compiled(text.as_bytes()));

    // Landmarks of one key below keys of a secret.
    let text = format!(
        r#"{{"s": {{{secret}, "plaintext": {{"canary-a": {{"id": "k"}}, "canary-b": {{"id": "k"}}, "canary-c": {{"id": "l"}}}}}}}}"#
    );
    let rule = LandmarkRule::parse(&["/s/plaintext/*[id]"], None, &[]).expect("the rule is well formed");
    let options = CompileOptions { landmarks: LandmarkChoice::Rule(rule), ..CompileOptions::default() };
    write("secret-ways.coco", &compile(text.as_bytes(), &options).expect("the fixture is a document").bytes);

    differences(&write);

    let envelope = Envelope::new("cocogl", Encoding::Json).expect("the type is a name");
    let text = [&envelope.to_bytes()[..], &source("stack.json")].concat();
    write("text.coco", &text);
    directory
}

/// Pairs of small documents, for the tests of `diff`.
fn differences(write: &dyn Fn(&str, &[u8])) {
    let pair = |name: &str, old: &str, new: &str| {
        let (stem, ending) = name.split_once('.').expect("the name has an ending");
        write(&format!("{stem}-1.{ending}"), old.as_bytes());
        write(&format!("{stem}-2.{ending}"), new.as_bytes());
    };
    let object = |name: &str| format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\n");
    let (a, b) = (object("a"), object("b"));
    pair("swapped.yaml", &format!("{a}---\n{b}"), &format!("{b}---\n{a}"));
    pair(
        "keys-alone.json",
        r#"{"a": 1, "b": [{"c": {"d": 1, "e": 2}}]}"#,
        r#"{"b": [{"c": {"e": 2, "d": 1}}], "a": 1}"#,
    );
    let pod = |command: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: w}}\nspec: {{containers: [{{name: c, command: {command}}}]}}\n"
        )
    };
    pair("order.yaml", &pod("[cp, a, b]"), &pod("[cp, b, a]"));
    let team = |replicas: u8, last: &str| {
        let data = format!(
            r#"{{"a.json": "{{\"replicas\": {replicas}, \"l\": [1]}}", "run.sh": "set -e\nmake\n{last}\n"}}"#
        );
        format!(
            r#"{{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {{"name": "@org/team"}}, "data": {data}}}"#
        )
    };
    pair("team.json", &team(1, "run"), &team(2, "run all"));
    // An unchanged secret, next to a value that changes.
    let state = |attributes: &str, sensitive: &str| {
        format!(
            r#"{{"version": 4, "terraform_version": "1.5.0", "serial": 1, "lineage": "x", "outputs": {{}}, "resources": [{{"mode": "managed", "type": "aws_db_instance", "name": "db", "provider": "p", "instances": [{{"schema_version": 1, "attributes": {attributes}, "sensitive_attributes": {sensitive}}}]}}]}}"#
        )
    };
    let password = r#"[[{"type": "get_attr", "value": "password"}]]"#;
    let database = |size| state(&format!(r#"{{"password": "canary", "size": {size}}}"#), password);
    pair("kept.tfstate", &database(1), &database(2));
    pair("kept-gone.tfstate", &state("{}", "[]"), &state(r#"{"password": "canary"}"#, password));
    let pulumi = |size| {
        format!(
            r#"{{"version": 3, "checkpoint": {{"latest": {{"resources": [{{"urn": "{DB}", "type": "{DB_TYPE}", "inputs": {{"size": {size}, "p": {{"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", "plaintext": "canary"}}}}}}]}}}}}}"#
        )
    };
    pair("kept-pulumi.json", &pulumi(1), &pulumi(2));
    let shown = |size| {
        format!(
            r#"{{"format_version": "1.0", "terraform_version": "1.5.0", "values": {{"root_module": {{"resources": [{{"address": "a.b", "mode": "managed", "type": "a", "name": "b", "values": {{"password": "canary", "size": {size}}}, "sensitive_values": {{"password": true}}}}]}}}}}}"#
        )
    };
    pair("kept-show.json", &shown(1), &shown(2));
    let manifests = |port| {
        format!(
            "kind: Secret\napiVersion: v1\nmetadata: {{name: s}}\ndata: {{password: canary}}\n---\nkind: Service\napiVersion: v1\nmetadata: {{name: w}}\nspec: {{port: {port}}}\n"
        )
    };
    pair("kept-manifests.yaml", &manifests(1), &manifests(2));
    let list = |port| {
        format!(
            r#"{{"kind": "List", "apiVersion": "v1", "items": [{{"kind": "Secret", "apiVersion": "v1", "metadata": {{"name": "s"}}, "data": {{"password": "canary"}}}}, {{"kind": "Service", "apiVersion": "v1", "metadata": {{"name": "w"}}, "spec": {{"port": {port}}}}}]}}"#
        )
    };
    pair("kept-list.json", &list(1), &list(2));

    // An item that is secret on one side only, in a list that changed.
    let list = |items: &str, sensitive: &str| state(&format!(r#"{{"list": {items}}}"#), sensitive);
    let second = r#"[[{"type": "get_attr", "value": "list"}, {"type": "index", "value": {"value": 1, "type": "number"}}]]"#;
    let first = second.replace("\"value\": 1", "\"value\": 0");
    pair("one-side.tfstate", &list(r#"["x", "canary"]"#, "[]"), &list(r#"["y", "canary2", "z"]"#, second));
    pair("shifted.tfstate", &list(r#"["x", "y", "canary"]"#, "[]"), &list(r#"["canary", "x", "z"]"#, &first));
    pair(
        "both-sides.tfstate",
        &list(r#"["x", "canary"]"#, &first),
        &list(r#"["y", "canary2", "z"]"#, second),
    );

    write("preview-empty.json", br#"{"config": {}, "duration": 1, "changeSummary": {}}"#);
    write("nearly-preview.json", br#"{"steps": [{"run": "make"}]}"#);
    write("empty.json", b"");
    pair("template.yaml", "a: {{ .a }}\nb: 1\nc: 3\nd: 4\n", "a: {{ .a }}\nb: 2\nc: 3\nd: 4\n");
    pair("template-secret.yaml", "kind: Secret\na: {{ .a }}\nb: 1\n", "kind: Secret\na: {{ .a }}\nb: 2\n");
    pair("template-ends.yaml", "a: {{ .a }}\n", "a: {{ .a }}\r\n");
    pair("link.json", "old.json", "new.json");
    write("bytes-1.json", b"{\xff");
    write("bytes-2.json", b"{\xfe");
    pair("nothing.yaml", "# all of it is off\n", "---\n---\n");
    write("empty.yaml", b"");
    let of_pulumi = |rest: &str| {
        format!(
            r#"{{"version": 3, "deployment": {{"manifest": {{"time": "", "magic": "", "version": ""}}, "resources": [{{"urn": "urn:pulumi:p::s::a:b:C::c", "custom": true, "type": "a:b:C", {rest}}}]}}}}"#
        )
    };
    let signed = |key: &str, plain: &str| {
        format!(r#"{{\"{key}\": \"1b47061264138c4ac30d75fd1eb44270\", \"plaintext\": \"{plain}\"}}"#)
    };
    let policy = |plain: &str| {
        let key = "\\\\u0034dabf18193072939515e22adb298388d";
        of_pulumi(&format!(r#""inputs": {{"policy": "{{\"a\": {}}}"}}"#, signed(key, plain)))
    };
    pair("escaped.json", &policy("canary-1"), &policy("canary-2"));
    let with_secret_id = |plain: &str| {
        let secret = signed("4dabf18193072939515e22adb298388d", plain).replace('\\', "");
        of_pulumi(&format!(r#""id": {secret}, "inputs": {{"a": 1}}"#))
    };
    pair("id-envelope.json", &with_secret_id("canary-1"), &with_secret_id("canary-2"));
    let later = r#""id": "04da6b54-80e4-46f7-96ec-b56ff0331ba9", "parent": "urn:pulumi:p::s::a:b:D::d", "inputs": {"a": 2}"#;
    pair("id-later.json", &of_pulumi(r#""id": "i", "inputs": {"a": 1}"#), &of_pulumi(later));

    let id = r#"[[{"type": "get_attr", "value": "id"}]]"#;
    let with_id = |id_of: &str| state(&format!(r#"{{"id": "canary-{id_of}"}}"#), id);
    pair("secret-id.tfstate", &with_id("1"), &with_id("2"));
    let shown_id = |id: &str| shown(1).replace("password", "id").replace("canary", id);
    pair("secret-id-show.json", &shown_id("canary-1"), &shown_id("canary-2"));

    let known = |inputs: &str| {
        format!(
            r#"{{"version": 3, "deployment": {{"manifest": {{"time": "", "magic": "", "version": ""}}, "resources": [{{"urn": "urn:pulumi:p::s::a:b:C::c", "custom": true, "id": "1", "type": "a:b:C", "inputs": {inputs}}}]}}}}"#
        )
    };
    pair(
        "known.json",
        &known(r#"{"a": "04da6b54-80e4-46f7-96ec-b56ff0331ba9", "n": "1", "t": true, "x": "y"}"#),
        &known(r#"{"a": "now", "n": 1, "t": "true", "x": 1}"#),
    );
    let secret =
        r#"{"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", "plaintext": "canary"}"#;
    pair(
        "one-secret.json",
        &known(&format!(r#"{{"p": {secret}, "q": 1}}"#)),
        &known(r#"{"p": "canary", "q": 2}"#),
    );
    let leaked = |sensitive: &str, size: u8| {
        state(&format!(r#"{{"id": "i", "password": "canary", "size": {size}}}"#), sensitive)
    };
    pair("leaked.tfstate", &leaked(password, 1), &leaked("[]", 2));
    let hashed = |hash: &str, text: &str| {
        format!("kind: ConfigMap\napiVersion: v1\nmetadata: {{name: c-{hash}}}\ndata: {{k: \"{text}\"}}\n")
    };
    pair("hashed.yaml", &hashed("2bkhf8m7g9", "x"), &hashed("7mhk9f5gcb", "y"));
    let named = |name: &str| {
        let text = shown(1).replace("\"a.b\"", &format!("\"a.{name}\""));
        text.replace(r#""name": "b", "values": {"#, &format!(r#""name": "{name}", "values": {{"id": "i", "#))
    };
    pair("named-show.json", &named("b"), &named("c"));
    let deposed = |more: &str| {
        state(r#"{"id": "d-1"}"#, "[]").replacen(r#""instances": ["#, &format!(r#""instances": [{more}"#), 1)
    };
    let old = r#"{"deposed": "0abc", "schema_version": 0, "attributes": {"id": "d-0"}, "sensitive_attributes": []}, "#;
    pair("deposed.tfstate", &deposed(old), &deposed(""));

    // One object that is the document.
    let service =
        |port| format!("kind: Service\napiVersion: v1\nmetadata: {{name: w}}\nspec: {{port: {port}}}\n");
    pair("service.yaml", &service(1), &service(2));

    // Plans without the parts that Terraform omits, and with only unknown values.
    let plan = |rest: &str| format!(r#"{{"format_version": "1.2", "terraform_version": "1.9.0", {rest}}}"#);
    let outputs = r#""output_changes": {"a": {"actions": ["update"], "before": 1, "after": 2}, "b": {"actions": ["create"], "before": null, "after_unknown": true}}"#;
    let unknown = r#""resource_changes": [{"address": "a.b", "mode": "managed", "type": "a", "name": "b", "change": {"actions": ["create"], "before": null, "after": null, "after_unknown": true}}]"#;
    let known = unknown.replace(r#""after": null, "after_unknown": true"#, r#""after": {"c": 1}"#);
    write("plan-outputs.json", plan(outputs).as_bytes());
    write("plan-empty.json", plan(r#""errored": true"#).as_bytes());
    write("plan-unknown.json", plan(unknown).as_bytes());
    write("plan-known.json", plan(&known).as_bytes());
    let replaced = r#""resource_changes": [{"address": "a.b", "mode": "managed", "type": "a", "name": "b", "change": {"actions": ["delete", "create"], "before": {"id": "canary"}, "before_sensitive": {"id": true}, "after": {}, "after_unknown": {"id": true}}}, {"address": "a.c", "mode": "managed", "type": "a", "name": "c", "change": {"actions": ["delete"], "before": {"id": "canary"}, "before_sensitive": {"id": true}, "after": null}}]"#;
    write("plan-secret-id.json", plan(replaced).as_bytes());
    let drifted = r#""errored": false, "resource_drift": [{"address": "a.gone", "mode": "managed", "type": "a", "name": "gone", "change": {"actions": ["delete"], "before": {"c": 1}, "after": null}}], "prior_state": {"values": {"root_module": {"resources": [{"address": "a.same", "mode": "managed", "type": "a", "values": {"c": 1}}, {"address": "data.a.read", "mode": "data", "type": "a"}], "child_modules": [{"resources": [{"address": "module.m.a.same", "mode": "managed", "type": "a", "values": {"c": 2}}]}]}}}"#;
    let moved = r#""resource_changes": [{"address": "a.c", "previous_address": "a.b", "mode": "managed", "type": "a", "name": "c", "change": {"actions": ["update"], "before": {"id": "i", "c": 1}, "after": {"id": "i", "c": 2}, "after_unknown": {}}}]"#;
    write("plan-moved.json", plan(moved).as_bytes());
    write("plan-drift.json", plan(drifted).as_bytes());

    pair("form.json", r#"{"a": 1, "b": [{"id": 1}]}"#, r#"{"b": [{"id": 1}], "a": 1.0}"#);
    pair("root.json", "[1]", "[2]");
    pair("text.json", r#"{"a": 1}"#, r#""text""#);
}

/// The text of a fixture.
pub(crate) fn source(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../inspect-cli/tests/fixtures").join(name);
    fs::read(path).expect("the fixture is part of the repository")
}

/// Compiles `text`.
pub(crate) fn compiled(text: &[u8]) -> Vec<u8> {
    compile(text, &CompileOptions::default()).expect("the fixture is a document").bytes
}

/// A document of some size, with an index and a block table: 400 resources, each below the previous
/// one.
fn catalog() -> String {
    let resources: Vec<String> = (0..400)
        .map(|n| {
            let parent = if n == 0 { String::new() } else { format!(r#","parent":"item-{}""#, n - 1) };
            let words = ["alder", "birch", "cedar", "elm"][n % 4];
            format!(
                r#"{{"urn":"item-{n}","type":"shop:index:Item","outputs":{{"number":{n},"name":"{words} {n}","weight":{}.5}}{parent}}}"#,
                n * 7
            )
        })
        .collect();
    format!(r#"{{"manifest":{{"version":"1"}},"resources":[{}]}}"#, resources.join(","))
}

/// The damage of a transfer as text.
fn with_unix_line_ends(bytes: &[u8]) -> Vec<u8> {
    let mut out: Vec<u8> = Vec::new();
    for &byte in bytes {
        if byte == b'\n' && out.last() == Some(&b'\r') {
            out.pop();
        }
        out.push(byte);
    }
    out
}
