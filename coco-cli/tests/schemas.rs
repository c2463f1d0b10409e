//! Tests that the output of `--json` matches the published schemas.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[path = "../../inspect-cli/tests/cli/schema_check.rs"]
mod schema_check;

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

const HERE: &str = env!("CARGO_MANIFEST_DIR");

fn coco(arguments: &[&str]) -> Output {
    let examples = Path::new(HERE).join("../examples");
    Command::new(env!("CARGO_BIN_EXE_coco"))
        .current_dir(examples)
        .env("COCONUT_CACHE_DIR", concat!(env!("CARGO_TARGET_TMPDIR"), "/schemas-cache"))
        .arg("--json")
        .args(arguments)
        .output()
        .unwrap()
}

/// The single printed line of JSON.
#[track_caller]
fn only_line(bytes: &[u8]) -> Value {
    let text = std::str::from_utf8(bytes).unwrap();
    assert_eq!(text.lines().count(), 1, "{text}");
    serde_json::from_str(text).unwrap()
}

#[track_caller]
fn fits(schema: &str, value: &Value) {
    let schema: Value = serde_json::from_slice(&coco(&["schema", schema]).stdout).unwrap();
    schema_check::check(&schema, value, "");
}

#[test]
fn pack_build() {
    let out = tempfile::tempdir().unwrap();
    let folder = format!("{}/", out.path().display());
    let output = coco(&["pack", "build", "point.cocopack.json", "shop.checkpoint.json", "-o", &folder]);
    let report = only_line(&output.stdout);
    fits("pack-build", &report);
    assert_eq!(report["documents"].as_array().unwrap().len(), 2);
    assert_eq!(report["documents"][1]["dialect"], "pulumi-checkpoint");
}

#[test]
fn pack_eval() {
    let input = Path::new(HERE).join("tests/help/pack-eval.in");
    let file = |name: &str| input.join(name).to_string_lossy().into_owned();
    let (shop, base) = (file("shop.cocopack.json"), file("coconut.cocopack.json"));
    let graph = only_line(&coco(&["pack", "eval", &shop, "--with", &base]).stdout);
    fits("pack-eval", &graph);
    let site = &graph["resources"]["urn:coconut:dev::shop:index::shop:index:Bucket::site"];
    assert_eq!(site["unknowns"][0]["path"], "/size");
}

#[test]
fn graph_raise() {
    let input = Path::new(HERE).join("tests/transcripts/graph.in/today.json");
    let out = tempfile::tempdir().unwrap();
    let program = out.path().join("program.json");
    let output = coco(&["graph", "raise", input.to_str().unwrap(), "-o", program.to_str().unwrap()]);
    let report = only_line(&output.stdout);
    fits("graph-raise", &report);
    assert_eq!((&report["resources"], &report["scheme"]), (&2.into(), &"pulumi".into()));
    assert_eq!(report["findings"][0]["kind"], "dependencies");
    assert_eq!(report["stubs"].as_array().unwrap().len(), 3);
}

#[test]
fn import() {
    let input = Path::new(HERE).join("tests/transcripts/import.in/twice.json");
    let out = tempfile::tempdir().unwrap();
    let result = out.path().join("a.coco");
    let (input, result) = (input.to_str().unwrap(), result.to_str().unwrap());
    let report = only_line(&coco(&["import", "auto", input, "-o", result]).stdout);
    fits("import", &report);
    assert_eq!(report["resources"], 2);
    assert_eq!(report["missing"][0]["pointer"], "/2/spec/containers/0/env/0/valueFrom/secretKeyRef/name");
    let codes: Vec<&str> = report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| finding["code"].as_str().unwrap())
        .collect();
    assert_eq!(codes, ["IMP-TWICE", "IMP-NAME", "IMP-LABEL"]);
}

#[test]
fn convert() {
    let input = Path::new(HERE).join("tests/transcripts/convert.in/names.json");
    let out = tempfile::tempdir().unwrap();
    let result = out.path().join("a.json");
    let (input, result) = (input.to_str().unwrap(), result.to_str().unwrap());
    for (strict, written) in [(&["--strict"][..], false), (&[], true)] {
        let arguments = [&["convert", input, "--to", "cocopack", "-o", result][..], strict].concat();
        let report = only_line(&coco(&arguments).stdout);
        fits("convert", &report);
        assert_eq!((report["written"].as_bool(), Path::new(result).exists()), (Some(written), written));
        assert_eq!(report["findings"][0]["member"], "x-y");
    }
}

#[test]
fn every_form_that_can_be_converted_is_in_the_schema() {
    let schema: Value = serde_json::from_slice(&coco(&["schema", "convert"]).stdout).unwrap();
    let from = schema["properties"]["from"]["enum"].as_array().unwrap();
    let mut found: Vec<&str> = from.iter().filter_map(Value::as_str).collect();
    let dialects = coconut_surface::Dialect::ALL.iter().map(|dialect| dialect.name());
    let forms = coconut_interop::graph::Form::ALL.iter().map(|form| form.name());
    // Any document can be written as a stream of Pcore.
    let mut known: Vec<&str> = dialects.chain(forms).chain(["document"]).collect();
    known.sort_unstable();
    found.sort_unstable();
    assert_eq!(found, known);
    let shown = r#"{"format_version": "1.0", "terraform_version": "1.9.0", "values": {"root_module": {}}}"#;
    let out = tempfile::tempdir().unwrap();
    let path = |name: &str| out.path().join(name).to_str().unwrap().to_owned();
    let (input, result) = (path("a.json"), path("b.tfstate"));
    std::fs::write(&input, shown).unwrap();
    let report = only_line(&coco(&["convert", &input, "--to", "terraform-state", "-o", &result]).stdout);
    fits("convert", &report);
    assert_eq!(report["from"], "terraform-show");
}

#[test]
fn get() {
    let output = coco(&["get", "point.cocopack.json", "geometry/point:index:Point:x/type", "--stats"]);
    let report = only_line(&output.stdout);
    fits("get", &report);
    assert_eq!(report["matches"][0]["key"], "geometry/point:index:Point:x");
    assert_eq!(report["matches"][0]["value"]["tok"], "number");
    assert!(report["stats"]["touched_bytes"].as_u64() <= report["stats"]["bytes"].as_u64());
    let root = only_line(&coco(&["get", "point.cocopack.json", "/name"]).stdout);
    fits("get", &root);
    assert!(root["matches"][0].get("key").is_none());
}

#[test]
fn check() {
    let input = Path::new(HERE).join("tests/transcripts/check.in/typo.cocopack.json");
    let output = coco(&["check", input.to_str().unwrap(), "shop.checkpoint.json"]);
    assert_eq!(output.status.code(), Some(1));
    let report = only_line(&output.stdout);
    fits("check", &report);
    assert_eq!(report["documents"][0]["findings"][0]["location"]["line"], 2);
    assert_eq!(report["documents"][1]["findings"], Value::Array(Vec::new()));
}

#[test]
fn plan() {
    let input = |name: &str| format!("{HERE}/tests/help/plan.in/{name}");
    let [program, library, old, rules] =
        ["shop.cocopack.json", "coconut.cocopack.json", "deployed.json", "rules.json"].map(input);
    let config = ["--config", "shop:config:size=5"];
    let arguments = ["plan", &program, "--against", &old, "--with", &library, "--rules", &rules];
    let output = coco(&[&arguments[..], &config].concat());
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let report = only_line(&output.stdout);
    fits("plan", &report);
    let steps: Vec<&str> =
        report["steps"].as_array().unwrap().iter().filter_map(|step| step["operation"].as_str()).collect();
    assert_eq!(steps, ["create-replacement", "replace", "create", "delete", "delete-replaced"]);
    assert_eq!(report["steps"][0]["replacing"][0], "size");

    let input = |name: &str| format!("{HERE}/tests/transcripts/eval.in/{name}");
    let output = coco(&["plan", &input("wanted.json"), "--against", &input("marks.json")]);
    assert_eq!(output.status.code(), Some(4), "{output:?}");
    let report = only_line(&output.stdout);
    fits("plan", &report);
    let refused = report["steps"].as_array().unwrap().last().unwrap();
    assert_eq!((&refused["operation"], &refused["reason"]), (&"delete".into(), &"protected".into()));
    assert_eq!(report["counts"]["refused"], 1);
    let failure = only_line(&output.stderr);
    fits("error", &failure);
    assert_eq!(failure["errors"][0]["code"], "PLAN-PROTECTED");
    assert_eq!(failure["errors"][0]["refused"][0], refused["urn"]);

    let output = coco(&["plan", &input("deployed.json"), "--against", &input("twice.json")]);
    let report = only_line(&output.stdout);
    fits("plan", &report);
    assert_eq!(report["pending"][0]["operation"], "creating");
    assert_eq!(report["pending"][0]["urn"], "urn:pulumi:dev::p::aws:s3:Bucket::z");
}

#[test]
fn explain() {
    let report = only_line(&coco(&["explain"]).stdout);
    fits("explain", &report);
    assert!(report["codes"].as_array().unwrap().len() > 100);
}

#[test]
fn cache() {
    let cache = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_coco"));
        command.current_dir(Path::new(HERE).join("../examples")).env("COCONUT_CACHE_DIR", cache.path());
        only_line(&command.args(["--json", "cache"]).args(arguments).output().unwrap().stdout)
    };
    let source = "shop.checkpoint.json";
    let reports = [
        ("cache-dir", run(&["dir"])),
        ("cache-explain", run(&["explain", source])),
        ("cache-warm", run(&["warm", source])),
        ("cache-explain", run(&["explain", source])),
        ("cache-ls", run(&["ls"])),
        ("cache-verify", run(&["verify"])),
        ("cache-removed", run(&["prune", "--max-size", "1GB"])),
        ("cache-removed", run(&["clean"])),
    ];
    for (schema, report) in &reports {
        fits(schema, report);
    }
    let value = |report: usize, pointer: &str| reports[report].1.pointer(pointer).unwrap().clone();
    assert_eq!((value(1, "/cache"), value(3, "/cache")), ("miss".into(), "hit".into()));
    assert_eq!(value(2, "/documents/0/cached"), true);
    assert_eq!(value(4, "/entries/0/document_type"), "cocogl");
    assert_eq!((value(5, "/good"), value(6, "/kept"), value(7, "/removed")), (1.into(), 1.into(), 2.into()));
}

#[test]
fn errors() {
    let broken = Path::new(HERE).join("tests/transcripts/failures.in/broken.json");
    let broken = broken.to_str().unwrap();
    let cases: [(&[&str], i32, &str); 7] = [
        (&["pack", "build", broken, "--check"], 4, "SRC-JSON"),
        (&["pack", "build"], 2, "USAGE"),
        (&["pack", "unpack", broken], 4, "ENV-TEXT"),
        (&["pack", "repack", "missing.coco", "-o", "-"], 2, "FILE-READ"),
        (&["get", "shop.checkpoint.json", "nothing like that"], 1, "KEY-MISSING"),
        (&["get", "shop.checkpoint.json", "/nothing"], 1, "PATH-MISSING"),
        (&["explain", "nothing"], 1, "CODE-MISSING"),
    ];
    for (arguments, exit, code) in cases {
        let output = coco(arguments);
        assert_eq!(output.status.code(), Some(exit), "{arguments:?}");
        let report = only_line(&output.stderr);
        fits("error", &report);
        assert_eq!(report["errors"][0]["code"], code, "{arguments:?}");
        assert_eq!(report["errors"][0]["exit"], exit, "{arguments:?}");
    }
}

#[test]
fn the_check_finds_faults() {
    let schema = serde_json::json!({"type": "object", "properties": {"a": {"type": "integer", "minimum": 1}},
        "required": ["a"], "additionalProperties": false});
    assert!(schema_check::fits(&schema, &serde_json::json!({"a": 1}), "").is_ok());
    for wrong in ["{}", "{\"a\": 0}", "{\"a\": \"1\"}", "{\"a\": 1, \"b\": 2}", "[]"] {
        assert!(schema_check::fits(&schema, &serde_json::from_str(wrong).unwrap(), "").is_err(), "{wrong}");
    }
}

#[test]
fn recover() {
    let out = tempfile::tempdir().unwrap();
    let path = |name: &str| out.path().join(name).to_str().unwrap().to_owned();
    let (document, result) = (path("a.coco"), path("b.json"));
    assert!(coco(&["pack", "build", "shop.checkpoint.json", "-o", &document]).status.success());
    let report = only_line(&coco(&["recover", &document, "-o", &result]).stdout);
    fits("recover", &report);
    assert_eq!((&report["complete"], &report["landmarks"]), (&Value::Bool(true), &Value::from(42)));
}
