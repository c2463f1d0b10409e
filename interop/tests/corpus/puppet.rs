//! Catalogs: containment and relations, as the catalog lists them.

use super::*;

/// `Type[title]` with the type in lower case.
fn lower(reference: &str) -> String {
    let (kind, title) = reference.split_once('[').unwrap_or((reference, ""));
    let kind = kind.to_lowercase();
    let title = if kind == "class" { title.to_lowercase() } else { title.to_owned() };
    format!("{kind}[{title}")
}

#[test]
fn catalogs_have_the_edges_that_they_list() {
    let folders = ["puppet-catalog", "testdata/1-diff/octocatalog-diff/catalogs"].map(folder);
    let mut compared = 0;
    for path in folders.iter().flatten().flat_map(|folder| files_below(folder)) {
        let Some(root) = value(&path).filter(|root| system_of(root) == Some(System::Puppet)) else {
            continue;
        };
        let catalog = if root.get("resources").is_some() { &root } else { root.get("data").unwrap() };
        let Some(resources) = catalog.get("resources").and_then(Value::as_list) else { continue };
        let text =
            |value: &Value, key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let keys: BTreeMap<String, String> = resources
            .iter()
            .map(|resource| format!("{}[{}]", text(resource, "type"), text(resource, "title")))
            .map(|key| (lower(&key), key))
            .collect();
        let mut expected = BTreeSet::new();
        let mut add = |from: &str, kind: &str, to: &str| {
            if let (Some(from), Some(to)) = (keys.get(&lower(from)), keys.get(&lower(to))) {
                expected.insert(format!("{from} {kind} {to}"));
            }
        };
        for edge in catalog.get("edges").and_then(Value::as_list).unwrap_or_default() {
            let (source, target) = (text(edge, "source"), text(edge, "target"));
            if source != "Class[main]" {
                add(&target, "owner", &source);
            }
        }
        for resource in resources {
            let own = format!("{}[{}]", text(resource, "type"), text(resource, "title"));
            let Some(parameters) = resource.get("parameters") else { continue };
            for (key, kind) in [
                ("require", "require"),
                ("before", "require"),
                ("subscribe", "subscribe"),
                ("notify", "subscribe"),
            ] {
                let others: Vec<&Value> = match parameters.get(key) {
                    Some(Value::List(items)) => items.iter().collect(),
                    other => other.into_iter().collect(),
                };
                for other in others.into_iter().filter_map(Value::as_str) {
                    match key {
                        "before" | "notify" => add(other, kind, &own),
                        _ => add(&own, kind, other),
                    }
                }
            }
            if resource.get("type").and_then(Value::as_str) == Some("Class")
                && let Some(stage) = parameters.get("stage").and_then(Value::as_str)
            {
                add(&own, "owner", &format!("Stage[{stage}]"));
            }
        }
        let import = infer(&root).unwrap().unwrap();
        assert_eq!(edges(&import), expected, "{}", path.display());
        compared += expected.len();
    }
    assert!(compared == 0 || compared > 100, "{compared}");
}
