//! Tests that no command prints the values that a document marks as secret. The fixtures contain
//! texts with `canary` only in such places.

use crate::fixtures::{self, DB};
use crate::runs::{run, stdout_of};
use std::path::Path;

const CANARY: &str = "canary";

/// Every command that reads a document, in every way to print.
fn runs() -> Vec<Vec<String>> {
    let mut runs = Vec::new();
    let mut add = |arguments: &[&str]| {
        let arguments: Vec<String> = arguments.iter().map(|&argument| argument.to_owned()).collect();
        runs.push([&arguments[..], &["--json".to_owned()]].concat());
        runs.push(arguments);
    };
    for file in ["stack.coco", "state.coco", "text.coco"] {
        for notation in ["json", "jsonl", "yaml", "wire"] {
            add(&["dump", file, "--as", notation]);
        }
        add(&["dump", file, "--compact"]);
        add(&["info", file]);
        add(&["ls", file]);
        add(&["find", "", file]);
        add(&["find", "anary", file]);
        for by in ["part", "class", "landmark", "key", "text"] {
            add(&["stat", file, "--sizes", "--by", by]);
        }
        add(&["verify", file, "--against", "greeter.yaml"]);
    }
    add(&["dump", "state.coco", "--path", "/resources/0/instances/0"]);
    add(&["dump", "state.coco", "--path", "/outputs/token"]);
    add(&["dump", "stack.coco", "--path", "/checkpoint/latest/resources/4/inputs/password/plaintext"]);
    for key in [
        "aws_db_instance.db",
        "aws_db_instance.db/instances/0/attributes/users/0/key",
        "/outputs/token/value",
    ] {
        add(&["get", "state.coco", key]);
        add(&["get", "state.coco", key, "--as", "yaml"]);
        add(&["get", "state.coco", key, "--raw"]);
    }
    add(&["get", "state.coco", "aws_db_instance.db/instances/0/attributes/password", "--raw"]);
    add(&["get", "stack.coco", DB, "--all"]);
    add(&["get", "stack.coco", "/checkpoint/latest/resources/4"]);
    add(&["get", "stack.coco", "/checkpoint/latest/resources/4/outputs/endpoint", "--raw"]);
    add(&["get", "text.coco", "/checkpoint/latest/resources/4"]);
    add(&["rdeps", "stack.coco", "urn:pulumi:prod::shop::aws:ec2/vpc:Vpc::network"]);
    for file in ["secret-keys.coco", "secret-resource.coco"] {
        add(&["dump", file]);
        add(&["dump", file, "--as", "jsonl"]);
        add(&["info", file]);
        add(&["ls", file]);
        add(&["ls", file, "*can*"]);
        add(&["roots", file]);
        add(&["graph", file, "--names", "full"]);
        add(&["find", "", file]);
        add(&["find", "anary", file]);
        add(&["stat", file, "--sizes"]);
        for key in ["anary", "anary-7", "urn:pulumi:a::b::c::anary"] {
            add(&["get", file, key]);
        }
    }
    add(&["rdeps", "secret-resource.coco", DB]);
    for key in ["k", "l", "l/x", "k/x", "l/id"] {
        add(&["get", "secret-ways.coco", key]);
        add(&["get", "secret-ways.coco", key, "--all"]);
    }
    runs
}

#[test]
fn no_command_prints_a_secret() {
    let directory = fixtures::directory("secrets");
    for arguments in runs() {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let output = run(&directory, &arguments);
        for printed in [output.stdout, output.stderr] {
            let printed = String::from_utf8_lossy(&printed);
            assert!(!printed.contains("panicked"), "{arguments:?}: {printed}");
            assert!(!printed.contains(CANARY), "{arguments:?} prints a secret:\n{printed}");
            assert!(!printed.contains("63 61 6e 61 72 79"), "{arguments:?} prints a secret in hexadecimal");
        }
    }
}

/// Documents of kinds whose secrets are marked by their content.
const MARKED: &[(&str, &str)] = &[
    (
        "secret.yaml",
        "apiVersion: v1\nkind: Secret\nmetadata:\n  name: s\n  annotations:\n    kubectl.kubernetes.io/last-applied-configuration: '{\"data\": \"canary\"}'\ndata:\n  k: canary\nstringData:\n  l: |\n    canary\n",
    ),
    (
        "stream.yaml",
        "kind: ConfigMap\ndata: {open: x}\n---\nkind: Secret\ndata:\n  k: canary\n---\nkind: Secret\nstringData: canary\n",
    ),
    (
        "list.json",
        r#"{"kind": "List", "items": [{"kind": "Secret", "data": {"k": "canary"}}, {"kind": "Service"}]}"#,
    ),
    (
        "pulumi.yaml",
        "name: p\nruntime: yaml\nconfig:\n  c: {type: string, secret: true, default: canary}\nconfiguration:\n  d: {secret: true, value: canary}\nvariables:\n  v:\n    fn::secret: canary\n  w:\n    fn::secret: {a: [canary]}\n  x: {Fn::Secret: canary}\n",
    ),
    (
        "template.yaml",
        "Parameters:\n  P: {Type: String, NoEcho: true, Default: canary}\n  Q: {Type: String, NoEcho: 'true', Default: canary}\nResources:\n  R: {Type: T, Properties: {x: !Ref P}}\n",
    ),
    ("output.json", r#"{"o": {"sensitive": true, "type": "string", "value": "canary"}}"#),
    (
        "unrecognised.tfstate",
        r#"{"version": 4, "outputs": {"o": {"sensitive": true, "value": "canary"}}, "resources": [{"instances": [{"attributes": {"p": "canary"}, "sensitive_attributes": [[{"type": "get_attr", "value": "p"}]]}]}]}"#,
    ),
    (
        "plan.json",
        r#"{"resource_changes": [{"change": {"before": {"p": "canary"}, "before_sensitive": {"p": true}, "after": "canary", "after_sensitive": true}}], "planned_values": {"root_module": {"resources": [{"values": {"p": "canary"}, "sensitive_values": {"p": true}}], "child_modules": [{"outputs": {"o": {"sensitive": true, "value": "canary"}}}]}}, "configuration": {"root_module": {"outputs": {"o": {"sensitive": true, "expression": {"constant_value": "canary"}}}}}}"#,
    ),
    (
        "plans.jsonl",
        "{\"outputs\": {\"o\": {\"sensitive\": true, \"value\": \"canary\"}}}\n{\"Parameters\": {\"P\": {\"NoEcho\": true, \"Default\": \"canary\"}}}\n",
    ),
];

#[test]
fn values_marked_by_the_content_are_hidden_in_sources_and_documents() {
    let directory = fixtures::directory("marked");
    for (name, text) in MARKED {
        let options = coconut_codec::compile::CompileOptions {
            format: coconut_codec::text::SourceFormat::of_name(name),
            ..Default::default()
        };
        let document = coconut_codec::compile::compile(text.as_bytes(), &options).unwrap().bytes;
        let compiled = format!("{name}.coco");
        std::fs::write(directory.join(&compiled), document).unwrap();
        std::fs::write(directory.join(name), text).unwrap();
        for file in [name, &*compiled] {
            for arguments in [
                &["dump", file][..],
                &["dump", file, "--as", "yaml"],
                &["dump", file, "--as", "jsonl"],
                &["get", file, "/"],
                &["get", file, "/0"],
                &["get", file, "/1"],
                &["get", file, "/data"],
                &["get", file, "/data/k", "--raw"],
                &["get", file, "/metadata/annotations"],
                &["get", file, "/items/0/data"],
                &["get", file, "/variables/w/fn::secret/a/0"],
                &["get", file, "/config"],
                &["get", file, "/Parameters/P/Default"],
                &["get", file, "/o/value"],
                &["get", file, "/outputs/o"],
                &["get", file, "/resources/0/instances/0/attributes/p"],
                &["get", file, "/resource_changes/0/change"],
                &["get", file, "/planned_values/root_module/child_modules/0"],
                &["get", file, "/0/outputs/o/value"],
                &["get", file, "/1/Parameters"],
                &["info", file],
                &["ls", file],
                &["stat", file, "--sizes", "--by", "text"],
            ] {
                let output = run(&directory, arguments);
                for printed in [output.stdout, output.stderr] {
                    let printed = String::from_utf8_lossy(&printed);
                    assert!(!printed.contains(CANARY), "{arguments:?} prints a secret:\n{printed}");
                    assert!(!printed.contains("panicked"), "{arguments:?}: {printed}");
                }
            }
        }
        let shown = stdout_of(&directory, &["dump", &compiled]);
        assert!(shown.contains("[secret]"), "{name}: {shown}");
        let revealed = stdout_of(&directory, &["dump", &compiled, "--reveal"]);
        assert!(revealed.contains(CANARY), "{name}: {revealed}");
    }
    assert!(stdout_of(&directory, &["dump", "stream.yaml"]).contains("\"open\": \"x\""));
}

#[test]
fn hidden_values_are_named() {
    let directory = fixtures::directory("hidden");
    let get = |key: &str| stdout_of(&directory, &["get", "state.coco", key]);
    for secret in ["/outputs/token/value", "aws_db_instance.db/instances/0/attributes/users/0/key"] {
        assert_eq!(get(secret), "\"[secret]\"\n");
        let raw = run(&directory, &["get", "state.coco", secret, "--raw"]);
        assert_eq!((raw.status.code(), &raw.stdout[..]), (Some(1), &b""[..]));
        let said = String::from_utf8(raw.stderr).unwrap();
        assert!(said.starts_with("error[SECRET]: the value is secret\n"), "{said}");
    }
    let name = "aws_db_instance.db/instances/0/attributes/users/0/name";
    assert_eq!(stdout_of(&directory, &["get", "state.coco", name, "--raw"]), "admin\n");
    let yaml = stdout_of(&directory, &["dump", "state.coco", "--as", "yaml"]);
    assert_eq!(yaml.matches("\"[secret]\"").count(), 3);
}

#[test]
fn keys_of_landmarks_in_secrets_are_hidden() {
    let directory = fixtures::directory("hidden-keys");
    let print = |arguments: &[&str]| stdout_of(&directory, arguments);
    assert_eq!(print(&["ls", "secret-keys.coco"]), "[secret]\n".repeat(20));
    assert_eq!(print(&["ls", "secret-keys.coco", "--reveal"]).lines().nth(19), Some("canary-19"));
    assert_eq!(print(&["ls", "secret-resource.coco"]), format!("{DB}\n[secret]\n"));
    let tree = |secret: &str| format!("{DB}\n└── {secret} (parent)\n1 resource depends on it\n");
    assert_eq!(print(&["rdeps", "secret-resource.coco", DB]), tree("[secret]"));
    let revealed = print(&["rdeps", "secret-resource.coco", DB, "--reveal"]);
    assert_eq!(revealed, tree("c::canary"));
    let lines = print(&["dump", "secret-keys.coco", "--as", "jsonl"]);
    assert_eq!(lines, "{\"key\":\"[secret]\",\"class\":0,\"value\":\"[secret]\"}\n".repeat(20));
    // A caller who knows the key can use it.
    assert_eq!(print(&["get", "secret-keys.coco", "canary-3"]), "\"[secret]\"\n");
}

#[test]
fn paths_through_secrets_show_only_named_keys() {
    let directory = fixtures::directory("secret-ways");
    let print = |arguments: &[&str]| {
        let output = run(&directory, arguments);
        String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
    };
    let pointer = |name: &str| {
        let printed = print(&["get", "secret-ways.coco", name, "--all", "--json"]);
        printed.split(r#""pointer":"#).nth(1).and_then(|rest| rest.split('"').nth(1)).map(str::to_owned)
    };
    assert_eq!(pointer("l").as_deref(), Some("/s/plaintext/[secret]"));
    // The requested parts are printed, and so is everything that may be shown.
    assert_eq!(pointer("l/id").as_deref(), Some("/s/plaintext/[secret]/id"));
    assert_eq!(pointer("/s/plaintext/canary-c/id").as_deref(), Some("/s/plaintext/canary-c/id"));
    let revealed = print(&["get", "secret-ways.coco", "l", "--all", "--reveal", "--json"]);
    assert!(revealed.contains(r#""pointer":"/s/plaintext/canary-c""#), "{revealed}");
    assert_eq!(print(&["get", "secret-ways.coco", "k"]).matches("at /s/plaintext/[secret]").count(), 2);
    assert!(print(&["get", "secret-ways.coco", "l/x"]).contains("in /s/plaintext/[secret]"));
}

#[test]
fn a_comparison_with_a_source_shows_no_secret_of_either() {
    let directory = fixtures::directory("compared");
    let secret = r#""4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", "plaintext""#;
    let signed = |value: &str| format!(r#"{{"a": {{{secret}: {value}}}}}"#);
    let state = |value: &str, is_sensitive: bool| {
        format!(
            r#"{{"version": 4, "terraform_version": "1", "serial": 1, "lineage": "x", "resources": [],
            "outputs": {{"t": {{"value": "{value}", "type": "string", "sensitive": {is_sensitive}}}}}}}"#
        )
    };
    for (document, source, code, said) in [
        (signed(r#"{"canary": 1}"#), signed(r#"{"canary2": 1}"#), "SOURCE-DIFFERS", "the key [secret]"),
        (
            signed(r#"{"canary": {"x": 1}}"#),
            signed(r#"{"canary": {"x": 2}}"#),
            "SOURCE-DIFFERS",
            "in /a/plaintext",
        ),
        // Each value may be secret only in the other document.
        (state("x", false), state("canary", true), "SOURCE-DIFFERS", "string [secret]"),
        (state("canary", true), state("x", false), "SOURCE-DIFFERS", "string [secret]"),
        (signed("1"), signed("canary"), "SRC-JSON", "none of it is shown"),
        (signed("1"), signed(r#"{"canary": 1, "canary": 2}"#), "SRC-DUPKEY", "none of it is shown"),
    ] {
        std::fs::write(directory.join("document.coco"), fixtures::compiled(document.as_bytes())).unwrap();
        std::fs::write(directory.join("source.json"), &source).unwrap();
        let envelope = "application/vnd.coconut+json; document-type=document; version=1\n\n";
        std::fs::write(directory.join("source.coco"), format!("{envelope}{source}")).unwrap();
        for other in ["source.json", "source.coco"] {
            let arguments = ["verify", "document.coco", "--against", other];
            for json in [&[][..], &["--json"]] {
                let output = run(&directory, &[&arguments, json].concat());
                let printed = [output.stdout, output.stderr].concat();
                let printed = String::from_utf8_lossy(&printed);
                assert!(printed.contains(code) && !printed.contains(CANARY), "{source}: {printed}");
                assert!(!json.is_empty() || printed.contains(said), "{source}: {printed}");
            }
            let output = run(&directory, &[&arguments[..], &["--reveal"]].concat());
            let printed = String::from_utf8_lossy(&output.stdout).into_owned();
            assert!(printed.contains(CANARY), "{source}: {printed}");
        }
    }
}

#[test]
fn errors_of_texts_with_secrets_show_none_of_them() {
    let directory = fixtures::directory("broken-texts");
    let envelope = "application/vnd.coconut+json; document-type=document; version=1\n\n";
    let signature = "4dabf18193072939515e22adb298388d";
    let escaped = r"4\u0064abf18193072939515e22adb298388d";
    for (value, code, signature) in [
        ("canary", "SRC-JSON", signature),
        ("canary", "SRC-JSON", escaped),
        (r#"{"canary": 1, "canary": 2}"#, "SRC-DUPKEY", signature),
        (r#"{"canary": 1, "canary": 2}"#, "SRC-DUPKEY", escaped),
        (r#"{"canary": 1e999}"#, "NUM-RANGE", signature),
    ] {
        let secret = format!(r#""{signature}": "1b47061264138c4ac30d75fd1eb44270", "plaintext""#);
        let text = format!(r#"{envelope}{{"a": {{{secret}: {value}}}}}"#);
        std::fs::write(directory.join("broken.coco"), text).unwrap();
        for arguments in [
            &["dump", "broken.coco"][..],
            &["--json", "ls", "broken.coco"],
            &["verify", "broken.coco"],
            &["dump", "broken.coco", "--as", "wire"],
        ] {
            let output = run(&directory, arguments);
            let printed = [output.stdout, output.stderr].concat();
            let printed = String::from_utf8_lossy(&printed);
            let said = if arguments.contains(&"wire") { "text [secret]" } else { code };
            assert!(printed.contains(said) && !printed.contains(CANARY), "{arguments:?}: {printed}");
        }
    }
}

/// Damage may hit the words that mark secrets, so a damaged file may always have some.
#[test]
fn a_damaged_file_is_shown_without_its_strings() {
    let directory = fixtures::directory("damaged");
    let mut file = std::fs::read(directory.join("stack.coco")).unwrap();
    for word in ["4dabf18193072939515e22adb298388d", "additionalSecretOutputs", "secure", "sensitive"] {
        while let Some(at) = file.windows(word.len()).position(|window| window == word.as_bytes()) {
            file[at] = b'X';
        }
    }
    std::fs::write(directory.join("broken.coco"), file).unwrap();
    for arguments in
        [&["dump", "broken.coco", "--as", "wire"][..], &["dump", "broken.coco", "--as", "wire", "--json"]]
    {
        let output = run(&directory, arguments);
        let printed = String::from_utf8(output.stdout).unwrap();
        assert!(
            output.status.success() && printed.contains("[secret]") && !printed.contains(CANARY),
            "{printed}"
        );
        assert!(
            !printed.contains(&hex(CANARY)) && !printed.contains(&hex(CANARY).replace(' ', "")),
            "{printed}"
        );
        let said = String::from_utf8(output.stderr).unwrap();
        let (before, after) = match arguments.contains(&"--json") {
            true => (r#"{"format_version":2,"warning":{"code":null,"message":""#, "\"}}\n"),
            false => ("warning: ", "\n"),
        };
        let warning = "secrets cannot be looked for in a file that cannot be read whole: all strings and numbers \
                       that are values are left out without `--reveal`";
        assert_eq!(said, [before, warning, after].concat());
        let output = run(&directory, &[arguments, &["--reveal"]].concat());
        assert_eq!(String::from_utf8(output.stdout).unwrap().matches(CANARY).count(), 2);
        assert_eq!(output.stderr, b"");
    }
}

/// The hexadecimal digits of a text, as the tool shows bytes.
fn hex(text: &str) -> String {
    let digits: Vec<String> = text.bytes().map(|byte| format!("{byte:02x}")).collect();
    digits.join(" ")
}

#[test]
fn secrets_are_shown_on_request() {
    let directory = fixtures::directory("revealed");
    let reveal = |arguments: &[&str]| stdout_of(&directory, &[arguments, &["--reveal"]].concat());
    assert_eq!(reveal(&["get", "state.coco", "/outputs/token/value", "--raw"]), "canary-of-output\n");
    assert_eq!(reveal(&["dump", "state.coco"]).matches(CANARY).count(), 3);
    assert_eq!(reveal(&["dump", "stack.coco"]).matches(CANARY).count(), 2);
    let lines = reveal(&["dump", "stack.coco", "--as", "jsonl"]);
    assert_eq!(lines.matches(CANARY).count(), 2);
    same_but_for_secrets(&directory);
}

/// Checks that redaction changes nothing else.
fn same_but_for_secrets(directory: &Path) {
    let hidden = stdout_of(directory, &["dump", "state.coco", "--compact"]);
    let shown = stdout_of(directory, &["dump", "state.coco", "--compact", "--reveal"]);
    let replaced = ["canary-of-output", "canary-of-attribute", "canary-of-path"]
        .iter()
        .fold(shown, |text, secret| text.replace(secret, "[secret]"));
    assert_eq!(hidden, replaced);
}

#[test]
fn a_value_in_place_of_a_secret_is_hidden() {
    let directory = fixtures::directory("in-place-of-a-secret");
    let write = |name: &str, value: &str| {
        let resource =
            format!(r#"{{"urn":"urn:pulumi:a::b::c::d","type":"t","inputs":{{"p":{value},"q":1}}}}"#);
        let text = format!(r#"{{"version":3,"checkpoint":{{"latest":{{"resources":[{resource}]}}}}}}"#);
        std::fs::write(directory.join(name).with_extension("json"), &text).unwrap();
        std::fs::write(directory.join(name).with_extension("coco"), fixtures::compiled(text.as_bytes()))
            .unwrap();
    };
    write("plain", r#""canary""#);
    let signature = r#""4dabf18193072939515e22adb298388d":"1b47061264138c4ac30d75fd1eb44270""#;
    write("secret", &format!(r#"{{{signature},"ciphertext":"AAAB"}}"#));
    write("other", "[5]");
    let verify = |file: &str, against: &str, reveal: bool| {
        let reveal = if reveal { &["--reveal"][..] } else { &[] };
        let output = run(&directory, &[&["verify", file, "--against", against], reveal].concat());
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
    };
    for (file, against) in [
        ("plain.coco", "secret.json"),
        ("plain.coco", "secret.coco"),
        ("secret.coco", "plain.json"),
        ("secret.coco", "plain.coco"),
    ] {
        let said = verify(file, against, false);
        assert!(said.contains("in /checkpoint/latest/resources/0/inputs/p"), "{said}");
        assert!(said.contains("string [secret]") && !said.contains("canary"), "{said}");
        assert!(verify(file, against, true).contains("string \"canary\""));
    }
    assert!(verify("plain.coco", "other.json", false).contains("string \"canary\""), "nothing is secret");
}

/// Nobody but a provider can tell what its private data are.
#[test]
fn private_data_of_instances_are_hidden() {
    let directory = fixtures::directory("private-data");
    let state = |name: &str, private: &str| {
        let text = format!(
            r#"{{"version": 4, "terraform_version": "1.5.0", "serial": 1, "lineage": "x", "outputs": {{}}, "resources": [
                {{"mode": "managed", "type": "t", "name": "n", "provider": "p", "instances": [
                    {{"index_key": 0, "schema_version": 0, "attributes": {{"a": 1}}, "private": "{private}"}},
                    {{"index_key": 1, "schema_version": 0, "attributes": {{"a": 1}}, "private": "bnVsbA=="}}]}}]}}"#
        );
        std::fs::write(directory.join(name), &text).expect("the directory can be written");
        std::fs::write(directory.join(format!("{name}.coco")), fixtures::compiled(text.as_bytes()))
            .expect("it can be written");
    };
    state("a.tfstate", "canary-1");
    state("b.tfstate", "canary-2");
    for arguments in [
        &["dump", "a.tfstate"][..],
        &["dump", "a.tfstate.coco", "--as", "jsonl"],
        &["dump", "a.tfstate.coco", "--as", "wire"],
        &["get", "a.tfstate", "t.n[0]"],
        &["get", "a.tfstate.coco", "t.n"],
        &["get", "a.tfstate.coco", "t.n[0]/private"],
        &["query", "-c", ".", "a.tfstate.coco"],
        &["query", "-c", ".resources[0].instances[0].private", "a.tfstate.coco"],
        &["query", "--key", "t.n[0]", ".private", "a.tfstate"],
        &["find", "anary", "a.tfstate"],
        &["diff", "a.tfstate", "b.tfstate", "--full"],
        &["diff", "a.tfstate", "b.tfstate", "--exact", "--json"],
    ] {
        let output = run(&directory, arguments);
        let all = [output.stdout, output.stderr].concat();
        assert!(!String::from_utf8_lossy(&all).contains("canary-"), "{arguments:?}");
        let revealed = run(&directory, &[arguments, &["--reveal"]].concat());
        assert!(String::from_utf8_lossy(&revealed.stdout).contains("canary-"), "{arguments:?} --reveal");
    }
    let open = stdout_of(&directory, &["get", "a.tfstate", "t.n[1]/private"]);
    assert_eq!(open.trim(), r#""bnVsbA==""#);
}
