//! The table of name references of kustomize: each row is an edge.

use super::*;

fn object(entries: Vec<(String, Value)>) -> Value {
    Value::Object(entries)
}

fn text(text: &str) -> Value {
    Value::String(text.to_owned())
}

/// A cluster object of this kind, with additional `entries`.
fn manifest(group: Option<&str>, kind: &str, entries: Vec<(String, Value)>) -> Value {
    let version = match group {
        None | Some("") => "v1".to_owned(),
        Some(group) => format!("{}/v1", group.trim_end_matches("/v1")),
    };
    let metadata = object(vec![("name".to_owned(), text("n")), ("namespace".to_owned(), text("default"))]);
    let mut all = vec![
        ("apiVersion".to_owned(), text(&version)),
        ("kind".to_owned(), text(kind)),
        ("metadata".to_owned(), metadata),
    ];
    for (key, value) in entries {
        match all.iter_mut().find(|(known, _)| *known == key) {
            // Annotations are next to the name.
            Some((_, Value::Object(known))) => {
                let Value::Object(more) = value else { panic!("{key}") };
                known.extend(more);
            }
            _ => all.push((key, value)),
        }
    }
    object(all)
}

/// The value at the end of a path, wrapped in its objects and lists.
fn at_path(path: &[String], value: Value) -> Value {
    let Some((key, rest)) = path.split_first() else { return value };
    let inner = at_path(rest, value);
    let is_list =
        ["containers", "initContainers", "rules", "subjects", "webhooks", "volumes", "env", "paths"];
    let inner = if is_list.contains(&&**key) { Value::List(vec![inner]) } else { inner };
    object(vec![(key.clone(), inner)])
}

/// The steps of a kustomize path, in which `\/` is a slash in a key.
fn steps(path: &str) -> Vec<String> {
    path.replace("\\/", "\u{0}").split('/').map(|step| step.replace('\u{0}', "/")).collect()
}

#[test]
fn each_row_of_the_table_is_an_edge() {
    let Some(path) = folder("testdata/2-interchange/kustomize-namereference.yaml") else { return };
    let table = value(&path).unwrap();
    let mut rows = 0;
    for target in table.get("nameReference").and_then(Value::as_list).unwrap() {
        let field = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
        let target_kind = field(target, "kind").unwrap();
        let target_group = match (&*target_kind, field(target, "group")) {
            (_, Some(group)) => group,
            ("Deployment" | "ReplicaSet" | "StatefulSet", None) => "apps".to_owned(),
            _ => String::new(),
        };
        // The version in the table is a mistake: persistent volumes are in the core group.
        for row in target.get("fieldSpecs").and_then(Value::as_list).unwrap() {
            let (path, kind) = (field(row, "path").unwrap(), field(row, "kind").unwrap());
            let group = field(row, "group").or_else(|| {
                let group = match &*kind {
                    "Deployment" | "ReplicaSet" | "DaemonSet" | "StatefulSet" => "apps",
                    "Job" | "CronJob" => "batch",
                    "Ingress" => "networking.k8s.io",
                    "HorizontalPodAutoscaler" => "autoscaling",
                    "Role" | "ClusterRole" => "rbac.authorization.k8s.io",
                    "StorageClass" => "storage.k8s.io",
                    _ => "",
                };
                Some(group.to_owned())
            });
            let mut steps = steps(&path);
            let named = vec![
                ("kind".to_owned(), text(&target_kind)),
                ("name".to_owned(), text("n")),
                ("namespace".to_owned(), text("default")),
            ];
            let value = match &*path {
                "rules/resourceNames" => {
                    let plural = text(&format!("{}s", target_kind.to_lowercase()));
                    steps.pop();
                    object(vec![
                        ("resourceNames".to_owned(), Value::List(vec![text("n")])),
                        ("resources".to_owned(), Value::List(vec![plural])),
                    ])
                }
                "subjects" | "webhooks/clientConfig/service" => object(named),
                // The reference gives its kind.
                "spec/scaleTargetRef/name" | "roleRef/name" => {
                    steps.pop();
                    object(named)
                }
                _ => text("n"),
            };
            let Value::Object(entries) = at_path(&steps, value) else { panic!("{path}") };
            let holder = manifest(group.as_deref(), &kind, entries);
            let input = Value::List(vec![holder, manifest(Some(&target_group), &target_kind, Vec::new())]);
            let import = imported(System::Kubernetes, &input);
            let found = import.edges().iter().any(|edge| (edge.from, edge.to) == (0, 1));
            assert!(found, "{kind} {path} -> {target_kind}\n{input:?}");
            rows += 1;
        }
    }
    assert_eq!(rows, 167);
}
