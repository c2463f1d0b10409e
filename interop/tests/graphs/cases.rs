//! Sources with everything that can be lost, and their results. `COCONUT_BLESS=1` rewrites the
//! results.

use super::*;

/// Compares a result with its file.
fn check_file(name: &str, found: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/graphs/results").join(name);
    if std::env::var_os("COCONUT_BLESS").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, found).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(expected == found, "{}:\n{found}", path.display());
}

fn source(name: &str) -> Value {
    read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/graphs/sources").join(format!("{name}.json")))
}

const TARGETS: [Target; 6] = [
    Target::CocoGl,
    Target::PulumiExport,
    Target::PulumiCheckpoint,
    Target::PulumiImport,
    Target::TerraformState,
    Target::TerraformShow,
];

/// Compares all forms of a source with their files, except the form of the source itself.
fn check(name: &str) {
    let source = source(name);
    let mut made = 0;
    for target in TARGETS {
        let (document, findings) = match converted(&source, target) {
            Ok(converted) => converted,
            Err(GraphError::SameForm | GraphError::NoState) => continue,
            Err(error) => panic!("{}: {error}", target.name()),
        };
        made += 1;
        let lines: Vec<String> =
            findings.iter().map(|one| format!("{} {one} at {}\n", one.kind.code(), one.pointer)).collect();
        check_file(&format!("{name}.{}.json", target.name()), &text(&document));
        check_file(&format!("{name}.{}.findings", target.name()), &lines.concat());
    }
    assert!(made > 3, "{made}");
}

#[test]
fn an_export_of_pulumi_in_all_forms() {
    check("pulumi");
}

#[test]
fn an_old_checkpoint_of_pulumi_in_all_forms() {
    check("checkpoint-1");
}

#[test]
fn a_state_of_terraform_in_all_forms() {
    check("terraform");
}

#[test]
fn old_states_of_terraform_in_all_forms() {
    check("state-1");
    check("state-3");
}

#[test]
fn a_shown_state_in_all_forms() {
    check("show");
}

#[test]
fn paths_to_shown_secrets_have_a_limit() {
    // Each of these masks is inside all of the others.
    let deep = (0..400).fold(Value::Bool(true), |inner, _| Value::List(vec![inner]));
    let masks = Value::List(vec![deep; 2000]);
    let path = ["values", "root_module", "resources", "0", "sensitive_values", "disks"];
    let result = converted(&with(source("show"), &path, masks), Target::TerraformState);
    assert_eq!(result.unwrap_err().to_string(), "too many steps of paths to secrets");
}

#[test]
fn a_snapshot_of_2017_in_all_forms() {
    check("snapshot-2017");
}

/// The document at one entry is another one.
fn with(mut document: Value, path: &[&str], value: Value) -> Value {
    fn put(at: &mut Value, path: &[&str], value: Value) {
        let Some((first, rest)) = path.split_first() else {
            *at = value;
            return;
        };
        match at {
            Value::List(items) => put(&mut items[first.parse::<usize>().unwrap()], rest, value),
            Value::Object(entries) => match entries.iter().position(|(key, _)| key == first) {
                Some(position) => put(&mut entries[position].1, rest, value),
                None => entries.push(((*first).to_owned(), value)),
            },
            other => panic!("{other:?}"),
        }
    }
    put(&mut document, path, value);
    document
}

#[test]
fn malformed_documents_are_refused_with_the_place() {
    let object = Value::Object(Vec::new());
    let resource =
        |number: &str, value: Value| with(source("pulumi"), &["deployment", "resources", number], value);
    let field = |key: &str| with(source("pulumi"), &["deployment", "resources", "3", key], object.clone());
    let cases = [
        (resource("1", Value::Null), Target::CocoGl, "/deployment/resources/1"),
        (resource("1", object.clone()), Target::TerraformState, "/deployment/resources/1"),
        (field("parent"), Target::CocoGl, "/deployment/resources/3/parent"),
        (field("x-origin"), Target::CocoGl, "/deployment/resources/3"),
        (with(source("terraform"), &["resources", "1", "type"], Value::Null), Target::CocoGl, "/resources/1"),
        (
            with(source("terraform"), &["resources", "1", "instances", "2"], Value::Null),
            Target::PulumiExport,
            "/resources/1/instances/2",
        ),
        (
            with(source("state-3"), &["modules", "1", "path", "0"], Value::Null),
            Target::TerraformState,
            "/modules/1/path",
        ),
        (
            with(source("state-3"), &["modules", "1", "resources", "x"], object.clone()),
            Target::TerraformState,
            "/modules/1/resources/x",
        ),
    ];
    for (document, target, expected) in cases {
        match converted(&document, target) {
            Err(GraphError::Malformed { pointer, .. }) => assert_eq!(pointer, expected),
            other => panic!("{expected}: {other:?}"),
        }
    }
    assert_eq!(converted(&object, Target::CocoGl).unwrap_err(), GraphError::NoGraph);
    assert_eq!(converted(&source("pulumi"), Target::PulumiExport).unwrap_err(), GraphError::SameForm);
}

#[test]
fn a_changed_graph_leads_back_to_a_changed_document() {
    let (graph, _) = converted(&source("terraform"), Target::CocoGl).unwrap();
    let Value::Object(mut entries) = graph else { panic!("a graph is an object") };
    let resources = &mut entries.iter_mut().find(|(key, _)| key == "resources").unwrap().1;
    let Value::Object(resources) = resources else { panic!("resources are an object") };
    resources.retain(|(key, _)| !key.contains("aws_subnet"));
    let mut added = resources[0].1.clone();
    if let Value::Object(fields) = &mut added {
        fields.retain(|(key, _)| key != "terraform");
    }
    resources.push(("module.a.aws_ami.new".to_owned(), added));
    let (state, findings) = converted(&Value::Object(entries), Target::TerraformState).unwrap();
    assert_eq!(findings, []);
    let instances = |number: &str| resolve(&state, &format!("/resources/{number}/instances")).unwrap();
    assert_eq!(instances("1"), &Value::List(Vec::new()));
    let last = resolve(&state, "/resources/5").unwrap();
    let found = ["module", "type", "name"].map(|key| last.get(key).and_then(Value::as_str));
    assert_eq!(found, [Some("module.a"), Some("aws_ami"), Some("new")]);
    assert_eq!(resolve(last, "/instances/0/attributes/id").and_then(Value::as_str), Some("ami-1"));
}

#[test]
fn secrets_of_a_source_are_secret_in_its_results() {
    let places = |document: &Value| {
        coconut_format::graph::secret_places(document, Dialect::of(document).expect("it has a dialect"))
    };
    let cases: [(&str, Target, &[&str]); 4] = [
        (
            "terraform",
            Target::CocoGl,
            &[
                "/resources/module.net[\"eu.west\"].aws_subnet.a[1]/properties/tags/a.b",
                "/origin/document/outputs/password/value",
            ],
        ),
        (
            "terraform",
            Target::PulumiExport,
            &[
                "/deployment/resources/0/outputs/password/plaintext",
                "/deployment/resources/5/outputs/tags/a.b/plaintext",
            ],
        ),
        (
            "pulumi",
            Target::CocoGl,
            &[
                "/resources/urn:pulumi:dev::shop::shop:index:Front$aws:s3~1bucket:Bucket::site/outputs/key",
                "/resources/urn:pulumi:dev::shop::pulumi:pulumi:Stack::shop-dev/outputs/password/plaintext",
            ],
        ),
        (
            "pulumi",
            Target::TerraformState,
            &[
                "/outputs/password/value",
                "/resources/0/instances/0/attributes/key",
                "/resources/0/instances/0/attributes/rules/0/token",
            ],
        ),
    ];
    for (name, target, pointers) in cases {
        let (document, _) = converted(&source(name), target).unwrap();
        let places = places(&document);
        for pointer in pointers {
            assert!(resolve(&document, pointer).is_some(), "{name}: {pointer}");
            assert!(places.contains(pointer), "{name} {}: {pointer}", target.name());
        }
    }
}
