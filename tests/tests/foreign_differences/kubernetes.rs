//! §16.3 The lists of Kubernetes that its own schema pairs by keys.

use super::check;
use crate::differences::{differences, file};
use coconut_codec::compile::CompileOptions;
use coconut_codec::text::SourceFormat;
use coconut_diff::Options;
use coconut_diff::value::{ListMode, ListRules, Scope};
use coconut_format::Value;
use coconut_testing::testdata;
use std::collections::BTreeSet;
use std::fs;

/// The kind of an object with such a part, and the place of the part in it.
fn around(part: &str) -> (&'static str, &'static str) {
    match part {
        "ObjectMeta" => ("Pod", "/metadata"),
        "Initializers" => ("Pod", "/metadata/initializers"),
        "Container" => ("Pod", "/spec/containers/0"),
        "ServiceSpec" => ("Service", "/spec"),
        _ if part.ends_with("Status") => ("Pod", "/status"),
        _ if part.ends_with("Spec") => ("Pod", "/spec/template/spec"),
        _ => ("Pod", ""),
    }
}

#[test]
fn lists_of_kubernetes_are_paired_by_the_keys_of_its_schema() {
    let Some(folder) = testdata("1-diff/structured-merge-diff") else { return };
    let text = fs::read(folder.join("k8s-schema.yaml")).expect("the schema can be read");
    let options = CompileOptions { format: Some(SourceFormat::Yaml), ..CompileOptions::default() };
    let schema = file(&text, &options);
    let schema = schema.view().tree().expect("it was just written").root().to_value();
    let text_of = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    let (mut count, mut wrong) = (0, Vec::new());
    for part in schema.get("types").and_then(Value::as_list).expect("a schema has types") {
        let fields = part.get("map").and_then(|map| map.get("fields")).and_then(Value::as_list);
        let name = text_of(part, "name").expect("a type has a name");
        let own = name.rsplit('.').next().unwrap_or_default();
        for field in fields.unwrap_or_default() {
            let Some(list) = field.get("type").and_then(|kind| kind.get("list")) else { continue };
            if text_of(list, "elementRelationship").as_deref() != Some("associative") {
                continue;
            }
            let keys: Vec<&str> = list
                .get("keys")
                .and_then(Value::as_list)
                .unwrap_or_default()
                .iter()
                .filter_map(Value::as_str)
                .collect();
            let (kind, place) = around(own);
            let place = format!("{place}/{}", text_of(field, "name").expect("a field has a name"));
            let scope = Scope { dialect: Some("kubernetes"), resource_type: Some(kind), is_front: false };
            let rules = ListRules::of(&scope, &[]);
            let is_so = match (rules.of_place(&place).first(), &keys[..]) {
                (Some(ListMode::Set), []) => true,
                // Newer schemas have a second key.
                (Some(ListMode::Key(found)), [..]) => {
                    !keys.is_empty() && found.iter().zip(&keys).all(|(a, b)| a.split('=').next() == Some(*b))
                }
                // They run one after the other.
                (Some(ListMode::OrderedKey(found)), ["name"]) => {
                    place.ends_with("/initContainers") && found[..] == ["name"]
                }
                // Without a rule, the names of items are their keys.
                (None, ["name"]) => true,
                _ => false,
            };
            count += 1;
            if !is_so {
                wrong.push(format!("{name}: {place} by {keys:?}"));
            }
        }
    }
    assert!(count > 30, "{count} lists");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn live_objects_have_all_that_their_manifests_say() {
    let Some(folder) = testdata("1-diff/gitops-engine") else { return };
    let pairs = [
        ("aggr-clusterrole-config.json", "aggr-clusterrole-live.json"),
        ("deployment-config.json", "deployment-live.json"),
        ("elasticsearch-config.json", "elasticsearch-live.json"),
        ("endpoints-config.json", "endpoints-live.json"),
        ("smd-deploy-config.yaml", "smd-deploy-live.yaml"),
        ("smd-service-config.yaml", "smd-service-live.yaml"),
        ("ssd-deploy-composite-key-config.yaml", "ssd-deploy-composite-key-predicted-live.json"),
        ("ssd-svc-no-label-config.yaml", "ssd-svc-no-label-predicted-live.json"),
    ];
    let (mut met, mut not_met) = (0, BTreeSet::new());
    for (config, live) in pairs {
        let document = |name: &str| {
            let text = fs::read(folder.join(name)).expect("a case can be read");
            let options = CompileOptions { format: Some(SourceFormat::Yaml), ..CompileOptions::default() };
            file(&text, &options)
        };
        let (old, new) = (document(config), document(live));
        let found = differences(&old, &new, &Options::default()).expect("they can be compared");
        let of_resources = found["resources"].as_array().expect("it is a list");
        let is_one = of_resources.iter().all(|row| row[0] == "changed" || row[0] == "moved");
        let resources = found["changes"].as_array().into_iter().flatten();
        let mut changes = resources.flat_map(|resource| resource[1].as_array().into_iter().flatten());
        // The cluster adds defaults, and removes nothing.
        let adds =
            changes.all(|change| change[0] == "add" || change[1] == "metadata" || change[1] == "order");
        match is_one && of_resources.len() == 1 && adds {
            true => met += 1,
            false => {
                eprintln!("{config}: {found:#}");
                not_met.insert(config.to_owned());
            }
        }
    }
    check("gitops-engine", met, &not_met);
}
