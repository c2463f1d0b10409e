//! Raising a graph and evaluating the program returns the same graph.

use crate::golden::{folders, parse, read, sorted};
use coconut_codec::event::ValueSink;
use coconut_codec::text::json::{self, JsonOptions};
use coconut_eval::{Evaluator, Options, Outcome, PackageList, Plan, RaiseFindingKind, Raised, Snapshot};
use coconut_format::Value;
use coconut_format::graph::{SECRET_SIGNATURE, SIGNATURE_KEY, secret_places};
use coconut_format::landmark::Dialect;
use coconut_format::pointer::Pointer;
use coconut_testing::golden;
use std::path::{Path, PathBuf};

/// The result of the program to which a graph was raised.
fn evaluate(raised: &Raised) -> Outcome {
    let mut packages = PackageList::new();
    packages.add(raised.program().clone());
    raised.stubs().iter().for_each(|stub| packages.add(stub.clone()));
    let mut options = Options::default();
    raised.scheme().clone_into(&mut options.scheme);
    raised.environment().clone_into(&mut options.environment);
    let name = raised.program().name().expect("a program has a name");
    Evaluator::new(&packages)
        .evaluate(name, &options)
        .unwrap_or_else(|error| panic!("{error}\n{:?}", error.trace()))
}

fn raise(graph: &Value) -> Raised {
    Raised::of(graph).unwrap_or_else(|error| panic!("{error}"))
}

/// The resources of a document: URN, type and properties, without nulls in objects.
fn resources(graph: &Value) -> Vec<(String, String, Value)> {
    let places: [&[&str]; 4] = [
        &["latest", "resources"],
        &["resources"],
        &["deployment", "resources"],
        &["checkpoint", "latest", "resources"],
    ];
    let found = places.iter().find_map(|place| place.iter().try_fold(graph, |value, key| value.get(key)));
    let text = |resource: &Value, key: &str| {
        resource.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let resource = |urn: String, resource: &Value| {
        let mut all = Vec::new();
        for key in ["defaults", "inputs", "properties"] {
            for (key, value) in resource.get(key).and_then(Value::as_object).unwrap_or_default() {
                all.retain(|(known, _)| known != key);
                all.push((key.clone(), value.clone()));
            }
        }
        (urn, text(resource, "type"), sorted(&without_nulls(&Value::Object(all))))
    };
    match found {
        Some(Value::Object(entries)) => {
            entries.iter().map(|(urn, value)| resource(urn.clone(), value)).collect()
        }
        Some(Value::List(items)) => items.iter().map(|item| resource(text(item, "urn"), item)).collect(),
        _ => Vec::new(),
    }
}

fn without_nulls(value: &Value) -> Value {
    match value {
        Value::List(items) => Value::List(items.iter().map(without_nulls).collect()),
        Value::Object(entries) => {
            let present = entries.iter().filter(|(_, value)| !matches!(value, Value::Null));
            Value::Object(present.map(|(key, value)| (key.clone(), without_nulls(value))).collect())
        }
        other => other.clone(),
    }
}

#[track_caller]
fn keeps_the_law(case: &str, graph: &Value) {
    let raised = raise(graph);
    assert_eq!(raised.findings(), [], "{case}");
    let mut expected = resources(graph);
    let mut found = resources(&evaluate(&raised).graph());
    expected.sort_by(|one, other| one.0.cmp(&other.0));
    found.sort_by(|one, other| one.0.cmp(&other.0));
    assert_eq!(found, expected, "{case}");
}

#[test]
fn graphs_of_2017_are_made_again_by_the_programs_that_they_are_raised_to() {
    let Some(golden) = golden() else { return };
    let mut compared = 0;
    for (case, folder) in folders(&golden.join("programs")) {
        for (name, path) in folders(&folder) {
            if name.starts_with("cocogl-") || name == "checkpoint.json" {
                keeps_the_law(&format!("{case}/{name}"), &read(&path));
                compared += 1;
            }
        }
    }
    assert!(compared >= 10, "{compared}");
}

#[test]
fn unknown_values_have_their_types_and_sources_again() {
    let unknown = |path: &str, ty: &str, sources: &str| {
        let sources: Vec<String> =
            sources.split(' ').map(|name| format!(r##"{{"#ref": "{}"}}"##, urn(name))).collect();
        format!(r#"{{"path": "{path}", "type": "{ty}", "sources": [{}]}}"#, sources.join(", "))
    };
    let string = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
    let number = "3eeb2bf0-c639-47a8-9e75-3b44932eb421";
    let bool = "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7";
    let array = "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2";
    let unknowns = [
        unknown("/one", "string", "a"),
        unknown("/two", "string", "a b"),
        unknown("/deep/0/x~1y", "number", "a b"),
        unknown("/flag", "bool", "b"),
        unknown("/flags", "bool", "a b"),
        unknown("/any", "dynamic", "a b"),
        unknown("/list", "[]string", "a b"),
    ];
    let graph = format!(
        r#"{{"package": "p", "resources": {{
            "{a}": {{"type": "q:m:R", "properties": {{"name": "a", "output1": 5}}}},
            "{b}": {{"type": "q:m:R", "properties": {{"name": "b", "not a name": true, "id": null}}}},
            "{c}": {{"type": "q:m:R", "properties": {{"name": "c", "one": "{string}", "two": "{string}",
                "deep": [{{"x/y": "{number}", "a:b": [[], {{}}, null, -1.5, 9007199254740991]}}], "flag": "{bool}",
                "flags": "{bool}", "any": "{string}", "list": "{array}"}}, "unknowns": [{}]}}}}}}"#,
        unknowns.join(", "),
        a = urn("a"),
        b = urn("b"),
        c = urn("c"),
    );
    let graph = parse(graph.as_bytes());
    keeps_the_law("unknowns", &graph);
    let again = evaluate(&raise(&graph)).graph();
    let unknowns = |graph: &Value| {
        let all = graph.get("resources").and_then(|all| all.get(&urn("c"))?.get("unknowns")).cloned();
        let mut all = all.as_ref().and_then(Value::as_list).expect("it has unknowns").to_vec();
        all.sort_by_key(|unknown| format!("{unknown:?}"));
        all
    };
    assert_eq!(unknowns(&again), unknowns(&graph));
}

/// A secret that the document marks from outside is signed. One with a mark of its own stays as it
/// is. The text is in a literal with the signature.
#[test]
fn secrets_are_marked_in_the_program_and_in_its_graph() {
    let signed = |plaintext: &str| {
        format!(
            r#"{{"{SIGNATURE_KEY}": "{SECRET_SIGNATURE}", "plaintext": {}}}"#,
            serde_json::Value::String(plaintext.to_owned())
        )
    };
    let graph = |properties: &str, marks: &str| {
        let text = format!(
            r#"{{"package": "p", "resources": {{"{}": {{"type": "q:m:R", "properties": {properties}{marks}}}}}}}"#,
            urn("a")
        );
        parse(text.as_bytes())
    };
    let step = |name: &str| format!(r#"[{{"type": "get_attr", "value": "{name}"}}]"#);
    let marks = ["name", "n", "o", "r", "u"].map(step).join(", ");
    let (reference, unknown) = (r##"{"#ref": "none"}"##, "04da6b54-80e4-46f7-96ec-b56ff0331ba9");
    let other = reference.replace("none", "other");
    let own = format!(r#""s": {}, "k": {{"kind": "Secret", "data": {{"x": "canary"}}}}"#, signed("1"));
    let before = format!(
        r#"{{"name": "canary", "n": 7, "o": {{"canary": [true, {other}]}}, "r": {reference}, "u": "{unknown}", "p": 1, {own}}}"#
    );
    let after = format!(
        r#"{{"name": {}, "n": {}, "o": {}, "r": {reference}, "u": "{unknown}", "p": 1, {own}}}"#,
        signed(r#""canary""#),
        signed("7"),
        signed(r##"{"canary":[true,{"#ref":"other"}]}"##)
    );
    let marked = graph(&before, &format!(r#", "sensitive_attributes": [{marks}]"#));
    let raised = raise(&marked);
    let found: Vec<&str> = raised.findings().iter().map(|finding| finding.text.as_str()).collect();
    assert_eq!(
        found,
        [
            "dependencies on resources that are missing or do not come before it: 1",
            "at `/r`: the reference leads to no resource of the graph, and becomes an object",
        ]
    );
    let again = evaluate(&raised).graph();
    assert_eq!(resources(&again), resources(&graph(&after, "")));
    // A plan compares the value, not its mark.
    let [old, new] = [&marked, &again].map(|graph| Snapshot::from_value(graph).expect("a snapshot"));
    for (from, to) in [(&old, &new), (&new, &old)] {
        let plan = Plan::between(from, to, &Options::default());
        assert_eq!(plan.steps().iter().flat_map(|step| &step.changed).collect::<Vec<_>>(), ["u"]);
    }
    let program = raised.program().to_value();
    let dialect = Dialect::of(&program).expect("a package");
    let secrets = secret_places(&program, dialect);
    let mut count = 0;
    visit(&program, &mut Pointer::root(), &mut |pointer, text| {
        count += usize::from(text.contains("canary"));
        assert!(!text.contains("canary") || secrets.contains(pointer), "{pointer}");
    });
    assert_eq!(count, 3);
}

/// Calls `each` with all strings and their places.
fn visit(value: &Value, pointer: &mut Pointer, each: &mut dyn FnMut(&str, &str)) {
    match value {
        Value::String(text) => each(pointer.as_str(), text),
        Value::List(items) => {
            for (at, item) in items.iter().enumerate() {
                pointer.push_index(at);
                visit(item, pointer, each);
                pointer.pop();
            }
        }
        Value::Object(entries) => {
            for (key, value) in entries {
                pointer.push_key(key);
                visit(value, pointer, each);
                pointer.pop();
            }
        }
        _ => {}
    }
}

fn urn(name: &str) -> String {
    format!("urn:coconut:dev::p:index::q:m:R::{name}")
}

#[track_caller]
fn findings(graph: &str) -> Vec<String> {
    let raised = raise(&parse(graph.as_bytes()));
    evaluate(&raised);
    raised.findings().iter().map(|finding| finding.text.clone()).collect()
}

#[test]
fn urns_types_and_relations_are_those_of_the_graph() {
    let stack = "urn:pulumi:dev::my app::pulumi:pulumi:Stack::my app-dev";
    let provider = "urn:pulumi:dev::my app::pulumi:providers:aws::default_6";
    let group = "urn:pulumi:dev::my app::a:b:Group::g";
    let part = "urn:pulumi:dev::my app::a:b:Group$my-type::part";
    let graph = format!(
        r#"{{"resources": [
            {{"urn": "{stack}", "type": "pulumi:pulumi:Stack"}},
            {{"urn": "{provider}", "type": "pulumi:providers:aws", "parent": "{stack}", "inputs": {{"version": "6"}}}},
            {{"urn": "{group}", "type": "a:b:Group", "parent": "{stack}"}},
            {{"urn": "{part}", "type": "my-type", "parent": "{group}", "provider": "{provider}::id-1",
                "dependencies": ["{provider}"], "inputs": {{"x": 1}}}},
            {{"urn": "no URN", "type": "a:b:Group"}}]}}"#
    );
    let graph = parse(graph.as_bytes());
    keeps_the_law("relations", &graph);
    let again = evaluate(&raise(&graph)).graph();
    let resource = again.get("resources").and_then(|all| all.get(part)).expect("the part");
    let expected = format!(
        r##"{{"type": "my-type", "parent": {{"#ref": "{group}"}}, "provider": {{"#ref": "{provider}"}},
            "dependencies": [{{"#ref": "{provider}"}}], "properties": {{"x": 1}}}}"##
    );
    assert_eq!(resource, &parse(expected.as_bytes()));
    // With the parents, each URN follows from the program, if the name of the package is one.
    let text = graph_text(&graph).replace("my app", "app");
    let raised = raise(&parse(text.as_bytes()));
    let program = format!("{:?}", raised.program().to_value());
    assert!(!program.contains("$my-type") && program.contains("no URN"), "{program}");
}

fn graph_text(graph: &Value) -> String {
    let mut printer = json::Printer::new(Vec::new(), json::JsonStyle::Minified);
    coconut_codec::event::push(graph, &mut printer).expect("it is printed");
    String::from_utf8(printer.finish().expect("it is whole")).expect("JSON is UTF-8")
}

#[test]
fn a_parent_must_be_constructed_before_its_parts() {
    let raised = raise(&parse(
        br#"{"resources": [{"urn": "a", "type": "p:m:C"}, {"urn": "b", "type": "p:m:C", "parent": "a"}]}"#,
    ));
    let text = graph_text(&raised.program().to_value());
    // The parent is a text and not a resource.
    let load = r#"{"kind":"LoadLocationExpression","name":{"kind":"Token","tok":"graph:index:a"}}"#;
    let wrong = text.replace(
        &format!(r#""tok":"parent"}},"value":{load}"#),
        r#""tok":"parent"},"value":{"kind":"StringLiteral","value":"a"}"#,
    );
    assert_ne!(wrong, text);
    let mut packages = PackageList::new();
    packages.add(coconut_format::Package::from_value(parse(wrong.as_bytes())).expect("a package"));
    raised.stubs().iter().for_each(|stub| packages.add(stub.clone()));
    let error = Evaluator::new(&packages).evaluate("graph", &Options::default()).expect_err("no parent");
    assert!(error.to_string().contains("`.parent` of a resource must lead to resources"), "{error}");
}

#[test]
fn parts_that_a_program_cannot_express_are_found() {
    let of = |urn: &str, ty: &str, rest: &str| {
        format!(r#"{{"resources": [{{"urn": "{urn}", "type": "{ty}"{rest}}}]}}"#)
    };
    let pulumi = |ty: &str, name: &str| format!("urn:pulumi:dev::my app::{ty}::{name}");
    assert_eq!(
        findings(&of(&pulumi("a:b:C", "x"), "a:b:C", r#", "parent": "p", "dependencies": ["q", "p"]"#)),
        ["dependencies on resources that are missing or do not come before it: 2"]
    );
    let circle = format!(
        r##"{{"resources": {{"{a}": {{"type": "q:m:R", "properties": {{"x": {{"#ref": "{b}"}}}}}},
            "{b}": {{"type": "q:m:R", "properties": {{"x": {{"#ref": "{a}"}}, "y": {{"#ref": "none"}},
            "z": 9007199254740993, ".name": "c"}}}}}}}}"##,
        a = urn("a"),
        b = urn("b"),
    );
    assert_eq!(
        findings(&circle),
        [
            "its property `.name` is left out",
            "at `/x`: the reference is part of a circle, and becomes an object",
            "at `/y`: the reference leads to no resource of the graph, and becomes an object",
            "at `/z`: the integer is too large; it becomes the nearest number",
        ]
    );
    let twice = r#"{"resources": [{"urn": "u", "type": "a:b:C"}, {"urn": "u", "type": "a:b:C"},
        {"urn": "u", "type": "a:b:C", "delete": true}]}"#;
    assert_eq!(
        findings(twice),
        ["left out: an earlier resource has this URN", "left out: it is only waiting to be deleted",]
    );
}

/// The current checkpoints and deployments in a folder of documents.
fn deployments(corpus: &Path) -> Vec<PathBuf> {
    let index = std::fs::read_to_string(corpus.join("INDEX.tsv")).expect("the index is text");
    let rows = index.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let wanted = rows.filter(|row| matches!(row.get(1), Some(&"pulumi-deployment" | &"graph")));
    wanted
        .map(|row| corpus.join(row[0]))
        .filter(|path| path.extension().is_some_and(|end| end == "json"))
        .collect()
}

/// Some documents of the corpus are not JSON.
fn try_read(path: &Path) -> Option<Value> {
    let mut sink = ValueSink::new();
    json::read(&std::fs::read(path).ok()?, &mut sink, &JsonOptions::default()).ok()?;
    sink.finish()
}

#[test]
fn current_checkpoints_are_restored_except_for_the_findings() {
    let Some(corpus) = std::env::var_os("COCONUT_CORPUS").map(PathBuf::from) else {
        return coconut_testing::skipped::skip("documents of today (COCONUT_CORPUS)");
    };
    let (mut raised_all, mut exact) = (0, 0);
    for path in deployments(&corpus) {
        let case = path.display().to_string();
        let Some(graph) = try_read(&path) else { continue };
        let Ok(raised) = Raised::of(&graph) else { continue };
        raised_all += 1;
        let made = resources(&evaluate(&raised).graph());
        let found: std::collections::HashSet<&str> = raised
            .findings()
            .iter()
            .filter(|finding| finding.kind != RaiseFindingKind::Dependencies)
            .map(|finding| finding.urn.as_str())
            .collect();
        let expected: Vec<_> =
            resources(&graph).into_iter().filter(|(urn, ..)| !found.contains(urn.as_str())).collect();
        for resource in &expected {
            assert!(made.contains(resource), "{case}: {resource:?}");
        }
        exact += expected.len();
    }
    println!("{raised_all} documents, {exact} resources without findings");
    assert!(raised_all >= 40 && exact >= 300, "{raised_all} {exact}");
}
